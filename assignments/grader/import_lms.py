"""What a learning platform lets one download, laid out in a folder for each student.

First comes a plan, which can be looked at; nothing is written before it is complete.
"""

import csv
import errno
import io
import re
import shutil
from collections import Counter, defaultdict
from datetime import timedelta
from itertools import count
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from assignments.grader.download import Piece, Used, pieces, unpacked
from assignments.grader.files import printable, write
from assignments.grader.owners import Owner, People, owned
from assignments.grader.submission import TABLE, UNKNOWN, composed
from ttt_lib.validation import escape_key

IS_ZIP = re.compile(r".\.zip$", re.IGNORECASE)
AGAIN = re.compile(r"(.+)-(\d+)(\.\w+)")  # Canvas counts what is handed in anew
HEAD = "id", "file", "time", "time of", "platform", "late mark", "named"
# Moodle stamps what is in a download with the time of the download.
AT_ONCE, ENOUGH = timedelta(minutes=10), 5  # within which, of how many students
MAX_NAME_BYTES = 200  # bytes of a file or folder: 255 fit, and a number may be added
MAX_PATH_BYTES = 800  # bytes in a student's folder; the whole path may have 4,096
MAX_FOLDERS = 10  # in one another; the grader opens 20
# What a file system says of a name that it does not take.
NAMES = errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ, errno.ENOTDIR, errno.EISDIR
NAMES += errno.EEXIST, errno.ELOOP


class Row(NamedTuple):
    """A file of a student, and where it goes."""

    student: str  #: id
    piece: Piece
    target: PurePosixPath  #: in the folder of all
    owner: Owner


class Plan(NamedTuple):
    """What goes where, and what goes nowhere and why."""

    rows: tuple  #: Rows
    left: tuple  #: (path, reason)
    notes: tuple  #: sentences
    without: tuple  #: ids of those of whom there is nothing


def plan(download, roll):
    """Return the Plan for a folder or a zip, and a CSV file with the class.

    Raises ValueError if it is neither, or if nothing in it is of anybody on the roll.
    """
    people = People(roll)
    rows, left, notes = [], [], []
    if people.unread:
        student, told = next(iter(people.unread.items()))
        notes.append(
            f"the roll's time of {_few(people.unread)} cannot be read ({student}: "
            f"{printable(told)!r}): set Moodle to English (Preferences, Preferred "
            "language), and download the worksheet once more"
        )
    used = defaultdict(Used)
    everything = [*pieces(Path(download))]
    for piece, owner, parts, student in owned(everything, people, left, notes):
        for found in unpacked(piece, used[student], left):
            inside = *parts, *found.path.relative_to(piece.path).parts
            inside = (part[:-4] if IS_ZIP.search(part) else part for part in inside)
            target = PurePosixPath(student, *inside)
            rows.append(Row(student, found, target, owner))
    rows = _latest(rows, left, notes)
    rows = _placed(rows, notes)
    rows = _timed(rows, people, notes)
    if not rows:
        known = f": {left[0][0]}, for one, {left[0][1]}" if left else ""
        raise ValueError(
            f"Nothing in {download} is of anybody on the roll, so nothing was "
            f"written{printable(known)}."
        )
    there = {row.student for row in rows}
    without = tuple(who for who in people.ids if who not in there)
    order = sorted(rows, key=lambda row: (people.ids.index(row.student), row.target))
    return Plan(tuple(order), tuple(sorted(left)), tuple(notes), without)


def carry_out(plan, folder):
    """Write the files of a Plan, and a table of them, into a new or empty folder.

    Returns (path, reason) of each file whose name the disk did not take.
    Raises ValueError, before anything is written, if the folder has something in it.
    """
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"{folder} is not empty: name a folder that is new.")
    made = not folder.exists()
    written, left = [], []
    try:
        for row in plan.rows:
            try:  # one student's file stops nobody else's
                content = row.piece.read()
            except Exception:
                left.append((str(row.piece.path), "cannot be read any more"))
                continue
            try:
                write(folder / row.target, content)
                written.append(row)
            except OSError as error:
                if error.errno not in NAMES:
                    raise
                left.append((str(row.piece.path), f"is left: {error.strerror}"))
        write(folder / TABLE, table(written))
    except BaseException:
        if made:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    return left


def table(rows):
    """Return as CSV what was handed in when, and under which name."""
    text = io.StringIO(newline="")
    lines = csv.writer(text)
    lines.writerow(HEAD)
    for student, piece, target, owner in rows:
        file = escape_key(str(target.relative_to(student)))
        time = piece.time.isoformat() if piece.time else ""
        mark = "late" if owner.late else ""
        told = time, piece.source, owner.platform, mark, escape_key(owner.named)
        lines.writerow([student, file, *told])
    return text.getvalue()


