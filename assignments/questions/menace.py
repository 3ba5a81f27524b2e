"""MENACE: beads, the cell that is chosen, and a machine with rules of one's own."""

from types import SimpleNamespace

import numpy as np

from assignments.questions.boundaries import (
    EACH_NUMBER,
    Boundary,
    ahead,
    at_boundaries,
    is_at,
    with_each,
)
from assignments.questions.chance import random_q
from assignments.questions.question import (
    Mistake,
    Question,
    cases,
    cells,
    mistake,
    training,
)
from ttt_lib.check.judge import Case
from ttt_lib.game import tables


def beads_after(box, cell, result):
    """Return a box after a game in which `cell` was drawn from it."""
    after = dict(box)
    after[cell] = max(0, after[cell] + {1: 3, 0: 1, -1: -1}[result])
    return after


def draw_beads_after(rng):
    """Yield boxes and results, and boxes without a bead to lose."""
    names = {1: "a win", 0: "a draw", -1: "a loss"}
    for result in (1, 0, -1) * 3:
        box = {a: int(rng.integers(1, 9)) for a in random_q(rng)}
        cell = int(rng.choice(list(box)))
        yield Case(names[result], False, (box, cell, result))
    for result in (1, 0, -1):
        box = {a: int(rng.integers(2, 9)) for a in random_q(rng)}
        cell, other = rng.choice(list(box), size=2, replace=False).tolist()
        yield Case("another cell is empty", False, (box | {other: 0}, cell, result))
        box = dict.fromkeys(box, 1)
        yield Case("one bead of each", False, (box, cell, result))
    for _ in range(3):
        box = {a: int(rng.integers(2, 9)) for a in random_q(rng)}
        cell = int(rng.choice(list(box)))
        yield Case("the last bead goes", False, (box | {cell: 1}, cell, -1))
        yield Case("no bead is left", True, (box | {cell: 0}, cell, -1))
        yield Case("no bead is left", True, (dict.fromkeys(box, 0), cell, -1))

    def ordinary(rng):
        box = {a: int(rng.integers(2, 9)) for a in random_q(rng)}
        result = int(rng.choice((1, 0, -1)))
        return {"box": box, "cell": int(rng.choice(list(box))), "result": result}

    yield from at_boundaries(rng, ordinary, BOXES)


def _beads(number, result):
    return Boundary(
        lambda it: it.box[it.cell] == number and it.result == result,
        lambda it, rng: {"box": it.box | {it.cell: number}, "result": result},
    )


def _cell(holds, index):
    """Return the Boundary of the cell with an index in the box."""
    return Boundary(holds, lambda it, rng: {"cell": [*it.box][index]})


BOXES = {
    f"{name}, of {number} bead{'' if number == 1 else 's'}": _beads(number, result)
    for number in (0, 1, 2)
    for result, name in ((1, "a win"), (0, "a draw"), (-1, "a loss"))
}
CELLS = {
    "many beads": Boundary(
        lambda it: it.box[it.cell] > 50, lambda it, rng: {"box": it.box | {it.cell: 99}}
    ),
    "the first cell of the box": _cell(lambda it: it.cell == next(iter(it.box)), 0),
    "the last cell of the box": _cell(lambda it: it.cell == [*it.box][-1], -1),
    "cell 0": Boundary(
        lambda it: it.cell == 0, lambda it, rng: {"box": {0: 3} | it.box, "cell": 0}
    ),
    "cell 8": Boundary(
        lambda it: it.cell == 8, lambda it, rng: {"box": it.box | {8: 3}, "cell": 8}
    ),
    "one cell": Boundary(
        lambda it: len(it.box) == 1, lambda it, rng: {"box": {it.cell: 3}}
    ),
    "nine cells": Boundary(
        lambda it: len(it.box) == 9,
        lambda it, rng: {"box": {a: int(rng.integers(2, 9)) for a in range(9)}},
    ),
    "as many beads of each": Boundary(
        lambda it: len(it.box) > 1 and len({*it.box.values()}) == 1 and any(it.box),
        lambda it, rng: {"box": dict.fromkeys(it.box, 4)},
    ),
}
RESULTS = {
    name: is_at(result=result)
    for result, name in ((1, "it is won"), (0, "it is drawn"), (-1, "it is lost"))
}
LAST_BEAD = is_at(box={2: 0, 4: 1, 7: 0}, cell=4, result=-1)
BOXES |= with_each(RESULTS, CELLS) | {"the last bead of all": LAST_BEAD}


