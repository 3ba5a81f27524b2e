"""Exact values in the UCT lab match the library."""

import numpy as np
import pytest

from ttt_lib import rules, search
from ttt_lib.game import tables
from ttt_lib.large_boards import exact

GAME = tables()
LINES4 = rules.lines(4, 4, 4)
EXACT_VALUES = """(boards) => boards.map(([rows, own, other]) =>
  ttt.uct.exactValues(ttt.uct.shape(rows, rows, rows), own, other))"""


def masks(cells, mover):
    """Return the marks of the side to move and of the other side as bit masks."""
    bit = 1 << np.arange(cells.shape[-1])
    return [int(bit[cells == side].sum()) for side in (mover, -mover)]


def test_exact_values_of_all_3x3_boards_match_library(run):
    positions = np.flatnonzero(~GAME.terminal)
    asked = [[3, *masks(GAME.board[s], int(GAME.to_move[s]))] for s in positions]
    Q = search.solve(GAME).Q
    for s, values in zip(positions, run(EXACT_VALUES, asked), strict=True):
        free = [a for a in range(9) if values[a] is not None]
        assert free == np.flatnonzero(GAME.legal[s]).tolist()
        assert [values[a] for a in free] == Q[s, free].tolist()


@pytest.mark.slow
def test_exact_values_of_4x4_boards_match_library(run):
    solved, rng, boards = exact.solve(4, 4, 4), np.random.default_rng(1), []
    while len(boards) < 200:
        cells = np.zeros(16, dtype=np.int8)
        for _ in range(len(boards) % 16):
            cell = rng.choice(np.flatnonzero(cells == 0))
            cells = rules.play(cells, cell, LINES4)
            if rules.finished(cells, LINES4):
                break
        else:
            boards.append(cells)
    asked = [[4, *masks(cells, int(rules.side_to_move(cells)))] for cells in boards]
    for cells, values in zip(boards, run(EXACT_VALUES, asked), strict=True):
        text = "".join(".XO"[mark] for mark in cells)
        right = int(rules.side_to_move(cells)) * exact.values_after(solved, text)
        for a in range(16):
            assert (values[a] is None) == (cells[a] != 0)
            assert values[a] is None or values[a] == right[a]
