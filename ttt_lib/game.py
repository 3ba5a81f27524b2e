"""The game unrolled once into integer tables, and the names of its positions.

A state is an integer: the index of a reachable position.
The empty board is position 0 and every successor has a larger index, so one backward sweep over
the tables is exact.
In the tables the first player owns +1; X and O are only how a side is written (`first="O"` swaps
them), and nothing below `find` and `string` knows of them.
"""

from functools import cache
from math import comb
from typing import NamedTuple

import numpy as np

from ttt_lib import rules

MOST_POSITIONS = 150_000  # above it, tables and policies would fill memory, not teach
MOST_CELLS = 39  # a base-3 code of 40 cells does not fit into 64 bits
EMPTY_MARKS = " _."


class Game(NamedTuple):
    """The tables of one m,n,k game with S positions and A cells. Read-only: they are shared."""

    rows: int  #: rows of the board
    columns: int  #: columns of the board
    k: int  #: marks in a row that win
    lines: np.ndarray  #: (L, k) cells of each line
    board: np.ndarray  #: (S, A) cells of each position: +1 first player, −1 second, 0 empty
    code: (
        np.ndarray
    )  #: (S,) base-3 code: the sum of digit × 3^cell, digits 0 empty, 1 first, 2 second
    to_move: np.ndarray  #: (S,) side to move: +1 or −1
    legal: np.ndarray  #: (S, A) whether a mark may be put there; all False when terminal
    next: np.ndarray  #: (S, A) index of the afterstate, −1 where illegal
    terminal: np.ndarray  #: (S,) whether the game is over
    outcome: np.ndarray  #: (S,) +1 / 0 / −1 from the first player's side; 0 while unfinished
    count: np.ndarray  #: (S,) number of legal actions
    action: np.ndarray  #: (S, A) the `count` legal actions in rising order, then −1
    successor: np.ndarray  #: (S, A) their afterstates, then −1: `next`, packed for loops

    def find(self, board, first="X"):
        """Return the position (an int) that `board` shows.

        `board` may be any of:

        - a string of A marks, row by row: X, O, and space, `_` or `.` for an empty cell;
          rows may be divided by `/`; `first` says which mark moves first;
        - an array, (rows, columns) or flat, of +1 (first player), −1 (second) and 0;
        - a whole number, the base-3 code.

        Raises ValueError with the reason if no game can arrive there.
        """
        names = "Player +1", "player -1"
        if isinstance(board, str):
            names = marks(first)
            cells = self._cells_of_string(board, first)
        elif isinstance(board, int | np.integer) and not isinstance(board, bool):
            cells = self._cells_of_code(int(board))
        else:
            cells = self._cells_of_array(board)
        self._check_history(cells, *names)
        return int(np.flatnonzero(self.code == codes(cells))[0])

    def string(self, position, first="X"):
        """Return the position as A characters, row by row: X, O and `.` for an empty cell."""
        first, second = marks(first)
        return "".join(("." + first + second)[mark] for mark in self.board[position])

    def array(self, position):
        """Return the position as a (rows, columns) array of +1, −1 and 0."""
        return self.board[position].reshape(self.rows, self.columns)

    def _cells_of_string(self, string, first):
        first, second = marks(first)
        text = string
        if "/" in string:
            rows = string.split("/")
            if [len(row) for row in rows] != [self.columns] * self.rows:
                raise ValueError(
                    f"{string!r} does not divide into {self.rows} rows of {self.columns} cells."
                )
            text = "".join(rows)
        unknown = sorted(set(text.upper()) - {"X", "O", *EMPTY_MARKS})
        if unknown:
            raise ValueError(
                f"Unknown mark {unknown[0]!r} in {string!r}: "
                "use X, O, and space, '_' or '.' for an empty cell."
            )
        digit = {first: 1, second: -1}
        return self._right_length([digit.get(mark, 0) for mark in text.upper()])

    def _cells_of_code(self, code):
        cells = self.board.shape[1]
        if not 0 <= code < 3**cells:
            raise ValueError(f"{code} is no base-3 code of {cells} cells: use 0 to {3**cells - 1}.")
        digits = [code // 3**cell % 3 for cell in range(cells)]
        return np.array([(0, 1, -1)[digit] for digit in digits])

    def _cells_of_array(self, array):
        try:
            array = np.asarray(array)
        except ValueError:
            raise ValueError("The rows of the board differ in length.") from None
        if array.ndim > 1 and array.shape != (self.rows, self.columns):
            raise ValueError(
                f"An array of shape {array.shape} is no board: "
                f"use ({self.rows}, {self.columns}) or ({self.rows * self.columns},)."
            )
        if array.dtype.kind not in "iuf" or not np.isin(array, (-1, 0, 1)).all():
            raise ValueError(
                "The board holds something that is no mark: "
                "use +1 for the first player, -1 for the second and 0 for an empty cell."
            )
        return self._right_length(array.ravel().astype(int))

    def _right_length(self, cells):
        if len(cells) != self.rows * self.columns:
            raise ValueError(
                f"A board of {self.rows} × {self.columns} has "
                f"{self.rows * self.columns} cells, not {len(cells)}."
            )
        return np.asarray(cells)

    def _check_history(self, cells, first, second):
        """Raise ValueError, calling the players `first` and `second`, if no game arrives here."""
        firsts, seconds = int((cells == 1).sum()), int((cells == -1).sum())
        if seconds == firsts + 1:
            raise ValueError(
                f"{second} has one mark more than {first}, who should have moved first: "
                "where the other mark began, say so with first='O' or first='X'."
            )
        if firsts - seconds not in (0, 1):
            raise ValueError(
                f"{first} has {firsts} marks and {second} {seconds}: players take turns, so "
                "the one who moves first has as many as the other or one more."
            )
        won = {}
        for player in (+1, -1):
            own = [set(line.tolist()) for line in self.lines if (cells[line] == player).all()]
            if own:
                won[player] = set.intersection(*own)
        if len(won) == 2:
            raise ValueError(
                f"{first} and {second} both have a line: the first line ends the game."
            )
        for player, last_marks in won.items():
            # The winner made the last mark, and it finished every line of the winner's at once.
            if firsts - seconds != (player == 1) or not last_marks:
                name = first if player == 1 else second
                raise ValueError(f"Marks were added after the line of {name} had ended the game.")


def marks(first):
    """Return the marks of the first and the second player: ("X", "O") or ("O", "X")."""
    if first not in ("X", "O"):
        raise ValueError(f"first = {first!r}: the player who moves first is 'X' or 'O'.")
    return ("X", "O") if first == "X" else ("O", "X")


def codes(board):
    """Return the base-3 codes of boards: the sum of digit × 3^cell; (..., A) → (...) of int64."""
    digits = np.asarray(board, dtype=np.int64) % 3  # −1 becomes 2
    return digits @ 3 ** np.arange(digits.shape[-1])


@cache
def tables(rows=3, columns=3, k=3):
    """Return the Game of k in a row on rows × columns cells, unrolled from the rules.

    Raises ValueError if k fits nowhere, or if the game has more than 150,000 positions.
    """
    lines = rules.lines(rows, columns, k)
    cells = rows * columns
    if cells > MOST_CELLS:
        raise ValueError(_too_large(rows, columns, k))
    layer = np.zeros((1, cells), dtype=np.int8)  # all boards with equally many marks
    boards, nexts, found = [], [], 0
    while len(layer):
        found += len(layer)
        if found > MOST_POSITIONS:
            raise ValueError(_too_large(rows, columns, k))
        parent, action = np.nonzero(rules.legal(layer, lines))
        after = layer[parent]
        after[np.arange(len(parent)), action] = rules.side_to_move(layer)[parent]
        _, kept, index = np.unique(codes(after), return_index=True, return_inverse=True)
        table = np.full(layer.shape, -1, dtype=np.int32)
        table[parent, action] = found + index
        boards.append(layer)
        nexts.append(table)
        layer = after[kept]
    board, next_ = np.concatenate(boards), np.concatenate(nexts)
    legal = next_ >= 0
    order = np.argsort(~legal, axis=1, kind="stable")  # legal actions first, in rising order
    packed = np.take_along_axis(legal, order, axis=1)
    game = Game(
        rows=rows,
        columns=columns,
        k=k,
        lines=lines,
        board=board,
        code=codes(board),
        to_move=rules.side_to_move(board),
        legal=legal,
        next=next_,
        terminal=~legal.any(axis=1),
        outcome=rules.winner(board, lines),
        count=legal.sum(axis=1),
        action=np.where(packed, order, -1),
        successor=np.take_along_axis(next_, order, axis=1),
    )
    for field in game:
        if isinstance(field, np.ndarray):
            field.setflags(write=False)
    return game


def most_positions(cells):
    """Return how many boards have counts that can be: an upper bound on the positions.

    Of `cells` cells n hold marks, and half of those marks, rounded down, are the second player's.
    """
    return sum(comb(cells, n) * comb(n, n // 2) for n in range(cells + 1))


def _too_large(rows, columns, k):
    cells = rows * columns
    bound = most_positions(cells)
    gigabytes = bound * (18 * cells + 20) / 1e9  # the tables and one policy
    return (
        f"{k} in a row on {rows} × {columns} cells has up to {bound:,} positions, and its tables "
        f"would take up to {gigabytes:,.1f} GB: full tables stop at {MOST_POSITIONS:,} positions "
        f"and {MOST_CELLS} cells."
    )


def symmetries(rows, columns):
    """Return the (G, A) index maps of the turns and mirrors of a board, the identity first.

    `board[..., symmetries[g]]` is the board seen through map g.
    G is 8 for squares and 4 for rectangles; fewer where two maps agree (1 × n).
    """
    cells = np.arange(rows * columns).reshape(rows, columns)
    views = [cells, cells.T] if rows == columns else [cells]
    maps = [
        view[::down, ::right].ravel() for view in views for down in (1, -1) for right in (1, -1)
    ]
    return np.array(list(dict.fromkeys(tuple(map_.tolist()) for map_ in maps)))


def images(game):
    """Return the (G, S) position that each position becomes under each symmetry."""
    order = np.argsort(game.code)
    seen = codes(game.board[:, symmetries(game.rows, game.columns)])  # (S, G)
    return order[np.searchsorted(game.code, seen, sorter=order)].T


def symmetry_class(game):
    """Return the (S,) representative of each position: the smallest index among its images."""
    return images(game).min(axis=0)
