"""Errors of predictions by λ, n and α, early and late.

The policy that is evaluated is that of the study `td_prediction`.
"""

import numpy as np

from ttt_lib import schedules
from ttt_lib.studies.parts import errors

RNG = np.random.default_rng(77)
SEEDS = 100
GAMES = 300, 10_000
ALPHAS = 0.01, 0.03, 0.1, 0.3, 0.9
LAMBDAS = 0, 0.2, 0.4, 0.6, 0.8, 0.9, 1
STEPS = 1, 2, 3, 4
FADING = {"1/n": schedules.one_over_n(), "1/n^.75": schedules.power(1, 0.75)}
SETTINGS = {f"λ = {x}, α = {a}": ("lambda_", x, a) for x in LAMBDAS for a in ALPHAS}
SETTINGS |= {f"n = {n}, α = {a}": ("n", n, a) for n in STEPS for a in ALPHAS}
SETTINGS |= {
    f"λ = {x}, α = {f}": ("lambda_", x, FADING[f]) for x in LAMBDAS for f in FADING
}


def trial(setting, rng):
    """Return the RMS error, weighted by visits, after each of GAMES."""
    kind, number, alpha = setting
    return errors("td_prediction", GAMES, rng, alpha=alpha, **{kind: number})
