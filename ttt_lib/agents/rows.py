"""Tables of numbers in JSON: board → cell → number.

A board has one character for each cell, row by row: X for the first player, O for the
second, and a full stop for a free cell. Cells are counted from 0. A cell or a board
that is left out has 0.
"""

import numpy as np

from ttt_lib.validation import MAX_INT as MAX_COUNT
from ttt_lib.validation import require
from ttt_lib.validation import short_repr as short_repr

MAX_NUMBER = 1e100  # even squares of it are finite


def to_rows(game, table, written=None):
    """Return a table (S, A) as board → cell → number, or (S,) as board → number.

    written: mask (S, A) of the numbers that are written; by default all but 0.
    """
    boards = all_boards(game)
    if written is None:
        moves = game.legal if table.ndim == 2 else ~game.terminal
        written = (table != 0) | (moves & np.signbit(table))  # −0 too: bit-identical
    indices = np.nonzero(written)
    numbers = table[indices].tolist()
    states, *cells = (index.tolist() for index in indices)
    if not cells:
        return {boards[s]: number for s, number in zip(states, numbers, strict=True)}
    rows = {}
    for s, a, number in zip(states, *cells, numbers, strict=True):
        rows.setdefault(boards[s], {})[str(a)] = number
    return rows


def from_rows(game, name, rows, like):
    """Return the table written by `to_rows`, with the shape and dtype of `like`.

    Raises ValueError with the first error, worded to follow the name of the file.
    """
    boards = all_boards(game)
    state_of = {boards[s]: s for s in np.flatnonzero(~game.terminal).tolist()}
    cells, legal = {str(a): a for a in range(game.legal.shape[1])}, game.legal.tolist()
    is_count = like.dtype.kind == "i"
    require(isinstance(rows, dict), f"its {name} should be board → cell → number")
    table = np.zeros_like(like)
    for board, row in rows.items():
        s = state_of.get(board)
        if s is None:
            reason = _why_invalid(game, board)
            raise ValueError(f"a board in its {name} is {board[:99]!r}: {reason}")
        if like.ndim == 1:
            table[s] = _number(row, is_count, name, board)
            continue
        where = f"the row of {board} in its {name}"
        require(
            isinstance(row, dict), f'{where} should be cell → number, as {{"4": 1}}'
        )
        for cell, number in row.items():
            a = cells.get(cell)
            if a is None or not legal[s][a]:
                free = ", ".join(map(str, np.flatnonzero(game.legal[s])))
                raise ValueError(f"{where} has the cell {cell!r}: free are {free}.")
            table[s, a] = _number(number, is_count, name, board, cell)
    return table


def all_boards(game):
    """Return `game.string` of all positions (list), faster than one by one."""
    marks = np.array([".", "X", "O"])[game.board]  # index −1 is the last
    return marks.view(f"U{game.board.shape[1]}").ravel().tolist()


def _why_invalid(game, board):
    """Return why a board is not an unfinished position of the game."""
    if board.upper().count("O") > board.upper().count("X"):
        return "X moves first, so O never has more marks."
    try:
        s = game.find(board)
    except ValueError as fault:
        return str(fault)
    if game.terminal[s]:
        return "the game is over there."
    return f"write it as {game.string(s)}."


def _number(number, is_count, name, board, cell=None):
    """Return a number if the table can hold it; raise ValueError if not."""
    is_number = type(number) in (int, float)
    if is_count:
        is_number = type(number) is int and 0 <= number <= MAX_COUNT
    if is_number and abs(number) <= MAX_NUMBER:
        return number
    at = "" if cell is None else f" at cell {cell}"
    problem = "out of range" if is_number else "not a number"
    problem = "not a count" if is_count else problem
    where = f"the row of {board} in its {name} has {short_repr(number)}{at}"
    raise ValueError(f"{where}, which is {problem}.")
