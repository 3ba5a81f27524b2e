"""Policy gradient: exact and sampled gradients, and REINFORCE."""

import numpy as np
import pytest
from common import game, rng, same, some_policy, wide
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


def test_score_matches_finite_differences_of_log_policy():
    pi, s = reinforce.policy(game, X, THETA), game.find("X.O/.X./..O")
    slope = reinforce.score(game, X, pi)
    assert np.einsum("sa,saf->sf", pi, slope) == pytest.approx(0, abs=1e-12)
    a = int(np.flatnonzero(game.legal[s])[1])
    for i, step in enumerate(np.eye(9) * 1e-6):
        up, down = (reinforce.policy(game, X, THETA + d)[s, a] for d in (step, -step))
        assert slope[s, a, i] == pytest.approx(np.log(up / down) / 2e-6, abs=1e-8)


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


def test_reinforce_n_then_m_games_equals_n_plus_m():
    def train(weights, games, generator):
        settings = at_random, -1, 0.05, 0.01, generator
        return reinforce.reinforce(game, X, weights, games, *settings)

    start, one, two = reinforce.Weights(np.zeros(9), np.zeros(9)), rng(3), rng(3)
    assert same(train(start, 90, one), train(train(start, 50, two), 40, two))
    assert (start.theta == 0).all()


def test_compiled_and_uncompiled_loops_are_bit_identical(uncompiled):
    def run():
        start, settings = reinforce.Weights(THETA, np.zeros(9)), (-1, 0.1, 0.05, rng(5))
        return reinforce.reinforce(game, X, start, 20, perfect_lowest, *settings)

    compiled = run()
    uncompiled(reinforce)
    assert same(compiled, run())


def test_reinforce_improves_the_policy():
    start = reinforce.Weights(np.zeros(9), np.zeros(9))
    trained = reinforce.reinforce(game, X, start, 3000, at_random, 1, 0.1, 0.01, rng(1))
    assert value(start.theta, at_random, 1) == pytest.approx(737 / 1260 - 121 / 420)
    assert value(trained.theta, at_random, 1) > 0.9


def test_exact_gradient_is_for_first_player_by_default():
    exact = reinforce.exact_gradient(game, X, THETA, at_random)
    assert same(exact, reinforce.exact_gradient(game, X, THETA, at_random, +1))
    with pytest.raises(ValueError, match=r"^x: give features \(S, F\)"):
        reinforce.policy(game, X[:9], THETA)


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
