"""Backing up the best: backups, sweeps, the greedy policy, the discount.

It is long because all questions of a topic are in one file, where a teacher adds more.
"""

import numpy as np

from assignments.questions.boundaries import (
    GAMMA,
    STATE_VALUES,
    at_boundaries,
    is_at,
    with_each,
)
from assignments.questions.chance import (
    FIRST,
    NO_END,
    ONE_END,
    next_states,
    odd_models,
    random_model,
    random_values,
    slow_models,
)
from assignments.questions.model_boundaries import (
    ARRAYS,
    BACKUPS,
    CHOSEN,
    ENDLESS,
    MODELS,
)
from assignments.questions.question import (
    ALIASING,
    ZERO_IS_FALSY,
    Mistake,
    Question,
    cases,
    mistake,
    mutate,
    training,
)
from ttt_lib.check.judge import Case

SMALL = [
    {0: [(0.5, 0, 1), (0.5, 0, 2)], 4: [(1.0, 0, 2)]},
    {1: [(1.0, 1, None)], 3: [(0.5, -1, None), (0.5, 0, 3)]},
    {2: [(0.5, -1, None), (0.5, 0, 3)], 5: [(1.0, -1, None)]},
    {7: [(1.0, 0, None)], 8: [(0.25, 1, None), (0.75, -1, None)]},
]
SMALL_V = [0.2, 1.0, -0.4, 0.1]
LOST = [{3: [(1.0, 0, 1)]}, {0: [(1.0, -1, None)], 6: [(0.5, -1, None), (0.5, 0, 0)]}]
TIES = [
    {0: [(1.0, 1, None)], 4: [(1.0, 1, None)]},
    {5: [(1.0, 0, 0)], 2: [(1.0, 0, 0)], 8: [(1.0, -1, None)]},
]


def action_value(model, V, s, a, gamma):
    """Return Σ p (r + γ V(s′)), where V is 0 after the end."""
    return sum(
        p * (r + gamma * (0.0 if s_next is None else V[s_next]))
        for p, r, s_next in model[s][a]
    )


without_state_0 = mutate(
    action_value,
    ("0.0 if s_next is None else V[s_next]", "V[s_next] if s_next else 0.0"),
)
without_reward = mutate(action_value, ("r + gamma", "gamma"))


def backup(model, V, s, gamma):
    """Return the largest action value of a state."""
    values = [action_value(model, V, s, a, gamma) for a in model[s]]
    return float(max(values))


def without_first(model, V, s, gamma):
    """Return the backup of a function that mistakes state 0 for the end."""
    return backup(model, [0.0, *V[1:]], s, gamma)


def draw_backup(rng):
    """Yield states with and without ends among the next states, and lost ones."""
    wanted = {
        (ONE_END, False): 6,
        (NO_END, False): 6,
        (FIRST, True): 4,
        ("every action loses", True): 4,
    }
    while any(wanted.values()):
        lost = rng.random() < 0.4
        model = random_model(rng, (-1, 0) if lost else (-1, 0, 0.5, 1))
        V = [-abs(v) for v in random_values(rng)] if lost else random_values(rng)
        s, gamma = int(rng.integers(len(model))), float(rng.choice((0.5, 0.8, 0.9)))
        value = backup(model, V, s, gamma)
        if value < -0.05:
            kind = ("every action loses", True)
        elif value > 0.05:
            kind = next_states(model, s)
            # State 0 matters where the best action leads there.
            if kind == FIRST and abs(value - without_first(model, V, s, gamma)) < 0.01:
                continue
            kind = (kind, kind == FIRST)
        else:
            continue
        if wanted[kind]:
            wanted[kind] -= 1
            yield Case(*kind, (model, V, s, gamma))
    for _ in range(2):
        for kind, model, V in odd_models(rng):
            lost = kind == "every action loses more than 1"
            yield Case(kind, lost, (model, V, 0, 0.9))

    def ordinary(rng):
        args = {"model": random_model(rng, (-1, 0, 0.5, 1)), "V": random_values(rng)}
        return args | {"s": 2, "gamma": float(rng.choice((0.5, 0.8, 0.9)))}

    yield from at_boundaries(rng, ordinary, BACKED_UP, 1)


