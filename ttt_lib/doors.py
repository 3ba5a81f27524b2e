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
