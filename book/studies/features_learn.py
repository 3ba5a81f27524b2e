"""Nine weights, and tables with and without symmetry, learn in self-play."""

import numpy as np

from ttt_lib import evaluation, policy
from ttt_lib.approximation import features
from ttt_lib.game import symmetry_class, tables
from ttt_lib.studies.parts import folded

RNG = np.random.default_rng(1959)
SEEDS = 30
MARKS = 10, 30, 100, 300, 1000, 3000, 10_000
EPSILON = 0.1
SETTINGS = {  # label: what the value function is of, and the step size
    "nine weights": ("features", 0.01),
    "a table": ("boards", 0.1),
    "a table, step size .3": ("boards", 0.3),
    "a table of the 765 classes": ("classes", 0.1),
    "a table of the 765 classes, step size .3": ("classes", 0.3),
}


def trial(setting, rng):
    """Return a row of three numbers for each of MARKS: (7, 3)."""
    return rows(MARKS, *setting, rng)


def rows(marks, kind, alpha, rng):
    """Return a row of three numbers for each of `marks`: (marks, 3).

    The share of all unfinished positions with an optimal move, greedily, and the
    exploitability as first and as second player.
    """
    game, rows = tables(), []
    w, V = np.zeros(9), np.zeros(len(game.code))
    played = folded(game) if kind == "classes" else game
    entry = symmetry_class(game) if kind == "classes" else np.arange(len(V))
    for before, mark in zip((0, *marks), marks, strict=False):
        if kind == "features":
            w = features.self_play(w, mark - before, alpha, EPSILON, rng)
            Q = features.action_values(game.board, w)
        else:
            V = features.table_self_play(played, V, mark - before, alpha, EPSILON, rng)
            after = np.where(game.terminal, np.abs(game.outcome), V[entry])
            Q = np.where(game.legal, after[game.next], 0.0)
        greedy = policy.greedy(Q, game.legal)
        worst = evaluation.exploitability(game, greedy)
        share = evaluation.share_optimal(game, greedy).share
        rows.append([share, worst.first, worst.second])
    return np.round(rows, 5)
