"""Files that are always whole."""

import os
from pathlib import Path


def write_whole(path, data):
    """Write bytes to a file so that it is always whole: the old ones or the new.

    They are written beside it and renamed, so whatever interrupts the writing leaves an
    older file of that name as it was.
    """
    path = Path(path)
    part = path.with_name(f".{path.name}.{os.urandom(4).hex()}.part")
    try:
        with part.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
