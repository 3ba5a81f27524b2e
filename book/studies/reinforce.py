"""REINFORCE as first player against random play, with a baseline and without."""

import numpy as np

from ttt_lib import evaluation, policy
from ttt_lib.bigger import features
from ttt_lib.bigger.reinforce import Climber, reinforce
from ttt_lib.bigger.reinforce import policy as softmax_policy
from ttt_lib.game import tables

RNG = np.random.default_rng(1992)
SEEDS = 30
MARKS = 100, 300, 1000, 3000, 10_000, 30_000, 100_000
ALPHA = 0.05
SETTINGS = {"without a baseline": 0.0, "with a baseline": 0.02}  # its step size


def trial(alpha_w, rng):
    """Return a row of two numbers for each of MARKS: (7, 2).

    The exact value of the policy against random play and against its worst opponent.
    """
    game, rows = tables(), []
    at_random, x = policy.uniform(game.legal), features.features(game.board)
    climber = Climber(np.zeros(9), np.zeros(9))
    for before, mark in zip((0, *MARKS), MARKS, strict=False):
        climber = reinforce(
            game, x, climber, mark - before, at_random, 1, ALPHA, alpha_w, rng
        )
        own = softmax_policy(game, x, climber.theta)
        value = evaluation.result(game, own, at_random).value
        rows.append([value, evaluation.worst_case(game, own)[0]])
    return np.round(rows, 5)
