"""Nine weights and a table learn in self-play: what they know after n games."""

import numpy as np

from ttt_lib import evaluation, learning, policy
from ttt_lib.bigger import features
from ttt_lib.game import tables

RNG = np.random.default_rng(1959)
SEEDS = 30
MARKS = 10, 30, 100, 300, 1000, 3000, 10_000
ALPHA, EPSILON = 0.01, 0.1  # of the weights
ALPHA_TABLE = 0.5
SETTINGS = {"nine weights": "weights", "a table": "table"}


def trial(kind, rng):
    """Return a row of three numbers for each of MARKS: (7, 3).

    The share of all unfinished positions with an optimal move, greedily, and the
    exploitability as first and as second player.
    """
    game, rows = tables(), []
    w = np.zeros(9)
    learner = learning.new_learner(
        game, "td_afterstates", rng, alpha=ALPHA_TABLE, epsilon=EPSILON
    )
    for before, mark in zip((0, *MARKS), MARKS, strict=False):
        if kind == "weights":
            w = features.self_play(w, mark - before, ALPHA, EPSILON, rng)
            Q = features.action_values(game.board, w)
            own = policy.greedy(Q, game.legal)
        else:
            learner = learning.train(game, learner, mark - before)
            own = learning.greedy_policy(game, learner)
        open_to = evaluation.exploitability(game, own)
        share = evaluation.share_optimal(game, own).share
        rows.append([share, open_to.first, open_to.second])
    return np.round(rows, 5)
