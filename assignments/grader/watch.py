"""What code that is not isolated could change: looked at before, and put back after.

It can write wherever its teacher can. Watched are the course, this program, and the
Python and packages that run both; what is changed there is named, kept aside and put
back. Of packages there is no copy: a changed one stops the grader until a person has
looked. What was there before lies in a record in the course, because code may also end
the grader: then the next run begins with the comparison.
"""

import contextlib
import importlib.machinery
import json
import os
import shutil
import site
import stat
import sys
import sysconfig
import tempfile
import time
import zipfile
from pathlib import Path
from typing import NamedTuple

import ttt_lib
from assignments.grader import gradebook, signals
from assignments.grader.files import printable, write

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "assignments", Path(ttt_lib.__file__).resolve().parent
MAKEFILES = "GNUmakefile", "makefile", "Makefile"
RECORD = ".before-student-code.zip"
ASIDE = "changed"  # folder of the course for what was changed
PARTS = "files", "known", "names"
NOTHING = (0, 0, 0, 0, 0)
MOST_NAMED = 20
SLACK = 0.1  # seconds by which the clock of a file system may be behind
REMEDY = (
    "Where you made them yourself, go on with CHANGES=keep. CHANGES=undo puts back "
    "what can be; packages have to be installed again, and then CHANGES=keep."
)


class Change(NamedTuple):
    """A file that is not as it was."""

    path: str
    time: float  #: when, in seconds
    is_program: bool  #: whether what it was could have graded wrongly


class Watch:
    """All that is watched, as it is now."""

    def __init__(self, course, results=None, near=True, far=True):
        self.course, self.results = Path(course), results
        self.near, self.far = near, far  # whether course and program, whether packages
        self.files = self._look()
        self.contents = {}
        for path, (kind, *_) in self.files.items():
            if self._is_kept(path) and stat.S_ISREG(kind):
                with contextlib.suppress(OSError):
                    self.contents[path] = Path(path).read_bytes()

    def _look(self):
        """Return {path: what tells whether it was changed}."""
        without = str(self.course / ASIDE), str(self.course / RECORD), self.results
        found = {}
        places = [self.course, *PROGRAM] if self.near else []
        for place in map(str, places + (packages() if self.far else [])):
            if place not in found:
                _walk(place, found, *without)
        first = {str(ROOT), *map(os.path.abspath, sys.path)}  # "" is where we are
        for folder in first if self.near else ():
            _shallow(folder, found)
        return found

    def only_far(self):
        """Return what is watched of the packages alone, as it was."""
        other = Watch(self.course, self.results, near=False, far=False)
        places = tuple(map(str, packages()))
        other.far, known = True, self.files.items()
        other.files = {path: one for path, one in known if path.startswith(places)}
        return other

    def _is_kept(self, path):
        """Return whether there is a copy of a file: not of packages, nor of caches."""
        places = self.course, ROOT / "Makefile", *PROGRAM
        return "__pycache__" not in path and any(
            path.startswith(str(place)) for place in places
        )

    def changes(self):
        """Return the Changes since then."""
        now, found = self._look(), []
        far = () if self.far else tuple(map(str, packages()))
        for path in sorted(self.files.keys() | now.keys()):
            if far and path.startswith(far) and path not in now:
                continue  # it was not looked at
            before, after = self.files.get(path, NOTHING), now.get(path, NOTHING)
            if after == NOTHING and "__pycache__" in path:
                continue
            if before == after or self._is_the_same(path, before, after):
                continue
            when = _time(Path(path), now)
            is_program = not Path(path).is_relative_to(self.course)
            # Numba writes these for whoever first calls a loop.
            is_program &= not path.endswith((".nbi", ".nbc"))
            found.append(Change(path, when, is_program))
        return found

    def _is_the_same(self, path, before, after):
        """Return whether only the times of a file are others."""
        if stat.S_IFMT(before[0]) != stat.S_IFMT(after[0]):
            return False
        try:
            return self.contents[path] == Path(path).read_bytes()
        except (KeyError, OSError):
            return False

    def put_back(self, changes):
        """Undo Changes; return the paths of those of which there is no copy.

        What was changed is kept in the folder ASIDE of the course, and nothing deleted.
        """
        left = []
        if not changes:
            return left
        aside = self._new_aside()
        for path, _, _ in changes:
            if path == str(aside.parent):
                continue  # it lies there
            if path in self.contents:
                self._clear(path, aside)
                write(Path(path), self.contents[path])
            elif path not in self.files or "__pycache__" in path:
                _move(Path(path), aside)
            elif stat.S_ISDIR(self.files[path][0]):
                self._clear(path, aside)
                Path(path).mkdir(parents=True, exist_ok=True)
            else:
                left.append(path)
        with contextlib.suppress(OSError):
            aside.rmdir()  # if it is empty
        return left

    def _new_aside(self):
        """Return a new folder in ASIDE; it holds what was in the place of that."""
        place, name = self.course / ASIDE, time.strftime("%Y%m%d-%H%M%S-")
        aside = Path(tempfile.mkdtemp(prefix=name, dir=self.course))
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            place.rename(aside / ASIDE)
        place.mkdir(exist_ok=True)
        return aside.rename(place / aside.name)

    def _clear(self, path, aside):
        """Move aside what stands in the place of a file, or of one of its folders."""
        for place in (*reversed(Path(path).parents), Path(path)):
            was_folder = stat.S_ISDIR(self.files.get(str(place), NOTHING)[0])
            is_folder = place.is_dir() and not place.is_symlink()
            if str(place) in self.files and not (was_folder and is_folder):
                _move(place, aside)

    def save(self):
        """Write the record, for the case that this process is killed."""
        part = self.course / f"{RECORD}.part"
        part.unlink(missing_ok=True)
        with zipfile.ZipFile(part, "x") as record:
            record.writestr("files", json.dumps(self.files))
            known = [str(self.results), self.near, self.far]
            record.writestr("known", json.dumps(known))
            record.writestr("names", json.dumps([*self.contents]))
            for number, content in enumerate(self.contents.values()):
                record.writestr(str(number), content)
        part.replace(self.course / RECORD)

    @classmethod
    def of_record(cls, course):
        """Return the Watch that a killed run has left, or None."""
        self = cls.__new__(cls)
        self.course = Path(course)
        file = self.course / RECORD
        if not os.path.lexists(file):
            return None
        try:
            if not file.is_file():
                raise ValueError
            with zipfile.ZipFile(file) as record:
                files, known, names = (json.loads(record.read(part)) for part in PARTS)
                self.contents = {
                    name: record.read(str(number)) for number, name in enumerate(names)
                }
            self.results, self.near, self.far = known
            self.files = {path: tuple(state) for path, state in files.items()}
            if {len(state) for state in self.files.values()} - {len(NOTHING)}:
                raise ValueError
        except Exception:  # what is damaged raises whatever it likes
            raise ValueError(
                f"{file} is damaged, which says what code that was not isolated may "
                "have changed: look at your files, then remove it."
            ) from None
        return self


