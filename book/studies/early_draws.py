"""Matchbox machines that lose none of games 21 to 30 against perfect play.

Nobody can win against perfect play, so the first box gains ten beads in those ten games
if and only if all of them were drawn.
"""

import numpy as np

from studies.tournament import one_reply
from ttt_lib import menace, search
from ttt_lib.game import tables

RNG = np.random.default_rng(62)
SEEDS = 250
MACHINES = 100  # in each trial
FROM, TO = 20, 30  # games
SETTINGS = {
    "perfect": "uniform",
    "perfect, lowest cell": "lowest",
    "perfect, fixed replies": "fixed",
}


def trial(replies, rng):
    """Return how many MACHINES still play after TO games, and how many lost none."""
    game, alive, steady = tables(), 0, 0
    new = menace.new_matchboxes(game, rng)
    opponent = None if replies == "fixed" else search.perfect(game, ties=replies)
    for generator in rng.spawn(MACHINES):
        other = one_reply(game, generator) if opponent is None else opponent
        before = menace.train(game, new._replace(rng=generator), FROM, other)
        after = menace.train(game, before, TO - FROM, other)
        alive += int(after.beads[0].sum() > 0)
        steady += int((after.beads - before.beads)[0].sum() == TO - FROM)
    return alive, steady