BACKED_UP = with_each(GAMMA, BACKUPS | STATE_VALUES)


BACKUP = Question(
    answer=backup,
    cases=cases(
        (ONE_END, SMALL, SMALL_V, 1, 0.9),
        (NO_END, SMALL, SMALL_V, 0, 0.9),
        ("every action loses*", SMALL, SMALL_V, 2, 0.5),
        ("one action with one outcome*", LOST, [-0.5, -1.0], 0, 0.8),
    ),
    draw=draw_backup,
    boundaries=BACKED_UP,
    mistakes=(
        mistake(
            "illegal actions count as 0",
            "Where all legal actions lose, your maximum is 0: begin with the first "
            "legal action, or with minus infinity, because an illegal action cannot "
            "be chosen.",
            ("max(values)", "max([0, *values])"),
        ),
        mistake(
            "γ forgotten",
            "Something is not discounted: the target is r + γ V(s′).",
            ("a, gamma)", "a, 1)"),
        ),
        mistake(
            "γ twice",
            "You apply γ twice: it should discount V(s′) only once.",
            ("a, gamma)", "a, gamma**2)"),
        ),
        mistake(
            "γ on the reward",
            "γ discounts the value of the next state, V(s′), not the reward r.",
            ("a, gamma)", "a, gamma) * gamma"),
        ),
        mistake(
            "mean instead of maximum",
            "You take the mean over the actions. That evaluates random play; the best "
            "action is the maximum.",
            ("max(values)", "sum(values) / len(values)"),
        ),
        mistake(
            "minimum instead of maximum",
            "You take the worst action. The agent takes the best.",
            ("max(values)", "min(values)"),
        ),
        mistake(
            "the action, not its value",
            "You return the number of the best action. Return its value, the "
            "largest of Σ p (r + γ V(s′)).",
            ("float(max(values))", "[*model[s]][values.index(max(values))]"),
        ),
        Mistake(
            "reward forgotten",
            "The reward is missing: the target is r + γ V(s′).",
            mutate(backup, action_value=without_reward),
        ),
        Mistake(
            "sign of the reward reversed",
            "The sign of the reward is reversed: a win of the agent is +1.",
            mutate(backup, action_value=mutate(action_value, ("* (r +", "* (-r +"))),
        ),
        Mistake(
            "probabilities forgotten",
            "Weight every next state by its probability.",
            mutate(backup, action_value=mutate(action_value, ("p * (r", "(r"))),
        ),
        Mistake(
            "None read as the last state",
            "After the end there is nothing: if the next state is None, V is 0.",
            mutate(backup, action_value=mutate(action_value, ("0.0 if", "V[-1] if"))),
        ),
        Mistake(*ZERO_IS_FALSY, mutate(backup, action_value=without_state_0)),
    ),
    hint="As in value iteration: for each legal action Σ p (r + γ V(s′)), and then "
    "the largest of these.",
)


def value_iteration(model, gamma):
    """Return V after sweeps of backups until nothing changes."""
    V = [0.0] * len(model)
    for _ in range(1000):
        old, V = V, [backup(model, V, s, gamma) for s in range(len(model))]
        if max(abs(a - b) for a, b in zip(old, V, strict=True)) <= 1e-10:
            break
    return V


def in_sweeps(mistake):
    """Return the Mistake of value_iteration that is caused by a Mistake of backup."""
    hint = mistake.hint
    if mistake.name == "reward forgotten":
        hint = f"All your values are 0. {hint}"
    answer = mutate(value_iteration, backup=mistake.answer)
    return mistake._replace(hint=hint, answer=answer)


