"""REINFORCE as first player against random play, with a baseline and without."""

import numpy as np

from ttt_lib import evaluation, policy
from ttt_lib.approximation import features
from ttt_lib.approximation.reinforce import Weights, reinforce
from ttt_lib.approximation.reinforce import policy as softmax_policy
from ttt_lib.game import tables

RNG = np.random.default_rng(1992)
SEEDS = 100
MARKS = 100, 1000, 10_000, 100_000
SETTINGS = {  # label: step sizes of the policy and of the baseline, 0 without one
    "without a baseline, α = .02": (0.02, 0.0),
    "without a baseline, α = .05": (0.05, 0.0),
    "without a baseline, α = .1": (0.1, 0.0),
    "with a baseline, α = .02": (0.02, 0.02),
    "with a baseline, α = .05": (0.05, 0.02),
    "with a baseline, α = .1": (0.1, 0.02),
}


def trial(setting, rng):
    """Return a row of three numbers for each of MARKS: (4, 3)."""
    return rows(MARKS, reinforce, *setting, rng)


def rows(marks, learn, alpha, alpha_w, rng):
    """Return a row of three numbers for each of `marks`: (marks, 3).

    The exact value of the policy against random play and against its worst opponent,
    and that of the greedy policy against its own worst opponent.
    """
    game, rows = tables(), []
    at_random, x = policy.uniform(game.legal), features.features(game.board)
    weights = Weights(np.zeros(9), np.zeros(9))
    for before, mark in zip((0, *marks), marks, strict=False):
        weights = learn(
            game, x, weights, mark - before, at_random, 1, alpha, alpha_w, rng
        )
        softmax = softmax_policy(game, x, weights.theta)
        preference = np.where(game.legal, x[game.next] @ weights.theta, 0.0)
        greedy = policy.greedy(preference, game.legal)
        value = evaluation.result(game, softmax, at_random).value
        worst = [evaluation.worst_case(game, each)[0] for each in (softmax, greedy)]
        rows.append([value, *worst])
    return np.round(rows, 5)
