"""Sandbox for untrusted student code: a process of its own, inside bubblewrap."""

import builtins
import contextlib
import json
import os
import secrets
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from functools import cache
from pathlib import Path
from typing import NamedTuple

import ttt_lib
from assignments.grader import processes, runner, seccomp
from ttt_lib.check.stored import pack

RUNNER = Path(runner.__file__).resolve()
LIBRARY = Path(ttt_lib.__file__).resolve().parent
MAX_ANSWER_BYTES = 2 * runner.MAX_ANSWER  # of one answer
PIPE = 65536  # bytes that a pipe holds
DISK = 256 * 2**20  # bytes
FILES = 100_000  # at most, because the disk is memory, and empty files take some
FIRST = -15  # priority (nice value) of the grader, if it is permitted
MANY = 8  # times the limit of processes, which does not bind the superuser
WEIGHING = 0.25  # seconds between two checks of the memory
# Names of errors that an answer may have: any other name could carry a message.
OWN = "an error of its own"
LAST_LINE = 10_000  # largest line number that is reported
FORMS = ("value", "changed"), ("error", "line", "went_on")  # keys of answers
ERRORS = {runner.UNDEFINED, runner.TOO_LONG}
ERRORS |= {
    name
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException)
}


class Limits(NamedTuple):
    """Limits of one submission."""

    cell_seconds: float = 20.0  #: for a cell
    call_seconds: float = 5.0  #: for a call of a function
    start_seconds: float = 60.0  #: for Python to start
    submission_seconds: float = 600.0  #: for everything together
    memory: int = (
        1536 * 2**20
    )  #: bytes of address space, and of resident memory of all processes
    file_size: int = 20 * 2**20  #: bytes of a file
    disk: int = DISK  #: bytes of all files, if isolated
    processes: int = 64  #: including threads; see also MANY
    restarts: int = 12  #: of its process after a crash


class ProcessDied(Exception):  # noqa: N818  it names an event
    """The student's process has ended; the message is the reason."""


@cache
def isolation():
    """Return "" if bubblewrap works here, else the reason why it does not."""
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed"
    passed = _filter()
    try:
        works = _works(_bubble(DISK, passed), passed)
    except (OSError, subprocess.SubprocessError) as error:
        return f"bubblewrap does not start: {type(error).__name__}"
    finally:
        _close(passed)
    return "" if works else "bubblewrap does not work on this machine"


def _works(command, passed):
    """Return whether a command can start Python and import the library."""
    done = subprocess.run(
        [*command, sys.executable, "-c", "import numpy, ttt_lib.check"],
        capture_output=True,
        timeout=120,
        env=_environment("/tmp"),
        pass_fds=passed,
    )
    return done.returncode == 0


@cache
def _narrow():
    """Return bubblewrap's options against nested sandboxes, [] if not supported.

    In a sandbox of its own, code could make a larger disk in memory.
    """
    options = ["--unshare-user", "--disable-userns"]
    done = subprocess.run(
        ["bwrap", *options, "--ro-bind", "/", "/", "true"],
        capture_output=True,
        timeout=60,
    )
    return options if done.returncode == 0 else []


@cache
def _fonts():
    """Return matplotlib's font lists; without them it takes seconds to make one."""
    import matplotlib.font_manager  # makes the list if it is missing

    return tuple(Path(matplotlib.get_cachedir()).glob("fontlist-*.json"))


def _environment(home):
    """Return an environment for student code, with nothing of the grader's."""
    return {
        "PATH": os.defpath,
        "HOME": home,
        "TMPDIR": home,
        "LANG": "C.UTF-8",
        "MPLBACKEND": "Agg",
        "MPLCONFIGDIR": f"{home}/.matplotlib",
        "IPYTHONDIR": f"{home}/.ipython",
        "NUMBA_CACHE_DIR": f"{home}/.numba",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": str(LIBRARY.parent),  # the same library as the grader's
    }


def _filter():
    """Return a tuple of the file descriptor of the seccomp filter, or ()."""
    program = seccomp.program()
    if not program:
        return ()
    end, begin = os.pipe()
    os.write(begin, program)  # the filter is much smaller than a pipe
    os.close(begin)
    return (end,)


def _close(descriptors):
    for descriptor in descriptors:
        os.close(descriptor)


