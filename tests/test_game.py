import numpy as np
import oracle
import pytest
from common import game, wide
from hypothesis import given, settings
from hypothesis import strategies as st

from ttt_lib import game as module
from ttt_lib.game import (
    images,
    most_positions,
    positions,
    symmetries,
    symmetry_class,
    tables,
)

GAMES = [(3, 3, 3), (2, 2, 2), (1, 1, 1), (1, 5, 3), (5, 1, 2), (2, 4, 3), (3, 3, 1)]


@pytest.mark.parametrize("size", GAMES)
def test_tables_match_the_oracle(size):
    g, boards = tables(*size), oracle.reachable(*size)
    assert len(g.code) == len(boards)
    # Only every fourth of tic-tac-toe, to save time.
    for board in sorted(boards)[:: 4 if size == (3, 3, 3) else 1]:
        s, winners = g.find(oracle.text(board)), oracle.winners(board, size[2])
        assert g.board[s].tolist() == oracle.cells(board)
        assert g.terminal[s] == oracle.over(board, size[2])
        assert g.outcome[s] == ("1" in winners) - ("2" in winners)
        after = oracle.moves(board, size[2])
        assert np.flatnonzero(g.legal[s]).tolist() == sorted(after)
        for action, successor in after.items():
            assert g.board[g.next[s, action]].tolist() == oracle.cells(successor)


@pytest.mark.parametrize("size", [*GAMES, (3, 4, 3), (5, 5, 1)])
def test_invariants_of_the_tables(size):
    g = tables(*size)
    s, a = np.nonzero(g.legal)
    assert not g.board[0].any()
    assert (g.next[s, a] > s).all(), "a successor has a larger index"
    assert (g.next[~g.legal] == -1).all()
    digit = np.where(g.to_move[s] == 1, 1, 2)
    assert (g.code[g.next[s, a]] == g.code[s] + digit * 3**a).all()
    assert (g.terminal == (g.count == 0)).all()
    assert set(g.next[s, a].tolist()) == {*range(1, len(g.code))}, "all are reached"
    assert len(g.code) <= most_positions(size[0] * size[1])
    for here in range(0, len(g.code), 1 + len(g.code) // 500):
        n, free = g.count[here], np.flatnonzero(g.legal[here])
        assert g.action[here, :n].tolist() == free.tolist()
        assert (g.successor[here, :n] == g.next[here, free]).all()
        assert (g.action[here, n:] == -1).all()
        assert (g.successor[here, n:] == -1).all()


def test_tables_are_cached_and_read_only():
    assert tables() is tables()
    with pytest.raises(ValueError, match="read-only"):
        game.next[0, 0] = 7


def test_largest_games_within_the_limits():
    assert len(tables(3, 4, 3).code) == 111_973 < module.MAX_POSITIONS
    # The first mark wins: one position more than cells, all with different codes.
    most = module.MAX_CELLS
    assert len(np.unique(tables(1, most, 1).code)) == most + 1


def test_positions_of_all_layers_count_for_the_limit():
    # 300,133 positions, at most 68,280 of them with the same number of marks
    with pytest.raises(ValueError, match="full tables stop at 150,000 positions"):
        tables(1, 14, 2)


@settings(max_examples=30)
@given(st.randoms(use_true_random=False))
def test_positions_follow_the_actions(random):
    path, actions = [0], []
    while not game.terminal[path[-1]]:
        legal = game.action[path[-1], : game.count[path[-1]]].tolist()
        actions.append(random.choice(legal))
        path.append(int(game.next[path[-1], actions[-1]]))
        assert positions(game, actions) == path
    with pytest.raises(ValueError, match=f"{actions[-1]} is illegal"):
        positions(game, [*actions, actions[-1]])


def test_array_and_string_are_row_by_row():
    for s in range(0, len(wide.code), 7):
        shown, text = wide.array(s), wide.string(s)
        assert shown.shape == (2, 3)
        assert [*shown[0], *shown[1]] == wide.board[s].tolist()
        assert wide.find(shown) == wide.find(f"{text[:3]}/{text[3:]}") == s


@pytest.mark.parametrize(
    ("rows", "columns", "maps"),
    [(3, 3, 8), (4, 4, 8), (3, 4, 4), (1, 4, 2), (1, 1, 1)],
)
def test_symmetries_are_the_isometries_of_the_board(rows, columns, maps):
    maps_ = symmetries(rows, columns)
    assert maps_.shape == (maps, rows * columns)
    assert maps_[0].tolist() == list(range(rows * columns))
    group = {tuple(g) for g in maps_.tolist()}
    assert {tuple(np.array(g)[list(h)].tolist()) for g in group for h in group} == group
    square = np.stack(np.divmod(np.arange(rows * columns), columns))
    distance = ((square[:, :, None] - square[:, None, :]) ** 2).sum(0)
    for g in maps_:
        assert (distance[np.ix_(g, g)] == distance).all()


@pytest.mark.parametrize("size", GAMES)
def test_images_and_classes_match_the_symmetries(size):
    g = tables(*size)
    maps, image, orbit = symmetries(*size[:2]), images(g), symmetry_class(g)
    for map_, seen in zip(maps, image, strict=True):
        assert (g.board[seen] == g.board[:, map_]).all()
        assert (orbit[seen] == orbit).all()
    assert (orbit[orbit] == orbit).all()
    assert (orbit <= np.arange(len(orbit))).all(), "the first of its class"


def test_find_rejects_two_lines_without_a_common_cell():
    with pytest.raises(ValueError, match="Marks were added after the line of X"):
        tables(1, 9, 2).find("XXOXXO.O.")
    both = "XXXXOOXOO"  # the last mark was the corner's
    assert game.string(game.find(both)) == both


def test_find_takes_the_first_player_from_its_argument():
    assert game.find("O........", first="O") == game.find("X........")
    for first, why in (("x", "first = 'x'"), ("O", "who should have moved first")):
        with pytest.raises(ValueError, match=why):
            game.find("X........", first=first)
