"""Files of a course: atomic writing, printable names, messages for OSErrors."""

import errno
import os

from ttt_lib.validation import write_atomic


def write(path, content):
    """Write text or bytes atomically, and only if the content of the file changes."""
    if isinstance(content, str):
        content = content.encode("utf-8", errors="replace")
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, content)


def printable(name):
    """Return a file name on one line, with each unprintable character replaced by "?".

    A terminal would interpret some of them as commands.
    """
    name = name.encode("utf-8", "replace").decode("utf-8")
    return "".join(letter if letter.isprintable() else "?" for letter in name)


def sentence(error):
    """Return the message for a teacher about an OSError."""
    if error.strerror is None:  # raised by this project with a sentence
        return f"{printable(str(error))} {AGAIN}"
    path = error.filename2 or error.filename
    where = f"{printable(os.fsdecode(path))}: " if path else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"The disk is full. {AGAIN}"
    return f"{where}{error.strerror}. {AGAIN}"


AGAIN = "Nothing is lost: fix this, then run the same command again."
