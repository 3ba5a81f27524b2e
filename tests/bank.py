"""A class of students for the grader's own test: right, wrong, and misbehaving ones.

Each is the reference solution with a small change, and what must come of it.
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
    """One student of the bank."""

    name: str
    assignment: str
    change: object  #: a function that gets the notebook and changes it, or files
    lost: dict  #: question → the share of its points that must be lost
    hints: dict  #: question → name of the mistake that must be recognised
    status: str = "graded"


def solution(assignment):
    """Return the source notebook: with the marks of the solutions it is a solution."""
    path = SOURCE / assignment / f"{assignment}.ipynb"
    return json.loads(path.read_text(encoding="utf-8"))


def cell(notebook, grade_id):
    """Return the cell of that grade id."""
    (found,) = (
        cell
        for cell in notebook["cells"]
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == grade_id
    )
    return found


def replace(grade_id, old, new):
    """Return the change of a text in a cell; it must be there."""

    def change(notebook):
        source = "".join(cell(notebook, grade_id)["source"])
        assert old in source, (grade_id, old)
        cell(notebook, grade_id)["source"] = source.replace(old, new)

    return change


def write(**sources):
    """Return the change that writes other answers into cells."""

    def change(notebook):
        for grade_id, source in sources.items():
            cell(notebook, grade_id)["source"] = source

    return change


def add(source, place=None):
    """Return the change that adds a code cell, by default behind all others."""

    def change(notebook):
        new = {"cell_type": "code", "metadata": {}, "source": source, "outputs": []}
        new |= {"id": "added", "execution_count": None}
        cells = notebook["cells"]
        cells.insert(len(cells) if place is None else place, new)

    return change


def behind(grade_id, text):
    """Return the change that adds text to the end of a cell."""

    def change(notebook):
        source = "".join(cell(notebook, grade_id)["source"])
        cell(notebook, grade_id)["source"] = f"{source}\n{text}"

    return change


def both(*changes):
    def change(notebook):
        for one in changes:
            one(notebook)

    return change


def png(width=1, height=1):
    """Return a black picture as a notebook keeps it: a PNG in base64."""
    file = io.BytesIO()
    Image.new("1", (width, height)).save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()


def nothing(notebook):
    pass


# Right answers in three styles

NUMPY_GAME = write(
    winner="""
def winner(board):
    grid = np.array(board).reshape(3, 3)
    sums = np.r_[grid.sum(0), grid.sum(1), np.trace(grid), np.trace(grid[::-1])]
    return (sums == 3).any().astype(int) - (sums == -3).any().astype(int)
""",
    class_size="""
def class_size(board):
    grid = np.array(board).reshape(3, 3)
    seen = [np.rot90(g, k).ravel() for g in (grid, np.fliplr(grid)) for k in range(4)]
    return np.unique(seen, axis=0).shape[0]
""",
    count_games="""
def count_games(board):
    if winner(board) or np.all(board):
        return np.int64(1)
    after = np.array(board) + np.diag((board == 0) * (1 - 2 * np.sum(board)))
    return np.sum([count_games(b) for b in after[board == 0]])
""",
    can_occur="""
def can_occur(board):
    ahead, w = np.sum(board), np.array(LINES)
    x, o = (board[w] == 1).all(1).any(), (board[w] == -1).all(1).any()
    return np.bool_((ahead in (0, 1)) & ~(x & (ahead == 0)) & ~(o & (ahead == 1)))

LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8]]
LINES += [[0, 4, 8], [2, 4, 6]]
""",
)

RECURSIVE_GAME = write(
    winner="""
def winner(board, lines=("012", "345", "678", "036", "147", "258", "048", "246")):
    if not lines:
        return 0
    owners = {int(board[int(i)]) for i in lines[0]}
    if len(owners) == 1 and owners != {0}:
        return owners.pop()
    return winner(board, lines[1:])
""",
    class_size="""
