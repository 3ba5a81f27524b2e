"""Small pictures of the chapters: the whole game, coloured by what each chapter knows.

`KNOWS` is the table: for each chapter the value (S,) of every position for the first
player, NaN where the chapter does not know it. The picture stands above the title of
the chapter, and beside its question on the front page.
"""

from functools import cache
from pathlib import PurePosixPath

import numpy as np
from docutils import nodes

from ttt_lib import agents, evaluation, search
from ttt_lib.approximation import features
from ttt_lib.game import symmetry_class, tables
from ttt_lib.studies import load

SHADES = 4  # of each colour
COLUMN, HEIGHT = 11, 34  # of the picture, in px
GAME = tables()
MARKS = np.abs(GAME.board).sum(axis=1)


@cache
def exact():
    """Return the value of each position under perfect play."""
    solution = search.solve(GAME)
    return (GAME.outcome + solution.V).astype(float)


def where(known):
    """Return the exact values of some positions, and NaN for the others."""
    return np.where(known, exact(), np.nan)


def learner(games):
    """Return the values of the learner of the front page after some games."""
    study = load("skyline")
    classes = np.unique(symmetry_class(GAME))
    tenths = study.results[0, 0, study.MARKS.index(games), : len(classes)]
    values = np.full(len(GAME.code), np.nan)
    values[classes] = np.where(tenths == study.NEVER, np.nan, tenths / 10)
    return values


def boxes():
    """Return the positions for which MENACE has a box: X moves, and has a choice."""
    return (GAME.to_move == 1) & (GAME.count > 1)


def mistakes(name):
    """Return the positions in which an agent may give something away."""
    policy, Q = agents.load(name).policy, search.solve(GAME).Q
    wrong = evaluation.suboptimal_states(policy, Q, GAME.legal)
    return np.isin(np.arange(len(GAME.code)), wrong)


def nine_weights():
    """Return the values of the nine weights that fit the exact ones best."""
    x, owner = features.features(GAME.board), -GAME.to_move
    w, _ = features.least_squares(x, owner * exact(), np.ones(len(x)))
    return np.clip(owner * (x @ w), -1, 1)


KNOWS = {
    "01_game": exact,
    "02_mdp": lambda: where(GAME.to_move == -1),
    "03_policy_iteration": lambda: where(MARKS >= 7),
    "04_value_iteration": lambda: where(MARKS >= 5),
    "05_rewards": lambda: where(GAME.terminal),
    "06_minimax": exact,
    "07_bandits": lambda: where(MARKS <= 1),
    "08_menace": lambda: where(boxes()),
    "09_monte_carlo": lambda: learner(30),
    "10_td": lambda: learner(300),
    "11_q_learning": lambda: learner(3_000),
    "12_sarsa": lambda: where(mistakes("sarsa")),
    "13_belief": lambda: learner(30_000),
    "14_everyone": lambda: where(mistakes("q-learning")),
    "15_tree_search": lambda: where(MARKS <= 3),
    "16_features": nine_weights,
    "17_policy_gradient": lambda: where(GAME.to_move == 1),
}


def picture(chapter):
    """Return the picture of a chapter as SVG, a column for each number of marks.

    A column has a bar for each shade, from what O wins to what X wins, and on top one
    for what is not known.
    """
    values = KNOWS[chapter]()
    classes = np.unique(symmetry_class(GAME))
    tallest = np.bincount(MARKS[classes]).max()
    bars = []
    for n in range(GAME.board.shape[1] + 1):
        column = values[classes[MARKS[classes] == n]]
        shades = np.round(SHADES * column)
        counts = [(shade, (shades == shade).sum()) for shade in np.unique(shades)]
        known = [(shade, count) for shade, count in counts if count]
        bottom = float(HEIGHT)
        for shade, count in [*known, (None, np.isnan(shades).sum())]:
            height = HEIGHT * count / tallest
            bottom -= height
            if count:
                bars.append(bar(n, bottom, height, shade))
    size = f'viewBox="0 0 {10 * COLUMN} {HEIGHT}" width="{10 * COLUMN}"'
    return f'<svg {size} height="{HEIGHT}" aria-hidden="true">{"".join(bars)}</svg>'


def bar(column, top, height, shade):
    """Return one bar: of a shade from −SHADES to SHADES, or None for unknown."""
    if shade is None:
        look = 'class="sky-unknown"'
    elif shade == 0:
        look = 'class="sky-draw"'
    else:
        side, share = "X" if shade > 0 else "O", abs(shade) / SHADES
        look = f'class="sky-{side}" style="--share:{100 * share:.0f}%"'
    place = f'x="{column * COLUMN}" y="{top:.1f}" width="9" height="{height:.1f}"'
    return f"<rect {place} {look}/>"


def add_head(app, doctree, docname):
    """Put the picture of a chapter above its title."""
    chapter = PurePosixPath(docname).name
    if chapter in KNOWS and app.builder.format == "html":
        words = "The whole game, coloured by what this chapter knows of it"
        head = f'<div class="chapter-sky" title="{words}">{picture(chapter)}</div>'
        doctree.insert(0, nodes.raw("", head, format="html"))


def setup(app):
    """Register the handler."""
    app.connect("doctree-resolved", add_head)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
