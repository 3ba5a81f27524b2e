"""Parts of the grader that need no class: roll, folder, secret, cells, sandbox."""

import contextlib
import csv
import errno
import io
import json
import os
import re
import shutil
import sqlite3
import stat
from html.parser import HTMLParser

import bank
import pytest

from assignments.grader import __main__ as command
from assignments.grader import (
    course,
    files,
    grade,
    gradebook,
    sandbox,
    submission,
)
from assignments.grader.examine import nothing
from ttt_lib import check
from ttt_lib.check.stored import pack, unpack

pytestmark = pytest.mark.slow

# The roll


@pytest.mark.parametrize(
    ("text", "students"),
    [
        (
            'id,name\nada,"Lovelace, Ada"\n\nbob,\n',
            [("ada", "Lovelace, Ada"), ("bob", "")],
        ),
        ("id,name\nada,A\x0bzoe\u2028eve\n", [("ada", "A\x0bzoe\u2028eve")]),
        ("\n,\nid\nada,one,two\rbob", [("ada", ""), ("bob", "")]),
        ("\ufeffID;Name\r\nada;Ada\r\n", [("ada", "Ada")]),
        ("last_name,first_name,id\nLovelace,Ada,a.l@x\n", [("a.l@x", "Ada Lovelace")]),
    ],
)
def test_a_roll_is_read(tmp_path, text, students):
    (tmp_path / "roll.csv").write_bytes(text.encode())
    assert [tuple(s) for s in course.read_roll(tmp_path / "roll.csv")] == students


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("name\nAda\n", "has no column `id`"),
        ("", "has no column `id`"),
        ("id\n", "names nobody"),
        ("id\nada\nbob\nada\n", "more than once: ada"),
        ("id\n../ada\n", "cannot name a file"),
        ("id\n.ada\n", "cannot name a file"),
        ("id\nada\nAda\n", "more than once: Ada, ada"),
        ("id\nzoe\u0308\nzo\u00eb\n", "more than once"),
        (f"id\n{'a' * 250}\n", "too long for a file"),
        ('id,name\nada,"Ada\nbob,Bob\n', "is no CSV"),
        (f'id,name\nada,"{"A" * 300_000}\n', "is no CSV"),
    ],
)
def test_a_wrong_roll_is_refused_with_a_sentence(tmp_path, text, sentence):
    (tmp_path / "roll.csv").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=sentence):
        course.read_roll(tmp_path / "roll.csv")


def test_a_roll_in_another_encoding(tmp_path):
    (tmp_path / "roll.csv").write_bytes("id;name\nzoe;Zoë\n".encode("latin-1"))
    with pytest.raises(ValueError, match="save it as CSV in UTF-8"):
        course.read_roll(tmp_path / "roll.csv")


def test_no_roll(tmp_path):
    with pytest.raises(ValueError, match="There is no file"):
        course.read_roll(tmp_path / "none.csv")


def test_whose_work_may_be_taken_for_anothers():
    roll = [course.Student(name, "") for name in ("ann_b", "ann", "anne", "an n", "an")]
    assert course.mixed_up(roll) == [("an", "an n"), ("ann", "ann_b")]


# The folder


def test_the_name_of_a_file_is_one_line_without_orders_to_a_terminal(tmp_path):
    for name in ("\x1b]0;owned\x07", "a\nline 9 of 9", "\u202e\u2028\x9b1m"):
        (tmp_path / name).mkdir()
    _, nobody = submission.of_class(tmp_path, {"ada"})
    said = " belongs to nobody on the roll"
    names = "?]0;owned?", "a?line 9 of 9", "???1m"
    assert nobody == [name + said for name in names]


