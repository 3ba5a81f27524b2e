"""Pictures on the cards of the chapters: small, without text, of computed values."""

import matplotlib as mpl
import numpy as np
from figures_extension import inline
from matplotlib.figure import Figure

from ttt_lib import menace, plots, policy, search
from ttt_lib.agents import load as load_agent
from ttt_lib.board import standings
from ttt_lib.evaluation import win_draw_loss
from ttt_lib.game import images, tables
from ttt_lib.large_boards import growth
from ttt_lib.plots import tiles
from ttt_lib.plots.style import MARK_COLOURS, drawing, settings
from ttt_lib.studies import load

X, O = MARK_COLOURS.values()
COLOURS = {-1: O, 0: "C2", 1: X}  # outcome: O wins, draw, X wins


def game(ax):
    """Draw the number of position classes with 0 to 9 marks, by outcome."""
    game = tables()
    kinds = np.unique(images(game).min(axis=0))
    marks = np.abs(game.board).sum(axis=1)[kinds]
    value = (search.solve(game).V + game.outcome)[kinds].astype(int)
    below = np.zeros(10)
    for outcome in (1, 0, -1):
        count = np.bincount(marks[value == outcome], minlength=10)
        ax.bar(range(10), count, 0.75, below, color=COLOURS[outcome])
        below += count


def decision(ax):
    """Draw a choice of three moves, each with two replies."""
    ax.set(xlim=(-0.4, 4.4), ylim=(-0.5, 5.5))
    for move, height in enumerate((0.5, 2.5, 4.5)):
        ax.plot([0, 2], [2.5, height], "C5", lw=1, zorder=0)
        for answer in (-0.5, 0.5):
            ax.plot([2, 4], [height, height + answer], "C5", lw=1, zorder=0)
            ax.plot(4, height + answer, "o", color="C2", ms=7)
        ax.plot(2, height, "o", color="C1" if move else "C0", ms=5)
    ax.plot(0, 2.5, "o", color="C0", ms=9)


def floor(ax):
    """Draw values and best actions of the 4 × 4 gridworld of chapter 3."""
    row, column = np.indices((4, 4))
    distance = np.minimum(row + column, 6 - row - column)  # steps to the nearer corner
    for square, steps in np.ndenumerate(distance):
        tiles.tinted(ax, square[::-1], (None, steps / 3))
        for direction in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            after = np.add(square, direction)
            inside = (after >= 0).all() and (after < 4).all()
            if steps and inside and distance[*after] < steps:
                x, y = square[1], square[0]
                move = 0.3 * direction[1], 0.3 * direction[0]
                ax.arrow(x, y, *move, color="C5", lw=1, head_width=0.12)
    tiles.framed(ax, -0.55, 3.55, -0.55, 3.55)


def sweeps(ax):
    """Draw which layers of the game have exact values after 0 to 6 sweeps."""
    for layer, sweep in np.ndindex(7, 7):
        share = 1 if layer + sweep >= 6 else 0.12
        tiles.tinted(ax, (sweep, layer), (None, share))
    tiles.framed(ax, -0.55, 6.55, -0.55, 6.55)


def thinking(ax):
    """Draw the rest of a game as a tree, coloured by the outcome of perfect play."""
    game = tables()
    tree = plots.tree(game, game.find("XOX.OX..."))
    ends = ~np.isin(np.arange(len(tree.parent)), tree.parent)
    height = np.cumsum(ends) - 0.5 * ends  # leaves at equal distances
    for node in reversed(np.flatnonzero(~ends)):
        height[node] = height[tree.parent == node].mean()
    for node, parent in enumerate(tree.parent[1:], start=1):
        edge = [parent, node]
        ax.plot(tree.depth[edge], height[edge], "C5", lw=0.7)
    colours = [COLOURS[int(value)] for value in tree.value]
    ax.scatter(tree.depth, height, 18, colours, zorder=2)


