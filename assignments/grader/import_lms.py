"""Import of a learning platform's download into one folder for each student.

First a complete plan is made, which can be inspected; then it is carried out.
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
AGAIN = re.compile(r"(.+)-(\d+)(\.\w+)")  # Canvas numbers resubmissions
HEAD = "id", "file", "time", "time of", "platform", "late mark", "named"
# Moodle stamps the files of a download with the time of the download: times of at least
# MIN_STUDENTS students within MAX_SPREAD are taken for that.
MAX_SPREAD, MIN_STUDENTS = timedelta(minutes=10), 5
MAX_NAME_BYTES = 200  # of a file or folder: 255 fit, and a number may be added
MAX_PATH_BYTES = 800  # inside a student's folder; a whole path can have 4,096
MAX_FOLDERS = 10  # nested; the grader opens 20
# Errors of a file system that rejects a name.
NAMES = errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ, errno.ENOTDIR, errno.EISDIR
NAMES += errno.EEXIST, errno.ELOOP


class Row(NamedTuple):
    """File of a student, and where it is written."""

    student: str  #: id
    piece: Piece
    target: PurePosixPath  #: in the new folder
    owner: Owner


class Plan(NamedTuple):
    """Plan of an import: files with their targets, and files left out, with reasons."""

    rows: tuple  #: Rows
    left: tuple  #: (path, reason)
    notes: tuple  #: sentences
    without: tuple  #: ids of students without a file


def plan(download, roll):
    """Return the Plan for a download, a folder or zip, and a roll (CSV file).

    Raises ValueError if it is neither, or if no file belongs to a student on the roll.
    """
    people = People(roll)
    rows, left, notes = [], [], []
    if people.unread:
        student, time = next(iter(people.unread.items()))
        notes.append(
            f"the roll's time of {_few(people.unread)} cannot be read ({student}: "
            f"{printable(time)!r}): set Moodle to English (Preferences, Preferred "
            "language), and download the worksheet again"
        )
    used = defaultdict(Used)
    all_pieces = [*pieces(Path(download))]
    for piece, owner, parts, student in owned(all_pieces, people, left, notes):
        for inner in unpacked(piece, used[student], left):
            names = *parts, *inner.path.relative_to(piece.path).parts
            names = (name[:-4] if IS_ZIP.search(name) else name for name in names)
            target = PurePosixPath(student, *names)
            rows.append(Row(student, inner, target, owner))
    rows = _latest(rows, left, notes)
    rows = _placed(rows, notes)
    rows = _timed(rows, people, notes)
    if not rows:
        example = f"; for example, {left[0][0]} {left[0][1]}" if left else ""
        raise ValueError(
            f"Nothing in {download} belongs to a student on the roll, so nothing was "
            f"written{printable(example)}."
        )
    present = {row.student for row in rows}
    without = tuple(student for student in people.ids if student not in present)
    order = sorted(rows, key=lambda row: (people.ids.index(row.student), row.target))
    return Plan(tuple(order), tuple(sorted(left)), tuple(notes), without)


def carry_out(plan, folder):
    """Write the files of a Plan, and a table of them, into a new or empty folder.

    Returns (path, reason) of each file that could not be written.
    Raises ValueError, before anything is written, if the folder is not empty.
    """
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"{folder} is not empty: name a new folder.")
    made = not folder.exists()
    written, left = [], []
    try:
        for row in plan.rows:
            try:  # one student's file must not stop the others
                content = row.piece.read()
            except Exception:
                left.append((str(row.piece.path), "can no longer be read"))
                continue
            try:
                write(folder / row.target, content)
                written.append(row)
            except OSError as error:
                if error.errno not in NAMES:
                    raise
                left.append((str(row.piece.path), f"was not written: {error.strerror}"))
        write(folder / TABLE, table(written))
    except BaseException:
        if made:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    return left


def table(rows):
    """Return the table of files with their times and original names (CSV)."""
    text = io.StringIO(newline="")
    lines = csv.writer(text)
    lines.writerow(HEAD)
    for student, piece, target, owner in rows:
        file = escape_key(str(target.relative_to(student)))
        time = piece.time.isoformat() if piece.time else ""
        mark = "late" if owner.late else ""
        origin = time, piece.source, owner.platform, mark, escape_key(owner.named)
        lines.writerow([student, file, *origin])
    return text.getvalue()


def summary(plan):
    """Yield the lines that describe a Plan; problems come last."""
    counts = Counter(row.student for row in plan.rows)
    for student, piece, target, owner in plan.rows:
        platform = f"{owner.platform}: " if owner.platform else ""
        late = ", marked as late" if owner.late else ""
        yield f"{student:12} {target}   ({platform}{printable(str(piece.path))}{late})"
    if plan.without:
        yield f"NOTHING from {', '.join(plan.without)}"
    for note in plan.notes:
        yield f"NOTE: {note}"
    yield from lines_of(plan.left)
    totals = (len(plan.rows), "file"), (len(counts), "student")
    files, students = (f"{n} {noun}{'s' * (n != 1)}" for n, noun in totals)
    left, missing = len(plan.left), len(plan.without)
    yield f"{files} of {students}; left: {left}; missing: {missing}."


def _few(ids):
    """Return up to five ids as text, and the number of the others."""
    first, more = ", ".join([*ids][:5]), len(ids) - 5
    return f"{first} and {more} more" if more > 0 else first


def lines_of(left):
    """Return a line for each (path, reason)."""
    return [f"LEFT: {printable(path)} {printable(reason)}" for path, reason in left]


# Targets


def _latest(rows, left, notes):
    """Return Rows without files that were resubmitted at Canvas."""
    newest = {}
    for row in rows:
        again = AGAIN.fullmatch(row.owner.file)
        if (
            row.owner.platform == "Canvas"
            and again
            and row.owner.file == row.target.name
        ):
            file = row.student, f"{again[1]}{again[3]}"
            newest.setdefault(file, []).append((int(again[2]), row))
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
                "taken: Canvas numbers resubmissions"
            )
    return kept


def _placed(rows, notes):
    """Return Rows whose targets are unique and valid on any file system.

    Many file systems do not distinguish lower and upper case.
    """
    taken, placed = {}, []  # {path in lower case: whether it is a folder}
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
        placed.append(row._replace(target=target))
    for student, (first, *others) in renamed.items():
        more = f", and {len(others)} more" if others else ""
        notes.append(
            f"of {student} files were renamed, because a name is too long or occurs "
            f"twice: {printable(first)}{more}"
        )
    return placed


def _short(name):
    """Return a name on one line, shortened to MAX_NAME_BYTES with its suffix kept."""
    name = printable(name)
    over = len(name.encode()) - MAX_NAME_BYTES
    if over <= 0:
        return name
    ending = PurePosixPath(name).suffix
    ending = ending if len(ending.encode()) < 20 else ""
    stem = name.removesuffix(ending).encode()[: MAX_NAME_BYTES - len(ending.encode())]
    return stem.decode("utf-8", "ignore") + ending


def _free(path, is_folder, taken):
    """Return a path, with a number if it is taken, and add it to `taken`."""
    for number in count(1):
        again = f"{path.stem} ({number}){path.suffix}" if number > 1 else path.name
        free = path.with_name(again)
        key = composed(str(free)).casefold()
        if key not in taken or (is_folder and taken[key]):
            taken[key] = is_folder
            return free


def _timed(rows, people, notes):
    """Return Rows with times from the roll, and without times of the download."""
    with_time = [row for row in rows if row.piece.time]
    times = [row.piece.time for row in with_time]
    is_stamped = len({row.student for row in with_time}) >= MIN_STUDENTS
    is_stamped = is_stamped and max(times) - min(times) <= MAX_SPREAD

    def timed(piece, student):
        if student in people.times:
            return piece._replace(time=people.times[student], source="roll")
        if is_stamped or piece.time is None:
            return piece._replace(time=None, source=UNKNOWN)
        return piece

    rows = [row._replace(piece=timed(row.piece, row.student)) for row in rows]
    lost = {row.student for row in rows if row.piece.source == UNKNOWN}
    if is_stamped and lost:
        minutes = MAX_SPREAD // timedelta(minutes=1)
        notes.append(
            f"all times lie within {minutes} minutes and are the download's, so the "
            f"time of submission is unknown for {_few(sorted(lost))}, unless the roll "
            "has Moodle's column 'Last modified (submission)'"
        )
    return rows