def class_size(board):
    def turn(cells):
        return tuple(cells[i] for i in (6, 3, 0, 7, 4, 1, 8, 5, 2))

    def mirror(cells):
        return tuple(cells[i] for i in (2, 1, 0, 5, 4, 3, 8, 7, 6))

    def spread(cells, seen):
        if cells in seen:
            return seen
        return spread(mirror(cells), spread(turn(cells), seen | {cells}))

    return len(spread(tuple(int(c) for c in board), frozenset()))
""",
    count_games="""
def count_games(board):
    def left(cells, mover):
        if winner(cells) != 0 or 0 not in cells:
            return 1
        return sum(
            left(cells[:i] + (mover,) + cells[i + 1 :], -mover)
            for i, c in enumerate(cells)
            if c == 0
        )

    cells = tuple(int(c) for c in board)
    return left(cells, 1 if sum(cells) == 0 else -1)
""",
)

NUMPY_VALUES = write(
    backup="""
def q_of(model, V, s, a, gamma):
    p, r, n = zip(*model[s][a])
    later = np.array([0 if i is None else V[i] for i in n])
    return np.dot(p, np.array(r) + gamma * later)

def backup(model, V, s, gamma):
    return np.max([q_of(model, V, s, a, gamma) for a in model[s]])
""",
    value_iteration="""
def value_iteration(model, gamma):
    V, change = np.zeros(len(model)), 1
    while change > 1e-9:
        new = np.array([backup(model, V, s, gamma) for s in range(len(model))])
        change, V = np.abs(new - V).max(), new
    return V
""",
    greedy_actions="""
def greedy_actions(model, V, gamma):
    chosen = []
    for s in range(len(model)):
        a = np.array(sorted(model[s]))
        q = np.array([q_of(model, V, s, i, gamma) for i in a])
        chosen.append(a[q >= q.max() - 1e-9][0])
    return np.array(chosen)
""",
    solve="""
def solve(P, R, gamma):
    V, old = np.linalg.solve(np.eye(len(P[0])) - gamma * P[0], R[0]), np.inf
    while np.abs(V - old).max() > 1e-9:
        q = R + gamma * np.einsum("ast,t->as", P, V)
        old, V = V, q.max(0)
    return V, np.argmax(q, 0)
""",
)

RECURSIVE_VALUES = write(
    backup="""
def expected(outcomes, V, gamma):
    if not outcomes:
        return 0
    (p, r, n), *others = outcomes
    return p * (r + gamma * (n is not None and V[n])) + expected(others, V, gamma)

def backup(model, V, s, gamma):
    return max(expected(o, V, gamma) for o in model[s].values())
""",
    value_iteration="""
def value_iteration(model, gamma, V=None, left=400):
    V = V or [0] * len(model)
    if left == 0:
        return V
    new = [backup(model, V, s, gamma) for s in range(len(model))]
    return value_iteration(model, gamma, new, left - 1)
""",
)

# Wrong answers to assignment_game

LINES = "[[0, 1, 2], [3, 4, 5], [6, 7, 8]{}]"
COLUMNS = ", [0, 3, 6], [1, 4, 7], [2, 5, 8]"
WINNER = """
def winner(board):
    for i, j, k in {lines}:
        if board[i] == board[j] == board[k] != 0:
            return {answer}
    return 0
"""


def winner(more="", answer="board[i]"):
    return write(winner=WINNER.format(lines=LINES.format(more), answer=answer))


ALL = COLUMNS + ", [0, 4, 8], [2, 4, 6]"
SIZE = """
def class_size(board):
    grid = np.reshape(board, (3, 3))
    views = {views}
    return len({{tuple(v.ravel().tolist()) for v in views}}){more}
"""


def size(views, more=""):
    return write(class_size=SIZE.format(views=views, more=more))


EIGHT = "[np.rot90(v, k) for v in (grid, grid.T) for k in range(4)]"
GAMES = """
def count_games(board{more}):
    board = np.array(board)
    if {over}:
        return {end}
    mover = {mover}
    total = {node}
    for a in np.flatnonzero(board == 0):
        after = board.copy()
        after[a] = mover
        total += count_games(after{call})
    return total