BEADS_AFTER = Question(
    answer=beads_after,
    cases=cases(
        ("a win", {0: 4, 4: 2, 8: 4}, 4, 1),
        ("a draw", {0: 4, 4: 2, 8: 4}, 0, 0),
        ("a loss", {0: 4, 4: 2, 8: 4}, 8, -1),
        ("no bead is left*", {1: 3, 7: 0}, 7, -1),
    ),
    draw=draw_beads_after,
    boundaries=BOXES,
    mistakes=(
        mistake(
            "negative beads",
            "A box cannot have a negative number of beads.",
            ("max(0, ", "max(-99, "),
        ),
        mistake(
            "draw = loss",
            "A draw adds a bead. Only a loss takes one away.",
            ("0: 1,", "0: -1,"),
        ),
        mistake("draw = nothing", "A draw adds a bead too.", ("0: 1,", "0: 0,")),
        mistake("win +1", "A win adds three beads.", ("1: 3,", "1: 1,")),
    ),
    hint="+3 for a win, +1 for a draw, −1 for a loss, and never below 0.",
)


def chosen_cell(board, values):
    """Return the empty cell with the largest value."""
    best = int(np.argmax(values))
    return int(np.flatnonzero(np.asarray(board) == 0)[best])


def chosen_of_nine(board, values):
    """Return the cell of the largest of nine values, with 0 for taken cells."""
    nine = np.zeros(9)
    nine[np.flatnonzero(np.asarray(board) == 0)] = values
    return int(nine.argmax())


def draw_chosen_cell(rng):
    """Yield boards on which the cell and its index among the empty ones differ."""
    game = tables()
    states = np.flatnonzero(~game.terminal & (game.count >= 3) & (game.count <= 8))
    wanted = {"some cells taken": 8, "every value is below 0": 4}
    while any(wanted.values()):
        board = game.board[rng.choice(states)].astype(int)
        kind = next(kind for kind in wanted if wanted[kind])
        high = 0.9 if kind == "some cells taken" else -0.1
        values = rng.permutation(np.linspace(-0.95, high, int((board == 0).sum())))
        best = int(values.argmax())
        if np.flatnonzero(board == 0)[best] != best:
            wanted[kind] -= 1
            yield Case(kind, False, (board, [round(float(v), 3) for v in values]))
    for s in rng.choice(np.flatnonzero(game.count == 1), size=3):
        yield Case("one cell is left", False, (game.board[s].astype(int), [-1.0]))
    for s in rng.choice(states[game.count[states] < 7], size=3):
        values = [-1.0, -0.5, -0.7, -0.6, -0.9, -0.8][: game.count[s]]
        zero = [*values[:-1], 0.0]
        board = game.board[s].astype(int)
        yield Case("the best is worth 0", False, (board, [0.0, *values[1:]]))
        yield Case("the last cell is the best", False, (board, zero))

    def ordinary(rng):
        board = game.board[rng.choice(states)].astype(int)
        values = rng.permutation(np.linspace(-0.95, 0.9, int((board == 0).sum())))
        return {"board": board, "values": [round(float(v), 3) for v in values]}

    yield from at_boundaries(rng, ordinary, CHOICES)


def _values(holds, change):
    """Return the Boundary of values; `change` gets their number and the values."""
    return Boundary(
        lambda it: holds(it.values, max(it.values)),
        lambda it, rng: {"values": change(len(it.values), it.values)},
    )


def _on(boundary):
    """Return the Boundary of a kind of board, with values for its empty cells."""

    def change(it, rng):
        boards = tables().board[~tables().terminal]
        chosen = np.flatnonzero(boundary.holds(SimpleNamespace(board=boards)))
        board = rng.choice(boards[chosen]).astype(int)
        values = rng.permutation(np.linspace(-0.95, 0.9, int((board == 0).sum())))
        return {"board": board, "values": [round(float(v), 3) for v in values]}

    return Boundary(boundary.holds, change)


