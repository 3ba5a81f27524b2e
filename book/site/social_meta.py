"""Metadata for search engines and link previews, icons, the redirect and page 404."""

import base64
import html
import re
from pathlib import Path

import matplotlib as mpl
from docutils import nodes
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from site_extension import is_fresh

from ttt_lib import board, theme
from ttt_lib.board.page import page
from ttt_lib.game import tables
from ttt_lib.plots import boards, skyline
from ttt_lib.plots.style import settings
from ttt_lib.search import solve
from ttt_lib.studies import load

MODES = "light", "dark"
# The mark of the book, as in logo.svg: dots (x, y) and their colours.
MARK = *((x, 0, "ink") for x in range(3)), (1, 1, "o"), (2, 1, "ink"), (2, 2, "x")
MAX_DESCRIPTION = 160  # characters: search engines show no more
FONTS = Path(__file__).parent / "static" / "fonts"
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
<a href="#" onclick="history.back(); return false">Go back</a>, see the
<a href="{root}book/index.html">contents</a>, or play a game.</p>
<form action="{root}search.html" role="search">
<label>Search the book <input type="search" name="q"></label> <button>Search</button>
</form>
"""
FACE = """@font-face {{
  font-family: "{family}";
  src: url(data:font/woff2;base64,{data});
}}
"""
FACES = {
    "Atkinson Hyperlegible Next": "400-normal",
    "Bricolage Grotesque": "700-normal",
}


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
        figure.text(0.06, 0.8, "Three in a Row", size=58)
        figure.text(0.06, 0.69, "Reinforcement learning you can check", size=25)
        game, ax = tables(), figure.add_axes((0.05, 0.07, 0.9, 0.55))
        skyline(game, game.outcome + solve(game).V, ax)
        figure.savefig(static / SHARE, dpi=100)
        icon = Figure(figsize=(1.8, 1.8), dpi=100)
        ax = icon.add_axes((0, 0, 1, 1), xlim=(-1, 3), ylim=(-1, 3))
        ax.axis("off")
        for x, y, name in MARK:
            ax.add_patch(Circle((x, y), 0.4, color=theme.light()[name]))
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

    The latter needs no other file, because a server shows it at any address. Its links
    are right anywhere if the site's address is known, otherwise at the site's root.
    """
    if exception is not None or app.builder.format != "html":
        return
    Path(app.outdir, "index.html").write_text(ROOT, encoding="utf-8")
    path = Path(app.outdir, "404.html")
    if not is_fresh(path):
        setup = board.settings(title="No such page", choices="random, perfect")
        words = NOT_FOUND.format(root=app.config.html_baseurl)
        text = page(setup).replace("</h1>\n", f"</h1>\n{words}", 1)
        text = text.replace("<style>\n", f"<style>\n{faces()}", 1)
        path.write_text(text, encoding="utf-8")


def faces():
    """Return the two typefaces of page 404 as CSS that contains them."""
    css = ""
    for family, style in FACES.items():
        name = family.lower().replace(" ", "-")
        file = FONTS / name / f"{name}-latin-{style}.woff2"
        data = base64.b64encode(file.read_bytes()).decode()
        css += FACE.format(family=family, data=data)
    return css


def setup(app):
    """Register the handlers."""
    app.connect("builder-inited", draw_pictures)
    app.connect("html-page-context", add_metatags, priority=960)  # after asset_pruning
    # After Jupyter Book, which writes an index.html of its own.
    app.connect("build-finished", write_redirect_and_404, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
