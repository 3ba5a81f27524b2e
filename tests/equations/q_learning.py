"""The equations of action values from experience.

The tests of learning compare whole games with learners that use these targets.
"""

from math import isclose

import numpy as np

from equations import equation
from equations.by_hand import game, next_decisions, second_against_random
from ttt_lib import learning, mdp
from ttt_lib.studies.parts import soft_optimum

LEGAL = game.count, game.action


def check_target(target, value, *more):
    """Compare a target with r + γ times the value of the next state, 0 at the end.

    `value` gets the values of the next state's actions, and those in a second table.
    """
    rng = np.random.default_rng(0)
    Q, Q2 = rng.normal(size=(2, *game.legal.shape)) * game.legal
    tables = (Q, Q2) if target is learning.double_q_target else (Q,)
    for s in rng.integers(len(game.code), size=500).tolist():
        r, cells = rng.normal(), np.flatnonzero(game.legal[s])
        later = 0 if game.terminal[s] else value(Q[s, cells], Q2[s, cells])
        library = target(*tables, r, s, 0.9, *more, *LEGAL)
        assert isclose(library, r + 0.9 * later, abs_tol=1e-12)


@equation("eq-sarsa")
def sarsa_target():
    Q = np.random.default_rng(0).normal(size=game.legal.shape)
    for s, a in np.argwhere(game.legal)[::50].tolist():
        assert isclose(learning.sarsa_target(Q, 2.0, s, a, 0.9), 2 + 0.9 * Q[s, a])


@equation("eq-expected-sarsa")
def expected_sarsa_target():
    def average(q, _):
        return 0.9 * max(q) + 0.1 * sum(q) / len(q)

    check_target(learning.expected_sarsa_target, average, 0.1)


@equation("eq-q-learning")
def q_learning_target():
    check_target(learning.q_learning_target, lambda q, _: max(q))


@equation("eq-double-q")
def double_q_learning_target():
    check_target(learning.double_q_target, lambda q, other: other[np.argmax(q)])


@equation("eq-minimax-q")
def minimax_q_target():
    check_target(learning.minimax_q_target, lambda q, _: -max(q))


@equation("eq-soft")
def optimal_epsilon_soft_policy():
    problem = second_against_random()
    for epsilon in (0, 0.1, 0.5):
        v, q = {None: 0.0}, {}
        for s in reversed(problem.position.tolist()):
            cells = np.flatnonzero(game.legal[s]).tolist()
            for a in cells:
                q[s, a] = sum(p * (r + v[x]) for p, r, x in next_decisions(s, a))
            here = [q[s, a] for a in cells]
            v[s] = (1 - epsilon) * max(here) + epsilon * sum(here) / len(here)
        table = mdp.to_cells(game, problem, soft_optimum(problem, epsilon))
        assert all(isclose(table[pair], q[pair], abs_tol=1e-12) for pair in q)
