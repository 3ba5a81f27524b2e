"""The equations of evaluating and improving a policy."""

import numpy as np
from scipy.sparse import csr_array

from equations import equation
from equations.by_hand import backed_up, problems
from ttt_lib import mdp, planning


def lopsided_policies():
    """Yield (MDP, opponent, side, policy) with uneven policies on both sides."""
    for problem, opponent, side in problems():
        weight = np.random.default_rng(4).random(len(problem.action))
        state = mdp.state_of(problem)
        yield problem, opponent, side, weight / np.bincount(state, weight)[state]


@equation("eq-sweep")
def one_sweep_along_a_policy():
    for problem, opponent, side, policy in lopsided_policies():
        V = np.random.default_rng(5).normal(size=len(problem.position))
        q = np.array(backed_up(problem, V, opponent, side, 0.9))
        new = np.bincount(mdp.state_of(problem), policy * q)
        library = planning.expectation_backup(problem, policy, V, 0.9)
        assert np.allclose(library, new, atol=1e-12)


@equation("eq-linear")
def values_of_a_policy_solve_linear_equations():
    for problem, *_, policy in lopsided_policies():
        # The checks of eq-transition and eq-pair-reward are about these two.
        state, pair = mdp.state_of(problem), np.arange(len(policy))
        chosen = csr_array((policy, (state, pair)))
        P = (chosen @ mdp.transition_matrix(problem)).toarray()
        r = chosen @ problem.reward
        V = planning.linear_solve(problem, policy, 0.9).V
        assert np.allclose((np.eye(len(V)) - 0.9 * P) @ V, r, atol=1e-12)


@equation("eq-greedy")
def greedy_takes_an_action_of_largest_value():
    for problem, *_, policy in lopsided_policies():
        V = planning.linear_solve(problem, policy, 1).V
        q = planning.q_from_v(problem, V, 1)
        chosen = np.flatnonzero(planning.greedy(problem, q, ties="lowest"))
        for s in range(len(V)):
            values = q[problem.first[s] : problem.first[s + 1]]
            assert q[chosen[s]] >= values.max() - 1e-9


@equation("eq-improvement")
def policy_improvement():
    for problem, *_, policy in lopsided_policies():
        state = mdp.state_of(problem)
        for gamma in (1, 0.9):
            v = planning.linear_solve(problem, policy, gamma).V
            q = planning.q_from_v(problem, v, gamma)
            better = planning.greedy(problem, q)
            assert (np.bincount(state, better * q) >= v - 1e-12).all()
            improved = planning.linear_solve(problem, better, gamma).V
            assert (improved >= v - 1e-12).all()
            assert (improved > v + 1e-3).any()
