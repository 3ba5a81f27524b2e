"""The poster: everyone against everyone with every number, one page for the wall."""

import logging

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from ttt_lib import plots
from ttt_lib.board import standings
from ttt_lib.plots.style import INK, QUIET

A3 = 16.54, 11.69  # inches
TITLE = "Everyone against everyone"
WORDS = (
    "Three in a row, exactly: what each match is worth to the first player (a row) "
    "against the second (a column), wins minus losses, in hundredths. "
    "Blue: the first wins more; orange: it loses more; 0: neither.\n"
    "A match is worth what the other gives away, minus what you give away. "
    "The order is by the sum of all matches on both sides; who was taught one side "
    "only stands behind the others, and not on the other side."
)


def write(path):
    """Write the poster as a PDF."""
    logging.getLogger("fontTools").setLevel(logging.WARNING)  # it tells all it drops
    told = standings.cross()
    firsts, seconds = told["firsts"], told["seconds"]
    value = np.array(told["value"]) / 10 + 0.0  # in hundredths
    with mpl.rc_context(plots.settings() | {"pdf.fonttype": 42, "font.size": 8}):
        figure = Figure(figsize=A3)
        ax = figure.add_subplot()
        rows = [f"{name}  {n}" for n, name in enumerate(firsts, 1)]
        columns = [f"{n}  {name}" for n, name in enumerate(seconds, 1)]
        plots.heat_map(value, ax, rows, columns, form="{:.0f}", limits=(-100, 100))
        ax.set_aspect("auto")
        ax.xaxis.tick_top()
        ax.tick_params(axis="x", rotation=90, labelsize=9)
        ax.tick_params(axis="y", labelsize=9)
        figure.get_layout_engine().set(w_pad=0.4, h_pad=0.3)
        figure.suptitle(TITLE, size=26, x=0.025, ha="left", color=INK)
        figure.supxlabel(WORDS, size=10.5, x=0.025, ha="left", color=QUIET)
        figure.savefig(path, metadata={"Title": TITLE, "CreationDate": None})
