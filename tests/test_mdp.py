import numpy as np
import oracle
import pytest
from common import game, rng, sparse_policy

from ttt_lib.game import tables
from ttt_lib.mdp import (
    from_arrays,
    from_cells,
    from_opponent,
    gridworld,
    state_of,
    to_cells,
    to_positions,
    transition_matrix,
)
from ttt_lib.policy import uniform

SIZES = [(2, 2, 2), (1, 5, 3), (2, 3, 3), (3, 3, 2)]
SIDES = [pytest.param(+1, id="first"), pytest.param(-1, id="second")]
REWARDS = (5, -1, -30)

random_play = uniform(game.legal)


def slow_mdp(g, opponent, side):
    """Return {(position, action): (expected reward, {next position: probability})}."""
    rows, columns, k = g.rows, g.columns, g.k
    number = {tuple(cells): s for s, cells in enumerate(g.board.tolist())}
    reward_of = dict(zip((+1, 0, -1), REWARDS, strict=True))

    def position(board):
        return number[tuple(oracle.cells(board))]

    def reward(board):
        won = oracle.winners(board, k)
        return reward_of[side * (("1" in won) - ("2" in won))]

    model = {}
    for board in oracle.reachable(rows, columns, k):
        if oracle.mover(board) != {+1: "1", -1: "2"}[side]:
            continue
        for action, after in oracle.moves(board, k).items():
            expected, s_next = 0, {}
            if oracle.over(after, k):
                expected = reward(after)
            for reply, board_next in oracle.moves(after, k).items():
                p = opponent[position(after), reply]
                if oracle.over(board_next, k):
                    expected += p * reward(board_next)
                elif p > 0:
                    s_next[position(board_next)] = p
            model[position(board), action] = expected, s_next
    return model


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("size", SIZES)
def test_from_opponent_matches_the_oracle(size, side):
    g = tables(*size)
    opponent = sparse_policy(g, 1)
    mdp = from_opponent(g, opponent, side, REWARDS)
    expected = slow_mdp(g, opponent, side)
    position = mdp.position[state_of(mdp)].tolist()
    pairs = list(zip(position, mdp.action.tolist(), strict=True))
    assert pairs == sorted(expected)
    for i, pair in enumerate(pairs):
        row = slice(mdp.indptr[i], mdp.indptr[i + 1])
        s_next = mdp.position[mdp.successor[row]].tolist()
        reward, probability = expected[pair]
        assert mdp.reward[i] == pytest.approx(reward, abs=1e-12)
        assert dict(zip(s_next, mdp.probability[row], strict=True)) == probability


@pytest.mark.parametrize(("side", "states"), [(+1, 2423), (-1, 2097)])
def test_states_include_decisions_that_the_opponent_avoids(side, states):
    for opponent in (random_play, sparse_policy(game, 2)):
        mdp = from_opponent(game, opponent, side)
        assert len(mdp.position) == states
        assert len(mdp.action) == game.legal[game.to_move == side].sum()
        assert (mdp.successor > state_of(mdp).repeat(np.diff(mdp.indptr))).all()


def test_start_is_the_first_decision():
    opponent = sparse_policy(game, 3)
    assert from_opponent(game, opponent, +1).start.tolist() == [1] + [0] * 2422
    second = from_opponent(game, opponent, -1)
    start = to_positions(game, second, second.start)
    assert start[game.next[0]].tolist() == opponent[0].tolist()
    assert start.sum() == pytest.approx(1)


def test_from_opponent_rejects_a_side_without_decisions():
    one_mark_wins = tables(1, 2, 1)
    with pytest.raises(ValueError, match="side = -1: the game is over before that"):
        from_opponent(one_mark_wins, uniform(one_mark_wins.legal), -1)
    assert from_opponent(one_mark_wins, uniform(one_mark_wins.legal), +1).start == [1]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("seed", range(3))
def test_to_cells_and_from_cells_are_inverse(side, seed):
    mdp, policy = from_opponent(game, random_play, side), sparse_policy(game, seed)
    table = to_cells(game, mdp, from_cells(mdp, policy))
    assert (table[game.to_move == side] == policy[game.to_move == side]).all()
    assert not table[game.to_move != side].any()
    V = rng(seed).random(len(mdp.position))
    values = to_positions(game, mdp, V)
    assert (values[mdp.position] == V).all()
    assert np.count_nonzero(values) == len(V)


def test_transition_matrix_matches_from_arrays():
    p = np.array([[[0.5, 0.5], [0, 0.25]], [[1, 0], [0, 0]]])
    legal = np.array([[True, True], [False, True]])
    mdp = from_arrays(p, [[1, 2], [3, 4]], legal, start=[0, 1])
    assert transition_matrix(mdp).toarray().tolist() == [[0.5, 0.5], [0, 0.25], [0, 0]]
    assert mdp.reward.tolist() == [1, 2, 4]
    assert mdp.action.tolist() == [0, 1, 1]
    assert mdp.first.tolist() == [0, 2, 3]
    assert mdp.start.tolist() == [0, 1]
    assert transition_matrix(from_opponent(game, random_play)).shape == (8631, 2423)


def test_gridworld_walls_and_edges_block_steps():
    mdp = gridworld(".E#|.#.", -1, 5)
    assert mdp.position.tolist() == [0, 3, 5]
    chances = transition_matrix(mdp).toarray()
    to = [int(row.argmax()) if row.any() else "end" for row in chances]
    assert to == [0, 1, 0, "end", 0, 1, 1, 1, 2, 2, 2, 2]
    assert mdp.reward.tolist() == [-1, -1, -1, 4, *8 * [-1]]
    assert mdp.start.tolist() == 3 * [1 / 3]
