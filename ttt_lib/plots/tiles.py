"""Shapes of boards: tiles, marks, and numbers on colours.

A tile is one unit wide, and rows are counted downwards. Everything is drawn as shapes,
so that a board has the same form in every size; shapes of one colour are one path.
"""

import functools

import numpy as np

from ttt_lib import notation
from ttt_lib.plots.style import INK, LIGHT, MARK_COLOURS

TONES = MARK_COLOURS | {None: LIGHT["violet"]}  # None: good for neither player
HALF, ROUND = 0.47, 0.1  # of a tile: half of its width, and its corners
THICK, REACH = 0.11, 0.27  # of the strokes of a mark, and how far they go
ARC = 0.5523  # where the handles of a quarter of a circle lie

# Quarter by quarter, each turned from the one before: a corner of a tile, an arm of an
# X, a quarter of a circle. The letters say how Matplotlib joins the points.
TURNS = [np.linalg.matrix_power([[0, -1], [1, 0]], turn) for turn in range(4)]


def _turned(*points):
    return np.concatenate([np.array(points) @ turn.T for turn in TURNS])


def _path(points, letters):
    from matplotlib.path import Path

    codes = {"M": Path.MOVETO, "L": Path.LINETO, "Q": Path.CURVE3, "C": Path.CURVE4}
    points = np.concatenate([points, points[:1]])
    return Path(points, [codes[each] for each in letters] + [Path.CLOSEPOLY])


def _tile():
    inner = HALF - ROUND
    corner = _turned((HALF, -inner), (HALF, inner), (HALF, HALF))
    points = np.concatenate([corner, [(HALF, -inner)]])
    return _path(points, "ML" + 3 * "QQL" + "QQ")


def _cross():
    notch = THICK / np.sqrt(2)
    far, near = REACH + notch / 2, REACH - notch / 2
    return _path(_turned((notch, 0), (far, near), (near, far)), "M" + 11 * "L")


def _circle(radius):
    points = _turned((1, 0), (1, ARC), (ARC, 1)) * radius
    return _path(np.concatenate([points, points[:1]]), "M" + 4 * "CCC")


def _ring():
    from matplotlib.path import Path

    outer, inner = _circle(REACH + THICK / 2), _circle(REACH - THICK / 2)
    hole = Path(inner.vertices * [1, -1], inner.codes)  # in the other direction
    return Path.make_compound_path(outer, hole)


def _square():
    return _path(_turned((HALF, HALF)), "MLLL")


SHAPES = {
    "tile": _tile,
    "square": _square,
    "X": _cross,
    "O": _ring,
    "bead": lambda: _circle(0.115),
}


def shapes(ax, kind, middles, size=1, **style):
    """Draw shapes of one kind around the middles (N, 2), as one path."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    if len(middles) == 0:
        return
    one = SHAPES[kind]()
    all_ = [Path(one.vertices * size + middle, one.codes) for middle in middles]
    default = {"facecolor": LIGHT["surface"], "edgecolor": "none", "lw": 0}
    patch = PathPatch(Path.make_compound_path(*all_), **default | style, clip_on=False)
    ax.add_patch(patch)


def put(array, ax, first="X", corner=(0, 0), size=1, tone=None):
    """Draw a board of tiles of one size, with the middle of cell 0 at the corner."""
    signs = np.reshape(list(notation.write(array.ravel(), first)), array.shape)

    def middles(mask):
        return np.argwhere(mask)[:, ::-1] * size + corner

    shapes(ax, "tile", middles(signs != ""), size)
    if tone is not None:
        _tint(ax, middles(signs != ""), tone, size)
    for mark in "XO":
        shapes(ax, mark, middles(signs == mark), size, facecolor=MARK_COLOURS[mark])


def tinted(ax, middle, tone, size=1):
    """Draw a tile in a tone: (mark or None, share of its colour over the surface)."""
    shapes(ax, "tile", [middle], size)
    _tint(ax, [middle], tone, size)


def _tint(ax, middles, tone, size):
    mark, share = tone
    if share > 0:
        alpha = share * LIGHT["strength"]
        shapes(ax, "tile", middles, size, facecolor=TONES[mark], alpha=alpha)


def ringed(ax, middle):
    """Draw the ring of a best cell."""
    style = {"facecolor": "none", "edgecolor": LIGHT["good"], "lw": 2}
    shapes(ax, "tile", [middle], 0.96, **style)


def tones(limits, mark):
    """Return the function from a value to its tone, (mark, share from 0 to 1).

    `mark` is the player for whom large numbers are good, None for neither. If 0 lies
    between the limits, it is neutral, and numbers below it are good for the other
    player; otherwise the first limit is neutral. With None all values are.
    """
    if limits is None:
        return lambda value: (mark, 0.0)
    low, high = limits
    both = low < 0 < high
    neutral, other = 0 if both else low, {"X": "O", "O": "X", None: None}[mark]

    def tone(value):
        against = both and value < 0
        share = (float(value) - neutral) / ((low if against else high) - neutral)
        return other if against else mark, float(np.clip(share, 0, 1))

    return tone


def number(ax, x, y, text, **more):
    """Write a number around (x, y), with a minus sign instead of a hyphen."""
    style = {"ha": "center", "va": "center", "color": INK} | more
    return ax.text(x, y, str(text).replace("-", "−"), **style)


def fit(texts):
    """Shrink the numbers of one board to one size, so that the widest fits a tile.

    The width of a tile is known only when the figure is drawn, so this is done when the
    first of the numbers is drawn.
    """
    if texts:
        texts[0].draw = functools.partial(_draw_fitted, texts, texts[0].get_fontsize())


def _draw_fitted(texts, size, renderer):
    first = texts[0]
    first.set_fontsize(size)
    (left, _), (right, _) = first.axes.transData.transform([(-HALF, 0), (HALF, 0)])
    font = first.get_fontproperties()
    widths = [
        renderer.get_text_width_height_descent(each.get_text(), font, ismath=False)[0]
        for each in texts
    ]
    fitting = size * min(1, 0.92 * (right - left) / max(1, *widths))
    for each in texts:
        each.set_fontsize(fitting)
    type(first).draw(first, renderer)


def framed(ax, left, right, top, bottom, title=None):
    """Show this part of a drawing of tiles, without axes; return `ax`."""
    ax.set(xlim=(left, right), ylim=(bottom, top), aspect="equal")
    ax.axis("off")
    if title is not None:
        ax.set_title(title, loc="center")
    return ax
