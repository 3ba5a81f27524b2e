"""Sampled matches, and confidence intervals for proportions."""

from typing import NamedTuple

import numpy as np

from ttt_lib.compiled import compiled, in_chunks
from ttt_lib.evaluation import win_draw_loss
from ttt_lib.policy import combine_sides, sample_action
from ttt_lib.validation import (
    MAX_REWARD,
    as_float,
    as_int,
    float_array,
    require,
    short_repr,
    validated,
)


class Match(NamedTuple):
    """A sampled match and its exact probabilities: first player's win, draw, loss."""

    exact: np.ndarray  #: (3,) probabilities
    counts: np.ndarray  #: (3,) games
    low: np.ndarray  #: (3,) lower ends of the Wilson intervals
    high: np.ndarray  #: (3,) upper ends of the Wilson intervals


@validated(games=lambda value, arguments: as_int(value, "games", 1))
def sample_match(game, first, second, games, rng, start=0):
    """Return a Match of `games` sampled games, all from position `start`.

    Ctrl-C raises KeyboardInterrupt, whose `so_far` is the counts so far.

    Examples
    --------
    >>> match = sampling.sample_match(game, at_random, at_random, 1000, rng)
    >>> match.exact.round(3)
    array([0.585, 0.127, 0.288])
    >>> int(match.counts.sum())
    1000
    """
    exact = win_draw_loss(game, first, second)[start]
    policy = combine_sides(first, second, game.to_move)

    def play(counts, games):
        counts = counts.copy()
        _play_games(game, policy, start, games, rng, counts)
        return counts

    counts = in_chunks(play, np.zeros(3, dtype=np.int64), games)
    return Match(exact, counts, *wilson_interval(counts, games))


@compiled
def _play_games(game, policy, start, games, rng, counts):
    for _ in range(games):
        s = start
        while game.count[s] > 0:
            s = game.successor[
                s, sample_action(policy, s, game.count, game.action, rng)
            ]
        counts[1 - game.outcome[s]] += 1


def _successes(value, arguments):
    successes, n = float_array(value, "successes"), arguments["n"]
    fits = successes.size and successes.min() >= 0 and successes.max() <= n
    require(
        fits, f"successes = {short_repr(value)}: give numbers from 0 to n, which is {n}"
    )
    return successes


@validated(
    n=lambda value, arguments: as_int(value, "n", 1),
    successes=_successes,
    z=lambda value, arguments: as_float(value, "z", 0, MAX_REWARD),
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
