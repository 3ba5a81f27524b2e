"""Parts of studies that a page shows or uses as well: exact answers, and one run."""

from functools import cache

import numpy as np

from ttt_lib import evaluation, learning, planning, policy, search
from ttt_lib.compiled import compiled
from ttt_lib.game import symmetry_class, tables
from ttt_lib.policy import TIE


def soft_optimum(problem, epsilon):
    """Return the values q (N,) of the best among players who explore for ever."""
    V = np.zeros(len(problem.position))
    for _ in range(6):  # five decisions at most, so the sixth sweep changes nothing
        q = planning.q_from_v(problem, V, gamma=1)
        best = planning.greedy(problem, q)
        exploring = policy.mixture(epsilon, planning.uniform(problem), best)
        V = planning.expectation_backup(problem, exploring, V, gamma=1)
    return q


def distance(learner, Q):
    """Return how far a learner's Q is from another, by its updates (root mean)."""
    weight = learner.updates / learner.updates.sum()
    return np.sqrt((weight * (learner.Q - Q) ** 2).sum())


def signed_error(learner, Q):
    """Return the mean of a learner's Q minus another, by its updates."""
    weight = learner.updates / learner.updates.sum()
    return (weight * (learner.Q - Q)).sum()


def folded(game):
    """Return the game in which a move leads to the representative of its class."""
    to = symmetry_class(game).astype(game.next.dtype)
    return game._replace(
        next=np.where(game.legal, to[game.next], -1),
        successor=np.where(game.successor >= 0, to[game.successor], -1),
    )


def without_chance(game, order, games, alpha=0.1, draw=0.5):
    """Return the policy that the rule of section 1.5 makes without one random number.

    It is self-play, always greedy, from 1 for every board; in ties the cell that comes
    first in `order` is taken, while it learns and when it is judged.
    """
    V, cells = np.where(game.terminal, draw, 1.0), np.array(order)
    V[game.outcome != 0] = 1
    same_games(V, cells, game.next, game.terminal, game.outcome, games, alpha, draw)
    best = policy.best(np.where(game.legal, V[game.next], 0), game.legal)
    first = cells[best[:, cells].argmax(axis=1)]
    return best * (first[:, np.newaxis] == np.arange(len(order)))


@compiled
def same_games(V, order, after, terminal, outcome, games, alpha, draw):
    """Change V, what boards are worth to who left them behind, by self-play."""
    path = np.zeros(len(order) + 1, dtype=np.int64)
    for _ in range(games):
        t = 0
        while not terminal[path[t]]:
            largest, t = -np.inf, t + 1
            for a in order:
                s = after[path[t - 1], a]
                if s >= 0 and V[s] > largest + TIE:
                    largest, path[t] = V[s], s
            if t > 2:
                V[path[t - 2]] += alpha * (V[path[t]] - V[path[t - 2]])
        result = draw if outcome[path[t]] == 0 else 0.0
        V[path[t - 1]] += alpha * (result - V[path[t - 1]])


def all_moves_table(game, epsilon):
    """Return to what O's afterstates converge against random play, from all moves.

    The table W (S,) holds what each position is worth to O, who goes on exploring.
    """
    W = -game.outcome.astype(float)
    for s in reversed(np.flatnonzero(~game.terminal)):
        q = W[game.successor[s, : game.count[s]]]
        random = epsilon if game.to_move[s] == -1 else 1
        W[s] = (1 - random) * q.max() + random * q.mean()
    return W


