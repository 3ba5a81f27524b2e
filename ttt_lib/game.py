"""Tables of all positions of a game, and its symmetries.

A state is an integer: the index of a reachable position.
The empty board is position 0 and every successor has a larger index,
so one backward sweep over the tables is exact.
In the tables the first player is +1; X and O are used only by `find` and `string`
(`first="O"` swaps them).
"""

from functools import cache
from math import comb
from typing import NamedTuple

import numpy as np

from ttt_lib import notation, rules, validation
from ttt_lib.validation import MAX_CELLS, MAX_POSITIONS, validated

SIDES = {"first": +1, "second": -1}  # players by name, as in `to_move`
SIDE_NAMES = {+1: "first", -1: "second"}


class Game(NamedTuple):
    """The tables of one m,n,k game with S positions and A cells.

    They are read-only, because they are shared.
    """

    rows: int  #: rows of the board
    columns: int  #: columns of the board
    k: int  #: marks in a row that win
    lines: np.ndarray  #: (L, k) cells of each line
    board: np.ndarray  #: (S, A) cells: +1 first player, −1 second, 0 empty
    code: np.ndarray  #: (S,) base-3 code Σ digit × 3^cell: 0 empty, 1 first, 2 second
    to_move: np.ndarray  #: (S,) side to move: +1 or −1
    legal: np.ndarray  #: (S, A) whether the cell is a legal move; False when terminal
    next: np.ndarray  #: (S, A) index of the afterstate, −1 where illegal
    terminal: np.ndarray  #: (S,) whether the game is over
    outcome: np.ndarray  #: (S,) +1 / 0 / −1 for the first player; 0 while unfinished
    count: np.ndarray  #: (S,) number of legal actions
    action: np.ndarray  #: (S, A) the `count` legal actions in rising order, then −1
    successor: np.ndarray  #: (S, A) their afterstates, then −1: `next` packed for loops

    def find(self, board, first="X") -> int:
        """Return the position (an int) that `board` shows.

        `board` may be any of:

        - a string of A marks, row by row: X, O, and space, `_` or `.` for empty cells;
          rows may be divided by `/`; `first` says which mark moves first;
        - an array, (rows, columns) or flat, of +1 (first player), −1 (second) and 0;
        - a whole number, the base-3 code.

        Raises ValueError with the reason if no game can reach the board.

        Examples
        --------
        >>> game.find("XX./OO./...")
        361
        >>> game.find([[1, 1, 0], [-1, -1, 0], [0, 0, 0]])
        361
        >>> game.string(361)
        'XX.OO....'
        """
        cells = notation.read(board, self.rows, self.columns, self.lines, first)
        return int(np.flatnonzero(self.code == codes(cells))[0])

    @validated(first=validation.anything)
    def string(self, position, first="X") -> str:
        """Return the position as A characters, row by row: X, O and `.` for empty."""
        return notation.write(self.board[position], first)

    @validated
    def array(self, position) -> np.ndarray:
        """Return the position as a (rows, columns) array of +1, −1 and 0."""
        return self.board[position].reshape(self.rows, self.columns)


@validated(board=validation.boards_with_code)
def codes(board) -> np.ndarray:
    """Return the base-3 codes Σ digit × 3^cell of boards; (..., A) → (...) of int64."""
    digits = np.asarray(board, dtype=np.int64) % 3  # −1 becomes 2
    return digits @ 3 ** np.arange(digits.shape[-1], dtype=np.int64)


def tables(rows=3, columns=3, k=3) -> Game:
    """Return the Game of k in a row on rows × columns cells, unrolled from the rules.

    Raises ValueError if k fits nowhere, or if the game has more than 150,000 positions.

    Examples
    --------
    >>> game = tables()
    >>> game.board.shape
    (5478, 9)
    >>> len(tables(3, 4, 3).code)
    111973
    """
    return _tables(*validation.require_size(rows, columns, k))


