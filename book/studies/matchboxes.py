"""Learning curves of matchboxes with random play, perfect play and each other.

Each run is scored exactly after 10 to 100,000 games, with Michie's reinforcement and
with +1/0/−1.
"""

import numpy as np

from ttt_lib import menace, search
from ttt_lib.game import tables
from ttt_lib.policy import uniform

RNG = np.random.default_rng(61)
SEEDS = 60
MICHIE, PLAIN = (3, 1, -1), (1, 0, -1)
SETTINGS = {
    "random": ("random", MICHIE),
    "perfect": ("perfect", MICHIE),
    "each other": ("each other", MICHIE),
    "random, +1/0/−1": ("random", PLAIN),
}
GAMES = (0, 10, 20, 50, 100, 220, 500, 1000, 3000, 10_000, 30_000, 100_000)


def trial(setting, rng):
    """Return, after each number of GAMES, five numbers: an array (12, 5).

    They are the exact probabilities of losing to random and to perfect play, resigned
    games among them, and the shares of beads for corner, edge and centre in the first
    box.
    """
    name, reinforcement = setting
    game, scores = tables(), []
    opponents = {"random": uniform(game.legal), "perfect": search.perfect(game)}
    boxes = menace.new_matchboxes(game, rng, reinforcement=reinforcement)
    for games in GAMES:
        boxes = menace.train(game, boxes, games - boxes.games, opponents.get(name))
        lost = [menace.win_draw_loss(game, boxes, o)[2] for o in opponents.values()]
        first = boxes.beads[0, [0, 1, 4]]
        scores.append([*lost, *first / max(first.sum(), 1)])
    return np.round(scores, 4)
