"""Plausible mistakes, planted one by one: do the nearest tests find each of them?

    python tools/slips.py                  all of `slips.toml`
    python tools/slips.py evaluation.py    those of one file
    python tools/slips.py --without-laws   without tests/test_laws.py, written for them

Each is planted in a copy of the library, and the tests of its module are run without
the compiler until one fails. The exit status is 1 if any mistake is not found.
"""

import argparse
import importlib
import os
import shutil
import signal
import sys
import tempfile
import tomllib
from pathlib import Path

sys.modules["numba"] = None  # it would compile every loop again for each copy

import pytest  # noqa: E402 (after Numba is disabled)

ROOT = Path(__file__).parents[1]
SLIPS = tomllib.loads((ROOT / "tools/slips.toml").read_text(encoding="utf-8"))["slip"]
TIMEOUT = 150  # seconds of the processor; a mistake that takes longer is not found
LAWS = "tests/test_laws.py"
QUIET = ["-x", "-q", "-p", "no:cacheprovider"]
QUIET += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # it is already loaded
NEAREST = {  # file → tests, if its name does not show them
    "learning.py": ["learning_loops", "learning_targets", "learning_textbook"],
    "agents/custom.py": ["agents_learners"],
    "large_boards/growth.py": ["large_boards_exact"],
    "board/standings.py": ["board"],
    "board/encode.py": ["board"],
}
for name in (  # loaded once, before processes are forked
    *("numpy", "hypothesis", "joblib", "tqdm.auto", "rich.console", "scipy.optimize"),
    *("matplotlib.pyplot", "scipy.sparse.linalg", "gymnasium", "pettingzoo", "IPython"),
    *("anywidget", "ipywidgets"),
):
    importlib.import_module(name)


def nearest(file):
    """Return the names of the tests of a module."""
    if file.endswith(".js"):
        return ["tests/js/test_colours.py"]
    folder, _, name = file.removesuffix(".py").rpartition("/")
    test = folder or name
    if folder in ("large_boards", "approximation"):
        test = f"{folder}_{name}"
    return [f"tests/test_{each}.py" for each in NEAREST.get(file, [test])]


def planted(slip, folder):
    """Write a copy of the tree with one mistake in the library into a folder."""
    for each in ROOT.iterdir():
        if each.name not in ("ttt_lib", ".git", ".venv", "build", "_build"):
            (folder / each.name).symlink_to(each)
    leave_out = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "ttt_lib", folder / "ttt_lib", ignore=leave_out)
    file = folder / "ttt_lib" / slip["file"]
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(slip["old"], slip["new"], 1), encoding="utf-8")


def start_tests(slip, laws, folder):
    """Return the id of a process that runs the tests of a mistake in `folder`."""
    if pid := os.fork():
        return pid
    signal.setitimer(signal.ITIMER_PROF, TIMEOUT)  # ends the process
    planted(slip, folder)
    os.chdir(folder)
    sys.path[:0] = [str(folder)]
    with (folder / "output").open("w") as output:
        for stream in (1, 2):
            os.dup2(output.fileno(), stream)
        tests = [LAWS] * laws + nearest(slip["file"])
        os._exit(pytest.main([*QUIET, *tests]))


def report(slip, status, folder):
    """Print whether a mistake was found, and by which test; return whether."""
    output = (folder / "output").read_text(encoding="utf-8", errors="replace")
    failed = [
        line for line in output.splitlines() if line.startswith(("FAILED", "ERROR"))
    ]
    found = os.WIFEXITED(status) and bool(failed)
    how = failed[0][:100] if found else f"not found: {output[-60:].strip()!r}"
    what = " ".join(slip["new"].split())[:70]
    print(f"{'yes' if found else 'NO '} {slip['file']}: {what}\n    {how}", flush=True)
    return found


def main():
    """Plant the chosen mistakes; return how many were not found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", help="modules, such as evaluation.py")
    parser.add_argument("--without-laws", action="store_true")
    options = parser.parse_args()
    waiting = [s for s in SLIPS if s["file"] in options.files or not options.files]
    running, results = {}, []
    while waiting or running:
        if waiting and len(running) < (os.cpu_count() or 1):
            slip, folder = waiting.pop(0), Path(tempfile.mkdtemp(prefix="slip-"))
            running[start_tests(slip, not options.without_laws, folder)] = slip, folder
            continue
        pid, status = os.wait()
        slip, folder = running.pop(pid)
        results.append(report(slip, status, folder))
        shutil.rmtree(folder)
    print(f"{sum(results)} of {len(results)} mistakes are found.")
    return results.count(False)


if __name__ == "__main__":
    sys.exit(main() > 0)
