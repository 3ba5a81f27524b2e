"""Owners of the files of a download, by their names and the roll.

The owner follows from what the platform or the teacher wrote, never from what a student
can choose, such as the name of a file.
"""

import contextlib
import re
import unicodedata
from collections import Counter, defaultdict
from datetime import UTC, datetime
from functools import partial
from pathlib import PurePosixPath
from typing import NamedTuple

from assignments.grader import course
from assignments.grader.submission import beginnings, composed

# Moodle replaces each `_` of a name by a space, so the first `_` ends the name.
MOODLE = re.compile(
    r"(?P<name>[^_]+)_(?P<number>\d+)_assignsubmission_(file|onlinetext)_?(?P<file>.*)",
    re.DOTALL,
)
CANVAS = re.compile(
    r"(?P<name>.+?)_(?P<late>LATE_)?(?P<number>\d+)_(?P<submission>\d+)_(?P<file>.*)",
    re.DOTALL,
)
FORMS = {"Moodle": MOODLE, "Canvas": CANVAS}  # a name that fits Moodle may fit both
HANDED_IN = "last modified (submission)"  # heading of a column of Moodle's worksheet
TIMES = "%d %B %Y, %I:%M %p", "%d %B %Y, %H:%M", "%B %d, %Y, %I:%M %p"


class Owner(NamedTuple):
    """Owner of a file, as stated by its name."""

    platform: str  #: "Moodle", "Canvas" or ""
    name: str  #: of the student, as the platform writes it
    number: str  #: the platform's number of the student
    file: str  #: name given by the student
    late: bool  #: whether the platform marks it as late
    named: str  #: prefix of the name of a file that is given back


class People:
    """Students of a roll, found by the names and numbers of a platform."""

    def __init__(self, roll):
        course.read_roll(roll)  # raises ValueError if it is invalid
        self.ids, self.times, self.unread = [], {}, {}
        # Each is {key: ids}. Numbers are the platform's; words are all other keys that
        # can occur in the name of a file.
        self.numbers, self.words, self.names = {}, {}, {}
        for student, cells in course.roll_rows(roll):
            self.ids.append(student)
            text = cells.get(HANDED_IN, "").strip("-")
            if time := read_time(text):  # of the submission, according to the roll
                self.times[student] = time
            elif text:
                self.unread[student] = text
            heads = "id", "id number", "email address", "email", "sis user id"
            heads += "sis login id", "login id"
            words = {student, *(cells.get(head, "") for head in heads)}
            # Moodle's worksheet: "Participant 1234"; Canvas's gradebook has an ID.
            number = re.sub(r"\D", "", cells.get("identifier", ""))
            number = number or ({"student", "section"} <= {*cells} and cells.get("id"))
            for index, keys in (
                (self.numbers, {number}),
                (self.words, {word.casefold() for word in (*words, number or "")}),
                (self.names, map(_letters, _names(cells))),
            ):
                for key in filter(None, keys):
                    index.setdefault(key, set()).add(student)

    def called(self, name, whole=False):
        """Return the ids of all students that the name of a file or folder may mean.

        whole: whether an exact match excludes matches with the beginning of the name.
        """
        name = composed(name).casefold()
        if whole and (ids := self.words.get(name)):
            return ids
        words = name, *beginnings(name)
        return set().union(*(self.words.get(word, ()) for word in words))

    def named(self, owner, grouped):
        """Return the ids of all students with the name that a platform writes.

        grouped: whether the name of a group and a hyphen can precede it.
        """
        names = [owner.name]
        if grouped:
            hyphens = re.finditer("-", owner.name)
            names += [owner.name[hyphen.end() :] for hyphen in hyphens]
        return set().union(*(self.names.get(_letters(name), ()) for name in names))


def _names(cells):
    """Yield a student's names in all orders that platforms use."""
    for head in ("name", "full name", "student"):
        if name := cells.get(head):
            yield name
            last, comma, first = name.partition(",")
            if comma:
                yield f"{first} {last}"
            else:  # Canvas puts the last name first, without a space
                *first, last = name.split()
                yield f"{last} {' '.join(first)}"
    first, last = cells.get("first_name", ""), cells.get("last_name", "")
    if first and last:
        yield f"{first} {last}"
        yield f"{last} {first}"


