"""What plots look at before they draw; of most of the rest Matplotlib complains."""

from functools import partial

import numpy as np

from ttt_lib.doors.arguments import chances, checked, free
from ttt_lib.doors.boards import demand_drawable
from ttt_lib.doors.values import array, demand, shown, whole

# The decorator of functions that draw: as `checked`, and nobody looks at these.
checked_plot = partial(
    checked, ax=free, first=free, title=free, form=free, limits=free, good_for=free,
    beads=free, rows=free, columns=free, policy=free, opponent=chances("opponent"),
)  # fmt: skip


def board(value, given):
    """Return cells (rows, columns) as whole numbers."""
    cells = array(value, "array")
    fits = cells.ndim == 2 and cells.size and np.isin(cells, (1, -1, 0)).all()
    demand(fits, f"array = {shown(value)}: give (rows, columns) cells of +1, -1 and 0")
    demand_drawable(*cells.shape)
    return cells.astype(np.int64)


def values(value, given):
    """Return numbers (A,), finite at the legal cells of position s."""
    legal = given["game"].legal[given["s"]]
    finite = np.isfinite(array(value, "values", legal.shape, finite=False)[legal])
    demand(finite.all(), "values has a legal cell whose number is not finite")
    return np.asarray(value)  # whole numbers stay whole, for `form`


def ring(value, given):
    """Return cells of the board, perhaps none, as a list: a mask would ring others."""
    cells = list(value) if np.iterable(value) else [value]
    last = given["game"].legal.shape[1] - 1
    return [whole(cell, "ring: a cell", 0, last) for cell in cells]


def legal(value, given):
    """Return moves that are legal in position s, at least one, as a list."""
    game, s = given["game"], given["s"]
    cells = list(value) if np.iterable(value) else [value]
    demand(cells, f"actions = {shown(value)}: give at least one cell")
    actions = [
        whole(a, "actions: an action", 0, game.legal.shape[1] - 1) for a in cells
    ]
    for a in actions:
        demand(game.legal[s, a], f"actions: {a} is illegal in position {s}")
    return actions


def grid(name):
    """Return the check of a table (m, n) of numbers, NaN where there is none."""

    def check(value, given):
        table = array(value, name, finite=False)
        demand(table.ndim == 2, f"{name} = {shown(value)}: give numbers (m, n)")
        return table

    return check