class Guard:
    """`with` puts back what is changed meanwhile, and tells what does not count.

    Raises ValueError at the end if this program was changed: results since then are
    removed, for nobody knows what graded them. Marks cannot be entered meanwhile.
    """

    def __init__(self, course, results, spans, say):
        self.course, self.results, self.say = course, results, say
        self.spans = spans  # file of a result → (begin, end) of the time code runs

    def __enter__(self):
        self.bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
        self.held = contextlib.ExitStack()
        self.results.mkdir(parents=True, exist_ok=True)
        file = gradebook.place(self.course)
        while True:
            self.watch = Watch(self.course, str(self.results))
            self.held.enter_context(gradebook.hold(self.course))
            if _state(file) == self.watch.files.get(str(file)):
                break
            self.held.close()  # somebody has entered a mark since we looked
        self.watch.save()
        return self

    def __exit__(self, kind, error, trace):
        with signals.shielded():
            # Whoever interrupts does not wait for the packages: the next run looks.
            self.watch.far = not isinstance(error, KeyboardInterrupt)
            try:
                changes = self.watch.changes()
                left = self.watch.put_back(changes)
            finally:
                self.held.close()
                sys.dont_write_bytecode = self.bytecode
            kept = [change.path for change in changes if change.path not in left]
            behind = "was changed while student code ran"
            _tell(self.say, "PUT BACK", kept, behind)
            _tell(self.say, "CHANGED", left, behind)
            if not self.watch.far:
                self.watch.only_far().save()
            elif not left:
                (self.course / RECORD).unlink(missing_ok=True)
            when = [change.time for change in changes if change.is_program]
            if not when:
                return
            sentence = self._void(min(when) - SLACK, left)
            if error is None:
                raise ValueError(sentence)
            self.say(sentence)

    def _void(self, since, left):
        """Remove the results since a time; return a sentence on them."""
        for file, (_, end) in self.spans.items():
            if end >= since:
                file.unlink(missing_ok=True)
        spans = self.spans.items()
        ran = [file.stem for file, (begin, end) in spans if begin <= since <= end]
        return (
            "Code that was not isolated changed this program while "
            f"{', '.join(ran) or 'student code'} ran, so no result since then is kept, "
            "and nothing was entered. Grade that submission apart, or with bubblewrap."
            f"{f' {left[0]} cannot be put back. {REMEDY}' if left else ''}"
        )