def test_whose_work_it_is(tmp_path):
    for name in ("ada.ipynb", "ada_b_01_game.ipynb", "bob 2.ipynb", "eve.ipynb"):
        (tmp_path / name).write_text("{}")
    (tmp_path / "cyd" / "01_game").mkdir(parents=True)
    (tmp_path / "cyd" / "01_game" / "01_game.ipynb").write_text("{}")
    (tmp_path / "cyd" / ".ipynb_checkpoints").mkdir()
    (tmp_path / "cyd" / ".ipynb_checkpoints" / "01_game.ipynb").write_text("{}")
    (tmp_path / "cyd_old").mkdir()
    (tmp_path / "ada_link.ipynb").symlink_to(tmp_path / "eve.ipynb")
    found, nobody = submission.of_class(tmp_path, {"ada", "ada_b", "bob", "cyd", "dan"})
    names = {student: [p.name for p in files] for student, files in found.items()}
    assert names == {
        "ada": ["ada.ipynb"],
        "ada_b": ["ada_b_01_game.ipynb"],
        "bob": ["bob 2.ipynb"],
        "cyd": ["01_game.ipynb"],
    }
    assert nobody == [
        "ada_link.ipynb is a link",
        "cyd_old belongs to nobody on the roll",
        "eve.ipynb belongs to nobody on the roll",
    ]


def test_an_accent_may_be_a_sign_of_its_own(tmp_path):
    apart, together = "zoe\u0308", "zo\u00eb"
    (tmp_path / apart).mkdir()
    (tmp_path / f"{together}_2.ipynb").write_text("{}")
    for student in (apart, together):
        found, nobody = submission.of_class(tmp_path, {student})
        assert [path.name for path in found[student]] == [f"{together}_2.ipynb"]
        assert not nobody


@pytest.mark.parametrize(
    ("name", "repaired"),
    [
        ("01_game.ipynb", False),
        ("ada.ipynb", False),
        ("ada_4711_01_game (1).ipynb", False),
        ("ada2.ipynb", True),
        ("homework.ipynb", True),
    ],
)
def test_which_names_of_files_are_reported(tmp_path, name, repaired):
    source = course.SOURCE / "01_game" / "01_game.ipynb"
    content = source.read_text(encoding="utf-8")
    (tmp_path / name).write_text(content, encoding="utf-8")
    notebook = json.loads(content)
    cells = [
        course.ReleaseCell(one["id"], known["grade_id"], "answer", "")
        for one in notebook["cells"]
        if (known := one["metadata"].get("nbgrader")) and one["cell_type"] == "code"
    ]
    release = course.Release("01_game", "", tuple(cells), (), (), (), notebook)
    read = submission.read([tmp_path / name], release, "ada")
    assert any("the file is named" in note for note in read.notes) == repaired


# The secret


def test_a_secret_is_made_once_and_for_its_owner(tmp_path):
    place = tmp_path / "deep" / "secret"
    first = grade.read_secret(place)
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert grade.read_secret(place) == first
    assert grade.read_secret(tmp_path / "another") != first
    place.write_text("short\n")
    with pytest.raises(ValueError, match="too short"):
        grade.read_secret(place)


# The command


def test_a_teacher_gets_one_sentence(tmp_path):
    (tmp_path / "roll.csv").write_text("id\nada\n")
    folder = tmp_path / "in"
    roll = ["--roll", str(tmp_path / "roll.csv"), "--course", str(tmp_path / "c")]
    ask = ["grade", "--submissions", str(folder), *roll]
    assert command.main(ask) == f"grader: There is no folder {folder}."
    # what `make grade` says without its words
    nothing_said = ["grade", "--submissions", "", "--roll", ""]
    assert "make grade SUBMISSIONS=folder ROLL=roll.csv" in command.main(nothing_said)
    folder.mkdir()
    assert "speak of no assignment" in command.main(ask)
    assert "There is no assignment 'x'" in command.main([*ask, "--assignment", "x"])
    assert "There is no assignment 'x'" in command.main(["release", "x"])
    for name in ("01_game", "07_td"):
        (folder / f"ada_{name}.ipynb").write_text("{}")
    assert "speak of 01_game and 07_td" in command.main(ask)


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "soon"])
def test_no_limit_makes_all_submissions_fail(seconds, capsys):
    with pytest.raises(SystemExit):
        command.parser().parse_args(["grade", "--cell-seconds", seconds])
    assert f"invalid float above 0 value: '{seconds}'" in capsys.readouterr().err


# Mistakes and accidents of a teacher


def examined(release, submission, *_):
    """Return the result of a submission that is right, without running it."""
    if submission.problem:
        return nothing(release, submission.problem, submission.notes)
    right = {"share": 1, "kinds": [], "mistake": "", "hint": "", "why": "", "help": []}
    result = nothing(release, "graded", submission.notes)
    for question in release.questions:
        result["questions"][question.grade_id] = right
        result["scores"][question.grade_id] = question.points
    result["scores"].pop("essay")
    return result


