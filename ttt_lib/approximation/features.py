"""Linear value functions: a weighted sum of features of a board, instead of a table.

A board is seen by the player who has just moved, its *owner*, and the value is that of
the owner too. So one weight vector serves both players, and boards of every size.

With k marks in a row to win, and L lines, the features x of a board are

======================= ===================================================
``1``                   always 1
``own j``               lines with j marks of the owner, 1 to k, and no other
``other j``             lines with j marks of the other, 1 to k − 1, and no other
``fork``                1 if the owner could close lines in two cells, else 0
``threat``              1 if the other could close a line, else 0
``cells``               lines through each mark, added up, the other's minus, by L
======================= ===================================================

The value of a board is estimated as w · x; that of a finished board is known.
"""

from typing import NamedTuple

import numpy as np

from ttt_lib import rules, validation
from ttt_lib.compiled import allocating, compiled, in_chunks, jitable
from ttt_lib.validation import float_array, probability, require, validated


class System(NamedTuple):
    """The mean update of semi-gradient TD(0), w + α (b − A w), times the total weight.

    If the weights add up to 1, it is the mean of one update.
    """

    A: np.ndarray  #: (F, F)
    b: np.ndarray  #: (F,)


def names(k=3):
    """Return the names of the features for k marks in a row."""
    own, other = range(1, k + 1), range(1, k)
    lines = [f"own {j}" for j in own] + [f"other {j}" for j in other]
    return ("1", *lines, "fork", "threat", "cells")


def _weights(value, arguments):
    k = arguments["lines"].shape[1]
    return float_array(value, "w", (2 * k + 3,))


def _table(value, arguments):
    x = float_array(value, "x")
    require(x.ndim == 2, "x: give features (N, F), a board in each row")
    return x


def _boards(value, arguments):
    boards = validation.cells("boards")(value, arguments)
    require(boards.ndim == 2, "boards: give an array (N, A), a board in each row")
    ahead = boards.sum(axis=1)
    require(
        ((ahead == 0) | (ahead == 1)).all(),
        "boards: the first player has as many marks as the second, or one more",
    )
    return boards


@validated(boards=_boards)
def features(boards, lines=rules.LINES):
    """Return the features x (N, F) of boards (N, A), F = 2 k + 3.

    Examples
    --------
    >>> s = game.find("XX.OO....")
    >>> x = features.features(game.board[[s]])[0]
    >>> [name for name, value in zip(features.names(), x) if value]
    ['1', 'own 1', 'own 2', 'other 2', 'threat', 'cells']
    """
    x = np.zeros((len(boards), 2 * lines.shape[1] + 3))
    _features(boards, lines, x)
    return x


@compiled
def _features(boards, lines, x):
    for n in range(len(boards)):
        total = 0
        for cell in range(boards.shape[1]):
            total += boards[n, cell]
        _write_features(boards[n], 1 if total == 1 else -1, lines, x[n])


@jitable
def _write_features(cells, owner, lines, x):
    """Write the features of one board, seen by its owner, into x."""
    k, fork = lines.shape[1], -1
    x[:] = 0
    x[0] = 1
    for line in range(len(lines)):
        own, other, free = 0, 0, -1
        for i in range(k):
            mark = cells[lines[line, i]] * owner
            own += mark == 1
            other += mark == -1
            if mark == 0:
                free = lines[line, i]
        x[2 * k + 2] += (own - other) / len(lines)
        if own > 0 and other == 0:
            x[own] += 1
            if own == k - 1:  # `fork` is the cell that closes the first such line
                if fork not in (-1, free):
                    x[2 * k] = 1
                fork = free
        elif other > 0 and own == 0:
            x[k + other] += 1
            if other == k - 1:
                x[2 * k + 1] = 1


