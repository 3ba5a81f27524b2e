"""What a student handed in: found, read, and put beside the release, never altered."""

import ast
import base64
import io
import json
import os
import re
import threading
import unicodedata
import warnings
from pathlib import Path
from typing import NamedTuple

from PIL import Image

from assignments.grader.files import printable
from ttt_lib.check.report import DRAWING

TABLE = "handed_in.csv"  # what `collect` writes beside the work of students
UNKNOWN = "unknown"  # stands there for whose time it is where nobody knows the time
OTHER = "this is not the notebook of this assignment"
LARGEST = 30 * 2**20  # bytes of a notebook
LARGEST_PICTURE = 2**21  # characters
MOST_PIXELS = 2**24  # so that a small file cannot fill the memory of a browser
END_OF_PNG = b"\0\0\0\0IEND\xaeB`\x82"
MOST_CELLS = 2000
MOST_FILES = 50  # that are opened of one student
DEEPEST = 20  # folders in folders that are opened of one student
# Characters of a cell that are read as a program here, where no limit stops a parser
# that takes minutes and gigabytes; longer cells run, and nobody looks into them.
LONGEST_SOURCE = 100_000
NO_MARK = "None"  # stands for the grade id of a cell that has none
QUIET = threading.Lock()  # warnings are switched off for all threads


class Cell(NamedTuple):
    """A cell of a student that is to be run, or, without a source, a check cell."""

    grade_id: str  #: of the release, "" for a cell that the student added
    source: str


class Submission(NamedTuple):
    """One student's notebook, read as far as it can be."""

    problem: str  #: "", "missing" or "unreadable"
    notes: tuple  #: what was found; repairs begin with "repaired: "
    cells: tuple  #: Cells to run, in the student's order
    answers: dict  #: grade_id → source of the cells in which an answer was asked for
    bytes: bytes  #: the file as it came
    picture: str = ""  #: a PNG (base64) that the student drew


def unreadable(note, content=b""):
    """Return a Submission that nothing can be made of."""
    return Submission("unreadable", (note,), (), {}, content)


def composed(name):
    """Return a name with each accent in its letter: macOS writes them apart."""
    return unicodedata.normalize("NFC", name)


def beginnings(name):
    """Return all that may be an id at the beginning of a name, the longest last."""
    return [name[: sign.start()] for sign in re.finditer("[_. -]", name)]


