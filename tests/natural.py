"""Plausible answers to trainings, and the share of the points that each should earn."""

import math

from assignments import questions


def td(step):
    """Return td_learn with a step size that depends on the share of games."""

    def td_learn(values, result, share):
        pairs = zip(values, [*values[1:], result], strict=True)
        return [v + step(share) * (to_come - v) for v, to_come in pairs]

    return td_learn


def mc(step):
    """Return mc_learn with a step size that depends on the count."""

    def mc_learn(estimates, counts, G):
        pairs = zip(estimates, counts, strict=True)
        return [e + step(n) * (G - e) for e, n in pairs]

    return mc_learn


def q(step, forward=False):
    """Return q_learn with a constant step size, from the end or from the beginning."""

    def q_learn(values, chosen, result):
        learned, target = [], result
        for old, i in zip(reversed(values), reversed(chosen), strict=True):
            new = [*old]
            new[i] += step * (target - old[i])
            target = -max(old if forward else new)
            learned.append(new[i])
        return learned[::-1]

    return q_learn


def machine(boxes, last=1):
    """Return `beads` by Michie's rule; the last move of a lost game costs `last`."""

    def beads(before, result, decision, decisions):
        if result is None:
            return boxes[decision]
        cost = last if decision == decisions - 1 else 1
        return max(0, before + {1: 3, 0: 1, -1: -cost}[result])

    return beads


def by_number(times):
    return lambda model: list(range(len(model))) * times


def depth_first(model):
    """Return the states in the order in which depth-first search leaves them."""
    order, visited = [], set()

    def visit(s):
        visited.add(s)
        for outcomes in model[s].values():
            for _, _, n in outcomes:
                if n is not None and n not in visited:
                    visit(n)
        order.append(s)

    for s in range(len(model)):
        if s not in visited:
            visit(s)
    return order


def without_pruning(board, *_):
    minimax = questions.QUESTIONS["minimax"].answer
    return minimax(board), questions.QUESTIONS["count_nodes"].answer(board)


# Name of the training, description, function, and the share that it earns.
NATURAL = [
    *(
        ("td_learn", f"a step of {a}", td(lambda s, a=a: a), 1)
        for a in (0.05, 0.1, 0.2)
    ),
    ("td_learn", "a step of 0.5", td(lambda s: 0.5), 1),
    ("td_learn", "a step of 1", td(lambda s: 1.0), 0.5),
    ("td_learn", "a step that is the share", td(lambda s: s), 0.5),
    ("td_learn", "a step of 1/n", td(lambda s: 1 / (1 + 10_000 * s)), 0.5),
    ("td_learn", "a step that fades to 0", td(lambda s: 0.5 * (1 - s)), 1),
    ("td_learn", "a step that falls once", td(lambda s: 0.5 - 0.4 * (s > 0.5)), 1),
    ("td_learn", "an exponential", td(lambda s: 0.5 * math.exp(-3 * s)), 1),
    ("mc_learn", "a step of 1/(n + 1)", mc(lambda n: 1 / (n + 1)), 1),
    ("mc_learn", "1/n, at least .05", mc(lambda n: max(0.05, 1 / n)), 1),
    *(
        ("mc_learn", f"a step of {a}", mc(lambda n, a=a: a), 0.5)
        for a in (0.1, 0.2, 0.5)
    ),
    ("mc_learn", "a step of 1", mc(lambda n: 1.0), 0),
    *(("q_learn", f"a step of {a}", q(a), 1) for a in (0.1, 0.2, 1.0)),
    *(("q_learn", f"a step of {a}, forward", q(a, True), 1) for a in (0.1, 0.5)),
    ("q_learn", "a step of .05", q(0.05), 0.5),
    ("beads", "Michie's machine", machine((4, 3, 2, 1, 1)), 0),
    ("beads", "16 and halves", machine((16, 8, 4, 2, 1)), 1),
    ("beads", "20 and halves", machine((20, 10, 5, 2, 1)), 1),
    ("beads", "32 and halves", machine((32, 16, 8, 4, 2)), 1),
    ("beads", "64 and halves", machine((64, 32, 16, 8, 4)), 0),
    ("beads", "16, a last move may cost all", machine((16, 8, 4, 2, 1), 99), 1),
    ("sweep_order", "depth first", depth_first, 1),
    ("sweep_order", "by number, ten times", by_number(10), 0.5),
    ("sweep_order", "by number, once", by_number(1), 0),
    ("alpha_beta", "minimax", without_pruning, 0),
]
