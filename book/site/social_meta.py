"""Metadata for search engines and link previews, icons, the redirect and page 404."""

import html
import re
from pathlib import Path

import matplotlib as mpl
from docutils import nodes
from matplotlib.figure import Figure
from site_extension import is_fresh

from ttt_lib import board, theme
from ttt_lib.board.page import page
from ttt_lib.game import tables
from ttt_lib.plots import boards, tiles
from ttt_lib.plots.style import settings
from ttt_lib.studies import load

MODES = "light", "dark"
MAX_DESCRIPTION = 160  # characters: search engines show no more
SHARE, TOUCH = "share.png", "touch.png"
ROOT = """<!doctype html>
<html lang="en-GB">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="0; url=book/index.html">
<title>Three in a Row</title>
<p><a href="book/index.html">Three in a Row</a> begins here.</p>
</html>
"""
NOT_FOUND = """<p>There is no page at this address.
<a href="#" onclick="history.back(); return false">Go back</a>, or play a game.</p>
"""


def add_metatags(app, pagename, templatename, context, doctree):
    """Add the description, picture and icon of a page to its head."""
    colours = [("theme-color", theme.values()[mode]["paper"], mode) for mode in MODES]
    tags = [
        f'<meta name="{name}" content="{colour}" '
        f'media="(prefers-color-scheme: {mode})">'
        for name, colour, mode in colours
    ]
    static = context["pathto"]("_static/", 1)
    tags.append(f'<link rel="apple-touch-icon" href="{static}{TOUCH}">')
    if doctree:
        title = re.sub(r"<[^>]*>", "", context["title"])
        words = html.escape(description(doctree))
        site = app.config.html_baseurl  # previews need absolute addresses
        picture = f"{site}_static/{SHARE}" if site else static + SHARE
        tags += [
            f'<meta name="description" content="{words}">',
            f'<meta property="og:title" content="{title}">',
            f'<meta property="og:description" content="{words}">',
            '<meta property="og:type" content="article">',
            f'<meta property="og:image" content="{picture}">',
        ]
        if site:
            tags.append(f'<meta property="og:url" content="{context["pageurl"]}">')
    context["metatags"] = context.get("metatags", "") + "\n".join(tags)


def description(doctree):
    """Return the first sentences of a page, up to MAX_DESCRIPTION characters."""
    text = ""
    for paragraph in doctree.findall(nodes.paragraph):
        if isinstance(paragraph.parent, nodes.section | nodes.container):
            for sentence in re.split(r"(?<=[.?!])\s+", paragraph.astext()):
                if len(text) + len(sentence) > MAX_DESCRIPTION:
                    return (
                        text or sentence[: MAX_DESCRIPTION - 1].rsplit(" ", 1)[0] + " …"
                    )
                text += " " * bool(text) + sentence
    return text


def draw_pictures(app):
    """Draw the picture of link previews, and the icon for telephones."""
    if app.builder.format != "html":
        return
    static = Path(app.outdir, "_static")
    if is_fresh(static / SHARE) and is_fresh(static / TOUCH):
        return
    static.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(settings() | {"figure.constrained_layout.use": False}):
        figure = Figure(figsize=(12, 6.3), dpi=100)
        title = {"size": 56, "family": "serif", "weight": "bold"}
        figure.text(0.06, 0.76, "Three in a Row", **title)
        figure.text(0.06, 0.64, "Reinforcement learning you can check", size=25)
        draw_learner(figure, (0.06, 0.17, 0.16, 0.36), 0.18, 17)
        figure.savefig(static / SHARE, dpi=100)
        icon = Figure(figsize=(1.8, 1.8), dpi=100)
        game, ax = tables(), icon.add_axes((0.08, 0.08, 0.84, 0.84))
        tiles.put(game.array(game.find("X...O...X")), ax)
        tiles.framed(ax, -0.5, 2.5, -0.5, 2.5)
        icon.savefig(static / TOUCH, dpi=100)


def draw_learner(figure, first, step, size):
    """Draw a learner after five numbers of games; `first` is (left, bottom, w, h)."""
    game, study = tables(), load("growing")
    s, values = game.find(study.BOARD), {"form": "", "limits": (-1, 1)}
    left, *rest = first
    for n, frame in enumerate((0, 6, 8, 12, 40)):
        ax = figure.add_axes((left + step * n, *rest))
        boards.numbers(game, s, study.results[0, 0, frame, :9], ax, **values)
        ax.set_title(f"{study.MARKS[frame]:,} games", loc="center", size=size)


def write_redirect_and_404(app, exception):
    """Write index.html, which redirects to the book, and 404.html.

    The latter needs no other file, because a server shows it at any address.
    """
    if exception is not None or app.builder.format != "html":
        return
    Path(app.outdir, "index.html").write_text(ROOT, encoding="utf-8")
    path = Path(app.outdir, "404.html")
    if not is_fresh(path):
        setup = board.settings(title="No such page", choices="random, perfect")
        text = page(setup).replace("</h1>\n", f"</h1>\n{NOT_FOUND}", 1)
        path.write_text(text, encoding="utf-8")


def setup(app):
    """Register the handlers."""
    app.connect("builder-inited", draw_pictures)
    app.connect("html-page-context", add_metatags, priority=960)  # after asset_pruning
    # After Jupyter Book, which writes an index.html of its own.
    app.connect("build-finished", write_redirect_and_404, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
