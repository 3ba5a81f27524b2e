"""Scores of learners with the settings of published programs, without their bugs."""

import numpy as np

from ttt_lib import agents, evaluation, learning, policy, schedules
from ttt_lib.game import tables
from ttt_lib.studies import published

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
    "Q, teacher, its rules": ("q_learning", "rules", 0, 100_000, CONSOLE),
    "Sarsa, teacher, its rules": ("sarsa", "rules", 0, 100_000, CONSOLE),
}
ENDS = "win", "draw", "loss", "worst case"
COLUMNS = tuple(f"{end} as {side}" for side in "XO" for end in ENDS)


def opponent_of(game, name):
    """Return the policy of a name; "rules" is the published teacher at level .9."""
    if name != "rules":
        return agents.opponent(game, name)
    at_random = policy.uniform(game.legal)
    return policy.mixture(0.9, published.teacher_by_rules(game), at_random)


def trial(setting, rng):
    """Return COLUMNS: against random play, and against the worst opponent."""
    method, opponent, side, games, settings = setting
    game = tables()
    learner = learning.new_learner(game, method, rng, **settings)
    teacher = opponent_of(game, opponent)
    learner = learning.train(game, learner, games, teacher, side)
    scores = evaluation.scores(game, learning.greedy_policy(game, learner))
    sides = ("first", "second")
    kinds = ("win", "draw", "loss", "worst")
    return np.round([scores[f"{kind}_{s}"] for s in sides for kind in kinds], 4)
