"""What the assignments ask: right answers, visible cases, and well-known mistakes.

Boards are arrays of nine cells: +1 for the first player, −1 for the second, 0 empty.
A model is a list of states, a state a dict of its legal actions, and an action a list
of (probability, reward, next state), the last None where the episode ends.
"""

from typing import NamedTuple

import numpy as np

from ttt_lib import rules
from ttt_lib.game import symmetries


class Case(NamedTuple):
    """One call of a function, or one look at a value, with what kind of case it is."""

    kind: str  #: what is special about it, in a few words
    special: bool  #: whether a function that fails here alone still earns half
    args: tuple  #: the arguments


class Mistake(NamedTuple):
    """A wrong answer that is often given."""

    name: str  #: in a few words
    answer: object  #: the function that makes it
    hint: str  #: what to tell who made it


class Question(NamedTuple):
    """What is asked, and how to tell a right answer from a wrong one."""

    title: str  #: what is asked, in a few words
    answer: object  #: a right function, or for a value: whether a value will do
    cases: tuple  #: the visible Cases
    mistakes: tuple  #: Mistakes, the more special first
    hint: str  #: for whoever makes none of them
    is_value: bool = False  #: whether a value is asked for, and not a function


def board(text):
    """Return the array (9,) of a board of X (+1), O (−1) and dots, row by row."""
    return np.array([{"X": 1, "O": -1, ".": 0}[mark] for mark in text if mark != "/"])


def _cases(*rows):
    """Return Cases from (kind, arguments …); a kind that ends in * is special."""
    return tuple(
        Case(kind.rstrip("*"), kind.endswith("*"), tuple(args)) for kind, *args in rows
    )


# Chapter 1: boards


def _winner(cells, lines=rules.LINES):
    return int(rules.winner(cells, lines))


def _owner(cells, lines):
    """Return who owns one of some lines; the first found."""
    for line in lines:
        if cells[line[0]] == cells[line[1]] == cells[line[2]] != 0:
            return int(cells[line[0]])
    return 0


_ROWS, _COLUMNS = [[0, 1, 2], [3, 4, 5], [6, 7, 8]], [[0, 3, 6], [1, 4, 7], [2, 5, 8]]
_DIAGONALS = [[0, 4, 8], [2, 4, 6]]

WINNER = Question(
    "winner: who owns a line",
    _winner,
    _cases(
        ("a row", board("XXX/OO./...")),
        ("a column", board("XO./XO./.OX")),
        ("the diagonal from cell 0 to cell 8", board("XO./.XO/..X")),
        ("the diagonal from cell 2 to cell 6*", board("X.O/XO./OX.")),
        ("no line", board("XOX/XOO/OXX")),
        ("no line", board("XX./..O/..O")),
    ),
    (
        Mistake(
            "anti-diagonal forgotten",
            lambda b: _owner(b, _ROWS + _COLUMNS + _DIAGONALS[:1]),
            "One line is missing. A board has two diagonals: 0, 4, 8 and 2, 4, 6.",
        ),
        Mistake(
            "diagonals forgotten",
            lambda b: _owner(b, _ROWS + _COLUMNS),
            "Rows and columns are right. Now add the two diagonals.",
        ),
        Mistake(
            "rows only",
            lambda b: _owner(b, _ROWS),
            "Rows are right. There are three columns and two diagonals too.",
        ),
        Mistake(
            "sign forgotten",
            lambda b: abs(_winner(b)),
            "Who won? A line of the second player is −1, not +1.",
        ),
        Mistake(
            "second player forgotten",
            lambda b: max(_winner(b), 0),
            "You find the lines of the first player only: −1 can own a line too.",
        ),
        Mistake(
            "sign turned",
            lambda b: -_winner(b),
            "The signs are exchanged: +1 is the first player, −1 the second.",
        ),
        Mistake(
            "sum of the line",
            lambda b: 3 * _winner(b),
            "A line sums to +3 or −3; give back whose it is: +1 or −1.",
        ),
        Mistake(
            "any three neighbours in the list",
            lambda b: _owner(b, [[i, i + 1, i + 2] for i in range(7)]),
            "Three cells in a row of the list need not be a row of the board: "
            "cells 2, 3 and 4 are no line.",
        ),
        Mistake(
            "always 0", lambda b: 0, "Your function says 0 to every board; so far."
        ),
        Mistake("always +1", lambda b: 1, "Your function says +1 to every board."),
    ),
    "Write down the eight lines as lists of cells, and for each ask whether one player "
    "owns all three.",
)


