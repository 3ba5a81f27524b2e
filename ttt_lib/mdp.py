"""The decision problem that is left when the opponent's policy is fixed.

The agent decides, the opponent's answer belongs to the transition, and the next state
is the next position in which the agent decides.
Only legal pairs of state and action exist, packed one after another, so there is
nothing to mask.
The reward sits on the transition: after the last one there is no state [S&B sec. 3.3].
"""

from typing import NamedTuple

import numpy as np

END_STATES = ("win", "draw", "loss", "illegal")  # of `with_end_states`, its last four


class MDP(NamedTuple):
    """A finite MDP of n states, N state–action pairs and M transitions between states.

    The indices are unsigned (uint32), which makes the compiled loops twice as fast:
    they need not ask whether one is negative.
    """

    position: np.ndarray  #: (n,) position in the game of each state, in rising order
    first: np.ndarray  #: (n + 1,) first pair of each state: s has first[s]:first[s + 1]
    action: np.ndarray  #: (N,) action of each pair, in rising order within a state
    indptr: np.ndarray  #: (N + 1,) first transition of each pair, likewise
    successor: np.ndarray  #: (M,) next state of each transition
    probability: np.ndarray  #: (M,) p(s′|s, a); less than 1 in sum where it may end
    reward: np.ndarray  #: (N,) expected reward of each pair, endings included
    start: np.ndarray  #: (n,) probability of each state to be the first


def against(game, opponent, side=+1, rewards=(1, 0, -1)):
    """Return the MDP of the agent who plays first (+1) or second (−1) against a policy.

    `opponent` is that policy (S, A); `rewards` are the agent's for win, draw and loss.
    The states are all positions in which the agent is to move, also those that this
    opponent avoids; successors have larger numbers.
    A game that ends before the agent's first decision is missing from `start`.
    Raises ValueError if `side` is neither +1 nor −1.
    """
    position, state, action, *transitions = _transitions(game, opponent, side)
    pair, successor, probability = transitions
    n, on, end = len(position), successor < len(position), successor >= len(position)
    gain = probability[end] * np.asarray(rewards, dtype=float)[successor[end] - n]
    reward = np.bincount(pair[end], gain, minlength=len(action))
    start = np.zeros(len(game.code))
    if side == 1:
        start[0] = 1
    else:
        start[game.next[0, game.legal[0]]] = opponent[0, game.legal[0]]
    going_on = pair[on], successor[on], probability[on]
    return _packed(position, state, action, *going_on, reward, start[position])


