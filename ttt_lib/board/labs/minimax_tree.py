"""Lab of the tree of minimax and alpha-beta."""

from ttt_lib import search
from ttt_lib.board.labs.lab import Lab
from ttt_lib.board.labs.parsing import Setting, a_board, a_whole, among, cells
from ttt_lib.game import tables
from ttt_lib.validation import require

MAX_FREE = 5  # cells: larger trees cannot be drawn
MAX_STEPS = 1000  # more than the largest of these trees has


def a_late_board(text, name):
    """Return the text of a board whose tree can be drawn."""
    game, text = tables(), a_board(text, name)
    free = game.count[game.find(text)]
    require(free > 0, f"{name}: the game is over, so there is nothing to search")
    require(
        free <= MAX_FREE,
        f"{name}: {free} free cells, and at most {MAX_FREE} can be drawn",
    )
    return text


class MinimaxTreeLab(Lab):
    """A search of the game tree below a late board, step by step.

    The arguments are `title`, `choose` as in LearnerLab, and settings:

    - `search`, "alpha-beta" or "minimax";
    - `order`, the cells that are tried first, separated by commas; the others follow in
      rising order;
    - `look`, the board that is searched, with at most five free cells;
    - `step`, "one" to visit a board, return a value or prune moves, "board" to go on to
      the next board;
    - `at`, the number of steps done.

    Raises TraitError if a setting is invalid.
    """

    kind = "minimax_tree"
    search = Setting("alpha-beta", among("alpha-beta", "minimax"))
    order = Setting("5, 6, 8", cells)
    look = Setting("XOXOO..X.", a_late_board)
    step = Setting("one", among("one", "board"))
    at = Setting("0", a_whole(0, MAX_STEPS))

    def searched(self):
        """Return the Searched of the whole search."""
        game = tables()
        s = game.find(self.look)
        if self.search == "minimax":
            return search.minimax(game, s)
        first = [int(cell) for cell in self.order.split(",")]
        rest = [cell for cell in range(len(game.board[s])) if cell not in first]
        return search.alpha_beta(game, s, [*first, *rest])
