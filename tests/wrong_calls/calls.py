"""Calls as texts, each judged in one child process, which may die of it or hang.

The child evaluates a text such as `policy.greedy(Q, w.legal, ties='x')` in the names
of `world.py`, and tells what came: an answer, a sentence of ours, or a raw error from
below. What ends the child is told as well, and the next call has a new one.
"""

import contextlib
import hashlib
import io
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from dis import opmap
from pathlib import Path
from types import GeneratorType
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).parents[2]
SECONDS = 10  # of processor time for a call: so a busy machine makes no hang of it
PATIENCE = 600  # seconds for one that sleeps
MEMORY = 2 * 2**30  # bytes beyond those of the child with the library
MOST_SIGNS = 500  # of a sentence: one has the names of all agents
SENTENCES = ValueError, TypeError, OSError, AttributeError


class Came(NamedTuple):
    """What came of a call."""

    kind: str  #: "answer", "sentence", "raw", "crash" or "hang"
    text: str  #: the answer's digest, or what was said


class Child:
    """The process that is fed with calls, and replaced when it has died."""

    def __init__(self, bounds=False):  # whether compiled loops check indices, too
        self.bounds, self.process, self.folder = bounds, None, None

    def ask(self, text, seconds=SECONDS):
        """Return what Came of a call; `seconds` is 0 for as long as it takes."""
        if self.process is None:
            self.process = self._born()
        self.process.stdin.write(json.dumps([text, seconds]) + "\n")
        self.process.stdin.flush()
        if select.select([self.process.stdout], [], [], PATIENCE)[0]:
            line = self.process.stdout.readline()
            if line:
                return Came(*json.loads(line))
        else:
            self.process.kill()
        status = self.process.wait()
        self.close()
        if status in (-signal.SIGPROF, -signal.SIGKILL):
            return Came("hang", f"no answer in {seconds} s of processor time")
        return Came("crash", f"the process ended with status {status}")

    def close(self):
        """End the child, if there is one."""
        if self.process is not None:
            for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
                pipe.close()
            if self.process.poll() is None:
                self.process.kill()
            self.process.wait()
            self.process = None
            self.folder.cleanup()

    def _born(self):
        more = {
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")]),
            "MPLBACKEND": "agg",
            "BROWSER": "true",
            "OPENBLAS_NUM_THREADS": "1",
            "PYTHONWARNINGS": "",  # what is said there would come before "error"
        }
        if self.bounds:  # compiled otherwise, so kept elsewhere, and not after an edit
            edited = max(f.stat().st_mtime for f in (ROOT / "ttt_lib").glob("*.py"))
            kept = ROOT / "build" / f"numba-bounds-{edited:.0f}"
            more |= {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(kept)}
        self.folder = tempfile.TemporaryDirectory()
        allowed = [f"-W{each}" for each in sys.warnoptions]  # as to this process
        process = subprocess.Popen(
            [sys.executable, "-W", "error", *allowed, __file__],
            cwd=self.folder.name,
            env=os.environ | more,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        if not process.stdout.readline():  # it says when it can hear
            raise RuntimeError(process.stderr.read())
        return process


# In the child


def came(text, names, seconds):
    """Return what Came of a call in these names."""
    said, signal_was = io.StringIO(), signal.getsignal(signal.SIGINT)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            return Came("answer", digest(eval(text, names)))
    except BaseException as fault:
        kind = "sentence" if is_ours(fault) else "raw"
        return Came(kind, f"{type(fault).__name__}: {fault}"[:2000])
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGINT, signal_was)


def is_ours(fault):
    """Return whether a `raise` of the library made this error, and not one below."""
    if not isinstance(fault, SENTENCES):
        return False
    last = fault.__traceback__
    while last.tb_next is not None:
        last = last.tb_next
    code = last.tb_frame.f_code
    ours = Path(code.co_filename).is_relative_to(ROOT / "ttt_lib")
    ours = ours or isinstance(fault, RefusedError)
    return ours and code.co_code[last.tb_lasti] == opmap["RAISE_VARARGS"]


def digest(thing):
    """Return a text that is the same for the same answers, whatever their types."""
    return hashlib.sha256(repr(plain(thing)).encode()).hexdigest()[:16]


def plain(thing):
    """Return an answer as lists, texts and numbers; pictures and programs are names."""
    if isinstance(thing, np.longdouble):
        return plain(float(thing))
    if isinstance(thing, np.ndarray | np.generic):
        return plain(thing.tolist())
    if isinstance(thing, np.random.Generator):
        return repr(thing.bit_generator.state)
    if isinstance(thing, dict):
        return [[str(key), plain(value)] for key, value in thing.items()]
    if isinstance(thing, tuple | list | GeneratorType | map | filter):
        return [plain(each) for each in thing]
    if isinstance(thing, bool | int | float):
        return thing + 0.0 if abs(thing) < 2**53 else thing  # no −0.0
    if thing is None or isinstance(thing, str):
        return thing
    inside = getattr(thing, "__dict__", None)
    if inside and type(thing).__module__.startswith("ttt_lib.agents"):
        return plain(inside)
    return type(thing).__name__


class RefusedError(ValueError):
    """What a command has said as it refused."""


def ttt(*arguments):
    """Run a command of the console in this process; RefusedError if it refuses."""
    from ttt_lib.console import cli

    sys.stdin = io.StringIO("0\n4\nq\n")
    sys.stderr.seek(0)
    sys.stderr.truncate()
    status = cli.main([str(each) for each in arguments])
    said = sys.stderr.getvalue()
    if status == 0:
        return said
    assert status in (1, 2), f"exit status {status}"
    assert "Traceback" not in said
    raise RefusedError(said.strip())


def _limit_memory():
    if sys.platform == "linux":
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def main():
    """Answer calls, a line each, until there are no more."""
    lines = sys.stdin
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # for whatever prints from below
    from world import made  # which takes seconds, and saves a file here

    names = made()
    os.dup2(1, 2)
    replies.write("ready\n")
    replies.flush()
    _limit_memory()
    for line in lines:
        text, seconds = json.loads(line)
        found = came(text, names() | {"ttt": ttt}, seconds)
        replies.write(f"{json.dumps(found)}\n")
        replies.flush()


if __name__ == "__main__":
    main()
