"""Copies of the notebooks in a kernel that has nothing: each fetches what it needs."""

import functools
import http.server
import subprocess
import sys
import threading
import venv

import nbformat
import pytest
from address_extension import alone
from downloads import pack_notebooks
from outside import environment, programs
from pages import NOTEBOOKS, ROOT


@pytest.fixture
def home(tmp_path):
    """The address of a site that has the zip of the notebooks, and nothing else."""
    (tmp_path / "site").mkdir()
    pack_notebooks(ROOT, tmp_path / "site")
    serve = functools.partial(
        http.server.SimpleHTTPRequestHandler, directory=tmp_path / "site"
    )
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture
def run(tmp_path):
    """What runs Python with arguments: that of an empty kernel, or ours beside it."""
    venv.create(tmp_path / "empty", with_pip=True)
    known = environment()
    known["JUPYTER_PATH"] = str(tmp_path / "kernels" / "share" / "jupyter")
    empty = programs(tmp_path / "empty") / "python"

    def run(*arguments, python=empty, cwd=tmp_path):
        done = subprocess.run(
            [python, *map(str, arguments)],
            cwd=cwd,
            env=known,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout[-5000:]

    for command in (
        "-m pip install --quiet ipykernel",
        f"-m ipykernel install --name empty --prefix {tmp_path / 'kernels'}",
    ):
        code, said = run(*command.split())
        assert code == 0, said
    return run


def test_notebook_copies_run_in_kernel_without_library(home, run, tmp_path):
    where = "-c", "import ttt_lib; print(ttt_lib.__file__)"
    _, said = run(*where)
    assert "ModuleNotFoundError" in said
    for path in NOTEBOOKS:
        place = tmp_path / path.stem
        place.mkdir()
        page = path.relative_to(ROOT).with_suffix("").as_posix()
        nbformat.write(alone(nbformat.read(path, 4), page, home), place / "copy.ipynb")
        convert = "-m nbconvert --execute --to notebook --output ran copy.ipynb"
        kernel = "--ExecutePreprocessor.kernel_name=empty"
        code, said = run(*convert.split(), kernel, python=sys.executable, cwd=place)
        assert code == 0, f"{page}: {said}"
    _, said = run(*where)
    assert said.startswith(str(tmp_path / "empty"))
