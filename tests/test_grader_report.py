"""Statistics of a class without names, and solved notebooks."""

import csv
import json
from collections import Counter

import pytest
from bs4 import BeautifulSoup

from assignments.grader import course, report, solutions
from assignments.grader.__main__ import main
from assignments.questions import QUESTIONS

HEAD = "id,name,status,total,of,prediction,winner,class_size,essay"
HEAD += ",to mark,isolation,notes"
ROWS = (
    "ada,Ada Lovelace,graded,10,12,2,4,4,,1,on,",
    "bob,Bob Byrne,graded,4,12,2,0,2,,1,on,",
    "eve,Eve Evans,repaired,8,12,2,4,0,2,0,on,",
    "kim,Kim Larsen,missing,0,12,0,0,0,0,0,on,nothing was handed in",
)
MADE = {"ada": "", "bob": "rows only", "eve": "<b>turns</b> only"}


@pytest.fixture
def graded(tmp_path):
    """A course with a graded class of four."""
    place = tmp_path / "assignment_game"
    (place / "results").mkdir(parents=True)
    (place / "grades.csv").write_text("\n".join([HEAD, *ROWS, ""]))
    for who, mistake in MADE.items():
        question = "winner_check" if who == "bob" else "class_size_check"
        result = {"questions": {question: {"mistake": mistake}}}
        stored = json.dumps({"result": json.dumps(result), "seal": ""})
        (place / "results" / f"{who}.json").write_text(stored)
    return tmp_path


def bars_of(soup):
    """Return the numbers of the page's last table, which counts totals."""
    rows = soup.find_all("table")[-1]("tr")[1:]
    return [int(row.find_all("td")[0].text) for row in rows]


def made_of(graded):
    """Return the page, {question: row} and the rows of mistakes of a report."""
    page, table, mistakes = report.make(graded, "assignment_game")
    rows = csv.DictReader(table.read_text("utf-8").splitlines())
    made = csv.DictReader(mistakes.read_text("utf-8").splitlines())
    soup = BeautifulSoup(page.read_text("utf-8"), "html.parser")
    return soup, {row["question"]: row for row in rows}, [*made]


def test_report_statistics(graded):
    soup, rows, made = made_of(graded)
    names = "winner", "class_size", "count_games", "can_occur", "prediction", "essay"
    assert (*rows,) == names
    winner, size, games, *_, essay = rows.values()
    assert (winner["marked"], winner["right"], winner["half"]) == ("3", "2", "0")
    assert [tuple(row.values()) for row in made] == [
        ("winner", "rows only", "1"),
        ("class_size", "<b>turns</b> only", "1"),
    ]
    assert (size["right"], size["half"], size["mean"]) == ("1", "1", "2.00")
    assert (essay["marked"], essay["points"], essay["right"]) == ("1", "4", "0")
    assert (games["marked"], games["points"]) == ("0", "4")  # not in the table
    text = soup.get_text(" ", strip=True)
    assert "4 students on the roll" in text
    assert "2 graded" in text
    bars = bars_of(soup)
    assert sum(bars) == 3
    assert bars[3] == bars[6] == bars[8] == 1  # 4, 8 and 10 of 12


def test_row_counts_all_some_and_no_points():
    graded = [{"q": "4"}, {"q": "0.5"}, {"q": "3.5"}, {"q": "0"}, {"q": ""}, {}]
    assert report._row("q", 4, graded, Counter())[2:6] == (4, 1, 2, 2.0)


def test_report_leaves_out_students_who_were_not_graded(graded):
    place = graded / "assignment_game"
    rows = [f"{ROWS[0]},bob", f"{ROWS[1]},ada", f"{ROWS[2]},", f"{ROWS[3]},"]
    rows += [f"un{n},,unreadable,0,12,0,0,0,0,0,,no JSON," for n in range(4)]
    rows += ["out,,not graded,,12,,,,,6,,THE GRADER FAILED,"]
    (place / "grades.csv").write_text("\n".join([f"{HEAD},same text as", *rows]))
    stale = (place / "results" / "bob.json").read_text()
    for gone in ("un1", "left"):  # now unreadable; not in the class
        (place / "results" / f"{gone}.json").write_text(stale)
    soup, rows_by_name, made = made_of(graded)
    assert {rows_by_name[name]["marked"] for name in ("prediction", "winner")} == {"3"}
    assert rows_by_name["prediction"]["mean"] == "2.00"
    assert [row["made by"] for row in made if row["question"] == "winner"] == ["1"]
    assert sum(bars_of(soup)) == 3
    text = soup.get_text(" ", strip=True)
    assert "of the 3 whose work could be graded" in text
    assert "The texts of 2 students are the same" in text
    assert "The texts of 2 students are not marked yet" in text


