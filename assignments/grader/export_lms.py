"""What goes back to the platform: a zip of pages, named as it takes them, and points.

The names are those that `collect` found on the download. If the roll is the platform's
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
COMMENTS = "feedback comments"  # head of a column of Moodle's worksheet
# Canvas's heads of what can be filled: "Assignment: boards (98765)".
CANVAS_COLUMN = re.compile(r".+ \(\d+\)")


def make(course, assignment, submissions, roll, column=""):
    """Write the zip and, where it can be, the table; yield what was done.

    column: the head of the table's column for the points, "" to find it.
    Raises ValueError if the assignment was not graded, if nobody knows the names, if
    the roll is none, or if it is not certain which column the points belong to.
    """
    course = Path(course)
    rows = {row["id"]: row for row in courses.graded(course, assignment)}
    names = {
        row["id"]: row["named"] if row["platform"] else f"{row['id']}/"
        for row in courses.handed_in(submissions)
    }
    courses.read_roll(roll)  # with its sentences on what is wrong
    heads, table, sign = courses.read_table(roll)
    place = _column(roll, heads, table[0], assignment, column)
    packed, there = io.BytesIO(), set()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as into:
        for student in rows:
            page = course / "feedback" / student / assignment / f"{assignment}.html"
            if student in names and page.is_file():
                told = zipfile.ZipInfo(f"{names[student]}{PAGE}", (2020, 1, 1, 0, 0, 0))
                into.writestr(told, page.read_bytes())
                there.add(student)
    if without := [student for student in rows if student not in there]:
        yield f"NO PAGE for {', '.join(without)}: nothing of theirs was in the download"
    missing = [who for who, row in rows.items() if row["status"] == "missing"]
    if missing and place is not None:
        yield f"NO POINTS for {', '.join(missing)}: nothing was handed in"
    pages = course / "give_back" / f"{assignment}.zip"
    write(pages, packed.getvalue())
    yield f"pages     {pages}: {len(there)} of {len(rows)}"
    if place is None:
        yield "NO TABLE: the roll is not the platform's own, so import grades.csv"
    else:
        filled = course / "give_back" / f"{assignment}.csv"
        write(filled, _filled(heads, table, sign, place, rows, there))
        yield f"points    {filled}, in the column {table[0][place].strip()!r}"
    if waiting := sum(row.get("to mark", "0") != "0" for row in rows.values()):
        yield f"LOOK: texts of {waiting} wait for a person, and have no points yet"


def _column(roll, heads, names, assignment, column):
    """Return the place of the column for the points; None if the roll has none.

    names: the heads as they stand.
    """
    names = [name.strip() for name in names]
    is_canvas = {"student", "section"} <= {*heads}
    known = [name for name in names if CANVAS_COLUMN.fullmatch(name) or not is_canvas]
    if column:
        places = [n for n, name in enumerate(names) if name == column.strip()]
    elif "grade" in heads and "identifier" in heads:  # Moodle
        return heads.index("grade")
    elif is_canvas:
        places = [names.index(name) for name in known if assignment in name]
    else:
        return None
    if len(places) == 1:
        return places[0]
    number = f"{len(places)} columns" if places else "no column"
    wanted = f"named {column.strip()!r}" if column else f"for {assignment}"
    choice = ", ".join(f'COLUMN="{name}"' for name in known)
    advice = (
        f"Say which gets the points: {choice}." if known else "Make it there first."
    )
    raise ValueError(f"The roll {roll} has {number} {wanted}. {advice}")


def _filled(heads, table, sign, place, rows, pages):
    """Return the platform's table with the points of those who handed something in.

    pages: ids of those who get a page, which Moodle's comment names.
    """
    comment = heads.index(COMMENTS) if COMMENTS in heads else None
    out = io.StringIO(newline="")
    lines = csv.writer(out, delimiter=sign)
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
