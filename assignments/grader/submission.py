"""Submitted notebook, compared with the release; it is read and never changed."""

import ast
import hashlib
import re
import threading
import unicodedata
import warnings
from typing import NamedTuple

from assignments.grader import texts
from ttt_lib.check import notebook
from ttt_lib.check.notebook import MAX_CELLS, NO_MARK, bare
from ttt_lib.check.notebook import Cell as HandedIn
from ttt_lib.check.report import DRAWING

TABLE = "handed_in.csv"  # written by `collect` next to the submissions
UNKNOWN = "unknown"  # in that table, the source of an unknown time
OTHER = "this is not the notebook of this assignment"
# Characters of a cell that are parsed here, outside the sandbox, where a parser could
# take minutes and gigabytes; longer cells are run without being parsed.
MAX_SOURCE = 100_000
QUIET = threading.Lock()  # because warnings are switched off for all threads


class Cell(NamedTuple):
    """Cell of a student to be run; a check cell has no source."""

    grade_id: str  #: of the release, "" for a cell that the student added
    source: str


class Submission(NamedTuple):
    """Notebook of a student, as far as it can be read."""

    problem: str  #: "", "missing" or "unreadable"
    notes: tuple  #: messages; those on repairs begin with "repaired: "
    cells: tuple  #: Cells to run, in the student's order
    answers: dict  #: grade_id → source of each answer cell
    digest: str  #: SHA-256 (hex) of the file
    picture: str = ""  #: PNG (base64) of the student's drawing
    texts: tuple = ()  #: (grade_id or texts.OWN, text) of all written texts


def unreadable(note, digest=""):
    """Return the Submission of an unreadable file."""
    return Submission("unreadable", (note,), (), {}, digest)


def composed(name):
    """Return a name in the form NFC; macOS writes accents as separate characters."""
    return unicodedata.normalize("NFC", name)


def beginnings(name):
    """Return all parts at the beginning of a name that may be an id, longest last."""
    return [name[: match.start()] for match in re.finditer("[_. -]", name)]


def read_file(path, release):
    """Return the Submission of a file."""
    digest = ""
    try:
        content = notebook.content_of(path)
        digest = hashlib.sha256(content).hexdigest()
        cells = notebook.cells_of(content)
    except notebook.UnreadableError as error:
        return unreadable(str(error), digest)
    submission = match_release(cells, release, digest)
    drawing = submission.answers.get(DRAWING)
    return submission._replace(picture=texts.picture(cells, drawing))


def match_release(cells, release, digest=""):
    """Return the Submission of cells, matched with the cells of the release.

    A cell is matched by its grade id, else its cell id, else a name that it defines.
    """
    cells = [HandedIn(*cell) for cell in cells]
    kinds = {cell.grade_id: cell.kind for cell in release.cells if cell.grade_id}
    stub = {cell.grade_id: bare(cell.source) for cell in release.cells if cell.grade_id}
    present = {cell.grade_id for cell in cells}
    named, repairs = _named(cells, release, present)
    if not _is_of(release, named, present):
        return unreadable(OTHER, digest)
    notes = []
    if len(cells) == MAX_CELLS:
        notes.append(f"only the first {MAX_CELLS} cells were read")
    notes += [*repairs, *_losses(named, release, kinds, stub)]
    run, answers = _run_and_answers(named, release, kinds, stub)
    named = [
        cell._replace(kind=kind, grade_id=grade_id)
        for cell, (kind, grade_id, _) in zip(cells, named, strict=True)
    ]
    words = _written_texts(named, release, stub)
    for essay in release.essays:
        where = essay.grade_id
        text = "\n\n".join(text for place, text in words if place == where)
        if text and bare(text) != bare(answers.get(where, "")):
            answers[where] = text[: texts.MAX_TEXT]
            notes.append(f"parts of the text {where} are in other cells")
    return Submission("", tuple(notes), run, answers, digest, texts=tuple(words))


