"""Scores of the five learners of a notebook, if each has its own table.

As in the notebook, they play first; p1 plays second, learns too, and meets them one
after another. The name of a setting says what is changed. Every p1 except the
notebook's starts again with each of the five.
"""

import numpy as np

from ttt_lib import evaluation, policy
from ttt_lib.game import tables
from ttt_lib.studies.published import games_of_the_notebook

RNG = np.random.default_rng(74)
SEEDS = 100
LEARNERS = {  # ε, α, games
    "p2": (0.9, 0.5, 1000),
    "p3": (0.1, 0.01, 10),
    "p4": (0.1, 0.01, 1000),
    "p5": (0.1, 0.9, 10),
    "p6": (0.1, 0.9, 1000),
}
P1 = 0.1, 0.5  # ε, α
SETTINGS = {
    "own arrays, the rest as it is": {},
    "p1 new for each": {"p1": "new"},
    "p1 taught before": {"p1": "taught"},
    "p1 at random": {"p1": "random"},
    "p1 like its pupil": {"p1": "alike"},
    "sweep over own boards": {"plies": 2},
    "a draw counts ½": {"draw": 0.5},
    "they play second": {"side": -1},
    "second, p1 like its pupil": {"side": -1, "p1": "alike"},
    "second, p1 new for each": {"side": -1, "p1": "new"},
    "second, p1 with α = .9": {"side": -1, "p1": "quick"},
    "second, a draw counts ½": {"side": -1, "draw": 0.5},
}


def new_table(side, draw):
    """Return the first table of a side: 1 for a won board, ½ for an unfinished one."""
    game = tables()
    ends = np.where(game.outcome == side, 1.0, np.where(game.outcome == 0, draw, 0.0))
    return np.where(game.terminal, ends, 0.5)


def play(learner, other, settings, games, side, plies, rng):
    """Update both tables by playing games; `settings` are ε, α of each."""
    game, order = tables(), slice(None, None, side)
    V = np.stack([learner, other][order])
    epsilon, alpha = np.array(settings[order], dtype=float).T
    moves = game.successor, game.count.astype(np.int64)
    games_of_the_notebook(V, epsilon, alpha, games, plies, *moves, rng)
    learner[:], other[:] = V[order]


def trial(setting, rng):
    """Return win, draw, loss against random play and worst case of p2 to p6: (5, 4)."""
    options = {"p1": "notebook", "plies": 1, "draw": 0, "side": +1} | setting
    game, side = tables(), options["side"]
    rows, p1 = [], new_table(-side, options["draw"])
    for epsilon, alpha, games in LEARNERS.values():
        learner, its_p1 = new_table(side, options["draw"]), (*P1,)
        if options["p1"] != "notebook":
            p1 = new_table(-side, options["draw"])
        if options["p1"] == "random":
            its_p1 = 1, 0
        elif options["p1"] == "alike":
            its_p1 = epsilon, alpha
        elif options["p1"] == "quick":
            its_p1 = P1[0], 0.9
        elif options["p1"] == "taught":
            beginner = new_table(side, options["draw"])
            play(beginner, p1, [P1, P1], 1000, side, options["plies"], rng)
        pair = [(epsilon, alpha), its_p1]
        play(learner, p1, pair, games, side, options["plies"], rng)
        Q = np.where(game.legal, learner[game.next], 0)
        greedy = policy.greedy(Q, game.legal, "lowest")
        rows.append([*evaluation.scores(game, greedy, side).values()])
    return np.round(rows, 5)