def _tell(say, what, paths, behind=""):
    """Name paths, and not more than a person will read."""
    for path in paths[:MOST_NAMED]:
        say(f"{what}: {printable(path)} {behind}".rstrip())
    if more := paths[MOST_NAMED:]:
        say(f"{what}: and {len(more)} more")


def settle(course, wish, say):
    """Settle what a run has left that was killed while code ran unisolated.

    `wish` is "keep", "undo" or "". Raises ValueError if a person has to look.
    """
    known = Watch.of_record(course)
    if known is None:
        return
    changes = known.changes()
    # Whatever a cache holds is made again.
    known.put_back([change for change in changes if "__pycache__" in change.path])
    changes = [change for change in changes if "__pycache__" not in change.path]
    if wish == "keep":
        changes = []
    elif wish == "undo":
        left = known.put_back(changes)
        since = min((c.time for c in changes if c.is_program), default=float("inf"))
        for result in Path(known.results).glob("*.json"):
            if result.lstat().st_ctime >= since - SLACK:
                result.unlink()
        changes = [change for change in changes if change.path in left]
    _tell(say, "CHANGED", [change.path for change in changes])
    if changes:
        raise ValueError(
            "Code that was not isolated ran when the grader was ended, and since then "
            f"something has changed: see above. {REMEDY}"
        )
    (known.course / RECORD).unlink()


def packages():
    """Return the folders of this Python and of what is installed, outer ones first."""
    known = sysconfig.get_paths()
    found = {known[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    if sys.prefix != sys.base_prefix:
        found |= {known["scripts"], f"{sys.prefix}/pyvenv.cfg"}
    if site.ENABLE_USER_SITE:
        found.add(site.getusersitepackages())
    return [Path(place) for place in sorted(found)]


def _walk(place, found, aside, record, results):
    """Put whatever is in a folder into `found`, but for what the grader writes.

    Links are not followed.
    """
    known = _state(Path(place))
    if known is None:
        return
    found[place] = known
    waiting = [place] if stat.S_ISDIR(known[0]) else []
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                # Below the library of a Python there may be packages of another.
                other = entry.name == "site-packages" and entry.path not in sys.path
                known = _state(entry) or NOTHING
                # Else it is none of ours.
                ours = {aside: stat.S_ISDIR, record: stat.S_ISREG}.get(entry.path)
                if other or (ours and ours(known[0])):
                    continue
                found[entry.path] = known
                if entry.is_dir(follow_symlinks=False) and entry.path != results:
                    waiting.append(entry.path)


def _shallow(folder, found):
    """Put what Python or make would find first in a folder into `found`."""
    endings = tuple(importlib.machinery.all_suffixes())
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(endings) or entry.name in MAKEFILES:
                found[entry.path] = _state(entry) or NOTHING
            elif entry.is_dir() and entry.name.isidentifier():
                for ending in endings:
                    first = Path(entry.path, f"__init__{ending}")
                    if known := _state(first):
                        found[str(first)] = known


def _time(path, now):
    """Return when a file was changed, or what has taken it away."""
    links = [
        place for place in path.parents if stat.S_ISLNK(now.get(str(place), NOTHING)[0])
    ]
    place = links[-1] if links else path
    while not os.path.lexists(place):
        place = place.parent
    return place.lstat().st_ctime


def _state(entry):
    """Return (kind, size, two times, number) of a file; of a folder its kind alone."""
    try:
        known = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    if stat.S_ISDIR(known.st_mode):
        return (stat.S_IFMT(known.st_mode), 0, 0, 0, 0)
    times = known.st_mtime_ns, known.st_ctime_ns
    return (known.st_mode, known.st_size, *times, known.st_ino)


def _move(path, aside):
    """Move a file or folder aside, under its whole path."""
    if not os.path.lexists(path):
        return
    if not (path.is_symlink() or path.is_file() or path.is_dir()):
        path.unlink()  # a pipe, say: there is nothing in it
        return
    target = aside / str(path).lstrip("/")
    number = 0
    while os.path.lexists(target):
        number += 1
        target = target.with_name(f"{path.name}.{number}")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(path, target)
