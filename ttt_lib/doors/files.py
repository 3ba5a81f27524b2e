"""Files that are always whole."""

import os
from pathlib import Path


def write_whole(path, data, anew=False):
    """Write bytes to a file so that it is always whole: the old ones or the new.

    They are written beside it and renamed, so whatever interrupts the writing leaves an
    older file of that name as it was. A link stays, and what it leads to is written.
    anew: whether to raise FileExistsError instead of replacing a file.
    """
    path = Path(os.path.realpath(path))
    if not path.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {path.parent}.")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder: name a file in it.")
    if path.is_char_device() or path.is_block_device():  # as /dev/null
        raise OSError(f"{path} is a device: name a file.")
    # Of a long name a part, for no name has more than 255 bytes: a sign has up to 4.
    part = path.with_name(f".{path.name[:40]}.{os.urandom(4).hex()}.part")
    try:
        with part.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if anew:
            _put_anew(part, path)
        else:
            part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _put_anew(part, path):
    """Give a file a name that nobody has, in one step where there are links."""
    try:
        os.link(part, path)
    except FileExistsError as fault:
        raise FileExistsError(fault.errno, fault.strerror, str(path)) from None
    except OSError:  # no links here, as on a memory stick
        path.open("x").close()
        part.replace(path)
