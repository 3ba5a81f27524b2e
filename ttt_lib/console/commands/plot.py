"""The command `ttt plot`."""

import logging
import os

import click

from ttt_lib.console.options import FILE, command, entrant
from ttt_lib.console.terminal import message


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
    # Where it keeps what it knows of fonts, say, nobody has asked.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    if output is not None:
        # No window is needed, and the one that is asked for may not exist.
        os.environ.pop("MPLBACKEND", None)
        import matplotlib

        matplotlib.use("agg")
    from ttt_lib.console import history, keeping
    from ttt_lib.game import tables

    if output is not None and output.suffix.lower() not in (".png", ".svg"):
        raise click.UsageError(f"{output} should end in .png or .svg.")
    keeping.must_be_new(output, force)
    history.draw(entrant(tables(), file), output, force)
    if output is not None:
        message(f"Drawn in {output}.")