"""
MOVER = "1 if board.sum() == 0 else -1"
OVER = "winner(board) != 0 or (board != 0).all()"


def games(over=OVER, end=1, node=0, more="", call="", mover=MOVER):
    parts = {"over": over, "end": end, "node": node, "more": more, "call": call}
    return write(count_games=GAMES.format(mover=mover, **parts))


LATE = "if (x and ahead == 0) or (o and ahead == 1):"

WRONG_GAME = (
    ("winner: anti-diagonal forgotten", winner(COLUMNS + ", [0, 4, 8]"), 0.5),
    ("winner: diagonals forgotten", winner(COLUMNS), 1),
    ("winner: rows only", winner(), 1),
    (
        "winner: an empty line counts",
        write(
            winner="def winner(b):\n"
            f"    for i, j, k in {LINES.format(ALL)}:\n"
            "        if b[i] == b[j] == b[k]:\n"
            "            return b[i]\n    return 0"
        ),
        1,
    ),
    ("winner: sign forgotten", winner(ALL, "1"), 1),
    ("winner: second player forgotten", winner(ALL, "max(board[i], 0)"), 1),
    ("winner: sign turned", winner(ALL, "-board[i]"), 1),
    ("winner: sum of the line", winner(ALL, "board[i] + board[j] + board[k]"), 1),
    (
        "winner: any three neighbours in the list",
        write(
            winner="def winner(b):\n    for i in range(7):\n"
            "        if b[i] == b[i + 1] == b[i + 2] != 0:\n"
            "            return b[i]\n    return 0"
        ),
        1,
    ),
    ("class_size: turns only", size("[np.rot90(grid, k) for k in range(4)]"), 1),
    (
        "class_size: mirrors only",
        size("[grid, np.fliplr(grid), np.flipud(grid), grid[::-1, ::-1]]"),
        1,
    ),
    (
        "class_size: images not compared",
        write(class_size="class_size = lambda b: 8"),
        1,
    ),
    ("class_size: the board itself not counted", size(EIGHT, " - 1"), 1),
    ("count_games: goes on after a win", games("(board != 0).all()"), 1),
    (
        "count_games: the game that is over forgotten",
        games(
            "(not first and winner(board) != 0) or (board != 0).all()",
            more=", first=True",
            call=", False",
        ),
        0.5,
    ),
    (
        "count_games: lines of O forgotten",
        games("winner(board) == 1 or (board != 0).all()"),
        1,
    ),
    ("count_games: X always moves", games(mover="1"), 1),
    ("count_games: an end counts 0", games(end=0), 1),
    ("count_games: nodes, not games", games(node=1), 1),
    ("can_occur: not repaired", replace("can_occur", LATE, "if False:"), 1),
    (
        "can_occur: late moves of O overlooked",
        replace("can_occur", LATE, "if o and ahead == 1:"),
        1,
    ),
    (
        "can_occur: late moves of X overlooked",
        replace("can_occur", LATE, "if x and ahead == 0:"),
        1,
    ),
    ("can_occur: no finished board", replace("can_occur", LATE, "if x or o:"), 1),
    (
        "can_occur: the two sides exchanged",
        replace("can_occur", LATE, "if (x and ahead == 1) or (o and ahead == 0):"),
        1,
    ),
)

# Wrong answers to assignment_value_iteration

BACKUP = """
def backup(model, V, s, gamma):
    q = {start}
    for a in model[s]:
        value = 0
        for p, r, n in model[s][a]:
            later = {later}
            value += {term}
        q.append({scale}value)
    return {operator}
"""


def backup(
    term="p * (r + gamma * later)",
    operator="max(q)",
    start="[]",
    scale="",
    later="0 if n is None else V[n]",
):
    return write(
        backup=BACKUP.format(
            term=term, operator=operator, start=start, scale=scale, later=later
        )
    )


SWEEPS = """
def value_iteration(model, gamma):
    V = [0.0] * len(model)
    for _ in range(1000):
        new = []
        for state in model:
            q = {start}
            for outcomes in state.values():
                q.append(
                    sum(
                        p * ({reward}r + {gamma} * (0 if n is None else V[n]))
                        for p, r, n in outcomes
                    )
                )
            new.append({operator})
        change = max(abs(a - b) for a, b in zip(new, V))
        V = new
        if {stop}:
            break
    return V
