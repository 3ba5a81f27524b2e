"""Calls as texts, each judged in one child process, which may die of it or hang.

The child evaluates a text such as `policy.greedy(Q, w.legal, ties='x')` in the names of
`world` and tells what came: an answer, a sentence of ours, or a raw error from below.
What ends the child is told as well, and the next call has a new one.
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

ROOT = Path(__file__).parents[1]
SECONDS = 10  # of processor time for a call: so a busy machine makes no hang of it
PATIENCE = 600  # seconds for one that sleeps
MEMORY = 2 * 2**30  # bytes beyond those of the child with the library
MOST_SIGNS = 400  # of a sentence
SENTENCES = ValueError, TypeError, FileNotFoundError, AttributeError


class Came(NamedTuple):
    """What came of a call."""

    kind: str  #: "answer", "sentence", "raw", "crash" or "hang"
    text: str  #: the answer's digest, or what was said


class Child:
    """The process that is fed with calls, and replaced when it has died."""

    def __init__(self, bounds=False):
        self.bounds, self.process = bounds, None

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
            self.process.stdin.close()
            self.process.stdout.close()
            if self.process.poll() is None:
                self.process.kill()
            self.process.wait()
            self.process = None

    def _born(self):
        more = {
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")]),
            "MPLBACKEND": "agg",
            "BROWSER": "true",
            "OPENBLAS_NUM_THREADS": "1",
        }
        if self.bounds:  # compiled otherwise, so kept elsewhere
            kept = ROOT / "build" / "numba-bounds"
            more |= {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(kept)}
        return subprocess.Popen(
            [sys.executable, "-W", "error", __file__],
            env=os.environ | more,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )


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
    ours = ours or isinstance(fault, Told)
    return ours and code.co_code[last.tb_lasti] == opmap["RAISE_VARARGS"]


def digest(thing):
    """Return a text that is the same for the same answers, whatever their types."""
    return hashlib.sha256(repr(plain(thing)).encode()).hexdigest()[:16]


def plain(thing):
    """Return an answer as lists, texts and numbers; pictures and programs are names."""
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


class Told(ValueError):
    """What a command has said as it refused."""


def ttt(*arguments):
    """Run a command of the console in this process; Told is what it refuses."""
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
    raise Told(said.strip())


def world():
    """Return the function that gives the names which a call may use, new each time."""
    from matplotlib.figure import Figure

    from ttt_lib import agents, board, check, doors, evaluation, game, learning, mdp
    from ttt_lib import menace, notation, planning, plots, policy, rules, runs
    from ttt_lib import schedules, search, studies
    from ttt_lib.agents import learners, names, own, plain, players, recipes, storage
    from ttt_lib.board import settings
    from ttt_lib.studies import parts

    modules = {n: x for n, x in locals().items() if n not in ("Figure", "doors")}

    def rng(seed=0):
        return np.random.default_rng(seed)

    def ax():
        return Figure().add_subplot()

    def halves(legal, seed):
        """Return a policy of halves, quarters, …: the same numbers in every form."""
        table, chance = np.zeros(legal.shape), rng(seed)
        for row, free in zip(table, legal, strict=True):
            cells = chance.permutation(np.flatnonzero(free))
            row[cells] = 0.5 ** np.arange(1, len(cells) + 1)
            row[cells[-1:]] *= 2
        return table

    def eighths(shape, seed):
        return rng(seed).integers(-8, 9, shape) / 8

    w, g = game.tables(2, 3, 3), game.tables()
    p, other = halves(w.legal, 1), halves(w.legal, 2)
    Q = eighths(w.legal.shape, 3) * w.legal
    m = mdp.against(w, p, 1)
    mp, mq = mdp.from_cells(m, other), eighths(len(m.action), 4)
    n = len(m.position)
    made = {
        name: learning.new_learner(w, method, rng())
        for name, method in {
            "L": "q_learning", "LV": "td_afterstates", "LJ": "td_prediction",
            "LD": "double_q_learning",
        }.items()
    }  # fmt: skip
    made["L"] = learning.train(w, made["L"], 20, other, 1)
    whole = [0]
    while not w.terminal[game.positions(w, whole)[-1]]:
        whole.append(int(w.action[game.positions(w, whole)[-1], 0]))

    class Mine(agents.OwnLearner):
        def learn(self, game, steps):
            for step in steps:
                self.Q[step.s, step.a] += 0.1 * (step.r - self.Q[step.s, step.a])

    arrays = {
        "p": p, "other": other, "Q": Q, "V": Q.max(axis=1), "mp": mp, "mq": mq,
        "mV": eighths(n, 5), "legal": w.legal.copy(), "cells": w.board[9].copy(),
        "cells9": g.board[9].copy(), "illegal": halves(np.ones(w.legal.shape, bool), 6),
        "to_move": w.to_move.copy(), "lines": w.lines.copy(), "first": m.first,
        "action": w.action[:, 0] * 1, "among": w.legal.copy(), "some": ~w.terminal,
        "P": np.tile(np.eye(4), (2, 1, 1)).transpose(1, 0, 2) / 2, "R": np.eye(4)[:, :2],
        "start": np.full(4, 0.25), "order": np.arange(6)[::-1].copy(),
        "values": np.arange(6) / 8, "u9": policy.uniform(g.legal),
        "Q9": search.solve(g).Q, "counts": np.array([3, 0, 2]),
    }  # fmt: skip
    fixed = modules | made | {
        "np": np, "nan": np.nan, "inf": np.inf, "w": w, "g": g, "m": m, "whole": whole,
        "m9": mdp.against(g, arrays["u9"], 1), "rng": rng, "ax": ax, "Mine": Mine,
        "S": len(w.code), "n": n, "N": len(m.action), "Schedule": schedules.Schedule,
        "L9": learning.new_learner(g, "q_learning", rng()),
        "B": menace.new_matchboxes(w, rng()), "B9": menace.new_matchboxes(g, rng()),
        "agent": agents.to_agent(w, made["L"], "mine", "By hand."),
        "agent9": agents.load_shipped("perfect"),
        "player": agents.player(w, made["L"]), "name": names.parse("teacher 0.5"),
        "own": Mine(w, rng()), "question": check.QUESTIONS["winner"],
        "path": __import__("pathlib").Path, "MappingProxy": type(storage.NOTHING),
    }  # fmt: skip
    fixed["module_own"] = own  # its name is that of an object
    agents.save(agents.to_agent(g, fixed["L9"], "mine", "By hand."), "mine.json")

    def fresh():
        return fixed | FORMS | {name: x.copy() for name, x in arrays.items()}

    return fresh


def _spread(array):
    """Return an array of the same numbers, with others between them in memory."""
    array = np.asarray(array)
    wide = np.zeros([2 * size for size in array.shape], array.dtype)
    part = wide[(slice(None, None, 2),) * array.ndim]
    part[...] = array
    return part


def _frozen(array):
    array.setflags(write=False)
    return array


def put(array, place, value):
    """Return an array of float with one number replaced, counted along its rows."""
    array = np.array(array, dtype=float)
    array.flat[place] = value
    return array


FORMS = {  # the same numbers, held in another way
    "single": lambda array: array.astype(np.float32),
    "long": lambda array: array.astype(np.longdouble),
    "swapped": lambda array: array.astype(array.dtype.newbyteorder()),
    "fortran": lambda array: np.asfortranarray(array),
    "spread": _spread,
    "backwards": lambda array: array[::-1].copy()[::-1],
    "frozen": _frozen,
    "listed": lambda array: array.tolist(),
    "objects": lambda array: array.astype(object),
    "put": put,
}


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
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        fresh = world()
        _limit_memory()
        for line in lines:
            text, seconds = json.loads(line)
            replies.write(json.dumps(came(text, fresh() | {"ttt": ttt}, seconds)) + "\n")
            replies.flush()


if __name__ == "__main__":
    main()
