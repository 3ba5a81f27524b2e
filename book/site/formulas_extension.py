"""Formulas, rendered by KaTeX when the book is built, so that pages need no script.

KaTeX runs inside Python (dukpy), so that a build does not need Node.
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
BASE = '<span class="base">'  # part of a formula; a line may break before each
STYLED = re.compile(r' mathvariant="(double-struck|script)">(\w)<')
DRAW = """katex.renderToString(dukpy.tex, {
  displayMode: dukpy.display, strict: "error", throwOnError: true
})"""


class KeepPunctuation(SphinxPostTransform):
    """Keep punctuation on the same line as the formula before it.

    A browser may break a line after a formula, as after an image.
    """

    default_priority = 199
    formats = ("html",)

    def run(self, **kwargs):
        """Move the punctuation after each formula of one page into its node."""
        for formula in list(self.document.findall(nodes.math)):
            position = formula.parent.index(formula) + 1
            for after in formula.parent[position : position + 1]:
                if match := isinstance(after, nodes.Text) and PUNCTUATION.match(after):
                    formula["after"] = match[0]
                    formula.parent[position] = nodes.Text(after[match.end() :])


@cache
def _katex():
    engine = dukpy.JSInterpreter()
    engine.evaljs(["var self = this;", KATEX.read_text("utf-8"), "0;"])
    return engine


@cache  # many formulas occur more than once
def render(tex, display):
    """Return a formula as HTML, with MathML for screen readers.

    Raises ValueError if KaTeX cannot parse it.
    """
    try:
        formula = _katex().evaljs(DRAW, tex=tex, display=display)
    except dukpy.JSRuntimeError as error:
        raise ValueError(f"KaTeX cannot draw {tex!r}: {error}") from None
    return STYLED.sub(lambda match: f">{_letter(*match.groups())}<", formula)


def _letter(style, sign):
    """Return the Unicode letter of a MathML style, such as 𝔼 for a double-struck E."""
    name = unicodedata.name(sign).removeprefix("LATIN ").replace("LETTER ", "")
    try:
        return unicodedata.lookup(f"MATHEMATICAL {style} {name}")
    except KeyError:  # a letter with an older name, such as ℝ
        return unicodedata.lookup(f"{style} {name}")


def visit_math(writer, node):
    """Write an inline formula."""
    formula = render(node.astext().strip(), False)
    if after := node.get("after"):
        first, *others = formula.split(BASE)
        pieces = f"<wbr>{BASE}".join(others)  # a line may still break inside it
        formula = f'<span class="kept">{first}{BASE}{pieces}{html.escape(after)}</span>'
    writer.body.append(formula)
    raise nodes.SkipNode


def visit_math_block(writer, node):
    """Write a displayed formula with its number."""
    writer.body.append(writer.starttag(node, "div", CLASS="math"))
    writer.body.append(
        f'<div class="formula ttt-scroll">{render(node.astext().strip(), True)}</div>'
    )
    if node["number"]:
        number = get_node_equation_number(writer, node)
        writer.body.append(f'<span class="eqno">({number})')
        writer.add_permalink_ref(node, "Link to this equation")
        writer.body.append("</span>")
    writer.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app):
    """Register KaTeX as the renderer of formulas."""
    visitors = (visit_math, None), (visit_math_block, None)
    app.add_html_math_renderer("katex", *visitors)
    app.add_post_transform(KeepPunctuation)
    app.add_css_file("katex/katex.min.css", priority=300)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
