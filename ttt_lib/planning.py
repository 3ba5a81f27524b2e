"""Dynamic programming and its relatives, for any finite MDP with a known model.

First the operators, one equation each; then the methods, a few lines over them.
V is (n,), a number for each state; q and a policy are (N,), a number for each
state–action pair, as `mdp.MDP` packs them.
Work is counted in *backups*: one backup is the expected update
r(s, a) + γ Σ p(s′|s, a) V(s′) of one pair, so a sweep over the best actions costs N,
a sweep along a deterministic policy n.
The last look at V, from which methods read their greedy policy, is not counted.
"""

import heapq
from typing import NamedTuple

import numpy as np

from ttt_lib.compiled import compiled
from ttt_lib.mdp import state_of, transition_matrix
from ttt_lib.policy import TIE, greedy_pairs

THETA = 1e-12  # sweeps stop when no value changes by more
MOST_SWEEPS = 100_000
MOST_POLICIES = 1000  # that policy iteration evaluates


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
    def sweeps(self):
        """The number of sweeps over all states."""
        return len(self.change)


# The operators


def q_from_v(mdp, V, gamma):
    """Return q(s, a) = r(s, a) + γ Σ p(s′|s, a) V(s′) of each pair [S&B eq. 4.6]."""
    q = np.empty(len(mdp.action))
    _back_up_pairs(mdp, _of_states(mdp, V), _discount(gamma), q)
    return q


def expectation_backup(mdp, policy, V, gamma):
    """Return Σ π(a|s) (r(s, a) + γ Σ p(s′|s, a) V(s′)) of each state [S&B eq. 4.5]."""
    V, new = _of_states(mdp, V), np.empty(len(mdp.position))
    policy = _of_pairs(mdp, policy)
    _sweep_policy(mdp, policy, _rising(mdp), V, new, _discount(gamma))
    return new


def optimality_backup(mdp, V, gamma):
    """Return max_a (r(s, a) + γ Σ p(s′|s, a) V(s′)) of each state [S&B eq. 4.10]."""
    V, new = _of_states(mdp, V), np.empty(len(mdp.position))
    _sweep_best(mdp, _rising(mdp), V, new, _discount(gamma))
    return new


def uniform(mdp):
    """Return the policy (N,) that takes every action of a state equally often."""
    return (1 / np.diff(mdp.first))[state_of(mdp)]


def greedy(mdp, q, ties="uniform"):
    """Return the policy (N,) greedy in q, ties as in `policy.greedy` [S&B eq. 4.9]."""
    return greedy_pairs(mdp.first, _of_pairs(mdp, q), ties)


def improve(mdp, policy, q, ties="uniform"):
    """Return the policy greedy in q, or `policy` itself if it takes best actions only.

    States that take best actions only keep theirs: else equally good actions could
    replace each other for ever [S&B ex. 4.4].
    """
    poor = (policy > 0) & (greedy(mdp, q) == 0)  # actions taken, and not the best
    if not poor.any():
        return policy
    changes = np.logical_or.reduceat(poor, mdp.first[:-1])[state_of(mdp)]
    return np.where(changes, greedy(mdp, q, ties), policy)


@compiled
def _backup(mdp, pair, V, gamma):
    expected = 0.0
    for i in range(mdp.indptr[pair], mdp.indptr[pair + 1]):
        expected += mdp.probability[i] * V[mdp.successor[i]]
    return mdp.reward[pair] + gamma * expected


@compiled
def _best_backup(mdp, s, V, gamma):
    value = -np.inf
    for pair in range(mdp.first[s], mdp.first[s + 1]):
        value = max(value, _backup(mdp, pair, V, gamma))
    return value


@compiled
def _back_up_pairs(mdp, V, gamma, q):
    for pair in range(len(q)):
        q[pair] = _backup(mdp, pair, V, gamma)


@compiled
def _sweep_best(mdp, states, V, new, gamma):
    """Write the new values, in place if `new` is V; return the largest change."""
    largest = 0.0
    for s in states:
        value = _best_backup(mdp, s, V, gamma)
        largest = max(largest, abs(value - V[s]))
        new[s] = value
    return largest


@compiled
def _sweep_policy(mdp, policy, states, V, new, gamma):
    """Write the values backed up along a policy; return the largest change."""
    largest = 0.0
    for s in states:
        value = 0.0
        for pair in range(mdp.first[s], mdp.first[s + 1]):
            if policy[pair] > 0:
                value += policy[pair] * _backup(mdp, pair, V, gamma)
        largest = max(largest, abs(value - V[s]))
        new[s] = value
    return largest


