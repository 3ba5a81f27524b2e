"""A game as a decision problem: actions, outcomes, returns.

It is long because all questions of a topic are in one file, where a teacher adds more.
"""

from types import SimpleNamespace

import numpy as np

from assignments.questions.boundaries import (
    CELLS,
    EACH_BOARD,
    EACH_NUMBER,
    FINISHED,
    GAMMA,
    LINES,
    NO_REWARD,
    REWARDS,
    Boundary,
    at_boundaries,
    boards_at,
    is_at,
    marks,
    owned,
    owns,
    with_each,
)
from assignments.questions.chance import random_boards, random_rewards
from assignments.questions.game import finished_boards, winner
from assignments.questions.question import Question, cases, cells, mistake
from ttt_lib.check.judge import Case
from ttt_lib.game import tables


def legal_actions(board):
    """Return the cells in which a mark may be put, in rising order."""
    if winner(board) != 0:
        return []
    return np.flatnonzero(np.asarray(board) == 0).tolist()


def draw_legal_actions(rng):
    """Yield unfinished boards of every size, and finished ones with empty cells."""
    game = tables()
    count = marks(game.board)
    for few, most in ((1, 3), (4, 5), (6, 8)):
        unfinished = ~game.terminal & (count >= few) & (count <= most)
        states = np.flatnonzero(unfinished)
        yield from random_boards(rng, states, 4, "an unfinished board")
    yield Case("the empty board", False, (np.zeros(9, dtype=int),))
    yield from finished_boards(rng, 3)
    found = np.flatnonzero(game.terminal & (count == 5))
    yield from random_boards(rng, found, 3, "X has won with its third mark", True)
    yield from boards_at(rng, game.board, EACH_NUMBER | CELLS)
    yield from boards_at(rng, game.board, FINISHED, half_credit=True)


LEGAL_ACTIONS = Question(
    answer=legal_actions,
    cases=cases(
        ("an unfinished board", cells("XO./.X./...")),
        ("an unfinished board", cells("XOX/XOO/.X.")),
        ("X has won*", cells("XXX/OO./...")),
        ("a draw*", cells("XOX/XOO/OXX")),
    ),
    draw=draw_legal_actions,
    boundaries=EACH_BOARD | CELLS,
    mistakes=(
        mistake(
            "finished boards not masked",
            "After a line no move is legal, even if cells are empty.",
            ("winner(board) != 0", "False"),
        ),
        mistake(
            "taken cells",
            "These are the taken cells. The legal ones are empty.",
            ("winner(board) != 0", "False"),
            ("np.asarray(board) == 0", "board"),
        ),
        mistake(
            "renumbered",
            "You renumber the empty cells. An action is the number of its cell.",
            (
                "np.flatnonzero(np.asarray(board) == 0).tolist()",
                "list(range(np.sum(np.asarray(board) == 0)))",
            ),
        ),
    ),
    hint="First check whether the game is over; then list the empty cells in rising "
    "order.",
)


def outcomes(board, action):
    """Return {outcome of an action: probability} against random replies."""
    after = np.array(board)
    after[action] = 1
    if winner(after) == 1:
        return {"win": 1.0}
    empty = np.flatnonzero(after == 0)
    if len(empty) == 0:
        return {"draw": 1.0}
    chances = {}
    for cell in empty:
        then = after.copy()
        then[cell] = -1
        name = "".join(".XO"[int(mark)] for mark in then)
        if winner(then) == -1:
            name = "loss"
        chances[name] = chances.get(name, 0) + 1 / len(empty)
    return chances


def could_win(board):
    """Return whether O has a line after one more mark."""
    lines = board[tables().lines]
    return bool(((lines == -1).sum(axis=1) == 2)[(lines == 0).any(axis=1)].any())


