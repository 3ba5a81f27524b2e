"""Boundary cases of models, of policies in them, and of models as arrays."""

import numpy as np

from assignments.questions.boundaries import GAMMA, Boundary, elsewhere, with_each
from assignments.questions.chance import random_policy


def of_state(model, s, state):
    """Return a model in which state s is replaced."""
    return [*model[:s], state, *model[s + 1 :]]


def _model(holds, change):
    return Boundary(
        lambda it: holds(it.model), lambda it, rng: {"model": change(it.model)}
    )


def _outcomes(model):
    return [one for state in model for outcomes in state.values() for one in outcomes]


def _each(model, change):
    """Return a model in which each outcome is changed."""
    return [
        {a: [change(*one) for one in outcomes] for a, outcomes in state.items()}
        for state in model
    ]


MODELS = {
    "one state": _model(
        lambda model: len(model) == 1,
        lambda model: [{1: [(0.5, 0.5, None), (0.5, 1.0, 0)], 4: [(1.0, 0.5, None)]}],
    ),
    "one action in each state": _model(
        lambda model: all(len(state) == 1 for state in model),
        lambda model: [dict([*state.items()][:1]) for state in model],
    ),
    "every outcome is certain": _model(
        lambda model: all(p == 1 for p, _, _ in _outcomes(model)),
        lambda model: [
            {a: [(1.0, *outcomes[0][1:])] for a, outcomes in state.items()}
            for state in model
        ],
    ),
    "all rewards are 0": _model(
        lambda model: not any(r for _, r, _ in _outcomes(model)),
        lambda model: _each(model, lambda p, r, n: (p, 0.0, n)),
    ),
    "every reward is below 0": _model(
        lambda model: all(r < 0 for _, r, _ in _outcomes(model)),
        lambda model: _each(model, lambda p, r, n: (p, -abs(r) - 0.5, n)),
    ),
    "every reward is above 0": _model(
        lambda model: all(r > 0 for _, r, _ in _outcomes(model)),
        lambda model: _each(model, lambda p, r, n: (p, abs(r) + 0.5, n)),
    ),
    "all rewards are alike": _model(
        lambda model: (
            len({r for _, r, _ in _outcomes(model)}) == 1
            and _outcomes(model)[0][1] != 0
        ),
        lambda model: _each(model, lambda p, r, n: (p, 0.5, n)),
    ),
    "every action ends": _model(
        lambda model: all(n is None for _, _, n in _outcomes(model)),
        lambda model: _each(model, lambda p, r, n: (p, r, None)),
    ),
}

# Combinations in which an episode may never end.
ENDLESS = {"every outcome is certain, and γ is 1"}


def _next(it):
    """Return the next states of the state that is backed up."""
    return [n for outcomes in it.model[it.s].values() for _, _, n in outcomes]


def _state(holds, state):
    return Boundary(
        holds,
        lambda it, rng: {
            "s": (s := elsewhere(len(it.model), None, rng)),
            "model": of_state(it.model, s, state(it, s)),
        },
    )


def _values_of(it):
    later = [*it.V, 0.0]
    return {
        a: sum(
            p * (r + it.gamma * later[len(it.V) if n is None else n])
            for p, r, n in outcomes
        )
        for a, outcomes in it.model[it.s].items()
    }


