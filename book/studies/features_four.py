"""Eleven weights learn 4 × 4 in self-play: how often their move is a best one."""

from functools import cache

import numpy as np

from ttt_lib import rules
from ttt_lib.bigger import exact, features

RNG = np.random.default_rng(1997)
SEEDS = 30
MARKS = 0, 10, 100, 1000, 10_000, 50_000
SETTINGS = {"self-play": (0.01, 0.1)}  # α, ε
BOARDS = 500  # of random games, in which one move at least gives something away
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

    Of equally good moves it takes the lowest cell, so that is its move after 0 games.
    """
    lines, (alpha, epsilon) = rules.lines(*SIZE), setting
    boards, values = contested()
    w, rows = np.zeros(11), []
    for before, mark in zip((0, *MARKS), MARKS, strict=False):
        w = features.self_play(w, mark - before, alpha, epsilon, rng, 16, lines)
        Q = features.action_values(boards, w, lines)
        chosen = np.where(boards == 0, Q, -np.inf).argmax(axis=1)
        best = values[np.arange(len(boards)), chosen] == values.max(axis=1)
        rows.append(best.mean())
    return np.round(rows, 5)
