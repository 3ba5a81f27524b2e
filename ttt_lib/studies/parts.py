"""Functions that studies and pages share: exact answers, and errors of predictions."""

from functools import cache

import numpy as np

from ttt_lib import evaluation, learning, planning, policy, search
from ttt_lib.game import symmetry_class, tables


def soft_optimum(problem, epsilon):
    """Return the values q (N,) of the best among players who explore for ever."""
    V = np.zeros(len(problem.position))
    for _ in range(6):  # five decisions at most, so the sixth sweep changes nothing
        q = planning.q_from_v(problem, V, gamma=1)
        best = planning.greedy(problem, q)
        exploring = policy.mixture(epsilon, planning.uniform(problem), best)
        V = planning.expectation_backup(problem, exploring, V, gamma=1)
    return q


def distance(learner, Q):
    """Return the RMS difference of a learner's Q from Q, weighted by its updates."""
    weight = learner.updates / learner.updates.sum()
    return np.sqrt((weight * (learner.Q - Q) ** 2).sum())


def signed_error(learner, Q):
    """Return the mean of a learner's Q minus Q, weighted by its updates."""
    weight = learner.updates / learner.updates.sum()
    return (weight * (learner.Q - Q)).sum()


def folded(game):
    """Return the game in which a move leads to the representative of its class."""
    to = symmetry_class(game).astype(game.next.dtype)
    return game._replace(
        next=np.where(game.legal, to[game.next], -1),
        successor=np.where(game.successor >= 0, to[game.successor], -1),
    )


def errors(method, games, rng, **settings):
    """Return the RMS error of a prediction, weighted by visits, after each of `games`.

    The policy and the exact values are those of `judgement`; `settings` are those of
    `new_learner`.
    """
    game = tables()
    judged, opponent, exact, weight = judgement()
    learner = learning.new_learner(game, method, rng, **settings)
    stages = learning.snapshots(game, learner, games, opponent, -1, judged)
    rms = [np.sqrt(weight @ (stage.V - exact) ** 2) for stage in stages]
    return np.round(rms, 5)


@cache
def judgement():
    """Return the policy to evaluate, its opponent, its exact values and their weights.

    It is the perfect second player, ties to the lowest cell, against random play.
    """
    game = tables()
    judged = search.perfect(game, ties="lowest")
    opponent = policy.uniform(game.legal)
    chances = evaluation.win_draw_loss(game, opponent, judged)
    exact = np.where(game.terminal, 0, chances[:, 2] - chances[:, 0])
    return judged, opponent, exact, visits(game, opponent, judged)


def visits(game, first, second):
    """Return how often the second player decides in each position: (S,), in sum 1."""
    both = policy.combine_sides(first, second, game.to_move)
    p = np.zeros(len(game.code))
    p[0] = 1
    for s in range(len(p)):
        for a in np.flatnonzero(both[s]):
            p[game.next[s, a]] += p[s] * both[s, a]
    p[game.terminal | (game.to_move == 1)] = 0
    return p / p.sum()
