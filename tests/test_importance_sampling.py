"""Importance sampling: exact moments against enumeration and sampled games."""

import numpy as np
import pytest
from common import game, rng, same, some_policy, sparse_policy, wide

from ttt_lib import evaluation, importance_sampling, search
from ttt_lib.compiled import CHUNK_SIZE
from ttt_lib.importance_sampling import ordinary, sample_returns, variances, weighted
from ttt_lib.policy import deterministic, uniform

at_random = uniform(game.legal)


def enumerated(g, target, behaviour, opponent, side, V, s=0, rho=1.0):
    """Yield (probability, ρ, outcome, per-decision return) of every game from s."""
    if g.terminal[s]:
        outcome = side * g.outcome[s]
        yield 1.0, rho, outcome, outcome
        return
    own = g.to_move[s] == side
    for a in np.flatnonzero(g.legal[s]):
        p = (behaviour if own else opponent)[s, a]
        step = target[s, a] / behaviour[s, a] if own and p > 0 else 1.0
        after = target, behaviour, opponent, side, V, g.next[s, a], rho * step
        for chance, ratio, outcome, G in enumerated(g, *after):
            G = step * G + (1 - step) * V[s] if own else G
            yield p * chance, ratio, outcome, G


@pytest.mark.parametrize("side", [+1, -1])
def test_variances_match_the_enumeration_of_all_games(side):
    target, behaviour = sparse_policy(wide, 1), some_policy(wide, 2)
    opponent, V = sparse_policy(wide, 3), rng(4).normal(size=len(wide.code))
    policies = target, behaviour, opponent
    games = np.array([*enumerated(wide, *policies, side, V)]).T
    p, rho, outcome, G = games
    mean = p @ (rho * outcome)
    own = np.array([*enumerated(wide, target, target, opponent, side, V)]).T
    assert p.sum() == pytest.approx(1)
    assert variances(wide, *policies, side, V) == pytest.approx(
        (
            mean,
            own[0] @ own[2] ** 2 - mean**2,
            p @ (rho * outcome) ** 2 - mean**2,
            p @ G**2 - mean**2,
            p @ (rho * (outcome - mean)) ** 2,
            -p @ (rho**2 * (outcome - mean)),
        )
    )
    assert p @ G == pytest.approx(mean)


def within(numbers, mean):
    """Return whether a mean is within 4 standard errors of that of the numbers."""
    return abs(numbers.mean() - mean) < 4 * numbers.std() / np.sqrt(numbers.size)


@pytest.mark.parametrize("games", [20_000, pytest.param(10**6, marks=pytest.mark.long)])
@pytest.mark.parametrize("side", [+1, -1])
def test_sampled_games_have_the_exact_means_and_variances(games, side):
    target, V = search.teacher(game, 0.5), side * search.solve(game).V
    exact = variances(game, target, at_random, at_random, side, V)
    sample = sample_returns(game, target, at_random, at_random, games, rng(5), side, V)
    estimates = {
        "ordinary": sample.ratio * sample.outcome,
        "per_decision": sample.per_decision,
    }
    for name, numbers in estimates.items():
        assert within(numbers, exact.value)
        assert within((numbers - exact.value) ** 2, getattr(exact, name))
    assert within(sample.ratio, 1)
    error = sample.ratio * (sample.outcome - exact.value)
    assert within(error**2, exact.weighted)
    assert within(-sample.ratio * error, exact.bias)


@pytest.mark.long
def test_weighted_estimates_have_the_variance_and_bias_of_the_delta_method():
    target, runs, n = search.teacher(game, 0.9), 20_000, 100
    exact = variances(game, target, at_random, at_random)
    sample = sample_returns(game, target, at_random, at_random, runs * n, rng(6))
    ratio, outcome = (numbers.reshape(runs, n) for numbers in sample[:2])
    estimates = weighted(ratio, outcome)
    assert n * estimates.var() == pytest.approx(exact.weighted, rel=0.1)
    # Four standard errors are 0.14.
    assert n * (estimates.mean() - exact.value) == pytest.approx(exact.bias, abs=0.15)


