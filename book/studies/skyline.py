"""What a learner that knows symmetry thinks of every kind of position, game by game.

The front page shows its values, and lets the reader play against five of its stages.
"""

import numpy as np

from ttt_lib import evaluation, learning, policy
from ttt_lib.game import symmetry_class, tables
from ttt_lib.studies.parts import folded

RNG = np.random.default_rng(0)
SEEDS = 1
MARKS = (0, *(n * 10**k for k in range(5) for n in (1, 2, 3, 5)), 100_000)  # games
NEVER = -99  # instead of a value: the learner has not met the position
SETTINGS = {"minimax_q": (0.5, 0.5)}  # step size, exploration


def trial(setting, rng):
    """Return (marks, 765 + R + 2) integers about the learner after each of MARKS games.

    In a row: the value of each class of positions for the first player, in tenths; the
    cell that it takes in each of the R classes in which the second player moves, ties
    to the lowest; and what the worst opponent leaves it as first and second player.
    Classes are in the order of their representatives.
    """
    game, (alpha, epsilon) = folded(tables()), setting
    classes = np.unique(symmetry_class(game))
    replies = classes[(game.to_move == -1)[classes] & ~game.terminal[classes]]
    learner = learning.new_learner(game, "minimax_q", rng, alpha, epsilon)
    rows = []
    for stage in learning.snapshots(game, learner, MARKS):
        best = policy.max_q(stage.Q, game.legal)
        value = np.where(game.terminal, game.outcome, game.to_move * best)
        met = game.terminal | (stage.visits > 0)
        tenths = np.where(met, np.round(10 * value), NEVER)[classes]
        greedy = learning.greedy_policy(game, stage, ties="lowest")
        worst = [evaluation.worst_case(game, greedy, side)[0] for side in (1, -1)]
        rows.append([*tenths, *greedy[replies].argmax(axis=1), *worst])
    return np.array(rows).astype(int)