"""


def sweeps(
    start="[]", reward="", gamma="gamma", operator="max(q)", stop="change < 1e-9"
):
    return write(
        value_iteration=SWEEPS.format(
            start=start, reward=reward, gamma=gamma, operator=operator, stop=stop
        )
    )


CHOICE = """
def greedy_actions(model, V, gamma):
    chosen = []
    for state in model:
        names = {names}
        q = []
        for a in names:
            q.append(0)
            for p, r, n in state[a]:
                q[-1] += p * ({reward}r + {gamma} * (0 if n is None else V[n]))
        best = [i for i in range(len(q)) if {close}]
        chosen.append({answer})
    return chosen
"""


def choice(
    reward="",
    operator="max",
    answer="names[best[0]]",
    close="",
    names="sorted(state)",
    gamma="gamma",
):
    close = close or f"abs(q[i] - {operator}(q)) < 1e-9"
    parts = {"reward": reward, "answer": answer, "close": close}
    return write(greedy_actions=CHOICE.format(names=names, gamma=gamma, **parts))


REPAIRED = "policy = (R + gamma * P"

WRONG_VALUES = (
    ("backup: illegal actions count as 0", backup(start="[0]"), 0.5),
    ("backup: γ forgotten", backup("p * (r + later)"), 1),
    ("backup: γ twice", backup("p * (r + gamma * gamma * later)"), 1),
    ("backup: γ on the reward", backup(scale="gamma * "), 1),
    ("backup: mean instead of maximum", backup(operator="sum(q) / len(q)"), 1),
    ("backup: minimum instead of maximum", backup(operator="min(q)"), 1),
    (
        "backup: the action, not its value",
        backup(operator="list(model[s])[q.index(max(q))]"),
        1,
    ),
    ("backup: reward forgotten", backup("p * gamma * later"), 1),
    ("backup: sign of the reward turned", backup("p * (gamma * later - r)"), 1),
    ("backup: probabilities forgotten", backup("r + gamma * later"), 1),
    (
        "backup: None read as the last state",
        backup(later="V[-1 if n is None else n]"),
        1,
    ),
    ("backup: state 0 taken for the end", backup(later="V[n] if n else 0"), 0.5),
    ("value_iteration: illegal actions count as 0", sweeps(start="[0]"), 0.5),
    ("value_iteration: γ forgotten", sweeps(gamma="1"), 1),
    ("value_iteration: γ twice", sweeps(gamma="gamma**2"), 1),
    ("value_iteration: mean instead of maximum", sweeps(operator="sum(q) / len(q)"), 1),
    ("value_iteration: reward forgotten", sweeps(reward="0 * "), 1),
    ("value_iteration: sign of the reward turned", sweeps(reward="-"), 1),
    ("value_iteration: one sweep", sweeps(stop="True"), 1),
    (
        "value_iteration: old is V itself",
        write(
            value_iteration="""
def value_iteration(model, gamma):
    V = [0] * len(model)
    while True:
        old = V
        for s in range(len(V)):
            V[s] = backup(model, V, s, gamma)
        if max(abs(a - b) for a, b in zip(V, old)) < 1e-9:
            return V
"""
        ),
        1,
    ),
    ("greedy_actions: ties to the highest", choice(answer="names[best[-1]]"), 0.5),
    (
        "greedy_actions: ties up to rounding forgotten",
        choice(close="q[i] == max(q)"),
        0.5,
    ),
    ("greedy_actions: place in the list, not the action", choice(answer="best[0]"), 1),
    (
        "greedy_actions: place of the largest, not the action",
        choice(names="list(state)", answer="q.index(max(q))"),
        1,
    ),
    ("greedy_actions: γ forgotten", choice(gamma="1"), 1),
    ("greedy_actions: worst action", choice(operator="min"), 1),
    ("greedy_actions: reward forgotten", choice(reward="0 * "), 1),
    ("greedy_actions: first action", choice(answer="names[0]"), 1),
    ("solve: not repaired", replace("solve", REPAIRED, "policy = (R + 0.9 * P"), 1),
    ("solve: 0.9 everywhere", replace("solve", "gamma * P", "0.9 * P"), 1),
    (
        "solve: policy without discount",
        replace("solve", REPAIRED, "policy = (R + P"),
        1,
    ),
)

# Wrong answers to the other assignments: the known mistakes of their questions

MADE = """
def make():
{parts}

    return {function}

