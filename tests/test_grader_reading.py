"""Reading of submissions in all forms, without missing any text in them."""

import copy
import json
import os
import re
import tracemalloc
from contextlib import nullcontext
from functools import cache
from types import SimpleNamespace

import pytest
import submissions

from assignments.grader import __main__ as command
from assignments.grader import course, grade, grading, sandbox, work
from assignments.grader.grading import nothing
from assignments.grader.submission import read_file
from ttt_lib.check import __main__ as check
from ttt_lib.check import notebook as reading
from ttt_lib.check import report
from ttt_lib.check.shell import Shell

DRAWN = "assignment_td"
SOLUTION = re.compile(r"^( *)### BEGIN SOLUTION.*?### END SOLUTION$", re.M | re.S)
FILE = f"{submissions.GAME}.ipynb"
HEAD = "id,file,time,time of,platform,named\n"


@cache
def released(name=submissions.GAME):
    """Return the Release of an assignment, made without nbgrader."""
    notebook = submissions.solution(name)
    for cell in notebook["cells"]:
        source = SOLUTION.sub(rf"\1{course.STUB}", "".join(cell["source"]))
        cell["source"] = source
    return course.of_notebook(name, notebook)


def blank(name=submissions.GAME):
    """Return the notebook of an assignment as students get it."""
    return copy.deepcopy(released(name).notebook)


def added(source, kind="markdown", **more):
    """Return a cell added by a student."""
    return {"cell_type": kind, "metadata": {}, "source": source} | more


def place_of(notebook, grade_id):
    return notebook["cells"].index(submissions.cell(notebook, grade_id))


def insert(grade_id, cell, offset=1):
    """Return a change that inserts a cell at an offset from a cell."""

    def change(notebook):
        notebook["cells"].insert(place_of(notebook, grade_id) + offset, cell)

    return change


def append(cell):
    return lambda notebook: notebook["cells"].append(cell)


def edit(grade_id, source, offset=0, kind=None):
    """Return a change that replaces the source of a cell, or adds to one nearby."""

    def change(notebook):
        cell = notebook["cells"][place_of(notebook, grade_id) + offset]
        cell["source"] = f"{cell['source']}\n\n{source}" if offset else source
        cell["cell_type"] = kind or cell["cell_type"]

    return change


def hand_in(folder, notebook, name=FILE):
    """Write a notebook into a folder; return [folder]."""
    if notebook is not None:
        (folder / name).write_text(json.dumps(notebook), encoding="utf-8")
    return [folder]


IDLE = SimpleNamespace(run=lambda source: None, end=0.0)
NOWHERE = SimpleNamespace(
    limits=sandbox.Limits(), student=lambda: nullcontext(IDLE), restarts=0
)


def examined(places, release):
    """Return (scores of texts, notes, answers) of a submission; no code runs."""
    submission = work.read(places, release, "ada")
    texts_alone = release._replace(questions=())
    result = grading.examine(texts_alone, submission, None, NOWHERE)
    return result["scores"], result["notes"], submission.answers


PICTURE = {"output_type": "display_data", "data": {"image/png": "AA=="}, "metadata": {}}
TEXT = "Because X moves first."
ELSEWHERE = {
    "below its cell": insert("essay", added(TEXT)),
    "above its cell": insert("essay", added(TEXT), 0),
    "at the beginning": lambda notebook: notebook["cells"].insert(0, added(TEXT)),
    "as a comment": append(added("# Because X", "code")),
    "in a variable": append(added(f"answer = '{TEXT}'", "code")),
    "as a code cell that is not code": append(added(TEXT, "code")),
    "one number in code below": insert("prediction", added("5478", "code")),
    "as a raw cell": append(added(TEXT, "raw")),
    "in the question's cell": edit("essay", TEXT, -1),
    "given cell deleted": submissions.both(
        insert("essay", added(TEXT)), submissions.delete("essay")
    ),
    "a picture without words": append(added("", attachments={"a.png": {}})),
    "a picture that a cell shows": append(added("show()", "code", outputs=[PICTURE])),
    "in the cell of another text": edit("prediction", f"16. {TEXT}"),
    "in a cell of code as comments": edit("winner", "# " + "word " * 30),
    "in a check's cell": edit("winner_check", '"""' + "word " * 30 + '"""'),
    "in a cell of code turned into text": edit("winner", TEXT, kind="markdown"),
}


