"""What a learning platform lets one download, laid out in a folder for each student.

First comes a plan, which can be looked at; nothing is written before it is complete.
Names are read as Moodle and Canvas write them, or as `ID.ipynb` and `ID_anything`; what
students have zipped themselves is opened, within bounds.
"""

import contextlib
import csv
import io
import lzma
import re
import shutil
import unicodedata
import zipfile
import zlib
from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from assignments.grader import course
from assignments.grader.files import printable, write
from assignments.grader.submission import TABLE, UNKNOWN, beginnings, composed

LARGEST = 30 * 2**20  # bytes of a file
MOST_BYTES = 500 * 2**20  # of one student, unpacked
MOST_FILES = 200  # of one student
DEEPEST = 3  # zips in zips
SKIPPED = {"__MACOSX", ".ipynb_checkpoints", ".DS_Store", "Thumbs.db"}
MOODLE = re.compile(
    r"(?P<name>.+)_(?P<number>\d+)_assignsubmission_(file|onlinetext)_?(?P<file>.*)"
)
CANVAS = re.compile(
    r"(?P<name>[^_]+)_(?P<late>LATE_)?(?P<number>\d+)_(?P<submission>\d+)_(?P<file>.+)"
)
AGAIN = re.compile(r"(.+)-(\d+)(\.\w+)")  # Canvas counts what is handed in anew
HEAD = "id", "file", "time", "time of", "platform", "late mark", "named"
# Moodle stamps what is in a download with the time of the download.
AT_ONCE, ENOUGH = timedelta(minutes=10), 5  # within which, of how many students
HANDED_IN = "last modified (submission)"  # head of a column of Moodle's worksheet
TIMES = "%d %B %Y, %I:%M %p", "%d %B %Y, %H:%M", "%B %d, %Y, %I:%M %p"


class Piece(NamedTuple):
    """A file of a download."""

    path: PurePosixPath  #: in the download; a zip is a folder
    size: int
    time: datetime | None
    source: str  #: whose time that is: "roll", "zip", "file" or UNKNOWN
    read: object  #: returns its bytes


