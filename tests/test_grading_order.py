"""Order of an examination: where questions are asked, and what is tolerated."""

import json
import math
from types import SimpleNamespace

import pytest
import submissions
from test_grader_parts import (
    RIGHT,
    WRONG,
    FakeExam,
    raw,
    source_release,
    student,
)

from assignments import questions
from assignments.grader import course, feedback, grading, sandbox, submission
from ttt_lib import check
from ttt_lib.check import training
from ttt_lib.check.judge import Failed, judge

pytestmark = pytest.mark.slow
__all__ = ["student"]  # a fixture

FULL = {f"{name}_check": 2 for name in RIGHT}


class Sheet(FakeExam):
    """Fake examination of cells (grade id, source), including check cells."""

    def __init__(self, *cells):
        super().__init__({})
        asked = [q._replace(grade_id=f"{q.name}_check") for q in self.release.questions]
        self.release = self.release._replace(questions=tuple(asked))
        self.cases = {**self.cases, **{f"{n}_check": self.cases[n] for n in RIGHT}}
        cells = tuple(submission.Cell(*cell) for cell in cells)
        self.submission = self.submission._replace(cells=cells)


def sheet(*more, **instead):
    """Return a Sheet of right answers, some replaced, and `more` cells at the end."""
    cells = []
    for name in RIGHT:
        cells += [(name, instead.get(name, RIGHT[name])), (f"{name}_check", "")]
    return Sheet(*cells, *(("", source) for source in more))


def without(*names):
    return FULL | {f"{name}_check": 0 for name in names}


def test_later_cells_take_no_points():
    for later in (
        "def one(x):\n    return 0",
        "del one, two, four",
        "import builtins\nint = float = one = None",
        "one.__code__ = (lambda x: 0).__code__",
    ):
        graded = sheet(later)
        result = graded.result()
        assert (result["scores"], result["notes"]) == (FULL, [])
        assert result["status"] == "graded"
        assert len(graded.called) == 9, "each is asked once"
    # A helper of a later answer can have the name of an earlier answer.
    four = "def one(x, y):\n    return x * y\ndef four(x):\n    return one(x, 4)"
    assert sheet(four=four).result()["scores"] == FULL
    # Questions change no more state than the checks of the notebook do.
    one = "seen = []\ndef one(x):\n    seen.append(x)\n    return x"
    two = "def two(x):\n    return 2 * x if len(seen) <= 3 else 0"
    assert sheet(one=one, two=two).result()["scores"] == FULL


def test_better_answer_further_down_counts_and_is_noted():
    for graded in (
        sheet(RIGHT["one"], one="..."),
        sheet(RIGHT["one"], one=WRONG),
        sheet(RIGHT["one"], one="def one(x):\n    gone('timed out')"),
        Sheet(("one_check", ""), *sheet().submission.cells[:1], ("", "del one")),
    ):
        result = graded.result()
        assert result["scores"]["one_check"] == 2
        assert "\n".join(result["notes"]).count("one is better further down") == 1


def test_answers_are_asked_with_missing_or_repeated_checks():
    cells = [cell for cell in sheet("del one, two").submission.cells if cell.source]
    assert Sheet(*cells).result()["scores"] == FULL
    again = ("one_check", "")  # the first and the last check count
    first = Sheet(*sheet(WRONG).submission.cells, again)
    late = sheet(RIGHT["one"], one=WRONG).submission.cells
    last = Sheet(*late, again, ("", "del one"))
    assert first.result()["scores"] == FULL
    assert last.result()["scores"]["one_check"] == 2


def test_answered_questions_are_not_asked_again_after_a_crash():
    cells = [*sheet().submission.cells]
    cells.insert(4, ("", "del one\ngone()"))
    graded = Sheet(*cells, ("", "gone()"))
    result = graded.result()
    assert (result["scores"], result["status"]) == (FULL, "crashed")
    assert len(graded.processes) == 2, "no question is left after the last crash"
    assert len(graded.called) == 9


# An error costs once


