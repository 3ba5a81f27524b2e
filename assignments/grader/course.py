"""The course: its releases, which nbgrader makes, and who is in it."""

import ast
import codecs
import contextlib
import csv
import io
import json
import logging
import re
import sqlite3
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from traitlets.config import Config

from assignments.grader import gradebook
from assignments.grader.files import write
from assignments.grader.headings import english
from assignments.grader.submission import TABLE, beginnings, composed
from assignments.questions import QUESTIONS
from ttt_lib.check.report import DRAWING
from ttt_lib.validation import unescape_key

# Stands in the place of a solution, and runs: so a program to be repaired runs too.
STUB = "...  # your code here"
SOURCE = Path(__file__).resolve().parents[1] / "source"
# What a file that is no release raises.
UNREADABLE = ValueError, LookupError, TypeError, AttributeError, RecursionError
UNREADABLE += SyntaxError, MemoryError  # of a check cell


class ReleaseCell(NamedTuple):
    """A cell of the student version."""

    id: str
    grade_id: str  #: "" if nbgrader does not know the cell
    kind: str  #: "setup", "answer", "drawing", "test", "essay" or ""
    source: str


class Question(NamedTuple):
    """A check cell `check.key(name)`: what it is worth, and what it asks for."""

    grade_id: str
    answer_id: str  #: grade_id of the cell with the answer
    key: str  #: name of the question
    name: str  #: name of the student's function or value
    points: float
    title: str
    training: str  #: the one that the function is put to, or ""


class Essay(NamedTuple):
    """A text that a person marks."""

    grade_id: str
    points: float
    title: str
    drawing: str = ""  #: grade_id of the drawing above, with which it is marked, or ""


class Release(NamedTuple):
    """An assignment as students get it."""

    name: str
    title: str
    cells: tuple  #: ReleaseCells
    questions: tuple  #: Questions
    essays: tuple  #: Essays
    shown: tuple  #: sources of code cells that need not be run again
    notebook: dict  #: the file
    about: str = ""  #: the chapter and its sections, in words

    def items(self):
        """Return the Questions and Essays in the order of the notebook."""
        place = {cell.grade_id: number for number, cell in enumerate(self.cells)}
        items = (*self.questions, *self.essays)
        return sorted(items, key=lambda item: place.get(item.grade_id, 0))


def names():
    """Return the names of all assignments."""
    return sorted(path.parent.name for path in SOURCE.glob("*/*.ipynb"))


def api(course):
    """Return nbgrader's API for a course folder."""
    from nbgrader.apps.api import NbGraderAPI
    from nbgrader.coursedir import CourseDirectory

    gradebook.prepare_path()
    config = Config()
    config.CourseDirectory.root = str(course)
    config.CourseDirectory.source_directory = str(SOURCE)
    config.ClearSolutions.code_stub = {"python": STUB}
    return NbGraderAPI(CourseDirectory(config=config), config=config)


def write_config(course):
    """Write the settings with which `nbgrader formgrader` finds the course."""
    write(
        Path(course) / "nbgrader_config.py",
        "# Written by `make assignments`.\n"
        "c = get_config()  # noqa: F821\n"
        f"c.CourseDirectory.root = {str(course)!r}\n"
        f"c.CourseDirectory.source_directory = {str(SOURCE)!r}\n"
        "# Its pages would take the place of those that `make grade` writes.\n"
        "c.CourseDirectory.feedback_directory = 'feedback_of_nbgrader'\n"
        f"c.ClearSolutions.code_stub = {{'python': {STUB!r}}}\n",
    )


def release(course, name):
    """Make the student version of an assignment; return its file.

    Raises ValueError with one sentence if nbgrader cannot.
    """
    course = Path(course).resolve()
    gradebook.demand_sound(course)
    write_config(course)
    with _quiet():
        gradebook.make(course)
        done = api(course).generate_assignment(name)
    if not done["success"]:
        told = f"{done.get('log', '')}\n{done.get('error', '')}"
        if "[ERROR] Canceled" in told or "KeyboardInterrupt" in told:
            raise KeyboardInterrupt
        raise ValueError(_no_release(course, name, told))
    return course / "release" / name / f"{name}.ipynb"


