"""The grader is graded: a class of right, wrong and misbehaving students."""

import contextlib
import csv
import hashlib
import html
import json
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import bank
import pytest
from bank import GAME, VALUES, Entry

from assignments import questions
from assignments.grader import sandbox

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
SECRET = "a secret of the tests only, long enough"
GUIDE = ROOT / "book" / "teaching.md"


NAMES = sorted(path.parent.name for path in bank.SOURCE.glob("*/*.ipynb"))


def points_of(assignment):
    """Return {question: points} of the check cells of an assignment."""
    found = {}
    for one in bank.solution(assignment)["cells"]:
        graded = one["metadata"].get("nbgrader", {})
        if graded.get("grade") and not graded["solution"]:
            found[graded["grade_id"].removesuffix("_check")] = graded["points"]
    return found


POINTS = {name: points_of(name) for name in NAMES}


def isolation():
    """Return "on" or "off"; GRADER_ISOLATION=off tries what is without bubblewrap."""
    return os.environ.get("GRADER_ISOLATION") or (
        "off" if sandbox.isolation() else "on"
    )


def entries():
    """Return all Entries of the bank."""
    found = [
        Entry("right, with NumPy", GAME, bank.NUMPY_GAME, {}, {}),
        Entry("right, with NumPy", VALUES, bank.NUMPY_VALUES, {}, {}),
    ]
    for assignment in NAMES:
        found.append(Entry("right", assignment, bank.nothing, {}, {}))
        found.extend(bank.made(assignment, POINTS[assignment]))
        if assignment != GAME:
            found.append(Entry("blank", assignment, "blank", None, {}))
    for name, change, lost, status in bank.MISBEHAVING:
        if change is bank.WRITER and isolation() == "off":
            continue  # nothing keeps it from what the other tests read
        found.append(
            Entry(name, GAME, "blank" if name == "blank" else change, lost, {}, status)
        )
    lost = {"backup": 1}
    found.append(Entry("a number too large", VALUES, bank.TOO_LARGE, lost, {}))
    return found


ENTRIES = entries()


def id_of(entry):
    return f"s{ENTRIES.index(entry):03}"


def run(*arguments):
    """Run the grader as `make` does."""
    command = [sys.executable, "-m", "assignments.grader", *map(str, arguments)]
    return grader(command)


def grader(command):
    """Run a command that grades."""
    return subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