class Small:
    """A small class: bob handed in nothing, and ada's text has been marked."""

    def __init__(self, place):
        self.place, self.course = place, place / "course"
        self.words = ["grade", "--assignment", bank.GAME]
        for word, name in (
            ("--submissions", "in"),
            ("--roll", "roll.csv"),
            ("--course", "course"),
            ("--secret", "secret"),
        ):
            self.words += [word, str(place / name)]

    def grade(self, *more):
        return command.main([*self.words, *more])

    def table(self):
        text = (self.course / bank.GAME / "grades.csv").read_text(encoding="utf-8")
        return {row["id"]: row for row in csv.DictReader(io.StringIO(text))}

    def total(self):
        return {student: row["total"] for student, row in self.table().items()}

    def result(self, student):
        return self.course / bank.GAME / "results" / f"{student}.json"

    def hand_in(self, student, notebook, name=bank.GAME):
        text = json.dumps(notebook)
        (self.place / "in" / f"{student}_{name}.ipynb").write_text(text)


@pytest.fixture(scope="module")
def small_class(tmp_path_factory):
    known = Small(tmp_path_factory.mktemp("small"))
    (known.place / "in").mkdir()
    for student in ("ada", "eve"):
        known.hand_in(student, bank.solution(bank.GAME))
    (known.place / "roll.csv").write_text("id,name\nada,=1+1\nbob,\neve,Eve\n")
    with pytest.MonkeyPatch.context() as patch:
        examine_nothing(patch)
        assert known.grade() is None
    with gradebook.open_gradebook(known.course) as book:
        mark = book.find_grade("essay", bank.GAME, bank.GAME, "ada")
        mark.manual_score, mark.needs_manual_grade = 3, False
        book.db.commit()
    return known


def examine_nothing(patch):
    """Let no code run, so that nothing has to be isolated."""
    patch.setattr(grade, "examine", examined)
    patch.setattr(sandbox, "isolation", lambda: "")


@pytest.fixture
def small(small_class, tmp_path, monkeypatch):
    examine_nothing(monkeypatch)
    shutil.copytree(small_class.place, tmp_path / "class")
    return Small(tmp_path / "class")


def test_nothing_changed_and_nbgrader_is_not_asked(small, monkeypatch):
    assert small.grade() is None
    assert small.total() == {"ada": "21", "bob": "0", "eve": "18"}
    files = {path: path.stat().st_mtime_ns for path in small.course.rglob("*")}
    monkeypatch.delattr(gradebook, "open_gradebook")
    assert small.grade() is None
    assert {path: path.stat().st_mtime_ns for path in small.course.rglob("*")} == files


def test_a_name_is_no_formula(small):
    assert small.grade() is None
    assert small.table()["ada"]["name"] == "'=1+1"
    for name in ("@SUM(1)", "-2+3", "+1", "\t=1", "＝1"):
        assert grade.no_formula(name) == f"'{name}"
    assert grade.no_formula("Ada = 1") == "Ada = 1"


def folder(path):
    path.unlink(missing_ok=True)
    path.mkdir()


def file(path):
    shutil.rmtree(path)
    path.write_text("")


