from functools import partial
from itertools import product

import numpy as np
import pytest
from common import game, same
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ttt_lib import planning
from ttt_lib import policy as policies
from ttt_lib.mdp import from_arrays, from_opponent, gridworld
from ttt_lib.planning import (
    backward_induction,
    expectation_backup,
    greedy,
    improve,
    linear_programming,
    linear_solve,
    modified_policy_iteration,
    optimal_values,
    optimality_backup,
    policy_evaluation,
    policy_iteration,
    prioritized_sweeping,
    q_from_v,
    uniform,
    value_iteration,
)

ORDERS = ("synchronous", "rising", "falling")
TIES = ("uniform", "lowest")
ANY_MODEL = {
    "value iteration": value_iteration,
    "rising": partial(value_iteration, order="rising"),
    "falling": partial(value_iteration, order="falling"),
    "prioritised sweeping": prioritized_sweeping,
    "policy iteration": policy_iteration,
    "by sweeps": partial(policy_iteration, evaluation="synchronous"),
    "by falling sweeps": partial(policy_iteration, evaluation="falling"),
    "modified, 0": partial(modified_policy_iteration, evaluations=0),
    "modified, 3": modified_policy_iteration,
    "linear programme": linear_programming,
}
METHODS = {"backward induction": backward_induction, **ANY_MODEL}
REWARDS = [(1, 0, -1), (500, 0, -3500), (1, 0, 0), (-1, 0, 1)]

random_play = policies.uniform(game.legal)
SIDE = {side: from_opponent(game, random_play, side) for side in (+1, -1)}


def assert_close(values, exact, tolerance=1e-12):
    np.testing.assert_allclose(values, exact, rtol=0, atol=tolerance)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("side", SIDE)
def test_all_methods_agree_and_solve_the_bellman_equation(side, ties):
    for rewards, gamma in zip(REWARDS, (1, 0.9, 0.5, 1), strict=True):
        mdp = from_opponent(game, random_play, side, rewards)
        first, scale = backward_induction(mdp, gamma, ties=ties), max(map(abs, rewards))
        assert np.abs(first.V).max() > 0.1
        assert (optimality_backup(mdp, first.V, gamma) == first.V).all()
        along = expectation_backup(mdp, first.policy, first.V, gamma)
        assert along == pytest.approx(first.V, rel=1e-12)
        assert (optimal_values(mdp, gamma) == first.V).all()
        for name, method in METHODS.items():
            other = method(mdp, gamma, ties=ties)
            assert np.abs(other.V - first.V).max() <= 1e-12 * scale, name
            assert (other.policy == first.policy).all(), name
            assert other.start_value[-1] == mdp.start @ other.V, name
    exact = {+1: 191 / 192, -1: 874 / 945}[side]
    value = backward_induction(SIDE[side], 1, ties=ties).start_value[-1]
    assert value == pytest.approx(exact, abs=1e-13)


@pytest.mark.parametrize("side", SIDE)
def test_work_is_counted_in_backups_of_pairs(side):
    mdp = SIDE[side]
    n, N = len(mdp.position), len(mdp.action)
    assert backward_induction(mdp, 1).backups == N
    everywhere = value_iteration(mdp, 1)
    assert everywhere.backups == everywhere.sweeps * N
    backwards = value_iteration(mdp, 1, order="falling")
    assert backwards.sweeps == 2  # the second sees that nothing changes
    assert value_iteration(mdp, 1, order="rising").sweeps == everywhere.sweeps
    assert N < prioritized_sweeping(mdp, 1).backups < everywhere.backups

    deterministic = greedy(mdp, mdp.reward, ties="lowest")
    for policy, per_sweep in ((deterministic, n), (uniform(mdp), N)):
        evaluated = policy_evaluation(mdp, policy, 1)
        assert evaluated.backups == evaluated.sweeps * per_sweep
    solve = linear_solve(mdp, deterministic, 1)
    assert (solve.backups, solve.solves, solve.sweeps) == (0, 1, 1)

    improving = policy_iteration(mdp, 1)
    assert improving.solves == len(improving.start_value) == improving.sweeps
    assert improving.backups == improving.solves * N
    sweeping = policy_iteration(mdp, 1, deterministic, "lowest", evaluation="falling")
    policies = len(sweeping.start_value)
    assert sweeping.solves == 0
    assert sweeping.backups == policies * N + sweeping.sweeps * n
    assert linear_programming(mdp, 1).solves == 1  # the basis was optimal


