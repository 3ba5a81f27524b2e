"""Visible checks of the assignments, and the judging that the grader shares."""

import ast
import contextlib
import functools
import html
import inspect
import json
import linecache
import random
import re
import signal
import time
import types
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from urllib.parse import parse_qsl

import numpy as np
import pytest
from IPython.core.error import UsageError
from traitlets.config import Config

import ttt_lib
from assignments import questions
from assignments.grader import solutions
from assignments.questions import policy_iteration
from assignments.questions.question import key
from ttt_lib import check
from ttt_lib.check import report, run_cases
from ttt_lib.check.judge import (
    CLOSE,
    Case,
    Failed,
    Verdict,
    answers,
    judge,
    plain,
    same,
)
from ttt_lib.check.shell import Shell
from ttt_lib.check.training import TRAININGS

SOURCES = sorted(Path(questions.__file__).parents[1].glob("source/*/*.ipynb"))
FUNCTIONS = {n: q for n, q in questions.QUESTIONS.items() if not q.training}
TRAINED = {n: q for n, q in questions.QUESTIONS.items() if q.training}


@pytest.fixture(autouse=True)
def no_results_yet(monkeypatch):
    monkeypatch.setattr(report, "KNOWN", {})


@functools.cache
def drawn(secret, name):
    """Return the hidden cases of a question, and their Key."""
    hidden = questions.draw(secret, "a", name)
    return hidden, key(FUNCTIONS[name], hidden)


SECRETS = [None, pytest.param("one", marks=pytest.mark.slow)]
SECRETS += [pytest.param(secret, marks=pytest.mark.long) for secret in ("two", "three")]


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_right_answers_pass_and_known_mistakes_are_recognised(name, secret):
    question, visible = FUNCTIONS[name], check.QUESTIONS[name]
    tried, answer_key = drawn(secret, name) if secret else (visible.cases, visible.key)
    assert not [answer for answer in answer_key.expected if isinstance(answer, Failed)]
    verdict = judge(question, tried, answer_key.expected, answer_key)
    assert verdict == Verdict((True,) * len(tried), 1.0, (), "", "")
    for mistake, given in zip(question.mistakes, answer_key.mistaken, strict=True):
        verdict = judge(question, tried, given, answer_key)
        assert verdict.share < 1, mistake.name
        assert (verdict.mistake, verdict.hint) == (mistake.name, mistake.hint)


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_hidden_cases_differ_from_visible_ones_and_constants_earn_nothing(name):
    tried, answer_key = drawn("one", name)
    seen = {repr(case.args) for case in check.QUESTIONS[name].cases}
    assert len({repr(case.args) for case in tried} - seen) >= 5
    if name == "winner":
        assert repr(questions.draw("one", "a", name)) == repr(tried), "of all"
    nothing = [[constant] * len(tried) for constant in answer_key.expected]
    for given in (*nothing, answers(lambda first, *_: first, tried)):
        assert judge(FUNCTIONS[name], tried, given, answer_key).share == 0


def test_failing_half_credit_cases_alone_earns_half():
    question, (tried, answer_key) = FUNCTIONS["winner"], drawn("one", "winner")

    def share(is_wrong):
        pairs = zip(tried, answer_key.expected, strict=True)
        given = [7 if is_wrong(case) else right for case, right in pairs]
        return judge(question, tried, given, answer_key).share

    assert share(lambda case: case.half_credit) == 0.5
    assert share(lambda case: not case.half_credit) == 0
    first_only = iter([True] + [False] * 99)
    assert share(lambda case: next(first_only)) == 0


def test_passed_checks_are_counted_and_hidden_cases_announced(capsys):
    for name, question in FUNCTIONS.items():
        getattr(check, name)(question.answer)
        count = len(check.QUESTIONS[name].cases)
        output = f"{name}: visible checks passed, {count} of {count}. The grader tries "
        assert capsys.readouterr().out == output + "others.\n"


