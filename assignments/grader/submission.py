"""A notebook that a student handed in, put beside the release, and never altered."""

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

TABLE = "handed_in.csv"  # what `collect` writes beside the work of students
UNKNOWN = "unknown"  # stands there for whose time it is where nobody knows the time
OTHER = "this is not the notebook of this assignment"
# Characters of a cell that are read as a program here, where no limit stops a parser
# that takes minutes and gigabytes; longer cells run, and nobody looks into them.
MAX_SOURCE = 100_000
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
    digest: str  #: SHA-256 (hex) of the file as it came
    picture: str = ""  #: a PNG (base64) that the student drew
    texts: tuple = ()  #: (grade_id or texts.OWN, text) of all that is in words


def unreadable(note, digest=""):
    """Return a Submission that nothing can be made of."""
    return Submission("unreadable", (note,), (), {}, digest)


def composed(name):
    """Return a name with each accent in its letter: macOS writes them apart."""
    return unicodedata.normalize("NFC", name)


def beginnings(name):
    """Return all that may be an id at the beginning of a name, the longest last."""
    return [name[: sign.start()] for sign in re.finditer("[_. -]", name)]


def read_file(path, release):
    """Return the Submission that one file holds."""
    digest = ""
    try:
        content = notebook.content_of(path)
        digest = hashlib.sha256(content).hexdigest()
        cells = notebook.cells_of(content)
    except notebook.UnreadableError as error:
        return unreadable(str(error), digest)
    found = beside(cells, release, digest)
    return found._replace(picture=texts.picture(cells, found.answers.get(DRAWING)))


def beside(cells, release, digest=""):
    """Return the Submission whose cells are named as the release names them.

    A cell is known by its grade id, else by its cell id, else by the name it defines.
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
    words = _in_words(named, release, stub)
    for essay in release.essays:
        where = essay.grade_id
        own = "\n\n".join(text for place, text in words if place == where)
        if own and bare(own) != bare(answers.get(where, "")):
            answers[where] = own[: texts.MAX_TEXT]
            notes.append(f"the text {where} stands in other cells than its own, too")
    return Submission("", tuple(notes), run, answers, digest, texts=tuple(words))


def _named(cells, release, present):
    """Return [kind, grade id, source] of all cells, and notes on what was repaired.

    `present` are the grade ids that the cells have themselves.
    """
    by_cell_id = {cell.id: cell.grade_id for cell in release.cells if cell.grade_id}
    known = {cell.grade_id for cell in release.cells if cell.grade_id}
    named, by_id, by_name = [], 0, 0
    for kind, grade_id, cell_id, source, *_ in cells:
        if grade_id not in known:
            found = by_cell_id.get(cell_id, "")
            grade_id = found if found not in present else ""
            by_id += bool(grade_id)
        named.append([kind, grade_id, source])
    there = {grade_id for _, grade_id, _ in named}
    lost = [q for q in release.questions if q.answer_id not in there]
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
        if cell.kind in ("essay", "drawing") and cell.grade_id not in there:
            _find_below_its_question(named, cell, release)
    repairs = {"had lost their marks": by_id}
    repairs["were known only by what they define"] = by_name
    return named, [f"repaired: {n} cells {what}" for what, n in repairs.items() if n]


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
            continue  # an untouched copy would undo the answer
        if asked == "setup" and is_stub:
            continue  # it runs before all others
        if source.strip() and bare(source) not in shown:
            run.append(Cell(grade_id, source))
    return (*setup, *run), answers


def _in_words(cells, release, stub):
    """Return [(where, text)] of all that a student has written in words.

    That is what stands in the place of a text or beside it, with its grade id, and what
    stands in other cells that were added or changed.
    """
    essays = {essay.grade_id for essay in release.essays}
    handed_out = {*map(bare, (cell.source for cell in release.cells))}
    places = [None if _is_own(cell, handed_out) else cell.grade_id for cell in cells]
    found, programs, left = [], {}, 3 * MAX_SOURCE
    for number, cell in enumerate(cells):
        if bare(cell.source) == stub.get(cell.grade_id):  # a picture may be attached
            cell = cell._replace(source="")
        if not (text := texts.written(cell)):
            continue
        if cell.grade_id in essays:
            found.append((cell.grade_id, text))
        elif places[number] is None:
            beside = _beside(places, number, essays)
            if not beside:
                beside = texts.OWN_CODE if cell.kind == "code" else texts.OWN
            left -= len(cell.source)
            is_program = cell.kind == "code" and text == cell.source.strip()
            if not is_program or left < 0 or _has_words(cell.source):
                found.append((beside, text))
            else:
                programs.setdefault(beside, []).append((beside, text))
        elif cell.grade_id:
            more = texts.words_in(cell.source) - texts.words_in(stub[cell.grade_id])
            if cell.kind != "code" or more >= texts.MANY_WORDS:
                found.append((cell.grade_id, text))
    # A program beside a text that is empty may stand for it.
    known = {where for where, _ in found}
    for where in essays - known:
        found += programs.get(where, ())
    return found


def _beside(places, number, essays):
    """Return the grade id of the text above or below a cell of the student's own."""
    for others in (reversed(places[:number]), places[number:]):
        named = next((place for place in others if place is not None), "")
        if named in essays:
            return named
    return ""


