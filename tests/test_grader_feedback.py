"""Feedback page for a student, and the notebook that a person marks."""

import base64
import json
import re

import submissions
from submissions import solution

from assignments.grader import course, feedback, texts
from assignments.grader.course import Essay, Question, Release, ReleaseCell, Student
from assignments.grader.gradebook import Mark
from assignments.grader.submission import Submission
from ttt_lib.check.notebook import cells_of


def verdict(share, **more):
    usual = {"help": [], "kinds": [], "why": "", "hint": "", "mistake": "", "line": 0}
    return {"share": share} | usual | more


QUESTIONS = tuple(
    Question(f"test-{n}", f"answer-{n}", "", "name", 2 * n + 1, f"Title {n}", training)
    for n, training in enumerate(("", "", "", "a training"))
)
ESSAYS = Essay("essay-0", 3, "An essay"), Essay("essay-1", 2, "Another")
CELLS = [
    *(("answer", q.answer_id, "code") for q in QUESTIONS),
    *(("test", q.grade_id, "code") for q in QUESTIONS),
    *(("essay", e.grade_id, "markdown") for e in ESSAYS),
    ("", "", "markdown"),
]


def cell_of(number, grade_id, form):
    """Return a cell of the released notebook."""
    metadata = {"nbgrader": {"grade_id": grade_id}} if grade_id else {}
    cell = {"cell_type": form, "source": f"as released {number}", "metadata": metadata}
    return cell | ({"outputs": ["as released"]} if form == "code" else {})


RELEASE = Release(
    "an-assignment",
    "An <assignment>",
    tuple(ReleaseCell("", grade_id, kind, "") for kind, grade_id, _ in CELLS),
    *(QUESTIONS, ESSAYS, ()),
    {"cells": [cell_of(n, *told) for n, (_, *told) in enumerate(CELLS)]},
)
RESULT = {
    "status": "graded",
    "notes": ["a <note>"],
    "blank": ["essay-1"],
    "scores": {"test-0": 1, "test-1": 1.5, "test-2": 0, "test-3": 7},
    "questions": {
        "test-0": verdict(1, hint="a hint that is not shown"),
        "test-1": verdict(0.5, kinds=["kind a", "b"], hint="hint 1", help=["f", "g"]),
        "test-2": verdict(0, why="MemoryError", hint="hint 2", mistake="mistake 2"),
        "test-3": verdict(0.5, kinds=["goal <3>"], hint="hint 3"),
    },
}
MARKS = {name: Mark(points, "") for name, points in RESULT["scores"].items()}
MARKS |= {"test-1": Mark(1.5, "a <comment>"), "essay-0": Mark(None, "")}
MARKS |= {"essay-1": Mark(0, "")}
del MARKS["test-2"]
TEXT = "because\nof <b>é</b> 😀"
ANSWERS = {"answer-0": "x = 0", "answer-2": "a < b", "essay-0": TEXT}


def page_of(result=RESULT, isolation="", student=("ada", "Ada"), answers=ANSWERS):
    """Return the lines of a feedback page below its styles, without their indents."""
    text = feedback.page(RELEASE, Student(*student), result, MARKS, isolation, answers)
    return text.split("</style>")[1].splitlines()


def section_of(title, verdict, answers=ANSWERS):
    """Return the lines of a question's section on a page with this verdict."""
    grade_id = f"test-{title[-1]}"
    result = RESULT | {"questions": RESULT["questions"] | {grade_id: verdict}}
    return section(page_of(result, answers=answers), title)


def section(page, title):
    """Return the lines under a heading."""
    below = page[page.index(f"<h2>{title}</h2>") + 1 :]
    ends = [n for n, line in enumerate(below) if line.startswith(("<h2", "<p><small"))]
    return below[: ends[0]]


def test_feedback_page_reports_every_question():
    page = page_of()
    assert "<h1>An &lt;assignment&gt;</h1>" in page
    assert "<p>Ada (ada)</p>" in page
    assert "  <li>a &lt;note&gt;</li>" in page
    assert f"<p>{feedback.STATUS['graded']}</p>" in page
    for title, *parts in (
        ("Title 0", '"right">Right.', "<details><summary>Your code</summary><pre>x"),
        ("Title 1", "correct f and a correct g in place of yours", "half the points",
         "fails here: kind a; b.", "hint 1", "Comment:</strong> a &lt;comment&gt;"),
        ("Title 2", '"wrong">Not right yet.', feedback.WHY["MemoryError"], "hint 2",
         "<details open><summary>Your code</summary><pre>a &lt; b</pre>"),
        ("Title 3", '"half">Not reached: goal &lt;3&gt;.', "hint 3"),
        ("An essay", "<pre>because", "of &lt;b&gt;é&lt;/b&gt; 😀", "person will mark"),
        ("Another", "There is no text."),
    ):  # fmt: skip
        lines = section(page, title)
        assert len(lines) == len(parts)
        for line, part in zip(lines, parts, strict=True):
            assert part in line
    # Only the teacher sees the name of the mistake.
    assert "mistake 2" not in "".join(page)


