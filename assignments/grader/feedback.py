"""Feedback page for a student, and the notebook that a person marks."""

import copy
import json
import re
from pathlib import Path
from typing import NamedTuple

import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from assignments.grader import dates
from assignments.grader.runner import TOO_LONG
from assignments.grader.sandbox import OWN
from ttt_lib import theme
from ttt_lib.check import report

STATUS = {
    "graded": "Your notebook ran to its end.",
    "repaired": "Something was wrong with the file. It was repaired, and then graded.",
    "crashed": "Something in your notebook made Python crash. The rest was graded.",
    "timed out": "Something in your notebook took too long. The rest was graded.",
    "unreadable": "Your file could not be read, so nothing could be graded.",
    "missing": "Nothing was handed in.",
    "not graded": "The grading program itself failed here. A person will look at it.",
}
WHY = {
    "NotImplementedError": "The function is not written yet.",
    "it is not defined": "There is no function or value of that name.",
    "the function timed out": "It did not finish in time.",
    "the function crashed": "It made Python crash.",
    "the function ran out of memory": "It used too much memory.",
    "MemoryError": "It used too much memory.",
}

ROOT = Path(__file__).resolve().parents[2]
NOT_FOUND = "No text was found in its place: look into the submitted file."
MAX_SHOWN = 10_000  # characters of an answer that are shown
MAX_LINE = 200


class Item(NamedTuple):
    """A question, or a text, as the page shows it."""

    asked: NamedTuple  #: the Question or Essay
    score: float | None  #: points; None until a person has marked it
    comment: str  #: written by a person
    by_person: bool  #: whether a person has given the score
    verdict: dict | None  #: of a question; None if nothing was graded
    text: str | None  #: marked by a person, "" if empty; None for a question
    picture: str  #: PNG (base64) that is marked with the text, or ""
    code: str  #: the student's answer to a question, truncated if too long
    line: tuple  #: (number, text) of its line that raised an error, or ()


def number(points):
    """Return points as text without a trailing zero: "4", not "4.0"."""
    return "" if points is None else f"{points:g}"


TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent),
    autoescape=True,  # so that no part of a template can forget to escape
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
TEMPLATES.filters["number"] = number


def page(release, student, result, marks, isolation, answers, late=None, picture=""):
    """Return the feedback page (HTML): questions and hints, without hidden cases.

    `late` is the Lateness of the work if there are dates, else None; `picture` is the
    Submission's PNG (base64), or "".
    """
    items = []
    for asked in release.items():
        mark = marks.get(asked.grade_id)
        text, drawn = None, ""
        if asked in release.essays and result["questions"]:
            blank = asked.grade_id in result["blank"]
            text = "" if blank else answers.get(asked.grade_id, "")
            drawn = picture if asked.drawing else ""
        items.append(
            Item(
                asked,
                mark.score if mark else 0,
                mark.comment if mark else "",
                mark.by_person if mark else False,
                result["questions"].get(asked.grade_id),
                text,
                drawn,
                _cut(code := answers.get(getattr(asked, "answer_id", ""), "")),
                _line(code, result["questions"].get(asked.grade_id)),
            )
        )
    total = sum(item.score or 0 for item in items)
    return TEMPLATES.get_template("feedback.html").render(
        release=release,
        student=student,
        status=STATUS[result["status"]],
        notes=result["notes"],
        items=items,
        total=total,
        late=dates.sentence(late, total) if late else "",
        ran=bool(result["questions"]),
        isolation=isolation,
        chapter=chapter(release.about, site()),
        theme=theme.css(),
    )


def site():
    """Return the address of the book's site, "" if `_config.yml` names none."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    return config["html"].get("baseurl") or ""


def chapter(about, site):
    """Return the URL of the chapter that a text begins with, "" if there is none."""
    match = re.match(r"chapter (\d+)", about)
    pages = [*ROOT.glob(f"book/{match[1]:0>2}_*.ipynb")] if site and match else []
    return f"{site.rstrip('/')}/book/{pages[0].stem}.html" if pages else ""


def _line(code, verdict):
    """Return (number, text) of the line in a verdict, or () if it has none.

    IPython does not count leading empty lines.
    """
    lines, number = code.splitlines(), verdict["line"] if verdict else 0
    number += next((n for n, line in enumerate(lines) if line.strip()), 0)
    if not verdict or not verdict["line"] or number > len(lines):
        return ()
    return number, lines[number - 1].strip()[:MAX_LINE]


def ending(why):
    """Return the sentence for why a function failed."""
    if why in WHY:
        return WHY[why]
    if why in (OWN, TOO_LONG) or why.isidentifier():
        return f"It ended with {why}."
    return f"{why[0].upper()}{why[1:]}."


TEMPLATES.filters["ending"] = ending


def measured(found):
    """Return the measures of a training in one line, as the visible check does."""
    return found if isinstance(found, str) else report.measures(found)


TEMPLATES.filters["measured"] = measured


def _cut(code):
    return code if len(code) <= MAX_SHOWN else f"{code[:MAX_SHOWN]}\n…"


def word_for_word(text):
    """Return Markdown that shows a text exactly as typed, with everything escaped.

    Formgrader renders Markdown on a page with the rights of its reader. So each
    character except letters, digits and spaces becomes a numeric entity: nothing is
    left that Markdown, HTML or MathJax could interpret.
    """
    special = {character for character in text if not character.isalnum()} - {" "}
    numbers = {ord(character): f"&#{ord(character)};" for character in special}
    style = "font: inherit; white-space: pre-wrap; word-break: normal"
    return f'<pre style="{style}">{text.translate(numbers)}</pre>'


def marked_notebook(release, submission, result):
    """Return the notebook (JSON) that a person marks in nbgrader's formgrader.

    It is the release with the student's answers, their texts escaped. Stored outputs
    are left out, because they can contain scripts, except the picture.
    """
    notebook = copy.deepcopy(release.notebook)
    kinds = {cell.grade_id: cell.kind for cell in release.cells if cell.grade_id}
    for cell in notebook["cells"]:
        grade_id = cell["metadata"].get("nbgrader", {}).get("grade_id", "")
        if kinds.get(grade_id) in ("answer", "drawing"):
            source = submission.answers.get(grade_id, "")
            # Formgrader cannot show a page with a lone surrogate.
            cell["source"] = source.encode(errors="replace").decode()
        if kinds.get(grade_id) == "drawing" and submission.picture:
            picture = {"image/png": submission.picture}
            alt = {"image/png": {"alt": "The student's picture"}}
            shown = {"output_type": "display_data", "data": picture, "metadata": alt}
            cell["outputs"] = [shown]
        if kinds.get(grade_id) == "essay":
            text = submission.answers.get(grade_id, NOT_FOUND)
            cell["source"] = word_for_word(text)
        if kinds.get(grade_id) == "test":
            verdict = result["questions"][grade_id]
            text = [f"{number(result['scores'][grade_id])} points"]
            text += [part for part in (verdict["why"], verdict["mistake"]) if part]
            text += [verdict["hint"]] if verdict["hint"] else []
            cell["outputs"] = [
                {"output_type": "stream", "name": "stdout", "text": ". ".join(text)}
            ]
    return json.dumps(notebook, ensure_ascii=True, indent=1)
