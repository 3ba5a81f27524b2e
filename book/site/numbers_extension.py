"""Numbers of equations and figures, added to the words that link to them.

JupyterLab knows no other page and no figure of a code cell: there `{eq}` and `{numref}`
would stay open. A link with words of its own, as `[return](02_mdp.ipynb#eq-return)`, is
right in both places.
"""

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.transforms.post_transforms import SphinxPostTransform


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


def setup(app):
    """Connect the numbers to Sphinx."""
    app.connect("env-get-updated", restart_figures, priority=900)  # after Sphinx's own
    app.add_post_transform(NumberLinks)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
