"""Michie's tournament of 220 games, played by matchboxes against four opponents."""

import numpy as np

from ttt_lib import evaluation, menace, search
from ttt_lib.game import tables
from ttt_lib.policy import uniform

RNG = np.random.default_rng(1961)
SEEDS = 100
GAMES, BLOCK = 220, 10
OPPONENTS = "random", "perfect", "perfect, then spy", "spy"
SETTINGS = {name: name for name in OPPONENTS}


def trial(opponent, rng):
    """Return how many games of each ten were won, drawn, lost and not begun: (22, 4).

    The spy looks into the boxes before every game and plays the exact best response;
    "perfect, then spy" plays perfectly in the first 20 games. A game is not begun if
    the first box is empty; games resigned later are among the lost ones.
    """
    game = tables()
    other = uniform(game.legal) if opponent == "random" else search.perfect(game)
    boxes, ends = menace.new_matchboxes(game, rng), np.zeros((GAMES // BLOCK, 4))
    for n in range(GAMES):
        if opponent == "spy" or (opponent == "perfect, then spy" and n >= 20):
            known = menace.bead_policy(game, boxes)
            other = evaluation.best_response(game, known, side=-1).policy
        after = menace.train(game, boxes, 1, other)
        beads = int((after.beads - boxes.beads)[0].sum())  # to or from the first box
        ends[n // BLOCK, (3, 1, -1, 0).index(beads)] += 1
        boxes = after
    return ends
