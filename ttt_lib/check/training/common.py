"""Helpers of the training loops: the game in lists, policies, and measures.

Most learners keep one entry for all boards that are rotations or reflections of each
other. The game is in lists, because plain Python reads these faster than arrays.
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
    """Tic-tac-toe in lists; `after` contains representatives only."""

    game: object  #: the Game
    same: list  #: (S,) the representative of each position
    after: list  #: (S,) the positions after each move, in the order of the cells
    place: np.ndarray  #: (S, A) index of each of them in the representative's list
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
    """Return the index of an ε-greedy choice among values, ties broken at random."""
    if rng.random() < epsilon:
        return rng.randrange(len(values))
    most = max(values) - LEARNED_ATOL
    return rng.choice([i for i, value in enumerate(values) if value >= most])


def policy_of(preferences):
    """Return the policy (S, A) whose probabilities are proportional to preferences.

    `preferences` is a function as `by_cell` takes it.
    """
    chances = by_cell(preferences)
    sums = chances.sum(axis=1, keepdims=True)
    chances /= np.where(sums == 0, 1, sums)
    return chances


def by_cell(numbers):
    """Return the array (S, A) of a function `numbers(s, boards)` of representatives s.

    The function returns a number for each of the `boards` after the moves in s.
    """
    w = world()
    by_place, cells = np.zeros((2, *w.game.legal.shape))
    for s, boards in enumerate(w.after):
        if boards and w.same[s] == s:
            by_place[s, : len(boards)] = numbers(s, boards)
    moves = np.arange(9, dtype=np.int64) < w.game.count[:, np.newaxis]
    cells[w.game.legal] = np.take_along_axis(by_place[w.same], w.place, 1)[moves]
    return cells


def greedy(values):
    """Return the policy (S, A) greedy in `values(s, boards)`, with ties at random."""

    def best(s, boards):
        all_values = values(s, boards)
        return [value >= max(all_values) - LEARNED_ATOL for value in all_values]

    return policy_of(best)


def greedy_in(Q, after):
    """Return the policy (S, A) that is greedy in Q, lists in the order of `after`."""
    return greedy(largest_in(Q, after))


def largest_in(Q, after):
    """Return the function `values(s, boards)` of a table Q, for `greedy` or `by_cell`.

    Moves to images of one board are one move: the largest of their values counts.
    """

    def values(s, boards):
        largest = dict.fromkeys(boards, -math.inf)
        for board, value in zip(after[s], Q[s], strict=True):
            largest[board] = max(largest[board], value)
        return [largest[board] for board in boards]

    return values


def move_chances(first, second):
    """Return the probability (S, A) of each move in a game between two policies."""
    both = policy.combine_sides(first, second, tables().to_move)
    return evaluation.reach(tables(), first, second)[:, np.newaxis] * both


def weighted_mean(numbers, chances):
    """Return the mean of numbers, weighted by chances."""
    return float((numbers * chances).sum() / chances.sum())


def generator(seed):
    """Return a generator of Python's own, which is fast at single random numbers."""
    return random.Random(seed)
