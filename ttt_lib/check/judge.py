"""Judging: whether answers are right, and which known mistake explains them.

The visible checks and the grader use the same rules, each with its own cases and Key.
"""

from copy import deepcopy
from typing import NamedTuple

import numpy as np

CLOSE = 1e-6  # numbers that differ by no more than this are equal


class Case(NamedTuple):
    """One call of a student's function, and what kind of case it is."""

    kind: str  #: what is tested, in a few words
    half_credit: bool  #: whether a function that fails only such cases earns half
    args: tuple  #: the arguments


class Failed(NamedTuple):
    """Result of a function that failed, instead of an answer."""

    why: str
    line: int = 0  #: that raised, in the cell of the function; 0 if elsewhere


class UnfitError(ValueError):
    """A result that cannot be used; the text says why, in half a sentence."""


class Key(NamedTuple):
    """Expected answers to all cases of a question, and those of each known mistake."""

    expected: list  #: the right answer to each case
    mistaken: list  #: for each known mistake, its answer to each case


class Verdict(NamedTuple):
    """Result of judging the answers to all cases of a question."""

    passed: tuple  #: whether each case passed
    share: float  #: of the points: 1, a half, or 0
    kinds: tuple  #: the kinds of case that failed, each once
    mistake: str  #: name of the known mistake that explains every answer, or ""
    hint: str  #: advice for the student, or ""


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
    """Return whether two pieces of plain data are equal, numbers to within 1e-6."""
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
    """Return the answers of a function to Cases, as plain data or as Failed."""
    return [answer(function, deepcopy(case.args)) for case in cases]


def answer(function, args):
    """Return the answer of a function to arguments, as plain data or as Failed."""
    try:
        return plain(function(*args))
    except NotImplementedError:
        return Failed("nothing: it is not written yet")
    except UnfitError as error:
        return Failed(str(error))
    except (Exception, SystemExit) as error:  # exit() counts as a failure, too
        return Failed(_text_of(error))


def _text_of(error):
    """Return the type and message of an exception; the type alone if str() raises."""
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
    failed = [case for case, ok in zip(cases, passed, strict=True) if not ok]
    earns_half = any(passed) and all(case.half_credit for case in failed)
    kinds = tuple(dict.fromkeys(case.kind for case in failed))
    name, hint = "", question.hint
    for mistake, mistaken in zip(question.mistakes, key.mistaken, strict=True):
        # Where the mistaken function fails, any failure matches.
        if all(
            isinstance(a, Failed) if isinstance(b, Failed) else same(a, b)
            for a, b in zip(given, mistaken, strict=True)
        ):
            name, hint = mistake.name, mistake.hint
            break
    return Verdict(passed, 0.5 if earns_half else 0.0, kinds, name, hint)
