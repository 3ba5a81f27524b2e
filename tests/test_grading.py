"""Grading of a whole class of right, wrong and misbehaving students."""

import contextlib
import csv
import html
import io
import json
import os
import re
from pathlib import Path

import pytest
import submissions
from submissions import GAME, VALUES, Entry

from assignments import questions
from assignments.grader import course, gradebook, sandbox
from assignments.grader.__main__ import main

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
SECRET = "a secret of the tests only, long enough"
GUIDE = ROOT / "book" / "teaching.md"
UPDATE = os.environ.get("UPDATE_GUIDE") == "1"
NAMES = sorted(path.parent.name for path in submissions.SOURCE.glob("*/*.ipynb"))
SOME = NAMES if UPDATE else [GAME, "assignment_mdp"]  # others in `make long`
OTHERS = [name for name in NAMES if name not in SOME]


def points_of(assignment):
    """Return {question: points} of the check cells of an assignment."""
    points = {}
    for one in submissions.solution(assignment)["cells"]:
        graded = one["metadata"].get("nbgrader", {})
        if graded.get("grade") and not graded["solution"]:
            points[graded["grade_id"].removesuffix("_check")] = graded["points"]
    return points


POINTS = {name: points_of(name) for name in NAMES}


def isolation():
    """Return "on" or "off"; GRADER_ISOLATION=off tests grading without bubblewrap."""
    default = "off" if sandbox.isolation() else "on"
    return os.environ.get("GRADER_ISOLATION") or default


# Trainings that take many seconds each: test_check_training has them.
SLOW = "iterate", "mc_learn", "beads", "td_learn", "q_learn"


def entries():
    all_entries = []
    for assignment in NAMES:
        left = [question for question in POINTS[assignment] if question in SLOW]
        name = "right, but for what is trained" if left else "right"
        change = submissions.write(**{each: f"{each} = None" for each in left})
        all_entries.append(Entry(name, assignment, change, dict.fromkeys(left, 1), {}))
        all_entries.append(submissions.made(assignment, POINTS[assignment]))
        all_entries.append(Entry("blank", assignment, "blank", None, {}))
    all_entries.append(Entry("right, with NumPy", GAME, submissions.NUMPY_GAME, {}, {}))

    large = "a number too large", VALUES, submissions.TOO_LARGE, {"backup": 1}, {}
    all_entries.append(Entry(*large))
    for name, change, lost, status in submissions.MISBEHAVING:
        if change is submissions.WRITER and isolation() == "off":
            continue  # without isolation it would change what the other tests read
        all_entries.append(Entry(name, GAME, change, lost, {}, status))
    return all_entries


ENTRIES = entries()


def of(assignment):
    return [entry for entry in ENTRIES if entry.assignment == assignment]


def id_of(entry):
    return f"s{ENTRIES.index(entry):03}"


def run(place, untouched, marks, *commands):
    """Hand in untouched copies, enter marks, and run commands of the grader.

    Return the output, and {student: [name, points, needs manual grade]}.
    """
    for name, copy in untouched:
        Path(copy).write_bytes(course.release(place, name).read_bytes())
    with gradebook.open_gradebook(place) as book:
        for name, student, cell, points, text in marks:
            mark = book.find_grade(cell, name, name, student)
            mark.manual_score, mark.needs_manual_grade = points, False
            if text:
                comment = book.find_comment(cell, name, name, student)
                comment.manual_comment = text
        book.db.commit()
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        assert not any(map(main, commands))
    with gradebook.open_gradebook(place) as book:
        return output.getvalue(), {
            student.id: [student.first_name, one.score, one.needs_manual_grade]
            for student in book.students
            for one in student.submissions
        }