@pytest.mark.parametrize("side", SIDE)
def test_trace_records_each_sweep(side):
    mdp = SIDE[side]
    V, change, value = np.zeros(len(mdp.position)), [], []
    while not change or change[-1] > 0:
        V, before = optimality_backup(mdp, V, 0.9), V
        change.append(np.abs(V - before).max())
        value.append(mdp.start @ V)
    for method in (value_iteration, ANY_MODEL["modified, 0"]):
        solution = method(mdp, 0.9)
        assert solution.change.tolist() == change
        assert solution.start_value.tolist() == value
        assert (solution.V == V).all()


RANDOM = [0, -14, -20, -22, -14, -18, -20, -20]
OPTIMAL = [0, -1, -2, -3, -1, -2, -3, -2]
UP, DOWN, LEFT, RIGHT = range(4)


def on_grid(V):
    """Return V (14,) as the upper half of the grid; the lower half is symmetric."""
    cells = np.array([0, *V, 0])
    assert cells == pytest.approx(cells[::-1])
    return cells[:8]


grid = gridworld("E...|....|....|...E")


def test_the_random_policy_of_figure_4_1_converged():
    policy = uniform(grid)
    V = linear_solve(grid, policy, 1).V
    assert on_grid(V) == pytest.approx(RANDOM, abs=1e-12)
    for order in ORDERS:
        swept = policy_evaluation(grid, policy, 1, order=order, theta=1e-13)
        assert_close(swept.V, V, 1e-10)
    # Exercise 4.1: q(11, down) and q(7, down).
    q = q_from_v(grid, V, 1).reshape(14, 4)
    assert (q[11 - 1, DOWN], q[7 - 1, DOWN]) == pytest.approx((-1, -15), abs=1e-12)
    # Greedy in these values is optimal already, as the figure's right column shows.
    best = greedy(grid, q.ravel())
    assert on_grid(linear_solve(grid, best, 1).V) == pytest.approx(OPTIMAL, abs=1e-12)
    assert best.reshape(14, 4)[3 - 1].tolist() == [0, 0.5, 0.5, 0]


def test_endless_policies_raise_at_gamma_1():
    north = np.tile([1.0, 0, 0, 0], 14)  # ends from the left column only
    with pytest.raises(ValueError, match=r"gamma = 1 .* from state 0 it never ends"):
        linear_solve(grid, north, 1)
    with pytest.raises(ValueError, match="never ends"):
        policy_iteration(grid, 1, policy=north)
    with pytest.raises(ValueError, match=r"still change by 1: .* episode must end"):
        policy_evaluation(grid, north, 1)
    V = linear_solve(grid, north, 0.9).V
    assert V[[0, 3]] == pytest.approx([-1 / (1 - 0.9), -1])
    assert policy_iteration(grid, 0.9, policy=north).V[0] == pytest.approx(-1)

    west = np.tile([0, 0, 1.0, 0], 14)  # ends in the top row only
    with pytest.raises(ValueError, match="from state 3 it never ends"):
        linear_solve(grid, west, 1)
    tenths = from_arrays(np.full((10, 1, 10), 0.1), np.ones((10, 1)))
    # Rounding makes the sum less than 1, but the episode must not end by it.
    # (From Python 3.12 on, `sum` does not round.)
    assert np.cumsum([0.1] * 10)[-1] < 1
    with pytest.raises(ValueError, match="from state 0 it never ends"):
        linear_solve(tenths, uniform(tenths), 1)


