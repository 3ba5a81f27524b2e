"""Players: their names, agents and agent files, and learners of every kind.

`load("q-learning")` returns the Agent of a name or a file, `as_agent(game, learner)`
that of anything else that can play, and `policy` the policy alone; `names` defines the
grammar of names. `learners.adapter(learner)` trains, scores and stores a learner of any
kind; to write a learner, subclass `CustomLearner`.
"""

from ttt_lib.agents.agent import Agent, AgentFileError
from ttt_lib.agents.custom import CustomLearner, Transition
from ttt_lib.agents.io import builtin_names, save
from ttt_lib.agents.learners import to_agent
from ttt_lib.agents.lookup import as_agent, load, opponent, policy
from ttt_lib.agents.names import Name, parse

__all__ = [
    "Agent",
    "AgentFileError",
    "CustomLearner",
    "Name",
    "Transition",
    "as_agent",
    "builtin_names",
    "load",
    "opponent",
    "parse",
    "policy",
    "save",
    "to_agent",
]
