"""Paths and contents of the pages of the book, for tests."""

import re
from functools import cache
from pathlib import Path

import nbformat
import numpy as np
import yaml

ROOT = Path(__file__).parents[1]
BOOK = ROOT / "book"
NOTEBOOKS = sorted([*BOOK.glob("*.ipynb"), *BOOK.glob("closer_looks/*.ipynb")])
PAGES = sorted([*BOOK.glob("*.md"), *BOOK.glob("api/*.md"), *NOTEBOOKS])


def files_of_toc(entry):
    """Yield the files of a table of contents, as written there."""
    if isinstance(entry, dict):
        yield from (entry[key] for key in ("root", "file") if key in entry)
        for value in entry.values():
            yield from files_of_toc(value)
    elif isinstance(entry, list):
        for item in entry:
            yield from files_of_toc(item)


def toc():
    return list(
        files_of_toc(yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8")))
    )


def address(path):
    """Return the address of a page on the site: "book/01_game.html"."""
    return path.relative_to(ROOT).with_suffix(".html").as_posix()


@cache
def notebook(path):
    return nbformat.read(path, as_version=4)


def markdown(path):
    """Return the Markdown text of a page."""
    if path.suffix == ".md":
        return path.read_text(encoding="utf-8")
    cells = notebook(path).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def code(path):
    """Return the code cells of a notebook."""
    return [cell for cell in notebook(path).cells if cell.cell_type == "code"]


def page_functions(page, *names):
    """Return functions of a page, by running the cells that define them."""
    space = {"np": np}
    for cell in code(BOOK / f"{page}.ipynb"):
        if any(f"def {name}(" in cell.source for name in names):
            exec(cell.source, space)
    return [space[name] for name in names]


def prose(path):
    """Return the prose of a page: Markdown without code, directives and links."""
    return _plain(markdown(path))


def _plain(text):
    text = re.sub(
        r"(?ms)^(`{3,})(?=\w).*?^\1\s*$", " ", text
    )  # code blocks with a language, not directives
    text = text.replace(":::{dropdown} ", " ")  # the title of a fold is prose
    text = re.sub(r"(?m)^(`{3,}|:{3,}).*$", " ", text)  # the fences of directives
    text = re.sub(r"(?m)^:[\w-]+:.*$", " ", text)  # options of directives
    text = re.sub(
        r"\{[\w:]+\}`([^`<]*)(<[^`]*>)?`", r" \1 ", text
    )  # roles keep their text
    text = re.sub(r"`[^`\n]*`", " ", text)  # inline code
    return re.sub(r"\]\([^)]*\)|<[^>\n]+>|https?://\S+", " ", text)


def unfolded(path):
    """Return the text of a chapter without folds, quiz and exercises."""
    text = re.sub(r"(?s)\n## Quiz.*", "", markdown(path))
    folded = r'(?s)<details class="ttt-fold">.*?</details>'
    folded += r"|:::\{dropdown\} [^\n]*\n\n.*?\n:::\n"  # those with a class stay
    return re.sub(folded, " x ", text)


def main_line(path):
    """Return the number of words of a chapter without folds and exercises."""
    text = re.sub(r"(?s)\$\$.*?\$\$|\$[^$\n]*\$", " x ", unfolded(path))
    return len(re.findall(r"\w+(?:[’'-]\w+)*", _plain(text)))


def minutes(path):
    """Return the estimated minutes for a chapter, and for its exercises.

    150 words, twelve formulas within the text or six lines of code a minute; a minute
    for each displayed formula, each figure and each guess; five for a board or a lab.
    """
    text = unfolded(path)
    displayed, formula = r"(?s)\$\$.*?\$\$", r"\$[^$\n]+\$"
    read = main_line(path) / 150 + len(re.findall(displayed, text))
    read += len(re.findall(formula, re.sub(displayed, "", text))) / 12
    read += markdown(path).count("**Predict")
    for cell in code(path):
        if "assert " in cell.source:
            break  # the assertions are at the end
        if "figure" in cell.metadata.get("mystnb", {}):
            read += 1
        elif re.search(r"\b(?:Board|\w+Lab)\(", cell.source):
            read += 5
        else:
            read += sum(map(bool, cell.source.split("\n"))) / 6
    stated = re.findall(
        r"(?m)\{exercise(?:-start)?\} .*, (\d+) minutes$", markdown(path)
    )
    return 5 * round(read / 5), sum(map(int, stated))


def legends(path):
    """Return the captions and alt texts of the figures of a notebook."""
    settings = [cell.metadata.get("mystnb", {}) for cell in code(path)]
    captions = [each.get("figure", {}).get("caption", "") for each in settings]
    return "\n".join(
        captions + [each.get("image", {}).get("alt", "") for each in settings]
    )


def equations(path):
    """Return the labels of the displayed equations of a page."""
    return re.findall(r"^\$\$\s*\(([\w-]+)\)", markdown(path), flags=re.MULTILINE)


def figures(path):
    """Return the labels of the figures that a notebook draws."""
    settings = [cell.metadata.get("mystnb", {}) for cell in code(path)]
    return [each["figure"]["name"] for each in settings if "figure" in each]
