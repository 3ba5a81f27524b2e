"""Minimax, alpha-beta and the exact solution of the game under perfect play.

MAX = +1 is the first player, who wants a large value, and MIN = −1 the second, who
wants a small one. A value is the outcome under perfect play, from the first player's
side.
The searches start from any position and count the nodes that they visit, including
the first; their compiled loops do not check the board.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from ttt_lib.compiled import compiled, jitable
from ttt_lib.policy import best, greedy, mixture, uniform
from ttt_lib.validation import probability, validated

MAX, MIN = +1, -1


class Searched(NamedTuple):
    """The result of a search, and the work that it took."""

    value: int  #: outcome under perfect play, from the first player's side
    nodes: int  #: boards or positions that were visited


class Solution(NamedTuple):
    """The value of every position and of every move under perfect play."""

    V: np.ndarray  #: (S,) from the first player's side, 0 where the game is over
    Q: np.ndarray  #: (S, A) from the side of the player to move, 0 where illegal


# The textbook's searches, on a board


@validated
def minimax(game, s=0) -> Searched:
    """Return the value of position s from every game that can follow [Shannon 1950].

    From the empty board these are 255,168 games and 549,946 nodes.

    Examples
    --------
    >>> search.minimax(game, game.find("XX.OO...."))
    Searched(value=1, nodes=157)
    """
    # Numba must see the same types in the first call as in the recursion: it cannot
    # reload a recursive function of two kinds from its cache.
    board, player = game.board[s].copy(), int(game.to_move[s])
    return Searched(*minimax_value(board, player, game.lines))


@compiled
def minimax_value(board, player, lines):
    """Return (value, nodes) of `board`; `player` moves, MAX (+1) or MIN (−1).

    Trusts that `lines` are cells of the board, as the functions below do.
    """
    if owns_line(board, -player, lines):
        return -player, 1
    best, nodes = -2 * player, 1  # worse than every outcome
    for a in range(len(board)):
        if board[a] == 0:
            board[a] = player  # do the move
            value, below = minimax_value(board, -player, lines)
            board[a] = 0  # undo it
            best = max(best, value) if player == MAX else min(best, value)
            nodes += below
    if nodes == 1:  # no cell was empty: a draw
        return 0, 1
    return best, nodes


@validated
def alpha_beta(game, s=0, order=None) -> Searched:
    """Return the value of s, skipping moves that cannot matter [Knuth & Moore 1975].

    `order` (A,) is the order in which cells are tried, rising if None. With good moves
    first, as in `most_lines_first`, more is skipped; the value is always the same.

    Examples
    --------
    >>> order = search.most_lines_first(game)
    >>> search.alpha_beta(game).nodes, search.alpha_beta(game, 0, order).nodes
    (18297, 7275)
    """
    order = np.arange(len(game.board[s]), dtype=np.int64) if order is None else order
    board, player = game.board[s].copy(), int(game.to_move[s])
    return Searched(*alpha_beta_value(board, player, game.lines, order, -2, +2))


@compiled
def alpha_beta_value(board, player, lines, order, alpha, beta):
    """Return (value, nodes); MAX can get `alpha` elsewhere already, and MIN `beta`.

    `order` and `lines` must be cells of the board; they are not checked.
    """
    if owns_line(board, -player, lines):
        return -player, 1
    best, nodes = -2 * player, 1
    for a in order:
        if board[a] == 0:
            board[a] = player
            value, below = alpha_beta_value(board, -player, lines, order, alpha, beta)
            board[a] = 0
            nodes += below
            if player == MAX:
                best = max(best, value)
                alpha = max(alpha, best)
            else:
                best = min(best, value)
                beta = min(beta, best)
            if alpha >= beta:  # one player already has a better alternative elsewhere
                break
    if nodes == 1:
        return 0, 1
    return best, nodes


@jitable
def owns_line(board, player, lines):
    """Return whether `player` has a line: `rules.has_line` for one board, in loops.

    `lines` must be cells of the board; they are not checked.
    """
    for i in range(len(lines)):
        length = 0
        while length < lines.shape[1] and board[lines[i, length]] == player:
            length += 1
        if length == lines.shape[1]:
            return True
    return False


@validated
def most_lines_first(game) -> np.ndarray:
    """Return the cells (A,), those on most lines first: centre, corners, edges."""
    lines_through = np.bincount(game.lines.ravel(), minlength=game.legal.shape[1])
    return np.argsort(-lines_through, kind="stable").astype(np.int64)


# The same on the tables of the game


@validated
def minimax_on_tables(game, s=0) -> Searched:
    """Return the same as `minimax`, faster: moves and outcomes are looked up."""
    tables = game.count, game.successor, game.outcome
    s, player = game.successor.dtype.type(s), int(game.to_move[s])  # see `minimax`
    return Searched(*_minimax_on_tables(*tables, s, player))


@compiled
def _minimax_on_tables(count, successor, outcome, s, player):
    if count[s] == 0:
        return int(outcome[s]), 1
    best, nodes = -2 * player, 1
    for i in range(count[s]):
        s_next = successor[s, i]
        if count[s_next] == 0:  # nearly half of the nodes: saves the call
            value, below = int(outcome[s_next]), 1
        else:
            tables = count, successor, outcome
            value, below = _minimax_on_tables(*tables, s_next, -player)
        nodes += below
        best = max(best, value) if player == MAX else min(best, value)
    return best, nodes


@validated
def minimax_with_memory(game, s=0) -> Searched:
    """Return the value of s, visiting each position only once [Michie 1968].

    From the empty board these are 5,478 nodes, one hundredth of the full tree.

    Examples
    --------
    >>> search.minimax_with_memory(game)
    Searched(value=0, nodes=5478)
    """
    # Plain loops read lists faster than arrays.
    count, successor = game.count.tolist(), game.successor.tolist()
    to_move, outcome = game.to_move.tolist(), game.outcome.tolist()

    @cache
    def value(s):
        if count[s] == 0:
            return outcome[s]
        choose = max if to_move[s] == MAX else min
        return choose(map(value, successor[s][: count[s]]))

    return Searched(value(int(s)), value.cache_info().currsize)


@validated(gamma=probability("gamma", above=True))
def solve(game, gamma=1.0) -> Solution:
    """Return the Solution of the whole game by one backward sweep [Zermelo 1913].

    It is value iteration for two players with opposite rewards [S&B eq. 4.10]. The
    outcome is the reward of the last move and V is 0 where the game is over, so the
    searches return `game.outcome + V`.
    `gamma` discounts per *ply*: a win in n plies is worth γ^(n − 1), so below 1 earlier
    wins and later losses are worth more; at 1 the length of the game does not count.
    Raises ValueError unless 0 < γ ≤ 1.

    Examples
    --------
    >>> s = game.find("XX.OO....")
    >>> search.solve(game).Q[s]
    array([ 0.,  0.,  1.,  0.,  0.,  0., -1., -1., -1.])
    >>> search.solve(game, gamma=0.5).Q[s]
    array([ 0. ,  0. ,  1. ,  0. ,  0. ,  0. , -0.5, -0.5, -0.5])
    """
    V, Q = np.zeros(len(game.code)), np.zeros(game.legal.shape)
    _sweep_back(game, float(gamma), V, Q)
    return Solution(V, Q)


@compiled
def _sweep_back(game, gamma, V, Q):
    for s in range(len(V) - 1, -1, -1):
        mover, largest = game.to_move[s], -np.inf
        for i in range(game.count[s]):
            s_next = game.successor[s, i]
            q = mover * (game.outcome[s_next] + gamma * V[s_next]) + 0.0  # never −0.0
            Q[s, game.action[s, i]] = q
            largest = max(largest, q)
        if game.count[s] > 0:
            V[s] = mover * largest + 0.0


# Policies and games from the values


def perfect(game, gamma=1.0, ties="uniform") -> np.ndarray:
    """Return the policy (S, A) that plays perfectly on both sides.

    With `gamma` below 1 it also wins as soon, and loses as late, as possible.

    Examples
    --------
    >>> answer = search.perfect(game)[game.find("X........")]
    >>> np.flatnonzero(answer)
    array([4])
    """
    return greedy(solve(game, gamma).Q, game.legal, ties)


@validated
def teacher(game, p, ties="uniform") -> np.ndarray:
    """Return the policy (S, A) that moves perfectly with probability p, else uniformly.

    ties: among perfect moves, "uniform" for any, "lowest" for the lowest cell.
    """
    return mixture(p, perfect(game, ties=ties), uniform(game.legal))


@validated
def principal_variation(game, Q, s=0, order=None) -> tuple[list[int], list[int]]:
    """Return (positions, actions) of the game from s with both players greedy in Q.

    Among equally good actions it takes the first in `order` (A,), the lowest if None.
    actions[i] is taken in positions[i]; the last position is finished.

    Examples
    --------
    >>> path, actions = search.principal_variation(game, search.solve(game).Q)
    >>> actions
    [0, 4, 1, 2, 6, 3, 5, 7, 8]
    >>> game.string(path[-1])
    'XXOOOXXOX'
    """
    order = range(game.legal.shape[1]) if order is None else order
    candidates = best(Q, game.legal)
    positions, actions = [int(s)], []
    while not game.terminal[positions[-1]]:
        actions.append(next(int(a) for a in order if candidates[positions[-1], a]))
        positions.append(int(game.next[positions[-1], actions[-1]]))
    return positions, actions
