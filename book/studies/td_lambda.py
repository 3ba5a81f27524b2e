"""How the error of predictions depends on λ, on n and on α, early and late.

The policy that is judged is that of the study `td_prediction`.
"""

from functools import cache

import numpy as np

from ttt_lib import evaluation, learning, policy, search
from ttt_lib.game import tables

RNG = np.random.default_rng(77)
SEEDS = 100
GAMES = 300, 10_000
ALPHAS = 0.01, 0.03, 0.1, 0.3, 0.9
LAMBDAS = 0, 0.2, 0.4, 0.6, 0.8, 0.9, 1
STEPS = 1, 2, 3, 4
SETTINGS = {f"λ = {x}, α = {a}": ("lambda_", x, a) for x in LAMBDAS for a in ALPHAS}
SETTINGS |= {f"n = {n}, α = {a}": ("n", n, a) for n in STEPS for a in ALPHAS}


def trial(setting, rng):
    """Return the RMS error, weighted by visits, after each of GAMES."""
    kind, number, alpha = setting
    game = tables()
    judged, opponent, exact, weight = judgement()
    learner = learning.new_learner(game, "td_prediction", rng, alpha, **{kind: number})
    grown = learning.snapshots(game, learner, GAMES, opponent, -1, judged)
    errors = [np.sqrt(weight @ (each.V - exact) ** 2) for each in grown]
    return np.round(errors, 5)


@cache
def judgement():
    """Return the policy to judge, its opponent, its exact values and their weights."""
    game = tables()
    judged = search.perfect(game, ties="lowest")
    opponent = policy.uniform(game.legal)
    chances = evaluation.win_draw_loss(game, opponent, judged)
    exact = np.where(game.terminal, 0, chances[:, 2] - chances[:, 0])
    return judged, opponent, exact, visits(game, opponent, judged)


def visits(game, first, second):
    """Return how often the second player decides in each position, in sum 1: (S,)."""
    both = policy.join(first, second, game.to_move)
    p = np.zeros(len(game.code))
    p[0] = 1
    for s in range(len(p)):
        for a in np.flatnonzero(both[s]):
            p[game.next[s, a]] += p[s] * both[s, a]
    p[game.terminal | (game.to_move == 1)] = 0
    return p / p.sum()
