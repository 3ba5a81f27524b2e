"""An agent: somebody who plays, and what else is known of it."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from ttt_lib.game import SIDE_NAMES
from ttt_lib.validation import require, validated_agent

NOTHING: Mapping = MappingProxyType({})


class AgentFileError(ValueError):
    """An agent, or its file, cannot be used; nobody has named it wrongly."""


class Agent(NamedTuple):
    """Somebody who plays: a policy, and what else is known of it."""

    name: str  #: what to call it
    made: str = ""  #: how it was made, in words
    side: int = 0  #: the only side it can play (+1, −1), or 0 for both
    policy: np.ndarray | None = None  #: (S, A) probabilities; None for a person
    Q: np.ndarray | None = None  #: (S, A) what it expects of each move, if it does
    rewards: tuple = (1, 0, -1)  #: of win, draw and loss, in whose unit Q is
    rows: int = 3  #: rows of the board
    columns: int = 3  #: columns of the board
    k: int = 3  #: marks in a row that win
    taught: int = 0  #: the only side it was taught (+1, −1), or 0 for both
    learner: object = None  #: a learner of any kind, where it can learn
    training: Mapping = NOTHING  #: name → number or text, as its opponent
    history: tuple = ()  #: rows, name → number, of what it was worth after `games`
    path: Path | None = None  #: the file that it comes from

    @validated_agent
    def on(self, side=0):
        """Return its policy (S, A) on a side (+1, −1), or on both (0).

        Raises UnusableError if it has none or was made for the other side, and
        ValueError if it is a person.
        """
        if self.policy is None:
            person = not self.made and self.learner is None
            require(not person, "A person has no policy to compute with: see ttt play")
            raise AgentFileError(f"{self.name} has no policy: it cannot choose moves.")
        if self.side not in (0, side):
            made_for = SIDE_NAMES[self.side]
            raise AgentFileError(
                f"{self.name} was made for the {made_for} player only."
            )
        return self.policy

    def untaught(self, side=0):
        """Return the sentence on a side (+1, −1; 0 for both) that it was not taught.

        It is empty if there is nothing to say.
        """
        if self.taught in (0, side):
            return ""
        taught, other = SIDE_NAMES[self.taught], SIDE_NAMES[-self.taught]
        return f"{self.name} was taught as {taught} player only, and not as {other}."