def draw_value_iteration(rng):
    """Yield problems with positive values, and problems that only lose."""
    wanted = {False: 6, True: 4}
    while any(wanted.values()):
        lost = not wanted[False]
        rewards = (-1, -0.5) if lost else (-1, 0, 0.5, 1)
        model = random_model(rng, rewards, ends=0.1, proper=True)
        gamma = float(rng.choice((0.5, 0.8, 0.9)))
        V = value_iteration(model, gamma)
        if lost or min(V) > 0.01:
            wanted[lost] -= 1
            kind = "every action loses" if lost else "a game"
            yield Case(kind, lost, (model, gamma))
    left = 2
    while left:
        model = random_model(rng, (-1, 0.5, 1), ends=0.1, proper=True)
        if min(value_iteration(model, 1.0)) > 0.01:
            left -= 1
            yield Case("a discount of 1", False, (model, 1.0))
    for _ in range(2):
        for kind, model, gamma in slow_models(rng):
            lost = kind in ("a long way to a loss", "changes that cancel")
            yield Case(kind, lost, (model, gamma))
        for kind, model, _ in odd_models(rng):
            if kind in ("the best is worth 0", "an end without a reward"):
                model = [*model, {5: [(1.0, 1.0, None)]}]
                yield Case(kind, False, (model, 0.9))
        low = [{0: [(1.0, -1.0, 1)]}, {0: [(1.0, -1.0, None)], 4: [(1.0, -2.0, None)]}]
        yield Case("every action loses more than 1", True, (low, 0.9))

    def ordinary(rng):
        model = random_model(rng, (-1, 0.5, 1), ends=0.1, proper=True)
        return {"model": model, "gamma": float(rng.choice((0.5, 0.8, 0.9)))}

    yield from at_boundaries(rng, ordinary, ITERATED, 1)


ITERATED = with_each(GAMMA, MODELS, ENDLESS)


VALUE_ITERATION = Question(
    answer=value_iteration,
    cases=cases(
        ("a game", SMALL, 0.9),
        ("a discount of 1", SMALL, 1.0),
        ("every action loses*", LOST, 0.8),
    ),
    draw=draw_value_iteration,
    boundaries=ITERATED,
    mistakes=(
        *map(in_sweeps, BACKUP.mistakes),
        mistake(
            "one sweep",
            "One sweep is not enough here: repeat until no value changes by more than "
            "a tiny number.",
            ("range(1000)", "range(1)"),
        ),
        mistake(
            *ALIASING,
            (
                "old, V = V, [",
                "old = V\n        for s in range(len(model)):\n            V[s] = ",
            ),
            (" for s in range(len(model))]", ""),
        ),
    ),
    hint="Begin with V = 0, back up every state, and repeat until the largest change "
    "is tiny.",
)


def greedy_actions(model, V, gamma):
    """Return the best action of each state; of equally good ones the lowest."""
    actions = []
    for s in range(len(model)):
        q = {a: action_value(model, V, s, a, gamma) for a in model[s]}
        a = min(a for a in q if abs(q[a] - max(q.values())) <= 1e-9)
        actions.append(a)
    return actions


def gaps(model, V, gamma):
    """Return by how much the best action of each state is better than the second."""
    gaps = []
    for s in range(len(model)):
        q = sorted(action_value(model, V, s, a, gamma) for a in model[s])
        gaps.append(q[-1] - q[-2])
    return gaps


