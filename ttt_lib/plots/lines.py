"""Lines: many runs as one band, and labels at the ends instead of a legend."""

import numpy as np

from ttt_lib.plots.style import GREYS, QUIET

APART = 1.35  # distance of two labels, in heights of a line of text


def band(x, runs, ax, label=None, color=None):
    """Draw the median of runs (N, len(x)) as a line, and their middle half around it.

    `label` is for `end_labels` or a legend; `color` is by default the next one.
    """
    low, middle, high = np.quantile(runs, [0.25, 0.5, 0.75], axis=0)
    (line,) = ax.plot(x, middle, label=label, color=color)
    ax.fill_between(x, low, high, color=line.get_color(), alpha=0.2, lw=0)
    return ax


def end_labels(ax):
    """Write the label of each line of `ax` at its right end, in its colour.

    The label of a grey line is darker than the line.
    Labels that would overlap move apart. Call this last, when the limits of the axes
    are final.
    """
    ax.figure.draw_without_rendering()  # it sets the size of the axes
    unit = 72 / ax.figure.dpi  # points
    lines, ends, heights = [], [], []
    for line in ax.lines:
        points = line.get_xydata()
        points = points[np.isfinite(points).all(axis=1)]
        if line.get_label().startswith("_") or not len(points):
            continue
        x, y = points[-1]
        y = np.clip(y, *sorted(ax.get_ylim()))
        lines.append(line)
        ends.append((x, y))
        heights.append(line.get_transform().transform((x, y))[1] * unit)
    for line, end, rise in zip(lines, ends, _spread(heights, _apart()), strict=True):
        colour = QUIET if line.get_color() in GREYS else line.get_color()
        style = {"va": "center", "color": colour, "annotation_clip": False}
        where = {"xycoords": line.get_transform()}  # `axhline` has its own
        offset = {"xytext": (6, rise), "textcoords": "offset points"}
        ax.annotate(line.get_label(), end, **where, **offset, **style)
    return ax


def _apart():
    from matplotlib import rcParams

    return APART * rcParams["font.size"]


def _spread(heights, apart):
    """Return how far each label moves up, so that neighbours are `apart`.

    Labels in conflict form a block around the mean of their heights.
    """
    order = np.argsort(heights, kind="stable")
    blocks = []  # [indices, bottom of the block]
    for i in order:
        blocks.append(([i], heights[i]))
        while len(blocks) > 1:
            (below, low), (above, high) = blocks[-2:]
            if low + len(below) * apart <= high:
                break
            members = below + above
            middle = np.mean([heights[j] for j in members])
            bottom = middle - (len(members) - 1) * apart / 2
            blocks[-2:] = [(members, bottom)]
    rises = np.zeros(len(heights))
    for members, bottom in blocks:
        for rank, i in enumerate(members):
            rises[i] = bottom + rank * apart - heights[i]
    return rises.tolist()
