"""Learning of action values: Sarsa, Q-learning, expected Sarsa.

It is long because all questions of a topic are in one file, where a teacher adds more.
"""

from copy import deepcopy
from itertools import pairwise
from types import SimpleNamespace

from assignments.questions.boundaries import (
    ALPHA,
    EPSILON,
    GAMMA,
    REWARD,
    STEP_LIMITS,
    Boundary,
    at_boundaries,
    is_at,
    of_actions,
    with_each,
)
from assignments.questions.chance import random_step, random_table, with_tie
from assignments.questions.monte_carlo import epsilon_greedy, exploring_elsewhere
from assignments.questions.question import (
    ZERO_IS_FALSY,
    Mistake,
    Question,
    cases,
    mistake,
    mutate,
    training,
)
from ttt_lib.check.judge import Case

FIRST = "state 0 comes next"
Q_TABLE = [{0: 0.2, 4: -0.1, 8: 0.5}, {1: -0.5, 2: -0.2}, {3: 0.0, 5: 0.7, 6: 0.7}]


def sarsa_update(Q, s, a, r, s_next, a_next, alpha, gamma):
    """Return Q after one step of Sarsa."""
    Q = deepcopy(Q)
    later = 0.0 if s_next is None else Q[s_next][a_next]
    Q[s][a] += alpha * (r + gamma * later - Q[s][a])
    return Q


def draw_sarsa_update(rng):
    """Yield exploring and greedy next actions, and ends."""
    kinds = ("an exploring next action", "a greedy next action", "the end of the game")
    for kind in (*kinds, FIRST) * 4:
        Q = random_table(rng)
        s, s_next = (int(i) for i in rng.choice((1, 2, 3), size=2, replace=False))
        s_next = 0 if kind == FIRST else s_next
        a, q = int(rng.choice(list(Q[s]))), Q[s_next]
        a_next = (min if kind == kinds[0] else max)(q, key=q.get)
        r = float(rng.choice((-1, 1)))
        if kind == kinds[2]:
            s_next = a_next = None
        args = Q, s, a, r, s_next, a_next, *random_step(rng)
        yield Case(kind, kind == FIRST, args)
    for number in range(2):
        Q = random_table(rng)
        a, other = list(Q[1])[number], list(Q[2])[number]
        Q[2][0] = 0.35
        alpha, gamma = random_step(rng)
        for kind, r, s_next, a_next in (
            ("no reward on the way", 0.0, 2, other),
            ("a draw at the end", 0.0, None, None),
            ("the same action once more", 0.0, 1, a),
            ("action 0 comes next", 0.0, 2, 0),
        ):
            args = Q, 1, a, r, s_next, a_next, alpha, gamma
            yield Case(kind, False, args)

    def ordinary(rng):
        args = ordinary_step(rng)
        a_next = int(rng.choice(list(args["Q"][args["s_next"]])))
        order = "Q", "s", "a", "r", "s_next", "a_next", "alpha", "gamma"
        args |= {"a_next": a_next}
        return {name: args[name] for name in order}

    yield from at_boundaries(rng, ordinary, SARSA, 1)


def ordinary_step(rng):
    """Return the arguments of an update, by name, which meet no boundary."""
    Q = random_table(rng)
    alpha, gamma = random_step(rng)
    args = {"Q": Q, "s": 1, "a": int(rng.choice(list(Q[1]))), "s_next": 2}
    args |= {"r": float(rng.choice((-1, 1))), "alpha": alpha, "gamma": gamma}
    order = "Q", "s", "a", "r", "s_next", "alpha", "gamma"
    return {name: args[name] for name in order}


def _with(it, **changes):
    """Return changed arguments; a and a_next become actions of their states."""
    it = SimpleNamespace(**(vars(it) | changes))
    if it.a not in it.Q[it.s]:
        changes["a"] = next(iter(it.Q[it.s]))
    if hasattr(it, "a_next"):
        q = {None: None} if it.s_next is None else it.Q[it.s_next]
        changes["a_next"] = it.a_next if it.a_next in q else [*q][-1]
    return changes


def _step(holds, change):
    return Boundary(holds, lambda it, rng: _with(it, **change(it)))


def _set(Q, s, q):
    """Return a table in which the values of state s are replaced."""
    return [q if number == s else values for number, values in enumerate(Q)]


