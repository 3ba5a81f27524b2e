"""The history of an agent as a picture."""

import os
import sys

from ttt_lib.plots import INK, MARK_COLOURS


def history(agent, output=None):
    """Draw an agent's rewards and exact scores while it learned, and show or save it.

    Raises ValueError if it is to be shown and there is no window.
    """
    import matplotlib as mpl

    if output is not None:
        mpl.use("Agg")
    elif not _has_windows() or mpl.get_backend().lower() == "agg":
        raise ValueError(
            "There is no window to draw in: --output FILE.png draws a file."
        )
    from matplotlib import pyplot as plt

    rows = agent.history
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
    axes.flat[0].set_title(agent.name)
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


LINES = (("first", MARK_COLOURS["X"], "-"), ("second", MARK_COLOURS["O"], "--"))


def _has_windows():
    if sys.platform.startswith("linux"):
        return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return True
