"""Boards and other tables of tiles, with numbers, colours and beads on them.

A colour shows for whom a number is good: blue for X, orange for O, violet for numbers
that belong to neither. It is stronger the farther the number is from neutral. `limits`
are the numbers of the two ends; between them 0 is neutral.
"""

import numpy as np

from ttt_lib import notation, theme
from ttt_lib.plots.style import INK, LIGHT, QUIET
from ttt_lib.plots.tiles import (
    TONES,
    fit,
    framed,
    number,
    put,
    ringed,
    shapes,
    tinted,
    tones,
)
from ttt_lib.validation import plots
from ttt_lib.validation.plots import validated_plot

ARROWS = (0, -1), (0, 1), (-1, 0), (1, 0)  # up, down, left, right
ARROW = {
    "arrowstyle": "-|>,head_length=0.25,head_width=0.12",
    "color": INK,
    "lw": 1,
    "shrinkA": 0,
    "shrinkB": 0,
}
ABOVE, BELOW = 0.17, 0.22  # of a square: its number and its arrows, from the middle
SHADES = 20  # number of steps of a colour, in a table without numbers
BEADS_DRAWN = 9  # in one cell at most; of more the number is written


@validated_plot(array=plots.board)
def board(array, ax, first="X", title=None, tint=None):
    """Draw any board, possible or not: an array (rows, columns) of +1, −1 and 0.

    `tint` is what it is worth to the player who moves first, from −1 to 1: it colours
    all tiles.
    """
    rows, columns = array.shape
    put(array, ax, first, tone=None if tint is None else tones((-1, 1), first)(tint))
    return framed(ax, -0.55, columns - 0.45, -0.55, rows - 0.45, title)


@validated_plot()
def position(game, s, ax, first="X", title=None, tint=None):
    """Draw position s; `first` is the mark of the player who moves first.

    `tint` is what the position is worth to that player, as in `board`.
    """
    return board(game.array(s), ax, first, title, tint)


@validated_plot(values=plots.values, ring=plots.ring)
def numbers(
    game,
    s,
    values,
    ax,
    first="X",
    title=None,
    form="{:.3f}",
    limits=(0, 1),
    good_for=None,
    ring=(),
):
    """Draw position s with a number and a colour on every legal cell.

    values (A,) holds one number per cell, and `form` is its format. With `limits` None
    the cells stay neutral. Large numbers are good for the player to move, or for the
    mark `good_for`. The cells `ring` get the ring of best cells.
    """
    position(game, s, ax, first, title)
    mover = notation.marks(first)[0 if game.to_move[s] == 1 else 1]
    tone, texts = tones(limits, good_for or mover), []
    for cell in np.flatnonzero(game.legal[s]):
        row, column = divmod(int(cell), game.columns)
        tinted(ax, (column, row), tone(values[cell]))
        if cell in ring:
            ringed(ax, (column, row))
        texts.append(number(ax, column, row, form.format(values[cell])))
    fit(texts)
    return ax


@validated_plot()
def matchbox(game, s, beads, ax, first="X", title=None):
    """Draw the matchbox of position s, with each kind of bead on its cell.

    beads (A,) counts them, as a row of `Matchboxes.beads` does. Each kind has a colour;
    more than nine are drawn as one bead with their number.
    """
    from matplotlib.patches import Rectangle

    position(game, s, ax, first, title)
    colours = theme.beads()
    for cell in np.flatnonzero(beads):
        row, column = divmod(int(cell), game.columns)
        count = int(beads[cell])
        style = {"facecolor": colours[cell % len(colours)], "edgecolor": INK, "lw": 0.5}
        shapes(ax, "bead", np.array([column, row]) + _heap(count), **style)
        if count > BEADS_DRAWN:
            number(ax, column, row + 0.2, f"{count:,}")
    right, bottom = game.columns - 0.4, game.rows - 0.4
    tray = {"facecolor": "none", "edgecolor": QUIET, "lw": 1}
    ax.add_patch(Rectangle((-0.6, -0.6), right + 0.6, bottom + 0.6, **tray))
    return framed(ax, -0.65, right + 0.05, -0.65, bottom + 0.05, title)


def _heap(count):
    """Return the positions (N, 2) of the beads of one cell, relative to its middle."""
    if count > BEADS_DRAWN:
        return np.array([(0, -0.2)])
    across = 1 if count == 1 else 2 if count <= 4 else 3
    row, column = np.divmod(np.arange(count, dtype=np.int64), across)
    down = -(-count // across)
    middle = (across - 1) / 2, (down - 1) / 2
    return 0.27 * (np.stack([column, row], axis=1) - middle)


@validated_plot(table=plots.grid("table"))
def heat_map(
    table, ax, rows, columns, title=None, form="{:.2f}", limits=(0, 1), good_for=None
):
    """Draw a table (m, n) as tiles with numbers and colours; NaN leaves a place empty.

    `rows` and `columns` are labels: of layers and sweeps, or of players. Large numbers
    are good for the mark `good_for`, or for neither. With `form` None there are no
    numbers, and the colours come in 20 steps.
    """
    _tiles(table, ax, form, limits, good_for)
    framed(ax, -0.55, table.shape[1] - 0.45, -0.55, table.shape[0] - 0.45, title)
    ax.axis("on")
    ax.spines[:].set_visible(False)
    ax.set_xticks(range(table.shape[1]), columns)
    ax.set_yticks(range(table.shape[0]), rows)
    ax.tick_params(length=0)
    return ax


@validated_plot(values=plots.grid("values"))
def gridworld(
    values, ax, policy=None, title=None, form="{:.0f}", limits=None, exits=()
):
    """Draw a gridworld: a tile for each square, with its value and the moves chosen.

    values (rows, columns) are NaN where there is no square. policy (rows, columns, 4)
    has the probabilities of up, down, left and right: those above 0 are arrows, below
    the number. `exits` are squares (row, column) where a walk ends: they have a frame.
    """
    _tiles(values, ax, form, limits, raised=0 if policy is None else ABOVE)
    for row, column in exits:
        shapes(ax, "tile", [(column, row)])
        frame = {"facecolor": "none", "edgecolor": INK, "lw": 1.2}
        shapes(ax, "tile", [(column, row)], 0.9, **frame)
        number(ax, column, row, "exit")
    if policy is not None:
        for row, column, way in zip(*np.nonzero(policy), strict=True):
            middle, way = np.array([column, row + BELOW]), np.array(ARROWS[way])
            ax.annotate("", middle + 0.2 * way, middle + 0.04 * way, arrowprops=ARROW)
    rows, columns = values.shape
    return framed(ax, -0.55, columns - 0.45, -0.55, rows - 0.45, title)


def _tiles(table, ax, form, limits, good_for=None, raised=0):
    tone = tones(limits, good_for)
    if form is None:
        return _shades(table, ax, tone)
    texts = []
    for (row, column), value in np.ndenumerate(table):
        if np.isfinite(value):
            tinted(ax, (column, row), tone(value))
            texts.append(number(ax, column, row - raised, form.format(value)))
    fit(texts)
    return ax


def _shades(table, ax, tone):
    """Draw many tiles: those of one shade are one path."""
    by_shade = {}
    for (row, column), value in np.ndenumerate(table):
        if np.isfinite(value):
            mark, share = tone(value)
            by_shade.setdefault((mark, round(share * SHADES)), []).append((column, row))
    for (mark, shade), tiles in sorted(by_shade.items(), key=str):
        alpha = shade / SHADES * LIGHT["strength"]
        colour = {"facecolor": TONES[mark], "alpha": alpha} if shade else {}
        shapes(ax, "square", tiles, **colour)
    return ax