def _named(cells, release, present):
    """Return [kind, grade id, source] of all cells, and notes on repairs.

    present: grade ids in the cells' own metadata.
    """
    by_cell_id = {cell.id: cell.grade_id for cell in release.cells if cell.grade_id}
    released_ids = {cell.grade_id for cell in release.cells if cell.grade_id}
    named, by_id, by_name = [], 0, 0
    for kind, grade_id, cell_id, source, *_ in cells:
        if grade_id not in released_ids:
            released_id = by_cell_id.get(cell_id, "")
            grade_id = released_id if released_id not in present else ""
            by_id += bool(grade_id)
        named.append([kind, grade_id, source])
    matched = {grade_id for _, grade_id, _ in named}
    lost = [q for q in release.questions if q.answer_id not in matched]
    left = 3 * MAX_SOURCE if lost else 0
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
        if cell.kind in ("essay", "drawing") and cell.grade_id not in matched:
            _find_below_its_question(named, cell, release)
    repairs = {"had lost their grade ids": by_id}
    repairs["were recognised only by the names they define"] = by_name
    return named, [f"repaired: {n} cells {text}" for text, n in repairs.items() if n]


def _run_and_answers(named, release, kinds, stub):
    """Return the Cells that run, in order, and {grade_id: source} of the answers."""
    checks = {
        stub[cell.grade_id]: cell.grade_id
        for cell in release.cells
        if cell.kind == "test"
    }
    setup = [Cell(c.grade_id, c.source) for c in release.cells if c.kind == "setup"]
    run, answers, shown = [], {}, {bare(source) for source in release.shown}
    for kind, grade_id, source in named:
        asked, is_stub = kinds.get(grade_id), bare(source) == stub.get(grade_id)
        if asked in ("answer", "essay", "drawing") and (
            not is_stub or grade_id not in answers
        ):
            answers[grade_id] = source
        if asked == "test" or (kind == "code" and bare(source) in checks):
            run.append(Cell(grade_id or checks[bare(source)], ""))  # where it is asked
            continue
        if asked in ("essay", "drawing") or (kind != "code" and asked != "answer"):
            continue
        if asked == "answer" and is_stub and bare(answers[grade_id]) != bare(source):
            continue  # an unchanged copy would overwrite the answer
        if asked == "setup" and is_stub:
            continue  # it already runs before all others
        if source.strip() and bare(source) not in shown:
            run.append(Cell(grade_id, source))
    return (*setup, *run), answers


def _written_texts(cells, release, stub):
    """Return [(where, text)] of all texts that a student has written.

    `where` is the grade id for a text in its cell or next to it; for other cells that
    were added or changed it is OWN, OWN_CODE or the grade id of the cell.
    """
    essays = {essay.grade_id for essay in release.essays}
    released = {*map(bare, (cell.source for cell in release.cells))}
    places = [None if _is_own(cell, released) else cell.grade_id for cell in cells]
    written, programs, left = [], {}, 3 * MAX_SOURCE
    for number, cell in enumerate(cells):
        if bare(cell.source) == stub.get(cell.grade_id):  # a picture may be attached
            cell = cell._replace(source="")
        if not (text := texts.written(cell)):
            continue
        if cell.grade_id in essays:
            written.append((cell.grade_id, text))
        elif places[number] is None:
            where = _neighbour(places, number, essays)
            if not where:
                where = texts.OWN_CODE if cell.kind == "code" else texts.OWN
            left -= len(cell.source)
            is_program = cell.kind == "code" and text == cell.source.strip()
            if not is_program or left < 0 or _has_words(cell.source):
                written.append((where, text))
            else:
                programs.setdefault(where, []).append((where, text))
        elif cell.grade_id:
            more = texts.words_in(cell.source) - texts.words_in(stub[cell.grade_id])
            if cell.kind != "code" or more >= texts.MANY_WORDS:
                written.append((cell.grade_id, text))
    # A program next to an empty text may be the answer to it.
    with_text = {where for where, _ in written}
    for where in essays - with_text:
        written += programs.get(where, ())
    return written


