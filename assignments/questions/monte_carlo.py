"""Monte Carlo learning: means, exploration, updates after whole games."""

from assignments.questions.boundaries import (
    EPSILON,
    NO_REWARD,
    REWARDS,
    at_boundaries,
    is_at,
    of_actions,
    with_each,
)
from assignments.questions.chance import random_q, random_rewards, with_tie
from assignments.questions.question import Mistake, Question, cases, mistake, training
from ttt_lib.check.judge import Case


def running_mean(rewards):
    """Return the mean of the rewards so far, after each of them."""
    estimate, estimates = 0.0, []
    for n, r in enumerate(rewards, 1):
        estimate += 1 / n * (r - estimate)
        estimates.append(estimate)
    return estimates


def draw_running_mean(rng):
    """Yield lists of rewards."""
    for _ in range(8):
        yield Case("a few rewards", False, (random_rewards(rng),))
    for r in (-1, 2):
        yield Case("one reward", False, ([r],))
    for _ in range(3):
        rewards = [1, 0, *rng.integers(-1, 2, size=4).tolist()]
        yield Case("whole numbers", False, (rewards,))

    def ordinary(rng):
        return {"rewards": random_rewards(rng)}

    yield from at_boundaries(rng, ordinary, REWARDS | NO_REWARD)


RUNNING_MEAN = Question(
    answer=running_mean,
    cases=cases(
        ("a few rewards", [1, 0, -1, 1]),
        ("one reward", [-1]),
        ("a few rewards", [1, 1, 0, 0, 0, 1]),
    ),
    draw=draw_running_mean,
    boundaries=REWARDS | NO_REWARD,
    mistakes=(
        mistake(
            "constant step size",
            "A step size of 0.1 forgets old rewards. The mean needs 1/n.",
            ("1 / n", "0.1"),
        ),
        mistake(
            "1/(n + 1)",
            "The first reward has n = 1, so that the first estimate is that reward.",
            ("1 / n", "1 / (n + 1)"),
        ),
        mistake(
            "sum, not mean",
            "You add up the rewards. Move the estimate by (r − estimate) / n.",
            ("1 / n * (r - estimate)", "r"),
        ),
        mistake(
            "last estimate alone",
            "Return a list: the estimate after every reward.",
            ("return estimates", "return estimates[-1:]"),
        ),
    ),
    hint="Q ← Q + (r − Q) / n, and write down Q after every reward.",
)


def epsilon_greedy(q, epsilon):
    """Return {action: probability} of the ε-greedy policy."""
    best = [a for a in q if q[a] >= max(q.values()) - 1e-9]
    share = epsilon / len(q)
    return {a: share + (1 - epsilon) * (a in best) / len(best) for a in q}


def exploring_elsewhere(q, epsilon):
    """Return {action: probability} if exploration excludes the best actions."""
    best = [a for a in q if q[a] >= max(q.values()) - 1e-9]
    share = epsilon / (len(q) - len(best))
    return {a: (1 - epsilon) / len(best) if a in best else share for a in q}


def draw_epsilon_greedy(rng):
    """Yield action values with one best action, and with several."""
    for _ in range(8):
        epsilon = float(rng.choice((0.1, 0.2, 0.4)))
        q = random_q(rng, int(rng.integers(2, 7)))
        yield Case("one best action", False, (q, epsilon))
    for _ in range(3):
        q = random_q(rng, int(rng.integers(2, 5)), -2.5)
        yield Case("every action loses", False, (q, 0.2))
    for count in (2, 3, 4):
        q = random_q(rng, count, -1.3)
        low = dict(sorted(q.items()))
        cells = [*low]
        for cell in (cells[0], cells[-1]):
            yield Case("the best is worth 0", False, (low | {cell: 0.0}, 0.3))
        yield Case("cell 0 is the best", False, ({0: 0.4} | low | {0: 0.4}, 0.3))
        yield Case("nothing is explored", False, (q, 0.0))
        level = float(rng.choice((0.0, -0.5, 0.5)))
        yield Case("all are alike", True, (dict.fromkeys(cells, level), 0.4))
        most = max(q.values())
        three = dict.fromkeys(rng.choice(9, size=3, replace=False).tolist(), most)
        lower = {a: v for a, v in q.items() if v < most}
        yield Case("three are the best", True, (lower | three, 0.2))
    for _ in range(3):
        yield Case("equally good actions", True, (with_tie(rng, random_q(rng)), 0.2))

    def ordinary(rng):
        return {"q": random_q(rng), "epsilon": float(rng.choice((0.1, 0.2, 0.4)))}

    yield from at_boundaries(rng, ordinary, EXPLORING, 1)


EXPLORING = with_each(
    EPSILON, of_actions(lambda it: it.q, lambda it, values: {"q": values})
)


