"""Lab of the whole game: one dot for each class of positions."""

import numpy as np

from ttt_lib.board.labs.lab import Lab
from ttt_lib.board.labs.parsing import Setting, a_board, a_whole
from ttt_lib.game import images, tables


def a_kind(text, name):
    """Return the text of the board that represents its class under symmetry."""
    game = tables()
    return game.string(images(game)[:, game.find(a_board(text, name))].min())


class MinimaxMapLab(Lab):
    """The 765 classes of positions as dots, and the sweep that finds their values.

    The arguments are `title`, `choose` as in LearnerLab, and settings:

    - `look`, the board whose dot is shown;
    - `at`, the number of layers that the sweep has done, 0 to 10, full boards first.

    Raises TraitError if a setting is invalid.
    """

    kind = "minimax_map"
    look = Setting(".........", a_kind)
    at = Setting("0", a_whole(0, 10))

    def values(self):
        """Return the classes that the sweep has reached, as positions, and their u."""
        game = tables()
        layer = np.abs(game.board).sum(axis=1)
        u = game.outcome.astype(np.int64)
        for s in reversed(np.flatnonzero(~game.terminal)):
            later = u[game.successor[s, : game.count[s]]]
            u[s] = later.max() if game.to_move[s] == 1 else later.min()
        kinds = np.unique(images(game).min(axis=0))
        reached = kinds[layer[kinds] >= 10 - int(self.at)]
        return reached, u[reached]