def test_in_place_sweeps_use_new_values():
    policy, V, change = uniform(grid), np.zeros(14), []
    while not change or change[-1] > planning.THETA:
        V, before = expectation_backup(grid, policy, V, 1), V
        change.append(np.abs(V - before).max())
    synchronous = policy_evaluation(grid, policy, 1)
    assert synchronous.change.tolist() == change
    assert (synchronous.V == V).all()

    for order, step in (("rising", 1), ("falling", -1)):
        V, change = np.zeros(14), []
        while not change or change[-1] > planning.THETA:
            before = V.copy()
            for s in range(14)[::step]:
                V[s] = expectation_backup(grid, policy, V, 1)[s]
            change.append(np.abs(V - before).max())
        in_place = policy_evaluation(grid, policy, 1, order=order)
        assert in_place.change.tolist() == change
        assert (in_place.V == V).all()
        assert in_place.sweeps < 0.7 * synchronous.sweeps


def test_policy_iteration_starts_sweeps_from_previous_values():
    rng = np.random.default_rng(10)
    mdp = from_arrays(rng.dirichlet(np.ones(5), (5, 3)), rng.normal(size=(5, 3)))
    policy, V, change, backups = uniform(mdp), None, [], 0
    while True:
        evaluated = policy_evaluation(mdp, policy, 0.9, V=V)
        V, change = evaluated.V, [*change, *evaluated.change]
        backups += evaluated.backups + len(mdp.action)
        better = improve(mdp, policy, q_from_v(mdp, V, 0.9))
        if better is policy:
            break
        policy = better
    solution = policy_iteration(mdp, 0.9, evaluation="synchronous")
    assert solution.change.tolist() == change
    assert (solution.V == V).all()
    assert solution.backups == backups
    assert policy_evaluation(mdp, policy, 0.9, V=V).sweeps == 1


def test_improve_changes_only_states_with_poor_actions():
    mdp = from_arrays(np.zeros((3, 3, 3)), np.zeros((3, 3)))
    q = np.array([1, 3, 3, 2, 2, 1, 0, 0, 5.0])
    policy = np.array([0, 0, 1, 0.5, 0.5, 0, 0.5, 0, 0.5])
    better = improve(mdp, policy, q, ties="lowest")
    assert better.tolist() == [0, 0, 1, 0.5, 0.5, 0, 0, 0, 1]
    assert improve(mdp, better, q) is better
    assert greedy(mdp, q, "lowest").tolist() == [0, 1, 0, 1, 0, 0, 0, 0, 1]
    assert greedy(mdp, q).tolist() == [0, 0.5, 0.5, 0.5, 0.5, 0, 0, 0, 1]


@st.composite
def models(draw):
    """Draw p (n, A, n), r (n, A), legal (n, A) and γ; at γ = 1 every action may end."""
    n, A = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    gamma = draw(st.sampled_from([0, 0.5, 0.9, 1]))
    most = 7 if gamma == 1 else 8
    p = np.zeros((n, A, n))
    for s, a in product(range(n), range(A)):
        for _ in range(draw(st.integers(0, most))):
            p[s, a, draw(st.integers(0, n - 1))] += 1 / 8
    reward = draw(arrays(float, (n, A), elements=st.sampled_from(range(-4, 5))))
    legal = draw(arrays(bool, (n, A)))
    legal[~legal.any(axis=1), 0] = True
    return p, reward, legal, gamma


BY_EQUATIONS = {
    "policy iteration": policy_iteration,
    "modified": modified_policy_iteration,
    "linear programme": linear_programming,
}


