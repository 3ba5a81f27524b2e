"""Lab of the cross table of all agents."""

from ttt_lib import evaluation, experiments
from ttt_lib.agents import policy
from ttt_lib.board.labs.lab import Lab
from ttt_lib.board.labs.parsing import Setting, a_player, a_whole, among
from ttt_lib.game import tables
from ttt_lib.policy import sample_action


class CrossTableLab(Lab):
    """The cross table of all agents, a game of any match, and the value lost in it.

    The arguments are `title`, `choose` as in LearnerLab, and settings:

    - `first` and `second`, the players of the match, by name;
    - `sort`, the order of the table, by "total" or by "worst" case;
    - `seed`, of the game that is shown;
    - `at`, how many of its moves have been made.

    Raises TraitError if a setting is invalid.
    """

    kind = "cross_table"
    first = Setting("perfect", a_player())
    second = Setting("random", a_player())
    sort = Setting("total", among("total", "worst"))
    seed = Setting("1", a_whole(0, 2**32 - 1))
    at = Setting("0", a_whole(0, 9))

    def values(self):
        """Return the Result of the match, the value lost (S,), and the moves made.

        Raises ValueError if a player cannot play its side.
        """
        game = tables()
        first = policy(game, self.first, +1)
        second = policy(game, self.second, -1)
        rng, s, moves = experiments.mt19937(int(self.seed)), 0, []
        while not game.terminal[s] and len(moves) < int(self.at):
            table = first if game.to_move[s] == 1 else second
            i = sample_action(table, s, game.count, game.action, rng)
            moves.append(int(game.action[s, i]))
            s = game.successor[s, i]
        lost = evaluation.value_lost(game, first, second)
        return evaluation.result(game, first, second), lost, moves