# The value of a given policy


def policy_evaluation(mdp, policy, gamma, order="synchronous", theta=THETA, V=None):
    """Return the value of `policy` (N,) by sweeps from V, by default 0 [S&B sec. 4.1].

    order: "synchronous" takes all values from the sweep before; "rising" and "falling"
    work in place, from the first state to the last and from the last to the first.
    Raises ValueError if values still change by more than `theta` after 100,000 sweeps.
    """
    gamma, policy = _discount(gamma), _of_pairs(mdp, policy)

    def sweep(states, V, new):
        return _sweep_policy(mdp, policy, states, V, new, gamma)

    V, change, start_value = _repeat(sweep, mdp, order, theta, V)
    backups = len(change) * int(np.count_nonzero(policy))
    return Solution(V, policy, backups, 0, change, start_value)


def linear_solve(mdp, policy, gamma):
    """Return the value of `policy` (N,) from V = r + γ P V, n equations [S&B eq. 4.4].

    Raises ValueError if γ = 1 and from some state the policy never ends: then the
    equations have no solution, or many; and if one of its rewards is infinite.
    """
    from scipy.sparse import csr_array, eye_array  # only who solves waits for SciPy
    from scipy.sparse.linalg import splu

    gamma, policy = _discount(gamma), _of_pairs(mdp, policy)
    if gamma == 1 and not (ends := _may_end(mdp, policy)).all():
        raise ValueError(
            "At gamma = 1 this policy has no value: "
            f"from state {np.argmin(ends)} it never ends."
        )
    n, pairs = len(mdp.position), np.flatnonzero(policy)
    choice = policy[pairs], (state_of(mdp)[pairs], pairs)
    choice = csr_array(choice, shape=(n, len(policy)))
    reward = choice @ mdp.reward
    if not np.isfinite(reward).all():
        raise ValueError(
            "Linear equations need finite rewards: leave illegal actions out."
        )
    equations = eye_array(n) - gamma * (choice @ transition_matrix(mdp))
    # In a game successors come later: the equations are triangular as they stand.
    V = splu(equations.tocsc(), permc_spec="NATURAL").solve(reward)
    change, start_value = np.array([np.abs(V).max()]), np.array([mdp.start @ V])
    return Solution(V, policy, 0, 1, change, start_value)


# The best policy


def policy_iteration(
    mdp, gamma, policy=None, ties="uniform", evaluation="solve", theta=THETA
):
    """Return the optimal value by evaluating and improving in turn [S&B sec. 4.3].

    The first policy is by default the uniform one; the last takes best actions only.
    evaluation: "solve" linear equations, or the `order` of sweeps from the V before.
    Raises ValueError as the evaluation does.
    """
    policy = uniform(mdp) if policy is None else _of_pairs(mdp, policy)
    V, backups, solves = np.zeros(len(mdp.position)), 0, 0
    change, start_value = [], []
    for _ in range(MOST_POLICIES):
        if evaluation == "solve":
            found = linear_solve(mdp, policy, gamma)
            change.append(np.abs(found.V - V).max())
        else:
            found = policy_evaluation(mdp, policy, gamma, evaluation, theta, V)
            change.extend(found.change)
        V, solves = found.V, solves + found.solves
        start_value.append(mdp.start @ V)
        q = q_from_v(mdp, V, gamma)
        backups += found.backups + len(q)
        improved = improve(mdp, policy, q, ties)
        if improved is policy:
            return _greedy(mdp, V, gamma, ties, backups, change, start_value, solves)
        policy = improved
    raise _unsettled(change[-1])


def modified_policy_iteration(mdp, gamma, evaluations=3, ties="uniform", theta=THETA):
    """Return the optimal value by turns of one sweep over the best actions and others.

    The others, `evaluations` of them, follow the policy greedy in the first: 0 make it
    value iteration, very many policy iteration [S&B sec. 4.6; Puterman & Shin 1978].
    Raises ValueError as `value_iteration` does.
    """
    if evaluations not in range(MOST_SWEEPS):
        raise ValueError(f"evaluations = {evaluations}: give a whole number from 0 up.")
    V, backups, change, start_value = np.zeros(len(mdp.position)), 0, [], []
    while len(change) < MOST_SWEEPS:
        q = q_from_v(mdp, V, gamma)
        policy = greedy(mdp, q, ties)
        for turn in range(1 + evaluations):
            if turn == 0:
                new = np.maximum.reduceat(q, mdp.first[:-1])
                backups += len(q)
            else:
                new = expectation_backup(mdp, policy, V, gamma)
                backups += int(np.count_nonzero(policy))
            change.append(np.abs(new - V).max())
            start_value.append(mdp.start @ new)
            V = new
            if turn == 0 and change[-1] <= theta:
                return _greedy(mdp, V, gamma, ties, backups, change, start_value)
    raise _unsettled(change[-1])