@validated(boards=_boards, w=_weights)
def action_values(boards, w, lines=rules.LINES):
    """Return the value of each move for the player who makes it: (N, A), 0 if illegal.

    It is w · x of the board after the move; a win counts 1, a full board 0.
    boards (N, A), w (F,).

    Examples
    --------
    >>> s = game.find("XX.OO....")
    >>> w = np.eye(9)[features.names().index("cells")]
    >>> features.action_values(game.board[[s]], w)[0]
    array([0.   , 0.   , 1.   , 0.   , 0.   , 0.125, 0.25 , 0.125, 0.25 ])
    """
    Q = np.zeros(boards.shape)
    _action_values(boards, rules.legal(boards, lines), w, lines, Q)
    return Q


@allocating
def _action_values(boards, legal, w, lines, Q):
    cells, x = np.zeros(boards.shape[1], dtype=np.int64), np.zeros(len(w))
    for n in range(len(boards)):
        total, marks = 0, 0
        for cell in range(len(cells)):
            cells[cell] = boards[n, cell]
            total += cells[cell]
            marks += cells[cell] != 0
        for a in range(len(cells)):
            if legal[n, a]:
                Q[n, a] = _move_value(cells, a, 1 - 2 * total, marks, w, lines, x)


@jitable
def _move_value(cells, a, mover, marks, w, lines, x):
    """Return the value of a move for its player; write the features after it into x."""
    cells[a] = mover
    _write_features(cells, mover, lines, x)
    cells[a] = 0
    if x[lines.shape[1]] > 0:
        return 1.0
    return 0.0 if marks + 1 == len(cells) else _dot(w, x)


@jitable
def _dot(w, x):
    total = 0.0
    for i in range(len(w)):
        total += w[i] * x[i]
    return total


# What is learned from play


@validated(
    w=_weights,
    cells=lambda value, arguments: validation.as_int(
        value, "cells", arguments["lines"].max() + 1
    ),
    alpha=probability("alpha", above=True),
)
def self_play(w, games, alpha, epsilon, rng, cells=9, lines=rules.LINES, gamma=1.0):
    """Return w after more games of one player against itself on a board of `cells`.

    After each move the board before it learns from the board after it, by semi-gradient
    TD: w + α (target − w · x) x, where the target is minus the value of the board after
    it, because that is the value for the other player. Both move ε-greedily in w.
    With ε = 1 all moves are random, and w predicts random play [S&B p. 203]; below 1 it
    is Sarsa, and w predicts its own play [S&B p. 244].
    `gamma` discounts per ply. n games and then m are bit-identical to n + m games.
    Ctrl-C raises KeyboardInterrupt, whose `so_far` are the weights at that moment.
    Raises ValueError if the weights diverge: `alpha` is then too large.
    """

    def play(w, games):
        w = w.copy()
        _self_play(w, games, alpha, epsilon, gamma, lines, cells, rng)
        require(
            np.isfinite(w).all(), f"alpha = {alpha} is too large: the weights diverge"
        )
        return w

    return in_chunks(play, w, games)


@allocating
def _self_play(w, games, alpha, epsilon, gamma, lines, cells, rng):
    board = np.zeros(cells, dtype=np.int64)
    before, after = np.zeros(len(w)), np.zeros(len(w))
    for _ in range(games):
        board[:] = 0
        mover = 1
        for marks in range(cells):
            a = _choose(board, mover, marks, w, epsilon, lines, after, rng)
            q = _move_value(board, a, mover, marks, w, lines, after)
            board[a] = mover
            won, full = after[lines.shape[1]] > 0, marks + 1 == cells
            if marks > 0:
                target = -q if won or full else -gamma * q
                step = alpha * (target - _dot(w, before))
                for i in range(len(w)):
                    w[i] += step * before[i]
            if won:
                break
            before[:] = after
            mover = -mover


@jitable
def _choose(board, mover, marks, w, epsilon, lines, x, rng):
    """Return an ε-greedy move, ties uniform."""
    explores = rng.random() < epsilon
    best, ties, chosen = -np.inf, 0, -1
    for a in range(len(board)):
        if board[a] != 0:
            continue
        q = 0.0 if explores else _move_value(board, a, mover, marks, w, lines, x)
        if q > best:
            best, ties = q, 0
        if q == best:
            ties += 1
            if int(rng.random() * ties) == 0:
                chosen = a
    return chosen


