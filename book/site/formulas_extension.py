"""Formulas, drawn by KaTeX when the book is built: a page needs no script for them.

KaTeX runs inside Python, so that nobody who builds the book needs Node.
"""

import html
import re
import unicodedata
from functools import cache
from pathlib import Path

import dukpy
from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.math import get_node_equation_number

KATEX = Path(__file__).parent / "katex" / "katex.min.js"
PUNCTUATION = re.compile(r"[,.;:!?)\]’”]+")
BASE = '<span class="base">'  # a piece of a formula; a line may break before each
STYLED = re.compile(r' mathvariant="(double-struck|script)">(\w)<')
DRAW = """katex.renderToString(dukpy.tex, {
  displayMode: dukpy.display, strict: "error", throwOnError: true
})"""


class KeepPunctuation(SphinxPostTransform):
    """Put the comma or full stop after a formula beside it.

    To a browser a formula is a picture, after which it may begin a new line.
    """

    default_priority = 199
    formats = ("html",)

    def run(self, **kwargs):
        """Take what stands after the formulas of one page into them."""
        for formula in list(self.document.findall(nodes.math)):
            beside = formula.parent.index(formula) + 1
            for after in formula.parent[beside : beside + 1]:
                if found := isinstance(after, nodes.Text) and PUNCTUATION.match(after):
                    formula["after"] = found[0]
                    formula.parent[beside] = nodes.Text(after[found.end() :])


@cache
def _katex():
    engine = dukpy.JSInterpreter()
    engine.evaljs(["var self = this;", KATEX.read_text("utf-8"), "0;"])
    return engine


@cache  # many stand in a book more than once
def drawn(tex, display):
    """Return a formula as HTML, with MathML for those who listen.

    Raises ValueError if KaTeX does not know what stands there.
    """
    try:
        formula = _katex().evaljs(DRAW, tex=tex, display=display)
    except dukpy.JSRuntimeError as fault:
        raise ValueError(f"KaTeX cannot draw {tex!r}: {fault}") from None
    return STYLED.sub(lambda found: f">{_letter(*found.groups())}<", formula)


def _letter(style, sign):
    """Return the letter that MathML wants in the place of a style, as 𝔼 for E."""
    name = unicodedata.name(sign).removeprefix("LATIN ").replace("LETTER ", "")
    try:
        return unicodedata.lookup(f"MATHEMATICAL {style} {name}")
    except KeyError:  # those that were there before the others, as ℝ
        return unicodedata.lookup(f"{style} {name}")


def visit_math(writer, node):
    """Write a formula that stands in a line."""
    formula = drawn(node.astext().strip(), False)
    if after := node.get("after"):
        first, *others = formula.split(BASE)
        pieces = f"<wbr>{BASE}".join(others)  # it may still break within
        formula = f'<span class="kept">{first}{BASE}{pieces}{html.escape(after)}</span>'
    writer.body.append(formula)
    raise nodes.SkipNode


def visit_math_block(writer, node):
    """Write a formula that stands alone, with its number."""
    writer.body.append(writer.starttag(node, "div", CLASS="math"))
    writer.body.append(
        f'<div class="formula ttt-scroll">{drawn(node.astext().strip(), True)}</div>'
    )
    if node["number"]:
        number = get_node_equation_number(writer, node)
        writer.body.append(f'<span class="eqno">({number})')
        writer.add_permalink_ref(node, "Link to this equation")
        writer.body.append("</span>")
    writer.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app):
    """Let KaTeX draw the formulas."""
    visitors = (visit_math, None), (visit_math_block, None)
    app.add_html_math_renderer("katex", *visitors)
    app.add_post_transform(KeepPunctuation)
    app.add_css_file("katex/katex.min.css", priority=300)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
