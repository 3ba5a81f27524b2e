"""An assignment end to end: release, JupyterLab, grading, feedback."""

import csv
import json
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
import submissions
from axe_playwright_python.sync_playwright import Axe
from test_lab import TIMEOUT, lab, menu  # noqa: F401  `lab` is a fixture

ROOT = Path(__file__).parents[2]
NAME = "assignment_game"


def grader(*arguments):
    """Run the grader as `make assignments` and `make grade` do."""
    subprocess.run(
        [sys.executable, "-m", "assignments.grader", *map(str, arguments)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )


def cells(file):
    return json.loads(file.read_text(encoding="utf-8"))["cells"]


def contents(lab, name, put=None):  # noqa: F811
    """Get a file from the lab, or put one there."""
    base, token = lab("x").split("/lab/tree/x.ipynb?token=")
    request = urllib.request.Request(
        f"{base}/api/contents/{name}.ipynb?token={token.split('&')[0]}",
        data=None
        if put is None
        else json.dumps({"type": "notebook", "content": put}).encode(),
        method="GET" if put is None else "PUT",
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["content"]


@pytest.mark.long
def test_assignment_from_release_to_feedback(lab, browser, new_tab, tmp_path):  # noqa: F811
    course = tmp_path / "course"
    grader("release", NAME, "--course", course)
    released = course / "release" / NAME / f"{NAME}.ipynb"
    contents(lab, NAME, json.loads(released.read_text(encoding="utf-8")))

    # The student opens it, writes the answers and runs all cells.
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(TIMEOUT)
    tab = context.new_page()
    tab.goto(lab(NAME))
    tab.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
    solutions = cells(ROOT / "assignments" / "source" / NAME / f"{NAME}.ipynb")
    for number, cell in enumerate(solutions):
        source = "".join(cell["source"])
        if "### BEGIN SOLUTION" in source:
            if "def winner(" in source:  # the student forgets the anti-diagonal
                source = source.replace("        [2, 4, 6],\n", "")
            editor = tab.locator(".jp-Notebook .jp-Cell").nth(number)
            editor.locator(".cm-content").click()
            tab.keyboard.press("ControlOrMeta+a")
            tab.keyboard.insert_text(source)
    menu(tab, "Run", "Run All Cells")
    tab.get_by_text("can_occur: visible checks passed, ").wait_for()
    tab.get_by_text(re.compile(r"winner: \d+ of \d+ visible checks passed")).wait_for()
    tab.get_by_text("A board has two diagonals: 0, 4, 8 and 2, 4, 6.").wait_for()
    tab.get_by_text("game: 14 points so far, 2 open").wait_for()
    menu(tab, "File", "Save Notebook")
    tab.wait_for_function("() => !document.querySelector('.jp-mod-dirty')")
    context.close()

    # It is submitted and graded.
    home = tmp_path / "submissions" / "ada"
    home.mkdir(parents=True)
    submitted = json.dumps(contents(lab, NAME))
    (home / f"{NAME}.ipynb").write_text(submitted, encoding="utf-8")
    roll, secret = tmp_path / "roll.csv", tmp_path / "secret"
    roll.write_text("id,name\nada,Ada\n", encoding="utf-8")
    folders = "--submissions", home.parent, "--roll", roll
    grader("grade", *folders, "--course", course, "--secret", secret)
    with (course / NAME / "grades.csv").open(newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert row["status"] == "graded", row
    assert (row["winner"], row["class_size"], row["total"]) == ("2", "4", "14")

    # The feedback page.
    tab = new_tab()
    asked = []
    tab.on("request", lambda request: asked.append(request.url))
    page = course / "feedback" / "ada" / NAME / f"{NAME}.html"
    tab.goto(page.as_uri())
    assert tab.get_by_text("A board has two diagonals").is_visible()
    assert asked == [page.as_uri()]
    tab.close()


def test_drawing_on_feedback_page_fits_and_passes_axe(new_tab, tmp_path):
    file, tab = tmp_path / "page.html", new_tab()
    drawn = submissions.png(1200, 900)
    file.write_text(
        submissions.page_back("plain", submissions.VALUES, drawn), encoding="utf-8"
    )
    tab.set_viewport_size({"width": 360, "height": 640})
    tab.goto(file.as_uri())
    for media in ("screen", "print"):
        tab.emulate_media(media=media)
        place = tab.locator("img").bounding_box()
        assert 0 < place["x"] < place["x"] + place["width"] <= 360
        assert place["width"] / place["height"] == pytest.approx(4 / 3, rel=0.01)
    for mode in ("light", "dark"):
        tab.emulate_media(media="screen", color_scheme=mode)
        assert Axe().run(tab).response["violations"] == []
    tab.close()


# Wait for an image error, as in a submission, then a frame and a task.
LATE = """() => new Promise((done) => {
  const image = new Image();
  image.onerror = () => requestAnimationFrame(() => setTimeout(done));
  image.src = 'x:';
  document.body.append(image);
})"""


def test_scripts_in_submissions_do_not_run(new_tab, tmp_path):
    tab = new_tab()
    for script in submissions.SCRIPTS:  # each runs in a plain page
        tab.goto("about:blank")
        tab.set_content(script, wait_until="commit")
        tab.wait_for_function("() => window.ran === 1")
    formgrader, file = submissions.formgrader(tmp_path), tmp_path / "page.html"
    for text in submissions.HOSTILE:  # all scripts in each
        for page in (formgrader(text, text), submissions.page_back(text)):
            file.write_text(page, encoding="utf-8", errors="replace")
            tab.goto(file.as_uri())
            tab.evaluate(LATE)  # pending tasks have run then
            assert tab.evaluate("() => window.ran") is None, text
            shown = tab.locator("pre", has_text="top.ran").last
            assert shown.is_visible()
            assert shown.inner_text().split() == text.split(), text
    tab.close()
