"""UCT: its four steps, invariants, and results on boards with known values."""

import numpy as np
import pytest
from common import game, rng

from ttt_lib import notation, rules
from ttt_lib.large_boards import uct

FOUR = rules.lines(4, 4, 4)


def board(text, rows=3, columns=3, lines=rules.LINES):
    return notation.read(text, rows, columns, lines)


class Script:
    """A generator that returns given numbers."""

    def __init__(self, *numbers):
        self.numbers = list(numbers)

    def random(self):
        return self.numbers.pop(0)


EMPTY = board("." * 9)
LAST_TWO = board("XOXOOX.X.")  # O moves: at 8 it draws, at 6 X closes a line


def test_two_playouts_match_hand_calculation(uncompiled):
    uncompiled(uct)
    # Cells 6 and 8 are free. The first of the two is drawn by 0; then one cell is left.
    tree = uct.search.unchecked(LAST_TWO, 1, Script(0.0, 0.0))
    assert tree.visits[0].tolist() == [0, 0, 0, 0, 0, 0, 1, 0, 0]
    assert (tree.total[0, 6], tree.nodes, tree.child[0, 6]) == (-1, 2, 1)
    assert tree.visits[1].sum() == 0  # simulated moves are not stored
    tree = uct.search.unchecked(LAST_TWO, 1, Script(0.0, 0.0), tree=tree)
    assert tree.visits[0].tolist() == [0, 0, 0, 0, 0, 0, 1, 0, 1]
    assert (tree.total[0, 8], uct.move(tree)) == (0, 6)  # ties to the lowest cell


def test_backup_changes_sign_at_each_ply(uncompiled):
    uncompiled(uct)
    # X has two in the top row. O takes 3, and X's random move closes the line.
    start = board("XX..O....")
    free = [2, 3, 5, 6, 7, 8]
    draws = free.index(3) / 6 + 0.01, 0.0  # O takes 3, X the first free cell, 2
    tree = uct.search.unchecked(start, 1, Script(*draws))
    assert tree.total[0, 3] == -1  # for O, who moved
    assert uct.values(tree)[3] == -1


@pytest.mark.parametrize("size", [(3, 3, 3), (4, 4, 4), (3, 5, 4)], ids=str)
def test_visit_counts_are_consistent(size):
    lines = rules.lines(*size)
    start = np.zeros(size[0] * size[1], dtype=np.int8)
    tree = uct.search(start, 2000, rng(), lines=lines)
    assert tree.visits[0].sum() == 2000
    assert (abs(tree.total) <= tree.visits).all()
    inside = tree.child[: tree.nodes] > 0
    node, action = np.nonzero(inside)
    below = tree.visits[tree.child[node, action]].sum(axis=1)
    # A node was visited each time its move was made, except the first, which added it.
    assert (below == tree.visits[node, action] - 1).all()
    assert sorted(tree.child[node, action]) == list(range(1, tree.nodes))


def test_search_finds_immediate_win():
    for text, wins in (("XX.OO....", 2), ("XX.OO...X", 5), ("X...X.OO.", 8)):
        tree = uct.search(board(text), 300, rng())
        assert uct.move(tree) == wins
        assert uct.values(tree)[wins] == 1


@pytest.mark.slow
def test_policy_searches_each_position_independently():
    policy = uct.policy(game, 30, rng(5))
    assert (policy.sum(axis=1) == ~game.terminal).all()
    s = 1234
    generator = rng(5).spawn(len(game.code))[s]
    assert policy[s, uct.move(uct.search(game.board[s], 30, generator))] == 1
