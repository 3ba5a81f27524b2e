"""Targets and updates by hand, and beside the values of `policy`."""

import numpy as np
import pytest
from common import game, rng
from hypothesis import given
from hypothesis import strategies as st
from learned import some_learner

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
from ttt_lib.policy import TIE, epsilon_greedy, greedy, max_q
from ttt_lib.policy import expected_q as expected_value

# Three states: two actions, one (the second cell), and the end.
COUNT = np.array([2, 1, 0])


ACTION = np.array([[0, 1], [1, -1], [-1, -1]])


Q = np.array([[0.5, -1.0], [0.0, 2.0], [0.0, 0.0]])


Q2 = np.array([[4.0, 3.0], [0.0, 1.0], [0.0, 0.0]])


V = np.array([0.5, -2.0, 0.0])


def test_targets_by_hand(either):
    known = COUNT, ACTION
    assert either(td_target)(V, 1.0, 0, 0.5) == 1.25
    assert either(td_target)(V, 1.0, 2, 0.5) == 1
    assert either(lambda_return)(V, 1.0, 1, 4.0, 0.5, 0.25) == 1 + 0.5 * (-1.5 + 1)
    assert either(monte_carlo_target)(-1.0, 0.5, 3) == -0.125
    assert either(monte_carlo_target)(-1.0, 0.5, 0) == -1
    assert either(sarsa_target)(Q, 1.0, 0, 1, 0.5) == 0.5
    assert either(q_learning_target)(Q, 1.0, 0, 0.5, *known) == 1.25
    assert either(q_learning_target)(Q - 5, 1.0, 0, 1.0, *known) == -3.5
    assert either(q_learning_target)(Q, 1.0, 1, 0.5, *known) == 2
    assert either(q_learning_target)(Q, 1.0, 2, 0.5, *known) == 1
    assert either(minimax_q_target)(Q, 1.0, 0, 0.5, *known) == 0.75
    assert either(minimax_q_target)(Q, 1.0, 2, 0.5, *known) == 1
    # ε = 0.2 of two actions: the best has 0.9.
    assert either(expected_sarsa_target)(Q, 1.0, 0, 1.0, 0.2, *known) == pytest.approx(
        1 + 0.9 * 0.5 - 0.1
    )
    assert either(expected_sarsa_target)(Q, 1.0, 2, 1.0, 0.2, *known) == 1
    # Q finds action 0 best in state 0, and Q2 says what it is worth; and the reverse.
    assert either(double_q_target)(Q, Q2, 1.0, 0, 0.5, *known) == 3
    assert either(double_q_target)(-Q, Q2, 1.0, 0, 0.5, *known) == 2.5
    assert either(double_q_target)(Q * 0, Q2, 1.0, 0, 0.5, *known) == 2.75
    assert either(double_q_target)(Q, Q2, 1.0, 2, 0.5, *known) == 1


def test_an_update_by_hand(either):
    table = Q.copy()
    assert either(update)(table, (0, 1), 1.0, 0.25) == (-1, 1, 2, -0.5)
    assert (table != Q).sum() == 1
    assert table[0, 1] == -0.5
    values = V.copy()
    assert either(update)(values, 0, 1.0, 0.5)._asdict() == {
        "old": 0.5,
        "target": 1,
        "delta": 0.5,
        "new": 0.75,
    }
    assert values.tolist() == [0.75, -2, 0]


@pytest.mark.parametrize("apart", [TIE / 2, TIE, 2 * TIE, -TIE / 2, -TIE, -2 * TIE])
def test_what_counts_as_equal_is_what_counts_for_a_policy(either, apart):
    judged, worth = np.array([[0.0, apart]]), np.array([[1.0, 3.0]])
    known = np.array([2]), np.array([[0, 1]])
    mean = expected_value(worth, greedy(judged, worth > 0))
    assert either(expected_q)(worth, judged, 0, 0.0, *known) == mean[0]


