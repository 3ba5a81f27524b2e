"""Learning curves of variants of the player of section 1.5, changed in one thing.

Most learn in self-play, with α = .1, ε = .1, a draw as half a win, and ½ as the first
guess; the label says what is different. A learner against a random opponent plays twice
as many games, so that each side gets the same number.
"""

import numpy as np

from ttt_lib import evaluation, learning, policy, schedules
from ttt_lib.game import tables
from ttt_lib.studies.parts import folded
from ttt_lib.studies.section_1_5 import without_chance

RNG = np.random.default_rng(75)
SEEDS = 100
GAMES = 1_000, 3_000, 10_000, 30_000, 100_000
SCORES = "worst_first", "loss_second", "worst_second"
TIES = "uniform", "lowest"  # a row has the SCORES for each of them
METHOD = "td_afterstates"
BASE = {"alpha": 0.1, "epsilon": 0.1, "initial": 0.5, "rewards": (1, 0.5, 0)}
FADING = schedules.linear(0.3, 0, GAMES[-1])
SETTINGS = {  # method, settings, opponent or kind of training
    "as it is": (METHOD, BASE, "self"),
    "draw = loss": (METHOD, BASE | {"rewards": (1, 0, 0)}, "self"),
    "random opponent": (METHOD, BASE, "random"),
    "symmetries": (METHOD, BASE, "folded"),
    "greedy": (METHOD, BASE | {"epsilon": 0}, "self"),
    "greedy, optimistic": (METHOD, BASE | {"epsilon": 0, "initial": 1}, "self"),
    "greedy, 1/n": (
        METHOD,
        BASE | {"epsilon": 0, "alpha": schedules.one_over_n()},
        "self",
    ),
    "greedy, optimistic, 1/n": (
        METHOD,
        BASE | {"epsilon": 0, "initial": 1, "alpha": schedules.one_over_n()},
        "self",
    ),
    "greedy, optimistic, no chance": (METHOD, BASE, "no chance"),
    "all moves": ("td_all_moves", BASE, "self"),
    "backward sweep": ("backward_sweep", BASE, "self"),
    "λ = .8": (METHOD, BASE | {"lambda_": 0.8}, "self"),
    "α fades": (METHOD, BASE | {"alpha": schedules.power(1, 0.6)}, "self"),
    "ε fades": (METHOD, BASE | {"epsilon": FADING}, "self"),
    "all moves, ε fades": ("td_all_moves", BASE | {"epsilon": FADING}, "self"),
    "ε = .3": (METHOD, BASE | {"epsilon": 0.3}, "self"),
    "ε = .3, symmetries": (METHOD, BASE | {"epsilon": 0.3}, "folded"),
}


def trial(setting, rng):
    """Return the SCORES of one run, a row for each of GAMES."""
    method, settings, kind = setting
    game = tables()
    if kind == "no chance":
        order = rng.permutation(9)
        players = [without_chance(game, order, n) for n in GAMES]
        return np.round([2 * scores(game, each) for each in players], 4)
    world = folded(game) if kind == "folded" else game
    opponent = policy.uniform(game.legal) if kind == "random" else None
    at = np.multiply(GAMES, 2 if kind == "random" else 1).tolist()
    learner = learning.new_learner(world, method, rng, **settings)
    rows = []
    for stage in learning.snapshots(world, learner, at, opponent):
        players = [learning.greedy_policy(world, stage, ties) for ties in TIES]
        rows.append(np.concatenate([scores(game, each) for each in players]))
    return np.round(rows, 4)


def scores(game, player):
    """Return the SCORES of a policy."""
    scores_by_name = evaluation.scores(game, player)
    return [scores_by_name[name] for name in SCORES]
