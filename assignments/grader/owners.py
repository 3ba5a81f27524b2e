"""Whose work something is, by the names in a download and by the roll.

It follows from what the platform or the teacher has written, and never from what a
student may choose, as the name of a file.
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

# Moodle writes a blank for each `_` of a name, so the first is the end of it.
MOODLE = re.compile(
    r"(?P<name>[^_]+)_(?P<number>\d+)_assignsubmission_(file|onlinetext)_?(?P<file>.*)",
    re.DOTALL,
)
CANVAS = re.compile(
    r"(?P<name>.+?)_(?P<late>LATE_)?(?P<number>\d+)_(?P<submission>\d+)_(?P<file>.*)",
    re.DOTALL,
)
FORMS = {"Moodle": MOODLE, "Canvas": CANVAS}  # what has the first may have both
HANDED_IN = "last modified (submission)"  # head of a column of Moodle's worksheet
TIMES = "%d %B %Y, %I:%M %p", "%d %B %Y, %H:%M", "%B %d, %Y, %I:%M %p"


class Owner(NamedTuple):
    """What a name says of whose work it is."""

    platform: str  #: "Moodle", "Canvas" or ""
    name: str  #: of the person, as the platform writes it
    number: str  #: the platform's, of the person
    file: str  #: what the student called it
    late: bool  #: whether the platform says so
    named: str  #: what a file that is given back has to be named after


class People:
    """The roll, asked by whatever a platform calls a person."""

    def __init__(self, roll):
        course.read_roll(roll)  # with its sentences on what is wrong
        self.ids, self.times, self.unread = [], {}, {}
        # Each is {what is known of a person: ids}. A number is the platform's own;
        # a word is whatever else may stand in the name of a file.
        self.numbers, self.words, self.names = {}, {}, {}
        for student, cells in course.roll_rows(roll):
            self.ids.append(student)
            told = cells.get(HANDED_IN, "").strip("-")
            if time := read_time(told):  # when work came, as far as the roll says
                self.times[student] = time
            elif told:
                self.unread[student] = told
            heads = "id", "id number", "email address", "email", "sis user id"
            heads += "sis login id", "login id"
            words = {student, *(cells.get(head, "") for head in heads)}
            # Moodle's worksheet: "Participant 1234"; Canvas's gradebook has an ID.
            number = re.sub(r"\D", "", cells.get("identifier", ""))
            number = number or ({"student", "section"} <= {*cells} and cells.get("id"))
            for known, keys in (
                (self.numbers, {number}),
                (self.words, {word.casefold() for word in (*words, number or "")}),
                (self.names, map(_letters, _names(cells))),
            ):
                for key in filter(None, keys):
                    known.setdefault(key, set()).add(student)

    def called(self, name, whole=False):
        """Return the ids of all whom the name of a file or folder may mean.

        whole: whether a name that is somebody's means nobody else.
        """
        name = composed(name).casefold()
        if whole and (found := self.words.get(name)):
            return found
        words = name, *beginnings(name)
        return set().union(*(self.words.get(word, ()) for word in words))

    def named(self, owner, grouped):
        """Return the ids of all who have the name that a platform writes.

        grouped: whether the name of a group and a hyphen may stand before it.
        """
        names = [owner.name]
        if grouped:
            signs = re.finditer("-", owner.name)
            names += [owner.name[sign.end() :] for sign in signs]
        return set().union(*(self.names.get(_letters(name), ()) for name in names))


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


def owned(found, people, left, notes):
    """Yield (piece, Owner, parts of its path that are the student's, id).

    What is nobody's, or may be of several, goes to `left` with the reason.
    """
    paths = [piece.path for piece in found if not piece.fault]
    platform, depth = _manner(paths, people)
    known, by_name = [], set()
    for piece in found:
        if read := _owner(platform, piece.path.parts[depth:]):
            known.append((piece, *read))
        else:
            reason = f"is not named as {platform} names what was handed in"
            left.append((str(piece.path), piece.fault or reason))
    finder = _Finder(people, [owner for _, owner, _ in known])
    for piece, owner, parts in known:
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
            f"students known by nothing but a name, which people may change: "
            f"{len(by_name)}. With {platform}'s own table as the roll, numbers decide"
        )


def _manner(paths, people):
    """Return (platform, depth) of the names that say whose work is what.

    That is decided once for all of a download, by most of its students, so that no name
    is read in another way than the rest. A folder around everything says nothing.
    """
    for depth in range(max((len(path.parts) for path in paths), default=0)):
        names = {path.parts[depth] for path in paths if len(path.parts) > depth}
        votes = defaultdict(set)  # all names that begin with one id have one together
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
    """Return the platform that may have named something, "" if none has."""
    return next((each for each, form in FORMS.items() if form.fullmatch(name)), "")


def _owner(platform, parts):
    """Return the Owner that a path tells, and the parts of it that are the student's.

    None if it is not named as the platform does it.
    """
    if not parts:  # a folder around everything, or one that cannot be opened
        return None
    first, *rest = parts
    if not platform:
        named = first if rest else PurePosixPath(first).stem
        return Owner("", first, "", parts[-1], False, named), rest or [first]
    found = FORMS[platform].fullmatch(first)
    if not found:
        return None
    file, named = found["file"], f"{first}/"
    if platform == "Canvas" or not rest:  # the student's own name stands in it
        named = first.removesuffix(file)
        rest = [file, *rest] if file else rest or [first]
    late = platform == "Canvas" and bool(found["late"])
    return Owner(platform, found["name"], found["number"], rest[-1], late, named), rest


class _Finder:
    """Who is meant by an Owner, in the light of all Owners of a download."""

    def __init__(self, people, owners):
        self.people = people
        self.grouped = all("-" in owner.name for owner in owners)
        # Moodle's worksheet of another assignment has other numbers.
        self.numbered = any(owner.number in people.numbers for owner in owners)
        self.numbers = defaultdict(set)  # under which there is something of somebody
        for owner in owners:
            found = self._found(owner) if owner.platform else ()
            if len(found) == 1:
                self.numbers[next(iter(found))].add(owner.number)

    def is_numbered(self, owner):
        """Return whether the platform's number tells who it is."""
        return owner.number in self.people.numbers or owner.number in self.people.words

    def _found(self, owner):
        """Return the ids of all who may be meant by what a platform writes."""
        people, number = self.people, owner.number
        if number in people.numbers:
            return people.numbers[number]
        grouped = self.grouped and owner.platform == "Moodle"
        return people.words.get(number, set()) | people.named(owner, grouped)

    def find(self, owner, is_file):
        """Return the id of whoever it is, or None and why."""
        if not owner.platform:
            return self._called(owner, is_file)
        found = self._found(owner)
        if owner.platform == "Canvas" and re.match(r"\d+_", owner.file):
            # "x_1_2_3_file" may be of x, with the number 1, or of x_1, with 2.
            name, number = f"{owner.name}_{owner.number}", owner.named.split("_")[-2]
            found = found | self._found(owner._replace(name=name, number=number))
            found |= {who for who, own in self.numbers.items() if number in own}
        if len(found) > 1:
            who = f"{owner.name} ({owner.number})"
            return None, f"may be of {' or '.join(sorted(found))}: all are {who}"
        if not found:
            return None, (
                f"is of {owner.name} ({owner.number}), who is not on the roll: it "
                "needs that number or that name"
            )
        (student,) = found
        if not self.is_numbered(owner):
            known = {who for ids in self.people.numbers.values() for who in ids}
            if self.numbered and student in known:
                return None, (
                    f"has the name of {student}, who has another number on the roll "
                    f"than {owner.number}"
                )
            if len(self.numbers[student]) > 1:
                numbers = " and ".join(sorted(self.numbers[student]))
                return None, (
                    f"may be of {student}, but {numbers} have that name: put the "
                    "number on the roll"
                )
        return student, ""

    def _called(self, owner, is_file):
        """Return the id of whoever the name of a file or folder means, or None and why.

        What follows an id in the name of a file may be the student's own choice.
        """
        found = self.people.called(owner.name, whole=not is_file)
        if len(found) > 1:
            return None, (
                f"may be of {' or '.join(sorted(found))}: put it into a folder that is "
                "named by the id"
            )
        return next(iter(found), None), "belongs to nobody on the roll"
