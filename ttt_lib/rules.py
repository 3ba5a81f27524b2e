"""The rules of m,n,k games on arrays of cells: one board or a million at once.

A board is an array of A = rows × columns cells, row by row: +1 for a mark of the first
player, −1 for a mark of the second, 0 for an empty cell.
Any leading axes may be added: an array of shape (1_000_000, 9) is a million boards.
Functions that need the lines of the game take the array `lines`; the default is that of
tic-tac-toe.
"""

import numpy as np

from ttt_lib.validation import require_drawable, require_size, validated

# →, ↓, ↘, ↙ as steps of (row, column)
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


def lines(rows=3, columns=3, k=3) -> np.ndarray:
    """Return the lines of the board: an (L, k) array of cells, each row one way to win.

    Raises ValueError if a size is not a positive whole number, or k is too large.

    Examples
    --------
    >>> rules.lines(3, 3, 3)[:3]
    array([[0, 1, 2],
           [0, 3, 6],
           [0, 4, 8]])
    >>> len(rules.lines(4, 4, 3))
    24
    """
    rows, columns, k = require_size(rows, columns, k)
    require_drawable(rows, columns)
    cells = set()  # a set, because for k = 1 the four directions give the same lines
    for row in range(rows):
        for column in range(columns):
            for down, right in DIRECTIONS:
                last_row = row + (k - 1) * down
                last_column = column + (k - 1) * right
                if last_row < rows and 0 <= last_column < columns:
                    start, step = row * columns + column, down * columns + right
                    cells.add(tuple(start + i * step for i in range(k)))
    return np.array(sorted(cells), dtype=np.int64)


LINES = lines()


@validated
def has_line(board, player, lines=LINES) -> np.ndarray:
    """Return whether `player` (+1 or −1) owns a line; (..., A) → (...) of bool."""
    return (board[..., lines] == player).all(axis=-1).any(axis=-1)


def winner(board, lines=LINES) -> np.ndarray:
    """Return +1 or −1 for the owner of a line, else 0; (..., A) → (...) of int8.

    Examples
    --------
    >>> board = np.array([1, 1, 1, -1, -1, 0, 0, 0, 0])
    >>> int(rules.winner(board))
    1
    """
    return has_line(board, +1, lines).astype(np.int8) - has_line(board, -1, lines)


@validated
def finished(board, lines=LINES) -> np.ndarray:
    """Return whether a line or the last cell is filled; (..., A) → (...) of bool."""
    full = (board != 0).all(axis=-1)
    return full | (winner(board, lines) != 0)


@validated
def legal(board, lines=LINES) -> np.ndarray:
    """Return the legal cells: the empty cells of unfinished boards.

    board (..., A) → (..., A) of bool.

    Examples
    --------
    >>> board = np.array([1, 0, 0, 0, -1, 0, 0, 0, 0])
    >>> np.flatnonzero(rules.legal(board))
    array([1, 2, 3, 5, 6, 7, 8])
    """
    return (board == 0) & ~finished(board, lines)[..., np.newaxis]


@validated
def side_to_move(board) -> np.ndarray:
    """Return +1 if the first player moves next, else −1; (..., A) → (...) of int8.

    The first player is to move when both own equally many marks.
    """
    return np.where(np.sum(board, axis=-1) == 0, 1, -1).astype(np.int8)


@validated
def play(board, action, lines=LINES) -> np.ndarray:
    """Return a new board with the mover's mark in cell `action`.

    board (..., A) and action (...) broadcast:
    one board and nine actions give nine boards.
    Raises ValueError if a board is finished, or a cell is taken or not on the board.

    Examples
    --------
    >>> board = np.array([1, 0, 0, 0, -1, 0, 0, 0, 0])
    >>> rules.play(board, 8).reshape(3, 3)
    array([[ 1,  0,  0],
           [ 0, -1,  0],
           [ 0,  0,  1]])
    """
    cells = board.shape[-1]
    if np.any((action < 0) | (action >= cells)):
        raise ValueError(
            f"There is no such cell: an action is a whole number, 0 to {cells - 1}."
        )
    if finished(board, lines).any():
        raise ValueError("The game is finished: no further move is legal.")
    shape = np.broadcast_shapes(board.shape[:-1], action.shape)
    after = np.broadcast_to(board, (*shape, cells)).copy()
    chosen = np.broadcast_to(action, shape)[..., np.newaxis]
    if np.take_along_axis(after, chosen, axis=-1).any():
        raise ValueError("The cell is taken: choose an empty one.")
    np.put_along_axis(after, chosen, side_to_move(after)[..., np.newaxis], axis=-1)
    return after