def _each(it, value):
    return [{a: value(v) for a, v in q.items()} for q in it.Q]


def _all(Q):
    return [v for q in Q for v in q.values()]


def _plain(holds, change):
    return Boundary(holds, lambda it, rng: change(it))


def _of_all(make):
    """Return the boundaries of all values of Q, each made by `make(holds, change)`."""
    return {
        kind: make(
            lambda it, holds=holds: holds(_all(it.Q)),
            lambda it, value=value: {"Q": _each(it, value)},
        )
        for kind, holds, value in (
            ("all values are 0", lambda v: not any(v), lambda v: 0.0),
            ("all values are alike", lambda v: len({*v}) == 1 and v[0], lambda v: 0.4),
            ("all values are below 0", lambda v: max(v) < 0, lambda v: -abs(v) - 0.1),
            ("all values are above 0", lambda v: min(v) > 0, lambda v: abs(v) + 0.1),
        )
    }


UPDATES = with_each(ALPHA, GAMMA) | with_each(
    STEP_LIMITS,
    REWARD
    | {
        "the first state": _step(lambda it: it.s == 0, lambda it: {"s": 0}),
        "the last state": _step(
            lambda it: it.s == len(it.Q) - 1, lambda it: {"s": len(it.Q) - 1}
        ),
        FIRST: _step(lambda it: it.s_next == 0, lambda it: {"s_next": 0}),
        "the last state comes next": _step(
            lambda it: it.s_next == len(it.Q) - 1, lambda it: {"s_next": len(it.Q) - 1}
        ),
        "the next state is the same": _step(
            lambda it: it.s_next == it.s, lambda it: {"s_next": it.s}
        ),
        "the end": _step(lambda it: it.s_next is None, lambda it: {"s_next": None}),
        "the end, with a reward of 0": _step(
            lambda it: it.s_next is None and it.r == 0,
            lambda it: {"s_next": None, "r": 0.0},
        ),
        "action 0": _step(
            lambda it: it.a == 0,
            lambda it: {
                "Q": _set(it.Q, it.s, {0: 0.25} | it.Q[it.s] | {0: 0.25}),
                "a": 0,
            },
        ),
        "action 8": _step(
            lambda it: it.a == 8,
            lambda it: {"Q": _set(it.Q, it.s, it.Q[it.s] | {8: -0.35}), "a": 8},
        ),
        "one action in this state": _step(
            lambda it: len(it.Q[it.s]) == 1,
            lambda it: {"Q": _set(it.Q, it.s, {it.a: it.Q[it.s][it.a]})},
        ),
        "this action is worth 0": _step(
            lambda it: it.Q[it.s][it.a] == 0,
            lambda it: {"Q": _set(it.Q, it.s, it.Q[it.s] | {it.a: 0.0})},
        ),
        **_of_all(_step),
        "one state": _step(
            lambda it: len(it.Q) == 1,
            lambda it: {"Q": it.Q[:1], "s": 0, "s_next": None},
        ),
    },
)
ARRIVING = with_each(
    STEP_LIMITS,
    of_actions(
        lambda it: None if it.s_next is None else it.Q[it.s_next],
        lambda it, values: _with(it, Q=_set(it.Q, it.s_next, values)),
    ),
)
SARSA = (
    UPDATES
    | ARRIVING
    | {
        "the next action is worth 0": _step(
            lambda it: it.s_next is not None and it.Q[it.s_next][it.a_next] == 0,
            lambda it: {"Q": _set(it.Q, it.s_next, it.Q[it.s_next] | {it.a_next: 0.0})},
        ),
        "action 0 comes next": Boundary(lambda it: it.a_next == 0),
        "action 8 comes next": _step(
            lambda it: it.a_next == 8,
            lambda it: {
                "Q": _set(it.Q, it.s_next, it.Q[it.s_next] | {8: -0.35}),
                "a_next": 8,
            },
        ),
        "a greedy next action": Boundary(
            lambda it: (
                it.s_next is not None
                and it.Q[it.s_next][it.a_next] == max(it.Q[it.s_next].values())
            )
        ),
        "an exploring next action": Boundary(
            lambda it: (
                it.s_next is not None
                and it.Q[it.s_next][it.a_next] < max(it.Q[it.s_next].values())
            )
        ),
    }
)


