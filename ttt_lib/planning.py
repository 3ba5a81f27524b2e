"""Dynamic programming and related methods, for any finite MDP with a known model.

First the operators, one equation each; then the methods, built from them.
V is (n,), a number for each state; q and a policy are (N,), a number for each
state–action pair, as `mdp.MDP` packs them.
Work is counted in *backups*: one backup is the expected update
r(s, a) + γ Σ p(s′|s, a) V(s′) of one pair, so a sweep over the best actions costs N,
a sweep along a deterministic policy n.
The final computation of the greedy policy from V is not counted.
All methods are in one module so that they can be compared line by line.
"""

import heapq
from typing import NamedTuple

import numpy as np

from ttt_lib import validation
from ttt_lib.compiled import allocating, compiled, jitable
from ttt_lib.mdp import state_of, transition_matrix
from ttt_lib.policy import EXACT_RTOL, LEARNED_ATOL, greedy_pairs
from ttt_lib.validation import largest_reward, not_converged, require, validated

THETA = 1e-12  # sweeps stop at smaller changes of V, relative to the largest reward
ROUNDING = 2.0**-50  # relative rounding error of a sum of a few numbers
MAX_SWEEPS = 100_000
MAX_POLICIES = 1000  # evaluated by policy iteration


class Solution(NamedTuple):
    """The result of a method, and the work that it took.

    At γ = 1, if cycles cost nothing, a policy that is greedy in V may never end.
    """

    V: np.ndarray  #: (n,) value of each state
    policy: np.ndarray  #: (N,) greedy in V, or the policy that was evaluated
    backups: int  #: number of backups
    solves: int  #: number of systems of n linear equations that were solved
    change: np.ndarray  #: (sweeps,) largest change of V; a solve counts as a sweep
    start_value: np.ndarray  #: Σ start · V after each sweep, or each policy evaluated

    @property
    def sweeps(self) -> int:
        """The number of sweeps over all states."""
        return len(self.change)


class Trace:
    """The work of a running method, in the fields of `Solution`."""

    def __init__(self, mdp, V=None):
        self.start, self.backups, self.solves = mdp.start, 0, 0
        self.change, self.start_value = [], []
        first = 0.0 if V is None else float(np.abs(V).max())
        self.unit = largest_reward(mdp) or first
        self.most = max(self.unit, first)

    def sweep(self, V, change, backups) -> None:
        """Add one sweep: the values after it, their largest change, and its backups."""
        self.backups += backups
        self.change.append(change)
        self.start_value.append(self.start @ V)

    def tolerance(self, V, theta) -> float:
        """Return the largest change of V that still counts as converged.

        It is θ times the largest reward, or rounding error if that is larger.
        """
        return max(theta * self.unit, 4 * ROUNDING * np.abs(V).max())

    def converged(self, V, theta, change=None) -> bool:
        """Return whether the last sweep, which led to V, changed no value noticeably.

        `change` is by default the largest change of that sweep. See `tolerance`.
        """
        change = self.change[-1] if change is None else change
        largest = self.most * (len(self.change) + 1)  # a bound on the values
        if change > max(theta * self.unit, 4 * ROUNDING * largest):
            return False  # saves the maximum over V
        return change <= self.tolerance(V, theta)

    def evaluation(self, solution, backups) -> None:
        """Add the Solution of one evaluated policy, and the backups that improve it."""
        self.backups += solution.backups + backups
        self.solves += solution.solves
        self.change.extend(solution.change)
        self.start_value.append(solution.start_value[-1])

    def solution(self, V, policy) -> Solution:
        """Return the Solution of a method that ended with V and `policy`."""
        change, start_value = np.array(self.change), np.array(self.start_value)
        return Solution(V, policy, self.backups, self.solves, change, start_value)


# The operators


@validated
def q_from_v(mdp, V, gamma) -> np.ndarray:
    """Return q(s, a) = r(s, a) + γ Σ p(s′|s, a) V(s′) of each pair [S&B eq. 4.6].

    Examples
    --------
    >>> grid = mdp.gridworld("E..|...|..E")
    >>> V = planning.value_iteration(grid, gamma=1.0).V
    >>> planning.q_from_v(grid, V, gamma=1.0)[:4]
    array([-2., -3., -1., -3.])
    """
    q = np.empty(len(mdp.action))
    _back_up_pairs(mdp, V, gamma, q)
    return q


