"""Files of a download: a folder or a zip, with nested zips, read within limits.

Names with path traversal are rejected. A file that cannot be read is a Piece with a
reason, so that one student's file never stops another's.
"""

import io
import os
import stat
import zipfile
from datetime import UTC, datetime
from functools import lru_cache, partial
from pathlib import Path, PurePosixPath
from typing import NamedTuple

MAX_FILE_BYTES = 30 * 2**20  # of a file
MAX_BYTES = 500 * 2**20  # of one student, unpacked
MAX_FILES = 200  # of one student, including zips
MAX_DEPTH = 3  # of nested zips
MAX_ENTRIES = 10 * MAX_FILES  # of a student's zip: listing them takes memory
SKIPPED = {"__MACOSX", ".ipynb_checkpoints", ".DS_Store", "Thumbs.db"}
# Only these unpack no further than asked for; bzip2 and LZMA unpack everything.
COMPRESSIONS = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
BOUNDS = (
    f"exceeds the limits of {MAX_FILE_BYTES // 2**20} MB for a file, and "
    f"{MAX_FILES} files and {MAX_BYTES // 2**20} MB for a student"
)


class Piece(NamedTuple):
    """A file of a download."""

    path: PurePosixPath  #: in the download; a zip counts as a folder
    size: int = 0  #: bytes
    time: datetime | None = None
    source: str = ""  #: source of the time: "roll", "zip", "file" or "unknown"
    read: object = None  #: function that returns its bytes
    fault: str = ""  #: why it cannot be read, "" if it can


class Used:
    """Files and bytes that one student has used of the limits."""

    def __init__(self):
        self.files = self.bytes = 0

    def is_up(self):
        """Return whether a limit is exceeded: then no more of the student is read."""
        return self.files > MAX_FILES or self.bytes > MAX_BYTES


def pieces(download):
    """Yield the Pieces of a folder or a zip; raise ValueError if it is neither."""
    if download.is_dir():
        yield from _of_folder(download)
    elif not download.is_file():
        raise ValueError(f"There is no folder or zip {download}.")
    elif not zipfile.is_zipfile(download):
        raise ValueError(f"{download} is neither a folder nor a zip.")
    else:
        try:
            yield from _of_zip(partial(zipfile.ZipFile, download), PurePosixPath())
        except zipfile.BadZipFile as error:
            raise ValueError(f"{download} is a damaged zip: {error}.") from None


def unpacked(piece, used, left, depth=0):
    """Yield a readable Piece, or the readable Pieces inside if it is a zip.

    used: the Used of its student; (path, reason) of the rest is appended to `left`.
    """
    if used.is_up():  # this was reported before
        return
    used.files += 1
    fault = piece.fault
    if not fault and piece.size <= MAX_FILE_BYTES:
        used.bytes += piece.size
    if used.is_up():
        fault = f"{BOUNDS}; the student's other files are left out"
    elif not fault and piece.size > MAX_FILE_BYTES:
        fault = BOUNDS
    elif not fault and piece.path.suffix.lower() != ".zip":
        fault = _damage(piece)
    elif not fault and depth == MAX_DEPTH:
        fault = f"is nested in more than {MAX_DEPTH} zips"
    elif not fault:
        try:
            for inner in _of_zip(partial(_inner_zip, piece), piece.path):
                # A student can set any time inside a zip; the time of the zip counts.
                inner = inner._replace(time=piece.time, source=piece.source)
                yield from unpacked(inner, used, left, depth + 1)
        except Exception:  # damaged zips raise exceptions of many types
            left.append((str(piece.path), "is a zip that cannot be opened"))
        return
    if fault:
        left.append((str(piece.path), fault))
    else:
        yield piece


def _damage(piece):
    """Return why a Piece cannot be read completely, or ""."""
    try:
        piece.read()
    except OSError as error:
        return f"cannot be read: {error.strerror or error}"
    except Exception:  # of a damaged zip, or MemoryError
        return "is damaged"
    return ""


