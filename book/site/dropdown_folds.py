"""Folds in text: `:::{dropdown} title`, with the class `quiz`, `predict` or none.

JupyterLab renders this directive and the formulas in it, but no formulas in HTML. A
fold that spans several cells has to be HTML, and JupyterLab shows it open.
"""

import html

from docutils import nodes
from docutils.parsers.rst import Directive, directives

GUESS = "low", "high", "board", "answer"  # what predict.js reads
OPTIONS = dict.fromkeys(GUESS, directives.unchanged)


class FoldDirective(Directive):
    """A fold as HTML `<details>`; it replaces the directive of sphinx-design."""

    required_arguments, final_argument_whitespace, has_content = 1, True, True
    option_spec = OPTIONS | {"class": directives.class_option}

    def run(self):
        """Return `<details>` with the title and the text."""
        options = dict(self.options)
        attributes = {"class": " ".join(options.pop("class", ["ttt-fold"]))}
        attributes |= {f"data-{name}": value for name, value in options.items()}
        pairs = [f' {n}="{html.escape(v)}"' for n, v in attributes.items()]
        words, messages = self.state.inline_text(self.arguments[0], self.lineno)
        text = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, text)
        return [
            *messages,
            _raw(f"<details{''.join(pairs)}><summary>"),
            nodes.inline("", "", *words),
            _raw("</summary>"),
            *text.children,
            _raw("</details>"),
        ]


def _raw(text):
    return nodes.raw("", text, format="html")


def setup(app):
    """Replace the directive `dropdown`."""
    app.setup_extension("sphinx_design")  # first, or it would override ours
    app.add_directive("dropdown", FoldDirective, override=True)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
