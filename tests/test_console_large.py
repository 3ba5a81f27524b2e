"""Console games on boards too large for tables, compared with tables of a small one."""

import numpy as np
import pytest

from ttt_lib import search
from ttt_lib.agents import as_agent
from ttt_lib.agents.names import parse
from ttt_lib.console.large_board import computed, opponent, perfect_values
from ttt_lib.game import codes, tables
from ttt_lib.large_boards import uct

SMALL = 2, 3, 3
NAMES = ["random", "perfect", "perfect:lowest", "teacher:0.7:lowest"]


pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "size", [SMALL, pytest.param((2, 4, 3), marks=pytest.mark.long)]
)
def test_computed_game_equals_tables(size):
    game, large = tables(*size), computed(*size)
    for s, code in enumerate(game.code):
        np.testing.assert_array_equal(large.board[code], game.board[s])
        np.testing.assert_array_equal(large.legal[code], game.legal[s])
        assert large.terminal[code] == game.terminal[s]
        assert large.outcome[code] == game.outcome[s]
        assert large.to_move[code] == game.to_move[s]
        for a in np.flatnonzero(game.legal[s]):
            assert large.next[code, a] == game.code[game.next[s, a]]


@pytest.mark.parametrize("name", NAMES)
def test_opponent_equals_agent_on_tables(name, capsys):
    game, large = tables(*SMALL), computed(*SMALL)
    Q = perfect_values(large)
    agent, expected = opponent(large, parse(name), None, Q), as_agent(game, name)
    for s, code in enumerate(game.code):
        if not game.terminal[s]:
            probabilities = agent.policy[code], expected.policy[s]
            np.testing.assert_allclose(*probabilities, atol=1e-15)
            np.testing.assert_array_equal(Q[code], search.solve(game).Q[s])
    assert capsys.readouterr().err.count(" codes take ") == 1  # it is solved once


def test_uct_opponent_is_cached_per_position():
    large = computed(4, 4, 4)
    agent = opponent(large, parse("uct:300"), np.random.default_rng(1), None)
    open_line = np.array([1, 1, 1, 0, -1, -1, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0])
    assert agent.policy[codes(open_line)].argmax() == 3
    board = codes(np.eye(16, dtype=int)[5])
    rng = np.random.default_rng(1).spawn(2)[1]  # that of its second position
    tree = uct.search(large.board[board], 300, rng, lines=large.lines)
    for _ in range(2):
        assert agent.policy[board].argmax() == uct.move(tree)
        assert agent.policy[board].sum() == 1


def test_cells_of_4_by_4_are_counted_from_1_and_have_rows_and_columns(ttt):
    line = "play uct:200 --size 4 4 4 --seed 3 --cells 1-9 --numbers probabilities"
    cells = "\n".join(map(str, range(1, 17)))
    status, out, _ = ttt(line, f"5,1\n2,2\nu\n{cells}\n{cells}\n")
    assert status == 0
    assert "5,1 is outside the board: type a cell from 1 to 16" in out
    assert any(end in out for end in ("You win.", "uct:200 wins.", "A draw."))


def test_perfect_play_on_4_by_4_is_never_beaten(ttt):
    line = "play perfect --size 4 4 4 --seed 1 --numbers values"
    status, out, err = ttt(line, "h\n0\n1\n2\n3\nq\n")
    assert status == 0
    assert "hold the draw" in " ".join(out.split())
    assert "Against perfect cells" not in out  # there is no best response
    assert err.count("43,046,721 codes take 43.0 MB") == 1
    assert "You win" not in out


def test_unsolvable_board_has_no_hints(ttt):
    status, out, _ = ttt("play uct:50 --size 5 5 4 --seed 1", "h\n12\nq\n")
    assert status == 0
    assert "This board is too large to be solved, so there is no hint." in out
    assert "uct:50 puts O on" in out
