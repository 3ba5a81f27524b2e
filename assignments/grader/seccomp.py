"""Seccomp filter for bubblewrap: system calls that isolated code must not make.

They use what no namespace separates: leases on files, for which other processes have
to wait, the keys of a user, and the modes of devices, which root could change. Or they
access bubblewrap's own process, which ends the sandbox when the grader ends, and could
be made not to; or they hold memory that belongs to no process.
"""

import errno
import platform
import struct

# By machine: seccomp's number of it, and the numbers of fcntl, of the chmod family, and
# of blocked calls: the setxattr family; add_key, request_key, keyctl; io_uring_setup,
# which makes calls that no filter sees; ptrace, process_vm_readv, process_vm_writev,
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
X32 = 0x40000000  # first number of the calls of the x32 ABI
CALL, MACHINE, SECOND_ARGUMENT = 0, 4, 24  # offsets in seccomp_data
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
ALLOW, ERROR = 0x7FFF0000, 0x00050000
DENY, PRETEND = ERROR | errno.EPERM, ERROR


def program(machine=None):
    """Return the filter (bytes), empty for an unknown machine.

    A change of mode does nothing but succeeds, because copying a file makes one.
    """
    numbers = MACHINES.get(machine or platform.machine())
    if numbers is None:
        return b""
    audit_arch, fcntl, modes, blocked = numbers
    steps = [(LOAD, 0, 0, MACHINE), (EQUAL, 1, 0, audit_arch), (RETURN, 0, 0, DENY)]
    steps += [(LOAD, 0, 0, CALL), (AT_LEAST, 0, 1, X32), (RETURN, 0, 0, DENY)]
    for calls, answer in ((blocked, DENY), (modes, PRETEND)):
        for call in calls:
            steps += [(EQUAL, 0, 1, call), (RETURN, 0, 0, answer)]
    steps += [(EQUAL, 1, 0, fcntl), (RETURN, 0, 0, ALLOW)]
    steps += [(LOAD, 0, 0, SECOND_ARGUMENT), (EQUAL, 0, 1, F_SETLEASE)]
    steps += [(RETURN, 0, 0, DENY), (RETURN, 0, 0, ALLOW)]
    return b"".join(struct.pack("HBBI", *step) for step in steps)
