"""Policies as (S, A) arrays of probabilities over *all* positions.

The side to move picks the row, so one array plays both sides.
Rows of finished positions are 0; every other row sums to 1 and is 0 at illegal cells.
An action value Q is (S, A), from the view of the side to move, which maximises it;
entries at illegal cells are ignored.
"""

import numpy as np

from ttt_lib.compiled import compiled, jitable
from ttt_lib.validation import (
    anything,
    legal_actions,
    offsets,
    pairs,
    probabilities,
    validated,
)

LEARNED_ATOL = 1e-9  # action values that differ by less are ties
EXACT_RTOL = 1e-13  # the same for exact values, relative to the largest


@validated
def uniform(legal) -> np.ndarray:
    """Return the policy with all legal actions equally likely; legal (S, A) of bool.

    Examples
    --------
    >>> s = game.find("XX.OO....")
    >>> policy.uniform(game.legal)[s]
    array([0. , 0. , 0.2, 0. , 0. , 0.2, 0.2, 0.2, 0.2])
    """
    return _normalised(legal)


@validated(action=anything)
def deterministic(action, legal) -> np.ndarray:
    """Return the policy that always takes `action` (S,).

    Entries of finished positions are ignored.
    Raises ValueError if an action is illegal.
    """
    states = np.flatnonzero(legal.any(axis=1))
    policy = np.zeros(legal.shape)
    policy[states, legal_actions(action, legal, states)] = 1
    return policy


@validated
def max_q(Q, legal) -> np.ndarray:
    """Return max Q(s, a) over legal a, 0 where the game is over; (S,) [S&B eq. 6.8]."""
    masked = np.where(legal, Q, -np.inf).max(axis=1)
    return np.where(legal.any(axis=1), masked, 0.0)


@validated
def expected_q(Q, policy) -> np.ndarray:
    """Return Σ_a π(a|s) Q(s, a), the value of s under a policy; (S,) [S&B eq. 6.9]."""
    return (policy * Q).sum(axis=1)


@validated
def greedy(Q, legal, ties="uniform", tie=LEARNED_ATOL) -> np.ndarray:
    """Return the policy greedy in Q (S, A), ties by a named rule [S&B sec. 2.2].

    ties: "uniform" shares the probability among the best actions, "lowest" takes the
    lowest cell. tie: actions are tied if their values differ by at most this.

    Examples
    --------
    >>> Q, s = search.solve(game).Q, game.find("X...O....")
    >>> policy.greedy(Q, game.legal)[s].round(2)
    array([0.  , 0.14, 0.14, 0.14, 0.  , 0.14, 0.14, 0.14, 0.14])
    >>> policy.greedy(Q, game.legal, ties="lowest")[s]
    array([0., 1., 0., 0., 0., 0., 0., 0., 0.])
    """
    policy = np.zeros(legal.shape)
    first = np.append(0, legal.sum(axis=1).cumsum())
    pairs = first.astype(np.uint32), Q[legal]
    policy[legal] = greedy_pairs.unchecked(*pairs, ties, tie)
    return policy


def best(Q, legal) -> np.ndarray:
    """Return a mask (S, A) of the legal actions with the largest action value, or ties.

    Examples
    --------
    >>> Q, s = search.solve(game).Q, game.find("X........")
    >>> np.flatnonzero(policy.best(Q, game.legal)[s])
    array([4])
    """
    return greedy(Q, legal) > 0


@validated(first=offsets, q=pairs)
def greedy_pairs(first, q, ties="uniform", tie=LEARNED_ATOL) -> np.ndarray:
    """Return the greedy probabilities of packed legal pairs (N,), the core of `greedy`.

    The pairs of state s are first[s] to first[s + 1] − 1; first (S + 1,).
    """
    policy = np.zeros(len(q))
    _share_best(first, q, float(tie), ties == "lowest", policy)
    return policy


@compiled
def _share_best(first, q, tie, lowest, policy):
    """Write the result of `greedy_pairs` into `policy`; `first` is not checked."""
    for s in range(len(first) - 1):
        largest, chosen = -np.inf, 0
        for pair in range(first[s], first[s + 1]):
            largest = max(largest, q[pair])
        for pair in range(first[s], first[s + 1]):
            if q[pair] >= largest - tie and not (lowest and chosen > 0):
                policy[pair] = 1
                chosen += 1
        if chosen > 1:
            for pair in range(first[s], first[s + 1]):
                policy[pair] /= chosen


@validated
def epsilon_greedy(Q, legal, epsilon, ties="uniform") -> np.ndarray:
    """Return the ε-greedy policy for Q (S, A) [S&B sec. 2.2].

    It is uniform with probability ε at each move, else greedy.

    Examples
    --------
    >>> Q, s = search.solve(game).Q, game.find("XX.OO....")
    >>> policy.epsilon_greedy(Q, game.legal, 0.1)[s]
    array([0.  , 0.  , 0.92, 0.  , 0.  , 0.02, 0.02, 0.02, 0.02])
    """
    return mixture(epsilon, uniform(legal), greedy(Q, legal, ties))


@validated
def softmax(Q, legal, temperature=1.0) -> np.ndarray:
    """Return the policy with probabilities ∝ exp(Q / temperature) [S&B eq. 13.2].

    The temperature is positive, in units of reward.

    Examples
    --------
    >>> Q, s = search.solve(game).Q, game.find("XX.OO....")
    >>> policy.softmax(Q, game.legal, 0.5)[s].round(2)
    array([0.  , 0.  , 0.84, 0.  , 0.  , 0.11, 0.02, 0.02, 0.02])
    """
    top = max_q(Q, legal)[:, np.newaxis]
    # Subtracting the maximum changes no probability and keeps exp from overflowing.
    with np.errstate(over="ignore"):  # exp(−inf) is 0, as it should be
        preference = (np.where(legal, Q, top) - top) / temperature
    return _normalised(np.where(legal, np.exp(preference), 0.0))


@validated(policy=probabilities("policy"))
def mixture(p, policy, other) -> np.ndarray:
    """Return the mixture: at each move `policy` with probability p, else `other`.

    With a perfect and a uniform policy this is the *teacher of level p*.

    Examples
    --------
    >>> teacher = policy.mixture(0.9, search.perfect(game), at_random)
    >>> teacher[game.find("XX.OO....")]
    array([0.  , 0.  , 0.92, 0.  , 0.  , 0.02, 0.02, 0.02, 0.02])
    """
    return p * policy + (1 - p) * other


@jitable
def sample_action(policy, s, count, action, rng):
    """Return the index i, among the legal actions of s, of an action drawn at random.

    Arguments are those of `game`: policy (S, A), count (S,) and action (S, A). They are
    not checked: that would make games 1.4 times as slow.
    """
    threshold, i = rng.random(), 0
    while i < count[s] - 1 and threshold >= policy[s, action[s, i]]:
        threshold -= policy[s, action[s, i]]
        i += 1
    return i


@validated
def combine_sides(first, second, to_move) -> np.ndarray:
    """Return one policy: `first` where to_move (S,) is +1, `second` where it is −1."""
    return np.where(to_move[:, np.newaxis] == 1, first, second)


def _normalised(weight):
    total = weight.sum(axis=1, keepdims=True)
    return weight / np.where(total == 0, 1, total)
