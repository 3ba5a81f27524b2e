"""Visible checks for the assignments: `check.winner(my_winner)` prints what it found.

What is asked stands in `questions`.
A grader may try other cases with `judge`; this library holds none of them.
"""

from copy import deepcopy
from typing import NamedTuple

import numpy as np

from ttt_lib import questions, questions_learning

QUESTIONS = questions.QUESTIONS | questions_learning.QUESTIONS

CLOSE = 1e-6  # answers that differ by less are the same


class Failed(NamedTuple):
    """What is given in the place of an answer where a function gives none."""

    why: str


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
    found = []
    for case in cases:
        try:
            found.append(plain(function(*deepcopy(case.args))))
        except NotImplementedError:
            found.append(Failed("nothing: it is not written yet"))
        except Exception as error:
            found.append(Failed(f"{type(error).__name__}: {error}"))
    return found


class Key(NamedTuple):
    """What all cases of a question should give, and what each Mistake gives."""

    expected: list
    mistaken: list


def key(question, cases):
    """Return the Key to some cases of a question."""
    if question.is_value:
        return Key([], [])
    mistaken = [answers(mistake.answer, cases) for mistake in question.mistakes]
    return Key(answers(question.answer, cases), mistaken)


def judge(question, cases, given, known=None):
    """Return the Verdict on the answers `given` to `cases`; `known` is their Key."""
    known = key(question, cases) if known is None else known
    if question.is_value:
        passed = tuple(
            not isinstance(value, Failed) and bool(question.answer(value))
            for value in given
        )
    else:
        passed = tuple(map(same, given, known.expected))
    if all(passed):
        return Verdict(passed, 1.0, (), "", "")
    failed = [case for case, well in zip(cases, passed, strict=True) if not well]
    half = any(passed) and all(case.special for case in failed)
    kinds = tuple(dict.fromkeys(case.kind for case in failed))
    name, hint = "", question.hint
    for mistake, theirs in zip(question.mistakes, known.mistaken, strict=False):
        # Where the mistaken function fails too, any failure is the same.
        if all(
            isinstance(a, Failed) if isinstance(b, Failed) else same(a, b)
            for a, b in zip(given, theirs, strict=True)
        ):
            name, hint = mistake.name, mistake.hint
            break
    return Verdict(passed, 0.5 if half else 0.0, kinds, name, hint)


def report(name, question, given):
    """Print what the visible checks say about an answer."""
    if question.is_value:
        found = answers(lambda: given, question.cases)
    elif not callable(given):
        print(f"{name}: give the function itself, as in check.{name}({name}).")
        return
    else:
        found = answers(given, question.cases)
    verdict = judge(question, question.cases, found)
    count, right = len(verdict.passed), sum(verdict.passed)
    if right == count:
        more = "" if question.is_value else " The grader tries others."
        print(f"{name}: visible checks passed, {count} of {count}.{more}")
        return
    print(f"{name}: {right} of {count} visible checks passed.")
    first = verdict.passed.index(False)
    case, got = question.cases[first], found[first]
    if not question.is_value:
        print(f"\nThe first that failed ({case.kind}):\n")
        print(_drawn(case.args))
        expected = answers(question.answer, [case])[0]
        print(f"\n    expected  {_short(expected)}")
    print(f"    given     {got.why if isinstance(got, Failed) else _short(got)}")
    print(f"\nHint: {verdict.hint}")


def _short(value):
    text = repr(value)
    return text if len(text) <= 300 else text[:297] + "..."


def _drawn(args):
    """Return arguments as text, a board as a board."""
    drawn = []
    for value in args:
        if isinstance(value, np.ndarray) and value.shape == (9,) and _is_board(value):
            marks = [".XO"[int(mark)] for mark in value]
            rows = [" ".join(marks[i : i + 3]) for i in (0, 3, 6)]
            drawn.extend(f"    {row}" for row in rows)
        else:
            drawn.append(f"    {_short(value)}")
    return "\n".join(drawn)


def _is_board(value):
    return value.dtype.kind == "i" and set(value.tolist()) <= {-1, 0, 1}


# What a notebook calls


def __getattr__(name):
    """Return the check of a question, so that `check.winner(my_winner)` works."""
    if name in QUESTIONS:
        return lambda given: report(name, QUESTIONS[name], given)
    raise AttributeError(
        f"There is no check named {name!r}: choose from {', '.join(QUESTIONS)}."
    )


def __dir__():
    return sorted([*globals(), *QUESTIONS])