def games(ax):
    """Draw the average results of 12 players, which converge to the expected one."""
    game = tables()
    at_random = policy.uniform(game.legal)
    chances = win_draw_loss(game, at_random, at_random)[0]
    rng, games = np.random.default_rng(6), np.arange(1, 301)
    results = rng.choice([1, 0, -1], (12, 300), p=chances)
    ax.plot(games, (results.cumsum(axis=1) / games).T, "C0", lw=0.8, alpha=0.6)
    ax.axhline(chances @ [1, 0, -1], color="C1", lw=1.8)
    ax.set(xscale="log", ylim=(-1, 1))
    ax.minorticks_off()


def matchbox(ax):
    """Draw MENACE's first box after 40 games."""
    game = tables()
    boxes = menace.new_matchboxes(game, np.random.default_rng(61))
    boxes = menace.train(game, boxes, 40, policy.uniform(game.legal))
    beads = np.minimum(boxes.beads[0], plots.boards.BEADS_DRAWN)  # without text
    plots.matchbox(game, 0, beads, ax)


def learning(ax, *names):
    """Draw the exploitability of built-in agents during training."""
    for name in names:
        rows = load_agent(name).history
        games = [row["games"] + 1 for row in rows]
        worst = [(row["worst_first"] + row["worst_second"]) / 2 for row in rows]
        ax.plot(games, np.negative(worst))
    ax.set(xscale="log", ylim=(-0.05, 1.05))
    ax.minorticks_off()


def everyone(ax):
    """Draw the results of all agents against all others, the strongest first."""
    value = np.array(standings.cross()["value"]) / 1000
    blue, orange = (np.clip(sign * value, 0, 1) for sign in (1, -1))
    for colour, shares in ((X, blue), (O, orange)):
        rows, columns = np.nonzero(shares > 0.05)
        for level in (0.25, 0.5, 1):
            low = {0.25: 0.05, 0.5: 0.25, 1: 0.5}[level]
            share = shares[rows, columns]
            x, y = (axis[(share > low) & (share <= level)] for axis in (columns, rows))
            ax.plot(x, y, "s", color=colour, ms=2, alpha=level)
    ax.invert_yaxis()


def growing(ax):
    """Draw the logarithm of the number of positions, board by board."""
    boards = [growth.count(n, n, n) for n in (2, 3, 4)]
    rng = np.random.default_rng(11)
    boards += [growth.estimate(n, n, 4, 100, rng) for n in (5, 6)]
    zeros = [np.log10(float(board.positions.sum())) for board in boards]
    ax.barh(range(len(zeros)), zeros, 0.75, color="C1")
    ax.invert_yaxis()


def weights(ax):
    """Draw the share of boards played wrongly after n games: weights, and a table."""
    study = load("features_learn")
    for runs in study.results:
        ax.plot(study.MARKS, 1 - np.median(runs[:, :, 0], axis=0))
    ax.set_xscale("log")
    ax.minorticks_off()


PICTURES = {
    "01_game": game,
    "02_mdp": decision,
    "03_policy_iteration": floor,
    "04_value_iteration": sweeps,
    "05_minimax": thinking,
    "06_monte_carlo": games,
    "07_menace": matchbox,
    "08_td": lambda ax: learning(ax, "td-afterstates", "td-lambda-0.8"),
    "09_q_learning": lambda ax: learning(ax, "independent-q", "minimax-q", "sarsa"),
    "10_everyone": everyone,
    "11_bigger_boards": growing,
    "12_features": weights,
}
BARE = {"05_minimax", "02_mdp"}  # pictures without axes


def card(name):
    """Return the picture of a chapter as inline SVG."""
    with mpl.rc_context(settings() | {"svg.hashsalt": name}):
        figure = Figure(figsize=(2.4, 1.2))
        ax = figure.add_subplot(xticks=[], yticks=[])
        PICTURES[name](ax)
        ax.set(xticks=[], yticks=[])
        ax.axis("off" if name in BARE else ax.axison)
        picture = inline(drawing(figure), "")
        return picture[picture.index("<svg") : picture.rindex("</div>")]
