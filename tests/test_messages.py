"""Invalid arguments raise one sentence that says what is wrong, whatever the function.

`test_wrong_calls.py` draws arguments of all kinds; here are the messages of some.
"""

import math
from functools import partial

import numpy as np
from common import each, game, rng, wide
from learner_fixtures import LOST

from ttt_lib import agents, evaluation, learning, mdp, menace, rules, schedules, studies
from ttt_lib.approximation import features
from ttt_lib.board import Board
from ttt_lib.envs import TicTacToeEnv
from ttt_lib.game import tables
from ttt_lib.large_boards import exact, growth, uct
from ttt_lib.policy import uniform
from ttt_lib.schedules import Schedule, as_schedule
from ttt_lib.validation import (
    as_float,
    as_int,
    boards,
    bool_array,
    float_array,
    one_of,
)

at_random, even = uniform(game.legal), uniform(wide.legal)
ONE_SIDED = evaluation.best_response(game, at_random, 1).policy
new = partial(learning.new_learner, game)
boxes = menace.new_matchboxes(game, rng())
in_boxes = agents.learners.adapter(boxes)
sarsa = agents.learners.adapter(new("sarsa", rng()))
custom = agents.CustomLearner(game, rng())
LAST = int(np.flatnonzero(~wide.terminal)[-1])


def of(kind, *numbers):
    return Schedule(getattr(schedules, kind), *numbers)


def with_row(s, row):
    """Return random play on the wide board with another row, of legal cells only."""
    policy = even.copy()
    policy[s] = np.where(wide.legal[s], row, 0)
    return policy


