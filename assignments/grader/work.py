"""A student's work among what was handed in: whose it is, and which file counts."""

import itertools
import os
from collections import deque
from pathlib import Path

from assignments.grader import submission, texts
from assignments.grader.files import printable
from assignments.grader.submission import TABLE, beginnings, composed, unreadable
from ttt_lib.check import notebook
from ttt_lib.check.notebook import bare

MAX_FILES = 50  # that are opened of one student
MAX_BYTES = 120 * 2**20  # that are read of one student
MAX_ENTRIES = 5000  # files and folders of one student that are looked at
MAX_NAMED = 5  # files that a note names
MAX_NAME = 60  # characters of a file's name in a note
MAX_DEPTH = 20  # folders in folders that are opened of one student
# What systems and programs put beside the work of a student.
NO_WORK = {"__MACOSX", ".ipynb_checkpoints", "__pycache__", "Thumbs.db", "desktop.ini"}


def of_class(folder, students):
    """Return {student: files and folders} of a folder, and what is said of the rest.

    A student's work is a folder of that name, or a file ID.ipynb or ID_anything. What
    follows the id may be the student's own choice: a file that begins with two ids is
    nobody's. A pipe that nobody writes into is neither.
    """
    found, nobody = {}, []
    known = {composed(student): student for student in students}
    with os.scandir(folder) as entries:
        entries = sorted(entries, key=lambda entry: entry.name)
    for entry in entries:
        if entry.name.startswith(".") or entry.name == TABLE:
            continue
        if entry.is_symlink():
            nobody.append(f"{printable(entry.name)} is a link")
            continue
        name = composed(entry.name)
        if entry.is_dir():
            owners = [name] if name in known else []
        elif not entry.is_file():
            nobody.append(f"{printable(entry.name)} is neither a file nor a folder")
            continue
        else:
            owners = [s for s in beginnings(name) if s in known]
        if len(owners) == 1:
            found.setdefault(known[owners[0]], []).append(Path(entry.path))
        elif owners:
            for student in owners:
                found.setdefault(known[student], [])
            nobody.append(
                f"{printable(entry.name)} may be of {' or '.join(owners)}: put it into "
                "a folder that is named by the id"
            )
        else:
            nobody.append(f"{printable(entry.name)} belongs to nobody on the roll")
    return found, nobody


def files_in(places):
    """Return the files in some places, and notes on folders that were not opened."""
    found, notes = [], set()
    waiting, left = deque((place, 0) for place in places), MAX_ENTRIES
    while waiting:  # what lies deep comes last
        place, depth = waiting.popleft()
        if depth > MAX_DEPTH:
            notes.add(f"folders over {MAX_DEPTH} deep were not opened")
            continue
        try:
            with os.scandir(place) as entries:
                for entry in itertools.islice(entries, left + 1):
                    left -= 1
                    if left < 0:
                        notes.add(f"only {MAX_ENTRIES} files and folders were seen")
                        break
                    if entry.name in NO_WORK or entry.name.startswith("._"):
                        continue
                    if entry.is_file(follow_symlinks=False):
                        found.append(Path(entry.path))
                    elif entry.name.startswith("."):  # of Git or an editor
                        continue
                    elif entry.is_dir(follow_symlinks=False):
                        waiting.append((entry.path, depth + 1))
        except NotADirectoryError:
            found.append(Path(place))
        except OSError as error:
            notes.add(f"a folder cannot be opened: {type(error).__name__}")
    return sorted(found), sorted(notes)


def read(places, release, student, times=None):
    """Return the Submission that a student's files and folders hold.

    `places` is None where there are none, and empty where all may be another's;
    `times` is {file: when it came (ISO)}, "" or nothing where that is not known.
    """
    if places is None:
        return submission.Submission("missing", ("nothing was handed in",), (), {}, "")
    if not places:
        return unreadable("nobody can tell whose file this is: it was NOT GRADED")
    files, notes = files_in(places)
    best, others = _best(files, release, composed(student), times or {})
    best = best._replace(notes=(*best.notes, *notes))
    return best if best.problem else _with_texts(best, release, others)