@validated(
    V=lambda value, arguments: float_array(value, "V", arguments["game"].code.shape),
    alpha=probability("alpha", above=True),
)
def table_self_play(game, V, games, alpha, epsilon, rng, gamma=1.0):
    """Return the table V (S,) after more games of one player against itself.

    It is `self_play` with one feature for each position, which is 1 there and 0
    elsewhere: the position before a move learns from the one after it, by
    V(s) + α (target − V(s)), and both players move ε-greedily in V. V(s) is the value
    for the player who has just moved; entries of the empty board and of finished ones
    stay as they are, and a win counts 1.
    With `studies.parts.folded(game)` the positions of a symmetry class share a number.
    `gamma`, Ctrl-C, and n games and then m, are as in `self_play`.
    """

    def play(V, games):
        V = V.copy()
        _table_self_play(game, V, games, alpha, epsilon, gamma, rng)
        return V

    return in_chunks(play, V, games)


@allocating
def _table_self_play(game, V, games, alpha, epsilon, gamma, rng):
    for _ in range(games):
        s = 0
        while game.count[s] > 0:
            explores = rng.random() < epsilon
            largest, ties, s_next = -np.inf, 0, 0
            for i in range(game.count[s]):
                q = 0.0 if explores else _table_value(game, V, game.successor[s, i])
                if q > largest:
                    largest, ties = q, 0
                if q == largest:
                    ties += 1
                    if int(rng.random() * ties) == 0:
                        s_next = game.successor[s, i]
            q = _table_value(game, V, s_next)
            if s > 0:  # the empty board has no owner
                target = -q if game.count[s_next] == 0 else -gamma * q
                V[s] += alpha * (target - V[s])
            s = s_next


@jitable
def _table_value(game, V, s):
    """Return the value of a position for the player who has just moved."""
    return V[s] if game.count[s] > 0 else float(abs(game.outcome[s]))


# What could be learned, exactly


@validated(
    x=_table,
    value=lambda value, arguments: float_array(value, "value", (len(arguments["x"]),)),
    weight=lambda value, arguments: float_array(
        value, "weight", (len(arguments["x"]),)
    ),
)
def least_squares(x, value, weight):
    """Return the w (F,) of the smallest value error, and its root [S&B eq. 9.1].

    x (N, F), value (N,), and the weight (N,) with which a board counts.
    No weights make w · x come nearer to these values in this measure.
    """
    share = np.sqrt(weight / weight.sum())
    w = np.linalg.lstsq(share[:, np.newaxis] * x, share * value, rcond=None)[0]
    return w, float(np.sqrt(np.sum((share * (x @ w - value)) ** 2)))


@validated(
    x=_table,
    weight=lambda value, arguments: float_array(
        value, "weight", (len(arguments["x"]),)
    ),
)
def td_system(game, x, policy, weight, gamma=1.0):
    """Return the System of TD(0) for a policy that plays both sides [S&B eq. 9.11].

    x (S, F), policy (S, A), and the weight (S,) with which a position is updated: how
    often it is met. If these come from the policy's own games, A⁻¹ b is the fixed point
    of TD(0) [S&B eq. 9.12].
    """
    x = np.where(game.terminal[:, np.newaxis], 0, x)
    weight = np.where(game.terminal, 0, weight)
    weight[0] = 0  # the empty board has no owner
    chances = np.where(game.legal, policy, 0)
    ends = np.where(game.terminal, np.abs(game.outcome), 0)  # for the last mover
    reward = (chances * np.where(game.legal, ends[game.next], 0)).sum(axis=1)
    x_next = np.einsum("sa,saf->sf", chances, x[game.next] * game.legal[..., None])
    A = (weight[:, np.newaxis] * x).T @ (x + gamma * x_next)
    return System(A, -(weight * reward) @ x)
