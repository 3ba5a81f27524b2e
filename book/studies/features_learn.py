"""Nine weights and a table learn in self-play: what they know after n games."""

import numpy as np

from ttt_lib import evaluation, policy
from ttt_lib.bigger import features
from ttt_lib.compiled import compiled
from ttt_lib.game import tables

RNG = np.random.default_rng(1959)
SEEDS = 30
MARKS = 10, 30, 100, 300, 1000, 3000, 10_000
ALPHA, EPSILON = 0.01, 0.1  # of the weights
ALPHA_TABLE = 0.1
SETTINGS = {"nine weights": "weights", "a table": "table"}


def trial(kind, rng):
    """Return a row of three numbers for each of MARKS: (7, 3).

    The share of all unfinished positions with an optimal move, greedily, and the
    exploitability as first and as second player.
    """
    game, rows = tables(), []
    w, V = np.zeros(9), np.zeros(len(game.code))
    known = game.count, game.successor, game.outcome
    for before, mark in zip((0, *MARKS), MARKS, strict=False):
        if kind == "weights":
            w = features.self_play(w, mark - before, ALPHA, EPSILON, rng)
            Q = features.action_values(game.board, w)
        else:
            table_plays(V, mark - before, *known, ALPHA_TABLE, EPSILON, rng)
            after = np.where(game.terminal, np.abs(game.outcome), V)
            Q = np.where(game.legal, after[game.next], 0.0)
        own = policy.greedy(Q, game.legal)
        open_to = evaluation.exploitability(game, own)
        share = evaluation.share_optimal(game, own).share
        rows.append([share, open_to.first, open_to.second])
    return np.round(rows, 5)


@compiled
def table_plays(V, games, count, successor, outcome, alpha, epsilon, rng):
    """Learn in place as `features.self_play` does, with one number for each board."""
    for _ in range(games):
        s = 0
        while count[s] > 0:
            explores = rng.random() < epsilon
            largest, ties, chosen = -np.inf, 0, 0
            for i in range(count[s]):
                after = successor[s, i]
                q = V[after] if count[after] > 0 else float(abs(outcome[after]))
                if explores:
                    q = 0.0
                if q > largest:
                    largest, ties = q, 0
                if q == largest:
                    ties += 1
                    if int(rng.random() * ties) == 0:
                        chosen = after
            q = V[chosen] if count[chosen] > 0 else float(abs(outcome[chosen]))
            if s > 0:  # the empty board has no owner
                V[s] += alpha * (-q - V[s])
            s = chosen
