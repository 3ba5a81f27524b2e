"""How well a weighted sum of features plays a board too big for tables, exactly.

The player is greedy in the values w · x of `approximation.features`, ties uniform: on a
board with tables it is `policy.greedy` of `features.action_values`. Features do not
change under rotation and reflection, so one position of each symmetry class is enough.
`classes` finds these once, with their moves; then `evaluate` is one backward sweep, for
any weights: the value on each side against the best response, and the right moves.
"""

from typing import NamedTuple

import numpy as np

from ttt_lib import rules
from ttt_lib.approximation.features import _dot, features
from ttt_lib.compiled import compiled
from ttt_lib.evaluation import Share
from ttt_lib.game import symmetries
from ttt_lib.large_boards.exact import CHUNK_ROWS, NEVER, Exact
from ttt_lib.policy import LEARNED_ATOL
from ttt_lib.validation import bad_argument, float_array, require, validated

MAX_BYTES = 250_000_000  # enough for 4 × 4 cells


class Classes(NamedTuple):
    """One position of each of N symmetry classes of a board with A cells.

    They are in the order of their codes, so class 0 is the empty board, and a move
    leads to a later class.
    """

    code: np.ndarray  #: (N,) int64, the smallest code of the class
    positions: np.ndarray  #: (N,) int8, how many positions the class has
    to_move: np.ndarray  #: (N,) int8, +1 or −1
    value: np.ndarray  #: (N,) int8, exact value for the first player
    next: np.ndarray  #: (N, A) int32, class after each move, −1 where it is illegal
    x: np.ndarray  #: (N, F) features


class Evaluation(NamedTuple):
    """The worst case of a player on both sides, and the Share of its right moves.

    A move is right if it keeps the exact value. Each position counts, not each class.
    """

    first: float  #: value as first player against the best response
    second: float  #: value as second player against the best response
    right: Share  #: of right moves in all unfinished positions
    contested: Share  #: of right moves in positions where some move is wrong


def _classes(value, arguments):
    if not isinstance(value, Classes):
        bad_argument("classes", value, "give what worst_case.classes returns")
    return value


def _weights(value, arguments):
    return float_array(value, "w", arguments["classes"].x.shape[1:])


