"""Many runs of one experiment: every setting with every seed, on all cores."""

import os
import sys
from copy import deepcopy

import numpy as np
from joblib import Parallel, delayed
from tqdm.auto import tqdm


def run(trial, settings, seeds, rng, jobs=-1):
    """Return what trial(setting, rng) gives for every setting and seed.

    The result is an array (settings, seeds, …), … being the shape of one trial's.
    Generator i of `seeds` spawned from `rng` is the same for every setting, so settings
    are compared on equal luck, and neither one setting nor one seed more changes the
    others. `jobs` processes share the work, all cores if −1; inside
    `joblib.parallel_config(backend="dask")` it is the workers of a Dask cluster.
    The numbers are the same whoever computes them.
    """
    settings = list(settings)
    for name, number in (("settings", len(settings)), ("seeds", seeds)):
        if number != int(number) or number < 1:
            raise ValueError(f"{name}: {number} of them; give at least one.")
    generators = rng.spawn(seeds)
    trials = [(setting, generator) for setting in settings for generator in generators]
    # One process needs copies: a trial must not draw from another's generator.
    calls = (delayed(trial)(setting, deepcopy(rng)) for setting, rng in trials)
    results = Parallel(n_jobs=jobs, return_as="generator")(calls)
    results = list(tqdm(results, total=len(trials), disable=not watched()))
    return np.reshape(results, (len(settings), seeds, *np.shape(results[0])))


def watched():
    """Return whether a person sees progress: at a terminal or in a live notebook.

    Jupyter's server names its session to a kernel; what executes notebooks to store or
    test them does not.
    """
    return sys.stderr.isatty() or "JPY_SESSION_NAME" in os.environ
