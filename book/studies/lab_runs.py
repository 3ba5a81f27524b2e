"""Learners of the labs, with every setting to choose and with 20 seeds.

The lab of the learners shows them side by side. It plays on the page with the same
seeds, so that the first learner is the one that a reader can follow step by step.
"""

import numpy as np

from ttt_lib import evaluation, learning, policy
from ttt_lib.board import LearnerLab
from ttt_lib.game import symmetry_class, tables

RNG = np.random.default_rng(0)  # not used: the labs have their own
SEEDS = 1
LEARNERS = 20  # with the seeds 1 to 20 of the lab
MARKS = (0, *(n * 10**k for k in range(5) for n in (1, 2, 5)), 100_000)  # games
NEVER = -99  # instead of a value: the learner has never decided there
LABS = {  # name → the setting to choose, its values, the other settings
    "step": (
        "alpha",
        ("0.01", "0.1", "0.5"),
        {
            "method": "td_afterstates",
            "initial": "0.5",
            "rewards": "1, 0.5, 0",
            "opponent": "self",
        },
    ),
    "exploration": ("epsilon", ("0", "0.1", "0.5", "1"), {}),
    "practice": ("opponent", ("random", "perfect", "self"), {"epsilon": "0.3"}),
}
SETTINGS = {
    f"{name} {value}": others | {setting: value}
    for name, (setting, values, others) in LABS.items()
    for value in values
}


def trial(setting, rng):
    """Return (marks, 20 × 2 + 765) integers about the learners after MARKS games.

    In a row: the worst case of each learner as first and as second player, without
    exploring, in hundredths, rounded down, so that 0 is exact; and what the first
    learner thinks of each class of positions, for the first player, in tenths: 1 is a
    win, 0 a draw. Classes are in the order of their representatives; ended games have
    their results, and other values are means over the positions that were met.
    """
    game = tables()
    worst, thinks = [], []
    for seed in range(1, LEARNERS + 1):
        lab = LearnerLab("", **setting, seed=seed)
        for stage in lab.snapshots(MARKS):
            greedy = learning.greedy_policy(game, stage)
            sides = [evaluation.worst_case(game, greedy, side)[0] for side in (1, -1)]
            worst.append(np.floor(100 * np.array(sides) + 1e-6))
            if seed == 1:
                thinks.append(values_of_classes(game, stage))
    worst = np.reshape(worst, (LEARNERS, len(MARKS), 2)).swapaxes(0, 1)
    rows = np.hstack([worst.reshape(len(MARKS), -1), thinks])
    return rows.astype(int)


def values_of_classes(game, learner):
    """Return a learner's values of all classes for the first player, in tenths."""
    win, draw, _ = learner.rewards
    best = policy.max_q(learning.action_values(game, learner), game.legal)
    value = game.to_move * (best - draw) / (win - draw)
    value = np.where(game.terminal, game.outcome, value)
    met = game.terminal | (learner.visits > 0)
    _, number = np.unique(symmetry_class(game), return_inverse=True)
    total, times = np.bincount(number, met * value), np.bincount(number, met)
    tenths = np.round(10 * total / np.maximum(times, 1))
    return np.where(times > 0, np.clip(tenths, -10, 10), NEVER)