def _images(cells, turns=True, mirrors=True):
    grid = np.asarray(cells).reshape(3, 3)
    views = [grid, grid.T] if mirrors else [grid]
    return {
        tuple(np.rot90(view, k).ravel().tolist())
        for view in views
        for k in (range(4) if turns else (0,))
    }


def _class_size(cells):
    seen = np.asarray(cells)[symmetries(3, 3)]
    return len({tuple(image) for image in seen.tolist()})


CLASS_SIZE = Question(
    "class_size: how many boards a class has",
    _class_size,
    _cases(
        ("eight different images", board("XO./.../...")),
        ("four different images", board("X../.../...")),
        ("four different images", board(".X./.../...")),
        ("eight different images", board("XO./.X./...")),
        ("one or two different images*", board("X../.O./..X")),
    ),
    (
        Mistake(
            "turns only",
            lambda b: len(_images(b, mirrors=False)),
            "You have the four turns. Each of them can be seen in a mirror as well.",
        ),
        Mistake(
            "mirrors only",
            lambda b: len({tuple(v.ravel()) for v in _mirrored(b)}),
            "You have mirrors, but not all four turns: use both, one after the other.",
        ),
        Mistake(
            "images not compared",
            lambda b: 8,
            "There are always eight images, but some may be equal: count each board "
            "once.",
        ),
        Mistake(
            "the board itself not counted",
            lambda b: _class_size(b) - 1,
            "The board itself belongs to its class too.",
        ),
    ),
    "Make all four turns, mirror each, and count how many of the eight boards differ.",
)


def _mirrored(cells):
    grid = np.asarray(cells).reshape(3, 3)
    return grid, grid[::-1], grid[:, ::-1], grid[::-1, ::-1]


def _games(cells, stops=True, end=1, node=0, start=False):
    """Return N(s); the arguments make the mistakes."""
    cells = np.asarray(cells)
    won = any(rules.has_line(cells, player) for player in (+1, -1))
    if stops and won and not start:
        return end
    empty = np.flatnonzero(cells == 0)
    if len(empty) == 0:
        return end
    total, mover = node, 1 if cells.sum() == 0 else -1
    for cell in empty:
        after = cells.copy()
        after[cell] = mover
        total += _games(after, stops, end, node)
    return total


COUNT_GAMES = Question(
    "count_games: how many games can still be played",
    _games,
    _cases(
        ("one empty cell", board("XOX/XOO/OX.")),
        ("a win is near", board("XX./OO./X.O")),
        ("five empty cells", board("XO./.X./..O")),
        ("the game is over*", board("XXX/OO./...")),
        ("the game is over*", board("XOX/XOO/OXX")),
    ),
    (
        Mistake(
            "goes on after a win",
            lambda b: _games(b, stops=False),
            "Your games go on after somebody has won. The first line ends the game.",
        ),
        Mistake(
            "the game that is over forgotten",
            lambda b: _games(b, start=True),
            "A finished game can be finished in one way: by stopping. Ask whether the "
            "game is over before you make a move.",
        ),
        Mistake(
            "an end counts 0",
            lambda b: _games(b, end=0),
            "A finished board counts 1, not 0: else there is nothing to add up.",
        ),
        Mistake(
            "nodes, not games",
            lambda b: _games(b, node=1),
            "You count the nodes of the tree. A game is counted once, where it ends.",
        ),
    ),
    "Equation (eq-games) of chapter 1: 1 if the game is over, else the sum over all "
    "moves.",
)


def _can_occur(cells, turns=True, both=True, late_x=True, late_o=True):
    ahead = int(np.sum(cells))
    x, o = bool(rules.has_line(cells, +1)), bool(rules.has_line(cells, -1))
    return not (
        (turns and ahead not in (0, 1))
        or (both and x and o)
        or (late_x and x and ahead == 0)
        or (late_o and o and ahead == 1)
    )


