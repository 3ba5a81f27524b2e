"""Compiled loops where nothing is stored, and where many begin at once."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ttt_lib
from ttt_lib import evaluation, game, policy

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
