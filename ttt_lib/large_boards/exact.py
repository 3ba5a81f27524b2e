"""Boards too big for tables, solved: the value of every position in one small array.

A position is its base-3 code Σ digit × 3^cell (0 empty, 1 first player, 2 second), and
a move adds to the code. So when one sweep counts down from the largest code, every
successor is already solved, with one byte for each code and no list of positions.

A board of A cells is two halves, and the loops know its marks as two bit masks, one for
each player; `closing` is the table of what a mask of A bits means.
"""

from typing import NamedTuple

import numpy as np

from ttt_lib import notation, rules, validation
from ttt_lib.compiled import compiled
from ttt_lib.game import codes, most_positions
from ttt_lib.interrupts import defer_sigint
from ttt_lib.validation import require

NEVER = -128  # instead of a value: no game reaches the position
NO_LINE = -1  # in `closing`
MAX_BYTES = 45_000_000  # enough for 4 × 4 cells
CHUNK_ROWS = 27  # rows of codes between two checks for Ctrl-C


class Exact(NamedTuple):
    """The value of every position of one m,n,k game with A cells."""

    rows: int  #: rows of the board
    columns: int  #: columns of the board
    k: int  #: marks in a row that win
    lines: np.ndarray  #: (L, k) cells of each line
    value: np.ndarray  #: (3^A,) int8, by code: +1, 0, −1 for the first player, or NEVER


class Halves(NamedTuple):
    """The marks on half a board with H cells, by its code."""

    first: np.ndarray  #: (3^H,) int32, mask of the first player's marks
    second: np.ndarray  #: (3^H,) int32, mask of the second player's marks
    more: np.ndarray  #: (3^H,) int8, how many more marks the first player has


def closing(lines, cells):
    """Return, for each set of one player's marks, how many of them could be the last.

    lines (L, k) → (2^cells,) int8; the index is a mask, bit a for cell a.
    A mark could be the last of a line if there is no line without it. 0 stands for a
    set that no game reaches, and NO_LINE for a set without a line.
    """
    masks = np.arange(2**cells, dtype=np.int64)
    has_line = np.zeros(2**cells, dtype=bool)
    for line in (1 << lines).sum(axis=1):
        has_line |= masks & line == line
    last = np.where(has_line, 0, NO_LINE).astype(np.int8)
    for bit in 1 << np.arange(cells, dtype=np.int64):
        last += has_line & (masks & bit != 0) & ~has_line[masks & ~bit]
    return last


