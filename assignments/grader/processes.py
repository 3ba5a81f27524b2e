"""What the processes of a submission take on Linux, which nobody else counts for us."""

import contextlib
import os
import sys
from collections import defaultdict
from pathlib import Path

LINUX = sys.platform.startswith("linux")


def descendants(root):
    """Return a process and all below it, with the dead that have a number still."""
    children = defaultdict(list)
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):  # it has ended meanwhile
            stat = (place / "stat").read_bytes().rsplit(b")", 1)[1]
            children[int(stat.split()[1])].append(int(place.name))
    found = [root]
    for process in found:
        found += children[process]
    return found


def threads(process):
    """Return the number of threads of a process, its first one among them."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/task").stat().st_nlink - 2
    return 0


def resident(process):
    """Return the bytes of memory that a process holds, alone or with others.

    A thread that has ended says 0, also the first, while the others go on.
    """
    for thread in Path(f"/proc/{process}/task").glob("*/statm"):
        with contextlib.suppress(OSError):
            if pages := int(thread.read_text().split()[1]):
                return pages * os.sysconf("SC_PAGE_SIZE")
    return 0


def files(processes):
    """Return the number of files on the disks of the sandbox of some processes."""
    here = Path("/").stat().st_dev
    for process in processes:
        root = f"/proc/{process}/root"
        with contextlib.suppress(OSError):
            if Path(root).stat().st_dev != here:  # bubblewrap begins outside
                disks = [os.statvfs(root + place) for place in ("/tmp", "/dev/shm")]
                return sum(disk.f_files - disk.f_ffree for disk in disks)
    return 0
