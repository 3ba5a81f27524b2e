"""Test submissions for the grader: right, wrong, and misbehaving ones.

Each is the reference solution with a small change, and the expected result.
"""

import base64
import copy
import io
import itertools
import json
import textwrap
from pathlib import Path
from types import CodeType, ModuleType
from typing import NamedTuple

from PIL import Image

from assignments.grader import course, feedback, gradebook, submission
from assignments.questions import QUESTIONS
from assignments.questions.question import source_of

SOURCE = Path(__file__).parents[1] / "assignments" / "source"
GAME, VALUES = "assignment_game", "assignment_value_iteration"


class Entry(NamedTuple):
    """One submission, and the expected result."""

    name: str
    assignment: str
    change: object  #: a function that changes the notebook in place, or files
    lost: dict  #: question → share of its points that must be lost
    hints: dict  #: question → name of the mistake that must be recognised
    status: str = "graded"


def solution(assignment):
    """Return the source notebook of an assignment, which contains its solution."""
    path = SOURCE / assignment / f"{assignment}.ipynb"
    return json.loads(path.read_text(encoding="utf-8"))


def cell(notebook, grade_id):
    (match,) = (
        cell
        for cell in notebook["cells"]
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == grade_id
    )
    return match


def change(function):
    """Return a function that returns a change: `function` with the notebook first."""
    return lambda *args, **named: lambda notebook: function(notebook, *args, **named)


@change
def write(notebook, **sources):
    for grade_id, source in sources.items():
        cell(notebook, grade_id)["source"] = source


@change
def add(notebook, source, index=None):
    """Add a code cell, by default after all others."""
    new = {"cell_type": "code", "metadata": {}, "source": source, "outputs": []}
    new |= {"id": "added", "execution_count": None}
    cells = notebook["cells"]
    cells.insert(len(cells) if index is None else index, new)


@change
def behind(notebook, grade_id, text):
    """Add text to the end of a cell."""
    one = cell(notebook, grade_id)
    one["source"] = f"{''.join(one['source'])}\n{text}"


@change
def both(notebook, *changes):
    for each in changes:
        each(notebook)


def png(width=1, height=1):
    """Return a black PNG image in base64, as in a notebook."""
    file = io.BytesIO()
    Image.new("1", (width, height)).save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()


# Right answers in another style

NUMPY_GAME = write(
    winner="""
def winner(board):
    grid = np.array(board).reshape(3, 3)
    sums = np.r_[grid.sum(0), grid.sum(1), np.trace(grid), np.trace(grid[::-1])]
    return (sums == 3).any().astype(int) - (sums == -3).any().astype(int)
""",
    count_games="""
def count_games(board):
    if winner(board) or np.all(board):
        return np.int64(1)
    after = np.array(board) + np.diag((board == 0) * (1 - 2 * np.sum(board)))
    return np.sum([count_games(b) for b in after[board == 0]])
""",
)


# Wrong answers: the known mistakes of the questions

MADE = """
def make():
{parts}

    return {function}

{question} = make()
"""


def standalone(function):
    """Return the sources of a function and all that it uses, by name."""
    parts = {}

    def names(code):
        nested = (const for const in code.co_consts if isinstance(const, CodeType))
        return {*code.co_names, *itertools.chain(*map(names, nested))}

    def collect(name, value):
        if isinstance(value, ModuleType):
            text = f"import {value.__name__} as {name}"
        elif (value.__module__ if callable(value) else "").startswith("assignments."):
            for used in sorted(names(value.__code__) & set(value.__globals__) - {name}):
                collect(used, value.__globals__[used])
            text = source_of(value)
            if value.__name__ != name:
                text += f"\n{name} = {value.__name__}"
        elif callable(value):
            text = f"from {value.__module__} import {name}"
        else:
            text = f"{name} = {value!r}"
        assert parts.setdefault(name, text) == text, f"two things are named {name}"

    collect(function.__name__, function)
    # Constants first: they may be default values of arguments.
    return dict(sorted(parts.items(), key=lambda part: "def " in part[1]))


