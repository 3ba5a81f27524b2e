"""Numbers: those of equations and figures in links, and those with signs in text.

JupyterLab knows no other page and no figure of a code cell: there `{eq}` and `{numref}`
would stay open. A link with words of its own, as `[return](02_mdp.ipynb#eq-return)`, is
right in both places.

In a page that a browser has translated into Arabic or Hebrew, −14 would become 14−.
"""

import re

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.transforms.post_transforms import SphinxPostTransform

NUMBER = r"[\d.,½⅓⅔¼¾]*[\d½⅓⅔¼¾]"
SIGNED = re.compile(
    rf"(?<![\w½⅓⅔¼¾])(?:[−+±]{NUMBER}|{NUMBER}(?:\s?[−+±×·/=<>≤≥≈]\s?[−+]?{NUMBER})+)"
)
NO_TEXT = nodes.literal, nodes.literal_block, nodes.math, nodes.math_block, nodes.raw


class NumberLinks(SphinxPostTransform):
    """Resolve links to what has a number, and let the number follow the words."""

    default_priority = 8  # before MyST, which looks for a heading of that name

    def run(self, **kwargs):
        """Resolve such links of one page; all others are left to MyST."""
        for link in list(self.document.findall(pending_xref)):
            if link["reftype"] == "myst" and (resolved := self._resolved(link)):
                number = resolved.astext().strip("()")  # which only equations have
                resolved[:] = [*link[0].children, nodes.Text(f" ({number})")]
                link.replace_self(resolved)

    def _resolved(self, link):
        """Return a reference that says nothing but a number, None if there is none."""
        label = link.get("reftargetid") or link["reftarget"]
        kind = {"eq": ("math", "eq"), "fig": ("std", "numref")}
        if (domain := kind.get(label.partition("-")[0])) is None:
            return None
        asked = link.copy()
        asked["refexplicit"] = False  # for the number, not for the words
        return self.env.get_domain(domain[0]).resolve_xref(
            self.env, self.env.docname, self.app.builder, domain[1], label, asked, None
        )


def restart_figures(app, env):
    """Begin at 1 with the figures of each page that has no chapter number."""
    for kinds in env.toc_fignumbers.values():
        figures = kinds.get("figure", {})
        if all(len(number) == 1 for number in figures.values()):
            kinds["figure"] = {label: (n,) for n, label in enumerate(figures, start=1)}
    return []


class SignedNumbers(SphinxPostTransform):
    """Put numbers with signs into elements that are read from left to right."""

    default_priority = 900  # after all that looks at the text itself
    formats = ("html",)

    def run(self, **kwargs):
        """Divide the texts of one page."""
        for text in list(self.document.findall(nodes.Text)):
            if isinstance(text.parent, NO_TEXT) or not SIGNED.search(text):
                continue
            parts, start = [], 0
            for found in SIGNED.finditer(text):
                number = nodes.inline("", found[0], classes=["number"])
                parts += [nodes.Text(text[start : found.start()]), number]
                start = found.end()
            text.parent.replace(text, [*parts, nodes.Text(text[start:])])


def setup(app):
    """Connect the numbers to Sphinx."""
    app.connect("env-get-updated", restart_figures, priority=900)  # after Sphinx's own
    app.add_post_transform(NumberLinks)
    app.add_post_transform(SignedNumbers)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
