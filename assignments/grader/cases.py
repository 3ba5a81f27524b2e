"""How hidden cases are drawn: every kind of board often enough, all from one generator.

The generator comes from the secret of the class, so that whoever reads this file knows
what kinds of cases there are, and not one of them.
"""

import hashlib

import numpy as np

from ttt_lib import check, questions, search
from ttt_lib.game import symmetry_class, tables


def draw(secret, assignment, question):
    """Return the hidden Cases of a question: the same for the whole class."""
    if check.QUESTIONS[question].is_value:
        return check.QUESTIONS[question].cases
    seed = hashlib.sha256(f"{secret}/{assignment}/{question}".encode()).digest()
    return tuple(KINDS[question](np.random.default_rng(list(seed))))


def _some(rng, positions, count, kind, special=False):
    """Yield Cases for `count` boards drawn from an array of positions."""
    board = tables().board
    for s in rng.choice(positions, size=min(count, len(positions)), replace=False):
        yield questions.Case(kind, special, (board[s].astype(int),))


def winner(rng):
    """Yield boards with each of the eight lines, of both players, and with none."""
    game = tables()
    owns = np.abs(game.board[:, game.lines].sum(axis=2)) == 3  # (S, 8)
    for number, line in enumerate(game.lines.tolist()):
        kind = "a row" if line[1] == line[0] + 1 else "a column"
        if line in ([0, 4, 8], [2, 4, 6]):
            kind = f"the diagonal from cell {line[0]} to cell {line[2]}"
        only = owns[:, number] & (owns.sum(axis=1) == 1)
        for player in (+1, -1):
            found = np.flatnonzero(only & (game.outcome == player))
            yield from _some(rng, found, 2, kind, line == [2, 4, 6])
    marks = np.abs(game.board).sum(axis=1)
    for few, most in ((0, 4), (5, 7), (8, 9)):
        found = (game.outcome == 0) & (marks >= few) & (marks <= most)
        yield from _some(rng, np.flatnonzero(found), 3, "no line")


def class_size(rng):
    """Yield boards with eight, four, two and one different images."""
    game = tables()
    size = np.bincount(symmetry_class(game))[symmetry_class(game)]
    yield from _some(rng, np.flatnonzero(size == 8), 6, "eight different images")
    yield from _some(rng, np.flatnonzero(size == 4), 6, "four different images")
    few = "one or two different images"
    yield from _some(rng, np.flatnonzero(size == 2), 4, few, special=True)
    yield from _some(rng, np.flatnonzero(size == 1), 2, few, special=True)


def count_games(rng):
    """Yield boards with four to eight marks, and finished ones."""
    game = tables()
    marks = np.abs(game.board).sum(axis=1)
    names = {4: "five", 5: "four", 6: "three", 7: "two", 8: "one"}
    for n, name in names.items():
        kind = f"{name} empty cell{'s' if n < 8 else ''}"
        found = np.flatnonzero((marks == n) & ~game.terminal)
        yield from _some(rng, found, 3, kind)
    for won in (True, False):
        found = np.flatnonzero(game.terminal & ((game.outcome != 0) == won))
        yield from _some(rng, found, 3, "the game is over", special=True)


def can_occur(rng):
    """Yield boards of every kind that can occur, and of every kind that cannot."""
    digits = np.arange(3**9)[:, np.newaxis] // 3 ** np.arange(9) % 3
    boards = np.where(digits == 2, -1, digits)
    ahead = boards.sum(axis=1)
    x, o = ((boards[:, tables().lines] == p).all(axis=2).any(axis=1) for p in (1, -1))
    turns, none = (ahead == 0) | (ahead == 1), ~x & ~o
    kinds = {
        "an unfinished board": turns & none & (boards == 0).any(axis=1),
        "a draw": turns & none & (boards != 0).all(axis=1),
        "a win by X": x & ~o & (ahead == 1),
        "a win by O": o & ~x & (ahead == 0),
        "wrong counts": ~turns & none,
        "both own a line": x & o & turns,
        "X owns a line, and O has moved on": x & ~o & (ahead == 0),
        "O owns a line, and X has moved on": o & ~x & (ahead == 1),
    }
    for kind, which in kinds.items():
        for number in rng.choice(np.flatnonzero(which), size=4, replace=False):
            yield questions.Case(kind, False, (boards[number].astype(int),))


# Models as the assignments write them: a list of states, a state a dict of its actions,
# an action a list of (probability, reward, next state)