@pytest.mark.parametrize("where", ELSEWHERE)
def test_text_outside_its_cell_waits_for_a_person(where, tmp_path):
    notebook = blank()
    ELSEWHERE[where](notebook)
    scores, notes, answers = examined(hand_in(tmp_path, notebook), released())
    text = "prediction" if where == "one number in code below" else "essay"
    assert text not in scores
    if where != "given cell deleted":  # the new cell is exactly in its place
        assert any(f"the text {text} " in note for note in notes)
    if TEXT in json.dumps(notebook):  # the person who marks it sees it
        assert TEXT in answers.get(text, "")


BADGE = (
    '<a href="https://colab.research.google.com/github/x" target="_parent">'
    '<img src="https://colab.research.google.com/assets/colab-badge.svg" '
    'alt="Open In Colab"/></a>'
)


def test_unwritten_texts_get_no_points(tmp_path):
    notebook = blank()
    submissions.both(
        edit("essay", "*Write\xa0here.* \r\n"),
        edit("prediction", ""),
        append(added("  \n")),
        append(added("x = 1\nwinner([0] * 9)", "code")),
        insert("winner", added("%timeit 1 + 1", "code")),
        append(added("*Write here.*")),
        edit("winner", submissions.STUB),
        lambda notebook: notebook["cells"].insert(0, added(BADGE)),
    )(notebook)
    scores, notes, _ = examined(hand_in(tmp_path, notebook), released())
    assert (scores["prediction"], scores["essay"]) == (0, 0)
    assert not any("a person" in note for note in notes)


def test_text_split_over_cells_is_joined(tmp_path):
    notebook = blank()
    first = submissions.cell(notebook, "essay")
    first["source"] = "The first half."
    second = copy.deepcopy(first) | {"source": "The second half.", "id": "x"}
    insert("essay", second)(notebook)
    insert("prediction", added("Below."))(notebook)
    insert("prediction", added("Above."), 0)(notebook)
    submissions.cell(notebook, "prediction")["source"] = "In it."
    append(added("And at the end."))(notebook)
    _, notes, answers = examined(hand_in(tmp_path, notebook), released())
    assert answers["essay"] == "The first half.\n\nThe second half."
    assert answers["prediction"] == "Above.\n\nIn it.\n\nBelow."
    assert any("more text is in" in note for note in notes)


# Line ends and blanks

BLANKS = {
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "blanks": lambda text: f"\n{text}\n\n".replace("\n", " \t\n"),
    "no-break spaces": lambda text: text.replace(" ", "\xa0"),
    "a byte order mark": lambda text: "\ufeff" + text,
    "in parts": lambda text: text.splitlines(keepends=True),
}


@pytest.mark.parametrize("form", BLANKS)
def test_invisible_changes_are_not_answers(form, tmp_path):
    def read(notebook):
        hand_in(tmp_path, notebook, "0")
        return read_file(tmp_path / "0", released(DRAWN))

    untouched = read(blank(DRAWN))
    for marks in (True, False):
        notebook = blank(DRAWN)
        for cell in notebook["cells"]:
            cell["source"] = BLANKS[form]("".join(cell["source"]))
            cell["metadata"] = cell["metadata"] if marks else {}
        submission = read(notebook)
        assert (submission.problem, submission.texts) == ("", ())
        assert work._done(submission, released(DRAWN)) == 0
        assert len(submission.cells) == len(untouched.cells)
        assert all("changed" not in note for note in submission.notes)
        if form in ("CRLF", "a byte order mark"):
            assert submission.answers == untouched.answers


def test_changed_indentation_is_an_answer(tmp_path):
    notebook = blank()
    source = submissions.cell(notebook, "can_occur")["source"]
    edit("can_occur", source.replace("\n    ", "\n        "))(notebook)
    submission = work.read(hand_in(tmp_path, notebook), released(), "ada")
    assert work._done(submission, released()) == 1


# Which file counts

SOLVED = json.dumps(submissions.solution(submissions.GAME), ensure_ascii=False)
ENCODINGS = "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_notebook_is_found_by_content_not_by_suffix(encoding, tmp_path):
    names = ("work", f"{FILE}.txt", FILE.upper(), f"{FILE}.json")
    name = names[ENCODINGS.index(encoding) % len(names)]
    places = hand_in(tmp_path, None)
    (tmp_path / name).write_bytes(f"\n \r\n\t{SOLVED}".encode(encoding))
    for readable in (1, 2):
        submission = work.read(places, released(), "ada")
        assert not submission.problem
        assert work._done(submission, released()) >= 4
        assert any("2 notebooks" in note for note in submission.notes) == (
            readable == 2
        )
        assert not any(note.startswith("repaired") for note in submission.notes)
        hand_in(tmp_path, blank())