def test_feedback_page_links_to_the_chapter(tmp_path, monkeypatch):
    for name in course.names():
        about = course.of_notebook(name, solution(name)).about
        number = re.match(r"chapter (\d+)[:,] .*[.?]$", about)[1]
        page = feedback.chapter(about, "https://a.org/b/")
        assert re.fullmatch(rf"https://a\.org/b/book/0?{number}_\w+\.html", page)
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "07_x.ipynb").touch()
    monkeypatch.setattr(feedback, "ROOT", tmp_path)
    release = RELEASE._replace(about="chapter 7: <beads>.")
    again = ' <a href="https://a.org/b/book/07_x.html">Read it again.</a>'
    for address, link in (('""', ""), ("", ""), ("https://a.org/b/", again)):
        (tmp_path / "_config.yml").write_text(f"html:\n  baseurl: {address}\n")
        page = feedback.page(release, Student("a", ""), RESULT, MARKS, "", ANSWERS)
        assert f"<p>To look things up: chapter 7: &lt;beads&gt;.{link}</p>" in page


def test_feedback_page_shows_the_line_that_raised():
    answers = ANSWERS | {"answer-2": "\ndef f(a, b):\n    a < b"}
    for line in (0, 2, 3, 10**9):  # leading empty lines are not counted
        failed = verdict(0, why="TypeError", line=line)
        page = "\n".join(section_of("Title 2", failed, answers))
        has_line = "in line 3 of your code: <code>a &lt; b</code>" in page
        assert has_line == ("of your code: " in page) == (line == 2)
        assert "It ended with TypeError." in page
    failed = verdict(0, why="it is not defined", stopped="NameError", line=1)
    _, _, stopped, where, *_ = section_of("Title 2", failed)
    assert "stopped with NameError before it defined that name" in stopped
    assert "in line 1 of your code: <code>a &lt; b</code>" in where
    unfit = verdict(0, why="it should give 3 numbers")
    assert "<p>It should give 3 numbers.</p>" in section_of("Title 2", unfit)


def test_feedback_page_lists_measures_of_a_training():
    measured = [[["error", 0.123456], ["lost", 2]], "one training takes longer"]
    lines = section_of("Title 3", verdict(1, measured=measured))
    items = [line for line in lines if line.startswith("  <li>")]
    assert items == [
        "  <li>error 0.1235, lost 2</li>",
        "  <li>one training takes longer</li>",
    ]


PNG = submissions.png()


def shown(image):
    return {"output_type": "display_data", "data": {"image/png": image}}


def test_picture_returns_only_a_png_of_the_drawing_cell():
    large = submissions.png(2**12, 2**12)
    for outputs, picture in (
        ([shown([PNG[:9], f"{PNG[9:]}\n"])], PNG),
        ([shown(PNG), shown("no PNG")], PNG),
        ([shown(large)], large),
        ([{"data": {"image/svg+xml": "<svg/>", "text/html": "<b>"}}], ""),
        ([shown(7), 3, None, {"data": None}, {}], ""),
        ("text", ""),
    ):
        cell = {"outputs": outputs, "metadata": {"nbgrader": {"grade_id": "drawing"}}}
        other = {"outputs": [shown(submissions.png(2))], "metadata": {}}
        content = json.dumps({"cells": [other, cell, other]}).encode()
        assert texts.picture(cells_of(content)) == picture


WHOLE = base64.b64decode(PNG)
GIF = "R0lGODlhAQABAAAAACwAAAAAAQABAAA="


def test_only_complete_png_of_limited_size_is_accepted():
    for content in (
        b"<svg onload='alert(1)'/>",
        WHOLE[:-12],  # cut off
        WHOLE + b"<script>",
        WHOLE[:33] + texts.END_OF_PNG,  # all but data
        WHOLE[:45] + b"!" + WHOLE[46:],  # one byte of them
    ):
        assert not texts._is_png(base64.b64encode(content).decode())
    split = (PNG[:9] + odd + PNG[9:] for odd in ('">', "é"))
    for text in ("", "AAAA", GIF, PNG[:-1], *split, submissions.png(2**12 + 1, 2**12)):
        assert not texts._is_png(text)