def _chosen(cell):
    """Return the Boundary of boards on which this cell is chosen among several."""

    def change(it, rng):
        board = it.board.copy()
        board[cell] = 0
        values = [-0.5] * int((board == 0).sum())
        values[0 if cell == 0 else -1] = 0.4
        return {"board": board, "values": values}

    return Boundary(
        lambda it: len(it.values) > 1 and chosen_cell(it.board, it.values) == cell,
        change,
    )


CHOICES = {kind: _on(one) for kind, one in EACH_NUMBER.items()} | {
    "X to move": _on(Boundary(lambda it: ahead(it.board) == 0)),
    "O to move": _on(Boundary(lambda it: ahead(it.board) == 1)),
    "cell 0 is chosen": _chosen(0),
    "cell 8 is chosen": _chosen(8),
    "all values are 0": _values(
        lambda v, most: len(v) > 1 and not any(v), lambda n, v: [0.0] * n
    ),
    "all values are alike": _values(
        lambda v, most: len(v) > 1 and len({*v}) == 1 and any(v), lambda n, v: [0.5] * n
    ),
    "all values are alike, below 0": _values(
        lambda v, most: len(v) > 1 and len({*v}) == 1 and most < 0,
        lambda n, v: [-0.5] * n,
    ),
    "two values are the largest": _values(
        lambda v, most: len(v) > 2 and v.count(most) == 2,
        lambda n, v: [-0.3, 0.95, *v[3:], 0.95],
    ),
    "the first value is the largest": _values(
        lambda v, most: len(v) > 1 and v.index(most) == 0 and v.count(most) == 1,
        lambda n, v: [0.95, *v[1:-1], -0.4],
    ),
    "the last value is the largest": _values(
        lambda v, most: len(v) > 1 and v.index(most) == len(v) - 1,
        lambda n, v: [-0.4, *v[1:-1], 0.95],
    ),
    "the largest value is 0": _values(
        lambda v, most: len(v) > 1 and most == 0 and min(v) < 0,
        lambda n, v: [-abs(x) - 0.1 for x in v[:-1]] + [0.0],
    ),
    "all values are below 0": _values(
        lambda v, most: len(v) > 1 and most < 0, lambda n, v: [-abs(x) - 0.1 for x in v]
    ),
    "all values are above 0": _values(
        lambda v, most: len(v) > 1 and min(v) > 0,
        lambda n, v: [abs(x) + 0.1 for x in v],
    ),
    "one value, of 0": Boundary(
        lambda it: it.values == [0],
        lambda it, rng: (
            _on(EACH_NUMBER["unfinished, 8 marks"]).change(it, rng) | {"values": [0.0]}
        ),
    ),
}


CHOSEN_CELL = Question(
    answer=chosen_cell,
    cases=cases(
        ("some cells taken", cells("XO./.X./..."), [0.1, 0.0, 0.5, 0.2, -0.1, 0.3]),
        (
            "some cells taken",
            cells("X../.O./..."),
            [0.1, 0.7, 0.5, 0.2, -0.1, 0.3, 0.0],
        ),
    ),
    draw=draw_chosen_cell,
    boundaries=CHOICES,
    mistakes=(
        mistake(
            "not repaired",
            "You still return the index in the list of empty cells: the same number "
            "means different cells on different boards.",
            ("int(np.flatnonzero(np.asarray(board) == 0)[best])", "best"),
        ),
        Mistake(
            "a taken cell is worth 0",
            "Taken cells count as 0 in your list of nine, and 0 is better than a loss: "
            "choose among the empty cells only.",
            chosen_of_nine,
        ),
        mistake("worst cell", "You take the smallest value.", ("argmax", "argmin")),
    ),
    hint="Value number i belongs to empty cell number i.",
)


def beads(before, result, decision, decisions):
    """Return the beads of the drawn colour after a game, or those in a new box."""
    if result is None:
        return (16, 8, 4, 2, 1)[decision]
    if result >= 0:
        return before + (3 if result == 1 else 1)
    # The last move of a lost game is the worst, and the one before it the next worst.
    left = {decisions - 1: 0, decisions - 2: before // 4}
    return left.get(decision, max(0, before - 1))


BEADS = training(
    beads,
    "Does the first box keep its colours long enough for the later boxes to learn? Or "
    "are there so many beads that 400 games change little? And should a later move be "
    "blamed more than an early one?",
)
