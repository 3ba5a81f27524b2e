"""The history of an agent as a picture."""

import os
import sys

import matplotlib as mpl
from click import ClickException

from ttt_lib.plots import INK, MARK_COLOURS

LINES = (("first", MARK_COLOURS["X"], "-"), ("second", MARK_COLOURS["O"], "--"))


def draw(who, output=None):
    """Draw a Player's rewards and exact scores while it learned, and show or save it.

    Refused if it has no history, or is to be shown where there is no window.
    """
    rows = who.agent.history if who.agent is not None else ()
    if len(rows) < 2:
        raise ClickException(f"{who.name} has no history of learning.")

    if output is not None:
        mpl.use("Agg")
    elif not _has_windows() or mpl.get_backend().lower() == "agg":
        raise ClickException(
            "There is no window to draw in: --output FILE.png draws a file."
        )
    from matplotlib import pyplot as plt

    games = [row["games"] for row in rows]
    panels = [
        (axis, name)
        for axis, name in (
            ("sum of rewards", "reward"),
            ("wins against random play", "win"),
            ("value in the worst case", "worst"),
        )
        if f"{name}_first" in rows[-1]
    ]
    size = (7, 2.6 * len(panels))
    figure, axes = plt.subplots(
        len(panels), 1, figsize=size, sharex=True, squeeze=False
    )
    for ax, (axis, name) in zip(axes.flat, panels, strict=True):
        for place, colour, style in LINES:
            numbers = [row.get(f"{name}_{place}", float("nan")) for row in rows]
            line = {"color": colour, "ls": style, "label": f"as {place} player"}
            ax.plot(games, numbers, **line)
        ax.set_ylabel(axis)
        ax.axhline(0, color=INK, lw=0.5)
    axes.flat[0].set_title(who.agent.name)
    axes.flat[0].legend(loc="best")
    axes.flat[-1].set_xlabel("games learned from")
    figure.tight_layout()
    if output is None:
        plt.show()
    else:
        figure.savefig(
            output, metadata={"Date": None} if output.suffix == ".svg" else {}
        )
    plt.close(figure)


def _has_windows():
    if sys.platform.startswith("linux"):
        return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return True
