"""Reading and writing boards: strings of X and O, arrays of +1 and −1, base-3 codes.

An invalid board raises ValueError with one sentence that says what is wrong.
"""

import numpy as np

from ttt_lib.validation.arguments import anything, cells, validated
from ttt_lib.validation.boards import require_reachable
from ttt_lib.validation.values import as_array, bad_argument, short_repr

EMPTY_MARKS = " _."


def marks(first):
    """Return the marks of the first and the second player: ("X", "O") or ("O", "X")."""
    if not (isinstance(first, str) and first in ("X", "O")):
        raise ValueError(
            f"first = {short_repr(first)}: the player who moves first is 'X' or 'O'."
        )
    return ("X", "O") if first == "X" else ("O", "X")


def _one_board(value, arguments):
    board = cells("cells")(value, arguments)
    if board.ndim != 1:
        bad_argument(
            "cells", value, "give the cells of one board, row by row, of shape (A,)"
        )
    return board


@validated(cells=_one_board, first=anything)
def write(cells, first="X"):
    """Return cells (A,) of +1, −1 and 0 as A characters: X, O and `.` for empty."""
    return "".join(("." + "".join(marks(first)))[mark] for mark in cells)


def read(board, rows, columns, lines, first="X"):
    """Return the cells (A,) of +1, −1 and 0 of a board that is reachable in a game.

    `board` is a string, an array or a base-3 code, as described at `Game.find`.
    Raises ValueError with the reason if it is not a board, or cannot be reached.
    """
    names = marks(first)
    if isinstance(board, str):
        cells = _cells_of_string(board, rows, columns, *names)
    elif isinstance(board, int | np.integer) and not isinstance(board, bool):
        cells = _cells_of_code(int(board), rows * columns)
    else:
        cells = _cells_of_array(board, rows, columns)
    if len(cells) != rows * columns:
        raise ValueError(
            f"A board of {rows} × {columns} has {rows * columns} cells, "
            f"not {len(cells)}."
        )
    if not isinstance(board, str):  # its players are not called X and O
        names = "Player +1", "player -1"
    require_reachable(cells, lines, *names)
    return cells


def _cells_of_string(string, rows, columns, first, second):
    parts = string.split("/")
    if len(parts) > 1 and [len(part) for part in parts] != [columns] * rows:
        raise ValueError(
            f"{short_repr(string)} does not divide into {rows} rows of {columns} cells."
        )
    text = "".join(parts).upper()
    unknown = set(text) - {"X", "O", *EMPTY_MARKS}
    if unknown:
        raise ValueError(
            f"Unknown mark {min(unknown)!r} in {short_repr(string)}: "
            "use X, O, and space, '_' or '.' for an empty cell."
        )
    return np.array([{first: 1, second: -1}.get(mark, 0) for mark in text], np.int8)


def _cells_of_code(code, cells):
    if not 0 <= code < 3**cells:
        raise ValueError(
            f"{code} is not a base-3 code of {cells} cells: use 0 to {3**cells - 1}."
        )
    return np.array([(0, 1, -1)[code // 3**cell % 3] for cell in range(cells)], np.int8)


def _cells_of_array(array, rows, columns):
    try:
        array = as_array(array)
    except TypeError:
        raise ValueError(
            "The rows of the board differ in length, or a mark is missing."
        ) from None
    if array.ndim > 1 and array.shape != (rows, columns):
        raise ValueError(
            f"An array of shape {array.shape} is not a board: "
            f"use ({rows}, {columns}) or ({rows * columns},)."
        )
    if array.dtype.kind not in "iuf" or not np.isin(array, (-1, 0, 1)).all():
        raise ValueError(
            "The board contains something that is not a mark: "
            "use +1 for the first player, -1 for the second and 0 for an empty cell."
        )
    return array.ravel().astype(np.int8)