SPOILT = {
    "a folder in the place of a result": (
        lambda c: folder(c.result("ada")),
        "ada.json is a folder",
    ),
    "a folder in the place of the table": (
        lambda c: folder(c.course / bank.GAME / "grades.csv"),
        "grades.csv is a folder",
    ),
    "a file in the place of a page": (
        lambda c: file(c.course / "feedback" / "ada"),
        "feedback/ada.*: (Not a directory|File exists).",
    ),
    "a file in the place of the course": (lambda c: file(c.course), "/course"),
    "a secret that is a folder": (
        lambda c: folder(c.place / "secret"),
        "There is no file .*secret",
    ),
    "a secret that is no text": (
        lambda c: (c.place / "secret").write_bytes(b"\xff" * 40),
        "secret cannot be read: a secret is a text",
    ),
    "a roll that is a folder": (
        lambda c: folder(c.place / "roll.csv"),
        "There is no file .*roll.csv",
    ),
    "a gradebook that is damaged": (
        lambda c: gradebook.place(c.course).write_bytes(b"SQLite format 3\0" * 99),
        "is damaged: put a copy of it back",
    ),
    "a gradebook that is none": (
        lambda c: gradebook.place(c.course).write_text("marks" * 999),
        "is damaged: put a copy of it back",
    ),
    "a gradebook of somebody else": (
        lambda c: other_database(gradebook.place(c.course)),
        "is none of this nbgrader",
    ),
    "a gradebook without some marks": (
        lambda c: change_gradebook(c, "DELETE FROM grade WHERE auto_score = 2"),
        "does not take the marks of ada: put a copy of it back",
    ),
    "a link to nowhere in the place of the gradebook": (
        lambda c: link(gradebook.place(c.course)),
        "cannot be opened, read or written",
    ),
    "a course with a sign that nbgrader reads otherwise": (
        lambda c: c.words.__setitem__(c.words.index("--course") + 1, "a%20b"),
        "so choose another",
    ),
    "nobody's work": (
        lambda c: file(c.place / "in") or folder(c.place / "in"),
        "Nothing in .* is of anybody on the roll, so nothing was entered",
    ),
}


def link(path):
    path.unlink()
    path.symlink_to("/nowhere/at/all")


def change_gradebook(small, query):
    with contextlib.closing(sqlite3.connect(gradebook.place(small.course))) as book:
        book.execute(query)
        book.commit()


def other_database(path):
    path.unlink()
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE assignment (name)")
        other.commit()


@pytest.mark.parametrize("what", SPOILT)
def test_what_is_spoilt_is_told_in_one_sentence(small, what):
    spoil, sentence = SPOILT[what]
    spoil(small)
    said = small.grade()
    assert said.startswith("grader: ")
    assert re.search(sentence, said), said
    assert "\n" not in said


def test_what_cannot_be_stored_or_read_costs_nobody_a_point(small, capsys, monkeypatch):
    place = small.result("eve")
    place.unlink()
    place.mkdir()
    before = gradebook.place(small.course).read_bytes()
    assert "eve.json" in small.grade()
    assert gradebook.place(small.course).read_bytes() == before
    place.rmdir()
    monkeypatch.setattr(grade, "read", lambda *_: 1 / 0)
    assert "3 of 3 could not be graded" in small.grade()
    monkeypatch.undo()
    examine_nothing(monkeypatch)
    assert small.grade() is None
    assert "2 of 3 are graded already" in capsys.readouterr().out
    assert small.total() == {"ada": "21", "bob": "0", "eve": "18"}


def test_a_result_that_is_none_is_made_again(small):
    place = small.result("eve")
    for text in ("[" * 200_000, "[1]", '{"result": 5, "seal": null}', None):
        place.unlink()
        if text is None:
            os.mkfifo(place)  # nobody waits until somebody writes into it
        else:
            place.write_text(text)
        assert small.grade() is None
        assert small.total() == {"ada": "21", "bob": "0", "eve": "18"}


