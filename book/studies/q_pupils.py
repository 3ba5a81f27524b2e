"""Exploitability of learners taught by a good teacher: tests of explanations."""

import numpy as np

from ttt_lib import evaluation, learning, schedules, search
from ttt_lib.game import tables

RNG = np.random.default_rng(82)  # that of `q_teachers`
SEEDS = 100
FADING, SLOWER = schedules.power(1, 0.8), schedules.power(1, 0.6)
SETTINGS = {  # method, level of the teacher, games, step size, exploration
    "Q-learning, p = .5": ("q_learning", 0.5, 100_000, 0.1, 0.1),
    "Q-learning, p = .75": ("q_learning", 0.75, 100_000, 0.1, 0.1),
    "expected Sarsa, p = .75": ("expected_sarsa", 0.75, 100_000, 0.1, 0.1),
    "Sarsa, p = .75": ("sarsa", 0.75, 100_000, 0.1, 0.1),
    "Sarsa, p = .75, 300,000 games": ("sarsa", 0.75, 300_000, 0.1, 0.1),
    "Sarsa, p = .75, fading": ("sarsa", 0.75, 100_000, SLOWER, 0.1),
    "Q-learning, p = .9": ("q_learning", 0.9, 100_000, 0.1, 0.1),
    "expected Sarsa, p = .9": ("expected_sarsa", 0.9, 100_000, 0.1, 0.1),
    "Sarsa, p = .9": ("sarsa", 0.9, 100_000, 0.1, 0.1),
    "Sarsa, p = .9, 300,000 games": ("sarsa", 0.9, 300_000, 0.1, 0.1),
    "Sarsa, p = .9, fading": ("sarsa", 0.9, 100_000, SLOWER, 0.1),
    "α = .1, 20,000 games": ("q_learning", 0.75, 20_000, 0.1, 1),
    "fading, 20,000 games": ("q_learning", 0.75, 20_000, FADING, 1),
    "α = .1, 200,000 games": ("q_learning", 0.75, 200_000, 0.1, 1),
    "fading, 200,000 games": ("q_learning", 0.75, 200_000, FADING, 1),
}


def trial(setting, rng):
    """Return the exploitability of a learner as first and as second player: (2,).

    It plays each side in turns; ties of the teacher and of the learner are uniform.
    """
    method, p, games, alpha, epsilon = setting
    game = tables()
    learner = learning.new_learner(game, method, rng, alpha=alpha, epsilon=epsilon)
    learner = learning.train(game, learner, games, search.teacher(game, p))
    player = learning.greedy_policy(game, learner)
    return np.round(evaluation.exploitability(game, player)[:2], 4)