def draw_outcomes(rng):
    """Yield actions that win, that end the game, and that leave O one or more wins."""
    wanted = {
        "the opponent answers": 5,
        "the action wins": 3,
        "the action wins, where O could have won": 3,
        "the action wins in the last cell": 2,
        "the action makes two lines": 2,
        "many empty cells": 4,
        "the opponent may win": 5,
        "the opponent may win in two ways": 3,
        "the last cell": 3,
    }
    game = tables()
    states = np.flatnonzero(~game.terminal & (game.to_move == 1))
    count = marks(game.board)
    late = states[count[states] == 8]
    lines = (game.board[:, game.lines] == 1).all(axis=2).sum(axis=1)  # of X
    double = np.flatnonzero(lines == 2)
    before = np.flatnonzero(np.isin(game.next, double).any(axis=1))
    while any(wanted.values()):
        last = wanted["the last cell"] or wanted["the action wins in the last cell"]
        s = rng.choice(late if last else states)
        if wanted["the action makes two lines"]:
            s = rng.choice(before)
        a = int(rng.choice(np.flatnonzero(game.legal[s])))
        after = game.next[s, a]
        losses = (game.outcome[game.successor[after, : game.count[after]]] == -1).sum()
        if game.outcome[after] == 1:
            kind = "the action wins"
            if after in double:
                kind = "the action makes two lines"
            elif count[after] == 9:
                kind += " in the last cell"
            elif could_win(game.board[after]):
                kind += ", where O could have won"
        elif game.terminal[after]:
            kind = "the last cell"
        else:
            kind = ("the opponent answers", "the opponent may win")[min(losses, 1)]
            kind += " in two ways" if losses > 1 else ""
            if count[after] < 4:
                kind = "many empty cells"
        if wanted[kind]:
            wanted[kind] -= 1
            board = game.board[s].astype(int)
            yield Case(kind, False, (board, a))
    pairs = np.argwhere(game.legal & (game.to_move == 1)[:, np.newaxis])
    it = SimpleNamespace(board=game.board[pairs[:, 0]], action=pairs[:, 1])
    for kind, boundary in ACTIONS.items():
        s, a = pairs[rng.choice(np.flatnonzero(boundary.holds(it)))]
        yield Case(kind, False, (game.board[s].astype(int), int(a)))


def _after(it):
    """Return the board after X's action."""
    cell = np.asarray(it.action)[..., np.newaxis] == np.arange(9)
    return np.where(cell, 1, it.board)


def _losses(it):
    """Return how many replies make a line of O, or 0 if the game is over before."""
    after = _after(it)
    answers = [
        (after[..., cell] == 0)
        & owns(np.where(np.arange(9) == cell, -1, after), -1)
        & ~owns(after, 1)
        for cell in range(9)
    ]
    return np.sum(answers, axis=0)


def _action(holds, *values):
    return Boundary(lambda it: holds(it, *values))


def _makes(it, line):
    return owns(_after(it), 1, [line])


def _may_lose(it, line):
    after = _after(it)
    two = ((after[..., line] == -1).sum(-1) == 2) & (after[..., line] == 0).any(-1)
    return two & ~owns(after, 1)


