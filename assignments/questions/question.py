"""What a question is made of, in one place: answer, cases, and known mistakes.

Boards are arrays of nine cells: +1 for the first player, −1 for the second, 0 empty.
A model is a list of states, a state a dict of its legal actions, and an action a list
of (probability, reward, next state), the last None where the episode ends.
V is a list of numbers, one for each state; Q a list of dicts from action to number.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from ttt_lib.check.judge import Case, Failed, Key, answers
from ttt_lib.check.training import HIDDEN, SEEDS


class Mistake(NamedTuple):
    """A wrong answer that is often given."""

    name: str  #: in a few words
    hint: str  #: what to tell whoever made it
    answer: Callable  #: the function that makes it


def mistake(name, hint, *changes):
    """Return what makes a Mistake of a right function, by changes for `mutate`."""
    return lambda right: Mistake(name, hint, mutate(right, *changes))


@dataclass(frozen=True)
class Question:
    """What is asked, and how to tell a right answer from a wrong one."""

    answer: Callable  #: the right function; its name is the question's
    cases: tuple  #: the Cases that students see first
    draw: Callable  #: yields hidden Cases from a generator
    mistakes: tuple  #: Mistakes, or what makes them, the more special first
    hint: str  #: for whoever makes none of them
    training: str = ""  #: the one that the function is put to, if it has no answers
    boundaries: dict = field(default_factory=dict)  #: {kind: Boundary} of arguments

    def __post_init__(self):
        made = (m if isinstance(m, Mistake) else m(self.answer) for m in self.mistakes)
        object.__setattr__(self, "mistakes", tuple(made))


def met(question, case):
    """Return the names of the boundaries that a Case meets."""
    names = inspect.signature(question.answer).parameters
    it = SimpleNamespace(**dict(zip(names, case.args, strict=False)))
    return {name for name, each in question.boundaries.items() if each.holds(it)}


def key(question, cases):
    """Return the Key to some cases of a question."""
    if question.training:
        return Key([], [])
    # What Python says of a failure differs from one version to the next.
    mistaken = [
        [Failed("") if isinstance(given, Failed) else given for given in theirs]
        for theirs in (answers(each.answer, cases) for each in question.mistakes)
    ]
    return Key(answers(question.answer, cases), mistaken)


def training(answer, hint):
    """Return the Question of a function that is put to the training of its name.

    Its cases are seeds; what comes of them is measured, and no answer is expected.
    """
    seen = tuple(_seed(seed) for seed in SEEDS)
    return Question(answer, seen, draw_seeds, (), hint, answer.__name__)


def draw_seeds(rng):
    """Yield the seeds of the grader, which no student sees."""
    for seed in rng.choice(range(1_000, 10**6), size=HIDDEN, replace=False):
        yield _seed(int(seed))


def _seed(seed):
    return Case("a training", False, (seed,))


def cells(text):
    """Return the array (9,) of a board of X (+1), O (−1) and dots, row by row."""
    return np.array([{"X": 1, "O": -1, ".": 0}[mark] for mark in text if mark != "/"])


def cases(*rows):
    """Return Cases from (kind, arguments …); a kind that ends in * is special."""
    return tuple(
        Case(kind.rstrip("*"), kind.endswith("*"), tuple(args)) for kind, *args in rows
    )


def mutate(function, *changes, **instead):
    """Return a function like another, but for texts of its source, or what it calls.

    Each change is (old text, new text), the old one there once; `instead` names the
    functions that it shall call in the place of others. A recursion calls itself.
    Raises ValueError where a text is not there once.
    """
    source = source_of(function)
    for old, new in changes:
        if source.count(old) != 1:
            raise ValueError(f"{old!r} is not once in {function.__name__}.")
        source = source.replace(old, new)
    namespace = function.__globals__ | instead
    exec(source, namespace)
    wrong = namespace[function.__name__]
    wrong.source = source
    return wrong


ZERO_IS_FALSY = (
    "state 0 taken for the end",
    "State 0 is a state like others, but Python takes 0 for false: ask "
    "`s_next is None` in the place of `if s_next`.",
)
ALIASING = (
    "old is V itself",
    "Your sweeps end with the first. If you keep the old values by `old = V`, that is "
    "no copy but the same list, in which nothing seems to change: take a `V.copy()`.",
)


def source_of(function):
    """Return the source of a function, also of a mutated one."""
    return getattr(function, "source", None) or inspect.getsource(function)
