"""Temporal-difference learning: TD(0), n-step returns, sweeps, tables."""

from itertools import pairwise

from assignments.questions.boundaries import (
    ALPHA,
    GAMMA,
    NO_REWARD,
    REWARD,
    REWARDS,
    STATE_VALUES,
    STEP,
    STEP_LIMITS,
    Boundary,
    at_boundaries,
    is_at,
    with_each,
)
from assignments.questions.chance import random_rewards, random_step, random_values
from assignments.questions.question import (
    ZERO_IS_FALSY,
    Question,
    cases,
    mistake,
    training,
)
from ttt_lib.check.judge import Case

VALUES = [0.5, -0.2, 0.8, 0.0]


def td_update(V, s, r, s_next, alpha, gamma):
    """Return V after one step of TD(0)."""
    V = list(V)
    later = 0.0 if s_next is None else V[s_next]
    V[s] += alpha * (r + gamma * later - V[s])
    return V


def draw_td_update(rng):
    """Yield moves within a game, moves with a reward, and last moves."""
    for kind in (
        "an unfinished game",
        "a reward on the way",
        "the end of the game",
        "state 0 comes next",
    ) * 3:
        V = [v + 0.051 for v in random_values(rng)]  # never 0
        s, s_next = (int(i) for i in rng.choice(range(1, 6), size=2, replace=False))
        r = float(rng.choice((-1, 1)))
        if kind in ("an unfinished game", "state 0 comes next"):
            r = 0.0
        s_next = {"the end of the game": None, "state 0 comes next": 0}.get(
            kind, s_next
        )
        yield Case(kind, s_next == 0, (V, s, r, s_next, *random_step(rng)))
    for r, s_next, kind in (
        (0.0, None, "a draw at the end"),
        (0.5, None, "half a reward at the end"),
        (0.0, 4, "the next state is worth 0"),
        (1.0, 4, "the next state is worth 0"),
        (0.0, 3, "the same state once more"),
    ) * 2:
        V = [v + 0.051 for v in random_values(rng)]
        V[4] = 0.0
        yield Case(kind, False, (V, 3, r, s_next, *random_step(rng)))

    def ordinary(rng):
        V = [v + 0.051 for v in random_values(rng)]
        alpha, gamma = random_step(rng)
        args = {"V": V, "s": 2, "r": float(rng.choice((-1, 1))), "s_next": 4}
        return args | {"alpha": alpha, "gamma": gamma}

    yield from at_boundaries(rng, ordinary, UPDATES, 1)


UPDATES = with_each(STEP_LIMITS, STEP | STATE_VALUES | REWARD)
UPDATES |= with_each(ALPHA, GAMMA)


TD_UPDATE = Question(
    answer=td_update,
    cases=cases(
        ("an unfinished game", VALUES, 0, 0, 2, 0.1, 0.9),
        ("a reward on the way", VALUES, 1, 1, 3, 0.5, 1.0),
        ("the end of the game", [0.5, -0.2, 0.8, 0.3], 1, -1, None, 0.5, 0.9),
    ),
    draw=draw_td_update,
    boundaries=UPDATES,
    mistakes=(
        mistake(
            "sign reversed",
            "Your estimate moves away from the target; the update is V(s) + α (target "
            "− V(s)). One well-known book prints it with this very error.",
            ("+= alpha", "-= alpha"),
        ),
        mistake(
            "the new state's entry updated",
            "You change V(s′). It is V(s) that learns.",
            ("V[s] +=", "V[s if s_next is None else s_next] +="),
        ),
        mistake(
            "γ forgotten",
            "The value of the next state is discounted by γ.",
            ("gamma * later", "later"),
        ),
        mistake(
            "γ twice",
            "You apply γ twice: it should discount V(s′) only once.",
            ("gamma * later", "gamma**2 * later"),
        ),
        mistake(
            "reward forgotten",
            "The reward is missing: the target is r + γ V(s′).",
            ("r + gamma", "gamma"),
        ),
        mistake(
            "α = 1",
            "You replace V(s) by the target. Move it only a share α of the way.",
            ("+= alpha *", "+="),
        ),
        mistake(
            "None read as the last state",
            "After the end there is nothing: if the next state is None, V is 0.",
            ("0.0 if", "V[-1] if"),
        ),
        mistake(
            *ZERO_IS_FALSY,
            ("0.0 if s_next is None else V[s_next]", "V[s_next] if s_next else 0.0"),
        ),
    ),
    hint="V(s) ← V(s) + α (r + γ V(s′) − V(s)), with V(s′) = 0 after the end.",
)


