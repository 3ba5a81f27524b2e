"""Lab of MENACE, the matchboxes."""

from ttt_lib import experiments, menace
from ttt_lib.agents import opponent
from ttt_lib.board.labs.lab import Lab
from ttt_lib.board.labs.parsing import Setting, a_whole, among, wholes
from ttt_lib.game import positions, tables
from ttt_lib.validation import require, short_repr

MAX_GAMES = 100_000  # games of training in a page
OPPONENTS = "random", "perfect", "perfect lowest", "teacher 0.5", "self"
ME, NEW = "me", "new"


def a_history(text, name):
    """Return the text of a history: games played against opponents and the reader."""
    trained = 0
    for who, what in _parts(text):
        require(
            what.isdecimal() or (who == ME and not what),
            f"{name} = {short_repr(text)}: give {NEW}, or parts as random:20 and "
            "me:4081263",
        )
        if who == ME:
            positions(tables(), [int(cell) for cell in what])
        else:
            among(*OPPONENTS)(who, name)
            trained += int(what)
    require(trained <= MAX_GAMES, f"{name}: a page trains {MAX_GAMES:,} games at most")
    return text


class MatchboxLab(Lab):
    """MENACE, which learns from games against the reader and against other players.

    The arguments are `title`, `choose` as in LearnerLab, and settings:

    - `opponent` of the next games of training: "random", "perfect", "perfect lowest",
      "teacher 0.5", or "self", a second MENACE;
    - `beads` of each kind at first, and `reinforcement`, as in
      `menace.new_matchboxes`; `seed`;
    - `at`, its history: "new", or parts separated by commas, as in
      "random:20,me:4081263": 20 games against random play, and one against the reader,
      who is second, given by its cells. The last one may be unfinished.

    Raises TraitError if a setting is invalid.
    """

    kind = "matchboxes"
    opponent = Setting("random", among(*OPPONENTS))
    beads = Setting("4, 3, 2, 1", wholes(1, 1000, 1, 4))
    reinforcement = Setting("3, 1, -1", wholes(-1000, 1000, 3, 3))
    seed = Setting("1", a_whole(0, 2**32 - 1))
    at = Setting(NEW, a_history)

    def boxes(self):
        """Return the `menace.Matchboxes` after the history `at`, ready to go on.

        Raises ValueError if a game before the last is unfinished.
        """
        game, rng = tables(), experiments.mt19937(int(self.seed))
        filled = [
            tuple(map(int, text.split(",")))
            for text in (self.beads, self.reinforcement)
        ]
        boxes = menace.new_matchboxes(game, rng, *filled)._replace(rng=rng)
        parts = _parts(self.at)
        for n, (who, what) in enumerate(parts, 1):
            if who != ME:
                boxes = menace.train(game, boxes, int(what), opponent(game, who))
                continue
            cells = [int(cell) for cell in what]
            end = positions(game, cells)[-1]
            resigned = game.to_move[end] == 1 and menace.is_empty(game, boxes)[end]
            if n < len(parts) or game.terminal[end] or resigned:
                boxes, _ = menace.learn_game(game, boxes, cells)
        return boxes


def _parts(text):
    """Return the parts of a history as pairs (who, games or cells)."""
    parts = [] if text == NEW else text.split(",")
    return [part.partition(":")[::2] for part in parts]
