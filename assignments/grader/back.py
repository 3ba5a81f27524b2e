"""What goes back to the platform: a zip of pages, named as it takes them, and points.

The names are those that `collect` found on the download. If the roll is the platform's
own table, a grading worksheet of Moodle or a gradebook of Canvas, its column of points
is filled.
"""

import csv
import io
import zipfile
from pathlib import Path

from assignments.grader import course as courses
from assignments.grader.files import write

PAGE = "feedback.html"


def make(course, assignment, submissions, roll):
    """Write the zip and, where it can be, the table; yield what was done.

    Raises ValueError if the assignment was not graded, if nobody knows the names, or if
    the roll is none.
    """
    course = Path(course)
    rows = {row["id"]: row for row in courses.graded(course, assignment)}
    names = {
        row["id"]: row["named"] if row["platform"] else f"{row['id']}/"
        for row in courses.handed_in(submissions)
    }
    courses.read_roll(roll)  # with its sentences on what is wrong
    packed, without = io.BytesIO(), []
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as into:
        for student in rows:
            page = course / "feedback" / student / assignment / f"{assignment}.html"
            if student in names and page.is_file():
                told = zipfile.ZipInfo(f"{names[student]}{PAGE}", (2020, 1, 1, 0, 0, 0))
                into.writestr(told, page.read_bytes())
            else:
                without.append(student)
    place = course / "give_back" / f"{assignment}.zip"
    write(place, packed.getvalue())
    yield f"pages     {place}: {len(rows) - len(without)} of {len(rows)}"
    if without:
        yield f"NO PAGE for {', '.join(without)}: nothing of theirs was in the download"
    if waiting := sum(row.get("to mark", "0") != "0" for row in rows.values()):
        yield f"LOOK: texts of {waiting} wait for a person, and have no points yet"
    if filled := _filled(roll, rows, assignment):
        table = course / "give_back" / f"{assignment}.csv"
        write(table, filled)
        yield f"points    {table}"
    else:
        yield "NO TABLE: the roll is not the platform's own, so import grades.csv"


def _filled(roll, rows, assignment):
    """Return the platform's table with the points, or "" if the roll is none."""
    text = courses.text_of(roll, "save it as CSV in UTF-8")
    sign = courses.delimiter(text)
    head, *others = csv.reader(io.StringIO(text, newline=""), delimiter=sign)
    small = [name.strip().lower() for name in head]
    if "grade" in small and "identifier" in small:  # Moodle
        place = small.index("grade")
    elif "student" in small and "section" in small:  # Canvas
        place = next(
            (n for n, name in enumerate(head) if assignment in name), len(head)
        )
    else:
        return ""
    out = io.StringIO(newline="")
    table = csv.writer(out, delimiter=sign)
    for number, row in enumerate([head, *others]):
        row += [""] * (place + 1 - len(row))
        cells = {name: cell.strip() for name, cell in zip(small, row, strict=False)}
        points = rows.get(courses.id_of(cells), {})
        if number == 0 and place == len(head) - 1 and not row[place]:
            row[place] = assignment
        elif points and points.get("total"):
            row[place] = points.get("counts", points["total"])
        table.writerow(row)
    return out.getvalue()