def _of_folder(folder):
    """Yield the Pieces of a folder; links are not followed."""
    waiting = [folder]
    while waiting:
        subfolder = waiting.pop()
        try:
            with os.scandir(subfolder) as entries:
                entries = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            path = PurePosixPath(subfolder.relative_to(folder))
            yield Piece(path, fault=f"cannot be opened: {error.strerror}")
            continue
        yield from filter(
            None, (_in_folder(entry, folder, waiting) for entry in entries)
        )


def _in_folder(entry, folder, waiting):
    """Return the Piece of an entry; append a folder to `waiting` and return None."""
    file = Path(entry.path)
    path = PurePosixPath(file.relative_to(folder))
    if entry.name in SKIPPED:
        return None
    try:
        if entry.is_dir(follow_symlinks=False):
            return waiting.append(file)
        if not entry.is_file(follow_symlinks=False):
            return Piece(path, fault="is not a regular file")
        status = entry.stat()
        time = datetime.fromtimestamp(status.st_mtime, UTC)
    except (OSError, ValueError, OverflowError):
        return Piece(path, fault="cannot be read")
    return Piece(path, status.st_size, time, "file", partial(_read, file))


def _read(file):
    """Return the bytes of a file."""
    with file.open("rb") as opened:
        return _bounded(opened, file)


def _bounded(opened, name):
    content = opened.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:  # its stated size may be wrong
        raise ValueError(f"{name} has more than {MAX_FILE_BYTES // 2**20} MB.")
    return content


@lru_cache(maxsize=MAX_DEPTH + 1)  # open zips: the download and those nested in it
def _opened(opener):
    return opener()


def _inner_zip(piece):
    content = piece.read()
    if content.count(b"PK\1\2") > MAX_ENTRIES:  # before they are listed
        raise ValueError(f"It has over {MAX_ENTRIES} entries.")
    return zipfile.ZipFile(io.BytesIO(content))


def _of_zip(opener, above):
    """Yield the Pieces of the zip that opener() opens; none has path traversal."""
    for info in _opened(opener).infolist():
        name = _name(info).replace("\\", "/")
        parts = [part for part in name.split("/") if part not in ("", ".")]
        if name.endswith("/") or SKIPPED & {*parts}:
            continue
        path, time = above.joinpath(*parts), _time_of(info)
        read, fault = partial(_inside, opener, info), _fault(info, name, parts)
        yield Piece(path, info.file_size, time, "zip", read, fault)


def _fault(info, name, parts):
    """Return why a file in a zip is rejected, or ""."""
    if not parts or ".." in parts or name.startswith("/"):
        return "has a name that leads out of the zip"
    if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
        return "is a link or a device, not a regular file"
    if info.flag_bits & 1:
        return "is locked with a password"
    if info.compress_type not in COMPRESSIONS:
        return "is packed with an unsupported method: make an ordinary zip"
    return ""


def _name(info):
    """Return the name of a file in a zip, with its encoding detected.

    Without the UTF-8 flag zipfile reads names as cp437 (MS-DOS); but macOS and others
    write UTF-8, and some programs cp1252 (Windows), without setting the flag.
    """
    if info.flag_bits & 0x800 or info.filename.isascii():
        return info.filename
    try:
        raw = info.filename.encode("cp437")
    except UnicodeEncodeError:  # it came from a separate field
        return info.filename
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        # From 0xC0 on cp1252 has accented letters, cp437 has lines and Greek.
        windows = all(byte >= 0xC0 for byte in raw if byte >= 0x80)
        return raw.decode("cp1252") if windows else info.filename


def _time_of(info):
    try:  # a zip has local time without a zone
        return datetime(*info.date_time).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _inside(opener, info):
    """Return the bytes of a file in a zip."""
    with _opened(opener).open(info) as inner:
        return _bounded(inner, info.filename)
