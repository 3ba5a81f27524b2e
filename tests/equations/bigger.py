"""The equations of boards beyond the table."""

from math import factorial, log, sqrt

import numpy as np

from equations import equation
from ttt_lib import rules
from ttt_lib.game import tables
from ttt_lib.large_boards import uct

game = tables()


@equation("eq-orders")
def games_that_end_on_a_board():
    paths = np.zeros(len(game.code), dtype=int)
    paths[0] = 1
    for s in range(len(paths)):
        np.add.at(paths, game.next[s, game.legal[s]], paths[s])
    for s in np.flatnonzero(game.terminal):
        board, winner = game.board[s], game.outcome[s]
        mine, others = (int((board == side).sum()) for side in (winner, -winner))
        if winner == 0:
            mine, others = int((board == 1).sum()), int((board == -1).sum())
            assert paths[s] == factorial(mine) * factorial(others)
            continue
        could_be_last = 0
        for a in np.flatnonzero(board == winner):
            before = board.copy()
            before[a] = 0
            could_be_last += not rules.has_line(before, winner)
        orders = factorial(mine - 1) * factorial(others)
        assert paths[s] == could_be_last * orders


@equation("eq-uct")
def upper_confidence_bound_of_uct():
    rng = np.random.default_rng(0)
    tree = uct.search(np.zeros(9, dtype=int), 300, rng, c=0.7)
    for node in range(tree.nodes):
        N, W = tree.visits[node], tree.total[node]
        tried = np.flatnonzero(N)
        if len(tried) == 0:
            continue
        bound = [W[a] / N[a] + 0.7 * sqrt(log(N.sum()) / N[a]) for a in tried]
        free = int(sum(1 << int(a) for a in tried))
        assert uct._ucb1(N, W, free, 0.7) == tried[np.argmax(bound)]