def test_games_of_the_target_itself_have_ratio_one_and_equal_variances():
    policy, opponent = sparse_policy(wide, 7), some_policy(wide, 8)
    V = rng(9).normal(size=len(wide.code))
    value, own, *others, bias = variances(wide, policy, policy, opponent, -1, V)
    assert others == pytest.approx([own] * 3)
    assert bias == pytest.approx(0, abs=1e-12)
    assert value == pytest.approx(evaluation.result(wide, policy, opponent, -1).value)
    sample = sample_returns(wide, policy, policy, opponent, 100, rng(), -1, V)
    assert sample.ratio == pytest.approx(np.ones(100))
    assert sample.per_decision == pytest.approx(sample.outcome)


def test_per_decision_is_ordinary_without_control_variates():
    policies = sparse_policy(wide, 1), some_policy(wide, 2), some_policy(wide, 3)
    exact = variances(wide, *policies)
    assert exact.per_decision == pytest.approx(exact.ordinary)
    sample = sample_returns(wide, *policies, 100, rng())
    assert (sample.per_decision == sample.ratio * sample.outcome).all()


@pytest.mark.parametrize("side", [+1, -1])
def test_true_values_as_control_variates_leave_no_variance_but_the_opponents(side):
    target, opponent = (
        deterministic(some_policy(game, seed).argmax(axis=1), game.legal)
        for seed in (2, 3)
    )
    first, second = (target, opponent) if side == 1 else (opponent, target)
    ends = evaluation.win_draw_loss(game, first, second)
    V = side * (ends[:, 0] - ends[:, 2])
    policies = target, some_policy(game, 3), opponent
    exact = variances(game, *policies, side, V)
    assert exact.per_decision == pytest.approx(0, abs=1e-12)
    assert abs(exact.value) == 1
    assert exact.ordinary > 1
    sample = sample_returns(game, *policies, 50, rng(), side, V)
    assert sample.per_decision == pytest.approx(np.full(50, V[0]))


def test_weighted_estimate_of_ratios_zero_is_zero_and_axes_before_the_last_are_kept():
    ratio, outcome = np.array([[0, 0], [3, 1]]), np.array([[1, 1], [1, -1]])
    assert weighted(ratio, outcome).tolist() == [0, 0.5]
    assert ordinary(ratio, outcome).tolist() == [0, 1]


@pytest.mark.parametrize("function", [variances, sample_returns])
def test_behaviour_without_a_move_of_the_target_is_named_only_if_reachable(function):
    target, opponent = uniform(wide.legal), some_policy(wide, 1)
    more = (3, rng()) if function is sample_returns else ()
    s = wide.next[wide.next[0, 0], 1]
    behaviour = target.copy()
    behaviour[s] = deterministic(np.full(len(wide.code), 5), wide.legal | True)[s]
    words = rf"cell 2 in position {s} \(XO\.\.\.\.\)"
    with pytest.raises(ValueError, match=words):
        function(wide, target, behaviour, opponent, *more)
    elsewhere = target.copy()
    elsewhere[0] = [0, 1, 0, 0, 0, 0]
    function(wide, elsewhere, behaviour, opponent, *more)
    never = opponent.copy()
    never[wide.next[0, 0]] = [0, 0, 1, 0, 0, 0]
    function(wide, target, behaviour, never, *more)


def test_compiled_and_plain_loops_are_bit_identical(uncompiled):
    policies = sparse_policy(wide, 1), some_policy(wide, 2), some_policy(wide, 3)
    V = rng(4).normal(size=len(wide.code))

    def everything():
        sample = sample_returns(wide, *policies, 30, rng(), -1, V)
        return sample, variances(wide, *policies, -1, V)

    compiled = everything()
    uncompiled(importance_sampling)
    assert same(compiled, everything())


def test_more_games_continue_with_the_same_generator():
    policies, one = (uniform(wide.legal),) * 3, rng()
    whole = sample_returns(wide, *policies, CHUNK_SIZE + 5, rng())
    parts = [sample_returns(wide, *policies, games, one) for games in (CHUNK_SIZE, 5)]
    for numbers, *two in zip(whole, *parts, strict=True):
        assert (numbers == np.concatenate(two)).all()
