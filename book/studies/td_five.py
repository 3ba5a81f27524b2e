"""What five learners of a tutorial are worth, each with a table of its own.

They differ in ε, α and the number of games, and each is trained against three
baselines: a random player, a learner like itself, and one that has learned before.
"""

import numpy as np

from ttt_lib import evaluation, learning, policy
from ttt_lib.game import tables

RNG = np.random.default_rng(74)
SEEDS = 100
LEARNERS = {  # ε, α, games
    "p2": (0.9, 0.5, 1000),
    "p3": (0.1, 0.01, 10),
    "p4": (0.1, 0.01, 1000),
    "p5": (0.1, 0.9, 10),
    "p6": (0.1, 0.9, 1000),
}
BASELINES = "random", "learning", "trained"
SETTINGS = {
    f"{name} v {baseline}": (*learner, baseline)
    for baseline in BASELINES
    for name, learner in LEARNERS.items()
}


def new(rng, epsilon, alpha):
    """Return a learner in the tutorial's way: a draw is a loss, the sweep backwards."""
    settings = {"initial": 0.5, "rewards": (1, 0, 0)}
    return learning.new_learner(
        tables(), "backward_sweep", rng, alpha, epsilon, **settings
    )


def trial(setting, rng):
    """Return the exact scores of one learner, as `evaluation.scores` orders them."""
    epsilon, alpha, games, baseline = setting
    game, opponent = tables(), None
    if baseline == "random":
        opponent = policy.uniform(game.legal)
    elif baseline == "trained":
        other = learning.train(game, new(rng, 0.1, 0.1), 1000)
        Q = learning.action_values(game, other)
        opponent = policy.epsilon_greedy(Q, game.legal, 0.1)
    learner = learning.train(game, new(rng, epsilon, alpha), games, opponent)
    found = evaluation.scores(game, learning.greedy_policy(game, learner))
    return np.round(list(found.values()), 5)
