"""Atomic writing of files, file formats with versions, and safe cells of CSV tables."""

import os
import re
from contextlib import suppress
from glob import escape
from pathlib import Path
from typing import NamedTuple

from ttt_lib.validation.values import require, short_repr


class Format(NamedTuple):
    """The format of a JSON file, with the newest version that can be read."""

    name: str  #: value of "format" in the file
    version: int = 1  #: version that is written, and the newest that can be read

    def head(self):
        """Return the first fields of such a file, "format" and "version"."""
        return {"format": self.name, "version": self.version}


def format_of(content, what, *formats):
    """Return the Format of the JSON content of a file, one of `formats`.

    A file without a version has version 1; `what` names the kind of file in messages.
    Raises ValueError, whose message ends a sentence about the file, if its format is
    not one of them, or its version is newer than this edition can read.
    """
    name = content.get("format") if isinstance(content, dict) else None
    format_ = next((each for each in formats if each.name == name), None)
    require(format_ is not None, f"it is not a ttt_lib {what} file")
    version = content.get("version", 1)
    require(
        type(version) is int and version > 0,
        f"its version is {short_repr(version)}, and it should be a whole number from 1",
    )
    require(
        version <= format_.version,
        f"it was made by a newer edition (format {short_repr(version)}; this one "
        f"knows up to {format_.version}): update ttt_lib",
    )
    return format_


STALE_SECONDS = 3600  # age at which a temporary file is no longer being written
# Characters that begin a formula, in all widths and heights, at the start of a text or
# after a character where a spreadsheet may split it.
SIGNS = "=+@\u207a\u207c\u208a\u208c\u2a75\u2a76\ufb29\ufe62\ufe63\ufe66\ufe6b"
SIGNS += "\uff0b\uff0d\uff1d\uff20-"
SPLITS = r"[;,|\t-\r\x1c-\x1e\x85\u2028\u2029]"
FORMULA = re.compile(rf"((?:^|{SPLITS})\W*?)([{SIGNS}])")
INSIDE, ESCAPED = (re.compile(rf"({SPLITS}\W*?){q}([{SIGNS}])") for q in ("", "'"))


def escape_formula(text):
    """Return the text with formulas escaped, so that no spreadsheet runs them."""
    return FORMULA.sub(r"\1'\2", text)


def escape_key(text):
    """Return a text as a cell without formulas that `unescape_key` turns back."""
    return "./" + INSIDE.sub(r"\1'\2", text)


def unescape_key(cell):
    """Return the text of a cell of `escape_key`; one without `./` is unchanged."""
    if not cell.startswith("./"):
        return cell
    return ESCAPED.sub(r"\1\2", cell.removeprefix("./"))


def write_atomic(path, data, exclusive=False):
    """Write bytes to a file atomically: it has either the old content or the new.

    They are written to a temporary file in the same folder, which is then renamed. A
    symbolic link is followed. exclusive: whether to raise FileExistsError instead of
    replacing a file. Raises OSError if the folder is missing or the path is not a file.
    """
    path = Path(os.path.realpath(path))
    if not path.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {path.parent}.")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder: name a file in it.")
    if path.is_char_device() or path.is_block_device():  # such as /dev/null
        raise OSError(f"{path} is a device: name a file.")
    # Only the start of a long name: 255 bytes are allowed, up to 4 for a character.
    prefix = f".{path.name[:40]}."
    part = path.with_name(f"{prefix}{os.urandom(4).hex()}.part")
    try:
        with part.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _remove_stale(part, prefix)
        if exclusive:
            _rename_exclusive(part, path)
        else:
            part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _remove_stale(part, prefix):
    """Remove old temporary files, left by programs that were killed while writing."""
    now = part.stat().st_mtime
    for other in part.parent.glob(f"{escape(prefix)}{'[0-9a-f]' * 8}.part"):
        with suppress(OSError):  # another user's file, or already removed
            if now - other.stat().st_mtime > STALE_SECONDS:
                other.unlink()


def _rename_exclusive(part, path):
    """Rename a file unless the new name exists, atomically where links work."""
    try:
        os.link(part, path)
    except FileExistsError as fault:
        raise FileExistsError(fault.errno, fault.strerror, str(path)) from None
    except OSError:  # a file system without hard links, such as FAT
        path.open("x").close()
        part.replace(path)