@validated
def expectation_backup(mdp, policy, V, gamma) -> np.ndarray:
    """Return Σ π(a|s) (r(s, a) + γ Σ p(s′|s, a) V(s′)) of each state [S&B eq. 4.5].

    Examples
    --------
    >>> grid = mdp.gridworld("E..|...|..E")
    >>> even = planning.uniform(grid)
    >>> V = planning.expectation_backup(grid, even, np.zeros(7), gamma=1.0)
    >>> planning.expectation_backup(grid, even, V, gamma=1.0)
    array([-1.75, -2.  , -1.75, -2.  , -1.75, -2.  , -1.75])
    """
    new = np.empty(len(V))
    sweep_policy(mdp, policy, _states(mdp), V, new, gamma)
    return new


@validated
def optimality_backup(mdp, V, gamma) -> np.ndarray:
    """Return max_a (r(s, a) + γ Σ p(s′|s, a) V(s′)) of each state [S&B eq. 4.10].

    Examples
    --------
    >>> grid = mdp.gridworld("E..|...|..E")
    >>> V = planning.optimality_backup(grid, np.zeros(7), gamma=1.0)
    >>> planning.optimality_backup(grid, V, gamma=1.0)
    array([-1., -2., -1., -2., -1., -2., -1.])
    """
    new = np.empty(len(V))
    sweep_best(mdp, _states(mdp), V, new, gamma)
    return new


@validated
def uniform(mdp) -> np.ndarray:
    """Return the policy (N,) with all actions of a state equally likely."""
    return (1 / np.diff(mdp.first))[state_of(mdp)]


@validated
def greedy(mdp, q, ties="uniform", tie=None) -> np.ndarray:
    """Return the policy (N,) greedy in q, ties as in `policy.greedy` [S&B eq. 4.9].

    tie: actions are tied if their values differ by at most this; by default 1e-13 times
    the largest value.

    Examples
    --------
    >>> grid = mdp.gridworld("E..|...|..E")
    >>> V = planning.value_iteration(grid, gamma=1.0).V
    >>> planning.greedy(grid, planning.q_from_v(grid, V, gamma=1.0))[:4]
    array([0., 0., 1., 0.])
    """
    if tie is None:
        tie = EXACT_RTOL * np.abs(np.maximum.reduceat(q, _first_pairs(mdp))).max()
    return greedy_pairs.unchecked(mdp.first, q, ties, tie)


@validated
def improve(mdp, policy, q, ties="uniform", tie=None) -> np.ndarray:
    """Return the policy greedy in q, or `policy` itself if it is greedy already.

    States in which `policy` takes only best actions keep them: otherwise tied actions
    could replace each other for ever [S&B ex. 4.4]. `tie` is as in `greedy`.
    """
    best = greedy.unchecked(mdp, q, "uniform", tie) > 0
    poor = (policy > 0) & ~best  # actions that are taken but are not best
    if not poor.any():
        return policy
    changes = np.logical_or.reduceat(poor, _first_pairs(mdp))[state_of.unchecked(mdp)]
    return np.where(changes, greedy.unchecked(mdp, q, ties, tie), policy)  # type: ignore[return-value]


@jitable
def backup(mdp, pair, V, gamma):
    """Return r(s, a) + γ Σ p(s′|s, a) V(s′) of one pair, the unit of work.

    This and the loops below do not check their arguments: compiled, they would read
    beyond the ends of arrays for an invalid pair or state, or arrays of another MDP.
    """
    expected = 0.0
    for i in range(mdp.indptr[pair], mdp.indptr[pair + 1]):
        expected += mdp.probability[i] * V[mdp.successor[i]]
    return mdp.reward[pair] + gamma * expected


