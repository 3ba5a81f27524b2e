import numpy as np
import oracle
import pytest
from hypothesis import given, settings
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
    """Draw a game and any marks in its cells, reachable or not."""
    rows, columns, k = draw(games())
    n = rows * columns
    cells = draw(st.lists(st.sampled_from("12."), min_size=n, max_size=n))
    board = tuple(tuple(cells[i : i + columns]) for i in range(0, n, columns))
    return board, k, rules.lines(rows, columns, k)


def test_the_lines_of_tic_tac_toe():
    expected = ["012", "345", "678", "036", "147", "258", "048", "246"]
    assert sorted("".join(map(str, line)) for line in rules.LINES) == sorted(expected)


@given(games())
def test_number_of_lines_matches_a_formula(size):
    rows, columns, k = size
    across, down = max(columns - k + 1, 0), max(rows - k + 1, 0)
    starts = across * rows + down * columns + 2 * across * down
    assert rules.lines(*size).shape == (rows * columns if k == 1 else starts, k)


@given(boards())
def test_winner_matches_the_oracle(drawn):
    board, k, lines = drawn
    cells, winners = np.array(oracle.cells(board)), oracle.winners(board, k)
    assert rules.has_line(cells, +1, lines) == ("1" in winners)
    assert rules.has_line(cells, -1, lines) == ("2" in winners)
    assert rules.winner(cells, lines) == ("1" in winners) - ("2" in winners)


@settings(max_examples=50)
@given(games(), st.randoms(use_true_random=False))
def test_random_games_match_the_oracle(size, random):
    rows, columns, k = size
    lines, board = rules.lines(*size), oracle.empty(rows, columns)
    cells = np.zeros(rows * columns, dtype=int)
    while True:
        assert cells.tolist() == oracle.cells(board)
        after = oracle.moves(board, k)
        assert np.flatnonzero(rules.legal(cells, lines)).tolist() == sorted(after)
        assert rules.finished(cells, lines) == oracle.over(board, k)
        if not after:
            break
        assert rules.side_to_move(cells) == (+1 if oracle.mover(board) == "1" else -1)
        action = random.choice(sorted(after))
        before = cells.copy()
        board, played = after[action], rules.play(cells, action, lines)
        assert (cells == before).all(), "play leaves its board alone"
        cells = played


def test_rules_broadcast_over_boards():
    boards = np.random.default_rng(0).integers(-1, 2, (4, 5, 9))
    for function in (rules.winner, rules.finished, rules.legal, rules.side_to_move):
        result = function(boards)
        for index in np.ndindex(4, 5):
            assert (result[index] == function(boards[index])).all()
    after = rules.play(np.zeros(9, dtype=int), np.arange(9))
    assert (after == np.eye(9)).all(), "one board and nine actions"


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
def test_play_rejects_illegal_moves(board, action, sentence):
    with pytest.raises(ValueError, match=sentence):
        rules.play(board, action)
