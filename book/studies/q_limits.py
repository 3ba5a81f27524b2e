"""Distances of four learners from their limits, against random play with ε = .1.

Two of them also learn from the games of a player who moves at random.
"""

import numpy as np

from ttt_lib import evaluation, learning, mdp, policy, schedules, search
from ttt_lib.game import tables
from ttt_lib.studies.parts import distance, signed_error, soft_optimum

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
    f"{label}, {side_name}": (*learner, side)
    for side_name, side in (("first", +1), ("second", -1))
    for label, learner in LEARNERS.items()
}


COLUMNS = (
    "from Sarsa's limit",  # distances
    "from Q-learning's limit",
    "centre",  # probability of it, as second player after an opening on an edge
    "value against random play",  # of the greedy policy, ties uniform
    "worst case",  # of the same
    "reward per game",  # since the row before, while exploring
    "error from Sarsa's limit",  # signed, a mean
    "error from Q-learning's limit",
    "gap",  # see `gap`
)


def gap(game, player, side, limit):
    """Return the largest loss in the limit's values among losing moves of a player.

    Losing moves lose value under perfect play, in positions that an opponent can reach;
    0 if there are none, or if all of them are best in the limit.
    """
    exact = policy.best(search.solve(game).Q, game.legal)
    reachable = evaluation.reachable_against_any(game, player, side)
    loses = (player > 0) & ~exact & reachable[:, np.newaxis]
    behind = policy.max_q(limit, game.legal)[:, np.newaxis] - limit
    return behind[loses].max(initial=0)


def trial(setting, rng):
    """Return a row of nine numbers, COLUMNS, for each of GAMES."""
    method, at_random, side = setting
    game = tables()
    opponent = policy.uniform(game.legal)
    problem = mdp.from_opponent(game, opponent, side)
    limits = [
        mdp.to_cells(game, problem, soft_optimum(problem, epsilon))
        for epsilon in (EPSILON, 0)
    ]
    own_limit = limits[0 if "sarsa" in method else 1]
    boards = [0] if side == 1 else game.next[0, [1, 3, 5, 7]]
    learner = learning.new_learner(game, method, rng, alpha=ALPHA, epsilon=EPSILON)
    behaviour = opponent if at_random else None
    rows, games, reward = [], 0, 0.0
    stages = learning.snapshots(game, learner, GAMES, opponent, side, behaviour)
    for learner in stages:
        player = learning.greedy_policy(game, learner)
        value = evaluation.result(game, player, opponent, side).value
        total = learner.total_reward.sum()
        row = [distance(learner, limit) for limit in limits]
        row += [player[boards, 4].mean(), value]
        row += [evaluation.worst_case(game, player, side)[0]]
        row += [(total - reward) / (learner.games - games)]
        row += [signed_error(learner, limit) for limit in limits]
        row += [gap(game, player, side, own_limit)]
        rows.append(row)
        games, reward = learner.games, total
    return np.round(rows, 5)
