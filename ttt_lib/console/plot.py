"""The command `ttt plot`: the training history of an agent as a figure."""

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

MAX_TITLE = 72  # characters of a line that fit the width of the figure
PANELS = {  # key of a history for each side → label of the axis
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
    help="Draw to a .png or .svg file instead of a window.",
)
@click.option("--force", is_flag=True, help="Let --output replace a file that exists.")
def plot(file, output, force):
    """Plot how the agent in FILE has learned: its rewards and its exact scores.

    FILE may also be an agent that comes with the library.
    """
    # Messages of Matplotlib, on its font cache for example, are of no use here.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    if output is not None:
        # No window is needed, and the backend of the environment may not exist.
        os.environ.pop("MPLBACKEND", None)
        import matplotlib

        matplotlib.use("agg")
        if output.suffix.lower() not in (".png", ".svg"):
            raise click.UsageError(f"{output} should end in .png or .svg.")
    must_be_new(output, force)
    agent = entrant(tables(), file)
    if len(agent.history) < 2:
        raise click.ClickException(f"{agent.name} has no history of learning.")
    if output is None:
        show(agent)
    else:
        write(agent, output, force)
        message(f"Drawn in {output}.")


def write(agent, output, force=False):
    """Draw the history of an Agent to a file; if forced, replace an existing one."""
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
    """Show the history of an Agent in a window until it is closed."""
    from matplotlib import pyplot as plt
    from matplotlib import rc_context

    from ttt_lib.plots import settings

    display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    has_no_display = sys.platform.startswith("linux") and not display
    if has_no_display or plt.get_backend().lower() == "agg":
        raise click.ClickException(
            "There is no display for a window: --output FILE.png draws to a file."
        )
    with rc_context(settings()):
        figure = plt.figure()
        draw(agent, figure)
        plt.show()
        plt.close(figure)


def draw(agent, figure):
    """Draw the history of an Agent on a figure: rewards and exact scores."""
    from ttt_lib.plots import end_labels

    rows = agent.history
    games = [row["games"] for row in rows]
    sides = SIDE_NAMES.values()
    panels = [
        name for name in PANELS if any(f"{name}_{side}" in rows[-1] for side in sides)
    ]
    if not panels:
        raise click.ClickException(f"{agent.name} has no scores in its history.")
    figure.set_size_inches(7, 2.6 * len(panels))
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False).flat
    for ax, name in zip(axes, panels, strict=True):
        for side, colour, style in zip(sides, ("C0", "C1"), ("-", "--"), strict=True):
            if f"{name}_{side}" in rows[-1]:  # else it was not trained on this side
                numbers = [row.get(f"{name}_{side}", float("nan")) for row in rows]
                line = {"color": colour, "ls": style, "label": f"as {side} player"}
                ax.plot(games, numbers, **line)
        ax.set_ylabel(PANELS[name])
        ax.axhline(0, color="C5", lw=0.5)
    axes[0].set_title(textwrap.fill(agent.name, MAX_TITLE), parse_math=False)
    axes[-1].set_xlabel("games learned from")
    end_labels(axes[0])