def n_step_return(rewards, last_value, gamma):
    """Return the n-step return: discounted rewards and the estimate after them."""
    n = len(rewards)
    total = sum(gamma**k * r for k, r in enumerate(rewards))
    return float(total + gamma**n * last_value)


def draw_n_step_return(rng):
    """Yield rewards and an estimate, with and without a discount."""
    for number in range(8):
        last = round(float(rng.uniform(0.2, 1)), 2)
        gamma = 1.0 if number == 7 else float(rng.choice((0.5, 0.8, 0.9)))
        kind = "no discount" if gamma == 1 else "some rewards"
        yield Case(kind, False, (random_rewards(rng), last, gamma))
    for number in range(3):
        last, gamma = round(float(rng.uniform(0.2, 1)), 2), (0.5, 0.8, 0.9)[number]
        zeros = [0.0] * (number + 1)
        yield Case("one reward", False, ([(-1.0, 0.5, 2.0)[number]], last, gamma))
        yield Case("a negative estimate", False, (random_rewards(rng), -last, gamma))
        yield Case("no reward on the way", False, (zeros, last, gamma))
        yield Case("some rewards are 0", False, ([1.0, *zeros, -1.0], last, gamma))

    def ordinary(rng):
        last, gamma = float(rng.uniform(0.2, 1)), float(rng.choice((0.5, 0.8)))
        return {
            "rewards": random_rewards(rng),
            "last_value": round(last, 2),
            "gamma": gamma,
        }

    yield from at_boundaries(rng, ordinary, ESTIMATES, 1)


LAST = {
    f"an estimate of {last:g}": is_at(last_value=last) for last in (0.0, 1.0, -1.0, 2.0)
}
ESTIMATES = with_each(GAMMA, REWARDS | NO_REWARD | LAST)
ESTIMATES |= with_each(LAST, NO_REWARD)


N_STEP_RETURN = Question(
    answer=n_step_return,
    cases=cases(
        ("some rewards", [0, 1, -1], 0.5, 0.9),
        ("one reward", [1], -0.4, 0.5),
        ("no discount", [0, 0], 0.3, 1.0),
    ),
    draw=draw_n_step_return,
    boundaries=ESTIMATES,
    mistakes=(
        mistake(
            "estimate not discounted enough",
            "After n rewards the estimate is n steps away: γ to the power n.",
            ("gamma**n", "gamma ** (n - 1)"),
        ),
        mistake(
            "estimate not discounted",
            "The estimate is discounted, too, by γ to the power n.",
            ("gamma**n * ", ""),
        ),
        mistake(
            "estimate forgotten",
            "Add the estimate of the state after the last reward.",
            (" + gamma**n * last_value", ""),
        ),
        mistake(
            "rewards reversed",
            "You discount the first rewards most. The later ones are further away.",
            ("enumerate(rewards)", "enumerate(rewards[::-1])"),
        ),
        mistake(
            "first reward discounted",
            "The first reward is not discounted: its factor is γ to the power 0.",
            ("gamma**k", "gamma ** (k + 1)"),
        ),
        mistake(
            "γ forgotten",
            "Nothing is discounted here.",
            ("gamma**k * ", ""),
            ("gamma**n * ", ""),
        ),
    ),
    hint="Σ γ^k r_k over the n rewards, and γ^n times the last value.",
)


def backward_sweep(V, states, alpha):
    """Return V after updates from the end of a game to its beginning."""
    V = list(V)
    for s, s_next in reversed(list(pairwise(states))):
        V[s] += alpha * (V[s_next] - V[s])
    return V


def draw_backward_sweep(rng):
    """Yield games of several lengths."""
    for length in (3, 4, 5, 6) * 2:
        states = rng.choice(8, size=length, replace=False).tolist()
        args = random_values(rng, 8), states, float(rng.choice((0.1, 0.5)))
        yield Case("some states", False, args)
        V = random_values(rng, 8)
        V[states[-1]] = V[states[1]] = 0.0
        yield Case("a next state is worth 0", False, (V, states, 0.5))
        states = [s for s in states if s != 0]
        V, states = (
            [v + 0.051 for v in random_values(rng, 8)],
            [states[0], 0, *states[1:]],
        )
        yield Case("state 0 on the way", False, (V, states, 0.5))

    def ordinary(rng):
        states = rng.permutation(range(1, 7))[:4].tolist()
        return {"V": random_values(rng, 8), "states": states, "alpha": 0.5}

    yield from at_boundaries(rng, ordinary, GAMES, 1)