@pytest.mark.parametrize("gamma", [1, 0.9, 0.999, 1 - 1e-6])
@pytest.mark.parametrize("method", BY_EQUATIONS.values(), ids=BY_EQUATIONS)
def test_nearly_tied_actions_are_solved_to_tolerance(method, gamma):
    rng = np.random.default_rng(11)
    for i, apart in enumerate(10.0 ** -np.arange(6, 14)):
        # Actions 0 and 2 differ only in reward, by about `apart`.
        p = rng.dirichlet(np.ones(3), (3, 3)) * (0.8 if gamma == 1 else 1)
        reward = rng.integers(-4, 5, (3, 3)).astype(float)
        p[:, 2] = p[:, 0]
        reward[:, 2] = reward[:, 0] + apart * rng.choice([-1, 0.5, 1], 3)
        reward *= 10.0 ** rng.integers(-10, 7)
        best = brute_force(p, reward, np.full((3, 3), True), gamma)
        solution = method(from_arrays(p, reward), gamma, ties=TIES[i % 2])
        pi = solution.policy.reshape(3, 3)
        P, r = np.einsum("sa,san->sn", pi, p), (pi * reward).sum(axis=1)
        for V in (solution.V, np.linalg.solve(np.eye(3) - gamma * P, r)):
            assert abs(V - best).max() <= 1e-9 * abs(best).max()
    # A small reward for ever adds up: at γ = 1 − 1e-6, 9e-10 gives 0.0009.
    solution = method(from_arrays([[[1.0], [1.0]]], [[0, 9e-10]]), 1 - 1e-6)
    assert_close(solution.V, [9e-4], 1e-12)
    assert solution.policy.tolist() == [0, 1]


@pytest.mark.parametrize("method", ANY_MODEL.values(), ids=ANY_MODEL)
@settings(max_examples=8, deadline=None)
@given(data=st.data(), k=st.integers(-200, 200), ties=st.sampled_from(TIES))
def test_methods_are_invariant_to_the_scale_of_rewards(method, data, k, ties):
    # Powers of two are exact, so the results are bit-identical.
    p, reward, legal, gamma = data.draw(models())
    one = method(from_arrays(p, reward, legal), gamma, ties=ties)
    other = method(from_arrays(p, np.ldexp(reward, k), legal), gamma, ties=ties)
    in_unit = {"V": np.ldexp(one.V, k), "change": np.ldexp(one.change, k)}
    in_unit["start_value"] = np.ldexp(one.start_value, k)
    assert same(one._replace(**in_unit), other)


def test_greedy_tie_tolerance_is_relative_or_given():
    q = np.array([1, 1 - 1e-12, 1 - 1e-14, 0] * 14)
    for unit in (1e-9, 1, 1e9):
        assert greedy(grid, q * unit)[:4].tolist() == [0.5, 0, 0.5, 0]
        assert greedy(grid, q * unit, tie=1e-11 * unit)[:3].tolist() == [1 / 3] * 3
    assert greedy(grid, q, "lowest", tie=0)[:4].tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize("theta", [0, 1e-16])
@pytest.mark.parametrize(
    "method", [value_iteration, modified_policy_iteration, prioritized_sweeping]
)
def test_sweeps_stop_at_rounding_error(method, theta):
    for gamma, n in ((1, 3), (0.99, 2), (0.99, 7)):
        p = np.roll(np.eye(n), 1, axis=1)[:, None].repeat(2, axis=1)  # a cycle
        reward = np.random.default_rng(n).normal(size=(n, 2))
        mdp = from_arrays(p * (0.7 if gamma == 1 else 1), reward)
        exact = policy_iteration(mdp, gamma).V
        V = method(mdp, gamma, theta=theta).V
        assert_close(V, exact, 1e-9 * np.abs(exact).max())


SWEPT = {name: ANY_MODEL[name] for name in ("falling", "modified, 0", "modified, 3")}


@pytest.mark.parametrize("theta", [0.3, 0.1, 0.03])
@pytest.mark.parametrize("method", SWEPT.values(), ids=SWEPT)
def test_theta_bounds_the_error(method, theta):
    for seed in range(8):
        rng, gamma = np.random.default_rng(seed), 0.5
        p, reward = rng.dirichlet(np.full(4, 0.3), (4, 2)), rng.normal(size=(4, 2))
        mdp = from_arrays(p, reward)
        best = policy_iteration(mdp, gamma).V
        error = np.abs(method(mdp, gamma, theta=theta).V - best)
        assert error.max() <= theta * gamma / (1 - gamma) * np.abs(reward).max()


