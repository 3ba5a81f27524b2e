"""Schedules of a step size (α) or an exploration rate (ε), by games or visits."""

from collections.abc import Callable
from typing import NamedTuple

from ttt_lib.compiled import jitable
from ttt_lib.validation import as_float, as_int, one_of, require, short_repr

CONSTANT, LINEAR, EXPONENTIAL, BY_GAMES, BY_VISITS = range(5)


class Schedule(NamedTuple):
    """A number that changes with experience, made by one of the functions below."""

    kind: int  #: CONSTANT, LINEAR, EXPONENTIAL, or a power: BY_GAMES, BY_VISITS
    start: float  #: first value
    end: float  #: last value
    rate: float  #: 1/games for LINEAR and EXPONENTIAL, the exponent for a power


def constant(value) -> Schedule:
    """Return the constant Schedule."""
    value = as_float(value, "value")
    return Schedule(CONSTANT, value, value, 0.0)


def as_schedule(value, name="value") -> Schedule:
    """Return a Schedule with plain numbers as fields; a number becomes a constant one.

    Raises ValueError, which names `name`, if a field is invalid.
    """
    if not isinstance(value, Schedule):
        return constant(as_float(value, name))
    kind = as_int(value.kind, f"{name}.kind", CONSTANT, BY_VISITS)
    ends = as_float(value.start, f"{name}.start"), as_float(value.end, f"{name}.end")
    positive = kind != EXPONENTIAL or min(ends) > 0
    require(
        positive,
        f"{name} changes by equal factors from {ends[0]:g} to {ends[1]:g}: "
        "give numbers above 0",
    )
    return Schedule(kind, *ends, as_float(value.rate, f"{name}.rate", 0))


def linear(start, end, games) -> Schedule:
    """Return the Schedule from `start` to `end` in equal steps, then constant.

    Examples
    --------
    >>> fading = schedules.linear(1.0, 0.1, games=1000)
    >>> [schedules.scheduled(fading, games, 1) for games in (0, 500, 1000, 2000)]
    [1.0, 0.55, 0.1, 0.1]
    """
    start, end = as_float(start, "start"), as_float(end, "end")
    return Schedule(LINEAR, start, end, 1 / as_int(games, "games", 1))


def exponential(start, end, games) -> Schedule:
    """Return the Schedule from `start` to `end` by equal factors, then constant."""
    start, end = (
        as_float(value, name, 0, above=True)
        for name, value in (("start", start), ("end", end))
    )
    return linear(start, end, games)._replace(kind=EXPONENTIAL)


def power(start=1.0, exponent=1.0, by="visits") -> Schedule:
    """Return the Schedule start / n^exponent, n counting from 1.

    by: "visits" counts updates of the estimate (alpha) or decisions in the position
    (epsilon), "games" counts games.
    Step sizes with exponents above 1/2, up to 1, let estimates converge [S&B eq. 2.7].

    Examples
    --------
    >>> slow = schedules.power(exponent=0.5)
    >>> [schedules.scheduled(slow, 0, visits) for visits in (1, 4, 100)]
    [1.0, 0.5, 0.1]
    """
    visits = one_of(by, "by", ("visits", "games")) == "visits"
    kind = BY_VISITS if visits else BY_GAMES
    return Schedule(
        kind, as_float(start, "start"), 0.0, as_float(exponent, "exponent", 0)
    )


def one_over_n() -> Schedule:
    """Return the Schedule 1/n by visits, which makes estimates means [S&B eq. 2.3]."""
    return power()


@jitable
def scheduled(schedule, games, visits):
    """Return the value of a Schedule after so many games, at visit number `visits`."""
    kind, start, end, rate = schedule
    if kind == CONSTANT:
        return start
    if kind == BY_VISITS:
        return start * max(visits, 1) ** -rate
    if kind == BY_GAMES:
        return start * (games + 1) ** -rate
    left = max(1.0 - games * rate, 0.0)  # share of the way that is left
    if kind == LINEAR:
        return left * start + (1.0 - left) * end
    return start**left * end ** (1.0 - left)


# Schedules as text


def description(schedule) -> str:
    """Return a Schedule in words, such as "0.5 to 0.1 by equal steps in 100 games"."""
    kind, start, end, rate = schedule
    if kind == CONSTANT:
        return f"{start:g}"
    if kind in (LINEAR, EXPONENTIAL):
        equal = "steps" if kind == LINEAR else "factors"
        return f"{start:g} to {end:g} by equal {equal} in {1 / rate:,.0f} games"
    n = "n" if rate == 1 else f"n^{rate:g}"
    return f"{start:g}/{n} by {'games' if kind == BY_GAMES else 'visits'}"


def parse(text) -> Schedule:
    """Return the Schedule of a text.

    text: a number, "1/n", "linear:START:END:GAMES", "exponential:START:END:GAMES", or
    "power:START:EXPONENT", by visits. Raises ValueError for any other text.
    """
    makers: dict[str, tuple[Callable[..., Schedule], int]] = {  # with numbers needed
        "constant": (constant, 1),
        "1/n": (one_over_n, 0),
        "linear": (linear, 3),
        "exponential": (exponential, 3),
        "power": (power, 2),
    }
    maker, *words = str(text).replace(",", ":").split(":")
    if maker not in makers:
        maker, words = "constant", [maker, *words]
    make, wanted = makers[maker]
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        numbers = []
    if len(words) != wanted or len(numbers) != wanted:
        raise ValueError(
            f"{short_repr(text)} is not a schedule: give a number, 1/n, "
            "linear:START:END:GAMES, exponential:START:END:GAMES, "
            "or power:START:EXPONENT."
        )
    return make(*numbers)
