"""Boards too big for tables: exact values, and counts of positions and games.

The values of 3 × 3 and 3 × 4 are compared with the tables, position by position. The
others are tested by invariants: a value is the best of its successors' values, and
symmetric boards have the same value.
"""

import numpy as np
import pytest
from common import rng

from ttt_lib import search
from ttt_lib.game import codes, symmetries, tables
from ttt_lib.large_boards import exact, growth
from ttt_lib.policy import best

SMALL = [(1, 1, 1), (1, 5, 3), (2, 2, 2), (3, 3, 3), (3, 3, 2), (2, 4, 3)]
LARGE = [pytest.param(size, marks=pytest.mark.long) for size in ((3, 4, 3), (4, 3, 4))]


@pytest.fixture(scope="module")
def four():
    return exact.solve(4, 4, 4)


@pytest.mark.parametrize("size", SMALL + LARGE, ids=str)
def test_values_match_tables(size):
    game, solved = tables(*size), exact.solve(*size)
    expected = np.where(game.terminal, game.outcome, search.solve(game).V)
    assert (solved.value[game.code] == expected).all()
    assert np.count_nonzero(solved.value != exact.NEVER) == len(game.code)
    good = best(search.solve(game).Q, game.legal)
    for s in np.flatnonzero(~game.terminal)[:500:5]:
        board, legal = game.board[s], game.legal[s]
        after = exact.values_after(solved, board)
        assert (after[legal] == expected[game.next[s, legal]]).all()
        assert (after[~legal] == exact.NEVER).all()
        assert exact.value(solved, board) == expected[s]
        assert (exact.best(solved, board) == good[s]).all()


def test_four_in_a_row_on_four_by_four_is_a_draw(four):
    assert exact.value(four, "." * 16) == 0
    assert exact.layers(four).sum() == 9_722_011
    assert exact.values_after(four, "." * 16).tolist() == [0] * 16


def test_symmetric_boards_have_the_same_value(four):
    sample = rng(1).integers(0, 3**16, 20_000)
    boards = (sample[:, None] // 3 ** np.arange(16) % 3 + 1) % 3 - 1
    for turn in symmetries(4, 4):
        assert (four.value[codes(boards[:, turn])] == four.value[sample]).all()


@pytest.mark.parametrize(
    ("size", "winner"),
    [((3, 4, 3), 1), ((3, 3, 3), 0)]
    + [
        pytest.param(*each, marks=pytest.mark.long)
        for each in (((3, 5, 3), 1), ((5, 3, 4), 0), ((4, 4, 3), 1))
    ],
    ids=str,
)
def test_values_of_empty_boards_of_other_sizes(size, winner):
    (rows, columns, k), solved = size, exact.solve(*size)
    assert solved.value[0] == winner
    turned = exact.solve(columns, rows, k)
    assert (exact.layers(solved) == exact.layers(turned)).all()


def test_board_argument_accepts_all_forms_and_first_o(four):
    forms = "X.../.O../..../....", "X....O" + "." * 10, 1 + 2 * 3**5
    values = [exact.values_after(four, form).tolist() for form in forms]
    assert values[0] == values[1] == values[2]
    assert exact.values_after(four, "O.../.X../..../....", "O").tolist() == values[0]


def games(game):
    """Return how many games end after n marks, counted from the tables."""
    paths, marks = np.zeros(len(game.code), dtype=np.int64), (game.board != 0).sum(1)
    paths[0] = 1
    for s in range(len(game.code)):
        np.add.at(paths, game.next[s, game.legal[s]], paths[s])
    ends = np.where(game.terminal, paths, 0)
    return np.bincount(marks, ends, game.board.shape[1] + 1).astype(int)


@pytest.mark.parametrize("size", SMALL + LARGE, ids=str)
def test_counts_match_tables(size):
    game, counts = tables(*size), growth.count(*size)
    marks = np.bincount((game.board != 0).sum(axis=1), minlength=len(counts.positions))
    assert counts.positions.tolist() == marks.tolist()
    assert counts.games.tolist() == games(game).tolist()


def test_counts_match_values_on_4_by_4(four):
    counts = growth.count(4, 4, 4)
    assert (counts.positions == exact.layers(four).sum(axis=1)).all()
    assert counts.games.sum() == 15_038_733_958_272


@pytest.mark.parametrize("size", [(3, 3, 3), (4, 4, 3), (4, 4, 4)], ids=str)
def test_estimates_match_counts_within_errors(size):
    exact_counts = growth.count(*size)
    estimate = growth.estimate(*size, 4000, rng())
    for name in ("positions", "games"):
        count = getattr(exact_counts, name)
        difference = getattr(estimate, name) - count
        error = getattr(estimate, f"{name}_error")
        assert (difference[error == 0] == 0).all()
        # The seed is fixed; none of 17 layers should be off by more than 4 errors.
        assert (np.abs(difference) <= 4 * error + 1e-6 * count).all()