def _bubble(disk, passed):
    """Return bubblewrap's command; inside are only Python and the library.

    disk: bytes that can be written into /tmp; /dev/shm has a sixteenth of it.
    passed: file descriptors of the seccomp filter.
    """
    command = ["bwrap", "--unshare-all", *_narrow()]
    command += ["--die-with-parent", "--new-session"]
    command += ["--cap-drop", "ALL", "--uid", "65534", "--gid", "65534"]
    for descriptor in passed:
        command += ["--seccomp", str(descriptor)]
    command += ["--proc", "/proc", "--dev", "/dev"]
    for folder, size in (("/tmp", disk), ("/dev/shm", disk // 16)):
        command += ["--size", str(size), "--tmpfs", folder]
    for folder in ("/bin", "/lib", "/lib64"):
        if Path(folder).is_symlink():
            command += ["--symlink", str(Path(folder).readlink()), folder]
        else:
            command += ["--ro-bind-try", folder, folder]
    visible = ["/usr", "/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts"]
    visible += [sys.base_prefix, sys.prefix, str(LIBRARY), str(RUNNER)]
    # The Python to which a virtual environment links may be in another folder.
    visible += [str(Path(sys.executable).resolve().parents[1])]
    for path in dict.fromkeys(visible):
        if path == "/":
            raise OSError("Python is installed in /, so nothing can be hidden")
        command += ["--ro-bind-try", path, path]
    for fonts in _fonts():
        command += ["--ro-bind", str(fonts), f"/tmp/.matplotlib/{fonts.name}"]
    for path in ("/proc", "/dev", "/"):  # root could change the system by /proc
        command += ["--remount-ro", path]
    return [*command, "--chdir", "/tmp"]


def _take_rank(rank):
    """Set the priority of this thread and its children, if permitted."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, rank)


class Sandbox:
    """Sandbox for student code; after `with`, no isolated process is left."""

    def __init__(self, limits, isolated):
        self.limits, self.isolated = limits, isolated
        self.ended, self.rank = False, os.getpriority(os.PRIO_PROCESS, 0)
        self.living, self.lock = set(), threading.Lock()

    def __enter__(self):
        # Root has no limit on the number of processes. To see and kill a thousand of
        # them, the grader needs a higher priority, which root can take.
        _take_rank(FIRST)
        return self

    def __exit__(self, *_):
        self.end()
        _take_rank(self.rank)

    def student(self):
        """Return a new Student, a context manager."""
        return Student(self)

    def end(self):
        """End all students and prevent new ones."""
        with self.lock:
            self.ended = True
            for student in self.living:
                student.let_go()


class Student:
    """Running process of a student; `with` makes sure that it ends."""

    def __init__(self, sandbox):
        self.sandbox, self.limits = sandbox, sandbox.limits
        self.end = float("inf")  # monotonic time at which the submission must end
        self.buffer, self.weighed, self.begun = b"", float("inf"), None
        with sandbox.lock:
            if sandbox.ended:
                raise RuntimeError("the grader was interrupted")
            # Without bubblewrap, code can also write elsewhere.
            self.home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
            self.process = self._start()
            sandbox.living.add(self)
        os.set_blocking(self.process.stdin.fileno(), False)

    def _start(self):
        limits, isolated, passed = self.limits, self.sandbox.isolated, ()
        # Outside a sandbox, the limit would count all processes of the teacher.
        count = limits.processes if isolated else -1
        limited = limits.memory, limits.file_size, count, limits.submission_seconds
        numbers = (int(number) for number in (*limited, self.sandbox.rank))
        command = [sys.executable, "-P", str(RUNNER), *map(str, numbers)]
        home = "/tmp" if isolated else self.home.name
        if isolated:
            passed = _filter()
            command = [*_bubble(limits.disk, passed), *command]
        else:
            fonts = Path(home, ".matplotlib")
            fonts.mkdir()
            for file in _fonts():
                shutil.copy(file, fonts)
        try:
            return subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(home),
                cwd=self.home.name,
                start_new_session=True,  # a process group, to end its children with it
                bufsize=0,
                pass_fds=passed,
            )
        finally:
            _close(passed)

    def __enter__(self):
        try:
            next(self._answers(time.monotonic() + self.limits.start_seconds))
        except ProcessDied as error:
            self.__exit__()
            raise RuntimeError(f"Python does not start for students: {error}") from None
        self.weighed = 0.0
        return self

    def __exit__(self, *_):
        with self.sandbox.lock:
            self.let_go()
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
        with self.sandbox.lock:
            self.sandbox.living.discard(self)
        self.home.cleanup()

    def let_go(self):
        """End the process, its group and its descendants; the sandbox must be locked.

        Right after its start, bubblewrap's children do not end with it yet.
        """
        if self.process.returncode is None:
            self._signal_group(signal.SIGSTOP)  # so that it starts no other process
            for process in processes.descendants(self.process.pid)[1:]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            self._signal_group(signal.SIGKILL)

    def _signal_group(self, number):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def run(self, cell):
        """Run a cell; return None, or {"error": …, "line": …} of its first exception.

        It also has "went_on" if further statements of the cell ran after the exception.
        """
        answer = self._ask({"cell": cell}, self.limits.cell_seconds)
        return None if answer.get("error") is None else _checked_error(answer)

    def call(self, name, args):
        """Return the answer {"value": …} or {"error": …, "line": …} of a function.

        A value comes with the index of a "changed" argument, if there is one.
        """
        order = {"name": name, "args": [pack(argument) for argument in args]}
        answer = self._ask(order, self.limits.call_seconds)
        if "value" not in answer:
            return _checked_error(answer)
        changed = answer.pop("changed", None)
        is_index = type(changed) is int and 0 <= changed < len(args)
        return answer | ({"changed": changed} if is_index else {})

    def _ask(self, order, seconds):
        order["order"] = number = secrets.token_hex(8)
        end = min(time.monotonic() + seconds, self.end)
        self._send(json.dumps(order).encode() + b"\n", end)
        # Lines that student code writes itself have a wrong number or form.
        for answer in self._answers(end):
            is_ours = answer.pop("order", None) == number
            if is_ours and any(
                first in answer and answer.keys() <= {first, *others}
                for first, *others in FORMS
            ):
                return answer

    def _send(self, line, end):
        """Write an order, in pieces because the process may not be reading."""
        stream = self.process.stdin.fileno()
        while line:
            left = end - time.monotonic()
            if left <= 0 or not select.select([], [stream], [], left)[1]:
                raise ProcessDied("timed out")
            try:
                line = line[os.write(stream, line) :]
            except BlockingIOError:
                continue
            except OSError:
                raise ProcessDied("crashed") from None

    def _answers(self, end):
        """Yield the JSON objects in the lines of the output, until a time.

        Output that is already waiting at that time is still read: it came in time.
        """
        stream, late = self.process.stdout, 0
        while True:
            left = end - time.monotonic()
            self._check_usage()
            wait = max(0, min(left, WEIGHING))
            if late >= PIPE or not select.select([stream], [], [], wait)[0]:
                if left <= 0:
                    raise ProcessDied("timed out")
                continue
            part = os.read(stream.fileno(), PIPE)
            if not part:
                raise ProcessDied("crashed")
            late += len(part) if left <= 0 else 0
            *lines, self.buffer = (self.buffer + part).split(b"\n")
            if len(self.buffer) > MAX_ANSWER_BYTES:
                raise ProcessDied("crashed")
            for line in lines:
                with contextlib.suppress(ValueError, RecursionError):
                    if isinstance(answer := json.loads(line), dict):
                        yield answer

    def _check_usage(self):
        """Raise ProcessDied if threads, files or memory exceed the limits.

        The system's own limit of processes does not apply to root.
        """
        if not processes.LINUX or time.monotonic() < self.weighed + WEIGHING:
            return
        self.weighed = time.monotonic()
        pids = processes.descendants(self.process.pid)
        if sum(map(processes.threads, pids)) > MANY * self.limits.processes:
            raise ProcessDied("crashed")
        if self.sandbox.isolated and processes.files(pids) > FILES:
            raise ProcessDied("crashed")
        sizes = [*map(processes.resident, pids)]
        if self.begun is None:
            self.begun = max(sizes, default=0)
        # Forks share the memory held at the start; the exact amount is slow to find.
        total = sum(max(size - self.begun, size // 4) for size in sizes)
        if total > self.limits.memory:
            raise ProcessDied("crashed")


def _checked_error(answer):
    """Return {"error": …, "line": …} of an untrusted answer; an unknown line is 0.

    It also has "went_on" if the rest of a cell ran.
    """
    error, line = answer["error"], answer.get("line")
    return {
        "error": error if isinstance(error, str) and error in ERRORS else OWN,
        "line": line if type(line) is int and 0 < line < LAST_LINE else 0,
    } | ({"went_on": True} if answer.get("went_on") is True else {})
