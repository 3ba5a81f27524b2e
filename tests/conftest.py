"""Settings and fixtures of all tests: uncompiled loops, Ctrl-C, the console."""

import io
import os
import signal
import sys
from itertools import product

import pytest
from hypothesis import HealthCheck, settings

from ttt_lib.compiled import compiled

# An example may wait for compilation, or for a busy machine.
patient = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("book", **patient)
settings.load_profile("book")

os.environ.setdefault("KMP_INIT_AT_FORK", "FALSE")  # as joblib sets it at its import
os.environ.pop("MPLBACKEND", None)  # notebooks need their inline backend


@pytest.fixture(autouse=True)
def environment():
    """Fail a test that leaves environment variables changed."""
    before = dict(os.environ)
    yield
    now = dict(os.environ)
    pettingzoo = "PYGAME_HIDE_SUPPORT_PROMPT", "SDL_AUDIODRIVER"  # set at its import
    for variables, name in product((before, now), ("PYTEST_CURRENT_TEST", *pettingzoo)):
        variables.pop(name, None)
    assert now == before


@pytest.fixture
def uncompiled(monkeypatch):
    """Return a function that replaces all compiled loops of modules by plain Python.

    Loops of other modules stay compiled.
    """

    def swap(*modules):
        for module in modules:
            loops = {
                name: function.py_func
                for name, function in vars(module).items()
                if hasattr(function, "py_func")
            }
            assert loops, f"{module.__name__} has no compiled loop"
            for name, loop in loops.items():
                monkeypatch.setattr(module, name, loop)

    return swap


@pytest.fixture(params=["compiled", "plain"])
def either(request):
    """Return a function that compiles a function, or returns it as plain Python."""
    return compiled if request.param == "compiled" else (lambda f: f)


@pytest.fixture
def ctrl_c():
    """Return a function that presses Ctrl-C, even if tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield lambda: signal.raise_signal(signal.SIGINT)
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def ttt(tmp_path, monkeypatch, capsys):
    """Return a function that runs a command in an empty folder: (status, out, err)."""
    from ttt_lib.console import cli

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    for name in ("COLUMNS", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)

    def run(line, typed=""):
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        status = cli.main(line.split() if isinstance(line, str) else line)
        return status, *capsys.readouterr()

    return run
