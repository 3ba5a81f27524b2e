"""The lab of a learner of one's own, which Python plays and a notebook shows."""

from ttt_lib.agents import CustomLearner, policy
from ttt_lib.board import encode
from ttt_lib.board.labs.lab import Lab
from ttt_lib.board.labs.learner import SIDES
from ttt_lib.board.labs.parsing import Setting, a_board, a_mark, a_player, among
from ttt_lib.game import tables as game_tables
from ttt_lib.validation import require, short_repr

MAX_GAMES = 10_000  # games, of plain Python
KEPT = 100  # learners of earlier games, to go back to


class CustomLearnerLab(Lab):
    """A learner of one's own, move by move: Python plays, and the notebook shows.

    The arguments are `title` and `choose` as in LearnerLab; `learner`, an
    `agents.OwnLearner`, which stays as it is; and settings:

    - `opponent`, by name, and `side`, 1, −1 or 0 for both in turns;
    - `to`, where Play stops; `step`, what a step is; `look`, the board that is shown;
    - `at`, how many games it has learnt from in the lab.

    A page without Python cannot show it.
    Raises ValueError if the learner is none, TraitError if a setting makes no sense.
    """

    kind = "custom_learner"
    opponent = Setting("random", a_player("self"))
    side = Setting("0", among(*SIDES))
    to = Setting("1000", among("100", "1000", "10000"))
    step = Setting("move", among("move", "game"))
    look = Setting(".........", a_board)
    at = Setting("0", a_mark(MAX_GAMES))

    def __init__(self, title, learner, choose=None, **settings):
        good = isinstance(learner, CustomLearner)
        require(good, f"learner = {short_repr(learner)}: give an agents.OwnLearner")
        self._first, self._known = learner, {}
        super().__init__(title, choose, **settings)

    def learner(self):
        """Return the learner that the lab has come to, ready to go on.

        Raises what its `learn` raises.
        """
        games = int(self.at.split(":")[0])
        return self._after(games, self.opponent, self.side)

    def _on_a_page(self):
        return (
            "<p>A learner in Python moves in this lab: run its cell in a notebook.</p>"
        )

    def _after(self, games, opponent, side):
        """Return the learner after some games: from the latest that is known."""
        known = self._known.setdefault((opponent, side), {0: self._first})
        latest = max(each for each in known if each <= games)
        whom = self._whom(opponent, side)
        learner = known[latest].train(game_tables(), games - latest, *whom)
        known[games] = learner
        if len(known) > KEPT:
            del known[sorted(known)[1]]
        return learner

    @staticmethod
    def _whom(opponent, side):
        side = SIDES[side]
        return (
            () if opponent == "self" else (policy(game_tables(), opponent, -side), side)
        )

    def _game(self, games, opponent, side):
        """Return what the page shows after some games: tables, and the last game."""
        if games == 0:
            return encode.known(self._first) | {"moves": [], "changes": []}
        before = self._after(games - 1, opponent, side)
        whom = self._whom(opponent, side)
        learner, moves, changes = before.train_one(game_tables(), *whom)
        self._known[opponent, side][games] = learner
        return encode.known(learner) | {
            "before": encode.known(before),
            "moves": moves,
            "changes": [[each.move, each.old, each.new] for each in changes],
        }

    def _hear(self, widget, content, buffers):
        """Play for the page, or bring the table of an agent."""
        match content:
            case {"load": str(name)} if name.startswith("own:"):
                _, games, opponent, side = name.split(":")
                try:
                    answer = {"table": self._game(int(games), opponent, side)}
                except Exception as fault:
                    answer = {"fault": f"{type(fault).__name__} in Python: {fault}"}
                self.send({"agent": name} | answer)
            case _:
                super()._hear(widget, content, buffers)
