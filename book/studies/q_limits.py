"""Where four learners go against random play with ε = .1, and where their limits are.

Two of them also learn from the games of a player who moves at random.
"""

import numpy as np

from ttt_lib import evaluation, learning, mdp, schedules
from ttt_lib.game import tables
from ttt_lib.policy import uniform
from ttt_lib.studies.parts import distance, soft_optimum

RNG = np.random.default_rng(81)
SEEDS = 30
GAMES = 10_000, 100_000, 1_000_000
EPSILON = 0.1
ALPHA = schedules.power(1, 0.8)
LEARNERS = {  # label: method, whether its moves are made at random
    "Sarsa": ("sarsa", False),
    "expected Sarsa": ("expected_sarsa", False),
    "Q-learning": ("q_learning", False),
    "double Q-learning": ("double_q_learning", False),
    "expected Sarsa, random moves": ("expected_sarsa", True),
    "Q-learning, random moves": ("q_learning", True),
}
SETTINGS = {
    f"{label}, {place}": (*learner, side)
    for place, side in (("first", +1), ("second", -1))
    for label, learner in LEARNERS.items()
}


def trial(setting, rng):
    """Return a row of six numbers for each of GAMES.

    The distances from the limit of Sarsa and from that of Q-learning, the probability
    of the centre (as second player after an opening on an edge), the greedy policy's
    value against random play and against the worst opponent, and the reward per game
    since the row before.
    """
    method, at_random, side = setting
    game = tables()
    opponent = uniform(game.legal)
    problem = mdp.against(game, opponent, side)
    limits = [
        mdp.to_cells(game, problem, soft_optimum(problem, epsilon))
        for epsilon in (EPSILON, 0)
    ]
    boards = [0] if side == 1 else game.next[0, [1, 3, 5, 7]]
    learner = learning.new_learner(game, method, rng, alpha=ALPHA, epsilon=EPSILON)
    behaviour = opponent if at_random else None
    rows, games, reward = [], 0, 0.0
    seen = learning.snapshots(game, learner, GAMES, opponent, side, behaviour)
    for learner in seen:
        policy = learning.greedy_policy(game, learner)
        value = evaluation.result(game, policy, opponent, side).value
        total = learner.total_reward.sum()
        row = [distance(learner, limit) for limit in limits]
        row += [policy[boards, 4].mean(), value]
        row += [evaluation.worst_case(game, policy, side)[0]]
        row += [(total - reward) / (learner.games - games)]
        rows.append(row)
        games, reward = learner.games, total
    return np.round(rows, 5)