ACTIONS = {
    f"{marks_before} marks before": _action(
        lambda it, count: marks(it.board) == count, marks_before
    )
    for marks_before in (2, 4, 6, 8)
} | {
    "the empty board": _action(lambda it: marks(it.board) == 0),
    "the action is 0": _action(lambda it: np.asarray(it.action) == 0),
    "the action is 8": _action(lambda it: np.asarray(it.action) == 8),
    "no answer makes a line": _action(
        lambda it: (_losses(it) == 0) & (marks(it.board) < 8) & ~owns(_after(it), 1)
    ),
    "one answer makes a line": _action(lambda it: _losses(it) == 1),
    "two answers make a line": _action(lambda it: _losses(it) == 2),
    "every answer makes a line": _action(
        lambda it: (_losses(it) > 0) & (_losses(it) == 8 - marks(it.board))
    ),
    "the action makes two lines": _action(lambda it: owned(_after(it), 1) == 2),
    "the last cell, and a draw": _action(
        lambda it: (marks(it.board) == 8) & ~owns(_after(it), 1)
    ),
    "the last cell, and a win": _action(
        lambda it: (marks(it.board) == 8) & owns(_after(it), 1)
    ),
}
ACTIONS |= {
    f"{kind}, and the action is {cell}": _action(
        lambda it, count, cell: (
            (marks(it.board) == count) & (np.asarray(it.action) == cell)
        ),
        count,
        cell,
    )
    for count, kind in ((0, "the empty board"), (8, "the last cell"))
    for cell in (0, 8)
}
for _line in LINES:
    ACTIONS |= {
        f"X makes a line of the cells {', '.join(map(str, _line))}": _action(
            _makes, _line
        ),
        f"O may make a line of the cells {', '.join(map(str, _line))}": _action(
            _may_lose, _line
        ),
    }


OUTCOMES = Question(
    answer=outcomes,
    cases=cases(
        ("the opponent answers", cells("XO./.X./..O"), 2),
        ("the action wins, where O could have won", cells("XX./OO./..."), 2),
        ("the opponent may win", cells("X.X/OO./..."), 7),
        ("the opponent may win in two ways", cells("O.O/X../OXX"), 5),
        ("the last cell", cells("XOX/XOO/OX."), 8),
    ),
    draw=draw_outcomes,
    boundaries=ACTIONS,
    mistakes=(
        mistake(
            "reply forgotten",
            "The next state is the next board on which *you* decide: the opponent's "
            "answer belongs to the transition.",
            (
                "chances = {}",
                "return {''.join('.XO'[int(mark)] for mark in after): 1.0}",
            ),
        ),
        mistake(
            "goes on after a win",
            "If the action makes a line, the game is over, and O does not answer.",
            ("winner(after) == 1", "False"),
        ),
        mistake(
            "win looked up after the answer",
            "Look for your line before O answers, because it ends the game.",
            ("winner(after) == 1", "False"),
            ("winner(then) == -1", "winner(then)"),
            ('name = "loss"', 'name = "win" if winner(after) == 1 else "loss"'),
        ),
        mistake(
            "losses not noticed",
            "Look at the board after the answer too: if O has a line, it is a loss.",
            ("winner(then) == -1", "False"),
        ),
        mistake(
            "losses not added",
            "Several answers can lead to a loss: add up their probabilities.",
            ("chances.get(name, 0) + ", ""),
        ),
        mistake(
            "probability 1/9",
            "The opponent chooses among the empty cells, not among all nine.",
            ("1 / len(empty)", "1 / 9"),
        ),
    ),
    hint="Make your move; if it ends the game, stop. If not, let the opponent answer "
    "in each empty cell with equal probability.",
)


def discounted_return(rewards, gamma):
    """Return the sum of the rewards, each reward k times γ^k."""
    return float(sum(r * gamma**k for k, r in enumerate(rewards)))


def draw_discounted_return(rng):
    """Yield lists of rewards with and without a discount, and an empty one."""
    for _ in range(8):
        gamma = float(rng.choice((0.5, 0.8, 0.9)))
        yield Case("rewards on the way", False, (random_rewards(rng), gamma))
    yield Case("no discount", False, (random_rewards(rng), 1.0))
    for gamma in (0.5, 0.8, 0.9):
        rewards = [0.0] * int(rng.integers(1, 5)) + [1.0]
        yield Case("a reward at the end", False, (rewards, gamma))
    for r in (-1.0, 0.5, 2.0):
        yield Case("one reward", False, ([r], 0.9))
    for gamma in (0.5, 0.8, 0.9):
        rewards = [1, *rng.integers(-1, 3, size=3).tolist(), 2]
        yield Case("whole numbers", False, (rewards, gamma))

    def ordinary(rng):
        gamma = float(rng.choice((0.5, 0.8, 0.9)))
        return {"rewards": random_rewards(rng), "gamma": gamma}

    yield from at_boundaries(rng, ordinary, RETURNS, 1)


