"""Lab of on-policy and off-policy values."""

import numpy as np

from ttt_lib import mdp
from ttt_lib.agents import policy
from ttt_lib.board.labs.lab import Lab
from ttt_lib.board.labs.parsing import Setting, a_board, a_number, a_player, among
from ttt_lib.game import tables
from ttt_lib.studies import parts


class OnOffPolicyLab(Lab):
    """Values of cells for the best exploring player, and for the best player.

    The arguments are `title`, `choose` as in LearnerLab, and settings:

    - `opponent`, by name, and `side`, 1 or −1, of the exploring player;
    - `look`, the board that is shown;
    - `at`, the probability ε of a random move, from 0 to 0.5.

    Raises TraitError if a setting is invalid.
    """

    kind = "on_off_policy"
    opponent = Setting("random", a_player())
    side = Setting("1", among("1", "-1"))
    look = Setting(".........", a_board)
    at = Setting("0", a_number(0, 0.5))

    def values(self):
        """Return action values (2, A) of the board shown, with exploring and without.

        They are NaN if a cell is taken, or if the opponent moves.
        Raises ValueError if the opponent cannot play the other side.
        """
        game, side = tables(), int(self.side)
        problem = mdp.from_opponent(game, policy(game, self.opponent, -side), side)
        s, values = game.find(self.look), np.full((2, game.legal.shape[1]), np.nan)
        if game.to_move[s] == side:
            for row, epsilon in zip(values, (float(self.at), 0), strict=True):
                q = mdp.to_cells(game, problem, parts.soft_optimum(problem, epsilon))
                row[game.legal[s]] = q[s, game.legal[s]]
        return values
