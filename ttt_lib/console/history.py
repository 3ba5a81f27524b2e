"""The history of an agent as a picture."""

import os
import sys
import textwrap
from io import BytesIO

from click import ClickException
from matplotlib import rc_context
from matplotlib.figure import Figure

from ttt_lib.console.keeping import written
from ttt_lib.doors import write_whole
from ttt_lib.plots import drawing, end_labels, settings

LONGEST = 72  # letters of a line that the picture is wide enough for
LINES = ("first", "C0", "-"), ("second", "C1", "--")


def draw(who, output=None, force=False):
    """Draw an Agent's rewards and exact scores while it learned, and show or save it.

    Refused if it has no history, or is to be shown where there is no window. Unless
    forced it replaces no file.
    """
    rows = who.history
    if len(rows) < 2:
        raise ClickException(f"{who.name} has no history of learning.")
    if output is None:
        _show(who)
        return
    form = output.suffix.lower().removeprefix(".")
    with rc_context(settings()):
        figure, file = Figure(), BytesIO()
        _plot(who, figure)
        if form == "svg":
            file.write(drawing(figure).encode())
        else:
            figure.savefig(file, format=form)
    with written(output):
        write_whole(output, file.getvalue(), anew=not force)


def _show(agent):
    """Show the picture in a window, until a person closes it."""
    from matplotlib import pyplot as plt

    if not _has_windows() or plt.get_backend().lower() == "agg":
        raise ClickException(
            "There is no window to draw in: --output FILE.png draws a file."
        )
    with rc_context(settings()):
        figure = plt.figure()
        _plot(agent, figure)
        plt.show()
        plt.close(figure)


def _plot(agent, figure):
    """Plot the history of an Agent in a figure."""
    rows = agent.history
    games = [row["games"] for row in rows]
    panels = [
        (axis, name)
        for axis, name in (
            ("sum of rewards", "reward"),
            ("wins against random play", "win"),
            ("value in the worst case", "worst"),
        )
        if any(f"{name}_{place}" in rows[-1] for place, *_ in LINES)
    ]
    if not panels:
        raise ClickException(f"{agent.name} has no scores in its history.")
    figure.set_size_inches(7, 2.6 * len(panels))
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False).flat
    for ax, (axis, name) in zip(axes, panels, strict=True):
        for place, colour, style in LINES:
            if f"{name}_{place}" in rows[-1]:  # else it was not taught
                numbers = [row.get(f"{name}_{place}", float("nan")) for row in rows]
                line = {"color": colour, "ls": style, "label": f"as {place} player"}
                ax.plot(games, numbers, **line)
        ax.set_ylabel(axis)
        ax.axhline(0, color="C5", lw=0.5)
    axes[0].set_title(textwrap.fill(agent.name, LONGEST), parse_math=False)
    axes[-1].set_xlabel("games learned from")
    end_labels(axes[0])


def _has_windows():
    if sys.platform.startswith("linux"):
        return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return True
