"""Pictures of positions, for pages. Each function draws on a Matplotlib `ax` and returns it."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle

INK = "#1a1a1a"
MARK_COLOURS = {
    "X": "#0072b2",
    "O": "#d55e00",
}  # Okabe–Ito blue and vermilion: safe for colour-blind
SEQUENTIAL, DIVERGING = (
    "cividis",
    "PuOr",
)  # even in lightness, and told apart by colour-blind readers


def position(game, s, ax, first="X", title=None):
    """Draw position s as marks on a grid; `first` is the mark of the first player."""
    for cell, mark in enumerate(game.string(s, first)):
        row, column = divmod(cell, game.columns)
        if mark == "X":
            for rise in (+1, -1):
                reach = np.array([-0.27, 0.27])
                ax.plot(column + reach, row + rise * reach, color=MARK_COLOURS["X"], lw=3)
        elif mark == "O":
            angle = np.linspace(0, 2 * np.pi, 60)
            x, y = column + 0.29 * np.cos(angle), row + 0.29 * np.sin(angle)
            ax.plot(x, y, color=MARK_COLOURS["O"], lw=3)
    for x in range(1, game.columns):
        ax.plot([x - 0.5, x - 0.5], [-0.5, game.rows - 0.5], color=INK, lw=1, zorder=3)
    for y in range(1, game.rows):
        ax.plot([-0.5, game.columns - 0.5], [y - 0.5, y - 0.5], color=INK, lw=1, zorder=3)
    ax.set(xlim=(-0.55, game.columns - 0.45), ylim=(game.rows - 0.45, -0.55), aspect="equal")
    ax.axis("off")
    if title is not None:
        ax.set_title(title, fontsize=10, color=INK)
    return ax


def numbers(game, s, values, ax, first="X", title=None, form="{:.3f}", limits=(0, 1), colours=None):
    """Draw position s with a number and a colour on every legal cell.

    values (A,) holds one number per cell; `form` writes it; `limits` are the values at the two ends
    of the colour scale; `colours` names the scale, by default one with a light middle at 0 where
    the limits lie on both sides of 0.
    """
    low, high = limits
    scale = plt.get_cmap(colours or (DIVERGING if low < 0 < high else SEQUENTIAL))
    for cell in np.flatnonzero(game.legal[s]):
        row, column = divmod(int(cell), game.columns)
        colour = scale((values[cell] - low) / (high - low))
        ax.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, color=colour, lw=0))
        ax.text(
            column,
            row,
            form.format(values[cell]),
            ha="center",
            va="center",
            color=_ink_on(colour),
        )
    return position(game, s, ax, first, title)


def _ink_on(colour):
    """Return black or white, whichever reads better on `colour` (relative luminance of WCAG 2)."""
    channel = np.array(colour[:3])
    linear = np.where(channel <= 0.04045, channel / 12.92, ((channel + 0.055) / 1.055) ** 2.4)
    return "black" if linear @ (0.2126, 0.7152, 0.0722) > 0.179 else "white"