RETURNS = with_each(GAMMA, REWARDS | NO_REWARD)
RETURNS |= {"no reward, and γ is 0": is_at(rewards=[], gamma=0.0)}
RETURNS |= {"γ is 0, and decides": is_at(rewards=[0.5, 2.0, 1.0], gamma=0.0)}


DISCOUNTED_RETURN = Question(
    answer=discounted_return,
    cases=cases(
        ("a reward at the end", [0, 0, 0, 1], 0.9),
        ("rewards on the way", [1, -1, 2], 0.5),
        ("no discount", [1, 2, 3], 1.0),
        ("no reward at all*", [], 0.9),
    ),
    draw=draw_discounted_return,
    boundaries=RETURNS,
    mistakes=(
        mistake(
            "γ forgotten",
            "You add the rewards without discounting the later ones.",
            ("gamma**k", "1"),
        ),
        mistake(
            "first reward discounted",
            "The first reward is not discounted: its factor is γ to the power 0.",
            ("gamma**k", "gamma ** (k + 1)"),
        ),
        mistake(
            "last reward alone",
            "You return the last reward. Add up all of them, each with its power of γ.",
            ("(rewards))", "(rewards[-1:]))"),
        ),
        mistake(
            "powers reversed",
            "You discount the first rewards most. The later ones are worth less.",
            ("(rewards))", "(rewards[::-1]))"),
        ),
    ),
    hint="The sum of γ^k times reward number k, counted from 0.",
)


def best_value(q, legal):
    """Return the largest value of a legal action; 0 if there is none."""
    allowed = [value for value, ok in zip(q, legal, strict=True) if ok]
    return max(allowed) if allowed else 0.0


def draw_best_value(rng):
    """Yield action values in which illegal actions look better than legal ones."""
    for kind in ("every legal action loses", "an illegal action looks best") * 5:
        legal = [bool(ok) for ok in rng.permutation([True] * 4 + [False] * 5)]
        q = [0.0 if not ok else round(float(rng.uniform(-1, -0.1)), 2) for ok in legal]
        if kind != "every legal action loses":
            q = [
                abs(v) if ok else round(float(rng.uniform(1.1, 2)), 2)
                for v, ok in zip(q, legal, strict=True)
            ]
        yield Case(kind, False, (q, legal))
    for _ in range(3):
        q, a = [0.0] * 9, int(rng.integers(9))
        q[a] = round(float(rng.uniform(-1, -0.1)), 2)
        yield Case("one legal action", False, (q, [cell == a for cell in range(9)]))
    for count in (2, 3, 4):
        legal = np.sort(rng.choice(9, size=count, replace=False))
        for best, others, index, kind in (
            (0.0, -0.5, 0, "the best is worth 0"),
            (0.0, -0.3, -1, "the best is worth 0"),
            (-1.0, -1.0, 0, "every legal action is worth -1"),
            (-0.2, -0.7, -1, "the last legal action is the best"),
        ):
            q = [0.0] * 9
            for a in legal:
                q[a] = others
            q[legal[index]] = best
            yield Case(kind, False, (q, [a in legal for a in range(9)]))
    q, legal = [0.1] * 8 + [0.7], [False, True] * 4 + [True]
    yield Case("the last place is the best", False, (q, legal))
    for _ in range(2):
        yield Case("no legal action", True, ([0.0] * 9, [False] * 9))

    def ordinary(rng):
        legal = [bool(ok) for ok in rng.permutation([True] * 4 + [False] * 5)]
        return {
            "q": [round(float(v), 2) for v in rng.uniform(-1, 1, 9)],
            "legal": legal,
        }

    yield from at_boundaries(rng, ordinary, MASKS)