@cache
def _tables(rows, columns, k):
    if rows * columns > MAX_CELLS:
        raise ValueError(validation.too_large_message(rows, columns, k, most_positions))
    lines = rules.lines(rows, columns, k)
    board, next_ = _unroll(rows, columns, k, lines)
    legal = next_ >= 0
    # Legal actions first, in rising order.
    order = np.argsort(~legal, axis=1, kind="stable").astype(np.int64)
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
        count=legal.sum(axis=1, dtype=np.int64),
        action=np.where(packed, order, -1),
        successor=np.take_along_axis(next_, order, axis=1),
    )
    for field in game:
        if isinstance(field, np.ndarray):
            field.setflags(write=False)
    return game


def _unroll(rows, columns, k, lines):
    """Return `board` and `next` (S, A), built in layers: all boards with n marks."""
    layer, size = np.zeros((1, rows * columns), dtype=np.int8), 0
    boards, nexts = [], []
    while len(layer):
        size += len(layer)  # of all layers so far: the index of the first successor
        if size > MAX_POSITIONS:
            raise ValueError(
                validation.too_large_message(rows, columns, k, most_positions)
            )
        parent, action = np.nonzero(rules.legal(layer, lines))
        after = layer[parent]
        after[np.arange(len(parent), dtype=np.intp), action] = rules.side_to_move(
            layer
        )[parent]
        _, kept, index = np.unique(codes(after), return_index=True, return_inverse=True)
        table = np.full(layer.shape, -1, dtype=np.int32)
        table[parent, action] = size + index
        boards.append(layer)
        nexts.append(table)
        layer = after[kept]
    return np.concatenate(boards), np.concatenate(nexts)


@validated(cells=lambda value, arguments: validation.as_int(value, "cells", 0, 1000))
def most_positions(cells) -> int:
    """Return an upper bound on the number of positions of a board with `cells` cells.

    It counts the boards with n marks of which half, rounded down, are the second
    player's, for all n.
    """
    return sum(comb(cells, n) * comb(n, n // 2) for n in range(cells + 1))


@validated
def positions(game, actions) -> list[int]:
    """Return the positions of a game with these actions, from the empty board on.

    Raises ValueError if an action is illegal.

    Examples
    --------
    >>> positions(game, [4, 0, 8])
    [0, 5, 22, 262]
    >>> [game.string(s) for s in positions(game, [4, 0, 8])]
    ['.........', '....X....', 'O...X....', 'O...X...X']
    """
    path = [0]
    for a in actions:
        legal = a in range(game.legal.shape[1]) and game.legal[path[-1], a]
        validation.require(legal, f"actions = {list(actions)}: {a} is illegal")
        path.append(int(game.next[path[-1], a]))
    return path


def symmetries(rows, columns) -> np.ndarray:
    """Return the (G, A) index maps of the rotations and reflections, identity first.

    `board[..., symmetries[g]]` is the board seen through map g.
    G is 8 for squares and 4 for rectangles; fewer where two maps agree (1 × n).

    Examples
    --------
    >>> symmetries(3, 3)[1].reshape(3, 3)
    array([[2, 1, 0],
           [5, 4, 3],
           [8, 7, 6]])
    >>> len(symmetries(3, 3)), len(symmetries(3, 4))
    (8, 4)
    """
    validation.require_size(rows, columns)
    validation.require_drawable(rows, columns)
    cells = np.arange(rows * columns, dtype=np.int64).reshape(rows, columns)
    views = [cells, cells.T] if rows == columns else [cells]
    maps = [
        view[::down, ::right].ravel()
        for view in views
        for down in (1, -1)
        for right in (1, -1)
    ]
    distinct = list(dict.fromkeys(tuple(map_.tolist()) for map_ in maps))
    return np.array(distinct, dtype=np.int64)


@validated
def images(game) -> np.ndarray:
    """Return the (G, S) position that each position becomes under each symmetry.

    Examples
    --------
    >>> images(game)[:, game.find("X........")]
    array([1, 3, 7, 9, 1, 3, 7, 9])
    """
    order = np.argsort(game.code)
    seen = codes(game.board[:, symmetries(game.rows, game.columns)])  # (S, G)
    return order.astype(np.int64)[np.searchsorted(game.code, seen, sorter=order)].T


def symmetry_class(game) -> np.ndarray:
    """Return the (S,) representative of each position: its image of smallest index.

    Examples
    --------
    >>> len(np.unique(symmetry_class(game)))
    765
    """
    return images(game).min(axis=0)