def _best(files, release, student, times):
    """Return the Submission of the file that most speaks for, and the other files.

    It can be read, then has the most answers, then came last, then has the right name.
    A file that is not named as a notebook is tried where no other has an answer.
    """
    exact = f"{release.name}.ipynb"
    names = {exact, f"{student}.ipynb"}
    files.sort(key=lambda path: (not _is_named(path), not _fits(path, names)))
    best, first, graded = unreadable("no notebook was handed in"), (), None
    untouched, has_answers, readable, tried, left = [], False, 0, 0, MAX_BYTES
    for path in files:
        if not _is_named(path) and (has_answers or not _looks_like_json(path)):
            continue
        tried, left = tried + 1, left - _size(path)
        if tried > MAX_FILES or left < 0:
            break
        found = submission.read_file(path, release)
        readable += not found.problem
        # Learning platforms name downloads ID_ and something of their own.
        name = composed(path.name)
        wrong_name = not (_fits(path, names) or name.startswith(f"{student}_"))
        if wrong_name and not found.problem:
            note = f"the file is named {_short(name)}, not {exact}"
            found = found._replace(notes=(*found.notes, note))
        done = _done(found, release)
        if not found.problem and not done and not found.texts:
            untouched.append(path)
        order = not found.problem, done, times.get(path, ""), not wrong_name
        if order > first:  # all together might fill the memory
            best, first, graded = found, order, path
            has_answers = done > 0 and not found.problem
    others = [path for path in files if path not in (graded, *untouched)]
    others = [path for path in others if not path.name.startswith(".")]
    notes = []
    if readable > 1:
        where = printable(f"{graded.parent.name}/{graded.name}")
        notes.append(f"{readable} notebooks were handed in; {where} is graded")
    if others and graded:
        notes.append(f"also handed in: {_listed(others)}")
    elif others:
        best = unreadable(f"no notebook was handed in, only {_listed(others)}")
    return best._replace(notes=(*best.notes, *notes)), others


def _is_named(path):
    return path.suffix.lower() == ".ipynb"


def _fits(path, names):
    return composed(path.name).casefold() in map(str.casefold, names)


def _short(name):
    name = printable(name)
    return name if len(name) <= MAX_NAME else f"{name[:MAX_NAME]}…"


def _listed(files):
    """Return the names of files in a few words."""
    more = f" and {len(files) - MAX_NAMED} more" if len(files) > MAX_NAMED else ""
    return ", ".join(_short(path.name) for path in files[:MAX_NAMED]) + more


def _size(path):
    """Return how many bytes of a file are read: none of one that is too large."""
    try:
        size = path.stat().st_size
    except OSError:
        return 0
    return size if size <= notebook.MAX_BYTES else 0


def _done(found, release):
    """Return how many answers are neither empty nor what was handed out."""
    stub = {cell.grade_id: bare(cell.source) for cell in release.cells}
    answers = found.answers.items()
    return sum(bare(text) not in ("", stub[key]) for key, text in answers)


def _looks_like_json(path):
    try:
        with path.open("rb") as file:
            return notebook.begins_as_notebook(file.read(4096))
    except OSError:
        return False


def _with_texts(found, release, others):
    """Return a Submission in which a text that is not in its place waits for a person.

    It has no points without one only where nothing else was written or handed in.
    """
    answers, notes = dict(found.answers), list(found.notes)
    stub = {cell.grade_id: bare(cell.source) for cell in release.cells}
    pictures = [where for where, text in found.texts if text.endswith(texts.PICTURE)]
    is_seen = False
    for essay in release.essays:
        where = essay.grade_id
        if essay.drawing and not found.picture and pictures:
            notes.append(f"the picture {essay.drawing} may be in {pictures[0]}")
        if bare(answers.get(where, "")) not in ("", stub[where]):
            continue
        parts = [pair for pair in found.texts if pair[0] != where]
        parts += [(_short(path.name), _short(path.name)) for path in others[:MAX_NAMED]]
        if parts:
            is_seen = True
            names = {id: f"the cell {id}" for id in stub}
            places = dict.fromkeys(names.get(place, place) for place, _ in parts)
            note = f"the text {where} is not in its place: a person has to look at "
            notes.append(note + ", ".join(places))
            shown = "\n\n".join([texts.NOT_IN_PLACE, *(text for _, text in parts)])
            answers[where] = shown[: texts.MAX_TEXT]
    if not is_seen and texts.OWN in dict(found.texts):
        notes.append(f"more words stand in {texts.OWN}")
    return found._replace(answers=answers, notes=tuple(notes))
