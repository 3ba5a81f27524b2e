"""The command `ttt plot`: the history of an agent as a picture."""

import logging
import os
import sys
import textwrap
from io import BytesIO

import click

from ttt_lib.console.options import FILE, command, entrant, message
from ttt_lib.console.saving import must_be_new, written
from ttt_lib.game import SIDE_NAMES, tables
from ttt_lib.validation import write_atomic

MAX_TITLE = 72  # letters of a line that the picture is wide enough for
PANELS = {  # what a history has for each side → the title of its axis
    "reward": "sum of rewards",
    "win": "wins against random play",
    "worst": "value in the worst case",
}


@command("ttt plot mine.json --output mine.svg")
@click.argument("file")
@click.option(
    "--output",
    type=FILE,
    metavar="FILE",
    help="A file, .png or .svg, instead of a window.",
)
@click.option("--force", is_flag=True, help="Let --output replace a file that exists.")
def plot(file, output, force):
    """Plot how the agent in FILE has learned: its rewards, and its exact score.

    FILE may also be an agent that comes with the library.
    """
    # Where Matplotlib keeps what it knows of fonts, say, nobody has asked.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    if output is not None:
        # No window is needed, and the one that is asked for may not exist.
        os.environ.pop("MPLBACKEND", None)
        import matplotlib

        matplotlib.use("agg")
        if output.suffix.lower() not in (".png", ".svg"):
            raise click.UsageError(f"{output} should end in .png or .svg.")
    must_be_new(output, force)
    who = entrant(tables(), file)
    if len(who.history) < 2:
        raise click.ClickException(f"{who.name} has no history of learning.")
    if output is None:
        show(who)
    else:
        write(who, output, force)
        message(f"Drawn in {output}.")


def write(agent, output, force=False):
    """Draw the history of an Agent in a file; unless forced it replaces none."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    from ttt_lib.plots import drawing, settings

    with rc_context(settings()):
        figure, file = Figure(), BytesIO()
        draw(agent, figure)
        if output.suffix.lower() == ".svg":
            file.write(drawing(figure).encode())
        else:
            figure.savefig(file, format="png")
    with written(output):
        write_atomic(output, file.getvalue(), exclusive=not force)


def show(agent):
    """Show the history of an Agent in a window, until a person closes it."""
    from matplotlib import pyplot as plt
    from matplotlib import rc_context

    from ttt_lib.plots import settings

    display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    nowhere = sys.platform.startswith("linux") and not display
    if nowhere or plt.get_backend().lower() == "agg":
        raise click.ClickException(
            "There is no window to draw in: --output FILE.png draws a file."
        )
    with rc_context(settings()):
        figure = plt.figure()
        draw(agent, figure)
        plt.show()
        plt.close(figure)


def draw(agent, figure):
    """Draw the history of an Agent in a figure: rewards and exact scores."""
    from ttt_lib.plots import end_labels

    rows = agent.history
    games = [row["games"] for row in rows]
    places = SIDE_NAMES.values()
    panels = [
        name
        for name in PANELS
        if any(f"{name}_{place}" in rows[-1] for place in places)
    ]
    if not panels:
        raise click.ClickException(f"{agent.name} has no scores in its history.")
    figure.set_size_inches(7, 2.6 * len(panels))
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False).flat
    for ax, name in zip(axes, panels, strict=True):
        for place, colour, style in zip(places, ("C0", "C1"), ("-", "--"), strict=True):
            if f"{name}_{place}" in rows[-1]:  # else it was not taught
                numbers = [row.get(f"{name}_{place}", float("nan")) for row in rows]
                line = {"color": colour, "ls": style, "label": f"as {place} player"}
                ax.plot(games, numbers, **line)
        ax.set_ylabel(PANELS[name])
        ax.axhline(0, color="C5", lw=0.5)
    axes[0].set_title(textwrap.fill(agent.name, MAX_TITLE), parse_math=False)
    axes[-1].set_xlabel("games learned from")
    end_labels(axes[0])
