"""Policy evaluation, policy improvement and policy iteration.

A policy is a list of dicts from action to probability, one for each state.
"""

from assignments.questions.boundaries import (
    GAMMA,
    STATE_VALUES,
    Boundary,
    at_boundaries,
    with_each,
)
from assignments.questions.chance import (
    FIRST,
    NO_END,
    ONE_END,
    next_states,
    odd_models,
    random_model,
    random_policy,
    random_q,
    random_values,
    slow_models,
    with_tie,
)
from assignments.questions.model_boundaries import (
    BACKUPS,
    ENDLESS,
    MODELS,
    POLICIES,
    with_policy,
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
from assignments.questions.value_iteration import (
    LOST,
    SMALL,
    SMALL_V,
    action_value,
    without_reward,
    without_state_0,
)
from ttt_lib.check.judge import Case

LEFT_OUT = "a policy that names one action of each state"
POLICY = [{0: 0.25, 4: 0.75}, {1: 0.5, 3: 0.5}, {2: 1.0, 5: 0.0}, {7: 0.5, 8: 0.5}]


def expected_backup(model, V, s, policy, gamma):
    """Return the mean action value of a state, weighted by the policy."""
    values = [p * action_value(model, V, s, a, gamma) for a, p in policy[s].items()]
    return float(sum(values))


def draw_expected_backup(rng):
    """Yield states with and without ends among the next states."""
    wanted = {NO_END: 6, ONE_END: 6, FIRST: 4}
    while any(wanted.values()):
        model, V = random_model(rng, (-1, 0.5, 1)), random_values(rng)
        s, gamma = int(rng.integers(len(model))), float(rng.choice((0.5, 0.8, 0.9)))
        kind = next_states(model, s)
        if wanted[kind] and V[0] != 0:
            wanted[kind] -= 1
            args = model, V, s, random_policy(rng, model), gamma
            yield Case(kind, kind == FIRST, args)
    for _ in range(2):
        for kind, model, V in odd_models(rng):
            policy = random_policy(rng, model)
            yield Case(kind, False, (model, V, 0, policy, 0.9))
        model, V = random_model(rng, (-1, 0.5, 1)), random_values(rng)
        policy = reversed_actions(random_policy(rng, model))
        yield Case("a policy in another order", False, (model, V, 2, policy, 0.8))
        policy[3] = dict.fromkeys(model[3], 0.0) | {min(model[3]): 1.0}
        args = model, V, 3, policy, 0.8
        yield Case("an action that the policy never takes", False, args)
        yield Case(LEFT_OUT, True, (model, V, 1, certain(rng, model), 0.9))

    def ordinary(rng):
        model = random_model(rng, (-1, 0.5, 1))
        args = {"model": model, "V": random_values(rng), "s": 2}
        args |= {"policy": random_policy(rng, model)}
        return args | {"gamma": float(rng.choice((0.5, 0.8, 0.9)))}

    yield from at_boundaries(rng, ordinary, EXPECTED, 1)


EXPECTED = with_each(GAMMA, with_policy(BACKUPS) | POLICIES | STATE_VALUES)


def certain(rng, model):
    """Return a deterministic policy that contains one action for each state."""
    return [{int(rng.choice([*state])): 1.0} for state in model]


def reversed_actions(policy):
    """Return a policy whose dicts have their actions in reverse order."""
    return [dict(reversed(chances.items())) for chances in policy]


def random_choice(model):
    """Return a policy with unequal probabilities in each state."""
    return [
        {a: (i + 1) / sum(range(1, len(state) + 1)) for i, a in enumerate(state)}
        for state in model
    ]


EXPECTED_BACKUP = Question(
    answer=expected_backup,
    cases=cases(
        (NO_END, SMALL, SMALL_V, 0, POLICY, 0.9),
        (ONE_END, SMALL, SMALL_V, 1, POLICY, 0.5),
        ("an action that the policy never takes", SMALL, SMALL_V, 2, POLICY, 0.9),
    ),
    draw=draw_expected_backup,
    boundaries=EXPECTED,
    mistakes=(
        mistake(
            "maximum instead of mean",
            "You take the best action. The policy decides: weight each action by its "
            "probability.",
            ("p * action", "action"),
            ("sum(", "max("),
        ),
        mistake(
            "every action alike",
            "You weight all actions equally. The policy has its own probabilities.",
            ("p * action", "action"),
            ("sum(values)", "sum(values) / len(values)"),
        ),
        mistake(
            "probability of actions forgotten",
            "You add up the actions without their probabilities under the policy.",
            ("p * action", "action"),
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
        Mistake(
            "reward forgotten",
            "The reward is missing: the target is r + γ V(s′).",
            mutate(expected_backup, action_value=without_reward),
        ),
        mistake(
            "γ on the reward",
            "γ discounts the value of the next state, V(s′), not the reward r.",
            ("a, gamma)", "a, gamma) * gamma"),
        ),
        Mistake(*ZERO_IS_FALSY, mutate(expected_backup, action_value=without_state_0)),
    ),
    hint="Σ over actions of π(a|s) times Σ p (r + γ V(s′)).",
)


def evaluate(model, policy, gamma):
    """Return V of a policy after sweeps of backups until nothing changes."""
    V = [0.0] * len(model)
    for _ in range(1000):
        old, states = V, range(len(model))
        V = [expected_backup(model, old, s, policy, gamma) for s in states]
        if max(abs(a - b) for a, b in zip(old, V, strict=True)) <= 1e-10:
            break
    return V


def draw_evaluate(rng):
    """Yield problems, each with a policy."""
    for gamma in (0.5, 0.8, 0.9, 0.9, 1.0, 1.0):
        model = random_model(rng, (-1, 0.5, 1), ends=0.1, proper=True)
        kind = "a game" if gamma < 1 else "a discount of 1"
        yield Case(kind, False, (model, random_policy(rng, model), gamma))
    for _ in range(2):
        for kind, model, gamma in slow_models(rng):
            yield Case(kind, False, (model, random_choice(model), gamma))
        model = random_model(rng, (-1, 0.5, 1), ends=0.1, proper=True)
        policy = reversed_actions(random_policy(rng, model))
        yield Case("a policy in another order", False, (model, policy, 0.9))
        yield Case(LEFT_OUT, True, (model, certain(rng, model), 0.8))

    def ordinary(rng):
        model = random_model(rng, (-1, 0.5, 1), ends=0.1, proper=True)
        args = {"model": model, "policy": random_policy(rng, model)}
        return args | {"gamma": float(rng.choice((0.5, 0.8, 0.9)))}

    yield from at_boundaries(rng, ordinary, EVALUATIONS, 1)


EVALUATIONS = with_each(GAMMA, with_policy(MODELS) | POLICIES, ENDLESS)


EVALUATE = Question(
    answer=evaluate,
    cases=cases(
        ("a game", SMALL, POLICY, 0.9),
        ("a discount of 1", SMALL, POLICY, 1.0),
        ("a game", LOST, [{3: 1.0}, {0: 0.5, 6: 0.5}], 0.8),
    ),
    draw=draw_evaluate,
    boundaries=EVALUATIONS,
    mistakes=(
        *(
            mistake._replace(answer=mutate(evaluate, expected_backup=mistake.answer))
            for mistake in EXPECTED_BACKUP.mistakes
        ),
        mistake(
            "one sweep",
            "One sweep is not enough here: repeat until no value changes by more than "
            "a tiny number.",
            ("range(1000)", "range(1)"),
        ),
        mistake(
            *ALIASING,
            ("V = [expected", "for s in states:\n            V[s] = expected"),
            (" for s in states]", ""),
        ),
    ),
    hint="Begin with V = 0, back up every state along the policy, and repeat until the "
    "largest change is tiny.",
)


def improve(q, actions):
    """Return the best action of each state: the old one if it is among the best."""
    improved = []
    for values, old in zip(q, actions, strict=True):
        best = [a for a in values if abs(values[a] - max(values.values())) <= 1e-9]
        improved.append(old if old in best else min(best))
    return improved


def draw_improve(rng):
    """Yield policies with a better one, and policies as good as the best."""
    for _ in range(3):  # rounding may make the old action slightly worse than the best
        q = [with_tie(rng, random_q(rng, 3)) for _ in range(5)]
        best = [[a for a in v if v[a] == max(v.values())] for v in q]
        old = [int(rng.choice(actions)) for actions in best]
        for values, a in zip(q, old, strict=True):
            values[a] -= 1e-11
        yield Case("the old action is as good, up to rounding", True, (q, old))
    for a, b in ((1, 5), (0, 7), (2, 3)):
        r = float(rng.choice((0.5, 1, 2)))
        q = [{a: 0.0, b: r}, {a: r, b: r}, {a: r, b: r, 8: 0.0}, {b: r, a: r, 8: -r}]
        yield Case("of several new ones the lowest", False, (q, [a, b, 8, 8]))
        q = [{a: r - 1e-11, b: r, 8: 0.0}, {a: r, b: r + 1e-11, 8: -r}]
        q.append({a: 0.0, b: -1e-11})
        kind = "of several new ones the lowest, up to rounding"
        yield Case(kind, True, (q, [8, 8, b]))
        q = [{a: r, b: r + 1e-6}, {a: r, b: r + 2e-5}, {a: 1e-6, b: 0.0}]
        yield Case("a little better is better", False, (q, [a, a, b]))
    for number in range(12):
        q = [random_q(rng, int(rng.integers(2, 5))) for _ in range(5)]
        kind = "a better action exists"
        old = [int(rng.choice(list(values))) for values in q]
        if number % 2:  # a second best action in every state; one of the two is old
            kind = "the old action is as good as the best"
            q = [with_tie(rng, values) for values in q]
            best = [[a for a in v if v[a] == max(v.values())] for v in q]
            old = [int(rng.choice(actions)) for actions in best]
        yield Case(kind, False, (q, old))

    def ordinary(rng):
        q = [random_q(rng, int(rng.integers(2, 5))) for _ in range(5)]
        return {"q": q, "actions": [int(rng.choice(list(values))) for values in q]}

    yield from at_boundaries(rng, ordinary, IMPROVEMENTS)


def _best(values):
    return [a for a in values if values[a] == max(values.values())]


def _state(holds, values, old):
    """Return the Boundary of a state with these values and this old action."""

    def change(it, rng):
        s = int(rng.integers(len(it.q)))
        q = [values if n == s else one for n, one in enumerate(it.q)]
        return {"q": q, "actions": [*it.actions[:s], old, *it.actions[s + 1 :]]}

    return Boundary(lambda it: any(map(holds, it.q, it.actions)), change)


def _all(holds, change):
    """Return the Boundary of all values and old actions, a pair for each state."""

    def changed(it, rng):
        pairs = [change(*pair) for pair in zip(it.q, it.actions, strict=True)]
        return {"q": [q for q, _ in pairs], "actions": [old for _, old in pairs]}

    return Boundary(
        lambda it: len(it.q) > 1 and all(map(holds, it.q, it.actions)), changed
    )


IMPROVEMENTS = {
    "one state, and a better action": Boundary(
        lambda it: len(it.q) == 1 and it.actions[0] not in _best(it.q[0]),
        lambda it, rng: {"q": [{2: 0.4, 5: -0.1}], "actions": [5]},
    ),
    "one state, and the old action is best": Boundary(
        lambda it: len(it.q) == 1 and it.actions[0] in _best(it.q[0]),
        lambda it, rng: {"q": [{2: -0.4, 5: -0.1}], "actions": [5]},
    ),
    "one action": _state(lambda q, old: len(q) == 1, {5: -0.3}, 5),
    "one action in each state": _all(
        lambda q, old: len(q) == 1, lambda q, old: ({old: q[old]}, old)
    ),
    "nine actions": _state(
        lambda q, old: len(q) == 9, {a: (a % 7) / 10 - 0.3 for a in range(9)}, 2
    ),
    "action 0 alone is the best": _state(
        lambda q, old: _best(q) == [0] and old != 0, {0: 0.3, 6: -0.2}, 6
    ),
    "action 8 alone is the best": _state(
        lambda q, old: _best(q) == [8] and old != 8, {2: -0.3, 8: 0.2}, 2
    ),
    "the old action is 0, and best": _state(
        lambda q, old: old == 0 and 0 in _best(q), {0: 0.3, 6: 0.3, 7: -1.0}, 0
    ),
    "the old action is 8, and as good": _state(
        lambda q, old: old == 8 and len(_best(q)) > 1 and 8 in _best(q),
        {3: 0.3, 8: 0.3, 5: -1.0},
        8,
    ),
    "the old action is 0, and worse": _state(
        lambda q, old: old == 0 and 0 not in _best(q), {0: -0.3, 6: 0.3, 7: 0.1}, 0
    ),
    "every action is worth 0": _state(
        lambda q, old: len(q) > 1 and not any(q.values()) and old != min(q),
        {2: 0.0, 4: 0.0, 7: 0.0},
        4,
    ),
    "every action is worth the same": _state(
        lambda q, old: len(q) > 1 and len({*q.values()}) == 1 and any(q.values()),
        {2: -0.7, 4: -0.7, 7: -0.7},
        7,
    ),
    "the best is worth 0": _state(
        lambda q, old: len(q) > 1 and max(q.values()) == 0 > min(q.values()),
        {1: -0.5, 4: 0.0, 7: -0.2},
        1,
    ),
    "every value is below 0": _all(
        lambda q, old: max(q.values()) < 0,
        lambda q, old: ({a: v - 3 for a, v in q.items()}, old),
    ),
    "every value is above 0": _all(
        lambda q, old: min(q.values()) > 0,
        lambda q, old: ({a: v + 3 for a, v in q.items()}, old),
    ),
    "every old action is best": _all(
        lambda q, old: old in _best(q), lambda q, old: (q, _best(q)[-1])
    ),
    "no old action is best": _all(
        lambda q, old: old not in _best(q), lambda q, old: (q, min(q, key=q.get))
    ),
}


IMPROVE = Question(
    answer=improve,
    cases=cases(
        ("a better action exists", [{0: 0.2, 4: 0.5}, {1: -1.0, 3: 0.0}], [0, 1]),
        (
            "the old action is as good as the best",
            [{0: 1.0, 4: 1.0}, {2: 0.9, 5: 0.9, 8: -1.0}],
            [4, 2],
        ),
        ("every old action is best*", [{0: 0.2, 4: 0.5}, {1: 0.1, 3: 0.0}], [4, 1]),
    ),
    draw=draw_improve,
    boundaries=IMPROVEMENTS,
    mistakes=(
        mistake(
            "ties to the lowest",
            "Of two equally good actions you take the lowest, even if the old action "
            "is as good: the question wants to keep the old one.",
            ("old if old in best else ", ""),
        ),
        mistake(
            "ties to the highest",
            "Of equally good actions you take the highest: keep the old one if it is "
            "as good as the best, otherwise take the lowest.",
            ("old if old in best else min(best)", "max(best)"),
        ),
        mistake(
            "ties up to rounding forgotten",
            "Values are equal if they differ by no more than 1e-9: two sums of the "
            "same numbers can differ in the last digit.",
            (
                "abs(values[a] - max(values.values())) <= 1e-9",
                "values[a] == max(values.values())",
            ),
        ),
        mistake(
            "never changes",
            "Your policy never changes: if the old action is worse, take the best.",
            ("old if old in best else min(best)", "old"),
        ),
    ),
    hint="Keep the old action if it is as good as the best, up to 1e-9; otherwise take "
    "the lowest of the best.",
)


def iterate(model, gamma):
    """Return the policies, lists of actions, from the lowest actions to the best."""
    policies = [[min(state) for state in model]]
    while policies[-1] not in policies[:-1]:
        certain = [{a: 1.0} for a in policies[-1]]
        V, states = evaluate(model, certain, gamma), range(len(model))
        q = [{a: action_value(model, V, s, a, gamma) for a in model[s]} for s in states]
        policies.append(improve(q, policies[-1]))
    return policies


ITERATE = training(
    iterate,
    "Evaluate the policy, take the best action in each state, and repeat until nothing "
    "changes: one improvement is rarely enough.",
)
