"""Poster (PDF, A3): the exact results of all agents against all others."""

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
    "The value of a match is what the second player's mistakes cost, minus what the "
    "first player's cost.\nAgents are in the order of the sum of all matches on both "
    "sides; an agent trained for one side only is listed last, on that side alone."
)


def write(path):
    """Write the poster as a PDF."""
    logging.getLogger("fontTools").setLevel(logging.WARNING)  # it logs a lot
    table = standings.cross()
    firsts, seconds = table["firsts"], table["seconds"]
    value = np.array(table["value"]) / 10 + 0.0  # in hundredths
    with mpl.rc_context(plots.settings() | {"pdf.fonttype": 42, "font.size": 8}):
        figure = Figure(figsize=A3)
        ax = figure.add_subplot()
        rows = [f"{name}  {n}" for n, name in enumerate(firsts, 1)]
        columns = [f"{n}  {name}" for n, name in enumerate(seconds, 1)]
        look = {"form": "{:.0f}", "limits": (-100, 100), "good_for": "X"}
        plots.heat_map(value, ax, rows, columns, **look)
        ax.set_aspect("auto")
        ax.xaxis.tick_top()
        ax.tick_params(axis="x", rotation=90, labelsize=9)
        ax.tick_params(axis="y", labelsize=9)
        figure.get_layout_engine().set(w_pad=0.4, h_pad=0.3)
        figure.suptitle(TITLE, size=26, x=0.025, ha="left", color=INK)
        figure.supxlabel(WORDS, size=10.5, x=0.025, ha="left", color=QUIET)
        figure.savefig(path, metadata={"Title": TITLE, "CreationDate": None})