# Mistakes that fail half-credit cases alone; all others lose all points.
HALF = {
    "winner: anti-diagonal forgotten",
    "legal_actions: finished boards not masked",
    "epsilon_greedy: first of equals",
    "beads_after: negative beads",
    "backup: illegal actions count as 0",
    "value_iteration: illegal actions count as 0",
    "q_learning_update: illegal actions count as 0",
    "greedy_actions: ties to the highest",
}


def made(assignment, questions):
    """Return the Entry with the first known mistake of each question."""
    # Trainings take seconds: they are left out here, and tested in the entry `right`.
    unwritten = [question for question in questions if QUESTIONS[question].training]
    answers = {question: f"{question} = None" for question in unwritten}
    lost, hints = dict.fromkeys(unwritten, 1), {}
    for question in questions:
        for mistake in QUESTIONS[question].mistakes[:1]:
            parts = "\n".join(standalone(mistake.answer).values())
            answers[question] = MADE.format(
                question=question,
                parts=textwrap.indent(parts, " " * 4),
                function=mistake.answer.__name__,
            )
            hints[question] = mistake.name
            lost[question] = 0.5 if f"{question}: {mistake.name}" in HALF else 1
    names = "; ".join(f"{question}: {name}" for question, name in hints.items())
    return Entry(names, assignment, write(**answers), lost, hints)


# Texts with scripts, for cross-site scripting on the pages of the grader. Each sets
# `window.ran` if a page shows it as HTML.
SCRIPT = "<script>top.ran = 1</script>"
SCRIPTS = (
    SCRIPT,
    f"</code></pre></div></textarea></title></style>{SCRIPT}",
    "<svg onload='top.ran = 1'>",
    "<img src='x:' onerror='top.ran = 1'>",
    f'<iframe srcdoc="{SCRIPT}"></iframe>',
    "<details open ontoggle='top.ran = 1'><summary>more</summary></details>",
    "<svg><animate onbegin='top.ran = 1' attributeName='x' dur='1s'></svg>",
    f"<math><annotation-xml encoding='text/html'>{SCRIPT}</annotation-xml></math>",
    "<img src=x: onerror=&#116;op.ran=1>",
    "<noscript><p title=\"</noscript><img src='x:' onerror='top.ran = 1'>\">",
    "<!--><img src='x:' onerror='top.ran = 1'>-->",
)
# Contexts in which Markdown, MathJax or a template might not escape them.
PLACES = (
    "My answer:\n\n{0}\n\n    and more\n\n```\n{0}\n```\n{0}\n~~~~\n{0}",
    "`````\n```` {0} ``\n`````\n``{0}",
    "```mermaid\n{}\n```",
    "$$ {0} $$ and ${0}$ \\begin{{x}}{0}\\end{{x}} \\href{{javascript:top.ran=1}}{{y}}",
    "<!-- {0} --> {0} <![CDATA[ {0} ]]> <? {0} ?>\n- > 1. {0}",
    "[a]: <{0}> '{0}'\n[a] ![{0}](attachment:x '{0}') <javascript:top.ran=1>",
    "{{{{ 7 * 7 }}}} {{% raw %}} {} {{% endraw %}} &lt;script&gt; &amp; &#60;",
    "\r\n\t{}\x1b[31m\u2028\x0b\xa0 ＜script＞ naïve 三目",
)
HOSTILE = ["\n\n".join(SCRIPTS), *(place.format(" ".join(SCRIPTS)) for place in PLACES)]


