"""One-step actor–critic as first player against random play, as in `reinforce`."""

import numpy as np

from studies.reinforce import MARKS, SEEDS, rows
from ttt_lib.approximation.actor_critic import actor_critic

__all__ = ["MARKS", "RNG", "SEEDS", "SETTINGS", "trial"]
RNG = np.random.default_rng(1983)
SETTINGS = {  # label: step sizes of the actor and of the critic
    "α = .02": (0.02, 0.02),
    "α = .05": (0.05, 0.02),
    "α = .1": (0.1, 0.02),
}


def trial(setting, rng):
    """Return a row of three numbers for each of MARKS: (4, 3)."""
    return rows(MARKS, actor_critic, *setting, rng)
