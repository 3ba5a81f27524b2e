"""Exploitability of learners in self-play, by the tie rule that scores them."""

import numpy as np

from ttt_lib import evaluation, learning, schedules
from ttt_lib.game import SIDES, tables

RNG = np.random.default_rng(85)
SEEDS = 30
GAMES = 100_000
RULES = "uniform", "lowest"
FADING = schedules.linear(1, 0, GAMES)
RATES = {  # step size, exploration
    "α = 1, ε = .1": (1.0, 0.1),
    "α = 1, ε = 1/n": (1.0, schedules.power()),
    "α = 1, ε fades": (1.0, FADING),
    "α = .1, ε = .1": (0.1, 0.1),
    "α = .1, ε fades": (0.1, FADING),
}
SETTINGS = {
    f"{method}, {label}": (method, *rates)
    for method in ("independent_q", "td_afterstates", "minimax_q")
    for label, rates in RATES.items()
}


def trial(setting, rng):
    """Return two numbers for each side and rule, (2, 2, 2).

    The exploitability, and the largest probability of a loss.
    """
    method, alpha, epsilon = setting
    game = tables()
    learner = learning.new_learner(game, method, rng, alpha=alpha, epsilon=epsilon)
    learner = learning.train(game, learner, GAMES)
    scores = []
    for rule in RULES:
        player = learning.greedy_policy(game, learner, rule)
        taken = evaluation.exploitability(game, player)[:2]
        loss = [
            evaluation.best_response(game, player, -side, (1, 0, 0)).V[0]
            for side in SIDES.values()
        ]
        scores.append(np.transpose([taken, loss]))
    return np.round(np.stack(scores, axis=1), 4)
