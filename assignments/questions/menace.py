"""Learning from nothing but play: means, exploring, matchboxes."""

import numpy as np

from assignments.questions.chance import random_q, random_rewards, with_tie
from assignments.questions.question import Mistake, Question, altered, cases, cells
from ttt_lib.check.judge import Case
from ttt_lib.game import tables


def running_mean(rewards):
    """Return the mean of the rewards so far, after each of them."""
    estimate, found = 0.0, []
    for n, r in enumerate(rewards, 1):
        estimate += 1 / n * (r - estimate)
        found.append(estimate)
    return found


def draw_running_mean(rng):
    """Yield lists of rewards."""
    for _ in range(8):
        yield Case("a few rewards", False, (random_rewards(rng),))
    for r in (-1, 2):
        yield Case("one reward", False, ([r],))
    for _ in range(3):
        rewards = [1, 0, *rng.integers(-1, 2, size=4).tolist()]
        yield Case("whole numbers", False, (rewards,))


RUNNING_MEAN = Question(
    answer=running_mean,
    cases=cases(
        ("a few rewards", [1, 0, -1, 1]),
        ("one reward", [-1]),
        ("a few rewards", [1, 1, 0, 0, 0, 1]),
    ),
    draw=draw_running_mean,
    mistakes=(
        Mistake(
            "constant step size",
            "A step size of 0.1 forgets old rewards. The mean needs 1/n.",
            altered(running_mean, ("1 / n", "0.1")),
        ),
        Mistake(
            "1/(n + 1)",
            "The first reward has n = 1, so that the first estimate is that reward.",
            altered(running_mean, ("1 / n", "1 / (n + 1)")),
        ),
        Mistake(
            "sum, not mean",
            "You add up the rewards. Move the estimate by (r − estimate) / n.",
            altered(running_mean, ("1 / n * (r - estimate)", "r")),
        ),
        Mistake(
            "last estimate alone",
            "Give a list: the estimate after every reward.",
            altered(running_mean, ("return found", "return found[-1:]")),
        ),
    ),
    hint="Q ← Q + (r − Q) / n, and write down Q after every reward.",
)


def epsilon_greedy(q, epsilon):
    """Return {action: probability} of who explores with probability ε."""
    best = [a for a in q if q[a] >= max(q.values()) - 1e-9]
    share = epsilon / len(q)
    return {a: share + (1 - epsilon) * (a in best) / len(best) for a in q}


def exploring_elsewhere(q, epsilon):
    """Return {action: probability} of who never explores the best actions."""
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


EPSILON_GREEDY = Question(
    answer=epsilon_greedy,
    cases=cases(
        ("one best action", {0: 0.2, 3: 0.9, 5: -1.0, 8: 0.0}, 0.1),
        ("one best action", {1: -0.5, 2: -0.1}, 0.4),
        ("equally good actions*", {0: 0.5, 4: 0.5, 7: 0.1}, 0.3),
    ),
    draw=draw_epsilon_greedy,
    mistakes=(
        Mistake(
            "first of equals",
            "Several actions can be best: they share 1 − ε.",
            altered(epsilon_greedy, ("1e-9]", "1e-9][:1]")),
        ),
        Mistake(
            "exploring elsewhere",
            "A random move may also be the best one: every action gets ε / n.",
            exploring_elsewhere,
        ),
        Mistake(
            "over nine cells",
            "A random move is one of the legal ones, not of nine cells.",
            altered(epsilon_greedy, ("epsilon / len(q)", "epsilon / 9")),
        ),
        Mistake(
            "ε and 1 − ε exchanged",
            "ε is the probability of a random move, and not of a greedy one.",
            altered(
                epsilon_greedy,
                ("epsilon / len(q)", "(1 - epsilon) / len(q)"),
                ("(1 - epsilon) *", "epsilon *"),
            ),
        ),
    ),
    hint="Every legal action gets ε / n, and the best ones share 1 − ε.",
)


def beads_after(box, cell, result):
    """Return a box after a game in which `cell` was chosen from it."""
    after = dict(box)
    after[cell] = max(0, after[cell] + {1: 3, 0: 1, -1: -1}[result])
    return after


