"""Values of Monte Carlo control against random play, by kind of exploration.

The last two settings have a constant step size instead of 1/n.
"""

import numpy as np

from ttt_lib import evaluation, learning, schedules
from ttt_lib.game import tables
from ttt_lib.policy import uniform

RNG = np.random.default_rng(54)
SEEDS = 30
MEAN = schedules.one_over_n()
SETTINGS = {  # ε, step size
    "ε = 0": (0, MEAN),
    "ε = .1": (0.1, MEAN),
    "ε = 1/n": (schedules.power(1, 1), MEAN),
    "ε = 1/√n": (schedules.power(1, 0.5), MEAN),
    "ε = 0, α = .1": (0, 0.1),
    "ε = .1, α = .1": (0.1, 0.1),
}
GAMES = (100, 300, 1000, 3000, 10_000, 30_000, 100_000)


def trial(setting, rng):
    """Return, after each number of GAMES as first player, three numbers: (7, 3).

    They are the exact values of the policy that it plays, with exploration, and of the
    greedy policy, both against random play; and the greedy policy's worst case.
    """
    (epsilon, alpha), game, scores = setting, tables(), []
    at_random = uniform(game.legal)
    learner = learning.new_learner(game, "mc_control", rng, alpha, epsilon)
    for stage in learning.snapshots(game, learner, GAMES, at_random, +1):
        greedy = learning.greedy_policy(game, stage)
        explore = exploration(stage)
        played = explore * at_random + (1 - explore) * greedy
        as_it_plays = evaluation.result(game, played, at_random).value
        value = evaluation.result(game, greedy, at_random).value
        worst = evaluation.worst_case(game, greedy, +1)[0]
        scores.append([as_it_plays, value, worst])
    return np.round(scores, 4)


def exploration(learner):
    """Return the probability of a random move at the next visit of each position."""
    times = (learner.visits + 1).tolist()
    chance = [schedules.scheduled(learner.epsilon, learner.games, n) for n in times]
    return np.array(chance)[:, np.newaxis]