@jitable
def best_backup(mdp, s, V, gamma):
    """Return the largest backup among the pairs of state s."""
    value = -np.inf
    for pair in range(mdp.first[s], mdp.first[s + 1]):
        value = max(value, backup(mdp, pair, V, gamma))
    return value


@compiled
def sweep_best(mdp, states, V, new, gamma):
    """Write the largest backup of each state into `new`; return the largest change.

    `states` are swept in the given order, in place if `new` is V. Nothing is checked.
    """
    largest = 0.0
    for s in states:
        value = best_backup(mdp, s, V, gamma)
        largest = max(largest, abs(value - V[s]))
        new[s] = value
    return largest


@compiled
def sweep_policy(mdp, policy, states, V, new, gamma):
    """Write Σ π(a|s) × backup of each state into `new`; return the largest change.

    `states` are swept in the given order, in place if `new` is V. Nothing is checked.
    """
    largest = 0.0
    for s in states:
        value = 0.0
        for pair in range(mdp.first[s], mdp.first[s + 1]):
            if policy[pair] > 0:
                value += policy[pair] * backup(mdp, pair, V, gamma)
        largest = max(largest, abs(value - V[s]))
        new[s] = value
    return largest


@compiled
def _back_up_pairs(mdp, V, gamma, q):
    for pair in range(len(q)):
        q[pair] = backup(mdp, pair, V, gamma)


# The value of a given policy


@validated
def policy_evaluation(
    mdp, policy, gamma, order="synchronous", theta=THETA, V=None
) -> Solution:
    """Return the value of `policy` (N,) by sweeps from V, by default 0 [S&B sec. 4.1].

    order: "synchronous" takes all values from the previous sweep; "rising" and
    "falling" update in place, from the first state to the last or the other way round.
    Sweeps stop when no value changes by more than `theta` times the largest reward, or
    than rounding error. The error of V is then at most θγ/(1 − γ) times that reward.
    Raises ValueError if 100,000 sweeps do not suffice.

    Examples
    --------
    >>> grid = mdp.gridworld("E..|...|..E")
    >>> planning.policy_evaluation(grid, planning.uniform(grid), gamma=1.0).V.round(6)
    array([-7., -9., -7., -8., -7., -9., -7.])
    """
    V, trace = _sweeps(mdp, gamma, order, theta, V, policy)
    return trace.solution(V, policy)


@validated
def linear_solve(mdp, policy, gamma, V=None) -> Solution:
    """Return the value of `policy` (N,) from V = r + γ P V, n equations [S&B eq. 4.4].

    The recorded change is that from V, by default 0.
    Raises ValueError if γ = 1 and the policy never ends from some state, as the
    equations then have no solution or many, or if a reward is infinite.
    """
    from scipy.sparse import csr_array, eye_array  # imported late: slow to load
    from scipy.sparse.linalg import splu

    largest_reward(mdp)  # raises if rewards are not finite
    if gamma == 1 and not (ends := _may_end(mdp, policy)).all():
        raise ValueError(
            "At gamma = 1 this policy has no value: "
            f"from state {np.argmin(ends)} it never ends."
        )
    n, pairs = len(mdp.position), np.flatnonzero(policy)
    choice = policy[pairs], (state_of(mdp)[pairs], pairs)
    choice = csr_array(choice, shape=(n, len(policy)))
    equations = eye_array(n) - gamma * (choice @ transition_matrix(mdp))
    # In a game successors have larger numbers, so the matrix is triangular already.
    new = splu(equations.tocsc(), permc_spec="NATURAL").solve(choice @ mdp.reward)
    change = np.abs(new if V is None else new - V).max()
    return Solution(new, policy, 0, 1, np.array([change]), np.array([mdp.start @ new]))


# The best policy


