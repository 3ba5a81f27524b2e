"""Schedules: how a step size, or exploration, changes with experience."""

from typing import NamedTuple

from ttt_lib.compiled import compiled
from ttt_lib.doors import demand

CONSTANT, LINEAR, EXPONENTIAL, BY_GAMES, BY_VISITS = range(5)


class Schedule(NamedTuple):
    """A number that changes with experience, made by one of the functions below."""

    kind: int  #: CONSTANT, LINEAR, EXPONENTIAL, or a power: BY_GAMES, BY_VISITS
    start: float  #: first value
    end: float  #: value it goes to
    rate: float  #: 1/games for LINEAR and EXPONENTIAL, the exponent for a power


def constant(value):
    """Return the Schedule that never changes."""
    return Schedule(CONSTANT, float(value), float(value), 0.0)


def as_schedule(value):
    """Return a Schedule as it is, and a number as one that never changes."""
    return value if isinstance(value, Schedule) else constant(value)


def linear(start, end, games):
    """Return the Schedule from `start` to `end` in equal steps, then constant."""
    demand(games > 0, f"games = {games}: a schedule needs at least one")
    return Schedule(LINEAR, float(start), float(end), 1 / games)


def exponential(start, end, games):
    """Return the Schedule from `start` to `end` by equal factors, then constant."""
    demand(min(start, end) > 0, "Factors lead from a positive number to another")
    return linear(start, end, games)._replace(kind=EXPONENTIAL)


def power(start=1.0, exponent=1.0, by="visits"):
    """Return the Schedule start / n^exponent, n counting from 1.

    by: "visits" counts updates of the estimate (alpha) or decisions in the position
    (epsilon), "games" counts games.
    Step sizes with exponents above 1/2, up to 1, let estimates converge [S&B eq. 2.7].
    """
    demand(by in ("visits", "games"), f"by = {by!r}: count 'visits' or 'games'")
    demand(exponent >= 0, f"exponent = {exponent}: give a number from 0 up")
    kind = BY_VISITS if by == "visits" else BY_GAMES
    return Schedule(kind, float(start), 0.0, float(exponent))


def one_over_n():
    """Return the Schedule 1/n by visits, which makes estimates means [S&B eq. 2.3]."""
    return power()


@compiled
def scheduled(schedule, games, visits):
    """Return the value of a Schedule after so many games, at visit number `visits`."""
    kind, start, end, rate = schedule
    if kind == CONSTANT:
        return start
    if kind == BY_VISITS:
        return start * max(visits, 1) ** -rate
    if kind == BY_GAMES:
        return start * (games + 1) ** -rate
    left = max(1.0 - games * rate, 0.0)  # of the way
    if kind == LINEAR:
        return left * start + (1.0 - left) * end
    return start**left * end ** (1.0 - left)