def draw_greedy_actions(rng):
    """Yield problems with one best action in each state, and with ties."""
    kinds = ["one best action"] * 8 + ["two actions equally good"] * 4
    kinds += ["two actions equally good, up to rounding"] * 4
    while kinds:
        model, V = random_model(rng, (-1, 0, 0.5, 1)), random_values(rng)
        gamma = float(rng.choice((0.5, 0.8, 0.9)))
        if min(gaps(model, V, gamma)) < 1e-3:
            continue
        kind = kinds.pop(0)
        tie = kind != "one best action"
        if tie:  # give one of the states a second action that is as good as the best
            s = int(rng.integers(len(model)))
            best = greedy_actions(model, V, gamma)[s]
            free = [a for a in range(9) if a not in model[s]]
            other = int(rng.choice(free))
            model[s][other] = list(model[s][best])
            if kind.endswith("rounding"):  # the higher of the two looks better
                (p, r, n), *rest = model[s][max(other, best)]
                model[s][max(other, best)] = [(p, r + 1e-11, n), *rest]
        yield Case(kind, tie, (model, V, gamma))
    for a, b in ((1, 5), (0, 7), (2, 3)):
        r = float(rng.choice((0.5, 1, 2)))
        end = {reward: [(1.0, reward, None)] for reward in (r, -r, 0.0, r + 2e-6, 2e-5)}
        for kind, state in (
            ("three actions equally good", {a: end[r], b: end[r], 8: end[r]}),
            ("a little better is better", {a: end[r], b: end[r + 2e-6]}),
            ("a little better is better", {a: end[0.0], b: end[2e-5], 8: end[-r]}),
            ("the best is worth 0", {a: end[-r], b: end[0.0]}),
            ("the best is worth 0", {a: end[0.0], b: end[-r]}),
            ("the actions in another order", {b: end[r], a: end[r]}),
            ("equal to 0, up to rounding", {a: end[0.0], b: [(1.0, 1e-11, None)]}),
        ):
            tie = "better" not in kind and "worth" not in kind
            yield Case(kind, tie, ([state, {4: end[-r]}], [0.0, 0.0], 0.9))

    def ordinary(rng):
        args = {"model": random_model(rng, (-1, 0, 0.5, 1)), "V": random_values(rng)}
        args |= {"gamma": float(rng.choice((0.5, 0.8, 0.9)))}
        return args if min(gaps(**args)) > 1e-3 else ordinary(rng)

    yield from at_boundaries(rng, ordinary, POLICIES, 1)


def _decided(gamma, certain):
    """Return the Boundary of a discount that decides between now and one step later."""
    model = [{2: [(1.0, certain, None)], 6: [(1.0, 0.0, 1)]}, {4: [(1.0, -1.0, None)]}]
    return is_at(model=model, V=[-0.5, 1.0], gamma=gamma)


POLICIES = with_each(GAMMA, MODELS | CHOSEN | STATE_VALUES)
POLICIES |= {"γ is 0, and decides": _decided(0.0, 0.05)}
POLICIES |= {"γ is 1, and decides": _decided(1.0, 0.95)}


INDEX = (
    "You return the index of the action among the legal ones. Return its number: the "
    "same number must always mean the same cell."
)
GREEDY_ACTIONS = Question(
    answer=greedy_actions,
    cases=cases(
        ("one best action", SMALL, SMALL_V, 0.9),
        ("one action*", LOST, [-0.5, -1.0], 0.8),
        ("two actions equally good*", TIES, [1.0, 0.9], 0.9),
    ),
    draw=draw_greedy_actions,
    boundaries=POLICIES,
    mistakes=(
        mistake(
            "ties to the highest",
            "Among equally good actions the question wants the one of lowest number.",
            ("min(a for", "max(a for"),
        ),
        mistake(
            "ties up to rounding forgotten",
            "Values are equal if they differ by no more than 1e-9: two sums of the "
            "same numbers can differ in the last digit.",
            ("abs(q[a] - max(q.values())) <= 1e-9", "q[a] == max(q.values())"),
        ),
        mistake(
            "index in the list, not the action",
            INDEX,
            ("append(a)", "append(sorted(q).index(a))"),
        ),
        mistake(
            "index of the largest, not the action",
            INDEX,
            ("append(a)", "append([*q.values()].index(max(q.values())))"),
        ),
        mistake(
            "γ forgotten",
            "Something is not discounted: compare r + γ V(s′).",
            ("a, gamma)", "a, 1)"),
        ),
        mistake(
            "worst action",
            "You take the worst action. The agent takes the best.",
            ("max(q.values())", "min(q.values())"),
        ),
        Mistake(
            "reward forgotten",
            "The reward is missing: compare r + γ V(s′), not V(s′) alone.",
            mutate(greedy_actions, action_value=without_reward),
        ),
        mistake(
            "first action",
            "You take the first legal action everywhere.",
            ("append(a)", "append(min(q))"),
        ),
    ),
    hint="For each state compute Σ p (r + γ V(s′)) of every legal action, and take the "
    "largest.",
)


def solve(P, R, gamma):
    """Return (V, policy) of a problem given as arrays P (A, S, S) and R (A, S)."""
    V = np.zeros(R.shape[1])
    for _ in range(1000):
        old, V = V, (R + gamma * P @ V).max(axis=0)
        if np.array_equal(old, V):  # further sweeps would change nothing
            break
    policy = (R + gamma * P @ V).argmax(axis=0)
    return V, policy


