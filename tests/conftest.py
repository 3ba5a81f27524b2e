"""Settings for all tests, Ctrl-C, and the fixture that takes compiled loops away."""

import io
import os
import signal
import sys
from itertools import product

import pytest
from hypothesis import HealthCheck, settings

from ttt_lib.compiled import compiled

# An example may have to wait for a compiled function, or for a busy machine.
patient = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("book", **patient)
settings.load_profile("book")

os.environ.setdefault("KMP_INIT_AT_FORK", "FALSE")  # as joblib does when it comes
os.environ.pop("MPLBACKEND", None)  # a notebook draws into its page, nowhere else


@pytest.fixture(autouse=True)
def environment():
    """Nothing; a test that changes the environment for those after it fails."""
    before = dict(os.environ)
    yield
    now = dict(os.environ)
    pettingzoo = "PYGAME_HIDE_SUPPORT_PROMPT", "SDL_AUDIODRIVER"  # set at its import
    for one, name in product((before, now), ("PYTEST_CURRENT_TEST", *pettingzoo)):
        one.pop(name, None)
    assert now == before


@pytest.fixture
def uncompiled(monkeypatch):
    """What puts plain Python in the place of all compiled loops of some modules.

    A loop of another module that these call stays compiled unless it is named too.
    """

    def swap(*modules):
        for module in modules:
            found = {
                name: function.py_func
                for name, function in vars(module).items()
                if hasattr(function, "py_func")
            }
            assert found, f"{module.__name__} has no compiled loop"
            for name, loop in found.items():
                monkeypatch.setattr(module, name, loop)

    return swap


@pytest.fixture(params=["compiled", "plain"])
def either(request):
    """What takes a function as loops do, compiled, and then as plain Python."""
    return compiled if request.param == "compiled" else (lambda f: f)


@pytest.fixture
def ctrl_c():
    """What presses Ctrl-C in this process, also where the tests run in background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield lambda: signal.raise_signal(signal.SIGINT)
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def ttt(tmp_path, monkeypatch, capsys):
    """What runs a line of the console in an empty folder: (status, output, errors)."""
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