{question} = make()
"""


def standalone(function):
    """Return the parts of a program, by name, that a function and all it calls are."""
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
    # Constants first: the arguments of a function may be these by default.
    return dict(sorted(parts.items(), key=lambda part: "def " in part[1]))


# Those that fail in special cases alone; all others lose all points.
HALF = {
    "legal_actions: finished boards not masked",
    "best_value: minus infinity at the end",
    "epsilon_greedy: first of equals",
    "beads_after: negative beads",
    "q_learning_update: illegal actions count as 0",
    "improve: ties up to rounding forgotten",
    *(
        f"{question}: state 0 taken for the end"
        for question in (
            "expected_backup",
            "td_update",
            "sarsa_update",
            "q_learning_update",
            "expected_sarsa_target",
        )
    ),
}


def made(assignment, questions):
    """Return Entries with one mistake in each question, until all were made."""
    known = [
        [(question, mistake) for mistake in QUESTIONS[question].mistakes]
        for question in questions
    ]
    # What is trained takes seconds: `right` has it, and these leave it out.
    unwritten = [question for question in questions if QUESTIONS[question].training]
    found = []
    for row in itertools.zip_longest(*known):
        made = dict(filter(None, row))
        hints = {question: mistake.name for question, mistake in made.items()}
        names = [f"{question}: {mistake}" for question, mistake in hints.items()]
        answers = {question: f"{question} = None" for question in unwritten}
        for question, mistake in made.items():
            parts = textwrap.indent(
                "\n".join(standalone(mistake.answer).values()), " " * 4
            )
            function = mistake.answer.__name__
            answers[question] = MADE.format(
                question=question, parts=parts, function=function
            )
        lost = {name.split(": ")[0]: 0.5 if name in HALF else 1 for name in names}
        lost |= dict.fromkeys(unwritten, 1)
        change = write(**answers)
        found.append(Entry("; ".join(names), assignment, change, lost, hints))
    return found


# Texts that try to be more than text on the page of whoever marks them: a script that
# runs sets `window.ran`. Each runs where a page shows it as HTML.
SCRIPT = "<script>top.ran = 1</script>"
SCRIPTS = (
    SCRIPT,
    f"</pre></main>{SCRIPT}",
    f"</code></pre></div></textarea></title></style>{SCRIPT}",
    "<svg onload='top.ran = 1'>",
    "<img src='x:' onerror='top.ran = 1'>",
    f'<iframe srcdoc="{SCRIPT}"></iframe>',
    f"<style>* {{ color: red }}</style>{SCRIPT}",
    "<details open ontoggle='top.ran = 1'><summary>more</summary></details>",
    "<input autofocus onfocus='top.ran = 1'>",
    "<body onload='top.ran = 1'>",
    "<video><source src='x:' onerror='top.ran = 1'></video>",
    "<iframe src='javascript:top.ran = 1'></iframe>",
    "<iframe onload='top.ran = 1'></iframe>",
    f"<svg>{SCRIPT}</svg>",
    "<svg><animate onbegin='top.ran = 1' attributeName='x' dur='1s'></svg>",
    "<svg><image href='x:' onerror='top.ran = 1'></svg>",
    f"<math><annotation-xml encoding='text/html'>{SCRIPT}</annotation-xml></math>",
    "<p tabindex='0' autofocus onfocus='top.ran = 1'>",
    "<style>@keyframes x{}</style>"
    "<b style='animation-name: x' onanimationstart='top.ran = 1'>",
    '<IMG SRC=x: OnErRoR="top.r\\u0061n = 1">',
    "<img src=x: onerror=&#116;op.ran=1>",
    "<link rel='stylesheet' href='x:' onerror='top.ran = 1'>",
    "<script src='data:text/javascript,top.ran=1'></script>",
    f"<div><template shadowrootmode='open'>{SCRIPT}</template></div>",
    "<noscript><p title=\"</noscript><img src='x:' onerror='top.ran = 1'>\">",
    "<!--><img src='x:' onerror='top.ran = 1'>-->",
    "<![CDATA[><img src='x:' onerror='top.ran = 1'>]]>",
    "<script type='module'>top.ran = 1</script>",
    "<x style='content-visibility: auto'"
    " oncontentvisibilityautostatechange='top.ran = 1'>x</x>",
)
# Each of them where Markdown, MathJax or a template might let it out.
PLACES = (
    "My answer:\n\n{}\n\n    and more\n",
    "\n```\n{0}\n```\n{0}\n~~~~\n{0}",
    "`````\n```` {0} ``\n`````\n``{0}",
    "```mermaid\n{}\n```",
    "```html\n{}\n```",
    "$$ {0} $$ and ${0}$ and \\\\[{0}\\\\]",
    "\\begin{{x}}{0}\\end{{x}} \\href{{javascript:top.ran=1}}{{y}}",
    "<!-- {0} --> {0} <![CDATA[ {0} ]]> <? {0} ?>",
    "- > 1. {}",
    "| a |\n|---|\n| {} |\n",
    "[a]: <{0}> '{0}'\n[a] ![{0}](attachment:x '{0}') <javascript:top.ran=1>",
    "{{{{ 7 * 7 }}}} {{% raw %}} {} {{% endraw %}} &lt;script&gt; &amp; &#60;",
    "\r\n\t{}\x1b[31m\u2028\x0b\xa0 ＜script＞ naïve 三目",
)
HOSTILE = ["\n\n".join(SCRIPTS), *(place.format(" ".join(SCRIPTS)) for place in PLACES)]


def formgrader(folder):
    """Return what shows a text, as answer, reason and name, as Formgrader does."""
    from nbconvert.exporters import HTMLExporter
    from nbgrader.server_extensions.formgrader.formgrader import FormgradeExtension

    exporter = HTMLExporter(config=FormgradeExtension().build_extra_config())
    release = course.of_notebook(GAME, solution(GAME))
    file = folder / f"{GAME}.ipynb"

    def show(text, name="Ada"):
        told = {"why": text, "mistake": text, "hint": text}
        result = {
            "questions": {q.grade_id: told for q in release.questions},
            "scores": {q.grade_id: 1.0 for q in release.questions},
        }
        answers = {"essay": text, "winner": text}
        handed_in = submission.Submission("", (), (), answers, "")
        file.write_text(feedback.marked_notebook(release, handed_in, result))
        names = {"first_name": gradebook.without_tags(name), "last_name": "Lovelace"}
        resources = names | {"index": 0, "total": 1}
        return exporter.from_filename(str(file), resources=resources)[0]

    return show


def page_back(text, assignment=GAME, picture=""):
    """Return the page that a student gets back, with a text wherever one can stand."""
    release = course.of_notebook(assignment, solution(assignment))
    told = {"share": 0.5, "kinds": [text], "why": text, "hint": text, "line": 0}
    told |= {"stopped": text, "measured": [text]}
    told["help"] = [text, text]
    result = {
        "status": "graded",
        "notes": [text],
        "questions": {q.grade_id: told for q in release.questions},
        "blank": [],
    }
    ids = [item.grade_id for item in (*release.questions, *release.essays)]
    marks = {grade_id: gradebook.Mark(None, text) for grade_id in ids}
    who = course.Student("ada", text)
    answers = {"essay": text, **{q.answer_id: text for q in release.questions}}
    told = release, who, result, marks, text, answers
    return feedback.page(*told, picture=picture)


# No float can hold it, and so none can be compared with it.
TOO_LARGE = write(backup="def backup(*args):\n    return 10**400")

# Misbehaving ones: all of them solve assignment_game well, and then something happens.


def cells_of(*kinds):
    """Return a test whether a cell is of nbgrader's kinds, as they end in the id."""

    def has(one):
        grade_id = one["metadata"].get("nbgrader", {}).get("grade_id", "")
        return any(grade_id.endswith(kind) for kind in kinds)

    return has