def fill(folder, entry, course, secret):
    """Write what a student hands in."""
    home = folder / id_of(entry)
    file, change = home / f"{entry.assignment}.ipynb", entry.change
    if change == "missing":
        return
    home.mkdir()
    notebook = bank.solution(entry.assignment)
    if change == "blank":
        release = course / "release" / entry.assignment / file.name
        file.write_bytes(release.read_bytes())
        return
    whole = json.dumps(notebook).encode()
    if change == "rename":
        (home / "my homework (2).ipynb").write_bytes(whole)
        return
    if change == "truncate":
        file.write_bytes(whole[: len(whole) // 2])
        return
    if isinstance(change, str):  # code that looks for the grader's files
        source = change.format(course=str(course), secret=str(secret))
        bank.write(winner=source)(notebook)
    else:
        change(notebook)
    file.write_text(json.dumps(notebook), encoding="utf-8")


def digest(folder):
    """Return what tells whether anything in a folder was altered."""
    return {
        path: (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


class Class:
    """The bank, handed in and graded."""

    def __init__(self, place):
        self.course, self.secret = place / "course", place / "secret"
        self.secret.write_text(SECRET)
        done = run("release", "--course", self.course)
        assert done.returncode == 0, done.stderr
        self.rows, self.before = {}, {}
        for assignment in NAMES:
            folder = self.folder(assignment)
            folder.mkdir(parents=True)
            roll = place / f"{assignment}.csv"
            with roll.open("w", newline="", encoding="utf-8") as file:
                table = csv.writer(file)
                table.writerow(["id", "name"])
                for entry in ENTRIES:
                    if entry.assignment == assignment:
                        fill(folder, entry, self.course, self.secret)
                        table.writerow([id_of(entry), f'<i>"{entry.name}", a student'])
            self.before[assignment] = digest(folder)
        commands = [self.command(assignment) for assignment in NAMES]
        # One process for all: nbgrader alone takes seconds to import.
        program = (
            "import json, sys; from assignments.grader.__main__ import main\n"
            "sys.exit(any(main(command) for command in json.loads(sys.argv[1])))"
        )
        done = grader([sys.executable, "-c", program, json.dumps(commands)])
        assert (done.returncode, done.stderr) == (0, "")
        self.said = done.stdout
        for assignment in NAMES:
            self.rows |= {row["id"]: row for row in self.read(assignment)}

    def folder(self, assignment):
        return self.secret.parent / "submissions" / assignment

    def command(self, assignment):
        """Return the arguments that grade an assignment, with short limits."""
        words = (
            "grade",
            *("--course", self.course, "--secret", self.secret),
            *("--submissions", self.folder(assignment), "--assignment", assignment),
            *("--roll", self.secret.parent / f"{assignment}.csv"),
            *("--cell-seconds", 6, "--call-seconds", 5, "--memory", 600),
            *("--isolation", isolation()),
        )
        return [str(word) for word in words]

    def grade(self, assignment):
        """Grade once more; return what was said."""
        done = run(*self.command(assignment))
        assert done.returncode == 0, done.stderr
        assert not done.stderr
        return done.stdout

    def table(self, assignment):
        return self.course / assignment / "grades.csv"

    def read(self, assignment):
        with self.table(assignment).open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def result(self, entry):
        file = self.course / entry.assignment / "results" / f"{id_of(entry)}.json"
        return json.loads(json.loads(file.read_text(encoding="utf-8"))["result"])

    def feedback(self, entry):
        place = self.course / "feedback" / id_of(entry) / entry.assignment
        return (place / f"{entry.assignment}.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    return Class(tmp_path_factory.mktemp("class"))


def whole(cells):
    return "\n".join("".join(one["source"]) for one in cells)


@pytest.mark.parametrize("name", NAMES)
def test_the_points_stated_are_the_points_given(name):
    cells = bank.solution(name)["cells"]
    text = "".join(cells[0]["source"])
    questions = [one for one in cells if "## Question" in "".join(one["source"])]
    assert 5 <= len(questions) <= 8
    texts = [
        int(n) for n in re.findall(r"\((\d) points, marked by a", whole(questions))
    ]
    points = sum(POINTS[name].values()) + sum(texts)
    assert f"**Points** {points}, of which a person gives {sum(texts)}." in text
    for one in questions:
        points = "".join(one["source"]).split("(")[1].split(" ")[0]
        following = cells[cells.index(one) + 1 :][:2]  # an answer, and its check
        marks = [x["metadata"].get("nbgrader", {}).get("points") for x in following]
        assert int(points) in marks
    assert "**Goals.**" in text
    assert "**From**" in text
    assert "**Time**" in text
    assert 30 <= int(text.split("**Time** about ")[1].split(" ")[0]) <= 120


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: f"{e.assignment}-{e.name}")
def test_each_loses_exactly_its_points(graded, entry):
    row = graded.rows[id_of(entry)]
    assert row["status"] == entry.status, row["notes"]
    for question, points in POINTS[entry.assignment].items():
        lost = 1 if entry.lost is None else entry.lost.get(question, 0)
        assert float(row[question]) == points * (1 - lost), (question, row)


@pytest.mark.parametrize(
    "entry", [e for e in ENTRIES if e.hints], ids=lambda e: f"{e.assignment}-{e.name}"
)
def test_each_mistake_gets_its_own_hint(graded, entry):
    page = html.unescape(graded.feedback(entry))
    for question, name in entry.hints.items():
        found = graded.result(entry)["questions"][f"{question}_check"]
        assert found["mistake"] == name
        mistakes = questions.QUESTIONS[question].mistakes
        (hint,) = (m.hint for m in mistakes if m.name == name)
        assert hint in page


def test_every_known_mistake_is_in_the_bank():
    known = {
        f"{name}: {mistake.name}"
        for name, question in questions.QUESTIONS.items()
        for mistake in question.mistakes
    }
    tried = {f"{name}: {made}" for e in ENTRIES for name, made in e.hints.items()}
    assert known == tried > bank.HALF


def test_everybody_on_the_roll_has_one_row_in_order(graded):
    for assignment in NAMES:
        rows = graded.read(assignment)
        assert [row["id"] for row in rows] == [
            id_of(e) for e in ENTRIES if e.assignment == assignment
        ]
        assert all(row["name"].endswith('", a student') for row in rows)
        for row in rows:
            scores = [float(row[q]) for q in POINTS[assignment]]
            assert float(row["total"]) == sum(scores)


def test_the_gradebook_agrees(graded):
    program = (
        "import sys, warnings; warnings.simplefilter('ignore')\n"
        "from nbgrader.api import Gradebook\n"
        "with Gradebook('sqlite:///' + sys.argv[1]) as g:\n"
        "    for s in g.submissions if hasattr(g, 'submissions') else "
        "[s for a in g.assignments for s in a.submissions]:\n"
        "        print(s.assignment.name, s.student.id, s.score, s.needs_manual_grade)"
    )
    database = graded.course / "gradebook.db"
    done = subprocess.run(
        [sys.executable, "-c", program, database],
        capture_output=True,
        text=True,
        check=True,
    )
    entered = {}
    for line in done.stdout.splitlines():
        _, student, score, waits = line.split()
        entered[student] = float(score), waits == "True"
    for student, row in graded.rows.items():
        if row["status"] == "missing":
            assert student not in entered
        else:
            waits = row["to mark"] != "0"
            assert entered[student] == (float(row["total"]), waits), row


def test_a_name_is_no_tag_in_the_gradebook(graded):
    """Formgrader writes names as HTML; the table of grades has them as they are."""
    with contextlib.closing(sqlite3.connect(graded.course / "gradebook.db")) as book:
        names = [name for (name,) in book.execute("SELECT first_name FROM student")]
    assert names
    assert all(name.startswith('‹i›"') for name in names)
    assert all(row["name"].startswith('<i>"') for row in graded.rows.values())


def test_nothing_of_a_submission_is_altered(graded):
    for assignment in NAMES:
        assert digest(graded.folder(assignment)) == graded.before[assignment]


def test_run_twice_it_gives_the_same_and_examines_nothing_again(graded):
    before = graded.table(VALUES).read_bytes()
    said = graded.grade(VALUES)
    count = len(graded.read(VALUES))
    assert f"{count} of {count} are graded already" in said
    assert graded.table(VALUES).read_bytes() == before


def test_interrupted_it_goes_on_and_what_was_tampered_with_is_examined_again(graded):
    before = graded.table(VALUES).read_bytes()
    folder = graded.course / VALUES / "results"
    first, second, third, *_ = sorted(folder.iterdir())
    first.unlink()
    second.write_text("half a fi")
    third.write_text(third.read_text().replace("0.0", "9.0").replace("1.0", "9.0"))
    count = len(graded.read(VALUES))
    assert f"{count - 3} of {count} are graded already" in graded.grade(VALUES)
    assert graded.table(VALUES).read_bytes() == before


def test_no_report_shows_a_hidden_case(graded):
    boards = {
        "".join(".XO"[int(mark)] for mark in case.args[0])
        for question in ("winner", "class_size", "count_games", "can_occur")
        for case in questions.draw(SECRET, GAME, question)
    }
    shown = {str([int(m) for m in bank_board(b)]) for b in boards} | boards
    for entry in ENTRIES:
        if entry.assignment == GAME:
            page = graded.feedback(entry)
            assert not [case for case in shown if case in page]


def test_what_is_right_is_called_so(graded):
    (right,) = (e for e in ENTRIES if e.name == "right" and e.assignment == GAME)
    page = graded.feedback(right)
    assert page.count(">Right.</p>") == len(POINTS[GAME])


def bank_board(text):
    return [{"X": 1, "O": -1, ".": 0}[mark] for mark in text]


def test_a_page_asks_no_other_host_and_says_who_and_what(graded):
    for entry in ENTRIES:
        page = graded.feedback(entry)
        assert '<html lang="en-GB">' in page
        assert "<caption>" in page
        assert page.count("<h1>") == 1
        assert not [
            word for word in ("http", "src=", "<script", "url(") if word in page
        ]
        assert id_of(entry) in page
        told = ("Your code ran isolated" in page) + ("Isolation is off" in page)
        assert told == ("Your code" in page)  # where none ran, there is none to tell of


def test_the_isolation_is_told_everywhere(graded):
    off = graded.said.count("isolation is off")
    assert (off or graded.said.count("isolation is on")) == len(NAMES)
    told = {row["isolation"]: row["status"] for row in graded.rows.values()}
    assert set(told) == {"off" if off else "on", ""}
    assert told[""] in ("missing", "unreadable"), "of whom no code ran"
    if reason := sandbox.isolation():
        assert os.environ.get("REQUIRE_ISOLATION") != "1", reason
        pytest.skip(f"ISOLATION IS NOT TESTED: {reason}")


# what answers have in common with the text of other questions
COMMON = {"for p, r, s_next in outcomes:", "after = np.array(board)"}


def test_the_programs_to_be_repaired_run(graded):
    for assignment in NAMES:
        (blank,) = (
            e for e in ENTRIES if (e.assignment, e.name) == (assignment, "blank")
        )
        asked = questions.QUESTIONS
        *_, clinic = (name for name in POINTS[assignment] if not asked[name].training)
        found = graded.result(blank)["questions"][f"{clinic}_check"]
        known = "" if clinic == "improve" else "not repaired"  # that one draws lots
        why = "ValueError" if clinic == "best_value" else ""  # of no action at all
        assert (found["why"], found["mistake"]) == (why, known), assignment


def test_the_release_holds_no_solution_and_no_hidden_case(graded):
    for assignment in NAMES:
        file = graded.course / "release" / assignment / f"{assignment}.ipynb"
        text = file.read_text(encoding="utf-8")
        assert "SOLUTION" not in text
        given = [
            line
            for one in json.loads(text)["cells"]
            for line in map(str.strip, "".join(one["source"]).splitlines())
        ]
        for one in bank.solution(assignment)["cells"]:
            begin, *answers = "".join(one["source"]).split("### BEGIN SOLUTION")
            others = [
                begin,
                *(answer.split("### END SOLUTION")[1] for answer in answers),
            ]
            shown = {line.strip() for part in others for line in part.splitlines()}
            for answer in answers:
                lines = answer.split("### END SOLUTION")[0].strip().splitlines()
                lines = [x.strip() for x in lines if len(x.strip()) > 12]
                assert not (set(lines) - shown) & set(given) - COMMON


def test_the_secret_decides_the_cases():
    def key(secret, assignment=GAME):
        return [
            c.args[0].tolist() for c in questions.draw(secret, assignment, "winner")
        ]

    assert key(SECRET) == key(SECRET)
    assert key(SECRET) != key(SECRET + "!")
    assert key(SECRET) != key(SECRET, VALUES)


def markdown_table(graded):
    """Return the tables of the teaching guide, as the bank has come out."""
    lines = [
        "| What the student did | Status | Points lost | Hint |",
        "|---|---|---|---|",
    ]
    for entry in ENTRIES:
        row = graded.rows[id_of(entry)]
        asked = POINTS[entry.assignment]
        lost = {q: p - float(row[q]) for q, p in asked.items() if p != float(row[q])}
        if entry.hints:  # what is trained was left out there
            lost = {q: p for q, p in lost.items() if q in entry.hints}
        told = ", ".join(f"{q} {x:g}" for q, x in lost.items()) or "none"
        if lost.keys() == asked.keys():
            told = "all"
        hint = "its own" if entry.hints else ""
        what = f"{entry.assignment.removeprefix('assignment_')} {entry.name}"
        lines.append(f"| {what} | {row['status']} | {told} | {hint} |")
    return "\n".join(lines)


def test_the_table_stands_in_the_teaching_guide(graded):
    table = markdown_table(graded)
    print(table)
    if os.environ.get("UPDATE_GUIDE") == "1":
        text = GUIDE.read_text(encoding="utf-8")
        begin, end = text.index("| What the student did |"), text.index("\n:::\n")
        GUIDE.write_text(text[:begin] + table + text[end:], encoding="utf-8")
    assert table in GUIDE.read_text(encoding="utf-8"), "UPDATE_GUIDE=1 puts it there"


def test_what_a_person_marks_is_kept_and_comes_into_everything(graded):
    """It is the last test of the class, because it changes the gradebook."""
    assignment = "assignment_mdp"
    of_name = {e.name: e for e in ENTRIES if e.assignment == assignment}
    right, blank = of_name["right"], of_name["blank"]
    program = (
        "import sys, warnings; warnings.simplefilter('ignore')\n"
        "from assignments.grader.gradebook import open_gradebook\n"
        "course, name, right, blank = sys.argv[1:]\n"
        "with open_gradebook(course) as book:\n"
        "    mark = book.find_grade('essay', name, name, right)\n"
        "    mark.manual_score, mark.needs_manual_grade = 3, False\n"
        "    said = book.find_comment('essay', name, name, right)\n"
        "    said.manual_comment = 'Well <said>.'\n"
        "    mark = book.find_grade('outcomes_check', name, name, blank)\n"
        "    mark.manual_score = 1.5\n"
        "    book.db.commit()"
    )
    words = [graded.course, assignment, id_of(right), id_of(blank)]
    command = [sys.executable, "-c", program, *map(str, words)]
    subprocess.run(command, cwd=ROOT, check=True)
    before = {row["id"]: float(row["total"]) for row in graded.read(assignment)}
    for _ in range(2):
        graded.grade(assignment)
        rows = {row["id"]: row for row in graded.read(assignment)}
        row = rows[id_of(right)]
        assert (row["essay"], row["prediction"], row["to mark"]) == ("3", "", "1")
        assert float(row["total"]) == before[id_of(right)] + 3
        row = rows[id_of(blank)]
        assert (row["outcomes"], row["total"]) == ("1.5", "1.5")
        assert "Well &lt;said&gt;." in graded.feedback(right)
