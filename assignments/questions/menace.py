"""Matchboxes that learn: beads, cells, and a machine of one's own."""

import numpy as np

from assignments.questions.chance import random_q
from assignments.questions.question import (
    Mistake,
    Question,
    altered,
    cases,
    cells,
    training,
)
from ttt_lib.check.judge import Case
from ttt_lib.game import tables


def beads_after(box, cell, result):
    """Return a box after a game in which `cell` was chosen from it."""
    after = dict(box)
    after[cell] = max(0, after[cell] + {1: 3, 0: 1, -1: -1}[result])
    return after


def draw_beads_after(rng):
    """Yield boxes and results, and boxes that have no bead to lose."""
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


BEADS_AFTER = Question(
    answer=beads_after,
    cases=cases(
        ("a win", {0: 4, 4: 2, 8: 4}, 4, 1),
        ("a draw", {0: 4, 4: 2, 8: 4}, 0, 0),
        ("a loss", {0: 4, 4: 2, 8: 4}, 8, -1),
        ("no bead is left*", {1: 3, 7: 0}, 7, -1),
    ),
    draw=draw_beads_after,
    mistakes=(
        Mistake(
            "negative beads",
            "A box cannot hold fewer than no beads.",
            altered(beads_after, ("max(0, ", "max(-99, ")),
        ),
        Mistake(
            "draw = loss",
            "A draw adds a bead. Only a loss takes one away.",
            altered(beads_after, ("0: 1,", "0: -1,")),
        ),
        Mistake(
            "draw = nothing",
            "A draw adds a bead too.",
            altered(beads_after, ("0: 1,", "0: 0,")),
        ),
        Mistake(
            "win +1",
            "A win adds three beads.",
            altered(beads_after, ("1: 3,", "1: 1,")),
        ),
    ),
    hint="+3 for a win, +1 for a draw, −1 for a loss, and never below 0.",
)


def chosen_cell(board, values):
    """Return the empty cell to which the largest of the values belongs."""
    best = int(np.argmax(values))
    return int(np.flatnonzero(np.asarray(board) == 0)[best])


def chosen_of_nine(board, values):
    """Return the cell of the largest of nine values, those of taken cells being 0."""
    nine = np.zeros(9)
    nine[np.flatnonzero(np.asarray(board) == 0)] = values
    return int(nine.argmax())


def draw_chosen_cell(rng):
    """Yield boards on which the cell and its place among the empty ones differ."""
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
    mistakes=(
        Mistake(
            "not repaired",
            "You still give the place in the list of empty cells: the same number "
            "means another cell on another board.",
            altered(
                chosen_cell,
                ("int(np.flatnonzero(np.asarray(board) == 0)[best])", "best"),
            ),
        ),
        Mistake(
            "a taken cell is worth 0",
            "Taken cells count as 0 in your list of nine, and 0 is more than a loss: "
            "choose among the empty cells only.",
            chosen_of_nine,
        ),
        Mistake(
            "worst cell",
            "You take the smallest value.",
            altered(chosen_cell, ("argmax", "argmin")),
        ),
    ),
    hint="Number i of the values belongs to number i of the empty cells.",
)


def beads(before, result, decision, decisions):
    """Return the beads of the colour that was drawn after a game, or of a new box."""
    if result is None:
        return (16, 8, 4, 2, 1)[decision]
    if result >= 0:
        return before + (3 if result == 1 else 1)
    # The last move of a lost game is the worst, and the one before it the next worst.
    left = {decisions - 1: 0, decisions - 2: before // 4}
    return left.get(decision, max(0, before - 1))


BEADS = training(
    beads,
    "Does the first box keep its colours long enough for the later boxes to learn? And "
    "should a later move be blamed more than an early one?",
)
