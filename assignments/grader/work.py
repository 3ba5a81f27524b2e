"""Submissions of a class in a folder: their owners, and which file of each counts."""

import itertools
import os
from collections import deque
from pathlib import Path

from assignments.grader import submission, texts
from assignments.grader.files import printable
from assignments.grader.submission import TABLE, beginnings, composed, unreadable
from ttt_lib.check import notebook
from ttt_lib.check.notebook import bare

MAX_FILES = 50  # opened for one student
MAX_BYTES = 120 * 2**20  # read for one student
MAX_ENTRIES = 5000  # files and folders listed for one student
MAX_NAMED = 5  # files listed in a note
MAX_NAME = 60  # characters of a file's name in a note
MAX_DEPTH = 20  # of nested folders
# Files that systems and programs add to the work of a student.
NO_WORK = {"__MACOSX", ".ipynb_checkpoints", "__pycache__", "Thumbs.db", "desktop.ini"}


def of_class(folder, students):
    """Return {student: files and folders} of a folder, and messages about the rest.

    A student's work is a folder named by the id, or a file ID.ipynb or ID_anything. The
    part after the id may be the student's choice: a file that begins with two ids has
    no owner. Links and pipes are left out.
    """
    paths, rest = {}, []
    by_name = {composed(student): student for student in students}
    with os.scandir(folder) as entries:
        entries = sorted(entries, key=lambda entry: entry.name)
    for entry in entries:
        if entry.name.startswith(".") or entry.name == TABLE:
            continue
        if entry.is_symlink():
            rest.append(f"{printable(entry.name)} is a link")
            continue
        name = composed(entry.name)
        if entry.is_dir():
            owners = [name] if name in by_name else []
        elif not entry.is_file():
            rest.append(f"{printable(entry.name)} is neither a file nor a folder")
            continue
        else:
            owners = [s for s in beginnings(name) if s in by_name]
        if len(owners) == 1:
            paths.setdefault(by_name[owners[0]], []).append(Path(entry.path))
        elif owners:
            for student in owners:
                paths.setdefault(by_name[student], [])
            rest.append(
                f"{printable(entry.name)} may belong to {' or '.join(owners)}: put it "
                "into a folder named by the id"
            )
        else:
            rest.append(f"{printable(entry.name)} belongs to no student on the roll")
    return paths, rest


def files_in(places):
    """Return the files in files and folders, and notes on folders not opened."""
    files, notes = [], set()
    waiting, left = deque((path, 0) for path in places), MAX_ENTRIES
    while waiting:  # breadth-first
        path, depth = waiting.popleft()
        if depth > MAX_DEPTH:
            notes.add(f"folders over {MAX_DEPTH} deep were not opened")
            continue
        try:
            with os.scandir(path) as entries:
                for entry in itertools.islice(entries, left + 1):
                    left -= 1
                    if left < 0:
                        notes.add(f"only {MAX_ENTRIES} files and folders were read")
                        break
                    if entry.name in NO_WORK or entry.name.startswith("._"):
                        continue
                    if entry.is_file(follow_symlinks=False):
                        files.append(Path(entry.path))
                    elif entry.name.startswith("."):  # of Git or an editor
                        continue
                    elif entry.is_dir(follow_symlinks=False):
                        waiting.append((entry.path, depth + 1))
        except NotADirectoryError:
            files.append(Path(path))
        except OSError as error:
            notes.add(f"a folder cannot be opened: {type(error).__name__}")
    return sorted(files), sorted(notes)


def read(places, release, student, times=None):
    """Return the Submission that a student's files and folders hold.

    `places` is None if there are none, and empty if all may belong to another student;
    `times` is {file: time of submission (ISO)}, "" or without the file if unknown.
    """
    if places is None:
        return submission.Submission("missing", ("nothing was handed in",), (), {}, "")
    if not places:
        return unreadable("the owner of the file is uncertain: it was NOT GRADED")
    files, notes = files_in(places)
    best, others = _best(files, release, composed(student), times or {})
    best = best._replace(notes=(*best.notes, *notes))
    return best if best.problem else _with_texts(best, release, others)


def _best(files, release, student, times):
    """Return the Submission of the best file, and the other files.

    Files are ranked: readable, then most answers, then newest, then the right name. A
    file without the suffix .ipynb is tried if no notebook has an answer.
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
        current = submission.read_file(path, release)
        readable += not current.problem
        # Learning platforms begin the names of downloads with ID_.
        name = composed(path.name)
        wrong_name = not (_fits(path, names) or name.startswith(f"{student}_"))
        if wrong_name and not current.problem:
            note = f"the file is named {_short(name)}, not {exact}"
            current = current._replace(notes=(*current.notes, note))
        done = _done(current, release)
        if not current.problem and not done and not current.texts:
            untouched.append(path)
        rank = not current.problem, done, times.get(path, ""), not wrong_name
        if rank > first:  # keeps one in memory, because all together could fill it
            best, first, graded = current, rank, path
            has_answers = done > 0 and not current.problem
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
    """Return the names of up to MAX_NAMED files, and the number of the others."""
    more = f" and {len(files) - MAX_NAMED} more" if len(files) > MAX_NAMED else ""
    return ", ".join(_short(path.name) for path in files[:MAX_NAMED]) + more


def _size(path):
    """Return how many bytes of a file are read: 0 if it is too large."""
    try:
        size = path.stat().st_size
    except OSError:
        return 0
    return size if size <= notebook.MAX_BYTES else 0


def _done(submission, release):
    """Return how many answers are neither empty nor as in the release."""
    stub = {cell.grade_id: bare(cell.source) for cell in release.cells}
    answers = submission.answers.items()
    return sum(bare(text) not in ("", stub[key]) for key, text in answers)


def _looks_like_json(path):
    try:
        with path.open("rb") as file:
            return notebook.begins_as_notebook(file.read(4096))
    except OSError:
        return False


def _with_texts(submission, release, others):
    """Return a Submission in which a text missing from its cell waits for a person.

    It gets no points without a person only if nothing else was written or handed in.
    """
    answers, notes = dict(submission.answers), list(submission.notes)
    stub = {cell.grade_id: bare(cell.source) for cell in release.cells}
    pictures = [
        where for where, text in submission.texts if text.endswith(texts.PICTURE)
    ]
    is_seen = False
    for essay in release.essays:
        where = essay.grade_id
        if essay.drawing and not submission.picture and pictures:
            notes.append(f"the picture {essay.drawing} may be in {pictures[0]}")
        if bare(answers.get(where, "")) not in ("", stub[where]):
            continue
        parts = [pair for pair in submission.texts if pair[0] != where]
        parts += [(_short(path.name), _short(path.name)) for path in others[:MAX_NAMED]]
        if parts:
            is_seen = True
            names = {id: f"the cell {id}" for id in stub}
            places = dict.fromkeys(names.get(place, place) for place, _ in parts)
            note = f"the text {where} is not in its place: a person has to look at "
            notes.append(note + ", ".join(places))
            text = "\n\n".join([texts.NOT_IN_PLACE, *(text for _, text in parts)])
            answers[where] = text[: texts.MAX_TEXT]
    if not is_seen and texts.OWN in dict(submission.texts):
        notes.append(f"more text is in {texts.OWN}")
    return submission._replace(answers=answers, notes=tuple(notes))
