"""Dynamic programming and its relatives, for any finite MDP with a known model.

First the operators, one equation each; then the methods, a few lines over them.
V is (n,), a number for each state; q and a policy are (N,), a number for each
state–action pair, as `mdp.MDP` packs them.
Work is counted in *backups*: one backup is the expected update
r(s, a) + γ Σ p(s′|s, a) V(s′) of one pair, so a sweep over the best actions costs N,
a sweep along a deterministic policy n.
The last look at V, from which methods read their greedy policy, is not counted.
The module is long because its methods are there to be compared, line beside line.
"""

import heapq
from typing import NamedTuple

import numpy as np

from ttt_lib import validation
from ttt_lib.compiled import allocating, compiled, jitable
from ttt_lib.mdp import state_of, transition_matrix
from ttt_lib.policy import EXACT_RTOL, LEARNED_ATOL, greedy_pairs
from ttt_lib.validation import largest_reward, not_converged, require, validated

THETA = 1e-12  # sweeps stop when no value changes by more, in largest rewards
ROUNDING = 2.0**-50  # what rounding may do to a sum of a few numbers, as such a share
MAX_SWEEPS = 100_000
MAX_POLICIES = 1000  # that policy iteration evaluates


class Solution(NamedTuple):
    """What a method found, and the work it took.

    Where going round costs nothing and γ = 1, a policy greedy in V may never end.
    """

    V: np.ndarray  #: (n,) value of each state
    policy: np.ndarray  #: (N,) greedy in V, or the policy that was evaluated
    backups: int  #: expected updates of one pair
    solves: int  #: systems of n linear equations solved
    change: np.ndarray  #: (sweeps,) largest change of V; a solve counts as a sweep
    start_value: np.ndarray  #: Σ start · V after each sweep, or each policy evaluated

    @property
    def sweeps(self) -> int:
        """The number of sweeps over all states."""
        return len(self.change)


class Trace:
    """The work of a method while it goes on, field by field as in its Solution."""

    def __init__(self, mdp, V=None):
        self.start, self.backups, self.solves = mdp.start, 0, 0
        self.change, self.start_value = [], []
        first = 0.0 if V is None else float(np.abs(V).max())  # before any sweep
        self.unit = largest_reward(mdp) or first
        self.most = max(self.unit, first)

    def sweep(self, V, change, backups) -> None:
        """Add one sweep: the values after it, their largest change, and its backups."""
        self.backups += backups
        self.change.append(change)
        self.start_value.append(self.start @ V)

    def tolerance(self, V, theta) -> float:
        """Return the largest change of V that counts as none: by rounding, or by θ.

        `theta` is a share of the largest reward.
        """
        return max(theta * self.unit, 4 * ROUNDING * np.abs(V).max())

    def converged(self, V, theta, change=None) -> bool:
        """Return whether the last sweep, which led to V, changed no value any more.

        `change` is by default the largest one of that sweep.
        """
        change = self.change[-1] if change is None else change
        largest = self.most * (len(self.change) + 1)  # that a value can be
        if change > max(theta * self.unit, 4 * ROUNDING * largest):
            return False  # without a look at V
        return change <= self.tolerance(V, theta)

    def evaluation(self, found, backups) -> None:
        """Add the Solution of one evaluated policy, and the backups that improve it."""
        self.backups += found.backups + backups
        self.solves += found.solves
        self.change.extend(found.change)
        self.start_value.append(found.start_value[-1])

    def solution(self, V, policy) -> Solution:
        """Return the Solution of a method that has come to V and `policy`."""
        change, start_value = np.array(self.change), np.array(self.start_value)
        return Solution(V, policy, self.backups, self.solves, change, start_value)


# The operators


