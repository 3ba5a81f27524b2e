"""Reading of submitted notebook files: their cells, within limits of size.

The grader and `python -m ttt_lib.check` both use this, so that they accept the same
files and reject the others with the same message.
"""

import json
from typing import NamedTuple

MAX_BYTES = 30 * 2**20  # bytes of a notebook
MAX_VALUES = 1_000_000  # in JSON: a small value takes thirty times its size in the file
MAX_CELLS = 2000
MAX_CODE = 5_000_000  # characters of all code cells
MAX_TEXT = 1_000_000  # characters of any other cell; the rest is cut off
NO_MARK = "None"  # grade id of a cell that has none
# First bytes of files that are not notebooks, and what such a file is.
SIGNATURES = {
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
    """A file that is not a readable notebook; the text says why."""


class Cell(NamedTuple):
    """A cell of the file, with plain line ends."""

    kind: str  #: "code", "markdown" or "raw"
    grade_id: str  #: from nbgrader's metadata, or NO_MARK
    id: str
    source: str
    outputs: tuple = ()  #: as in the file
    is_attached: bool = False  #: whether it has attachments, such as pictures
    is_solution: bool = False  #: whether nbgrader's metadata mark it as an answer


def content_of(path):
    """Return the bytes of a file; raises UnreadableError."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise UnreadableError(f"the file has more than {MAX_BYTES // 2**20} MB")
        return path.read_bytes()
    except OSError as error:
        why = type(error).__name__
        raise UnreadableError(f"the file cannot be opened: {why}") from None


def text_of(content):
    """Return bytes as text: UTF-8, UTF-16 or UTF-32, with or without a byte order mark.

    Raises UnreadableError.
    """
    _reject_other_formats(content[:64])
    code = json.detect_encoding(content)
    try:
        text = content.decode(code, "surrogatepass").removeprefix("\ufeff")
    except UnicodeDecodeError:
        if code.startswith("utf-8"):
            raise UnreadableError(
                "the file is not in UTF-8: open it in Jupyter, and save it again"
            ) from None
        raise UnreadableError("the file is not text: it is damaged") from None
    if not text.strip():
        raise UnreadableError("the file is empty")
    _reject_other_formats(text[:64].encode(errors="replace"))
    return text


def _reject_other_formats(begin):
    """Raise UnreadableError if the first bytes of a file are of another format."""
    for signature, what in SIGNATURES.items():
        if begin.lstrip().startswith(signature):
            raise UnreadableError(f"the file is {what}, not a notebook")


def begins_as_notebook(content):
    """Return whether the first bytes of a file may be those of a notebook."""
    text = content.decode(json.detect_encoding(content), "ignore")
    return text.lstrip("\ufeff \t\r\n").startswith("{")


def cells_of(content):
    """Return the Cells of a notebook, given its bytes; raises UnreadableError."""
    text = text_of(content)
    if sum(map(text.count, ",[{")) > MAX_VALUES:
        raise UnreadableError(f"the file holds more than {MAX_VALUES:,} values")
    try:
        cells = [_cell(cell) for cell in json.loads(text)["cells"][:MAX_CELLS]]
    except (ValueError, RecursionError):
        if "\n<<<<<<< " in text:
            why = "the file has conflict markers of Git: resolve the conflict"
        elif text.lstrip().startswith("{"):
            why = "the file is not valid JSON: it is cut off or damaged"
        else:
            why = "the file is a text, not a notebook"
        raise UnreadableError(why) from None
    except (LookupError, TypeError, AttributeError):
        raise UnreadableError(
            "the file is JSON, but not a notebook of version 4"
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
    """Return a text of a notebook, a string or a list of them, with plain line ends."""
    parts = text if isinstance(text, list) else [text]
    whole = "".join(part for part in parts if isinstance(part, str))
    return whole.replace("\r\n", "\n").replace("\r", "\n").replace("\ufeff", "")


def bare(source):
    """Return a source without invisible differences, such as blanks at line ends.

    Two sources that are then equal count as the same.
    """
    lines = source.replace("\xa0", " ").splitlines()
    return "\n".join(line.rstrip() for line in lines).strip()