def _states(holds, change):
    return Boundary(
        lambda it: holds(it.states, len(it.V)),
        lambda it, rng: {"states": change(it.states, len(it.V))},
    )


def _result(result):
    return Boundary(
        lambda it: it.V[it.states[-1]] == result,
        lambda it, rng: {
            "V": [result if s == it.states[-1] else v for s, v in enumerate(it.V)]
        },
    )


GAMES = STATE_VALUES | {
    f"a result of {result:g}": _result(result) for result in (1.0, 0.0, -1.0)
}
GAMES |= {
    "one state": _states(lambda s, n: len(s) == 1, lambda s, n: s[:1]),
    "two states": _states(lambda s, n: len(s) == 2, lambda s, n: s[:2]),
    "all states": _states(
        lambda s, n: sorted(s) == [*range(n)],
        lambda s, n: [*s, *(i for i in range(n) if i not in s)],
    ),
    "state 0 at first": _states(lambda s, n: s[0] == 0, lambda s, n: [0, *s]),
    "state 0 at last": _states(lambda s, n: s[-1] == 0, lambda s, n: [*s, 0]),
    "state 0 between": _states(
        lambda s, n: 0 in s[1:-1], lambda s, n: [*s[:2], 0, *s[2:]]
    ),
    "the last entry at first": _states(
        lambda s, n: s[0] == n - 1, lambda s, n: [n - 1, *s]
    ),
    "the last entry at last": _states(
        lambda s, n: s[-1] == n - 1, lambda s, n: [*s, n - 1]
    ),
    "states in rising order": _states(
        lambda s, n: len(s) > 2 and s == sorted(s), lambda s, n: sorted(s)
    ),
    "states in falling order": _states(
        lambda s, n: len(s) > 2 and s[::-1] == sorted(s), lambda s, n: sorted(s)[::-1]
    ),
}
GAMES = with_each(ALPHA, GAMES)


BACKWARD_SWEEP = Question(
    answer=backward_sweep,
    cases=cases(
        ("some states", [0.5, 0.5, 0.5, 1.0], [0, 1, 2, 3], 0.5),
        ("some states", [0.5, 0.4, 0.6, 0.0, 0.7], [0, 2, 3], 0.1),
    ),
    draw=draw_backward_sweep,
    boundaries=GAMES,
    mistakes=(
        mistake(
            "from the beginning",
            "You move towards values from before the game, so the result reaches only "
            "one state. Begin at the end, and use the values just updated.",
            ("reversed(list(pairwise(states)))", "pairwise(states)"),
        ),
        mistake(
            "the next state updated",
            "You change V(s′). It is V(s) that learns.",
            (
                "V[s] += alpha * (V[s_next] - V[s])",
                "V[s_next] += alpha * (V[s] - V[s_next])",
            ),
        ),
    ),
    hint="From the last pair of states to the first: V(s) ← V(s) + α (V(s′) − V(s)).",
)


def separate_tables(V, lessons, alpha):
    """Return a table of values for each learner; all begin with V."""
    tables = []
    for lesson in lessons:
        table = list(V)
        for s, target in lesson:
            table[s] += alpha * (target - table[s])
        tables.append(table)
    return tables


def draw_separate_tables(rng):
    """Yield two to four learners, each with lessons."""
    for learners in (2, 3, 4) * 3:
        lessons = [
            [(int(rng.integers(3)), float(rng.choice((-1, 1)))) for _ in range(3)]
            for _ in range(learners)
        ]
        args = random_values(rng, 3), lessons, float(rng.choice((0.1, 0.5)))
        yield Case(f"{learners} learners", False, args)
    for alpha in (0.1, 0.3, 0.5):
        one = [(int(rng.integers(3)), float(rng.choice((-1, 1)))) for _ in range(3)]
        zero = [(int(rng.integers(3)), 0.0), *one]
        for kind, lessons in (
            ("the same lessons twice", [one, list(one), one[:1]]),
            ("a learner without lessons", [one, [], one[:2]]),
            ("different numbers of lessons", [one[:1], one, one[:2]]),
            ("a target of 0", [zero, one]),
        ):
            yield Case(kind, False, (random_values(rng, 3), lessons, alpha))

    def ordinary(rng):
        lessons = [
            [(int(rng.integers(3)), float(rng.choice((-1, 1)))) for _ in range(3)]
            for _ in range(3)
        ]
        return {"V": random_values(rng, 3), "lessons": lessons, "alpha": 0.5}

    yield from at_boundaries(rng, ordinary, LEARNERS, 1)