def halves(cells):
    """Return the Halves of a board: cells 0 to cells // 2 − 1, and the other cells."""
    return _half(0, cells // 2), _half(cells // 2, cells)


def _half(begin, end):
    count = end - begin
    powers = 3 ** np.arange(count, dtype=np.int64)
    digit = np.arange(3**count, dtype=np.int64)[:, None] // powers % 3
    bit = 1 << np.arange(begin, end, dtype=np.int64)
    first, second = digit == 1, digit == 2
    return Halves(
        (first @ bit).astype(np.int32),
        (second @ bit).astype(np.int32),
        (first.sum(axis=1) - second.sum(axis=1)).astype(np.int8),
    )


def solve(rows, columns, k, max_bytes=MAX_BYTES, progress=iter):
    """Return the Exact of k in a row on rows × columns cells.

    `progress` wraps the sequence of chunks of the sweep and yields them, as
    `tqdm.tqdm` does to show a progress bar.
    Raises ValueError if k fits nowhere, or if the array takes more than `max_bytes`.

    Examples
    --------
    >>> values = exact.solve(3, 4, 3)
    >>> exact.value(values, "............")
    1
    """
    rows, columns, k = validation.require_size(rows, columns, k)
    require_memory(rows, columns, k, max_bytes)
    lines, cells = rules.lines(rows, columns, k), rows * columns
    low, high = halves(cells)
    last, powers = closing(lines, cells), 3 ** np.arange(cells, dtype=np.int64)
    value = np.full(3**cells, NEVER, dtype=np.int8)
    for end in progress(range(len(high.more), 0, -CHUNK_ROWS)):
        with defer_sigint():
            _sweep(value, last, powers, low, high, max(end - CHUNK_ROWS, 0), end)
    value.setflags(write=False)
    return Exact(rows, columns, k, lines, value)


def value(exact, board, first="X"):
    """Return the value of `board` for the first player, if both play perfectly.

    `board` comes in any of the forms of `Game.find`.
    Raises ValueError with the reason if no game can reach it.
    """
    return int(exact.value[codes(_read(exact, board, first))])


def values_after(exact, board, first="X"):
    """Return the value for the first player after each move, NEVER where it is illegal.

    `board` as for `value`; the result is (A,) of int8.
    Raises ValueError with the reason if no game can reach the board.

    Examples
    --------
    >>> exact.values_after(exact.solve(3, 3, 3), "X........")
    array([-128,    1,    1,    1,    0,    1,    1,    1,    1], dtype=int8)
    """
    cells = _read(exact, board, first)
    after = np.full(len(cells), NEVER, dtype=np.int8)
    free = np.flatnonzero(rules.legal(cells, exact.lines))
    digit = rules.side_to_move(cells) % 3  # −1 becomes 2
    after[free] = exact.value[codes(cells) + digit * 3 ** free.astype(np.int64)]
    return after


def best(exact, board, first="X"):
    """Return which moves are best for the side to move; (A,) of bool.

    `board` as for `value`; where the game is over, no move is best.
    Raises ValueError with the reason if no game can reach the board.

    Examples
    --------
    >>> np.flatnonzero(exact.best(exact.solve(3, 3, 3), "X........"))
    array([4])
    """
    mover = rules.side_to_move(_read(exact, board, first))
    after = values_after(exact, board, first)
    free = after != NEVER
    return free & (mover * after == (mover * after[free]).max(initial=-1))


def _read(exact, board, first):
    return notation.read(board, exact.rows, exact.columns, exact.lines, first)


def layers(exact):
    """Return how many positions with n marks are won, drawn and lost: (A + 1, 3).

    They are counted for the first player, if both play perfectly from there.

    Examples
    --------
    >>> exact.layers(exact.solve(3, 3, 3))[5]
    array([456, 264, 540])
    """
    cells = exact.rows * exact.columns
    marks = [np.bitwise_count(half.first | half.second) for half in halves(cells)]
    counts = np.zeros((cells + 1, 3), dtype=np.int64)
    _count(exact.value, *marks, counts)
    return counts


@compiled
def _count(value, low, high, counts):
    """Add each position to counts[marks, 1 − its value]."""
    for row in range(len(high)):
        for column in range(len(low)):
            v = value[row * len(low) + column]
            if v != NEVER:
                counts[high[row] + low[column], 1 - v] += 1


def require_memory(rows, columns, k, max_bytes=MAX_BYTES):
    """Raise ValueError if the values of a game take more than `max_bytes`."""
    cells = rows * columns
    require(
        3**cells <= max_bytes,
        f"{k} in a row on {rows} × {columns} cells takes {3**cells:,} bytes, one for "
        f"each of 3^{cells} codes, for at most {most_positions(cells):,} positions: "
        f"with that much memory, and time, raise max_bytes = {max_bytes:,}",
    )


@compiled
def _sweep(value, last, powers, low, high, begin, end):
    """Write the values of the positions whose high half has a code in [begin, end)."""
    cells, width = len(powers), len(low.more)
    for row in range(end - 1, begin - 1, -1):
        for column in range(width - 1, -1, -1):
            more = high.more[row] + low.more[column]
            if more < 0 or more > 1:
                continue
            first = high.first[row] | low.first[column]
            second = high.second[row] | low.second[column]
            code = row * width + column
            if last[first] != NO_LINE or last[second] != NO_LINE:
                # The player who has just moved closed the line; the other has none.
                if more == 1 and last[first] > 0 and last[second] == NO_LINE:
                    value[code] = 1
                elif more == 0 and last[second] > 0 and last[first] == NO_LINE:
                    value[code] = -1
                continue
            mover, digit = (1, 1) if more == 0 else (-1, 2)
            taken, best = first | second, -2
            for a in range(cells):
                if not taken >> a & 1:
                    best = max(best, mover * value[code + digit * powers[a]])
                    if best == 1:
                        break
            value[code] = mover * best if best > -2 else 0
