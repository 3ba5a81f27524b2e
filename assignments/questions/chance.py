"""Random boards, models and values for hidden cases, from one generator."""

import numpy as np

from ttt_lib.check.judge import Case
from ttt_lib.game import tables


def random_boards(rng, positions, count, kind, half_credit=False):
    """Yield Cases for `count` boards drawn from an array of positions."""
    board = tables().board
    for s in rng.choice(positions, size=min(count, len(positions)), replace=False):
        yield Case(kind, half_credit, (board[s].astype(int),))


def random_model(rng, rewards, states=6, ends=0.3, proper=False):
    """Return a random model; its actions are cells, so their numbers have gaps.

    If it is proper, every action may end the episode, so that sweeps converge with any
    discount, even in a function that forgets the discount.
    """
    model = []
    for _ in range(states):
        actions = sorted(rng.choice(9, size=rng.integers(2, 5), replace=False).tolist())
        state = {}
        for a in actions:
            shares = ([1.0], [0.5, 0.5], [0.25, 0.75], [0.25, 0.25, 0.5])
            state[a] = [
                (
                    share,
                    float(rng.choice(rewards)),
                    None if rng.random() < ends else int(rng.integers(states)),
                )
                for share in shares[rng.integers(len(shares))]
            ]
            if proper:
                state[a][-1] = (*state[a][-1][:2], None)
        model.append(state)
    return model


def random_values(rng, states=6, low=-1.0):
    """Return a number for each state, from `low` to 1."""
    return [round(float(v), 2) for v in rng.uniform(low, 1, size=states)]


FIRST = "state 0 among the next states"
NO_END, ONE_END = "no end among the next states", "one end among the next states"


def next_states(model, s):
    """Return the kind of a case, by the next states of state s.

    State 0 comes first: in Python 0 counts as false, as None does.
    """
    following = {n for outcomes in model[s].values() for _, _, n in outcomes}
    if 0 in following:
        return FIRST
    return ONE_END if None in following else NO_END


def odd_models(rng):
    """Yield (kind, model, V) of unusual states.

    State 0 is the unusual one. V does not end in 0, to detect a V[-1] after the end.
    """
    r = float(rng.choice((0.5, 1, 2)))
    V = [0.3, -0.6, 0.2 + r / 10, 0.7]
    yield "an end without a reward", [{2: [(1.0, 0.0, None)], 6: [(1.0, -r, None)]}], V
    yield "an end without a reward", [{2: [(0.5, 0.0, None), (0.5, r, 1)]}], V
    twice = [(0.5, r, None), (0.25, -r, None), (0.25, 0.0, 2)]
    yield "the same next state twice", [{3: twice, 7: [(0.5, r, 2), (0.5, 0.0, 2)]}], V
    yield "the best is worth 0", [{4: [(1.0, 0.0, None)], 8: [(1.0, -r, None)]}], V
    far = {0: [(1.0, -r, 1)], 3: [(1.0, -r - 0.5, 1)]}
    yield "every action loses more than 1", [far], [-1.0, -1.5, -2.0, -1.0]


def slow_models(rng):
    """Yield (kind, model, γ) of problems with slow or seemingly early convergence.

    All of their episodes end, so they converge even without a discount.
    """
    r = float(rng.choice((0.5, 1, 2)))
    yield "it may take long", [{2: [(0.97, r, 0), (0.03, 0.0, None)]}], 0.95
    two = [{2: [(0.5, r, 0), (0.5, 0.0, 1)]}, {1: [(0.9, 0.0, 0), (0.1, r, None)]}]
    yield "it may take long", two, 0.98
    for size in (5, 60):
        chain = [{s % 9: [(1.0, 0.0, s + 1)]} for s in range(size)]
        yield "a long way to the end", [*chain, {8: [(1.0, r, None)]}], 0.99
    back = [{8: [(1.0, r, None)]}] + [{s: [(1.0, 0.0, s - 1)]} for s in range(1, 5)]
    yield "a long way to the end", back, 0.9
    lost = [{0: [(1.0, 0.0, 1)]}, {4: [(1.0, 0.0, 2)]}, {8: [(1.0, -r, None)]}]
    yield "a long way to a loss", lost, 0.9
    ends = [{1: [(1.0, -r, None)]}, {1: [(1.0, r, None)]}]
    yield "changes that cancel", [{0: [(1.0, 0.0, 2)]}, *ends[::-1]], 0.9
    yield "changes that cancel", [{0: [(1.0, 0.0, 1)]}, *ends], 0.8


def random_rewards(rng, least=2):
    """Return random rewards; the first and the last are not 0, so that both matter."""
    rewards = [
        float(r) for r in rng.choice((-1, 0, 0.5, 1, 2), size=rng.integers(least, 7))
    ]
    return [1.0, *rewards[:-1], -1.0]


def random_policy(rng, model):
    """Return random probabilities that differ clearly."""
    policy = []
    for state in model:
        weights = rng.permutation([4, 2, *[1] * 7][: len(state)])
        shares = weights / weights.sum()
        policy.append({a: float(p) for a, p in zip(state, shares, strict=True)})
    return policy


def random_q(rng, actions=4, low=-1.0):
    """Return {action: value}, all values different."""
    cells = sorted(rng.choice(9, size=actions, replace=False).tolist())
    values = rng.permutation(np.linspace(low, low + 1.2, 9))[:actions]
    return {a: round(float(v), 3) for a, v in zip(cells, values, strict=True)}


def with_tie(rng, q):
    """Return q with a second best action."""
    free = [a for a in range(9) if a not in q]
    return q | {int(rng.choice(free)): max(q.values())}


def random_step(rng):
    """Return a step size and a discount."""
    return float(rng.choice((0.1, 0.3, 0.5))), float(rng.choice((0.5, 0.8, 0.9)))


def random_table(rng, states=4):
    """Return a table of action values in whose last state every action loses."""
    low = [-0.6] * (states - 1) + [-2.0]
    return [random_q(rng, int(rng.integers(3, 5)), least) for least in low]
