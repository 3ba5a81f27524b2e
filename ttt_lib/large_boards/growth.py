"""Numbers of positions and games of a board: counted, or estimated with an error.

A board without a line is reached by its marks in any order, because no part of it has a
line either. A board with a line is reached by every order in which the last mark is one
that its lines need. So games can be counted by counting boards.
"""

from math import comb, factorial
from typing import NamedTuple

import numpy as np

from ttt_lib import rules, validation
from ttt_lib.compiled import compiled
from ttt_lib.large_boards.exact import NO_LINE, closing, halves


class Growth(NamedTuple):
    """Numbers of positions and games of a board of A cells, by marks on it."""

    positions: np.ndarray  #: (A + 1,) positions with n marks
    games: np.ndarray  #: (A + 1,) games that end after n marks
    positions_error: np.ndarray  #: (A + 1,) standard errors, 0 where counted
    games_error: np.ndarray  #: (A + 1,) standard errors, 0 where counted


MAX_CELLS = 20  # of `count`: some seconds, and the numbers fit into 64 bits
MAX_SAMPLED_CELLS = 100  # of `estimate`: the numbers fit into a float64


def count(rows, columns, k):
    """Return the Growth of k in a row on rows × columns cells, each board counted.

    Raises ValueError if k fits nowhere, or if there are more than 20 cells.

    Examples
    --------
    >>> growth.count(3, 3, 3).positions
    array([   1,    9,   72,  252,  756, 1260, 1520, 1140,  390,   78])
    >>> int(growth.count(3, 3, 3).games.sum())
    255168
    """
    rows, columns, k = validation.require_size(rows, columns, k)
    cells = rows * columns
    validation.require(
        cells <= MAX_CELLS,
        f"{rows} × {columns} cells are too many to count all boards: give up to "
        f"{MAX_CELLS} cells, or sample boards with growth.estimate()",
    )
    last = closing(rules.lines(rows, columns, k), cells)
    boards = np.zeros((cells + 1, cells + 1), dtype=np.int64)
    _count(last, *halves(cells), boards)
    marks = np.arange(cells + 1, dtype=np.int64)
    games = [boards[n, 1:] @ marks[1:] * _orders(n, closed=True) for n in marks]
    games[-1] += boards[-1, 0] * _orders(cells, closed=False)
    no_error = np.zeros(cells + 1)
    return Growth(boards.sum(axis=1), np.array(games), no_error, no_error)


def _orders(n, closed):
    """Return how many orders of n marks there are; if `closed`, the last is fixed."""
    mine, others = (n + 1) // 2, n // 2  # "mine" are those of the player who moved last
    return factorial(max(mine - closed, 0)) * factorial(others)


@compiled
def _count(last, low, high, boards):
    """Add each position to boards[marks, marks that could be the last of a line]."""
    for row in range(len(high.more)):
        for column in range(len(low.more)):
            more = high.more[row] + low.more[column]
            if more < 0 or more > 1:
                continue
            first = high.first[row] | low.first[column]
            second = high.second[row] | low.second[column]
            moved, waits = (first, second) if more == 1 else (second, first)
            if last[waits] == NO_LINE and last[moved] != 0:
                taken, marks = first | second, 0
                while taken:
                    taken &= taken - 1
                    marks += 1
                boards[marks, max(last[moved], 0)] += 1


def estimate(rows, columns, k, samples, rng):
    """Return the Growth of a board, from `samples` boards drawn for each n.

    All boards with n marks are equally likely. A position counts 1; a board at which
    games end counts as many games as end there.
    Raises ValueError if k fits nowhere, with more than 100 cells or under 2 samples.
    """
    rows, columns, k = validation.require_size(rows, columns, k)
    cells = rows * columns
    validation.require(
        cells <= MAX_SAMPLED_CELLS,
        f"{rows} × {columns} cells are too many: give up to {MAX_SAMPLED_CELLS}",
    )
    samples = validation.as_int(samples, "samples", 2)
    lines = rules.lines(rows, columns, k)
    sums = np.zeros((4, cells + 1))
    for n in range(cells + 1):
        order = rng.random((samples, cells)).argsort(axis=1)
        board = np.zeros((samples, cells), dtype=np.int8)
        marks = np.arange(n, dtype=np.int64) % 2 * -2 + 1  # +1, −1, +1, …
        np.put_along_axis(board, order[:, :n], marks.astype(np.int8), axis=1)
        mover = 1 if n % 2 else -1
        last = _closing(board, mover, lines)
        last[rules.has_line(board, -mover, lines)] = 0
        ends = np.where(last > 0, last * float(_orders(n, closed=True)), 0)
        if n == cells:
            ends += (last == NO_LINE) * float(_orders(n, closed=False))
        boards = float(comb(cells, n) * comb(n, n // 2))
        for i, sample in enumerate((last != 0, ends)):
            sums[i, n] = boards * sample.mean()
            sums[i + 2, n] = boards * sample.std(ddof=1) / np.sqrt(samples)
    return Growth(*sums)


def _closing(board, mover, lines):
    """Return `exact.closing` of the mover's marks on boards (N, A): (N,) of int."""
    last = np.full(len(board), NO_LINE, dtype=np.int64)
    with_line = np.flatnonzero(rules.has_line(board, mover, lines))
    last[with_line] = 0
    for a in range(board.shape[1]):
        without = board[with_line].copy()
        without[:, a] = 0
        last[with_line] += (board[with_line, a] == mover) & ~rules.has_line(
            without, mover, lines
        )
    return last
