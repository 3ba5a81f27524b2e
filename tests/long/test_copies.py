"""Copies of the notebooks in an empty kernel: each installs what it needs."""

import functools
import http.server
import sys
import threading
import venv

import nbformat
import outside
import pytest
from address_extension import alone
from downloads import pack_notebooks
from outside import environment, programs
from pages import NOTEBOOKS, ROOT


@pytest.fixture
def home(tmp_path):
    """The address of a site with only the zip of the notebooks."""
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
    """A function that runs Python: that of an empty kernel, or another."""
    venv.create(tmp_path / "empty", with_pip=True)
    env = environment()
    env["JUPYTER_PATH"] = str(tmp_path / "kernels" / "share" / "jupyter")
    empty = programs(tmp_path / "empty") / "python"

    def run(arguments, python=empty, cwd=tmp_path):
        return outside.run([python, *arguments.split()], cwd, env)

    run("-m pip install --quiet ipykernel")
    run(f"-m ipykernel install --name empty --prefix {tmp_path / 'kernels'}")
    return run


def test_notebook_copies_run_in_kernel_without_library(home, run, tmp_path):
    assert "ttt-lib" not in run("-m pip list")
    for path in NOTEBOOKS:
        folder = tmp_path / path.stem
        folder.mkdir()
        page = path.relative_to(ROOT).with_suffix("").as_posix()
        nbformat.write(alone(nbformat.read(path, 4), page, home), folder / "copy.ipynb")
        convert = "-m nbconvert --execute --to notebook --output ran copy.ipynb"
        kernel = " --ExecutePreprocessor.kernel_name=empty"
        run(convert + kernel, python=sys.executable, cwd=folder)
    assert "ttt-lib" in run("-m pip list")
