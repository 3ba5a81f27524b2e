"""Pages: `make page NAME=closer_looks/game_length`, `make execute PAGE=02_mdp`.

python tools/page.py new NAME        copy the template, and add it to _toc.yml
python tools/page.py execute [PAGE]  run a page, or all, from a fresh kernel; store the
                                     outputs, and the metadata that every page has
"""

import argparse
import re
import sys
from pathlib import Path

import nbformat
from nbclient.exceptions import CellExecutionError
from nbconvert.preprocessors import CoalesceStreamsPreprocessor, ExecutePreprocessor

ROOT = Path(__file__).parents[1]
BOOK, TOC = ROOT / "book", ROOT / "_toc.yml"
TEMPLATE = ROOT / "docs" / "template.ipynb"
NAME = re.compile(r"(closer_looks/)?[a-z0-9_]+")
JUPYTER_KEYS = "collapsed", "editable", "execution", "scrolled", "slideshow", "trusted"


def new(name):
    """Copy the template to a new page; return its path."""
    if not NAME.fullmatch(name):
        sys.exit(
            f"NAME={name}: give lower-case letters, digits and underscores, as in "
            "closer_looks/game_length."
        )
    path, toc = BOOK / f"{name}.ipynb", TOC.read_text("utf-8")
    if path.exists() or f"- file: book/{name}\n" in toc:
        sys.exit(f"NAME={name}: there is such a page already, choose another name.")
    *_, last = re.finditer(r"- file: book/closer_looks/\w+\n", toc)
    listed = toc[: last.end()] + f"      - file: book/{name}\n" + toc[last.end() :]
    path.write_bytes(TEMPLATE.read_bytes())
    TOC.write_text(listed, "utf-8")
    return path


def page(name):
    """Return the path of a notebook, however it is named."""
    name = name.removeprefix("book/").removesuffix(".ipynb")
    path = BOOK / f"{name}.ipynb"
    if not path.is_file():
        sys.exit(f"PAGE={name}: there is no book/{name}.ipynb.")
    return path


def execute(path):
    """Run a notebook from a fresh kernel, and store its outputs in it."""
    notebook = nbformat.read(path, as_version=4)
    run = ExecutePreprocessor(
        store_widget_state=False,
        record_timing=False,
        extra_arguments=["--IPKernelApp.log_level=ERROR"],  # it warns of its own port
    )
    try:
        run.preprocess(notebook, {"metadata": {"path": str(path.parent)}})
    except CellExecutionError as error:
        sys.exit(
            f"{path.relative_to(ROOT)} is as it was, because a cell failed:\n{error}"
        )
    CoalesceStreamsPreprocessor().preprocess(notebook, {})
    notebook.metadata = nbformat.read(TEMPLATE, as_version=4).metadata
    for cell in notebook.cells:
        for key in JUPYTER_KEYS:
            cell.metadata.pop(key, None)
    nbformat.write(notebook, path)


def main():
    """Make a page, or run pages, as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=["new", "execute"])
    parser.add_argument("name", nargs="?", default="")
    arguments = parser.parse_args()
    name = arguments.name
    if arguments.action == "new":
        path = new(name)
        print(f"{path.relative_to(ROOT)} is new, and {TOC.name} lists it.")
        return
    everything = [*BOOK.glob("*.ipynb"), *BOOK.glob("closer_looks/*.ipynb")]
    for path in [page(name)] if name else sorted(everything):
        execute(path)
        print(f"{path.relative_to(ROOT)} has been run, and its outputs are stored.")


if __name__ == "__main__":
    main()
