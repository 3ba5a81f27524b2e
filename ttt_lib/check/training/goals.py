"""What a training is to reach."""

from collections.abc import Callable
from typing import NamedTuple


class Goal(NamedTuple):
    """What earns a share of the points."""

    share: float  #: of the points
    says: str  #: what is to be reached, in half a line
    reached: Callable  #: whether {measure: number} reaches it


class Training(NamedTuple):
    """A loop, its goals, the highest first, and which of its measures count."""

    loop: Callable  #: (function, rng, points): some have points of their own instead
    goals: tuple  #: of Goal
    counting: int  #: how many of the last points
    counts: Callable  #: what of these: the worst or the mean


def two_goals(loop, best, is_best, fair, is_fair, counting=1, counts=max):
    """Return the Training with a goal for all points and one for half of them."""
    goals = Goal(1, best, is_best), Goal(0.5, fair, is_fair)
    return Training(loop, goals, counting, counts)
