"""Deadlines: when work was due, when it came, and what the late rule makes of it.

The dates of a course are one TOML file:

    [due]
    assignment_game = 2026-10-12T23:59:00+02:00

    [extensions.ada]
    assignment_game = 2026-10-15T23:59:00+02:00

    [late]
    grace_minutes = 10   # that count as in time
    percent_per_day = 10 # of the points, for each day begun
    most_days = 3        # later work counts nothing
"""

import math
import tomllib
from datetime import datetime, timedelta
from typing import NamedTuple

from assignments.grader.course import handed_in, text_of
from assignments.grader.submission import UNKNOWN

RULE = {"grace_minutes": 0, "percent_per_day": 100, "most_days": 0}
DAY = "%d %B %Y, %H:%M (%Z)"
HEAD = ["handed in", "time of", "late", "counts"]


class Lateness(NamedTuple):
    """When somebody's work came, and which share of its points counts."""

    time: datetime | None  #: of the latest file; None if nobody knows
    source: str  #: whose time that is: "roll", "zip", "file", UNKNOWN, or ""
    days: int  #: begun, after the time that was due; 0 is in time
    share: float  #: of the points
    until: datetime | None = None  #: the student's own date, if there is an extension


def read(path):
    """Return the dates of a course as its file has them.

    Raises ValueError with one sentence if they make no sense.
    """
    text = text_of(path, "save it in UTF-8")
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"The dates {path} are no TOML: {error}.") from None
    for table in found.keys() - {"due", "extensions", "late"}:
        _refuse(path, f"[{table}] is unknown: there are [due], [extensions], [late]")
    for table in found.values():
        if not isinstance(table, dict):
            _refuse(path, "each table has a head, as [due]")
    for own in (found.get("due", {}), *found.get("extensions", {}).values()):
        if not isinstance(own, dict):
            _refuse(path, "an extension is a table, as [extensions.ada]")
        for name, time in own.items():
            if not isinstance(time, datetime) or time.tzinfo is None:
                _refuse(path, f"{name} has no date with time and zone, as {EXAMPLE}")
    for name, number in found.get("late", {}).items():
        fits = isinstance(number, int | float) and not isinstance(number, bool)
        if name not in RULE or not fits or not 0 <= number <= 10_000:
            _refuse(path, f"in [late] stand numbers from 0 on: {', '.join(RULE)}")
    return found


EXAMPLE = "2026-10-12T23:59:00+02:00"


def _refuse(path, why):
    raise ValueError(f"The dates {path}: {why}.")


def lateness(path, assignment, folder, students, say=print):
    """Return {student: Lateness} of a folder that `collect` has laid out.

    A student of whom there is no file has not handed in; one of whom nobody knows when
    is in time, which is said.
    Raises ValueError if there is no date for the assignment, or no table of files.
    """
    found = read(path)
    due = found.get("due", {}).get(assignment)
    if due is None:
        _refuse(path, f"[due] says nothing of {assignment}")
    rule = RULE | found.get("late", {})
    extensions = found.get("extensions", {})
    for nobody in sorted(extensions.keys() - {*students}):
        say(f"LOOK: {nobody} has an extension and is not on the roll")
    times = _handed_in(folder)
    unknown = [one for one in students if times.get(one) == (None, UNKNOWN)]
    if unknown:
        say(f"LOOK: nobody knows when {', '.join(unknown)} handed in: not late")
    return {
        student: judged(
            *times.get(student, (None, "")),
            due,
            rule,
            extensions.get(student, {}).get(assignment),
        )
        for student in students
    }


def judged(time, source, due, rule, until=None):
    """Return the Lateness of work that came at a time; `until` is an extension."""
    if time is None:
        return Lateness(None, source, 0, 1.0, until)
    due = until or due
    over = time - due - timedelta(minutes=rule["grace_minutes"])
    days = max(0, math.ceil(over / timedelta(days=1)))
    share = max(0.0, 1 - rule["percent_per_day"] / 100 * days)
    time = time.astimezone(due.tzinfo)  # as whoever set the date reads it
    share = share if days <= rule["most_days"] else 0.0
    return Lateness(time, source, days, share, until)


def _handed_in(folder):
    """Return {student: (time, source)} of the latest file of each."""
    found = {}
    for row in handed_in(folder):
        known = found.setdefault(row["id"], (None, UNKNOWN))
        if row["time"]:
            time = datetime.fromisoformat(row["time"]), row["time of"]
            found[row["id"]] = max(time, known if known[0] else time)
    return found


def cells(late, total):
    """Return what stands under HEAD for a student with so many points."""
    if late.time is None:
        return ["", late.source, "", f"{total:g}"]
    time = late.time.isoformat(timespec="minutes")
    return [time, late.source, _days(late), f"{total * late.share:g}"]


def told(late, total):
    """Return what a student with so many points reads of it, "" if nothing came."""
    if not late.source:
        return ""
    if late.time is None:
        return "Nobody knows when it was handed in, so it counts as in time."
    came = f"Handed in {late.time:{DAY}}"
    until = f"{late.until:{DAY}}" if late.until else ""
    if not late.days:
        return f"{came}, in time{f': your extension is to {until}' if until else ''}."
    after = f" after your extension to {until}" if until else ""
    counts = f"{total * late.share:g} of {total:g}"
    return (
        f"{came}, {late.days} day{'s' * (late.days != 1)} late{after}: "
        f"{late.share:.0%} of the points count, {counts}."
    )


def _days(late):
    after = " after an extension" if late.until else ""
    return f"{late.days} day{'s' * (late.days != 1)}{after}" if late.days else ""