def test_a_gradebook_is_made_whole_or_not_at_all(tmp_path, monkeypatch):
    def half(file):
        file.write_bytes(b"half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(gradebook, "_open", half)
    with pytest.raises(OSError, match="No space"):
        gradebook.make(tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_called_so(small, monkeypatch):
    def full(path, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files, "write_whole", full)
    said = "grader: The disk is full. Nothing is lost: repair that"
    assert small.grade("--again").startswith(said)


def test_where_the_grader_fails_marks_are_empty_and_come_back(small, monkeypatch):
    def failing(*_):
        raise RecursionError("too deep")

    monkeypatch.setattr(grade, "examine", failing)
    assert "3 of 3 could not be graded, ada" in small.grade("--again")
    row = small.table()["ada"]
    assert (row["status"], row["winner"], row["essay"]) == ("not graded", "", "3")
    assert "THE GRADER FAILED: RecursionError: too deep" in row["notes"]
    assert small.table()["bob"]["total"] == small.table()["eve"]["total"] == ""
    page = small.course / "feedback" / "eve" / bank.GAME / f"{bank.GAME}.html"
    assert page.read_text(encoding="utf-8").count("to be marked") == 6
    monkeypatch.setattr(grade, "examine", examined)
    assert small.grade() is None
    assert small.total() == {"ada": "21", "bob": "0", "eve": "18"}


def test_a_gradebook_in_use_is_not_called_damaged(small, monkeypatch):
    monkeypatch.setattr(gradebook, "PATIENCE", 0)
    file = gradebook.place(small.course)
    with contextlib.closing(sqlite3.connect(file)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert "is in use by another program: close that one." in small.grade()
    assert small.grade() is None


def test_entering_is_for_all_or_for_nobody(small, monkeypatch):
    before = gradebook.place(small.course).read_bytes()
    monkeypatch.setattr(gradebook, "without_tags", lambda name: name or 1 / 0)
    (small.place / "roll.csv").write_text("id,name\nzoe,Zoe\nada,Ada\nbob,\n")
    with pytest.raises(ZeroDivisionError):
        small.grade()
    assert gradebook.place(small.course).read_bytes() == before


def test_a_gradebook_that_is_gone_is_told_and_the_old_table_kept(small, capsys):
    assert small.grade() is None
    old = small.course / bank.GAME / "grades.csv"
    known = old.read_bytes()
    gradebook.place(small.course).write_bytes(b"")
    assert small.grade() is None
    told = capsys.readouterr().out
    assert "NEW GRADEBOOK" in told
    assert f"KEPT: {old.with_name('grades.1.csv')}" in told
    assert old.with_name("grades.1.csv").read_bytes() == known
    assert small.total() == {"ada": "18", "bob": "0", "eve": "18"}
    assert small.grade() is None
    assert "KEPT" not in capsys.readouterr().out


@pytest.mark.parametrize("text", ["{}", "not JSON", '{"cells": [7]}', None])
def test_a_spoilt_release_is_made_anew(small, text):
    release = small.course / "release" / bank.GAME / f"{bank.GAME}.ipynb"
    known = release.read_bytes()
    release.unlink()
    if text is not None:
        release.write_text(text)
    assert small.grade() is None
    assert json.loads(release.read_bytes()) == json.loads(known)
    assert small.total() == {"ada": "21", "bob": "0", "eve": "18"}


def test_no_question_comes_or_goes_once_somebody_has_marks(small, monkeypatch):
    notebook = bank.solution(bank.GAME)
    bank.delete("can_occur", "can_occur_check")(notebook)
    source = small.place / "source" / bank.GAME / f"{bank.GAME}.ipynb"
    source.parent.mkdir(parents=True)
    source.write_text(json.dumps(notebook))
    monkeypatch.setattr(course, "SOURCE", small.place / "source")
    assert "adds and removes no cells of it any more" in small.grade()
    monkeypatch.undo()
    examine_nothing(monkeypatch)
    assert small.grade() is None
    assert small.total() == {"ada": "21", "bob": "0", "eve": "18"}


def test_a_class_of_another_assignment_is_not_entered(small):
    before = {path: path.read_bytes() for path in small.course.rglob("*.*")}
    for student in ("ada", "eve"):
        small.hand_in(student, bank.solution(bank.VALUES))
    assert "so nothing was entered: is it the right assignment?" in small.grade()
    assert {path: path.read_bytes() for path in small.course.rglob("*.*")} == before


def test_a_class_of_which_nothing_can_be_read_is_told(small):
    for name in ("ada", "eve"):
        (small.place / "in" / f"{name}_{bank.GAME}.ipynb").write_text("{")
    assert "Nobody's notebook could be read" in small.grade()
    assert {row["status"] for row in small.table().values()} == {
        "unreadable",
        "missing",
    }


def test_which_of_two_notebooks_is_graded_is_told(small, capsys):
    (small.place / "roll.csv").write_text("id\nada\nada_b\n")
    small.hand_in("ada_b", bank.solution(bank.GAME))
    small.hand_in("ada_b", bank.solution(bank.GAME), "00")
    assert small.grade() is None
    assert (
        "2 notebooks were handed in; in/ada_b_00.ipynb is graded"
        in (small.table()["ada_b"]["notes"])
    )
    assert "LOOK: whatever is named ada_b… is of ada_b, even if ada" in (
        capsys.readouterr().out
    )


# Cells and arguments


def test_what_a_cell_defines_is_read_and_never_run():
    source = (
        "import os\nfrom math import pi\nn = 3\nx = os._exit(1)\n"
        "def f():\n    return n\n\nclass C:\n    pass\n\nwhile True:\n    pass"
    )
    kept = submission.definitions(source)
    assert "import os" in kept
    assert "n = 3" in kept
    assert "def f():" in kept
    assert "class C:" in kept
    assert "_exit" not in kept
    assert "while" not in kept
    assert submission.definitions("def (:") == ""


@pytest.mark.parametrize(
    ("source", "noticed"),
    [
        ("from ttt_lib import rules\nrules.winner(b)", "rules, rules.winner"),
        ("check.winner(winner)\ngame.board(3).sum()\nimport ttt_lib", ""),
        ("check.QUESTIONS", "check.QUESTIONS"),
        ("check.count_games(f)", "check.count_games"),
        ("import ttt_lib.search as s, os\ns.minimax(b)", "search, search.minimax"),
        ("import ttt_lib.rules\nw = ttt_lib.rules.winner", "rules, rules.winner"),
        ("from ttt_lib.rules import winner as w", "rules.winner"),
        ("from ttt_lib import *", "ttt_lib.*"),
        ("import ttt_library.x, os", ""),
        ("x = [\n  7\n  % 2]\nrules.won(x)", "rules.won"),
        ("%time 1\n!ls\nwinner?\nif x:\n    ?x\nw = rules.winner", "rules.winner"),
        ("%%time\nw = %time rules.winner", "rules.winner"),
        ("def (:\nrules.winner", ""),
    ],
)
def test_calls_of_the_library_are_noticed(source, noticed):
    assert ", ".join(submission.shortcuts(source, "winner")) == noticed


def test_arguments_travel_as_json():
    for question in check.QUESTIONS.values():
        for case in question.cases:
            sent = json.loads(json.dumps([pack(x) for x in case.args]))
            assert repr(tuple(map(unpack, sent))) == repr(case.args)


# The process


@pytest.fixture
def student():
    limits = sandbox.Limits(cell_seconds=60, call_seconds=60)
    with (
        sandbox.Sandbox(limits, not sandbox.isolation()) as place,
        place.student() as running,
    ):
        yield running


def test_only_plain_data_comes_out(student):
    student.run("class Odd(int):\n    pass\nvalues = {'a': (1, {2})}\nodd = Odd(3)")
    assert student.value("values")["value"] == [["a", [1, [2]]]]
    assert student.value("odd")["error"] == "ValueError"
    assert student.value("none")["error"] == "it is not defined"
    assert student.call("odd", [1])["error"] == "TypeError"


def test_the_name_of_an_exception_can_carry_nothing_out(student):
    student.run("def f(x):\n    raise type('secret ' + str(x), (Exception,), {})()")
    assert student.call("f", [17])["error"] == "an exception"


def test_a_notebook_keeps_its_state_and_its_magic(student):
    assert student.run("n = 1") is None
    assert student.run("n += 1\n%config InlineBackend.figure_format = 'retina'") is None
    assert student.run("1 / 0") == "ZeroDivisionError"
    assert student.value("n")["value"] == 2


def test_a_sandbox_holds_python_the_library_and_no_more(student):
    if reason := sandbox.isolation():
        pytest.skip(f"ISOLATION IS NOT TESTED: {reason}")
    student.run(
        "import os, pathlib, socket\n"
        f"root = sorted(os.listdir({str(course.SOURCE.parents[1])!r}))\n"
        f"source = os.path.exists({str(course.SOURCE)!r})\n"
        f"questions = os.path.exists({str(course.SOURCE.parent / 'questions')!r})\n"
        "from ttt_lib import check\nvisible = list(check.QUESTIONS)\n"
        "def write(place):\n    pathlib.Path(place).write_text('x')\n"
        "def ask():\n    socket.create_connection(('127.0.0.1', 22), 1)\n"
        "processes = len([p for p in os.listdir('/proc') if p.isdigit()])\n"
        "user = os.getuid()"
    )
    assert set(student.value("root")["value"]) <= {"ttt_lib", ".venv", "assignments"}
    assert student.value("source")["value"] is False
    assert student.value("questions")["value"] is False
    assert student.value("visible")["value"] == list(check.QUESTIONS)
    assert student.value("processes")["value"] <= 3
    assert student.value("user")["value"] == 65534
    library = str(course.SOURCE.parents[1] / "ttt_lib" / "rules.py")
    for place in (library, "/usr/x"):
        assert student.call("write", [place])["error"] in ("OSError", "PermissionError")
    assert student.call("ask", [])["error"] in ("OSError", "ConnectionRefusedError")


def test_who_does_not_listen_stops_nobody():
    limits = sandbox.Limits(cell_seconds=1)
    with (
        sandbox.Sandbox(limits, not sandbox.isolation()) as place,
        place.student() as student,
    ):
        for cell in ("while True: pass", "#" * 10**6):  # more than a pipe holds
            with pytest.raises(sandbox.Gone, match="timed out"):
                student.run(cell)


def test_a_file_name_that_is_no_text(tmp_path):
    with contextlib.suppress(OSError):  # some file systems refuse it
        (tmp_path / os.fsdecode(b"ada_\xff.ipynb")).write_text("{}")
        (tmp_path / os.fsdecode(b"\xff.ipynb")).write_text("{}")
        found, nobody = submission.of_class(tmp_path, {"ada"})
        assert len(found["ada"]) == 1
        assert nobody == ["?.ipynb belongs to nobody on the roll"]


def test_a_failure_of_the_grader_costs_nobody_else_a_grade(tmp_path, monkeypatch):
    def examine(release, submitted, *_):
        if submitted.bytes == b"odd":
            raise KeyError("a mistake of ours")
        return nothing(release, "graded", []) | {"scores": {"q": 3.0}}

    monkeypatch.setattr(grade, "examine", examine)
    release = course.Release(bank.GAME, "X", (), (), (), (), {})
    handed_in = {
        name: submission.Submission("", (), (), {}, content)
        for name, content in (("ada", b"odd"), ("bob", b"even"))
    }
    said = []
    for _ in range(2):
        results = grade._examine_all(
            release, handed_in, tmp_path, "secret", None, "", 1, False, said.append
        )
        assert results["bob"]["scores"] == {"q": 3.0}
        assert results["ada"]["status"] == "not graded"
        assert results["ada"]["scores"] == {}  # nobody gets 0 because of us
        assert "THE GRADER FAILED: KeyError" in results["ada"]["notes"][0]
    assert "1 of 2 could not be graded, ada" in grade.shortcoming(results)
    # What failed is tried again, and what did not is not.
    assert [text for text in said if "graded already" in text] == [
        "1 of 2 are graded already"
    ]


# What a person marks


class Shown(HTMLParser):
    """The elements of a page, but for the colours of code, and its text."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.text = [], ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if (tag, [name for name, _ in attrs]) != ("span", ["class"]):
            self.elements.append((tag, attrs))

    def handle_data(self, data):
        self.text += data


def seen(text):
    """Return what can be seen of a text."""
    return "".join(sign for sign in text if sign.isprintable())


def test_whatever_a_student_writes_is_shown_as_text(tmp_path):
    formgrader = bank.formgrader(tmp_path)
    plain = Shown(formgrader("plain", "Ada Byron"))
    assert "Ada Byron" in plain.text
    for text in bank.HOSTILE:
        page = Shown(formgrader(text, text))
        assert page.elements == plain.elements, text
        assert seen(text) in seen(page.text)


def test_whatever_a_student_writes_is_text_on_the_page_that_comes_back():
    plain = Shown(bank.page_back("plain"))
    for text in bank.HOSTILE:
        shown = Shown(bank.page_back(text))
        assert shown.elements == plain.elements, text
        times = plain.text.count("plain")
        assert seen(shown.text).count(seen(text)) == times > 20


def test_a_result_is_of_one_state_of_all_that_judges(monkeypatch):
    files = {}

    def read(path):
        return files.setdefault(path.name, b"")

    release = course.of_notebook(bank.GAME, bank.solution(bank.GAME))

    def fingerprint():
        return grade._fingerprint_of_grader(release, "secret", None, "")

    monkeypatch.setattr(grade.Path, "read_bytes", read)
    before = fingerprint()
    assert fingerprint() == before
    for name in ("examine.py", "minimax.py", "judge.py", "rules.py"):
        files[name] = b"changed"
        assert fingerprint() != before, name
        files[name] = b""