@validated
def q_from_v(mdp, V, gamma) -> np.ndarray:
    """Return q(s, a) = r(s, a) + γ Σ p(s′|s, a) V(s′) of each pair [S&B eq. 4.6].

    Examples
    --------
    >>> floor = mdp.gridworld("E..|...|..E")
    >>> V = planning.value_iteration(floor, gamma=1.0).V
    >>> planning.q_from_v(floor, V, gamma=1.0)[:4]
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
    >>> floor = mdp.gridworld("E..|...|..E")
    >>> even = planning.uniform(floor)
    >>> V = planning.expectation_backup(floor, even, np.zeros(7), gamma=1.0)
    >>> planning.expectation_backup(floor, even, V, gamma=1.0)
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
    >>> floor = mdp.gridworld("E..|...|..E")
    >>> V = planning.optimality_backup(floor, np.zeros(7), gamma=1.0)
    >>> planning.optimality_backup(floor, V, gamma=1.0)
    array([-1., -2., -1., -2., -1., -2., -1.])
    """
    new = np.empty(len(V))
    sweep_best(mdp, _states(mdp), V, new, gamma)
    return new


@validated
def uniform(mdp) -> np.ndarray:
    """Return the policy (N,) that takes every action of a state equally often."""
    return (1 / np.diff(mdp.first))[state_of(mdp)]


@validated
def greedy(mdp, q, ties="uniform", tie=None) -> np.ndarray:
    """Return the policy (N,) greedy in q, ties as in `policy.greedy` [S&B eq. 4.9].

    tie: actions are equally good if they differ by up to this, in units of reward; by
    default 1e-13 of the largest value.

    Examples
    --------
    >>> floor = mdp.gridworld("E..|...|..E")
    >>> V = planning.value_iteration(floor, gamma=1.0).V
    >>> planning.greedy(floor, planning.q_from_v(floor, V, gamma=1.0))[:4]
    array([0., 0., 1., 0.])
    """
    if tie is None:
        tie = EXACT_RTOL * np.abs(np.maximum.reduceat(q, _first_pairs(mdp))).max()
    return greedy_pairs.unchecked(mdp.first, q, ties, tie)


@validated
def improve(mdp, policy, q, ties="uniform", tie=None) -> np.ndarray:
    """Return the policy greedy in q, or `policy` itself if it takes best actions only.

    States that take best actions only keep theirs: else equally good actions could
    replace each other for ever [S&B ex. 4.4]. `tie` is as in `greedy`.
    """
    best = greedy.unchecked(mdp, q, "uniform", tie) > 0
    poor = (policy > 0) & ~best  # taken, and not the best
    if not poor.any():
        return policy
    changes = np.logical_or.reduceat(poor, _first_pairs(mdp))[state_of.unchecked(mdp)]
    return np.where(changes, greedy.unchecked(mdp, q, ties, tie), policy)  # type: ignore[return-value]


@jitable
def backup(mdp, pair, V, gamma):
    """Return r(s, a) + γ Σ p(s′|s, a) V(s′) of one pair, the unit of work.

    Compiled, this and the loops below trust their arguments: a pair or state that there
    is not, or arrays of another problem, would be read beyond their end.
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

    `states` are swept in their order, in place if `new` is V. Arguments are trusted.
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

    `states` are swept in their order, in place if `new` is V. Arguments are trusted.
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

    order: "synchronous" takes all values from the sweep before; "rising" and "falling"
    work in place, from the first state to the last and from the last to the first.
    They stop when no value changes by more than `theta` times the largest reward, or
    than rounding does: V is then right to θγ/(1 − γ) of it, or better.
    Raises ValueError if 100,000 sweeps do not suffice.

    Examples
    --------
    >>> floor = mdp.gridworld("E..|...|..E")
    >>> planning.policy_evaluation(floor, planning.uniform(floor), gamma=1.0).V.round(6)
    array([-7., -9., -7., -8., -7., -9., -7.])
    """
    V, trace = _sweeps(mdp, gamma, order, theta, V, policy)
    return trace.solution(V, policy)


