"""Markov decision processes: against a fixed opponent, from arrays, gridworlds.

Against a fixed opponent the agent decides, the opponent's reply is part of the
transition, and the next state is the next position in which the agent decides.
Only legal pairs of state and action are stored, one after another, without a mask.
Rewards belong to transitions; the last one leads to no state [S&B sec. 3.3].
"""

import itertools
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ttt_lib.validation import as_float, require, require_model, short_repr, validated

if TYPE_CHECKING:
    from scipy.sparse import csr_array

WAYS = (-1, 0), (1, 0), (0, -1), (0, 1)  # in a gridworld: up, down, left, right


class MDP(NamedTuple):
    """A finite MDP of n states, N state–action pairs and M transitions between states.

    The probability that the episode ends is 1 minus the sum of those of a pair.
    Indices are unsigned (uint32), which makes the compiled loops twice as fast: they
    need no check for negative ones.
    """

    position: np.ndarray  #: (n,) position in the game of each state, in rising order
    first: np.ndarray  #: (n + 1,) first pair of each state: s has first[s]:first[s + 1]
    action: np.ndarray  #: (N,) action of each pair, in rising order within a state
    indptr: (
        np.ndarray
    )  #: (N + 1,) first transition of each pair: indptr[i]:indptr[i + 1]
    successor: np.ndarray  #: (M,) next state of each transition
    probability: np.ndarray  #: (M,) p(s′|s, a) of each transition
    reward: np.ndarray  #: (N,) expected reward of each pair, endings included
    start: np.ndarray  #: (n,) probability of each state to be the first


@validated
def from_opponent(game, opponent, side=+1, rewards=(1, 0, -1)) -> MDP:
    """Return the MDP of the first (+1) or second (−1) player against a fixed policy.

    `opponent` is that policy (S, A); `rewards` are the agent's for win, draw and loss.
    The states are all positions in which the agent is to move, including those that
    this opponent avoids; successors have larger numbers.
    Raises ValueError if all games end before the agent's first decision.

    Examples
    --------
    >>> problem = mdp.from_opponent(game, at_random)
    >>> len(problem.position), len(problem.action)
    (2423, 8631)
    """
    position = np.flatnonzero((game.to_move == side) & ~game.terminal)
    n = len(position)
    require(n > 0, f"side = {side}: the game is over before that side's first decision")
    outcome = side * game.outcome.astype(np.int64)
    number = n + 1 - outcome  # win, draw, loss: n, n + 1, n + 2
    number[position] = np.arange(n, dtype=np.int64)
    state, action = np.nonzero(game.legal[position])
    after = game.next[position[state], action]
    over = np.flatnonzero(game.terminal[after])
    pair, reply = np.nonzero(opponent[after])  # rows of finished games are 0
    successor = number[np.append(game.next[after[pair], reply], after[over])]
    probability = np.append(opponent[after[pair], reply], np.ones(len(over)))
    pair, on, end = np.append(pair, over), successor < n, successor >= n
    gain = probability[end] * np.array(rewards)[successor[end] - n]
    start = np.zeros(len(game.code))
    if side == 1:
        start[0] = 1
    else:
        start[game.next[0, game.legal[0]]] = opponent[0, game.legal[0]]
    return _packed(
        position,
        (state, action),
        (pair[on], successor[on], probability[on]),
        np.bincount(pair[end], gain, minlength=len(action)),
        start[position],
    )


def from_arrays(probability, reward, legal=None, start=None) -> MDP:
    """Return the MDP of p(s′|s, a) (n, A, n) and r(s, a) (n, A) [S&B eq. 3.4–3.5].

    `legal` (n, A) of bool is the actions that exist, by default all; `start` (n,) the
    probabilities of the first state, by default uniform.
    Raises ValueError if a state has no action, shapes differ, or probabilities are
    invalid.

    Examples
    --------
    >>> p = [[[0, 1], [0, 0]], [[0, 0], [0, 0]]]
    >>> problem = mdp.from_arrays(p, [[0, 1], [3, 0]])
    >>> planning.value_iteration(problem, gamma=0.5).V
    array([1.5, 3. ])
    """
    probability, reward, legal, start = require_model(probability, reward, legal, start)
    state, action = np.nonzero(legal)
    p = probability[legal]  # (N, n)
    pair, successor = np.nonzero(p)
    pairs, transitions = (state, action), (pair, successor, p[pair, successor])
    return _packed(
        np.arange(len(reward), dtype=np.int64),
        pairs,
        transitions,
        reward[state, action],
        start,
    )


