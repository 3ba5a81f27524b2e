"""The Agent type: a player's policy with its metadata."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from ttt_lib.game import SIDE_NAMES
from ttt_lib.validation import require, validated_agent

NOTHING: Mapping = MappingProxyType({})


class AgentFileError(ValueError):
    """Raised when an agent or its file is unusable, as opposed to an unknown name."""


class Agent(NamedTuple):
    """A player: its policy, and where it comes from."""

    name: str  #: shown to people
    made: str = ""  #: a sentence on how it was made
    side: int = 0  #: the only side it can play (+1, −1), or 0 for both
    policy: np.ndarray | None = None  #: (S, A) probabilities; None for a person
    Q: np.ndarray | None = None  #: (S, A) expected return of each move, if known
    rewards: tuple = (1, 0, -1)  #: of win, draw and loss: the unit of Q
    rows: int = 3  #: rows of the board
    columns: int = 3  #: columns of the board
    k: int = 3  #: marks in a row that win
    taught: int = 0  #: the only side it was trained on (+1, −1), or 0
    learner: object = None  #: a learner of any kind, if it can go on learning
    training: Mapping = NOTHING  #: name → number or text, such as its opponent
    history: tuple = ()  #: rows, name → number: its scores after `games`
    path: Path | None = None  #: the file that it comes from

    @validated_agent
    def on(self, side=0):
        """Return its policy (S, A) for a side (+1, −1), or for both (0).

        Raises AgentFileError if it has none or was made for the other side, and
        ValueError if it is a person.
        """
        if self.policy is None:
            is_person = not self.made and self.learner is None
            require(
                not is_person, "A person has no policy to compute with: see ttt play"
            )
            raise AgentFileError(f"{self.name} has no policy: it cannot choose moves.")
        if self.side not in (0, side):
            made_for = SIDE_NAMES[self.side]
            raise AgentFileError(
                f"{self.name} was made for the {made_for} player only."
            )
        return self.policy

    def untaught(self, side=0):
        """Return a warning if it was not trained on a side (+1, −1; 0 for both).

        It is empty if it was.
        """
        if self.taught in (0, side):
            return ""
        taught, other = SIDE_NAMES[self.taught], SIDE_NAMES[-self.taught]
        return f"{self.name} was taught as {taught} player only, and not as {other}."
