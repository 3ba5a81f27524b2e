"""Plausible mistakes are planted one by one: do the nearest tests find each of them?

    python tools/slips.py                  all of `slips.toml`
    python tools/slips.py evaluation.py    those of one file
    python tools/slips.py --without-laws   without the laws that were written for them

Each is planted in a copy of the library, and meets the tests of its module, without
the compiler, until one fails. The exit status is 1 if any mistake is not found.
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

sys.modules["numba"] = None  # it would compile every loop anew for each copy

import pytest  # noqa: E402 (after Numba is taken away)

ROOT = Path(__file__).parents[1]
SLIPS = tomllib.loads((ROOT / "tools/slips.toml").read_text(encoding="utf-8"))["slip"]
TIMEOUT = 150  # seconds: what is not found by then is not found
LAWS = "tests/test_laws.py"
QUIET = ["-x", "-q", "-p", "no:cacheprovider"]
QUIET += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # it is loaded already
NEAREST = {  # where the name of the module does not say it
    "learning.py": ["learning_targets", "learning_textbook", "learning_loops"],
    "agents/custom.py": ["agents_learners"],
    "large_boards/growth.py": ["large_boards_exact"],
    "board/standings.py": ["board"],
    "board/tables.py": ["board"],
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
    own = folder or name
    if folder in ("large_boards", "approximation"):
        own = f"{folder}_{name}"
    return [f"tests/test_{each}.py" for each in NEAREST.get(file, [own])]


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


def begun(slip, laws, folder):
    """Return the process that asks the tests of a mistake; it writes into `folder`."""
    if pid := os.fork():
        return pid
    signal.alarm(TIMEOUT)  # ends the process
    planted(slip, folder)
    os.chdir(folder)
    sys.path[:0] = [str(folder)]
    with (folder / "said").open("w") as said:
        for stream in (1, 2):
            os.dup2(said.fileno(), stream)
        tests = [LAWS] * laws + nearest(slip["file"])
        os._exit(pytest.main([*QUIET, *tests]))


def told(slip, status, folder):
    """Print whether a mistake was found, and by which test; return whether."""
    said = (folder / "said").read_text(encoding="utf-8", errors="replace")
    failed = [
        line for line in said.splitlines() if line.startswith(("FAILED", "ERROR"))
    ]
    seen = os.WIFEXITED(status) and bool(failed)
    how = failed[0][:100] if seen else f"not found: {said[-60:].strip()!r}"
    what = " ".join(slip["new"].split())[:70]
    print(f"{'yes' if seen else 'NO '} {slip['file']}: {what}\n    {how}", flush=True)
    return seen


def main():
    """Plant the mistakes that were asked for; return how many were not found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", help="modules, such as evaluation.py")
    parser.add_argument("--without-laws", action="store_true")
    asked = parser.parse_args()
    waiting = [s for s in SLIPS if s["file"] in asked.files or not asked.files]
    running, answers = {}, []
    while waiting or running:
        if waiting and len(running) < (os.cpu_count() or 1):
            slip, folder = waiting.pop(0), Path(tempfile.mkdtemp(prefix="slip-"))
            running[begun(slip, not asked.without_laws, folder)] = slip, folder
            continue
        pid, status = os.wait()
        slip, folder = running.pop(pid)
        answers.append(told(slip, status, folder))
        shutil.rmtree(folder)
    print(f"{sum(answers)} of {len(answers)} mistakes are found.")
    return answers.count(False)


if __name__ == "__main__":
    sys.exit(main() > 0)
