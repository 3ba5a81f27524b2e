import numpy as np
import pytest
from common import game, rng
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ttt_lib.policy import (
    LEARNED_ATOL,
    best,
    combine_sides,
    deterministic,
    epsilon_greedy,
    expected_q,
    greedy,
    greedy_pairs,
    max_q,
    mixture,
    sample_action,
    softmax,
    uniform,
)

# Three states of three actions: all legal, the middle one illegal, and a finished game.
LEGAL = np.array([[True, True, True], [True, False, True], [False, False, False]])
Q = np.array([[1.0, 3.0, 3.0], [-2.0, 9.0, -1.0], [5.0, 5.0, 5.0]])

VALUES = arrays(float, (3, 3), elements=st.floats(-1e6, 1e6))


@settings(max_examples=60)
@given(q=VALUES)
def test_policies_are_distributions_over_legal_actions(q):
    for policy in (
        uniform(LEGAL),
        greedy(q, LEGAL),
        greedy(q, LEGAL, "lowest"),
        epsilon_greedy(q, LEGAL, 0.1),
        softmax(q, LEGAL, 0.5),
        mixture(0.9, greedy(q, LEGAL), uniform(LEGAL)),
    ):
        assert (policy >= 0).all()
        assert not policy[~LEGAL].any()
        assert policy.sum(axis=1) == pytest.approx([1, 1, 0])
    assert expected_q(q, greedy(q, LEGAL)) == pytest.approx(
        max_q(q, LEGAL), abs=2 * LEARNED_ATOL
    )
    assert softmax(q, LEGAL, 1e12) == pytest.approx(uniform(LEGAL), abs=1e-5)
    # Gaps of at least one: at a temperature of .01 the best takes all.
    rounded = np.round(q)
    assert softmax(rounded, LEGAL, 0.01) == pytest.approx(greedy(rounded, LEGAL))


def test_policies_of_a_hand_computed_example():
    none = [0, 0, 0]
    assert greedy(Q, LEGAL).tolist() == [[0, 0.5, 0.5], [0, 0, 1], none]
    assert greedy(Q, LEGAL, "lowest").tolist() == [[0, 1, 0], [0, 0, 1], none]
    assert best(Q, LEGAL).tolist() == [[0, 1, 1], [0, 0, 1], none]
    assert max_q(Q, LEGAL).tolist() == [3, -1, 0]
    assert expected_q(Q, uniform(LEGAL)) == pytest.approx([7 / 3, -1.5, 0])
    assert epsilon_greedy(Q, LEGAL, 0.3, "lowest")[0] == pytest.approx([0.1, 0.8, 0.1])
    p = 1 / (1 + np.exp(-0.5))
    assert softmax(Q, LEGAL, 2)[1] == pytest.approx([1 - p, 0, p])
    assert deterministic([2, 0, 7], LEGAL).tolist() == [[0, 0, 1], [1, 0, 0], none]
    # A teacher of level p is perfect with probability p.
    perfect, other = greedy(Q, LEGAL), uniform(LEGAL)
    assert (mixture(1, perfect, other) == perfect).all()
    assert (mixture(0, perfect, other) == other).all()
    assert mixture(0.5, perfect, other)[1] == pytest.approx([0.25, 0, 0.75])


@settings(max_examples=60)
@given(st.lists(st.lists(st.integers(-2, 2), min_size=1, max_size=4), min_size=1))
def test_greedy_pairs_normalises_each_state(rows):
    first = np.cumsum([0, *map(len, rows)])
    shares = greedy_pairs(first, np.concatenate(rows).astype(float))
    for row, share in zip(rows, np.split(shares, first[1:-1]), strict=True):
        assert share.tolist() == [(x == max(row)) / row.count(max(row)) for x in row]


def test_greedy_treats_small_differences_as_ties():
    near = Q + LEARNED_ATOL / 2 * np.array([0, 0, 1])
    assert greedy(near, LEGAL).tolist() == greedy(Q, LEGAL).tolist()
    far = Q + 2 * LEARNED_ATOL * np.array([0, 0, 1])
    assert greedy(far, LEGAL)[0].tolist() == [0, 0, 1]


@pytest.mark.parametrize(("worst", "temperature"), [(-1e308, 1.0), (-1.0, 1e-320)])
def test_softmax_does_not_overflow(worst, temperature):
    q = np.array([[1e308, worst, 1e308], [worst, worst, 1e308], [0, 0, 0]])
    assert (softmax(q, LEGAL, temperature) == greedy(q, LEGAL)).all()


@given(st.integers(0, 2**32 - 1), st.lists(st.integers(0, 3), min_size=1, max_size=5))
@example(0, [0, 0])
def test_sample_action_inverts_cumulative_probabilities(seed, weights):
    threshold = rng(seed).random()
    n = len(weights)
    cells, counts = np.arange(n)[np.newaxis, ::-1], np.array([n])
    if sum(weights):
        chances = np.array(weights) / sum(weights)
    else:  # a cumulative probability equal to the threshold: the next move
        chances = np.append(threshold, np.full(n, (1 - threshold) / n))[:n]
    index = sample_action(chances[np.newaxis, ::-1], 0, counts, cells, rng(seed))
    below = [chances[: i + 1].sum() <= threshold for i in range(n - 1)]
    assert index == sum(below)


def test_combine_sides_takes_each_row_from_its_player():
    one, two = np.full(game.legal.shape, 1), np.full(game.legal.shape, 2)
    policy = combine_sides(one, two, game.to_move)
    assert (policy[game.to_move == 1] == 1).all()
    assert (policy[game.to_move == -1] == 2).all()
