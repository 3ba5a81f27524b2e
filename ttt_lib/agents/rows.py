"""Tables of numbers as JSON has them: board → cell → number.

A board has a sign for each cell, row by row: X, who moves first, O, and a full stop.
Cells are counted from 0. A cell, or a board, that is left out has 0.
"""

import numpy as np

from ttt_lib.doors import demand, shown

LARGEST = 1e100  # what is computed with such a number stays finite, squares too
MAX_COUNT = 2**62  # a whole number that loops can still count up from


def to_rows(game, table, shown=None):
    """Return a table (S, A) as board → cell → number, one (S,) as board → number.

    shown: where (S, A) a number is told; by default all but 0.
    """
    boards = all_boards(game)
    if shown is None:
        moves = game.legal if table.ndim == 2 else ~game.terminal
        shown = (table != 0) | (moves & np.signbit(table))  # −0, too: to the bit
    places = np.nonzero(shown)
    numbers = table[places].tolist()
    states, *cells = (place.tolist() for place in places)
    if not cells:
        return {boards[s]: number for s, number in zip(states, numbers, strict=True)}
    rows = {}
    for s, a, number in zip(states, *cells, numbers, strict=True):
        rows.setdefault(boards[s], {})[str(a)] = number
    return rows


def from_rows(game, what, rows, like):
    """Return the table that `to_rows` has told, with the shape and kind of `like`.

    Raises ValueError with the first fault, as the end of a sentence on its file.
    """
    boards = all_boards(game)
    place = {boards[s]: s for s in np.flatnonzero(~game.terminal).tolist()}
    cells, legal = {str(a): a for a in range(game.legal.shape[1])}, game.legal.tolist()
    is_count = like.dtype.kind == "i"
    demand(isinstance(rows, dict), f"its {what} should be board → cell → number")
    table = np.zeros_like(like)
    for board, row in rows.items():
        s = place.get(board)
        if s is None:
            why = _why(game, board)
            raise ValueError(f"a board in its {what} is {board[:99]!r}: {why}")
        if like.ndim == 1:
            table[s] = _number(row, is_count, what, board)
            continue
        where = f"the row of {board} in its {what}"
        demand(isinstance(row, dict), f'{where} should be cell → number, as {{"4": 1}}')
        for cell, number in row.items():
            a = cells.get(cell)
            if a is None or not legal[s][a]:
                free = ", ".join(map(str, np.flatnonzero(game.legal[s])))
                raise ValueError(f"{where} has the cell {cell!r}: free are {free}.")
            table[s, a] = _number(number, is_count, what, board, cell)
    return table


def all_boards(game):
    """Return `game.string` of all positions: asked one by one they take a second."""
    marks = np.array([".", "X", "O"])[game.board]  # −1 is the last
    return marks.view(f"U{game.board.shape[1]}").ravel().tolist()


def _why(game, board):
    """Return why a board is none of the unfinished positions of a game."""
    if board.upper().count("O") > board.upper().count("X"):
        return "X moves first, so O never has more marks."
    try:
        s = game.find(board)
    except ValueError as fault:
        return str(fault)
    if game.terminal[s]:
        return "the game is over there."
    return f"write it as {game.string(s)}."


def _number(number, is_count, what, board, cell=None):
    """Return a number that a table can hold."""
    good = type(number) in (int, float)
    if is_count:
        good = type(number) is int and 0 <= number <= MAX_COUNT
    if good and abs(number) <= LARGEST:
        return number
    at = "" if cell is None else f" at cell {cell}"
    is_no = "no count" if is_count else "out of range" if good else "no number"
    where = f"the row of {board} in its {what} has {shown(number)}{at}"
    raise ValueError(f"{where}, which is {is_no}.")
