"""Gradebook of a course: nbgrader's database."""

import contextlib
import os
import sqlite3
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from assignments.grader.files import printable


class Mark(NamedTuple):
    """Mark of a student for a question or a text."""

    score: float | None  #: None until a person has marked it
    comment: str
    by_person: bool = False  #: whether a person has given the score


def place(course):
    """Return the path of the gradebook of a course."""
    return Path(course).resolve() / "gradebook.db"


def is_there(course):
    """Return whether a course has a gradebook; an empty file does not count."""
    file = place(course)
    return file.is_file() and file.stat().st_size > 0


def demand_sound(course):
    """Raise ValueError with advice if the gradebook exists but cannot be used."""
    if {"?", "%"} & set(str(place(course))):
        raise ValueError(
            f"COURSE={course}: nbgrader does not support ? and % in the name of a "
            "folder, so choose another."
        )
    if not is_there(course):
        is_other = place(course).is_symlink() or place(course).exists()
        if is_other and not place(course).is_file():
            raise ValueError(advice(place(course), sqlite3.SQLITE_CANTOPEN))
        return
    with open_gradebook(course) as book:
        ask = book.db.connection().exec_driver_sql
        if ask("PRAGMA integrity_check(1)").scalar() != "ok":
            raise ValueError(advice(place(course), sqlite3.SQLITE_CORRUPT))
        _grades(book, "")  # fails unless its tables are nbgrader's
        revision = ask("SELECT max(version_num) FROM alembic_version").scalar()
    if revision not in _revisions():
        raise ValueError(
            f"The gradebook {place(course)} was made by a newer nbgrader (revision "
            f"{printable(str(revision))} is unknown to this one): update nbgrader."
        )


def _revisions():
    """Return the revisions of the database that this nbgrader supports."""
    nbgrader = Path(find_spec("nbgrader").origin).parent
    files = (nbgrader / "alembic" / "versions").glob("*.py")
    return {file.name.partition("_")[0] for file in files}


def asked(course, name):
    """Return {grade_id: points} of an assignment in the gradebook."""
    with open_gradebook(course) as book:
        notebooks = [n for a in book.assignments if a.name == name for n in a.notebooks]
        return {cell.name: cell.max_score for n in notebooks for cell in n.grade_cells}


def knows(course, name):
    """Return whether any student has marks for an assignment."""
    with open_gradebook(course) as book:
        return bool(_grades(book, name))


def without_tags(name):
    """Return a name without < and >, because Formgrader does not escape names."""
    return name.translate({ord("<"): "‹", ord(">"): "›"})


def enter(course, release, roll, results):
    """Enter the results; return {student: {grade_id: Mark}}.

    Marks and comments of a person stay, and are in the result. Submissions at which
    the grader failed have no score. Raises ValueError with advice if the gradebook
    cannot be read or written; then no entry has changed.
    """
    items = {item.grade_id for item in (*release.questions, *release.essays)}
    with open_gradebook(course) as book:

        def to_enter():
            names = {student.id: student.first_name for student in book.students}
            entered = _grades(book, release.name)
            return [
                student
                for student in roll
                if names.get(student.id) != without_tags(student.name)
                or not _is_entered(items, results[student.id], entered.get(student.id))
            ]

        if changed := to_enter():
            _enter(book, release, changed, results)
            if left := to_enter():
                raise ValueError(
                    f"The gradebook {place(course)} does not accept the marks of "
                    f"{left[0].id}: restore a copy, or move it away to start a new one."
                )
        return _marks(book, release, items, roll, results)


def _marks(book, release, items, roll, results):
    """Return {student: {grade_id: Mark}} from the gradebook."""
    commented, entered = _commented(release), _grades(book, release.name)
    comments = {
        (submission.student_id, each.name): each.comment
        for submission in book.assignment_submissions(release.name)
        for notebook in submission.notebooks
        for each in notebook.comments
    }

    def mark(student, grade_id, grade):
        cells = commented.get(grade_id, ())
        texts = [comments.get((student, cell)) for cell in cells]
        score = None if grade.needs_manual_grade else grade.score
        by_person = grade.manual_score is not None
        return Mark(score, "\n".join(filter(None, texts)), by_person)

    marks = {}
    for student, _ in roll:
        if student in entered:
            marks[student] = {
                grade_id: mark(student, grade_id, grade)
                for grade_id, grade in entered[student].items()
            }
        elif results[student]["status"] == "missing":
            marks[student] = {}
        else:
            marks[student] = dict.fromkeys(items, Mark(None, ""))
    return marks