def value_iteration(mdp, gamma, order="synchronous", ties="uniform", theta=THETA):
    """Return the optimal value by sweeps over the best actions [S&B sec. 4.4].

    order: as in `policy_evaluation`; in place it is asynchronous [S&B sec. 4.5].
    Raises ValueError if values still change by more than `theta` after 100,000 sweeps.
    """
    gamma = _discount(gamma)

    def sweep(states, V, new):
        return _sweep_best(mdp, states, V, new, gamma)

    V, change, start_value = _repeat(sweep, mdp, order, theta)
    backups = len(change) * len(mdp.action)
    return _greedy(mdp, V, gamma, ties, backups, change, start_value)


def prioritised_sweeping(mdp, gamma, ties="uniform", theta=THETA):
    """Return the optimal value by backing up the most urgent state [S&B sec. 8.4].

    A state's urgency is first the change it would see, which takes one sweep to know;
    then a change of V(s′) makes s as urgent as γ p(s′|s, a) times that change, if this
    is more than `theta` [Moore & Atkeson 1993].
    `change` records that one sweep, `backups` counts everything.
    Raises ValueError if 100,000 backups per state do not suffice.
    """
    gamma, n = _discount(gamma), len(mdp.position)
    order = np.argsort(mdp.successor, kind="stable")  # transitions into 0, into 1, ...
    into = np.searchsorted(mdp.successor[order], np.arange(n + 1)).astype(np.uint32)
    before = state_of(mdp).repeat(np.diff(mdp.indptr))[order]
    weight = gamma * mdp.probability[order]
    V, theta, most = np.zeros(n), float(theta), n * MOST_SWEEPS
    urgency = np.abs(optimality_backup(mdp, V, gamma))
    change = [urgency.max()]
    visits = _back_up_urgent(mdp, into, before, weight, urgency, V, gamma, theta, most)
    if urgency.max() > theta:
        raise _unsettled(urgency.max())
    backups = len(mdp.action) + int(visits @ np.diff(mdp.first))
    return _greedy(mdp, V, gamma, ties, backups, change, [mdp.start @ V])


@compiled
def _back_up_urgent(mdp, into, before, weight, urgency, V, gamma, theta, most):
    """Change V and urgency in place; return how often each state was backed up."""
    visits = np.zeros(len(V), dtype=np.int64)
    queue = [(-urgency[s], s) for s in range(len(V)) if urgency[s] > theta]
    heapq.heapify(queue)
    while len(queue) > 0 and most > 0:
        minus_urgency, s = heapq.heappop(queue)
        if -minus_urgency != urgency[s]:
            continue  # it became more urgent, and its turn has been
        value = _best_backup(mdp, s, V, gamma)
        change = abs(value - V[s])
        V[s], urgency[s] = value, 0.0
        visits[s] += 1
        most -= 1
        for i in range(into[s], into[s + 1]):
            if weight[i] * change > max(theta, urgency[before[i]]):
                urgency[before[i]] = weight[i] * change
                heapq.heappush(queue, (-urgency[before[i]], before[i]))
    return visits


def backward_induction(mdp, gamma, ties="uniform"):
    """Return the optimal value by one sweep from the last state to the first.

    Each state is backed up once, after all its successors [Puterman 1994, sec. 4.5].
    Raises ValueError unless successors have larger numbers than their states.
    """
    s = _first_not_earlier(mdp)
    if s >= 0:
        raise ValueError(
            f"State {s} can be followed by a state that is not later: for backward "
            "induction successors need larger numbers."
        )
    V = optimal_values(mdp, gamma)
    change, start_value = [np.abs(V).max()], [mdp.start @ V]
    return _greedy(mdp, V, gamma, ties, len(mdp.action), change, start_value)


def optimal_values(mdp, gamma):
    """Return only V (n,) of `backward_induction`, unchecked and in microseconds."""
    V = np.zeros(len(mdp.position))
    _sweep_back(mdp, V, _discount(gamma))
    return V