def fill(home, entry, course, secret):
    """Write the submission of an Entry, except an untouched notebook."""
    change = entry.change
    if change == "missing":
        return
    home.mkdir()
    file = home / f"{entry.assignment}.ipynb"
    notebook = submissions.solution(entry.assignment)
    if callable(change):
        change(notebook)
    elif "{" in change:  # code that needs the paths of the grader's files
        source = change.format(course=str(course), secret=str(secret))
        submissions.write(winner=source)(notebook)
    text = json.dumps(notebook)
    if change == "rename":
        file = home / "my homework (2).ipynb"
    elif change == "truncate":
        text = text[: len(text) // 2]
    if change != "blank":
        file.write_text(text, encoding="utf-8")


def digest(folder):
    """Return {path: (time, content)} of a folder, to find out if anything changed."""
    return {
        path: (path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


class Class:
    """The Entries of some assignments, handed in and graded."""

    def __init__(self, place, names):
        self.names = names
        self.entries = [entry for entry in ENTRIES if entry.assignment in names]
        self.course, self.secret = place / "course", place / "secret"
        self.submissions, untouched = place / "submissions", []
        self.secret.write_text(SECRET)
        for assignment in names:
            folder, table = self.submissions / assignment, [["id", "name"]]
            folder.mkdir(parents=True)
            for entry in of(assignment):
                home = folder / id_of(entry)
                fill(home, entry, self.course, self.secret)
                if entry.change == "blank":
                    untouched.append([assignment, str(home / f"{assignment}.ipynb")])
                table.append([id_of(entry), f'<i>"{entry.name}", a student'])
            with (place / f"{assignment}.csv").open("w", encoding="utf-8") as file:
                csv.writer(file).writerows(table)
        self.before = digest(self.submissions)
        commands = [self.command(assignment) for assignment in names]
        self.output, self.entered = run(self.course, untouched, [], *commands)
        rows = (row for assignment in names for row in self.read(assignment))
        self.rows = {row["id"]: row for row in rows}

    def command(self, assignment):
        words = [
            *("grade", "--course", self.course, "--secret", self.secret),
            *("--submissions", self.submissions / assignment),
            *("--roll", self.secret.parent / f"{assignment}.csv"),
            *("--assignment", assignment, "--isolation", isolation()),
            *("--memory", 600, "--jobs", 2 if assignment == GAME else 1),
        ]
        if assignment == GAME:  # some never end; right answers take milliseconds
            words += ["--cell-seconds", 2.5, "--call-seconds", 2]
        return [*map(str, words)]

    def read(self, assignment):
        file = self.course / assignment / "grades.csv"
        with file.open(newline="", encoding="utf-8") as table:
            return list(csv.DictReader(table))

    def result(self, entry):
        file = self.course / entry.assignment / "results" / f"{id_of(entry)}.json"
        return json.loads(json.loads(file.read_text(encoding="utf-8"))["result"])

    def feedback(self, entry):
        place = self.course / "feedback" / id_of(entry) / entry.assignment
        return (place / f"{entry.assignment}.html").read_text(encoding="utf-8")


@pytest.fixture(
    scope="module",
    params=[SOME, pytest.param(OTHERS, marks=pytest.mark.long)],
    ids=["some", "the others"],
)
def graded(request, tmp_path_factory):
    return Class(tmp_path_factory.mktemp("class"), request.param)


of_some = pytest.mark.parametrize("graded", [SOME], indirect=True, ids=["some"])


@pytest.mark.parametrize("name", NAMES)
def test_stated_points_match_metadata(name):
    cells = submissions.solution(name)["cells"]
    sources = ["".join(one["source"]) for one in cells]
    asked = [n for n, source in enumerate(sources) if "## Question" in source]
    assert 5 <= len(asked) <= 8
    texts = re.findall(r"\((\d) points, marked by a", "\n".join(sources))
    points, given = sum(POINTS[name].values()), sum(map(int, texts))
    stated = f"**Points** {points + given}, of which a person gives {given}."
    assert stated in sources[0]
    for n in asked:
        points = int(sources[n].split("(")[1].split(" ")[0])
        following = cells[n + 1 : n + 3]  # an answer, and its check
        marks = [x["metadata"].get("nbgrader", {}).get("points") for x in following]
        assert points in marks
    head = r"(?s).*\*\*Goals\.\*\*.*\*\*From\*\*.*\*\*Time\*\* about (\d+) "
    assert 30 <= int(re.match(head, sources[0])[1]) <= 120


def test_each_submission_loses_exactly_its_points(graded):
    for entry in graded.entries:
        row = graded.rows[id_of(entry)]
        assert row["status"] == entry.status, (entry.name, row["notes"])
        for question, points in POINTS[entry.assignment].items():
            lost = 1 if entry.lost is None else entry.lost.get(question, 0)
            assert float(row[question]) == points * (1 - lost), (entry.name, row)
        page = html.unescape(graded.feedback(entry))
        for question, name in entry.hints.items():
            verdict = graded.result(entry)["questions"][f"{question}_check"]
            assert verdict["mistake"] == name
            mistakes = questions.QUESTIONS[question].mistakes
            (hint,) = (m.hint for m in mistakes if m.name == name)
            assert hint in page


def test_table_has_one_row_per_student_and_matches_gradebook(graded):
    for assignment in graded.names:
        rows = graded.read(assignment)
        assert [row["id"] for row in rows] == [id_of(e) for e in of(assignment)]
        for row in rows:
            scores = [float(row[question]) for question in POINTS[assignment]]
            assert float(row["total"]) == sum(scores)
            # Formgrader writes names as HTML; the table has them as they are.
            assert row["name"].startswith('<i>"')
            entered = graded.entered.get(row["id"])
            if row["status"] == "missing":
                assert entered is None
            else:
                name, points, waits = entered
                assert name.startswith('‹i›"')
                assert (points, waits) == (sum(scores), row["to mark"] != "0"), row


def test_submissions_are_not_changed(graded):
    assert digest(graded.submissions).items() >= graded.before.items()


@of_some
def test_feedback_shows_no_hidden_case(graded):
    boards = [
        [int(mark) for mark in case.args[0]]
        for question in ("winner", "class_size", "count_games", "can_occur")
        for case in questions.draw(SECRET, GAME, question)
    ]
    shown = {str(b) for b in boards} | {"".join(".XO"[m] for m in b) for b in boards}
    for entry in of(GAME):
        page = graded.feedback(entry)
        assert not [case for case in shown if case in page]
        assert page.count(">Right.</p>") == len(POINTS[GAME]) or entry.name != "right"


def test_feedback_page_is_self_contained(graded):
    for entry in graded.entries:
        page = graded.feedback(entry)
        assert '<html lang="en-GB">' in page
        assert "<caption>" in page
        assert page.count("<h1>") == 1
        assert not re.search(r"http|src=|<script|url\(", page)
        assert id_of(entry) in page
        has_note = ("Your code ran isolated" in page) + ("Isolation is off" in page)
        assert has_note == ("Your code" in page)  # there is no note if no code ran


@of_some
def test_isolation_is_reported_everywhere(graded):
    off = graded.output.count("isolation is off")
    assert (off or graded.output.count("isolation is on")) == len(graded.names)
    statuses = {row["isolation"]: row["status"] for row in graded.rows.values()}
    assert set(statuses) == {"off" if off else "on", ""}
    assert statuses[""] in ("missing", "unreadable"), "no code of theirs ran"
    if reason := sandbox.isolation():
        assert os.environ.get("REQUIRE_ISOLATION") != "1", reason
        pytest.skip(f"ISOLATION IS NOT TESTED: {reason}")


def test_programs_to_be_repaired_run(graded):
    for assignment in graded.names:
        (blank,) = (e for e in of(assignment) if e.name == "blank")
        asked = questions.QUESTIONS
        *_, clinic = (name for name in POINTS[assignment] if not asked[name].training)
        verdict = graded.result(blank)["questions"][f"{clinic}_check"]
        # The question improve breaks ties at random.
        mistake = "" if clinic == "improve" else "not repaired"
        why = "ValueError" if clinic == "best_value" else ""  # of no action at all
        assert (verdict["why"], verdict["mistake"]) == (why, mistake), assignment


# Lines of answers that also occur in other questions.
COMMON = {"for p, r, s_next in outcomes:", "after = np.array(board)"}


def test_release_contains_no_solution(graded):
    marks = re.compile(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", re.S)
    for assignment in graded.names:
        file = graded.course / "release" / assignment / f"{assignment}.ipynb"
        text = file.read_text(encoding="utf-8")
        assert "SOLUTION" not in text
        given = {
            line.strip()
            for one in json.loads(text)["cells"]
            for line in "".join(one["source"]).splitlines()
        }
        for one in submissions.solution(assignment)["cells"]:
            source = "".join(one["source"])
            shown = {*map(str.strip, marks.sub("", source).splitlines())} | COMMON
            answers = {*map(str.strip, "".join(marks.findall(source)).splitlines())}
            assert not {line for line in answers - shown if len(line) > 12} & given


def test_hidden_cases_depend_on_the_secret():
    def drawn(secret, assignment=GAME):
        cases = questions.draw(secret, assignment, "winner")
        return [case.args[0].tolist() for case in cases]

    assert drawn(SECRET) == drawn(SECRET)
    assert drawn(SECRET) != drawn(SECRET + "!")
    assert drawn(SECRET) != drawn(SECRET, VALUES)


def guide_row(graded, entry):
    """Return the row of the teaching guide's table for the result of an Entry."""
    row, asked = graded.rows[id_of(entry)], POINTS[entry.assignment]
    lost = {q: p - float(row[q]) for q, p in asked.items() if p != float(row[q])}
    if entry.hints:  # trained functions were left out there
        lost = {q: p for q, p in lost.items() if q in entry.hints}
    lost_text = ", ".join(f"{q} {x:g}" for q, x in lost.items()) or "none"
    if lost.keys() == asked.keys():
        lost_text = "all"
    hint = "its own" if entry.hints else ""
    name = f"{entry.assignment.removeprefix('assignment_')} {entry.name}"
    return f"| {name} | {row['status']} | {lost_text} | {hint} |"


def test_teaching_guide_table_matches_results(graded):
    rows = {ENTRIES.index(entry): guide_row(graded, entry) for entry in graded.entries}
    text = GUIDE.read_text(encoding="utf-8")
    begin, end = text.index("| What the student did |"), text.index("\n:::\n")
    head, line, *lines = text[begin:end].splitlines()
    if UPDATE:
        table = "\n".join([head, line, *rows.values()])
        GUIDE.write_text(text[:begin] + table + text[end:], encoding="utf-8")
        lines = [*rows.values()]
    assert len(lines) == len(ENTRIES)
    actual = {number: lines[number] for number in rows}
    assert actual == rows, "run with UPDATE_GUIDE=1 to update the guide"


@of_some
def test_regrading_continues_and_keeps_manual_marks(graded):
    """This test has to be the last, because it changes the gradebook."""
    name = "assignment_mdp"
    right, blank, *_ = sorted(of(name), key=lambda e: e.name not in ("right", "blank"))
    before = {row["id"]: row for row in graded.read(name)}
    first, second, *_ = sorted((graded.course / name / "results").iterdir())
    first.write_text("half a fi")
    second.write_text(second.read_text().replace("0.0", "9.0").replace("1.0", "9.0"))
    marks = [name, id_of(right), "essay", 3, "Well <said>."]
    marks = [marks, [name, id_of(blank), "outcomes_check", 1.5, ""]]
    command = graded.command(name)
    output, _ = run(graded.course, [], marks, command, command)
    count = len(before)
    for stored in (count - 2, count):  # two were tampered with
        assert f"{stored} of {count} are graded already" in output
    rows = {row["id"]: row for row in graded.read(name)}
    total = float(before[id_of(right)]["total"]) + 3
    changed = {"total": f"{total:g}", "essay": "3", "to mark": "1"}
    before[id_of(right)] |= changed
    before[id_of(blank)] |= {"total": "1.5", "outcomes": "1.5"}
    assert rows == before
    assert "Well &lt;said&gt;." in graded.feedback(right)