@pytest.mark.parametrize("method", SWEPT.values(), ids=SWEPT)
def test_sweeps_stop_at_max_sweeps(method, monkeypatch):
    needed = method(grid, 0.9).sweeps
    monkeypatch.setattr(planning, "MAX_SWEEPS", needed)
    assert method(grid, 0.9).sweeps == needed
    monkeypatch.setattr(planning, "MAX_SWEEPS", needed - 1)
    with pytest.raises(ValueError, match="not converged"):
        method(grid, 0.9)


def brute_force(p, reward, legal, gamma):
    """Return the largest value of each state over all deterministic policies."""
    s, choices = np.arange(len(p)), product(*map(np.flatnonzero, legal))
    systems = ((np.eye(len(p)) - gamma * p[s, a], reward[s, a]) for a in choices)
    return np.max([np.linalg.solve(*each) for each in systems], axis=0)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(models())
def test_every_method_matches_brute_force(model):
    p, reward, legal, gamma = model
    mdp = from_arrays(p, reward, legal)
    best = brute_force(*model)
    scale = max(np.abs(reward).max(), np.abs(best).max())
    for name, method in ANY_MODEL.items():
        solution = method(mdp, gamma)
        assert np.abs(solution.V - best).max() <= 1e-10 * scale, name
        value = linear_solve(mdp, solution.policy, gamma).V
        assert np.abs(value - best).max() <= 1e-10 * scale, name


@settings(max_examples=40, deadline=None)
@given(models())
def test_backward_induction_requires_later_successors(model):
    p, reward, legal, gamma = model
    forward = np.triu(np.ones(p.shape[::2]), k=1)[:, None] * p
    solution = backward_induction(from_arrays(forward, reward, legal), gamma)
    assert_close(solution.V, brute_force(forward, reward, legal, gamma))
    back = ((p - forward).any(axis=2) & legal).any(axis=1)
    if back.any():
        sentence = f"State {np.argmax(back)} can be followed by a state that is not"
        with pytest.raises(ValueError, match=sentence):
            backward_induction(from_arrays(p, reward, legal), gamma)


FOR_EVER = from_arrays([[[1.0]]], [[1.0]])  # reward 1 for ever


@pytest.mark.parametrize("method", ANY_MODEL.values(), ids=ANY_MODEL)
def test_unbounded_values_raise(method, monkeypatch):
    monkeypatch.setattr(planning, "MAX_SWEEPS", 1000)
    with pytest.raises(ValueError, match="gamma = 1 ") as error:
        method(FOR_EVER, 1)
    assert "end" in str(error.value)
    assert_close(method(FOR_EVER, 0.5).V, [2], 1e-11)


def test_policy_iteration_stops_at_max_policies(monkeypatch):
    monkeypatch.setattr(planning, "MAX_POLICIES", 2)
    with pytest.raises(ValueError, match="not converged after 2 policies"):
        policy_iteration(SIDE[+1], 1)


@pytest.mark.parametrize("method", [value_iteration, modified_policy_iteration])
def test_slow_convergence_raises(method, monkeypatch):
    monkeypatch.setattr(planning, "MAX_SWEEPS", 100)
    there_and_back = from_arrays([[[0, 1.0]], [[1.0, 0]]], [[1.0], [0]])
    with pytest.raises(ValueError, match=r"by 1: at gamma = 0.999999 .* too slow"):
        method(there_and_back, 1 - 1e-6)


@pytest.mark.parametrize("method", ANY_MODEL)
def test_zero_rewards_give_zero_values(method):
    solution = ANY_MODEL[method](gridworld("E..|...|..E", step=0, end=0), 0.9)
    assert not solution.V.any()
    assert solution.sweeps <= 3