def _no_release(course, name, told):
    """Return in one sentence what nbgrader told in many lines."""
    for sign, code in (
        ("database is locked", sqlite3.SQLITE_BUSY),
        ("disk is full", sqlite3.SQLITE_FULL),
        ("No space left", sqlite3.SQLITE_FULL),
    ):
        if sign in told:
            return gradebook.advice(gradebook.place(course), code)
    if "there are submissions associated" in told:
        return (
            f"Somebody has marks for {name}, so nbgrader adds and removes no cells of "
            "it any more: put the old ones back, or take another COURSE for the new."
        )
    known = r"^ *(?:\w+\.)*(\w+(?:Error|Exception|Entry): .+)$"
    errors = re.findall(known, told, re.MULTILINE)
    # Its own say no more than that there were others.
    errors = [error for error in errors if "NbGraderException" not in error]
    last = errors[-1][:300] if errors else "it does not say why"
    return f"nbgrader could not release {name}: {last}"


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
    """Return the Release of an assignment, made anew where that is needed.

    It is where the source is younger, the file is damaged, or the gradebook knows other
    questions.
    """
    file = Path(course).resolve() / "release" / name / f"{name}.ipynb"
    found, items = None, []
    if file.is_file() and not _younger(SOURCE / name / f"{name}.ipynb", file):
        with contextlib.suppress(*UNREADABLE):
            found = _read(file, name)
            own = (*found.questions, *found.essays)
            items = sorted((item.grade_id, item.points) for item in own)
    if items and gradebook.is_there(course):
        known = sorted(gradebook.asked(course, name).items())
        if known == items:  # a cell may be there twice
            return found
    return _read(release(course, name), name)


def _read(file, name):
    return of_notebook(name, json.loads(file.read_text(encoding="utf-8")))


def of_notebook(name, notebook):
    """Return the Release that a student version is; `notebook` is its JSON."""
    cells, questions, essays, shown, drawn = [], [], [], set(), ""
    title, heading, about = name, name, ""
    for number, cell in enumerate(notebook["cells"]):
        source = "".join(cell["source"])
        graded = cell["metadata"].get("nbgrader", {})
        kind, points = _kind(graded, cell["cell_type"]), graded.get("points", 0)
        known = ReleaseCell(cell["id"], graded.get("grade_id", ""), kind, source)
        if cell["cell_type"] == "markdown":
            found = re.search(r"^(#+) +(.+)$", source, re.MULTILINE)
            if found and number == 0:
                title = found[2]
                told = re.search(r"^\*\*From\*\* (.+)$", source, re.MULTILINE)
                about = told[1].replace("*", "") if told else ""
            heading = found[2] if found else heading
        if kind == "test":
            key, asked = _asked(source)
            answer = [c for c in cells if c.kind == "answer"][-1].grade_id
            training = QUESTIONS[key].training
            place = known.grade_id, answer
            item = Question(*place, key, asked, points, heading, training)
            questions.append(item)
        elif kind == "essay":
            essays.append(Essay(known.grade_id, points, heading, drawn))
            drawn = ""
        elif kind == "drawing":
            drawn = known.grade_id
        if kind in ("test", "") and cell["cell_type"] == "code":
            shown.add(source)
        cells.append(known)
    parts = tuple(cells), tuple(questions), tuple(essays), tuple(sorted(shown))
    return Release(name, title, *parts, notebook, about)


def solutions(name):
    """Return {grade_id: source} of the right answers to an assignment."""
    text = (SOURCE / name / f"{name}.ipynb").read_text(encoding="utf-8")
    return {
        cell["metadata"]["nbgrader"]["grade_id"]: "".join(cell["source"])
        for cell in json.loads(text)["cells"]
        if cell["cell_type"] == "code" and "nbgrader" in cell["metadata"]
    }


def _younger(source, file):
    return source.stat().st_mtime > file.stat().st_mtime


def _kind(graded, cell_type):
    if not graded:
        return ""
    if graded["grade_id"] == DRAWING:
        return "drawing"
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


MAX_ID_BYTES = 200  # bytes: files are named by it, and 255 fit


IDS = "id", "id number"  # heads of the column of ids: ours and Canvas's, and Moodle's
# What Moodle knows of somebody without an ID number; "Participant 1234" at last.
OTHER_IDS = "email address", "username", "identifier"
SEP = re.compile(r'"?sep=(.)"?[\r\n]+', re.IGNORECASE)  # what Excel puts first
FIT = re.compile(r"[\w@+-][\w.@+-]*")  # to name a file
NAMES = ("name",), ("first_name", "last_name"), ("full name",), ("student",)


def read_roll(path):
    """Return the Students of a CSV file with a column `id`, and perhaps `name`.

    A grading worksheet of Moodle and a gradebook of Canvas will do; see id_of.
    Raises ValueError with one sentence if that cannot be read.
    """
    students = [Student(student, _name(cells)) for student, cells in roll_rows(path)]
    if not students:
        raise ValueError(f"The roll {path} names nobody.")
    # Two that differ in case alone are one file on many systems.
    often = Counter(student.id.lower() for student in students)
    double = [s.id for s in students if often[s.id.lower()] > 1]
    if double:
        told = ", ".join(sorted(set(double))[:5])
        raise ValueError(f"On the roll more than once: {told}.")
    return students


