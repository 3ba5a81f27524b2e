"""The learners of `features_learn` with other step sizes, on the same seeds."""

from studies.features_learn import EPSILON, MARKS, RNG, SEEDS, rows

__all__ = ["EPSILON", "MARKS", "RNG", "SEEDS", "SETTINGS", "trial"]
SETTINGS = {  # label: what the value function is of, and the step size
    "nine weights, step size .003": ("features", 0.003),
    "nine weights, step size .03": ("features", 0.03),
    "a table, step size .03": ("boards", 0.03),
    "a table, step size .5": ("boards", 0.5),
    "a table of the 765 classes, step size .03": ("classes", 0.03),
    "a table of the 765 classes, step size .5": ("classes", 0.5),
}


def trial(setting, rng):
    """Return a row of three numbers for each of MARKS: (7, 3)."""
    return rows(MARKS, *setting, rng)