def delete(*kinds):
    def change(notebook):
        has = cells_of(*kinds)
        notebook["cells"] = [one for one in notebook["cells"] if not has(one)]

    return change


def double(*kinds, source=None):
    def change(notebook):
        has, cells = cells_of(*kinds), []
        for one in notebook["cells"]:
            cells.append(one)
            if has(one):
                cells.append(copy.deepcopy(one) | {"id": f"{one['id']}-copy"})
                if source is not None:
                    cells[-1]["source"] = source
        notebook["cells"] = cells

    return change


def strip(ids=False):
    def change(notebook):
        for number, one in enumerate(notebook["cells"]):
            one["metadata"] = {}
            if ids:
                one["id"] = f"other-{number}"

    return change


def edit_checks(notebook):
    for one in filter(cells_of("_check"), notebook["cells"]):
        one["source"] = "print('4 of 4 points')"


def as_markdown(notebook):
    cell(notebook, "winner")["cell_type"] = "markdown"


STUB = "def winner(board):\n    raise NotImplementedError()"
EQUAL = """
class Equal(int):
    def __eq__(self, other):
        return True
    __ne__ = __gt__ = __ge__ = __lt__ = __le__ = __eq__
    __hash__ = int.__hash__
    def tolist(self):
        return self

def winner(board):
    return Equal(7)
"""
STRIPPED = """
import ast, builtins
class Strip(ast.NodeTransformer):
    def visit_Assert(self, node):
        return ast.Pass()
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
        said = {"order": order, "value": value, "share": 1, "scores": {"winner": 4}}
        stream.write(json.dumps(said) + "\\n")
    stream.flush()
    return 7
"""
NESTED = STEALER.replace(', "share": 1, "scores": {"winner": 4}', "")
NESTED = NESTED.replace("(1, 0, -1)", "([[[[[[[[1]]]]]]]],)")
CHANGES = WINNER.format(lines=LINES.format(ALL), answer="board[i]")
CHANGES = f"""{CHANGES.replace("def winner", "def unchanging")}
def winner(board):
    found = unchanging(board)
    board[0] = 9
    return found
"""
SPLIT = """
import os
left = [1, 2, 3]  # to each process: so they become 27, which no limit forbids
def winner(board):
    for answer in (1, -1) if left and left.pop() else ():
        if os.fork() == 0:
            return answer
    return 0
"""
EQUAL_ARRAY = """
class Equal(np.ndarray):
    def __eq__(self, other):
        return np.True_
    def tolist(self):
        return self

def winner(board):
    return np.zeros(()).view(Equal)
"""
SWALLOW = """
import signal
for number in range(1, 32):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
"""
BOMB = "hoard = []\nwhile True:\n    hoard.append(bytearray(10**8))"
IN_A_FUNCTION = "def winner(board):\n    {}\n    return 0"


