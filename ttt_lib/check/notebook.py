"""A notebook file as it was handed in: its cells, read within bounds.

The grader and `python -m ttt_lib.check` both read with this, so that a file which one
of them can read is read by the other, and is otherwise refused with the same sentence.
"""

import json
from typing import NamedTuple

MAX_BYTES = 30 * 2**20  # bytes of a notebook
MAX_VALUES = (
    1_000_000  # small ones take thirty times the memory that they have in a file
)
MAX_CELLS = 2000
MAX_CODE = 5_000_000  # characters of all cells of code
MAX_TEXT = 1_000_000  # characters of another cell, of which the rest is cut off
NO_MARK = "None"  # stands for the grade id of a cell that has none
# What a file is that begins with these bytes, if it is no notebook.
KNOWN_BY = {
    b"PK\x03\x04": "a zip, or a document of Word or LibreOffice",
    b"%PDF": "a PDF",
    b"\x1f\x8b": "a gzip archive",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!": "a RAR archive",
    b"\xd0\xcf\x11\xe0": "a document of an old Word",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"bplist": "a link to a web page",
    b"[InternetShortcut]": "a link to a web page",
    b"version https://git-lfs": "a pointer of Git LFS, not what it points to",
    b"{\\rtf": "a text of a word processor",
    b"<": "a web page",
}


class UnreadableError(ValueError):
    """A file that is no notebook; its text says why."""


class Cell(NamedTuple):
    """A cell as it came, but for its line ends."""

    kind: str  #: "code", "markdown", "raw"
    grade_id: str  #: nbgrader's, NO_MARK if there is none
    id: str
    source: str
    outputs: tuple = ()  #: as they came
    is_attached: bool = False  #: whether a picture is attached
    is_solution: bool = False  #: whether nbgrader knows it as an answer in code


def content_of(path):
    """Return the bytes of a file. Raises UnreadableError."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise UnreadableError(f"the file has more than {MAX_BYTES // 2**20} MB")
        return path.read_bytes()
    except OSError as error:
        why = type(error).__name__
        raise UnreadableError(f"the file cannot be opened: {why}") from None


def text_of(content):
    """Return bytes as text: UTF-8, UTF-16 or UTF-32, with a byte order mark or without.

    Raises UnreadableError.
    """
    _refuse_known(content[:64])
    code = json.detect_encoding(content)
    try:
        text = content.decode(code, "surrogatepass").removeprefix("\ufeff")
    except UnicodeDecodeError:
        if code.startswith("utf-8"):
            raise UnreadableError(
                "the file is not in UTF-8: open it in Jupyter, and save it again"
            ) from None
        raise UnreadableError("the file is no text: it is damaged") from None
    if not text.strip():
        raise UnreadableError("the file is empty")
    _refuse_known(text[:64].encode(errors="replace"))
    return text


def _refuse_known(begin):
    """Raise UnreadableError if a file that begins so is known to be no notebook."""
    for known, what in KNOWN_BY.items():
        if begin.lstrip().startswith(known):
            raise UnreadableError(f"the file is {what}, and no notebook")


def begins_as_notebook(content):
    """Return whether the first bytes of a file may be those of a notebook."""
    text = content.decode(json.detect_encoding(content), "ignore")
    return text.lstrip("\ufeff \t\r\n").startswith("{")


def cells_of(content):
    """Return the Cells that the bytes of a notebook hold. Raises UnreadableError."""
    text = text_of(content)
    if sum(map(text.count, ",[{")) > MAX_VALUES:
        raise UnreadableError(f"the file holds more than {MAX_VALUES:,} values")
    try:
        cells = [_cell(cell) for cell in json.loads(text)["cells"][:MAX_CELLS]]
    except (ValueError, RecursionError):
        if "\n<<<<<<< " in text:
            why = "the file has the marks of a conflict in Git: resolve it"
        elif text.lstrip().startswith("{"):
            why = "the file is no JSON: it is cut off or damaged"
        else:
            why = "the file is a text, and no notebook"
        raise UnreadableError(why) from None
    except (LookupError, TypeError, AttributeError):
        raise UnreadableError(
            "the file is JSON, but no notebook of version 4"
        ) from None
    if sum(len(cell.source) for cell in cells if cell.kind == "code") > MAX_CODE:
        raise UnreadableError(f"its code has more than {MAX_CODE:,} characters")
    return cells


def _cell(cell):
    metadata, outputs = cell.get("metadata"), cell.get("outputs")
    graded = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    graded = graded if isinstance(graded, dict) else {}
    kind, source = str(cell.get("cell_type")), joined(cell.get("source"))
    return Cell(
        kind,
        str(graded.get("grade_id")),
        str(cell.get("id")),
        source if kind == "code" else source[:MAX_TEXT],
        tuple(outputs) if isinstance(outputs, list) else (),
        bool(cell.get("attachments")),
        graded.get("solution") is True and graded.get("grade") is not True,
    )


def joined(text):
    """Return a text of a notebook, which may be in parts, with plain line ends."""
    parts = text if isinstance(text, list) else [text]
    whole = "".join(part for part in parts if isinstance(part, str))
    return whole.replace("\r\n", "\n").replace("\r", "\n").replace("\ufeff", "")


def bare(source):
    """Return a source without what nobody sees: blanks at the ends of lines.

    Two sources that are alike but for that are the same.
    """
    lines = source.replace("\xa0", " ").splitlines()
    return "\n".join(line.rstrip() for line in lines).strip()