def classes(exact, max_bytes=MAX_BYTES, progress=iter):
    """Return the Classes of a board that `exact.solve` has solved.

    It takes several times as long as `solve`, and each `evaluate` afterwards about as
    long. `progress` wraps the sequence of cells whose moves are looked up, which is
    half of the work, and yields them, as `tqdm.tqdm` does to show a progress bar.
    Raises ValueError before that if the arrays take more than `max_bytes`; while they
    are made, about twice as much is in use.

    Examples
    --------
    >>> kinds = worst_case.classes(exact.solve(3, 3, 3))
    >>> len(kinds.code), int(kinds.positions.sum())
    (765, 5478)
    """
    require(isinstance(exact, Exact), "exact: give what exact.solve returns")
    cells, F = exact.rows * exact.columns, 2 * exact.k + 3
    weight = 3 ** np.argsort(symmetries(exact.rows, exact.columns), axis=1)  # (G, A)
    low, high = _marks(cells // 2), _marks(cells - cells // 2)
    seen_low = weight[:, : cells // 2] @ (low.T % 3)
    seen_high = weight[:, cells // 2 :] @ (high.T % 3)
    code = _smallest_codes(exact.value, seen_low, seen_high)
    size = len(code) * (4 * cells + 8 * F + 11)
    require(
        size <= max_bytes,
        f"{len(code):,} symmetry classes of {exact.rows} × {exact.columns} cells take "
        f"{size:,} bytes: with that much memory, raise max_bytes = {max_bytes:,}",
    )
    row, column = code // len(low), code % len(low)
    seen = seen_high[:, row] + seen_low[:, column]  # (G, N), the codes of the class
    board = np.hstack([low[column], high[row]])
    to_move, legal = rules.side_to_move(board), rules.legal(board, exact.lines)
    after = np.full(board.shape, -1, dtype=np.int32)
    for a in progress(range(cells)):
        s = np.flatnonzero(legal[:, a])
        moved = seen[:, s] + to_move[s] % 3 * weight[:, a, np.newaxis]
        after[s, a] = np.searchsorted(code, moved.min(axis=0))
    positions = len(weight) // (seen == code).sum(axis=0)
    x = features(board, exact.lines)
    return Classes(
        code,
        positions.astype(np.int8),
        to_move.astype(np.int8),
        exact.value[code],
        after,
        x,
    )


def _marks(cells):
    """Return the boards with the codes from 0 up: (3^cells, cells) of +1, −1 and 0."""
    powers = 3 ** np.arange(cells, dtype=np.int64)
    digit = np.arange(3**cells, dtype=np.int64)[:, np.newaxis] // powers % 3
    return ((digit + 1) % 3 - 1).astype(np.int8)


def _smallest_codes(value, low, high):
    """Return the codes of positions that no symmetry makes smaller, in rising order.

    low, high (G, 3^H): what each half adds to the code seen through each symmetry.
    """
    found, width = [], low.shape[1]
    for begin in range(0, high.shape[1], CHUNK_ROWS):
        chunk = value[begin * width : (begin + CHUNK_ROWS) * width]
        code = np.flatnonzero(chunk != NEVER) + begin * width
        for g in range(1, len(low)):
            seen = high[g, code // width] + low[g, code % width]
            code = code[code <= seen]
        found.append(code)
    return np.concatenate(found)


@validated(classes=_classes, w=_weights)
def evaluate(classes, w):
    """Return the Evaluation of the player that is greedy in w (F,), F = 2 k + 3.

    Weights that are all 0 complete a line where they can, and otherwise move uniformly.
    A share of no positions is NaN.

    Examples
    --------
    >>> kinds = worst_case.classes(exact.solve(3, 3, 3))
    >>> untrained = worst_case.evaluate(kinds, np.zeros(9))
    >>> round(untrained.first, 3), round(untrained.right.share, 3)
    (-0.916, 0.812)
    """
    worth, V = np.zeros(len(classes.code)), np.zeros((len(classes.code), 2))
    right, counts = np.zeros(2), np.zeros(2, dtype=np.int64)
    _sweep(*classes[1:], w, worth, V, right, counts)
    shares = np.divide(right, counts, where=counts > 0, out=np.full(2, np.nan))
    pairs = zip(shares.tolist(), counts.tolist(), strict=True)
    return Evaluation(float(V[0, 0]), 0.0 - float(V[0, 1]), *(Share(*x) for x in pairs))


@compiled
def _sweep(positions, to_move, value, after, x, w, worth, V, right, counts):
    """Write what each board is worth to who has moved, and its values V (N, 2).

    V[:, 0] is for the first player, greedy against the best response of the second, and
    V[:, 1] the other way round. Right moves and positions are added to right and counts
    (2,): of all unfinished positions, and of those where some move is wrong.
    """
    for s in range(len(V) - 1, -1, -1):
        mover, largest, best, moves, wrong = to_move[s], -np.inf, -np.inf, 0, 0
        own = 0 if mover == 1 else 1
        for a in range(after.shape[1]):
            t = after[s, a]
            if t >= 0:
                moves += 1
                largest = max(largest, worth[t])
                best = max(best, mover * V[t, 1 - own])
                wrong += value[t] != value[s]
        if moves == 0:
            worth[s] = abs(value[s])
            V[s, 0] = V[s, 1] = value[s]
            continue
        ties, total, good = 0, 0.0, 0
        for a in range(after.shape[1]):
            t = after[s, a]
            if t >= 0 and worth[t] >= largest - LEARNED_ATOL:
                ties += 1
                total += V[t, own]
                good += value[t] == value[s]
        worth[s] = _dot(w, x[s])
        V[s, own], V[s, 1 - own] = total / ties, mover * best
        for i in range(2 if wrong > 0 else 1):
            right[i] += positions[s] * good / ties
            counts[i] += positions[s]
