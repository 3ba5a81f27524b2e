"""Compiled loops where nothing is stored, and where many begin at once; Ctrl-C."""

import os
import runpy
import shutil
import signal
import subprocess
import sys
import threading
import warnings
from functools import partial
from pathlib import Path

import pytest

import ttt_lib
from ttt_lib import compiled, evaluation, game, policy
from ttt_lib.interrupts import held

pytestmark = pytest.mark.slow

LIBRARY = Path(ttt_lib.__file__).parent
# The exact result of random play on a small board, from loops of two rooms.
PROGRAM = """
from ttt_lib import compiled
compiled.PATIENCE = 0  # before any loop is made
from ttt_lib import evaluation, game, policy
small = game.tables(2, 3, 3)
random = policy.uniform(small.legal)
def result(*_):
    return evaluation.win_draw_loss(small, random, random)[0].tolist()
"""
ONE = PROGRAM + "print(result())"
EIGHT = """
import sys, threading
from concurrent.futures import ThreadPoolExecutor
sys.setswitchinterval(1e-5)
together = threading.Barrier(8)
def at_once(_):
    together.wait()
    return result()
with ThreadPoolExecutor(8) as threads:
    found = list(threads.map(at_once, range(8)))
assert all(each == found[0] for each in found)
print(found[0])
"""


def here():
    """Return what the programs print, from loops that have long been compiled."""
    small = game.tables(2, 3, 3)
    random = policy.uniform(small.legal)
    return f"{evaluation.win_draw_loss(small, random, random)[0].tolist()}\n"


