"""The course: releases and the gradebook, both nbgrader's."""

import ast
import contextlib
import csv
import json
import logging
import os
import re
import sqlite3
import sys
import warnings
from pathlib import Path
from typing import NamedTuple

from traitlets.config import Config

from assignments.questions import QUESTIONS

# Stands in the place of a solution, and runs: so a program to be repaired runs too.
STUB = "...  # your code here"
SOURCE = Path(__file__).resolve().parents[1] / "source"


class ReleaseCell(NamedTuple):
    """A cell of the student version."""

    id: str
    grade_id: str  #: "" if nbgrader does not know the cell
    kind: str  #: "setup", "answer", "test", "essay" or ""
    source: str


class Question(NamedTuple):
    """A check cell `check.key(name)`: what it is worth, and what it asks for."""

    grade_id: str
    answer_id: str  #: grade_id of the cell with the answer
    key: str  #: name of the question
    name: str  #: name of the student's function or value
    points: float
    title: str
    is_value: bool  #: whether any value will do: a prediction


class Essay(NamedTuple):
    """A text that a person marks."""

    grade_id: str
    points: float
    title: str


class Release(NamedTuple):
    """An assignment as students get it."""

    name: str
    title: str
    cells: tuple  #: ReleaseCells
    questions: tuple  #: Questions
    essays: tuple  #: Essays
    shown: tuple  #: sources of code cells that need not be run again
    notebook: dict  #: the file


def names():
    """Return the names of all assignments."""
    return sorted(path.parent.name for path in SOURCE.glob("*/*.ipynb"))


def api(course):
    """Return nbgrader's API for a course folder."""
    from nbgrader.apps.api import NbGraderAPI
    from nbgrader.coursedir import CourseDirectory

    # nbgrader calls alembic, which lies beside this Python.
    here, path = str(Path(sys.executable).parent), os.environ["PATH"]
    if here not in path.split(os.pathsep):
        os.environ["PATH"] = here + os.pathsep + path
    config = Config()
    config.CourseDirectory.root = str(course)
    config.CourseDirectory.source_directory = str(SOURCE)
    config.ClearSolutions.code_stub = {"python": STUB}
    return NbGraderAPI(CourseDirectory(config=config), config=config)


def write_config(course):
    """Write the settings with which `nbgrader formgrader` finds the course."""
    Path(course).mkdir(parents=True, exist_ok=True)
    (Path(course) / "nbgrader_config.py").write_text(
        "# Written by `make release`.\n"
        "c = get_config()  # noqa: F821\n"
        f"c.CourseDirectory.root = {str(course)!r}\n"
        f"c.CourseDirectory.source_directory = {str(SOURCE)!r}\n"
        f"c.ClearSolutions.code_stub = {{'python': {STUB!r}}}\n",
        encoding="utf-8",
    )


def release(course, name):
    """Make the student version of an assignment; return its file."""
    course = Path(course).resolve()
    write_config(course)
    with _quiet():
        done = api(course).generate_assignment(name)
    if not done["success"]:
        raise SystemExit(f"nbgrader could not release {name}:\n{done.get('log', '')}")
    return course / "release" / name / f"{name}.ipynb"


