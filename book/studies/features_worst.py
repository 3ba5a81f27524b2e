"""Eleven weights learn 4 × 4 in self-play: their exact worst case and right moves."""

from functools import cache

import numpy as np

from ttt_lib import rules
from ttt_lib.approximation import features
from ttt_lib.large_boards import exact, worst_case

RNG = np.random.default_rng(1959)
SEEDS = 30
MARKS = 0, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000
SETTINGS = {  # label: α and ε of a learner; None does not learn
    "self-play": (0.01, 0.1),
    "close a line, else leave none that the other could close": None,
}
SIZE = 4, 4, 4  # rows, columns, and marks in a row that win


@cache
def board():
    """Return the symmetry classes of the board, which all trials share."""
    return worst_case.classes(exact.solve(*SIZE))


def trial(setting, rng):
    """Return a row of four numbers for each of MARKS: (9, 4).

    They are the value as first and as second player against the best response, and the
    share of right moves in all unfinished positions, and in those where some move is
    wrong. After 0 games a player closes a line where it can, and else moves uniformly.
    """
    if setting is None:
        w = -1.0 * (np.array(features.names(SIZE[2])) == "threat")
        return np.array([row(w)] * len(MARKS))
    (alpha, epsilon), w, rows = setting, np.zeros(11), []
    for before, mark in zip((0, *MARKS), MARKS, strict=False):
        w = features.self_play(
            w, mark - before, alpha, epsilon, rng, 16, rules.lines(*SIZE)
        )
        rows.append(row(w))
    return np.array(rows)


def row(w):
    """Return the scores of weights, rounded to five digits."""
    player = worst_case.evaluate(board(), w)
    shares = player.right.share, player.contested.share
    return np.round([player.first, player.second, *shares], 5)
