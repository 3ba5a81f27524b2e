"""Policy gradient: exact and sampled gradients, and REINFORCE."""

import numpy as np
import pytest
from common import game, rng, some_policy, wide
from gradients import assert_moments_within_interval, games_of, steps_of

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


@pytest.mark.parametrize("side", [1, -1])
def test_policy_gradient_ignores_what_all_moves_have_in_common(side):
    noise = rng(4).normal(size=(len(game.code), 1))
    Q = np.where(game.legal, noise, np.nan)
    gradient = reinforce.policy_gradient(game, X, THETA, Q, at_random, side)
    assert gradient == pytest.approx(np.zeros(9), abs=1e-12)


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("kind", ["none", "number", "array"])
def test_moments_of_sampled_gradient_match_those_over_all_games(side, kind):
    g = tables(2, 3, 2)
    x = features.features(g.board, g.lines)
    theta, noise = rng(7).normal(size=7), rng(8).normal(size=len(g.code))
    baseline = {"none": 0.0, "number": 0.7, "array": noise}[kind]
    settings = g, x, theta, some_policy(g, 9), side, baseline
    games = [*games_of(g, x, theta, settings[3], side)]
    steps = [
        reinforce.sampled_gradient(g, x, theta, moves, side, baseline)
        for _, moves in games
    ]
    p = [p for p, _ in games]
    mean = np.average(steps, axis=0, weights=p)
    variance = np.average(((steps - mean) ** 2).sum(axis=1), weights=p)
    exact = reinforce.exact_gradient(*settings[:-1])
    moments = reinforce.gradient_moments(*settings)
    assert mean == pytest.approx(exact, abs=1e-12)
    assert moments.mean == pytest.approx(exact, abs=1e-12)
    assert moments.variance == pytest.approx(variance, abs=1e-12)
    assert np.abs(exact).max() > 0.01


@pytest.mark.parametrize(
    ("g", "games"), [(wide, 5000), pytest.param(game, 200_000, marks=pytest.mark.long)]
)
def test_moments_match_steps_of_reinforce(g, games):
    x = features.features(g.board, g.lines)
    theta, w = rng(1).normal(size=(2, x.shape[1])) / 4
    opponent = some_policy(g, 3)
    start = reinforce.Weights(theta, w)
    steps = steps_of(reinforce._learn, g, x, start, opponent, -1, games)
    exact = reinforce.gradient_moments(g, x, theta, opponent, -1, baseline=x @ w)
    assert_moments_within_interval(steps, exact)


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
