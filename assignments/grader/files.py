"""Files of a course, and what to say when one of them cannot be read or written."""

import errno
import os

from ttt_lib.validation import write_atomic


def write(path, content):
    """Write text or bytes, whole or not at all, and only if that changes the file."""
    if isinstance(content, str):
        content = content.encode("utf-8", errors="replace")
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, content)


def printable(name):
    """Return the name of a file on one line, without bytes and signs that are no text.

    A terminal would obey some of them.
    """
    name = name.encode("utf-8", "replace").decode("utf-8")
    return "".join(sign if sign.isprintable() else "?" for sign in name)


def sentence(error):
    """Return what an OSError means to a teacher."""
    if error.strerror is None:  # it is a sentence of ours
        return f"{printable(str(error))} {AGAIN}"
    place = error.filename2 or error.filename
    where = f" with {printable(os.fsdecode(place))}" if place else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"The disk is full. {AGAIN}"
    return f"It does not work{where}: {error.strerror}. {AGAIN}"


AGAIN = "Nothing is lost: repair that, and the same command goes on."
