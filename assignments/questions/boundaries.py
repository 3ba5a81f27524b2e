"""Boundary cases of arguments, where a function that is right elsewhere may be wrong.

A boundary is a predicate on the arguments, which are attributes of its argument `it`.
Each is met by a visible case of its question and, with every secret, by a hidden one.
Predicates on boards also take arrays of boards.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from ttt_lib.check.judge import Case
from ttt_lib.game import tables


class Boundary(NamedTuple):
    """A kind of arguments for which a function that is right elsewhere may fail."""

    holds: Callable  #: whether arguments meet it
    change: Callable | None = None  #: (arguments, generator) → arguments to replace


def is_at(**values):
    """Return the Boundary of arguments with these values."""
    return Boundary(
        lambda it: all(getattr(it, name) == value for name, value in values.items()),
        lambda it, rng: values,
    )


def at_boundaries(rng, ordinary, boundaries, count=2):
    """Yield half-credit Cases: the arguments of `ordinary(rng)`, changed to each."""
    for kind, boundary in boundaries.items():
        for _ in range(count if boundary.change else 0):
            args = ordinary(rng)
            changes = boundary.change(SimpleNamespace(**args), rng)
            yield Case(kind, True, tuple((args | changes).values()))


def with_each(limits, boundaries, never=()):
    """Return limits, boundaries, and each boundary together with each limit.

    `never` has the names of combinations that the question does not allow.
    """
    pairs = {
        f"{kind}, and {limit}": _both(one, other)
        for kind, one in boundaries.items()
        for limit, other in limits.items()
        if one.change
    }
    return (
        limits
        | boundaries
        | {kind: one for kind, one in pairs.items() if kind not in never}
    )


def _both(one, other):
    """Return the Boundary of arguments that meet both; `one` changes them first."""

    def change(it, rng):
        changes = one.change(it, rng)
        return changes | other.change(SimpleNamespace(**(vars(it) | changes)), rng)

    return Boundary(lambda it: one.holds(it) and other.holds(it), change)


# Boards


LINES = tables().lines.tolist()
NAMES = {1: "X", -1: "O"}


def marks(board):
    """Return the number of marks."""
    return (np.asarray(board) != 0).sum(-1)


def owned(board, player, lines=LINES):
    """Return how many of the lines a player owns."""
    return (np.asarray(board)[..., lines] == player).all(-1).sum(-1)


def owns(board, player, lines=LINES):
    """Return whether a player owns one of the lines."""
    return owned(board, player, lines) > 0


def ahead(board):
    """Return how many marks X has more than O."""
    return np.asarray(board).sum(-1)


def over(board):
    """Return whether a player owns a line, or the board is full."""
    return owns(board, 1) | owns(board, -1) | (marks(board) == 9)


def boards_at(rng, boards, boundaries, half_credit=False):
    """Yield a Case for each boundary: one of the boards (N, A) that meet it."""
    for kind, boundary in boundaries.items():
        chosen = rng.choice(
            np.flatnonzero(boundary.holds(SimpleNamespace(board=boards)))
        )
        yield Case(kind, half_credit, (boards[chosen].astype(int),))


def _line_of(player, line):
    return Boundary(lambda it: owns(it.board, player, [line]))


def _won_with(player, number):
    return Boundary(lambda it: owns(it.board, player) & (marks(it.board) == number))


def _unfinished(number):
    return Boundary(lambda it: ~over(it.board) & (marks(it.board) == number))


def _cell(cell, taken):
    return Boundary(
        lambda it: ~over(it.board) & ((np.asarray(it.board)[..., cell] != 0) == taken)
    )


def _alone(cell):
    return Boundary(
        lambda it: (
            ~over(it.board)
            & (marks(it.board) == 8)
            & (np.asarray(it.board)[..., cell] == 0)
        )
    )


EACH_LINE = {
    f"{NAMES[player]} owns the cells {', '.join(map(str, line))}": _line_of(
        player, line
    )
    for line in LINES
    for player in (1, -1)
}
EACH_END = {
    f"{NAMES[player]} has won, {number} marks": _won_with(player, number)
    for player, number in ((1, 5), (-1, 6), (1, 7), (-1, 8), (1, 9))
} | {
    "a draw": Boundary(
        lambda it: (marks(it.board) == 9) & ~owns(it.board, 1) & ~owns(it.board, -1)
    )
}
EACH_NUMBER = {
    "the empty board" if number == 0 else f"unfinished, {number} marks": _unfinished(
        number
    )
    for number in range(9)
}
LATE = dict([*EACH_NUMBER.items()][4:])
FINISHED = EACH_LINE | EACH_END
CELLS = {
    f"unfinished, cell {cell} {says}": _cell(cell, taken)
    for cell in (0, 8)
    for says, taken in (("empty", False), ("taken", True))
} | {f"cell {cell} alone is empty": _alone(cell) for cell in (0, 8)}
EACH_BOARD = FINISHED | EACH_NUMBER
TWO_LINES = Boundary(lambda it: owned(it.board, 1) + owned(it.board, -1) == 2)


# Numbers


GAMMA = {"γ is 0": is_at(gamma=0.0), "γ is 1": is_at(gamma=1.0)}
ALPHA = {"α is 0": is_at(alpha=0.0), "α is 1": is_at(alpha=1.0)}
STEP_LIMITS = {"γ is 0": GAMMA["γ is 0"], "α is 0": ALPHA["α is 0"]} | {
    "γ and α are 1": is_at(gamma=1.0, alpha=1.0)
}
EPSILON = {"ε is 0": is_at(epsilon=0.0), "ε is 1": is_at(epsilon=1.0)}
REWARD = {
    "a reward of 0": is_at(r=0.0),
    "a reward below 0": is_at(r=-1.0),
    "a reward above 1": is_at(r=2.0),
}


# Lists of rewards


def _rewards(holds, change):
    return Boundary(
        lambda it: holds(it.rewards), lambda it, rng: {"rewards": change(it.rewards)}
    )


NO_REWARD = {"no reward at all": _rewards(lambda R: len(R) == 0, lambda R: [])}
REWARDS = {
    "a single reward": _rewards(lambda R: len(R) == 1, lambda R: [-0.5]),
    "a single reward of 0": _rewards(lambda R: [*R] == [0], lambda R: [0.0]),
    "two rewards": _rewards(lambda R: len(R) == 2, lambda R: [R[0], -0.5]),
    "many rewards": _rewards(lambda R: len(R) > 9, lambda R: (R * 6)[:12]),
    "all rewards are 0": _rewards(
        lambda R: len(R) > 1 and not any(R), lambda R: [0.0] * 3
    ),
    "all rewards are alike": _rewards(
        lambda R: len(R) > 1 and len({*R}) == 1 and any(R), lambda R: [0.5] * 4
    ),
    "every reward is below 0": _rewards(
        lambda R: len(R) > 1 and max(R) < 0, lambda R: [-abs(r) - 0.5 for r in R]
    ),
    "the first reward is 0": _rewards(
        lambda R: len(R) > 1 and R[0] == 0 and any(R), lambda R: [0.0, *R]
    ),
    "the last reward is 0": _rewards(
        lambda R: len(R) > 1 and R[-1] == 0 and any(R), lambda R: [*R, 0.0]
    ),
}


# Values of states, and steps from one state to the next


def of_values(name="V"):
    """Return the boundaries of a list of values."""

    def values(holds, change):
        return Boundary(
            lambda it: holds(getattr(it, name)),
            lambda it, rng: {name: change(getattr(it, name))},
        )

    return {
        "all values are 0": values(lambda V: not any(V), lambda V: [0.0] * len(V)),
        "all values are alike": values(
            lambda V: len(V) > 1 and len({*V}) == 1 and any(V), lambda V: [0.5] * len(V)
        ),
        "all values are below 0": values(
            lambda V: max(V) < 0, lambda V: [-abs(v) - 0.1 for v in V]
        ),
        "all values are above 0": values(
            lambda V: min(V) > 0, lambda V: [abs(v) + 0.1 for v in V]
        ),
    }


STATE_VALUES = of_values()


def elsewhere(count, s, rng):
    """Return a state other than s and the first and the last."""
    return int(rng.choice([n for n in range(1, count - 1) if n != s]))


STEP = {
    "the first state": is_at(s=0),
    "the last state": Boundary(
        lambda it: it.s == len(it.V) - 1, lambda it, rng: {"s": len(it.V) - 1}
    ),
    "state 0 comes next": Boundary(
        lambda it: it.s_next == 0,
        lambda it, rng: {"s": elsewhere(len(it.V), it.s, rng), "s_next": 0},
    ),
    "the last state comes next": Boundary(
        lambda it: it.s_next == len(it.V) - 1,
        lambda it, rng: {"s": elsewhere(len(it.V), it.s, rng), "s_next": len(it.V) - 1},
    ),
    "the next state is the same": Boundary(
        lambda it: it.s_next == it.s, lambda it, rng: {"s_next": it.s}
    ),
    "the end": is_at(s_next=None),
    "the end, with a reward of 0": is_at(s_next=None, r=0.0),
    "a value of 0": Boundary(
        lambda it: it.V[it.s] == 0,
        lambda it, rng: {"V": [v * (n != it.s) for n, v in enumerate(it.V)]},
    ),
    "the next value is 0": Boundary(
        lambda it: it.s_next is not None and it.V[it.s_next] == 0,
        lambda it, rng: {"V": [v * (n != it.s_next) for n, v in enumerate(it.V)]},
    ),
    "one state": Boundary(
        lambda it: len(it.V) == 1,
        lambda it, rng: {"V": it.V[:1], "s": 0, "s_next": None},
    ),
}


# Tables of action values


def of_actions(q, put):
    """Return boundaries of {action: value}, which `q(arguments)` returns, or None.

    `put(arguments, values)` returns the arguments to replace so that it is `values`.
    """

    def one(holds, values):
        def change(it, rng):
            size = rng.uniform(0.5, 1)
            return put(it, {a: round(size * v, 3) for a, v in values.items()})

        return Boundary(lambda it: q(it) is not None and holds(q(it)), change)

    def best(q):
        return [a for a in q if q[a] == max(q.values())]

    return {
        "one action": one(lambda q: len(q) == 1, {4: -0.4}),
        "nine actions": one(
            lambda q: len(q) == 9, {a: a / 10 - 0.45 for a in range(9)}
        ),
        "two actions, the first is the best": one(
            lambda q: len(q) == 2 and best(q) == [*q][:1], {2: 0.6, 5: -0.3}
        ),
        "the last action is the best": one(
            lambda q: len(q) > 1 and best(q) == [*q][-1:], {2: 0.1, 5: -0.3, 7: 0.6}
        ),
        "action 0 alone is the best": one(
            lambda q: len(q) > 1 and best(q) == [0], {0: 0.6, 3: 0.2, 7: -0.5}
        ),
        "action 8 alone is the best": one(
            lambda q: len(q) > 1 and best(q) == [8], {1: 0.2, 3: -0.3, 8: 0.7}
        ),
        "the best action is worth 0": one(
            lambda q: len(q) > 1 and max(q.values()) == 0 and min(q.values()) < 0,
            {1: -0.7, 3: 0.0, 6: -0.2},
        ),
        "every action is worth 0": one(
            lambda q: len(q) > 1 and not any(q.values()), {1: 0.0, 3: 0.0, 6: 0.0}
        ),
        "every action is worth the same": one(
            lambda q: len(q) > 1 and len({*q.values()}) == 1 and any(q.values()),
            {1: 0.4, 3: 0.4, 6: 0.4},
        ),
        "every action is worth the same, below 0": one(
            lambda q: len(q) > 1 and len({*q.values()}) == 1 and max(q.values()) < 0,
            {2: -0.6, 3: -0.6},
        ),
        "every action is worth less than 0": one(
            lambda q: len(q) > 1 and max(q.values()) < 0, {2: -0.6, 3: -0.2, 7: -0.9}
        ),
        "every action is worth more than 0": one(
            lambda q: len(q) > 1 and min(q.values()) > 0, {2: 0.6, 3: 0.2, 7: 0.9}
        ),
        "two actions are the best": one(
            lambda q: len(q) > 2 and len(best(q)) == 2, {2: 0.6, 3: 0.1, 7: 0.6}
        ),
        "actions in falling order": one(
            lambda q: [*q] == sorted(q, reverse=True) and len(q) > 1,
            {8: 0.2, 5: 0.6, 1: -0.3},
        ),
    }