def _neighbour(places, number, essays):
    """Return the grade id of the text above or below an added cell, or ""."""
    for others in (reversed(places[:number]), places[number:]):
        named = next((place for place in others if place is not None), "")
        if named in essays:
            return named
    return ""


def _is_own(cell, released):
    """Return whether a cell without a grade id was added or changed by the student."""
    is_changed = bare(cell.source) not in released or cell.is_attached
    return not cell.grade_id and is_changed


def _has_words(source):
    """Return whether a code cell contains text, or is not valid Python."""
    tree = parsed(source)
    if not tree.body:
        tree = parsed(_without_magic(source))
    return not tree.body or texts.words_in(source) > 0


def parsed(source):
    """Return the syntax tree of a program, empty if it is not valid or too long."""
    try:
        with QUIET, warnings.catch_warnings(action="ignore"):
            return ast.parse(source if len(source) <= MAX_SOURCE else "")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.parse("")


def _bound(source):
    """Return the names that a program binds at its top level; it is not run."""
    names = set()
    for node in parsed(source).body:
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {t.id for t in node.targets if isinstance(t, ast.Name)}
    return names


def _is_of(release, named, present):
    """Return whether cells belong to this assignment.

    Grade ids of texts, the first cell and the drawing are the same in all assignments.
    So there has to be a cell of a question, or the cell with the title if only texts
    are left. Cells recognised only by a name they define do not count if there are
    grade ids of another assignment.
    """
    ids = {cell.grade_id for cell in release.cells if cell.kind in ("answer", "test")}
    title = [bare(cell.source) for cell in release.cells[:1] if not cell.grade_id]
    if ids & present or any(bare(source) in title for _, _, source in named):
        return True
    others = present - {cell.grade_id for cell in release.cells} - {NO_MARK}
    return not others and any(grade_id in ids for _, grade_id, _ in named)


def _find_below_its_question(named, asked, release):
    """Give the first cell below a question the grade id of its text or drawing.

    Cells of the student may be between them, but no other text of the release.
    """
    words = {bare(cell.source) for cell in release.cells if not cell.grade_id}
    above = release.cells[: release.cells.index(asked)]
    question = [bare(cell.source) for cell in above if not cell.grade_id][-1:]
    kind, is_below = "code" if asked.kind == "drawing" else "markdown", False
    for cell in named:
        if bare(cell[2]) in words:
            is_below = [bare(cell[2])] == question
        elif is_below and cell[0] == kind and not cell[1]:
            cell[1] = asked.grade_id
            return


def _losses(named, release, kinds, stub):
    """Yield a note for each released cell that is missing, repeated or changed."""
    for grade_id, asked in kinds.items():
        copies = [source for _, id, source in named if id == grade_id]
        name = {"test": "check cell", "setup": "first cell"}.get(asked, "answer cell")
        if not copies and asked == "essay":
            yield f"the text {grade_id} was not found: a person has to look"
        elif not copies:
            yield f"repaired: the {name} {grade_id} is missing"
        elif len(copies) > 1:
            yield f"repaired: the {name} {grade_id} is there {len(copies)} times"
        elif asked in ("test", "setup") and bare(copies[0]) != stub[grade_id]:
            yield f"repaired: the {name} {grade_id} was changed"
    answers = {cell.grade_id for cell in release.cells if cell.kind == "answer"}
    for kind, grade_id, _ in named:
        if grade_id in answers and kind != "code":
            yield f"repaired: the answer cell {grade_id} is no longer a code cell"


