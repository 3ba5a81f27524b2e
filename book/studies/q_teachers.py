"""Scores of learners trained against teachers of every level, against other players."""

import numpy as np

from ttt_lib import evaluation, learning, search
from ttt_lib.game import tables
from ttt_lib.policy import uniform

RNG = np.random.default_rng(82)
SEEDS = 30
GAMES = 100_000
LEVELS = 0.0, 0.25, 0.5, 0.75, 0.9, 1.0
RULES = "lowest", "uniform"
METHODS = "q_learning", "sarsa"
SETTINGS = {
    f"{method}, p = {p:g}, {ties}": (method, p, ties)
    for method in METHODS
    for ties in RULES
    for p in LEVELS
}


COLUMNS = (
    "win as X against random play",
    "draw as X against random play",
    "loss as X against random play",
    "win as O against random play",
    "draw as O against random play",
    "loss as O against random play",
    "loss as X against perfect play",  # ties uniform
    "loss as O against perfect play",
    "exploitability as X",
    "exploitability as O",
    "seen",  # share of the 4,520 unfinished positions in which the learner ever decided
    "loss as X against the teacher",
    "loss as O against the teacher",
)


def chances(game, policy, opponent):
    """Return win, draw, loss of `policy` as first, then as second player (6,)."""
    first, second = (
        evaluation.result(game, policy, opponent, side) for side in (+1, -1)
    )
    return [*first, *second]


def trial(setting, rng):
    """Return COLUMNS of a learner after 100,000 games, with each side in turns."""
    method, p, ties = setting
    game = tables()
    learner = learning.new_learner(game, method, rng, alpha=0.1, epsilon=0.1)
    teacher = search.teacher(game, p, ties)
    learner = learning.train(game, learner, GAMES, teacher)
    policy = learning.greedy_policy(game, learner)
    lost = chances(game, policy, search.perfect(game))[2::3]
    worst = evaluation.exploitability(game, policy)[:2]
    visited = np.mean(learner.visits[~game.terminal] > 0)
    row = [*chances(game, policy, uniform(game.legal)), *lost, *worst, visited]
    row += chances(game, policy, teacher)[2::3]
    return np.round(row, 4)
