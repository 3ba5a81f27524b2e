"""Errors of TD(0) and Monte Carlo predictions of the exact values of one policy.

The policy is perfect, with ties to the lowest cell, and plays second against random.
"""

import numpy as np

from ttt_lib import schedules
from ttt_lib.studies.parts import errors

RNG = np.random.default_rng(79)
SEEDS = 100
GAMES = 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000
STEPS = {
    "α = .1": 0.1,
    "α = 1/n": schedules.one_over_n(),
    "α = 1/n^.75": schedules.power(1, 0.75),
}
GUESSES = 0, 0.8  # of every board, before the first game
SETTINGS = {
    f"{name}, {step}, from {guess}": (method, STEPS[step], guess)
    for guess in GUESSES
    for step in STEPS
    for name, method in (("TD(0)", "td_prediction"), ("MC", "mc_prediction"))
}


def trial(setting, rng):
    """Return the RMS error, weighted by visits, after each of GAMES."""
    method, alpha, guess = setting
    return errors(method, GAMES, rng, alpha=alpha, initial=guess)
