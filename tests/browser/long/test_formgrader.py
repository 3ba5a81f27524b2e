"""Marking by hand, as the page on it describes it: from Formgrader to the student."""

import csv
import json
import re

import submissions
from test_assignment import grader
from test_lab import TIMEOUT, jupyterlab, menu

NAME, TEXT = submissions.VALUES, "50, because of $x$ <b>sweeps</b>."


def test_formgrader_marks_reach_grades_and_feedback(browser, tmp_path):
    course, roll = tmp_path / "course", tmp_path / "roll.csv"
    grader("release", NAME, "--course", course)
    released = course / "release" / NAME / f"{NAME}.ipynb"
    notebook = json.loads(released.read_text(encoding="utf-8"))
    submissions.cell(notebook, "prediction")["source"] = TEXT
    drawn = {
        "output_type": "display_data",
        "data": {"image/png": submissions.png(640, 480)},
    }
    submissions.cell(notebook, "drawing")["outputs"] = [drawn | {"metadata": {}}]
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "ada.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    roll.write_text("id,name\nada,Ada\n", encoding="utf-8")
    words = "grade", "--submissions", tmp_path / "in", "--roll", roll
    words += "--course", course, "--secret", tmp_path / "secret", "--assignment", NAME
    grader(*words)

    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(TIMEOUT)
    with jupyterlab(tmp_path / "home", course) as (address, token):
        tab = context.new_page()
        tab.goto(f"{address}lab?token={token}")
        menu(tab, "Nbgrader", "Formgrader")
        shown = tab.frame_locator("iframe[src*=formgrader]")
        shown.get_by_role("link", name="Manual Grading").click()
        shown.get_by_role("link", name=NAME).click()
        shown.get_by_role("link", name=NAME).last.click()
        shown.get_by_role("link", name="Submission #1").click()
        shown.locator("pre", has_text=TEXT).wait_for()
        assert shown.locator("img").evaluate("image => image.naturalWidth") == 640
        for field, entered in {
            "prediction": "1",
            "prediction-comment": "Why *50*?",
            "figure": "7",  # of 3
            "drawing-comment": "Label it.",
        }.items():
            with tab.expect_response(re.compile("/api/(grade|comment)/")):
                shown.locator(f"#{field}").fill(entered)
                shown.locator(f"#{field}").blur()

        # Formgrader's own pages lie elsewhere.
        page = course / "feedback" / "ada" / NAME / f"{NAME}.html"
        before = page.read_bytes()
        tab.goto(f"{address}formgrader/manage_submissions/{NAME}")
        tab.locator(".generate-feedback a").click()
        tab.get_by_text("Successfully generated feedback").wait_for()
        assert page.read_bytes() == before
        grader(*words)
    context.close()

    with (course / NAME / "grades.csv").open(newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert (row["prediction"], row["figure"], row["to mark"]) == ("1", "3", "0"), row
    told = page.read_text(encoding="utf-8")
    assert "Why *50*?" in told
    assert told.index(submissions.png(640, 480)) < told.index("Label it.")