CAN_OCCUR = Question(
    "can_occur: which boards a game can reach",
    _can_occur,
    _cases(
        ("an unfinished board", board("XO./.X./...")),
        ("a win by X", board("XXX/OO./...")),
        ("a win by O", board("OOO/XX./X..")),
        ("wrong counts", board("XX./.X./...")),
        ("both own a line", board("XXX/OOO/...")),
        ("X owns a line, and O has moved on", board("XXX/OO./O..")),
        ("O owns a line, and X has moved on", board("OOO/XX./XX.")),
        ("both own a line", board("XXX/OOO/X..")),
    ),
    (
        Mistake(
            "not repaired",
            lambda b: _can_occur(b, late_x=False, late_o=False),
            "These are the 5,890 boards of the tutorial. Ask who made the last mark: "
            "whoever owns a line did.",
        ),
        Mistake(
            "late moves of X overlooked",
            lambda b: _can_occur(b, late_o=False),
            "One half is done. If O owns a line, O made the last mark: the counts are "
            "equal.",
        ),
        Mistake(
            "late moves of O overlooked",
            lambda b: _can_occur(b, late_x=False),
            "One half is done. If X owns a line, X made the last mark: X is one ahead.",
        ),
        Mistake(
            "no finished board",
            lambda b: _can_occur(b) and _winner(b) == 0,
            "A won game can occur: its last mark made the line. Only going on "
            "afterwards is impossible.",
        ),
        Mistake(
            "the two sides exchanged",
            lambda b: (
                _can_occur(b, late_x=False, late_o=False)
                and not (rules.has_line(b, +1) and np.sum(b) == 1)
                and not (rules.has_line(b, -1) and np.sum(b) == 0)
            ),
            "You refuse the good endings and keep the others: after a line of X, X is "
            "one ahead.",
        ),
    ),
    "Three conditions: the counts, not two winners, and whoever owns a line made the "
    "last mark.",
)


def _is_count(value):
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and 0 <= value <= 1e9
    )


GUESS = Question(
    "a prediction: any number that you commit to",
    _is_count,
    _cases(("your prediction",)),
    (),
    "Replace None by a number. A wrong prediction earns the same points as a right "
    "one; none earns nothing.",
    is_value=True,
)


# Chapter 4: models


def action_value(model, V, s, a, gamma, reward=1, ends=0.0):
    """Return Σ p (r + γ V(s′)); the last two arguments make mistakes."""
    return sum(
        p * (reward * r + gamma * (ends if s_next is None else V[s_next]))
        for p, r, s_next in model[s][a]
    )


def _backup(model, V, s, gamma):
    return float(max(action_value(model, V, s, a, gamma) for a in model[s]))


def _any_backup(of_actions, **settings):
    """Return the function that backs up with another operator than max."""

    def backup(model, V, s, gamma):
        return float(
            of_actions(
                [action_value(model, V, s, a, gamma, **settings) for a in model[s]]
            )
        )

    return backup


def _sweeps(backup, theta=1e-10, most=1000):
    """Return the function that repeats a backup until nothing changes."""

    def iterate(model, gamma):
        V = [0.0] * len(model)
        for _ in range(most):
            new = [backup(model, V, s, gamma) for s in range(len(model))]
            change = max(abs(a - b) for a, b in zip(V, new, strict=True))
            V = new
            if change <= theta:
                break
        return V

    return iterate


def _mean(values):
    return sum(values) / len(values)


def _gamma_on_reward(model, V, s, gamma):
    return max(action_value(model, V, s, a, gamma) * gamma for a in model[s])


def _gamma_twice(model, V, s, gamma):
    return max(action_value(model, V, s, a, gamma**2) for a in model[s])


def _no_gamma(model, V, s, gamma):
    return max(action_value(model, V, s, a, 1) for a in model[s])


def _no_probability(model, V, s, gamma):
    return max(
        sum(r + gamma * (0 if n is None else V[n]) for _, r, n in model[s][a])
        for a in model[s]
    )


def _last_state_for_none(model, V, s, gamma):
    return max(action_value(model, V, s, a, gamma, ends=V[-1]) for a in model[s])


SMALL = [
    {0: [(0.5, 0, 1), (0.5, 0, 2)], 4: [(1.0, 0, 2)]},
    {1: [(1.0, 1, None)], 3: [(0.5, -1, None), (0.5, 0, 3)]},
    {2: [(0.5, -1, None), (0.5, 0, 3)], 5: [(1.0, -1, None)]},
    {7: [(1.0, 0, None)], 8: [(0.25, 1, None), (0.75, -1, None)]},
]
LOST = [
    {3: [(1.0, 0, 1)]},
    {0: [(1.0, -1, None)], 6: [(0.5, -1, None), (0.5, 0, 0)]},
]
SMALL_V = [0.2, 1.0, -0.4, 0.1]

