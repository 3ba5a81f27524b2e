"""The page that a student gets back, and the notebook that a person marks."""

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
    "crashed": "Something in your notebook brought Python down. The rest was graded.",
    "timed out": "Something in your notebook did not end in time. The rest was graded.",
    "unreadable": "Your file could not be read, so nothing could be graded.",
    "missing": "Nothing was handed in.",
    "not graded": "The program that grades has failed here. A person will look at it.",
}
WHY = {
    "NotImplementedError": "The function is not written yet.",
    "it is not defined": "There is no function or value of that name.",
    "the function timed out": "It did not come to an end within its time.",
    "the function crashed": "It ended Python itself.",
    "the function ran out of memory": "It used more memory than there is.",
    "MemoryError": "It used more memory than there is.",
}

ROOT = Path(__file__).resolve().parents[2]
NOT_FOUND = "No text was found in its place: look into the file that was handed in."
MAX_SHOWN = 10_000  # characters of an answer that are shown
MAX_LINE = 200


class Item(NamedTuple):
    """A question, or a text, as the page shows it."""

    asked: NamedTuple  #: the Question or the Essay
    score: float | None  #: the points given; None while it waits for a person
    comment: str  #: a person's
    by_person: bool  #: whether a person has given the score
    verdict: dict | None  #: on a question; None if nothing was graded
    text: str | None  #: that a person marks, "" if there is none; None for a question
    picture: str  #: the PNG (base64) that is marked with the text, "" if there is none
    code: str  #: the student's own answer to a question, cut off where it is too long
    line: tuple  #: (number, text) of the line of it that raised an error, or ()


def number(points):
    """Return points as a teacher writes them: 4, not 4.0."""
    return "" if points is None else f"{points:g}"


TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent),
    autoescape=True,  # so that no branch of a template can forget it
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
TEMPLATES.filters["number"] = number


def page(release, student, result, marks, isolation, answers, late=None, picture=""):
    """Return the feedback page (HTML): every question, its hint, and no hidden case.

    `late` is the Lateness of the work, where there are dates; `picture` is that of a
    Submission.
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
        late=dates.told(late, total) if late else "",
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
    """Return where a site has the chapter that words begin with, "" if nowhere."""
    named = re.match(r"chapter (\d+)", about)
    found = [*ROOT.glob(f"book/{named[1]:0>2}_*.ipynb")] if site and named else []
    return f"{site.rstrip('/')}/book/{found[0].stem}.html" if found else ""


def _line(code, verdict):
    """Return (number, text) of the line that a Verdict names, () if it names none.

    IPython does not count empty lines before the first.
    """
    lines, number = code.splitlines(), verdict["line"] if verdict else 0
    number += next((n for n, line in enumerate(lines) if line.strip()), 0)
    if not verdict or not verdict["line"] or number > len(lines):
        return ()
    return number, lines[number - 1].strip()[:MAX_LINE]


def ending(why):
    """Return in a sentence how a function ended: an error has a name, or none."""
    if why in WHY:
        return WHY[why]
    if why in (OWN, TOO_LONG) or why.isidentifier():
        return f"It ended with {why}."
    return f"{why[0].upper()}{why[1:]}."


TEMPLATES.filters["ending"] = ending


def measured(found):
    """Return what was measured of a training in a line, as the student's check does."""
    return found if isinstance(found, str) else report.measures(found)


TEMPLATES.filters["measured"] = measured


def _cut(code):
    return code if len(code) <= MAX_SHOWN else f"{code[:MAX_SHOWN]}\n…"


def word_for_word(text):
    """Return Markdown that shows a text as it was typed, whatever stands in it.

    Formgrader shows Markdown on a page that may do all that its reader may do. So each
    sign but letters, digits and spaces is written as its number: nothing is left that
    Markdown, HTML or MathJax could read.
    """
    others = {sign for sign in text if not sign.isalnum()} - {" "}
    numbers = {ord(sign): f"&#{ord(sign)};" for sign in others}
    style = "font: inherit; white-space: pre-wrap; word-break: normal"
    return f'<pre style="{style}">{text.translate(numbers)}</pre>'


def marked_notebook(release, submission, result):
    """Return the notebook (JSON) that a person marks in nbgrader's formgrader.

    It is the release with the student's answers; what they printed is left out, for
    stored output can carry scripts, but for a picture, and a text is shown word for
    word.
    """
    notebook = copy.deepcopy(release.notebook)
    kinds = {cell.grade_id: cell.kind for cell in release.cells if cell.grade_id}
    for cell in notebook["cells"]:
        grade_id = cell["metadata"].get("nbgrader", {}).get("grade_id", "")
        if kinds.get(grade_id) in ("answer", "drawing"):
            source = submission.answers.get(grade_id, "")
            # Half a surrogate, and Formgrader could not show the page.
            cell["source"] = source.encode(errors="replace").decode()
        if kinds.get(grade_id) == "drawing" and submission.picture:
            picture = {"image/png": submission.picture}
            alt = {"image/png": {"alt": "The picture that was handed in"}}
            shown = {"output_type": "display_data", "data": picture, "metadata": alt}
            cell["outputs"] = [shown]
        if kinds.get(grade_id) == "essay":
            text = submission.answers.get(grade_id, NOT_FOUND)
            cell["source"] = word_for_word(text)
        if kinds.get(grade_id) == "test":
            found = result["questions"][grade_id]
            text = [f"{number(result['scores'][grade_id])} points"]
            text += [part for part in (found["why"], found["mistake"]) if part]
            text += [found["hint"]] if found["hint"] else []
            cell["outputs"] = [
                {"output_type": "stream", "name": "stdout", "text": ". ".join(text)}
            ]
    return json.dumps(notebook, ensure_ascii=True, indent=1)