def _commented(release):
    """Return {grade_id: cells that can have a comment on a question or a text}.

    For a question it is the answer cell, because the points are at the check cell
    below; a text on a picture is marked together with the drawing above.
    """
    answers = {asked.grade_id: (asked.answer_id,) for asked in release.questions}
    texts = {text.grade_id: (text.drawing, text.grade_id) for text in release.essays}
    return answers | texts


def _is_entered(items, result, grades):
    """Return whether a student's grades, None if there are none, match a result."""
    if grades is None:
        return not _is_for_gradebook(result)
    return grades.keys() == items and all(
        grade.auto_score == result["scores"].get(grade_id)
        and grade.needs_manual_grade == _waits(grade)
        for grade_id, grade in grades.items()
    )


def _waits(grade):
    """Return whether neither the grader nor a person has given a score."""
    return grade.auto_score is None and grade.manual_score is None


def _is_for_gradebook(result):
    """Return whether a result creates an entry; others can only change one."""
    return result["status"] not in ("missing", "not graded")


def _enter(book, release, students, results):
    """Enter the results of these students in one transaction."""
    # nbgrader would commit after each step.
    commit, book.db.commit = book.db.commit, book.db.flush
    for student in students:
        book.update_or_create_student(student.id, first_name=without_tags(student.name))
        if _is_for_gradebook(results[student.id]):
            book.update_or_create_submission(release.name, student.id)
    book.db.expire_all()
    entered = _grades(book, release.name)
    for student in students:
        for grade_id, grade in entered.get(student.id, {}).items():
            grade.auto_score = results[student.id]["scores"].get(grade_id)
            grade.needs_manual_grade = _waits(grade)
    commit()


def _grades(book, name):
    """Return {student: {grade_id: nbgrader's Grade}} of an assignment."""
    return {
        submission.student_id: {
            grade.name: grade
            for notebook in submission.notebooks
            for grade in notebook.grades
        }
        for submission in book.assignment_submissions(name)
    }


def prepare_path():
    """Add the folder of this Python to PATH, where nbgrader looks for alembic."""
    here, path = str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)
    if here not in path.split(os.pathsep):
        os.environ["PATH"] = here + os.pathsep + path


def make(course):
    """Create the gradebook of a course atomically, unless it exists."""
    file = place(course)
    if is_there(course):
        return
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        prepare_path()
        with _with_advice(course):
            _open(part).close()
        if not is_there(course):  # else another process was faster
            part.replace(file)
    finally:
        part.unlink(missing_ok=True)


@contextlib.contextmanager
def open_gradebook(course):
    """Open nbgrader's Gradebook of the course, as a context manager.

    Raises ValueError with advice if it cannot be opened, read or written.
    """
    with _with_advice(course), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of SQLAlchemy, about nbgrader
        with _open(place(course)) as book:
            yield book


def _open(file):
    from nbgrader.api import Gradebook

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Gradebook(f"sqlite:///{file}")


@contextlib.contextmanager
def _with_advice(course):
    """Turn errors of SQLite and SQLAlchemy into a ValueError with advice."""
    try:
        yield
    except Exception as error:
        cause = getattr(error, "orig", error)  # SQLAlchemy keeps it there
        if not isinstance(cause, sqlite3.Error):
            raise
        code = getattr(cause, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        raise ValueError(advice(place(course), code & 0xFF)) from error


def advice(file, code):
    """Return a message with advice for an error code of SQLite."""
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return f"The gradebook {file} is in use by another program: close that program."
    if code == sqlite3.SQLITE_FULL:
        return "The disk is full: free some space, then run the same command again."
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return (
            f"The gradebook {file} is damaged: restore a copy, or move it away to "
            "start a new one, without the marks that a person entered."
        )
    if code == sqlite3.SQLITE_ERROR:
        return (
            f"The gradebook {file} was not made by this nbgrader: move it away, or if "
            "it is older, copy it and run `nbgrader db upgrade`."
        )
    return f"The gradebook {file} cannot be read or written: check its permissions."
