"""Ratings: transitive and cyclic part, Elo, and the Nash average."""

import numpy as np
import pytest
from common import game, rng, some_policy, wide
from scipy.optimize import linprog

from ttt_lib import evaluation, ratings, search
from ttt_lib.policy import uniform

CYCLE = np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]])


def some_payoff(seed, n=6):
    half = np.triu(rng(seed).uniform(-1, 1, size=(n, n)), 1)
    return half - half.T


def test_mean_results_are_means_of_both_sides():
    policies = [some_policy(wide, seed) for seed in range(3)]
    payoff = ratings.mean_results(evaluation.cross_table(wide, policies, policies))
    for i, j in np.ndindex(3, 3):
        sides = [
            evaluation.result(wide, policies[i], policies[j], side).value
            for side in (+1, -1)
        ]
        assert payoff[i, j] == pytest.approx(np.mean(sides))


def test_parts_are_orthogonal_and_rows_of_the_cyclic_one_sum_to_zero():
    payoff = some_payoff(1)
    parts = ratings.decompose(payoff)
    assert parts.transitive + parts.cyclic == pytest.approx(payoff)
    assert (parts.transitive * parts.cyclic).sum() == pytest.approx(0)
    assert parts.cyclic.sum(axis=1) == pytest.approx(np.zeros(6))
    assert parts.transitive_share + parts.cyclic_share == pytest.approx(1)
    assert 0.1 < parts.cyclic_share < 0.9


def test_transitive_part_is_the_best_fit_by_differences_of_ratings():
    payoff = some_payoff(2)
    pairs = [(i, j) for i, j in np.ndindex(6, 6) if i != j]
    differences = np.array([np.eye(6)[i] - np.eye(6)[j] for i, j in pairs])
    fit = np.linalg.lstsq(differences, [payoff[pair] for pair in pairs])[0]
    assert ratings.decompose(payoff).rating == pytest.approx(fit)


def test_draws_alone_have_no_parts():
    with pytest.raises(ValueError, match="all are draws"):
        ratings.decompose(1e-15 * CYCLE)


def test_elo_recovers_the_ratings_of_its_own_expected_scores():
    true = 400 * rng(3).normal(size=7)
    payoff = 2 * ratings.expected_scores(true) - 1
    assert ratings.elo(payoff) == pytest.approx(true - true.mean(), abs=1e-5)
    assert ratings.expected_scores([0, 400])[1, 0] == pytest.approx(10 / 11)


@pytest.mark.parametrize("seed", range(3))
def test_elo_is_the_fixed_point_of_zermelo_and_gives_everyone_the_true_total(seed):
    payoff = np.clip(2 * some_payoff(seed), -1, 1)  # some players never score
    rating = ratings.elo(payoff)
    score = (1 + payoff) / 2
    totals = ratings.expected_scores(rating).sum(axis=1)
    assert totals == pytest.approx(score.sum(axis=1), abs=1e-8)
    strength, off = np.ones(6), ~np.eye(6, dtype=bool)
    for _ in range(3000):  # one update of all strengths after another [Zermelo 1929]
        both = 1 / (strength[:, None] + strength)
        strength = (score * off).sum(axis=1) / (both * off).sum(axis=1)
        strength /= np.exp(np.log(strength).mean())
    assert 400 * np.log10(strength) == pytest.approx(rating, abs=1e-3)


def test_players_who_score_everything_have_no_elo_ratings():
    payoff = np.ones((5, 5))
    payoff[:2, :2] = payoff[2:, 2:] = 0
    payoff[2:, :2] = -1
    with pytest.raises(ValueError, match="nobody else scores against 0, 1 "):
        ratings.elo(payoff)
    with pytest.raises(ValueError, match="nobody else scores against 2, 3, 4 "):
        ratings.elo(-payoff)
    assert ratings.elo(CYCLE) == pytest.approx(np.zeros(3))
    assert ratings.elo([[0.0]]) == [0]


def test_worst_prediction_has_the_largest_error_of_all_pairs():
    payoff = some_payoff(4)
    rating = ratings.elo(payoff)
    predicted, true = ratings.expected_scores(rating), (1 + payoff) / 2
    worst = ratings.worst_prediction(payoff, rating)
    pair = worst.player, worst.opponent
    assert worst.true - worst.predicted == pytest.approx((true - predicted).max())
    assert worst[2:] == pytest.approx((predicted[pair], true[pair]))


def test_nash_average_of_a_cycle_weights_each_by_the_others_match():
    a, b, c = 0.2, 0.5, 0.3
    cycle = np.array([[0, a, -b], [-a, 0, c], [b, -c, 0]])
    average = ratings.nash_average(cycle)
    assert average.probability == pytest.approx([c, b, a])  # which sum to 1
    assert average.unique
    assert average.rating == pytest.approx(np.zeros(3), abs=1e-12)


def test_nash_average_divides_the_probability_of_copies():
    twice = CYCLE[np.ix_([0, 0, 1, 2], [0, 0, 1, 2])]
    average = ratings.nash_average(twice)
    assert average.probability == pytest.approx([1 / 6, 1 / 6, 1 / 3, 1 / 3], abs=1e-7)
    assert not average.unique
    assert ratings.nash_average(np.zeros((4, 4))).probability.tolist() == [0.25] * 4


def has_largest_entropy(payoff, p):
    """Return whether no equilibrium q has a larger −Σ q ln p than p itself.

    For the concave entropy this is necessary and sufficient.
    """
    slope = np.where(p > 0, np.log(np.maximum(p, 1e-300)), 0)
    best = linprog(
        slope,
        A_ub=-payoff.T,
        b_ub=np.zeros(len(p)),
        A_eq=np.ones((1, len(p))),
        b_eq=[1],
        bounds=[(0, None)] * len(p),
    )
    return best.fun >= slope @ p - 1e-6


@pytest.mark.parametrize("seed", range(8))
def test_nash_average_is_an_equilibrium_of_largest_entropy(seed):
    payoff = np.sign(some_payoff(seed, 7)) * (rng(seed).random((7, 7)) < 0.4)
    payoff = np.triu(payoff) - np.triu(payoff).T
    average = ratings.nash_average(payoff)
    p = average.probability
    assert p.sum() == pytest.approx(1)
    assert p.min() >= 0
    assert (p @ payoff).min() >= -1e-6
    assert average.rating == pytest.approx(payoff @ p)
    for player in range(7):  # who is in some equilibrium is in this one
        one = linprog(
            -np.eye(7)[player], A_ub=-payoff.T, b_ub=np.zeros(7),
            A_eq=np.ones((1, 7)), b_eq=[1], bounds=[(0, None)] * 7,
        )  # fmt: skip
        assert (one.fun < -1e-6) == (p[player] > 0)
    assert has_largest_entropy(payoff, p)


def test_an_unbeaten_player_is_the_nash_average_against_a_weak_one():
    both = [search.perfect(game), uniform(game.legal)]
    payoff = ratings.mean_results(evaluation.cross_table(game, both, both))
    assert ratings.nash_average(payoff).probability.tolist() == [1, 0]


@pytest.mark.parametrize(
    "payoff", [CYCLE + 1, 2 * CYCLE, CYCLE[:2], np.abs(CYCLE), np.zeros((0, 0))]
)
def test_payoff_that_is_not_antisymmetric_or_too_large_is_rejected(payoff):
    with pytest.raises(ValueError, match="payoff: give mean results"):
        ratings.decompose(payoff)
