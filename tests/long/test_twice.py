"""Notebooks in which every cell is run twice, as readers may do."""

import nbformat
import pytest
from nbclient import NotebookClient
from pages import NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run_with_every_cell_twice(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    notebook.cells = [each for cell in cells for each in (cell, cell.copy())]
    for n, cell in enumerate(notebook.cells):
        cell.id = f"cell-{n}"
    resources = {"metadata": {"path": tmp_path}}
    NotebookClient(notebook, timeout=300, resources=resources).execute()
