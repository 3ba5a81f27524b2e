"""The process between the grader and a student's code where nothing isolates that.

It holds the end of a pipe. However the grader dies, the pipe closes, and the keeper
ends whatever the student's code has started. On Linux that is everything, also what has
left its group; elsewhere what is still a child of a child.
"""

import ctypes
import os
import select
import signal
import sys
import time
from operator import itemgetter
from pathlib import Path

LINUX = sys.platform.startswith("linux")
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


def control(option, value):
    """Ask Linux for something that concerns this process; others are not asked."""
    if LINUX:
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def processes(dead=False):
    """Return {process: its parent} of all that live, and on Linux perhaps of the dead.

    The dead have a number still, for nobody has asked how they ended.
    """
    return _of_proc(dead) if LINUX else _of_ps()


def _of_proc(dead):
    found = {}
    with os.scandir("/proc") as places:
        names = [place.name for place in places if place.name.isdigit()]
    for name in names:
        try:
            known = Path("/proc", name, "stat").read_bytes().rsplit(b")", 1)[1]
            state, parent, threads = itemgetter(0, 1, 17)(known.split())
        except (OSError, ValueError, IndexError):
            continue  # it has ended meanwhile
        # While its other threads go on, one whose first has ended says it is dead.
        if dead or state not in (b"Z", b"X") or int(threads) > 1:
            found[int(name)] = int(parent)
    return found


def _of_ps():
    import subprocess

    command = ["/bin/ps", "-axo", "pid=,ppid="]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as ps:
        found = dict(tuple(map(int, line.split())) for line in ps.stdout)
    found.pop(ps.pid, None)
    return found


def descendants(roots, dead=False):
    """Return the processes of these and all that they have started."""
    parents = processes(dead)
    found, new = set(), set(roots) & parents.keys()
    while new:
        found |= new
        new = {child for child, parent in parents.items() if parent in new} - found
    return found


def end(find):
    """End all processes that `find` gives, until it gives none.

    They are stopped before any is ended: what is stopped starts no others.
    """
    stopped, others = set(), set()
    while found := find() - others:
        new = found - stopped
        for process in new or found:
            try:
                os.kill(process, signal.SIGSTOP if new else signal.SIGKILL)
            except ProcessLookupError:
                pass
            except PermissionError:  # it has become somebody else's
                others.add(process)
        stopped = stopped | new if new else set()
        if not new:
            time.sleep(0.01)  # until they are gone


def started_here():
    """Return the processes below this one."""
    return descendants([os.getpid()]) - {os.getpid()}


# A folder may be closed to its owner, and deeper than any path is long.
REMOVE = 'rm -rf -- "$1" || { chmod -R u+rwX -- "$1"; rm -rf -- "$1"; }'


def removal(folder):
    """Return the command that removes a folder, whatever is in it."""
    return ["/bin/sh", "-c", REMOVE, "sh", folder]


def main(leash, home, *command):
    """Run a command until the leash is let go; then leave nothing of it, nor its home.

    `leash` is the number of the end of a pipe that this process reads from.
    """
    leash, keeper = int(leash), os.getpid()
    control(PR_SET_CHILD_SUBREAPER, 1)  # what loses its parent becomes a child of ours
    control(PR_SET_PDEATHSIG, signal.SIGCONT)  # the student's code may have stopped us
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for what ends
    if os.fork() == 0:
        os.close(leash)
        os.setsid()
        control(PR_SET_PDEATHSIG, signal.SIGKILL)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        if os.getppid() == keeper:
            os.execv(command[0], command)
        os._exit(1)
    for stream in (0, 1):  # else the grader would not see that the student's are closed
        os.close(stream)
    select.select([leash], [], [])
    end(started_here)
    nowhere = os.open(os.devnull, os.O_RDWR)  # what is opened now is 0
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    os.chdir("/")
    os.execv("/bin/sh", removal(home))


if __name__ == "__main__":
    main(*sys.argv[1:])
