"""Fictitious play and counterfactual regret minimisation, with exact exploitability.

Two players of a zero-sum game improve against each other; the *average* of their
iterates approaches an equilibrium. A policy is averaged by realisation plans: iterate t
counts in a position by the probability that the side's own moves lead there
[Zinkevich et al. 2007; Heinrich et al. 2015].

The game has perfect information, so the information sets are the positions. Histories
that reach the same position share one, which forgets the order of moves, and so an
average may be more exploitable than its iterates are on average. The proofs are for the
tree, in which each history is an information set of its own; `game` may be the tables
of a tree, too. There is no randomness: a run can be repeated exactly.
"""

from typing import NamedTuple

import numpy as np

from ttt_lib.compiled import compiled
from ttt_lib.evaluation import best_response
from ttt_lib.policy import combine_sides, uniform
from ttt_lib.search import solve
from ttt_lib.validation import as_int, table, validated


class Iterates(NamedTuple):
    """Result of T iterations: policies, regrets, and exploitabilities on the way."""

    average: np.ndarray  #: (S, A) average policy, uniform where it never comes
    last: np.ndarray  #: (S, A) last iterate
    regret: np.ndarray  #: (S, A) cumulative counterfactual regret, 0 where illegal
    average_exploitability: np.ndarray  #: (T, 2) of each average, first and second side
    last_exploitability: np.ndarray  #: (T, 2) the same of each iterate


def _iterations(value, arguments):
    return as_int(value, "iterations", 1)


@validated(iterations=_iterations)
def fictitious_play(game, iterations, ties="uniform") -> Iterates:
    """Return the Iterates of fictitious play, the first of which is uniform.

    Each further one is, on both sides, the exact best response to the average of all
    before [Brown 1951]. In a zero-sum game the averages converge [Robinson 1951].

    Examples
    --------
    >>> run = regret.fictitious_play(game, 10)
    >>> run.average_exploitability[[0, 9]].mean(axis=1).round(3)
    array([0.96 , 0.303])
    """

    def respond(average, regret):
        first, second = (
            best_response.unchecked(game, average, side, ties=ties).policy
            for side in (+1, -1)
        )
        return combine_sides.unchecked(first, second, game.to_move)

    return _iterate(game, iterations, respond)


@validated(iterations=_iterations)
def cfr(game, iterations) -> Iterates:
    """Return the Iterates of counterfactual regret minimisation (CFR).

    Both sides change in each iteration: every position follows regret matching on its
    counterfactual regrets [Zinkevich et al. 2007]. In the tree the sum of both
    exploitabilities of the average is at most Σ_s max_a R(s, a)⁺ / T, with R the field
    `regret`, and each summand is at most Δ √|A(s)| / √T, where Δ = 2 is the range of
    outcomes [theorems 3 and 4 there].

    Examples
    --------
    >>> run = regret.cfr(game, 10)
    >>> run.average_exploitability[[0, 9]].mean(axis=1).round(3)
    array([0.96, 0.34])
    """
    return _iterate(
        game, iterations, lambda average, regret: regret_matching(regret, game.legal)
    )


@validated(regret=table("regret"))
def regret_matching(regret, legal) -> np.ndarray:
    """Return the policy ∝ positive regret (S, A) [Hart & Mas-Colell 2000].

    It is uniform where no regret is positive.

    Examples
    --------
    >>> legal = np.full((2, 3), True)
    >>> regret.regret_matching([[3, 1, -2], [-1, -1, 0]], legal).round(2)
    array([[0.75, 0.25, 0.  ],
           [0.33, 0.33, 0.33]])
    """
    policy = np.zeros(legal.shape)
    _share(np.where(legal, regret, 0.0), legal, policy)
    return policy