def test_empty_texts_wait_if_there_are_other_files(tmp_path):
    for number, (name, content) in enumerate(
        {
            "scan.JPG": b"\xff",
            "a" * 200 + ".txt": b"My text.",
            "other.ipynb": b"{cut off",
            "texts.ipynb": json.dumps({"cells": [added(TEXT)]}).encode(),
            os.fsdecode(b"\xff.pdf"): b"%PDF",
        }.items()
    ):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        (folder / name).write_bytes(content)
        scores, notes, answers = examined(hand_in(folder, blank()), released())
        assert scores == {}
        shown = name.encode(errors="replace").decode()[:60]
        assert any(note.startswith(f"also handed in: {shown}") for note in notes)
        assert shown in answers["essay"]


def test_texts_in_a_second_notebook_wait(tmp_path):
    answered, written = blank(), blank()
    for question in released().questions:
        edit(question.answer_id, f"{question.name} = 1")(answered)
    edit("essay", TEXT)(written)
    places = hand_in(tmp_path, answered)
    hand_in(tmp_path, blank(), "copy.ipynb")
    assert examined(places, released())[0] == {"prediction": 0, "essay": 0}
    hand_in(tmp_path, written, "texts.ipynb")
    assert examined(places, released())[0] == {}


# Bounds


def test_huge_json_is_rejected_before_filling_memory():
    content = b'{"cells": [' + b"[]," * 5_000_000 + b"[]]}"
    tracemalloc.start()
    try:
        with pytest.raises(reading.UnreadableError, match="1,000,000 values"):
            reading.cells_of(content)
        assert tracemalloc.get_traced_memory()[1] < 4 * len(content)
    finally:
        tracemalloc.stop()


def test_long_code_is_rejected_and_long_text_truncated(tmp_path):
    for kind in ("code", "markdown"):
        notebook = submissions.solution(submissions.GAME)
        append(added("x is 1\r\n" * 800_000, kind))(notebook)
        submission = work.read(hand_in(tmp_path, notebook), released(), "ada")
        note = "its code has more than 5,000,000 characters"
        assert (note in submission.notes) == (kind == "code")
        assert sum(len(text) for _, text in submission.texts) < 200_000


def test_reading_of_one_student_is_limited_and_best_name_first(tmp_path, monkeypatch):
    monkeypatch.setattr(work, "MAX_BYTES", 3 * len(SOLVED))
    for number in range(5):
        (tmp_path / f"{number}.ipynb").write_text(json.dumps(blank()) + " " * 99_999)
    hand_in(tmp_path, submissions.solution(submissions.GAME))
    (tmp_path / "too_large.ipynb").write_text("x")
    os.truncate(tmp_path / "too_large.ipynb", 2**40)
    submission = work.read([tmp_path], released(), "ada")
    assert work._done(submission, released()) >= 4
    assert "1.ipynb" in submission.notes[-1]
    opened, read = [], work.submission.read_file
    monkeypatch.setattr(
        work.submission,
        "read_file",
        lambda *arguments: opened.append(arguments) or read(*arguments),
    )
    deep = tmp_path.joinpath("many", *"d" * 21)
    deep.mkdir(parents=True)
    for number in range(60):
        (tmp_path / "many" / f"{number}.ipynb").write_text("{}")
    submission = work.read([tmp_path / "many"], released(), "ada")
    assert len(opened) == 50
    assert "folders over 20 deep were not opened" in submission.notes
    assert work.files_in([deep.parent])[1] == []


# What a file is

STRANGE = {
    b"\xef\xbb\xbf": "is empty",
    b"\xef\xbb\xbf\n <html>": "is a web page",
    "<html>".encode("utf-16"): "is a web page",
    b"version https://git-lfs.github.com/spec/v1": "pointer of Git LFS",
    b"PK\x03\x04\0\0": "is a zip",
    b"%PDF-1.7": "is a PDF",
    b"\xff\xd8\xff\xe0": "is a picture",
    b"{\\rtf1\\ansi {": "a text of a word processor",
    '{"cells": ["é"]}'.encode("cp1252"): "not in UTF-8",
    b'{"cells": [': "cut off or damaged",
    b'{\n<<<<<<< HEAD\n"a"\n=======\n>>>>>>> b': "conflict markers of Git",
    b"def winner(board):": "is a text",
    b'{"cells": [7]}': "JSON, but not a notebook of version 4",
    b'{"nbformat": 3, "worksheets": []}': "JSON, but not a notebook of version 4",
    b"[" * 10**5: "cut off or damaged|is a text",
    b'{"a":' * 10**5: "cut off or damaged",
}


