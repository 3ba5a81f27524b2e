"""UCT against everyone: the search is random, so each seed makes another player."""

import numpy as np

from ttt_lib import evaluation
from ttt_lib.agents import as_agent
from ttt_lib.game import tables
from ttt_lib.large_boards import uct

RNG = np.random.default_rng(1952)
SEEDS = 20
SETTINGS = {"uct 10": 10, "uct 100": 100, "uct 1000": 1000}
# The league of chapter 14 without MENACE, which only plays first. It is listed here, so
# that agents added to the library later change no number of the chapter.
FIELD = (
    "backward-sweep",
    "td-all-moves",
    "safe-and-greedy",
    "minimax-q",
    "perfect",
    "snapshot-100000",
    "td-afterstates",
    "td-lambda-0.8",
    "best-against-random",
    "snapshot-10000",
    "independent-q",
    "mc-control",
    "teacher 0.9",
    "expected-sarsa",
    "double-q-learning",
    "sarsa",
    "q-learning-teacher-0.9",
    "q-learning",
    "sarsa-teacher-0.9",
    "p4",
    "p6",
    "p2",
    "p5",
    "p3",
    "snapshot-1000",
    "snapshot-100",
    "snapshot-10",
    "random",
    "snapshot-0",
)


def trial(playouts, rng):
    """Return the values of a search against all opponents: (2, len(FIELD) + 1).

    Row 0 is its play as first player, row 1 as second, against each of FIELD and, last,
    against its worst opponent. Its policy is made by one search in each position.
    """
    game = tables()
    policy = uct.policy(game, playouts, rng)
    field = [as_agent(game, name).policy for name in FIELD]
    first = evaluation.cross_table(game, [policy], field)[0]
    second = evaluation.cross_table(game, field, [policy])[:, 0]
    rows = first[:, 0] - first[:, 2], second[:, 2] - second[:, 0]
    worst = [evaluation.worst_case(game, policy, side)[0] for side in (1, -1)]
    return np.round(np.column_stack([rows, worst]), 6)