def test_first_failed_board_and_hint_are_printed(capsys):
    check.winner(lambda board: abs(FUNCTIONS["winner"].answer(board)))
    output = capsys.readouterr().out
    assert re.search(r"winner: \d+ of \d\d visible checks passed\.", output)
    drawn = "(a column):\n\n    board\n    X O .\n    X O .\n    . O X\n\n"
    assert f"{drawn}    expected = -1\n    given = 1\n\nHint: Who won?" in output


class Mute(Exception):  # noqa: N818
    def __str__(self):
        raise RuntimeError


def raises(fault):
    def answer(board):
        raise fault

    return answer


HOW = "winner: give the function itself, as in check.winner(winner).\n"


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ((), HOW), ((3,), HOW), ((len, len), HOW),
        ((raises(NotImplementedError),), "given = nothing: it is not written yet"),
        ((raises(SystemExit),), "given = SystemExit: \n"),
        ((raises(Mute),), "given = Mute\n"),
        ((lambda board: 1 // 0,), "modulo by zero\n            line "),
        ((lambda board: 10**5000,), "given = a number too long to write\n"),
        ((lambda board: {}["x" * 5000],), "xxx...\n"),
    ],
)  # fmt: skip
def test_answers_of_any_kind_are_reported(answers, words, capsys):
    check.winner(*answers)
    output = capsys.readouterr().out
    assert words in output
    assert len(output) < 900


def test_unknown_check_raises_with_the_valid_names():
    with pytest.raises(AttributeError, match=r"named 'winer': choose from .*winner"):
        _ = check.winer
    assert set(FUNCTIONS) <= set(dir(check))


def test_plain_returns_plain_data():
    given = (np.int64(3), {2, 1}, {"b": np.array([1.5]), "a": None}, np.bool_(True))
    assert plain(given) == [3, [1, 2], [["a", None], ["b", [1.5]]], True]
    for value in (object(), lambda: 1, 1j, type("Int", (int,), {})(3)):
        with pytest.raises(ValueError, match="of the type"):
            plain(value)
    endless = []
    endless.append(endless)
    with pytest.raises(ValueError, match="nested too deeply"):
        plain(endless)


@pytest.mark.parametrize(
    ("given", "expected", "equal"),
    [
        (True, 1, True), (0.1 + 0.2, 0.3, True), (0.301, 0.3, False), (CLOSE, 0, True),
        ("1", 1, False), ([1, 2], [2, 1], False), ([1], [1, 1], False), (1, [1], False),
        (float("nan"), 0.0, False), (float("inf"), float("inf"), True),
        (10**400, 0.5, False), (Failed("1"), 1, False),
    ],
)  # fmt: skip
def test_same(given, expected, equal):
    assert same(given, expected) is equal


# The stored questions


def digits(text):
    """Return a text with 12 digits of its numbers: Python 3.12 adds more exactly."""
    return re.sub(r"-?\d+\.\d+(e-?\d+)?", lambda n: f"{float(n[0]):.12g}", text)


@pytest.mark.slow
def test_stored_questions_equal_the_questions(monkeypatch):
    visible = {name: questions.visible(name) for name in questions.QUESTIONS}
    keys = {n: key(q, visible[n]) for n, q in questions.QUESTIONS.items()}
    for name, question in questions.QUESTIONS.items():
        stored = check.QUESTIONS[name]
        assert repr(stored.cases) == repr(visible[name])
        assert digits(repr(stored.key)) == digits(repr(keys[name]))
        assert stored.names == tuple(inspect.signature(question.answer).parameters)
        mistakes = [(m.name, m.hint) for m in question.mistakes]
        assert [(m.name, m.hint) for m in stored.mistakes] == mistakes
        assert (stored.hint, stored.training) == (question.hint, question.training)
    # Both take seconds to compute again.
    monkeypatch.setattr(questions, "visible", visible.get)
    monkeypatch.setattr(questions, "key", lambda q, _: keys[q.answer.__name__])
    files = {file.stem: file for file in questions.INSTALLED.glob("*.json")}
    assert files.keys() == questions.TOPICS.keys()
    for topic, file in files.items():
        text = file.read_text(encoding="utf-8")
        assert text == questions.stored(topic), "run `make assignments`"


