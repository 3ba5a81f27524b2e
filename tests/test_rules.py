import numpy as np
import pytest
import slow
from hypothesis import given
from hypothesis import strategies as st

from ttt_lib import rules

SIZES = st.integers(1, 5)


@st.composite
def games(draw):
    """Draw rows, columns and a k that fits somewhere."""
    rows, columns = draw(SIZES), draw(SIZES)
    return rows, columns, draw(st.integers(1, max(rows, columns)))


@st.composite
def boards(draw):
    """Draw a game and any filling of its cells, possible or not."""
    rows, columns, k = draw(games())
    cells = draw(
        st.lists(
            st.sampled_from("12."),
            min_size=rows * columns,
            max_size=rows * columns,
        )
    )
    board = tuple(
        tuple(cells[row * columns : (row + 1) * columns]) for row in range(rows)
    )
    return board, k, rules.lines(rows, columns, k)


def test_the_lines_of_tic_tac_toe():
    expected = {
        (0, 1, 2),
        (3, 4, 5),
        (6, 7, 8),
        (0, 3, 6),
        (1, 4, 7),
        (2, 5, 8),
        (0, 4, 8),
        (2, 4, 6),
    }
    assert {tuple(line) for line in rules.LINES.tolist()} == expected
    assert rules.LINES.shape == (8, 3)


@given(games())
def test_lines_are_as_many_as_counting_their_starts_says(size):
    rows, columns, k = size
    across, down = max(columns - k + 1, 0), max(rows - k + 1, 0)
    expected = (
        rows * columns if k == 1 else across * rows + down * columns + 2 * across * down
    )
    assert rules.lines(*size).shape == (expected, k)


@given(boards())
def test_winner_agrees_with_slow_runs_of_marks(drawn):
    board, k, lines = drawn
    cells = np.array(slow.cells(board))
    winners = slow.winners(board, k)
    assert rules.has_line(cells, +1, lines) == ("1" in winners)
    assert rules.has_line(cells, -1, lines) == ("2" in winners)
    assert rules.winner(cells, lines) == ("1" in winners) - ("2" in winners)


@given(games(), st.randoms(use_true_random=False))
def test_a_random_game_played_by_both_is_the_same_game(size, random):
    rows, columns, k = size
    lines = rules.lines(*size)
    board, cells = (
        slow.empty(rows, columns),
        np.zeros(rows * columns, dtype=int),
    )
    while True:
        assert cells.tolist() == slow.cells(board)
        after = slow.moves(board, k)
        assert np.flatnonzero(rules.legal(cells, lines)).tolist() == sorted(after)
        assert rules.finished(cells, lines) == slow.over(board, k)
        if not after:
            break
        assert rules.side_to_move(cells) == (+1 if slow.mover(board) == "1" else -1)
        action = random.choice(sorted(after))
        board, cells = after[action], rules.play(cells, action, lines)


def test_many_boards_are_one_board_many_times():
    rng = np.random.default_rng(0)
    boards = rng.integers(-1, 2, (4, 5, 9))
    for function in (
        rules.winner,
        rules.finished,
        rules.legal,
        rules.side_to_move,
    ):
        result = function(boards)
        for index in np.ndindex(4, 5):
            assert (result[index] == function(boards[index])).all()


def test_one_board_and_nine_actions_give_nine_boards():
    after = rules.play(np.zeros(9, dtype=int), np.arange(9))
    assert (after == np.eye(9)).all()


def test_play_leaves_its_board_alone():
    board = np.zeros(9, dtype=int)
    rules.play(board, 4)
    assert not board.any()


@pytest.mark.parametrize(
    ("board", "action", "sentence"),
    [
        ([1, 0, 0, 0, 0, 0, 0, 0, 0], 0, "The cell is taken"),
        ([0] * 9, 9, "no such cell"),
        ([0] * 9, -1, "no such cell"),
        ([0] * 9, 1.5, "no such cell"),
        ([1, 1, 1, -1, -1, 0, 0, 0, 0], 8, "The game is finished"),
        ([1, -1, 1, 1, -1, -1, -1, 1, 1], 0, "The game is finished"),
    ],
)
def test_an_illegal_move_is_refused_in_a_sentence(board, action, sentence):
    with pytest.raises(ValueError, match=sentence):
        rules.play(board, action)


@pytest.mark.parametrize(
    ("size", "words"),
    [
        ((0, 3, 3), "rows = 0:"),
        ((3, 0, 3), "columns = 0:"),
        ((3, 3, 0), "k = 0:"),
        ((2, 3, 4), "4 in a row fit nowhere on a board of 2 × 3 cells"),
        ((10, 10**9, 3), "10 × 1000000000 cells are too many"),
    ],
)
def test_a_refusal_names_the_argument_and_the_size_as_they_were_given(size, words):
    with pytest.raises(ValueError, match=words):
        rules.lines(*size)
