"""Checks of board sizes, and of boards that cannot be reached in a game."""

from math import log10

import numpy as np

from ttt_lib.validation.arguments import cells
from ttt_lib.validation.values import as_int, require

MAX_POSITIONS = 150_000  # larger tables and policies would need too much memory
MAX_CELLS = 39  # a base-3 code of 40 cells does not fit into 64 bits
MAX_DRAWN = 10_000  # cells of a board that is drawn, or whose lines are listed


def require_size(rows, columns, k=1):
    """Return rows, columns and k as they are, each an int.

    Raises ValueError if a size is not a positive whole number, or k is too large.
    """
    for name, size in (("rows", rows), ("columns", columns), ("k", k)):
        as_int(size, name, 1)
        fits = isinstance(size, int | np.integer)
        require(
            fits, f"{name} = {size!r}: give a whole number, without a decimal point"
        )
    require(
        k <= max(rows, columns),
        f"{k} in a row fit nowhere on a board of {rows} × {columns} cells: "
        f"choose k from 1 to {max(rows, columns)}",
    )
    return int(rows), int(columns), int(k)


def boards_with_code(value, arguments):
    """Return boards (..., A), as `cells` does, of at most MAX_CELLS cells."""
    board = cells("board")(value, arguments)
    few = board.shape[-1] <= MAX_CELLS
    require(few, f"board has {board.shape[-1]} cells: codes go up to {MAX_CELLS} cells")
    return board


def require_drawable(rows, columns):
    """Raise ValueError if a board has more than MAX_DRAWN cells."""
    fits = rows * columns <= MAX_DRAWN
    require(fits, f"{rows} × {columns} cells are too many: give up to {MAX_DRAWN:,}")


def too_large_message(rows, columns, k, most_positions):
    """Return the message for a game too large for full tables, with the memory needed.

    `most_positions(cells)` is an upper bound on the number of positions.
    """
    cells = rows * columns
    what = f"{k} in a row on {rows} × {columns} cells"
    limits = f"full tables stop at {MAX_POSITIONS:,} positions and {MAX_CELLS} cells."
    if cells > MAX_CELLS:
        power = cells * log10(3)
        return f"{what} has up to 3^{cells} boards, about 10^{power:.0f}: {limits}"
    bound = most_positions(cells)
    gigabytes = bound * (26 * cells + 19) / 1e9  # the tables and one policy
    return (
        f"{what} has up to {bound:,} positions, and its tables would take up to "
        f"{gigabytes:,.1f} GB: {limits}"
    )


def require_reachable(cells, lines, first, second):
    """Raise ValueError with the reason if the board cannot be reached in a game.

    `cells` (A,) are +1, −1 and 0; `first` and `second` are the names of the players.
    """
    firsts, seconds = int((cells == 1).sum()), int((cells == -1).sum())
    if seconds == firsts + 1:
        marks = second in ("X", "O")  # else an array, in which +1 always moves first
        raise ValueError(
            f"{second} has one mark more than {first}, who should have moved first"
            + f": where {second} began, say so with first={second!r}." * marks
            + "." * (not marks)
        )
    if firsts - seconds not in (0, 1):
        raise ValueError(
            f"{first} has {firsts} marks and {second} {seconds}: players take turns, "
            "so the one who moves first has as many as the other or one more."
        )
    won = {}  # player → cells that lie on every line of that player
    for player in (+1, -1):
        filled = [set(x.tolist()) for x in lines if (cells[x] == player).all()]
        if filled:
            won[player] = set.intersection(*filled)
    if len(won) == 2:
        raise ValueError(
            f"{first} and {second} both have a line: the first line ends the game."
        )
    for player, last_marks in won.items():
        # The winner made the last mark, and it finished all the winner's lines at once.
        if firsts - seconds != (player == 1) or not last_marks:
            name = first if player == 1 else second
            raise ValueError(
                f"Marks were added after the line of {name} had ended the game."
            )