_OPERATORS = (
    Mistake(
        "illegal actions count as 0",
        lambda b: b(_any_backup(lambda values: max([0, *values]))),
        "Where all legal actions lose, your maximum is 0: begin with the first legal "
        "action, or with minus infinity, because an illegal action is no choice.",
    ),
    Mistake(
        "γ forgotten",
        lambda b: b(_no_gamma),
        "Something is not discounted: the target is r + γ V(s′).",
    ),
    Mistake(
        "γ twice",
        lambda b: b(_gamma_twice),
        "γ acts twice: it discounts V(s′) once.",
    ),
    Mistake(
        "γ on the reward",
        lambda b: b(_gamma_on_reward),
        "γ discounts what comes after, V(s′), and not the reward r itself.",
    ),
    Mistake(
        "mean instead of maximum",
        lambda b: b(_any_backup(_mean)),
        "You take the mean over the actions. That evaluates random play; the best "
        "action is the maximum.",
    ),
    Mistake(
        "minimum instead of maximum",
        lambda b: b(_any_backup(min)),
        "You take the worst action. The agent takes the best.",
    ),
    Mistake(
        "reward forgotten",
        lambda b: b(_any_backup(max, reward=0)),
        "The reward is missing: the target is r + γ V(s′).",
    ),
    Mistake(
        "sign of the reward turned",
        lambda b: b(_any_backup(max, reward=-1)),
        "The sign of the reward is turned: it is the agent's own, a win is +1.",
    ),
    Mistake(
        "probabilities forgotten",
        lambda b: b(_no_probability),
        "Weigh every next state by its probability.",
    ),
    Mistake(
        "None read as the last state",
        lambda b: b(_last_state_for_none),
        "After the end there is nothing: where the next state is None, V is 0.",
    ),
)


def _with(wrap):
    """Return the Mistakes of a backup inside a function that uses one."""
    return tuple(m._replace(answer=m.answer(wrap)) for m in _OPERATORS)


BACKUP = Question(
    "backup: the best action's value",
    _backup,
    _cases(
        ("one end among the next states", SMALL, SMALL_V, 1, 0.9),
        ("no end among the next states", SMALL, SMALL_V, 0, 0.9),
        ("every action loses*", SMALL, SMALL_V, 2, 0.5),
        ("the episode may go on", LOST, [-0.5, -1.0], 0, 0.8),
    ),
    _with(lambda backup: backup),
    "Equation (eq-optimality): for each legal action Σ p (r + γ V(s′)), and then the "
    "largest.",
)

VALUE_ITERATION = Question(
    "value_iteration: sweeps until nothing changes",
    _sweeps(_backup),
    _cases(
        ("a game", SMALL, 0.9),
        ("a discount of 1", SMALL, 1.0),
        ("every action loses*", LOST, 0.8),
    ),
    (
        *(
            m._replace(hint="All your values are 0. " + m.hint)
            if m.name == "reward forgotten"
            else m
            for m in _with(_sweeps)
        ),
        Mistake(
            "one sweep",
            _sweeps(_backup, most=1),
            "One sweep is not enough here: repeat until no value changes by more than "
            "a tiny number.",
        ),
    ),
    "Begin with V = 0, back up every state, and repeat until the largest change is "
    "tiny.",
)


def _greedy_actions(model, V, gamma, tie=min, choose=max, reward=1, index=False):
    actions = []
    for s in range(len(model)):
        q = {a: action_value(model, V, s, a, gamma, reward) for a in model[s]}
        best = choose(q.values())
        a = tie(a for a in q if abs(q[a] - best) <= 1e-9)
        actions.append(sorted(q).index(a) if index else a)
    return actions


TIES = [
    {0: [(1.0, 1, None)], 4: [(1.0, 1, None)]},
    {5: [(1.0, 0, 0)], 2: [(1.0, 0, 0)], 8: [(1.0, -1, None)]},
]

GREEDY_ACTIONS = Question(
    "greedy_actions: the policy that V stands for",
    _greedy_actions,
    _cases(
        ("one best action", SMALL, SMALL_V, 0.9),
        ("every action loses", LOST, [-0.5, -1.0], 0.8),
        ("two actions equally good*", TIES, [1.0, 0.9], 0.9),
    ),
    (
        Mistake(
            "ties to the highest",
            lambda *args: _greedy_actions(*args, tie=max),
            "Among equally good actions the question wants the one of lowest number.",
        ),
        Mistake(
            "place in the list, not the action",
            lambda *args: _greedy_actions(*args, index=True),
            "You give the place of the action among the legal ones. Give its number: "
            "the same number must always mean the same cell.",
        ),
        Mistake(
            "worst action",
            lambda *args: _greedy_actions(*args, choose=min),
            "You take the worst action. The agent takes the best.",
        ),
        Mistake(
            "reward forgotten",
            lambda *args: _greedy_actions(*args, reward=0),
            "The reward is missing: compare r + γ V(s′), not V(s′) alone.",
        ),
        Mistake(
            "first action",
            lambda model, V, gamma: [min(actions) for actions in model],
            "You take the first legal action everywhere.",
        ),
    ),
    "For each state compute Σ p (r + γ V(s′)) of every legal action, and take the "
    "largest.",
)


