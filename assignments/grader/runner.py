"""The process in which a student's code runs.

Its orders come in as lines of JSON and its answers go out likewise. It knows no right
answer and no points: it only says what the student's code gave, as plain data.
In the sandbox there is nothing else of the grader and no question: of the project this
file and the library alone.
"""

import contextlib
import json
import os
import resource
import sys

MAX_ANSWER = 1_000_000  # characters of an answer
MAX_OPEN_FILES = 128  # files, for some are memory that no other limit counts


UNDEFINED, TOO_LONG = "it is not defined", "an answer that is too long"


def obey(shell, order, plain, changed, unpack, dumps):
    """Return the answer to one order, without what student code could exchange."""
    try:
        if "cell" in order:
            done = shell.run_cell(order["cell"], store_history=False, silent=False)
            error = done.error_before_exec or done.error_in_exec
            if error is None:
                return {"error": None}
            told = {"error": type(error).__name__} | line_of_cell(error)
            return told | {"went_on": getattr(done, "went_on", False)}
        if order["name"] not in shell.user_ns:
            return {"error": UNDEFINED}
        args = unpack(order["args"])
        given = shell.user_ns[order["name"]](*args)
        answer = {"value": plain(given)}
        if len(dumps(answer)) > MAX_ANSWER:
            return {"error": TOO_LONG}
        return answer | {"changed": changed(args, unpack(order["args"]), given)}
    except BaseException as error:
        told = {"error": type(error).__name__}
        return told | line_of(error, shell.user_ns.get(order.get("name")))


def line_of(error, function):
    """Return {"line": number} if an error was raised in the cell of a function."""
    cell = getattr(getattr(function, "__code__", None), "co_filename", "")
    lines = [line for code, line in trace(error) if code.co_filename == cell]
    return {"line": lines[-1]} if lines else {}


def line_of_cell(error):
    """Return {"line": number} of the line at which a cell stopped, if it is known."""
    if isinstance(error, SyntaxError):
        return {"line": error.lineno} if error.lineno else {}
    lines = [line for code, line in trace(error) if code.co_name == "<module>"]
    return {"line": lines[0]} if lines else {}  # others are of what it imports


def trace(error):
    """Yield (code, line) of each step on the way to an error."""
    step = error.__traceback__
    while step is not None:
        yield step.tb_frame.f_code, step.tb_lineno
        step = step.tb_next


def mend_streams():
    """Open anew what cells print into, where one has closed or taken it away."""
    for name in ("stdout", "stderr"):
        try:
            getattr(sys, name).flush()
        except Exception:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            setattr(sys, name, os.fdopen(nowhere, "w"))


def restrict(limit, most):
    """Lower a limit, if most ≥ 0; one that the system does not know is left out."""
    with contextlib.suppress(ValueError, OSError):
        hard = resource.getrlimit(limit)[1]
        if hard != resource.RLIM_INFINITY:
            most = min(most, hard)
        if most >= 0:
            resource.setrlimit(limit, (most, most))


def main(memory, file_size, processes, seconds, rank):
    """Obey orders until there are no more."""
    os.setpriority(os.PRIO_PROCESS, 0, rank)
    orders = os.fdopen(os.dup(0), "r", encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):  # nobody reads what is printed, nobody answers input()
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
    # Nobody reads tracebacks here, and with a full memory they take long to write.
    shell.showtraceback = shell.showsyntaxerror = lambda *_, **__: None
    from ttt_lib.check.judge import plain
    from ttt_lib.check.run_cases import changed
    from ttt_lib.check.stored import unpack

    # Bound here, before any student code: what that exchanges in `json` is its own.
    dumps, loads, getpid, leave = json.dumps, json.loads, os.getpid, os._exit
    own = getpid()
    answers.write("{}\n")
    answers.flush()
    for line in orders:
        order = loads(line)
        mend_streams()
        answer = obey(shell, order, plain, changed, unpack, dumps)
        if getpid() != own:  # a copy, which would take orders that are not for it
            leave(0)
        answers.write(dumps({"order": order["order"]} | answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
