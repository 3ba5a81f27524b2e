"""Studies: what is stored comes out again, and is all that a page needs."""

import json
from importlib import import_module

import numpy as np
import pytest
import studies

from ttt_lib.studies import FOLDER, load

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", studies.NAMES)
def test_stored_results_come_out_again(name):
    study, stored = import_module(f"studies.{name}"), load(name).results
    assert stored.shape[:2] == (len(study.SETTINGS), study.SEEDS)
    # Every setting with its first seed; one seed more changes no other.
    np.testing.assert_array_equal(studies.run(study, seeds=1, jobs=1), stored[:, :1])


@pytest.mark.parametrize("name", studies.NAMES)
def test_what_is_stored_is_what_the_program_says(name, tmp_path, monkeypatch):
    study, stored = import_module(f"studies.{name}"), load(name)
    assert vars(stored).keys() == {"results", *studies.constants(study)}
    for constant, value in studies.constants(study).items():
        assert getattr(stored, constant) == value
    assert list(stored.SETTINGS) == list(study.SETTINGS), "in the order of the results"
    monkeypatch.setattr(studies, "FOLDER", tmp_path)
    studies.store(study, stored.results)
    (again,) = tmp_path.iterdir()
    assert again.read_bytes() == (FOLDER / again.name).read_bytes()


def test_every_program_has_stored_results_and_the_reverse():
    assert sorted(file.stem for file in FOLDER.glob("*.json")) == studies.NAMES
    for name in studies.NAMES:
        assert json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def test_an_unknown_study_is_refused_with_the_names():
    with pytest.raises(ValueError, match=r"name = 'td': the studies are matchboxes, "):
        load("td")