EPSILON_GREEDY = Question(
    answer=epsilon_greedy,
    cases=cases(
        ("one best action", {0: 0.2, 3: 0.9, 5: -1.0, 8: 0.0}, 0.1),
        ("one best action", {1: -0.5, 2: -0.1}, 0.4),
        ("equally good actions*", {0: 0.5, 4: 0.5, 7: 0.1}, 0.3),
    ),
    draw=draw_epsilon_greedy,
    boundaries=EXPLORING,
    mistakes=(
        mistake(
            "first of equals",
            "Several actions can be best: they share 1 − ε.",
            ("1e-9]", "1e-9][:1]"),
        ),
        Mistake(
            "exploring elsewhere",
            "A random move can be the best one, too: every action gets ε / n.",
            exploring_elsewhere,
        ),
        mistake(
            "over nine cells",
            "A random move is one of the legal moves, not of all nine cells.",
            ("epsilon / len(q)", "epsilon / 9"),
        ),
        mistake(
            "ε and 1 − ε exchanged",
            "ε is the probability of a random move, not of a greedy one.",
            ("epsilon / len(q)", "(1 - epsilon) / len(q)"),
            ("(1 - epsilon) *", "epsilon *"),
        ),
    ),
    hint="Every legal action gets ε / n, and the best ones share 1 − ε.",
)


def optimistic_means(rewards, first, weight):
    """Return the estimates after each reward; `first` counts as `weight` games."""
    estimate, estimates = first, []
    for n, r in enumerate(rewards, 1):
        estimate += 1 / (n + weight) * (r - estimate)
        estimates.append(estimate)
    return estimates


def draw_optimistic_means(rng):
    """Yield rewards, first estimates and weights."""
    for number in range(6):
        rewards, weight = random_rewards(rng), (1, 2, 5, 10, 20, 50)[number]
        yield Case("some rewards", False, (rewards, 1.0, weight))
    for number in range(3):
        r = float(rng.choice((0.5, 1, -1)))
        yield Case("one reward", False, ([r], (1.0, 0.5, 2.0)[number], number + 1))
        rewards = [0.0, *random_rewards(rng)]
        yield Case("a first reward of 0", False, (rewards, 1.0, number + 3))
        rewards = [-1.0] * (number + 2)
        yield Case("every game is lost", False, (rewards, 1.0, (4, 10, 30)[number]))
        yield Case("another first estimate", False, (random_rewards(rng), -0.5, 4))
        yield Case("no weight", True, (random_rewards(rng), 1.0, 0))

    def ordinary(rng):
        weight = int(rng.choice((2, 5, 10)))
        return {"rewards": random_rewards(rng), "first": 1.0, "weight": weight}

    yield from at_boundaries(rng, ordinary, OPTIMISM, 1)


WEIGHTS = {f"a weight of {n}": is_at(weight=n) for n in (0, 1, 1000)}
FIRSTS = {
    f"a first estimate of {first:g}": is_at(first=first)
    for first in (0.0, 1.0, -1.0, 5.0)
}
OPTIMISM = with_each(WEIGHTS, REWARDS | NO_REWARD | FIRSTS)
OPTIMISM |= with_each(FIRSTS, REWARDS | NO_REWARD)


OPTIMISTIC_MEANS = Question(
    answer=optimistic_means,
    cases=cases(
        ("some rewards", [-1, 0, -1, 1], 1.0, 10),
        ("one reward", [-1], 1.0, 1),
        ("no weight*", [-1, 1, 1], 1.0, 0),
    ),
    draw=draw_optimistic_means,
    boundaries=OPTIMISM,
    mistakes=(
        mistake(
            "not repaired",
            "The first reward still replaces the first estimate: its step size is 1/1.",
            ("(n + weight)", "n"),
        ),
        mistake(
            "a constant step size",
            "Your step size stays the same. It is 1 / (n + weight), and n grows.",
            ("(n + weight)", "(1 + weight)"),
        ),
        mistake(
            "one game too many",
            "The first estimate counts as a game too many: the first reward has n = 1.",
            ("(n + weight)", "(n + 1 + weight)"),
        ),
        mistake(
            "the first estimate forgotten",
            "Your estimate begins at 0: it should begin at `first`.",
            ("= first, []", "= 0, []"),
        ),
    ),
    hint="The first estimate counts as the mean of `weight` games: after n rewards the "
    "step size is 1 / (n + weight).",
)


def mc_learn(estimates, counts, G):
    """Return the new estimates of the decisions of a game, each moved towards G."""
    return [
        estimate + (G - estimate) / n
        for estimate, n in zip(estimates, counts, strict=True)
    ]


MC_LEARN = training(
    mc_learn,
    "Each decision of the game moves towards the return G. How large should the step "
    "be, if the estimate is to be the mean of all returns? `counts` has their numbers.",
)