SARSA_UPDATE = Question(
    answer=sarsa_update,
    cases=cases(
        ("an exploring next action", Q_TABLE, 0, 4, 0, 1, 1, 0.5, 0.9),
        ("a greedy next action", Q_TABLE, 0, 8, 1, 1, 2, 0.1, 1.0),
        ("the end of the game", Q_TABLE, 1, 2, -1, None, None, 0.5, 0.9),
    ),
    draw=draw_sarsa_update,
    boundaries=SARSA,
    mistakes=(
        mistake(
            "greedy target",
            "That is Q-learning: the target of Sarsa is the value of the action that "
            "was chosen in s′, even if it was a random one.",
            ("Q[s_next][a_next]", "max(Q[s_next].values())"),
        ),
        mistake(
            "the new action's entry updated",
            "You change Q(s′, a′). It is Q(s, a) that learns.",
            ("Q[s][a] +=", "new = Q[s][a] +"),
            (
                "return Q",
                "s, a = (s, a) if s_next is None else (s_next, a_next)\n"
                "    Q[s][a] = new\n"
                "    return Q",
            ),
        ),
        mistake(
            "γ forgotten",
            "The value of the next action is discounted by γ.",
            ("gamma * later", "later"),
        ),
        mistake(
            "γ twice",
            "You apply γ twice: it should discount the next value only once.",
            ("gamma * later", "gamma**2 * later"),
        ),
        mistake(
            "reward forgotten",
            "The reward is missing from the target.",
            ("r + gamma", "gamma"),
        ),
        mistake(
            *ZERO_IS_FALSY,
            (
                "0.0 if s_next is None else Q[s_next][a_next]",
                "Q[s_next][a_next] if s_next else 0.0",
            ),
        ),
    ),
    hint="Q(s, a) ← Q(s, a) + α (r + γ Q(s′, a′) − Q(s, a)).",
)


def q_learning_update(Q, s, a, r, s_next, alpha, gamma):
    """Return Q after one step of Q-learning."""
    Q = deepcopy(Q)
    values = [0.0] if s_next is None else list(Q[s_next].values())
    Q[s][a] += alpha * (r + gamma * max(values) - Q[s][a])
    return Q


def draw_q_learning_update(rng):
    """Yield next states with positive values, lost next states, and ends."""
    kinds = ("a next state worth something", "every next action loses")
    for kind in (*kinds, "the end of the game", FIRST) * 4:
        Q = random_table(rng)
        for q in Q[:-1]:
            q[next(iter(q))] = round(float(rng.uniform(0.1, 1)), 2)  # better than 0
        s = int(rng.integers(3))
        a, s_next = int(rng.choice(list(Q[s]))), int(rng.choice([1, 2]))
        s_next = {kinds[0]: s_next, kinds[1]: 3, FIRST: 0}.get(kind)
        args = Q, s, a, float(rng.choice((-1, 1))), s_next, *random_step(rng)
        yield Case(kind, kind in (kinds[1], FIRST), args)
    for number in range(2):
        Q = random_table(rng)
        a = max(Q[1], key=Q[1].get)
        Q[1][a] = Q[3][list(Q[3])[number]] = 0.4
        Q[2] = dict.fromkeys(Q[2], -0.4) | {list(Q[2])[number]: 0.0}
        alpha, gamma = random_step(rng)
        for kind, r, s_next in (
            ("no reward on the way", 0.0, 3),
            ("a draw at the end", 0.0, None),
            ("the same state once more", 0.0, 1),
            ("the largest value is 0", 0.0, 2),
            ("the largest value is 0", 1.0, 2),
        ):
            yield Case(kind, False, (Q, 1, a, r, s_next, alpha, gamma))
        Q = [*Q[:3], {cell: value - 1.5 for cell, value in Q[3].items()}]
        low = "every next action loses more than 1"
        yield Case(low, True, (Q, 1, a, 0.0, 3, alpha, gamma))
    yield from at_boundaries(rng, ordinary_step, UPDATES | ARRIVING, 1)


