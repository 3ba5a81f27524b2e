"""The equations of action values from experience."""

from math import isclose

import numpy as np

from equations import equation
from equations.by_hand import game, next_decisions, second_against_random
from ttt_lib import learning, mdp
from ttt_lib.studies.parts import soft_optimum


def one_game(method, seed):
    """Return a game of the second player, the tables before it, the learner after it.

    The game is a list of (s, a, r, s', a'); s' and a' are None at the end.
    """
    rng, gamma = np.random.default_rng(seed), 0.9
    learner = learning.new_learner(game, method, rng, alpha=0.3, gamma=gamma)
    for table in (learner.Q, learner.Q1, learner.Q2):
        if table is not None:
            table[game.legal] = rng.normal(size=game.legal.sum())
    s, states, actions = 0, [], []
    while not game.terminal[s]:
        states.append(s)
        actions.append(int(rng.choice(np.flatnonzero(game.legal[s]))))
        s = int(game.next[s, actions[-1]])
    pairs = list(zip(states[1::2], actions[1::2], strict=True))
    rewards = [0] * (len(pairs) - 1) + [-int(game.outcome[s])]
    later = [*pairs[1:], (None, None)]
    steps = [(*pairs[t], rewards[t], *later[t]) for t in range(len(pairs))]
    tables = [None if t is None else t.copy() for t in learner[2:5]]
    return steps, tables, learning.learn_game(game, learner, actions, side=-1)[0]


def values_of(Q, s):
    """Return {a: Q(s, a)} of the legal actions."""
    return {a: Q[s, a] for a in np.flatnonzero(game.legal[s]).tolist()}


def check_targets(method, next_value):
    for seed in range(20):
        steps, (Q, *_), learner = one_game(method, seed)
        for s, a, r, s_next, a_next in steps:
            rest = 0 if s_next is None else next_value(Q, s_next, a_next)
            Q[s, a] = Q[s, a] + 0.3 * (r + 0.9 * rest - Q[s, a])
        assert np.allclose(learner.Q, Q, atol=1e-12)


@equation("eq-sarsa")
def sarsa_target():
    check_targets("sarsa", lambda Q, s, a: Q[s, a])


@equation("eq-expected-sarsa")
def expected_sarsa_target():
    def average(Q, s, _):
        q = list(values_of(Q, s).values())
        return 0.9 * max(q) + 0.1 * sum(q) / len(q)

    check_targets("expected_sarsa", average)


@equation("eq-q-learning")
def q_learning_target():
    check_targets("q_learning", lambda Q, s, _: max(values_of(Q, s).values()))


@equation("eq-double-q")
def double_q_learning_target():
    for seed in range(20):
        steps, (_, *tables), learner = one_game("double_q_learning", seed)
        for s, a, r, s_next, _ in steps:
            # The random choice shows in the table that has changed.
            (coin,) = [i for i in (0, 1) if learner[3 + i][s, a] != tables[i][s, a]]
            one, other = tables[coin], tables[1 - coin]
            rest = 0
            if s_next is not None:
                q = values_of(one, s_next)
                rest = other[s_next, max(q, key=q.get)]
            one[s, a] = one[s, a] + 0.3 * (r + 0.9 * rest - one[s, a])
        assert np.allclose(learner.Q1, tables[0], atol=1e-12)
        assert np.allclose(learner.Q2, tables[1], atol=1e-12)


@equation("eq-minimax-q")
def minimax_q_target():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        Q = np.where(game.legal, rng.normal(size=game.legal.shape), 0)
        learner = learning.new_learner(game, "minimax_q", rng, alpha=0.3, gamma=0.9)
        learner.Q[:], s, actions, states = Q, 0, [], []
        while not game.terminal[s]:
            states.append(s)
            actions.append(int(rng.choice(np.flatnonzero(game.legal[s]))))
            s = int(game.next[s, actions[-1]])
        learned = learning.learn_game(game, learner, actions)[0].Q
        for s, a in zip(states, actions, strict=True):
            after = int(game.next[s, a])
            r = int(game.to_move[s] * game.outcome[after])
            best = 0 if game.terminal[after] else max(values_of(Q, after).values())
            Q[s, a] = Q[s, a] + 0.3 * (r - 0.9 * best - Q[s, a])
        assert np.allclose(learned, Q, atol=1e-12)


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
