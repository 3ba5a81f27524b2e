"""Lab of the learners of `learning`."""

import numpy as np

from ttt_lib import experiments, learning, schedules
from ttt_lib.agents import as_agent, policy
from ttt_lib.agents.learners import PREDICTION_METHODS
from ttt_lib.board import encode, runs
from ttt_lib.board.labs.lab import Lab
from ttt_lib.board.labs.parsing import (
    Setting,
    a_board,
    a_mark,
    a_number,
    a_number_or_agent,
    a_player,
    a_schedule,
    a_whole,
    among,
    numbers,
)
from ttt_lib.game import tables
from ttt_lib.validation import require

MAX_GAMES = 2_000_000  # games that a page plays
SIDES = {"0": 0, "1": +1, "-1": -1}
OTHERS = "seed", "differs", "by", "to", "step", "look", "at"  # decide not how it learns


class LearnerLab(Lab):
    """A learner that plays and learns on the page, one move or a million games at once.

    The arguments are `title`, the question that the lab asks; `choose`, the one setting
    that is always visible, {name: list of texts to choose from}; and settings, which
    are traits that can be observed, set and linked:

    - `method`, one of `learning.METHODS`; `alpha` and `epsilon`, numbers or schedules
      as `ttt train` reads them; `gamma`; `lambda_` and `n` of TD methods; `rewards`
      of win, draw and loss; `initial`, the first estimates: a number, or a built-in
      agent, whose values, rounded to thousandths, it starts from; `seed`;
    - `opponent` and, for prediction methods, `behaviour`, the policy that is evaluated,
      by name; `side`, 1, −1 or 0 for both in turns;
    - `differs` and `by`, the setting in which a second learner differs, and its value
      there;
    - `to`, the games after which Run stops; `step`, the size of a step; `look`, the
      board that is shown;
    - `at`, the number of games it has learnt from.

    Where the study `lab_runs` has learners for all texts of `choose`, they are shown
    side by side, and the lab itself in a fold below.

    Raises TraitError if a setting is invalid.
    """

    kind = "learner"
    method = Setting("q_learning", among(*learning.METHODS))
    alpha = Setting("0.1", a_schedule)
    epsilon = Setting("0.1", a_schedule)
    gamma = Setting("1", a_number(0, 1))
    lambda_ = Setting("0", a_number(0, 1))
    n = Setting("9", a_whole(1, 9))
    opponent = Setting("random", a_player("self"))
    behaviour = Setting("random", a_player())
    side = Setting("0", among(*SIDES))
    rewards = Setting("1, 0, -1", numbers(3))
    initial = Setting("0", a_number_or_agent(-1e6, 1e6))
    seed = Setting("1", a_whole(0, 2**32 - 1))
    differs = Setting("none", lambda text, name: text)
    by = Setting("0.5", lambda text, name: text)
    to = Setting("100000", a_whole(1, MAX_GAMES))
    step = Setting("move", among("move", "game", "1000"))
    look = Setting(".........", a_board)
    at = Setting("0", a_mark(MAX_GAMES))

    def __init__(self, title, choose=None, **settings):
        super().__init__(title, choose, **settings)
        changed = {
            key: getattr(self, key)
            for key, usual in self.trait_defaults(setting=True).items()
            if key not in OTHERS and getattr(self, key) != usual
        }
        if stored := runs.find(choose or {}, changed):
            self._setup = self._setup | {"runs": stored}
            self._esm += encode.lab_script(f"runs_{stored}")

    @property
    def games(self):
        """The number of games it has learnt from."""
        return int(self.at.split(":")[0])

    def learner(self, second=False):
        """Return the `learning.Learner` after the games of `at`, ready to go on.

        second: return the second learner, which is compared with the first.
        Raises ValueError if there is none, or the settings contradict each other.
        """
        return next(self.snapshots([self.games], second))

    def snapshots(self, at, second=False):
        """Yield the `learner` after each of the numbers of games in `at`."""
        texts = {name: getattr(self, name) for name in self.settings()}
        if second:
            require(self.differs != "none", "There is no second learner in this lab")
            texts[self.differs] = self.by
        game, method = tables(), texts["method"]
        steps = {"lambda_": float(texts["lambda_"]), "n": int(texts["n"])}
        rng = experiments.mt19937(int(texts["seed"]))
        from_agent = texts["initial"][0].isalpha()
        learner = learning.new_learner(
            game,
            method,
            rng,
            alpha=schedules.parse(texts["alpha"]),
            epsilon=schedules.parse(texts["epsilon"]),
            gamma=float(texts["gamma"]),
            initial=0.0 if from_agent else float(texts["initial"]),
            rewards=tuple(map(float, texts["rewards"].split(","))),
            **(steps if learning.METHODS[method].steps else {}),
        )._replace(rng=rng)
        if from_agent:
            learner = _start_from(game, learner, texts["initial"])
        behaviour = (
            policy(game, texts["behaviour"]) if method in PREDICTION_METHODS else None
        )
        side, opponent = SIDES[texts["side"]], None
        if texts["opponent"] == "self":
            side = 0
        else:
            opponent = policy(game, texts["opponent"], -side)
        yield from learning.snapshots(game, learner, at, opponent, side, behaviour)


def _start_from(game, learner, name):
    """Return a Learner with the values of an agent, rounded as on a page."""
    Q = as_agent(game, name).Q
    require(
        Q is not None and learner.Q is not None,
        f"initial = {name}: give a number, or for a method that learns Q an agent that "
        "has learnt Q",
    )
    Q = np.vectorize(round)(Q, 3)
    tables_of_two = {} if learner.Q1 is None else {"Q1": Q.copy(), "Q2": Q.copy()}
    return learner._replace(Q=Q, **tables_of_two)
