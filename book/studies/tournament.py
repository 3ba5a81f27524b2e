"""Michie's tournament of 220 games, played by matchboxes against nine opponents.

Some play the first 20 games perfectly and then change, as Michie did. A *spy* knows
the beads before every game and plays the exact best response to them.
"""

import numpy as np

from ttt_lib import evaluation, menace, search
from ttt_lib.game import tables
from ttt_lib.policy import greedy, mixture, uniform

RNG = np.random.default_rng(1961)
SEEDS = 100
GAMES, BLOCK, CHANGE = 220, 10, 20
ERRORS = {"spy": 0, "spy who errs": 0.5}  # shares of random moves
# The opponent in the first 20 games, and in the others.
SETTINGS = {
    "random": ("random", "random"),
    "perfect": ("perfect", "perfect"),
    "perfect, then spy": ("perfect", "spy"),
    "spy": ("spy", "spy"),
    "perfect, lowest cell": ("lowest", "lowest"),
    "perfect, fixed replies": ("fixed", "fixed"),
    "perfect, then spy who errs": ("perfect", "spy who errs"),
    "perfect, then level .5": ("perfect", "level .5"),
    "perfect, then random": ("perfect", "random"),
}


def trial(setting, rng):
    """Return how many games of each ten were won, drawn, lost and not begun: (22, 4).

    A game is not begun if the first box is empty; games resigned later count as lost.
    """
    game = tables()
    boxes, ends = menace.new_matchboxes(game, rng), np.zeros((GAMES // BLOCK, 4))
    policies = {
        "random": uniform(game.legal),
        "perfect": search.perfect(game),
        "lowest": search.perfect(game, ties="lowest"),
        "fixed": one_reply(game, rng),
        "level .5": search.teacher(game, 0.5),
    }
    for n in range(GAMES):
        name = setting[0] if n < CHANGE else setting[1]
        other = policies[name] if name in policies else spy(game, boxes, ERRORS[name])
        after = menace.train(game, boxes, 1, other)
        beads = int((after.beads - boxes.beads)[0].sum())  # to or from the first box
        ends[n // BLOCK, (3, 1, -1, 0).index(beads)] += 1
        boxes = after
    return ends


def one_reply(game, rng):
    """Return a perfect policy (S, A) with one reply, drawn once, in each position."""
    chance = search.perfect(game) * rng.random(game.legal.shape)
    return greedy(chance, game.legal, "lowest")


def spy(game, boxes, errors):
    """Return the best response to the boxes, with this share of random moves."""
    drawn = menace.bead_policy(game, boxes)
    best = evaluation.best_response(game, drawn, side=-1).policy
    return mixture(errors, uniform(game.legal), best)