@compiled
def _sweep_back(mdp, V, gamma):
    for s in range(len(V) - 1, -1, -1):
        V[s] = _best_backup(mdp, s, V, gamma)


@compiled
def _first_not_earlier(mdp):
    for s in range(len(mdp.first) - 1):
        for i in range(mdp.indptr[mdp.first[s]], mdp.indptr[mdp.first[s + 1]]):
            if mdp.successor[i] <= s:
                return s
    return -1


def linear_programme(mdp, gamma, ties="uniform"):
    """Return the optimal value as the least V with V(s) ≥ q(s, a) for all pairs.

    HiGHS minimises Σ V(s): every weight is positive, so every state comes out right.
    It is content with 1e-7, so policy iteration goes on from the policy in its basis:
    `solves` is 1 if that was optimal [d'Epenoux 1963; S&B sec. 4.7].
    The work of HiGHS is not recorded: pivots are not backups.
    Raises ValueError if there is no least V, as when γ = 1 and nothing ends.
    """
    from scipy.optimize import linprog  # only who programmes waits for SciPy
    from scipy.sparse import csr_array

    n, N = len(mdp.position), len(mdp.action)
    own = csr_array((np.ones(N), (np.arange(N), state_of(mdp))), shape=(N, n))
    found = linprog(
        np.ones(n),
        A_ub=_discount(gamma) * transition_matrix(mdp) - own,
        b_ub=-mdp.reward,
        bounds=(None, None),
        method="highs-ds",  # simplex: its basis holds one pair of each state
    )
    if not found.success:
        raise ValueError("There is no least V: at gamma = 1 episodes must end.")
    basis = greedy(mdp, -found.ineqlin.marginals, ties="lowest")
    return policy_iteration(mdp, gamma, basis, ties)


# What several of them need


def _repeat(sweep, mdp, order, theta, V=None):
    if order not in ("synchronous", "rising", "falling"):
        raise ValueError(
            f"order = {order!r}: sweeps are 'synchronous', 'rising' or 'falling'."
        )
    V = np.zeros(len(mdp.position)) if V is None else _of_states(mdp, V).copy()
    new = V.copy() if order == "synchronous" else V
    states = _falling(mdp) if order == "falling" else _rising(mdp)
    change, start_value = [], []
    while len(change) < MOST_SWEEPS:
        change.append(sweep(states, V, new))
        V, new = new, V
        start_value.append(mdp.start @ V)
        if change[-1] <= theta:
            return V, np.array(change), np.array(start_value)
    raise _unsettled(change[-1])


def _of_states(mdp, V):
    return _sized(V, len(mdp.position), "V")


def _of_pairs(mdp, numbers):
    return _sized(numbers, len(mdp.action), "A policy, or q,")


def _sized(numbers, size, what):
    """Return numbers as an array; the compiled loops would read beyond a short one."""
    numbers = np.asarray(numbers, dtype=float)
    if numbers.shape != (size,):
        raise ValueError(
            f"{what} has shape {numbers.shape}, and this problem needs ({size},): "
            "mdp.from_cells packs a table (S, A)."
        )
    return numbers


def _rising(mdp):
    """Return all states, the first one first."""
    return np.arange(len(mdp.position), dtype=mdp.successor.dtype)


def _falling(mdp):
    """Return all states, the last one first."""
    return _rising(mdp)[::-1].copy()


def _unsettled(change):
    return ValueError(
        f"The values have not settled, they still change by {change:.3g}: at gamma "
        "= 1 every episode must end; else let theta be larger."
    )


def _greedy(mdp, V, gamma, ties, backups, change, start_value, solves=0):
    policy = greedy(mdp, q_from_v(mdp, V, gamma), ties)
    change, start_value = np.asarray(change), np.asarray(start_value)
    return Solution(V, policy, backups, solves, change, start_value)


def _may_end(mdp, policy):
    """Return (n,) from which states episodes under `policy` can end."""
    pair = np.arange(len(mdp.action)).repeat(np.diff(mdp.indptr))
    total = np.bincount(pair, mdp.probability, minlength=len(mdp.action))
    ending = mdp._replace(reward=np.where(total < 1 - TIE, 1.0, 0.0))
    reached = np.zeros(len(mdp.position))
    while True:  # one step further from the end each time
        more = np.sign(expectation_backup(ending, policy, reached, 1))
        if (more == reached).all():
            return reached > 0
        reached = more


def _discount(gamma):
    if not 0 <= gamma <= 1:
        raise ValueError(f"gamma = {gamma}: a discount is a number from 0 to 1.")
    return float(gamma)