SIZES = {
    "rows ": [(0, 3, 3), (2.0, 3, 3), (True, 3, 1)],
    "columns ": [(3, 0, 3)],
    "k ": [(3, 3, 0)],
    "4 in a row fit nowhere on a board of 1 × 3 cells": [(1, 3, 4)],
}
CALLS = [  # a call, its arguments, and words of the message
    *((boards.require_size, size, words) for words in SIZES for size in SIZES[words]),
    (boards.require_drawable, (73, 137), "10,000"),
    (as_int, (-1, "n"), "n = -1: give a whole number from 0 up"),
    (as_int, (2**62 + 1, "n"), f"{2**62:,}"),
    (as_int, (9000, "n", 1, 5000), "from 1 to 5,000"),
    (as_float, ("x", "n"), "n = 'x'"),
    (partial(as_float, above=True), (3, "n", 3), "above 3 up"),
    (partial(as_float, above=True), (7, "n", 3, 5), "above 3 to 5"),
    (one_of, ("c", "n", ("a", "b")), "n = 'c': choose from 'a', 'b'"),
    (one_of, (np.zeros(3), "n", ("a",)), "n = an array of shape (3,)"),
    (float_array, (np.zeros(5), "n", (1, 2)), "(5,)"),
    (bool_array, (np.zeros(5), "n", (7,)), "(7,)"),
    (float_array, (mdp.gridworld("E."), "n"), "n = a MDP"),
    (float_array, ("perfect", "first"), "agents.policy(game, 'perfect')"),
    (float_array, ("p", "policy", (7,)), "mdp.from_cells(mdp, "),
    (partial(new, rewards=[1e81, 0, 0]), ("sarsa", rng()), "rewards = [1e+81, 0, 0]"),
    (rules.lines, (10, 10**9, 3), "10 × 1000000000 cells are too many"),
    (tables, (4, 4, 4), "on 4 × 4 cells has up to 10,165,779 positions, "),
    (tables, (4, 4, 4), " up to 4.4 GB"),
    (tables, (7, 7, 1), "has up to 3^49 boards, about 10^23"),
    (tables, (10**9, 10**9, 5), "has up to 3^1000000000000000000 boards"),
    (mdp.gridworld, ("E..|.",), "of equal length"),
    (mdp.gridworld, ("E.X",), "rows of . E and #"),
    (mdp.gridworld, ("E#",), "no square is free"),
    *((evaluation.win_draw_loss, (wide, with_row(s, row), with_row(s, row)),
       f"{side} has the row") for s, side in ((0, "first"), (LAST, "second"))
      for row in (even[s] / 2, even[s] - 1)),
    *((evaluation.win_draw_loss, (wide, with_row(s, 0.1), with_row(s, 0.1)),
       f"position {s}") for s in (0, 1, LAST)),
    (new, ("q-learning", rng()), "method = 'q-learning': choose from 'mc_prediction'"),
    (partial(new, epsilon=schedules.linear(1, -1, 9)), ("sarsa", rng()),
     "epsilon = -1.0: give a finite"),
    (partial(new, alpha=0), ("sarsa", rng()), "alpha = 0.0: give a finite number"),
    (partial(new, lambda_=0.5), ("sarsa", rng()), "lambda_ and n are settings of TD m"),
    *((partial(new, rewards=rewards), ("minimax_q", rng()), "in minimax")
      for rewards in ((1, 0, 0), (1, 0.5, -1))),
    (learning.action_values, (game, new("td_prediction", rng())), "evaluates a policy"),
    *((learning.learn_game, (game, new("sarsa", rng()), actions), "actions")
      for actions in ([], [0, 0], [9], [-1], [0, 1], [*LOST[1], 7])),
    (learning.train, (wide, learning.new_learner(wide, "sarsa", rng()), 5, even, -1,
                      even * (wide.to_move == 1)[:, None]), "behaviour has the row [0"),
    (menace.learn_game, (game, boxes, [0, 0]), "0 is illegal"),
    (menace.learn_game, (game, boxes, [0, 1]), "not finished"),
    (menace.train, (game, boxes._replace(games=2**62), 1), "games = 1"),
    (schedules.exponential, (-1, 1, 10), "start "),
    (schedules.exponential, (1, 0, 10), "end "),
    (partial(schedules.power, by="moves"), (), "by "),
    (as_schedule, ("0.1", "alpha"), "alpha "),
    (as_schedule, (Schedule(9, 1, 1, 0), "alpha"), "alpha.kind "),
    (as_schedule, (of("LINEAR", 1, 0, math.nan), "alpha"), "alpha.rate "),
    (as_schedule, (of("BY_VISITS", 1, 0, -1), "alpha"), "alpha.rate "),
    (as_schedule, (of("EXPONENTIAL", 1, 0, 0.1), "alpha"), "alpha changes "),
    (as_schedule, (Schedule(0, math.nan, 1, 0), "alpha"), "alpha.start "),
    (studies.load, ("td",), "name = 'td': the studies are actor_critic, "),
    (exact.solve, (4, 5, 4), "3,486,784,401 bytes"),
    (exact.solve, (3, 3, 4), "fit nowhere"),
    (exact.value, (exact.solve(1, 1, 1), "XX.."), "has 1 cell"),
    (growth.count, (3, 7, 3), "up to 20 cells"),
    (growth.estimate, (3, 3, 3, 1, rng()), "samples"),
    (growth.estimate, (11, 10, 3, 2, rng()), "up to 100"),
    (uct.search, (game.board[game.find("XXXOO....")], 10, rng()), "is over"),
    (uct.search, (np.zeros(63), 10, rng()), "up to 62"),
    (uct.search, (np.zeros((2, 9)), 10, rng()), "one board"),
    (features.features, (np.zeros(9),), "a board in each row"),
    (features.features, (np.eye(9)[:1] + np.eye(9)[1:2],), "as many marks"),
    (features.self_play, (np.zeros(8), 1, 0.1, 0.1, rng()), "w has shape"),
    (features.self_play, (np.zeros(9), 1, 0.1, 0.1, rng(), 8), "from 9 up"),
    (features.self_play, (np.zeros(9), 10_000, 1.0, 0.1, rng()), "alpha = 1.0 is too"),
    (partial(Board, o="nobody"), (), "'nobody' cannot play: choose from person, "),
    (partial(Board, agent={}), (), "at least one"),
    (partial(Board, agent=new("sarsa", rng()), name="Teacher:0.5"), (), "taken"),
    (partial(Board, agent=new("td_prediction", rng())), (), "has no policy"),
    (agents.opponent, (game, "menace"), "menace was made for the first play"),
    (agents.opponent, (game, "person"), "A person has no policy"),
    (agents.policy, (game, "self"), "self is the learner"),
    (agents.policy, (game, "new sarsa"), "needs a generator"),
    (agents.policy, (game, new("td_prediction", rng())), "td_prediction has no policy"),
    (agents.as_agent, (game, at_random / 2), "policy: its rows should add up to 1"),
    (agents.as_agent, (game, np.full(at_random.shape, 1 / 9)), "is not a policy"),
    (agents.as_agent, (game, {"a": 1}), "A dict cannot play: give a name, an Agent"),
    (in_boxes.train, (game, 1, at_random, +1, at_random), "has no behaviour policy"),
    (in_boxes.train, (game, 1, at_random, 0), "Matchboxes play one side"),
    (in_boxes.changed, (game, {"rewards": (1, 0, 0)}), "cannot change its settings"),
    (sarsa.changed, (game, {"initial": 1}), "initial is for a new learner"),
    (sarsa.changed, (game, {"alpha": 2.0}), "alpha = 2.0"),
    (sarsa.changed, (game, {"alpha": 0.5, "games": 1}), "there is no 'games'"),
    (custom.train, (game, -1), "games = -1"),
    (custom.train, (game, 1, None, +1), "side = 1: give 1 or -1 against an opp"),
    (custom.train, (game, 1, at_random[1:]), "shape"),
    (partial(agents.CustomLearner, epsilon=2), (game, rng()), "epsilon = 2"),
    (custom.learn_game, (game, [0, 1]), "the game is not finished"),
    (custom.learn_game, (game, [0, 0]), "0 is illegal"),
    (partial(TicTacToeEnv, side="third"), (), "side"),
    (partial(TicTacToeEnv, opponent="nobody"), (), "nobody"),
    (partial(TicTacToeEnv, opponent="person"), (), "person"),
    (partial(TicTacToeEnv, opponent=ONE_SIDED), (), "made for the first player only"),
    (partial(TicTacToeEnv, rewards=(1, 0)), (), "rewards"),
    (partial(TicTacToeEnv, illegal="ask"), (), "illegal"),
    (partial(TicTacToeEnv, render_mode="human"), (), "render_mode"),
    (partial(TicTacToeEnv, rows=4, columns=5), (), "4 × 5"),
]  # fmt: skip


@each(CALLS)
def test_invalid_arguments_raise_a_sentence_with_these_words(case):
    call, arguments, words = case
    message = "no error"
    try:
        call(*arguments)
    except ValueError as error:
        message = str(error)
    assert words in message, message
    assert message.endswith((".", "?"))
