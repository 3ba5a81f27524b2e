"""Downloads: zips of the site and the notebooks, the poster, and the PDF."""

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
    PDF: "This copy of the site has no PDF: <code>make pdf</code> makes it.",
    SITE: "This is a copy of it.",
}
PAGE = "book/take_away"
PLACEHOLDER = re.compile(r'<p class="away" data-away="([^"]*)">.*?</p>')

# Files of the zip of the notebooks: the notebooks, and the library that they need.
SOURCE = (
    "book/*.ipynb",
    "book/closer_looks/*.ipynb",
    "ttt_lib/**/*.*",
    "pyproject.toml",
    "CITATION.cff",
    "LICENSE",
    "LICENSE-TEXT",
)
EXCLUDED = {"__pycache__", ".ipynb_checkpoints"}
BEGIN = """# Three in a Row: the notebooks

All chapters of the book, and the library `ttt_lib` that they need.
They need Python 3.11 or newer. In this folder, once:

    python3 -m venv .venv
    .venv/bin/python -m pip install ".[class]"

and then, whenever you like:

    .venv/bin/jupyter lab book

Choose Run → Run All Cells first: figures are drawn when the cells run.
The first chapter is `01_game.ipynb`.
On Windows, which is untested, write `.venv\\Scripts\\` instead of `.venv/bin/`.
"""


class AwayDirective(Directive):
    """Placeholder for a download; the argument is a key of FILES."""

    required_arguments = 1

    def run(self):
        """Return the placeholder, which is filled once the files are written."""
        place = f'<p class="away" data-away="{FILES[self.arguments[0]]}"></p>'
        return [nodes.raw("", place, format="html")]


def pack(app, exception):
    """Write the poster and the zips of notebooks and site, and link to them."""
    if exception or app.builder.format != "html":
        return
    site, root = Path(app.outdir), Path(app.srcdir)
    delete_outdated_pdf(site / PDF, site / "book")
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
    """Write a zip of the notebooks and the library, which pip can install."""
    with _zip(site / NOTEBOOKS) as packed:
        packed.writestr(f"{NAME}/README.md", BEGIN)
        for pattern in SOURCE:
            for file in sorted(root.glob(pattern)):
                inner = file.relative_to(root)
                if file.is_file() and not EXCLUDED & {*inner.parts}:
                    packed.write(file, f"{NAME}/{inner.as_posix()}")


def _zip(path):
    """Return a zip to write; dates before 1980, its earliest, become 1980."""
    return zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False)


def delete_outdated_pdf(printed, pages):
    """Delete the PDF if a page is newer."""
    changed = [
        page.stat().st_mtime
        for page in pages.rglob("*.html")
        if page.stem != Path(PAGE).stem  # rewritten at each build, below
    ]
    if printed.exists() and printed.stat().st_mtime < max(changed):
        printed.unlink()


def offer(site):
    """Fill the placeholders of the page with links and sizes."""
    page = site / f"{PAGE}.html"
    page.write_text(
        filled(page.read_text("utf-8"), site, FILES.values()), encoding="utf-8"
    )


def filled(text, site, offered):
    """Return the HTML of the page with links to the offered files that exist."""

    def fill(match):
        name = match[1]
        if name in offered and (site / name).exists():
            size = f"{(site / name).stat().st_size / 1e6:.1f} MB"
            text = f'<a href="../{name}" download>{name}</a> ({size})'
        else:
            text = MISSING[name]
        return f'<p class="away" data-away="{name}">{text}</p>'

    return PLACEHOLDER.sub(fill, text)


def setup(app):
    """Register the directive and the handler."""
    app.add_directive("away", AwayDirective)
    app.connect("build-finished", pack, priority=950)  # all files are written
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