@validated
def policy_iteration(
    mdp, gamma, policy=None, ties="uniform", evaluation="solve", theta=THETA
) -> Solution:
    """Return the optimal value by evaluating and improving in turn [S&B sec. 4.3].

    `policy` is the first one, by default uniform; the last takes only best actions.
    evaluation: "solve" for linear equations, or the `order` of sweeps, which start from
    the previous V.
    Raises ValueError as the evaluation does, or if 1,000 policies do not suffice.

    Examples
    --------
    >>> problem = mdp.from_opponent(game, at_random)
    >>> solution = planning.policy_iteration(problem, gamma=1.0)
    >>> round(float(solution.V[0]), 3), solution.solves
    (0.995, 4)
    """
    policy = uniform(mdp) if policy is None else policy
    V, trace = np.zeros(len(mdp.position)), Trace(mdp)
    for _ in range(MAX_POLICIES):
        if evaluation == "solve":
            evaluated = linear_solve.unchecked(mdp, policy, gamma, V)
        else:
            evaluated = policy_evaluation.unchecked(
                mdp, policy, gamma, evaluation, theta, V
            )
        V = evaluated.V
        q = q_from_v.unchecked(mdp, V, gamma)
        trace.evaluation(evaluated, backups=len(q))
        better = improve.unchecked(mdp, policy, q, ties, _tie(V, gamma))
        if better is policy:
            return _greedy(mdp, V, gamma, ties, trace)
        policy = better
    raise ValueError(
        f"Policy iteration has not converged after {MAX_POLICIES:,} policies."
    )


@validated
def modified_policy_iteration(
    mdp, gamma, evaluations=3, ties="uniform", theta=THETA
) -> Solution:
    """Return the optimal value by one sweep over best actions, then sweeps of a policy.

    These `evaluations` sweeps follow the policy that is greedy after the first: with 0
    this is value iteration, with very many policy iteration [S&B sec. 4.6; Puterman &
    Shin 1978]. If no episode ends, it stops as soon as all values change by the same
    amount: the sum of all further changes is then added [Puterman 1994, sec. 6.6.3].
    Raises ValueError as `value_iteration` does.
    """
    V, states, trace = np.zeros(len(mdp.position)), _states(mdp), Trace(mdp)
    endless = gamma < 1 and not _ending(mdp).any()
    while len(trace.change) < MAX_SWEEPS:
        q = q_from_v.unchecked(mdp, V, gamma)
        V, before = np.maximum.reduceat(q, _first_pairs(mdp)), V
        gain = V - before
        trace.sweep(V, np.abs(gain).max(), backups=len(q))
        if trace.converged(V, theta, np.ptp(gain) / 2 if endless else None):
            if endless:
                V = V + gamma / (1 - gamma) * (gain.min() + gain.max()) / 2
                trace.start_value[-1] = trace.start @ V
            return _greedy(mdp, V, gamma, ties, trace)
        # With a larger tolerance the policy could lose what the sweep has gained.
        equal = min(EXACT_RTOL * np.abs(V).max(), trace.tolerance(V, theta) / 8)
        policy, new = greedy.unchecked(mdp, q, ties, equal), np.empty(len(V))
        for _ in range(evaluations):
            change = sweep_policy(mdp, policy, states, V, new, gamma)
            V, new = new, V
            trace.sweep(V, change, backups=int(np.count_nonzero(policy)))
    raise not_converged(gamma, np.abs(gain).max())


@validated
def value_iteration(
    mdp, gamma, order="synchronous", ties="uniform", theta=THETA
) -> Solution:
    """Return the optimal value by sweeps over the best actions [S&B sec. 4.4].

    order: as in `policy_evaluation`; in place it is asynchronous [S&B sec. 4.5].
    theta: as there. Raises ValueError if 100,000 sweeps do not suffice.

    Examples
    --------
    >>> problem = mdp.from_opponent(game, at_random)
    >>> planning.value_iteration(problem, gamma=1.0).sweeps
    5
    >>> planning.value_iteration(problem, gamma=1.0, order="falling").sweeps
    2
    """
    V, trace = _sweeps(mdp, gamma, order, theta)
    return _greedy(mdp, V, gamma, ties, trace)


