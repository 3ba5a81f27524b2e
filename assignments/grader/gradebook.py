"""The gradebook of a course, which is nbgrader's."""

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
    """What the gradebook says of one question of one student."""

    score: float | None  #: None while it waits for a person
    comment: str
    by_person: bool = False  #: whether a person has given the score


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
    with open_gradebook(course) as book:
        ask = book.db.connection().exec_driver_sql
        if ask("PRAGMA integrity_check(1)").scalar() != "ok":
            raise ValueError(advice(place(course), sqlite3.SQLITE_CORRUPT))
        _grades(book, "")  # its tables are nbgrader's
        revision = ask("SELECT max(version_num) FROM alembic_version").scalar()
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
    with open_gradebook(course) as book:
        notebooks = [n for a in book.assignments if a.name == name for n in a.notebooks]
        return {cell.name: cell.max_score for n in notebooks for cell in n.grade_cells}


def knows(course, name):
    """Return whether anybody has marks for an assignment."""
    with open_gradebook(course) as book:
        return bool(_grades(book, name))


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
    with open_gradebook(course) as book:

        def to_enter():
            names = {student.id: student.first_name for student in book.students}
            known = _grades(book, release.name)
            return [
                student
                for student in roll
                if names.get(student.id) != without_tags(student.name)
                or not _is_entered(items, results[student.id], known.get(student.id))
            ]

        if changed := to_enter():
            _enter(book, release, changed, results)
            if left := to_enter():
                raise ValueError(
                    f"The gradebook {place(course)} does not take the marks of "
                    f"{left[0].id}: put a copy of it back, or move it away to begin a "
                    "new one."
                )
        return _marks(book, release, items, roll, results)


def _marks(book, release, items, roll, results):
    """Return {student: {grade_id: Mark}}, as the gradebook has them."""
    commented, known = _commented(release), _grades(book, release.name)
    comments = {
        (submission.student_id, each.name): each.comment
        for submission in book.assignment_submissions(release.name)
        for notebook in submission.notebooks
        for each in notebook.comments
    }

    def mark(student, grade_id, grade):
        told = [comments.get((student, cell)) for cell in commented.get(grade_id, ())]
        score = None if grade.needs_manual_grade else grade.score
        by_person = grade.manual_score is not None
        return Mark(score, "\n".join(filter(None, told)), by_person)

    marks = {}
    for student, _ in roll:
        if student in known:
            marks[student] = {
                grade_id: mark(student, grade_id, grade)
                for grade_id, grade in known[student].items()
            }
        elif results[student]["status"] == "missing":
            marks[student] = {}
        else:
            marks[student] = dict.fromkeys(items, Mark(None, ""))
    return marks


def _commented(release):
    """Return {grade_id: cells on which a comment on a question or a text may stand}.

    That is the cell of the answer, for points are on the check cell below; and a text
    on a picture is marked together with the drawing above.
    """
    found = {question.grade_id: (question.answer_id,) for question in release.questions}
    texts = {text.grade_id: (text.drawing, text.grade_id) for text in release.essays}
    return found | texts


def _is_entered(items, result, grades):
    """Return whether the grades of a student, None if there are none, fit a result."""
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
    """Return whether a result begins an entry; else it can only change one."""
    return result["status"] not in ("missing", "not graded")


def _enter(book, release, students, results):
    """Enter the results of these students, of all or of none."""
    # nbgrader commits after each step.
    commit, book.db.commit = book.db.commit, book.db.flush
    for student in students:
        book.update_or_create_student(student.id, first_name=without_tags(student.name))
        if _is_for_gradebook(results[student.id]):
            book.update_or_create_submission(release.name, student.id)
    book.db.expire_all()
    known = _grades(book, release.name)
    for student in students:
        for grade_id, grade in known.get(student.id, {}).items():
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
        prepare_path()
        with _told(course):
            _open(part).close()
        if not is_there(course):  # else another grader was faster
            part.replace(file)
    finally:
        part.unlink(missing_ok=True)


@contextlib.contextmanager
def open_gradebook(course):
    """Open nbgrader's Gradebook of the course for `with`.

    Raises ValueError with advice where that cannot be opened, read or written.
    """
    with _told(course), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SQLAlchemy's about nbgrader
        with _open(place(course)) as book:
            yield book


def _open(file):
    from nbgrader.api import Gradebook

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Gradebook(f"sqlite:///{file}")


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