BACKUPS = {
    "the first state": Boundary(lambda it: it.s == 0, lambda it, rng: {"s": 0}),
    "the last state": Boundary(
        lambda it: it.s == len(it.V) - 1, lambda it, rng: {"s": len(it.V) - 1}
    ),
    "one state alone": Boundary(
        lambda it: len(it.model) == 1,
        lambda it, rng: {
            "s": 0,
            "V": it.V[:1],
            "model": [{2: [(0.5, 0.5, None), (0.5, 1.0, 0)], 5: [(1.0, 0.5, None)]}],
        },
    ),
    "one action": _state(
        lambda it: len(it.model[it.s]) == 1,
        lambda it, s: {5: [(0.5, 0.5, 1), (0.5, -1.0, None)]},
    ),
    "one action with one outcome": _state(
        lambda it: [*map(len, it.model[it.s].values())] == [1],
        lambda it, s: {5: [(1.0, 0.5, 1)]},
    ),
    "every action ends": _state(
        lambda it: not any(n is not None for n in _next(it)),
        lambda it, s: {2: [(0.5, 1.0, None), (0.5, 0.5, None)], 6: [(1.0, -1, None)]},
    ),
    "the last state comes next": _state(
        lambda it: len(it.V) - 1 in _next(it),
        lambda it, s: {2: [(1.0, 2.0, len(it.V) - 1)], 6: [(1.0, -2.0, None)]},
    ),
    "the next state is the same": _state(
        lambda it: it.s in _next(it),
        lambda it, s: {2: [(0.5, 3.0, s), (0.5, 0.0, None)], 6: [(1.0, -2.0, None)]},
    ),
    "all rewards of the state are 0": _state(
        lambda it: not any(r for one in it.model[it.s].values() for _, r, _ in one),
        lambda it, s: {2: [(0.5, 0.0, 1), (0.5, 0.0, 4)], 6: [(1.0, 0.0, 3)]},
    ),
    "two actions equally good": _state(
        lambda it: len((q := _values_of(it)).values()) > 1 and len({*q.values()}) == 1,
        lambda it, s: {2: [(1.0, 0.5, 1)], 6: [(1.0, 0.5, 1)]},
    ),
    "action 0 is the best": _state(
        lambda it: max(q := _values_of(it), key=q.get) == 0 and len(q) > 1,
        lambda it, s: {0: [(1.0, 3.0, 1)], 6: [(1.0, -0.5, 1)]},
    ),
    "action 8 is the best": _state(
        lambda it: max(q := _values_of(it), key=q.get) == 8 and len(q) > 1,
        lambda it, s: {1: [(1.0, -3.0, 1)], 8: [(1.0, 0.5, 1)]},
    ),
    "nine actions": _state(
        lambda it: len(it.model[it.s]) == 9,
        lambda it, s: {a: [(1.0, a / 4 - 0.6, 1 + a % 4)] for a in range(9)},
    ),
    "a reward above 1": _state(
        lambda it: any(r > 1 for one in it.model[it.s].values() for _, r, _ in one),
        lambda it, s: {3: [(0.5, 2.0, 2), (0.5, 3.0, None)], 7: [(1.0, -2.0, 1)]},
    ),
}


def with_policy(boundaries):
    """Return boundaries whose changes of the model also draw a new policy for it."""

    def change(boundary):
        def both(it, rng):
            changes = boundary.change(it, rng)
            policy = {}
            if "model" in changes:
                policy = {"policy": random_policy(rng, changes["model"])}
            return changes | policy

        return boundary._replace(change=both)

    return {kind: change(one) for kind, one in boundaries.items()}


def _policy(holds, change):
    return Boundary(
        lambda it: all(holds(chances) for chances in it.policy),
        lambda it, rng: {"policy": [change(chances, rng) for chances in it.policy]},
    )


def _certain(chances, rng):
    chosen = rng.choice([*chances])
    return {a: float(a == chosen) for a in chances}


POLICIES = {
    "one action is certain, and the others are named": _policy(
        lambda chances: len(chances) > 1 and {*chances.values()} == {0, 1}, _certain
    ),
    "one action is certain, and no other is named": _policy(
        lambda chances: [*chances.values()] == [1],
        lambda chances, rng: {int(rng.choice([*chances])): 1.0},
    ),
    "all actions alike": _policy(
        lambda chances: len(chances) > 1 and len({*chances.values()}) == 1,
        lambda chances, rng: dict.fromkeys(chances, 1 / len(chances)),
    ),
    "actions of the policy in falling order": _policy(
        lambda chances: [*chances] == sorted(chances, reverse=True),
        lambda chances, rng: dict(sorted(chances.items(), reverse=True)),
    ),
}


# Choices in a state


def _chosen(holds, state):
    """Return the Boundary of a model with such a state."""
    return Boundary(
        lambda it: any(holds(state, _worth(it, state)) for state in it.model),
        lambda it, rng: {"model": of_state(it.model, 1, state)},
    )


def _worth(it, state):
    """Return the values of the actions of a state, rounded to nine digits."""
    later = {None: 0.0} | dict(enumerate(it.V))
    return [
        round(sum(p * (r + it.gamma * later[n]) for p, r, n in outcomes), 9)
        for outcomes in state.values()
    ]


def _one(reward, n=None):
    return [(1.0, reward, n)]


def _alone_is_best(action):
    def holds(state, q):
        best = [a for a, value in zip(state, q, strict=True) if value == max(q)]
        return len(q) > 1 and best == [action]

    return holds