def formgrader(folder):
    """Return a function that shows a text as answer, reason and name in Formgrader."""
    from nbconvert.exporters import HTMLExporter
    from nbgrader.server_extensions.formgrader.formgrader import FormgradeExtension

    exporter = HTMLExporter(config=FormgradeExtension().build_extra_config())
    release = course.of_notebook(GAME, solution(GAME))
    file = folder / f"{GAME}.ipynb"

    def show(text, name="Ada"):
        verdict = {"why": text, "mistake": text, "hint": text}
        result = {
            "questions": {q.grade_id: verdict for q in release.questions},
            "scores": {q.grade_id: 1.0 for q in release.questions},
        }
        answers = {"essay": text, "winner": text}
        submitted = submission.Submission("", (), (), answers, "")
        file.write_text(feedback.marked_notebook(release, submitted, result))
        names = {"first_name": gradebook.without_tags(name), "last_name": "Lovelace"}
        resources = names | {"index": 0, "total": 1}
        return exporter.from_filename(str(file), resources=resources)[0]

    return show


def page_back(text, assignment=GAME, picture=""):
    """Return the feedback page for a student, with a text in every place for one."""
    release = course.of_notebook(assignment, solution(assignment))
    verdict = {"share": 0.5, "kinds": [text], "why": text, "hint": text, "line": 0}
    verdict |= {"stopped": text, "measured": [text], "help": [text, text]}
    result = {
        "status": "graded",
        "notes": [text],
        "questions": {q.grade_id: verdict for q in release.questions},
        "blank": [],
    }
    ids = [item.grade_id for item in (*release.questions, *release.essays)]
    marks = {grade_id: gradebook.Mark(None, text) for grade_id in ids}
    student = course.Student("ada", text)
    answers = {"essay": text, **{q.answer_id: text for q in release.questions}}
    given = release, student, result, marks, text, answers
    return feedback.page(*given, picture=picture)


# Too large for a float, so that a comparison with one raises OverflowError.
TOO_LARGE = write(backup="def backup(*args):\n    return 10**400")

# Misbehaving submissions: right solutions of assignment_game with one change each.


@change
def delete(notebook, *kinds):
    """Delete all cells with these endings of the grade id."""

    def is_kept(one):
        metadata = one["metadata"].get("nbgrader", {"grade_id": ""})
        return not metadata["grade_id"].endswith(kinds)

    notebook["cells"] = [*filter(is_kept, notebook["cells"])]


def double(notebook):
    """Insert a copy after the cell with the answer to `winner`."""
    one = cell(notebook, "winner")
    index = notebook["cells"].index(one) + 1
    notebook["cells"].insert(index, copy.deepcopy(one) | {"id": "a-copy"})


def strip(notebook):
    """Remove metadata and ids from all cells."""
    for number, one in enumerate(notebook["cells"]):
        one |= {"metadata": {}, "id": f"other-{number}"}


