"""Lab of the bandit of nine openings."""

import re

import numpy as np

from ttt_lib import evaluation, experiments, learning, policy
from ttt_lib.board.labs.lab import Lab
from ttt_lib.board.labs.parsing import Setting, a_number, a_whole, among
from ttt_lib.game import tables
from ttt_lib.validation import require, short_repr

MAX_GAMES = 1000  # games
MAX_RUNS = 200  # runs of all methods


def openings(text, name):
    """Return the text of cells from 0 to 8, one digit for each game.

    A colon and the number of runs of the methods may follow.
    """
    text = text.strip()
    match = re.fullmatch(r"([0-8]*)(?::([0-9]{1,3}))?", text)
    valid = match and len(match[1]) <= MAX_GAMES and int(match[2] or 0) <= MAX_RUNS
    require(
        valid,
        f"{name} = {short_repr(text)}: give up to {MAX_GAMES} cells from 0 to 8, and "
        f"then, if the methods have played, a colon and up to {MAX_RUNS} runs",
    )
    return text


class BanditLab(Lab):
    """A bandit with nine openings, played by the reader and by five methods.

    The arguments are `title`, `choose` as in LearnerLab, and settings:

    - `chooser`, the method that Step and Run use: "greedy", which is ε-greedy,
      "never", which is greedy without exploration, "optimistic", "ucb" or "softmax";
    - `games`, their number; `seed`, of the random numbers; `cells`, whether each
      opening is in its "own" cell, or they are "mixed" at random;
    - `epsilon`; `initial` and `weight` of the first estimate of the optimistic method;
      `c` of UCB; `tau`, the temperature of softmax;
    - `show`, when regret is shown, at the "end" or "always";
    - `at`, the cells taken so far, one digit for each game, and after the last one
      perhaps a colon and the number of runs of all methods.

    Raises TraitError if a setting is invalid.
    """

    kind = "bandit"
    chooser = Setting(
        "greedy", among("greedy", "never", "optimistic", "ucb", "softmax")
    )
    games = Setting("30", a_whole(1, MAX_GAMES))
    seed = Setting("1", a_whole(0, 2**32 - 1))
    epsilon = Setting("0.1", a_number(0, 1))
    initial = Setting("1", a_number(-100, 100))
    weight = Setting("10", a_number(0, 1e6))
    c = Setting("0.75", a_number(0, 100))
    tau = Setting("0.07", a_number(1e-3, 100))
    cells = Setting("own", among("mixed", "own"))
    show = Setting("end", among("end", "always"))
    at = Setting("", openings)

    def pulled(self):
        """Return means Q (9,), counts N (9,), and the regret of the games so far."""
        game = tables()
        at_random = policy.uniform(game.legal)
        ends = evaluation.win_draw_loss(game, at_random, at_random)[game.next[0]]
        rng = experiments.mt19937(int(self.seed))
        mixed = rng.random(len(ends)).argsort()
        if self.cells == "mixed":
            ends = ends[mixed]
        worth = ends @ [1, 0, -1]
        Q, N, regret = np.zeros(len(ends)), np.zeros(len(ends), dtype=np.int64), 0.0
        taken = list(map(int, self.at.partition(":")[0]))
        for a, (_, _, ending) in zip(taken, rng.random((len(taken), 3)), strict=True):
            r = 1 - np.searchsorted(ends[a, :2].cumsum(), ending, side="right")
            N[a] += 1
            learning.update(Q, a, r, 1 / N[a])
            regret += worth.max() - worth[a]
        return Q, N, regret
