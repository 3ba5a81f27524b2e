"""Empty environments, filled from PyPI: by who reads the book, and by who studies."""

import os
import shutil
import subprocess
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OUTSIDE = {"PYTHONPATH", "VIRTUAL_ENV"}  # nothing of this environment is lent


@pytest.fixture
def clone(tmp_path):
    """A copy of the files that a clone would have, with changes not yet committed."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    for name in listed.stdout.decode().splitlines():
        if (ROOT / name).is_file():
            (tmp_path / "clone" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / "clone" / name)
    return tmp_path / "clone"


@pytest.fixture
def run(tmp_path):
    """What runs a program of an empty environment, and returns what it said."""
    venv.create(tmp_path / "empty", with_pip=True)
    programs = tmp_path / "empty" / ("Scripts" if os.name == "nt" else "bin")
    known = {k: v for k, v in os.environ.items() if k not in OUTSIDE}

    def run(program, *arguments, cwd, typed=""):
        done = subprocess.run(
            [programs / program, *map(str, arguments)],
            cwd=cwd,
            env=known,
            input=typed,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert not done.returncode, done.stdout[-5000:]
        return done.stdout

    return run


def test_requirements_alone_build_the_book_and_run_its_chapters(clone, run):
    run("pip", "install", "-r", "requirements.txt", cwd=clone)
    run("jupyter-book", "build", ".", cwd=clone)
    assert (clone / "_build" / "html" / "index.html").exists()
    said = run("pytest", "--nbval", "book", "-p", "no:cacheprovider", cwd=clone)
    assert "passed" in said


@pytest.mark.parametrize("extra", ["", "[class]"])
def test_a_student_s_install_plays_and_brings_no_jupyter_book(
    extra, clone, run, tmp_path
):
    run("pip", "install", f"{clone}{extra}", cwd=tmp_path)
    shutil.rmtree(clone)  # nothing of the checkout is used
    brought = run("pip", "list", "--format=freeze", cwd=tmp_path).lower()
    assert "numpy==" in brought
    assert ("nbgrader==" in brought) == (extra == "[class]")
    assert "jupyter-book==" not in brought
    program = "from ttt_lib import check; from ttt_lib.board import Board; Board()"
    run("python", "-c", program, cwd=tmp_path)
    assert "Your move, X" in run("ttt", "play", "random", cwd=tmp_path, typed="q\n")


def test_make_play_needs_the_library_alone(clone):
    done = subprocess.run(
        ["make", "play", "AGAINST=random"],
        cwd=clone,
        env={k: v for k, v in os.environ.items() if k not in OUTSIDE},
        input="q\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Your move, X" in done.stdout
    assert not (clone / ".venv").exists()
