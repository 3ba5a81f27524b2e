"""Chapter 5: a search."""

import numpy as np

from ttt_lib import search
from ttt_lib.check.judge import UnfitError
from ttt_lib.check.training.demands import is_number
from ttt_lib.check.training.goals import two_goals
from ttt_lib.game import tables


def searches(function, rng, points=None):
    """Yield (empty cells, wrong answers and share of nodes so far) of drawn boards.

    The share is of what alpha-beta looks at, cells in rising order; an answer is the
    value for the first player and the number of boards looked at.
    """
    game = tables()
    marks = np.abs(game.board).sum(axis=1)
    decided = search.solve(game).V != 0
    own = right = wrong = few = 0
    for count in (6, 5, 4, 3, 3, 2):
        # Of five marks O is to move: a sign forgotten shows where somebody wins.
        among = (marks == count) & ~game.terminal & (decided | (count != 5))
        s = rng.choice(np.flatnonzero(among).tolist())
        found = function(game.board[s].astype(np.int64))
        if (
            not isinstance(found, list)
            or len(found) != 2
            or not all(map(is_number, found))
        ):
            raise UnfitError("it should give two numbers, the value and the boards")
        value, nodes = search.alpha_beta(game, s)
        own, right = own + found[1], right + nodes
        wrong += found[0] != value
        few += found[1] < nodes
        yield 9 - count, {"wrong": wrong, "too few": few, "nodes": own / right}


TRAINING = two_goals(
    searches,
    "every value is right, with the boards that alpha-beta looks at",
    lambda m: m["wrong"] == m["too few"] == 0 and m["nodes"] <= 1,
    "every value is right, with at most three times as many boards, never too few",
    lambda m: m["wrong"] == m["too few"] == 0 and m["nodes"] <= 3,
)
