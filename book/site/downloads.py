"""What can be taken away: site and notebooks as zips, a poster, the PDF if printed."""

import re
import zipfile
from pathlib import Path

import poster
from docutils import nodes
from docutils.parsers.rst import Directive
from site_extension import is_fresh

NAME = "three-in-a-row"
PDF, SITE, NOTEBOOKS = f"{NAME}.pdf", f"{NAME}-site.zip", f"{NAME}-notebooks.zip"
POSTER = f"{NAME}-everyone.pdf"
FILES = {"pdf": PDF, "site": SITE, "notebooks": NOTEBOOKS, "poster": POSTER}
MISSING = {
    PDF: "It is not beside this copy of the site: <code>make pdf</code> prints it.",
    SITE: "This is a copy of it.",
}
PAGE = "book/take_away"
PLACE = re.compile(r'<p class="away" data-away="([^"]*)">.*?</p>')

# What notebooks need to run, besides what pip brings: the library.
SOURCE = (
    "book/*.ipynb",
    "book/closer_looks/*.ipynb",
    "ttt_lib/**/*.*",
    "pyproject.toml",
    "CITATION.cff",
    "LICENSE",
    "LICENSE-TEXT",
)
UNSEEN = {"__pycache__", ".ipynb_checkpoints"}
BEGIN = """# Three in a Row: the notebooks

All chapters of the book, and the library `ttt_lib` that they need.
Python 3.11 or newer runs them. In this folder, once:

    python3 -m venv .venv
    .venv/bin/python -m pip install ".[class]"

and then, whenever you like:

    .venv/bin/jupyter lab book

Run → Run All Cells first: pictures are made when the cells run.
The first chapter is `01_game.ipynb`.
On Windows, which we have not tried, write `.venv\\Scripts\\` instead of `.venv/bin/`.
"""


class AwayDirective(Directive):
    """The place of what can be taken away: a key of FILES."""

    required_arguments = 1

    def run(self):
        """Return the place, which is filled once the files are there."""
        place = f'<p class="away" data-away="{FILES[self.arguments[0]]}"></p>'
        return [nodes.raw("", place, format="html")]


def pack(app, exception):
    """Draw the poster, put the notebooks and the site into zips, say where they are."""
    if exception or app.builder.format != "html":
        return
    site, root = Path(app.outdir), Path(app.srcdir)
    drop_old(site / PDF, site / "book")
    if not is_fresh(site / POSTER):
        poster.write(site / POSTER)
    pack_notebooks(root, site)
    with _zip(site / SITE) as packed:
        for file in sorted(site.rglob("*")):
            inner = file.relative_to(site).as_posix()
            if inner == f"{PAGE}.html":
                text = filled(file.read_text("utf-8"), site, {NOTEBOOKS, POSTER})
                packed.writestr(f"{NAME}/{inner}", text)
            elif file.is_file() and inner not in (PDF, SITE, ".buildinfo"):
                packed.write(file, f"{NAME}/{inner}")
    offer(site)


def pack_notebooks(root, site):
    """Put the notebooks and their library into a zip, as pip installs it."""
    with _zip(site / NOTEBOOKS) as packed:
        packed.writestr(f"{NAME}/README.md", BEGIN)
        for pattern in SOURCE:
            for file in sorted(root.glob(pattern)):
                inner = file.relative_to(root)
                if file.is_file() and not UNSEEN & {*inner.parts}:
                    packed.write(file, f"{NAME}/{inner.as_posix()}")


def _zip(path):
    """Return a zip to write; files older than zips can say get their oldest date."""
    return zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False)


def drop_old(printed, pages):
    """Take a PDF away that is older than a page: it would tell what stood there."""
    changed = [
        page.stat().st_mtime
        for page in pages.rglob("*.html")
        if page.stem != Path(PAGE).stem  # is written at each build, below
    ]
    if printed.exists() and printed.stat().st_mtime < max(changed):
        printed.unlink()


def offer(site):
    """Say on the page what there is to take, and how large it is."""
    page = site / f"{PAGE}.html"
    page.write_text(
        filled(page.read_text("utf-8"), site, FILES.values()), encoding="utf-8"
    )


def filled(text, site, offered):
    """Return the text of the page with links to the offered files that are there."""

    def fill(place):
        name = place[1]
        if name in offered and (site / name).exists():
            size = f"{(site / name).stat().st_size / 1e6:.1f} MB"
            told = f'<a href="../{name}" download>{name}</a> ({size})'
        else:
            told = MISSING[name]
        return f'<p class="away" data-away="{name}">{told}</p>'

    return PLACE.sub(fill, text)


def setup(app):
    """Connect the above to Sphinx."""
    app.add_directive("away", AwayDirective)
    app.connect("build-finished", pack, priority=950)  # all else is written
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
