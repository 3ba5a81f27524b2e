"""How well Monte Carlo control plays against random play, by how it explores."""

import numpy as np

from ttt_lib import evaluation, learning, schedules
from ttt_lib.game import tables
from ttt_lib.policy import uniform

RNG = np.random.default_rng(54)
SEEDS = 30
SETTINGS = {
    "ε = 0": 0,
    "ε = .1": 0.1,
    "ε = 1/n": schedules.power(1, 1),
    "ε = 1/√n": schedules.power(1, 0.5),
}
GAMES = (100, 300, 1000, 3000, 10_000, 30_000, 100_000)


def trial(epsilon, rng):
    """Return, after each number of GAMES as first player, two numbers: (7, 2).

    They are the exact values of the greedy policy against random play and against its
    worst opponent.
    """
    game, scores = tables(), []
    at_random = uniform(game.legal)
    learner = learning.new_learner(game, "mc_control", rng, epsilon=epsilon)
    for games in GAMES:
        learner = learning.train(game, learner, games - learner.games, at_random, +1)
        greedy = learning.greedy_policy(game, learner)
        value = evaluation.result(game, greedy, at_random).value
        scores.append([value, evaluation.worst_case(game, greedy, +1)[0]])
    return np.round(scores, 4)
