"""Goals of a training: measures to reach, and the share of the points for each."""

from collections.abc import Callable
from typing import NamedTuple


class Goal(NamedTuple):
    """A condition on the measures of a training, which earns a share of the points."""

    share: float  #: of the points
    says: str  #: the condition, in words
    reached: Callable  #: whether {measure: number} reaches it


class Training(NamedTuple):
    """A training loop, its goals, and which of its measures count."""

    loop: Callable  #: (function, rng, points); some loops ignore `points`
    goals: tuple  #: of Goal, the highest first
    counting: int  #: number of points at the end of the curve that count
    counts: Callable  #: the statistic of these: the largest or the mean


def two_goals(loop, best, is_best, fair, is_fair, counting=1, counts=max):
    """Return the Training with a goal for all points and one for half of them."""
    goals = Goal(1, best, is_best), Goal(0.5, fair, is_fair)
    return Training(loop, goals, counting, counts)
