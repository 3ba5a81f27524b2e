"""UCT: its four steps, its laws, and what it finds on boards that are known exactly."""

from copy import deepcopy

import numpy as np
import pytest
from common import game, rng, same

from ttt_lib import notation, rules, search
from ttt_lib.large_boards import uct

FOUR = rules.lines(4, 4, 4)


def board(text, rows=3, columns=3, lines=rules.LINES):
    return notation.read(text, rows, columns, lines)


class Script:
    """A generator that draws what it is told."""

    def __init__(self, *numbers):
        self.numbers = list(numbers)

    def random(self):
        return self.numbers.pop(0)


EMPTY = board("." * 9)
LAST_TWO = board("XOXOOX.X.")  # O moves: at 8 it draws, at 6 X closes a line


def test_two_playouts_by_hand(uncompiled):
    uncompiled(uct)
    # Cells 6 and 8 are free. The first of the two is drawn by 0; then one cell is left.
    tree = uct.search.unchecked(LAST_TWO, 1, Script(0.0, 0.0))
    assert tree.visits[0].tolist() == [0, 0, 0, 0, 0, 0, 1, 0, 0]
    assert (tree.total[0, 6], tree.nodes, tree.child[0, 6]) == (-1, 2, 1)
    assert tree.visits[1].sum() == 0  # what is simulated is not kept
    tree = uct.search.unchecked(LAST_TWO, 1, Script(0.0, 0.0), tree=tree)
    assert tree.visits[0].tolist() == [0, 0, 0, 0, 0, 0, 1, 0, 1]
    assert (tree.total[0, 8], uct.move(tree)) == (0, 6)  # the lowest of equals


def test_an_outcome_changes_its_sign_from_ply_to_ply(uncompiled):
    uncompiled(uct)
    # X has two in a row on the top; O moves, at 3, and X closes the line by chance.
    begun = board("XX..O....")
    free = [2, 3, 5, 6, 7, 8]
    draws = free.index(3) / 6 + 0.01, 0.0  # O puts 3, X the first of what is free: 2
    tree = uct.search.unchecked(begun, 1, Script(*draws))
    assert tree.total[0, 3] == -1  # for O, who moved
    assert uct.values(tree)[3] == -1


@pytest.mark.parametrize("size", [(3, 3, 3), (4, 4, 4), (3, 5, 4)], ids=str)
def test_counts_of_a_tree_add_up(size):
    lines = rules.lines(*size)
    start = np.zeros(size[0] * size[1], dtype=np.int8)
    tree = uct.search(start, 2000, rng(), lines=lines)
    assert tree.visits[0].sum() == 2000
    assert (abs(tree.total) <= tree.visits).all()
    inside = tree.child[: tree.nodes] > 0
    node, action = np.nonzero(inside)
    below = tree.visits[tree.child[node, action]].sum(axis=1)
    # Whoever is behind a move was visited each time but the first, when it was added.
    assert (below == tree.visits[node, action] - 1).all()
    assert sorted(tree.child[node, action]) == list(range(1, tree.nodes))


def test_compiled_and_plain_search_agree(uncompiled):
    def found():
        chance = rng(3)
        return uct.search(np.zeros(16, dtype=np.int8), 300, chance, 1.0, FOUR), chance

    compiled = found()
    uncompiled(uct)
    assert same(found(), compiled)


def test_n_and_then_m_playouts_are_n_and_m_playouts():
    at_once, chance = uct.search(EMPTY, 500, rng(1)), rng(1)
    begun = uct.search(EMPTY, 123, chance)
    kept = deepcopy(begun)
    assert same(uct.search(EMPTY, 377, chance, tree=begun), at_once)
    assert same(kept, begun)


def test_a_move_that_wins_at_once_is_found():
    for text, wins in (("XX.OO....", 2), ("XX.OO...X", 5), ("X...X.OO.", 8)):
        tree = uct.search(board(text), 300, rng())
        assert uct.move(tree) == wins
        assert uct.values(tree)[wins] == 1


@pytest.mark.slow
def test_with_many_playouts_the_mean_of_all_approaches_the_exact_value():
    values = search.solve(game).V
    for text, c in ((".........", 0.5), ("X........", 0.5), (".X.......", 1.0)):
        s = game.find(text)
        means = []
        for n in (100, 200_000):
            tree = uct.search(game.board[s], n, rng(2), c)
            means.append(game.to_move[s] * tree.total[0].sum() / n)
        few, many = abs(np.array(means) - values[s])
        assert many < 0.02 < few


@pytest.mark.slow
def test_what_a_policy_does_in_a_position_does_not_depend_on_the_others():
    found = uct.policy(game, 30, rng(5))
    assert (found.sum(axis=1) == ~game.terminal).all()
    s = 1234
    luck = rng(5).spawn(len(game.code))[s]
    assert found[s, uct.move(uct.search(game.board[s], 30, luck))] == 1


@pytest.mark.parametrize(
    ("start", "says"),
    [
        (board("XXXOO...."), "is over"),
        (np.zeros(63), "up to 62"),
        (np.zeros((2, 9)), "one board"),
    ],
    ids=str,
)
def test_wrong_input_gets_a_sentence(start, says):
    with pytest.raises(ValueError, match=says):
        uct.search(start, 10, rng())