def cells_of(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def sources(folder):
    """Yield the syntax tree of each module in a folder."""
    for file in sorted(folder.rglob("*.py")):
        yield ast.parse(file.read_text(encoding="utf-8"))


def bodies(*trees):
    """Return the bodies of functions as text, without names and docstrings."""
    return {
        ast.dump(ast.Module(node.body[ast.get_docstring(node) is not None :], []))
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    }


def test_no_answer_is_in_the_library():
    library = [*sources(Path(ttt_lib.__file__).parent)]
    answers = [ast.parse(inspect.getsource(q.answer)) for q in FUNCTIONS.values()]
    assert len(bodies(*answers)) == len(FUNCTIONS)
    assert not bodies(*answers) & bodies(*library)
    for tree in library:
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                assert "assignments" not in ast.unparse(node)
    for tree in sources(questions.INSTALLED):
        named = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
        assert not named & questions.QUESTIONS.keys()


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_assignment_checks_all_questions_and_its_last_cell_has_their_points(path):
    cells, topic = cells_of(path), path.stem.split("_", 1)[1]
    calls, points = [], {}
    for cell in cells:
        graded = cell["metadata"].get("nbgrader", {})
        if graded.get("grade"):
            points[graded["grade_id"].removesuffix("_check")] = graded["points"]
            if cell["cell_type"] == "code":
                calls.append("".join(cell["source"]).split("(")[0])
    assert calls == [f"check.{name}" for name in questions.TOPICS[topic]]
    (call,) = ast.parse("".join(cells[-1]["source"])).body
    assert ast.unparse(call.value.func) == "check.score"
    assert ast.literal_eval(call.value.args[0]) == topic
    named = {each.arg: ast.literal_eval(each.value) for each in call.value.keywords}
    assert list(named.items()) == list(points.items())


def row_of_the_guide(path):
    """Return the expected row of an assignment in the teaching guide."""
    head, topic = cells_of(path)[0]["source"], path.stem.split("_", 1)[1]
    names = questions.TOPICS[topic]
    count = str(sum(name not in TRAINED for name in names))
    goals = [TRAININGS[name].goals[0].says for name in names if name in TRAINED]
    points = r"about (\d+) minutes. \*\*Points\*\* (\d+), of which a person gives (\d+)"
    numbers = re.search(points, "".join(head)).groups()
    parts = topic.replace("_", " "), count, *(goals or ["–"]), *numbers
    return f"| {' | '.join(parts)} |"


def test_teaching_guide_lists_assignments_and_weeks():
    book = SOURCES[0].parents[3] / "book"
    guide = (book / "teaching.md").read_text("utf-8")
    for path in SOURCES:
        assert row_of_the_guide(path) in guide
    plan = re.findall(r"^\| ([\d–]+) \| \{doc\}`(\w+)` \| (\d+) \|", guide, re.M)
    assert (plan[0][0], plan[-1][0]) == ("1", "14")
    for _, chapter, minutes in plan:
        text = (book / f"{chapter}.ipynb").read_text("utf-8")
        assert f"**Time** about {minutes} minutes to read" in text


def labs_of(chapter):
    """Return {id: preset} of the labs on the page of a chapter."""
    book = SOURCES[0].parents[3] / "book"
    text = html.unescape((book / f"{chapter}.ipynb").read_text("utf-8"))
    labs = re.findall(r'data-ttt-lab=\\"(.*?)\\">', text)
    setups = [json.loads(each.replace('\\"', '"')) for each in labs]
    return {f"{s['kind']}-{n}": s["preset"] for n, s in enumerate(setups, 1)}


def test_links_of_the_guide_set_existing_labs():
    guide = (SOURCES[0].parents[3] / "book" / "teaching.md").read_text("utf-8")
    links = re.findall(r'href="(\w+)\.html#(lab=[^"]+)"', guide)
    assert len(links) == 11
    for chapter, address in links:
        settings = dict(parse_qsl(address))
        preset = labs_of(chapter)[settings.pop("lab")]
        settings.pop("at", None)
        assert settings.keys() <= preset.keys()


# Hints about failures in general, and the output for a student


def output_of(capsys, name, function):
    getattr(check, name)(function)
    return capsys.readouterr().out


def helper(board):
    return 1 // 0


def winner(board):
    return 0


def calls_a_wrong_winner(board):
    return winner(board)


@pytest.mark.parametrize(
    ("name", "function", "words"),
    [
        ("winner", lambda board: None, "returns None: it needs a `return`"),
        ("winner", lambda board: "X", "wants a number; your function returns a st"),
        ("td_update", lambda V, *_: V[:2], "wants 4 values; your function returns 2"),
        ("winner", lambda board: np.linalg.inv(helper(board)), "return 1 // 0"),
        ("class_size", lambda board: winner(board) + 5, "Make all four turns"),
        ("winner", lambda: 0, "stops with an error. Call it yourself to see where."),
    ],
)
def test_hint_of_failures_that_no_known_mistake_explains(name, function, words, capsys):
    output = output_of(capsys, name, function)
    assert words in output.partition("Hint: ")[2], output


def test_mutated_argument_is_named(capsys):
    def spoils(V, s, r, s_next, alpha, gamma):
        V[s] = 7.0
        return [*V]

    output = output_of(capsys, "td_update", spoils)
    assert "Your function changes `V`, which it was given: copy it first." in output
    assert report.CHANGED["td_update"] == "V"


def test_mutated_and_returned_argument_is_named_unless_it_is_the_first(capsys):
    def improve(q, actions):
        actions[:] = FUNCTIONS["improve"].answer(q, actions)
        return actions

    output = output_of(capsys, "improve", improve)
    assert "Still, your function changes `actions`, which it was given" in output
    iterate = TRAINED["iterate"].answer.__code__
    calls = types.FunctionType(iterate, {**vars(policy_iteration), "improve": improve})
    output = output_of(capsys, "iterate", calls)
    assert "Your `iterate` calls `improve`, which changes `actions`" in output


def counting(board, games=[0]):  # noqa: B006  on purpose
    games[0] += 1
    return games[0]


def remembering():
    """Return a `winner` that remembers boards by their address in memory."""
    memory = {}

    def winner(board):
        return memory.setdefault(id(board), FUNCTIONS["winner"].answer(board))

    return winner


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("count_games", counting),
        ("winner", remembering()),
        ("improve", lambda q, actions: [random.choice([*values]) for values in q]),
    ],
)
def test_different_answers_to_the_same_arguments_are_reported(name, function, capsys):
    output = output_of(capsys, name, function)
    assert "Called twice with the same arguments, your function returns diff" in output
    assert "Called twice" not in output_of(capsys, "winner", lambda board: 1)


