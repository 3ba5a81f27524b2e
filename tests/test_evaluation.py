from fractions import Fraction

import numpy as np
import oracle
import pytest
from common import game, same, some_policy, sparse_policy, wide

from ttt_lib import evaluation, search
from ttt_lib.evaluation import (
    best_response,
    reachable_against_any,
    result,
    win_draw_loss,
)
from ttt_lib.game import tables
from ttt_lib.policy import combine_sides, uniform

random_play = uniform(game.legal)


def slow_random_play(board, k):
    """Return exact (win, draw, loss) of player 1 when both play at random."""
    after = oracle.moves(board, k).values()
    if not after:
        won = oracle.winners(board, k)
        return Fraction("1" in won), Fraction(not won), Fraction("2" in won)
    below = [slow_random_play(each, k) for each in after]
    return tuple(sum(column) / len(below) for column in zip(*below, strict=True))


@pytest.mark.parametrize("size", [(2, 2, 2), (1, 5, 3), (2, 3, 3), (3, 3, 2)])
def test_random_play_matches_exact_fractions(size):
    g, empty = tables(*size), oracle.empty(*size[:2])
    exact = [float(x) for x in slow_random_play(empty, size[2])]
    policy = uniform(g.legal)
    assert win_draw_loss(g, policy, policy)[0] == pytest.approx(exact, abs=1e-13)


def test_win_draw_loss_satisfies_the_bellman_equation():
    policy = combine_sides(some_policy(game, 2), some_policy(game, 3), game.to_move)
    W = win_draw_loss(game, policy, policy)
    assert (W >= 0).all()
    assert W.sum(axis=1) == pytest.approx(1)
    for s in np.flatnonzero(~game.terminal)[::37]:
        cells = np.flatnonzero(game.legal[s])
        assert W[s] == pytest.approx(policy[s, cells] @ W[game.next[s, cells]])


def test_error_rate_is_one_minus_share_optimal():
    policy = some_policy(game, 9)
    for side in (+1, -1):
        reachable = reachable_against_any(game, policy, side)
        optimal = evaluation.share_optimal(game, policy, reachable)
        errors = evaluation.error_rate(game, policy, side)
        assert optimal.share + errors.share == pytest.approx(1)
        assert optimal.positions == errors.positions == reachable.sum()
        assert 0 < errors.share < 1


def test_share_optimal_rejects_invalid_rows():
    policy, s = some_policy(wide, 9), int(np.flatnonzero(~wide.terminal)[-1])
    usual, elsewhere = policy[s].copy(), ~wide.terminal & (wide.code != wide.code[s])
    share = evaluation.share_optimal(wide, policy, elsewhere)
    for row in (usual / 2, usual + 0.2 * ~wide.legal[s], 0 * usual):
        policy[s] = row
        with pytest.raises(ValueError, match="policy has a row"):
            evaluation.share_optimal(wide, policy)
        assert evaluation.share_optimal(wide, policy, elsewhere) == share


def slow_response(g, s, opponent, side, rewards, among):
    """Return the value of a position by recursion, and that of each legal action."""
    if g.terminal[s]:
        return 0.0, {}
    values = {}
    for a in np.flatnonzero(g.legal[s]).tolist():
        after = g.next[s, a]
        reward = rewards[1 - side * g.outcome[after]] if g.terminal[after] else 0
        values[a] = slow_response(g, after, opponent, side, rewards, among)[0] + reward
    if g.to_move[s] == side:
        return max(q for a, q in values.items() if among[s, a]), values
    return sum(opponent[s, a] * q for a, q in values.items()), {}


@pytest.mark.parametrize("side", [+1, -1])
@pytest.mark.parametrize("rewards", [(1, 0, -1), (2, 0.5, -3)])
def test_best_response_matches_a_plain_recursion(side, rewards):
    opponent, mask = sparse_policy(wide, 3), sparse_policy(wide, 4) > 0
    for among in (None, mask):
        allowed = wide.legal if among is None else among
        response = best_response(wide, opponent, side, rewards, among, "lowest")
        for s in range(len(wide.code)):
            V, Q = slow_response(wide, s, opponent, side, rewards, allowed)
            assert response.V[s] == pytest.approx(V)
            cells = [a for a in Q if allowed[s, a] and Q[a] == pytest.approx(V)]
            assert response.Q[s, list(Q)] == pytest.approx(list(Q.values()))
            assert np.flatnonzero(response.policy[s]).tolist() == cells[:1]


@pytest.mark.parametrize(
    "function", [win_draw_loss, evaluation.reach, evaluation.value_lost]
)
def test_rows_of_the_other_side_are_not_checked(function):
    good, s = uniform(wide.legal), {+1: 0, -1: int(wide.next[0, 0])}
    for index, side in enumerate((+1, -1)):
        bad = good.copy()
        bad[s[side]] = 0
        pair = [good, good]
        pair[1 - index] = bad  # of the player who does not move there
        assert same(function(wide, *pair), function(wide, good, good))
        pair = [good, good]
        pair[index] = bad
        with pytest.raises(ValueError, match=f"position {s[side]}"):
            function(wide, *pair)


@pytest.mark.parametrize("g", [game, wide])
def test_match_value_is_game_value_plus_values_lost_by_the_second_player(g):
    first, second = some_policy(g, 0), sparse_policy(g, 10)
    lost = evaluation.value_lost(g, first, second)
    by_first, by_second = (lost[g.to_move == side].sum() for side in (+1, -1))
    value = search.solve(g).V[0] + by_second - by_first
    assert result(g, first, second).value == pytest.approx(value)


def test_reachable_against_any_matches_a_graph_search():
    policy = sparse_policy(wide, 5)
    for side in (+1, -1):
        reached, waiting = set(), [0]
        while waiting:
            s = waiting.pop()
            if s not in reached:
                reached.add(s)
                may = wide.legal[s] & ((wide.to_move[s] != side) | (policy[s] > 0))
                waiting += wide.next[s, may].tolist()
        decided = (wide.to_move == side) & ~wide.terminal
        expected = {s for s in reached if decided[s]}
        assert (
            set(np.flatnonzero(reachable_against_any(wide, policy, side))) == expected
        )