def draw_beads_after(rng):
    """Yield boxes and results, and boxes that have no bead to lose."""
    names = {1: "a win", 0: "a draw", -1: "a loss"}
    for result in (1, 0, -1) * 3:
        box = {a: int(rng.integers(1, 9)) for a in random_q(rng)}
        cell = int(rng.choice(list(box)))
        yield Case(names[result], False, (box, cell, result))
    for result in (1, 0, -1):
        box = {a: int(rng.integers(2, 9)) for a in random_q(rng)}
        cell, other = rng.choice(list(box), size=2, replace=False).tolist()
        yield Case("another cell is empty", False, (box | {other: 0}, cell, result))
        box = dict.fromkeys(box, 1)
        yield Case("one bead of each", False, (box, cell, result))
    for _ in range(3):
        box = {a: int(rng.integers(2, 9)) for a in random_q(rng)}
        cell = int(rng.choice(list(box)))
        yield Case("the last bead goes", False, (box | {cell: 1}, cell, -1))
        yield Case("no bead is left", True, (box | {cell: 0}, cell, -1))
        yield Case("no bead is left", True, (dict.fromkeys(box, 0), cell, -1))


BEADS_AFTER = Question(
    answer=beads_after,
    cases=cases(
        ("a win", {0: 4, 4: 2, 8: 4}, 4, 1),
        ("a draw", {0: 4, 4: 2, 8: 4}, 0, 0),
        ("a loss", {0: 4, 4: 2, 8: 4}, 8, -1),
        ("no bead is left*", {1: 3, 7: 0}, 7, -1),
    ),
    draw=draw_beads_after,
    mistakes=(
        Mistake(
            "negative beads",
            "A box cannot hold fewer than no beads.",
            altered(beads_after, ("max(0, ", "max(-99, ")),
        ),
        Mistake(
            "draw = loss",
            "A draw adds a bead. Only a loss takes one away.",
            altered(beads_after, ("0: 1,", "0: -1,")),
        ),
        Mistake(
            "draw = nothing",
            "A draw adds a bead too.",
            altered(beads_after, ("0: 1,", "0: 0,")),
        ),
        Mistake(
            "win +1",
            "A win adds three beads.",
            altered(beads_after, ("1: 3,", "1: 1,")),
        ),
    ),
    hint="+3 for a win, +1 for a draw, −1 for a loss, and never below 0.",
)


def chosen_cell(board, values):
    """Return the empty cell to which the largest of the values belongs."""
    best = int(np.argmax(values))
    return int(np.flatnonzero(np.asarray(board) == 0)[best])


def chosen_of_nine(board, values):
    """Return the cell of the largest of nine values, those of taken cells being 0."""
    nine = np.zeros(9)
    nine[np.flatnonzero(np.asarray(board) == 0)] = values
    return int(nine.argmax())


def draw_chosen_cell(rng):
    """Yield boards on which the cell and its place among the empty ones differ."""
    game = tables()
    states = np.flatnonzero(~game.terminal & (game.count >= 3) & (game.count <= 8))
    wanted = {"some cells taken": 8, "every value is below 0": 4}
    while any(wanted.values()):
        board = game.board[rng.choice(states)].astype(int)
        kind = next(kind for kind in wanted if wanted[kind])
        high = 0.9 if kind == "some cells taken" else -0.1
        values = rng.permutation(np.linspace(-0.95, high, int((board == 0).sum())))
        best = int(values.argmax())
        if np.flatnonzero(board == 0)[best] != best:
            wanted[kind] -= 1
            yield Case(kind, False, (board, [round(float(v), 3) for v in values]))
    for s in rng.choice(np.flatnonzero(game.count == 1), size=3):
        yield Case("one cell is left", False, (game.board[s].astype(int), [-1.0]))
    for s in rng.choice(states[game.count[states] < 7], size=3):
        values = [-1.0, -0.5, -0.7, -0.6, -0.9, -0.8][: game.count[s]]
        zero = [*values[:-1], 0.0]
        board = game.board[s].astype(int)
        yield Case("the best is worth 0", False, (board, [0.0, *values[1:]]))
        yield Case("the last cell is the best", False, (board, zero))


CHOSEN_CELL = Question(
    answer=chosen_cell,
    cases=cases(
        ("some cells taken", cells("XO./.X./..."), [0.1, 0.0, 0.5, 0.2, -0.1, 0.3]),
        (
            "some cells taken",
            cells("X../.O./..."),
            [0.1, 0.7, 0.5, 0.2, -0.1, 0.3, 0.0],
        ),
    ),
    draw=draw_chosen_cell,
    mistakes=(
        Mistake(
            "not repaired",
            "You still give the place in the list of empty cells: the same number "
            "means another cell on another board.",
            altered(
                chosen_cell,
                ("int(np.flatnonzero(np.asarray(board) == 0)[best])", "best"),
            ),
        ),
        Mistake(
            "a taken cell is worth 0",
            "Taken cells count as 0 in your list of nine, and 0 is more than a loss: "
            "choose among the empty cells only.",
            chosen_of_nine,
        ),
        Mistake(
            "worst cell",
            "You take the smallest value.",
            altered(chosen_cell, ("argmax", "argmin")),
        ),
    ),
    hint="Number i of the values belongs to number i of the empty cells.",
)