def test_failed_function_that_is_called_is_named_first(capsys):
    assert "`winner`" not in output_of(capsys, "can_occur", calls_a_wrong_winner)
    output_of(capsys, "winner", winner)
    output = output_of(capsys, "can_occur", calls_a_wrong_winner)
    hint = "calls `winner`, which failed when it was last checked: repair that"
    assert hint in output


def test_endless_loop_is_stopped_even_if_it_catches_exceptions(capsys, monkeypatch):
    monkeypatch.setattr(run_cases, "TIMEOUT", 0.3)

    def endless(board):
        while True:
            with contextlib.suppress(Exception):
                while True:
                    pass

    output = output_of(capsys, "winner", endless)
    assert "winner: 0 of" in output
    assert "Hint: A loop or a recursion never ends" in output
    assert "checks passed, " in output_of(capsys, "winner", FUNCTIONS["winner"].answer)


def test_cases_after_the_timeout_fail():
    cases = [Case("", False, (seconds,)) for seconds in (0.0, 0.0, 30.0, 0.0)]
    before = signal.getsignal(signal.SIGALRM)
    first, second, *results = run_cases.run_cases(time.sleep, cases, 0.3)
    assert first.answer is second.answer is None
    whys = [result.answer.why for result in results]
    assert whys == [f"nothing after 0.3 seconds{run_cases.ENDLESS}"] * 2
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    # Only the main thread gets signals: in another one nothing is stopped.
    with ThreadPoolExecutor() as pool:
        arguments = time.sleep, [Case("", False, (0.3,))], 0.1
        (result,) = pool.submit(run_cases.run_cases, *arguments).result()
    assert result == run_cases.CallResult(None)


