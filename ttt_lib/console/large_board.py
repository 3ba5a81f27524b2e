"""Boards too big for tables: a position is looked at when it is asked for.

A position is here its base-3 code, as in `bigger.exact`, and the fields of the Game are
not arrays but answer to an index in the same way.
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

PLAYS = ("random", "perfect", "teacher", "uct", "person")  # without any table
SAMPLE = 3, 4, 3  # a small board, whose time tells that of a larger one


def board_of(size):
    """Return the Game of a board, and the perfect values (A,) of its positions.

    Where it fits, these are tables; else the Game is `computed`, and where nobody can
    solve it there are no values: None. Raises ValueError if there is no such board.
    """
    try:
        game = tables(*size)
    except ValueError:  # too big; or it is none, which `computed` refuses as well
        game = computed(*size)
        return game, perfect_values(game)
    return game, Field(lambda s: search.solve(game).Q[s])


class Field:
    """What looks like an array by position, and computes a row when it is asked."""

    def __init__(self, row):
        self.row = cache(row)

    def __getitem__(self, index):
        """Return the row of position s, or of (s, a) what it has for cell a."""
        if isinstance(index, tuple):
            s, a = index
            return self.row(int(s))[a]
        return self.row(int(index))


def computed(rows, columns, k):
    """Return the Game of a board whose positions nobody lists.

    What is about all positions at once, `successor` and the like, is None.
    Raises ValueError if k fits nowhere, or if a board has no code.
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
    """Return the values (A,) of the moves of each position for who moves, as a Field.

    The board is solved when it is first asked, and says so. Illegal moves have 0.
    Of a board that takes more memory than `exact.MOST_BYTES` it is None.
    """
    if 3 ** (game.rows * game.columns) > exact.MAX_BYTES:
        return None
    solved = cache(lambda: count_down((game.rows, game.columns, game.k))[0])

    def row(s):
        after = exact.values_after(solved(), s).astype(float)
        return np.where(game.legal[s], game.to_move[s] * after, 0.0)

    return Field(row)


def opponent(game, name, rng, Q):
    """Return the Agent that a Name stands for; Q: see `perfect_values`.

    Raises ValueError if whoever is named needs a table, or a solution there is not.
    """
    require(
        name.kind in PLAYS,
        f"{name.typed} has a table for every position of a smaller board: here play "
        "random, perfect, teacher:P, uct:N or person",
    )
    require(
        Q is not None or name.kind not in ("perfect", "teacher"),
        f"{name.typed} knows the value of every position, and this board is too big "
        "to be solved here: play random, uct:N or person",
    )
    if name.kind == "person":
        return Agent(name.typed)
    values = Q if name.kind in ("perfect", "teacher") else None
    if values is not None:
        values[0]  # to solve takes a while: before the game begins

    def chances(s):
        legal = game.legal[s]
        if name.kind == "uct":
            luck = rng.spawn(1)[0]
            tree = uct.search(game.board[s], int(name.what), luck, lines=game.lines)
            return np.eye(len(legal))[uct.move(tree)]
        random = legal / legal.sum()
        if name.kind == "random":
            return random
        best = policy.greedy(Q[s][np.newaxis], legal[np.newaxis], name.ties)[0]
        return name.level * best + (1 - name.level) * random

    return Agent(name.typed, policy=Field(chances), Q=values)


def count_down(size, max_bytes=exact.MAX_BYTES):
    """Return the Exact of a board of `size`, having said what that takes, and seconds.

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
    seconds = (time.perf_counter() - start) * codes / sample
    print(
        f"{codes:,} codes take {codes / 1e6:,.1f} MB and about {seconds:.1g} s.",
        file=sys.stderr,
    )

    def watched(pieces):
        to = {"console": Console(stderr=True), "disable": not sys.stderr.isatty()}
        return track(pieces, "Solving", transient=True, **to)

    start = time.perf_counter()
    solved = exact.solve(rows, columns, k, max_bytes, watched)
    return solved, time.perf_counter() - start
