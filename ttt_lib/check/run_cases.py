"""Running of a student's function: its answers, its side effects, and where it fails.

An endless loop is stopped by a signal, on Linux and macOS only, and only in the main
thread, where the cells of a notebook run.
"""

import linecache
import signal
import sys
import threading
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import NamedTuple

from ttt_lib.check.judge import Failed, answer, plain

TIMEOUT = 10  # seconds for all cases of a check
ENDLESS = ": is there a loop without an end, or work that is done again and again?"
LIBRARY = Path(__file__).parents[1]
LIBRARY_FOLDERS = tuple(  # of code that is not the student's
    str(folder.resolve())
    for folder in (Path(sys.prefix), Path(linecache.__file__).parent, LIBRARY)
)


class CallResult(NamedTuple):
    """Result of one case."""

    answer: object  #: as plain data, or Failed
    given: object = None  #: the answer as the function returned it
    line: str = ""  #: the line of the student's code that raised, or ""
    changed: int = -1  #: index of an argument that was mutated, or −1


class TooLongError(BaseException):
    """Ends a call that takes too long; `except Exception` does not catch it."""


def run_cases(function, cases, patience=None):
    """Return the CallResult of each Case; `patience` is for all of them, in seconds."""
    results, patience = [], patience or TIMEOUT
    try:
        with _timeout(patience):
            for case in cases:
                results.append(_run_case(function, case))
    except TooLongError:
        pass
    why = Failed(f"nothing after {patience} seconds{ENDLESS}")
    return results + [CallResult(why)] * (len(cases) - len(results))


def _run_case(function, case):
    args, given, line = deepcopy(case.args), None, ""

    def call(*args):
        nonlocal given, line
        try:
            given = function(*args)
        except Exception as error:
            line = _line(error.__traceback__, function)
            raise
        return given

    plain_answer = answer(call, args)
    return CallResult(plain_answer, given, line, changed(args, case.args, given))


def changed(args, before, given):
    """Return the index of an argument that was mutated, or −1.

    A first argument that is mutated and returned does not count: it may be a table.
    """
    pairs = enumerate(zip(args, before, strict=True))
    mutated = [i for i, (now, then) in pairs if _differ(now, then)]
    return next((i for i in mutated if i > 0 or args[i] is not given), -1)


def _line(traceback, function):
    """Return the last line of a traceback in the cell of a function.

    If there is none, return the last one in any other cell, or "".
    """
    cell = getattr(getattr(function, "__code__", None), "co_filename", "")
    lines = {}  # whether it is in that cell → the line
    while traceback is not None:
        file, number = traceback.tb_frame.f_code.co_filename, traceback.tb_lineno
        text = linecache.getline(file, number).strip()
        if text and not file.startswith(LIBRARY_FOLDERS):
            lines[file == cell] = f"line {number}: {text}"
        traceback = traceback.tb_next
    return lines.get(True) or lines.get(False, "")


def _differ(one, two):
    try:
        return plain(one, 9) != plain(two, 9)
    except Exception:  # it now contains something that is not plain data
        return True


@contextmanager
def _timeout(seconds):
    """Raise TooLongError in a block that runs longer, repeatedly until it ends."""
    main = threading.current_thread() is threading.main_thread()
    if not main or not hasattr(signal, "setitimer"):
        yield
        return

    def end(*_):
        raise TooLongError

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
