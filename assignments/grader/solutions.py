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
            text = model_answer(name)
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
    """Return in Markdown the mistakes that are often made, "" of a prediction."""
    known = QUESTIONS.get(question)
    if known is None or known.is_value:
        return ""
    rows = [f"- *{one.name}*: {one.hint}" for one in known.mistakes]
    return "\n".join(["**Mistakes often made**", "", *rows])


def model_answer(name):
    """Return the model answer to the text of an assignment."""
    file = RUBRICS / f"{name.partition('_')[2]}.md"
    text = file.read_text(encoding="utf-8")
    return re.search(r"## Model answer\n\n(.*?)\n\n## ", text, re.S)[1]
