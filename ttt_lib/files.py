"""Files that are always whole and say what they are, and tables without formulas."""

import os
import re
from contextlib import suppress
from glob import escape
from pathlib import Path
from typing import NamedTuple

from ttt_lib.validation.values import require, short_repr


class Format(NamedTuple):
    """A kind of file that outlives the program that wrote it."""

    name: str  #: stands in the file under "format"
    version: int = 1  #: what is written, and the newest that can be read

    def head(self):
        """Return the fields with which such a file begins."""
        return {"format": self.name, "version": self.version}


def format_of(found, what, *formats):
    """Return which of some Formats the JSON of a file is of.

    What says no version is of the first.
    Raises ValueError, as the end of a sentence on the file, if it is no `what`, or of a
    newer version than this edition can read.
    """
    name = found.get("format") if isinstance(found, dict) else None
    own = next((each for each in formats if each.name == name), None)
    require(own is not None, f"it is no {what} of ttt_lib")
    version = found.get("version", 1)
    require(
        type(version) is int and version > 0,
        f"its version is {short_repr(version)}, and it should be a whole number from 1",
    )
    require(
        version <= own.version,
        f"it was made by a newer edition (format {short_repr(version)}; this one "
        f"knows up to {own.version}): update ttt_lib",
    )
    return own


STALE_SECONDS = 3600  # seconds after which nobody is writing a file any more
# What begins a formula, in all its widths and heights, where a spreadsheet may split.
SIGNS = "=+@\u207a\u207c\u208a\u208c\u2a75\u2a76\ufb29\ufe62\ufe63\ufe66\ufe6b"
SIGNS += "\uff0b\uff0d\uff1d\uff20-"
SPLITS = r"[;,|\t-\r\x1c-\x1e\x85\u2028\u2029]"
FORMULA = re.compile(rf"((?:^|{SPLITS})\W*?)([{SIGNS}])")
INSIDE, ESCAPED = (re.compile(rf"({SPLITS}\W*?){q}([{SIGNS}])") for q in ("", "'"))


def escape_formula(text):
    """Return a text of which no spreadsheet takes a part for a formula."""
    return FORMULA.sub(r"\1'\2", text)


def escape_key(text):
    """Return the same for a cell that a program reads again, with `from_key`."""
    return "./" + INSIDE.sub(r"\1'\2", text)


def unescape_key(cell):
    """Return the text of which `as_key` has made a cell; one without `./` stays."""
    if not cell.startswith("./"):
        return cell
    return ESCAPED.sub(r"\1\2", cell.removeprefix("./"))


def write_atomic(path, data, exclusive=False):
    """Write bytes to a file so that it is always whole: the old ones or the new.

    They are written beside it and renamed, so whatever interrupts the writing leaves an
    older file of that name as it was. A link stays, and what it leads to is written.
    exclusive: whether to raise FileExistsError instead of replacing a file.
    """
    path = Path(os.path.realpath(path))
    if not path.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {path.parent}.")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder: name a file in it.")
    if path.is_char_device() or path.is_block_device():  # as /dev/null
        raise OSError(f"{path} is a device: name a file.")
    # Of a long name a part, for no name has more than 255 bytes: a sign has up to 4.
    begins = f".{path.name[:40]}."
    part = path.with_name(f"{begins}{os.urandom(4).hex()}.part")
    try:
        with part.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _remove_stale(part, begins)
        if exclusive:
            _rename_exclusive(part, path)
        else:
            part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _remove_stale(part, begins):
    """Remove older parts of a file, which were left where the program was killed."""
    now = part.stat().st_mtime
    for other in part.parent.glob(f"{escape(begins)}{'[0-9a-f]' * 8}.part"):
        with suppress(OSError):  # it is somebody else's, or gone
            if now - other.stat().st_mtime > STALE_SECONDS:
                other.unlink()


def _rename_exclusive(part, path):
    """Give a file a name that nobody has, in one step where there are links."""
    try:
        os.link(part, path)
    except FileExistsError as fault:
        raise FileExistsError(fault.errno, fault.strerror, str(path)) from None
    except OSError:  # no links here, as on a memory stick
        path.open("x").close()
        part.replace(path)
