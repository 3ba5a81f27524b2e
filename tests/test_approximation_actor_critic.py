"""Actor–critic: the loop by its definition, its expected step, and its critic."""

import numpy as np
import pytest
from common import game, rng, same, some_policy, wide
from gradients import assert_moments_within_interval, games_of, steps_of

from ttt_lib import evaluation, policy
from ttt_lib.approximation import actor_critic, features, reinforce
from ttt_lib.approximation.reinforce import Weights
from ttt_lib.game import positions, tables

X = features.features(game.board)
at_random = policy.uniform(game.legal)
SMALL = tables(2, 3, 2)
SMALL_X = features.features(SMALL.board, SMALL.lines)
OPPONENT = some_policy(SMALL, 9)
sides = pytest.mark.parametrize("side", [1, -1])


def values(g, x, theta, opponent, side):
    """Return the exact values (S,) of θ's policy for its side."""
    both = reinforce.both_players(g, x, theta, opponent, side)
    ends = evaluation.win_draw_loss(g, both, both)
    return side * (ends[:, 0] - ends[:, 2])


def decisions_of(g, moves, critic, side):
    """Return s, a, δ and the next s of each decision in a game, by definition."""
    path = positions(g, moves)
    own = [t for t in range(len(moves)) if g.to_move[path[t]] == side]
    ends = [*own[1:], len(moves)]
    ahead = np.where(g.terminal, side * g.outcome, critic)
    return [
        (path[t], moves[t], ahead[path[end]] - ahead[path[t]], path[end])
        for t, end in zip(own, ends, strict=True)
    ]


@sides
def test_actor_critic_updates_after_each_decision(side):
    theta, w = rng(1).normal(size=(2, 7)) / 4
    alpha, alpha_w, generator = 0.1, 0.05, rng(2)
    settings = 5, OPPONENT, side, alpha, alpha_w, rng(2)
    trained = actor_critic.actor_critic(SMALL, SMALL_X, Weights(theta, w), *settings)
    for _ in range(5):
        s, before = 0, None
        while True:
            if before and (SMALL.terminal[s] or SMALL.to_move[s] == side):
                at, a, pi = before
                end = side * SMALL.outcome[s] if SMALL.terminal[s] else w @ SMALL_X[s]
                delta = end - w @ SMALL_X[at]
                w = w + alpha_w * delta * SMALL_X[at]
                score = reinforce.score(SMALL, SMALL_X, pi)[at, a]
                theta = theta + alpha * delta * score
            if SMALL.terminal[s]:
                break
            mine = SMALL.to_move[s] == side
            pi = reinforce.policy(SMALL, SMALL_X, theta) if mine else OPPONENT
            sums = np.cumsum(pi[s, SMALL.legal[s]])[:-1]
            i = np.searchsorted(sums, generator.random(), side="right")
            before = (s, SMALL.action[s, i], pi) if mine else before
            s = SMALL.successor[s, i]
    assert trained.theta == pytest.approx(theta, abs=1e-12)
    assert trained.w == pytest.approx(w, abs=1e-12)


@sides
def test_expected_step_of_exact_critic_is_the_gradient(side):
    theta = rng(3).normal(0, 0.5, 9)
    V, settings = values(game, X, theta, at_random, side), (at_random, side)
    critic = np.where((game.to_move == side) & ~game.terminal, V, rng(4).normal())
    step = actor_critic.expected_step(game, X, theta, critic, *settings)
    exact = reinforce.exact_gradient(game, X, theta, *settings)
    assert step == pytest.approx(exact, abs=1e-12)
    wrong = actor_critic.expected_step(game, X, theta, V / 2, *settings)
    assert np.abs(wrong - exact).max() > 0.01


@sides
def test_moments_match_those_over_all_games(side):
    theta, critic = rng(7).normal(size=7), rng(8).normal(size=len(SMALL.code))
    slope = reinforce.score(SMALL, SMALL_X, reinforce.policy(SMALL, SMALL_X, theta))
    games = [*games_of(SMALL, SMALL_X, theta, OPPONENT, side)]
    steps = [
        sum(d * slope[s, a] for s, a, d, _ in decisions_of(SMALL, moves, critic, side))
        for _, moves in games
    ]
    p = [p for p, _ in games]
    mean = np.average(steps, axis=0, weights=p)
    variance = np.average(((steps - mean) ** 2).sum(axis=1), weights=p)
    settings = SMALL, SMALL_X, theta, critic, OPPONENT, side
    moments = actor_critic.step_moments(*settings)
    assert actor_critic.expected_step(*settings) == pytest.approx(mean, abs=1e-12)
    assert moments.mean == pytest.approx(mean, abs=1e-12)
    assert moments.variance == pytest.approx(variance, abs=1e-12)


@pytest.mark.parametrize(
    ("g", "games"), [(wide, 5000), pytest.param(game, 200_000, marks=pytest.mark.long)]
)
def test_moments_match_steps_of_actor_critic(g, games):
    x = features.features(g.board, g.lines)
    theta, w = rng(1).normal(size=(2, x.shape[1])) / 4
    settings = some_policy(g, 3), -1
    steps = steps_of(actor_critic._learn, g, x, Weights(theta, w), *settings, games)
    exact = actor_critic.step_moments(g, x, theta, x @ w, *settings)
    assert_moments_within_interval(steps, exact)


@sides
def test_mean_update_of_the_critic_is_0_at_its_fixed_point(side):
    theta = rng(7).normal(size=7)
    w = actor_critic.fixed_point(SMALL, SMALL_X, theta, OPPONENT, side)
    critic, update = SMALL_X @ w, 0
    for p, moves in games_of(SMALL, SMALL_X, theta, OPPONENT, side):
        for s, _, delta, _ in decisions_of(SMALL, moves, critic, side):
            update = update + p * delta * SMALL_X[s]
    assert update == pytest.approx(np.zeros(7), abs=1e-12)
    assert np.abs(critic).max() > 0.1


@sides
def test_fixed_point_with_one_hot_features_is_exact(side):
    x = np.eye(len(wide.code))
    theta, opponent = rng(2).normal(size=len(x)), some_policy(wide, 4)
    w = actor_critic.fixed_point(wide, x, theta, opponent, side)
    decides = (wide.to_move == side) & ~wide.terminal
    exact = values(wide, x, theta, opponent, side)
    assert w == pytest.approx(np.where(decides, exact, 0), abs=1e-9)


def test_critic_converges_to_its_fixed_point():
    theta, alpha_w = np.zeros(9), 0.002
    fixed = actor_critic.fixed_point(game, X, theta, at_random, 1)
    settings = at_random, 1, 1e-9, alpha_w, rng(2)
    start = Weights(theta, np.zeros(9))
    w = actor_critic.actor_critic(game, X, start, 20_000, *settings).w
    decides = (game.to_move == 1) & ~game.terminal
    met = evaluation.reach(game, at_random, at_random) * decides
    miss = np.average((X @ (w - fixed)) ** 2, weights=met) ** 0.5
    assert miss < 0.1 < np.average((X @ fixed) ** 2, weights=met) ** 0.5


def test_first_player_is_the_default():
    critic = rng(1).normal(size=len(SMALL.code))
    for function, settings in (
        (actor_critic.expected_step, (critic, OPPONENT)),
        (actor_critic.step_moments, (critic, OPPONENT)),
        (actor_critic.fixed_point, (OPPONENT,)),
    ):
        settings = SMALL, SMALL_X, np.zeros(7), *settings
        assert same(function(*settings), function(*settings, +1))
