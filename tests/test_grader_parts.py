"""Parts of the grader: roll, folder, cells, secret, command, small class, sandbox."""

import contextlib
import hashlib
import json
import os
import platform
import re
import resource
import shutil
import signal
import socket
import sqlite3
import stat
import struct
import sys
import time
from functools import cache, partial
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import common
import pytest
import submissions

from assignments.grader import __main__ as command
from assignments.grader import (
    course,
    feedback,
    grade,
    gradebook,
    grading,
    runner,
    sandbox,
    seccomp,
    signals,
    submission,
    work,
)
from assignments.grader.grading import nothing
from assignments.grader.workers import Workers
from ttt_lib import check
from ttt_lib.check import report, training
from ttt_lib.check.judge import Case, Failed, Verdict
from ttt_lib.check.notebook import cells_of
from ttt_lib.check.run_cases import run_cases

pytestmark = pytest.mark.slow

ROLLS = (
    ('id,name\nada,"Lovelace, Ada"\n\nbob,\n', {"ada": "Lovelace, Ada", "bob": ""}),
    ("id,name\nada,A\x0bzoe\u2028eve\n", {"ada": "A\x0bzoe\u2028eve"}),
    ("last_name,first_name,id\nLovelace,Ada,a.l@x\n", {"a.l@x": "Ada Lovelace"}),
    ("name,id,note\nAda,s1,x\nBob,s2,y\n", {"s1": "Ada", "s2": "Bob"}),
    ("sep=;\r\nid;Name\r\ns1;Ada\r\n", {"s1": "Ada"}),
    ('"sep=\t"\nID\tname\ns1\tAda, Lady\n', {"s1": "Ada, Lady"}),
    ('id;"name, last; first"\ns1;Ada\n', {"s1": ""}),
    ("Prénom;Nom;Numéro d\u2019identification\nAda;A;s1\n", {"s1": "Ada A"}),
)
WRONG_ROLLS = (
    ("name\nAda\n", "has no column `id`"),
    ("", "has no column `id`"),
    ("id\n", "lists no students"),
    ("id\n../ada\n", "cannot name a file"),
    ("id\nada\nbob\nAda\n", "more than once: Ada, ada"),
    ("id\nzoe\u0308\nzo\u00eb\n", "more than once"),
    (f"id\n{'a' * 250}\n", "too long for a file"),
    ('id,name\nada,"Ada\nbob,Bob\n', "is not CSV"),
    ("id;name\nzoe;Zo\udceb\n", "save it as CSV in UTF-8"),
)


def test_read_roll_reads_spreadsheets_and_rejects_others_with_one_sentence(tmp_path):
    file = tmp_path / "roll.csv"
    for (text, students), code in product(ROLLS, ("utf-8", "utf-8-sig", "utf-16")):
        file.write_bytes(text.encode(code))
        assert dict(course.read_roll(file)) == students
    for text, sentence in WRONG_ROLLS:
        file.write_bytes(text.encode(errors="surrogateescape"))
        with pytest.raises(ValueError, match=sentence):
            course.read_roll(file)


def test_mixed_up_finds_ids_that_begin_other_ids():
    roll = [course.Student(name, "") for name in ("ann_b", "ann", "anne", "an n", "an")]
    assert course.mixed_up(roll) == [("an", "an n"), ("ann", "ann_b")]


def test_of_class_assigns_files_to_students(tmp_path):
    names = "ada", "ada_b_assignment_game", "bob 2", "dan_assignment_game", "eve"
    names += "zoe\u0308 2", "cyd/deep/game", "cyd/.ipynb_checkpoints/game", "\x1b];\n"
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / f"{name}.ipynb").write_text("{}")
    (tmp_path / "cyd_old").mkdir()
    (tmp_path / "ada_link.ipynb").symlink_to(tmp_path / "eve.ipynb")
    (tmp_path / ".DS_Store").write_text("")
    os.mkfifo(tmp_path / "cyd.pipe")
    ids = {*["ada", "ada_b", "bob", "cyd", "dan", "zoë"]}  # the file's accent is apart
    paths, rest = work.of_class(tmp_path, ids)
    names = {who: [path.stem for path in work.files_in(paths[who])[0]] for who in paths}
    assert {who: stems for who, stems in names.items() if stems} == {
        **{"ada": ["ada"], "bob": ["bob 2"], "cyd": ["game"]},
        **{"dan": ["dan_assignment_game"], "zo\u00eb": ["zoe\u0308 2"]},
    }
    assert " ".join(word for line in rest for word in line.split()[:2]) == (
        "?];?.ipynb belongs ada_b_assignment_game.ipynb may ada_link.ipynb is "
        "cyd.pipe is cyd_old belongs eve.ipynb belongs"
    ), "without control characters"


CELLS = (
    ("first", "setup", "import math"),
    ("one", "answer", "def one():\n    ..."),
    ("one_check", "test", "check.one(one)"),
    ("two", "answer", "two = ..."),
    ("two_check", "test", "check.two(two)"),
    ("", "", "Explain."),
    ("essay", "essay", "Your text."),
)
ANSWERS = {"one": "def one():\n    return 1", "two": "two = 2", "essay": "A text."}
RUN = ["import math", ANSWERS["one"], ANSWERS["two"]]


def released():
    """Return a small Release: two questions, a text and other cells."""
    cells = tuple(course.ReleaseCell(f"id of {cell[0]}", *cell) for cell in CELLS)
    asked = (course.Question(f"{n}_check", n, n, n, 2, "", "") for n in ("one", "two"))
    shown, essay = ("check.one(one)", "check.two(two)"), course.Essay("essay", 3, "")
    return course.Release("small", "", cells, tuple(asked), (essay,), shown, {})


def handed_in():
    """Return the cells of a right submission."""
    cells = []
    for name, kind, source in CELLS:
        form = "markdown" if kind in ("", "essay") else "code"
        cells.append((form, name, f"id of {name}", ANSWERS.get(name, source)))
    return cells


def run_and_answered(cells):
    """Return (sources of cells that run, answers, notes)."""
    submitted = submission.match_release(cells, released())
    run = [source for _, source in submitted.cells if source]
    return run, submitted.answers, submitted.notes


@cache
def source_release(name):
    """Return the Release of a source notebook, with solutions instead of stubs."""
    return course.of_notebook(name, submissions.solution(name))


def raw(notebook):
    """Return the cells of a notebook, the argument of `submission.match_release`."""
    return cells_of(json.dumps(notebook).encode())


