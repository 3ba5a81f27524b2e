"""What pages show: pictures of positions, and the source of the library.

Each picture is drawn on a Matplotlib `ax`, which is returned.
"""

import inspect
import re
from fractions import Fraction
from functools import cache, partial
from typing import NamedTuple

import numpy as np

from ttt_lib.doors import checked, free, notation, pictures, shown
from ttt_lib.search import solve

INK = "#1a1a1a"
# Told apart by colour-blind readers: blue and vermilion of Okabe and Ito for the
# marks, and two scales that run evenly in lightness for the numbers.
MARK_COLOURS = {"X": "#0072b2", "O": "#d55e00"}
SEQUENTIAL, DIVERGING = "YlGnBu", "PuOr"
MOST_NODES = 60  # larger trees cannot be read as a picture

_drawn = partial(checked, ax=pictures.axes, first=pictures.mark, title=free)


@_drawn(array=pictures.board)
def board(array, ax, first="X", title=None):
    """Draw any board, possible or not: an array (rows, columns) of +1, −1 and 0."""
    rows, columns = array.shape
    for cell, mark in enumerate(notation.write(array.ravel(), first)):
        row, column = divmod(cell, columns)
        if mark == "X":
            for rise in (+1, -1):
                reach = np.array([-0.27, 0.27])
                ax.plot(
                    column + reach,
                    row + rise * reach,
                    color=MARK_COLOURS["X"],
                    lw=3,
                )
        elif mark == "O":
            angle = np.linspace(0, 2 * np.pi, 60)
            x, y = column + 0.29 * np.cos(angle), row + 0.29 * np.sin(angle)
            ax.plot(x, y, color=MARK_COLOURS["O"], lw=3)
    for x in range(1, columns):
        ax.plot([x - 0.5, x - 0.5], [-0.5, rows - 0.5], color=INK, lw=1, zorder=3)
    for y in range(1, rows):
        ax.plot([-0.5, columns - 0.5], [y - 0.5, y - 0.5], color=INK, lw=1, zorder=3)
    ax.set(xlim=(-0.55, columns - 0.45), ylim=(rows - 0.45, -0.55), aspect="equal")
    ax.axis("off")
    if title is not None:
        ax.set_title(title, fontsize=10, color=INK)
    return ax


@_drawn()
def position(game, s, ax, first="X", title=None):
    """Draw position s; `first` is the mark of the player who moves first."""
    return board(game.array(s), ax, first, title)


@_drawn(values=pictures.values, form=pictures.form, limits=pictures.limits)
def numbers(game, s, values, ax, first="X", title=None, form="{:.3f}", limits=(0, 1)):
    """Draw position s with a number and a colour on every legal cell.

    values (A,) holds one number per cell; `form` writes it; `limits` are the values
    at the two ends of the colour scale, whose light middle is at 0 where they lie on
    both sides of 0; None leaves the cells white.
    """
    scale = _colour_scale(limits)
    for cell in np.flatnonzero(game.legal[s]):
        row, column = divmod(int(cell), game.columns)
        colour = scale(values[cell])
        x, y = column + np.array([-1, 1, 1, -1]) / 2, row + np.array([-1, -1, 1, 1]) / 2
        ax.fill(x, y, color=colour, lw=0)
        ax.text(
            column,
            row,
            form.format(values[cell]),
            ha="center",
            va="center",
            color=_ink_on(colour),
        )
    return position(game, s, ax, first, title)


def source(*functions):
    """Return the source code of functions of the library, for a notebook to display.

    The decorator that checks their arguments is left out.
    Raises ValueError if one has none.
    """
    from IPython.display import Markdown  # only notebooks have it

    code = "\n\n".join(map(_code, functions))
    return Markdown(f"```python\n{code}\n```")


def _code(function):
    try:
        code = inspect.getsource(function).rstrip()
        return re.sub(r"^@checked(\(.*?\))?\n(?=@|def )", "", code, flags=re.DOTALL)
    except (TypeError, OSError):
        raise ValueError(f"{shown(function)} has no source: give a function.") from None


def _colour_scale(limits):
    """Return the function from a value to its colour (red, green, blue, opacity)."""
    if limits is None:
        return lambda value: (1.0, 1.0, 1.0, 1.0)
    from matplotlib import colormaps  # who has an ax has Matplotlib already

    low, high = limits
    if low < 0 < high:
        ends = (low, 0, high), (0, 0.5, 1)
        return lambda value: colormaps[DIVERGING](np.interp(value, *ends))
    return lambda value: colormaps[SEQUENTIAL]((value - low) / (high - low))


def _ink_on(colour):
    """Return black or white, whichever reads better on `colour`.

    The measure is the relative luminance of WCAG 2.
    """
    channel = np.array(colour[:3])
    linear = np.where(
        channel <= 0.04045, channel / 12.92, ((channel + 0.055) / 1.055) ** 2.4
    )
    return "black" if linear @ (0.2126, 0.7152, 0.0722) > 0.179 else "white"


