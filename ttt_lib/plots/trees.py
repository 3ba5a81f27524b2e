"""Trees: what can follow from a position, drawn from left to right."""

from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np

from ttt_lib import notation
from ttt_lib.plots.style import INK, PAPER
from ttt_lib.plots.tiles import framed, number, put, shapes, tinted, tones
from ttt_lib.search import solve
from ttt_lib.validation import anything, plots, validated
from ttt_lib.validation.plots import validated_plot

MAX_NODES = 60  # larger trees cannot be read as a picture
TILE = 0.32  # width of a tile of a small board, which is one unit wide


@validated_plot(actions=plots.legal, label=anything)
def backup_diagram(game, s, actions, opponent, ax, label, first="X"):
    """Draw position s, its afterstates under `actions`, and the opponent's replies.

    The branches are labelled with the moves and the probabilities of the replies.
    `label(s)` is the text beside a board at the end of a branch.
    """
    row, middles = 0.0, []
    for a in actions:
        after = int(game.next[s, a])
        answers = np.flatnonzero(opponent[after])
        middle = row + 0.6 * max(len(answers) - 1, 0)
        middles.append(middle)
        _board_at(2.1, middle, game, after, ax, first)
        if len(answers) == 0:  # the action ended the game
            _beside(2.1, middle, label(after), ax)
        for b in answers:
            s_next = int(game.next[after, b])
            share = Fraction(opponent[after, b]).limit_denominator(1000)
            _branch(2.1, middle, 4.2, row, str(share), ax)
            _board_at(4.2, row, game, s_next, ax, first)
            _beside(4.2, row, label(s_next), ax)
            row += 1.2
        row += 0.3 if len(answers) else 1.5
    root = (middles[0] + middles[-1]) / 2
    for a, middle in zip(actions, middles, strict=True):
        _branch(-0.4, root, 2.1, middle, f"cell {a}", ax)  # longer, for its label
    _board_at(-0.4, root, game, s, ax, first)
    return framed(ax, -0.95, 6.6, -0.6, row - 0.85)  # y points down


def _board_at(x, y, game, s, ax, first):
    array = game.array(s)
    rows, columns = array.shape
    size = TILE * 3 / max(rows, columns)
    corner = x - (columns - 1) / 2 * size, y - (rows - 1) / 2 * size
    put(array, ax, first, corner, size)


def _beside(x, y, text, ax):
    number(ax, x + 0.65, y, text, ha="left")


def _branch(x, y, x_next, y_next, text, ax, at=0.5, lw=1, ls="-"):
    ax.plot([x + 0.58, x_next - 0.58], [y, y_next], color=INK, lw=lw, ls=ls)
    start, end = x + 0.58, x_next - 0.58
    middle = start + at * (end - start), y + at * (y_next - y)
    number(ax, *middle, text, bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 1})


class Tree(NamedTuple):
    """Games from one position as a tree of N nodes, each before those below it."""

    position: np.ndarray  #: (N,) position at each node
    parent: np.ndarray  #: (N,) node above, −1 at the root
    action: np.ndarray  #: (N,) move that led here, −1 at the root
    depth: np.ndarray  #: (N,) moves since the root
    value: np.ndarray  #: (N,) outcome under perfect play, first player's side


@validated
def tree(game, s, order=None):
    """Return the Tree of all games from position s, for `game_tree`.

    `order` (A,) is the order of the moves, rising if None.
    Raises ValueError if the tree has more than 60 nodes.
    """
    order = range(game.legal.shape[1]) if order is None else order

    @cache
    def size(s):
        return 1 + sum(map(size, game.successor[s, : game.count[s]]))

    if size(s) > MAX_NODES:
        raise ValueError(
            f"The tree below position {s} has {size(s):,} nodes, and a picture holds "
            f"{MAX_NODES}: begin nearer to the end of the game."
        )
    nodes = []

    def grow(s, parent, action, depth):
        node = len(nodes)
        nodes.append((s, parent, action, depth))
        for a in order:
            if game.legal[s, a]:
                grow(game.next[s, a], node, a, depth + 1)

    grow(s, -1, -1, 0)
    position, parent, action, depth = np.array(nodes).T
    value = game.outcome + solve(game).V
    return Tree(position, parent, action, depth, value[position])


@validated_plot(tree=anything, label=anything, branch=anything, left_out=anything)
def game_tree(game, tree, ax, first="X", label=None, branch=str, left_out=()):
    """Draw a Tree from left to right, each node with its value and its colour.

    Values are for the first player; the thick branches are the moves that keep the
    value. `label(node)` replaces the value beside a board, for example by the visits
    and the mean of a search; `branch(a)` is the label of a branch. The nodes
    `left_out`, which a search skipped, are pale and have no label.
    Suggested size: 2 inches for each move and 0.8 inches for each leaf.
    """
    marks = notation.marks(first)
    tone = tones((-1, 1), marks[0])
    below = [np.flatnonzero(tree.parent == node) for node in range(len(tree.parent))]
    y = np.cumsum([len(nodes) == 0 for nodes in below]) * 1.2  # one row for each leaf
    for node in reversed(range(len(y))):
        if len(below[node]):
            y[node] = y[below[node]].mean()
    x = 2.8 * tree.depth
    for node, s in enumerate(tree.position):
        beside, value = (x[node] + 0.85, y[node]), tree.value[node]
        searched = node not in left_out
        if searched and label is None:
            tinted(ax, beside, tone(value), 0.52)
            number(ax, *beside, "0" if value == 0 else f"{value:+.3g}")
        elif searched:
            number(ax, x[node] + 0.95, y[node], label(node))
        _board_at(x[node], y[node], game, s, ax, first)
        if not searched:
            veil = {"facecolor": PAPER, "alpha": 0.75}
            shapes(ax, "tile", [(x[node], y[node])], 1.1, **veil)
        for after in below[node]:
            keeps, a = tree.value[after] == value, int(tree.action[after])
            start = x[node] + (0.57 if label is None else 0.8)  # labels are wider
            ends = start, y[node], x[after], y[after]
            style = {"lw": 2.5 if keeps else 0.7}
            if after in left_out:
                style = {"lw": 1, "ls": ":"}
            _branch(*ends, branch(a), ax, at=0.6, **style)
    for depth in range(tree.depth.max()):
        chooses = game.to_move[tree.position[tree.depth == depth][0]]
        text = f"{marks[0]}: MAX" if chooses == 1 else f"{marks[1]}: MIN"
        number(ax, 2.8 * depth, 0.2, text)
    return framed(ax, -0.6, x.max() + 1.25, -0.1, y.max() + 0.7)