class Owner(NamedTuple):
    """What a name says of whose work it is."""

    platform: str  #: "Moodle", "Canvas" or ""
    name: str  #: of the person, as the platform writes it
    number: str  #: the platform's, of the person
    file: str  #: what the student called it
    late: bool  #: whether the platform says so
    named: str  #: what a file that is given back has to be named after


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
        unread = ", ".join(people.unread)
        notes.append(f"the roll's time of {unread} is neither English nor ISO")
    for piece in _pieces(Path(download), left):
        owner, rest = _owner(piece.path, people)
        student, reason = people.find(owner, piece.path)
        if student is None:
            left.append((str(piece.path), reason))
        else:
            target = PurePosixPath(student, *map(printable, rest))
            rows.append(Row(student, piece, target, owner))
    rows = _opened(rows, left)
    rows = _latest(rows, left, notes)
    rows = list(_kept(rows, left))
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

    Raises ValueError, before anything is written, if the folder has something in it.
    """
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"{folder} is not empty: name a folder that is new.")
    made = not folder.exists()
    try:
        for row in plan.rows:
            write(folder / row.target, row.piece.read())
        write(folder / TABLE, table(plan))
    except BaseException:
        if made:
            shutil.rmtree(folder, ignore_errors=True)
        raise


def table(plan):
    """Return as CSV what was handed in when, and under which name."""
    text = io.StringIO(newline="")
    rows = csv.writer(text)
    rows.writerow(HEAD)
    for student, piece, target, owner in plan.rows:
        time = piece.time.isoformat() if piece.time else ""
        mark = "late" if owner.late else ""
        named = owner.named
        told = time, piece.source, owner.platform, mark, named
        rows.writerow([student, str(target.relative_to(student)), *told])
    return text.getvalue()


def told(plan):
    """Yield the lines that say what a Plan does."""
    often = Counter(row.student for row in plan.rows)
    for student, piece, target, owner in plan.rows:
        platform = f"{owner.platform}: " if owner.platform else ""
        late = ", marked as late" if owner.late else ""
        yield f"{student:12} {target}   ({platform}{printable(str(piece.path))}{late})"
    for note in plan.notes:
        yield f"NOTE: {note}"
    for path, reason in plan.left:
        yield f"LEFT: {printable(path)} {reason}"
    if plan.without:
        yield f"NOTHING from {', '.join(plan.without)}"
    counts = (len(plan.rows), "file"), (len(often), "student")
    there, whose = (f"{n} {what}{'s' * (n != 1)}" for n, what in counts)
    yield f"{there} of {whose}; left: {len(plan.left)}; missing: {len(plan.without)}."


# Whose it is


class People:
    """The roll, asked by whatever a platform calls a person."""

    def __init__(self, roll):
        course.read_roll(roll)  # with its sentences on what is wrong
        self.ids, self.names, self.numbers = [], {}, {}
        self.times, self.unread = {}, []  # when work came, as far as the roll says
        for student, cells in course.roll_rows(roll):
            self.ids.append(student)
            told = cells.get(HANDED_IN, "").strip("-")
            if time := read_time(told):
                self.times[student] = time
            elif told:
                self.unread.append(student)
            words = {student, cells.get("id", ""), cells.get("email address", "")}
            words |= {cells.get("email", ""), cells.get("sis user id", "")}
            words |= {cells.get("sis login id", ""), cells.get("login id", "")}
            # Moodle's worksheet: "Participant 1234".
            words.add(cells.get("identifier", "").rpartition(" ")[2])
            for word in filter(None, words):
                self.numbers.setdefault(word.casefold(), set()).add(student)
            for name in _names(cells):
                self.names.setdefault(_letters(name), set()).add(student)

    def find(self, owner, path):
        """Return the id of whoever it is, or None and why."""
        if not owner.platform:
            name = composed(owner.name)
            for word in [name, *reversed(beginnings(name))]:
                if found := self.numbers.get(word.casefold()):
                    return self._one(found, word)
            return None, "belongs to nobody on the roll"
        if found := self.numbers.get(owner.number):
            return self._one(found, owner.number)
        if found := self.names.get(_letters(owner.name)):
            return self._one(found, owner.name)
        return None, (
            f"is of {owner.name} ({owner.number}), who is not on the roll: it needs "
            "that number or that name"
        )

    def _one(self, found, word):
        if len(found) > 1:
            return None, f"may be of {' or '.join(sorted(found))}: all are {word}"
        return next(iter(found)), ""


def _names(cells):
    """Yield a person's names as platforms may write them."""
    for head in ("name", "full name", "student"):
        if name := cells.get(head):
            yield name
            last, comma, first = name.partition(",")
            if comma:
                yield f"{first} {last}"
            else:  # Canvas writes the last name first, without a space
                *first, last = name.split()
                yield f"{last} {' '.join(first)}"
    first, last = cells.get("first_name", ""), cells.get("last_name", "")
    if first and last:
        yield f"{first} {last}"
        yield f"{last} {first}"


def read_time(text):
    """Return the time that Moodle writes in English, or an ISO one; None for others.

    Where it has no zone it is in that of this machine.
    """
    words = " ".join(re.sub(r"^\w+day, ", "", text).split())
    readers = [partial(_strptime, form) for form in TIMES]
    for read in (datetime.fromisoformat, *readers):
        with contextlib.suppress(ValueError, OverflowError, OSError):
            return read(words).astimezone(UTC)
    return None


def _strptime(form, text):
    return datetime.strptime(text, form)


def _letters(name):
    """Return the letters and digits of a name, small and without accents."""
    apart = unicodedata.normalize("NFKD", name).casefold()
    return "".join(sign for sign in apart if sign.isalnum())


def _owner(path, people):
    """Return the Owner that a path tells, and the parts of it that are the student's.

    What lies above, as the folder of a whole download, says nothing; but what lies in a
    student's folder is of that student, however it is named.
    """
    first, *rest = path.parts
    if rest and first.casefold() in people.numbers:
        return Owner("", first, "", path.name, False, first), tuple(rest)
    for place, part in enumerate(path.parts):
        if found := MOODLE.fullmatch(part):
            rest, named = path.parts[place + 1 :], f"{part}/"
            if not rest:  # no folders were asked for
                rest, named = (found["file"],), part.removesuffix(found["file"])
            told = found["name"], found["number"], rest[-1], False, named
            return Owner("Moodle", *told), rest
    if found := CANVAS.fullmatch(path.name):
        named = path.name[: -len(found["file"])]
        told = found["name"], found["number"], found["file"], bool(found["late"]), named
        return Owner("Canvas", *told), (found["file"],)
    named = first if rest else PurePosixPath(first).stem
    return Owner("", named, "", path.name, False, named), tuple(rest) or (first,)


# What there is


