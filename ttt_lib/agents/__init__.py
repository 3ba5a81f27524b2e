"""Who plays: names, agents and their files, and learners of all kinds.

`load("q-learning")` is the Agent of a name or in a file, `as_agent(game, learner)` is
whoever else can play, `policy` its policy alone; `names` has the grammar.
`learners.of(learner)` is what can be asked of any learner, and `OwnLearner` is where
one of your own begins.
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