def definitions(source):
    """Return the source of the imports, definitions and constants of a cell.

    It is cut out of the cell, because `ast.unparse` of a long expression may fail.
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
    """Return whether a statement assigns a value and calls only MAKERS."""
    return isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign) and all(
        _dotted(part.func)[0] in MAKERS
        for part in ast.walk(node)
        if isinstance(part, ast.Call)
    )


# Calls that make values: NumPy, and Python's built-in functions.
MAKERS = {"np", "numpy", "dict", "enumerate", "len", "list", "range", "set", "sorted"}
MAKERS |= {"tuple", "zip", ""}  # "": a method of such a value
# Names of modules of the library, also without an import.
LIBRARY = ("rules", "planning", "search", "learning", "mdp", "game", "check")
OPEN = {"ttt_lib", "check", "check.score", "game", "game.board", "game.find"}
OPEN |= {"game.string", "game.array"}
# Attributes of any module: its path, name and version.
HARMLESS = "__doc__", "__file__", "__name__", "__path__", "__version__"


# Uses that no exercise needs: processes, the network, dynamic code, introspection, and
# files outside the notebook's own folder.
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
    r"!+(?!!|\s*pip\b)\s*\S|%%(?:bash|sh|script)\b|get_ipython\(\)\.(?:system|getoutput)\b"
)  # at the beginning of a line
# Beginnings of paths outside the notebook's folder.
OUTSIDE = re.compile(r"/(?!content\b)\w|~|\.\.(?:/|$)|[A-Za-z]:[\\/]")


def shortcuts(source, *names):
    """Return sorted names of uses in a cell that solve the task, or that no task needs.

    names: checks that the cell may call. A disguised use is not found.
    """
    tree = parsed(source)
    if not tree.body and len(source) <= MAX_SOURCE:
        tree = parsed(_without_magic(source))
    nodes = [*ast.walk(tree)]
    inner = {node.value for node in nodes if isinstance(node, ast.Attribute)}
    bound, uses = {module: module for module in (*LIBRARY, "os", "sys")}, set()
    for node in nodes:
        for imported, name, module in _imports(node):
            bound[name] = module
            uses.add(imported)
    for node in nodes:
        if isinstance(node, ast.Attribute) and node not in inner:
            root, *path = _dotted(node)
            if root in bound and path[-1] not in HARMLESS:
                uses.add(".".join([bound[root], *path]))
    needless = {match[0] for use in uses if (match := NEEDLESS.match(use))}
    needless |= {n.id for n in nodes if isinstance(n, ast.Name)} & NEEDLESS_NAMES
    texts = [n.value for n in nodes if isinstance(n, ast.Constant)]
    if any(isinstance(text, str) and OUTSIDE.match(text) for text in texts):
        needless.add("a path outside of its folder")
    if any(COMMAND.match(_without_target(line)) for line in source.splitlines()):
        needless.add("a command of the system")
    library = rf"(?:ttt_lib|{'|'.join(LIBRARY)})\b"
    library_uses = {use for use in uses if re.match(library, use)}
    library_uses = {re.sub(r"^ttt_lib\.(?=\w)", "", use) for use in library_uses}
    return sorted(needless | library_uses - OPEN - {f"check.{name}" for name in names})


def _imports(node):
    """Yield (what is imported, name bound, module) for each import."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            name = alias.asname or alias.name.split(".")[0]
            yield alias.name, name, alias.name if alias.asname else name
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            imported = f"{node.module}.{alias.name}"
            yield imported, alias.asname or alias.name, imported


def _dotted(node):
    """Return the names of a.b.c, with "" for a root that is not a name."""
    path = []
    while isinstance(node, ast.Attribute):
        path.append(node.attr)
        node = node.value
    return [node.id if isinstance(node, ast.Name) else "", *reversed(path)]


def _without_magic(source):
    """Return a cell without IPython's syntax; Python code on the same line is kept.

    `%time winner(board)` becomes `winner(board)`, and `!ls` becomes `None`.
    """

    def plain(line):
        command = _without_target(line)
        if magic := re.match(r"%+\w*|!+|\?+", command):
            rest = command[magic.end() :].strip()
            before = line[: len(line) - len(command)]
            return before + (rest if parsed(rest).body else "None")
        return "None" if line.rstrip().endswith("?") else line

    return "\n".join(map(plain, source.splitlines()))


def _without_target(line):
    """Return a line without `names =` at its beginning, which IPython allows.

    A single pattern could take quadratic time in the number of spaces.
    """
    target, equals, value = line.partition("=")
    is_assignment = equals and re.fullmatch(r"[\w, ]+", target.strip())
    return (value if is_assignment else line).lstrip()
