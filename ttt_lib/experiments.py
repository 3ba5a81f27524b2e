"""Experiments with every setting and every seed, and the generator of the labs."""

import os
import sys
from copy import deepcopy

import numpy as np
from joblib import Parallel, delayed
from tqdm.auto import tqdm

from ttt_lib.validation import as_int, require, short_repr, validated
from ttt_lib.validation.values import MAX_INT


def _jobs(value, arguments):
    jobs = as_int(value, "jobs", -MAX_INT)
    require(jobs != 0, "jobs = 0: give a number of processes, or -1 for all cores")
    return jobs


def _settings(value, arguments):
    settings = list(value) if hasattr(value, "__iter__") else []
    require(settings, f"settings = {short_repr(value)}: give a list of at least one")
    return settings


def _trial(value, arguments):
    require(
        callable(value), f"trial = {short_repr(value)}: give a function (setting, rng)"
    )
    return value


def shows_progress():
    """Return whether to show progress: at a terminal or in a live notebook.

    Jupyter's server sets JPY_SESSION_NAME for a kernel; programs that execute notebooks
    to store or test them do not.
    """
    return sys.stderr.isatty() or "JPY_SESSION_NAME" in os.environ


@validated(
    trial=_trial,
    settings=_settings,
    seeds=lambda value, arguments: as_int(value, "seeds", 1),
    jobs=_jobs,
)
def run(trial, settings, seeds, rng, jobs=-1):
    """Return the results of trial(setting, rng) for every setting and seed.

    The result is an array (settings, seeds, …), … being the shape of one trial's.
    Generator i of `seeds` spawned from `rng` is the same for every setting, so settings
    are compared on the same random numbers, and one more setting or seed does not
    change the other results. `jobs` processes share the work, all cores if −1; inside
    `joblib.parallel_config(backend="dask")` it is the workers of a Dask cluster.
    The results do not depend on the number of processes.

    Examples
    --------
    >>> trial = lambda setting, rng: setting * rng.random()
    >>> small, large = experiments.run(trial, [1, 10], 5, rng, jobs=1)
    >>> np.allclose(large, 10 * small)
    True
    """
    generators = rng.spawn(seeds)
    trials = [(setting, generator) for setting in settings for generator in generators]
    # One process needs copies: a trial must not draw from another's generator.
    calls = (delayed(trial)(setting, deepcopy(rng)) for setting, rng in trials)
    results = Parallel(n_jobs=jobs, return_as="generator")(calls)
    results = list(tqdm(results, total=len(trials), disable=not shows_progress()))
    try:
        results = np.asarray(results)
    except ValueError:
        raise ValueError("trial should give numbers of one shape each time.") from None
    return results.reshape(len(settings), seeds, *results.shape[1:])


@validated(seed=lambda value, arguments: as_int(value, "seed", 0, 2**32 - 1))
def mt19937(seed):
    """Return the generator of random numbers that the labs of a page use, for a seed.

    It gives the same numbers in the same order as the page, so that training here and
    there sees the same games. It is the Mersenne Twister with its original seeding
    [Matsumoto and Nishimura 1998]; NumPy's own `MT19937(seed)` seeds it differently.
    Raises ValueError unless the seed is a whole number from 0 to 2³² − 1.
    """
    key = [seed]
    for i in range(1, 624):
        key.append((1812433253 * (key[-1] ^ (key[-1] >> 30)) + i) % 2**32)
    bits = np.random.MT19937(0)
    state = {"key": np.array(key, dtype=np.uint32), "pos": len(key)}
    bits.state = {"bit_generator": "MT19937", "state": state}
    return np.random.Generator(bits)