def _pieces(download, left):
    """Yield the Pieces of a folder or a zip."""
    if download.is_file():
        if not zipfile.is_zipfile(download):
            raise ValueError(f"{download} is neither a folder nor a zip.")
        yield from _of_zip(partial(open, download, "rb"), PurePosixPath(), left)
    elif download.is_dir():
        for file in sorted(download.rglob("*")):
            path = PurePosixPath(file.relative_to(download).as_posix())
            if SKIPPED & {*path.parts} or (file.is_dir() and not file.is_symlink()):
                continue
            if file.is_symlink() or not file.is_file():
                left.append((str(path), "is no file"))
                continue
            known = file.stat()
            time = datetime.fromtimestamp(known.st_mtime, UTC)
            yield Piece(path, known.st_size, time, "file", file.read_bytes)
    else:
        raise ValueError(f"There is no folder or zip {download}.")


def _of_zip(file, above, left):
    """Yield the Pieces of a zip, which file() opens; no name leads out of it."""
    try:
        with file() as opened, zipfile.ZipFile(opened) as packed:
            infos = packed.infolist()
    except DAMAGED:
        left.append((str(above), "is a zip that cannot be opened"))
        return
    for info in infos:
        inner = [part for part in info.filename.replace("\\", "/").split("/") if part]
        if info.is_dir() or SKIPPED & {*inner}:
            continue
        path = above.joinpath(*inner)
        if ".." in inner or not inner or info.filename.startswith("/"):
            left.append((str(path), "has a name that leads out of the zip"))
        elif info.flag_bits & 1:
            left.append((str(path), "is locked with a password"))
        else:
            time = _time_of(info)
            yield Piece(path, info.file_size, time, "zip", partial(_inside, file, info))


def _time_of(info):
    try:  # a zip has local time and no zone
        return datetime(*info.date_time).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _inside(file, info):
    """Return the bytes of a file in a zip."""
    with (
        file() as opened,
        zipfile.ZipFile(opened) as packed,
        packed.open(info) as inner,
    ):
        content = inner.read(LARGEST + 1)
    if len(content) > LARGEST:  # whatever it has said of its size
        raise ValueError(f"{info.filename} has more than {LARGEST // 2**20} MB.")
    return content


DAMAGED = zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, ValueError
DAMAGED += OSError, RuntimeError  # among them NotImplementedError


def _opened(rows, left, depth=0):
    """Return Rows with what is in zips of students in the place of these."""
    found = []
    for row in rows:
        if row.target.suffix.lower() != ".zip":
            found.append(row)
        elif depth == DEEPEST:
            left.append((str(row.piece.path), f"lies in over {DEEPEST} zips"))
        elif row.piece.size > LARGEST:
            left.append((str(row.piece.path), BOUNDS))
        else:
            inner, path = [], row.piece.path
            if not _is_sound(row.piece):
                left.append((str(path), "is damaged"))
                continue
            content = partial(io.BytesIO, row.piece.read())
            for piece in _of_zip(content, path, left):
                rest = map(printable, piece.path.relative_to(path).parts)
                target = row.target.with_suffix("").joinpath(*rest)
                # A student's own zip may say any time: the zip's own counts.
                piece = piece._replace(time=row.piece.time, source=row.piece.source)
                inner.append(row._replace(piece=piece, target=target))
                if len(inner) > MOST_FILES:
                    break
            found += _opened(inner, left, depth + 1)
    return found


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


BOUNDS = (
    f"is too large, or one too many: up to {LARGEST // 2**20} MB a file, and "
    f"{MOST_FILES} files and {MOST_BYTES // 2**20} MB a student"
)


def _kept(rows, left):
    """Yield Rows that can be read, once each, and are within the bounds."""
    count, size, taken = Counter(), Counter(), set()
    for row in rows:
        count[row.student] += 1
        size[row.student] += row.piece.size
        over = count[row.student] > MOST_FILES or size[row.student] > MOST_BYTES
        if over or row.piece.size > LARGEST:
            left.append((str(row.piece.path), BOUNDS))
        elif row.target in taken:
            left.append((str(row.piece.path), "has the same name as another"))
        elif not _is_sound(row.piece):
            left.append((str(row.piece.path), "is damaged"))
        else:
            taken.add(row.target)
            yield row


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
            f"the download's, so nobody knows when {', '.join(sorted(lost))} handed "
            "in, unless the roll has Moodle's column 'Last modified (submission)'"
        )
    return found


def _is_sound(piece):
    """Return whether a file can be read to its end."""
    try:
        piece.read()
    except DAMAGED:
        return False
    return True
