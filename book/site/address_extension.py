"""The address of the book: what is there where `_config.yml` names one, and only there.

A repository gives buttons that run a page elsewhere, and one to report a mistake. A
site gives canonical links, which Sphinx makes, a map for search engines, and copies of
the notebooks that fetch their library. Colab needs both: it reads the copies from a
branch of the repository.
"""

import posixpath
import re
from html import escape
from pathlib import Path
from shutil import rmtree

import nbformat
from docutils import nodes
from docutils.parsers.rst import Directive
from downloads import NOTEBOOKS
from sphinx.errors import ConfigError

BINDER, COLAB = "https://mybinder.org", "https://colab.research.google.com"
COPIES = "notebooks"  # the folder of the site with a copy of each notebook
BRANCH = "copies"  # of the repository: that folder alone, put there by the workflow

REPOSITORY = re.compile(
    r"https://[\w.-]*(github|gitlab)[\w.-]*(/[\w.-]+){2}(?<!\.git)/?"
)
WEB = re.compile(r"https?://[^\s/?#]+(/[^\s?#]*)?")
FETCH = """\
# Where the library of the book is missing, this cell fetches it, which takes a while.
try:
    import ttt_lib
except ModuleNotFoundError:
    %pip install --quiet {site}{library}\
"""
PLACE = '<ul class="copies"></ul>'
LINK = re.compile(r"\]\((?![a-z]+:)([^\s()#]+)\.(?:ipynb|md)(#[^\s()]*)?\)")
MAPS = "sitemap.xml", "robots.txt"
MAP = """\
<?xml version="1.0" encoding="utf-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
{}
</urlset>
"""


def turn_on(app, config):
    """Look at the address, and let Sphinx and the theme make of it what they can."""
    options = config.html_theme_options
    launch = options.setdefault("launch_buttons", {})
    repository, hub = options.get("repository_url"), launch.get("jupyterhub_url")
    site = config.html_baseurl
    look_at("repository: url", repository, REPOSITORY, "https://github.com/OWNER/NAME")
    look_at("html: baseurl", site, WEB, "https://OWNER.github.io/NAME/")
    look_at("launch_buttons: jupyterhub_url", hub, WEB, "https://hub.example.org")
    if hub and not repository:
        raise ConfigError(
            "_config.yml names a JupyterHub; it needs `repository: url` as well."
        )
    if site:
        config.html_baseurl = site.rstrip("/") + "/"
        app.tags.add("site")
    if repository:
        options["use_issues_button"] = True
        launch |= {"binderhub_url": BINDER, "notebook_interface": "jupyterlab"}
        if site and REPOSITORY.match(repository)[1] == "github":
            launch["colab_url"] = COLAB


def look_at(key, value, form, example):
    """Refuse a value of `_config.yml` that is neither empty nor of a form."""
    if value and not form.fullmatch(value):
        raise ConfigError(
            f"`{key}` in _config.yml is {value!r}; it should be empty, or an address "
            f"such as {example}"
        )


def word_buttons(app, pagename, templatename, context, doctree):
    """Say what the theme's buttons do, and let Colab's lead to the copy."""
    branch = app.config.html_theme_options.get("repository_branch")
    for button in context["header_buttons"]:
        if button["label"] == "launch-buttons":
            button |= {"tooltip": "Run this page", "icon": "fas fa-play"}
            for place in button["buttons"]:
                place["icon"] = None  # a file for each, on every page
                if place["text"] == "Colab":
                    place["url"] = place["url"].replace(
                        f"/blob/{branch}/book/", f"/blob/{BRANCH}/"
                    )
        elif button["label"] == "source-issues-button":
            button |= {"tooltip": "Report a mistake", "icon": "fas fa-flag"}
            button["url"], _, _ = button["url"].partition("&")  # no text of the theme's


class CopiesDirective(Directive):
    """The place of links to the copies, which is filled once all titles are known."""

    def run(self):
        """Return the place."""
        return [nodes.raw("", PLACE, format="html")]


def list_copies(app, pagename, templatename, context, doctree):
    """Fill the place of the links, in the order of the book."""
    if PLACE in context.get("body", ""):
        rows = [
            f'<li><a href="{context["pathto"](f"{COPIES}/{inner}", 1)}" download>'
            f"{escape(app.env.titles[page].astext())}</a></li>"
            for page, inner in notebooks(app.env)
        ]
        links = f'<ul class="copies">{"".join(rows)}</ul>'
        context["body"] = context["body"].replace(PLACE, links)


def notebooks(env):
    """Yield (page, file within `book`) of each notebook, in the order of the book."""
    for page in env.toctree_includes[env.config.root_doc]:
        if env.doc2path(page).endswith(".ipynb"):
            yield page, page.removeprefix("book/") + ".ipynb"


def write(app, exception):
    """Write what only a site with an address has; take away what was written before."""
    if exception or app.builder.format != "html":
        return
    site, out = app.config.html_baseurl, Path(app.outdir)
    rmtree(out / COPIES, ignore_errors=True)
    for file in MAPS:
        (out / file).unlink(missing_ok=True)
    if site:
        write_copies(app, site, out / COPIES)
        write_map(app, site, out)


def write_copies(app, site, folder):
    """Write a copy of each notebook."""
    for page, inner in notebooks(app.env):
        book = nbformat.read(Path(app.srcdir, f"{page}.ipynb"), 4)
        (folder / inner).parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(alone(book, page, site), folder / inner)


def write_map(app, site, folder):
    """Write the addresses of all pages, and the file that says where they are."""
    pages = [site + app.builder.get_target_uri(page) for page in app.env.found_docs]
    rows = "\n".join(f"<url><loc>{escape(page)}</loc></url>" for page in sorted(pages))
    sitemap, robots = MAPS
    (folder / sitemap).write_text(MAP.format(rows), encoding="utf-8")
    (folder / robots).write_text(f"Sitemap: {site}{sitemap}\n", encoding="utf-8")


def alone(book, page, site):
    """Return a notebook as it runs alone: its library fetched, its links to the site.

    The zip of the notebooks is what is fetched: it holds the library of these very
    notebooks, and pip installs it as it stands.
    """
    fetch = FETCH.format(site=site, library=NOTEBOOKS)
    folder = posixpath.dirname(page)

    def led(link):
        target = posixpath.normpath(posixpath.join(folder, link[1]))
        return f"]({site}{target}.html{link[2] or ''})"

    for cell in book.cells:
        if cell.cell_type == "markdown":
            cell.source = LINK.sub(led, cell.source)
    book.cells.insert(0, nbformat.v4.new_code_cell(fetch, id="library"))
    return book


def setup(app):
    """Connect the above to Sphinx."""
    app.add_directive("copies", CopiesDirective)
    app.connect("config-inited", turn_on)
    app.connect("html-page-context", word_buttons, priority=502)  # after the theme's
    app.connect("html-page-context", list_copies)
    app.connect("build-finished", write, priority=940)  # before the site is packed
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