def roll_rows(path):
    """Return (id, {head: cell}) of each row of a roll that has an id."""
    heads, rows, _ = read_table(path)
    if not {*IDS, *OTHER_IDS} & {*heads}:
        known = ", ".join(heads)[:80]
        raise ValueError(
            f"The roll {path} has no column `id`: its first line should be `id,name`, "
            f"and is {known!r}."
        )
    found = []
    for row in rows[1:]:
        cells = dict(zip(heads, map(str.strip, row), strict=False))
        if student := id_of(cells):
            _demand_id(student)
            found.append((student, cells))
        elif name := cells.get("name") or cells.get("full name"):
            raise ValueError(f"On the roll {path}, {name} has no id.")
    return found


def read_table(path):
    """Return (heads, rows, what divides cells) of a CSV file that a teacher named.

    The heads are in small letters and in English; the rows, with that of the heads,
    are as they stand. Raises ValueError if it is no CSV.
    """
    text = text_of(path, "save it as CSV in UTF-8")
    if told := SEP.match(text):
        text = text[told.end() :]
    sign = told[1] if told else delimiter(text)
    # Strictly: an open quote would swallow all students to the end of the file.
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=sign, strict=True)
    try:
        rows = [row for row in lines if any(row)]
    except csv.Error as error:
        raise ValueError(f"The roll {path} is no CSV: {error}.") from None
    if not rows:
        raise ValueError(f"The roll {path} has no column `id`, for it is empty.")
    return english(rows), rows, sign


def id_of(cells):
    """Return the id in a row of a roll, {head: cell}, "" if it has none.

    Where Moodle knows no ID number it is the address, the user's name, or the number
    of the participant, whichever can name a file.
    """
    own = [cells.get(head, "") for head in IDS]
    others = [cells.get(head, "") for head in OTHER_IDS]
    others[-1] = re.sub(r"\D", "", others[-1])
    known = filter(None, (*own, *filter(FIT.fullmatch, others)))
    return composed(next(known, ""))


def _name(cells):
    parts = [[cells.get(part) for part in heads] for heads in NAMES]
    return next((" ".join(filter(None, own)) for own in parts if any(own)), "")


def graded(course, assignment):
    """Return the rows of grades.csv, {head: cell}.

    Raises ValueError if there is none, or if it is none of ours.
    """
    grades = Path(course) / assignment / "grades.csv"
    if not grades.is_file():
        raise ValueError(f"There is no {grades}: grade {assignment} first.")
    return _table(grades, ("id", "status", "total", "of"))


def handed_in(folder):
    """Return the rows, {head: cell}, of the table that `collect` wrote into a folder.

    Raises ValueError if there is none, or if it is none of ours.
    """
    table = Path(folder) / TABLE
    if not table.is_file():
        raise ValueError(
            f"There is no {table}, which says what came when, and under which name: "
            "`make collect` writes it."
        )
    rows = _table(table, ("id", "file", "time", "time of", "platform", "named"))
    return [{head: unescape_key(row[head] or "") for head in row} for row in rows]


def _table(file, heads):
    """Return the rows of a table of ours, which other editions may have written.

    Its columns go by their heads: others may stand among them.
    """
    rows = csv.DictReader(io.StringIO(text_of(file, "save it as CSV in UTF-8")))
    for head in heads:
        if head not in (rows.fieldnames or ()):
            raise ValueError(
                f"{file} has no column `{head}`, which the grader wrote there: put a "
                "copy of it back, or let it be made again."
            )
    return list(rows)


def text_of(path, remedy):
    """Return the text of a file that a teacher named."""
    try:
        if not Path(path).is_file():
            raise ValueError(f"There is no file {path}.")
        content = Path(path).read_bytes()
        # Excel's "Unicode text" is UTF-16, with a mark before it.
        is_utf_16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        return content.decode("utf-16" if is_utf_16 else "utf-8-sig")
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path} cannot be read: {remedy}.") from None


def delimiter(text):
    """Return what divides the cells of a CSV file: what its first line has most of."""
    first = re.split(r"[\r\n]", text, maxsplit=1)[0]
    return max(",;\t", key=re.sub(r'"[^"]*"', "", first).count)


def _demand_id(student):
    if not FIT.fullmatch(student):
        raise ValueError(
            f"The id {student[:80]!r} on the roll cannot name a file: use letters, "
            "digits and . _ - @ +. If the roll is Moodle's, set Moodle to English "
            "(Preferences, Preferred language), and download it once more."
        )
    if len(student.encode()) > MAX_ID_BYTES:
        raise ValueError(f"The id {student[:80]}… on the roll is too long for a file.")


def mixed_up(roll):
    """Return [(id, longer id)] where a file of one may be taken for the other's.

    A file that begins with the longer id may be of either.
    """
    known = {student.id for student in roll}
    return [
        (shorter, longer)
        for longer in sorted(known)
        for shorter in beginnings(longer)
        if shorter in known
    ]
