"""Boards too large for tables: properties of a position are computed lazily.

A position is its base-3 code, as in `large_boards.exact`. The fields of the Game are
not arrays but can be indexed in the same way.
"""

import sys
import time
from functools import cache

import numpy as np

from ttt_lib import policy, rules, search
from ttt_lib.agents import Agent
from ttt_lib.game import Game, tables
from ttt_lib.large_boards import exact, uct
from ttt_lib.validation import MAX_CELLS, require, require_size

KINDS = ("random", "perfect", "teacher", "uct", "person")  # need no tables
SAMPLE = 3, 4, 3  # a small board, from whose time that of a larger one is estimated


def board_of(size):
    """Return the Game of a board, and the perfect values (A,) of its positions.

    These are tables if the board is small enough; otherwise the Game is `computed`, and
    the values are None if it is too large to solve. Raises ValueError if the size is
    not valid.
    """
    try:
        game = tables(*size)
    except ValueError:  # too large; `computed` rejects invalid sizes as well
        game = computed(*size)
        return game, perfect_values(game)
    return game, Field(lambda s: search.solve(game).Q[s])


class Field:
    """An array indexed by position whose rows are computed and cached on demand."""

    def __init__(self, row):
        self.row = cache(row)

    def __getitem__(self, index):
        """Return the row of position s, or its entry for cell a at index (s, a)."""
        if isinstance(index, tuple):
            s, a = index
            return self.row(int(s))[a]
        return self.row(int(index))


def computed(rows, columns, k):
    """Return the Game of a board whose positions are not enumerated.

    Fields about all positions at once, such as `successor`, are None.
    Raises ValueError if k fits nowhere, or if the board has too many cells for codes.
    """
    lines = rules.lines(rows, columns, k)
    cells = rows * columns
    require(
        cells <= MAX_CELLS,
        f"{rows} × {columns} are {cells} cells: give up to {MAX_CELLS}",
    )
    powers = 3 ** np.arange(cells, dtype=np.int64)

    def board(s):
        digits = s // powers % 3
        return np.where(digits == 2, -1, digits)

    marks = Field(board)
    to_move = Field(lambda s: int(rules.side_to_move(marks[s])))
    return Game(
        rows=rows,
        columns=columns,
        k=k,
        lines=lines,
        board=marks,
        code=None,
        to_move=to_move,
        legal=Field(lambda s: rules.legal(marks[s], lines)),
        next=Field(lambda s: s + to_move[s] % 3 * powers),  # −1 becomes 2
        terminal=Field(lambda s: bool(rules.finished(marks[s], lines))),
        outcome=Field(lambda s: int(rules.winner(marks[s], lines))),
        count=None,
        action=None,
        successor=None,
    )


def perfect_values(game):
    """Return the values (A,) of the moves of each position for the mover, as a Field.

    The board is solved, with a message, when a value is first read. Illegal moves have
    0. The result is None if a board takes more memory than `exact.MAX_BYTES`.
    """
    if 3 ** (game.rows * game.columns) > exact.MAX_BYTES:
        return None
    solved = cache(lambda: count_down((game.rows, game.columns, game.k))[0])

    def row(s):
        after = exact.values_after(solved(), s).astype(float)
        return np.where(game.legal[s], game.to_move[s] * after, 0.0)

    return Field(row)


def opponent(game, name, rng, Q):
    """Return the Agent of a Name; Q is that of `perfect_values`.

    Raises ValueError if the agent needs tables, or the values of an unsolved board.
    """
    require(
        name.kind in KINDS,
        f"{name.typed} needs a table of all positions, and this board is too large for "
        "one: play random, perfect, teacher:P, uct:N or person",
    )
    require(
        Q is not None or name.kind not in ("perfect", "teacher"),
        f"{name.typed} needs the value of every position, and this board is too large "
        "to be solved: play random, uct:N or person",
    )
    if name.kind == "person":
        return Agent(name.typed)
    values = Q if name.kind in ("perfect", "teacher") else None
    if values is not None:
        values[0]  # solves the board now, before the game begins

    def probabilities(s):
        legal = game.legal[s]
        if name.kind == "uct":
            board, playouts = game.board[s], int(name.what)
            tree = uct.search(board, playouts, rng.spawn(1)[0], lines=game.lines)
            return np.eye(len(legal))[uct.move(tree)]
        random = legal / legal.sum()
        if name.kind == "random":
            return random
        best = policy.greedy(Q[s][np.newaxis], legal[np.newaxis], name.ties)[0]
        return name.level * best + (1 - name.level) * random

    return Agent(name.typed, policy=Field(probabilities), Q=values)


def count_down(size, max_bytes=exact.MAX_BYTES):
    """Return the Exact of a board of `size`, and the seconds that it took.

    It first prints how much memory and about how much time that takes.

    Raises ValueError as `exact.solve`.
    """
    from rich.console import Console
    from rich.progress import track

    rows, columns, k = require_size(*size)
    exact.require_memory(rows, columns, k, max_bytes)
    exact.solve(*SAMPLE)
    start = time.perf_counter()
    exact.solve(*SAMPLE)
    codes, sample = 3 ** (rows * columns), 3 ** (SAMPLE[0] * SAMPLE[1])
    seconds = float(f"{(time.perf_counter() - start) * codes / sample:.1g}")
    print(
        f"{codes:,} codes take {codes / 1e6:,.1f} MB and about {seconds:,g} s.",
        file=sys.stderr,
    )

    def with_progress(chunks):
        options = {"console": Console(stderr=True), "disable": not sys.stderr.isatty()}
        return track(chunks, "Solving", transient=True, **options)

    start = time.perf_counter()
    solved = exact.solve(rows, columns, k, max_bytes, with_progress)
    return solved, time.perf_counter() - start