Q_LEARNING_UPDATE = Question(
    answer=q_learning_update,
    cases=cases(
        ("a next state worth something", Q_TABLE, 0, 4, 0, 2, 0.5, 0.9),
        ("every next action loses*", Q_TABLE, 0, 8, 0, 1, 0.5, 0.9),
        ("the end of the game", Q_TABLE, 1, 2, -1, None, 0.5, 0.9),
    ),
    draw=draw_q_learning_update,
    boundaries=UPDATES | ARRIVING,
    mistakes=(
        mistake(
            "illegal actions count as 0",
            "Where all legal actions lose, your maximum is 0: begin with the first "
            "value, not with 0, and take legal actions only.",
            ("max(values)", "max(0.0, *values)"),
        ),
        mistake(
            "mean instead of maximum",
            "You take the mean over the next actions. Q-learning takes the largest.",
            ("max(values)", "sum(values) / len(values)"),
        ),
        mistake(
            "minimum instead of maximum",
            "You take the worst next action. The agent takes the best.",
            ("max(values)", "min(values)"),
        ),
        mistake(
            "γ forgotten",
            "The value of the next action is discounted by γ.",
            ("gamma * max", "max"),
        ),
        mistake(
            "sign of the reward reversed",
            "The sign of the reward is reversed: a loss of the learner is −1.",
            ("(r +", "(-r +"),
        ),
        mistake(
            "largest action, not its value",
            "`max(Q[s_next])` is the largest cell number: take the largest of the "
            "values, Q[s_next].values().",
            ("list(Q[s_next].values())", "list(Q[s_next])"),
        ),
        mistake(
            *ZERO_IS_FALSY,
            (
                "[0.0] if s_next is None else list(Q[s_next].values())",
                "list(Q[s_next].values()) if s_next else [0.0]",
            ),
        ),
    ),
    hint="Q(s, a) ← Q(s, a) + α (r + γ max Q(s′, ·) − Q(s, a)).",
)


def expected_sarsa_target(Q, r, s_next, gamma, epsilon):
    """Return the target of expected Sarsa for an ε-greedy policy."""
    if s_next is None:
        return float(r)
    q = Q[s_next]
    policy = epsilon_greedy(q, epsilon)
    return float(r + gamma * sum(policy[a] * q[a] for a in q))


def draw_expected_sarsa_target(rng):
    """Yield next states, ends, and next states with ties."""
    kinds = ("a next state", "the end of the game", "equally good actions", FIRST)
    for kind in kinds * 4:
        Q = random_table(rng)
        tie = kind == "equally good actions"
        s_next = {kinds[1]: None, FIRST: 0}.get(kind, int(rng.integers(1, 4)))
        if tie:
            Q[s_next] = with_tie(rng, Q[s_next])
        epsilon, gamma = random_step(rng)
        args = Q, float(rng.choice((-1, 1))), s_next, gamma, epsilon
        yield Case(kind, tie or kind == FIRST, args)
    for number in range(2):
        epsilon, gamma = random_step(rng)
        low, high = -0.7 + number / 10, 0.4 + number / 10
        for kind, q in (
            ("one legal action", {4 + number: high}),
            ("all actions are alike", {1: low, 3: low, 8: low}),
            ("three equally good actions", {1: high, 3: low, 6: high, 8: high}),
            ("action 0 is the best", {0: high, 3: low, 5: low - 0.1}),
            ("action 0 loses", {0: low, 3: low - 0.1, 5: low - 0.3}),
            ("an action of value 0", {0: 0.0, 3: low, 5: low - 0.2}),
        ):
            Q = [*random_table(rng), q]
            yield Case(kind, False, (Q, 0.0, 4, gamma, epsilon))

    def ordinary(rng):
        epsilon, gamma = random_step(rng)
        args = {"Q": random_table(rng), "r": float(rng.choice((-1, 1))), "s_next": 2}
        return args | {"gamma": gamma, "epsilon": epsilon}

    yield from at_boundaries(rng, ordinary, TARGETS, 1)


TARGETS = with_each(GAMMA, EPSILON) | with_each(
    GAMMA | EPSILON,
    REWARD
    | of_actions(
        lambda it: None if it.s_next is None else it.Q[it.s_next],
        lambda it, values: {"Q": _set(it.Q, it.s_next, values)},
    )
    | {
        FIRST: is_at(s_next=0),
        "the last state comes next": Boundary(
            lambda it: it.s_next == len(it.Q) - 1,
            lambda it, rng: {"s_next": len(it.Q) - 1},
        ),
        "the end": is_at(s_next=None),
        "the end, with a reward of 0": is_at(s_next=None, r=0.0),
        "all values are 0": Boundary(
            lambda it: not any(_all(it.Q)),
            lambda it, rng: {"Q": _each(it, lambda v: 0.0)},
        ),
        "one state": Boundary(
            lambda it: len(it.Q) == 1, lambda it, rng: {"Q": it.Q[:1], "s_next": 0}
        ),
    },
)


