"""Training of chapter 10: TD learning of the values of boards."""

from collections import Counter

import numpy as np

from ttt_lib import evaluation, policy
from ttt_lib.check.judge import CLOSE
from ttt_lib.check.training.common import POINTS, choose, world
from ttt_lib.check.training.demands import (
    FOR_X,
    demand_motion,
    demand_steps,
    demand_values,
)
from ttt_lib.check.training.goals import two_goals
from ttt_lib.game import tables


def td(function, rng, points=POINTS, games=10_000, epsilon=0.2):
    """Yield (games, measures as first player) of a learner in self-play.

    The function gets the values of the boards after each move of a game except the
    last, the result, and the share of the games played so far; it returns the new
    values. Here each board has its own value, even if another is its mirror image.
    """
    w, game = world(), tables()
    pairs = zip(game.successor.tolist(), game.count, strict=True)
    after = [boards[:count] for boards, count in pairs]
    V, still = [float(outcome) for outcome in w.outcome], Counter()
    for played in range(1, games + 1):
        s, boards = 0, []
        while not w.over[s]:
            i = choose(rng, [w.mover[s] * V[n] for n in after[s]], epsilon)
            s = after[s][i]
            boards.append(s)
        *boards, end = boards
        old, result = [V[s] for s in boards], float(w.outcome[end])
        new = function(list(old), result, played / games)
        demand_values(new, len(boards), "the new value of each board")
        to_come = zip([*old[1:], result], [*new[1:], result], strict=True)
        demand_steps(old, new, to_come, "board", "that of the next board")
        demand_motion(still, old[-1], new[-1], result, FOR_X)
        for s, value in zip(boards, new, strict=True):
            V[s] = value
        if played % (games // points) == 0:
            Q = np.where(game.legal, np.array(V)[game.next], 0) * game.to_move[:, None]
            player = policy.greedy(Q, game.legal)
            at_random = evaluation.result(game, player, policy.uniform(game.legal))
            worst = float(0 - evaluation.worst_case(game, player)[0])
            measures = {"worst": worst, "lost": float(at_random.loss)}
            yield played, measures | {"off": _off_in_own(V, Q, epsilon)}


def _off_in_own(V, Q, epsilon):
    """Return the mean absolute error of V over the boards of a learner's own games.

    The true values are the mean results of such games, ε-greedy in Q on both sides.
    """
    game = tables()
    own = policy.epsilon_greedy(Q, game.legal, epsilon)
    win, _, loss = evaluation.win_draw_loss(game, own, own).T
    chance = evaluation.reach(game, own, own) * ~game.terminal
    chance[0] = 0  # the empty board comes after no move
    return float(np.abs(V - (win - loss)) @ chance / chance.sum())


TRAINING = two_goals(
    td,
    "nobody can beat it as first player, and its values are off by at most .22",
    lambda m: m["worst"] <= CLOSE and m["off"] <= 0.22,
    "it loses at most 5 % to random play",
    lambda m: m["lost"] <= 0.05,
)