def _model(rng, rewards, states=6, ends=0.3, proper=False):
    """Return a random model; its actions are cells, so their numbers have gaps.

    If it is to be proper, every action may end the episode: then sweeps settle at any
    discount, also where somebody has forgotten it.
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


def _values(rng, states=6, low=-1.0):
    return [round(float(v), 2) for v in rng.uniform(low, 1, size=states)]


def _has_end(model, s):
    return any(n is None for outcomes in model[s].values() for _, _, n in outcomes)


def backup(rng):
    """Yield states with and without ends among the next ones, and lost ones."""
    wanted = {
        ("one end among the next states", False): 6,
        ("no end among the next states", False): 6,
        ("every action loses", True): 4,
    }
    while any(wanted.values()):
        lost = rng.random() < 0.4
        model = _model(rng, (-1, 0) if lost else (-1, 0, 0.5, 1))
        V = [-abs(v) for v in _values(rng)] if lost else _values(rng)
        s, gamma = int(rng.integers(len(model))), float(rng.choice((0.5, 0.8, 0.9)))
        value = questions.BACKUP.answer(model, V, s, gamma)
        if value < -0.05:
            kind = ("every action loses", True)
        elif value > 0.05 and _has_end(model, s):
            kind = ("one end among the next states", False)
        elif value > 0.05:
            kind = ("no end among the next states", False)
        else:
            continue
        if wanted[kind]:
            wanted[kind] -= 1
            yield questions.Case(*kind, (model, V, s, gamma))


def value_iteration(rng):
    """Yield problems worth something in every state, and problems that only lose."""
    wanted = {False: 6, True: 4}
    while any(wanted.values()):
        lost = not wanted[False]
        rewards = (-1, -0.5) if lost else (-1, 0, 0.5, 1)
        model = _model(rng, rewards, ends=0.1, proper=True)
        gamma = float(rng.choice((0.5, 0.8, 0.9)))
        V = questions.VALUE_ITERATION.answer(model, gamma)
        if lost or min(V) > 0.01:
            wanted[lost] -= 1
            kind = "every action loses" if lost else "a game"
            yield questions.Case(kind, lost, (model, gamma))


def _gaps(model, V, gamma):
    """Return by how much the best action of each state leads, and whether any ties."""
    gaps = []
    for s in range(len(model)):
        q = sorted(questions.action_value(model, V, s, a, gamma) for a in model[s])
        gaps.append(q[-1] - q[-2])
    return gaps


def greedy_actions(rng):
    """Yield problems with one best action in each state, and with ties."""
    wanted = {False: 8, True: 4}
    while any(wanted.values()):
        model, V = _model(rng, (-1, 0, 0.5, 1)), _values(rng)
        gamma = float(rng.choice((0.5, 0.8, 0.9)))
        if min(_gaps(model, V, gamma)) < 1e-3:
            continue
        tie = not wanted[False]
        if tie:  # give some state a second best action, as good as the first
            s = int(rng.integers(len(model)))
            best = questions.GREEDY_ACTIONS.answer(model, V, gamma)[s]
            free = [a for a in range(9) if a not in model[s]]
            model[s][int(rng.choice(free))] = model[s][best]
        wanted[tie] -= 1
        kind = "two actions equally good" if tie else "one best action"
        yield questions.Case(kind, tie, (model, V, gamma))


def solve(rng):
    """Yield problems in which the discount decides, in three ways, and others."""
    wanted = {(True, True, True): 3, (True, True, False): 4, (False, False, False): 3}
    answer = questions.SOLVE.answer
    while any(wanted.values()):
        P = rng.dirichlet(np.full(6, 0.5), size=(3, 5))[:, :, :5]  # the rest ends
        R = rng.choice((-1, 0, 0.5, 1), size=(3, 5)).astype(float)
        P, gamma = np.round(P, 3), float(rng.choice((0.3, 0.5, 0.7)))
        V, policy = answer(P, R, gamma)
        q = np.sort(R + gamma * P @ V, axis=0)
        if (q[-1] - q[-2]).min() < 1e-3:
            continue
        at_09, at_1 = (answer(P, R, gamma, other)[1].tolist() for other in (0.9, 1))
        policy = policy.tolist()
        decides = at_09 != policy, at_1 != policy, at_09 != at_1
        if wanted.get(decides):
            wanted[decides] -= 1
            yield questions.Case(f"a discount of {gamma}", False, (P, R, gamma))


def legal_actions(rng):
    """Yield unfinished boards of every size, and finished ones with empty cells."""
    game = tables()
    marks = np.abs(game.board).sum(axis=1)
    for few, most in ((1, 3), (4, 5), (6, 8)):
        found = ~game.terminal & (marks >= few) & (marks <= most)
        yield from _some(rng, np.flatnonzero(found), 4, "an unfinished board")
    for full in (True, False):
        found = np.flatnonzero(game.terminal & ((marks == 9) == full))
        yield from _some(rng, found, 4, "the game is over", special=True)


def outcomes(rng):
    """Yield actions that win, that end the game, and that leave O one or more wins."""
    wanted = {
        "the opponent answers": 5,
        "the action wins": 4,
        "the opponent may win": 5,
        "the opponent may win in two ways": 3,
        "the last cell": 3,
    }
    game = tables()
    states = np.flatnonzero(~game.terminal & (game.to_move == 1))
    marks = np.abs(game.board).sum(axis=1)
    late = states[marks[states] == 8]
    while any(wanted.values()):
        s = rng.choice(late if wanted["the last cell"] else states)
        a = int(rng.choice(np.flatnonzero(game.legal[s])))
        after = game.next[s, a]
        losses = (game.outcome[game.successor[after, : game.count[after]]] == -1).sum()
        if game.outcome[after] == 1:
            kind = "the action wins"
        elif game.terminal[after]:
            kind = "the last cell"
        else:
            kind = ("the opponent answers", "the opponent may win")[min(losses, 1)]
            kind += " in two ways" if losses > 1 else ""
        if wanted[kind]:
            wanted[kind] -= 1
            board = game.board[s].astype(int)
            yield questions.Case(kind, False, (board, a))


def _rewards(rng, least=2):
    found = [
        float(r) for r in rng.choice((-1, 0, 0.5, 1, 2), size=rng.integers(least, 7))
    ]
    return [1.0, *found[:-1], -1.0]  # neither end is 0, so that both are seen


def discounted_return(rng):
    """Yield rewards with and without a discount, and none."""
    for _ in range(8):
        gamma = float(rng.choice((0.5, 0.8, 0.9)))
        yield questions.Case("rewards on the way", False, (_rewards(rng), gamma))
    yield questions.Case("no discount", False, (_rewards(rng), 1.0))
    yield questions.Case("no reward at all", True, ([], 0.9))


def best_value(rng):
    """Yield action values with illegal actions that look better, or like a way out."""
    for kind in ("every legal action loses", "an illegal action looks best") * 5:
        legal = [bool(ok) for ok in rng.permutation([True] * 4 + [False] * 5)]
        q = [0.0 if not ok else round(float(rng.uniform(-1, -0.1)), 2) for ok in legal]
        if kind != "every legal action loses":
            q = [
                abs(v) if ok else round(float(rng.uniform(1.1, 2)), 2)
                for v, ok in zip(q, legal, strict=True)
            ]
        yield questions.Case(kind, False, (q, legal))
    for _ in range(2):
        yield questions.Case("no legal action", True, ([0.0] * 9, [False] * 9))


def _policy(rng, model):
    """Return random probabilities that are far from alike."""
    policy = []
    for state in model:
        weights = rng.permutation([4, 2, 1, 1][: len(state)])
        shares = weights / weights.sum()
        policy.append({a: float(p) for a, p in zip(state, shares, strict=True)})
    return policy


def expected_backup(rng):
    """Yield states with and without ends among the next ones."""
    wanted = {True: 6, False: 6}
    while any(wanted.values()):
        model, V = _model(rng, (-1, 0.5, 1)), _values(rng)
        s, gamma = int(rng.integers(len(model))), float(rng.choice((0.5, 0.8, 0.9)))
        if wanted[ends := _has_end(model, s)]:
            wanted[ends] -= 1
            kind = f"{'one' if ends else 'no'} end among the next states"
            args = model, V, s, _policy(rng, model), gamma
            yield questions.Case(kind, False, args)


def evaluate(rng):
    """Yield problems with a policy each."""
    for gamma in (0.5, 0.8, 0.9, 0.9, 1.0, 1.0):
        model = _model(rng, (-1, 0.5, 1), ends=0.1, proper=True)
        kind = "a game" if gamma < 1 else "a discount of 1"
        yield questions.Case(kind, False, (model, _policy(rng, model), gamma))


def improve(rng):
    """Yield policies with a better one, and policies as good as the best."""
    for number in range(12):
        q = [_q(rng, int(rng.integers(2, 5))) for _ in range(5)]
        kind = "a better action exists"
        old = [int(rng.choice(list(values))) for values in q]
        if number % 2:  # a second best action in every state; one of the two is old
            kind = "the old action is as good as the best"
            q = [_tie(rng, values) for values in q]
            best = [[a for a in v if v[a] == max(v.values())] for v in q]
            old = [int(rng.choice(actions)) for actions in best]
        yield questions.Case(kind, False, (q, old))


def _by_value(rng, count, finished=True):
    """Yield boards with at most five empty cells, by value and by side to move."""
    game = tables()
    value = game.outcome + search.solve(game).V
    late = np.abs(game.board).sum(axis=1) >= 4
    for outcome, name in ((1, "X wins"), (0, "a draw"), (-1, "O wins")):
        for side, mark in ((1, "X"), (-1, "O")):
            found = late & ~game.terminal & (value == outcome) & (game.to_move == side)
            kind = f"{mark} to move, {name}"
            yield from _some(rng, np.flatnonzero(found), count, kind)
        if finished:
            found = np.flatnonzero(game.terminal & (game.outcome == outcome))
            yield from _some(rng, found, 2, "the game is over")


def minimax(rng):
    """Yield boards of every value, whoever is to move, and finished ones."""
    yield from _by_value(rng, 3)


def best_moves(rng):
    """Yield boards of every value, whoever is to move."""
    yield from _by_value(rng, 3, finished=False)


def count_nodes(rng):
    """Yield boards with five to one empty cells, and finished ones."""
    for case in count_games(rng):
        yield case._replace(special=False)


def negamax(rng):
    """Yield small trees whose root is won, drawn and lost."""
    wanted = {1: 4, 0: 4, -1: 4}
    names = {1: "who moves wins", 0: "a draw", -1: "who moves loses"}
    while any(wanted.values()):
        children = [[] for _ in range(12)]
        for s in range(1, 12):
            children[int(rng.integers(max(0, s - 5), s))].append(s)
        leaves = [0 if below else int(rng.integers(-1, 2)) for below in children]
        value = questions.NEGAMAX.answer(children, leaves)[0]
        if wanted[value]:
            wanted[value] -= 1
            yield questions.Case(names[value], False, (children, leaves))


# Learning


def running_mean(rng):
    """Yield lists of rewards."""
    for _ in range(8):
        yield questions.Case("a few rewards", False, (_rewards(rng),))


def _q(rng, actions=4, low=-1.0):
    cells = sorted(rng.choice(9, size=actions, replace=False).tolist())
    values = rng.permutation(np.linspace(low, low + 1.2, 9))[:actions]
    return {a: round(float(v), 3) for a, v in zip(cells, values, strict=True)}


def _tie(rng, q):
    """Return q with a second best action."""
    free = [a for a in range(9) if a not in q]
    return q | {int(rng.choice(free)): max(q.values())}


def epsilon_greedy(rng):
    """Yield action values with one best action, and with several."""
    for _ in range(8):
        epsilon = float(rng.choice((0.1, 0.2, 0.4)))
        q = _q(rng, int(rng.integers(2, 7)))
        yield questions.Case("one best action", False, (q, epsilon))
    for _ in range(3):
        yield questions.Case("equally good actions", True, (_tie(rng, _q(rng)), 0.2))


def beads_after(rng):
    """Yield boxes and results, and boxes that have no bead to lose."""
    names = {1: "a win", 0: "a draw", -1: "a loss"}
    for result in (1, 0, -1) * 3:
        box = {a: int(rng.integers(1, 9)) for a in _q(rng)}
        cell = int(rng.choice(list(box)))
        yield questions.Case(names[result], False, (box, cell, result))
    for _ in range(2):
        box = {a: int(rng.integers(1, 9)) for a in _q(rng)}
        cell = int(rng.choice(list(box)))
        yield questions.Case("no bead is left", True, (box | {cell: 0}, cell, -1))


def chosen_cell(rng):
    """Yield boards on which the cell and its place among the empty ones differ."""
    game = tables()
    states = np.flatnonzero(~game.terminal & (game.count >= 3) & (game.count <= 8))
    wanted = 10
    while wanted:
        board = game.board[rng.choice(states)].astype(int)
        values = rng.permutation(np.linspace(-0.9, 0.9, int((board == 0).sum())))
        best = int(values.argmax())
        if np.flatnonzero(board == 0)[best] != best:
            wanted -= 1
            values = [round(float(v), 3) for v in values]
            yield questions.Case("some cells taken", False, (board, values))


def _step(rng):
    return float(rng.choice((0.1, 0.3, 0.5))), float(rng.choice((0.5, 0.8, 0.9)))


def td_update(rng):
    """Yield moves in a game, moves with a reward, and last moves."""
    for kind in (
        "an unfinished game",
        "a reward on the way",
        "the end of the game",
    ) * 3:
        V = [v + 0.05 for v in _values(rng)]
        s, s_next = (int(i) for i in rng.choice(6, size=2, replace=False))
        r = 0.0 if kind == "an unfinished game" else float(rng.choice((-1, 1)))
        s_next = None if kind == "the end of the game" else s_next
        yield questions.Case(kind, False, (V, s, r, s_next, *_step(rng)))


def n_step_return(rng):
    """Yield rewards and an estimate, with and without a discount."""
    for number in range(8):
        last = round(float(rng.uniform(0.2, 1)), 2)
        gamma = 1.0 if number == 7 else float(rng.choice((0.5, 0.8, 0.9)))
        kind = "no discount" if gamma == 1 else "some rewards"
        yield questions.Case(kind, False, (_rewards(rng), last, gamma))


def backward_sweep(rng):
    """Yield games of several lengths."""
    for length in (3, 4, 5, 6) * 2:
        states = rng.choice(8, size=length, replace=False).tolist()
        args = _values(rng, 8), states, float(rng.choice((0.1, 0.5)))
        yield questions.Case("some states", False, args)


def separate_tables(rng):
    """Yield two to four learners, each with lessons."""
    for learners in (2, 3, 4) * 3:
        lessons = [
            [(int(rng.integers(3)), float(rng.choice((-1, 1)))) for _ in range(3)]
            for _ in range(learners)
        ]
        args = _values(rng, 3), lessons, float(rng.choice((0.1, 0.5)))
        yield questions.Case(f"{learners} learners", False, args)


def _q_table(rng, states=4):
    """Return a table whose last state only loses."""
    low = [-0.6] * (states - 1) + [-2.0]
    return [_q(rng, int(rng.integers(3, 5)), least) for least in low]


def sarsa_update(rng):
    """Yield exploring and greedy next actions, and ends."""
    kinds = ("an exploring next action", "a greedy next action", "the end of the game")
    for kind in kinds * 4:
        Q = _q_table(rng)
        s, s_next = (int(i) for i in rng.choice(4, size=2, replace=False))
        a, q = int(rng.choice(list(Q[s]))), Q[s_next]
        a_next = (min if kind == kinds[0] else max)(q, key=q.get)
        r = float(rng.choice((-1, 1)))
        if kind == kinds[2]:
            s_next = a_next = None
        args = Q, s, a, r, s_next, a_next, *_step(rng)
        yield questions.Case(kind, False, args)


def q_learning_update(rng):
    """Yield next states worth something, next states that only lose, and ends."""
    kinds = ("a next state worth something", "every next action loses")
    for kind in (*kinds, "the end of the game") * 4:
        Q = _q_table(rng)
        for q in Q[:-1]:
            q[next(iter(q))] = round(float(rng.uniform(0.1, 1)), 2)  # better than 0
        s = int(rng.integers(3))
        a, s_next = int(rng.choice(list(Q[s]))), int(rng.choice([0, 1, 2]))
        s_next = {kinds[0]: s_next, kinds[1]: 3}.get(kind)
        args = Q, s, a, float(rng.choice((-1, 1))), s_next, *_step(rng)
        yield questions.Case(kind, kind == kinds[1], args)


def expected_sarsa_target(rng):
    """Yield next states, ends, and next states with ties."""
    for kind in ("a next state", "the end of the game", "equally good actions") * 4:
        Q = _q_table(rng)
        tie = kind == "equally good actions"
        s_next = None if kind == "the end of the game" else int(rng.integers(4))
        if tie:
            Q[s_next] = _tie(rng, Q[s_next])
        epsilon, gamma = _step(rng)
        args = Q, float(rng.choice((-1, 1))), s_next, gamma, epsilon
        yield questions.Case(kind, tie, args)


def learn_game(rng):
    """Yield games that are won, drawn and lost."""
    names = {1: "a win", 0: "a draw", -1: "a loss"}
    for result in (1, 0, -1) * 4:
        Q = _q_table(rng)
        states = sorted(rng.choice(4, size=int(rng.integers(2, 4)), replace=False))
        moves = [(int(s), int(rng.choice(list(Q[int(s)])))) for s in states]
        yield questions.Case(names[result], False, (Q, moves, result, 0.5))


KINDS = {
    name: function
    for name, function in globals().items()
    if name in check.QUESTIONS and callable(function)
}
