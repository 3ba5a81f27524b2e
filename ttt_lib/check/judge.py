"""Judging: whether answers are right, and which known mistake explains them.

The visible checks and the grader judge alike; each brings cases, and a Key to them.
"""

from copy import deepcopy
from typing import NamedTuple

import numpy as np

CLOSE = 1e-6  # answers that differ by less are the same


class Case(NamedTuple):
    """One call of a function, or one look at a value, with what kind of case it is."""

    kind: str  #: what is special about it, in a few words
    special: bool  #: whether a function that fails here alone still earns half
    args: tuple  #: the arguments


class Failed(NamedTuple):
    """Stands in for the answer of a function that failed."""

    why: str
    line: int = 0  #: of the cell that holds the function, if it raised there


class UnfitError(ValueError):
    """Says in half a sentence why what a function gave cannot be used."""


class Key(NamedTuple):
    """What all cases of a question should give, and what each known mistake gives."""

    expected: list
    mistaken: list


class Verdict(NamedTuple):
    """What came of all cases of a question."""

    passed: tuple  #: of each case
    share: float  #: of the points: 1, a half, or 0
    kinds: tuple  #: the kinds of case that failed, each once
    mistake: str  #: name of the known mistake that explains every answer, or ""
    hint: str  #: what to look at, or ""


def plain(value, depth=6):
    """Return a value as plain data: None, numbers, strings and lists of these.

    Arrays, tuples and sets become lists, a dict a list of pairs; sets and dicts sorted.
    Raises ValueError for everything else.
    """
    if depth == 0:
        raise ValueError("The answer is nested too deeply.")
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, np.generic | np.ndarray) and value.dtype.kind in "biuf":
        return value.tolist()
    if type(value) in (list, tuple) or isinstance(value, tuple | np.ndarray):
        return [plain(item, depth - 1) for item in value]
    if type(value) in (set, frozenset):
        return sorted(plain(item, depth - 1) for item in value)
    if type(value) is dict:
        return sorted(plain(item, depth - 1) for item in value.items())
    raise ValueError(f"The answer is of the type {type(value).__name__}.")


def same(given, expected):
    """Return whether two pieces of plain data say the same, numbers up to 1e-6."""
    if isinstance(expected, list):
        return (
            isinstance(given, list)
            and len(given) == len(expected)
            and all(map(same, given, expected))
        )
    if isinstance(given, bool | int | float) and isinstance(
        expected, bool | int | float
    ):
        try:
            return given == expected or abs(given - expected) <= CLOSE
        except OverflowError:  # a whole number that no float can hold
            return False
    return type(given) is type(expected) and given == expected


def answers(function, cases):
    """Return what a function gives for each Case, as plain data or as Failed."""
    return [answer(function, deepcopy(case.args)) for case in cases]


def answer(function, args):
    """Return what a function gives for arguments, as plain data or as Failed."""
    try:
        return plain(function(*args))
    except NotImplementedError:
        return Failed("nothing: it is not written yet")
    except UnfitError as error:
        return Failed(str(error))
    except (Exception, SystemExit) as error:  # who calls exit() has failed, too
        return Failed(_said(error))


def _said(error):
    """Return what an exception says of itself, even where it cannot say it."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return type(error).__name__


def judge(question, cases, given, key):
    """Return the Verdict on the answers `given` to `cases`; `key` is their Key.

    A question has a `hint`, and `mistakes` with a `name` and a `hint` each.
    """
    passed = tuple(map(same, given, key.expected))
    if all(passed):
        return Verdict(passed, 1.0, (), "", "")
    failed = [case for case, well in zip(cases, passed, strict=True) if not well]
    half = any(passed) and all(case.special for case in failed)
    kinds = tuple(dict.fromkeys(case.kind for case in failed))
    name, hint = "", question.hint
    for mistake, theirs in zip(question.mistakes, key.mistaken, strict=True):
        # Where the mistaken function fails too, any failure is the same.
        if all(
            isinstance(a, Failed) if isinstance(b, Failed) else same(a, b)
            for a, b in zip(given, theirs, strict=True)
        ):
            name, hint = mistake.name, mistake.hint
            break
    return Verdict(passed, 0.5 if half else 0.0, kinds, name, hint)
