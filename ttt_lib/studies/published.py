"""Published programs, reimplemented: the loop of a notebook, and a teacher by rules."""

import numpy as np

from ttt_lib import policy
from ttt_lib.compiled import allocating


@allocating
def games_of_the_notebook(V, epsilon, alpha, games, plies, successor, count, rng):
    """Let X with table V[0] and O with V[1] play, and both learn after each game.

    Ties go to the first move. Each table is swept from the end of the game: each board
    moves towards the one `plies` later, for 2 only the boards that its owner left.
    """
    path = np.zeros(successor.shape[1] + 1, dtype=np.int64)
    for _ in range(games):
        t = 0
        while count[path[t]] > 0:
            s, me, best = path[t], t % 2, 0
            for i in range(count[s]):
                if V[me, successor[s, i]] > V[me, successor[s, best]]:
                    best = i
            if rng.random() < epsilon[me]:
                best = int(rng.random() * count[s])
            t += 1
            path[t] = successor[s, best]
        for me in range(2):
            for k in range(t - 1, -1, -1):
                if plies == 1 or k % 2 == 1 - me:
                    target = V[me, path[min(k + plies, t)]]
                    V[me, path[k]] += alpha[me] * (target - V[me, path[k]])


# The eight lines in the order in which a published teacher looks at them [feinman2015].
LINES = (
    *((0, 4, 8), (2, 4, 6), (0, 3, 6), (0, 1, 2)),
    *((1, 4, 7), (3, 4, 5), (2, 5, 8), (6, 7, 8)),
)
FORKS = (  # two marks, then the cells to take, each with two more that must be free
    ((3, 1), (0, 2, 6), (4, 5, 7)),
    ((3, 7), (6, 0, 8), (4, 1, 5)),
    ((7, 5), (8, 2, 6), (4, 1, 3)),
    ((5, 1), (2, 0, 8), (4, 3, 7)),
    ((0, 8), (6, 3, 7), (2, 1, 5)),
    ((6, 2), (8, 5, 7), (0, 1, 3)),
)
OPPOSITE = (0, 8), (6, 2), (2, 6), (8, 0)


def teacher_by_rules(game):
    """Return the policy (S, A) of a published teacher, a list of rules in fixed order.

    Win, block, fork, stop a fork, centre, corner opposite to the opponent's, corner,
    edge.
    """
    moves = [
        _by_rules(game.board[s] * game.to_move[s]) if unfinished else 0
        for s, unfinished in enumerate(~game.terminal)
    ]
    return policy.deterministic(np.array(moves, dtype=np.int64), game.legal)


def _by_rules(board):
    """Return the cell to take on a board (9,), +1 being the teacher's own marks."""
    candidates = [
        _third(board, +1),
        _third(board, -1),
        _fork(board, +1),
        _fork(board, -1),
        4,
    ]
    candidates += [cell for other, cell in OPPOSITE if board[other] == -1]
    candidates += [0, 6, 2, 8, 3, 7, 5, 1]
    return next(cell for cell in candidates if cell is not None and board[cell] == 0)


def _third(board, mark):
    """Return the cell that completes a line of a mark, None if there is none."""
    for line in LINES:
        marks = board[list(line)].tolist()
        if marks.count(mark) == 2 and marks.count(0) == 1:
            return line[marks.index(0)]
    return None


def _fork(board, mark):
    """Return the cell that makes a fork, by the first pair of marks on the board."""
    corners = sorted(board[[0, 2, 6, 8]].tolist())
    for i, (two, *ways) in enumerate(FORKS):
        if i == 4 and mark == -1 and corners == [-1, -1, 0, 1]:
            return 5  # the published program puts its mark there also if it is taken
        if board[two[0]] == board[two[1]] == mark:
            return next((way[0] for way in ways if not board[list(way)].any()), None)
    return None
