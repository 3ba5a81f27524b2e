"""Folds of the text: `:::{dropdown} line`, with the class `quiz`, `predict` or none.

JupyterLab knows the name and draws what is in it, formulas too, which it does not in
HTML. A fold that goes on over cells can be HTML only, and stands open there.
"""

import html

from docutils import nodes
from docutils.parsers.rst import Directive, directives

GUESS = "low", "high", "board", "answer"  # what predict.js reads
OPTIONS = dict.fromkeys(GUESS, directives.unchanged)


class FoldDirective(Directive):
    """A fold as the pages have it, in the place of that of sphinx-design."""

    required_arguments, final_argument_whitespace, has_content = 1, True, True
    option_spec = OPTIONS | {"class": directives.class_option}

    def run(self):
        """Return the fold as HTML around its line and its text."""
        options = dict(self.options)
        attributes = {"class": " ".join(options.pop("class", ["ttt-fold"]))}
        attributes |= {f"data-{name}": value for name, value in options.items()}
        told = "".join(f' {n}="{html.escape(v)}"' for n, v in attributes.items())
        words, messages = self.state.inline_text(self.arguments[0], self.lineno)
        text = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, text)
        return [
            *messages,
            _raw(f"<details{told}><summary>"),
            nodes.inline("", "", *words),
            _raw("</summary>"),
            *text.children,
            _raw("</details>"),
        ]


def _raw(text):
    return nodes.raw("", text, format="html")


def setup(app):
    """Let folds be ours."""
    app.setup_extension("sphinx_design")  # which would take the name back later
    app.add_directive("dropdown", FoldDirective, override=True)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
