"""Figures as inline SVG, in the fonts and colours of the page.

Notebooks store them in light colours. Here each colour of the theme becomes a custom
property, so that a figure follows the theme button, and is printed in light colours.
"""

import html
import re
from pathlib import Path

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from ttt_lib import theme

PIXELS = 96 / 72  # per point
MIN_WIDTH = 11 / 12  # of the width: letters of 12 px shrink to 11 px at most
REMOVED = re.compile(
    r"<\?xml.*?\?>|<!DOCTYPE.*?>|<metadata>.*?</metadata>|<style.*?</style>|"
    r" font-family: [^;\"]*;?",
    re.DOTALL,
)
SIZE = re.compile(r'<svg [^>]*?width="([\d.]+)pt" height="([\d.]+)pt"[^>]*>')
ID = re.compile(r' id="([^"]*)"')
USED = re.compile(r'(?:href="#|url\(#)([^")]*)')
TILE = re.compile(r"fill: var\(--ttt-(x|o|violet)\); opacity: ([\d.]+)")


class InlineFigures(SphinxPostTransform):
    """Replace images in SVG files by inline SVG."""

    default_priority = 199  # after cell_folding, which looks for images
    formats = ("html",)

    def run(self, **kwargs):
        """Replace the images of one page."""
        for image in list(self.document.findall(nodes.image)):
            file = Path(self.app.srcdir, image["uri"])
            if file.suffix == ".svg":
                drawing = inline(file.read_text("utf-8"), image.get("alt", ""))
                image.replace_self(nodes.raw("", drawing, format="html"))


def inline(svg, alt):
    """Return an SVG of Matplotlib as HTML, with a description for screen readers."""
    svg = REMOVED.sub("", svg)
    used = set(USED.findall(svg))
    svg = ID.sub(lambda match: match[0] if match[1] in used else "", svg)
    for name, colour in theme.light().items():
        if name != "strength":
            svg = svg.replace(colour, f"var(--ttt-{name})")
    # The figure has no background of its own: it would hide the shadow at the edge.
    svg = svg.replace("fill: var(--ttt-paper)", "fill: none", 1)
    # Tiles are weaker in dark mode, so that the numbers on them stay readable.
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
    # Outside the viewport a figure is not laid out (see book.css), so its height is
    # given here, also for narrow screens, where it shrinks.
    height_style = (
        f"contain-intrinsic-height: auto clamp({MIN_WIDTH * height:.0f}px, "
        f"{100 * height / width:.1f}vw, {height:.0f}px)"
    )
    return f'<div class="ttt-figure ttt-scroll" style="{height_style}">{drawing}</div>'


def setup(app):
    """Register the transform."""
    app.add_post_transform(InlineFigures)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
