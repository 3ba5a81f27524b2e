"""Figures and tables: boards, trees and lines in the theme of the book.

`style()` sets the theme. Each drawing is made on a Matplotlib `ax`, which is returned.
"""

from ttt_lib.plots.boards import board, gridworld, heat_map, matchbox, numbers, position
from ttt_lib.plots.lines import band, end_labels
from ttt_lib.plots.skylines import dots, skyline
from ttt_lib.plots.style import MARK_COLOURS, drawing, settings, style
from ttt_lib.plots.texts import source, table
from ttt_lib.plots.trees import Tree, backup_diagram, game_tree, tree

__all__ = [
    "MARK_COLOURS",
    "Tree",
    "backup_diagram",
    "band",
    "board",
    "dots",
    "drawing",
    "end_labels",
    "game_tree",
    "gridworld",
    "heat_map",
    "matchbox",
    "numbers",
    "position",
    "settings",
    "skyline",
    "source",
    "style",
    "table",
    "tree",
]