def started(program, **environment):
    """Return a process that runs a program, away from the checkout."""
    return subprocess.Popen(
        [sys.executable, "-P", "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(LIBRARY.parent), **environment},
    )


def said(process):
    """Return what a process has written, once it has ended well."""
    out, err = process.communicate()
    assert process.returncode == 0, err
    return out, err


def test_an_installation_that_may_not_be_written_to_needs_no_home(tmp_path):
    copy = tmp_path / "ttt_lib"
    shutil.copytree(LIBRARY, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in (copy, *(path for path in copy.rglob("*") if path.is_dir())):
        (folder / "__pycache__").touch()  # not even root can make this folder
    home = str(tmp_path / "ttt_lib" / "__init__.py" / "home")
    nowhere = {"HOME": home, "XDG_CACHE_HOME": home, "NUMBA_CACHE_DIR": home}
    out, err = said(started(ONE, PYTHONPATH=str(tmp_path), **nowhere))
    assert err.count("Compiled loops cannot be stored") == 1
    assert out == here()


def test_processes_and_threads_that_all_compile_at_once_agree(tmp_path):
    cold = {"NUMBA_CACHE_DIR": str(tmp_path)}
    at_once = [started(program, **cold) for program in (ONE, PROGRAM + EIGHT)]
    found = [said(process)[0] for process in at_once]
    assert found == [here()] * 2


# What Numba is asked for, whether it is installed or not


class Made:
    """What the Numba below makes of a function: it runs, and says how it was made."""

    def __init__(self, function, options):
        self.function, self.options, self._numba_type_ = function, options, self

    def __call__(self, *args, **named):
        return self._compile_for_args(*args, **named)

    def _compile_for_args(self, *args, **named):
        return self.function(*args, **named)


class Numba:
    """Numba as far as it is asked; it finds no place for a loop if it is `full`."""

    def __init__(self, full=False):
        self.full = full

    def njit(self, **options):
        if self.full and options.get("cache"):
            raise RuntimeError("no place")
        return partial(Made, options=options)


def twice(number):
    return 2 * number


def down(number):
    return number and down(number - 1)


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize(
    "loop", [compiled.compiled, compiled.allocating, compiled.bounded]
)
def test_a_loop_is_stored_where_there_is_a_place_and_the_same_where_there_is_none(
    monkeypatch, loop, full
):
    compiled._say_that_nothing_is_stored.cache_clear()
    monkeypatch.setitem(sys.modules, "numba", Numba(full))
    monkeypatch.setattr(compiled, "_new", [])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        one, other = loop(twice), loop(down)
        assert one.called is None, "nobody has called it"
        assert [one(3), one(number=4), other(3)] == [6, 8, 0]
    assert len(told) == full, "once is enough"
    assert not full or "NUMBA_CACHE_DIR" in str(told[0].message)
    assert not full or told[0].filename == __file__, "of who called the loop"
    found = one.called.options, one._numba_type_.options
    for options in found:
        assert bool(options.get("boundscheck")) == (loop is compiled.bounded)
        assert options.get("_nrt", True) == (loop is compiled.allocating)
    python, loops = ({*options} for options in found)
    assert loops - python == {"no_cpython_wrapper"}
    assert python - loops == (set() if full else {"cache"})
    assert other._numba_type_ is other.called, "whoever calls itself is one loop"
    compiled._say_that_nothing_is_stored.cache_clear()


def test_ctrl_c_is_held_back_while_a_loop_is_made_and_compiled(monkeypatch, ctrl_c):
    made = []

    def pressed(*args):
        ctrl_c()
        made.append(args)

    prepare = compiled._prepare
    monkeypatch.setattr(
        compiled, "_prepare", lambda loop: (prepare(loop), pressed("made"))
    )
    monkeypatch.setitem(sys.modules, "numba", Numba())
    monkeypatch.setattr(compiled, "_new", [])
    loop = compiled.compiled(pressed)
    for done in ([("made",)], [("made",), ("compiled",)]):
        with pytest.raises(KeyboardInterrupt):
            loop("compiled")
        assert made == done


def test_without_numba_a_loop_is_plain_python(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    loop = compiled.compiled(twice)
    assert loop(3) == 6
    assert loop.called is loop.py_func is twice


def test_a_brief_loop_compiles_when_it_was_called_a_few_times(monkeypatch):
    monkeypatch.setattr(compiled, "compiled", lambda function: lambda _: "compiled")
    loop = compiled.brief(twice)
    assert loop(number=1) == 2
    found = [loop(1) for _ in range(compiled.PATIENCE + 1)]
    assert found == [2] * (compiled.PATIENCE - 1) + ["compiled"] * 2
    assert loop.py_func is twice


@pytest.mark.parametrize("most", [1, 3])
@pytest.mark.parametrize("games", [0, 1, 2, 3, 7])
def test_pieces_are_as_large_as_they_may_be_and_together_all_games(
    monkeypatch, most, games
):
    monkeypatch.setattr(compiled, "PIECE", most)
    pieces = compiled.in_pieces(lambda state, more: (*state, more), (), games)
    assert sum(pieces) == games
    assert len(pieces) == max(1, -(-games // most))
    assert max(pieces) <= most


def test_a_piece_ends_before_ctrl_c_is_heard_which_takes_its_state_along(
    monkeypatch, ctrl_c
):
    def play(state, games):
        ctrl_c()
        return state + games

    monkeypatch.setattr(compiled, "PIECE", 3)
    with pytest.raises(KeyboardInterrupt) as stop:
        compiled.in_pieces(play, 0, 7)
    assert stop.value.so_far == 3


@pytest.mark.parametrize("room", [".", "doors"])
def test_a_stored_loop_that_is_older_than_any_file_is_made_anew(tmp_path, room):
    (tmp_path / "doors").mkdir()
    copy = tmp_path / "compiled.py"
    shutil.copy(compiled.__file__, copy)
    (tmp_path / "doors" / "one.py").touch()
    edited = max(file.stat().st_mtime for file in tmp_path.rglob("*.py"))
    folder = tmp_path / room / "__pycache__"
    folder.mkdir()
    for name, age in (("older", 1), ("as_old", 0), ("younger", -1)):
        (folder / f"{name}.nbi").touch()
        os.utime(folder / f"{name}.nbi", (edited - age, edited - age))
    runpy.run_path(str(copy))
    left = {file.stem for file in folder.glob("*.nbi")}
    assert left == {"as_old", "younger"}


# Ctrl-C, held back


def test_ctrl_c_is_heard_after_what_holds_it_once_and_not_if_it_is_taken(ctrl_c):
    def press(times):
        with held() as pressed:
            for _ in range(times):
                ctrl_c()
            assert len(pressed) == times

    press(0)
    for times in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            press(times)
    before = signal.getsignal(signal.SIGINT)
    with held() as pressed:
        ctrl_c()
        pressed.clear()
    with pytest.raises(ZeroDivisionError), held():
        1 / 0  # noqa: B018
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(KeyboardInterrupt):
        ctrl_c()


def test_what_hears_ctrl_c_is_told_of_it_as_always(ctrl_c):
    heard = []
    signal.signal(signal.SIGINT, lambda *signs: heard.append(signs))
    with held():
        ctrl_c()
        assert heard == []
    ((sign, _),) = heard
    assert sign == signal.SIGINT


def test_ctrl_c_that_is_ignored_or_of_another_thread_is_left_as_it_is(ctrl_c):
    found = []

    def work():
        with held() as pressed:
            found.append((signal.getsignal(signal.SIGINT), pressed))

    before = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    work()
    with held() as pressed:
        ctrl_c()
    assert found == [(before, []), (signal.SIG_IGN, [])]
    assert pressed == []
    assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
