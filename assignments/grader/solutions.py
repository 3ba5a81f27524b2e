"""After the deadline: each assignment with its answers, mistakes, and a model text."""

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
        asked = graded.get("grade_id", "").removesuffix("_check")
        told = mistakes(asked) if cell["cell_type"] == "code" else ""
        if told and graded["grade"]:
            more = {"id": f"{cell['id']}-mistakes", "metadata": {}}
            cells.append({"cell_type": "markdown", "source": told, **more})
    place = Path(course) / "solutions" / f"{name}.ipynb"
    solved = notebook | {"cells": cells}
    write(place, json.dumps(solved, indent=1, ensure_ascii=False) + "\n")
    return place


def mistakes(question):
    """Return in Markdown the mistakes that are often made, "" if none is known."""
    known = QUESTIONS.get(question)
    if known is None or not known.mistakes:
        return ""
    rows = [f"- *{one.name}*: {one.hint}" for one in known.mistakes]
    return "\n".join(["**Mistakes often made**", "", *rows])


def model_answer(name, grade_id):
    """Return the model answer to a text of an assignment."""
    found = rubric(name, grade_id)
    return re.search(r"### Model answer\n\n(.*?)\n\n### ", found, re.S)[1]


def rubric(name, grade_id):
    """Return how a text of an assignment is marked (Markdown)."""
    file = RUBRICS / f"{name.partition('_')[2]}.md"
    _, *texts = re.split(r"(?m)^## `(\w+)`\n", file.read_text(encoding="utf-8"))
    return dict(zip(texts[::2], texts[1::2], strict=True))[grade_id]