def test_wrong_functions_are_asked_again_with_replacements():
    result = sheet("del one, two, four", one=WRONG).result()
    assert result["scores"] == without("one")
    helped = [result["questions"][f"{name}_check"]["help"] for name in RIGHT]
    assert helped == [[], ["one"], ["one", "two"]]
    # A function itself is never replaced when it is asked.
    assert sheet("x = one(1)", one=WRONG).result()["scores"] == without("one")
    late = sheet("def two(x):\n    return 1", "x = two(1)", two="...")
    assert late.result()["scores"] == without("two")
    # A function deleted by an earlier cell is replaced.
    (one, check, *others) = sheet().submission.cells
    result = Sheet(one, check, ("", "del one"), *others).result()
    assert result["scores"] == FULL
    assert result["questions"]["two_check"]["help"] == ["one"]
    # A function that calls no other needs no second process.
    graded = sheet(four="def four(x):\n    return x")
    assert graded.result()["scores"] == without("four")
    assert len(graded.processes) == 1


# What is missing on the grader's machine

LACKING = (
    "from google.colab import drive, files\ndrive.mount('/content/drive')",
    "import pandas_that_nobody_has as pd, os\nframe = pd.DataFrame()",
    "n = int(input('How many? '))\nm = n + 1",
    "%matplotlib widget",
    "%nothing_of_this_name 3",
    "!nothing_of_this_name",
    "%%time\nimport pandas_that_nobody_has",
    "%%nothing_of_this_name --option",
    "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:9')",
    "with open('data.csv') as file:\n    text = file.read()",
    "print('\\ud800')",
    "import os; os.chdir('/content'); os.environ['NOBODY_HAS_THIS']",
    "assert False",
    "x = await nothing",
)


def test_failing_line_does_not_stop_the_rest_of_its_cell(student):
    below = "\nLINES = [[0, 1]]\nLINES += [[3]]\ndef f(n):\n    return [LINES, n]"
    for line in LACKING:
        student.run("f = LINES = None")
        failed = student.run(line + below)
        assert student.call("f", [0])["value"] == [[[0, 1], [3]], 0], line
        assert (failed or {}).get("went_on", line[0] == "!") is True, line
        assert not failed or failed["line"] in (1, 2), (line, failed)


def test_closed_streams_and_exits_do_not_affect_other_cells(student):
    for what in ("sys.stdout = None", "sys.stderr.close()", "del sys.stdout"):
        student.run(f"import sys\n{what}")
        cell = "print(1)\nexit_ = sys.exit\ndef f(n):\n    return n"
        assert student.run(cell) is None
        assert student.call("f", [7])["value"] == 7
    for end in ("raise ValueError", "raise SystemExit", "exit_()"):
        failed = student.run(f"{end}\ndef f(n):\n    return 2")
        assert "went_on" not in failed
        assert student.call("f", [0])["value"] == 0


# All of this together, in a real process


DAMAGE = "import os, sys, numpy as np\nsys.setrecursionlimit(40)\nos.chdir('/')\n"
DAMAGE += "np.array = np.where = None\nnp.seterr(all='raise')"


def test_notebook_is_graded_despite_later_damage():
    notebook = submissions.solution(submissions.GAME)
    source = "".join(submissions.cell(notebook, "winner")["source"])
    source = source.replace("def winner(", "def right(")
    source += "\ndef winner(board):\n    found = right(board)\n    board[0] = 7\n"
    source = f"from google.colab import files\nn = input()\n{source}    return found"
    submissions.write(winner=source)(notebook)
    submissions.both(submissions.add("%reset -f"), submissions.add(DAMAGE))(notebook)
    release = source_release(submissions.GAME)
    handed_in = submission.match_release(raw(notebook), release)
    asked = grading.Questionnaire(release, "a secret of these tests")
    with sandbox.Sandbox(sandbox.Limits(), not sandbox.isolation()) as place:
        result = grading.examine(release, handed_in, asked, place)
    assert all(result["scores"][q.grade_id] == q.points for q in release.questions)
    assert result["status"] == "repaired"
    assert any("line 1 of the cell winner ended with" in n for n in result["notes"])
    assert result["questions"]["winner_check"]["changed"] == "board"
    ada, answers = course.Student("ada", ""), handed_in.answers
    page = feedback.page(release, ada, result, {}, "", answers)
    assert "your function changes its argument <code>board</code>: " in page


# Untrusted answers

DEEP = [[[[[[[[1]]]]]]]]
ODD = DEEP, {"a": {"b": [None]}}, {"1": DEEP}, "\ud800", None, [], True, math.nan
ODD += 10**400, [10**400] * 9, [[1, "a"], [None]], [math.nan] * 5, [[], {}], -1