def _is_own(cell, handed_out):
    """Return whether the student has added or changed a cell that has no name."""
    is_changed = bare(cell.source) not in handed_out or cell.is_attached
    return not cell.grade_id and is_changed


def _has_words(source):
    """Return whether a cell of code holds words, or is none."""
    tree = parsed(source)
    if not tree.body:
        tree = parsed(_without_magic(source))
    return not tree.body or texts.words_in(source) > 0


def parsed(source):
    """Return the tree of a program that is read and never run, empty if it is none."""
    try:
        with QUIET, warnings.catch_warnings(action="ignore"):
            return ast.parse(source if len(source) <= MAX_SOURCE else "")
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
    title = [bare(cell.source) for cell in release.cells[:1] if not cell.grade_id]
    if own & present or any(bare(source) in title for _, _, source in named):
        return True
    others = present - {cell.grade_id for cell in release.cells} - {NO_MARK}
    return not others and any(grade_id in own for _, grade_id, _ in named)


def _find_below_its_question(named, asked, release):
    """Name the cell of a text or a drawing: the first of its kind below its question.

    Cells that the student changes may lie between, but no other words of the release.
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
    """Yield a note for each cell of the release that is gone, double or changed."""
    for grade_id, asked in kinds.items():
        copies = [source for _, known, source in named if known == grade_id]
        what = {"test": "check cell", "setup": "first cell"}.get(asked, "answer cell")
        if not copies and asked == "essay":
            yield f"the text {grade_id} was not found: a person has to look"
        elif not copies:
            yield f"repaired: the {what} {grade_id} is missing"
        elif len(copies) > 1:
            yield f"repaired: the {what} {grade_id} is there {len(copies)} times"
        elif asked in ("test", "setup") and bare(copies[0]) != stub[grade_id]:
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
# Of any module: where it lies, and which it is.
HARMLESS = "__doc__", "__file__", "__name__", "__path__", "__version__"


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
    r"!+(?!!|\s*pip\b)\s*\S|%%(?:bash|sh|script)\b|get_ipython\(\)\.(?:system|getoutput)\b"
)  # begins a line
OUTSIDE = re.compile(r"/(?!content\b)\w|~|\.\.(?:/|$)|[A-Za-z]:[\\/]")  # begins a path


def shortcuts(source, *names):
    """Return what a cell uses that could do the student's work, or that nobody needs.

    `names` are the checks that it may call. A disguise is not seen.
    """
    tree = parsed(source)
    if not tree.body and len(source) <= MAX_SOURCE:
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
            if root in bound and path[-1] not in HARMLESS:
                found.add(".".join([bound[root], *path]))
    needless = {match[0] for use in found if (match := NEEDLESS.match(use))}
    needless |= {n.id for n in nodes if isinstance(n, ast.Name)} & NEEDLESS_NAMES
    texts = [n.value for n in nodes if isinstance(n, ast.Constant)]
    if any(isinstance(text, str) and OUTSIDE.match(text) for text in texts):
        needless.add("a path outside of its folder")
    if any(COMMAND.match(_asked(line)) for line in source.splitlines()):
        needless.add("a command of the system")
    own = {use for use in found if re.match(rf"(?:ttt_lib|{'|'.join(LIBRARY)})\b", use)}
    own = {re.sub(r"^ttt_lib\.(?=\w)", "", use) for use in own}
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
        asked = _asked(line)
        if magic := re.match(r"%+\w*|!+|\?+", asked):
            rest = asked[magic.end() :].strip()
            before = line[: len(line) - len(asked)]
            return before + (rest if parsed(rest).body else "None")
        return "None" if line.rstrip().endswith("?") else line

    return "\n".join(map(plain, source.splitlines()))


def _asked(line):
    """Return a line of a cell without `names =` before it, which IPython allows.

    Step by step: one pattern for all of it would try each space over and over.
    """
    target, sign, behind = line.partition("=")
    is_named = sign and re.fullmatch(r"[\w, ]+", target.strip())
    return (behind if is_named else line).lstrip()
