"""A learner from nothing to a player whom nobody beats, for the book's front page."""

import numpy as np

from ttt_lib import evaluation, learning
from ttt_lib.game import tables

RNG = np.random.default_rng(1)
SEEDS = 1
BOARD = "X........"  # O's only move that does not lose is the centre
MARKS = tuple(range(0, 60_001, 1_500))
SETTINGS = {"minimax_q": (0.5, 0.5)}  # step size, exploration


def trial(setting, rng):
    """Return (marks, 10): what each cell of BOARD is worth to it, exploitability."""
    game, (alpha, epsilon) = tables(), setting
    learner, rows = learning.new_learner(game, "minimax_q", rng, alpha, epsilon), []
    for before, mark in zip((0, *MARKS), MARKS, strict=False):
        learner = learning.train(game, learner, mark - before)
        policy = learning.greedy_policy(game, learner)
        worst = evaluation.exploitability(game, policy).mean
        rows.append([*learner.Q[game.find(BOARD)], worst])
    return np.round(rows, 3)
