"""Solved notebooks for after the deadline: solutions, common mistakes, model texts."""

import json
import re
from pathlib import Path

from assignments.grader import course as courses
from assignments.grader.files import write
from assignments.questions import QUESTIONS

RUBRICS = Path(__file__).resolve().parents[1] / "rubrics"
MARKS = re.compile(r"^ *### (BEGIN|END) SOLUTION\n?", re.M)


def make(course, name):
    """Write the solved notebook of an assignment; return its file."""
    source = courses.SOURCE / name / f"{name}.ipynb"
    notebook = json.loads(source.read_text(encoding="utf-8"))
    cells = []
    for cell in notebook["cells"]:
        graded = cell["metadata"].pop("nbgrader", {})
        text = MARKS.sub("", "".join(cell["source"])).rstrip("\n")
        if cell["cell_type"] == "markdown" and graded.get("grade"):
            text = model_answer(name, graded["grade_id"])
        cells.append(cell | {"source": text})
        question = graded.get("grade_id", "").removesuffix("_check")
        text = mistakes(question) if cell["cell_type"] == "code" else ""
        if text and graded["grade"]:
            more = {"id": f"{cell['id']}-mistakes", "metadata": {}}
            cells.append({"cell_type": "markdown", "source": text, **more})
    place = Path(course) / "solutions" / f"{name}.ipynb"
    solved = notebook | {"cells": cells}
    write(place, json.dumps(solved, indent=1, ensure_ascii=False) + "\n")
    return place


def mistakes(question):
    """Return the known mistakes in a question with their hints (Markdown), or ""."""
    asked = QUESTIONS.get(question)
    if asked is None or not asked.mistakes:
        return ""
    rows = [f"- *{mistake.name}*: {mistake.hint}" for mistake in asked.mistakes]
    return "\n".join(["**Common mistakes**", "", *rows])


def model_answer(name, grade_id):
    """Return the model answer for a text of an assignment (Markdown)."""
    text = rubric(name, grade_id)
    return re.search(r"### Model answer\n\n(.*?)\n\n### ", text, re.S)[1]


def rubric(name, grade_id):
    """Return the rubric for a text of an assignment (Markdown)."""
    file = RUBRICS / f"{name.partition('_')[2]}.md"
    _, *texts = re.split(r"(?m)^## `(\w+)`\n", file.read_text(encoding="utf-8"))
    return dict(zip(texts[::2], texts[1::2], strict=True))[grade_id]
