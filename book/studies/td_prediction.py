"""How fast TD(0) and Monte Carlo prediction approach the exact values of one policy.

The policy is perfect, with ties to the lowest cell, and plays second against random.
"""

import numpy as np
from studies.td_lambda import judgement

from ttt_lib import learning, schedules
from ttt_lib.game import tables

RNG = np.random.default_rng(79)
SEEDS = 100
GAMES = 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000
STEPS = {
    "α = .1": 0.1,
    "α = 1/n": schedules.one_over_n(),
    "α = 1/n^.75": schedules.power(1, 0.75),
}
SETTINGS = {
    f"{name}, {step}": (method, STEPS[step])
    for step in STEPS
    for name, method in (("TD(0)", "td_prediction"), ("MC", "mc_prediction"))
}


def trial(setting, rng):
    """Return the RMS error, weighted by visits, after each of GAMES."""
    method, alpha = setting
    game = tables()
    judged, opponent, exact, weight = judgement()
    learner = learning.new_learner(game, method, rng, alpha)
    grown = learning.snapshots(game, learner, GAMES, opponent, -1, judged)
    errors = [np.sqrt(weight @ (each.V - exact) ** 2) for each in grown]
    return np.round(errors, 5)