def gridworld(squares, step=-1, end=0) -> MDP:
    """Return the MDP of a gridworld such as "E..|.#.|..E" [S&B example 4.1].

    Rows are given from top to bottom, separated by |: "." is a free square, "E" an
    exit, which ends the episode, "#" a wall. Steps into a wall or off the grid stay in
    place. Each step has the reward `step`, plus `end` into an exit. Actions 0 to 3 are
    up, down, left and right; `position` is the square of each state, row by row.
    Raises ValueError if the text is not a grid, or a reward is not a number.

    Examples
    --------
    >>> grid = mdp.gridworld("E..|...|..E")
    >>> planning.value_iteration(grid, gamma=1.0).V
    array([-1., -2., -1., -2., -1., -2., -1.])
    """
    rows = require_squares(squares).split("|")
    step, end = as_float(step, "step"), as_float(end, "end")
    signs, columns = "".join(rows), len(rows[0])
    n = len(signs)
    p, r = np.zeros((n, len(WAYS), n)), np.full((n, len(WAYS)), step)
    for s, (a, way) in itertools.product(range(n), enumerate(WAYS)):
        row, column = np.add(divmod(s, columns), way)
        there = int(row * columns + column)
        inside = 0 <= row < len(rows) and 0 <= column < columns
        there = there if inside and signs[there] != "#" else s
        p[s, a, there] = 1
        r[s, a] += end * (signs[there] == "E")
    free = np.flatnonzero(np.array([*signs]) == ".")
    problem = from_arrays(p[free][:, :, free], r[free])
    return problem._replace(position=free.astype(np.int64))


def require_squares(squares) -> str:
    """Return the text of a gridworld; raise ValueError if it is invalid."""
    require(
        isinstance(squares, str)
        and set(squares) <= set(".E#|")
        and len({*map(len, squares.split("|"))}) == 1,
        f"squares = {short_repr(squares)}: give rows of . E and # of equal length, "
        "separated by |",
    )
    require("." in squares, f"squares = {short_repr(squares)}: no square is free")
    return squares


@validated
def state_of(mdp) -> np.ndarray:
    """Return the state of each pair (N,)."""
    counts = np.diff(mdp.first).astype(np.intp)
    return np.repeat(np.arange(len(mdp.position), dtype=np.int64), counts)


@validated
def to_positions(game, mdp, V) -> np.ndarray:
    """Return V (n,) as an array (S,) by position, 0 where the agent is not to move."""
    values = np.zeros(len(game.code))
    values[mdp.position] = V
    return values


@validated
def to_cells(game, mdp, q) -> np.ndarray:
    """Return numbers of pairs (N,), a q or a policy, as a table (S, A), 0 elsewhere.

    Rows of a policy are 0 where the other side is to move; `policy.combine_sides` joins
    the policies of two sides.

    Examples
    --------
    >>> problem = mdp.from_opponent(game, at_random)
    >>> V = planning.optimal_values(problem, gamma=1.0)
    >>> q = planning.q_from_v(problem, V, gamma=1.0)
    >>> mdp.to_cells(game, problem, q)[0].reshape(3, 3).round(3)
    array([[0.995, 0.987, 0.995],
           [0.987, 0.99 , 0.987],
           [0.995, 0.987, 0.995]])
    """
    table = np.zeros(game.legal.shape)
    table[mdp.position[state_of(mdp)], mdp.action] = q
    return table


@validated
def from_cells(mdp, table) -> np.ndarray:
    """Return the numbers of the pairs (N,) from a table (S, A), a Q or a policy."""
    return table[mdp.position[state_of(mdp)], mdp.action]


@validated
def transition_matrix(mdp) -> "csr_array":
    """Return p(s′|s, a) as a sparse SciPy array (N, n), one row for each pair."""
    from scipy.sparse import csr_array  # imported late, as SciPy takes time to load

    indices, indptr = mdp.successor.astype(np.int32), mdp.indptr.astype(np.int32)
    shape = len(mdp.action), len(mdp.position)
    return csr_array((mdp.probability, indices, indptr), shape=shape)


def _packed(position, pairs, transitions, reward, start):
    """Return the MDP of pairs (state, action), which are sorted by state and action.

    The transitions (pair, successor, probability) may come in any order.
    """
    (state, action), (pair, successor, probability) = pairs, transitions
    order = np.argsort(pair, kind="stable")
    indptr = np.searchsorted(pair[order], np.arange(len(action) + 1, dtype=np.int64))
    first = np.searchsorted(state, np.arange(len(position) + 1, dtype=np.int64))
    return MDP(
        position=np.asarray(position, dtype=np.int64),
        first=first.astype(np.uint32),
        action=np.asarray(action, dtype=np.int64),
        indptr=indptr.astype(np.uint32),
        successor=successor[order].astype(np.uint32),
        probability=probability[order],
        reward=reward,
        start=start,
    )