@pytest.mark.parametrize(
    "name", [submissions.GAME, submissions.VALUES, "assignment_minimax"]
)
def test_notebook_of_another_assignment_is_unreadable(name):
    release, cells = source_release(submissions.GAME), raw(submissions.solution(name))
    without_ids = [(cell.kind, "", "", cell.source) for cell in cells]
    # It may define a function that this assignment asks for.
    added = [("code", "", "", f"def {q.name}():\n    pass") for q in release.questions]
    for submitted in ([*cells, *added], without_ids):
        submitted = submission.match_release(submitted, release)
        assert (submission.OTHER in submitted.notes) == (name != submissions.GAME)
        assert (submitted.problem == "unreadable") == (name != submissions.GAME)


def test_notebook_with_only_texts_is_accepted():
    cells = raw(submissions.solution(submissions.GAME))
    cells = [cell for cell in cells if cell.kind == "markdown"]
    submitted = submission.match_release(cells, source_release(submissions.GAME))
    assert (submitted.problem, {*submitted.answers}) == ("", {"prediction", "essay"})
    assert any("winner is missing" in note for note in submitted.notes)


COLLECTED = "id,file,time,time of,platform,named\n"  # of the table of `collect`


def test_drawing_and_its_text_are_found_without_grade_ids(tmp_path):
    name = "assignment_td"
    notebook, release = submissions.solution(name), source_release(name)
    drawing, figure = (submissions.cell(notebook, n) for n in ("drawing", "figure"))
    shown = {"output_type": "display_data", "data": {"image/png": submissions.png()}}
    drawing |= {"source": "plt.plot([1, 2])", "outputs": [shown]}
    figure["source"] = "It falls."
    submissions.strip(notebook)
    index = notebook["cells"].index(figure)
    notebook["cells"].insert(index, {"cell_type": "code", "source": "1 + 1"})
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook))
    submitted = submission.read_file(tmp_path / "a.ipynb", release)
    assert submitted.answers["figure"] == "It falls."
    assert submitted.picture == submissions.png()
    assert submitted.answers["drawing"] == drawing["source"]
    assert drawing["source"] not in [cell.source for cell in submitted.cells]
    assert "recognised only by the names they define" in " ".join(submitted.notes)
    notebook["cells"][index - 2]["source"] = "My own words for the question."
    del notebook["cells"][index]
    submitted = submission.match_release(raw(notebook), release)
    assert submitted.answers.keys().isdisjoint({"figure", "drawing"})
    assert "text figure was not found" in " ".join(submitted.notes)


def answered(words):
    """Return a notebook of the game with answers to these questions only."""
    notebook = submissions.solution(submissions.GAME)
    names = {q.name: q.answer_id for q in source_release(submissions.GAME).questions}
    for name in names.keys() - {*words.split()}:
        submissions.cell(notebook, names[name])["source"] = "the stub"
    return notebook


def test_read_prefers_more_answers_then_newer_file(tmp_path):
    release = source_release(submissions.GAME)
    stubs = [cell._replace(source="the stub") for cell in release.cells]
    pairs = zip(stubs, release.cells, strict=True)
    cells = tuple(stub if cell.kind == "answer" else cell for stub, cell in pairs)
    files = [tmp_path / f"{submissions.GAME}.ipynb", tmp_path / "ada_other.ipynb"]
    for named, other, times, wins in (
        ("", "winner", None, 1),
        ("winner", "class_size", None, 0),
        ("winner", "class_size", "12", 1),
        ("winner class_size", "winner", "12", 0),
        (None, "", None, 1),
    ):
        for file, words in zip(files, (named, other), strict=True):
            file.write_text(json.dumps({} if words is None else answered(words)))
        when = times and dict(zip(files, times, strict=True))
        submitted = work.read(files, release._replace(cells=cells), "ada", when)
        assert submitted.digest == hashlib.sha256(files[wins].read_bytes()).hexdigest()


def test_submission_runs_setup_and_matched_answers():
    submitted = submission.match_release(handed_in(), released(), "as it came")
    names = [cell.grade_id for cell in submitted.cells]
    assert names == ["first", "one", "one_check", "two", "two_check"]
    assert run_and_answered(handed_in()) == (RUN, ANSWERS, ())
    assert (submitted.problem, submitted.digest) == ("", "as it came")
    # Without grade ids, cells are matched by their ids.
    cells = [(kind, "", id, source) for kind, _, id, source in handed_in()]
    run, answers, (note,) = run_and_answered(cells)
    assert (run, answers, "6 cells" in note) == (RUN, ANSWERS, True)
    copy = ("code", "", "id of one", "x = 1")  # its grade id exists already
    assert run_and_answered([*handed_in(), copy]) == ([*RUN, "x = 1"], ANSWERS, ())


@common.each(
    [
        ("code", "", "x = 1", True),
        ("code", "", "check.one(one)", False),
        ("markdown", "", "x = 1", False),
        ("code", "unknown", "x = 1", True),
        ("code", "one", "def one():\n    ...", False),
        ("code", "first", "import math", False),
        ("code", "first", "import os", True),
        ("code", "one_check", "check.one(1)", False),
        ("code", "one", "def one():\n    return 5", True),
        ("raw", "one", "def one():\n    return 5", True),
    ]
)
def test_added_cells_that_are_run(one):
    kind, grade_id, source, runs = one
    run, answers, _ = run_and_answered([*handed_in(), (kind, grade_id, "", source)])
    assert run == [*RUN, *[source] * runs]
    changed = {"one": source} if grade_id == "one" and runs else {}
    changed |= {"essay": f"A text.\n\n{source}"} if kind != "code" and not runs else {}
    assert answers == ANSWERS | changed  # text next to a text cell belongs to it


@common.each(
    [
        ("one", None, "missing"),
        ("one_check", None, "missing"),
        ("first", ("code", "import os"), "changed"),
        ("one_check", ("code", "check.one(7)"), "changed"),
        ("one", ("markdown", "def one():\n    return 1"), "no longer a code cell"),
    ]
)
def test_missing_repeated_and_changed_cells_are_noted(one):
    name, other, word = one
    cells = {cell[1]: cell for cell in handed_in()}
    (_, *names, _), (kind, source) = cells[name], other or ("", "")
    changed = cells | {name: (kind, *names, source)}
    if other is None:
        del changed[name]
    _, _, (note,) = run_and_answered([*changed.values()])
    assert name in note
    assert word in note
    cells = [cell for cell in handed_in() for _ in range(1 + (cell[1] == name))]
    _, _, (note,) = run_and_answered(cells)
    assert name in note
    assert "2 times" in note


