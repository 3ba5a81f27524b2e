"""Student code in a process of its own, inside bubblewrap where that works."""

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
MAX_ANSWER_BYTES = 2 * runner.MAX_ANSWER  # bytes that are read of one answer
PIPE = 65536  # bytes that a pipe holds
DISK = 256 * 2**20
FILES = 100_000  # on a disk of memory, where also an empty one takes some
FIRST = -15  # rank of the grader, if it may
MANY = 8  # times the limit of processes, which does not bind the superuser
WEIGHING = 0.25  # seconds between two looks at the memory
# What an answer may name as an error: any other name could carry a message.
OWN = "an error of its own"
LAST_LINE = 10_000  # of a cell, that is told
FORMS = ("value", "changed"), ("error", "line", "went_on")  # of answers
ERRORS = {runner.UNDEFINED, runner.TOO_LONG}
ERRORS |= {
    name
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException)
}


class Limits(NamedTuple):
    """What one submission may use."""

    cell_seconds: float = 20.0  #: for a cell
    call_seconds: float = 5.0  #: for a call of a function
    start_seconds: float = 60.0  #: for Python to start
    submission_seconds: float = 600.0  #: for everything together
    memory: int = 1536 * 2**20  #: bytes of address space, and of all processes together
    file_size: int = 20 * 2**20  #: bytes of the largest file it may write
    disk: int = DISK  #: bytes of all its files, where it is isolated
    processes: int = 64  #: and threads; see also MANY
    restarts: int = 12  #: how often it may bring its process down


class ProcessDied(Exception):  # noqa: N818  it says what happened
    """The process is no more; says why."""


@cache
def isolation():
    """Return "" if bubblewrap works here, else the reason why isolation is off."""
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
    """Return whether a command can start Python with the library."""
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
    """Return the options, where bubblewrap knows them, against a sandbox in a sandbox.

    In one of its own, code could make a larger disk of memory.
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
    """Return the lists of fonts that matplotlib has; it needs seconds to make one."""
    import matplotlib.font_manager  # makes the list where there is none

    return tuple(Path(matplotlib.get_cachedir()).glob("fontlist-*.json"))


def _environment(home):
    """Return an environment that says nothing about the grader's."""
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
        "PYTHONPATH": str(LIBRARY.parent),  # whichever library Python would find
    }


def _filter():
    """Return descriptors for bubblewrap to read a filter from: one, or none."""
    program = seccomp.program()
    if not program:
        return ()
    end, begin = os.pipe()
    os.write(begin, program)  # much less than a pipe holds
    os.close(begin)
    return (end,)


def _close(descriptors):
    for descriptor in descriptors:
        os.close(descriptor)


