"""Export to a learning platform: a zip of feedback pages, and a table of points.

Pages have the names that `collect` found in the download. If the roll is the platform's
own table, a grading worksheet of Moodle or a gradebook of Canvas, its column of points
is filled.
"""

import csv
import io
import re
import zipfile
from pathlib import Path

from assignments.grader import course as courses
from assignments.grader.files import write

PAGE = "feedback.html"
COMMENTS = "feedback comments"  # heading of a column of Moodle's worksheet
# Canvas's headings of columns that can be filled: "Assignment: boards (98765)".
CANVAS_COLUMN = re.compile(r".+ \(\d+\)")


def make(course, assignment, submissions, roll, column=""):
    """Write the zip and, if the roll is a platform's, the table; yield a report.

    column: the heading of the table's column for the points, "" to find it.
    Raises ValueError if the assignment was not graded, if there is no table of names,
    if the roll is invalid, or if the column for the points is uncertain.
    """
    course = Path(course)
    rows = {row["id"]: row for row in courses.graded(course, assignment)}
    names = {
        row["id"]: row["named"] if row["platform"] else f"{row['id']}/"
        for row in courses.submissions_table(submissions)
    }
    courses.read_roll(roll)  # raises ValueError if it is invalid
    heads, table, delimiter = courses.read_table(roll)
    place = _column(roll, heads, table[0], assignment, column)
    packed, with_page = io.BytesIO(), set()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as into:
        for student in rows:
            page = course / "feedback" / student / assignment / f"{assignment}.html"
            if student in names and page.is_file():
                info = zipfile.ZipInfo(f"{names[student]}{PAGE}", (2020, 1, 1, 0, 0, 0))
                into.writestr(info, page.read_bytes())
                with_page.add(student)
    if without := [student for student in rows if student not in with_page]:
        yield f"NO PAGE for {', '.join(without)}: no file of theirs was in the download"
    missing = [student for student, row in rows.items() if row["status"] == "missing"]
    if missing and place is not None:
        yield f"NO POINTS for {', '.join(missing)}: nothing was handed in"
    pages = course / "give_back" / f"{assignment}.zip"
    write(pages, packed.getvalue())
    yield f"pages     {pages}: {len(with_page)} of {len(rows)}"
    if place is None:
        yield "NO TABLE: the roll is not the platform's own, so import grades.csv"
    else:
        filled = course / "give_back" / f"{assignment}.csv"
        write(filled, _filled(heads, table, delimiter, place, rows, with_page))
        yield f"points    {filled}, in the column {table[0][place].strip()!r}"
    if waiting := sum(row.get("to mark", "0") != "0" for row in rows.values()):
        students = f"{waiting} student{'s' * (waiting != 1)}"
        yield f"LOOK: texts of {students} are not marked yet and have no points"


def _column(roll, heads, names, assignment, column):
    """Return the index of the column for the points; None if the roll has none.

    names: the headings as written in the file.
    """
    names = [name.strip() for name in names]
    is_canvas = {"student", "section"} <= {*heads}
    candidates = [n for n in names if CANVAS_COLUMN.fullmatch(n) or not is_canvas]
    if column:
        places = [n for n, name in enumerate(names) if name == column.strip()]
    elif "grade" in heads and "identifier" in heads:  # Moodle
        return heads.index("grade")
    elif is_canvas:
        places = [names.index(name) for name in candidates if assignment in name]
    else:
        return None
    if len(places) == 1:
        return places[0]
    number = f"{len(places)} columns" if places else "no column"
    wanted = f"named {column.strip()!r}" if column else f"for {assignment}"
    choice = ", ".join(f'COLUMN="{name}"' for name in candidates)
    advice = f"Choose one: {choice}." if choice else "Create it on the platform first."
    raise ValueError(f"The roll {roll} has {number} {wanted}. {advice}")


def _filled(heads, table, delimiter, place, rows, pages):
    """Return the platform's table (CSV) with the points of students who submitted.

    pages: ids of students with a feedback page, which Moodle's comment mentions.
    """
    comment = heads.index(COMMENTS) if COMMENTS in heads else None
    out = io.StringIO(newline="")
    lines = csv.writer(out, delimiter=delimiter)
    lines.writerow(table[0])
    for row in table[1:]:
        row += [""] * (len(heads) - len(row))
        cells = dict(zip(heads, map(str.strip, row), strict=False))
        student = courses.id_of(cells)
        points = rows.get(student, {})
        if points.get("total") and points["status"] != "missing":
            row[place] = points.get("counts", points["total"])
        if comment is not None and student in pages and not row[comment].strip():
            row[comment] = f"See {PAGE}."
        lines.writerow(row)
    return out.getvalue()
