"""Worst case of linear values on large boards: that of the tables; by hand; errors."""

from functools import cache

import numpy as np
import pytest
from common import game, rng, same

from ttt_lib import evaluation, policy, rules, search
from ttt_lib.approximation import features
from ttt_lib.game import symmetry_class, tables
from ttt_lib.large_boards import exact, worst_case

SIZES = [(1, 1, 1), (1, 5, 3), (2, 2, 2), (2, 4, 3), (3, 3, 3), (3, 3, 2), (3, 4, 3)]


@cache
def classes(size):
    return worst_case.classes(exact.solve(*size))


def players(size):
    """Return weights: untrained, drawn at random, and learned in self-play."""
    lines, F = rules.lines(*size), 2 * size[2] + 3
    random, cells = rng(1).normal(size=F), size[0] * size[1]
    learned = features.self_play(np.zeros(F), 200, 0.01, 0.1, rng(2), cells, lines)
    return np.zeros(F), random, learned


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_evaluation_matches_tables(size):
    g = tables(*size)
    Q = search.solve(g).Q
    contested = (g.legal & ~policy.best(Q, g.legal)).any(axis=1)
    for w in players(size):
        q = features.action_values(g.board, w, g.lines)
        greedy = policy.greedy(q, g.legal)
        own = worst_case.evaluate(classes(size), w)
        for value, side in ((own.first, 1), (own.second, -1)):
            expected = evaluation.worst_case(g, greedy, side)[0]
            assert value == pytest.approx(expected, abs=1e-12)
        assert own.right == pytest.approx(evaluation.share_optimal(g, greedy))
        assert own.contested.positions == contested.sum()
        if contested.any():
            expected = evaluation.share_optimal(g, greedy, contested)
            assert own.contested == pytest.approx(expected)
        else:
            assert np.isnan(own.contested.share)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_classes_match_tables(size):
    g, found = tables(*size), classes(size)
    smallest, positions = np.unique(symmetry_class(g), return_counts=True)
    assert found.code.tolist() == sorted(g.code[smallest].tolist())
    order = np.argsort(g.code[smallest])
    s = smallest[order]
    assert found.positions.tolist() == positions[order].tolist()
    assert found.to_move.tolist() == g.to_move[s].tolist()
    assert same(found.x, features.features(g.board[s], g.lines))
    assert ((found.next >= 0) == g.legal[s]).all()
    after = g.code[symmetry_class(g)[g.next[s]]]
    assert (found.code[found.next] == after)[g.legal[s]].all()


def test_no_weights_are_safe_as_second_player_on_3_by_3():
    """As proved in chapter 16: two boards ask for opposite weights."""
    for w in rng(3).normal(size=(200, 9)):
        assert worst_case.evaluate(classes((3, 3, 3)), w).second < -0.01


def test_evaluate_by_hand_on_1_by_3():
    """Two in a row. Only the opening in the middle wins against every reply."""
    row, cells = classes((1, 3, 2)), np.eye(7)[features.names(2).index("cells")]
    assert worst_case.evaluate(row, cells)[:2] == (1, -1)
    untrained = worst_case.evaluate(row, np.zeros(7))
    assert untrained[:2] == pytest.approx((1 / 3, -1))  # an end cell only draws
    # Positions in which some move is wrong: the empty board, and X's mark at an end.
    assert untrained.contested == pytest.approx((4 / 9, 3))
    opposite = worst_case.evaluate(row, -cells)
    assert opposite[:2] == (0, -1)


def test_compiled_and_uncompiled_sweeps_agree(uncompiled):
    def run():
        return worst_case.evaluate(classes((2, 4, 3)), players((2, 4, 3))[1])

    compiled = run()
    uncompiled(worst_case, features)
    assert run() == compiled


def test_progress_receives_every_cell():
    cells = []

    def progress(sequence):
        for a in sequence:
            cells.append(a)
            yield a

    worst_case.classes(exact.solve(2, 3, 3), progress=progress)
    assert cells == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: worst_case.classes(exact.solve(3, 3, 3), max_bytes=90_000),
            r"765 symmetry classes .* take 91,035 bytes: .* raise max_bytes = 90,000",
        ),
        (lambda: worst_case.classes(game), "exact: give what exact.solve returns"),
        (lambda: worst_case.evaluate(game, np.zeros(9)), "worst_case.classes returns"),
        (
            lambda: worst_case.evaluate(classes((3, 3, 3)), np.zeros(11)),
            r"w has shape \(11,\), and should have \(9,\)",
        ),
        (
            lambda: worst_case.evaluate(classes((3, 3, 3)), np.full(9, np.nan)),
            "infinite or NaN",
        ),
    ],
)
def test_invalid_arguments_raise_clear_messages(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.long
def test_classes_of_4_by_4_have_all_positions():
    four = worst_case.classes(exact.solve(4, 4, 4))
    assert len(four.code) == 1_217_977
    assert four.positions.sum() == 9_722_011
    untrained = worst_case.evaluate(four, np.zeros(11))
    assert untrained.right.positions == 9_062_619