def greedy_moves_table(game, epsilon, reading="worse than the best"):
    """Return to what they converge if O learns across greedy moves only.

    `reading` says which moves are exploratory: those that are worse than the best, with
    the random move drawn from all moves or from the others, or all random moves.
    """
    W = -game.outcome.astype(float)
    weight, sure = np.ones(len(W)), game.terminal.copy()
    for s in reversed(np.flatnonzero(~game.terminal)):
        after = game.successor[s, : game.count[s]]
        top = W[after] > W[after].max() - TIE
        if (
            game.to_move[s] == +1
        ):  # the mean of X's replies, by how often each is learned
            W[s] = np.average(W[after], weights=weight[after])
            sure[s] = sure[after].all() and top.all()
        else:
            W[s], sure[s] = W[after].max(), sure[after][top].all()
            ties = max(1, (top & sure[after]).sum())  # estimates that are equal
            weight[s] = share_learned(epsilon, ties, len(after), reading)
    return W


def share_learned(epsilon, ties, moves, reading):
    """Return how often a move is learned across, if `ties` of the `moves` are best."""
    if reading == "every random move":
        return 1 - epsilon
    others = 1 if reading == "worse than the best, from the others" else 0
    drawn = (ties - others) / max(moves - others, 1)  # best, though drawn at random
    return 1 - epsilon + epsilon * (drawn if moves > others else 1)


@compiled
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


def errors(method, games, rng, **settings):
    """Return the RMS error of a prediction, weighted by visits, after each of `games`.

    What is judged is `judgement`; `settings` are those of `new_learner`.
    """
    game = tables()
    judged, opponent, exact, weight = judgement()
    learner = learning.new_learner(game, method, rng, **settings)
    grown = learning.snapshots(game, learner, games, opponent, -1, judged)
    found = [np.sqrt(weight @ (each.V - exact) ** 2) for each in grown]
    return np.round(found, 5)


@cache
def judgement():
    """Return the policy to judge, its opponent, its exact values and their weights.

    It is the perfect second player, ties to the lowest cell, against random play.
    """
    game = tables()
    judged = search.perfect(game, ties="lowest")
    opponent = policy.uniform(game.legal)
    chances = evaluation.win_draw_loss(game, opponent, judged)
    exact = np.where(game.terminal, 0, chances[:, 2] - chances[:, 0])
    return judged, opponent, exact, visits(game, opponent, judged)


def visits(game, first, second):
    """Return how often the second player decides in each position, in sum 1: (S,)."""
    both = policy.join(first, second, game.to_move)
    p = np.zeros(len(game.code))
    p[0] = 1
    for s in range(len(p)):
        for a in np.flatnonzero(both[s]):
            p[game.next[s, a]] += p[s] * both[s, a]
    p[game.terminal | (game.to_move == 1)] = 0
    return p / p.sum()


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

    Win, block, fork, stop a fork, centre, corner opposite to the other's, corner, edge.
    """
    moves = [
        _by_rules(game.board[s] * game.to_move[s]) if unfinished else 0
        for s, unfinished in enumerate(~game.terminal)
    ]
    return policy.deterministic(np.array(moves), game.legal)


def _by_rules(board):
    """Return the cell of a board (9,), +1 being the teacher's own marks."""
    ways = [_third(board, +1), _third(board, -1), _fork(board, +1), _fork(board, -1), 4]
    ways += [cell for other, cell in OPPOSITE if board[other] == -1]
    ways += [0, 6, 2, 8, 3, 7, 5, 1]
    return next(cell for cell in ways if cell is not None and board[cell] == 0)


def _third(board, mark):
    """Return the cell that completes a line of a mark, None if there is none."""
    for line in LINES:
        marks = board[list(line)].tolist()
        if marks.count(mark) == 2 and marks.count(0) == 1:
            return line[marks.index(0)]
    return None


def _fork(board, mark):
    """Return the cell of a fork: the first two marks that are there decide."""
    corners = sorted(board[[0, 2, 6, 8]].tolist())
    for place, (two, *ways) in enumerate(FORKS):
        if place == 4 and mark == -1 and corners == [-1, -1, 0, 1]:
            return 5  # the published program puts its mark there also if it is taken
        if board[two[0]] == board[two[1]] == mark:
            return next((way[0] for way in ways if not board[list(way)].any()), None)
    return None