def _bubble(disk, passed):
    """Return the command that shows a program Python, the library, and no more.

    It can write into /tmp, which has room for `disk` bytes, and little into /dev/shm.
    What it may ask of the system is read from `passed`, descriptors of a filter.
    """
    command = ["bwrap", "--unshare-all", *_narrow()]
    command += ["--die-with-parent", "--new-session"]
    command += ["--cap-drop", "ALL", "--uid", "65534", "--gid", "65534"]
    for descriptor in passed:
        command += ["--seccomp", str(descriptor)]
    command += ["--proc", "/proc", "--dev", "/dev"]
    for place, size in (("/tmp", disk), ("/dev/shm", disk // 16)):
        command += ["--size", str(size), "--tmpfs", place]
    for folder in ("/bin", "/lib", "/lib64"):
        if Path(folder).is_symlink():
            command += ["--symlink", str(Path(folder).readlink()), folder]
        else:
            command += ["--ro-bind-try", folder, folder]
    shown = ["/usr", "/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts"]
    shown += [sys.base_prefix, sys.prefix, str(LIBRARY), str(RUNNER)]
    # The programs that a virtual environment's python points at may lie elsewhere.
    shown += [str(Path(sys.executable).resolve().parents[1])]
    for place in dict.fromkeys(shown):
        if place == "/":
            raise OSError("Python lies at the root: there is nothing to hide")
        command += ["--ro-bind-try", place, place]
    for fonts in _fonts():
        command += ["--ro-bind", str(fonts), f"/tmp/.matplotlib/{fonts.name}"]
    for place in ("/proc", "/dev", "/"):  # the superuser's /proc sets the system
        command += ["--remount-ro", place]
    return [*command, "--chdir", "/tmp"]


def _take_rank(rank):
    """Set how far this thread and those it starts come before others, if we may."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, rank)


class Sandbox:
    """Where student code runs: `with` leaves no process of it, if it is isolated."""

    def __init__(self, limits, isolated):
        self.limits, self.isolated = limits, isolated
        self.ended, self.rank = False, os.getpriority(os.PRIO_PROCESS, 0)
        self.living, self.lock = set(), threading.Lock()

    def __enter__(self):
        # No limit binds the number of the superuser's processes. To see and to end a
        # thousand of them it takes a rank above theirs, which the superuser may take.
        _take_rank(FIRST)
        return self

    def __exit__(self, *_):
        self.end()
        _take_rank(self.rank)

    def student(self):
        """Return a new Student, for `with`."""
        return Student(self)

    def end(self):
        """End all students, and let no other begin."""
        with self.lock:
            self.ended = True
            for student in self.living:
                student.let_go()


class Student:
    """A running child; `with` makes sure that it ends."""

    def __init__(self, sandbox):
        self.sandbox, self.limits = sandbox, sandbox.limits
        self.end = float("inf")  # when all its time is over
        self.buffer, self.weighed, self.begun = b"", float("inf"), None
        with sandbox.lock:
            if sandbox.ended:
                raise RuntimeError("the grader was interrupted")
            # Without bubblewrap nothing keeps code in it.
            self.home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
            self.process = self._start()
            sandbox.living.add(self)
        os.set_blocking(self.process.stdin.fileno(), False)

    def _start(self):
        limits, isolated, passed = self.limits, self.sandbox.isolated, ()
        # The system counts all processes of the teacher's, but for those in a sandbox.
        most = limits.processes if isolated else -1
        most = limits.memory, limits.file_size, most, limits.submission_seconds
        words = (int(number) for number in (*most, self.sandbox.rank))
        command = [sys.executable, "-P", str(RUNNER), *map(str, words)]
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
                start_new_session=True,  # so that its own children end with it
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
        """End it, its group and all below it; the sandbox must be locked.

        Bubblewrap takes some time until what it starts ends with it.
        """
        if self.process.returncode is None:
            self._signal_group(signal.SIGSTOP)  # it begins no other
            for process in processes.descendants(self.process.pid)[1:]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            self._signal_group(signal.SIGKILL)

    def _signal_group(self, number):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def run(self, cell):
        """Run a cell; return None, or {"error": …, "line": …} of its first exception.

        It has "went_on" too, if other statements of the cell ran after that.
        """
        answer = self._ask({"cell": cell}, self.limits.cell_seconds)
        return None if answer.get("error") is None else _told(answer)

    def call(self, name, args):
        """Return the answer {"value": …} or {"error": …, "line": …} of a function.

        A value comes with the number of an argument that was "changed", if one was.
        """
        order = {"name": name, "args": [pack(argument) for argument in args]}
        answer = self._ask(order, self.limits.call_seconds)
        if "value" not in answer:
            return _told(answer)
        changed = answer.pop("changed", None)
        is_one = type(changed) is int and 0 <= changed < len(args)
        return answer | ({"changed": changed} if is_one else {})

    def _ask(self, order, seconds):
        order["order"] = number = secrets.token_hex(8)
        end = min(time.monotonic() + seconds, self.end)
        self._send(json.dumps(order).encode() + b"\n", end)
        # What student code writes there itself has not the right number, or form.
        for answer in self._answers(end):
            is_ours = answer.pop("order", None) == number
            if is_ours and any(
                first in answer and answer.keys() <= {first, *others}
                for first, *others in FORMS
            ):
                return answer

    def _send(self, line, end):
        """Write an order, to one who may not be reading."""
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
        """Yield the lines that come out, read as JSON; nothing of them is run.

        What waits when the time is over came in time: the grader may have been busy.
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
        """Raise ProcessDied where threads, files or memory are too many.

        The system's own limit of threads does not bind the superuser.
        """
        if not processes.LINUX or time.monotonic() < self.weighed + WEIGHING:
            return
        self.weighed = time.monotonic()
        own = processes.descendants(self.process.pid)
        if sum(map(processes.threads, own)) > MANY * self.limits.processes:
            raise ProcessDied("crashed")
        if self.sandbox.isolated and processes.files(own) > FILES:
            raise ProcessDied("crashed")
        held = [*map(processes.resident, own)]
        if self.begun is None:
            self.begun = max(held, default=0)
        # Copies of it share what it held when it began; how much is costly to ask.
        if sum(max(one - self.begun, one // 4) for one in held) > self.limits.memory:
            raise ProcessDied("crashed")


def _told(answer):
    """Return {"error": …, "line": …} of an answer; a line that is not known is 0.

    It has "went_on" if the rest of a cell ran.
    """
    error, line = answer["error"], answer.get("line")
    return {
        "error": error if isinstance(error, str) and error in ERRORS else OWN,
        "line": line if type(line) is int and 0 < line < LAST_LINE else 0,
    } | ({"went_on": True} if answer.get("went_on") is True else {})