def _solve(P, R, gamma, other=None):
    V = np.zeros(R.shape[1])
    for _ in range(1000):
        V = (R + gamma * P @ V).max(axis=0)
    return [V, (R + (gamma if other is None else other) * P @ V).argmax(axis=0)]


def _two_states(certain):
    """Return (P, R): in state 0 take `certain`, or 1 one step later."""
    P = np.zeros((2, 2, 2))
    P[0, 0, 1] = 1.0
    return P, np.array([[0.0, 1.0], [certain, 0.0]])


SOLVE = Question(
    "solve: one problem, one discount",
    _solve,
    _cases(
        ("a small discount", *_two_states(0.7), 0.5),
        ("a small discount", *_two_states(0.95), 0.5),
        ("a discount of 0.9", *_two_states(0.7), 0.9),
    ),
    (
        Mistake(
            "not repaired",
            lambda P, R, gamma: _solve(P, R, gamma, 0.9),
            "The values belong to one discount and the policy to another: the last "
            "line must use gamma as well.",
        ),
        Mistake(
            "0.9 everywhere",
            lambda P, R, gamma: _solve(P, R, 0.9),
            "Now both lines use 0.9. They should use the gamma that is given.",
        ),
        Mistake(
            "policy without discount",
            lambda P, R, gamma: _solve(P, R, gamma, 1),
            "The policy is read off without a discount: use gamma there too.",
        ),
    ),
    "Two places use a discount. Compare them.",
)


# Chapter 2: the game as a decision problem


def _string(cells):
    return "".join(".XO"[int(mark)] for mark in cells)


def _legal_actions(cells):
    return np.flatnonzero(rules.legal(cells)).tolist()


LEGAL_ACTIONS = Question(
    "legal_actions: where a mark may be put",
    _legal_actions,
    _cases(
        ("an unfinished board", board("XO./.X./...")),
        ("an unfinished board", board("XOX/XOO/.X.")),
        ("the game is over*", board("XXX/OO./...")),
        ("the game is over*", board("XOX/XOO/OXX")),
    ),
    (
        Mistake(
            "finished boards not masked",
            lambda b: np.flatnonzero(np.asarray(b) == 0).tolist(),
            "After a line no move is legal, though cells are empty.",
        ),
        Mistake(
            "taken cells",
            lambda b: np.flatnonzero(b).tolist(),
            "These are the cells that are taken. Legal are the empty ones.",
        ),
        Mistake(
            "numbered anew",
            lambda b: list(range(len(_legal_actions(b)))),
            "You number the empty cells anew. An action is the number of its cell.",
        ),
    ),
    "Ask first whether the game is over; then list the empty cells in rising order.",
)


def _outcomes(cells, action, reply=True, win=True, loss=True, add=True, share=None):
    """Return what can come of an action; the other arguments make the mistakes."""
    after = np.array(cells)
    after[action] = 1
    if win and _winner(after) == 1:
        return {"win": 1.0}
    empty = np.flatnonzero(after == 0)
    if len(empty) == 0:
        return {"draw": 1.0}
    if not reply:
        return {_string(after): 1.0}
    found, p = {}, 1 / (share or len(empty))
    for cell in empty:
        then = after.copy()
        then[cell] = -1
        name = "loss" if loss and _winner(then) == -1 else _string(then)
        found[name] = p + (found.get(name, 0) if add else 0)
    return found


OUTCOMES = Question(
    "outcomes: what an action can lead to",
    _outcomes,
    _cases(
        ("the opponent answers", board("XO./.X./..O"), 2),
        ("the action wins", board("XX./OO./..."), 2),
        ("the opponent may win", board("X.X/OO./..."), 7),
        ("the opponent may win in two ways", board("O.O/X../OXX"), 5),
        ("the last cell", board("XOX/XOO/OX."), 8),
    ),
    (
        Mistake(
            "reply forgotten",
            lambda b, a: _outcomes(b, a, reply=False),
            "The next state is the next board on which *you* decide: the opponent's "
            "answer belongs to the transition.",
        ),
        Mistake(
            "goes on after a win",
            lambda b, a: _outcomes(b, a, win=False),
            "If the action makes a line, the game is over: nobody answers.",
        ),
        Mistake(
            "losses not noticed",
            lambda b, a: _outcomes(b, a, loss=False),
            "Look at the board after the answer too: if O has a line, it is a loss.",
        ),
        Mistake(
            "losses not added",
            lambda b, a: _outcomes(b, a, add=False),
            "Several answers can lead to a loss: add up their probabilities.",
        ),
        Mistake(
            "probability 1/9",
            lambda b, a: _outcomes(b, a, share=9),
            "The opponent chooses among the empty cells, and not among nine.",
        ),
    ),
    "Make your move; if that ends the game, stop. Else let the opponent answer in each "
    "empty cell with equal probability.",
)