def _lessons(holds, change):
    return Boundary(
        lambda it: holds(it.lessons), lambda it, rng: {"lessons": change(it.lessons)}
    )


LEARNERS = STATE_VALUES | {
    "no learner": _lessons(lambda L: len(L) == 0, lambda L: []),
    "one learner": _lessons(lambda L: len(L) == 1, lambda L: L[:1]),
    "five learners": _lessons(lambda L: len(L) == 5, lambda L: [*L, *L[:2]]),
    "no learner has lessons": _lessons(
        lambda L: len(L) > 1 and not any(L), lambda L: [[], [], []]
    ),
    "the first has no lessons": _lessons(
        lambda L: len(L) > 1 and not L[0] and any(L), lambda L: [[], *L[1:]]
    ),
    "the last has no lessons": _lessons(
        lambda L: len(L) > 1 and not L[-1] and any(L), lambda L: [*L[:-1], []]
    ),
    "one lesson each": _lessons(
        lambda L: len(L) > 1 and all(len(one) == 1 for one in L),
        lambda L: [one[:1] for one in L],
    ),
    "the same state twice": _lessons(
        lambda L: any(a[0] == b[0] for one in L for a, b in pairwise(one)),
        lambda L: [[one[0], *one] for one in L],
    ),
    "every target is 0": _lessons(
        lambda L: any(L) and not any(g for one in L for _, g in one),
        lambda L: [[(s, 0.0) for s, _ in one] for one in L],
    ),
    "one state": Boundary(
        lambda it: len(it.V) == 1,
        lambda it, rng: {
            "V": it.V[:1],
            "lessons": [[(0, g) for _, g in one] for one in it.lessons],
        },
    ),
    "the last state alone": Boundary(
        lambda it: (
            len(it.V) > 1
            and {s for one in it.lessons for s, _ in one} == {len(it.V) - 1}
        ),
        lambda it, rng: {"lessons": [[(2, g) for _, g in one] for one in it.lessons]},
    ),
    "state 0 alone": Boundary(
        lambda it: len(it.V) > 1 and {s for one in it.lessons for s, _ in one} == {0},
        lambda it, rng: {"lessons": [[(0, g) for _, g in one] for one in it.lessons]},
    ),
}
LEARNERS = with_each(ALPHA, LEARNERS)


SEPARATE_TABLES = Question(
    answer=separate_tables,
    cases=cases(
        ("2 learners", [0.5, 0.5], [[(0, 1.0)], [(0, 0.0), (1, 1.0)]], 0.5),
        ("3 learners", [0.0, 0.2], [[(1, 1.0)], [], [(0, -1.0), (0, 1.0)]], 0.1),
    ),
    draw=draw_separate_tables,
    boundaries=LEARNERS,
    mistakes=(
        mistake(
            "not repaired",
            "All learners still write into one table: give each a copy of its own.",
            ("list(V)", "V"),
        ),
        mistake(
            "all begin where the last one stopped",
            "Each learner begins with the values that the one before learnt. All "
            "should begin with V.",
            ("list(V)", "list(tables[-1] if tables else V)"),
        ),
    ),
    hint="Each learner begins with the values V, in a list of its own, and each lesson "
    "moves the current value.",
)


def td_learn(values, result, share):
    """Return the new values of a game's boards, each moved towards the next one."""
    targets = [*values[1:], result]
    alpha = 0.6 * (1 - share) + 0.01
    return [v + alpha * (g - v) for v, g in zip(values, targets, strict=True)]


TD_LEARN = training(
    td_learn,
    "Each value moves towards that of the next board, and the last one towards the "
    "result. If it almost works, check your step size: is it large at first, and small "
    "at the end?",
)
