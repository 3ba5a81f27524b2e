"""Figures on pages: drawings stand in the page itself, in its type and its colours.

They are stored on light paper. Here each colour of the look becomes a custom
property, so that a drawing follows the theme button, and prints on light paper.
"""

import html
import re
from pathlib import Path

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from ttt_lib import theme

PIXELS = 96 / 72  # of a point
MIN_WIDTH = 11 / 12  # of its width: the smallest letters, of 12 px, stay at 11
GONE = re.compile(
    r"<\?xml.*?\?>|<!DOCTYPE.*?>|<metadata>.*?</metadata>|<style.*?</style>|"
    r" font-family: [^;\"]*;?",
    re.DOTALL,
)
SIZE = re.compile(r'<svg [^>]*?width="([\d.]+)pt" height="([\d.]+)pt"[^>]*>')
ID = re.compile(r' id="([^"]*)"')
USED = re.compile(r'(?:href="#|url\(#)([^")]*)')
TILE = re.compile(r"fill: var\(--ttt-([xo])\); opacity: ([\d.]+)")


class InlineFigures(SphinxPostTransform):
    """Put drawings into the page, in the place of the images of their files."""

    default_priority = 199  # after cells have folded by what they show
    formats = ("html",)

    def run(self, **kwargs):
        """Replace the drawings of one page."""
        for image in list(self.document.findall(nodes.image)):
            file = Path(self.app.srcdir, image["uri"])
            if file.suffix == ".svg":
                drawing = inline(file.read_text("utf-8"), image.get("alt", ""))
                image.replace_self(nodes.raw("", drawing, format="html"))


def inline(svg, alt):
    """Return a drawing of Matplotlib as part of a page."""
    svg = GONE.sub("", svg)
    used = set(USED.findall(svg))
    svg = ID.sub(lambda found: found[0] if found[1] in used else "", svg)
    for name, colour in theme.light().items():
        if name != "strength":
            svg = svg.replace(colour, f"var(--ttt-{name})")
    # The ground is the page's own; it would hide the shadow at the edge.
    svg = svg.replace("fill: var(--ttt-paper)", "fill: none", 1)
    # Values are as strong as ink on them allows, which differs in the dark.
    svg = TILE.sub(
        r"fill: var(--ttt-tile-\1); opacity: calc(\2 * var(--ttt-fade))", svg
    )
    width, height = (float(points) * PIXELS for points in SIZE.search(svg).groups())
    opening = (
        f'<svg role="img" aria-label="{html.escape(alt)}" '
        f'width="{width:.0f}" height="{height:.0f}" '
        f'style="min-width: {MIN_WIDTH * width:.0f}px" '
        f'viewBox="0 0 {width / PIXELS:g} {height / PIXELS:g}">'
    )
    drawing = SIZE.sub(opening, svg, count=1).strip()
    # Far from the screen it is not laid out: its place is as high (see book.css), also
    # where it shrinks with a telephone.
    place = (
        f"contain-intrinsic-height: auto clamp({MIN_WIDTH * height:.0f}px, "
        f"{100 * height / width:.1f}vw, {height:.0f}px)"
    )
    return f'<div class="ttt-figure ttt-scroll" style="{place}">{drawing}</div>'


def setup(app):
    """Connect the drawings to Sphinx."""
    app.add_post_transform(InlineFigures)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
