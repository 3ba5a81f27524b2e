"""Lab of one backup: a cell, the replies, and the values that come back."""

import re

import numpy as np

from ttt_lib import mdp, planning
from ttt_lib.agents import policy
from ttt_lib.board.labs.lab import Lab
from ttt_lib.board.labs.parsing import Setting, a_board, a_number, a_player, numbers
from ttt_lib.game import tables
from ttt_lib.validation import require, short_repr


def a_decision(text, name):
    """Return the text of a board on which the game is not over."""
    game, text = tables(), a_board(text, name)
    require(not game.terminal[game.find(text)], f"{name} = {text}: the game is over")
    return text


def a_stage(text, name):
    """Return the text of a stage: start, end, or cells and a number from 1 to 3."""
    require(
        re.fullmatch(r"start|end|[0-8]{1,9}:[123]", text),
        f"{name} = {short_repr(text)}: give start, end, or cells and a stage, "
        "as in 83:1",
    )
    return text


def a_way_on(text, name):
    """Return "best", or the canonical name of a player."""
    return "best" if text.strip().lower() == "best" else a_player()(text, name)


class BackupLab(Lab):
    """One backup in the decision problem: a cell, the replies, and values coming back.

    The arguments are `title`, `choose` as in LearnerLab, and settings:

    - `look`, the board on which the side to move decides;
    - `opponent`, by name; `policy`, how you play afterwards, "best" or by name;
    - `gamma`, and `rewards` of win, draw and loss;
    - `at`, "start", "end", or the cells examined so far and the stage of the last, 1 to
      3, as in "83:1".

    Raises TraitError if a setting is invalid.
    """

    kind = "backup"
    gamma = Setting("1", a_number(0, 1))
    rewards = Setting("1, 0, -1", numbers(3))
    opponent = Setting("random", a_player())
    policy = Setting("best", a_way_on)
    look = Setting(".........", a_decision)
    at = Setting("start", a_stage)

    def problem(self):
        """Return the decision problem of the side to move, an `mdp.MDP`.

        Raises ValueError if the opponent does not play the other side.
        """
        game = tables()
        side = int(game.to_move[game.find(self.look)])
        rewards = tuple(map(float, self.rewards.split(",")))
        return mdp.from_opponent(
            game, policy(game, self.opponent, -side), side, rewards
        )

    def values(self):
        """Return q(s, a) of the board shown (A,), NaN where a cell is taken, and v(s).

        Raises ValueError if the settings contradict each other.
        """
        game, problem, gamma = tables(), self.problem(), float(self.gamma)
        s = game.find(self.look)
        if self.policy == "best":
            V = planning.optimal_values(problem, gamma)
        else:
            own_policy = policy(game, self.policy, int(game.to_move[s]))
            pi = mdp.from_cells(problem, own_policy)
            V = planning.policy_evaluation(problem, pi, gamma).V
        q = mdp.to_cells(game, problem, planning.q_from_v(problem, V, gamma))[s]
        v = float(mdp.to_positions(game, problem, V)[s])
        return np.where(game.legal[s], q, np.nan), v
