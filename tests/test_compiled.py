"""Compiled loops where nothing is stored, and where many begin at once; Ctrl-C."""

import os
import runpy
import shutil
import signal
import subprocess
import sys
import threading
from itertools import product
from pathlib import Path

import pytest
from common import wide

import ttt_lib
from ttt_lib import compiled, evaluation, policy
from ttt_lib.interrupts import defer_sigint

pytestmark = pytest.mark.slow

LIBRARY = Path(ttt_lib.__file__).parent
# The exact result of random play on a small board, from loops of two rooms.
PROGRAM = """
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


random = policy.uniform(wide.legal)
HERE = f"{evaluation.win_draw_loss(wide, random, random)[0].tolist()}\n"


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
    assert out == HERE


def test_processes_and_threads_that_all_compile_at_once_agree(tmp_path):
    cold = {"NUMBA_CACHE_DIR": str(tmp_path)}
    at_once = [started(program, **cold) for program in (ONE, PROGRAM + EIGHT)]
    found = [said(process)[0] for process in at_once]
    assert found == [HERE] * 2


def test_pieces_are_as_large_as_they_may_be_and_together_all_games(monkeypatch):
    for most, games in product((1, 3), (0, 1, 2, 3, 7)):
        monkeypatch.setattr(compiled, "CHUNK_SIZE", most)
        pieces = compiled.in_chunks(lambda state, more: (*state, more), (), games)
        assert sum(pieces) == games
        assert len(pieces) == max(1, -(-games // most))
        assert max(pieces) <= most


def test_a_piece_ends_before_ctrl_c_which_takes_its_state_along(monkeypatch, ctrl_c):
    def play(state, games):
        ctrl_c()
        return state + games

    monkeypatch.setattr(compiled, "CHUNK_SIZE", 3)
    with pytest.raises(KeyboardInterrupt) as stop:
        compiled.in_chunks(play, 0, 7)
    assert stop.value.so_far == 3


def test_all_rooms_with_loops_are_searched_for_older_ones():
    with_loops = {
        file.parent
        for file in LIBRARY.rglob("*.py")
        if "from ttt_lib.compiled import" in file.read_text(encoding="utf-8")
    }
    assert with_loops == {*compiled.folders}


@pytest.mark.parametrize("room", [".", "validation"])
def test_a_stored_loop_that_is_older_than_any_file_is_made_anew(tmp_path, room):
    (tmp_path / "validation").mkdir()
    copy = tmp_path / "compiled.py"
    shutil.copy(compiled.__file__, copy)
    (tmp_path / "validation" / "one.py").touch()
    edited = max(file.stat().st_mtime for file in tmp_path.rglob("*.py"))
    folder = tmp_path / room / "__pycache__"
    folder.mkdir()
    for name, age in (("older", 1), ("as_old", 0), ("younger", -1)):
        (folder / f"{name}.nbi").touch()
        os.utime(folder / f"{name}.nbi", (edited - age, edited - age))
    runpy.run_path(str(copy))
    left = {file.stem for file in folder.glob("*.nbi")}
    assert left == {"as_old", "younger"}


def test_ctrl_c_is_heard_after_what_holds_it_once_and_not_if_it_is_taken(ctrl_c):
    def press(times):
        with defer_sigint() as pressed:
            for _ in range(times):
                ctrl_c()
            assert len(pressed) == times

    press(0)
    for times in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            press(times)
    before = signal.getsignal(signal.SIGINT)
    with defer_sigint() as pressed:
        ctrl_c()
        pressed.clear()
    with pytest.raises(ZeroDivisionError), defer_sigint():
        1 / 0  # noqa: B018
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(KeyboardInterrupt):
        ctrl_c()


def test_ctrl_c_that_is_ignored_or_of_another_thread_is_left_as_it_is(ctrl_c):
    found = []

    def work():
        with defer_sigint() as pressed:
            found.append((signal.getsignal(signal.SIGINT), pressed))

    before = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    work()
    with defer_sigint() as pressed:
        ctrl_c()
    assert found == [(before, []), (signal.SIG_IGN, [])]
    assert pressed == []
    assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
