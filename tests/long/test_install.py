"""Installation from PyPI into empty environments: the book, the extras, the wheel.

Tests of a Python that is not installed are skipped. uv resolves the lowest versions.
"""

import os
import platform
import shutil
import subprocess
import sys
import venv

import outside
import pytest
from outside import ROOT, environment, programs

WITH_WHEELS = ("linux", "x86_64"), ("linux", "aarch64")
PYTHONS = "python3.11", "python3.12", "python3.13"
LOWEST = "--resolution", "lowest-direct"


@pytest.fixture
def clone(tmp_path):
    return outside.clone(tmp_path / "clone")


@pytest.fixture(scope="module")
def uv(tmp_path_factory):
    """The program uv, in an environment of its own."""
    folder = tmp_path_factory.mktemp("uv")
    venv.create(folder, with_pip=True)
    command = [programs(folder) / "python", "-m", "pip", "install", "-q", "uv"]
    subprocess.run(command, check=True)
    return programs(folder) / "uv"


@pytest.fixture
def wheel(clone, tmp_path):
    """The wheel of the library, built as `make dist` does."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", tmp_path]
    subprocess.run([*command, clone], check=True, capture_output=True)
    return next(tmp_path.glob("*.whl"))


@pytest.fixture
def python(request):
    """The Python of the test's own parameter, by default this one."""
    name = getattr(request, "param", sys.executable)
    if not shutil.which(name) or subprocess.run([name, "-V"], check=False).returncode:
        pytest.skip(f"{name} is not installed")
    return name


@pytest.fixture
def run(tmp_path, python):
    """A function that runs a program of an empty environment and returns its output."""
    empty = tmp_path / "empty"
    subprocess.run([python, "-m", "venv", empty], check=True)

    def run(program, *arguments, cwd, typed=""):
        env = environment()
        env["PATH"] = os.pathsep.join([str(programs(empty)), env["PATH"]])
        return outside.run([programs(empty) / program, *arguments], cwd, env, typed)

    return run


def test_requirements_build_the_book_and_run_its_chapters(clone, run):
    run("pip", "install", "-r", "requirements.txt", cwd=clone)
    run("jupyter-book", "build", ".", cwd=clone)
    assert (clone / "_build" / "html" / "index.html").exists()
    output = run("pytest", "--nbval", "book", "-p", "no:cacheprovider", cwd=clone)
    assert "passed" in output


@pytest.mark.skipif(
    (sys.platform, platform.machine()) not in WITH_WHEELS,
    reason="some packages have no wheel there",
)
def test_lock_installs_wheels_with_hashes(clone, run):
    # Building a package would install build tools, which have no hashes.
    only = ["--require-hashes", "--only-binary", ":all:"]
    run("pip", "install", *only, "-r", "requirements.lock", cwd=clone)
    library = ["--no-deps", "--no-build-isolation", "--editable", "."]
    run("pip", "install", *library, cwd=clone)
    run("pip", "check", cwd=clone)
    assert "Your move, X" in run("ttt", "play", "random", cwd=clone, typed="q\n")


def check_library(run, folder):
    """Assert that the library and its program work in a folder outside a checkout."""
    program = "from ttt_lib import check; from ttt_lib.board import Board; Board()"
    run("python", "-c", program, cwd=folder)
    assert "Your move, X" in run("ttt", "play", "random", cwd=folder, typed="q\n")


def test_class_extra_plays_without_jupyter_book(clone, run, tmp_path):
    run("pip", "install", f"{clone}[class]", cwd=tmp_path)
    shutil.rmtree(clone)  # the checkout must not be used
    installed = run("pip", "list", "--format=freeze", cwd=tmp_path).lower()
    assert "nbgrader==" in installed
    assert "jupyter-book==" not in installed
    check_library(run, tmp_path)


def install(uv, run, *what):
    """Install packages with uv; build nothing but the library."""
    python = run("python", "-c", "import sys; print(sys.executable)", cwd=ROOT)
    command = [uv, "pip", "install", "--quiet", "--python", python.strip()]
    subprocess.run([*command, "--no-build", *what], check=True)


@pytest.mark.parametrize("versions", [LOWEST, ()], ids=["lowest", "newest"])
@pytest.mark.parametrize("python", PYTHONS, indirect=True)
def test_wheel_plays_and_installs_no_extras(versions, wheel, uv, run, tmp_path):
    install(uv, run, *versions, wheel)
    installed = run("python", "-m", "pip", "list", cwd=tmp_path).lower()
    assert "numba" in installed.split()
    assert not {"jupyter-book", "nbgrader", "mypy"} & {*installed.split()}
    check_library(run, tmp_path)


@pytest.mark.parametrize("python", PYTHONS, indirect=True)
def test_unit_tests_pass_with_lowest_versions(clone, wheel, uv, run, monkeypatch):
    install(uv, run, *LOWEST, f"{wheel}[dev]")
    ignore = "ignore::DeprecationWarning"  # old versions call deprecated functions
    monkeypatch.setenv("PYTHONWARNINGS", ignore)
    quick = "--ignore=tests/browser", "-m", "not slow and not long"
    two = "-n", "2", "--dist", "loadfile"
    output = run("pytest", "tests", *quick, *two, "-W", ignore, cwd=clone)
    assert " passed" in output


def test_wheel_is_typed(wheel, uv, run, tmp_path):
    install(uv, run, wheel, "mypy")
    program = tmp_path / "program.py"
    program.write_text(
        "from ttt_lib import mdp, planning, policy\n"
        "from ttt_lib.game import tables\n"
        "game = tables()\n"
        "text: str = game.string(0)\n"
        "game.colour  # type: ignore[attr-defined]\n"
        "solved = planning.value_iteration(mdp.from_opponent(game, game.legal), 1.0)\n"
        "solved.V.shape, solved.policies  # type: ignore[attr-defined]\n"
    )
    # An ignored error that does not occur is an error, too.
    options = "--warn-unused-ignores", "--ignore-missing-imports"
    assert "Success" in run("mypy", *options, program, cwd=tmp_path)


def test_make_play_needs_only_the_library(clone):
    output = outside.run(["make", "play", "AGAINST=random"], clone, typed="q\n")
    assert "Your move, X" in output
    assert not (clone / ".venv").exists()
