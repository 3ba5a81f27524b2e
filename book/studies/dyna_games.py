"""Dyna as first player against a teacher of level .5, by planning steps."""

import numpy as np

from ttt_lib import dyna, evaluation, search
from ttt_lib.game import tables

RNG = np.random.default_rng(1991)
SEEDS = 30
GAMES = 100, 300, 1000, 3000
LEVEL, ALPHA, EPSILON = 0.5, 0.1, 0.1
SETTINGS = {  # label: planning steps after each decision, kind of planning
    "none": (0, "sample"),
    "Dyna, 1": (1, "sample"),
    "Dyna, 5": (5, "sample"),
    "Dyna, 20": (20, "sample"),
    "Dyna, 50": (50, "sample"),
    "Dyna, 50, expected updates": (50, "expected"),
    "prioritised, 1": (1, "prioritized"),
    "prioritised, 5": (5, "prioritized"),
    "prioritised, 20": (20, "prioritized"),
    "prioritised, 50": (50, "prioritized"),
}


def trial(setting, rng):
    """Return a row of two numbers for each of GAMES: (4, 2).

    The worst case of the greedy policy, which is safe if it is 0, and how much less
    than the optimum it earns against the teacher.
    """
    (planning, kind), game, rows = setting, tables(), []
    teacher = search.teacher(game, LEVEL, "uniform")
    optimum = evaluation.best_response(game, teacher).policy
    most = evaluation.result(game, optimum, teacher).value
    settings = {"planning": planning, "alpha": ALPHA, "epsilon": EPSILON}
    if kind == "prioritized":
        learner = dyna.PrioritizedDyna(game, rng, **settings)
    else:
        learner = dyna.Dyna(game, rng, updates=kind, **settings)
    for games in GAMES:
        learner = learner.train(game, games - learner.games, teacher, side=+1)
        policy = learner.policy(game)
        value = evaluation.result(game, policy, teacher).value
        rows.append([evaluation.worst_case(game, policy)[0], most - value])
    return np.round(rows, 4)
