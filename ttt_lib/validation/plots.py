"""Checks of the arguments of plots; Matplotlib checks most of the others."""

from functools import partial

import numpy as np

from ttt_lib.validation.arguments import anything, partial_policy, validated
from ttt_lib.validation.boards import require_drawable
from ttt_lib.validation.values import (
    as_int,
    bool_array,
    float_array,
    require,
    short_repr,
)

# The decorator of functions that draw: `validated`, with these arguments unchecked.
validated_plot = partial(
    validated,
    **dict.fromkeys(
        (
            *("ax", "first", "title", "form", "limits", "good_for", "beads", "rows"),
            *("columns", "policy", "tint", "exits"),
        ),
        anything,
    ),
    opponent=partial_policy("opponent"),
)


def board(value, arguments):
    """Return cells (rows, columns) of +1, −1 and 0 as int64."""
    cells = float_array(value, "array")
    fits = cells.ndim == 2 and cells.size and np.isin(cells, (1, -1, 0)).all()
    require(
        fits, f"array = {short_repr(value)}: give (rows, columns) cells of +1, -1 and 0"
    )
    require_drawable(*cells.shape)
    return cells.astype(np.int64)


def values(value, arguments):
    """Return numbers (A,), finite at the legal cells of position s."""
    legal = arguments["game"].legal[arguments["s"]]
    finite = np.isfinite(float_array(value, "values", legal.shape, finite=False)[legal])
    require(finite.all(), "values has a legal cell whose number is not finite")
    return np.asarray(value)  # integers stay integers, for `form`


def ring(value, arguments):
    """Return cells of the board as a list, perhaps empty. Rejects a mask of bool."""
    cells = list(value) if np.iterable(value) else [value]
    last = arguments["game"].legal.shape[1] - 1
    return [as_int(cell, "ring: a cell", 0, last) for cell in cells]


def legal(value, arguments):
    """Return a list of at least one move that is legal in position s."""
    game, s = arguments["game"], arguments["s"]
    cells = list(value) if np.iterable(value) else [value]
    require(cells, f"actions = {short_repr(value)}: give at least one cell")
    actions = [
        as_int(a, "actions: an action", 0, game.legal.shape[1] - 1) for a in cells
    ]
    for a in actions:
        require(game.legal[s, a], f"actions: {a} is illegal in position {s}")
    return actions


def grid(name):
    """Return the check of a table (m, n) of numbers, NaN for empty cells."""

    def check(value, arguments):
        table = float_array(value, name, finite=False)
        require(table.ndim == 2, f"{name} = {short_repr(value)}: give numbers (m, n)")
        return table

    return check


def position_values(value, arguments):
    """Return values (S,) between −1 and 1, NaN for positions without one."""
    values = float_array(value, "values", arguments["game"].code.shape, finite=False)
    fits = (np.isnan(values) | (np.abs(values) <= 1)).all()
    require(fits, "values: give numbers between -1 and 1, or NaN")
    return values


def position_mask(value, arguments):
    """Return a mask (S,) of bool, or None."""
    if value is None:
        return None
    mask = bool_array(value, "wrong")
    shape = arguments["game"].code.shape
    require(mask.shape == shape, f"wrong = {short_repr(value)}: give bool {shape}")
    return mask


def across(value, arguments):
    """Return the width of a column, in dots."""
    return as_int(value, "across", 1, 100)
