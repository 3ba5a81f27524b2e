"""Resources used by all processes of a submission together, on Linux."""

import contextlib
import os
import sys
from collections import defaultdict
from pathlib import Path

LINUX = sys.platform.startswith("linux")


def descendants(root):
    """Return a process and all its descendants, including zombies."""
    children = defaultdict(list)
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):  # it has ended meanwhile
            stat = (folder / "stat").read_bytes().rsplit(b")", 1)[1]
            children[int(stat.split()[1])].append(int(folder.name))
    tree = [root]
    for process in tree:
        tree += children[process]
    return tree


def threads(process):
    """Return the number of threads of a process, including the first."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/task").stat().st_nlink - 2
    return 0


def resident(process):
    """Return the resident memory of a process in bytes, including shared memory.

    A thread that has ended reports 0, even the first one while others run.
    """
    for thread in Path(f"/proc/{process}/task").glob("*/statm"):
        with contextlib.suppress(OSError):
            if pages := int(thread.read_text().split()[1]):
                return pages * os.sysconf("SC_PAGE_SIZE")
    return 0


def files(processes):
    """Return the number of files on the disks of the sandbox of these processes."""
    here = Path("/").stat().st_dev
    for process in processes:
        root = f"/proc/{process}/root"
        with contextlib.suppress(OSError):
            if Path(root).stat().st_dev != here:  # bubblewrap itself starts outside
                disks = [os.statvfs(root + folder) for folder in ("/tmp", "/dev/shm")]
                return sum(disk.f_files - disk.f_ffree for disk in disks)
    return 0