@pytest.mark.parametrize(
    ("function", "args", "changed"),
    [
        (lambda a, b: None, ([1], [2]), -1),
        (lambda a, b: a.append(1), ([1], [2]), 0),
        (lambda a, b: a.append(1) or a, ([1], [2]), -1),
        (lambda a, b: a.append(1) or b.append(1) or a, ([1], [2]), 1),
        (lambda a, b: b.append(1) or b, ([1], [2]), 1),
        (lambda a, b: a.append({1: object()}), ([1], [2]), 0),
        (lambda a: a.append([[[[[[1]]]]]]) or a[:], ([[[[[[[0]]]]]]],), 0),
        (lambda a: None, ([[[[[[[0]]]]]]],), -1),
    ],
)
def test_changed_is_the_index_of_the_mutated_argument(function, args, changed):
    (result,) = run_cases.run_cases(function, [Case("", False, args)])
    assert result.changed == changed


def test_reported_line_is_in_the_cell_of_the_function_if_possible():
    def cell(name, text):
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        exec(compile(text, name, "exec"), space)

    space = {"np": np}
    cell("<cell 1>", "def helper(x):\n    return np.linalg.inv(x)\n")
    cell("<cell 2>", "def own(x):\n    y = x\n    return helper(y)\n")
    cell("<cell 3>", "another = lambda x: own(x)\nfine = lambda x: x\n")
    for name, line in (
        ("helper", "line 2: return np.linalg.inv(x)"),
        ("own", "line 3: return helper(y)"),
        ("another", "line 1: another = lambda x: own(x)"),
        ("fine", ""),
    ):
        (result,) = run_cases.run_cases(space[name], [Case("", False, ([1, 2],))])
        assert result.line == line
    # A partial has no cell of its own.
    (result,) = run_cases.run_cases(partial(space["own"]), [Case("", False, ([1, 2],))])
    assert result.line == "line 2: return np.linalg.inv(x)"


@pytest.fixture
def shell(tmp_path):
    """Yield the IPython shell in which notebooks are checked."""
    no_history = Config({"HistoryManager": {"enabled": False}})
    Shell.clear_instance()
    yield Shell.instance(ipython_dir=str(tmp_path), config=no_history)
    Shell.clear_instance()


