"""Share of best moves of UCT on 4 × 4 with four in a row, by its playouts."""

from functools import cache

import numpy as np

from studies.features_four import urgent
from ttt_lib import rules
from ttt_lib.large_boards import exact, uct

RNG = np.random.default_rng(112)
SEEDS = 30
PLAYOUTS = 10, 100, 1000, 10_000
SETTINGS = {"c = 0.5": 0.5, "c = √2": 2**0.5, "close a line, else block one": None}
BOARDS = 200  # positions of random games in which one move alone is best
LUCK = 4  # seed of the sample


@cache
def sample():
    """Return BOARDS boards (BOARDS, 16), their best moves, and the lines."""
    solved, rng = exact.solve(4, 4, 4), np.random.default_rng(LUCK)
    boards, best = [], []
    while len(boards) < BOARDS:
        board = np.zeros(16, dtype=np.int8)
        for _ in range(rng.integers(5, 13)):  # with fewer marks no move loses
            free = np.flatnonzero(rules.legal(board, solved.lines))
            if len(free):
                board = rules.play(board, rng.choice(free), solved.lines)
        good = exact.best(solved, board)
        if good.sum() == 1 and rules.legal(board, solved.lines).sum() > 1:
            boards.append(board)
            best.append(good)
    return np.array(boards), np.array(best), solved.lines


def trial(c, rng):
    """Return the share of the boards in which it finds a best move: (4, 1)."""
    boards, best, lines = sample()
    if c is None:  # looks one move ahead, otherwise takes the lowest cell
        moves = np.where(boards == 0, urgent(boards, lines), -1).argmax(axis=1)
        share = best[np.arange(BOARDS), moves].mean()
        return np.round([[share]] * len(PLAYOUTS), 5)
    shares = []
    for playouts in PLAYOUTS:
        moves = [
            uct.move(uct.search.unchecked(board, playouts, rng, c, lines))
            for board in boards
        ]
        shares.append([best[np.arange(BOARDS), moves].mean()])
    return np.round(shares, 5)
