"""The equations of value iteration, for the second player against random play."""

from fractions import Fraction
from itertools import product

import numpy as np

from equations import equation
from equations.by_hand import game, next_decisions, second_against_random
from ttt_lib import evaluation, mdp, planning
from ttt_lib.game import tables
from ttt_lib.policy import greedy


def best_on_offer(v, gamma=1, win_draw_loss=(1, 0, -1), states=None):
    """Return {s: max_a Σ p (r + γ v(s'))} for the second player."""
    rewards = dict(zip((1, 0, -1), win_draw_loss, strict=True))

    def offer(s, a):
        return sum(
            p * (rewards[r] if s_next is None else gamma * v[s_next])
            for p, r, s_next in next_decisions(s, a)
        )

    return {
        s: max(offer(s, a) for a in np.flatnonzero(game.legal[s]).tolist())
        for s in (v if states is None else states)
    }


def exact_values(**settings):
    """Return v_* as exact fractions, by backward induction."""
    v = {}
    for s in reversed(second_against_random().position.tolist()):
        v |= best_on_offer(v, states=[s], **settings)
    return dict(sorted(v.items()))


@equation("eq-value-iteration")
def sweeps_of_value_iteration():
    problem, gamma = second_against_random(), Fraction(9, 10)
    v = dict.fromkeys(problem.position.tolist(), Fraction(0))
    V = np.zeros(len(v))
    for _ in range(3):
        v, V = best_on_offer(v, gamma), planning.optimality_backup(problem, V, 0.9)
        assert np.allclose(V, [float(each) for each in v.values()], atol=1e-12)


@equation("eq-urgency")
def urgency_of_the_states_before():
    # A change of v(s') by d can change no pair's value by more than γ p(s'|s, a) d.
    problem, gamma = second_against_random(), 0.9
    p = mdp.transition_matrix(problem).toarray()
    state = mdp.state_of(problem)
    V = planning.optimality_backup(problem, np.zeros(len(problem.position)), gamma)
    before = planning.optimality_backup(problem, V, gamma)
    for s_next in np.random.default_rng(0).integers(1000, len(V), 20):
        changed = V.copy()
        changed[s_next] += 0.5
        after = planning.optimality_backup(problem, changed, gamma)
        urgency = np.zeros(len(V))
        np.maximum.at(urgency, state, gamma * p[:, s_next] * 0.5)
        assert (abs(after - before) <= urgency + 1e-12).all()


@equation("eq-linear-programme")
def linear_programme():
    problem = second_against_random()
    V = planning.linear_programming(problem, 1).V
    v = dict(zip(problem.position.tolist(), V.tolist(), strict=True))
    offers = np.array(list(best_on_offer(v).values()), dtype=float)
    assert (offers <= V + 1e-12).all()  # the constraints; for the best pair equality:
    assert np.allclose(V, offers, atol=1e-12)


@equation("eq-worst-case")
def least_value_over_all_opponents():
    # On 2 × 2 cells all deterministic first players can be tried against one second.
    small = tables(2, 2, 2)
    second = greedy(np.zeros(small.legal.shape), small.legal, "lowest")
    mine = [s for s in range(len(small.code)) if small.to_move[s] == 1]
    mine = [s for s in mine if not small.terminal[s]]
    values = []
    for moves in product(*(np.flatnonzero(small.legal[s]) for s in mine)):
        first = np.zeros(small.legal.shape)
        first[mine, list(moves)] = 1
        win, _, loss = evaluation.win_draw_loss(small, first, second)[0]
        values.append(loss - win)
    frozen = mdp.from_opponent(small, second, side=+1)
    assert min(values) == -planning.backward_induction(frozen, 1).start_value[0] == -1


@equation("eq-affine")
def affine_rewards():
    c, d = 3, Fraction(5, 2)
    changed = exact_values(win_draw_loss=(c + d, d, d - c))
    assert changed == {s: c * value + d for s, value in exact_values().items()}
    library = planning.optimal_values(second_against_random((5.5, 2.5, -0.5)), 1)
    assert np.allclose(library, [float(value) for value in changed.values()])


@equation("eq-stopping")
def the_last_change_bounds_the_error():
    rng, gamma = np.random.default_rng(0), 0.9
    p = rng.random((12, 3, 12))
    p *= 0.99 / p.sum(axis=2, keepdims=True)
    problem = mdp.from_arrays(p, rng.normal(size=(12, 3)))
    best, V = planning.policy_iteration(problem, gamma).V, np.zeros(12)
    for _ in range(20):
        new = planning.optimality_backup(problem, V, gamma)
        change, error = abs(new - V).max(), abs(new - best).max()
        assert 0 < error <= gamma / (1 - gamma) * change
        V = new