@validated
def linear_solve(mdp, policy, gamma, V=None) -> Solution:
    """Return the value of `policy` (N,) from V = r + γ P V, n equations [S&B eq. 4.4].

    The recorded change is that from V, by default 0.
    Raises ValueError if γ = 1 and from some state the policy never ends: then the
    equations have no solution, or many; and if a reward is infinite.
    """
    from scipy.sparse import csr_array, eye_array  # only who solves waits for SciPy
    from scipy.sparse.linalg import splu

    largest_reward(mdp)  # checks that there is one
    if gamma == 1 and not (ends := _may_end(mdp, policy)).all():
        raise ValueError(
            "At gamma = 1 this policy has no value: "
            f"from state {np.argmin(ends)} it never ends."
        )
    n, pairs = len(mdp.position), np.flatnonzero(policy)
    choice = policy[pairs], (state_of(mdp)[pairs], pairs)
    choice = csr_array(choice, shape=(n, len(policy)))
    equations = eye_array(n) - gamma * (choice @ transition_matrix(mdp))
    # In a game successors come later: the equations are triangular as they stand.
    new = splu(equations.tocsc(), permc_spec="NATURAL").solve(choice @ mdp.reward)
    change = np.abs(new if V is None else new - V).max()
    return Solution(new, policy, 0, 1, np.array([change]), np.array([mdp.start @ new]))


# The best policy


@validated
def policy_iteration(
    mdp, gamma, policy=None, ties="uniform", evaluation="solve", theta=THETA
) -> Solution:
    """Return the optimal value by evaluating and improving in turn [S&B sec. 4.3].

    The first policy is by default the uniform one; the last takes best actions only.
    evaluation: "solve" linear equations, or the `order` of sweeps from the V before.
    Raises ValueError as the evaluation does, or if 1,000 policies do not suffice.

    Examples
    --------
    >>> problem = mdp.from_opponent(game, at_random)
    >>> found = planning.policy_iteration(problem, gamma=1.0)
    >>> round(float(found.V[0]), 3), found.solves
    (0.995, 4)
    """
    policy = uniform(mdp) if policy is None else policy
    V, trace = np.zeros(len(mdp.position)), Trace(mdp)
    for _ in range(MAX_POLICIES):
        if evaluation == "solve":
            found = linear_solve.unchecked(mdp, policy, gamma, V)
        else:
            found = policy_evaluation.unchecked(
                mdp, policy, gamma, evaluation, theta, V
            )
        V, q = found.V, q_from_v.unchecked(mdp, found.V, gamma)
        trace.evaluation(found, backups=len(q))
        better = improve.unchecked(mdp, policy, q, ties, _tie(V, gamma))
        if better is policy:
            return _greedy(mdp, V, gamma, ties, trace)
        policy = better
    raise ValueError(f"{MAX_POLICIES:,} policies are not enough to come to rest.")


@validated
def modified_policy_iteration(
    mdp, gamma, evaluations=3, ties="uniform", theta=THETA
) -> Solution:
    """Return the optimal value by turns of one sweep over the best actions and others.

    The others, `evaluations` of them, follow the policy greedy in the first: 0 make it
    value iteration, very many policy iteration [S&B sec. 4.6; Puterman & Shin 1978].
    Where no episode ends, it is enough that all values still change alike: what is to
    come is then added at once [Puterman 1994, sec. 6.6.3].
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
        # Were more than these equal, the policy would lose what the sweep has gained.
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

    A state's urgency is first the change it would see, which takes one sweep to know;
    then a change of V(s′) makes s as urgent as γ p(s′|s, a) times that change, if this
    is more than `theta` times the largest reward [Moore & Atkeson 1993].
    `change` records that one sweep, `backups` counts everything.
    Raises ValueError if 100,000 backups per state do not suffice.
    """
    n = len(mdp.position)
    order = np.argsort(mdp.successor, kind="stable")  # transitions into 0, into 1, ...
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

    No urgency up to `least` counts, nor up to what rounding does to a value.
    """
    visits = np.zeros(len(V), dtype=np.int64)
    queue = [(-urgency[s], s) for s in range(len(V)) if urgency[s] > least]
    heapq.heapify(queue)
    while len(queue) > 0 and most > 0:
        minus_urgency, s = heapq.heappop(queue)
        if -minus_urgency != urgency[s]:
            continue  # it became more urgent, and its turn has been
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
    >>> found = planning.backward_induction(problem, gamma=1.0)
    >>> found.sweeps, found.backups == len(problem.action)
    (1, True)
    """
    validation.require_later_successors(mdp)
    V, trace = optimal_values.unchecked(mdp, gamma), Trace(mdp)
    trace.sweep(V, np.abs(V).max(), backups=len(mdp.action))
    return _greedy(mdp, V, gamma, ties, trace)


