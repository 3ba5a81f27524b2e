"""What learners are worth that are set as in published programs, without their bugs."""

import numpy as np

from ttt_lib import agents, evaluation, learning, schedules
from ttt_lib.game import tables

RNG = np.random.default_rng(83)
SEEDS = 30
CONSOLE = {"alpha": 0.5, "gamma": 0.9, "epsilon": 0.1}
SETTINGS = {  # method, opponent, side, games, settings
    "Q-learning, optimistic": (
        "q_learning",
        "random",
        +1,
        10_000,
        {"alpha": 0.5, "epsilon": 0.1, "initial": 1},
    ),
    "Q-learning, from 0": (
        "q_learning",
        "random",
        +1,
        10_000,
        {"alpha": 0.5, "epsilon": 0.1},
    ),
    "expected Sarsa, α = 1": (
        "expected_sarsa",
        "random",
        +1,
        50_000,
        {"alpha": 1, "epsilon": 0.1},
    ),
    "expected Sarsa, α = 1/n": (
        "expected_sarsa",
        "random",
        +1,
        50_000,
        {"alpha": schedules.one_over_n(), "epsilon": 0.1},
    ),
    "console, 100 games": ("q_learning", "random", 0, 100, CONSOLE),
    "console, 10,000 games": ("q_learning", "random", 0, 10_000, CONSOLE),
    "console, 100,000 games": ("q_learning", "random", 0, 100_000, CONSOLE),
    "console, self-play": ("independent_q", "self", 0, 100_000, CONSOLE),
    "Q, teacher, lowest": ("q_learning", "teacher 0.9 lowest", 0, 100_000, CONSOLE),
    "Sarsa, teacher, lowest": ("sarsa", "teacher 0.9 lowest", 0, 100_000, CONSOLE),
    "Q, teacher, uniform": ("q_learning", "teacher 0.9 uniform", 0, 100_000, CONSOLE),
    "Sarsa, teacher, uniform": ("sarsa", "teacher 0.9 uniform", 0, 100_000, CONSOLE),
}


def trial(setting, rng):
    """Return win, draw, loss, worst case as first player, and as second (8,)."""
    method, opponent, side, games, settings = setting
    game = tables()
    learner = learning.new_learner(game, method, rng, **settings)
    teacher = agents.opponent(game, opponent)
    learner = learning.train(game, learner, games, teacher, side)
    policy = learning.greedy_policy(game, learner)
    scores = evaluation.scores(game, policy)
    places = ("first", "second")
    kinds = ("win", "draw", "loss", "worst")
    return np.round([scores[f"{kind}_{p}"] for p in places for kind in kinds], 4)
