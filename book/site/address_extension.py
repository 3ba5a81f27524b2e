"""Features that need a public address, and are off while `_config.yml` has none.

The address of a repository turns on buttons to run a page elsewhere and a link to
report a mistake. The address of a site turns on canonical links (by Sphinx), a sitemap,
and copies of the notebooks that install the library. Colab needs both: it reads the
copies from a branch of the repository.
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
BRANCH = "copies"  # of the repository: the workflow pushes that folder to it

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
PLACEHOLDER = '<ul class="copies"></ul>'
LINK = re.compile(r"\]\((?![a-z]+:)([^\s()#]+)\.(?:ipynb|md)(#[^\s()]*)?\)")
MAPS = "sitemap.xml", "robots.txt"
MAP = """\
<?xml version="1.0" encoding="utf-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
{}
</urlset>
"""


def turn_on(app, config):
    """Validate the addresses, and turn on the features of Sphinx and the theme."""
    options = config.html_theme_options
    launch = options.setdefault("launch_buttons", {})
    repository, hub = options.get("repository_url"), launch.get("jupyterhub_url")
    site = config.html_baseurl
    check_address(
        "repository: url", repository, REPOSITORY, "https://github.com/OWNER/NAME"
    )
    check_address("html: baseurl", site, WEB, "https://OWNER.github.io/NAME/")
    check_address("launch_buttons: jupyterhub_url", hub, WEB, "https://hub.example.org")
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


def check_address(key, value, form, example):
    """Raise ConfigError if a value of `_config.yml` is neither empty nor of a form."""
    if value and not form.fullmatch(value):
        raise ConfigError(
            f"`{key}` in _config.yml is {value!r}; it should be empty, or an address "
            f"such as {example}"
        )


def label_buttons(app, pagename, templatename, context, doctree):
    """Give the theme's buttons tooltips, and let Colab's open the copy."""
    branch = app.config.html_theme_options.get("repository_branch")
    for button in context["header_buttons"]:
        if button["label"] == "launch-buttons":
            button |= {"tooltip": "Run this page", "icon": "fas fa-play"}
            for service in button["buttons"]:
                service["icon"] = None  # each would be one more file on every page
                if service["text"] == "Colab":
                    service["url"] = service["url"].replace(
                        f"/blob/{branch}/book/", f"/blob/{BRANCH}/"
                    )
        elif button["label"] == "source-issues-button":
            button |= {"tooltip": "Report a mistake", "icon": "fas fa-flag"}
            button["url"], _, _ = button["url"].partition("&")  # the address alone


class CopiesDirective(Directive):
    """Placeholder for the list of copies, filled once all titles are known."""

    def run(self):
        """Return the placeholder."""
        return [nodes.raw("", PLACEHOLDER, format="html")]


def list_copies(app, pagename, templatename, context, doctree):
    """Replace the placeholder by links to the copies, in the order of the book."""
    if PLACEHOLDER in context.get("body", ""):
        rows = [
            f'<li><a href="{context["pathto"](f"{COPIES}/{inner}", 1)}" download>'
            f"{escape(app.env.titles[page].astext())}</a></li>"
            for page, inner in notebooks(app.env)
        ]
        links = f'<ul class="copies">{"".join(rows)}</ul>'
        context["body"] = context["body"].replace(PLACEHOLDER, links)


def notebooks(env):
    """Yield (page, file within `book`) of each notebook, in the order of the book."""
    for page in env.toctree_includes[env.config.root_doc]:
        if env.doc2path(page).endswith(".ipynb"):
            yield page, page.removeprefix("book/") + ".ipynb"


def write(app, exception):
    """Delete the copies and the sitemap; write them if the site has an address."""
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
    """Write the sitemap, and robots.txt, which names it."""
    pages = [site + app.builder.get_target_uri(page) for page in app.env.found_docs]
    rows = "\n".join(f"<url><loc>{escape(page)}</loc></url>" for page in sorted(pages))
    sitemap, robots = MAPS
    (folder / sitemap).write_text(MAP.format(rows), encoding="utf-8")
    (folder / robots).write_text(f"Sitemap: {site}{sitemap}\n", encoding="utf-8")


def alone(book, page, site):
    """Return a notebook that runs alone: it installs the library and links to the site.

    pip installs the library from the zip of the notebooks, so that both have the same
    version.
    """
    fetch = FETCH.format(site=site, library=NOTEBOOKS)
    folder = posixpath.dirname(page)

    def link_to_site(link):
        target = posixpath.normpath(posixpath.join(folder, link[1]))
        return f"]({site}{target}.html{link[2] or ''})"

    for cell in book.cells:
        if cell.cell_type == "markdown":
            cell.source = LINK.sub(link_to_site, cell.source)
    book.cells.insert(0, nbformat.v4.new_code_cell(fetch, id="library"))
    return book


def setup(app):
    """Register the directive and the handlers."""
    app.add_directive("copies", CopiesDirective)
    app.connect("config-inited", turn_on)
    app.connect("html-page-context", label_buttons, priority=502)  # after the theme's
    app.connect("html-page-context", list_copies)
    app.connect("build-finished", write, priority=940)  # before the zip of the site
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
