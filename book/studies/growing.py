"""A learner from its first game until it cannot be beaten, for the front page."""

import numpy as np

from ttt_lib import evaluation, learning
from ttt_lib.game import tables

RNG = np.random.default_rng(1)
SEEDS = 1
BOARD = "X........"  # O's only move that does not lose is the centre
MARKS = tuple(range(0, 60_001, 1_500))
SETTINGS = {"minimax_q": (0.5, 0.5)}  # step size, exploration


def trial(setting, rng):
    """Return (marks, 10): its Q of each cell of BOARD, and its exploitability."""
    game, (alpha, epsilon) = tables(), setting
    learner, rows = learning.new_learner(game, "minimax_q", rng, alpha, epsilon), []
    for before, mark in zip((0, *MARKS), MARKS, strict=False):
        learner = learning.train(game, learner, mark - before)
        policy = learning.greedy_policy(game, learner)
        worst = evaluation.exploitability(game, policy).mean
        rows.append([*learner.Q[game.find(BOARD)], worst])
    return np.round(rows, 3)
