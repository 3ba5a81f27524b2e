"""Rendering of the environments: a position as text, or as an array of colours."""

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from ttt_lib import plots
from ttt_lib.validation import one_of

MODES = ["ansi", "rgb_array"]


def mode(render_mode):
    """Return `render_mode`, one of MODES or None; raise ValueError if it is not."""
    return render_mode and one_of(render_mode, "render_mode", MODES)


def render(game, s, render_mode):
    """Return position s, rendered by a render mode; None for None."""
    draw = {None: lambda *_: None, "ansi": ansi, "rgb_array": rgb_array}
    return draw[render_mode](game, s)


def ansi(game, s):
    """Return position s as text: a line for each row, X, O and `.` for empty."""
    text = game.string(s)
    rows = range(0, len(text), game.columns)
    return "\n".join(text[i : i + game.columns] for i in rows)


def rgb_array(game, s):
    """Return position s as an image, (height, width, 3) of uint8."""
    figure = Figure(figsize=(game.columns, game.rows), dpi=64)
    canvas = FigureCanvasAgg(figure)
    plots.board(game.array(s), figure.add_axes((0, 0, 1, 1)))
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].copy()
