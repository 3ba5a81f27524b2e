"""The system calls that isolated code is refused, as a filter that bubblewrap takes.

They reach what no namespace keeps apart: leases on files, for which everybody else has
to wait, the keys of a user, and who may open a device, which root could change. Or they
reach into bubblewrap's own process, which ends all when the grader ends, and could be
made to forget that; or they keep memory that belongs to no process.
"""

import errno
import platform
import struct

# By machine: what seccomp calls it, fcntl, chmod and its like, and what is refused:
# setxattr and its like; add_key, request_key, keyctl; io_uring_setup, through which
# others can be made that no filter sees; ptrace, process_vm_readv, process_vm_writev,
# pidfd_getfd; shmget, semget, msgget, memfd_create, memfd_secret.
MACHINES = {
    "x86_64": (
        0xC000003E,
        72,
        (90, 91, 268, 452),
        (
            *(188, 189, 190, 463, 248, 249, 250, 425),
            *(101, 310, 311, 438, 29, 64, 68, 319, 447),
        ),
    ),
    "aarch64": (
        0xC00000B7,
        25,
        (52, 53, 452),
        (
            *(5, 6, 7, 463, 217, 218, 219, 425),
            *(117, 270, 271, 438, 194, 190, 186, 279, 447),
        ),
    ),
}
F_SETLEASE = 1024
X32 = 0x40000000  # begins the numbers of a second set of calls
CALL, MACHINE, SECOND_ARGUMENT = 0, 4, 24  # where they stand in what a filter is shown
LOAD, EQUAL, AT_LEAST, GIVE = 0x20, 0x15, 0x35, 0x06
ALLOW, ERROR = 0x7FFF0000, 0x00050000
REFUSE, DO_NOTHING = ERROR | errno.EPERM, ERROR


def program(machine=None):
    """Return the filter (bytes), empty for a machine whose calls we do not know.

    A change of mode is not made and said to be: whoever copies a file makes one.
    """
    known = MACHINES.get(machine or platform.machine())
    if known is None:
        return b""
    own, fcntl, modes, refused = known
    steps = [(LOAD, 0, 0, MACHINE), (EQUAL, 1, 0, own), (GIVE, 0, 0, REFUSE)]
    steps += [(LOAD, 0, 0, CALL), (AT_LEAST, 0, 1, X32), (GIVE, 0, 0, REFUSE)]
    for calls, answer in ((refused, REFUSE), (modes, DO_NOTHING)):
        for call in calls:
            steps += [(EQUAL, 0, 1, call), (GIVE, 0, 0, answer)]
    steps += [(EQUAL, 1, 0, fcntl), (GIVE, 0, 0, ALLOW), (LOAD, 0, 0, SECOND_ARGUMENT)]
    steps += [(EQUAL, 0, 1, F_SETLEASE), (GIVE, 0, 0, REFUSE), (GIVE, 0, 0, ALLOW)]
    return b"".join(struct.pack("HBBI", *step) for step in steps)
