"""Fictitious play and CFR: against recursions, evaluation, and the theorems."""

import numpy as np
import pytest
from common import game, same, some_policy, wide

from ttt_lib import evaluation, regret
from ttt_lib.game import tables
from ttt_lib.policy import uniform

METHODS = regret.cfr, regret.fictitious_play
DELTA = 2  # range of outcomes


def unrolled(g):
    """Return the tables of a game in which every history is a position of its own."""
    position, parents, actions, layer = [0], [], [], [0]
    while layer:
        below = []
        for node in layer:
            for a in np.flatnonzero(g.legal[position[node]]):
                below.append(len(position))
                position.append(int(g.next[position[node], a]))
                parents.append(node)
                actions.append(a)
        layer = below
    next_ = np.full((len(position), g.legal.shape[1]), -1, dtype=g.next.dtype)
    next_[parents, actions] = np.arange(1, len(position))
    successor = np.full(next_.shape, -1, dtype=next_.dtype)
    for node, s in enumerate(position):
        cells = g.action[s, : g.count[s]]
        successor[node, : len(cells)] = next_[node, cells]
    fields = "board", "to_move", "legal", "terminal", "outcome", "count", "action"
    others = {name: getattr(g, name)[position] for name in fields}
    others |= {"code": np.arange(len(position)), "next": next_, "successor": successor}
    for table in others.values():
        table.setflags(write=False)  # as in `game`, so that no loop is compiled again
    return g._replace(**others)


tree = unrolled(wide)


def paths(g, policy):
    """Return (S, 2) how likely each side's own moves lead to s, by all paths."""
    plans = np.zeros((len(g.code), 2))

    def walk(s, first, second):
        plans[s] += first, second
        for a in np.flatnonzero(g.legal[s]):
            own, other = (policy[s, a], 1) if g.to_move[s] == 1 else (1, policy[s, a])
            walk(g.next[s, a], first * own, second * other)

    walk(0, 1.0, 1.0)
    return plans


@pytest.mark.parametrize("g", [wide, tree])
def test_counterfactual_regret_matches_the_sum_over_all_paths(g):
    policy = some_policy(g, 1)
    ends = evaluation.win_draw_loss(g, policy, policy)
    V, plans = ends[:, 0] - ends[:, 2], paths(g, policy)
    expected = np.zeros(g.legal.shape)
    for s, a in np.argwhere(g.legal):
        others = plans[s, 1 if g.to_move[s] == 1 else 0]
        expected[s, a] = g.to_move[s] * others * (V[g.next[s, a]] - V[s])
    actual = regret.counterfactual_regret(g, policy)
    assert actual == pytest.approx(expected)
    assert (policy * actual).sum(axis=1) == pytest.approx(np.zeros(len(g.code)))


@pytest.mark.parametrize("method", METHODS)
def test_result_is_that_of_the_iterates_one_by_one(method):
    runs = [method(wide, n) for n in range(1, 6)]
    plan, total = np.zeros((2, *wide.legal.shape))
    for n, run in enumerate(runs, 1):
        plans = paths(wide, run.last)
        plan += np.where(wide.to_move == 1, *plans.T)[:, None] * run.last
        total += regret.counterfactual_regret(wide, run.last)
        assert run.regret == pytest.approx(total)
        mean = regret.regret_matching(plan, wide.legal)
        assert run.average == pytest.approx(mean)
        for policy, of_run in zip(run[:2], run[3:], strict=True):
            assert of_run.shape == (n, 2)
            exact = evaluation.exploitability(wide, policy)[:2]
            assert of_run[-1] == pytest.approx(exact, abs=1e-12)
        assert same(run.average_exploitability, runs[-1].average_exploitability[:n])


@pytest.mark.parametrize("method", METHODS)
def test_next_iterate_is_the_best_response_or_regret_matching(method):
    assert same(method(wide, 1).last, uniform(wide.legal))
    before, after = method(wide, 4), method(wide, 5)
    if method is regret.cfr:
        assert same(after.last, regret.regret_matching(before.regret, wide.legal))
        return
    for side in (+1, -1):
        answer = evaluation.best_response(wide, before.average, side).policy
        mine = wide.to_move == side
        assert same(after.last[mine], answer[mine])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("side", [+1, -1])
def test_average_in_the_tree_has_the_mean_result_of_the_iterates(method, side):
    opponent, T = some_policy(tree, 2), 6
    runs = [method(tree, n) for n in range(1, T + 1)]
    results = [evaluation.result(tree, run.last, opponent, side) for run in runs]
    result = evaluation.result(tree, runs[-1].average, opponent, side)
    assert result == pytest.approx(np.mean(results, axis=0))


@pytest.mark.parametrize("method", METHODS)
def test_exploitability_in_the_tree_is_at_most_the_sum_of_positive_regrets(method):
    for T in (1, 2, 3, 10, 30):
        run = method(tree, T)
        bound = np.maximum(run.regret.max(axis=1), 0).sum() / T
        assert run.average_exploitability[-1].sum() <= bound + 1e-12


@pytest.mark.parametrize("g", [tree, unrolled(tables(2, 2, 2))])
def test_regrets_of_cfr_in_the_tree_grow_at_most_with_the_square_root(g):
    for T in (1, 4, 25, 100):
        largest = regret.cfr(g, T).regret.max(axis=1)
        assert (largest <= DELTA * np.sqrt(g.count * T) + 1e-12).all()


@pytest.mark.parametrize("method", METHODS)
def test_average_in_the_tree_is_at_most_as_exploitable_as_the_mean_iterate(method):
    run, T = method(tree, 30), np.arange(1, 31)[:, np.newaxis]
    means = run.last_exploitability.cumsum(axis=0) / T
    assert (run.average_exploitability <= means + 1e-12).all()


def test_average_on_positions_can_be_more_exploitable_than_the_mean_iterate():
    run = regret.fictitious_play(game, 30)
    means = run.last_exploitability.mean(axis=0)
    assert (run.average_exploitability[-1] > 1.2 * means).all()


@pytest.mark.parametrize("method", METHODS)
def test_iterates_on_the_usual_board_become_perfect_and_averages_fall_with_1_over_t(
    method,
):
    # On positions, not in the tree, this is measured and not proved.
    run = method(game, 100)
    assert run.last_exploitability[9:] == pytest.approx(np.zeros((91, 2)), abs=1e-12)
    assert (run.last_exploitability[1:5].sum(axis=1) > 0.1).all()
    halved = run.average_exploitability[99] / run.average_exploitability[49]
    assert halved == pytest.approx([0.5, 0.5], abs=0.02)


def test_ties_of_fictitious_play_change_its_iterates():
    lowest = regret.fictitious_play(wide, 5, ties="lowest")
    assert set(np.unique(lowest.last)) == {0, 1}
    assert not same(lowest, regret.fictitious_play(wide, 5))


def test_regret_matching_ignores_illegal_and_negative_regrets():
    legal = np.array([[True, True, False], [True, False, True], [False, False, False]])
    numbers = np.array([[1.0, 3, 9], [-1, 9, -2], [5, 5, 5]])
    policy = regret.regret_matching(numbers, legal)
    assert policy.tolist() == [[0.25, 0.75, 0], [0.5, 0, 0.5], [0, 0, 0]]


def test_compiled_and_plain_loops_are_bit_identical(uncompiled):
    def everything():
        return [method(wide, 4) for method in METHODS]

    compiled = everything()
    uncompiled(regret)
    assert same(compiled, everything())