@pytest.mark.parametrize("name", questions.QUESTIONS)
def test_odd_sandbox_answers_fail_without_an_exception(name):
    stored = check.QUESTIONS[name]
    asked = course.Question(name, name, name, name, 1, "", stored.training)
    for odd in ODD[::8] if stored.training else ODD:  # a training is slow
        process = SimpleNamespace(call=lambda *_, odd=odd: {"value": odd})
        (answer,), _, _ = grading._answers(process, asked, stored.cases[:1])
        data = answer.why if isinstance(answer, Failed) else answer
        assert len(json.dumps(data)) < 5_000
        answers = [answer] * len(stored.cases)
        if stored.training:
            assert training.verdict(stored, answers).share == 0
        else:
            assert judge(stored, stored.cases, answers, stored.key).share < 1


# Shortcuts


SYSTEM = "a command of the system"
SHORTCUTS = {
    "import subprocess as s\ns.run(['ls'])": "subprocess",
    "import os as o\no.fork()\no.path.join('a', 'b')": "os.fork",
    "from importlib import import_module as i\ni('ttt_lib.rules')": "importlib",
    "import sys\nsys.modules['ttt_lib.rules'].winner": "sys.modules",
    "exec('x = 1')\neval('1')\n__import__('os')": "__import__, eval, exec",
    "open('/etc/passwd')": "a path outside of its folder",
    "open('../other.ipynb')": "a path outside of its folder",
    "from pathlib import Path\nPath.home()": "pathlib.Path.home",
    "%%bash\nls": SYSTEM,
    "get_ipython().system('ls')": SYSTEM,
    "!pip install numpy\n%pip install numpy\nimport os\nos.chdir('/content')": "",
    "import re\nre.compile('a/b')\nopen('mine.png', 'wb')\n1 != 2": "",
    # Uses of the library that can solve a question.
    "from ttt_lib import rules\nrules.winner(b)": "rules, rules.winner",
    "check.winner(winner)\ngame.board(3).sum()\nimport ttt_lib": "",
    "check.QUESTIONS\ncheck.count_games(f)": "check.QUESTIONS, check.count_games",
    "import ttt_lib.search as s, os\ns.minimax(b)": "search, search.minimax",
    "from ttt_lib import *\nimport ttt_library.x": "ttt_lib.*",
    "x = [\n  7\n  % 2]\nrules.won(x)": "rules.won",
    "%time 1\n!ls\nwinner?\nif x:\n    ?x\nw = rules.winner": f"{SYSTEM}, rules.winner",
    "%%time\nw = %time rules.winner": "rules.winner",
    "a, b  =  !ls\n!a=b\n%a = 3\n%b\nrules.won": f"{SYSTEM}, rules.won",
    " " * 49_000 + "=" + " " * 49_000 + "(\nw = rules.winner": "",
    "def (:\nrules.winner": "",
    "import socket\n" * 10_000: "",  # too long to be parsed
}


def test_shortcuts_are_found():
    for source, expected in SHORTCUTS.items():
        uses = ", ".join(submission.shortcuts(source, "winner"))
        assert uses == expected, source[:60]


def test_reference_solutions_use_no_shortcuts():
    for name in course.names():
        release = source_release(name)
        keys = [question.key for question in release.questions]
        assert set(keys) <= questions.QUESTIONS.keys()
        for cell in release.cells:
            if cell.kind in ("setup", "answer"):
                assert submission.shortcuts(cell.source, *keys) == []


def test_definitions_keep_source_and_drop_other_statements():
    long = " + ".join(["1"] * 900)
    kept = [
        *("import os", "from math import pi", "LINES = [[0, 1]]", "n: int = 3"),
        *("LINES += [list(range(3))]", "GRID = np.arange(9).reshape(3, 3)"),
        *("@decorated", "def f():", f"    return {long}", "class C:", "    pass"),
    ]
    others = "played = play()\nmost = max(f(), n)\nx = os._exit(1)\nwhile 1:\n    pass"
    for source, expected in {
        "\n".join([*kept, others]): "\n".join(kept),
        "x = 1; f()\nwhile True: pass": "x = 1",
        "é = 1\r\ndef ü(): return 'ß'": "é = 1\ndef ü(): return 'ß'",
        "def (:": "",
    }.items():
        assert submission.definitions(source) == expected