def two_states(certain):
    """Return (P, R): in state 0 take `certain`, or 1 one step later."""
    P = np.zeros((2, 2, 2))
    P[0, 0, 1] = 1.0
    return P, np.array([[0.0, 1.0], [certain, 0.0]])


def three_states(certain):
    """Return (P, R): in state 0 take `certain`, or 1 two steps later."""
    P = np.zeros((2, 3, 3))
    P[0, 0, 1] = P[0, 1, 2] = P[1, 1, 2] = 1.0
    return P, np.array([[0.0, 0.0, 1.0], [certain, -0.1, 0.0]])


def draw_solve(rng):
    """Yield problems in which the discount decides, in three ways, and others."""
    for gamma, certain in ((0.95, 0.92), (0.8, 0.6), (0.9, 0.75), (0.6, 0.55)):
        P, R = three_states(certain)
        yield Case("a chain of states", False, (P, R, gamma))
        P, R = two_states(gamma - 0.03)
        yield Case("one step later", False, (P, R, gamma))
    wanted = {(True, True, True): 4, (True, True, False): 5, (False, False, False): 4}
    while any(wanted.values()):
        P = rng.dirichlet(np.full(6, 0.5), size=(3, 5))[:, :, :5]  # the rest ends
        R = rng.choice((-1, 0, 0.5, 1), size=(3, 5)).astype(float)
        P, gamma = np.round(P, 3), float(rng.choice((0.3, 0.5, 0.7)))
        V, policy = solve(P, R, gamma)
        q = np.sort(R + gamma * P @ V, axis=0)
        if (q[-1] - q[-2]).min() < 1e-3:
            continue
        policy, at_09, at_1 = (
            (R + other * P @ V).argmax(axis=0).tolist() for other in (gamma, 0.9, 1)
        )
        decides = at_09 != policy, at_1 != policy, at_09 != at_1
        if wanted.get(decides):
            wanted[decides] -= 1
            yield Case(f"a discount of {gamma}", False, (P, R, gamma))

    def ordinary(rng):
        P = np.round(rng.dirichlet(np.full(6, 0.5), size=(3, 5))[:, :, :5], 3)
        R = rng.permutation(np.linspace(-1, 1, 15)).reshape(3, 5).round(2)
        return {"P": P, "R": R, "gamma": float(rng.choice((0.3, 0.5, 0.7)))}

    yield from at_boundaries(rng, ordinary, ARRAYS, 1)


SOLVE = Question(
    answer=solve,
    cases=cases(
        ("one step later", *two_states(0.7), 0.5),
        ("one step later", *two_states(0.95), 0.5),
        ("one step later", *two_states(0.7), 0.9),
    ),
    draw=draw_solve,
    boundaries=ARRAYS,
    mistakes=(
        mistake(
            "not repaired",
            "The values belong to one discount and the policy to another: the last "
            "line must use gamma, too.",
            ("policy = (R + gamma", "policy = (R + 0.9"),
        ),
        mistake(
            "0.9 everywhere",
            "Now both lines use 0.9. They should use the gamma that is given.",
            ("V, (R + gamma", "V, (R + 0.9"),
            ("policy = (R + gamma", "policy = (R + 0.9"),
        ),
        mistake(
            "policy without discount",
            "The policy is computed without a discount: use gamma there, too.",
            ("policy = (R + gamma * P", "policy = (R + P"),
        ),
    ),
    hint="Two places use a discount. Compare them.",
)


def sweep_order(model):
    """Return the states in an order in which each comes after its next states."""
    order = []
    while len(order) < len(model):
        done = {None, *order}
        order += [
            s
            for s, state in enumerate(model)
            if s not in done
            and all(n in done for outcomes in state.values() for _, _, n in outcomes)
        ]
    return order


SWEEP_ORDER = training(
    sweep_order,
    "A backup is exact if the values of all its next states are. Which states have no "
    "next state at all? And which ones have only such next states?",
)
