"""Lab of a custom learner, which runs in Python and is shown in a notebook."""

from ttt_lib.agents import CustomLearner, policy
from ttt_lib.board import encode
from ttt_lib.board.labs.lab import Lab
from ttt_lib.board.labs.learner import SIDES
from ttt_lib.board.labs.parsing import Setting, a_board, a_mark, a_player, among
from ttt_lib.game import tables as game_tables
from ttt_lib.validation import require, short_repr

MAX_GAMES = 10_000  # games, of plain Python
MAX_CACHED = 100  # learners after earlier numbers of games, to go back to


class CustomLearnerLab(Lab):
    """A custom learner, move by move: it runs in Python, and the notebook shows it.

    The arguments are `title` and `choose` as in LearnerLab; `learner`, an
    `agents.CustomLearner`, which is not changed; and settings:

    - `opponent`, by name, and `side`, 1, −1 or 0 for both in turns;
    - `to`, the games after which Run stops; `step`, the size of a step; `look`, the
      board that is shown;
    - `at`, the number of games it has learnt from in the lab.

    It does not work on a page without Python.
    Raises ValueError if the learner is not a CustomLearner, TraitError if a setting is
    invalid.
    """

    kind = "custom_learner"
    opponent = Setting("random", a_player("self"))
    side = Setting("0", among(*SIDES))
    to = Setting("1000", among("100", "1000", "10000"))
    step = Setting("move", among("move", "game"))
    look = Setting(".........", a_board)
    at = Setting("0", a_mark(MAX_GAMES))

    def __init__(self, title, learner, choose=None, **settings):
        require(
            isinstance(learner, CustomLearner),
            f"learner = {short_repr(learner)}: give an agents.CustomLearner",
        )
        self._first, self._cache = learner, {}
        super().__init__(title, choose, **settings)

    def learner(self):
        """Return the learner after the games of `at`, ready to go on.

        Raises any error of its `learn`.
        """
        games = int(self.at.split(":")[0])
        return self._after(games, self.opponent, self.side)

    def _on_a_page(self):
        return (
            "<p>A learner in Python moves in this lab: run its cell in a notebook.</p>"
        )

    def _after(self, games, opponent, side):
        """Return the learner after some games, trained from the cached ones."""
        cache = self._cache.setdefault((opponent, side), {0: self._first})
        latest = max(each for each in cache if each <= games)
        against = self._against(opponent, side)
        learner = cache[latest].train(game_tables(), games - latest, *against)
        cache[games] = learner
        if len(cache) > MAX_CACHED:
            del cache[sorted(cache)[1]]
        return learner

    @staticmethod
    def _against(opponent, side):
        """Return the opponent's policy and the side, as arguments; () in self-play."""
        side = SIDES[side]
        return (
            () if opponent == "self" else (policy(game_tables(), opponent, -side), side)
        )

    def _game(self, games, opponent, side):
        """Return what the page shows after some games: tables, and the last game."""
        if games == 0:
            return encode.known(self._first) | {"moves": [], "changes": []}
        before = self._after(games - 1, opponent, side)
        against = self._against(opponent, side)
        learner, moves, changes = before.train_one(game_tables(), *against)
        self._cache[opponent, side][games] = learner
        return encode.known(learner) | {
            "before": encode.known(before),
            "moves": moves,
            "changes": [[each.move, each.old, each.new] for each in changes],
        }

    def _on_message(self, widget, content, buffers):
        """Send the learner after some games, or the table of an agent."""
        match content:
            case {"load": str(name)} if name.startswith("own:"):
                _, games, opponent, side = name.split(":")
                try:
                    answer = {"table": self._game(int(games), opponent, side)}
                except Exception as fault:
                    answer = {"fault": f"{type(fault).__name__} in Python: {fault}"}
                self.send({"agent": name} | answer)
            case _:
                super()._on_message(widget, content, buffers)
