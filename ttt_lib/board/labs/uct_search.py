"""Lab of UCT search, on 3 × 3 and 4 × 4."""

import numpy as np

from ttt_lib import experiments, notation, rules
from ttt_lib.board.labs.lab import Lab
from ttt_lib.board.labs.parsing import Setting, a_number, a_whole
from ttt_lib.large_boards import uct
from ttt_lib.validation import require, short_repr

SIZES = {9: (3, 3, 3), 16: (4, 4, 4)}  # cells → rows, columns, k
MAX_PLAYOUTS = 10_000


def _cells(text):
    """Return the marks of a board, +1, −1 and 0, and its lines."""
    size = SIZES[len(text)]
    lines = rules.lines(*size)
    return notation.read(text, *size[:2], lines, "X"), lines


def a_board_of_two_sizes(text, name):
    """Return the text of a board with 9 or 16 cells, X moving first."""
    signs = "".join(text.upper().replace("/", "").replace("|", "").split())
    require(len(signs) in SIZES, f"{name} = {short_repr(text)}: give 9 or 16 cells")
    cells, _ = _cells(signs)
    require(cells.sum() in (0, 1), f"{name} = {short_repr(text)}: X moves first")
    return signs


class UctSearchLab(Lab):
    """A UCT search of a board of 3 × 3 or 4 × 4, beside flat search and exact values.

    Flat search has no tree: it plays equally many random games after each move. The
    page counts with how many of 30 seeds, from `seed` on, each of the two is right.

    The arguments are `title`, `choose` as in LearnerLab, and settings:

    - `board`, 9 or 16 cells as text, X moving first;
    - `c`, the weight of exploration, and `seed`;
    - `at`, the number of playouts so far, up to 10,000.

    Raises TraitError if a setting is invalid.
    """

    kind = "uct_search"
    board = Setting("X...O...X", a_board_of_two_sizes)
    c = Setting("1.41", a_number(0, 10))
    seed = Setting("1", a_whole(0, 2**32 - 1))
    at = Setting("0", a_whole(0, MAX_PLAYOUTS))

    def values(self):
        """Return visits (A,) and mean outcomes (A,) of the moves, for the side to move.

        Raises ValueError if the game is over.
        """
        cells, lines = _cells(self.board)
        if self.at == "0":
            return np.zeros(len(cells), dtype=np.int64), np.zeros(len(cells))
        rng = experiments.mt19937(int(self.seed))
        tree = uct.search(cells, int(self.at), rng, float(self.c), lines)
        return tree.visits[0], uct.values(tree)
