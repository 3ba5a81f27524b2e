"""Policies as (S, A) arrays of probabilities over *all* positions.

The side to move picks the row, so one array plays both sides.
Rows of finished positions are 0; every other row sums to 1 and is 0 at illegal cells.
An action value Q is (S, A), seen from the side to move, who maximises it;
entries at illegal cells are ignored.
"""

import numpy as np

from ttt_lib.compiled import compiled
from ttt_lib.doors import checked, free, legal_actions, offsets, pairs, probabilities

TIE = 1e-9  # action values closer than this are equal
EQUAL = 1e-13  # of exact values: those that are closer, as a share of the largest


@checked
def uniform(legal):
    """Return the policy with all legal actions equally likely; legal (S, A) of bool."""
    return _normalised(legal)


@checked(action=free)
def deterministic(action, legal):
    """Return the policy that always takes `action` (S,).

    Entries of finished positions are ignored.
    Raises ValueError if an action is illegal.
    """
    states = np.flatnonzero(legal.any(axis=1))
    policy = np.zeros(legal.shape)
    policy[states, legal_actions(action, legal, states)] = 1
    return policy


@checked
def max_q(Q, legal):
    """Return max Q(s, a) over legal a, 0 where the game is over; (S,) [S&B eq. 6.8]."""
    masked = np.where(legal, Q, -np.inf).max(axis=1)
    return np.where(legal.any(axis=1), masked, 0.0)


@checked
def expected_q(Q, policy):
    """Return Σ_a π(a|s) Q(s, a), the value of s under a policy; (S,) [S&B eq. 6.9]."""
    return (policy * Q).sum(axis=1)


@checked
def greedy(Q, legal, ties="uniform", tie=TIE):
    """Return the policy greedy in Q (S, A), ties by a named rule [S&B sec. 2.2].

    ties: "uniform" shares the probability among the best actions, "lowest" takes the
    lowest cell; tie: they are equal if they differ by up to this, in units of reward.
    """
    policy = np.zeros(legal.shape)
    first = np.append(0, legal.sum(axis=1).cumsum())
    pairs = first.astype(np.uint32), Q[legal]
    policy[legal] = greedy_pairs.bare(*pairs, ties, tie)
    return policy


def best(Q, legal):
    """Return which legal actions have the largest action value, with ties; (S, A)."""
    return greedy(Q, legal) > 0


@checked(first=offsets, q=pairs)
def greedy_pairs(first, q, ties="uniform", tie=TIE):
    """Return the greedy probabilities of packed legal pairs (N,), the core of `greedy`.

    State s owns pairs first[s] to first[s + 1] − 1; first (S + 1,).
    """
    policy = np.zeros(len(q))
    _share_best(first, q, float(tie), ties == "lowest", policy)
    return policy


@compiled
def _share_best(first, q, tie, lowest, policy):
    """Write what `greedy_pairs` returns; trusts that `first` packs the pairs."""
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


@checked
def epsilon_greedy(Q, legal, epsilon, ties="uniform"):
    """Return the ε-greedy policy for Q (S, A) [S&B sec. 2.2].

    It is uniform with probability ε at each move, else greedy.
    """
    return mixture(epsilon, uniform(legal), greedy(Q, legal, ties))


@checked
def softmax(Q, legal, temperature=1.0):
    """Return the policy with probabilities ∝ exp(Q / temperature) [S&B eq. 13.2].

    The temperature is positive, in units of reward.
    """
    top = max_q(Q, legal)[:, np.newaxis]
    # Subtracting the maximum changes no probability and keeps exp from overflowing.
    with np.errstate(over="ignore"):  # the share of what is infinitely worse is 0
        preference = (np.where(legal, Q, top) - top) / temperature
    return _normalised(np.where(legal, np.exp(preference), 0.0))


@checked(policy=probabilities("policy"))
def mixture(p, policy, other):
    """Return the mixture: at each move `policy` with probability p, else `other`.

    With a perfect and a uniform policy this is the *teacher of level p*.
    """
    return p * policy + (1 - p) * other


@compiled
def drawn(policy, s, count, action, rng):
    """Return the place among the legal actions of s of one drawn from a policy.

    It trusts that s is a position of these tables: checked, games took 1.4 × as long.
    """
    threshold, i = rng.random(), 0
    while i < count[s] - 1 and threshold >= policy[s, action[s, i]]:
        threshold -= policy[s, action[s, i]]
        i += 1
    return i


@checked
def join(first, second, to_move):
    """Return one policy: `first` where to_move (S,) is +1, `second` where it is −1."""
    return np.where(to_move[:, np.newaxis] == 1, first, second)


def _normalised(weight):
    total = weight.sum(axis=1, keepdims=True)
    return weight / np.where(total == 0, 1, total)