@given(st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_expected_sarsa_is_the_mean_of_sarsa(seed, epsilon):
    # Whole numbers, so that there are ties.
    table = rng(seed).integers(-2, 3, size=game.legal.shape) * game.legal.astype(float)
    known = game.count, game.action
    policy = epsilon_greedy(table, game.legal, epsilon)
    s = int(rng(seed).integers(len(game.code)))
    mean = sum(
        policy[s, a] * sarsa_target(table, 0.5, s, a, 0.9)
        for a in np.flatnonzero(game.legal[s])
    )
    mean = 0.5 if game.terminal[s] else mean
    found = expected_sarsa_target(table, 0.5, s, 0.9, epsilon, *known)
    assert found == pytest.approx(mean, abs=1e-12)


def test_the_loops_take_the_values_of_policy():
    table = some_learner(game, "sarsa").Q
    known = game.count, game.action
    for epsilon in (0, 0.3):
        policy = epsilon_greedy(table, game.legal, epsilon)
        found = [
            expected_q(table, table, s, float(epsilon), *known)
            for s in range(len(table))
        ]
        np.testing.assert_allclose(found, expected_value(table, policy), atol=1e-12)
    found = [q_learning_target(table, 0.0, s, 1.0, *known) for s in range(len(table))]
    assert (found == max_q(table, game.legal)).all()


KNOWN = COUNT, ACTION
OUT_OF_RANGE = {  # a call whose index lies just, and far, outside
    "update of V": lambda either, n: either(update)(V, 3 + n, 1.0, 0.5),
    "update of Q, s": lambda either, n: either(update)(Q, (3 + n, 0), 1.0, 0.5),
    "update of Q, a": lambda either, n: either(update)(Q, (0, 2 + n), 1.0, 0.5),
    "from the end": lambda either, n: either(update)(Q, (-4 - n, 0), 1.0, 0.5),
    "TD": lambda either, n: either(td_target)(V, 0.0, 3 + n, 1.0),
    "λ": lambda either, n: either(lambda_return)(V, 0.0, 3 + n, 0.0, 1.0, 0.5),
    "SARSA": lambda either, n: either(sarsa_target)(Q, 0.0, 0, 2 + n, 1.0),
    "expected SARSA": lambda either, n: either(expected_sarsa_target)(
        Q, 0.0, 3 + n, 1.0, 0.1, *KNOWN
    ),
    "Q": lambda either, n: either(q_learning_target)(Q, 0.0, 3 + n, 1.0, *KNOWN),
    "double Q": lambda either, n: either(double_q_target)(
        Q, Q[:1], 0.0, 1, 1.0, *KNOWN
    ),
    "minimax Q": lambda either, n: either(minimax_q_target)(
        Q, 0.0, -4 - n, 1.0, *KNOWN
    ),
    "mean": lambda either, n: either(expected_q)(Q, Q, 3 + n, 0.1, *KNOWN),
}


@pytest.mark.parametrize("call", OUT_OF_RANGE)
@pytest.mark.parametrize("far", [0, 10**6, 10**15])
def test_an_index_out_of_range_raises_and_changes_nothing(call, far):
    before = V.tobytes(), Q.tobytes()
    with pytest.raises(IndexError):
        OUT_OF_RANGE[call](lambda function: function, far)
    assert (V.tobytes(), Q.tobytes()) == before


def test_an_entry_below_zero_counts_from_the_end_as_in_python(either):
    values = V.copy()
    assert either(update)(values, -3, 1.0, 0.5).old == V[0]
    assert values[0] == 0.75


TARGETS = {  # of the position that follows
    "TD": lambda either, s: either(td_target)(V, 0.0, s, 1.0),
    "λ": lambda either, s: either(lambda_return)(V, 0.0, s, 0.0, 1.0, 0.5),
    "SARSA": lambda either, s: either(sarsa_target)(Q, 0.0, s, 0, 1.0),
    "expected SARSA": lambda either, s: either(expected_sarsa_target)(
        Q, 0.0, s, 1.0, 0.1, *KNOWN
    ),
    "Q": lambda either, s: either(q_learning_target)(Q, 0.0, s, 1.0, *KNOWN),
    "double Q": lambda either, s: either(double_q_target)(Q, Q, 0.0, s, 1.0, *KNOWN),
    "minimax Q": lambda either, s: either(minimax_q_target)(Q, 0.0, s, 1.0, *KNOWN),
    "mean": lambda either, s: either(expected_q)(Q, Q, s, 0.1, *KNOWN),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("s", [-1, np.int64(-1), -3, 3])
def test_where_an_illegal_move_leads_is_no_position(either, target, s):
    with pytest.raises(IndexError, match="s_next is no position: -1 is where an ill"):
        TARGETS[target](either, s)


@pytest.mark.parametrize("a", [-1, 2])
def test_a_next_cell_is_one_of_the_board(either, a):
    with pytest.raises(IndexError, match="a_next is no cell"):
        either(sarsa_target)(Q, 0.0, 0, a, 1.0)
