"""Minimax and alpha-beta against plain recursions, and their invariants."""

from functools import cache

import numpy as np
import oracle
import pytest
from common import game
from hypothesis import given, settings
from hypothesis import strategies as st

from ttt_lib.game import tables
from ttt_lib.policy import best
from ttt_lib.search import (
    alpha_beta,
    minimax,
    minimax_on_tables,
    minimax_with_memory,
    most_lines_first,
    perfect,
    principal_variation,
    solve,
)

SEARCHES = (minimax, minimax_on_tables, minimax_with_memory, alpha_beta)
SIZES = [
    (rows, columns, k)
    for rows in range(1, 5)
    for columns in range(1, 9)
    for k in range(1, max(rows, columns) + 1)
    if rows * columns <= 8
]


@cache
def slow_end(board, k):
    """Return (outcome, plies) if winners win early and losers lose late."""
    after = oracle.moves(board, k).values()
    if not after:
        won = oracle.winners(board, k)
        return ("1" in won) - ("2" in won), 0
    sign = 1 if oracle.mover(board) == "1" else -1
    ends = [slow_end(each, k) for each in after]
    # The best outcome; of wins the shortest, of losses the longest.
    outcome, plies = max(ends, key=lambda end: (sign * end[0], -sign * end[0] * end[1]))
    return outcome, plies + 1


def test_number_of_nodes_of_tree_and_positions():
    assert minimax(game) == minimax_on_tables(game) == (0, 549_946)
    assert minimax_with_memory(game) == (0, len(game.code)) == (0, 5478)


@settings(deadline=None, max_examples=50)
@given(st.sampled_from(SIZES), st.data())
def test_searches_match_the_oracle(size, data):
    g = tables(*size)
    board = data.draw(st.sampled_from(sorted(oracle.reachable(*size))))
    s = g.find(oracle.text(board))
    value, plies = slow_end(board, size[2])
    assert {search_(g, s).value for search_ in SEARCHES} == {value}
    if plies:
        for gamma in (1, 0.9):
            at_once = value * gamma ** (plies - 1)
            assert solve(g, gamma).V[s] == pytest.approx(at_once, abs=1e-14)


@settings(deadline=None, max_examples=20)
@given(st.permutations(range(9)))
def test_alpha_beta_prunes_with_every_order(order):
    result = alpha_beta(game, order=order)
    assert result.value == 0
    # Even with the best order it visits about the square root of the tree.
    assert 549_946**0.5 < result.nodes < 549_946 / 10


def test_alpha_beta_order_needs_all_legal_cells():
    s = game.find("XOX/OO./.X.")
    result = alpha_beta(game, s, [5, 6, 8])
    assert result == alpha_beta(game, s, range(9))
    with pytest.raises(ValueError, match="order = "):
        alpha_beta(game, s, [5, 6])


def test_alpha_beta_nodes_match_a_plain_recursion():
    def slow_nodes(s, alpha, beta, order):
        """Return value and nodes, both from the side of the player to move."""
        if game.terminal[s]:
            return game.to_move[s] * game.outcome[s], 1
        largest, nodes = -9, 1
        for a in order:
            if game.legal[s, a] and alpha < beta:
                value, below = slow_nodes(game.next[s, a], -beta, -alpha, order)
                largest, nodes = max(largest, -value), nodes + below
                alpha = max(alpha, largest)
        return largest, nodes

    for order in (range(9), lines_first := most_lines_first(game)):
        assert alpha_beta(game, order=order) == slow_nodes(0, -9, 9, order)
    assert alpha_beta(game, order=lines_first).nodes < alpha_beta(game).nodes
    assert lines_first.tolist() == [4, 0, 2, 6, 8, 1, 3, 5, 7]


def test_solve_has_no_negative_zero():
    for values in solve(game, 0.9):
        assert not np.signbit(values[values == 0]).any(), "pages would print -0.0"


def test_perfect_takes_only_best_moves():
    Q = solve(game).Q
    for ties in ("uniform", "lowest"):
        assert not perfect(game, ties=ties)[~best(Q, game.legal)].any()
    assert ((perfect(game) > 0) == best(Q, game.legal)).all()


def test_discounted_perfect_play_wins_at_once():
    wins = np.zeros(game.legal.shape, dtype=bool)
    s, a = np.nonzero(game.legal)
    wins[s, a] = game.outcome[game.next[s, a]] != 0
    can_win = wins.any(axis=1)
    discounted, undiscounted = perfect(game, 0.9), perfect(game)
    assert discounted[can_win][~wins[can_win]].sum() == 0
    assert undiscounted[can_win][~wins[can_win]].sum() > 0


def test_the_principal_variation_keeps_the_value():
    V, Q = solve(game)
    value = game.outcome + V
    for s in range(0, len(game.code), 29):
        for order in (None, most_lines_first(game)):
            positions, actions = principal_variation(game, Q, s, order)
            for here, a, after in zip(positions, actions, positions[1:], strict=False):
                assert game.next[here, a] == after
                assert Q[here, a] == Q[here, game.legal[here]].max()
            assert len(positions) == len(actions) + 1
            assert game.outcome[positions[-1]] == value[s]
    assert principal_variation(game, Q)[1][:2] == [0, 4]  # every first move draws
    assert principal_variation(game, Q, order=most_lines_first(game))[1][:2] == [4, 0]
