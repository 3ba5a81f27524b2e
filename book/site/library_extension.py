"""Links between the reference of the library and the pages that use it.

Which page uses which name is read from its code cells when the book is built.
"""

import ast
from pkgutil import resolve_name

from cell_folding import parsed
from docutils import nodes
from sphinx import addnodes
from sphinx.environment.collectors import EnvironmentCollector
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

PACKAGE = "ttt_lib"
LIBRARY = "book/api"
BEFORE_FOLDS = 190  # before cell_folding, so that the fold of checks comes last
TITLE = "Names from the library on this page ({})"
UNKNOWN = "%s uses %s, which no page of the reference describes"

log = logging.getLogger(__name__)


class Uses(EnvironmentCollector):
    """Collect where each page first uses a name of the library."""

    def clear_doc(self, app, env, page):
        """Delete the entry of a page."""
        uses_of(env).pop(page, None)

    def merge_other(self, app, env, pages, other):
        """Add the entries from another process."""
        uses_of(env).update(uses_of(other))

    def process_doc(self, app, tree):
        """Read the code cells of a page."""
        cells = tree.findall(nodes.literal_block)
        uses_of(app.env)[app.env.docname] = used(
            (section_anchor(block), parsed(block.astext()))
            for block in cells
            if block.parent.get("nb_element") == "cell_code_source"
        )

    def get_updated_docs(self, app, env):
        """Return the pages of the reference if their links have changed."""
        shown = {
            page: (names, env.titles[page].astext(), env.toc_secnumbers.get(page))
            for page, names in uses_of(env).items()
        }
        before, env.library_shown = getattr(env, "library_shown", None), shown
        pages = [page for page in env.found_docs if page.startswith(LIBRARY)]
        return [] if shown == before else pages


def uses_of(env):
    """Return the names that each page uses: page → name → anchor of the first use."""
    if not hasattr(env, "library_uses"):
        env.library_uses = {}
    return env.library_uses


def section_anchor(node):
    """Return the anchor of the innermost section with a title around a node."""
    while not (isinstance(node, nodes.section) and isinstance(node[0], nodes.title)):
        node = node.parent
    return node["ids"][0]


def used(cells):
    """Return the names of the library that cells use: full name → first anchor.

    Imported names are never redefined on a page (tests/test_book.py).
    """
    imported, uses = {}, {}
    for anchor, body in cells:
        for node in ast.walk(ast.Module(body, [])):
            if isinstance(node, ast.ImportFrom) and is_in_package(node.module):
                for alias in node.names:
                    imported[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        for node in ast.walk(ast.Module(body, [])):
            if name := full_name(node, imported):
                uses.setdefault(name, anchor)
    return uses


def is_in_package(module):
    """Return whether a module is the package or inside it."""
    return f"{module}.".startswith(f"{PACKAGE}.")


def full_name(node, imported):
    """Return the full name of an expression such as `plots.tree`, or None.

    `imported` maps local names to full names.
    """
    if isinstance(node, ast.Attribute):
        parent = full_name(node.value, imported)
        return parent and f"{parent}.{node.attr}"
    return imported.get(node.id) if isinstance(node, ast.Name) else None


def names_of(name):
    """Return the names of a function or class of the library; () for anything else.

    A name that a package re-exports also has a name in the module that defines it.
    """
    object_ = resolve_name(name)
    module = getattr(object_, "__module__", None)
    return (name, f"{module}.{object_.__qualname__}") if is_in_package(module) else ()


def described(env, name):
    """Return the name under which the reference documents a name, or None."""
    objects = env.get_domain("py").objects
    return next((full for full in names_of(name) if full in objects), None)


def check(app, env):
    """Warn if a page uses a name that the reference does not document."""
    for page, names in uses_of(env).items():
        for name in names:
            if names_of(name) and not described(env, name):
                log.warning(UNKNOWN, page, name, location=page)


def users(env):
    """Return the pages that use each name: name → page → anchor, in book order."""
    result = {}
    for page in env.toctree_includes[env.config.root_doc]:
        for name, anchor in uses_of(env)[page].items():
            if entry := described(env, name):
                result.setdefault(entry, {}).setdefault(page, anchor)
    return result


class LinkReference(SphinxPostTransform):
    """Add links from the reference to the chapters, and back."""

    default_priority = BEFORE_FOLDS
    formats = ("html",)

    def run(self, **kwargs):
        """Add links to one page."""
        pages = users(self.env)
        for entry in self.document.findall(addnodes.desc):
            if anchors := pages.get(next(iter(entry[0]["ids"]), None)):
                entry[-1] += self.to_chapters(anchors)
        names = {
            described(self.env, name): name
            for name in sorted(uses_of(self.env)[self.env.docname])
        }
        names.pop(None, None)  # modules and attributes
        if names:
            self.document[-1] += self.to_library(names)

    def to_chapters(self, anchors):
        """Return links to the chapters that use a name, else to other pages."""
        numbers = self.env.toc_secnumbers
        chapters = [page for page in anchors if page in numbers]
        line = nodes.paragraph(classes=["used-in"])
        for page in chapters or anchors:
            text = f"{numbers[page][''][0]}" if chapters else self.title(page)
            link = f"{self.address(page)}#{anchors[page]}"
            line += [nodes.Text(", "), nodes.reference("", text, refuri=link)]
        many = "chapters " if len(chapters) > 1 else "chapter " if chapters else ""
        line[0] = nodes.Text(f"Used in {many}")
        return line

    def to_library(self, names):
        """Return a fold with links to all names that a page uses."""
        objects = self.env.get_domain("py").objects
        links = ", ".join(
            f'<a href="{self.address(objects[entry].docname)}#{entry}">'
            f"<code>{name.removeprefix(PACKAGE + '.')}</code></a>"
            for entry, name in names.items()
        )
        fold = f'<details class="ttt-fold ttt-library"><summary>{TITLE}</summary>'
        fold = f"{fold}<p>{links}</p></details>".format(len(names))
        return nodes.raw("", fold, format="html")

    def title(self, page):
        """Return the title of a page."""
        return self.env.titles[page].astext()

    def address(self, page):
        """Return the relative address of a page."""
        return self.app.builder.get_relative_uri(self.env.docname, page)


def redirect_old_links(app, pagename, templatename, context, doctree):
    """Redirect links to names from the time when the reference was one page."""
    if pagename == LIBRARY:
        app.add_js_file("rooms.js", loading_method="defer")


def setup(app):
    """Register the collector, the transform and the handlers."""
    app.add_env_collector(Uses)
    app.add_post_transform(LinkReference)
    app.connect("env-check-consistency", check)
    app.connect("html-page-context", redirect_old_links)
    return {
        "version": "1",
        "env_version": 2,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
