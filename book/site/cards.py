"""The pictures of the chapters' cards: small, without words, and of true values."""

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
from ttt_lib.plots.style import drawing, settings
from ttt_lib.studies import load

COLOURS = {-1: "C1", 0: "C5", 1: "C0"}  # who wins: O, nobody, X


def game(ax):
    """Draw how many kinds of positions have 0 to 9 marks, by their outcome."""
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
    """Draw a choice of three moves, with two answers to each."""
    ax.set(xlim=(-0.4, 4.4), ylim=(-0.5, 5.5))
    for move, height in enumerate((0.5, 2.5, 4.5)):
        ax.plot([0, 2], [2.5, height], color="C5", lw=1, zorder=0)
        for answer in (-0.5, 0.5):
            ax.plot([2, 4], [height, height + answer], color="C5", lw=1, zorder=0)
            ax.plot(4, height + answer, "o", color="C0", ms=7)
        ax.plot(2, height, "o", color="C1" if move else "C2", ms=5)
    ax.plot(0, 2.5, "o", color="C0", ms=9)


def floor(ax):
    """Draw the values of a floor of four by four squares, and what is best on it."""
    row, column = np.indices((4, 4))
    away = np.minimum(row + column, 6 - row - column)  # steps to the nearer corner
    for square, steps in np.ndenumerate(away):
        tiles.tinted(ax, square[::-1], ("X", 1 - steps / 3))
        for way in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            then = np.add(square, way)
            if steps and (then >= 0).all() and (then < 4).all() and away[*then] < steps:
                x, y = square[1], square[0]
                move = 0.3 * way[1], 0.3 * way[0]
                ax.arrow(x, y, *move, color="C5", lw=1, head_width=0.12)
    tiles.framed(ax, -0.55, 3.55, -0.55, 3.55)


def sweeps(ax):
    """Draw which layers of the game are right after how many sweeps upwards."""
    for layer, sweep in np.ndindex(7, 7):
        share = 1 if layer + sweep >= 6 else 0.12
        tiles.tinted(ax, (sweep, layer), ("X", share))
    tiles.framed(ax, -0.55, 6.55, -0.55, 6.55)


def thinking(ax):
    """Draw the rest of a game as a tree, by who wins if both play on perfectly."""
    game = tables()
    tree = plots.tree(game, game.find("XOX.OX..."))
    ends = ~np.isin(np.arange(len(tree.parent)), tree.parent)
    height = np.cumsum(ends) - 0.5 * ends  # a leaf below the other
    for node in reversed(np.flatnonzero(~ends)):
        height[node] = height[tree.parent == node].mean()
    for node, parent in enumerate(tree.parent[1:], start=1):
        ends_of = [parent, node]
        ax.plot(tree.depth[ends_of], height[ends_of], "C5", lw=0.7)
    colours = [COLOURS[int(value)] for value in tree.value]
    ax.scatter(tree.depth, height, 18, colours, zorder=2)


def games(ax):
    """Draw how the average results of 12 players find what is expected."""
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
    beads = np.minimum(boxes.beads[0], plots.boards.BEADS_DRAWN)  # without words
    plots.matchbox(game, 0, beads, ax)


def learning(ax, *names):
    """Draw how far agents that come with the book were from safe, game by game."""
    for name in names:
        rows = load_agent(name).history
        games = [row["games"] + 1 for row in rows]
        worst = [(row["worst_first"] + row["worst_second"]) / 2 for row in rows]
        ax.plot(games, np.negative(worst))
    ax.set(xscale="log", ylim=(-0.05, 1.05))
    ax.minorticks_off()


def everyone(ax):
    """Draw all matches of all agents as tiles, the strongest first."""
    value = np.array(standings.cross()["value"]) / 1000
    blue, orange = (np.clip(sign * value, 0, 1) for sign in (1, -1))
    for colour, shares in (("C0", blue), ("C1", orange)):
        rows, columns = np.nonzero(shares > 0.05)
        for level in (0.25, 0.5, 1):
            low = {0.25: 0.05, 0.5: 0.25, 1: 0.5}[level]
            some = (shares[rows, columns] > low) & (shares[rows, columns] <= level)
            ax.plot(columns[some], rows[some], "s", color=colour, ms=2, alpha=level)
    ax.invert_yaxis()


def growing(ax):
    """Draw how many zeros the numbers of positions have, board by board."""
    boards = [growth.count(n, n, n) for n in (2, 3, 4)]
    rng = np.random.default_rng(11)
    boards += [growth.estimate(n, n, 4, 100, rng) for n in (5, 6)]
    zeros = [np.log10(float(board.positions.sum())) for board in boards]
    ax.barh(range(len(zeros)), zeros, 0.75, color="C1")
    ax.invert_yaxis()


def weights(ax):
    """Draw how many boards are played wrongly after n games, by weights, by a table."""
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
BARE = {"05_minimax", "02_mdp"}  # have no axes


def card(name):
    """Return the picture of a chapter as part of a page."""
    with mpl.rc_context(settings() | {"svg.hashsalt": name}):
        figure = Figure(figsize=(2.4, 1.2))
        ax = figure.add_subplot(xticks=[], yticks=[])
        PICTURES[name](ax)
        ax.set(xticks=[], yticks=[])
        ax.axis("off" if name in BARE else ax.axison)
        picture = inline(drawing(figure), "")
        return picture[picture.index("<svg") : picture.rindex("</div>")]