@validated
def counterfactual_regret(game, policy) -> np.ndarray:
    """Return (S, A) how much better each move would have been, 0 where illegal.

    It is q(s, a) − v(s) for the side to move, times the probability that the *other*
    side's moves lead to s, added over all paths [Zinkevich et al. 2007].

    Examples
    --------
    >>> regret.counterfactual_regret(game, at_random)[0].reshape(3, 3).round(3)
    array([[ 0.046, -0.097,  0.046],
           [-0.097,  0.203, -0.097],
           [ 0.046, -0.097,  0.046]])
    """
    regret = np.zeros(game.legal.shape)
    others = np.where(game.to_move == 1, *_plans(game, policy)[::-1])
    _add_regret(game, others, _values(game, policy)[:, 0], regret)
    return regret


def _iterate(game, iterations, choose):
    """Return the Iterates; the next policy is choose(average, regret)."""
    policy, average = uniform(game.legal), np.zeros(game.legal.shape)
    plan, regret = np.zeros((2, *game.legal.shape))
    of_average, of_last = np.empty((2, iterations, 2))
    best = float(solve(game).V[0])
    for t in range(iterations):
        policy = policy if t == 0 else choose(average, regret)
        first, second = _plans(game, policy)
        own, others = np.where(game.to_move == 1, (first, second), (second, first))
        V = _values(game, policy)
        plan += own[:, np.newaxis] * policy
        _add_regret(game, others, V[:, 0], regret)
        average = regret_matching.unchecked(plan, game.legal)
        of_last[t] = _exploitability(V, best)
        of_average[t] = _exploitability(_values(game, average), best)
    return Iterates(average, policy, regret, of_average, of_last)


def _exploitability(V, best):
    """Return `evaluation.exploitability` on both sides; the game's value is `best`."""
    return best - V[0, 1], V[0, 2] - best


def _plans(game, policy):
    """Return (2, S) how likely each side's moves lead to a position, over all paths."""
    plans = np.zeros((2, len(game.code)))
    plans[:, 0] = 1
    _spread_plans(game, policy, plans)
    return plans


def _values(game, policy):
    """Return (S, 3), values of positions for the first player.

    They are those if both follow the policy, if the second plays its best response to
    it, and if the first does.
    """
    V = np.zeros((len(game.code), 3))
    _sweep_back(game, policy, V)
    return V


@compiled
def _spread_plans(game, policy, plans):
    for s in range(len(game.count)):
        mover = 0 if game.to_move[s] == 1 else 1
        for i in range(game.count[s]):
            s_next = game.successor[s, i]
            plans[mover, s_next] += plans[mover, s] * policy[s, game.action[s, i]]
            plans[1 - mover, s_next] += plans[1 - mover, s]


@compiled
def _sweep_back(game, policy, V):
    for s in range(len(V) - 1, -1, -1):
        if game.count[s] == 0:
            V[s, :] = game.outcome[s]
            continue
        mover = game.to_move[s]
        follows, largest = 1 if mover == 1 else 2, -np.inf
        for i in range(game.count[s]):
            s_next, p = game.successor[s, i], policy[s, game.action[s, i]]
            V[s, 0] += p * V[s_next, 0]
            V[s, follows] += p * V[s_next, follows]
            largest = max(largest, mover * V[s_next, 3 - follows])
        V[s, 3 - follows] = mover * largest


@compiled
def _add_regret(game, others, V, regret):
    for s in range(len(V)):
        for i in range(game.count[s]):
            gain = game.to_move[s] * (V[game.successor[s, i]] - V[s])
            regret[s, game.action[s, i]] += others[s] * gain


@compiled
def _share(weight, legal, policy):
    """Write the policy proportional to positive weights, uniform if there are none."""
    for s in range(len(weight)):
        total, count = 0.0, 0
        for a in range(weight.shape[1]):
            total += max(weight[s, a], 0.0)
            count += legal[s, a]
        for a in range(weight.shape[1]):
            if total > 0:
                policy[s, a] = max(weight[s, a], 0.0) / total
            elif legal[s, a]:
                policy[s, a] = 1 / count
