"""The theme of figures: the values of `theme.toml` as settings of Matplotlib."""

import json
import os
import re
from contextlib import suppress
from functools import cache
from importlib import resources
from io import StringIO
from pathlib import Path

from ttt_lib import theme

LIGHT = theme.light()
INK, QUIET, PAPER = LIGHT["ink"], LIGHT["quiet"], LIGHT["paper"]
#: The colours of the players in figures, by mark.
MARK_COLOURS = {"X": LIGHT["x"], "O": LIGHT["o"]}
COMMENT, TAG = re.compile(r"<!--.*?-->\s*", re.DOTALL), re.compile(r"<[^>]*>")
BREAK = re.compile(r"\s*\n\s*")
LONG_DECIMAL = re.compile(r"\d+\.\d{3,}")
GREYS = LIGHT["edge"], LIGHT["grey"]  # too pale for text
# Colours and dashes of lines, in the order of use. Those of the players are not among
# them: they are MARK_COLOURS, for what X or O wins and for nothing else.
LINES = "ink", "violet", "grey", "ink", "violet", "quiet"
DASHES = "-", "-", "-", "--", "--", ":"
FACE = "Atkinson Hyperlegible Next"


def style():
    """Set the theme of the book for all figures from now on.

    In a notebook they are shown as SVG, and in JupyterLab with the captions that the
    notebook stores for the site.
    """
    import matplotlib as mpl  # needed only to draw
    import matplotlib.pyplot as plt

    mpl.rcParams.update(settings())
    if "inline" not in plt.get_backend():  # no notebook
        return
    from IPython import get_ipython
    from matplotlib.figure import Figure
    from matplotlib_inline.backend_inline import set_matplotlib_formats

    set_matplotlib_formats("svg")
    shell = get_ipython()
    shell.display_formatter.formatters["image/svg+xml"].for_type(Figure, drawing)
    shell.events.register("post_run_cell", _show_caption)


def _show_caption(result):
    """Show the caption of the executed cell below its figure.

    It is in the metadata of the cell, for MyST-NB. JupyterLab passes the names of the
    notebook and the cell to the kernel; other programs do not, and nothing is shown.
    """
    from IPython.display import Markdown, display

    file, cell = os.environ.get("JPY_SESSION_NAME"), result.info.cell_id
    if not (result.success and file and cell):
        return
    with suppress(OSError, ValueError):  # it has been renamed, or is being saved
        cells = json.loads(Path(file).read_text(encoding="utf-8"))["cells"]
        settings = next((c["metadata"] for c in cells if c.get("id") == cell), {})
        if caption := settings.get("mystnb", {}).get("figure", {}).get("caption"):
            display(Markdown(caption))


def drawing(figure):
    """Return a figure as SVG, one line of text, the same for the same figure.

    Coordinates are rounded to a hundredth of a point, which saves a third of the text.
    Numbers in labels are not rounded.
    """
    file = StringIO()
    figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})

    def rounded(tag):
        return LONG_DECIMAL.sub(lambda number: f"{float(number[0]):.2f}", tag[0])

    text = BREAK.sub(" ", COMMENT.sub("", file.getvalue()))
    return TAG.sub(rounded, text)


@cache
def _register_typeface():
    """Make Matplotlib measure text in the typeface of the site."""
    from matplotlib.font_manager import fontManager

    folder = resources.files("ttt_lib.theme") / "atkinson-hyperlegible-next"
    with resources.as_file(folder / "400-normal.ttf") as file:
        fontManager.addfont(file)


def settings():
    """Return the theme as settings of Matplotlib, name → value."""
    from matplotlib import cycler

    _register_typeface()

    figure = theme.values()["figure"]
    size = figure["text"]
    quiet = ("axes.edgecolor", "xtick.color", "ytick.color", "axes.labelcolor")
    hidden = ("axes.spines.top", "axes.spines.right", "legend.frameon")
    return {
        "figure.figsize": (figure["middle"], figure["middle"] * 0.6),
        "figure.facecolor": PAPER,
        "savefig.facecolor": PAPER,
        "figure.constrained_layout.use": True,
        "axes.facecolor": "none",
        "axes.prop_cycle": cycler(
            color=[LIGHT[name] for name in LINES], linestyle=DASHES
        ),
        "axes.linewidth": 0.8,
        "axes.titlelocation": "left",
        "axes.unicode_minus": True,
        "axes.formatter.min_exponent": 3,  # 100, not 10²
        # Greek letters and arrows come from the second.
        "font.family": [FACE, "DejaVu Sans", "sans-serif"],
        "font.sans-serif": ["DejaVu Sans"],
        "font.size": size,
        "axes.titlesize": size,
        "axes.labelsize": size,
        "xtick.labelsize": size - 1,
        "ytick.labelsize": size - 1,
        "legend.fontsize": size,
        "figure.titlesize": size,
        "figure.labelsize": size,
        "text.color": INK,
        "lines.linewidth": figure["line"],
        "lines.markersize": 4,
        "lines.solid_capstyle": "round",
        "svg.fonttype": "none",  # text stays text
        "svg.hashsalt": "three in a row",
        **dict.fromkeys(quiet, QUIET),
        **dict.fromkeys(hidden, False),
    }
