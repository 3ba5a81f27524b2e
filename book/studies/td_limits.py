"""The limits of learning from greedy moves (section 1.5) and from all moves.

Both learn as second player against random play with ε = .3 and α = 1 / n^.75.
"""

import numpy as np

from ttt_lib import evaluation, learning, policy, schedules
from ttt_lib.game import tables

RNG = np.random.default_rng(78)
SEEDS = 30
GAMES = 10_000, 100_000, 1_000_000
ALPHA = schedules.power(1, 0.75)
EPSILON = 0.3
SETTINGS = {"section 1.5": "td_afterstates", "all moves": "td_all_moves"}


def trial(method, rng):
    """Return for each of GAMES the estimated value, the true value and the error of V.

    The values are those of the greedy policy before its first move; the error is the
    RMS difference from the best response's values, weighted by updates.
    """
    game = tables()
    opponent = policy.uniform(game.legal)
    learner = learning.new_learner(game, method, rng, ALPHA, EPSILON)
    exact = evaluation.best_response(game, opponent, -1)
    rows = []
    for stage in learning.snapshots(game, learner, GAMES, opponent, -1):
        Q = learning.action_values(game, stage)
        estimated = policy.max_q(Q, game.legal)[game.next[0]].mean()
        player = learning.greedy_policy(game, stage)
        value = evaluation.result(game, player, opponent, -1).value
        error = weighted(stage.V - exact.V, stage.updates)
        rows.append([estimated, value, error])
    return np.round(rows, 5)


def weighted(error, weight):
    """Return the root of the weighted mean square of an error."""
    return np.sqrt(weight @ error**2 / weight.sum())