@validated
def optimal_values(mdp, gamma) -> np.ndarray:
    """Return only V (n,) of `backward_induction`, in microseconds.

    That successors have larger numbers is trusted: elsewhere V comes out wrong.
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

    HiGHS minimises Σ V(s): every weight is positive, so every state comes out right.
    It is content with 1e-7, so policy iteration goes on from the policy in its basis:
    `solves` is 1 if that was optimal [d'Epenoux 1963; S&B sec. 4.7].
    The work of HiGHS is not recorded: pivots are not backups.
    Where γ is too near to 1 for HiGHS, policy iteration does all of it.
    Raises ValueError if there is no least V, as when γ = 1 and nothing ends.
    """
    from scipy.optimize import linprog  # only who programmes waits for SciPy
    from scipy.sparse import csr_array

    n, N = len(mdp.position), len(mdp.action)
    # Its tolerance is absolute, so the unit of reward is chosen: the largest is 1 to 2.
    reward = np.ldexp(mdp.reward, 1 - np.frexp(largest_reward(mdp))[1])
    own = csr_array(
        (np.ones(N), (np.arange(N, dtype=np.int64), state_of(mdp))), shape=(N, n)
    )
    found = linprog(
        np.ones(n),
        A_ub=gamma * transition_matrix(mdp) - own,
        b_ub=-reward,
        bounds=(None, None),
        method="highs-ds",  # simplex: its basis holds one pair of each state
    )
    exists = found.success or gamma < 1
    require(exists, "There is no least V: at gamma = 1 episodes must end")
    basis = None
    if found.success:
        basis = greedy(mdp, -found.ineqlin.marginals, ties="lowest")
    return policy_iteration(mdp, gamma, basis, ties)


# What several of them need


def _sweeps(mdp, gamma, order, theta, V=None, policy=None):
    """Return V once a sweep changes it no more (see `Record.settled`), and the Record.

    Sweeps start from V, by default 0, and go along `policy`, or over the best actions
    if None.
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
    """Return all states in the order of a sweep, the last one first if "falling"."""
    rising = np.arange(len(mdp.position), dtype=mdp.successor.dtype)
    return rising[::-1].copy() if order == "falling" else rising


def _first_pairs(mdp):
    """Return the first pair of each state (n,), as NumPy needs indices."""
    return mdp.first[:-1].astype(np.intp)


def _greedy(mdp, V, gamma, ties, trace):
    """Return the Solution with the policy greedy in V."""
    q = q_from_v.unchecked(mdp, V, gamma)
    return trace.solution(V, greedy.unchecked(mdp, q, ties, _tie(V, gamma)))


def _tie(V, gamma):
    """Return the difference up to which actions are equally good where values are V.

    To take the worse for ever costs at most 1e-9 of the largest value, or rounding.
    """
    equal = min(EXACT_RTOL, LEARNED_ATOL * (1 - gamma)) if gamma < 1 else EXACT_RTOL
    return np.abs(V).max() * max(ROUNDING, equal)


def _ending(mdp):
    """Return after which pairs (N,) the episode can end."""
    counts = np.diff(mdp.indptr).astype(np.intp)
    pair = np.arange(len(mdp.action), dtype=np.intp).repeat(counts)
    return (
        np.bincount(pair, mdp.probability, minlength=len(mdp.action)) < 1 - LEARNED_ATOL
    )


def _may_end(mdp, policy):
    """Return (n,) from which states episodes under `policy` can end."""
    ending = mdp._replace(reward=_ending(mdp).astype(float))
    reached = np.zeros(len(mdp.position))
    while True:  # one step further from the end each time
        more = np.sign(expectation_backup.unchecked(ending, policy, reached, 1))
        if (more == reached).all():
            return reached > 0
        reached = more