@contextlib.contextmanager
def _quiet():
    """Keep nbgrader's log to itself."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)


def read_release(course, name):
    """Return the Release of an assignment, made anew where its source is younger."""
    file = Path(course).resolve() / "release" / name / f"{name}.ipynb"
    source = SOURCE / name / f"{name}.ipynb"
    gradebook = Path(course).resolve() / "gradebook.db"
    if not gradebook.exists() or not file.exists() or _younger(source, file):
        file = release(course, name)
    return of_notebook(name, json.loads(file.read_text(encoding="utf-8")))


def of_notebook(name, notebook):
    """Return the Release that a student version is; `notebook` is its JSON."""
    cells, questions, essays, shown = [], [], [], set()
    title = heading = name
    for number, cell in enumerate(notebook["cells"]):
        source = "".join(cell["source"])
        graded = cell["metadata"].get("nbgrader", {})
        kind, points = _kind(graded, cell["cell_type"]), graded.get("points", 0)
        known = ReleaseCell(cell["id"], graded.get("grade_id", ""), kind, source)
        if cell["cell_type"] == "markdown":
            found = re.search(r"^(#+) +(.+)$", source, re.MULTILINE)
            if found and number == 0:
                title = found[2]
            heading = found[2] if found else heading
        if kind == "test":
            key, asked = _asked(source)
            answer = [c for c in cells if c.kind == "answer"][-1].grade_id
            value = QUESTIONS[key].is_value
            item = Question(known.grade_id, answer, key, asked, points, heading, value)
            questions.append(item)
        elif kind == "essay":
            essays.append(Essay(known.grade_id, points, heading))
        if kind in ("test", "") and cell["cell_type"] == "code":
            shown.add(source)
        cells.append(known)
    parts = tuple(cells), tuple(questions), tuple(essays), tuple(sorted(shown))
    return Release(name, title, *parts, notebook)


def _younger(source, file):
    return source.stat().st_mtime > file.stat().st_mtime


def _kind(graded, cell_type):
    if not graded:
        return ""
    if graded["grade"]:
        return "essay" if graded["solution"] else "test"
    if graded["solution"]:
        return "answer"
    return "setup" if cell_type == "code" else ""


def _asked(source):
    """Return (key, name) of a check cell `check.key(name)`."""
    call = ast.parse(source).body[-1].value
    return call.func.attr, call.args[0].id


# The class


class Student(NamedTuple):
    """A row of the roll."""

    id: str
    name: str


def read_roll(path):
    """Return the Students of a CSV file with a column `id`, and perhaps `name`.

    Raises ValueError with one sentence if that cannot be read.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ValueError(f"The roll {path} cannot be read: {error}.") from None
    except UnicodeDecodeError:
        raise ValueError(
            f"The roll {path} cannot be read: save it as CSV in UTF-8."
        ) from None
    first = text.split("\n", 1)[0]
    rows = csv.DictReader(text.splitlines(), delimiter=";" if ";" in first else ",")
    fields = {(field or "").strip().lower(): field for field in rows.fieldnames or ()}
    if "id" not in fields:
        raise ValueError(
            f"The roll {path} has no column `id`: its first line should be `id,name`."
        )
    students = []
    for row in rows:
        student = (row[fields["id"]] or "").strip()
        parts = [
            (row.get(fields.get(column)) or "").strip()
            for column in ("name", "first_name", "last_name")
        ]
        if not student:
            continue
        if not re.fullmatch(r"[\w@+-][\w.@+-]*", student):
            raise ValueError(
                f"The id {student!r} on the roll cannot name a file: use letters, "
                "digits and . _ - @ +"
            )
        students.append(Student(student, " ".join(part for part in parts if part)))
    if not students:
        raise ValueError(f"The roll {path} names nobody.")
    double = {s.id for s in students if [t.id for t in students].count(s.id) > 1}
    if double:
        raise ValueError(f"On the roll more than once: {', '.join(sorted(double))}.")
    return students


# The gradebook


class Mark(NamedTuple):
    """What the gradebook says of one question of one student."""

    score: float | None  #: None while it waits for a person
    comment: str


def open_gradebook(course):
    """Return nbgrader's Gradebook of the course; close it with `with`."""
    from nbgrader.api import Gradebook

    return Gradebook(f"sqlite:///{Path(course).resolve() / 'gradebook.db'}")


def is_database(path):
    """Return whether a file is a database that can be read."""
    try:
        with contextlib.closing(sqlite3.connect(path)) as database:
            return database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    except sqlite3.Error:
        return False


def without_tags(name):
    """Return a name that Formgrader, which writes names as HTML, can show."""
    return name.translate({ord("<"): "‹", ord(">"): "›"})


def enter(course, release, roll, results):
    """Write the results into the gradebook; return {student: {grade_id: Mark}}.

    What a person has entered there stays, and is in the Marks.
    """
    from nbgrader.api import MissingEntry

    marks = {}
    with warnings.catch_warnings(), open_gradebook(course) as gradebook:
        warnings.simplefilter("ignore")  # SQLAlchemy's about nbgrader
        for student in roll:
            result = results[student.id]
            gradebook.update_or_create_student(
                student.id, first_name=without_tags(student.name)
            )
            try:
                gradebook.find_submission(release.name, student.id)
            except MissingEntry:
                if result["status"] == "missing":
                    marks[student.id] = {}
                    continue
                gradebook.add_submission(release.name, student.id)
            where = release.name, release.name, student.id
            notebook = gradebook.find_submission_notebook(*where)
            for grade in notebook.grades:
                grade.auto_score = result["scores"].get(grade.name)
                grade.needs_manual_grade = (
                    grade.auto_score is None and grade.manual_score is None
                )
            comments = {
                comment.name: comment.comment or "" for comment in notebook.comments
            }
            gradebook.db.commit()
            marks[student.id] = {
                grade.name: Mark(
                    None if grade.needs_manual_grade else grade.score,
                    comments.get(grade.name, ""),
                )
                for grade in notebook.grades
            }
    return marks