STUB = "def winner(board):\n    raise NotImplementedError()"
EQUAL = """
class Equal(int):
    def __eq__(self, other):
        return True
    __ne__ = __gt__ = __ge__ = __lt__ = __le__ = __eq__
    tolist, __hash__ = (lambda self: self), int.__hash__

def winner(board):
    return Equal(7)
"""
STRIPPED = """
import ast, builtins
class Strip(ast.NodeTransformer):
    visit_Assert = lambda self, node: ast.Pass()
get_ipython().ast_transformers.append(Strip())
builtins.AssertionError = Warning
def winner(board):
    return 7
"""
PATCHED = """
import json, ttt_lib.check as c
for name in ("judge", "same", "answers", "plain", "key", "report"):
    setattr(c, name, lambda *a, **k: True)
json.dumps = lambda *a, **k: '{"value": true, "share": 1}'
def winner(board):
    return 7
"""
READER = """
import glob, os
def winner(board):
    text = ""
    for pattern in ({secret!r}, {course!r} + "/**/*", "/proc/self/environ"):
        for file in glob.glob(pattern, recursive=True):
            try:
                text += open(file, errors="replace").read()
            except OSError:
                pass
    return len(text)
"""
WRITER = """
import glob, os, sqlite3
for file in glob.glob({course!r} + "/**/*", recursive=True):
    try:
        if file.endswith(".db"):
            with sqlite3.connect(file, timeout=1) as db:
                db.execute("UPDATE grade SET auto_score = 99, manual_score = 99")
        elif os.path.isfile(file):
            open(file, "a").write("99")
    except Exception:
        pass
def winner(board):
    return 7
"""
FORGER = """
import os
def winner(board):
    for fd in range(3, 12):
        try:
            os.write(fd, b'{"value": 1}\\n{"value": -1}\\n{"value": 0}\\n' * 9)
        except OSError:
            pass
    return 7
"""
STEALER = """
import json, sys
def winner(board):
    frame, order, stream = sys._getframe(), None, None
    while frame:
        if isinstance(frame.f_locals.get("order"), dict):
            order = frame.f_locals["order"]["order"]
        stream, frame = frame.f_locals.get("answers", stream), frame.f_back
    for value in (1, 0, -1):
        result = {"order": order, "value": value, "share": 1, "scores": {"winner": 4}}
        stream.write(json.dumps(result) + "\\n")
    stream.flush()
    return 7
"""
SPLIT = """
import os
left = [1, 2, 3]  # in each process, so there are 27, which no limit forbids
def winner(board):
    for answer in (1, -1) if left and left.pop() else ():
        if os.fork() == 0:
            return answer
    return 0
"""
SWALLOW = """
import signal
for number in {*range(1, 32)} - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
"""
SLEEPERS = """
import os, time
for i in range(20):
    os.fork() or time.sleep(3) or os._exit(0)
"""
BOMB = "hoard = []\n    while True:\n        hoard.append(bytearray(10**8))"


def inside(code):
    """Return a change that makes `winner` run some code."""
    return write(winner=f"def winner(board):\n    {code}\n    return 0")


ONE = {"winner": 1}
MISBEHAVING = (
    ("infinite loop in a function", inside("while True: pass"), ONE, "timed out"),
    ("infinite loop behind a right answer", behind("winner", "while True: pass"), {},
     "timed out"),
    ("loop that swallows interrupts", add(SWALLOW, 3), {}, "timed out"),
    ("os._exit in a cell", add("import os\nos._exit(0)", 3), {}, "crashed"),
    ("os._exit in a function", inside("import os; os._exit(0)"), ONE, "crashed"),
    ("sys.exit in a function", inside("raise SystemExit"), ONE, "graded"),
    ("memory bomb in a function", inside(BOMB), ONE, "crashed"),
    ("recursion without end", inside("return winner(board)"), ONE, "graded"),
    ("many processes that sleep", add(SLEEPERS), {}, "graded"),
    ("deleted check cells", delete("_check"), {}, "repaired"),
    ("duplicated answer cell", double, {}, "repaired"),
    ("deleted answer cell", delete("winner"), ONE, "repaired"),
    ("metadata and cell ids stripped", strip, {}, "repaired"),
    ("renamed", "rename", {}, "graded"),
    ("truncated", "truncate", None, "unreadable"),
    ("nothing handed in", "missing", None, "missing"),
    ("prints without end", inside("print('x' * 10**6)"), ONE, "graded"),
    ("syntax error in a cell", add("def (:", 2), {}, "graded"),
    ("reads hidden cases", READER, ONE, "graded"),
    ("writes the gradebook", WRITER, ONE, "graded"),
    ("always-equal object", write(winner=EQUAL), ONE, "graded"),
    ("assertions stripped", write(winner=STRIPPED), ONE, "graded"),
    ("library patched", write(winner=PATCHED), ONE, "graded"),
    ("answers forged", write(winner=FORGER), ONE, "graded"),
    ("answers forged with the number of the order", write(winner=STEALER), ONE,
     "graded"),
    ("forks and answers in all ways", write(winner=SPLIT), ONE, "graded"),
)  # fmt: skip