def of_class(folder, students):
    """Return {student: files and folders} of a folder, and what is said of the rest.

    A student's work is a folder of that name, or a file ID.ipynb or ID_anything.
    A pipe that nobody writes into is neither.
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
            # The longest: ada_b.ipynb belongs to ada_b, if there is one, not to ada.
            owners = [s for s in beginnings(name) if s in known][-1:]
        for student in owners:
            found.setdefault(known[student], []).append(Path(entry.path))
        if not owners:
            nobody.append(f"{printable(entry.name)} belongs to nobody on the roll")
    return found, nobody


def files_in(places):
    """Return the files in some places, and notes on folders that were not opened."""
    found, notes, waiting = [], set(), [(place, 0) for place in places]
    while waiting:
        place, depth = waiting.pop()
        if depth > DEEPEST:
            notes.add(f"repaired: folders over {DEEPEST} deep were not opened")
            continue
        try:
            with os.scandir(place) as entries:
                for entry in entries:
                    if entry.name == ".ipynb_checkpoints":
                        continue
                    if entry.is_file(follow_symlinks=False):
                        found.append(Path(entry.path))
                    elif entry.is_dir(follow_symlinks=False):
                        waiting.append((entry.path, depth + 1))
        except NotADirectoryError:
            found.append(Path(place))
        except OSError as error:
            notes.add(f"repaired: a folder cannot be opened: {type(error).__name__}")
    return sorted(found), sorted(notes)


def read(places, release, student, times=None):
    """Return the Submission that a student's files and folders hold.

    `times` is {file: when it came (ISO)}, "" or nothing where that is not known.
    """
    if places is None:
        return Submission("missing", ("nothing was handed in",), (), {}, b"")
    files, notes = files_in(places)
    best = _best(files, release, composed(student), times or {})
    return best._replace(notes=(*best.notes, *notes))


def _best(files, release, student, times):
    """Return the Submission of the file that most speaks for.

    It can be read, then has the most answers, then came last, then has the right name.
    """
    stub = {cell.grade_id: cell.source.strip() for cell in release.cells}
    exact = f"{release.name}.ipynb"
    names = {exact, f"{student}.ipynb"}
    notebooks = [path for path in files if path.suffix == ".ipynb"]
    if not notebooks:  # a renamed one may still be a notebook inside
        notebooks = [path for path in files[:MOST_FILES] if _looks_like_json(path)]
    if not notebooks:
        return unreadable("no notebook was handed in")
    notebooks = sorted(notebooks, key=lambda path: composed(path.name) not in names)
    best, first, readable = None, None, 0
    for path in notebooks[:MOST_FILES]:
        found = read_file(path, release)
        readable += not found.problem
        # Learning platforms name downloads ID_ and something of their own.
        name = composed(path.name)
        wrong_name = name not in names and not name.startswith(f"{student}_")
        if wrong_name and not found.problem:
            note = f"repaired: the file is named {printable(path.name)}, not {exact}"
            found = found._replace(notes=(*found.notes, note))
        done = sum(text.strip() != stub[key] for key, text in found.answers.items())
        order = not found.problem, done, times.get(path, ""), not wrong_name
        if best is None or order > first:  # all together might fill the memory
            best, first, graded = found, order, path
    if readable > 1:
        graded = printable(f"{graded.parent.name}/{graded.name}")
        note = f"repaired: {readable} notebooks were handed in; {graded} is graded"
        best = best._replace(notes=(*best.notes, note))
    return best


def _looks_like_json(path):
    try:
        with path.open("rb") as file:
            return file.read(64).lstrip().startswith(b"{")
    except OSError:
        return False


def read_file(path, release):
    """Return the Submission that one file holds."""
    try:
        if path.stat().st_size > LARGEST:
            return unreadable(f"the file has more than {LARGEST // 2**20} MB")
        content = path.read_bytes()
    except OSError as error:
        return unreadable(f"the file cannot be opened: {type(error).__name__}")
    if not content.strip():
        return unreadable("the file is empty", content)
    try:
        notebook = json.loads(content)
        whole = notebook["cells"][:MOST_CELLS]
        cells = [_plain(cell) for cell in whole]
    except (ValueError, RecursionError):
        return unreadable("the file is no JSON: it is cut off or damaged", content)
    except (KeyError, TypeError, AttributeError):
        return unreadable("the file is JSON, but no notebook of version 4", content)
    found = beside(cells, release, content)
    return found._replace(picture=_picture(whole, found.answers.get(DRAWING)))


def _plain(cell):
    """Return (kind, grade_id, cell id, source) of a cell as it came."""
    kind, cell_id = str(cell.get("cell_type")), str(cell.get("id"))
    return kind, _grade_id(cell), cell_id, _joined(cell.get("source", ""))


def _joined(text):
    return "".join(map(str, text)) if isinstance(text, list) else str(text)


def _grade_id(cell):
    metadata = cell.get("metadata")
    graded = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    return str(graded.get("grade_id") if isinstance(graded, dict) else NO_MARK)


def _picture(cells, source=None):
    """Return the last PNG (base64) that the drawing cell shows, "" if there is none.

    That is the cell of that name, or of that source where the name is lost.
    """
    found = ""
    for cell in cells:
        _, grade_id, _, own = _plain(cell)
        outputs = cell.get("outputs") if grade_id == DRAWING or own == source else None
        for output in outputs if isinstance(outputs, list) else ():
            data = output.get("data") if isinstance(output, dict) else None
            shown = data.get("image/png", "") if isinstance(data, dict) else ""
            png = re.sub(r"\s", "", _joined(shown)[: LARGEST_PICTURE + 1])
            if len(png) <= LARGEST_PICTURE and _is_png(png):
                found = png
    return found


def _is_png(text):
    """Return whether a text is base64 of one whole PNG, of not too many pixels.

    Nothing is unpacked: the sums of all its parts are checked.
    """
    try:
        content = base64.b64decode(text, validate=True)
        width, height = (int.from_bytes(content[k : k + 4]) for k in (16, 20))
        if width * height > MOST_PIXELS or not content.endswith(END_OF_PNG):
            return False
        with Image.open(io.BytesIO(content), formats=["PNG"]) as image:
            image.verify()
    except Exception:  # what Pillow raises at a damaged file is of many kinds
        return False
    return True


def beside(cells, release, content=b""):
    """Return the Submission whose cells are named as the release names them.

    A cell is known by its grade id, else by its cell id, else by the name it defines.
    """
    notes, named = [], []
    by_cell_id = {cell.id: cell.grade_id for cell in release.cells if cell.grade_id}
    kinds = {cell.grade_id: cell.kind for cell in release.cells if cell.grade_id}
    stub = {cell.grade_id: cell.source for cell in release.cells if cell.grade_id}
    present = {grade_id for _, grade_id, _, _ in cells}
    by_id, by_name = 0, 0
    for kind, grade_id, cell_id, source in cells:
        if grade_id not in kinds:
            found = by_cell_id.get(cell_id, "")
            if found and found not in present:
                by_id, grade_id = by_id + 1, found
            else:
                grade_id = ""
        named.append([kind, grade_id, source])
    known = {grade_id for _, grade_id, _ in named}
    lost = [q for q in release.questions if q.answer_id not in known]
    left = 3 * LONGEST_SOURCE if lost else 0
    for cell in named:
        if cell[1] or cell[0] == "markdown" or len(cell[2]) > left:
            continue
        left -= len(cell[2])
        bound = _bound(cell[2])
        asked = next((q for q in lost if q.name in bound), None)
        if asked is not None:
            cell[1] = asked.answer_id
            by_name += 1
    for cell in release.cells:
        if cell.kind in ("essay", "drawing") and cell.grade_id not in known:
            _find_below_its_question(named, cell, release)
    if not _is_of(release, named, present):
        return unreadable(OTHER, content)
    if len(cells) == MOST_CELLS:
        notes.append(f"repaired: only the first {MOST_CELLS} cells were read")
    if by_id:
        notes.append(f"repaired: {by_id} cells had lost their marks")
    if by_name:
        notes.append(f"repaired: {by_name} cells were known only by what they define")
    notes.extend(_losses(named, release, kinds, stub))

    checks = {
        cell.source: cell.grade_id for cell in release.cells if cell.kind == "test"
    }
    run, answers = [], {}
    for kind, grade_id, source in named:
        asked = kinds.get(grade_id)
        if asked in ("answer", "essay", "drawing") and (
            source != stub[grade_id] or grade_id not in answers
        ):
            answers[grade_id] = source
        if asked == "test" or (kind == "code" and source in checks):
            run.append(Cell(grade_id or checks[source], ""))  # where it is asked
            continue
        if asked in ("essay", "drawing"):
            continue
        if kind != "code" and asked != "answer":
            continue
        if asked == "answer" and source == stub[grade_id] != answers.get(grade_id):
            continue  # an untouched copy would undo the answer
        if asked == "setup" and source == stub[grade_id]:
            continue  # it runs before all others
        if source.strip() and source not in release.shown:
            run.append(Cell(grade_id, source))
    setup = [Cell(c.grade_id, c.source) for c in release.cells if c.kind == "setup"]
    return Submission("", tuple(notes), (*setup, *run), answers, content)


def parsed(source):
    """Return the tree of a program that is read and never run, empty if it is none."""
    try:
        with QUIET, warnings.catch_warnings(action="ignore"):
            return ast.parse(source if len(source) <= LONGEST_SOURCE else "")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.parse("")


def _bound(source):
    """Return the names that a source, read and never run, binds at its top level."""
    names = set()
    for node in parsed(source).body:
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {t.id for t in node.targets if isinstance(t, ast.Name)}
    return names


def _is_of(release, named, present):
    """Return whether cells, named as far as they can be, are of this assignment.

    Texts, the first cell and the drawing have the same names everywhere. So it has to
    have a question's cell of its own, or the cell with the title, where only texts are
    left. What is known by its definition alone does not count beside marks of others.
    """
    own = {cell.grade_id for cell in release.cells if cell.kind in ("answer", "test")}
    title = [cell.source.strip() for cell in release.cells[:1] if not cell.grade_id]
    if own & present or any(source.strip() in title for _, _, source in named):
        return True
    others = present - {cell.grade_id for cell in release.cells} - {NO_MARK}
    return not others and any(grade_id in own for _, grade_id, _ in named)


def _find_below_its_question(named, asked, release):
    """Name the cell of a text or a drawing: the first of its kind below its question.

    Cells that the student changes may lie between, but no other words of the release.
    """
    words = {cell.source.strip() for cell in release.cells if not cell.grade_id}
    above = release.cells[: release.cells.index(asked)]
    question = [cell.source.strip() for cell in above if not cell.grade_id][-1:]
    kind, is_below = "code" if asked.kind == "drawing" else "markdown", False
    for cell in named:
        if cell[2].strip() in words:
            is_below = [cell[2].strip()] == question
        elif is_below and cell[0] == kind and not cell[1]:
            cell[1] = asked.grade_id
            return


def _losses(named, release, kinds, stub):
    """Yield a note for each cell of the release that is gone, double or changed."""
    for grade_id, asked in kinds.items():
        copies = [source for _, known, source in named if known == grade_id]
        what = {"test": "check cell", "setup": "first cell"}.get(asked, "answer cell")
        if not copies and asked == "essay":
            yield f"repaired: the text {grade_id} was not found: a person has to look"
        elif not copies:
            yield f"repaired: the {what} {grade_id} is missing"
        elif len(copies) > 1:
            yield f"repaired: the {what} {grade_id} is there {len(copies)} times"
        elif asked in ("test", "setup") and copies[0].strip() != stub[grade_id].strip():
            yield f"repaired: the {what} {grade_id} was changed"
    answers = {cell.grade_id for cell in release.cells if cell.kind == "answer"}
    for kind, grade_id, _ in named:
        if grade_id in answers and kind != "code":
            yield f"repaired: the answer cell {grade_id} is no code cell any more"


def definitions(source):
    """Return the imports, functions and assignments of a cell that call no others.

    They are cut out as they stand: to write a long expression anew may fail.
    """
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    lines = source.encode(errors="surrogatepass").split(b"\n")
    keep = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
    parts = []
    for node in parsed(source).body:
        if isinstance(node, keep) or _is_constant(node):
            above = getattr(node, "decorator_list", ())
            begin = min(part.lineno for part in (node, *above)) - 1
            part = lines[begin : node.end_lineno]
            part[-1] = part[-1][: node.end_col_offset]  # columns are of bytes
            part[0] = part[0][node.col_offset :]
            parts += part
    return b"\n".join(parts).decode()


def _is_constant(node):
    """Return whether a statement gives a name a value, and calls nothing of its own."""
    return isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign) and all(
        _dotted(part.func)[0] in MAKERS
        for part in ast.walk(node)
        if isinstance(part, ast.Call)
    )


# What makes a value: NumPy, and functions of Python's own.
MAKERS = {"np", "numpy", "dict", "enumerate", "len", "list", "range", "set", "sorted"}
MAKERS |= {"tuple", "zip", ""}  # and a method of what was made
# Names that stand for modules of the library, whoever imported them.
LIBRARY = ("rules", "planning", "search", "learning", "mdp", "game", "check")
OPEN = {"ttt_lib", "check", "check.score", "game", "game.board", "game.find"}
OPEN |= {"game.string", "game.array"}


# What no exercise needs: processes, the network, code that is made of texts or found
# in the running program, and files that are not in the notebook's own folder.
NEEDLESS = re.compile(
    r"(?:asyncio|builtins|_posixsubprocess|cffi|code|codeop|concurrent|ctypes|ftplib|gc"
    r"|http|httpx|imp|importlib|inspect|mmap|multiprocessing|pexpect|pickle|pkgutil"
    r"|posix|pty|pwd|requests|runpy|signal|smtplib|socket|socketserver|sqlite3|ssl"
    r"|subprocess|urllib|urllib3)(?=\.|$)"
    r"|os\.(?:exec|fork|kill|popen|posix_spawn|spawn|startfile|system)\w*"
    r"|sys\.(?:_getframe|modules|setprofile|settrace)|pathlib\.\w*Path\.home"
)
NEEDLESS_NAMES = {"__builtins__", "__import__", "__loader__", "compile", "eval", "exec"}
COMMAND = re.compile(
    r"^[^\S\n]*(?:[\w, ]+=\s*)?(?:!!?(?!\s*pip\b)\S|%%(?:bash|sh|script)\b)"
    r"|get_ipython\(\)\.(?:system|getoutput)\b",
    re.M,
)
OUTSIDE = re.compile(r"/(?!content\b)\w|~|\.\.(?:/|$)|[A-Za-z]:[\\/]")  # begins a path


def shortcuts(source, *names):
    """Return what a cell uses that could do the student's work, or that nobody needs.

    `names` are the checks that it may call. A disguise is not seen.
    """
    tree = parsed(source)
    if not tree.body and len(source) <= LONGEST_SOURCE:
        tree = parsed(_without_magic(source))
    nodes = [*ast.walk(tree)]
    inner = {node.value for node in nodes if isinstance(node, ast.Attribute)}
    bound, found = {module: module for module in (*LIBRARY, "os", "sys")}, set()
    for node in nodes:
        for what, name, module in _imports(node):
            bound[name] = module
            found.add(what)
    for node in nodes:
        if isinstance(node, ast.Attribute) and node not in inner:
            root, *path = _dotted(node)
            if root in bound:
                found.add(".".join([bound[root], *path]))
    needless = {match[0] for use in found if (match := NEEDLESS.match(use))}
    needless |= {n.id for n in nodes if isinstance(n, ast.Name)} & NEEDLESS_NAMES
    texts = [n.value for n in nodes if isinstance(n, ast.Constant)]
    if any(isinstance(text, str) and OUTSIDE.match(text) for text in texts):
        needless.add("a path outside of its folder")
    if COMMAND.search(source):
        needless.add("a command of the system")
    own = {use for use in found if re.match(rf"(?:ttt_lib|{'|'.join(LIBRARY)})\b", use)}
    own = {re.sub(r"^ttt_lib\.(?=\w)", "", use) for use in own}
    own = {use for use in own if not re.search(r"__(?:file|version)__$", use)}
    return sorted(needless | own - OPEN - {f"check.{name}" for name in names})


def _imports(node):
    """Yield (what, name, module) for all imports: the name stands for the module."""
    if isinstance(node, ast.Import):
        for one in node.names:
            name = one.asname or one.name.split(".")[0]
            yield one.name, name, one.name if one.asname else name
    elif isinstance(node, ast.ImportFrom):
        for one in node.names:
            what = f"{node.module}.{one.name}"
            yield what, one.asname or one.name, what


def _dotted(node):
    """Return the names of a.b.c, and "" in the place of a root that is no name."""
    path = []
    while isinstance(node, ast.Attribute):
        path.append(node.attr)
        node = node.value
    return [node.id if isinstance(node, ast.Name) else "", *reversed(path)]


def _without_magic(source):
    """Return a cell without what IPython alone understands, but the Python beside it.

    `%time winner(board)` becomes `winner(board)`, and `!ls` becomes `None`.
    """

    def plain(line):
        # Step by step: one pattern for all of it would try each space over and over.
        target, sign, behind = line.partition("=")
        is_named = sign and re.fullmatch(r"[\w, ]+", target.strip())
        asked = (behind if is_named else line).lstrip()
        if magic := re.match(r"%+\w*|!+|\?+", asked):
            rest = asked[magic.end() :].strip()
            before = line[: len(line) - len(asked)]
            return before + (rest if parsed(rest).body else "None")
        return "None" if line.rstrip().endswith("?") else line

    return "\n".join(map(plain, source.splitlines()))
