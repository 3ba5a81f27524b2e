"""Exact scores of policies, and sampled ones beside them for teaching."""

from typing import NamedTuple

import numpy as np

from ttt_lib.compiled import compiled
from ttt_lib.policy import join


class Match(NamedTuple):
    """A sampled match beside the exact answer.

    Entries are win, draw and loss of the first player.
    """

    exact: np.ndarray  #: (3,) probabilities
    counts: np.ndarray  #: (3,) games
    low: np.ndarray  #: (3,) lower ends of the Wilson intervals
    high: np.ndarray  #: (3,) upper ends of the Wilson intervals


def win_draw_loss(game, first, second):
    """Return the exact probabilities of win, draw and loss of the first player: (S, 3).

    Row s is for games continued from position s; row 0 is for the whole game.
    `first` and `second` are policies (S, A), each asked only where its side is to move.
    It is policy evaluation [S&B eq. 4.4] with three rewards at once,
    done in one backward sweep.
    """
    probability = np.zeros((len(game.code), 3))
    end = np.flatnonzero(game.terminal)
    probability[end, 1 - game.outcome[end]] = 1
    policy = join(first, second, game.to_move)
    _sweep_back(policy, game.count, game.action, game.successor, probability)
    return probability


@compiled
def _sweep_back(policy, count, action, successor, probability):
    # Successors have larger indices, so from the last position on they are ready.
    for s in range(len(count) - 1, -1, -1):
        for i in range(count[s]):
            for outcome in range(3):
                probability[s, outcome] += (
                    policy[s, action[s, i]] * probability[successor[s, i], outcome]
                )


def sample_match(game, first, second, games, rng, start=0):
    """Return a Match of `games` sampled games, all from position `start`."""
    if games < 1:
        raise ValueError(f"games = {games}: a match needs at least one game.")
    policy = join(first, second, game.to_move)
    counts = np.zeros(3, dtype=np.int64)
    walk = game.count, game.action, game.successor, game.outcome
    _play_games(policy, *walk, start, games, rng, counts)
    low, high = wilson_interval(counts, games)
    return Match(win_draw_loss(game, first, second)[start], counts, low, high)


@compiled
def _play_games(policy, count, action, successor, outcome, start, games, rng, counts):
    for _ in range(games):
        s = start
        while count[s] > 0:
            threshold = rng.random()
            i = 0
            while i < count[s] - 1 and threshold >= policy[s, action[s, i]]:
                threshold -= policy[s, action[s, i]]
                i += 1
            s = successor[s, i]
        counts[1 - outcome[s]] += 1


def wilson_interval(successes, n, z=1.959964):
    """Return (low, high), the Wilson score interval for a proportion [Wilson 1927].

    z is the number of standard errors:
    1.96 covers the true proportion in about 95 % of samples.
    """
    share = np.asarray(successes) / n
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return centre - half, centre + half