def _legal(it):
    return [value for value, ok in zip(it.q, it.legal, strict=True) if ok]


def _mask(holds, legal=None, q=None):
    """Return the Boundary of masks and values; functions make those to replace."""
    changes = {"legal": legal, "q": q}
    return Boundary(
        holds, lambda it, rng: {k: v(it) for k, v in changes.items() if v is not None}
    )


def _only(index):
    return lambda it: [number == index % len(it.q) for number in range(len(it.q))]


def _twice(it):
    """Return values in which two legal actions share the largest."""
    best = [a for a, ok in enumerate(it.legal) if ok][:2]
    return [0.9 if a in best else min(v, 0.5) for a, v in enumerate(it.q)]


MASKS = {
    "all are legal": _mask(
        lambda it: it.legal and all(it.legal), lambda it: [True] * 9
    ),
    "the first alone is legal": _mask(
        lambda it: sum(it.legal) == 1 and it.legal[0] and len(it.q) > 1, _only(0)
    ),
    "the last alone is legal": _mask(
        lambda it: sum(it.legal) == 1 and it.legal[-1] and len(it.q) > 1, _only(-1)
    ),
    "no legal action, and values other than 0": _mask(
        lambda it: it.q and not any(it.legal) and any(it.q), lambda it: [False] * 9
    ),
    "no action at all": _mask(lambda it: not it.q, lambda it: [], lambda it: []),
    "one action, which is legal": _mask(
        lambda it: it.legal == [True], lambda it: [True], lambda it: [-0.4]
    ),
    "one action, which is not legal": _mask(
        lambda it: it.legal == [False], lambda it: [False], lambda it: [0.7]
    ),
    "all values are 0": _mask(
        lambda it: any(it.legal) and not any(it.q), None, lambda it: [0.0] * 9
    ),
    "all values are alike": _mask(
        lambda it: any(it.legal) and len({*it.q}) == 1 and any(it.q) and len(it.q) > 1,
        None,
        lambda it: [-0.6] * 9,
    ),
    "every value is below 0": _mask(
        lambda it: _legal(it) and max(it.q) < 0,
        None,
        lambda it: [-abs(v) - 0.1 for v in it.q],
    ),
    "every value is above 0": _mask(
        lambda it: _legal(it) and min(it.q) > 0,
        None,
        lambda it: [abs(v) + 0.1 for v in it.q],
    ),
    "two are the best": _mask(
        lambda it: _legal(it).count(max(_legal(it), default=0)) == 2, None, _twice
    ),
}


BEST_VALUE = Question(
    answer=best_value,
    cases=cases(
        (
            "every legal action loses",
            [-1.0, 0.0, -0.5, 0.0],
            [True, False, True, False],
        ),
        (
            "an illegal action looks best",
            [0.2, 0.0, 0.9, 0.0],
            [True, True, False, True],
        ),
        ("one legal action", [0.0, 0.0, -0.3, 0.0], [False, False, True, False]),
        ("no legal action*", [0.0, 0.0, 0.0, 0.0], [False] * 4),
    ),
    draw=draw_best_value,
    boundaries=MASKS | {"no legal action": Boundary(lambda it: not any(it.legal))},
    mistakes=(
        mistake(
            "not repaired",
            "The maximum still runs over illegal actions as well.",
            (" if ok]", "]"),
            (" if allowed else 0.0", ""),
        ),
        mistake(
            "multiplied by legal",
            "Illegal actions now count as 0, or your maximum begins at 0; but 0 is "
            "better than a loss.",
            ("[value for", "[value * ok for"),
            (" if ok]", "]"),
        ),
        mistake(
            "minus infinity at the end",
            "If no action is legal, the game is over, and the value is 0: minus "
            "infinity would spread to every state before it.",
            ("0.0", "-np.inf"),
        ),
    ),
    hint="Take the largest among the legal actions only, and 0 if there is none.",
)
