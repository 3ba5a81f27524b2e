"""Statistics of a graded class, without names: points and known mistakes."""

import csv
import io
import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np

from assignments.grader import course as courses
from assignments.grader import results
from assignments.grader.feedback import TEMPLATES
from assignments.grader.files import write
from ttt_lib import theme
from ttt_lib.validation import escape_formula

BARS = 10  # of the histogram of points
NOT_GRADED = "missing", "unreadable", "not graded"  # left out of the statistics


class Row(NamedTuple):
    """Statistics of a question or a text."""

    name: str
    points: float  #: maximum
    marked: int  #: students who have points for it
    right: int  #: who have all of them
    half: int  #: who have some
    mean: float  #: points
    mistakes: tuple  #: (name, number of students), the most frequent first


def make(course, assignment):
    """Write the page and two tables of a graded class; return their paths.

    Raises ValueError if the assignment was not graded, or by a newer edition.
    """
    folder = Path(course) / assignment
    rows = courses.graded(course, assignment)
    graded = [row for row in rows if row["status"] not in NOT_GRADED]
    mistakes = _mistakes(folder / "results", {row["id"] for row in graded})
    questions = [
        _row(name, points, graded, mistakes[name])
        for name, points in _max_points(assignment).items()
    ]
    table, page = folder / "report.csv", folder / "report.html"
    write(table, _table(questions))
    write(folder / "mistakes.csv", _mistakes_table(questions))
    write(page, _page(assignment, questions, rows, graded))
    return page, table, folder / "mistakes.csv"


def _max_points(assignment):
    """Return {question or text: points} of an assignment."""
    file = courses.SOURCE / assignment / f"{assignment}.ipynb"
    notebook = json.loads(file.read_text(encoding="utf-8"))
    release = courses.of_notebook(assignment, notebook)
    items = (*release.questions, *release.essays)
    return {item.grade_id.removesuffix("_check"): item.points for item in items}


def _mistakes(folder, students):
    """Return {question: Counter of the known mistakes that students made in it}."""
    counts = defaultdict(Counter)
    for file in sorted(folder.glob("*.json")):
        if file.stem not in students:  # for example, one who has left the class
            continue
        for grade_id, verdict in results.read(file)["questions"].items():
            if verdict["mistake"]:
                counts[grade_id.removesuffix("_check")][verdict["mistake"]] += 1
    return counts


def _row(name, most, graded, mistakes):
    points = [float(row[name]) for row in graded if row.get(name)]
    return Row(
        name,
        most,
        len(points),
        sum(p == most for p in points),
        sum(0 < p < most for p in points),
        float(np.mean(points)) if points else 0.0,
        tuple(mistakes.most_common()),
    )


def _table(rows):
    """Return the statistics as CSV, one question in a row."""
    return _csv(
        ("question", "points", "marked", "right", "half", "mean"),
        ((row.name, f"{row.points:g}", *row[2:5], f"{row.mean:.2f}") for row in rows),
    )


def _mistakes_table(rows):
    """Return the known mistakes as CSV, one in a row."""
    lines = ((row.name, *map(str, each)) for row in rows for each in row.mistakes)
    lines = ((name, escape_formula(mistake), count) for name, mistake, count in lines)
    return _csv(("question", "mistake", "made by"), lines)


def _csv(head, rows):
    out = io.StringIO(newline="")
    csv.writer(out).writerows([head, *rows])
    return out.getvalue()


def _page(assignment, rows, students, graded):
    """Return the page (HTML) of Rows; `students` are rows of grades.csv."""
    totals = [float(row["total"]) for row in graded if row["total"]]
    most = max((float(row["of"]) for row in students), default=1.0)
    counts, edges = np.histogram(totals, bins=BARS, range=(0, most))
    bars = zip(edges[:-1].round(1), edges[1:].round(1), counts.tolist(), strict=True)
    mistakes = [(row.name, *each) for row in rows for each in row.mistakes]
    return TEMPLATES.get_template("report.html").render(
        theme=theme.css(),
        assignment=assignment,
        count=len(students),
        graded=len(graded),
        copies=sum(bool(row.get("same text as")) for row in graded),
        waiting=sum(row.get("to mark", "0") != "0" for row in graded),
        statuses=Counter(row["status"] for row in students).most_common(),
        rows=rows,
        mistakes=sorted(mistakes, key=lambda row: -row[2]),
        bars=list(bars),
        most=max(1, *counts.tolist()),
    )