def _return(rewards, gamma, shift=0, linear=False):
    return float(
        sum(
            r * (gamma * (k + 1) if linear and k else gamma ** (k + shift))
            for k, r in enumerate(rewards)
        )
    )


DISCOUNTED_RETURN = Question(
    "discounted_return: what an episode is worth",
    _return,
    _cases(
        ("a reward at the end", [0, 0, 0, 1], 0.9),
        ("rewards on the way", [1, -1, 2], 0.5),
        ("no discount", [1, 2, 3], 1.0),
        ("no reward at all*", [], 0.9),
    ),
    (
        Mistake(
            "γ forgotten",
            lambda rewards, gamma: _return(rewards, 1),
            "You add the rewards without discounting the later ones.",
        ),
        Mistake(
            "first reward discounted",
            lambda rewards, gamma: _return(rewards, gamma, shift=1),
            "The first reward is not discounted: its factor is γ to the power 0.",
        ),
        Mistake(
            "last reward alone",
            lambda rewards, gamma: (
                _return([0, *rewards[1:]][:1] + rewards[-1:], 1) if rewards else 0.0
            ),
            "You give the last reward. Add up all of them, each with its power of γ.",
        ),
        Mistake(
            "powers turned round",
            lambda rewards, gamma: _return(rewards[::-1], gamma),
            "You discount the first rewards most. The later ones are worth less.",
        ),
    ),
    "The sum of γ^k times reward number k, counted from 0.",
)


def _best_value(q, legal, empty=0.0):
    allowed = [value for value, ok in zip(q, legal, strict=True) if ok]
    return max(allowed) if allowed else empty


