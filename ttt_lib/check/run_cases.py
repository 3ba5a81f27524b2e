"""Asking a student's function: what it gives, what it does besides, and where it fails.

A loop without an end is stopped by a signal, on Linux and macOS, and in the main thread
alone: that is where a notebook's cells run.
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
OTHERS = tuple(  # folders of code that no student writes
    str(folder.resolve())
    for folder in (Path(sys.prefix), Path(linecache.__file__).parent, LIBRARY)
)


class CallResult(NamedTuple):
    """What came of one case."""

    answer: object  #: as plain data, or Failed
    given: object = None  #: the answer in the form in which it was given
    line: str = ""  #: the line of the student's code that raised, or ""
    changed: int = -1  #: number of an argument that was changed, or −1


class TooLongError(BaseException):
    """Ends what takes too long; a student's `except Exception` does not catch it."""


def run_cases(function, cases, patience=None):
    """Return the Asked of each Case, all of them within some seconds."""
    found, patience = [], patience or TIMEOUT
    try:
        with _timeout(patience):
            for case in cases:
                found.append(_run_case(function, case))
    except TooLongError:
        pass
    why = Failed(f"nothing after {patience} seconds{ENDLESS}")
    return found + [CallResult(why)] * (len(cases) - len(found))


def _run_case(function, case):
    args, given, line = deepcopy(case.args), None, ""

    def told(*args):
        nonlocal given, line
        try:
            given = function(*args)
        except Exception as error:
            line = _line(error.__traceback__, function)
            raise
        return given

    found = answer(told, args)
    return CallResult(found, given, line, changed(args, case.args, given))


def changed(args, before, given):
    """Return the number of an argument that was changed, or −1.

    The first one may be a table that is changed and given back: that is no surprise.
    """
    pairs = enumerate(zip(args, before, strict=True))
    found = [i for i, (now, then) in pairs if _differ(now, then)]
    return next((i for i in found if i > 0 or args[i] is not given), -1)


def _line(traceback, function):
    """Return the last line of a traceback in the cell of a function.

    Where there is none, it is the last one in any other cell.
    """
    own, found = getattr(getattr(function, "__code__", None), "co_filename", ""), {}
    while traceback is not None:
        file, number = traceback.tb_frame.f_code.co_filename, traceback.tb_lineno
        text = linecache.getline(file, number).strip()
        if text and not file.startswith(OTHERS):
            found[file == own] = f"line {number}: {text}"
        traceback = traceback.tb_next
    return found.get(True) or found.get(False, "")


def _differ(one, two):
    try:
        return plain(one, 9) != plain(two, 9)
    except Exception:  # something is in it that no argument has
        return True


@contextmanager
def _timeout(seconds):
    """Raise TooLongError in what runs longer, again and again until it ends."""
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
