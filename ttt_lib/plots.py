"""What pages show: pictures of positions, and the source of the library.

Each picture is drawn on a Matplotlib `ax`, which is returned.
"""

import inspect

import numpy as np
from matplotlib import colormaps

from ttt_lib import notation

INK = "#1a1a1a"
# Told apart by colour-blind readers: blue and vermilion of Okabe and Ito for the
# marks, and two scales that run evenly in lightness for the numbers.
MARK_COLOURS = {"X": "#0072b2", "O": "#d55e00"}
SEQUENTIAL, DIVERGING = "YlGnBu", "PuOr"


def board(array, ax, first="X", title=None):
    """Draw any board, possible or not: an array (rows, columns) of +1, −1 and 0."""
    rows, columns = np.shape(array)
    for cell, mark in enumerate(notation.write(np.ravel(array), first)):
        row, column = divmod(cell, columns)
        if mark == "X":
            for rise in (+1, -1):
                reach = np.array([-0.27, 0.27])
                ax.plot(
                    column + reach,
                    row + rise * reach,
                    color=MARK_COLOURS["X"],
                    lw=3,
                )
        elif mark == "O":
            angle = np.linspace(0, 2 * np.pi, 60)
            x, y = column + 0.29 * np.cos(angle), row + 0.29 * np.sin(angle)
            ax.plot(x, y, color=MARK_COLOURS["O"], lw=3)
    for x in range(1, columns):
        ax.plot([x - 0.5, x - 0.5], [-0.5, rows - 0.5], color=INK, lw=1, zorder=3)
    for y in range(1, rows):
        ax.plot([-0.5, columns - 0.5], [y - 0.5, y - 0.5], color=INK, lw=1, zorder=3)
    ax.set(xlim=(-0.55, columns - 0.45), ylim=(rows - 0.45, -0.55), aspect="equal")
    ax.axis("off")
    if title is not None:
        ax.set_title(title, fontsize=10, color=INK)
    return ax


def position(game, s, ax, first="X", title=None):
    """Draw position s; `first` is the mark of the player who moves first."""
    return board(game.array(s), ax, first, title)


def numbers(game, s, values, ax, first="X", title=None, form="{:.3f}", limits=(0, 1)):
    """Draw position s with a number and a colour on every legal cell.

    values (A,) holds one number per cell; `form` writes it; `limits` are the values
    at the two ends of the colour scale, whose light middle is at 0 where they lie on
    both sides of 0; None leaves the cells white.
    """
    scale = _colour_scale(limits)
    for cell in np.flatnonzero(game.legal[s]):
        row, column = divmod(int(cell), game.columns)
        colour = scale(values[cell])
        x, y = column + np.array([-1, 1, 1, -1]) / 2, row + np.array([-1, -1, 1, 1]) / 2
        ax.fill(x, y, color=colour, lw=0)
        ax.text(
            column,
            row,
            form.format(values[cell]),
            ha="center",
            va="center",
            color=_ink_on(colour),
        )
    return position(game, s, ax, first, title)


def source(*functions):
    """Return the source code of functions of the library, for a notebook to display."""
    from IPython.display import Markdown  # only notebooks have it

    code = "\n\n".join(inspect.getsource(function).rstrip() for function in functions)
    return Markdown(f"```python\n{code}\n```")


def _colour_scale(limits):
    """Return the function from a value to its colour (red, green, blue, opacity)."""
    if limits is None:
        return lambda value: (1.0, 1.0, 1.0, 1.0)
    low, high = limits
    scale = colormaps[DIVERGING if low < 0 < high else SEQUENTIAL]
    return lambda value: scale((value - low) / (high - low))


def _ink_on(colour):
    """Return black or white, whichever reads better on `colour`.

    The measure is the relative luminance of WCAG 2.
    """
    channel = np.array(colour[:3])
    linear = np.where(
        channel <= 0.04045, channel / 12.92, ((channel + 0.055) / 1.055) ** 2.4
    )
    return "black" if linear @ (0.2126, 0.7152, 0.0722) > 0.179 else "white"
