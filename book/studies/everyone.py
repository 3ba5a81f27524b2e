"""UCT against everyone: a search draws lots, so each seed makes another player."""

import numpy as np

from ttt_lib import evaluation
from ttt_lib.agents import player
from ttt_lib.bigger import uct
from ttt_lib.board import league
from ttt_lib.game import tables

RNG = np.random.default_rng(1952)
SEEDS = 20
SETTINGS = {"uct 10": 10, "uct 100": 100, "uct 1000": 1000}
FIELD = tuple(league.cross()["seconds"])  # who plays both sides


def trial(playouts, rng):
    """Return what a search is worth to itself: (2, len(FIELD) + 1).

    Row 0 is its play as first player, row 1 as second, against each of FIELD and, last,
    against its worst opponent. It is the policy that one search in each position makes.
    """
    game = tables()
    own = uct.policy(game, playouts, rng)
    field = [player(game, name).policy for name in FIELD]
    first = evaluation.cross_table(game, [own], field)[0]
    second = evaluation.cross_table(game, field, [own])[:, 0]
    rows = first[:, 0] - first[:, 2], second[:, 2] - second[:, 0]
    worst = [evaluation.worst_case(game, own, side)[0] for side in (1, -1)]
    return np.round(np.column_stack([rows, worst]), 6)
