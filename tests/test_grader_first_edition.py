"""A class graded by the first edition: its files are read, and its marks are kept.

`tests/data/first_edition/class` was written by its code for three students; the
gradebook has a mark and a comment by a person. Assignments had numbers then.
"""

import contextlib
import json
import os
import shutil
import sqlite3
from collections import Counter
from pathlib import Path

import pytest
import submissions
from test_grader_parts import examine_nothing

from assignments.grader import course, grade, gradebook, report, results, sandbox

CLASS = Path(__file__).parent / "data" / "first_edition" / "class"
OLD_NAME = "01_game"


@pytest.fixture
def place(tmp_path):
    """The course as the first edition left it."""
    for name in ("grades.csv", "results"):
        (tmp_path / OLD_NAME).mkdir(exist_ok=True)
        copy = shutil.copytree if (CLASS / name).is_dir() else shutil.copy
        copy(CLASS / name, tmp_path / OLD_NAME / name)
    with contextlib.closing(sqlite3.connect(gradebook.place(tmp_path))) as book:
        book.executescript((CLASS / "gradebook.sql").read_text("utf-8"))
    return tmp_path


def test_first_edition_table_and_results_are_read(place):
    rows = {row["id"]: row for row in course.graded(place, OLD_NAME)}
    totals = {who: row["total"] for who, row in rows.items()}
    assert totals == {"ada": "18", "bob": "10", "kim": "0"}
    assert report._mistakes(place / OLD_NAME / "results", {*rows}) == {
        "winner": Counter({"rows only": 1})
    }
    for file in (place / OLD_NAME / "results").glob("*.json"):
        result = results.read_result(file, "0123456789abcdef0123", "any")
        assert result is None, "it is not valid in this edition"
        assert "format" not in json.loads(file.read_text("utf-8"))
        scores = results.read(file)["scores"].values()
        assert sum(scores) == float(rows[file.stem]["total"])


def marks(place):
    """Return {student: {grade_id: (points, manual points)}}, and the comments."""
    with gradebook.open_gradebook(place) as book:
        grades = gradebook._grades(book, OLD_NAME)
        notebook = book.find_submission_notebook(OLD_NAME, OLD_NAME, "ada")
        comments = {each.name: each.comment for each in notebook.comments}
        return {
            who: {name: (each.score, each.manual_score) for name, each in by_id.items()}
            for who, by_id in grades.items()
        }, comments


@pytest.mark.slow
def test_first_edition_marks_stay_when_another_assignment_is_entered(
    place, monkeypatch
):
    before, comments = marks(place)
    assert {who: sum(own[name][0] for name in own) for who, own in before.items()} == {
        "ada": 21,
        "bob": 10,
    }
    assert before["ada"]["essay"] == (3, 3)
    assert comments["essay"] == "Well said."
    examine_nothing(monkeypatch)
    monkeypatch.setenv("PATH", os.environ["PATH"])  # prepare_path changes it
    (place / "in").mkdir()
    solved = json.dumps(submissions.solution(submissions.GAME))
    (place / "in" / f"ada_{submissions.GAME}.ipynb").write_text(solved)
    roll = [course.Student("ada", "Ada Lovelace"), course.Student("lin", "Lin Li")]
    limits = sandbox.Limits()
    rest = place / "in", roll, place, "secret", limits, "", 1, False, lambda text: None
    assert grade.grade(submissions.GAME, *rest)["ada"]["status"] == "graded"
    assert marks(place) == (before, comments)
    assert gradebook.knows(place, submissions.GAME)
