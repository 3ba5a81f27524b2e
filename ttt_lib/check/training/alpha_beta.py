"""Training of chapter 6: alpha-beta search."""

import numpy as np

from ttt_lib import search
from ttt_lib.check.judge import UnfitError
from ttt_lib.check.training.demands import is_number
from ttt_lib.check.training.goals import two_goals
from ttt_lib.game import tables


def searches(function, rng, points=None):
    """Yield (empty cells, measures so far) of random boards.

    They are the number of wrong values, the number of counts that are too low, and the
    ratio of the boards looked at to those of alpha-beta with cells in rising order. The
    function returns the value for the first player and the number of boards.
    """
    game = tables()
    marks = np.abs(game.board).sum(axis=1)
    decided = search.solve(game).V != 0
    nodes = least = wrong = few = 0
    for count in (6, 5, 4, 3, 3, 2):
        # With five marks O is to move: a wrong sign shows if the board is not a draw.
        candidates = (marks == count) & ~game.terminal & (decided | (count != 5))
        s = rng.choice(np.flatnonzero(candidates).tolist())
        answer = function(game.board[s].astype(np.int64))
        if (
            not isinstance(answer, list)
            or len(answer) != 2
            or not all(map(is_number, answer))
        ):
            raise UnfitError("it should return two numbers, the value and the boards")
        right = search.alpha_beta(game, s)
        nodes, least = nodes + answer[1], least + right.nodes
        wrong += answer[0] != right.value
        few += answer[1] < right.nodes
        yield 9 - count, {"wrong": wrong, "too few": few, "nodes": nodes / least}


TRAINING = two_goals(
    searches,
    "every value is right, with the boards that alpha-beta looks at",
    lambda m: m["wrong"] == m["too few"] == 0 and m["nodes"] <= 1,
    "every value is right, with at most three times as many boards, never too few",
    lambda m: m["wrong"] == m["too few"] == 0 and m["nodes"] <= 3,
)