def test_secret_is_created_once_and_private(tmp_path):
    path = tmp_path / "deep" / "secret"
    first = grade.read_secret(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert grade.read_secret(path) == first != grade.read_secret(tmp_path / "another")
    path.write_text("s" * 16)
    assert grade.read_secret(path) == "s" * 16
    path.write_text("s" * 15)
    for location, reason in ((path, "too short"), ("~no-such-user/x", "SECRET=")):
        with pytest.raises(ValueError, match=reason):
            grade.read_secret(location)


@common.each(command.NEEDS)
def test_missing_settings_are_named_with_an_example(action):
    needs = [part.split("=") for part in command.NEEDS[action].split()]
    words = [word for name, _ in needs for word in (f"--{name.lower()}", "")]
    names = ", ".join(name for name, _ in needs)
    example = f"make {action} {command.NEEDS[action]}"
    wanted = f"grader: make {action} needs {names}, for example: {example}"
    assert command.main([action, *words]) == wanted


def test_grade_errors_are_one_sentence(tmp_path):
    (tmp_path / "roll.csv").write_text("id\nada\n")
    folder = tmp_path / "in"
    roll = ["--roll", str(tmp_path / "roll.csv"), "--course", str(tmp_path / "c")]
    ask = ["grade", "--submissions", str(folder), *roll]
    assert command.main(ask) == f"grader: There is no folder {folder}."
    folder.mkdir()
    assert "mention no assignment" in command.main(ask)
    assert "There is no assignment 'x'" in command.main([*ask, "--assignment", "x"])
    assert "There is no assignment 'x'" in command.main(["release", "x"])
    for name in ("assignment_game", "assignment_td"):
        (folder / f"ada_{name}.ipynb").write_text("{}")
    assert "mention assignment_game and assignment_td" in command.main(ask)


def test_interrupted_command_exits_immediately_with_a_message(
    monkeypatch, ctrl_c, capfd
):
    def ended(status):
        ctrl_c()  # a second one is ignored
        raise SystemExit(status)

    monkeypatch.setattr(command.os, "_exit", ended)
    print("so far", end="")
    with pytest.raises(SystemExit, match="1"):
        command.end(command.INTERRUPTED)
    assert capfd.readouterr() == ("so far", f"{command.INTERRUPTED}\n")


def test_as_interrupts_restores_handlers_and_keeps_ignored_signals():
    term, hup = signal.SIGTERM, signal.SIGHUP
    before = signal.signal(term, signal.SIG_DFL), signal.signal(hup, signal.SIG_IGN)
    try:
        with signals.as_interrupts() as asked:
            with contextlib.suppress(KeyboardInterrupt):  # else all tests would end
                signal.raise_signal(hup)
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(term)
        assert asked == [term]
        after = signal.getsignal(term), signal.getsignal(hup)
        assert after == (signal.SIG_DFL, signal.SIG_IGN)
    finally:
        signal.signal(term, before[0])
        signal.signal(hup, before[1])


def test_limits_must_be_positive_and_finite(capsys):
    for seconds in ("0", "1e9", "nan", "soon"):
        with pytest.raises(SystemExit):
            command.parser().parse_args(["grade", "--cell-seconds", seconds])
        assert f"invalid float above 0 value: '{seconds}'" in capsys.readouterr().err


def test_prepare_path_adds_folder_of_python_once(monkeypatch):
    monkeypatch.setenv("PATH", "/a/b")
    for _ in range(2):
        gradebook.prepare_path()
        here = str(Path(sys.executable).parent)
        assert os.environ["PATH"].split(os.pathsep) == [here, "/a/b"]


RIGHTLY = dict.fromkeys(("mistake", "hint", "why"), "") | {"kinds": [], "help": []}
NAMES = {"submissions": "in", "roll": "roll.csv", "course": "course"}
NAMES["secret"] = "secret"


def examined(release, submission):
    """Return the result of a right submission, without running it."""
    result = nothing(release, "graded", submission.notes)
    for question in release.questions:
        result["questions"][question.grade_id] = RIGHTLY | {"share": 1, "line": 0}
        result["scores"][question.grade_id] = question.points
    result["scores"].pop("essay")
    return result


def examine_by(patch, examine):
    """Replace the worker processes by a function of release and submission."""
    call = lambda known, submission: examine(known.known[0], submission)  # noqa: E731
    patch.setattr(Workers, "examine", call)


class Small:
    """A small class: bob has no submission, and ada's text has been marked."""

    def __init__(self, place):
        self.place, self.course = place, place / "course"
        self.words = ["grade", "--assignment", submissions.GAME]
        for word, name in NAMES.items():
            self.words += [f"--{word}", str(place / name)]

    def grade(self, *more):
        return command.main([*self.words, *more])

    def table(self):
        return {row["id"]: row for row in course.graded(self.course, submissions.GAME)}

    def total(self):
        return {student: row["total"] for student, row in self.table().items()}

    def result(self, student):
        return self.course / submissions.GAME / "results" / f"{student}.json"

    def page(self, student):
        name = f"{submissions.GAME}.html"
        file = self.course / "feedback" / student / submissions.GAME / name
        return file.read_text(encoding="utf-8")

    def hand_in(self, student, notebook):
        file = self.place / "in" / f"{student}_{submissions.GAME}.ipynb"
        file.write_text(json.dumps(notebook))


@pytest.fixture(scope="module")
def small_class(tmp_path_factory):
    small = Small(tmp_path_factory.mktemp("small"))
    (small.place / "in").mkdir()
    for student in ("ada", "eve"):
        small.hand_in(student, submissions.solution(submissions.GAME))
    (small.place / "roll.csv").write_text("id,name\nada,=1+1\nbob,\neve,Eve\n")
    with pytest.MonkeyPatch.context() as patch:
        examine_nothing(patch)
        assert small.grade() is None
    with gradebook.open_gradebook(small.course) as book:
        mark = book.find_grade("essay", submissions.GAME, submissions.GAME, "ada")
        mark.manual_score, mark.needs_manual_grade = 3, False
        # Formgrader puts a comment on code at the answer cell.
        for cell, text in (("essay", "Well said."), ("winner", "Well written.")):
            comment = book.find_comment(cell, submissions.GAME, submissions.GAME, "ada")
            comment.manual_comment = text
        book.db.commit()
    return small


def examine_nothing(patch):
    """Run no student code, so that no isolation is needed, and no (slow) alembic."""
    examine_by(patch, examined)
    patch.setattr(sandbox, "isolation", lambda: "")
    patch.setattr("nbgrader.api.get_alembic_version", lambda: "e43177bfe90b")


@pytest.fixture
def small(small_class, tmp_path, monkeypatch):
    examine_nothing(monkeypatch)
    shutil.copytree(small_class.place, tmp_path / "class")
    return Small(tmp_path / "class")


def test_regrading_without_changes_writes_nothing(small):
    assert small.grade() is None
    assert small.total() == {"ada": "19", "bob": "0", "eve": "16"}
    files = {path: path.stat().st_mtime_ns for path in small.course.rglob("*")}
    assert small.grade() is None
    assert {path: path.stat().st_mtime_ns for path in small.course.rglob("*")} == files


def test_formulas_in_student_names_are_escaped(small):
    assert small.grade() is None
    assert small.table()["ada"]["name"] == "'=1+1"
    to_mark = {student: row["to mark"] for student, row in small.table().items()}
    assert to_mark == {"ada": "0", "bob": "0", "eve": "1"}
    for student in to_mark:  # a comment is shown to one student only
        for comment in ("Well said.", "Well written."):
            assert (comment in small.page(student)) == (student == "ada")


def change_gradebook(small, query, is_new=False):
    file = gradebook.place(small.course)
    if is_new:
        file.unlink()
    with contextlib.closing(sqlite3.connect(file)) as book:
        book.execute(query)
        book.commit()


NEWER = "UPDATE alembic_version SET version_num = 'ff'"
DAMAGE = {
    "a secret that is not text": (
        lambda c: (c.place / "secret").write_bytes(b"\xff" * 40),
        "secret cannot be read: a secret is a text"),
    "a gradebook that is damaged": (
        lambda c: gradebook.place(c.course).write_bytes(b"SQLite format 3\0" * 99),
        "is damaged: restore a copy"),
    "a gradebook of another program": (
        lambda c: change_gradebook(c, "CREATE TABLE assignment (x)", is_new=True),
        "was not made by this nbgrader"),
    "a gradebook of a newer nbgrader": (
        lambda c: change_gradebook(c, NEWER),
        r"made by a newer nbgrader \(revision ff is unknown to this one\)"),
    "a gradebook without some marks": (
        lambda c: change_gradebook(c, "DELETE FROM grade WHERE auto_score = 4"),
        "does not accept the marks of ada: restore a copy"),
    "a course whose name nbgrader does not support": (
        lambda c: c.words.__setitem__(c.words.index("--course") + 1, "a%20b"),
        "so choose another"),
    "no work of the roll": (
        lambda c: [path.unlink() for path in (c.place / "in").iterdir()],
        "Nothing in .* belongs to a student on the roll, so nothing was entered"),
    "another assignment": (
        lambda c: [c.hand_in(who, submissions.solution(submissions.VALUES))
                   for who in ("ada", "eve")],
        "so nothing was entered: is it the right assignment"),
    "nothing that can be read": (
        lambda c: [path.write_text("{") for path in (c.place / "in").iterdir()],
        "No notebook could be read"),
}  # fmt: skip


@pytest.mark.parametrize("what", DAMAGE)
def test_damaged_inputs_are_reported_in_one_sentence(small, what):
    damage, sentence = DAMAGE[what]
    damage(small)
    before = (small.course / submissions.GAME / "grades.csv").read_bytes()
    message = small.grade()
    assert re.fullmatch(f"grader: .*{sentence}.*", message), message
    after = (small.course / submissions.GAME / "grades.csv").read_bytes()
    assert (after == before) == ("No notebook could" not in message)


def test_storage_and_reading_errors_cost_no_points(small, capsys, monkeypatch):
    path = small.result("eve")
    path.unlink()
    path.mkdir()
    before = gradebook.place(small.course).read_bytes()
    assert "eve.json" in small.grade()
    assert gradebook.place(small.course).read_bytes() == before
    path.rmdir()
    monkeypatch.setattr(grade, "read", lambda *_: 1 / 0)
    assert "3 of 3 could not be graded" in small.grade()
    monkeypatch.undo()
    examine_nothing(monkeypatch)
    assert small.grade() is None
    assert "2 of 3 are graded already" in capsys.readouterr().out
    assert small.total() == {"ada": "19", "bob": "0", "eve": "16"}


def test_command_line_limits_reach_the_sandbox(small, monkeypatch):
    places = []

    def examine_there(pool, submission):
        places.append(pool.known[2:])
        return examined(pool.known[0], submission)

    monkeypatch.setattr(Workers, "examine", examine_there)
    more = "--cell-seconds 7 --call-seconds 8 --submission-seconds 9 --memory 100"
    assert small.grade(*more.split(), "--jobs", "1") is None
    limits = sandbox.Limits(cell_seconds=7, call_seconds=8, submission_seconds=9)
    assert places == [(limits._replace(memory=100 * 2**20), True)] * 2


def test_invalid_stored_result_is_graded_again(small):
    path = small.result("eve")
    newer = json.dumps(json.loads(path.read_text()) | {"version": 2, "seal": "new"})
    for text in ("[" * 200_000, "[1]", '{"result": 5, "seal": null}', newer, None):
        path.unlink()
        if text is None:
            os.mkfifo(path)  # reading it would block
        else:
            path.write_text(text)
        assert small.grade() is None
        assert small.total() == {"ada": "19", "bob": "0", "eve": "16"}


def test_odd_files_and_texts_do_not_stop_other_students(small, capsys):
    home = small.place / "in" / "bob"
    home.mkdir()
    odd = "\udc80\ud800\x00\x1b[31m\u202e" + "\u200d" * 99
    notebook = submissions.solution(submissions.GAME)
    submissions.write(prediction=odd, essay=odd)(notebook)
    submissions.behind("winner", f"name = {odd!r}")(notebook)
    notebook["cells"].append({"cell_type": odd, "source": odd, "id": odd})
    notebook["cells"].append({"metadata": {"nbgrader": {"grade_id": odd}}})
    (home / f"{'x' * 249}.ipynb").write_text(json.dumps(notebook))
    names = b"\xff.ipynb", b"a\nb.txt", b"\x1b]0;x\x07", b"=1+1", b"-rf", b" ", b"..."
    for name in (*names, ("文" * 84).encode()):
        with contextlib.suppress(OSError):  # some file systems reject the name
            Path(os.fsdecode(bytes(home) + b"/" + name)).write_bytes(b"{")
    os.mkfifo(home / "pipe.ipynb")
    (home / "loop").symlink_to(home)
    (home / f"{submissions.GAME}.ipynb").mkdir()
    assert small.grade() is None
    assert small.total() == {"ada": "19", "bob": "16", "eve": "16"}
    rows = f"{COLLECTED}bob,x,,,Moodle,{'文' * 84}_9_assignsubmission_file_/\n"
    (small.place / "in" / submission.TABLE).write_text(rows, encoding="utf-8")
    words = small.words[small.words.index("--assignment") :]
    assert command.main(["give-back", *words[: words.index("--secret")]]) is None
    assert command.main(["report", *words[:2], "--course", str(small.course)]) is None
    assert "1 of 3" in capsys.readouterr().out


def test_failed_feedback_page_is_reported(small, capsys, monkeypatch):
    page = feedback.page

    def failing(release, student, *rest):
        return 1 / 0 if student.id == "ada" else page(release, student, *rest)

    monkeypatch.setattr(feedback, "page", failing)
    shutil.rmtree(small.course / "feedback")
    assert small.grade() is None
    assert "NO PAGE for ada" in capsys.readouterr().out
    students = {one.name for one in (small.course / "feedback").iterdir()}
    assert students == {"bob", "eve"}
    assert small.total()["ada"] == "19"
    assert "THE GRADER FAILED" in small.table()["ada"]["notes"]


def test_feedback_page_shows_late_deduction(small):
    rows = f"{COLLECTED}ada,g,2026-10-13T12:00:00+02:00,zip,,\n"
    (small.place / "in" / submission.TABLE).write_text(rows)
    dates = small.place / "dates.toml"
    dates.write_text(
        f"[due]\n{submissions.GAME} = 2026-10-12T12:00:00+02:00\n"
        "[late]\npercent_per_day = 20\nmost_days = 1\n"
    )
    assert small.grade("--dates", str(dates)) is None
    assert "1 day late: 80% of the points count, 15.2 of 19." in small.page("ada")


def test_outdated_or_damaged_release_is_made_again(small, monkeypatch):
    file = small.course / "release" / submissions.GAME / f"{submissions.GAME}.ipynb"
    content, made = file.read_bytes(), []

    def release(*_):
        made.append(file.write_bytes(content))
        os.utime(file)
        return file

    monkeypatch.setattr(course, "release", release)
    expected = course.read_release(small.course, submissions.GAME)
    assert not made
    twice = json.loads(content)
    twice["cells"].append(submissions.cell(twice, "winner_check"))
    old, damaged = partial(os.utime, file, (1, 1)), partial(file.write_text, "[7]")
    doubled = partial(file.write_text, json.dumps(twice))
    for n, damage in enumerate((old, damaged, doubled, file.unlink)):
        damage()
        assert course.read_release(small.course, submissions.GAME) == expected
        assert len(made) == n + 1


def test_marks_are_empty_while_the_grader_fails(small, monkeypatch):
    def failing(*_):
        raise RecursionError("too deep")

    examine_by(monkeypatch, failing)
    assert "2 of 3 could not be graded, for example ada: " in small.grade("--again")
    row = small.table()["ada"]
    assert (row["status"], row["winner"], row["essay"]) == ("not graded", "", "3")
    assert "THE GRADER FAILED: RecursionError: too deep" in row["notes"]
    assert (small.table()["bob"]["total"], small.table()["eve"]["total"]) == ("0", "")
    assert small.page("eve").count("to be marked") == 6
    examine_by(monkeypatch, examined)
    assert small.grade() is None
    assert small.total() == {"ada": "19", "bob": "0", "eve": "16"}


def test_gradebook_entry_is_one_transaction(small, monkeypatch):
    open_ = gradebook._open  # by default it waits for five seconds
    monkeypatch.setattr(gradebook, "_open", lambda file: open_(f"{file}?timeout=0"))
    file = gradebook.place(small.course)
    with contextlib.closing(sqlite3.connect(file)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert "is in use by another program: close that program." in small.grade()
    assert small.grade() is None
    before = file.read_bytes()
    monkeypatch.setattr(gradebook, "without_tags", lambda name: name or 1 / 0)
    (small.place / "roll.csv").write_text("id,name\nzoe,Zoe\nada,Ada\nbob,\n")
    with pytest.raises(ZeroDivisionError):
        small.grade()
    assert file.read_bytes() == before


def test_lost_gradebook_is_reported_and_old_table_kept(small, capsys):
    assert small.grade() is None
    old = small.course / submissions.GAME / "grades.csv"
    content, kept = old.read_bytes(), old.with_name("grades.1.csv")
    gradebook.place(small.course).write_bytes(b"")
    assert small.grade() is None
    output = capsys.readouterr().out
    assert "NEW GRADEBOOK" in output
    assert f"KEPT: {kept}" in output
    assert kept.read_bytes() == content
    assert small.total() == {"ada": "16", "bob": "0", "eve": "16"}
    assert small.grade() is None
    assert "KEPT" not in capsys.readouterr().out


def test_questions_cannot_change_after_marks_exist(small, monkeypatch):
    notebook = submissions.solution(submissions.GAME)
    submissions.delete("can_occur", "can_occur_check")(notebook)
    source = small.place / "source" / submissions.GAME / f"{submissions.GAME}.ipynb"
    source.parent.mkdir(parents=True)
    source.write_text(json.dumps(notebook))
    monkeypatch.setattr(course, "SOURCE", small.place / "source")
    assert "cannot add or remove its cells" in small.grade()
    monkeypatch.undo()
    examine_nothing(monkeypatch)
    assert small.grade() is None
    assert small.total() == {"ada": "19", "bob": "0", "eve": "16"}


class Process:
    """Fake Student: cells run in this process, and `gone()` makes it die."""

    def __init__(self, limits, called):
        self.limits, self.names, self.ran = limits, {"gone": self.gone}, []
        self.called = called

    def gone(self, reason="crashed"):
        raise sandbox.ProcessDied(reason)

    def run(self, source):
        self.ran.append(source)
        done = self.answer(lambda: exec(source, self.names))
        return done if done["error"] else None

    def call(self, name, args):
        self.called.append(name)
        if name not in self.names:
            return {"error": runner.UNDEFINED, "line": 0}
        return self.answer(lambda: self.names[name](*args), line=3)

    def answer(self, work, line=0):
        try:
            return {"value": work(), "error": None}
        except sandbox.ProcessDied:
            raise
        except Exception as error:
            return {"error": str(error) or type(error).__name__, "line": line}


RIGHT = {
    "one": "def one(x):\n    return x",
    "two": "def two(x):\n    return one(x) + one(x)",
    "four": "def four(x):\n    return two(x) + two(x)",
}


class FakeExam:
    """Fake examination of `answers`, with the fake students it started and called."""

    def __init__(self, answers, text="A text.", **limits):
        self.limits, self.processes = sandbox.Limits(**limits), []
        three = [Case("", False, (n,)) for n in (1, 2, 3)]
        self.cases = dict.fromkeys(RIGHT, three)
        self.right, self.given, self.called = RIGHT, {}, []
        kinds = dict.fromkeys(RIGHT, "answer") | {"essay": "essay"}
        cells = (course.ReleaseCell("", name, kinds[name], "...") for name in kinds)
        asked = (course.Question(*[name] * 4, 2, "", "") for name in RIGHT)
        parts = tuple(cells), tuple(asked), (course.Essay("essay", 3, ""),), (), {}
        self.release = course.Release("fake", "Fake", *parts)
        cells = tuple(submission.Cell(*pair) for pair in (RIGHT | answers).items())
        self.submission = submission.Submission("", (), cells, {"essay": text}, "")

    def student(self):
        self.processes.append(Process(self.limits, self.called))
        return contextlib.nullcontext(self.processes[-1])

    def judge(self, question, answers):
        """Judge as a Questionnaire does."""
        times = {"one": 1, "two": 2, "four": 4}[question.name]
        self.given[question.name] = answers
        right = [
            answer == times * case.args[0] and not isinstance(answer, Failed)
            for answer, case in zip(answers, self.cases[question.name], strict=True)
        ]
        return Verdict(tuple(right), float(all(right)), (), "", "")

    def result(self):
        return grading.examine(self.release, self.submission, self, self)


FULL = {"one": 2, "two": 2, "four": 2}


def without(*names):
    return {name: 0 if name in names else FULL[name] for name in FULL}


WRONG = "def one(x):\n    return 0"
HUNGRY = "def one(x):\n    raise MemoryError"
DOWN = "def {0}(x):\n    gone('timed out')"


@pytest.mark.parametrize(
    ("answers", "scores", "status", "named"),
    [
        ({}, FULL, "graded", ()),
        ({"one": WRONG}, without("one"), "graded", ()),
        ({"one": WRONG, "two": "two = one"}, without("one", "two"), "graded", ()),
        ({"four": ""}, without("four"), "graded", ()),
        ({"one": WRONG, "two": DOWN.format("two") + "; one(x)"}, without("one", "two"),
         "timed out", ("two",)),
        ({"one": DOWN.format("one")}, without("one"), "timed out", ("one", "timed")),
        ({"four": DOWN.format("four")}, without("four"), "timed out", ("four",)),
        ({"four": "four = gone()"}, without("four"), "crashed", ("four",)),
        ({"mine": "gone()"}, FULL, "crashed", ("crashed",)),
        ({"one": HUNGRY}, without("one"), "crashed", ("one", grading.OUT_OF_MEMORY)),
        ({"mine": "raise MemoryError"}, FULL, "crashed", (grading.OUT_OF_MEMORY,)),
    ],
)  # fmt: skip
def test_errors_and_crashes_cost_points_once(answers, scores, status, named):
    exam = FakeExam(answers)
    result = exam.result()
    assert result["scores"] == scores
    assert result["status"] == status
    assert set(result["questions"]) == set(FULL)
    for name in result["questions"]:
        assert len(exam.given[name]) == len(exam.cases[name])
    assert all(any(word in note for note in result["notes"]) for word in named)
    assert bool(result["notes"]) == bool(named)


def test_stopped_cells_and_library_use_are_reported():
    asking = {"one": f"from ttt_lib import rules\n{RIGHT['one']}"}
    (note,) = FakeExam(asking).result()["look"]
    assert {"one", "rules"} <= {*re.findall(r"\w+", note)}
    reports = FakeExam({"two": "def two(x):\n    return 1 / 0"}).result()["questions"]
    assert (reports["two"]["why"], reports["two"]["line"]) == ("division by zero", 3)
    stops = "\n1 / 0\n"
    for two, stopped in (
        (stops + RIGHT["two"], "division by zero"),
        (RIGHT["two"] + stops, ""),
        ("", ""),
    ):
        reports = FakeExam({"two": two}).result()["questions"]
        assert [each["stopped"] for each in reports.values()] == ["", stopped, ""]


def test_measures_of_a_training_match_the_visible_check(monkeypatch):
    source = "def one(board):\n    return 1, 7 + sum(board)"
    exam = FakeExam({"one": source})
    first, *others = exam.release.questions
    asked = (first._replace(training="alpha_beta"), *others)
    exam.release = exam.release._replace(questions=asked)
    exam.judge = lambda question, answers: Verdict((), 0.5, (), "", "")
    reports = exam.result()["questions"]
    exec(source, names := {})
    cases = exam.cases["one"][:2]  # a third changes no median
    visible = run_cases(training.trained("alpha_beta", names["one"]), cases, 60)
    measured = json.loads(json.dumps(reports["one"]["measured"]))
    assert [*map(feedback.measured, measured)] == [*map(report._measures, visible)]
    assert reports["two"]["measured"] == []
    monkeypatch.setattr(training, "MAX_SECONDS", 0)
    result = exam.result()
    assert result["status"] == "timed out"
    note = "the function one timed out: one training takes longer than 0 seconds"
    assert result["notes"] == [note]
    assert result["questions"]["one"]["measured"] == [note.partition(": ")[2]]


def test_crashing_cell_is_reduced_to_its_definitions():
    exam = FakeExam({"two": f"{RIGHT['two']}\ngone()"})
    assert exam.result()["scores"] == FULL
    assert "gone()" in exam.processes[0].ran[-1]
    assert not any("gone()" in cell for cell in exam.processes[1].ran)
    helpless = FakeExam({"two": "class Two:\n    gone()\n" + RIGHT["two"]})
    assert helpless.result()["scores"] == without("two")
    assert not any("Two" in cell for cell in helpless.processes[2].ran)
    for restarts in (0, 2):  # the number of restarts is limited
        exam = FakeExam(dict.fromkeys((*RIGHT, "mine"), "gone()"), restarts=restarts)
        result = exam.result()
        assert len(exam.processes) == restarts + 1
        assert set(result["scores"].values()) == {0}
        assert len(result["notes"]) == restarts + 2


def test_empty_text_gets_no_points_and_other_texts_wait():
    def examined(text, answers=None, drawing=False, picture=""):
        exam = FakeExam({}, text)
        essay = exam.release.essays[0]._replace(drawing="drawing" * drawing)
        exam.release = exam.release._replace(essays=(essay,))
        given = exam.submission.answers if answers is None else answers
        exam.submission = exam.submission._replace(answers=given, picture=picture)
        result = exam.result()
        return result["blank"], result["scores"].get("essay")

    for text in ("", " \n", "..."):
        assert examined(text) == (["essay"], 0)
    assert examined("A text.") == examined("", answers={}) == ([], None)
    assert examined("", drawing=True) == (["essay"], 0)
    assert examined("", drawing=True, picture=submissions.png()) == (["essay"], None)


def test_untouched_notebook_is_noted():
    untouched = dict.fromkeys(RIGHT, "...\n")
    drawn, notes = FakeExam(untouched, ""), ["no answer was written"]
    drawn.submission = drawn.submission._replace(picture=submissions.png())
    assert FakeExam(untouched, "").result()["notes"] == notes
    for exam in (FakeExam({}, ""), FakeExam(untouched), drawn):
        assert exam.result()["notes"] != notes


def test_untouched_function_gets_no_hint():
    exam = FakeExam({"two": "...", "four": "four = 1 / 0"})
    judge = exam.judge
    exam.judge = lambda *asked: judge(*asked)._replace(hint="a hint")
    result = exam.result()
    reports = [result["questions"][name] for name in RIGHT]
    assert [one["begun"] for one in reports] == [True, False, True]
    assert [one["hint"] for one in reports] == ["a hint", "", "a hint"]
    assert result["notes"] == ["the cell four ended with division by zero"]


@pytest.fixture(scope="module")
def student():
    limits = sandbox.Limits(cell_seconds=60, call_seconds=60)
    with (
        sandbox.Sandbox(limits, not sandbox.isolation()) as place,
        place.student() as running,
    ):
        yield running


def value_of(student, name):
    """Return the value of a global name in a student's process."""
    student.run("def value_of(name):\n    return globals()[name]")
    return student.call("value_of", [name])["value"]


def test_answers_are_plain_data(student):
    student.run("class Odd(int):\n    pass\nvalues = lambda: {'a': (1, {2})}\nodd = 3")
    assert student.call("values", [])["value"] == [["a", [1, [2]]]]
    assert student.call("Odd", [3])["error"] == "ValueError"
    assert student.call("none", [])["error"] == "it is not defined"
    assert student.call("odd", [1])["error"] == "TypeError"


def test_errors_report_line_and_only_builtin_names(student):
    student.run("def helper(x):\n    return 1 // x")
    # Leading empty lines are not counted.
    student.run("\n\ndef f(x):\n    y = 1\n    return helper(x)")
    assert student.call("f", [0]) == {"error": "ZeroDivisionError", "line": 3}
    assert student.call("helper", [0]) == {"error": "ZeroDivisionError", "line": 2}
    student.run("g = int")
    assert student.call("g", ["x"]) == {"error": "ValueError", "line": 0}
    for cell, error, line in (
        ("x = 1\nint('x')\n", "ValueError", 2),
        ("def h(x):\n    return 1 // x\n\nh(0)", "ZeroDivisionError", 4),
        ("x = 1\ndef f(:\n    pass", "SyntaxError", 2),
        ("import json\njson.loads('{')", sandbox.OWN, 2),
    ):
        assert student.run(cell) == {"error": error, "line": line}
    for more in ("{}", "{'__module__': 'builtins'}"):
        raising = f"raise type('secret', (Exception,), {more})"
        assert student.run(raising) == {"error": sandbox.OWN, "line": 1}
        student.run(f"def f(x):\n    {raising}")
        assert student.call("f", [17]) == {"error": sandbox.OWN, "line": 2}


def test_answers_of_other_forms_are_ignored(monkeypatch):
    student = begun()
    student.end = float("inf")
    monkeypatch.setattr(sandbox.secrets, "token_hex", lambda _: "7")
    monkeypatch.setattr(student, "_send", lambda *_: None)
    others = {"error": "x"}, {"order": "7"}, {"order": "7", "value": 1, "scores": 9}

    def asked(**answer):
        lines = *others, {"order": "7"} | answer
        monkeypatch.setattr(student, "_answers", lambda _: iter(lines))
        return student.call("f", [])

    for odd in ("secret", None, ["ValueError"]):
        assert asked(error=odd) == {"error": sandbox.OWN, "line": 0}
    for odd, line in ((7, 7), (10**9, 0), (-1, 0), (True, 0), ("7", 0), ([7], 0)):
        given = asked(error="ValueError", line=odd)
        assert given == {"error": "ValueError", "line": line}
    assert asked(value=3, changed=0) == {"value": 3}  # there are no arguments


def test_student_process_has_priority_limits_and_no_streams(student):
    student.run(
        "import os, resource\nrank = os.getpriority(os.PRIO_PROCESS, 0)\n"
        "null = os.stat(os.devnull).st_rdev\n"
        "streams = [os.fstat(stream).st_rdev == null for stream in (0, 1, 2)]\n"
        "def limit(name): return resource.getrlimit(getattr(resource, name))"
    )

    assert value_of(student, "rank") == student.sandbox.rank
    assert value_of(student, "streams") == [True] * 3
    memory, files = student.limits.memory, student.limits.file_size
    for name, most in (("AS", memory), ("FSIZE", files), ("CORE", 0), ("NOFILE", 128)):
        hard = resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        assert student.call("limit", [f"RLIMIT_{name}"])["value"] == [most, most], name


def test_answer_length_is_limited():
    shell = SimpleNamespace(user_ns={"x": lambda: 5})
    for more, expected in (
        (0, {"value": 5, "changed": -1}),
        (1, {"error": runner.TOO_LONG}),
    ):
        answer = "x" * (runner.MAX_ANSWER + more)
        functions = int, lambda *_: -1, list, lambda _, answer=answer: answer
        assert runner.obey(shell, {"name": "x", "args": []}, *functions) == expected


def test_sandbox_contains_only_python_and_library(student):
    if reason := sandbox.isolation():
        pytest.skip(f"ISOLATION IS NOT TESTED: {reason}")
    student.run(
        "import os, pathlib, socket\n"
        f"root = sorted(os.listdir({str(common.ROOT)!r}))\n"
        f"assignments = {str(common.ROOT / 'assignments')!r}\n"
        "inside = [f'{assignments}/{name}' for name in ('source', 'questions')]\n"
        "hidden = [os.path.exists(path) for path in inside]\n"
        "from ttt_lib import check\nvisible = list(check.QUESTIONS)\n"
        "def write(place):\n    pathlib.Path(place).write_text('x')\n"
        "def ask(port):\n    socket.create_connection(('127.0.0.1', port), 9)\n"
        "processes = len([p for p in os.listdir('/proc') if p.isdigit()])\n"
        "user = os.getuid()"
    )
    assert set(value_of(student, "root")) <= {"ttt_lib", ".venv", "assignments"}
    assert value_of(student, "hidden") == [False] * 2
    assert value_of(student, "visible") == list(check.QUESTIONS)
    assert value_of(student, "processes") <= 3
    assert value_of(student, "user") == 65534
    for place in (str(common.ROOT / "ttt_lib" / "rules.py"), "/usr/x"):
        assert student.call("write", [place])["error"] in ("OSError", "PermissionError")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        socket.create_connection(("127.0.0.1", port), 9).close()  # possible outside
        error = student.call("ask", [port])["error"]
    assert error in ("OSError", "ConnectionRefusedError")


DENIED, ALLOWED, PRETENDED = 0x00050001, 0x7FFF0000, 0x00050000  # errno 1, -, 0
MACHINES = {"x86_64": (0xC000003E, 72), "aarch64": (0xC00000B7, 25)}  # number, fcntl
# Names of calls with their numbers on each machine, from the headers of Linux.
CALLS = """
chmod 90 -, fchmod 91 52, fchmodat 268 53, fchmodat2 452 452, setxattr 188 5,
lsetxattr 189 6, fsetxattr 190 7, setxattrat 463 463, add_key 248 217,
request_key 249 218, keyctl 250 219, ptrace 101 117, process_vm_readv 310 270,
process_vm_writev 311 271, shmget 29 194, semget 64 190, msgget 68 186,
memfd_create 319 279, memfd_secret 447 447, pidfd_getfd 438 438, io_uring_setup 425 425
"""


def filtered(program, machine, call, second):
    """Return the action of a seccomp filter for a system call of a machine."""
    seen, held, at = {0: call, 4: machine, 24: second}, 0, 0
    steps = [*struct.iter_unpack("HBBI", program)]
    while True:
        step, yes, no, value = steps[at]
        if step == 0x06:  # return
            return value
        if step == 0x20:  # load
            held, yes, no = seen[value], 0, 0
        holds = held >= value if step == 0x35 else held == value
        at += 1 + (yes if holds else no)


@pytest.mark.parametrize("name", MACHINES)
def test_seccomp_filter_blocks_listed_system_calls(name):
    rows = [row.split() for row in CALLS.split(",")]
    column = 1 + [*MACHINES].index(name)
    numbers = {row[0]: int(row[column]) for row in rows if row[column] != "-"}
    (machine, fcntl), program = MACHINES[name], seccomp.program(name)
    for call in set(range(500)) - {*numbers.values(), fcntl}:
        assert filtered(program, machine, call, 1024) == ALLOWED
    for called, call in numbers.items():
        action = PRETENDED if called.startswith(("chmod", "fchmod")) else DENIED
        assert filtered(program, machine, call, 0) == action
        assert filtered(program, machine, call + (1 << 30), 0) == DENIED  # of x32
        assert filtered(program, machine + 1, call, 0) == DENIED
    for second in (1023, 1024, 1025):  # 1024 is F_SETLEASE
        expected = DENIED if second == 1024 else ALLOWED
        assert filtered(program, machine, fcntl, second) == expected


def test_unknown_architecture_has_no_syscall_filter():
    assert seccomp.program("an unknown machine") == b""
    assert seccomp.program() == seccomp.program(platform.machine())


def test_leases_modes_and_keys_are_blocked(student):
    if reason := sandbox.isolation():
        pytest.skip(f"ISOLATION IS NOT TESTED: {reason}")
    student.run(
        "import ctypes, fcntl, os\nopen('own', 'w').close()\nown = os.open('own', 0)\n"
        "def lease():\n    return fcntl.fcntl(own, 1024, fcntl.F_WRLCK)\n"
        "def mode():\n    os.chmod('own', 0)\n    return os.stat('own').st_mode % 8\n"
        "def key(call):\n    return ctypes.CDLL(None).syscall(call, 0, -3, 0)\n"
        "def system():\n    open('/proc/self/oom_score_adj', 'w')\n"
        "def devices():\n"
        "    open('/dev/null', 'w').write('x')\n    open('/dev/urandom').close()\n"
    )
    assert student.call("system", [])["error"] == "OSError"  # read-only
    assert student.call("devices", []) == {"value": None}
    if seccomp.program():
        assert student.call("lease", [])["error"] == "PermissionError"
        assert student.call("mode", [])["value"] == 4
        keyctl = {"x86_64": 250, "aarch64": 219}[os.uname().machine]
        assert student.call("key", [keyctl])["value"] == -1


FLOOD = "import os\nwhile True: os.write(4, b'7\\n' * 9999)"


def test_flooding_or_not_reading_process_times_out():
    limits = sandbox.Limits(cell_seconds=0.5)
    with (
        sandbox.Sandbox(limits, not sandbox.isolation()) as place,
        place.student() as student,
    ):
        for cell in (FLOOD, "#" * 10**6):  # more than a pipe holds
            with pytest.raises(sandbox.ProcessDied, match="timed out"):
                student.run(cell)


def begun():
    """Return a Student without a process."""
    student = object.__new__(sandbox.Student)
    student.limits, student.process = sandbox.Limits(), SimpleNamespace()
    student.buffer, student.weighed = b"", float("inf")
    return student


def test_output_is_read_up_to_a_maximum_length(tmp_path, monkeypatch):
    student = begun()
    (tmp_path / "out").write_bytes(b'{"order": 1}\n[2]\nno JSON\n' + b"x" * 500_000)
    with (tmp_path / "out").open("rb", buffering=0) as out:
        student.process.stdout = out
        answers = student._answers(time.monotonic() + 5)
        assert next(answers) == {"order": 1}
        monkeypatch.setattr(sandbox, "MAX_ANSWER_BYTES", 1000)
        with pytest.raises(sandbox.ProcessDied, match="crashed"):
            next(answers)
        assert len(student.buffer) < 200_000


def test_limits_match_teaching_guide():
    limits = sandbox.Limits()
    guide = (common.ROOT / "book" / "teaching.md").read_text("utf-8")
    cell, call = limits.cell_seconds, limits.call_seconds
    trained, minutes = training.MAX_SECONDS, limits.submission_seconds / 60
    for sentence in (
        f"over {cell:g} seconds for a cell, {call:g} for a call of a function, "
        f"{trained} for a training with one seed, {minutes:g} minutes for everything",
        f"{limits.memory / 2**30:g} GB for each process",
        f"stopped at {limits.disk >> 20} MB, which are memory",
        f"and at {sandbox.FILES:,} files",
        f"no file over {limits.file_size >> 20} MB",
        f"stopped at {limits.processes}; if you grade as root, at about 500",
    ):
        assert sentence in guide
    assert (sandbox.MANY * limits.processes, sandbox.WEIGHING) == (512, 1 / 4)


def test_fingerprint_changes_with_grader_code(monkeypatch):
    changed = set()
    content = lambda path: b"x" * (path.stem in changed)  # noqa: E731
    monkeypatch.setattr(grade.Path, "read_bytes", content)

    def fingerprint(*names):
        changed.clear()
        changed.update(names)
        release = source_release(submissions.GAME)
        return grade._fingerprint_of_grader(release, "secret", None, "")

    before = fingerprint()
    assert fingerprint() == before
    for name in ("grading", "minimax", "judge", "rules"):
        assert fingerprint(name) != before, name