def test_report_has_no_names_and_escapes_mistakes(graded):
    for file in report.make(graded, "assignment_game"):
        text = file.read_text("utf-8")
        for word in ("ada", "Ada", "Byrne", "eve,", "Larsen", "kim"):
            assert word not in text
    page = (graded / "assignment_game" / "report.html").read_text("utf-8")
    assert "&lt;b&gt;turns" in page
    assert "<b>" not in page


STRANGE = {
    '{"version": 2}': r"made by a newer edition \(format 2; this one knows up to 1\)",
    '{"format": "ttt policy", "result": "{}"}': "it is not a ttt_lib result file",
    "[1]": "is damaged: remove it, and grade again",
}


def test_unreadable_results_are_named_in_one_sentence(graded):
    file = graded / "assignment_game" / "results" / "bob.json"
    for text, sentence in STRANGE.items():
        file.write_text(text)
        with pytest.raises(ValueError, match=sentence) as caught:
            report.make(graded, "assignment_game")
        assert str(caught.value).startswith(str(file))
        assert "\n" not in str(caught.value)
    file = graded / "assignment_game" / "grades.csv"
    file.write_text(file.read_text().replace("status", "state"))
    with pytest.raises(ValueError, match=r"grades\.csv has no column `status`"):
        report.make(graded, "assignment_game")


def test_report_requires_a_graded_assignment(graded, capsys):
    with pytest.raises(ValueError, match="grade assignment_mdp first"):
        report.make(graded, "assignment_mdp")
    arguments = ["report", "--course", str(graded), "--assignment"]
    assert main([*arguments, "assignment_game"]) is None
    assert "report.html" in capsys.readouterr().out
    assert "There is no assignment 'x'" in main([*arguments, "x"])


@pytest.mark.slow
def test_solved_notebook_passes_checks_and_lists_mistakes(tmp_path, capsys):
    name = "assignment_value_iteration"
    notebook = json.loads(solutions.make(tmp_path, name).read_text(encoding="utf-8"))
    names, sources = {}, [cell["source"] for cell in notebook["cells"]]
    for cell in notebook["cells"]:
        assert "nbgrader" not in cell["metadata"]
        if cell["cell_type"] == "code":
            exec(cell["source"], names)
    output, text = capsys.readouterr().out, "\n".join(sources)
    assert "SOLUTION" not in text
    assert "0 open" in output
    checks = [word for word in QUESTIONS if f"check.{word}(" in text]
    green = output.count("visible checks passed") + output.count("reached, 100%")
    assert green == len(checks) > 3
    for text_of in ("prediction", "essay"):
        assert solutions.model_answer(name, text_of) in text
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    asked = [question for question in checks if QUESTIONS[question].mistakes]
    listed = [n for n, one in enumerate(ids) if one.endswith("-mistakes")]
    for n, question in zip(listed, asked, strict=True):  # they are below the check
        assert f"check.{question}(" in sources[n - 1]
        assert all(each.hint in sources[n] for each in QUESTIONS[question].mistakes)


def test_solutions_command_solves_all_or_named_assignments(tmp_path):
    arguments = ["solutions", "--course", str(tmp_path)]
    assert main([*arguments, "assignment_td"]) is None
    (file,) = (tmp_path / "solutions").iterdir()
    assert file.name == "assignment_td.ipynb"
    assert main(arguments) is None
    assert len(list((tmp_path / "solutions").iterdir())) == len(course.names())
    assert "There is no assignment 'x'" in main([*arguments, "x"])
