"""The gradebook of a course: nbgrader writes it, and one query reads it.

To import nbgrader takes seconds, so it is not asked for what has not changed.
"""

import contextlib
import os
import sqlite3
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from assignments.grader.files import printable

PATIENCE = 5  # seconds that another program may hold the gradebook
SUBMITTED = """FROM assignment
JOIN submitted_assignment submission ON submission.assignment_id = assignment.id
JOIN submitted_notebook notebook ON notebook.assignment_id = submission.id"""
MARKS = f"""
SELECT submission.student_id, cell.name, grade.auto_score,
  coalesce(grade.manual_score, grade.auto_score, 0) + coalesce(grade.extra_credit, 0),
  grade.manual_score IS NULL, grade.needs_manual_grade
{SUBMITTED}
JOIN grade ON grade.notebook_id = notebook.id
JOIN base_cell cell ON cell.id = grade.cell_id
WHERE assignment.name = ?
"""
COMMENTS = f"""
SELECT submission.student_id, cell.name,
  coalesce(comment.manual_comment, comment.auto_comment)
{SUBMITTED}
JOIN comment ON comment.notebook_id = notebook.id
JOIN base_cell cell ON cell.id = comment.cell_id
WHERE assignment.name = ?
"""
ASKED = """
SELECT cell.name, graded.max_score
FROM assignment
JOIN notebook ON notebook.assignment_id = assignment.id
JOIN base_cell cell ON cell.notebook_id = notebook.id
JOIN grade_cells graded ON graded.id = cell.id
WHERE assignment.name = ?
"""
NAMES = "SELECT id, first_name FROM student"
REVISION = "SELECT max(version_num) FROM alembic_version"


class Mark(NamedTuple):
    """What the gradebook says of one question of one student."""

    score: float | None  #: None while it waits for a person
    comment: str
    by_person: bool = False  #: whether a person has given the score


class Entry(NamedTuple):
    """A score, and what tells whether it is as the grader would enter it."""

    auto: float | None  #: the grader's score
    is_open: bool  #: whether no person has given a score
    waits: bool  #: whether nbgrader calls for a person
    score: float | None  #: of the grader and the person together


def place(course):
    """Return the file of the gradebook of a course."""
    return Path(course).resolve() / "gradebook.db"


def is_there(course):
    """Return whether a course has a gradebook; an empty file is none."""
    file = place(course)
    return file.is_file() and file.stat().st_size > 0


def demand_sound(course):
    """Raise ValueError with advice if there is a gradebook that cannot be used."""
    if {"?", "%"} & set(str(place(course))):
        raise ValueError(
            f"COURSE = {course}: nbgrader reads ? and % in the name of a folder as "
            "something else, so choose another."
        )
    if not is_there(course):
        other = place(course).is_symlink() or place(course).exists()
        if other and not place(course).is_file():
            raise ValueError(advice(place(course), sqlite3.SQLITE_CANTOPEN))
        return
    ((found,),) = _ask(course, "PRAGMA integrity_check(1)")
    if found != "ok":
        raise ValueError(advice(place(course), sqlite3.SQLITE_CORRUPT))
    _ask(course, MARKS, "")  # its tables are nbgrader's
    ((revision,),) = _ask(course, REVISION)
    if revision not in _revisions():
        raise ValueError(
            f"The gradebook {place(course)} was made by a newer nbgrader (revision "
            f"{printable(str(revision))} is unknown to this one): update nbgrader."
        )


def _revisions():
    """Return the revisions of its tables that this nbgrader knows."""
    nbgrader = Path(find_spec("nbgrader").origin).parent
    files = (nbgrader / "alembic" / "versions").glob("*.py")
    return {file.name.partition("_")[0] for file in files}


def asked(course, name):
    """Return {grade_id: points} of an assignment, as the gradebook knows it."""
    return dict(_ask(course, ASKED, name))


def knows(course, name):
    """Return whether anybody has marks for an assignment."""
    return bool(_entries(course, name))


def without_tags(name):
    """Return a name that Formgrader, which writes names as HTML, can show."""
    return name.translate({ord("<"): "‹", ord(">"): "›"})


def enter(course, release, roll, results):
    """Enter the results; return {student: {grade_id: Mark}}.

    What a person has entered stays, and is in the Marks. Those of whom the grader knows
    nothing, because it failed, have no score. Raises ValueError with advice if the
    gradebook cannot be read or written; then nobody's entries have changed.
    """
    items = {item.grade_id for item in (*release.questions, *release.essays)}

    def to_enter():
        names = dict(_ask(course, NAMES))
        return [
            student
            for student in roll
            if names.get(student.id) != without_tags(student.name)
            or not _is_entered(items, results[student.id], entries.get(student.id))
        ]

    entries = _entries(course, release.name)
    if changed := to_enter():
        with _told(course):
            _enter(course, release, changed, results)
        entries = _entries(course, release.name)
        if left := to_enter():
            raise ValueError(
                f"The gradebook {place(course)} does not take the marks of {left[0].id}"
                ": put a copy of it back, or move it away to begin a new one."
            )
    commented = _commented(release)
    rows = _ask(course, COMMENTS, release.name)
    comments = {(student, cell): comment for student, cell, comment in rows if comment}
    marks = {}
    for student in roll:
        if student.id in entries:
            own = {
                grade_id: Mark(
                    None if one.waits else one.score,
                    "\n".join(
                        comments[student.id, cell]
                        for cell in commented.get(grade_id, ())
                        if (student.id, cell) in comments
                    ),
                    not one.is_open,
                )
                for grade_id, one in entries[student.id].items()
            }
        elif results[student.id]["status"] == "missing":
            own = {}
        else:
            own = dict.fromkeys(items, Mark(None, ""))
        marks[student.id] = own
    return marks


