"""Training of chapter 9: Monte Carlo control."""

from collections import Counter
from statistics import fmean

import numpy as np

from ttt_lib import evaluation, policy
from ttt_lib.check.training.common import (
    POINTS,
    by_cell,
    choose,
    greedy_in,
    move_chances,
    table_of,
    weighted_mean,
    world,
)
from ttt_lib.check.training.demands import (
    FOR_X,
    demand_motion,
    demand_steps,
    demand_values,
)
from ttt_lib.check.training.goals import two_goals
from ttt_lib.game import tables


def monte_carlo(function, rng, points=POINTS, games=12_000, epsilon=0.5):
    """Yield (games, measures) of a learner against random play.

    They are the loss of its greedy policy in comparison with best play, and the error
    of its estimates. The function gets the estimate of each decision of a game, how
    often the action was taken, and the return; it returns the new estimates.
    """
    w = world()
    Q, N = table_of(lambda n: [0.0] * n), table_of(lambda n: [0] * n)
    at_random = policy.uniform(w.game.legal)
    best = evaluation.best_response(w.game, at_random).V[0]
    still = Counter()
    for game in range(1, games + 1):
        s, decisions = 0, []
        while not w.over[s]:
            x_moves = w.mover[s] == 1
            i = choose(rng, Q[s], epsilon if x_moves else 1)
            if x_moves:
                decisions.append((s, i))
                N[s][i] += 1
            s = w.after[s][i]
        old = [Q[s][i] for s, i in decisions]
        counts = [N[s][i] for s, i in decisions]
        G = float(w.outcome[s])
        new = function(list(old), counts, G)
        demand_values(new, len(decisions), "the new estimate of each decision")
        demand_steps(old, new, [(G, G)] * len(old), "decision", "the result")
        demand_motion(still, old[-1], new[-1], G, FOR_X)
        for (s, i), value in zip(decisions, new, strict=True):
            Q[s][i] = value
        if game % (games // points) == 0:
            player = greedy_in(Q, w.after)
            value = evaluation.result(w.game, player, at_random).value
            exploring = policy.mixture(epsilon, at_random, player)
            off = _off(by_cell(lambda s, _: Q[s]), exploring, at_random)
            yield game, {"lost": float(best - value), "off": off}


def _off(Q, player, opponent):
    """Return the mean absolute error of Q (S, A) over X's decisions.

    The true values are the mean results of games of X against the opponent, both
    policies (S, A).
    """
    game = tables()
    win, _, loss = evaluation.win_draw_loss(game, player, opponent).T
    chance = move_chances(player, opponent)
    chance[game.to_move != 1] = 0
    return weighted_mean(np.abs(Q - (win - loss)[game.next]), chance)


TRAINING = two_goals(
    monte_carlo,
    "it stays within .03 of best play, and its estimates are off by at most .095",
    lambda m: m["lost"] <= 0.03 and m["off"] <= 0.095,
    "it stays within .1 of the best play",
    lambda m: m["lost"] <= 0.1,
    POINTS // 4,
    fmean,
)
