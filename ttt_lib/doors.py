"""The library's doors: a wrong argument gets one sentence, a file is written whole."""

import os
from pathlib import Path

import numpy as np


def demand(holds, sentence):
    """Raise ValueError with the sentence, still without its stop, unless it holds."""
    if not holds:
        raise ValueError(f"{sentence}.")


def demand_side(side):
    """Raise ValueError unless `side` is +1, the first player, or −1, the second."""
    demand(side in (+1, -1), f"side = {side!r}: the first player is +1, the second -1")


def demand_size(rows, columns, k):
    """Raise ValueError if a size is no positive whole number, or k fit nowhere."""
    for name, size in (("rows", rows), ("columns", columns), ("k", k)):
        whole = isinstance(size, int | np.integer) and not isinstance(size, bool)
        demand(
            whole and size >= 1,
            f"{name} = {size!r} is not a size: give a whole number from 1 up",
        )
    demand(
        k <= max(rows, columns),
        f"{k} in a row fit nowhere on a board of {rows} × {columns} cells: "
        f"choose k from 1 to {max(rows, columns)}",
    )


def sized(numbers, shape, what, remedy):
    """Return numbers as an array of float, for loops that would read beyond its end.

    Raises ValueError if it has another shape; `what` and `remedy` go into the sentence.
    """
    numbers = np.asarray(numbers, dtype=float)
    if numbers.shape != shape:  # else the sentence would cost more than the loop
        shapes = f"has shape {numbers.shape}, and what is needed is {shape}"
        raise ValueError(f"{what} {shapes}: {remedy}.")
    return numbers


def demand_history(cells, lines, first, second):
    """Raise ValueError with the reason if no game arrives at a board.

    `cells` (A,) are +1, −1 and 0; `first` and `second` are what the players are called.
    """
    firsts, seconds = int((cells == 1).sum()), int((cells == -1).sum())
    if seconds == firsts + 1:
        raise ValueError(
            f"{second} has one mark more than {first}, who should have moved first: "
            "where the other mark began, say so with first='O' or first='X'."
        )
    if firsts - seconds not in (0, 1):
        raise ValueError(
            f"{first} has {firsts} marks and {second} {seconds}: players take turns, "
            "so the one who moves first has as many as the other or one more."
        )
    won = {}  # player → cells that lie on every line of that player
    for player in (+1, -1):
        own = [set(line.tolist()) for line in lines if (cells[line] == player).all()]
        if own:
            won[player] = set.intersection(*own)
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


def table_of(policy, game):
    """Return a policy as an array (S, A) of float.

    Raises ValueError if it has another shape.
    """
    remedy = "mdp.to_cells makes a table of a packed one"
    return sized(policy, game.legal.shape, "A policy", remedy)


def moves_for(side, policy, game):
    """Return a policy as an array (S, A) that can move for a side, both if it is 0.

    Raises ValueError if it has another shape, or a row of that side does not sum to 1.
    """
    policy = table_of(policy, game)
    rows = ~game.terminal & (game.to_move != -side)
    fits = np.allclose(policy[rows].sum(axis=1), 1)
    demand(fits, "A policy cannot move for its side: its rows should sum to 1")
    return policy


def write_whole(path, data):
    """Write bytes to a file so that it is always whole: the old ones or the new.

    They are written beside it and renamed, so whatever interrupts the writing leaves an
    older file of that name as it was.
    """
    path = Path(path)
    part = path.with_name(f".{path.name}.{os.urandom(4).hex()}.part")
    try:
        with part.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
