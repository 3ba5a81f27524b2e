"""Skyline: all kinds of positions as dots, a column for each number of marks."""

import numpy as np

from ttt_lib.game import images
from ttt_lib.plots.style import INK, LIGHT, MARK_COLOURS, PAPER
from ttt_lib.search import solve
from ttt_lib.validation import plots
from ttt_lib.validation.plots import validated_plot

STEPS = 10  # of a colour, from a draw to a win
DOT, INNER, OUTER = 0.78, 0.58, 1.0  # diameters, in distances of two dots
SHORT = 0.01  # length of the stroke that is a dot: one without length is not drawn


@validated_plot(across=plots.across)
def dots(game, across=14):
    """Return positions (K,) and places (K, 2) of the dots of a skyline, in their order.

    There is a dot for each symmetry class of positions, which is named by its position
    with the smallest index. A column holds the classes with one number of marks, 0 at
    the left, and is `across` dots wide or as wide as it has dots; the gap between two
    columns is a tenth of `across`. In a column the classes are in the order of their
    value under perfect play (the second player wins, a draw, the first player wins),
    and of their code within a value. They fill it from left to right and upwards, from
    (left, 0) on; neighbours are 1 apart.
    """
    classes = np.unique(images(game).min(axis=0))
    marks = np.abs(game.board[classes]).sum(axis=1)
    value = (game.outcome + solve(game).V)[classes]
    order = np.lexsort((game.code[classes], value, marks))
    places, left = [], 0.0
    for count in np.bincount(marks):
        width = min(across, max(count, 1))
        height, column = np.divmod(np.arange(count), width)
        places.append(np.stack([left + column, height], axis=1))
        left += width + across / 10
    return classes[order], np.concatenate(places)


@validated_plot(
    values=plots.position_values, wrong=plots.position_mask, across=plots.across
)
def skyline(game, values, ax, wrong=None, across=14, title=None):
    """Draw all kinds of positions as dots, coloured by what they are worth.

    values (S,) are between −1 and 1, for the first player, X: blue is good for X,
    orange for O, grey is a draw; NaN leaves a dot hollow. `wrong` (S,) of bool puts a
    ring around dots. `across` is the width of a column: 14 dots, or 6 in a narrow
    figure. The order is that of `dots`. Call this when the size of `ax` is final.
    """
    classes, places = dots.unchecked(game, across)
    ax.set(xlim=(-1, places[:, 0].max() + 1), ylim=(-1, places[:, 1].max() + 1))
    ax.set(aspect="equal", yticks=[])
    marks = np.abs(game.board[classes]).sum(axis=1)
    ends = [places[marks == n, 0] for n in range(marks.max() + 1)]
    ax.set_xticks([(x.min() + x.max()) / 2 for x in ends], range(len(ends)))
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    if title is not None:
        ax.set_title(title)
    ax.figure.draw_without_rendering()  # it sets the size of the axes
    (here, _), (there, _) = ax.transData.transform([(0, 0), (1, 0)])
    apart = (there - here) * 72 / ax.figure.dpi  # points

    def put(chosen, size, colour, alpha=1.0):
        _strokes(ax, places[chosen], size * apart, (colour, alpha))

    value = values[classes]
    ringed = np.zeros(len(classes), bool) if wrong is None else wrong[classes]
    put(ringed, OUTER, INK)
    put(ringed, DOT, PAPER)
    for size, group in ((DOT, ~ringed), (INNER, ringed)):
        put(group & np.isnan(value), size, LIGHT["edge"])
        put(group & np.isnan(value), size - 0.3, PAPER)
        step = np.round(STEPS * value)
        put(group & (np.abs(step) < STEPS), size, LIGHT["grey"])
        for level in range(1, STEPS + 1):
            for mark, sign in (("X", 1), ("O", -1)):
                share = level / STEPS
                put(group & (step == sign * level), size, MARK_COLOURS[mark], share)
    return ax


def _strokes(ax, places, width, colour):
    """Draw dots as one path of short strokes with round ends, the least text in SVG."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    if len(places) == 0:
        return
    ends = np.stack([places, places + np.array([SHORT, 0])], axis=1).reshape(-1, 2)
    path = Path(ends, [Path.MOVETO, Path.LINETO] * len(places))
    path.should_simplify = False
    style = {"fill": False, "capstyle": "round", "snap": False, "clip_on": False}
    ax.add_patch(PathPatch(path, edgecolor=colour, lw=width, **style))
