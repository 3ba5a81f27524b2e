"""Student code in a process of its own, inside bubblewrap where that works."""

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
import time
from functools import cache
from pathlib import Path
from typing import NamedTuple

import ttt_lib
from assignments.grader import child
from ttt_lib.check.stored import pack

CHILD = Path(child.__file__).resolve()
LIBRARY = Path(ttt_lib.__file__).resolve().parent
LONGEST = 2 * child.LONGEST  # bytes that are read of one answer


class Limits(NamedTuple):
    """What one submission may use."""

    cell_seconds: float = 20.0  #: for a cell
    call_seconds: float = 5.0  #: for a call of a function
    start_seconds: float = 60.0  #: for Python to start
    memory: int = 1536 * 2**20  #: bytes of address space
    file_size: int = 20 * 2**20  #: bytes of the largest file it may write
    processes: int = 64  #: and threads, where it is isolated
    restarts: int = 12  #: how often it may bring its process down


class Gone(Exception):  # noqa: N818  it says what happened
    """The process is no more; says why."""


@cache
def isolation():
    """Return ("", …) if bubblewrap works here, else the reason why isolation is off."""
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed"
    try:
        done = subprocess.run(
            [*_bubble(), sys.executable, "-c", "import numpy, ttt_lib.check"],
            capture_output=True,
            timeout=120,
            env=_environment("/tmp"),
        )
    except (OSError, subprocess.SubprocessError) as error:
        return f"bubblewrap does not start: {type(error).__name__}"
    return "" if done.returncode == 0 else "bubblewrap does not work on this machine"


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
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _bubble():
    """Return the command that shows a program Python, the library, and no more."""
    command = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session"]
    command += ["--cap-drop", "ALL", "--uid", "65534", "--gid", "65534"]
    command += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    for folder in ("/bin", "/lib", "/lib64"):
        if Path(folder).is_symlink():
            command += ["--symlink", str(Path(folder).readlink()), folder]
        else:
            command += ["--ro-bind-try", folder, folder]
    shown = ["/usr", "/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts"]
    shown += [sys.base_prefix, sys.prefix, str(LIBRARY), str(CHILD)]
    # The programs that a virtual environment's python points at may lie elsewhere.
    shown += [str(Path(sys.executable).resolve().parents[1])]
    for place in dict.fromkeys(shown):
        if place == "/":
            raise OSError("Python lies at the root: there is nothing to hide")
        command += ["--ro-bind-try", place, place]
    for fonts in _fonts():
        command += ["--ro-bind", str(fonts), f"/tmp/.matplotlib/{fonts.name}"]
    return [*command, "--chdir", "/tmp"]


def _new_home():
    """Return a folder for one student; without bubblewrap nothing keeps code in it."""
    home = tempfile.mkdtemp(prefix="submission-")
    (Path(home) / ".matplotlib").mkdir()
    for fonts in _fonts():
        shutil.copy(fonts, Path(home) / ".matplotlib")
    return home


class Student:
    """A running child; `with` makes sure that it ends."""

    def __init__(self, limits, isolated):
        self.limits = limits
        self.home = None if isolated else _new_home()
        command = [sys.executable, "-P", str(CHILD)]
        command += [str(limits.memory), str(limits.file_size)]
        # Outside a sandbox the limit would count all processes of the teacher.
        command += [str(limits.processes if isolated else -1)]
        self.process = subprocess.Popen(
            [*(_bubble() if isolated else ()), *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment("/tmp" if isolated else self.home),
            cwd=self.home or "/",
            start_new_session=True,  # so that its own children end with it
            bufsize=0,
        )
        os.set_blocking(self.process.stdin.fileno(), False)
        self.buffer = b""

    def __enter__(self):
        try:
            self._answer(self.limits.start_seconds)
        except Gone as error:
            self.__exit__()
            raise RuntimeError(f"Python does not start for students: {error}") from None
        return self

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
        if self.home is not None:
            shutil.rmtree(self.home, ignore_errors=True)

    def run(self, cell):
        """Run a cell; return the name of its exception, or None."""
        error = self._ask({"cell": cell}, self.limits.cell_seconds).get("error")
        return error if error is None else str(error)[:60]

    def value(self, name):
        """Return the answer {"value": …} or {"error": …}: what a name stands for."""
        return self._ask({"name": name}, self.limits.call_seconds)

    def call(self, name, args):
        """Return the answer {"value": …} or {"error": …} of a function."""
        packed = [pack(argument) for argument in args]
        return self._ask({"name": name, "args": packed}, self.limits.call_seconds)

    def _ask(self, order, seconds):
        order["order"] = number = secrets.token_hex(8)
        end = time.monotonic() + seconds
        self._send(json.dumps(order).encode() + b"\n", end)
        while True:  # what student code writes there itself has not the right number
            answer = self._answer(end - time.monotonic())
            if answer.get("order") == number:
                return answer

    def _send(self, line, end):
        """Write an order, to one who may not be reading."""
        stream = self.process.stdin.fileno()
        while line:
            left = end - time.monotonic()
            if left <= 0 or not select.select([], [stream], [], left)[1]:
                raise Gone("timed out")
            try:
                line = line[os.write(stream, line) :]
            except BlockingIOError:
                continue
            except OSError:
                raise Gone("crashed") from None

    def _answer(self, seconds):
        """Return the next line that comes out, read as JSON; nothing of it is run."""
        stream, end = self.process.stdout, time.monotonic() + seconds
        while b"\n" not in self.buffer:
            left = end - time.monotonic()
            if left <= 0 or not select.select([stream], [], [], left)[0]:
                raise Gone("timed out")
            part = os.read(stream.fileno(), 65536)
            if not part:
                raise Gone("crashed")
            self.buffer += part
            if len(self.buffer) > LONGEST:
                raise Gone("crashed")
        line, self.buffer = self.buffer.split(b"\n", 1)
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            return {}
        return answer if isinstance(answer, dict) else {}
