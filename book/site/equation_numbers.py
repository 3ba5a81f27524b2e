"""Numbers of equations and figures in links, and direction of signed numbers.

JupyterLab cannot resolve `{eq}` or `{numref}` across notebooks or to figures of code
cells. A link such as `[return](02_mdp.ipynb#eq-return)` works there and on the site,
which adds the number.

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
    """Resolve links to equations and figures, and add the number after the words."""

    default_priority = 8  # before MyST, which would look for a heading of that name

    def run(self, **kwargs):
        """Resolve such links of one page; MyST resolves all others."""
        for link in list(self.document.findall(pending_xref)):
            if link["reftype"] == "myst" and (resolved := self._resolved(link)):
                number = resolved.astext().strip("()")  # only equations have them
                resolved[:] = [*link[0].children, nodes.Text(f" ({number})")]
                link.replace_self(resolved)

    def _resolved(self, link):
        """Return a reference whose text is the number; None for other links."""
        label = link.get("reftargetid") or link["reftarget"]
        kind = {"eq": ("math", "eq"), "fig": ("std", "numref")}
        if (domain := kind.get(label.partition("-")[0])) is None:
            return None
        copy = link.copy()
        copy["refexplicit"] = False  # use the number instead of the words
        return self.env.get_domain(domain[0]).resolve_xref(
            self.env, self.env.docname, self.app.builder, domain[1], label, copy, None
        )


def restart_figures(app, env):
    """Restart figure numbers at 1 on each page without a chapter number."""
    for kinds in env.toc_fignumbers.values():
        figures = kinds.get("figure", {})
        if all(len(number) == 1 for number in figures.values()):
            kinds["figure"] = {label: (n,) for n, label in enumerate(figures, start=1)}
    return []


class SignedNumbers(SphinxPostTransform):
    """Wrap signed numbers in elements with the direction left to right."""

    default_priority = 900  # after all transforms that read the text
    formats = ("html",)

    def run(self, **kwargs):
        """Wrap the signed numbers of one page."""
        for text in list(self.document.findall(nodes.Text)):
            if isinstance(text.parent, NO_TEXT) or not SIGNED.search(text):
                continue
            parts, start = [], 0
            for match in SIGNED.finditer(text):
                number = nodes.inline("", match[0], classes=["number"])
                parts += [nodes.Text(text[start : match.start()]), number]
                start = match.end()
            text.parent.replace(text, [*parts, nodes.Text(text[start:])])


def setup(app):
    """Register the transforms and the handler."""
    app.connect("env-get-updated", restart_figures, priority=900)  # after Sphinx's own
    app.add_post_transform(NumberLinks)
    app.add_post_transform(SignedNumbers)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