def _commented(release):
    """Return {grade_id: cells on which a comment on a question or a text may stand}.

    That is the cell of the answer, for points are on the check cell below; and a text
    on a picture is marked together with the drawing above.
    """
    found = {question.grade_id: (question.answer_id,) for question in release.questions}
    texts = {text.grade_id: (text.drawing, text.grade_id) for text in release.essays}
    return found | texts


def _is_entered(items, result, entries):
    """Return whether the Entries of a student, None if there are none, fit a result."""
    if entries is None:
        return not _is_for_gradebook(result)
    return entries.keys() == items and all(
        entry.auto == result["scores"].get(grade_id)
        and entry.waits == (entry.auto is None and entry.is_open)
        for grade_id, entry in entries.items()
    )


def _is_for_gradebook(result):
    """Return whether a result begins an entry; else it can only change one."""
    return result["status"] not in ("missing", "not graded")


def _enter(course, release, students, results):
    """Enter the results of these students, of all or of none."""
    with warnings.catch_warnings(), open_gradebook(course) as gradebook:
        warnings.simplefilter("ignore")  # SQLAlchemy's about nbgrader
        # nbgrader commits after each step.
        commit, gradebook.db.commit = gradebook.db.commit, gradebook.db.flush
        for student in students:
            result = results[student.id]
            gradebook.update_or_create_student(
                student.id, first_name=without_tags(student.name)
            )
            if _is_for_gradebook(result):
                gradebook.update_or_create_submission(release.name, student.id)
            for grade in _grades(gradebook, release.name, student.id):
                grade.auto_score = result["scores"].get(grade.name)
                grade.needs_manual_grade = (
                    grade.auto_score is None and grade.manual_score is None
                )
        commit()


def _grades(gradebook, name, student):
    from nbgrader.api import MissingEntry

    try:
        return gradebook.find_submission_notebook(name, name, student).grades
    except MissingEntry:
        return []


def prepare_path():
    """Put the folder of this Python into PATH: nbgrader calls alembic from there."""
    here, path = str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)
    if here not in path.split(os.pathsep):
        os.environ["PATH"] = here + os.pathsep + path


def make(course):
    """Make the gradebook of a course, unless there is one: whole or not at all."""
    file = place(course)
    if is_there(course):
        return
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        with _told(course):
            _open(part).close()
        if not is_there(course):  # else another grader was faster
            part.replace(file)
    finally:
        part.unlink(missing_ok=True)


def open_gradebook(course):
    """Return nbgrader's Gradebook of the course; close it with `with`."""
    return _open(place(course))


def _open(file):
    from nbgrader.api import Gradebook

    prepare_path()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SQLAlchemy's about nbgrader
        return Gradebook(f"sqlite:///{file}")


def _entries(course, name):
    """Return {student: {grade_id: Entry}} of an assignment."""
    found = {}
    for student, grade_id, auto, score, is_open, waits in _ask(course, MARKS, name):
        entry = Entry(auto, bool(is_open), bool(waits), score)
        found.setdefault(student, {})[grade_id] = entry
    return found


def _ask(course, query, *values):
    """Return the rows that a query of the gradebook gives."""
    file = f"{place(course).as_uri()}?mode=rw"
    with (
        _told(course),
        contextlib.closing(
            sqlite3.connect(file, timeout=PATIENCE, uri=True)
        ) as database,
    ):
        return database.execute(query, values).fetchall()


@contextlib.contextmanager
def _told(course):
    """Make what sqlite raises, also beneath SQLAlchemy, a ValueError with advice."""
    try:
        yield
    except Exception as error:
        cause = getattr(error, "orig", error)  # SQLAlchemy keeps it there
        if not isinstance(cause, sqlite3.Error):
            raise
        code = getattr(cause, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        raise ValueError(advice(place(course), code & 0xFF)) from error


def advice(file, code):
    """Return what is to be done about an error of sqlite."""
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return f"The gradebook {file} is in use by another program: close that one."
    if code == sqlite3.SQLITE_FULL:
        return "The disk is full: make room, and the same command goes on."
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return (
            f"The gradebook {file} is damaged: put a copy of it back, or move it away "
            "to begin a new one, which has nothing that a person entered."
        )
    if code == sqlite3.SQLITE_ERROR:
        return (
            f"The gradebook {file} is none of this nbgrader: move it away, or if it is "
            "older, copy it and run `nbgrader db upgrade`."
        )
    return f"The gradebook {file} cannot be opened, read or written: see to its rights."
