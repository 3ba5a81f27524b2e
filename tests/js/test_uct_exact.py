"""Exact values and flat search in the UCT lab match the library."""

import numpy as np
import pytest

from ttt_lib import experiments, rules, search
from ttt_lib.game import tables
from ttt_lib.large_boards import exact

GAME = tables()
LINES4 = rules.lines(4, 4, 4)
EXACT_VALUES = """(boards) => boards.map(([rows, own, other]) =>
  ttt.uct.exactValues(ttt.uct.shape(rows, rows, rows), own, other))"""


FLAT_SEARCH = """({ mine, theirs, seeds, stops }) => seeds.map((seed) => {
  const { shape, newTree, grow, growFlat, move, bestMean } = ttt.uct;
  const board = shape(3, 3, 3), flat = newTree(board), tree = newTree(board);
  const [one, other] = [0, 1].map(() => ttt.mt19937.mt19937(seed));
  const root = (table) => [...table.subarray(0, 9)];
  let done = 0;
  return stops.map((stop) => {
    growFlat(flat, board, mine, theirs, stop - done, one);
    grow(tree, board, mine, theirs, stop - done, 1.41, other);
    done = stop;
    const choices = [bestMean(flat), move(tree)];
    return [root(flat.visits), root(flat.total), root(tree.total), choices];
  });
})"""


def flat_search(s, playouts, rng):
    """Return visits (9,) and total outcomes (9,), of equally many games a move."""
    visits, total = np.zeros((2, 9), dtype=int)
    for _ in range(playouts):
        free = np.flatnonzero(GAME.legal[s])
        few = free[visits[free] == visits[free].min()]
        a = few[int(rng.random() * len(few))]
        end = GAME.next[s, a]
        free = np.flatnonzero(GAME.legal[end]).tolist()
        while not GAME.terminal[end]:
            i = int(rng.random() * len(free))
            end = GAME.next[end, free[i]]
            free[i] = free[-1]
            free.pop()
        visits[a] += 1
        total[a] += GAME.to_move[s] * GAME.outcome[end]
    return visits, total


def test_flat_search_matches_a_loop_over_the_tables(run):
    s, stops = GAME.find("X...O...X"), [6, 10, 1000, 5000]
    mine, theirs = masks(GAME.board[s], -1)
    seeds = [*range(1, 31)]  # those of chapter 11
    given = {"mine": mine, "theirs": theirs, "seeds": seeds, "stops": stops}
    page = run(FLAT_SEARCH, given)
    for seed, (first, _, later, _) in zip(seeds[:5], page, strict=False):
        assert first[1] == first[2]  # the first playouts are those of UCT
        own = flat_search(s, 1000, experiments.mt19937(seed))
        assert tuple(later[:2]) == tuple(each.tolist() for each in own)
    choices = np.array([[stop[-1] for stop in each] for each in page])
    right = np.isin(choices, (1, 3, 5, 7)).sum(axis=0)
    assert right.tolist()[1:] == [[24, 21], [14, 30], [0, 30]]


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
