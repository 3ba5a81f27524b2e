"""The player of S&B section 1.5: its limits, and its rule without random numbers."""

import numpy as np

from ttt_lib import policy
from ttt_lib.compiled import allocating
from ttt_lib.policy import LEARNED_ATOL


def without_chance(game, order, games, alpha=0.1, draw=0.5):
    """Return the policy that the rule of section 1.5 learns without random numbers.

    It learns in self-play, always greedy, from 1 for every board. Ties go to the cell
    that comes first in `order`, in training and in the policy.
    """
    V, cells = np.where(game.terminal, draw, 1.0), np.array(order, dtype=np.int64)
    V[game.outcome != 0] = 1
    same_games(V, cells, game.next, game.terminal, game.outcome, games, alpha, draw)
    best = policy.best(np.where(game.legal, V[game.next], 0), game.legal)
    first = cells[best[:, cells].argmax(axis=1)]
    return best * (first[:, np.newaxis] == np.arange(len(order), dtype=np.int64))


@allocating
def same_games(V, order, after, terminal, outcome, games, alpha, draw):
    """Update V, the values of boards for the player who just moved, by self-play."""
    path = np.zeros(len(order) + 1, dtype=np.int64)
    for _ in range(games):
        t = 0
        while not terminal[path[t]]:
            largest, t = -np.inf, t + 1
            for a in order:
                s = after[path[t - 1], a]
                if s >= 0 and V[s] > largest + LEARNED_ATOL:
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
        top = W[after] > W[after].max() - LEARNED_ATOL
        if game.to_move[s] == +1:
            # the mean of X's replies, by how often each is learned
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