BEST_VALUE = Question(
    "best_value: the best of what is legal",
    _best_value,
    _cases(
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
    (
        Mistake(
            "not repaired",
            lambda q, legal: max(q),
            "The maximum still runs over illegal actions as well.",
        ),
        Mistake(
            "multiplied by legal",
            lambda q, legal: max(v * ok for v, ok in zip(q, legal, strict=True)),
            "An illegal action counts as 0 now, and 0 is better than a loss.",
        ),
        Mistake(
            "minus infinity at the end",
            lambda q, legal: _best_value(q, legal, empty=-1e308 * 10),
            "Where nothing is legal the game is over, and its value is 0: minus "
            "infinity would spread to every state before it.",
        ),
    ),
    "Take the largest among the legal actions only, and 0 if there is none.",
)


# Chapter 3: the value of a policy; a policy is a list of dicts action → probability


def _expected_backup(model, V, s, policy, gamma, **settings):
    return float(
        sum(
            p * action_value(model, V, s, a, gamma, **settings)
            for a, p in policy[s].items()
        )
    )


def _with_policy(backup):
    return lambda model, V, s, policy, gamma: backup(model, V, s, gamma)


POLICY = [{0: 0.25, 4: 0.75}, {1: 0.5, 3: 0.5}, {2: 1.0, 5: 0.0}, {7: 0.5, 8: 0.5}]

_OF_POLICY = (
    Mistake(
        "maximum instead of mean",
        lambda b: b(_with_policy(_backup)),
        "You take the best action. The policy decides: weigh each action by its "
        "probability.",
    ),
    Mistake(
        "every action alike",
        lambda b: b(_with_policy(_any_backup(_mean))),
        "You weigh all actions alike. The policy has its own probabilities.",
    ),
    Mistake(
        "probability of actions forgotten",
        lambda b: b(_with_policy(_any_backup(sum))),
        "You add up the actions without their probabilities under the policy.",
    ),
    Mistake(
        "γ forgotten",
        lambda b: b(lambda m, V, s, policy, g: _expected_backup(m, V, s, policy, 1)),
        "Something is not discounted: the target is r + γ V(s′).",
    ),
    Mistake(
        "γ twice",
        lambda b: b(
            lambda m, V, s, policy, g: _expected_backup(m, V, s, policy, g * g)
        ),
        "γ acts twice: it discounts V(s′) once.",
    ),
    Mistake(
        "reward forgotten",
        lambda b: b(
            lambda m, V, s, policy, g: _expected_backup(m, V, s, policy, g, reward=0)
        ),
        "The reward is missing: the target is r + γ V(s′).",
    ),
)

EXPECTED_BACKUP = Question(
    "expected_backup: one backup of a policy",
    _expected_backup,
    _cases(
        ("no end among the next states", SMALL, SMALL_V, 0, POLICY, 0.9),
        ("one end among the next states", SMALL, SMALL_V, 1, POLICY, 0.5),
        ("an action that the policy never takes", SMALL, SMALL_V, 2, POLICY, 0.9),
    ),
    tuple(m._replace(answer=m.answer(lambda b: b)) for m in _OF_POLICY),
    "Σ over actions of π(a|s) times Σ p (r + γ V(s′)).",
)


def _evaluation(backup, most=1000):
    def evaluate(model, policy, gamma):
        def one(model, V, s, gamma):
            return backup(model, V, s, policy, gamma)

        return _sweeps(one, most=most)(model, gamma)

    return evaluate


EVALUATE = Question(
    "evaluate: the value of a policy",
    _evaluation(_expected_backup),
    _cases(
        ("a game", SMALL, POLICY, 0.9),
        ("a discount of 1", SMALL, POLICY, 1.0),
        ("a game", LOST, [{3: 1.0}, {0: 0.5, 6: 0.5}], 0.8),
    ),
    (
        *(m._replace(answer=m.answer(_evaluation)) for m in _OF_POLICY),
        Mistake(
            "one sweep",
            _evaluation(_expected_backup, most=1),
            "One sweep is not enough here: repeat until no value changes by more than "
            "a tiny number.",
        ),
    ),
    "Begin with V = 0, back up every state along the policy, and repeat until the "
    "largest change is tiny.",
)


def _improve(q, actions, keep=True, choose=max, tie=min):
    improved = []
    for values, old in zip(q, actions, strict=True):
        best = choose(values.values())
        good = [a for a in values if abs(values[a] - best) <= 1e-9]
        improved.append(old if keep and old in good else tie(good))
    return improved


IMPROVE = Question(
    "improve: a better policy, or the same",
    _improve,
    _cases(
        ("a better action exists", [{0: 0.2, 4: 0.5}, {1: -1.0, 3: 0.0}], [0, 1]),
        (
            "the old action is as good as the best",
            [{0: 1.0, 4: 1.0}, {2: 0.9, 5: 0.9, 8: -1.0}],
            [4, 2],
        ),
        (
            "the old action is the only best",
            [{0: 0.2, 4: 0.5}, {1: 0.1, 3: 0.0}],
            [4, 1],
        ),
    ),
    (
        Mistake(
            "not repaired",
            lambda *args: _improve(*args, keep=False),
            "Of two equally good actions yours takes the lowest, also where the old "
            "one was as good: keep the old one, or two policies replace each other "
            "for ever.",
        ),
        Mistake(
            "ties to the highest",
            lambda *args: _improve(*args, keep=False, tie=max),
            "Another rule for ties changes which policies replace each other, and not "
            "that they do: keep the old action where it is as good as the best.",
        ),
        Mistake(
            "never changes",
            lambda q, actions: list(actions),
            "Your policy never changes: where the old action is worse, take the best.",
        ),
    ),
    "Keep the old action if it is as good as the best, up to 1e-9; else take the "
    "lowest of the best.",
)


# Chapter 5: two who want opposite things


def _over(cells):
    return bool(rules.finished(cells))


def _mover(cells):
    return 1 if np.sum(cells) == 0 else -1


def _after(cells):
    """Yield (cell, board after) for every legal move."""
    for cell in np.flatnonzero(np.asarray(cells) == 0):
        after = np.array(cells)
        after[cell] = _mover(cells)
        yield int(cell), after


def _minimax(cells, draw=0, of=None):
    if _over(cells):
        won = _winner(cells)
        return won if won else draw
    choose = of or (max if _mover(cells) == 1 else min)
    return choose(_minimax(after, draw, of) for _, after in _after(cells))


MINIMAX = Question(
    "minimax: the value of a board",
    _minimax,
    _cases(
        ("X to move wins", board("XX./OO./...")),
        ("O to move wins", board("XX./OO./X..")),
        ("a draw", board("XOX/.O./.X.")),
        ("X to move loses", board("OX./XOX/..O")),
        ("the game is over", board("XXX/OO./...")),
        ("the game is over", board("XOX/XOO/OXX")),
    ),
    (
        Mistake(
            "both maximise",
            lambda b: _minimax(b, of=max),
            "O wants the opposite of X: where O moves, take the minimum.",
        ),
        Mistake(
            "both minimise",
            lambda b: _minimax(b, of=min),
            "Where X moves, take the maximum.",
        ),
        Mistake(
            "player's sign forgotten",
            lambda b: _mover(b) * _minimax(b),
            "Your value belongs to who moves. The question wants the value for the "
            "first player, whoever moves.",
        ),
        Mistake(
            "draw = loss",
            lambda b: _minimax(b, draw=-1),
            "A draw is worth 0, and not −1: it is better than a loss.",
        ),
        Mistake(
            "X and O exchanged",
            lambda b: -_minimax(b),
            "The signs are exchanged: a win of the first player is +1.",
        ),
    ),
    "If the game is over, its outcome; else the maximum (X) or minimum (O) over all "
    "moves.",
)


def _best_moves(cells, of=None, value=_minimax):
    if _over(cells):
        return []
    choose = of or (max if _mover(cells) == 1 else min)
    values = {cell: value(after) for cell, after in _after(cells)}
    return [cell for cell in values if values[cell] == choose(values.values())]


BEST_MOVES = Question(
    "best_moves: all moves that keep the value",
    _best_moves,
    _cases(
        ("X to move", board("XX./OO./...")),
        ("O to move", board("XO./OX./X..")),
        ("O to move", board("X.X/.O./...")),
        ("X to move", board("XOX/OO./X..")),
    ),
    (
        Mistake(
            "always the maximum",
            lambda b: _best_moves(b, of=max),
            "O chooses the smallest value, X the largest.",
        ),
        Mistake(
            "worst moves",
            lambda b: _best_moves(b, of=min if _mover(b) == 1 else max),
            "These are the worst moves of whoever is to move.",
        ),
        Mistake(
            "first best move alone",
            lambda b: _best_moves(b)[:1],
            "There may be several best moves. Give all of them.",
        ),
        Mistake(
            "all legal moves",
            lambda b: [cell for cell, _ in _after(b)],
            "You give all legal moves. Keep those whose value is the best.",
        ),
    ),
    "Compute the value after each move, and keep the cells of the best value, in "
    "rising order.",
)


def _nodes(cells, root=1, over=_over):
    if over(cells):
        return root
    return root + sum(_nodes(after, root, over) for _, after in _after(cells))


def _full(cells):
    return bool(np.all(cells))


COUNT_NODES = Question(
    "count_nodes: the size of the tree",
    _nodes,
    _cases(
        ("a few empty cells", board("XOX/XOO/OX.")),
        ("a few empty cells", board("XX./OO./X.O")),
        ("five empty cells", board("XO./.X./..O")),
        ("the game is over", board("XXX/OO./...")),
    ),
    (
        Mistake(
            "root not counted",
            lambda b: _nodes(b) - 1,
            "The board itself is a node too.",
        ),
        Mistake(
            "games, not nodes",
            _games,
            "You count the ends. Every board on the way is a node too.",
        ),
        Mistake(
            "goes on after a win",
            lambda b: _nodes(b, over=_full),
            "Your tree goes on after somebody has won.",
        ),
    ),
    "1 for the board itself, and the nodes below each move if the game is not over.",
)


def _negamax(children, outcome, start=-2, sign=-1):
    V = list(outcome)
    for s in reversed(range(len(V))):
        if children[s]:
            V[s] = max([start, *(sign * V[child] for child in children[s])])
    return V


NEGAMAX = Question(
    "negamax: one player's loss is the other's win",
    _negamax,
    _cases(
        ("who moves loses", [[1, 2], [3], [4], [], []], [0, 0, 0, -1, -1]),
        ("who moves wins", [[1, 2], [], [3], []], [0, -1, 0, 1]),
        ("a draw", [[1, 2], [3], [], []], [0, 0, 1, 0]),
    ),
    (
        Mistake(
            "not repaired",
            lambda *args: _negamax(*args, start=0),
            "Lost positions still come out as draws: `best` begins with a value that "
            "no move has to reach.",
        ),
        Mistake(
            "sign forgotten",
            lambda *args: _negamax(*args, sign=1),
            "What is good for the opponent is bad for you: keep the minus sign.",
        ),
    ),
    "`best` should begin below every value that there is.",
)


# All of them

QUESTIONS = {
    "winner": WINNER,
    "class_size": CLASS_SIZE,
    "count_games": COUNT_GAMES,
    "can_occur": CAN_OCCUR,
    "guess": GUESS,
    "backup": BACKUP,
    "value_iteration": VALUE_ITERATION,
    "greedy_actions": GREEDY_ACTIONS,
    "solve": SOLVE,
    "legal_actions": LEGAL_ACTIONS,
    "outcomes": OUTCOMES,
    "discounted_return": DISCOUNTED_RETURN,
    "best_value": BEST_VALUE,
    "expected_backup": EXPECTED_BACKUP,
    "evaluate": EVALUATE,
    "improve": IMPROVE,
    "minimax": MINIMAX,
    "best_moves": BEST_MOVES,
    "count_nodes": COUNT_NODES,
    "negamax": NEGAMAX,
}