@_drawn(actions=pictures.legal, opponent=pictures.replying, label=pictures.label)
def replies(game, s, actions, opponent, ax, label, first="X"):
    """Draw position s, its afterstates under `actions`, and the opponent's replies.

    The branches carry the cells of the actions and the probabilities of the replies;
    `label(s_next)` is the text beside a board where the branches end.
    """
    row, middles = 0.0, []
    for a in actions:
        after = int(game.next[s, a])
        answers = np.flatnonzero(opponent[after])
        middle = row + 0.6 * max(len(answers) - 1, 0)
        middles.append(middle)
        _board_at(2.1, middle, game, after, ax, first)
        if len(answers) == 0:  # the action ended the game
            ax.text(2.75, middle, label(after), size=9, va="center", color=INK)
        for b in answers:
            s_next = int(game.next[after, b])
            share = Fraction(opponent[after, b]).limit_denominator(1000)
            _branch(2.1, middle, 4.2, row, str(share), ax)
            _board_at(4.2, row, game, s_next, ax, first)
            ax.text(4.85, row, label(s_next), size=9, va="center", color=INK)
            row += 1.2
        row += 0.3 if len(answers) else 1.5
    root = (middles[0] + middles[-1]) / 2
    for a, middle in zip(actions, middles, strict=True):
        _branch(0, root, 2.1, middle, f"cell {a}", ax)
    _board_at(0, root, game, s, ax, first)
    ax.set(xlim=(-0.55, 6.6), ylim=(row - 0.85, -0.6), aspect="equal")  # y points down
    ax.axis("off")
    return ax


def _board_at(x, y, game, s, ax, first):
    inset = ax.inset_axes((x - 0.5, y - 0.5, 1, 1), transform=ax.transData)
    position(game, s, inset, first)
    for line in inset.lines:
        line.set_linewidth(line.get_linewidth() / 2)


def _branch(x, y, x_next, y_next, text, ax):
    ax.plot([x + 0.58, x_next - 0.58], [y, y_next], color=INK, lw=1)
    middle = (x + x_next) / 2, (y + y_next) / 2
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1}
    ax.text(*middle, text, size=9, ha="center", va="center", color=INK, bbox=box)


class Tree(NamedTuple):
    """All games from one position as a tree of N nodes, each before those below it."""

    position: np.ndarray  #: (N,) position at each node
    parent: np.ndarray  #: (N,) node above, −1 at the root
    action: np.ndarray  #: (N,) move that led here, −1 at the root
    depth: np.ndarray  #: (N,) moves since the root
    value: np.ndarray  #: (N,) outcome under perfect play, first player's side


@checked
def tree(game, s):
    """Return all that can follow from position s as a Tree, for `game_tree`.

    Raises ValueError if it has more than 60 nodes.
    """

    @cache
    def size(s):
        return 1 + sum(map(size, game.successor[s, : game.count[s]]))

    if size(s) > MOST_NODES:
        raise ValueError(
            f"The tree below position {s} has {size(s):,} nodes, and a picture holds "
            f"{MOST_NODES}: begin nearer to the end of the game."
        )
    nodes = []

    def grow(s, parent, action, depth):
        node = len(nodes)
        nodes.append((s, parent, action, depth))
        for a in np.flatnonzero(game.legal[s]):
            grow(game.next[s, a], node, a, depth + 1)

    grow(s, -1, -1, 0)
    position, parent, action, depth = np.array(nodes).T
    value = game.outcome + solve(game).V
    return Tree(position, parent, action, depth, value[position])


@_drawn(tree=pictures.tree)
def game_tree(game, tree, ax, first="X"):
    """Draw a Tree from left to right, each node with its value.

    A value is the outcome under perfect play, from the first player's side; the thick
    branches are the moves that keep it.
    A figure of 2 inches for each move and 0.8 inches for each leaf shows it well.
    """
    marks, scale = notation.marks(first), _colour_scale((-1, 1))
    below = [np.flatnonzero(tree.parent == node) for node in range(len(tree.parent))]
    y = np.cumsum([len(nodes) == 0 for nodes in below]) * 1.2  # one row for each leaf
    for node in reversed(range(len(y))):
        if len(below[node]):
            y[node] = y[below[node]].mean()
    x = 2.8 * tree.depth
    for node, s in enumerate(tree.position):
        colour, value = scale(tree.value[node]), int(tree.value[node])
        label = "0" if value == 0 else f"{value:+d}".replace("-", "−")
        box = {"facecolor": colour, "edgecolor": INK, "lw": 0.5, "boxstyle": "round"}
        style = {"ha": "center", "va": "center", "fontsize": 9}
        place = x[node] + 0.85, y[node]
        ax.text(*place, label, color=_ink_on(colour), bbox=box, **style)
        _board_at(x[node], y[node], game, s, ax, first)
        for after in below[node]:
            keeps = tree.value[after] == tree.value[node]
            ends = [x[node] + 1.15, x[after] - 0.58], [y[node], y[after]]
            ax.plot(*ends, color=INK, lw=2.5 if keeps else 0.7)
            box = {"facecolor": "white", "edgecolor": "none", "pad": 1}
            middle = ends[0][0] * 0.4 + ends[0][1] * 0.6, y[node] * 0.4 + y[after] * 0.6
            ax.text(*middle, tree.action[after], color=INK, bbox=box, **style)
    for depth in range(tree.depth.max()):
        chooses = game.to_move[tree.position[tree.depth == depth][0]]
        text = f"{marks[0]}: MAX" if chooses == 1 else f"{marks[1]}: MIN"
        ax.text(2.8 * depth, 0.2, text, ha="center", color=INK, fontsize=9)
    ax.set(xlim=(-0.6, x.max() + 1.25), ylim=(y.max() + 0.7, -0.1), aspect="equal")
    ax.axis("off")
    return ax
