"""Losses of matchboxes after 100,000 games with random play or with each other.

There are many more machines than in the study `matchboxes`, scored only at the end.
"""

import numpy as np

from ttt_lib import menace, search
from ttt_lib.game import tables
from ttt_lib.policy import uniform

RNG = np.random.default_rng(63)
SEEDS = 600
GAMES = 100_000
SETTINGS = {"random": "random", "each other": "each other"}


def trial(name, rng):
    """Return the exact probability that the machine loses to perfect play."""
    game = tables()
    opponent = uniform(game.legal) if name == "random" else None
    boxes = menace.train(game, menace.new_matchboxes(game, rng), GAMES, opponent)
    return round(float(menace.win_draw_loss(game, boxes, search.perfect(game))[2]), 4)
