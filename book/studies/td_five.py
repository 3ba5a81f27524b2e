"""What the five learners of a notebook are worth, each with a table of its own.

As in the notebook: they play first, p1 plays second and learns too, and meets one of
them after another. The name of a setting says what is changed. Every p1 but that of
the notebook begins anew with each of the five.
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
    """Return what a side knows at first: 1 for a won board, ½ for an unfinished one."""
    game = tables()
    ends = np.where(game.outcome == side, 1.0, np.where(game.outcome == 0, draw, 0.0))
    return np.where(game.terminal, ends, 0.5)


def play(pupil, other, settings, games, side, plies, rng):
    """Change both tables by some games; `settings` are ε, α of each."""
    game, order = tables(), slice(None, None, side)
    V = np.stack([pupil, other][order])
    epsilon, alpha = np.array(settings[order], dtype=float).T
    known = game.successor, game.count.astype(np.int64)
    games_of_the_notebook(V, epsilon, alpha, games, plies, *known, rng)
    pupil[:], other[:] = V[order]


def trial(setting, rng):
    """Return of p2 to p6: wins, draws, losses v random play, and the worst case."""
    how = {"p1": "notebook", "plies": 1, "draw": 0, "side": +1} | setting
    game, side = tables(), how["side"]
    rows, p1 = [], new_table(-side, how["draw"])
    for epsilon, alpha, games in LEARNERS.values():
        pupil, its_p1 = new_table(side, how["draw"]), (*P1,)
        if how["p1"] != "notebook":
            p1 = new_table(-side, how["draw"])
        if how["p1"] == "random":
            its_p1 = 1, 0
        elif how["p1"] == "alike":
            its_p1 = epsilon, alpha
        elif how["p1"] == "quick":
            its_p1 = P1[0], 0.9
        elif how["p1"] == "taught":
            beginner = new_table(side, how["draw"])
            play(beginner, p1, [P1, P1], 1000, side, how["plies"], rng)
        pair = [(epsilon, alpha), its_p1]
        play(pupil, p1, pair, games, side, how["plies"], rng)
        Q = np.where(game.legal, pupil[game.next], 0)
        greedy = policy.greedy(Q, game.legal, "lowest")
        rows.append([*evaluation.scores(game, greedy, side).values()])
    return np.round(rows, 5)
