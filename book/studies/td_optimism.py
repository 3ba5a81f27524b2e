"""Exploitability of optimistic greedy players, by how their step size decreases.

Each learns in self-play from 1 for every board and never explores, and a draw is half a
win. Only the step size differs. With 1/(n + k) the first guess counts as k visits; with
1/n^x the first step is 1 for every x, so that the first guess is always forgotten
at once, and x says how long old targets are remembered.
"""

import numpy as np

from ttt_lib import evaluation, learning, schedules
from ttt_lib.game import tables

RNG = np.random.default_rng(79)
SEEDS = 100
GAMES = 100_000
GREEDY = {"epsilon": 0, "initial": 1, "rewards": (1, 0.5, 0)}
WEIGHTS = 0, 1, 2, 5, 10, 20, 50
EXPONENTS = 0.9, 0.8, 0.7, 0.6
SETTINGS = {  # weight of the first guess, exponent
    **{f"1/(n + {k})" if k else "1/n": (k, 1.0) for k in WEIGHTS},
    **{f"1/n^{x}": (0, x) for x in EXPONENTS},
}


def trial(setting, rng):
    """Return the exploitability as first and as second player: (2,)."""
    weight, exponent = setting
    game, alpha = tables(), schedules.power(1, exponent)
    learner = learning.new_learner(game, "td_afterstates", rng, alpha, **GREEDY)
    learner.updates[:] = weight  # as if every board had been updated so often
    learner = learning.train(game, learner, GAMES)
    player = learning.greedy_policy(game, learner)
    return np.round(evaluation.exploitability(game, player)[:2], 4)
