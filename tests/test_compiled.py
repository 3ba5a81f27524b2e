"""Compiled loops: caching, concurrent compilation, chunks; deferring Ctrl-C."""

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
# The exact result of random play on a small board, from loops of two modules.
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
    results = list(threads.map(at_once, range(8)))
assert all(each == results[0] for each in results)
print(results[0])
"""


random = policy.uniform(wide.legal)
EXPECTED = f"{evaluation.win_draw_loss(wide, random, random)[0].tolist()}\n"


def start(program, **environment):
    """Return a process that runs a program, outside of the repository."""
    return subprocess.Popen(
        [sys.executable, "-P", "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(LIBRARY.parent), **environment},
    )


def output(process):
    """Return (stdout, stderr) of a process, which must succeed."""
    out, err = process.communicate()
    assert process.returncode == 0, err
    return out, err


def test_read_only_installation_without_home_works(tmp_path):
    copy = tmp_path / "ttt_lib"
    shutil.copytree(LIBRARY, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in (copy, *(path for path in copy.rglob("*") if path.is_dir())):
        (folder / "__pycache__").touch()  # so that not even root can create this folder
    home = str(tmp_path / "ttt_lib" / "__init__.py" / "home")
    nowhere = {"HOME": home, "XDG_CACHE_HOME": home, "NUMBA_CACHE_DIR": home}
    out, err = output(start(ONE, PYTHONPATH=str(tmp_path), **nowhere))
    assert err.count("Compiled loops cannot be stored") == 1
    assert out == EXPECTED


def test_concurrent_compilation_gives_equal_results(tmp_path):
    cold = {"NUMBA_CACHE_DIR": str(tmp_path)}
    at_once = [start(program, **cold) for program in (ONE, PROGRAM + EIGHT)]
    results = [output(process)[0] for process in at_once]
    assert results == [EXPECTED] * 2


def test_in_chunks_plays_all_games_in_chunks(monkeypatch):
    for most, games in product((1, 3), (0, 1, 2, 3, 7)):
        monkeypatch.setattr(compiled, "CHUNK_SIZE", most)
        chunks = compiled.in_chunks(lambda state, more: (*state, more), (), games)
        assert sum(chunks) == games
        assert len(chunks) == max(1, -(-games // most))
        assert max(chunks) <= most


def test_in_chunks_defers_ctrl_c_and_attaches_the_state(monkeypatch, ctrl_c):
    def play(state, games):
        ctrl_c()
        return state + games

    monkeypatch.setattr(compiled, "CHUNK_SIZE", 3)
    with pytest.raises(KeyboardInterrupt) as stop:
        compiled.in_chunks(play, 0, 7)
    assert stop.value.so_far == 3


def test_all_folders_with_loops_are_searched_for_stale_caches():
    with_loops = {
        file.parent
        for file in LIBRARY.rglob("*.py")
        if "from ttt_lib.compiled import" in file.read_text(encoding="utf-8")
    }
    assert with_loops == {*compiled.folders}


@pytest.mark.parametrize("folder", [".", "validation"])
def test_stale_cached_loops_are_removed(tmp_path, folder):
    (tmp_path / "validation").mkdir()
    copy = tmp_path / "compiled.py"
    shutil.copy(compiled.__file__, copy)
    (tmp_path / "validation" / "one.py").touch()
    edited = max(file.stat().st_mtime for file in tmp_path.rglob("*.py"))
    cache = tmp_path / folder / "__pycache__"
    cache.mkdir()
    for name, age in (("older", 1), ("as_old", 0), ("younger", -1)):
        (cache / f"{name}.nbi").touch()
        os.utime(cache / f"{name}.nbi", (edited - age, edited - age))
    runpy.run_path(str(copy))
    left = {file.stem for file in cache.glob("*.nbi")}
    assert left == {"as_old", "younger"}


def test_defer_sigint_raises_once_unless_cleared(ctrl_c):
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


def test_defer_sigint_leaves_other_threads_and_ignored_signals_alone(ctrl_c):
    seen = []

    def work():
        with defer_sigint() as pressed:
            seen.append((signal.getsignal(signal.SIGINT), pressed))

    before = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    work()
    with defer_sigint() as pressed:
        ctrl_c()
    assert seen == [(before, []), (signal.SIG_IGN, [])]
    assert pressed == []
    assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
