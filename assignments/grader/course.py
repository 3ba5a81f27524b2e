"""Course: the releases of its assignments, made by nbgrader, and the roll."""

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

# Replaces a solution; it is valid Python, so programs to be repaired still run.
STUB = "...  # your code here"
SOURCE = Path(__file__).resolve().parents[1] / "source"
# Exceptions raised by a file that is not a release.
UNREADABLE = ValueError, LookupError, TypeError, AttributeError, RecursionError
UNREADABLE += SyntaxError, MemoryError  # of a check cell


class ReleaseCell(NamedTuple):
    """A cell of the student version."""

    id: str
    grade_id: str  #: "" if nbgrader does not know the cell
    kind: str  #: "setup", "answer", "drawing", "test", "essay" or ""
    source: str


class Question(NamedTuple):
    """A check cell `check.key(name)`, with its points and the name that it checks."""

    grade_id: str
    answer_id: str  #: grade_id of the cell with the answer
    key: str  #: name of the question
    name: str  #: name of the student's function or value
    points: float
    title: str
    training: str  #: name of the training that calls the function, or ""


class Essay(NamedTuple):
    """A text that a person marks."""

    grade_id: str
    points: float
    title: str
    drawing: str = ""  #: grade_id of the drawing that is marked with it, or ""


class Release(NamedTuple):
    """An assignment as students get it."""

    name: str
    title: str
    cells: tuple  #: ReleaseCells
    questions: tuple  #: Questions
    essays: tuple  #: Essays
    shown: tuple  #: sources of code cells that are not run again
    notebook: dict  #: its JSON
    about: str = ""  #: the chapter and its sections, in words

    def items(self):
        """Return the Questions and Essays in the order of the notebook."""
        order = {cell.grade_id: number for number, cell in enumerate(self.cells)}
        items = (*self.questions, *self.essays)
        return sorted(items, key=lambda item: order.get(item.grade_id, 0))


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
        "# So its pages do not overwrite those that `make grade` writes.\n"
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
        log = f"{done.get('log', '')}\n{done.get('error', '')}"
        if "[ERROR] Canceled" in log or "KeyboardInterrupt" in log:
            raise KeyboardInterrupt
        raise ValueError(_release_error(course, name, log))
    return course / "release" / name / f"{name}.ipynb"


def _release_error(course, name, log):
    """Return the reason for a failed release, from nbgrader's log, in one sentence."""
    for phrase, code in (
        ("database is locked", sqlite3.SQLITE_BUSY),
        ("disk is full", sqlite3.SQLITE_FULL),
        ("No space left", sqlite3.SQLITE_FULL),
    ):
        if phrase in log:
            return gradebook.advice(gradebook.place(course), code)
    if "there are submissions associated" in log:
        return (
            f"A student already has marks for {name}, so nbgrader cannot add or remove "
            "its cells: restore the old ones, or set another COURSE for new ones."
        )
    pattern = r"^ *(?:\w+\.)*(\w+(?:Error|Exception|Entry): .+)$"
    errors = re.findall(pattern, log, re.MULTILINE)
    # nbgrader's own exceptions only say that there were others.
    errors = [error for error in errors if "NbGraderException" not in error]
    last = errors[-1][:300] if errors else "it does not say why"
    return f"nbgrader could not release {name}: {last}"


