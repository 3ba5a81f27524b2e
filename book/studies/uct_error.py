"""Errors of UCT on 3 × 3, by its playouts and its constant."""

import numpy as np

from ttt_lib import search
from ttt_lib.game import symmetry_class, tables
from ttt_lib.large_boards import uct

RNG = np.random.default_rng(111)
SEEDS = 30
PLAYOUTS = 1, 3, 10, 30, 100, 300, 1000
SETTINGS = {"c = 0": 0.0, "c = 0.5": 0.5, "c = √2": 2**0.5, "c = 4": 4.0}
CLASSES = 627  # unfinished positions, turned and mirrored ones counted once


def trial(c, rng):
    """Return a row of two numbers for each of PLAYOUTS: (7, 2).

    The share of CLASSES in which its move is a best one, and the mean value that its
    move loses there, if both play perfectly from then on.
    """
    game = tables()
    Q = search.solve(game).Q
    kinds = np.unique(symmetry_class(game)[~game.terminal])
    assert len(kinds) == CLASSES
    rows = []
    for playouts in PLAYOUTS:
        lost = []
        for s in kinds:
            tree = uct.search.unchecked(game.board[s], playouts, rng, c, game.lines)
            best = Q[s, game.legal[s]].max()
            lost.append(best - Q[s, uct.move(tree)])
        rows.append([np.mean(np.array(lost) == 0), np.mean(lost)])
    return np.round(rows, 5)