def with_end_states(game, opponent, side=+1, rewards=(1, 0, -1)):
    """Return the same MDP with four absorbing END_STATES and A actions in every state.

    An illegal action leads to "illegal" with reward −∞; END_STATES have position −1.
    It is here to be compared: −∞ becomes the value of every policy with a little
    probability on illegal cells, and −∞ − (−∞), a TD error, is not a number.
    """
    mdp = against(game, opponent, side, rewards)
    position, state, action, *transitions = _transitions(game, opponent, side)
    pair, successor, probability = transitions
    n, cells = len(position), game.legal.shape[1]
    legal = state * cells + action  # where the legal pairs stand among all
    illegal = np.flatnonzero(~game.legal[position])
    staying = np.arange(n * cells, (n + 4) * cells)
    reward = np.zeros((n + 4) * cells)
    reward[legal], reward[illegal] = mdp.reward, -np.inf
    position, start = np.append(position, [-1] * 4), np.append(mdp.start, [0] * 4)
    state, action = np.divmod(np.arange((n + 4) * cells), cells)
    pair = np.concatenate([legal[pair], illegal, staying])
    to_illegal = np.full(len(illegal), n + END_STATES.index("illegal"))
    successor = np.concatenate([successor, to_illegal, staying // cells])
    probability = np.append(probability, np.ones(len(illegal) + len(staying)))
    return _packed(position, state, action, pair, successor, probability, reward, start)


def from_arrays(probability, reward, legal=None, start=None):
    """Return the MDP of p(s′|s, a) (n, A, n) and r(s, a) (n, A) [S&B eq. 3.4–3.5].

    `legal` (n, A) tells which actions exist, by default all; `start` (n,) where
    episodes begin, by default anywhere.
    What Σ p(s′|s, a) lacks to 1 is the probability that the episode ends.
    Raises ValueError if a state has no action or a probability is none.
    """
    probability, reward = np.asarray(probability), np.asarray(reward, dtype=float)
    n = len(reward)
    legal = np.full(reward.shape, True) if legal is None else np.asarray(legal, bool)
    if not legal.any(axis=1).all():
        raise ValueError("A state has no action: leave out the states where it ends.")
    state, action = np.nonzero(legal)
    p = probability[state, action].astype(float)  # (N, n)
    if not ((p >= 0).all() and (p.sum(axis=1) <= 1 + 1e-9).all()):
        raise ValueError("The probabilities of a pair are none, or sum to more than 1.")
    pair, successor = np.nonzero(p)
    transitions = pair, successor, p[pair, successor]
    start = np.full(n, 1 / n) if start is None else np.asarray(start, dtype=float)
    return _packed(
        np.arange(n), state, action, *transitions, reward[state, action], start
    )


def state_of(mdp):
    """Return the state of each pair (N,)."""
    return np.repeat(np.arange(len(mdp.position)), np.diff(mdp.first))


def to_positions(game, mdp, V):
    """Return V (n,) by position (S,), 0 where the agent is not to move."""
    values = np.zeros(len(game.code))
    values[mdp.position] = V
    return values


def to_cells(game, mdp, q):
    """Return numbers of pairs (N,), a q or a policy, as a table (S, A), 0 elsewhere.

    So the rows of a policy are 0 where the other side is to move, and `policy.join`
    puts two sides together.
    """
    table = np.zeros(game.legal.shape)
    table[mdp.position[state_of(mdp)], mdp.action] = q
    return table


def from_cells(mdp, table):
    """Return the numbers of the pairs (N,) from a table (S, A), a Q or a policy."""
    return np.asarray(table)[mdp.position[state_of(mdp)], mdp.action]


def transition_matrix(mdp):
    """Return p(s′|s, a) as a sparse SciPy array (N, n), one row for each pair."""
    from scipy.sparse import csr_array  # only who looks at it waits for SciPy

    indices, indptr = mdp.successor.astype(np.int32), mdp.indptr.astype(np.int32)
    shape = len(mdp.action), len(mdp.position)
    return csr_array((mdp.probability, indices, indptr), shape=shape)


def _transitions(game, opponent, side):
    """Return the states, pairs and transitions; win, draw, loss are n, n + 1, n + 2.

    That is position (n,), state (N,), action (N,), pair (M,), successor (M,),
    probability (M,).
    """
    if side not in (+1, -1):
        raise ValueError(
            f"side = {side!r}: the agent is the first player, +1, or the second, -1."
        )
    position = np.flatnonzero((game.to_move == side) & ~game.terminal)
    number = len(position) + 1 - side * game.outcome.astype(int)
    number[position] = np.arange(len(position))
    state, action = np.nonzero(game.legal[position])
    after = game.next[position[state], action]
    pair, reply = np.nonzero(opponent[after])  # rows of finished games are 0
    over = np.flatnonzero(game.terminal[after])
    s_next = np.append(game.next[after[pair], reply], after[over])
    probability = np.append(opponent[after[pair], reply], np.ones(len(over)))
    pair = np.append(pair, over)
    return position, state, action, pair, number[s_next], probability


def _packed(position, state, action, pair, successor, probability, reward, start):
    """Return the MDP, its pairs as they come, its transitions in their order."""
    order = np.argsort(pair, kind="stable")
    indptr = np.searchsorted(pair[order], np.arange(len(action) + 1))
    return MDP(
        position=np.asarray(position, dtype=np.int64),
        first=np.searchsorted(state, np.arange(len(position) + 1)).astype(np.uint32),
        action=np.asarray(action, dtype=np.int64),
        indptr=indptr.astype(np.uint32),
        successor=successor[order].astype(np.uint32),
        probability=probability[order],
        reward=reward,
        start=start,
    )
