"""Boards too big for tables: their values, and how many positions and games they have.

The values of 3 × 3 and 3 × 4 are held to the tables', position by position; the others
to laws: a value is the best of its successors' values, and a turned board has the same.
"""

from math import comb

import numpy as np
import pytest
from common import rng, same

from ttt_lib import rules, search
from ttt_lib.game import codes, symmetries, tables
from ttt_lib.large_boards import exact, growth
from ttt_lib.policy import best

SMALL = [(1, 1, 1), (1, 5, 3), (2, 2, 2), (3, 3, 3), (3, 3, 2), (2, 4, 3)]
LARGE = [pytest.param(size, marks=pytest.mark.long) for size in ((3, 4, 3), (4, 3, 4))]


@pytest.fixture(scope="module")
def four():
    return exact.solve(4, 4, 4)


@pytest.mark.parametrize("size", SMALL + LARGE, ids=str)
def test_values_are_those_of_the_tables(size):
    game, solved = tables(*size), exact.solve(*size)
    truth = np.where(game.terminal, game.outcome, search.solve(game).V)
    assert (solved.value[game.code] == truth).all()
    assert np.count_nonzero(solved.value != exact.NEVER) == len(game.code)
    good = best(search.solve(game).Q, game.legal)
    for s in np.flatnonzero(~game.terminal)[:500:5]:
        assert (exact.best(solved, game.board[s]) == good[s]).all()


def test_compiled_and_plain_sweep_agree(uncompiled):
    def everything():
        return exact.solve(3, 3, 2).value.copy(), growth.count(3, 3, 2)

    compiled = everything()
    uncompiled(exact, growth)
    assert same(everything(), compiled)


def test_four_in_a_row_on_four_by_four_is_a_draw(four):
    assert exact.value(four, "." * 16) == 0
    assert exact.layers(four).sum() == 9_722_011
    assert exact.values_after(four, "." * 16).tolist() == [0] * 16


@pytest.mark.slow
def test_each_value_is_the_best_of_its_successors(four):
    chance, seen = rng(), set()
    for _ in range(25):  # random games
        board = np.zeros(16, dtype=np.int8)
        while not rules.finished(board, four.lines):
            mover = rules.side_to_move(board)
            after = exact.values_after(four, board)
            legal = rules.legal(board, four.lines)
            assert ((after != exact.NEVER) == legal).all()
            value = exact.value(four, board)
            assert value == mover * (mover * after[legal]).max()
            assert (exact.best(four, board) == (legal & (after == value))).all()
            seen.add(value)
            board = rules.play(board, chance.choice(np.flatnonzero(legal)), four.lines)
        assert exact.value(four, board) == rules.winner(board, four.lines)
        assert not exact.best(four, board).any()
    assert seen == {-1, 0, 1}


def test_turned_and_mirrored_boards_have_the_same_value(four):
    drawn = rng(1).integers(0, 3**16, 20_000)
    boards = (drawn[:, None] // 3 ** np.arange(16) % 3 + 1) % 3 - 1
    for turn in symmetries(4, 4):
        assert (four.value[codes(boards[:, turn])] == four.value[drawn]).all()


@pytest.mark.parametrize(
    ("size", "winner"),
    [((3, 4, 3), 1), ((3, 3, 3), 0)]
    + [
        pytest.param(*each, marks=pytest.mark.long)
        for each in (((3, 5, 3), 1), ((5, 3, 4), 0), ((4, 4, 3), 1))
    ],
    ids=str,
)
def test_other_boards(size, winner):
    (rows, columns, k), solved = size, exact.solve(*size)
    assert solved.value[0] == winner
    turned = exact.solve(columns, rows, k)
    assert (exact.layers(solved) == exact.layers(turned)).all()


def test_a_board_comes_in_any_form_and_x_need_not_begin(four):
    forms = "X.../.O../..../....", "X....O" + "." * 10, 1 + 2 * 3**5
    values = [exact.values_after(four, form).tolist() for form in forms]
    assert values[0] == values[1] == values[2]
    assert exact.values_after(four, "O.../.X../..../....", "O").tolist() == values[0]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ((exact.solve, 4, 5, 4), r"3,486,784,401 bytes.*raise max_bytes"),
        ((exact.solve, 3, 3, 4), "fit nowhere"),
        ((exact.solve, 0, 3, 3), "rows"),
        ((exact.value, exact.solve(1, 1, 1), "XX.."), "has 1 cell"),
        ((growth.count, 3, 7, 3), "up to 20 cells"),
        ((growth.estimate, 3, 3, 3, 1, rng()), "samples"),
        ((growth.estimate, 11, 10, 3, 2, rng()), "up to 100"),
    ],
)
def test_wrong_input_gets_a_sentence(call, says):
    function, *arguments = call
    with pytest.raises(ValueError, match=says):
        function(*arguments)


def games(game):
    """Return how many games end after n marks, by going through the tables."""
    paths, marks = np.zeros(len(game.code), dtype=np.int64), (game.board != 0).sum(1)
    paths[0] = 1
    for s in range(len(game.code)):
        np.add.at(paths, game.next[s, game.legal[s]], paths[s])
    ends = np.where(game.terminal, paths, 0)
    return np.bincount(marks, ends, game.board.shape[1] + 1).astype(int)


@pytest.mark.parametrize("size", SMALL + LARGE, ids=str)
def test_counts_are_those_of_the_tables(size):
    game, found = tables(*size), growth.count(*size)
    marks = np.bincount((game.board != 0).sum(axis=1), minlength=len(found.positions))
    assert found.positions.tolist() == marks.tolist()
    assert found.games.tolist() == games(game).tolist()


def test_counts_and_values_agree_on_the_positions(four):
    found = growth.count(4, 4, 4)
    assert (found.positions == exact.layers(four).sum(axis=1)).all()
    assert found.games.sum() == 15_038_733_958_272


@pytest.mark.parametrize("size", [(3, 3, 3), (4, 4, 3), (4, 4, 4)], ids=str)
def test_estimates_agree_with_counts_within_their_errors(size):
    truth = growth.count(*size)
    found = growth.estimate(*size, 4000, rng())
    for what in ("positions", "games"):
        miss = getattr(found, what) - getattr(truth, what)
        error = getattr(found, f"{what}_error")
        assert (miss[error == 0] == 0).all()
        # The seed is fixed; of 17 layers none should miss by 4 errors.
        assert (np.abs(miss) <= 4 * error + 1e-6 * getattr(truth, what)).all()


def test_an_error_is_that_of_a_share_of_all_boards_with_so_many_marks():
    found, samples = growth.estimate(3, 3, 3, 50, rng(1)), 50
    for n, positions in enumerate(found.positions):
        boards = comb(9, n) * comb(n, n // 2)
        share = positions / boards
        error = boards * np.sqrt(share * (1 - share) / (samples - 1))
        assert found.positions_error[n] == pytest.approx(error, abs=1e-9)