EXPECTED_SARSA_TARGET = Question(
    answer=expected_sarsa_target,
    cases=cases(
        ("a next state", Q_TABLE, 0, 0, 0.9, 0.3),
        ("a next state", Q_TABLE, 1, 1, 0.5, 0.4),
        ("the end of the game", Q_TABLE, -1, None, 0.9, 0.1),
        ("equally good actions*", Q_TABLE, 0, 2, 0.9, 0.1),
    ),
    draw=draw_expected_sarsa_target,
    boundaries=TARGETS,
    mistakes=(
        mistake(
            "greedy target",
            "You take the best action. With probability ε the next move is random.",
            ("(q, epsilon)", "(q, 0.0)"),
        ),
        mistake(
            "random target",
            "You weight all actions equally. With probability 1 − ε the best is taken.",
            ("(q, epsilon)", "(q, 1.0)"),
        ),
        Mistake(
            "exploring elsewhere",
            "A random move can be the best one, too: every action gets ε / n.",
            mutate(expected_sarsa_target, epsilon_greedy=exploring_elsewhere),
        ),
        mistake(
            "γ forgotten",
            "The value of the next action is discounted by γ.",
            ("gamma * sum", "sum"),
        ),
        mistake(*ZERO_IS_FALSY, ("if s_next is None:", "if not s_next:")),
    ),
    hint="r + γ Σ π(a|s′) Q(s′, a), where π is ε-greedy in Q.",
)


def learn_game(Q, moves, result, alpha):
    """Return Q after a game; the target of the last move is the result."""
    Q = deepcopy(Q)
    for (s, a), (s_next, _) in pairwise(moves):
        Q[s][a] += alpha * (max(Q[s_next].values()) - Q[s][a])
    s, a = moves[-1]
    Q[s][a] += alpha * (result - Q[s][a])
    return Q


def learn_from_the_end(Q, moves, result, alpha):
    """Return Q after updates from the end of a game to its beginning."""
    Q = deepcopy(Q)
    s, a = moves[-1]
    Q[s][a] += alpha * (result - Q[s][a])
    for (s, a), (s_next, _) in reversed(list(pairwise(moves))):
        Q[s][a] += alpha * (max(Q[s_next].values()) - Q[s][a])
    return Q


def draw_learn_game(rng):
    """Yield games that are won, drawn and lost."""
    names = {1: "a win", 0: "a draw", -1: "a loss"}
    for result in (1, 0, -1) * 4:
        Q = random_table(rng)
        states = sorted(rng.choice(4, size=int(rng.integers(2, 4)), replace=False))
        moves = [(int(s), int(rng.choice(list(Q[int(s)])))) for s in states]
        yield Case(names[result], False, (Q, moves, result, 0.5))
    for result in (1, 0, -1):
        Q = random_table(rng)
        for kind, states in (
            ("a step size of .1", (0, 2)),
            ("states in another order", (2, 0, 1)),
            ("four moves", (3, 0, 2, 1)),
        ):
            moves = [(s, int(rng.choice(list(Q[s])))) for s in states]
            yield Case(kind, False, (Q, moves, result, 0.1))

    def ordinary(rng):
        Q = random_table(rng)
        moves = [(s, int(rng.choice(list(Q[s])))) for s in (1, 3, 2)]
        result = int(rng.choice((1, -1)))
        return {"Q": Q, "moves": moves, "result": result, "alpha": 0.5}

    yield from at_boundaries(rng, ordinary, GAMES, 1)


def _moves(holds, states):
    """Return the Boundary of games through these states."""
    return Boundary(
        lambda it: holds([s for s, _ in it.moves], len(it.Q)),
        lambda it, rng: {
            "moves": [(s, int(rng.choice(list(it.Q[s])))) for s in states]
        },
    )


def _next(it, holds):
    """Return whether a predicate holds for the values of a next state."""
    return any(holds([*it.Q[s].values()]) for s, _ in it.moves[1:])


