"""Process in which a student's code runs.

It reads orders as lines of JSON and writes answers as lines of JSON. It has no right
answers and no points: it only returns what the student's code gave, as plain data.
The sandbox contains nothing else of the project but this file and the library.
"""

import contextlib
import json
import os
import resource
import sys

MAX_ANSWER = 1_000_000  # characters of an answer
MAX_OPEN_FILES = 128  # some files are memory that no other limit counts


UNDEFINED, TOO_LONG = "it is not defined", "an answer that is too long"


def obey(shell, order, plain, changed, unpack, dumps):
    """Return the answer to one order, as plain data."""
    try:
        if "cell" in order:
            done = shell.run_cell(order["cell"], store_history=False, silent=False)
            error = done.error_before_exec or done.error_in_exec
            if error is None:
                return {"error": None}
            answer = {"error": type(error).__name__} | line_of_cell(error)
            return answer | {"went_on": getattr(done, "went_on", False)}
        if order["name"] not in shell.user_ns:
            return {"error": UNDEFINED}
        args = unpack(order["args"])
        value = shell.user_ns[order["name"]](*args)
        answer = {"value": plain(value)}
        if len(dumps(answer)) > MAX_ANSWER:
            return {"error": TOO_LONG}
        return answer | {"changed": changed(args, unpack(order["args"]), value)}
    except BaseException as error:
        answer = {"error": type(error).__name__}
        return answer | line_of(error, shell.user_ns.get(order.get("name")))


def line_of(error, function):
    """Return {"line": number} of an error in the cell of a function, else {}."""
    cell = getattr(getattr(function, "__code__", None), "co_filename", "")
    lines = [line for code, line in trace(error) if code.co_filename == cell]
    return {"line": lines[-1]} if lines else {}


def line_of_cell(error):
    """Return {"line": number} of the line at which a cell stopped, or {} if unknown."""
    if isinstance(error, SyntaxError):
        return {"line": error.lineno} if error.lineno else {}
    lines = [line for code, line in trace(error) if code.co_name == "<module>"]
    return {"line": lines[0]} if lines else {}  # further ones are in imported modules


def trace(error):
    """Yield (code, line) of each frame of the traceback of an error."""
    entry = error.__traceback__
    while entry is not None:
        yield entry.tb_frame.f_code, entry.tb_lineno
        entry = entry.tb_next


def mend_streams():
    """Reopen stdout and stderr if a cell has closed or removed them."""
    for name in ("stdout", "stderr"):
        try:
            getattr(sys, name).flush()
        except Exception:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            setattr(sys, name, os.fdopen(nowhere, "w"))


def restrict(limit, most):
    """Lower a resource limit to `most` if that is ≥ 0; ignore unsupported limits."""
    with contextlib.suppress(ValueError, OSError):
        hard = resource.getrlimit(limit)[1]
        if hard != resource.RLIM_INFINITY:
            most = min(most, hard)
        if most >= 0:
            resource.setrlimit(limit, (most, most))


def main(memory, file_size, processes, seconds, rank):
    """Set the limits of this process and obey orders until stdin ends."""
    os.setpriority(os.PRIO_PROCESS, 0, rank)
    orders = os.fdopen(os.dup(0), "r", encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):  # output is not read, and input() gets no answer
        os.dup2(nowhere, stream)
    for limit, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_FSIZE, file_size),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, processes),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_NOFILE, MAX_OPEN_FILES),
    ):
        restrict(limit, most)

    from ttt_lib.check.shell import Shell

    shell = Shell.instance()
    shell.history_manager.enabled = False
    # Tracebacks are not read here, and writing them takes long if memory is full.
    shell.showtraceback = shell.showsyntaxerror = lambda *_, **__: None
    from ttt_lib.check.judge import plain
    from ttt_lib.check.run_cases import changed
    from ttt_lib.check.stored import unpack

    # Bound before any student code runs, which may patch `json` or `os`.
    dumps, loads, getpid, leave = json.dumps, json.loads, os.getpid, os._exit
    pid = getpid()
    answers.write("{}\n")
    answers.flush()
    for line in orders:
        order = loads(line)
        mend_streams()
        answer = obey(shell, order, plain, changed, unpack, dumps)
        if getpid() != pid:  # a forked copy must not take orders
            leave(0)
        answers.write(dumps({"order": order["order"]} | answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