@validated
def prioritized_sweeping(mdp, gamma, ties="uniform", theta=THETA) -> Solution:
    """Return the optimal value by backing up the most urgent state [S&B sec. 8.4].

    A state's urgency is first the change that a backup would make, computed in one
    sweep. A change of V(s′) then raises the urgency of s to γ p(s′|s, a) times that
    change, if this exceeds `theta` times the largest reward [Moore & Atkeson 1993].
    `change` records the first sweep only, `backups` all work.
    Raises ValueError if 100,000 backups per state do not suffice.
    """
    n = len(mdp.position)
    order = np.argsort(
        mdp.successor, kind="stable"
    )  # transitions to state 0, then to state 1, ...
    states = np.arange(n + 1, dtype=mdp.successor.dtype)
    into = np.searchsorted(mdp.successor[order], states).astype(np.uint32)
    before = state_of(mdp).repeat(np.diff(mdp.indptr).astype(np.intp))[order]
    weight = gamma * mdp.probability[order]
    V, most = np.zeros(n), n * MAX_SWEEPS
    urgency, trace = np.abs(optimality_backup.unchecked(mdp, V, gamma)), Trace(mdp)
    change = urgency.max()
    limits = theta * trace.unit, most
    visits = _back_up_urgent(mdp, into, before, weight, urgency, V, gamma, *limits)
    trace.sweep(V, change, len(mdp.action) + int(visits @ np.diff(mdp.first)))
    if urgency.max() > trace.tolerance(V, theta):
        raise not_converged(gamma, urgency.max())
    return _greedy(mdp, V, gamma, ties, trace)


@allocating
def _back_up_urgent(mdp, into, before, weight, urgency, V, gamma, least, most):
    """Change V and urgency in place; return how often each state was backed up.

    Urgencies up to `least`, or up to rounding error, are ignored.
    """
    visits = np.zeros(len(V), dtype=np.int64)
    queue = [(-urgency[s], s) for s in range(len(V)) if urgency[s] > least]
    heapq.heapify(queue)
    while len(queue) > 0 and most > 0:
        minus_urgency, s = heapq.heappop(queue)
        if -minus_urgency != urgency[s]:
            continue  # an outdated entry: s became more urgent and was backed up
        value = best_backup(mdp, s, V, gamma)
        change = abs(value - V[s])
        V[s], urgency[s] = value, 0.0
        visits[s] += 1
        most -= 1
        least = max(least, 4 * ROUNDING * abs(value))
        for i in range(into[s], into[s + 1]):
            if weight[i] * change > max(least, urgency[before[i]]):
                urgency[before[i]] = weight[i] * change
                heapq.heappush(queue, (-urgency[before[i]], before[i]))
    return visits


@validated
def backward_induction(mdp, gamma, ties="uniform") -> Solution:
    """Return the optimal value by one sweep from the last state to the first.

    Each state is backed up once, after all its successors [Puterman 1994, sec. 4.5].
    Raises ValueError unless successors have larger numbers than their states.

    Examples
    --------
    >>> problem = mdp.from_opponent(game, at_random)
    >>> solution = planning.backward_induction(problem, gamma=1.0)
    >>> solution.sweeps, solution.backups == len(problem.action)
    (1, True)
    """
    validation.require_later_successors(mdp)
    V, trace = optimal_values.unchecked(mdp, gamma), Trace(mdp)
    trace.sweep(V, np.abs(V).max(), backups=len(mdp.action))
    return _greedy(mdp, V, gamma, ties, trace)


@validated
def optimal_values(mdp, gamma) -> np.ndarray:
    """Return only V (n,) of `backward_induction`, which takes microseconds.

    V is wrong unless successors have larger numbers, which is not checked.
    """
    V = np.zeros(len(mdp.position))
    _sweep_back(mdp, V, gamma)
    return V


@compiled
def _sweep_back(mdp, V, gamma):
    for s in range(len(V) - 1, -1, -1):
        V[s] = best_backup(mdp, s, V, gamma)


