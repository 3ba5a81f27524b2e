"""Policy gradient: exact and sampled gradients, and REINFORCE."""

import numpy as np
import pytest
from common import game, rng

from ttt_lib import evaluation, policy, search
from ttt_lib.approximation import features, reinforce
from ttt_lib.game import tables

X = features.features(game.board)
at_random = policy.uniform(game.legal)
THETA = rng(3).normal(0, 0.5, 9)
perfect_lowest = search.perfect(game, ties="lowest")


def value(theta, opponent, side):
    """Return the exact value of a softmax policy."""
    pi = reinforce.policy(game, X, theta)
    return evaluation.result(game, pi, opponent, side).value


@pytest.mark.parametrize(
    ("side", "opponent"), [(1, at_random), (-1, at_random), (1, perfect_lowest)]
)
def test_exact_gradient_matches_finite_differences(side, opponent):
    gradient = reinforce.exact_gradient(game, X, THETA, opponent, side)
    for i, step in enumerate(np.eye(9) * 1e-5):
        above, below = (value(THETA + s, opponent, side) for s in (step, -step))
        assert gradient[i] == pytest.approx((above - below) / 2e-5, abs=1e-9)


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


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("kind", ["none", "number", "array"])
def test_sampled_gradient_is_unbiased_with_any_baseline(side, kind):
    g = tables(2, 3, 2)
    x = features.features(g.board, g.lines)
    theta, noise = rng(7).normal(size=7), rng(8).normal(size=len(g.code))
    baseline = {"none": 0.0, "number": 0.7, "array": noise}[kind]
    opponent = policy.uniform(g.legal)
    mean = sum(
        p * reinforce.sampled_gradient(g, x, theta, moves, side, baseline=baseline)
        for p, moves in games_of(g, x, theta, opponent, side)
    )
    exact = reinforce.exact_gradient(g, x, theta, opponent, side)
    assert mean == pytest.approx(exact, abs=1e-12)
    assert np.abs(exact).max() > 0.01


class AlmostOne:
    """A generator that draws the largest possible number."""

    def random(self):
        return 1 - 2.0**-53


def test_sample_returns_last_index_if_sum_is_rounded_below_1():
    assert reinforce._sample.py_func(np.array([0.5, 0.4, 0.0]), 2, AlmostOne()) == 1


def test_baseline_converges_to_mean_return():
    start = reinforce.Weights(np.zeros(9), np.zeros(9))
    settings = at_random, 1, 1e-9, 0.002, rng(2)
    trained = reinforce.reinforce(game, X, start, 3000, *settings)
    before = reinforce.reinforce(game, X, start, 0, *settings)
    assert (before.w == 0).all()
    mean_return = value(trained.theta, at_random, 1)
    decides = (game.to_move == 1) & ~game.terminal
    reached = evaluation.reach(game, at_random, at_random) * decides
    assert np.average(X @ trained.w, weights=reached) == pytest.approx(
        mean_return, abs=0.15
    )
