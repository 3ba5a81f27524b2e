"""What chance gives: sampled games and their intervals, and runs over many seeds."""

import os
import sys
from copy import deepcopy
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from tqdm.auto import tqdm

from ttt_lib.compiled import compiled, in_pieces
from ttt_lib.doors import MOST, array, checked, demand, number, shown, whole
from ttt_lib.doors.values import LARGEST
from ttt_lib.evaluation import win_draw_loss
from ttt_lib.policy import drawn, join

# Luck that a page shares


@checked(seed=lambda value, given: whole(value, "seed", 0, 2**32 - 1))
def twister(seed):
    """Return the generator that the labs of a page draw from, for a seed.

    It gives the same numbers in the same order as the page, so that a training here and
    one there see the same games. It is the Mersenne Twister with its first way to use a
    seed, which NumPy's own `MT19937(seed)` has replaced.
    Raises ValueError unless the seed is a whole number from 0 to 2³² − 1
    [Matsumoto and Nishimura 1998].
    """
    key = [seed]
    for i in range(1, 624):
        key.append((1812433253 * (key[-1] ^ (key[-1] >> 30)) + i) % 2**32)
    bits = np.random.MT19937(0)
    state = {"key": np.array(key, dtype=np.uint32), "pos": len(key)}
    bits.state = {"bit_generator": "MT19937", "state": state}
    return np.random.Generator(bits)


# Sampled games


class Match(NamedTuple):
    """A sampled match beside the exact answer.

    Entries are win, draw and loss of the first player.
    """

    exact: np.ndarray  #: (3,) probabilities
    counts: np.ndarray  #: (3,) games
    low: np.ndarray  #: (3,) lower ends of the Wilson intervals
    high: np.ndarray  #: (3,) upper ends of the Wilson intervals


@checked(games=lambda value, given: whole(value, "games", 1))
def sample_match(game, first, second, games, rng, start=0):
    """Return a Match of `games` sampled games, all from position `start`.

    Ctrl-C raises KeyboardInterrupt, whose `so_far` is the counts until then.

    Examples
    --------
    >>> match = runs.sample_match(game, at_random, at_random, 1000, rng)
    >>> match.exact.round(3)
    array([0.585, 0.127, 0.288])
    >>> int(match.counts.sum())
    1000
    """
    exact = win_draw_loss(game, first, second)[start]
    policy = join(first, second, game.to_move)

    def play(counts, games):
        counts = counts.copy()
        _play_games(game, policy, start, games, rng, counts)
        return counts

    counts = in_pieces(play, np.zeros(3, dtype=np.int64), games)
    return Match(exact, counts, *wilson_interval(counts, games))


@compiled
def _play_games(game, policy, start, games, rng, counts):
    for _ in range(games):
        s = start
        while game.count[s] > 0:
            s = game.successor[s, drawn(policy, s, game.count, game.action, rng)]
        counts[1 - game.outcome[s]] += 1


def _successes(value, given):
    successes, n = array(value, "successes"), given["n"]
    fits = successes.size and successes.min() >= 0 and successes.max() <= n
    demand(fits, f"successes = {shown(value)}: give numbers from 0 to n, which is {n}")
    return successes


@checked(
    n=lambda value, given: whole(value, "n", 1),
    successes=_successes,
    z=lambda value, given: number(value, "z", 0, MOST),
)
def wilson_interval(successes, n, z=1.959964):
    """Return (low, high), the Wilson score interval for a proportion [Wilson 1927].

    z is the number of standard errors:
    1.96 covers the true proportion in about 95 % of samples.
    """
    share = successes / n
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return centre - half, centre + half


# Every setting of an experiment with every seed, on all cores


def _trial(value, given):
    demand(callable(value), f"trial = {shown(value)}: give a function (setting, rng)")
    return value


def _settings(value, given):
    settings = list(value) if hasattr(value, "__iter__") else []
    demand(settings, f"settings = {shown(value)}: give a list of at least one")
    return settings


def _jobs(value, given):
    jobs = whole(value, "jobs", -LARGEST)
    demand(jobs != 0, "jobs = 0: give a number of processes, or -1 for all cores")
    return jobs


@checked(
    trial=_trial,
    settings=_settings,
    seeds=lambda value, given: whole(value, "seeds", 1),
    jobs=_jobs,
)
def run(trial, settings, seeds, rng, jobs=-1):
    """Return what trial(setting, rng) gives for every setting and seed.

    The result is an array (settings, seeds, …), … being the shape of one trial's.
    Generator i of `seeds` spawned from `rng` is the same for every setting, so settings
    are compared on equal luck, and neither one setting nor one seed more changes the
    others. `jobs` processes share the work, all cores if −1; inside
    `joblib.parallel_config(backend="dask")` it is the workers of a Dask cluster.
    The numbers are the same whoever computes them.

    Examples
    --------
    >>> trial = lambda setting, rng: setting * rng.random()
    >>> small, large = runs.run(trial, [1, 10], 5, rng, jobs=1)
    >>> np.allclose(large, 10 * small)
    True
    """
    generators = rng.spawn(seeds)
    trials = [(setting, generator) for setting in settings for generator in generators]
    # One process needs copies: a trial must not draw from another's generator.
    calls = (delayed(trial)(setting, deepcopy(rng)) for setting, rng in trials)
    results = Parallel(n_jobs=jobs, return_as="generator")(calls)
    results = list(tqdm(results, total=len(trials), disable=not watched()))
    try:
        results = np.asarray(results)
    except ValueError:
        raise ValueError("trial should give numbers of one shape each time.") from None
    return results.reshape(len(settings), seeds, *results.shape[1:])


def watched():
    """Return whether a person sees progress: at a terminal or in a live notebook.

    Jupyter's server names its session to a kernel; what executes notebooks to store or
    test them does not.
    """
    return sys.stderr.isatty() or "JPY_SESSION_NAME" in os.environ
