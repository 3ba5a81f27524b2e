"""The library's pages and the chapters that use it lead to each other.

Which page uses which name is read off its own code cells when the book is built, so
nothing of it is written by hand.
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
BEFORE_FOLDS = 190  # the fold of a page's tests stays its last
TAKEN = "What this page takes from the library ({})"
UNKNOWN = "%s uses %s, which no page of the reference describes"

log = logging.getLogger(__name__)


class Uses(EnvironmentCollector):
    """Collect where each page first uses a name of the library: page → name → place."""

    def clear_doc(self, app, env, page):
        """Forget a page."""
        known(env).pop(page, None)

    def merge_other(self, app, env, pages, other):
        """Take over what another process has read."""
        known(env).update(known(other))

    def process_doc(self, app, tree):
        """Read the code cells of a page."""
        cells = tree.findall(nodes.literal_block)
        known(app.env)[app.env.docname] = used(
            (place(block), parsed(block.astext()))
            for block in cells
            if block.parent.get("nb_element") == "cell_code_source"
        )

    def get_updated_docs(self, app, env):
        """Have the library's pages written again if what they say of others changed."""
        shown = {
            page: (names, env.titles[page].astext(), env.toc_secnumbers.get(page))
            for page, names in known(env).items()
        }
        before, env.library_shown = getattr(env, "library_shown", None), shown
        rooms = [page for page in env.found_docs if page.startswith(LIBRARY)]
        return [] if shown == before else rooms


def known(env):
    """Return what is known of all pages: page → name → place."""
    if not hasattr(env, "library_uses"):
        env.library_uses = {}
    return env.library_uses


def place(node):
    """Return the anchor of the section that a node stands in, and that has a title."""
    while not (isinstance(node, nodes.section) and isinstance(node[0], nodes.title)):
        node = node.parent
    return node["ids"][0]


def used(cells):
    """Return what cells take from the library: full name → first place.

    A name means what it was imported as: no page defines it anew, a test holds that.
    """
    meant, found = {}, {}
    for where, body in cells:
        for node in ast.walk(ast.Module(body, [])):
            if isinstance(node, ast.ImportFrom) and within(node.module):
                for each in node.names:
                    meant[each.asname or each.name] = f"{node.module}.{each.name}"
        for node in ast.walk(ast.Module(body, [])):
            if name := full(node, meant):
                found.setdefault(name, where)
    return found


def within(module):
    """Return whether a module is the package, or one of its."""
    return f"{module}.".startswith(f"{PACKAGE}.")


def full(node, meant):
    """Return the full name of an expression such as `plots.tree`, None if it has none.

    `meant` says what names stand for.
    """
    if isinstance(node, ast.Attribute):
        above = full(node.value, meant)
        return above and f"{above}.{node.attr}"
    return meant.get(node.id) if isinstance(node, ast.Name) else None


def names_of(name):
    """Return the names of a function or class of the library, none of anything else.

    What a room's face hands on has another name in the file where it stands.
    """
    thing = resolve_name(name)
    home = getattr(thing, "__module__", None)
    return (name, f"{home}.{thing.__qualname__}") if within(home) else ()


def described(env, name):
    """Return the name under which the reference has a name, None if it has it not."""
    things = env.get_domain("py").objects
    return next((each for each in names_of(name) if each in things), None)


def check(app, env):
    """Warn of what a page uses and the reference does not have."""
    for page, names in known(env).items():
        for name in names:
            if names_of(name) and not described(env, name):
                log.warning(UNKNOWN, page, name, location=page)


def users(env):
    """Return who uses what the reference has: name → page → anchor, as in the book."""
    found = {}
    for page in env.toctree_includes[env.config.root_doc]:
        for name, anchor in known(env)[page].items():
            if entry := described(env, name):
                found.setdefault(entry, {}).setdefault(page, anchor)
    return found


class Lead(SphinxPostTransform):
    """Lead from the reference to the chapters, and from these to the reference."""

    default_priority = BEFORE_FOLDS
    formats = ("html",)

    def run(self, **kwargs):
        """Add links to one page."""
        found = users(self.env)
        for entry in self.document.findall(addnodes.desc):
            if places := found.get(next(iter(entry[0]["ids"]), None)):
                entry[-1] += self.to_chapters(places)
        names = {
            described(self.env, name): name
            for name in sorted(known(self.env)[self.env.docname])
        }
        names.pop(None, None)  # modules, and what belongs to a thing
        if names:
            self.document[-1] += self.to_library(names)

    def to_chapters(self, places):
        """Return links to the pages that use a name, to chapters only if any do."""
        numbers = self.env.toc_secnumbers
        chapters = [page for page in places if page in numbers]
        line = nodes.paragraph(classes=["used-in"])
        for page in chapters or places:
            text = f"{numbers[page][''][0]}" if chapters else self.title(page)
            link = f"{self.address(page)}#{places[page]}"
            line += [nodes.Text(", "), nodes.reference("", text, refuri=link)]
        many = "chapters " if len(chapters) > 1 else "chapter " if chapters else ""
        line[0] = nodes.Text(f"Used in {many}")
        return line

    def to_library(self, names):
        """Return the fold of links to all that a page uses, by the names it uses."""
        things = self.env.get_domain("py").objects
        links = ", ".join(
            f'<a href="{self.address(things[entry].docname)}#{entry}">'
            f"<code>{name.removeprefix(PACKAGE + '.')}</code></a>"
            for entry, name in names.items()
        )
        fold = f'<details class="ttt-fold ttt-library"><summary>{TAKEN}</summary>'
        fold = f"{fold}<p>{links}</p></details>".format(len(names))
        return nodes.raw("", fold, format="html")

    def title(self, page):
        """Return the title of a page."""
        return self.env.titles[page].astext()

    def address(self, page):
        """Return where a page is, seen from this one."""
        return self.app.builder.get_relative_uri(self.env.docname, page)


def lead_on(app, pagename, templatename, context, doctree):
    """Let old addresses of names, when the library was one page, lead to their room."""
    if pagename == LIBRARY:
        app.add_js_file("rooms.js", loading_method="defer")


def setup(app):
    """Connect the library to Sphinx."""
    app.add_env_collector(Uses)
    app.add_post_transform(Lead)
    app.connect("env-check-consistency", check)
    app.connect("html-page-context", lead_on)
    return {
        "version": "1",
        "env_version": 2,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