@validated
def linear_programming(mdp, gamma, ties="uniform") -> Solution:
    """Return the optimal value as the least V with V(s) ≥ q(s, a) for all pairs.

    HiGHS minimises Σ V(s); all weights are positive, so the value of every state is
    optimal. Its tolerance is 1e-7, so policy iteration continues from the policy in its
    basis: `solves` is 1 if that was optimal [d'Epenoux 1963; S&B sec. 4.7].
    The work of HiGHS is not recorded, as pivots are not backups.
    If γ is too close to 1 for HiGHS, policy iteration does all the work.
    Raises ValueError if there is no least V, as when γ = 1 and no episode ends.
    """
    from scipy.optimize import linprog  # imported late: slow to load
    from scipy.sparse import csr_array

    n, N = len(mdp.position), len(mdp.action)
    # Its tolerance is absolute, so rewards are scaled: the largest is from 1 to 2.
    reward = np.ldexp(mdp.reward, 1 - np.frexp(largest_reward(mdp))[1])
    owner = csr_array(
        (np.ones(N), (np.arange(N, dtype=np.int64), state_of(mdp))), shape=(N, n)
    )
    optimum = linprog(
        np.ones(n),
        A_ub=gamma * transition_matrix(mdp) - owner,
        b_ub=-reward,
        bounds=(None, None),
        method="highs-ds",  # simplex: its basis holds one pair of each state
    )
    exists = optimum.success or gamma < 1
    require(exists, "There is no least V: at gamma = 1 episodes must end")
    basis = None
    if optimum.success:
        basis = greedy(mdp, -optimum.ineqlin.marginals, ties="lowest")
    return policy_iteration(mdp, gamma, basis, ties)


# Helpers of several methods


def _sweeps(mdp, gamma, order, theta, V=None, policy=None):
    """Return V once sweeps have converged (see `Trace.converged`), and the Trace.

    Sweeps start from V, by default 0, and follow `policy`, or the best actions if None.
    """
    trace, states = Trace(mdp, V), _states(mdp, order)
    V = np.zeros(len(mdp.position)) if V is None else V.copy()
    new = V.copy() if order == "synchronous" else V
    backups = len(mdp.action) if policy is None else int(np.count_nonzero(policy))
    while len(trace.change) < MAX_SWEEPS:
        if policy is None:
            change = sweep_best(mdp, states, V, new, gamma)
        else:
            change = sweep_policy(mdp, policy, states, V, new, gamma)
        V, new = new, V
        trace.sweep(V, change, backups)
        if trace.converged(V, theta):
            return V, trace
    raise not_converged(gamma, change)


def _states(mdp, order="rising"):
    """Return all states (n,) in the order of a sweep, the last first if "falling"."""
    rising = np.arange(len(mdp.position), dtype=mdp.successor.dtype)
    return rising[::-1].copy() if order == "falling" else rising


def _first_pairs(mdp):
    """Return the first pair of each state (n,), in the type of NumPy's indices."""
    return mdp.first[:-1].astype(np.intp)


def _greedy(mdp, V, gamma, ties, trace):
    """Return the Solution with the policy greedy in V."""
    q = q_from_v.unchecked(mdp, V, gamma)
    return trace.solution(V, greedy.unchecked(mdp, q, ties, _tie(V, gamma)))


def _tie(V, gamma):
    """Return the difference of action values, up to which they are tied, for values V.

    Always taking the worse action costs at most 1e-9 times the largest value, or
    rounding error.
    """
    equal = min(EXACT_RTOL, LEARNED_ATOL * (1 - gamma)) if gamma < 1 else EXACT_RTOL
    return np.abs(V).max() * max(ROUNDING, equal)


def _ending(mdp):
    """Return a mask (N,) of the pairs after which the episode can end."""
    counts = np.diff(mdp.indptr).astype(np.intp)
    pair = np.arange(len(mdp.action), dtype=np.intp).repeat(counts)
    return (
        np.bincount(pair, mdp.probability, minlength=len(mdp.action)) < 1 - LEARNED_ATOL
    )


def _may_end(mdp, policy):
    """Return a mask (n,) of the states from which `policy` can end the episode."""
    ending = mdp._replace(reward=_ending(mdp).astype(float))
    reached = np.zeros(len(mdp.position))
    while True:  # one step further from the end each time
        more = np.sign(expectation_backup.unchecked(ending, policy, reached, 1))
        if (more == reached).all():
            return reached > 0
        reached = more
