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
from assignments.grader.submission import TABLE

PAGE = "feedback.html"


def make(course, assignment, submissions, roll):
    """Write the zip and, where it can be, the table; yield what was done.

    Raises ValueError if the assignment was not graded, or if nobody knows the names.
    """
    course = Path(course)
    grades = course / assignment / "grades.csv"
    if not grades.is_file():
        raise ValueError(f"There is no {grades}: grade {assignment} first.")
    with grades.open(newline="", encoding="utf-8") as file:
        rows = {row["id"]: row for row in csv.DictReader(file)}
    names = _names(Path(submissions) / TABLE)
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
    if filled := _filled(roll, rows, assignment):
        table = course / "give_back" / f"{assignment}.csv"
        write(table, filled)
        yield f"points    {table}"
    else:
        yield "NO TABLE: the roll is not the platform's own, so import grades.csv"


def _names(table):
    """Return {student: how what is given back begins}."""
    if not table.is_file():
        raise ValueError(
            f"There is no {table}, which has the names of the download: `make collect` "
            "writes it."
        )
    with table.open(newline="", encoding="utf-8") as file:
        return {
            row["id"]: row["named"] if row["platform"] else f"{row['id']}/"
            for row in csv.DictReader(file)
        }


def _filled(roll, rows, assignment):
    """Return the platform's table with the points, or "" if the roll is none."""
    text = courses.text_of(roll, "save it as CSV in UTF-8")
    first = text.partition("\n")[0]
    delimiter = ";" if ";" in first else ","
    head, *others = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    small = [name.strip().casefold() for name in head]
    by_id = next((small.index(name) for name in courses.IDS if name in small), None)
    if "grade" in small and "identifier" in small:  # Moodle
        place = small.index("grade")
    elif "student" in small and "section" in small:  # Canvas
        place = next(
            (n for n, name in enumerate(head) if assignment in name), len(head)
        )
    else:
        return ""
    out = io.StringIO(newline="")
    table = csv.writer(out, delimiter=delimiter)
    for number, row in enumerate([head, *others]):
        row += [""] * (place + 1 - len(row))
        points = rows.get(row[by_id].strip(), {})
        if number == 0 and place == len(head) - 1 and not row[place]:
            row[place] = assignment
        elif points and points.get("total"):
            row[place] = points.get("counts", points["total"])
        table.writerow(row)
    return out.getvalue()
