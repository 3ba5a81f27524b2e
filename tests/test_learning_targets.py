"""Targets and updates, compared with hand calculations and with `policy`."""

import numpy as np
import pytest

from ttt_lib.learning import (
    double_q_target,
    expected_q,
    expected_sarsa_target,
    lambda_return,
    minimax_q_target,
    monte_carlo_target,
    q_learning_target,
    sarsa_target,
    td_target,
    update,
)
from ttt_lib.policy import LEARNED_ATOL, greedy
from ttt_lib.policy import expected_q as expected_value

# Three states: two actions, one (the second cell), and the end.
COUNT = np.array([2, 1, 0])
ACTION = np.array([[0, 1], [1, -1], [-1, -1]])
LEGAL = COUNT, ACTION
Q = np.array([[0.5, -1.0], [0.0, 2.0], [0.0, 0.0]])
Q2 = np.array([[4.0, 3.0], [0.0, 1.0], [0.0, 0.0]])
V = np.array([0.5, -2.0, 0.0])


def test_targets_match_hand_calculation(either):
    for value, function, *arguments in (
        (1.25, td_target, V, 1.0, 0, 0.5),
        (1, td_target, V, 1.0, 2, 0.5),
        (0.75, lambda_return, V, 1.0, 1, 4.0, 0.5, 0.25),  # 1 + γ ((1 − λ) (−2) + λ 4)
        (-0.125, monte_carlo_target, -1.0, 0.5, 3),
        (-1, monte_carlo_target, -1.0, 0.5, 0),
        (0.5, sarsa_target, Q, 1.0, 0, 1, 0.5),
        (1.25, q_learning_target, Q, 1.0, 0, 0.5, *LEGAL),
        (-3.5, q_learning_target, Q - 5, 1.0, 0, 1.0, *LEGAL),
        (2, q_learning_target, Q, 1.0, 1, 0.5, *LEGAL),
        (1, q_learning_target, Q, 1.0, 2, 0.5, *LEGAL),
        (0.75, minimax_q_target, Q, 1.0, 0, 0.5, *LEGAL),
        (1, minimax_q_target, Q, 1.0, 2, 0.5, *LEGAL),
        # ε = 0.2 of two actions: the best has 0.9.
        (1.35, expected_sarsa_target, Q, 1.0, 0, 1.0, 0.2, *LEGAL),
        (1, expected_sarsa_target, Q, 1.0, 2, 1.0, 0.2, *LEGAL),
        # Q selects action 0 in state 0, and Q2 evaluates it; with −Q it is action 1.
        (3, double_q_target, Q, Q2, 1.0, 0, 0.5, *LEGAL),
        (2.5, double_q_target, -Q, Q2, 1.0, 0, 0.5, *LEGAL),
        (2.75, double_q_target, Q * 0, Q2, 1.0, 0, 0.5, *LEGAL),
        (1, double_q_target, Q, Q2, 1.0, 2, 0.5, *LEGAL),
    ):
        assert either(function)(*arguments) == pytest.approx(value, abs=1e-15)


def test_update_matches_hand_calculation(either):
    table = Q.copy()
    assert either(update)(table, (0, 1), 1.0, 0.25) == (-1, 1, 2, -0.5)
    assert (table != Q).sum() == 1
    assert table[0, 1] == -0.5
    values = V.copy()
    named = {"old": 0.5, "target": 1, "delta": 0.5, "new": 0.75}
    assert either(update)(values, 0, 1.0, 0.5)._asdict() == named
    assert values.tolist() == [0.75, -2, 0]


@pytest.mark.parametrize("times", [0.5, 1, 2, -0.5, -1, -2])
def test_expected_q_has_the_tolerance_of_greedy(either, times):
    Q_policy, Q = np.array([[0.0, times * LEARNED_ATOL]]), np.array([[1.0, 3.0]])
    legal = np.array([2]), np.array([[0, 1]])
    mean = expected_value(Q, greedy(Q_policy, Q > 0))
    assert either(expected_q)(Q, Q_policy, 0, 0.0, *legal) == mean[0]


def calls(s):
    """Return a call of each target, with next state s."""
    return {
        "TD": (td_target, V, 0.0, s, 1.0),
        "λ": (lambda_return, V, 0.0, s, 0.0, 1.0, 0.5),
        "SARSA": (sarsa_target, Q, 0.0, s, 0, 1.0),
        "expected SARSA": (expected_sarsa_target, Q, 0.0, s, 1.0, 0.1, *LEGAL),
        "Q": (q_learning_target, Q, 0.0, s, 1.0, *LEGAL),
        "double Q": (double_q_target, Q, Q, 0.0, s, 1.0, *LEGAL),
        "minimax Q": (minimax_q_target, Q, 0.0, s, 1.0, *LEGAL),
        "mean": (expected_q, Q, Q, s, 0.1, *LEGAL),
    }


@pytest.mark.parametrize("target", calls(0))
def test_targets_reject_states_that_are_not_positions(either, target):
    for s in (-1, np.int64(-1), -3, 3):
        function, *arguments = calls(s)[target]
        with pytest.raises(
            IndexError, match="s_next is not a position: -1 is where an"
        ):
            either(function)(*arguments)


@pytest.mark.parametrize("far", [0, 10**6, 10**15])
def test_index_out_of_range_raises_and_changes_nothing(far):
    before, out_of_range = (V.tobytes(), Q.tobytes()), calls(3 + far) | calls(-4 - far)
    for function, *arguments in (
        (update, V, 3 + far, 1.0, 0.5),
        (update, Q, (3 + far, 0), 1.0, 0.5),
        (update, Q, (0, 2 + far), 1.0, 0.5),
        (update, Q, (-4 - far, 0), 1.0, 0.5),
        (sarsa_target, Q, 0.0, 0, 2 + far, 1.0),
        (double_q_target, Q, Q[:1], 0.0, 1, 1.0, *LEGAL),
        *out_of_range.values(),
    ):
        with pytest.raises(IndexError):
            function(*arguments)
    assert (V.tobytes(), Q.tobytes()) == before


def test_negative_index_counts_from_the_end(either):
    values = V.copy()
    assert either(update)(values, -3, 1.0, 0.5).old == V[0]
    assert values[0] == 0.75


@pytest.mark.parametrize("a", [-1, 2])
def test_sarsa_target_rejects_cell_outside_the_board(either, a):
    with pytest.raises(IndexError, match="a_next is not a cell"):
        either(sarsa_target)(Q, 0.0, 0, a, 1.0)
