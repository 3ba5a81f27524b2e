"""Effect of step size, exploration and number of games on the player of section 1.5.

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
    """Return four scores for each of GAMES: losses to random play, and worst cases."""
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
    for stage in learning.snapshots(game, learner, GAMES):
        scores = evaluation.scores(game, learning.greedy_policy(game, stage))
        names = "loss_first", "loss_second", "worst_first", "worst_second"
        rows.append([scores[name] for name in names])
    return np.round(rows, 4)
