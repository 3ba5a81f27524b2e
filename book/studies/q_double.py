"""Distance of double Q-learning from its limit, with more games."""

import numpy as np

from ttt_lib import learning, mdp, schedules
from ttt_lib.game import tables
from ttt_lib.policy import uniform
from ttt_lib.studies.parts import distance, signed_error, soft_optimum

RNG = np.random.default_rng(84)
SEEDS = 30
GAMES = 1_000_000, 2_000_000, 4_000_000
ALPHA = schedules.power(1, 0.8)
SETTINGS = {"double Q-learning, first": 1, "double Q-learning, second": -1}


def trial(side, rng):
    """Return distance from the limit and mean error after each of GAMES: (3, 2)."""
    game = tables()
    opponent = uniform(game.legal)
    problem = mdp.from_opponent(game, opponent, side)
    limit = mdp.to_cells(game, problem, soft_optimum(problem, 0))
    learner = learning.new_learner(game, "double_q_learning", rng, alpha=ALPHA)
    stages = learning.snapshots(game, learner, GAMES, opponent, side)
    rows = [[distance(each, limit), signed_error(each, limit)] for each in stages]
    return np.round(rows, 5)
