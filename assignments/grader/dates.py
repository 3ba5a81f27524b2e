"""Deadlines: due dates, times of submission, and deductions for late work.

The dates of a course are one TOML file:

    [due]
    assignment_game = 2026-10-12T23:59:00+02:00

    [extensions.ada]
    assignment_game = 2026-10-15T23:59:00+02:00

    [late]
    grace_minutes = 10   # count as in time
    percent_per_day = 10 # of the points, for each day begun
    most_days = 3        # later work gets no points
"""

import math
import tomllib
from datetime import datetime, timedelta
from typing import NamedTuple

from assignments.grader.course import submissions_table, text_of
from assignments.grader.submission import UNKNOWN

RULE = {"grace_minutes": 0, "percent_per_day": 100, "most_days": 0}
DAY = "%d %B %Y, %H:%M (%Z)"
HEAD = ["handed in", "time of", "late", "counts"]


class Lateness(NamedTuple):
    """Time of a student's submission, and the share of its points that counts."""

    time: datetime | None  #: of the latest file; None if unknown
    source: str  #: source of the time: "roll", "zip", "file", UNKNOWN, or ""
    days: int  #: late, each day begun counts; 0 is in time
    share: float  #: of the points
    until: datetime | None = None  #: the student's extension, if there is one


def read(path):
    """Return the tables of a TOML file of dates.

    Raises ValueError with one sentence if the file is invalid.
    """
    text = text_of(path, "save it in UTF-8")
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"The dates {path} are not TOML: {error}.") from None
    for table in tables.keys() - {"due", "extensions", "late"}:
        _reject(path, f"[{table}] is unknown: there are [due], [extensions], [late]")
    for table in tables.values():
        if not isinstance(table, dict):
            _reject(path, "each line belongs to a table such as [due]")
    for due_dates in (tables.get("due", {}), *tables.get("extensions", {}).values()):
        if not isinstance(due_dates, dict):
            _reject(path, "an extension is a table such as [extensions.ada]")
        for name, time in due_dates.items():
            if not isinstance(time, datetime) or time.tzinfo is None:
                _reject(path, f"{name} needs a date, time and zone, such as {EXAMPLE}")
    for name, number in tables.get("late", {}).items():
        fits = isinstance(number, int | float) and not isinstance(number, bool)
        if name not in RULE or not fits or not 0 <= number <= 10_000:
            names = ", ".join(RULE)
            _reject(path, f"[late] takes numbers from 0 to 10,000 for {names}")
    return tables


EXAMPLE = "2026-10-12T23:59:00+02:00"


def _reject(path, why):
    raise ValueError(f"The dates {path}: {why}.")


def lateness(path, assignment, folder, students, say=print):
    """Return {student: Lateness} for a folder that `collect` has written.

    Work whose time is unknown counts as in time; `say` prints a line about it.
    Raises ValueError if there is no date for the assignment, or no table of files.
    """
    tables = read(path)
    due = tables.get("due", {}).get(assignment)
    if due is None:
        _reject(path, f"[due] has no date for {assignment}")
    rule = RULE | tables.get("late", {})
    extensions = tables.get("extensions", {})
    for student in sorted(extensions.keys() - {*students}):
        say(f"LOOK: {student} has an extension but is not on the roll")
    times = _handed_in(folder)
    unknown = [student for student in students if times.get(student) == (None, UNKNOWN)]
    if unknown:
        ids = ", ".join(unknown)
        say(f"LOOK: the time of submission is unknown for {ids}: counted as in time")
    return {
        student: lateness_of(
            *times.get(student, (None, "")),
            due,
            rule,
            extensions.get(student, {}).get(assignment),
        )
        for student in students
    }


def lateness_of(time, source, due, rule, until=None):
    """Return the Lateness of work handed in at a time; `until` is an extension."""
    if time is None:
        return Lateness(None, source, 0, 1.0, until)
    due = until or due
    over = time - due - timedelta(minutes=rule["grace_minutes"])
    days = max(0, math.ceil(over / timedelta(days=1)))
    share = max(0.0, 1 - rule["percent_per_day"] / 100 * days)
    time = time.astimezone(due.tzinfo)  # in the teacher's time zone
    share = share if days <= rule["most_days"] else 0.0
    return Lateness(time, source, days, share, until)


def _handed_in(folder):
    """Return {student: (time, source)} of the latest file of each."""
    latest = {}
    for row in submissions_table(folder):
        before = latest.setdefault(row["id"], (None, UNKNOWN))
        if row["time"]:
            time = datetime.fromisoformat(row["time"]), row["time of"]
            latest[row["id"]] = max(time, before if before[0] else time)
    return latest


def cells(late, total):
    """Return the cells below HEAD for a student with `total` points."""
    if late.time is None:
        return ["", late.source, "", f"{total:g}"]
    time = late.time.isoformat(timespec="minutes")
    return [time, late.source, _days(late), f"{total * late.share:g}"]


def sentence(late, total):
    """Return the sentence about lateness for a student's page, or ""."""
    if not late.source:
        return ""
    if late.time is None:
        return "The time of submission is unknown, so it counts as in time."
    handed_in_at = f"Handed in {late.time:{DAY}}"
    until = f"{late.until:{DAY}}" if late.until else ""
    if not late.days:
        extension = f": your extension is to {until}" if until else ""
        return f"{handed_in_at}, in time{extension}."
    after = f" after your extension to {until}" if until else ""
    counts = f"{total * late.share:g} of {total:g}"
    return (
        f"{handed_in_at}, {late.days} day{'s' * (late.days != 1)} late{after}: "
        f"{late.share:.0%} of the points count, {counts}."
    )


def _days(late):
    after = " after an extension" if late.until else ""
    return f"{late.days} day{'s' * (late.days != 1)}{after}" if late.days else ""
