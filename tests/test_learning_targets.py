"""Targets and updates by hand, and beside the values of `policy`."""

import numpy as np
import pytest
from common import game
from learner_fixtures import some_learner

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
from ttt_lib.policy import LEARNED_ATOL, epsilon_greedy, greedy, max_q
from ttt_lib.policy import expected_q as expected_value

# Three states: two actions, one (the second cell), and the end.
COUNT = np.array([2, 1, 0])
ACTION = np.array([[0, 1], [1, -1], [-1, -1]])
KNOWN = COUNT, ACTION
Q = np.array([[0.5, -1.0], [0.0, 2.0], [0.0, 0.0]])
Q2 = np.array([[4.0, 3.0], [0.0, 1.0], [0.0, 0.0]])
V = np.array([0.5, -2.0, 0.0])


def test_targets_by_hand(either):
    for value, function, *arguments in (
        (1.25, td_target, V, 1.0, 0, 0.5),
        (1, td_target, V, 1.0, 2, 0.5),
        (0.75, lambda_return, V, 1.0, 1, 4.0, 0.5, 0.25),  # 1 + γ ((1 − λ) (−2) + λ 4)
        (-0.125, monte_carlo_target, -1.0, 0.5, 3),
        (-1, monte_carlo_target, -1.0, 0.5, 0),
        (0.5, sarsa_target, Q, 1.0, 0, 1, 0.5),
        (1.25, q_learning_target, Q, 1.0, 0, 0.5, *KNOWN),
        (-3.5, q_learning_target, Q - 5, 1.0, 0, 1.0, *KNOWN),
        (2, q_learning_target, Q, 1.0, 1, 0.5, *KNOWN),
        (1, q_learning_target, Q, 1.0, 2, 0.5, *KNOWN),
        (0.75, minimax_q_target, Q, 1.0, 0, 0.5, *KNOWN),
        (1, minimax_q_target, Q, 1.0, 2, 0.5, *KNOWN),
        # ε = 0.2 of two actions: the best has 0.9.
        (1.35, expected_sarsa_target, Q, 1.0, 0, 1.0, 0.2, *KNOWN),
        (1, expected_sarsa_target, Q, 1.0, 2, 1.0, 0.2, *KNOWN),
        # Q finds action 0 best in state 0, and Q2 says what it is worth; the reverse.
        (3, double_q_target, Q, Q2, 1.0, 0, 0.5, *KNOWN),
        (2.5, double_q_target, -Q, Q2, 1.0, 0, 0.5, *KNOWN),
        (2.75, double_q_target, Q * 0, Q2, 1.0, 0, 0.5, *KNOWN),
        (1, double_q_target, Q, Q2, 1.0, 2, 0.5, *KNOWN),
    ):
        assert either(function)(*arguments) == pytest.approx(value, abs=1e-15)


def test_an_update_by_hand(either):
    table = Q.copy()
    assert either(update)(table, (0, 1), 1.0, 0.25) == (-1, 1, 2, -0.5)
    assert (table != Q).sum() == 1
    assert table[0, 1] == -0.5
    values = V.copy()
    named = {"old": 0.5, "target": 1, "delta": 0.5, "new": 0.75}
    assert either(update)(values, 0, 1.0, 0.5)._asdict() == named
    assert values.tolist() == [0.75, -2, 0]


@pytest.mark.parametrize(
    "apart",
    [
        LEARNED_ATOL / 2,
        LEARNED_ATOL,
        2 * LEARNED_ATOL,
        -LEARNED_ATOL / 2,
        -LEARNED_ATOL,
        -2 * LEARNED_ATOL,
    ],
)
def test_what_counts_as_equal_is_what_counts_for_a_policy(either, apart):
    judged, worth = np.array([[0.0, apart]]), np.array([[1.0, 3.0]])
    known = np.array([2]), np.array([[0, 1]])
    mean = expected_value(worth, greedy(judged, worth > 0))
    assert either(expected_q)(worth, judged, 0, 0.0, *known) == mean[0]


def test_the_loops_take_the_values_of_policy():
    table = some_learner(game, "sarsa").Q
    known = game.count, game.action
    for epsilon in (0, 0.3):
        policy = epsilon_greedy(table, game.legal, epsilon)
        here = range(len(table))
        found = [expected_q(table, table, s, float(epsilon), *known) for s in here]
        np.testing.assert_allclose(found, expected_value(table, policy), atol=1e-12)
    found = [q_learning_target(table, 0.0, s, 1.0, *known) for s in here]
    assert (found == max_q(table, game.legal)).all()


def calls(s):
    """Return a call of each target, of the position that follows."""
    return {
        "TD": (td_target, V, 0.0, s, 1.0),
        "λ": (lambda_return, V, 0.0, s, 0.0, 1.0, 0.5),
        "SARSA": (sarsa_target, Q, 0.0, s, 0, 1.0),
        "expected SARSA": (expected_sarsa_target, Q, 0.0, s, 1.0, 0.1, *KNOWN),
        "Q": (q_learning_target, Q, 0.0, s, 1.0, *KNOWN),
        "double Q": (double_q_target, Q, Q, 0.0, s, 1.0, *KNOWN),
        "minimax Q": (minimax_q_target, Q, 0.0, s, 1.0, *KNOWN),
        "mean": (expected_q, Q, Q, s, 0.1, *KNOWN),
    }


@pytest.mark.parametrize("target", calls(0))
def test_where_an_illegal_move_leads_is_no_position(either, target):
    for s in (-1, np.int64(-1), -3, 3):
        function, *arguments = calls(s)[target]
        with pytest.raises(IndexError, match="s_next is no position: -1 is where an"):
            either(function)(*arguments)


@pytest.mark.parametrize("far", [0, 10**6, 10**15])
def test_an_index_out_of_range_raises_and_changes_nothing(far):
    before, far_off = (V.tobytes(), Q.tobytes()), calls(3 + far) | calls(-4 - far)
    for function, *arguments in (
        (update, V, 3 + far, 1.0, 0.5),
        (update, Q, (3 + far, 0), 1.0, 0.5),
        (update, Q, (0, 2 + far), 1.0, 0.5),
        (update, Q, (-4 - far, 0), 1.0, 0.5),
        (sarsa_target, Q, 0.0, 0, 2 + far, 1.0),
        (double_q_target, Q, Q[:1], 0.0, 1, 1.0, *KNOWN),
        *far_off.values(),
    ):
        with pytest.raises(IndexError):
            function(*arguments)
    assert (V.tobytes(), Q.tobytes()) == before


def test_an_entry_below_zero_counts_from_the_end_as_in_python(either):
    values = V.copy()
    assert either(update)(values, -3, 1.0, 0.5).old == V[0]
    assert values[0] == 0.75


@pytest.mark.parametrize("a", [-1, 2])
def test_a_next_cell_is_one_of_the_board(either, a):
    with pytest.raises(IndexError, match="a_next is no cell"):
        either(sarsa_target)(Q, 0.0, 0, a, 1.0)