CHOSEN = {
    "one action": _chosen(
        lambda state, q: len(q) == 1, {5: [(0.5, 0.5, 0), (0.5, 1.0, None)]}
    ),
    "nine actions": _chosen(
        lambda state, q: len(q) == 9, {a: _one(a / 4 - 1) for a in range(9)}
    ),
    "action 0 alone is the best": _chosen(
        _alone_is_best(0), {0: _one(3.0, 2), 4: _one(-0.5)}
    ),
    "action 8 alone is the best": _chosen(
        _alone_is_best(8), {1: _one(-0.5), 8: _one(3.0, 2)}
    ),
    "all actions equally good": _chosen(
        lambda state, q: len(q) > 2 and len({*q}) == 1,
        {2: _one(0.5, 0), 4: _one(0.5, 0), 7: _one(0.5, 0)},
    ),
    "the last two equally good": _chosen(
        lambda state, q: len(q) == 3 and q[0] < q[1] == q[2],
        {2: _one(-3.0), 4: _one(0.5, 0), 7: _one(0.5, 0)},
    ),
    "the first and the last equally good": _chosen(
        lambda state, q: len(q) == 3 and q[1] < q[0] == q[2],
        {2: _one(0.5, 0), 4: _one(-3.0), 7: _one(0.5, 0)},
    ),
    "every action is worth 0": _chosen(
        lambda state, q: len(q) > 1 and not any(q), {3: _one(0.0), 6: _one(0.0)}
    ),
    "every action loses more than 1": _chosen(
        lambda state, q: max(q) < -1, {3: _one(-4.0, 0), 6: _one(-3.0, 0)}
    ),
}


# Models as arrays


def _arrays(holds, change):
    return Boundary(
        lambda it: bool(holds(it.P, it.R)), lambda it, rng: change(it.P, it.R)
    )


def _lossy(P):
    """Return probabilities with which every episode ends soon."""
    return np.round(0.8 * P, 3)


ARRAY_GAMMA = GAMMA | {
    "γ is 1": Boundary(
        lambda it: it.gamma == 1, lambda it, rng: {"P": _lossy(it.P), "gamma": 1.0}
    )
}
ARRAYS = {
    "one state": _arrays(
        lambda P, R: R.shape[1] == 1,
        lambda P, R: {"P": _lossy(P[:, 1:2, 1:2]), "R": R[:, 1:2]},
    ),
    "one action": _arrays(
        lambda P, R: len(R) == 1, lambda P, R: {"P": P[:1], "R": R[:1]}
    ),
    "every action ends": _arrays(lambda P, R: not P.any(), lambda P, R: {"P": P * 0}),
    "every outcome is certain": _arrays(
        lambda P, R: P.any() and ((P == 0) | (P == 1)).all(),
        lambda P, R: {"P": (P.max(axis=2, keepdims=True) == P).astype(float)},
    ),
    "all rewards are 0": _arrays(
        lambda P, R: not R.any(), lambda P, R: {"P": P, "R": R * 0}
    ),
    "all rewards are alike": _arrays(
        lambda P, R: R.any() and (R.flat[0] == R).all(),
        lambda P, R: {"P": P, "R": R * 0 + 0.5},
    ),
    "every reward is below 0": _arrays(
        lambda P, R: (R < 0).all(), lambda P, R: {"R": -np.abs(R) - 0.1}
    ),
    "every reward is above 0": _arrays(
        lambda P, R: (R > 0).all(), lambda P, R: {"R": np.abs(R) + 0.1}
    ),
    "two actions equally good": _arrays(
        lambda P, R: (P[0] == P[1]).all() and (R[0] == R[1]).all() if len(R) > 1 else 0,
        lambda P, R: {"P": P[[1, 1, 2]], "R": R[[1, 1, 2]]},
    ),
    "the last action is the best in every state": _arrays(
        lambda P, R: len(R) > 1 and (R[-1] > R[:-1].max(axis=0) + 2).all(),
        lambda P, R: {"R": R + np.array([[0], [0], [5]])},
    ),
    "the first action is the best in every state": _arrays(
        lambda P, R: len(R) > 1 and (R[0] > R[1:].max(axis=0) + 2).all(),
        lambda P, R: {"R": R + np.array([[5], [0], [0]])},
    ),
}
ARRAYS = with_each(ARRAY_GAMMA, ARRAYS, ENDLESS)
