"""What players in training share: the game in lists, and what measures them.

Most players keep one entry for all boards that are images of each other under a turn or
a mirror. Plain Python reads lists faster than arrays, so the game is in lists here.
"""

import math
import random
from functools import cache
from typing import NamedTuple

import numpy as np

from ttt_lib import evaluation, policy
from ttt_lib.game import symmetry_class, tables
from ttt_lib.policy import LEARNED_ATOL

POINTS = 20  # of a curve


class World(NamedTuple):
    """The game in lists; `after` has representatives only."""

    game: object  #: the Game
    same: list  #: (S,) the representative of each position
    after: list  #: (S,) the positions after each move, in the order of the cells
    place: np.ndarray  #: (S, A) of each of those among those of the representative
    mover: list  #: (S,) +1 or −1, who moves
    outcome: list  #: (S,) for the first player
    over: list  #: (S,) whether the game is over


@cache
def world():
    """Return the World of tic-tac-toe."""
    game = tables()
    same = symmetry_class(game)
    after = [
        same[row[:count]].tolist()
        for row, count in zip(game.successor, game.count, strict=True)
    ]
    place = np.zeros(game.legal.shape, dtype=np.int64)
    for s, boards in enumerate(after):
        place[s, : len(boards)] = [after[same[s]].index(board) for board in boards]
    parts = same, game.to_move, game.outcome, game.terminal
    same, mover, outcome, over = (part.tolist() for part in parts)
    return World(game, same, after, place, mover, outcome, over)


def table_of(entry):
    """Return a list with `entry(count)` for each position with so many moves."""
    return [entry(len(row)) for row in world().after]


def choose(rng, values, epsilon):
    """Return the place of an ε-greedy choice among values, ties by lot."""
    if rng.random() < epsilon:
        return rng.randrange(len(values))
    most = max(values) - LEARNED_ATOL
    return rng.choice([i for i, value in enumerate(values) if value >= most])


def policy_of(preferences):
    """Return the policy (S, A) that moves in proportion to what `by_cell` takes."""
    chances = by_cell(preferences)
    sums = chances.sum(axis=1, keepdims=True)
    chances /= np.where(sums == 0, 1, sums)
    return chances


def by_cell(numbers):
    """Return (S, A) what `numbers(s, boards)` gives, a number for each of the `boards`.

    Those come after the moves in a representative s.
    """
    w = world()
    known, found = np.zeros((2, *w.game.legal.shape))
    for s, boards in enumerate(w.after):
        if boards and w.same[s] == s:
            known[s, : len(boards)] = numbers(s, boards)
    moves = np.arange(9, dtype=np.int64) < w.game.count[:, np.newaxis]
    found[w.game.legal] = np.take_along_axis(known[w.same], w.place, 1)[moves]
    return found


def greedy(values):
    """Return the policy (S, A) that is greedy in `values(s, boards)`, ties by lot."""

    def best(s, boards):
        found = values(s, boards)
        return [value >= max(found) - LEARNED_ATOL for value in found]

    return policy_of(best)


def greedy_in(Q, after):
    """Return the policy (S, A) that is greedy in Q, lists in the order of `after`."""
    return greedy(largest_in(Q, after))


def largest_in(Q, after):
    """Return what gives the values in Q of the moves to `boards`, as `greedy` asks.

    Moves to images are one move: the largest of their values counts.
    """

    def values(s, boards):
        found = dict.fromkeys(boards, -math.inf)
        for board, value in zip(after[s], Q[s], strict=True):
            found[board] = max(found[board], value)
        return [found[board] for board in boards]

    return values


def move_chances(first, second):
    """Return (S, A) how often each move is made in a game between two policies."""
    own = policy.combine_sides(first, second, tables().to_move)
    return evaluation.reach(tables(), first, second)[:, np.newaxis] * own


def weighted_mean(numbers, chances):
    """Return the mean of numbers, by the chance with which each counts."""
    return float((numbers * chances).sum() / chances.sum())


def generator(seed):
    """Return the generator of a training, Python's own: it draws one by one, fast."""
    return random.Random(seed)
