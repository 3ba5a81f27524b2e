"""Exploitability of two kinds of Q-learning in self-play."""

import numpy as np

from ttt_lib import evaluation, learning, schedules
from ttt_lib.game import tables

RNG = np.random.default_rng(8)
SEEDS = 30
GAMES = 10_000, 30_000, 60_000, 100_000, 200_000, 300_000, 600_000, 1_000_000
METHODS = "minimax_q", "independent_q"
FADING = schedules.linear(1, 0, 100_000)
RATES = {  # step size, exploration
    "α = 1, ε = 1": (1.0, 1.0),
    "α = 1, ε = .1": (1.0, 0.1),
    "α = .1, ε = 1": (0.1, 1.0),
    "α = .1, ε = .1": (0.1, 0.1),
    "α = .1, ε = 1/n": (0.1, schedules.power()),
    "α = .1, ε fades": (0.1, FADING),
    "α = 1, ε fades": (1.0, FADING),
}
SETTINGS = {
    f"{method}, {label}": (method, *rates)
    for method in METHODS
    for label, rates in RATES.items()
}


def trial(setting, rng):
    """Return the exploitability of one run as first and as second player: (8, 2)."""
    method, alpha, epsilon = setting
    game = tables()
    learner = learning.new_learner(game, method, rng, alpha=alpha, epsilon=epsilon)
    rows = []
    for stage in learning.snapshots(game, learner, GAMES):
        policy = learning.greedy_policy(game, stage)
        rows.append(evaluation.exploitability(game, policy)[:2])
    return np.round(rows, 4)