def test_feedback_page_shows_drawing_points_and_comment():
    texts = ESSAYS[0]._replace(drawing="drawing"), ESSAYS[1]
    marks = MARKS | {"essay-0": Mark(0.5, "Label the <axes>.", by_person=True)}
    release = RELEASE._replace(essays=texts)
    arguments = release, Student("a", ""), RESULT, marks, "", ANSWERS
    page = feedback.page(*arguments, picture=PNG)
    picture, *_, points, comment = section(page.splitlines(), "An essay")
    assert picture.startswith(f'<p><img src="data:image/png;base64,{PNG}" alt="The ')
    assert points == "<p><strong>Points:</strong> 0.5 of 3</p>"
    assert "Label the &lt;axes&gt;." in comment
    assert page.count("<img") == 1
    assert "<img" not in feedback.page(*arguments)


def test_feedback_page_says_when_a_person_decided():
    marks = MARKS | {"test-2": Mark(2.5, "", by_person=True)}
    page = feedback.page(RELEASE, Student("a", ""), RESULT, marks, "", ANSWERS)
    decided, verdict, *_ = section(page.splitlines(), "Title 2")
    assert "A person has decided on these points:</strong> 2.5 of 5." in decided
    assert verdict == '<p class="wrong">Not right yet.</p>'
    assert page.count("A person has decided") == 1


def test_feedback_page_explains_missing_texts_and_answers():
    lost, result = MARKS | {"essay-1": Mark(None, "")}, RESULT | {"blank": []}
    page = feedback.page(RELEASE, Student("a", ""), result, lost, "", ANSWERS)
    assert "no text in its place: a person will look for it" in page
    assert "There is no text." not in page
    page = "\n".join(section_of("Title 2", verdict(0, begun=False, hint="a hint")))
    assert "Nothing was written in its cell." in page
    assert "a hint" not in page


def test_feedback_page_adds_up_points():
    cells = re.findall(r'<td class="points">(.*?)</td>', "".join(page_of()))
    assert cells[1::2] == ["1", "3", "5", "7", "3", "2", "21"]
    # Without a mark there are no points.
    assert cells[::2] == ["1", "1.5", "0", "7", "to be marked", "0", "9.5"]


def test_feedback_page_without_submission_has_no_questions():
    nothing = RESULT | {"status": "missing", "questions": {}, "blank": [], "notes": []}
    page = page_of(nothing, isolation="no bubblewrap", student=("eve", ""))
    assert "<p>eve</p>" in page
    assert not [line for line in page if line.startswith(("<h2", "<ul"))]
    assert "Isolation" not in " ".join(page), "nothing ran"


def test_marked_notebook_has_answers_and_verdicts():
    odd = {"answer-3": "x = '\ud83d'"}
    handed_in = Submission("", (), (), ANSWERS | odd, "")
    text = feedback.marked_notebook(RELEASE, handed_in, RESULT)
    assert text.isascii()
    assert text.startswith('{\n "cells"'), "as nbformat writes"
    *answers, essay, lost, other = json.loads(text)["cells"]
    answers, tests = answers[:4], answers[4:]
    assert [cell["source"] for cell in answers] == ["x = 0", "", "a < b", "x = '?'"]
    assert all(cell["outputs"] == ["as released"] for cell in answers)
    assert essay["source"] == feedback.word_for_word(TEXT)
    assert lost["source"] == feedback.word_for_word(feedback.NOT_FOUND)
    assert other["source"] == f"as released {len(CELLS) - 1}"
    whys = (
        "a hint that is not shown",
        "hint 1",
        "MemoryError. mistake 2. hint 2",
        "hint 3",
    )
    for cell, why, score in zip(tests, whys, RESULT["scores"].values(), strict=True):
        assert cell["source"].startswith("as released")
        assert [each["text"] for each in cell["outputs"]] == [f"{score} points. {why}"]
    assert RELEASE.notebook["cells"][0]["source"] == "as released 0"  # unchanged
    kinds = (RELEASE.cells[0]._replace(kind="drawing"), *RELEASE.cells[1:])
    drawn = RELEASE._replace(cells=kinds), handed_in._replace(picture=PNG), RESULT
    first, second, *_ = json.loads(feedback.marked_notebook(*drawn))["cells"]
    assert first["outputs"][0]["data"] == {"image/png": PNG}
    assert second["outputs"] == ["as released"]