GAMES = with_each(
    ALPHA,
    {f"a result of {result}": is_at(result=result) for result in (1, 0, -1)}
    | {
        f"one move, and a result of {result}": Boundary(
            lambda it, result=result: len(it.moves) == 1 and it.result == result,
            lambda it, rng, result=result: {"moves": it.moves[:1], "result": result},
        )
        for result in (1, 0, -1)
    }
    | {
        "two moves": _moves(lambda s, n: len(s) == 2, (1, 2)),
        "every state": _moves(lambda s, n: sorted(s) == [*range(n)], (2, 0, 3, 1)),
        "state 0 at first": _moves(lambda s, n: s[0] == 0 and len(s) > 1, (0, 2, 1)),
        "state 0 at last": _moves(lambda s, n: s[-1] == 0 and len(s) > 1, (1, 2, 0)),
        "state 0 between": _moves(lambda s, n: 0 in s[1:-1], (1, 0, 2)),
        "the last entry at first": _moves(
            lambda s, n: s[0] == n - 1 and len(s) > 1, (3, 1, 2)
        ),
        "the last entry at last": _moves(
            lambda s, n: s[-1] == n - 1 and len(s) > 1, (1, 2, 3)
        ),
        **_of_all(_plain),
        "one action in each state": Boundary(
            lambda it: len(it.moves) > 1 and all(len(q) == 1 for q in it.Q),
            lambda it, rng: {
                "Q": [{a: v} for q in it.Q for a, v in [*q.items()][:1]],
                "moves": [(s, next(iter(it.Q[s]))) for s, _ in it.moves],
            },
        ),
        "the largest next value is 0": Boundary(
            lambda it: _next(it, lambda v: max(v) == 0),
            lambda it, rng: {"Q": [{a: -i / 4 for i, a in enumerate(q)} for q in it.Q]},
        ),
        "two next values are the largest": Boundary(
            lambda it: _next(it, lambda v: v.count(max(v)) == 2),
            lambda it, rng: {
                "Q": [{a: 0.5 - (i > 1) for i, a in enumerate(q)} for q in it.Q]
            },
        ),
        "action 0": Boundary(
            lambda it: it.moves[-1][1] == 0,
            lambda it, rng: {
                "Q": [{0: -0.3} | q for q in it.Q],
                "moves": [(s, 0) for s, _ in it.moves],
            },
        ),
        "action 8": Boundary(
            lambda it: it.moves[-1][1] == 8,
            lambda it, rng: {
                "Q": [q | {8: -0.3} for q in it.Q],
                "moves": [(s, 8) for s, _ in it.moves],
            },
        ),
    },
)


LEARN_GAME = Question(
    answer=learn_game,
    cases=cases(
        ("a loss", Q_TABLE, [(0, 4), (1, 2)], -1, 0.5),
        ("a win", Q_TABLE, [(0, 8), (2, 3)], 1, 0.1),
        ("a draw", Q_TABLE, [(0, 0), (2, 5)], 0, 0.5),
    ),
    draw=draw_learn_game,
    boundaries=GAMES,
    mistakes=(
        mistake(
            "not repaired",
            "A loss still changes nothing: the opponent's winning reply has to reach "
            "the learner's last move.",
            ("alpha * (result", "(result >= 0) * alpha * (result"),
        ),
        mistake(
            "result to the first move",
            "The result belongs to the last move of the learner.",
            ("moves[-1]", "moves[0]"),
        ),
        Mistake(
            "from the end",
            "You learn from the last move to the first, so one game changes more "
            "values than the question wants: begin with the first move.",
            learn_from_the_end,
        ),
        mistake(
            "result to every move",
            "Every move gets the result. Before the last one the target is the largest "
            "value of the next state.",
            ("max(Q[s_next].values())", "result"),
        ),
    ),
    hint="From the first move to the last: a move's target is the largest value of "
    "the learner's next state, and that of the last move is the result.",
)


def q_learn(values, chosen, result):
    """Return the new value of each move of a game, learned from its end."""
    new, target = [], result
    for q, i in zip(reversed(values), reversed(chosen), strict=True):
        q = [*q]
        q[i] += 0.5 * (target - q[i])
        target = -max(q)  # what is good for the opponent is bad for this player
        new.append(q[i])
    return new[::-1]


Q_LEARN = training(
    q_learn,
    "On the next board the opponent moves: its best value there, with the opposite "
    "sign, is the target of your move. If the update is right, check your step size.",
)
