"""Visible checks for the assignments: `check.winner(my_winner)` prints what it found.

Each question of an assignment is a `Question`: its answer, a few cases that everybody
may see, and the mistakes that are often made, each with a hint.
A grader may try other cases with `judge`; this module holds none of them.
"""

from copy import deepcopy
from typing import NamedTuple

import numpy as np

from ttt_lib import rules
from ttt_lib.game import symmetries

CLOSE = 1e-6  # answers that differ by less are the same


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


class Failed(NamedTuple):
    """What is given in the place of an answer where a function gives none."""

    why: str


class Verdict(NamedTuple):
    """What came of all cases of a question."""

    passed: tuple  #: of each case
    share: float  #: of the points: 1, a half, or 0
    kinds: tuple  #: the kinds of case that failed, each once
    mistake: str  #: name of the known mistake that explains every answer, or ""
    hint: str  #: what to look at, or ""


def plain(value, depth=6):
    """Return a value as plain data: None, numbers, strings and lists of these.

    Arrays, tuples and sets become lists, a dict a list of pairs; sets and dicts sorted.
    Raises ValueError for everything else.
    """
    if depth == 0:
        raise ValueError("The answer is nested too deeply.")
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, np.generic | np.ndarray) and value.dtype.kind in "biuf":
        return value.tolist()
    if type(value) in (list, tuple) or isinstance(value, tuple | np.ndarray):
        return [plain(item, depth - 1) for item in value]
    if type(value) in (set, frozenset):
        return sorted(plain(item, depth - 1) for item in value)
    if type(value) is dict:
        return sorted(plain(item, depth - 1) for item in value.items())
    raise ValueError(f"The answer is of the type {type(value).__name__}.")


def same(given, expected):
    """Return whether two pieces of plain data say the same, numbers up to 1e-6."""
    if isinstance(expected, list):
        return (
            isinstance(given, list)
            and len(given) == len(expected)
            and all(map(same, given, expected))
        )
    if isinstance(given, bool | int | float) and isinstance(
        expected, bool | int | float
    ):
        return given == expected or abs(given - expected) <= CLOSE
    return type(given) is type(expected) and given == expected


def answers(function, cases):
    """Return what a function gives for each Case, as plain data or as Failed."""
    found = []
    for case in cases:
        try:
            found.append(plain(function(*deepcopy(case.args))))
        except NotImplementedError:
            found.append(Failed("nothing: it is not written yet"))
        except Exception as error:
            found.append(Failed(f"{type(error).__name__}: {error}"))
    return found


class Key(NamedTuple):
    """What all cases of a question should give, and what each Mistake gives."""

    expected: list
    mistaken: list


def key(question, cases):
    """Return the Key to some cases of a question."""
    if question.is_value:
        return Key([], [])
    mistaken = [answers(mistake.answer, cases) for mistake in question.mistakes]
    return Key(answers(question.answer, cases), mistaken)


def judge(question, cases, given, known=None):
    """Return the Verdict on the answers `given` to `cases`; `known` is their Key."""
    known = key(question, cases) if known is None else known
    if question.is_value:
        passed = tuple(
            not isinstance(value, Failed) and bool(question.answer(value))
            for value in given
        )
    else:
        passed = tuple(map(same, given, known.expected))
    if all(passed):
        return Verdict(passed, 1.0, (), "", "")
    failed = [case for case, well in zip(cases, passed, strict=True) if not well]
    half = any(passed) and all(case.special for case in failed)
    kinds = tuple(dict.fromkeys(case.kind for case in failed))
    name, hint = "", question.hint
    for mistake, theirs in zip(question.mistakes, known.mistaken, strict=False):
        # Where the mistaken function fails too, any failure is the same.
        if all(
            isinstance(a, Failed) if isinstance(b, Failed) else same(a, b)
            for a, b in zip(given, theirs, strict=True)
        ):
            name, hint = mistake.name, mistake.hint
            break
    return Verdict(passed, 0.5 if half else 0.0, kinds, name, hint)


def report(name, question, given):
    """Print what the visible checks say about an answer."""
    if question.is_value:
        found = answers(lambda: given, question.cases)
    elif not callable(given):
        print(f"{name}: give the function itself, as in check.{name}({name}).")
        return
    else:
        found = answers(given, question.cases)
    verdict = judge(question, question.cases, found)
    count, right = len(verdict.passed), sum(verdict.passed)
    if right == count:
        more = "" if question.is_value else " The grader tries others."
        print(f"{name}: visible checks passed, {count} of {count}.{more}")
        return
    print(f"{name}: {right} of {count} visible checks passed.")
    first = verdict.passed.index(False)
    case, got = question.cases[first], found[first]
    if not question.is_value:
        print(f"\nThe first that failed ({case.kind}):\n")
        print(_drawn(case.args))
        expected = answers(question.answer, [case])[0]
        print(f"\n    expected  {_short(expected)}")
    print(f"    given     {got.why if isinstance(got, Failed) else _short(got)}")
    print(f"\nHint: {verdict.hint}")


def _short(value):
    text = repr(value)
    return text if len(text) <= 300 else text[:297] + "..."


def _drawn(args):
    """Return arguments as text, a board as a board."""
    drawn = []
    for value in args:
        if isinstance(value, np.ndarray) and value.shape == (9,) and _is_board(value):
            marks = [".XO"[int(mark)] for mark in value]
            rows = [" ".join(marks[i : i + 3]) for i in (0, 3, 6)]
            drawn.extend(f"    {row}" for row in rows)
        else:
            drawn.append(f"    {_short(value)}")
    return "\n".join(drawn)


def _is_board(value):
    return value.dtype.kind == "i" and set(value.tolist()) <= {-1, 0, 1}


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
    if (stops or not cells.any()) and _winner(cells) != 0 and not start:
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


# Chapter 4: a model is a list of states; a state is a dict of its legal actions; an
# action is a list of (probability, reward, next state), None where the episode ends.


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


def _solve(model, gamma, other=None):
    V = _sweeps(_backup)(model, gamma)
    return [V, _greedy_actions(model, V, gamma if other is None else other)]


TEMPTING = [
    {0: [(1.0, 0, 1)], 1: [(1.0, 0.7, None)]},
    {2: [(1.0, 1, None)], 3: [(1.0, 0, None)]},
]

SOLVE = Question(
    "solve: one problem, one discount",
    _solve,
    _cases(
        ("a discount of 0.9", SMALL, 0.9),
        ("a discount of 1", SMALL, 1.0),
        ("a small discount", TEMPTING, 0.5),
    ),
    (
        Mistake(
            "not repaired",
            lambda model, gamma: _solve(model, gamma, 0.9),
            "The values belong to one discount and the policy to another: the last "
            "loop must use gamma as well.",
        ),
        Mistake(
            "0.9 everywhere",
            lambda model, gamma: _solve(model, 0.9),
            "Now both loops use 0.9. They should use the gamma that is given.",
        ),
        Mistake(
            "policy without discount",
            lambda model, gamma: _solve(model, gamma, 1),
            "The policy is read off without a discount: use gamma there too.",
        ),
    ),
    "Two places use a discount. Compare them.",
)


# What a notebook calls

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
}


def __getattr__(name):
    """Return the check of a question, so that `check.winner(my_winner)` works."""
    if name in QUESTIONS:
        return lambda given: report(name, QUESTIONS[name], given)
    raise AttributeError(
        f"There is no check named {name!r}: choose from {', '.join(QUESTIONS)}."
    )


def __dir__():
    return sorted([*globals(), *QUESTIONS])
