"""Incremental builds of the site equal clean builds."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
from outside import clone

# A small book: the first page links to the first chapter, the page of the library lists
# the chapters that use it, and the last one is packed for download.
TOC = """format: jb-book
root: book/index
parts:
  - caption: The game
    numbered: true
    chapters: [file: book/01_game]
  - caption: More
    chapters:
      - file: book/console
      - file: book/glossary
      - file: book/api/learning
      - file: book/take_away
"""
NEW = "\nA sentence that was not there, with a {term}`policy`.\n"
CELL = "from ttt_lib import menace\n\nmenace.labels"


def build(book):
    program = Path(sys.executable).with_name("jupyter-book")
    env = os.environ | {"PYTHONPATH": str(book)}  # its own copy of the library
    command = [program, "build", book, "--quiet"]
    subprocess.run(command, check=True, capture_output=True, env=env)


def site(book):
    """Return the files of a build, path → bytes; of zips their files, as zip/path."""
    html = book / "_build" / "html"
    files = {}
    for file in html.rglob("*"):
        name = file.relative_to(html).as_posix()
        if file.suffix == ".zip":
            with zipfile.ZipFile(file) as packed:
                inner = [n for n in packed.namelist() if not n.endswith(".zip")]
                files |= {f"{name}/{n}": packed.read(n) for n in inner}
        elif file.is_file():
            files[name] = file.read_bytes()
    return files


def test_incremental_build_equals_clean_build(tmp_path):
    book = clone(tmp_path / "book")
    (book / "_toc.yml").write_text(TOC, "utf-8")
    build(book)
    before = site(book)
    with (book / "book" / "console.md").open("a", encoding="utf-8") as page:
        page.write(NEW)
    chapter = nbformat.read(book / "book" / "01_game.ipynb", 4)
    chapter.cells.append(nbformat.v4.new_code_cell(CELL, id="new"))
    nbformat.write(chapter, book / "book" / "01_game.ipynb")
    build(book)
    after = site(book)
    shutil.rmtree(book / "_build")
    build(book)
    clean = site(book)
    assert after.keys() == clean.keys()
    assert [name for name in clean if after[name] != clean[name]] == []
    for page in ("console", "01_game", "api/learning"):
        assert before[f"book/{page}.html"] != after[f"book/{page}.html"]