def test_grader_and_check_describe_unreadable_files_alike(tmp_path):
    file = tmp_path / FILE
    for content, sentence in STRANGE.items():
        file.write_bytes(content)
        submission = work.read([tmp_path], released(), "ada")
        assert submission.problem == "unreadable"
        (note,) = submission.notes
        assert re.search(sentence, note)
        assert check.main([str(file)]).endswith(note)


ODD = (
    {"cell_type": "code", "metadata": {}},
    added(None, "code"),
    added(7, "code"),
    added([None, 7, "x = 1"], "code"),
    {"cell_type": "markdown", "source": "x"},
    added("x", metadata=[]),
    added("x", metadata={"nbgrader": None}),
    added("x = 1", "code", outputs=None),
    added("x = 1", "code", outputs=[7, {}, {"data": 7}]),
    {"source": "x"},
)


def test_malformed_cells_stop_neither_grader_nor_check(tmp_path, monkeypatch):
    notebook = submissions.solution(submissions.GAME)
    notebook["cells"][3:3] = ODD
    submission = work.read(hand_in(tmp_path, notebook), released(), "ada")
    assert not submission.problem
    assert work._done(submission, released()) >= 4
    ran = ran_by_check(monkeypatch, tmp_path / FILE)
    assert [source for source in ran if "def winner" in source]


def ran_by_check(monkeypatch, file, *names):
    """Return the cells that `python -m ttt_lib.check` would run."""
    ran = []
    shell = SimpleNamespace(run_cell=ran.append, history_manager=SimpleNamespace())
    monkeypatch.setattr(Shell, "instance", lambda: shell)
    monkeypatch.setattr(report, "KNOWN", {})
    assert check.main([str(file), *names]) == 1
    return ran


def test_check_runs_the_same_cells_as_the_grader(tmp_path, monkeypatch):
    file = tmp_path / FILE
    for encoding in ENCODINGS:
        file.write_bytes(SOLVED.replace("\\n", "\\r\\n").encode(encoding))
        ran = ran_by_check(monkeypatch, file)
        assert "check.winner(winner)" in ran
        assert not any("\r" in source for source in ran)
    notebook = submissions.solution(submissions.GAME)
    submissions.cell(notebook, "winner")["cell_type"] = "raw"
    submissions.cell(notebook, "class_size")["source"] += (
        "\ncheck.class_size(class_size)"
    )
    hand_in(tmp_path, notebook)
    ran = ran_by_check(monkeypatch, file, "winner")
    cells = work.read([tmp_path], released(), "ada").cells
    grader = [cell.source for cell in cells if cell.source]
    assert [source for source in ran if source in grader] == grader
    checks = {"check.winner(winner)", "".join(notebook["cells"][-1]["source"])}
    assert {*ran} - {*grader} == checks


# A class


def test_equal_texts_are_reported_and_notes_escaped(tmp_path):
    handed_in, unchanged = {}, lambda notebook: None
    for student, change in {
        "ada": edit("essay", "X wins since it moves first.\nSo it is."),
        "bob": edit("essay", "x wins  since it moves\r\nfirst. So\xa0it is. "),
        "eve": append(added("X wins since it moves first. So it is.")),
        "kim": edit("essay", "Something else is here."),
        **{"lin": unchanged, "zoe": unchanged},
    }.items():
        notebook = blank()
        submissions.both(change, edit("prediction", "16"))(notebook)
        (tmp_path / student).mkdir()
        places = hand_in(tmp_path / student, notebook)
        handed_in[student] = work.read(places, released(), student)
    copies = grade.same_texts(released(), handed_in)
    three = "ada", "bob", "eve"
    assert copies == {who: [other for other in three if other != who] for who in three}
    table, roll = tmp_path / "grades.csv", [course.Student("ada", "")]
    result = nothing(released(), "graded", ["named ;=1+1;", "x" * 5000])
    arguments = table, released(), roll, {"ada": result}, {"ada": {}}, ""
    grade.write_grades(*arguments, None, copies)
    text = table.read_text("utf-8")
    assert '"bob, eve"' in text
    assert "named ;'=1+1;; xxx" in text
    assert 1000 < len(text) < 1400


def test_guess_takes_the_most_frequent_assignment(tmp_path):
    for student in ("ada", "bob", "eve"):
        (tmp_path / f"{student}_{FILE}").write_text("{}")
    (tmp_path / f"kim_{submissions.VALUES}.ipynb").write_text("{}")
    assert command._guess(tmp_path) == submissions.GAME
