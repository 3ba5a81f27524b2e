"""Training of chapter 11: Q-learning in self-play."""

from collections import Counter

import numpy as np

from ttt_lib import evaluation, policy, search
from ttt_lib.check.training.common import (
    POINTS,
    by_cell,
    choose,
    greedy_in,
    largest_in,
    move_chances,
    table_of,
    weighted_mean,
    world,
)
from ttt_lib.check.training.demands import (
    FOR_MOVER,
    demand_motion,
    demand_steps,
    demand_values,
)
from ttt_lib.check.training.goals import two_goals


def q_learning(function, rng, points=POINTS, games=10_000, epsilon=0.5):
    """Yield (games, measures) of a learner in self-play.

    They are its exploitability on each side, and the mean absolute error of its values
    against perfect play, over the decisions of its own games. The function gets, for
    each move of a game, the values of all moves on that board for the player to move,
    and the index of the move; then the result for the player of the last move. It
    returns the new value of each move.
    """
    w, Q = world(), table_of(lambda n: [0.0] * n)
    # Shuffled on each board, so that an index does not reveal the cell.
    after, still = [rng.sample(boards, len(boards)) for boards in w.after], Counter()
    for game in range(1, games + 1):
        s, made = 0, []
        while not w.over[s]:
            made.append((s, choose(rng, Q[s], epsilon)))
            s = after[s][made[-1][1]]
        result = float(w.outcome[s] * w.mover[made[-1][0]])
        new = function([list(Q[s]) for s, _ in made], [i for _, i in made], result)
        demand_values(new, len(made), "the new value of each move")
        old, worth = [Q[s][i] for s, i in made], [0 - max(Q[s]) for s, _ in made[1:]]
        for (s, i), value in zip(made, new, strict=True):
            Q[s][i] = value
        later = [0 - max(Q[s]) for s, _ in made[1:]]
        to_come = zip([*worth, result], [*later, result], strict=True)
        towards = "what the next board is worth to you"
        demand_steps(old, new, to_come, "move", towards)
        demand_motion(still, old[-1], new[-1], result, FOR_MOVER)
        if game % (games // points) == 0:
            player = greedy_in(Q, after)
            first, second, _ = map(float, evaluation.exploitability(w.game, player))
            own = policy.mixture(epsilon, policy.uniform(w.game.legal), player)
            wrong = np.abs(by_cell(largest_in(Q, after)) - search.solve(w.game).Q)
            measures = {"first": first, "second": second}
            yield game, measures | {"off": weighted_mean(wrong, move_chances(own, own))}


TRAINING = two_goals(
    q_learning,
    "exploitability is below .2 on both sides, and its values off by at most .22",
    lambda m: max(m["first"], m["second"]) < 0.2 and m["off"] <= 0.22,
    "it stays below .2 as first player",
    lambda m: m["first"] < 0.2,
    POINTS // 4,
)