@pytest.mark.parametrize(
    ("source", "error", "went_on", "x"),
    [
        ("x = 1", None, False, 1),
        ("x = 1\n1 / 0", ZeroDivisionError, False, 1),
        ("import google.nothing\n1 / 0\nx = 1", ModuleNotFoundError, True, 1),
        ("1 / 0\nx = 1\nraise ValueError\nx = 2", ZeroDivisionError, True, 1),
        ("x = 1\nraise ValueError\nx = 2", ValueError, False, 1),
        ("1 / 0\nx = 1\nraise MemoryError\nx = 2", MemoryError, True, 1),
        ("import sys\nx = 1\nsys.exit()\nx = 2", SystemExit, False, 1),
        ("x = 0\nif 1 / 0:\n    x = 2", ZeroDivisionError, False, 0),
        ("%%unknown_magic -n 1\nx = 1\n", UsageError, True, 1),
        ("%%unknown_magic\n\nx = 1 / 0\n", UsageError, True, None),
        ("%%unknown_magic\nx = = 1", UsageError, False, None),
        ("@undefined\ndef f(a: A, b=2) -> C:\n    return b\nx = f(1)", NameError, 1, 2),
        ("def f(a: A):\n    return a\nx = f(1)", NameError, True, 1),
        ("def f(a, b=undefined):\n    return b\nx = 3", NameError, True, 3),
    ],
)
@pytest.mark.filterwarnings("ignore:To exit")
def test_statements_after_a_failed_one_still_run(
    shell, source, error, went_on, x, capsys
):
    result = shell.run_cell(source)
    assert type(result.error_in_exec) is (error or type(None))
    assert (result.went_on, shell.user_ns.get("x")) == (went_on, x)


def test_cell_shows_only_its_last_expression(shell, capsys):
    assert shell.run_cell("4\n5").result == 5
    assert shell.run_cell("4\n1 / 0\n6").result == 6
    assert shell.run_cell("4\nx = 5").result is None
    assert "4" not in capsys.readouterr().out.replace("Traceback", "").split()


def test_score_shows_earned_and_open_points(capsys):
    check.winner(FUNCTIONS["winner"].answer)
    check.class_size(lambda board: 8)
    check.count_games(FUNCTIONS["count_games"].mistakes[1].answer)
    capsys.readouterr()
    names = "prediction", "winner", "class_size", "count_games", "can_occur"
    check.score("game", **dict.fromkeys(names, 4))
    rows, total = capsys.readouterr().out.split("\n\n")
    ends = "marks it", "finds more", "no points so far", "half the points so far"
    for row, end in zip(rows.splitlines(), (*ends, "not checked yet"), strict=True):
        assert row.endswith(end)
    assert "game: 6 points so far, 10 open, and up to 4 given by a person" in total
    assert "of 20 in all" in total


@pytest.mark.slow
@pytest.mark.parametrize("topic", ["monte_carlo", "td", "q_learning"])
def test_program_of_a_text_prints_the_predicted_number(topic, capsys):
    (path,) = (path for path in SOURCES if path.stem == f"assignment_{topic}")
    text = "\n".join("".join(cell["source"]) for cell in cells_of(path))
    (program,) = re.findall(r"```python\n(.*?)```", text, re.S)
    exec(program, {"np": np})
    rubric = solutions.rubric(path.stem, "essay")
    predicted = re.search(r"the prediction is compared with (\d+)", rubric)[1]
    assert capsys.readouterr().out == f"{predicted}\n"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_rubric_of_each_text_adds_up_to_its_points(path):
    graded = [cell["metadata"].get("nbgrader", {}) for cell in cells_of(path)]
    texts = [each for each in graded if each.get("grade") and each["solution"]]
    first, *middle, last = (each["grade_id"] for each in texts)
    assert (first, last) == ("prediction", "essay")
    topic = path.stem.split("_", 1)[1]
    assert middle == (["figure"] if {*questions.TOPICS[topic]} & {*TRAINED} else [])
    assert {each["grade_id"] for each in texts} <= {*report.TEXTS}
    for each in texts:
        text = solutions.rubric(path.stem, each["grade_id"])
        points = sum(map(int, re.findall(r"^\| (\d+) \|", text, re.M)))
        assert points == each["points"], each
        given = [int(n) for n in re.findall(r"^\*\*(\d) points?\.\*\*", text, re.M)]
        assert len(given) == 2
        assert all(0 < mark < points for mark in given)
        assert len(solutions.model_answer(path.stem, each["grade_id"])) > 60
