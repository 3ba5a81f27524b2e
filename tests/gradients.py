"""Shared by the tests of policy gradients: all games, and moments of sampled steps."""

import numpy as np
from common import rng

from ttt_lib.approximation import reinforce

ALPHA = 1e-7  # so small that the weights are as good as fixed during a game


def games_of(g, x, theta, opponent, side):
    """Yield every game of a policy against an opponent: its probability and moves."""
    pi = reinforce.policy(g, x, theta)

    def continue_from(s, p, moves):
        if g.terminal[s]:
            yield p, moves
            return
        mover = pi if g.to_move[s] == side else opponent
        for a in np.flatnonzero(mover[s]):
            yield from continue_from(g.next[s, a], p * mover[s, a], [*moves, int(a)])

    return continue_from(0, 1.0, [])


def steps_of(loop, g, x, weights, opponent, side, games):
    """Return the steps of θ (games, F), by the step size, all from the same weights."""
    steps, generator = np.zeros((games, len(weights.theta))), rng(5)
    for step in steps:
        theta, w = weights.theta.copy(), weights.w.copy()
        loop(g, x, theta, w, 1, opponent, side, ALPHA, 0.0, generator)
        step[:] = (theta - weights.theta) / ALPHA
    return steps


def assert_moments_within_interval(steps, exact):
    """Assert that steps (n, F) have the exact Moments, up to 5 standard errors."""
    error = steps.std(axis=0, ddof=1) / len(steps) ** 0.5
    assert (np.abs(steps.mean(axis=0) - exact.mean) <= 5 * error + 1e-6).all()
    square = ((steps - exact.mean) ** 2).sum(axis=1)
    error = square.std(ddof=1) / len(steps) ** 0.5
    assert abs(square.mean() - exact.variance) <= 5 * error
    assert error < 0.1 * exact.variance
