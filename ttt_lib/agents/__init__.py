"""Who plays, and what is kept of them: names, players, learners and their files.

`player(game, "teacher 0.9 lowest")` is whoever a text names, `policy` its policy alone;
`names` has the grammar. `learners.of(learner)` is what can be asked of any learner, and
`OwnLearner` is where one of your own begins.
"""

from ttt_lib.agents.learners import to_agent
from ttt_lib.agents.names import Name, parse
from ttt_lib.agents.own import OwnLearner, Step
from ttt_lib.agents.players import Player, opponent, player, policy, write_policy
from ttt_lib.agents.storage import (
    Agent,
    UnusableError,
    load,
    load_shipped,
    save,
    shipped,
)

__all__ = [
    "Agent",
    "Name",
    "OwnLearner",
    "Player",
    "Step",
    "UnusableError",
    "load",
    "load_shipped",
    "opponent",
    "parse",
    "player",
    "policy",
    "save",
    "shipped",
    "to_agent",
    "write_policy",
]
