"""How step size, exploration and experience act together on the player of section 1.5.

It learns in self-play, with a draw as half a win and ½ as the first guess.
"""

import numpy as np

from ttt_lib import evaluation, learning
from ttt_lib.game import tables

RNG = np.random.default_rng(76)
SEEDS = 100
GAMES = 10, 100, 1_000, 10_000, 100_000
ALPHAS = 0.01, 0.1, 0.5, 0.9
EPSILONS = 0.1, 0.5, 0.9
SETTINGS = {f"α = {a}, ε = {e}": (a, e) for a in ALPHAS for e in EPSILONS}


def trial(setting, rng):
    """Return of one run, for each of GAMES: losses v random, worst cases; 1st, 2nd."""
    alpha, epsilon = setting
    game = tables()
    learner = learning.new_learner(
        game,
        "td_afterstates",
        rng,
        alpha,
        epsilon,
        initial=0.5,
        rewards=(1, 0.5, 0),
    )
    rows = []
    for grown in learning.snapshots(game, learner, GAMES):
        found = evaluation.scores(game, learning.greedy_policy(game, grown))
        names = "loss_first", "loss_second", "worst_first", "worst_second"
        rows.append([found[name] for name in names])
    return np.round(rows, 4)