def read_time(text):
    """Return the time of a text from Moodle in English or in ISO format, else None.

    A time without a zone is in the time zone of this machine.
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
    """Return the letters and digits of a name in lower case, without accents."""
    decomposed = unicodedata.normalize("NFKD", name).casefold()
    return "".join(letter for letter in decomposed if letter.isalnum())


def owned(found, people, left, notes):
    """Yield (piece, Owner, the student's part of its path, id).

    (path, reason) of pieces without an owner, or with several, is appended to `left`.
    """
    paths = [piece.path for piece in found if not piece.fault]
    platform, depth = _naming(paths, people)
    readable, by_name = [], set()
    for piece in found:
        if read := _owner(platform, piece.path.parts[depth:]):
            readable.append((piece, *read))
        else:
            reason = f"is not named the way {platform} names submissions"
            left.append((str(piece.path), piece.fault or reason))
    finder = _Finder(people, [owner for _, owner, _ in readable])
    for piece, owner, parts in readable:
        is_file = len(piece.path.parts) == depth + 1
        student, reason = finder.find(owner, is_file)
        if student is None:
            left.append((str(piece.path), piece.fault or reason))
        else:
            if platform and not finder.is_numbered(owner):
                by_name.add(student)
            yield piece, owner, parts, student
    if by_name:
        notes.append(
            f"students identified only by a name, which people can change: "
            f"{len(by_name)}. Use {platform}'s own table as the roll to match by number"
        )


def _naming(paths, people):
    """Return (platform, depth): how a download names owners, at which level of folders.

    It is decided once for the whole download, by the majority of its students, so that
    no name is read differently from the rest. A folder around everything is skipped.
    """
    for depth in range(max((len(path.parts) for path in paths), default=0)):
        names = {path.parts[depth] for path in paths if len(path.parts) > depth}
        votes = defaultdict(set)  # one vote for all names that begin with the same id
        for name in names:
            called = frozenset(people.called(name)) if not depth else None
            platform = _platform(name)
            if called or platform:
                votes[called or name].add(platform)
        counts = Counter(map(min, votes.values()))
        if counts:
            return max(counts, key=lambda each: (counts[each], each == "")), depth
        folders = {path.parts[depth] for path in paths if len(path.parts) > depth + 1}
        if len(folders) != 1:
            break
    return "", 0


def _platform(name):
    """Return the platform whose form a name has, or ""."""
    return next((each for each, form in FORMS.items() if form.fullmatch(name)), "")


def _owner(platform, parts):
    """Return the Owner stated by a path, and the student's part of the path.

    None if the path does not have the form of the platform.
    """
    if not parts:  # a folder around everything, or one that cannot be opened
        return None
    first, *rest = parts
    if not platform:
        named = first if rest else PurePosixPath(first).stem
        return Owner("", first, "", parts[-1], False, named), rest or [first]
    match = FORMS[platform].fullmatch(first)
    if not match:
        return None
    file, named = match["file"], f"{first}/"
    if platform == "Canvas" or not rest:  # the name ends with the student's file name
        named = first.removesuffix(file)
        rest = [file, *rest] if file else rest or [first]
    late = platform == "Canvas" and bool(match["late"])
    return Owner(platform, match["name"], match["number"], rest[-1], late, named), rest


class _Finder:
    """Search for the student of an Owner, given all Owners of a download."""

    def __init__(self, people, owners):
        self.people = people
        self.grouped = all("-" in owner.name for owner in owners)
        # Moodle's worksheet of another assignment has other numbers.
        self.numbered = any(owner.number in people.numbers for owner in owners)
        self.numbers = defaultdict(set)  # {id: numbers in the download}
        for owner in owners:
            ids = self._candidates(owner) if owner.platform else ()
            if len(ids) == 1:
                self.numbers[next(iter(ids))].add(owner.number)

    def is_numbered(self, owner):
        """Return whether the platform's number is on the roll."""
        return owner.number in self.people.numbers or owner.number in self.people.words

    def _candidates(self, owner):
        """Return the ids of all students who may be an Owner named by a platform."""
        people, number = self.people, owner.number
        if number in people.numbers:
            return people.numbers[number]
        grouped = self.grouped and owner.platform == "Moodle"
        return people.words.get(number, set()) | people.named(owner, grouped)

    def find(self, owner, is_file):
        """Return (id, ""), or (None, the reason)."""
        if not owner.platform:
            return self._called(owner, is_file)
        ids = self._candidates(owner)
        if owner.platform == "Canvas" and re.match(r"\d+_", owner.file):
            # "x_1_2_3_file" may be of x, with the number 1, or of x_1, with 2.
            name, number = f"{owner.name}_{owner.number}", owner.named.split("_")[-2]
            ids = ids | self._candidates(owner._replace(name=name, number=number))
            ids |= {id for id, numbers in self.numbers.items() if number in numbers}
        if len(ids) > 1:
            match = f"{owner.name} ({owner.number})"
            return (
                None,
                f"may belong to {' or '.join(sorted(ids))}: each matches {match}",
            )
        if not ids:
            return None, (
                f"belongs to {owner.name} ({owner.number}), who is not on the roll: "
                "add that number or that name to it"
            )
        (student,) = ids
        if not self.is_numbered(owner):
            with_number = {id for ids in self.people.numbers.values() for id in ids}
            if self.numbered and student in with_number:
                return None, (
                    f"has the name of {student}, who has another number on the roll "
                    f"than {owner.number}"
                )
            if len(self.numbers[student]) > 1:
                numbers = " and ".join(sorted(self.numbers[student]))
                return None, (
                    f"may belong to {student}, but {numbers} have that name: add the "
                    "number to the roll"
                )
        return student, ""

    def _called(self, owner, is_file):
        """Return (id, "") by the name of a file or folder, or (None, the reason).

        The part of a file name after an id may be the student's choice.
        """
        ids = self.people.called(owner.name, whole=not is_file)
        if len(ids) > 1:
            return None, (
                f"may belong to {' or '.join(sorted(ids))}: put it into a folder named "
                "by the id"
            )
        return next(iter(ids), None), "belongs to no student on the roll"