@contextlib.contextmanager
def _quiet():
    """Switch off logging, so that nbgrader's log is not printed."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)


def read_release(course, name):
    """Return the Release of an assignment, and make it again if it is out of date.

    It is if the source is newer, the file is damaged, or the gradebook has other
    questions.
    """
    file = Path(course).resolve() / "release" / name / f"{name}.ipynb"
    stored, items = None, []
    if file.is_file() and not _is_newer(SOURCE / name / f"{name}.ipynb", file):
        with contextlib.suppress(*UNREADABLE):
            stored = _read(file, name)
            graded_items = (*stored.questions, *stored.essays)
            items = sorted((item.grade_id, item.points) for item in graded_items)
    if items and gradebook.is_there(course):
        entered = sorted(gradebook.asked(course, name).items())
        if entered == items:  # they differ if a cell occurs twice
            return stored
    return _read(release(course, name), name)


def _read(file, name):
    return of_notebook(name, json.loads(file.read_text(encoding="utf-8")))


def of_notebook(name, notebook):
    """Return the Release of a student version; `notebook` is its JSON."""
    cells, questions, essays, shown, drawn = [], [], [], set(), ""
    title, heading, about = name, name, ""
    for number, cell in enumerate(notebook["cells"]):
        source = "".join(cell["source"])
        graded = cell["metadata"].get("nbgrader", {})
        kind, points = _kind(graded, cell["cell_type"]), graded.get("points", 0)
        released = ReleaseCell(cell["id"], graded.get("grade_id", ""), kind, source)
        if cell["cell_type"] == "markdown":
            match = re.search(r"^(#+) +(.+)$", source, re.MULTILINE)
            if match and number == 0:
                title = match[2]
                origin = re.search(r"^\*\*From\*\* (.+)$", source, re.MULTILINE)
                about = origin[1].replace("*", "") if origin else ""
            heading = match[2] if match else heading
        if kind == "test":
            key, variable = _key_and_name(source)
            answer = [c for c in cells if c.kind == "answer"][-1].grade_id
            training = QUESTIONS[key].training
            ids = released.grade_id, answer
            item = Question(*ids, key, variable, points, heading, training)
            questions.append(item)
        elif kind == "essay":
            essays.append(Essay(released.grade_id, points, heading, drawn))
            drawn = ""
        elif kind == "drawing":
            drawn = released.grade_id
        if kind in ("test", "") and cell["cell_type"] == "code":
            shown.add(source)
        cells.append(released)
    parts = tuple(cells), tuple(questions), tuple(essays), tuple(sorted(shown))
    return Release(name, title, *parts, notebook, about)


def solutions(name):
    """Return {grade_id: source} of the reference solutions of an assignment."""
    text = (SOURCE / name / f"{name}.ipynb").read_text(encoding="utf-8")
    return {
        cell["metadata"]["nbgrader"]["grade_id"]: "".join(cell["source"])
        for cell in json.loads(text)["cells"]
        if cell["cell_type"] == "code" and "nbgrader" in cell["metadata"]
    }


def _is_newer(source, file):
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


def _key_and_name(source):
    """Return (key, name) of a check cell `check.key(name)`."""
    call = ast.parse(source).body[-1].value
    return call.func.attr, call.args[0].id


# The class


class Student(NamedTuple):
    """A row of the roll."""

    id: str
    name: str


MAX_ID_BYTES = 200  # bytes: files are named by it, and 255 fit


IDS = "id", "id number"  # headings of ids: ours and Canvas's, and Moodle's
# Moodle's other columns, for students without an ID number; last "Participant 1234".
OTHER_IDS = "email address", "username", "identifier"
SEP = re.compile(r'"?sep=(.)"?[\r\n]+', re.IGNORECASE)  # first line of Excel's CSV
FIT = re.compile(r"[\w@+-][\w.@+-]*")  # an id that can name a file
NAMES = ("name",), ("first_name", "last_name"), ("full name",), ("student",)


def read_roll(path):
    """Return the Students of a CSV file with a column `id` and optionally `name`.

    A grading worksheet of Moodle or a gradebook of Canvas is accepted, too; see id_of.
    Raises ValueError with one sentence if the file is not a valid roll.
    """
    students = [Student(student, _name(cells)) for student, cells in roll_rows(path)]
    if not students:
        raise ValueError(f"The roll {path} lists no students.")
    # Ids that differ only in case name the same file on many systems.
    counts = Counter(student.id.lower() for student in students)
    double = [s.id for s in students if counts[s.id.lower()] > 1]
    if double:
        ids = ", ".join(sorted(set(double))[:5])
        raise ValueError(f"On the roll more than once: {ids}.")
    return students


def roll_rows(path):
    """Return (id, {heading: cell}) of each row of a roll that has an id."""
    heads, rows, _ = read_table(path)
    if not {*IDS, *OTHER_IDS} & {*heads}:
        headings = ", ".join(heads)[:80]
        raise ValueError(
            f"The roll {path} has no column `id`: its first line should be `id,name`, "
            f"not {headings!r}."
        )
    students = []
    for row in rows[1:]:
        cells = dict(zip(heads, map(str.strip, row), strict=False))
        if student := id_of(cells):
            _check_id(student)
            students.append((student, cells))
        elif name := cells.get("name") or cells.get("full name"):
            raise ValueError(f"On the roll {path}, {name} has no id.")
    return students


def read_table(path):
    """Return (headings, rows, delimiter) of a teacher's CSV file.

    The headings are in lower case and in English; the rows, including the first one
    with the headings, are unchanged. Raises ValueError if the file is not CSV.
    """
    text = text_of(path, "save it as CSV in UTF-8")
    if first := SEP.match(text):
        text = text[first.end() :]
    sign = first[1] if first else delimiter(text)
    # Strict, because an open quote would swallow all students up to the end of file.
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=sign, strict=True)
    try:
        rows = [row for row in lines if any(row)]
    except csv.Error as error:
        raise ValueError(f"The roll {path} is not CSV: {error}.") from None
    if not rows:
        raise ValueError(f"The roll {path} has no column `id`, because it is empty.")
    return english(rows), rows, sign


def id_of(cells):
    """Return the id in a row of a roll, {heading: cell}, or "" if it has none.

    Without an ID number in Moodle it is the first of email address, username and
    participant number that can name a file.
    """
    ids = [cells.get(head, "") for head in IDS]
    others = [cells.get(head, "") for head in OTHER_IDS]
    others[-1] = re.sub(r"\D", "", others[-1])
    candidates = filter(None, (*ids, *filter(FIT.fullmatch, others)))
    return composed(next(candidates, ""))


def _name(cells):
    parts = [[cells.get(part) for part in heads] for heads in NAMES]
    return next((" ".join(filter(None, name)) for name in parts if any(name)), "")


def graded(course, assignment):
    """Return the rows of grades.csv, {heading: cell}.

    Raises ValueError if it does not exist, or was not written by the grader.
    """
    grades = Path(course) / assignment / "grades.csv"
    if not grades.is_file():
        raise ValueError(f"There is no {grades}: grade {assignment} first.")
    return _table(grades, ("id", "status", "total", "of"))


def submissions_table(folder):
    """Return the rows, {heading: cell}, of the table that `collect` wrote.

    Raises ValueError if it does not exist, or was not written by the grader.
    """
    table = Path(folder) / TABLE
    if not table.is_file():
        raise ValueError(
            f"There is no {table}, which has the time and the original name of each "
            "file: `make collect` writes it."
        )
    rows = _table(table, ("id", "file", "time", "time of", "platform", "named"))
    return [{head: unescape_key(row[head] or "") for head in row} for row in rows]


def _table(file, heads):
    """Return the rows of a table written by this or another edition of the grader.

    Columns are found by their headings; further columns are allowed.
    """
    rows = csv.DictReader(io.StringIO(text_of(file, "save it as CSV in UTF-8")))
    for head in heads:
        if head not in (rows.fieldnames or ()):
            raise ValueError(
                f"{file} has no column `{head}`, which the grader wrote there: restore "
                "a copy of the file, or create it again."
            )
    return list(rows)


def text_of(path, remedy):
    """Return the text of a teacher's file, UTF-8 or UTF-16; raise ValueError if not."""
    try:
        if not Path(path).is_file():
            raise ValueError(f"There is no file {path}.")
        content = Path(path).read_bytes()
        # Excel's "Unicode text" is UTF-16 with a byte order mark.
        is_utf_16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        return content.decode("utf-16" if is_utf_16 else "utf-8-sig")
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path} cannot be read: {remedy}.") from None


def delimiter(text):
    """Return the delimiter of a CSV file: the most frequent one in its first line."""
    first = re.split(r"[\r\n]", text, maxsplit=1)[0]
    return max(",;\t", key=re.sub(r'"[^"]*"', "", first).count)


def _check_id(student):
    if not FIT.fullmatch(student):
        raise ValueError(
            f"The id {student[:80]!r} on the roll cannot name a file: use letters, "
            "digits and . _ - @ +. If the roll is Moodle's, set Moodle to English "
            "(Preferences, Preferred language), and download it once more."
        )
    if len(student.encode()) > MAX_ID_BYTES:
        raise ValueError(f"The id {student[:80]}… on the roll is too long for a file.")


def mixed_up(roll):
    """Return [(id, longer id)] of students whose files can be confused.

    A file name that begins with the longer id may belong to either.
    """
    ids = {student.id for student in roll}
    return [
        (shorter, longer)
        for longer in sorted(ids)
        for shorter in beginnings(longer)
        if shorter in ids
    ]
