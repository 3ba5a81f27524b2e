"""Questions: their right answers, cases and known mistakes.

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
    """A common wrong answer."""

    name: str  #: in a few words
    hint: str  #: advice for a student who made it
    answer: Callable  #: a function with this mistake


def mistake(name, hint, *changes):
    """Return a function that makes a Mistake of a right answer, by `mutate`."""
    return lambda right: Mistake(name, hint, mutate(right, *changes))


@dataclass(frozen=True)
class Question:
    """A question: the right answer, cases to test others, and known mistakes."""

    answer: Callable  #: the right function; its name is that of the question
    cases: tuple  #: the first visible Cases
    draw: Callable  #: yields hidden Cases from a generator
    mistakes: tuple  #: Mistakes, or functions that make them; specific ones first
    hint: str  #: advice if no known mistake explains the answers
    training: str = ""  #: name of the training, if it has no answers
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
    """Return the Key to cases of a question."""
    if question.training:
        return Key([], [])
    # Python's error messages differ from one version to the next.
    mistaken = [
        [Failed("") if isinstance(given, Failed) else given for given in wrong]
        for wrong in (answers(each.answer, cases) for each in question.mistakes)
    ]
    return Key(answers(question.answer, cases), mistaken)


def training(answer, hint):
    """Return the Question of a function for the training of the same name.

    Its cases are seeds: the training is measured, and no answer is expected.
    """
    visible = tuple(_seed(seed) for seed in SEEDS)
    return Question(answer, visible, draw_seeds, (), hint, answer.__name__)


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
    """Return Cases from (kind, arguments …); a * ends kinds for half credit."""
    return tuple(
        Case(kind.rstrip("*"), kind.endswith("*"), tuple(args)) for kind, *args in rows
    )


def mutate(function, *changes, **instead):
    """Return a copy of a function with changes of its source, or of what it calls.

    Each change is (old text, new text); `instead` has functions to be called instead of
    those of these names. A recursive function calls the copy. Raises ValueError if an
    old text does not occur exactly once.
    """
    source = source_of(function)
    for old, new in changes:
        if source.count(old) != 1:
            raise ValueError(f"{old!r} should occur once in {function.__name__}.")
        source = source.replace(old, new)
    namespace = function.__globals__ | instead
    exec(source, namespace)
    wrong = namespace[function.__name__]
    wrong.source = source
    return wrong


ZERO_IS_FALSY = (
    "state 0 taken for the end",
    "State 0 is a state like the others, but in Python 0 counts as false: write "
    "`s_next is None` instead of `if s_next`.",
)
ALIASING = (
    "old is V itself",
    "Your loop ends after the first sweep. `old = V` does not copy the old values: "
    "both names refer to the same list, so nothing seems to change. Use `V.copy()`.",
)


def source_of(function):
    """Return the source of a function, including a mutated one."""
    return getattr(function, "source", None) or inspect.getsource(function)
