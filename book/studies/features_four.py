"""Eleven weights learn 4 × 4 in self-play: how often their move is a best one."""

from functools import cache

import numpy as np

from ttt_lib import rules
from ttt_lib.approximation import features
from ttt_lib.large_boards import exact

RNG = np.random.default_rng(1997)
SEEDS = 30
MARKS = 0, 10, 100, 1000, 10_000, 50_000
SETTINGS = {  # label: α and ε of a learner; None does not learn
    "self-play": (0.01, 0.1),
    "close a line, else block one, else the lowest cell": None,
}
BOARDS = 500  # of random games, with at least one move that loses value
SIZE = 4, 4, 4  # rows, columns, and marks in a row that win


@cache
def contested():
    """Return BOARDS of random games and the true values of their moves (N, 16)."""
    rng, solved, boards, values = np.random.default_rng(4), exact.solve(*SIZE), [], []
    lines = rules.lines(*SIZE)
    while len(boards) < BOARDS:
        board = np.zeros(16, dtype=np.int8)
        for _ in range(int(rng.random() * 15)):
            if rules.finished(board, lines):
                break
            free = np.flatnonzero(board == 0)
            board = rules.play(board, free[int(rng.random() * len(free))], lines)
        if rules.finished(board, lines):
            continue
        after = rules.side_to_move(board) * exact.values_after(
            solved, "".join(".XO"[mark] for mark in board)
        )
        free = board == 0
        if after[free].min() < after[free].max():
            boards.append(board)
            values.append(np.where(free, after, -2))
    return np.array(boards), np.array(values)


def trial(setting, rng):
    """Return, for each of MARKS, the share of BOARDS where its best move is a best one.

    Ties go to the lowest cell. After 0 games it therefore closes a line where it can,
    because a win counts 1, and otherwise takes the lowest cell.
    """
    lines = rules.lines(*SIZE)
    boards, values = contested()
    if setting is None:
        share = share_best(urgent(boards, lines), boards, values)
        return np.round([share] * len(MARKS), 5)
    (alpha, epsilon), w, rows = setting, np.zeros(11), []
    for before, mark in zip((0, *MARKS), MARKS, strict=False):
        w = features.self_play(w, mark - before, alpha, epsilon, rng, 16, lines)
        Q = features.action_values(boards, w, lines)
        rows.append(share_best(Q, boards, values))
    return np.round(rows, 5)


def share_best(Q, boards, values):
    """Return the share of boards where the lowest of the largest Q is a best move."""
    chosen = np.where(boards == 0, Q, -np.inf).argmax(axis=1)
    return (values[np.arange(len(boards)), chosen] == values.max(axis=1)).mean()


def urgent(boards, lines):
    """Return 2 for each cell that closes a line, 1 for one that blocks, else 0."""
    mover = rules.side_to_move(boards)[:, np.newaxis]
    Q = np.zeros(boards.shape)
    for line in lines:
        marks = boards[:, line] * mover
        for mark, urgency in ((-1, 1), (1, 2)):
            almost = (marks == mark).sum(axis=1) == len(line) - 1
            for cell in line:
                closes = almost & (boards[:, cell] == 0)
                Q[closes, cell] = np.maximum(Q[closes, cell], urgency)
    return Q