def told(plan):
    """Yield the lines that say what a Plan does; what to look at comes last."""
    often = Counter(row.student for row in plan.rows)
    for student, piece, target, owner in plan.rows:
        platform = f"{owner.platform}: " if owner.platform else ""
        late = ", marked as late" if owner.late else ""
        yield f"{student:12} {target}   ({platform}{printable(str(piece.path))}{late})"
    if plan.without:
        yield f"NOTHING from {', '.join(plan.without)}"
    for note in plan.notes:
        yield f"NOTE: {note}"
    yield from lines_of(plan.left)
    counts = (len(plan.rows), "file"), (len(often), "student")
    there, whose = (f"{n} {what}{'s' * (n != 1)}" for n, what in counts)
    yield f"{there} of {whose}; left: {len(plan.left)}; missing: {len(plan.without)}."


def _few(ids):
    """Return the first ids, and how many more there are."""
    first, more = ", ".join([*ids][:5]), len(ids) - 5
    return f"{first} and {more} more" if more > 0 else first


def lines_of(left):
    """Return a line for each (path, reason)."""
    return [f"LEFT: {printable(path)} {printable(reason)}" for path, reason in left]


# Where it goes


def _latest(rows, left, notes):
    """Return Rows without those that a platform says were handed in anew."""
    newest = {}
    for row in rows:
        again = AGAIN.fullmatch(row.owner.file)
        if (
            row.owner.platform == "Canvas"
            and again
            and row.owner.file == row.target.name
        ):
            place = row.student, f"{again[1]}{again[3]}"
            newest.setdefault(place, []).append((int(again[2]), row))
    kept = list(rows)
    for (student, file), many in newest.items():
        plain = [r for r in rows if (r.student, r.owner.file) == (student, file)]
        many += [(0, row) for row in plain if row.owner.platform == "Canvas"]
        if len(many) > 1:
            number, last = max(many, key=lambda pair: pair[0])
            for _, row in many:
                if row is not last:
                    kept.remove(row)
                    left.append((str(row.piece.path), f"is older than -{number}"))
            notes.append(
                f"of {student} the file with the largest number, {last.owner.file}, is "
                "taken: Canvas numbers what is handed in anew"
            )
    return kept


def _placed(rows, notes):
    """Return Rows whose targets any disk takes, and no two of which are one.

    Small and capital letters are one on many disks.
    """
    taken, found = {}, []  # {path in small letters: whether it is a folder}
    renamed = defaultdict(list)
    for row in rows:
        student, *parts = row.target.parts
        parts = [_short(part) for part in parts]
        if len(parts) > MAX_FOLDERS or len("/".join(parts).encode()) > MAX_PATH_BYTES:
            parts = parts[-1:]
        target, last = PurePosixPath(student), len(parts) - 1
        for number, part in enumerate(parts):
            target = _free(target / part, number < last, taken)
        if target != PurePosixPath(*map(printable, row.target.parts)):
            renamed[student].append(f"{row.target.name} as {target}")
        found.append(row._replace(target=target))
    for student, (first, *others) in renamed.items():
        more = f", and {len(others)} more" if others else ""
        notes.append(
            f"of {student} another name is taken where one is too long or there twice: "
            f"{printable(first)}{more}"
        )
    return found


def _short(name):
    """Return a name on one line that a disk takes, with its ending."""
    name = printable(name)
    over = len(name.encode()) - MAX_NAME_BYTES
    if over <= 0:
        return name
    ending = PurePosixPath(name).suffix
    ending = ending if len(ending.encode()) < 20 else ""
    stem = name.removesuffix(ending).encode()[: MAX_NAME_BYTES - len(ending.encode())]
    return stem.decode("utf-8", "ignore") + ending


def _free(path, is_folder, taken):
    """Return a path, with a number where it is taken, and take it."""
    for number in count(1):
        again = f"{path.stem} ({number}){path.suffix}" if number > 1 else path.name
        free = path.with_name(again)
        key = composed(str(free)).casefold()
        if key not in taken or (is_folder and taken[key]):
            taken[key] = is_folder
            return free


def _timed(rows, people, notes):
    """Return Rows with the times of the roll, and without those of the download."""
    known = [row for row in rows if row.piece.time]
    times = [row.piece.time for row in known]
    at_once = len({row.student for row in known}) >= ENOUGH
    at_once = at_once and max(times) - min(times) <= AT_ONCE

    def timed(piece, student):
        if student in people.times:
            return piece._replace(time=people.times[student], source="roll")
        if at_once or piece.time is None:
            return piece._replace(time=None, source=UNKNOWN)
        return piece

    found = [row._replace(piece=timed(row.piece, row.student)) for row in rows]
    lost = {row.student for row in found if row.piece.source == UNKNOWN}
    if at_once and lost:
        notes.append(
            f"all times lie within {AT_ONCE // timedelta(minutes=1)} minutes: they are "
            f"the download's, so nobody knows when {_few(sorted(lost))} handed in, "
            "unless the roll has Moodle's column 'Last modified (submission)'"
        )
    return found