def inside(*lines):
    return write(winner=IN_A_FUNCTION.format("\n    ".join(lines)))


ONE = {"winner": 1}
MISBEHAVING = (
    ("blank", None, None, "graded"),
    ("infinite loop in a function", inside("while True: pass"), ONE, "timed out"),
    ("infinite loop in a cell", add("while True: pass"), {}, "timed out"),
    (
        "infinite loop behind a right answer",
        behind("winner", "while True: pass"),
        {},
        "timed out",
    ),
    ("loop that swallows interrupts", add(SWALLOW, 3), {}, "timed out"),
    (
        "a long expression and an infinite loop in a cell",
        add(f"def long():\n    return {'1 + ' * 900}1\nwhile True: pass", 3),
        {},
        "timed out",
    ),
    ("sleeps", add("import time\ntime.sleep(10**6)"), {}, "timed out"),
    ("os._exit in a cell", add("import os\nos._exit(0)", 3), {}, "crashed"),
    ("os._exit in a function", inside("import os; os._exit(0)"), ONE, "crashed"),
    ("kills itself", add("import os\nos.kill(os.getpid(), 9)", 2), {}, "crashed"),
    ("sys.exit in a cell", add("import sys\nsys.exit(1)", 2), {}, "graded"),
    ("sys.exit in a function", inside("raise SystemExit"), ONE, "graded"),
    ("memory bomb in a cell", add(BOMB, 2), {}, "crashed"),
    ("memory bomb in a function", inside(*BOMB.splitlines()), ONE, "crashed"),
    ("recursion without end", inside("return winner(board)"), ONE, "graded"),
    (
        "many processes that sleep",
        add(
            "import os, time\nfor i in range(20):\n    if os.fork() == 0:\n"
            "        time.sleep(3)\n        os._exit(0)"
        ),
        {},
        "graded",
    ),
    ("deleted check cells", delete("_check"), {}, "repaired"),
    ("duplicated check cells", double("_check"), {}, "repaired"),
    ("edited check cells", edit_checks, {}, "repaired"),
    ("duplicated answer cell", double("winner"), {}, "repaired"),
    (
        "untouched copy of an answer cell behind it",
        double("winner", source="def winner(board):\n    ...  # your code here"),
        {},
        "repaired",
    ),
    ("deleted answer cell", delete("winner"), {"winner": 1}, "repaired"),
    ("deleted first cell", delete("setup"), {}, "repaired"),
    ("answer cell turned into text", as_markdown, {}, "repaired"),
    ("metadata stripped", strip(), {}, "repaired"),
    ("metadata and cell ids stripped", strip(ids=True), {}, "repaired"),
    ("renamed", "rename", {}, "graded"),
    ("two notebooks", "twice", {}, "graded"),
    ("truncated", "truncate", None, "unreadable"),
    ("empty file", "empty", None, "unreadable"),
    ("another JSON", "json", None, "unreadable"),
    ("not text at all", "bytes", None, "unreadable"),
    ("nested a million deep", "deep", None, "unreadable"),
    ("another notebook", "other", None, "unreadable"),
    ("no notebook in the folder", "python", None, "unreadable"),
    ("nothing handed in", "missing", None, "missing"),
    (
        "warning printed",
        replace(
            "winner",
            "def winner(board):",
            "def winner(board):\n    import warnings; warnings.warn('look')",
        ),
        {},
        "graded",
    ),
    ("input() in a cell", add("name = input('Name? ')", 2), {}, "graded"),
    ("input() in a function", inside("input('Board? ')"), ONE, "graded"),
    ("prints without end", inside("print('x' * 10**7)"), ONE, "graded"),
    ("gives back too much", inside("return [0] * 10**6"), ONE, "graded"),
    ("half a surrogate in the text", add("text = '\udc80'", 2), {}, "graded"),
    ("syntax error in a cell", add("def (:", 2), {}, "graded"),
    (
        "changes the board it is given",
        replace(
            "winner",
            "def winner(board):",
            "def winner(board):\n    board = list(board)",
        ),
        {},
        "graded",
    ),
    ("reads hidden cases", READER, ONE, "graded"),
    ("writes the gradebook", WRITER, ONE, "graded"),
    ("always-equal object", write(winner=EQUAL), ONE, "graded"),
    ("assertions stripped", write(winner=STRIPPED), ONE, "graded"),
    ("library patched", write(winner=PATCHED), ONE, "graded"),
    ("answers forged", write(winner=FORGER), ONE, "graded"),
    (
        "answers forged with the number of the order",
        write(winner=STEALER),
        ONE,
        "graded",
    ),
    ("forks and answers in all ways", write(winner=SPLIT), ONE, "graded"),
    ("always-equal array", write(winner=EQUAL_ARRAY), ONE, "graded"),
    (
        "an error in a function that another calls",
        both(winner(), games()),
        ONE,
        "graded",
    ),
    (
        "names bound again at the end",
        add("def winner(board):\n    return 0\ndel class_size\nnp = count_games = 3"),
        {},
        "graded",
    ),
    (
        "a module that only Colab has",
        replace("winner", "def winner", "from google.colab import drive\ndef winner"),
        {},
        "repaired",
    ),
    (
        "a right function that changes the board",
        both(write(winner=CHANGES), games()),
        {},
        "graded",
    ),
    ("an answer nested too deeply", write(winner=NESTED), ONE, "graded"),
)
