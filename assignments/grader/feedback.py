"""The page that a student gets back, and the notebook that a person marks."""

import copy
import html
import json

STATUS = {
    "graded": "Your notebook ran to its end.",
    "repaired": "Something was wrong with the file. It was repaired, and then graded.",
    "crashed": "Something in your notebook brought Python down. The rest was graded.",
    "timed out": "Something in your notebook did not end. The rest was graded.",
    "unreadable": "Your file could not be read, so nothing could be graded.",
    "missing": "Nothing was handed in.",
}
WHY = {
    "NotImplementedError": "The function is not written yet.",
    "it is not defined": "There is no function or value of that name.",
    "the function timed out": "It did not come to an end within its time.",
    "the function crashed": "It ended Python itself.",
    "the function ran out of memory": "It used more memory than there is.",
    "MemoryError": "It used more memory than there is.",
}
STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto;
  padding: 0 1rem; }
table { border-collapse: collapse; }
th, td { text-align: left; padding: .3rem .8rem .3rem 0; vertical-align: top;
  border-bottom: 1px solid #888; }
td.points { text-align: right; white-space: nowrap; }
pre { white-space: pre-wrap; border-left: 4px solid #888; padding-left: .8rem; }
"""


def number(points):
    """Return points as a teacher writes them: 4, not 4.0."""
    return "" if points is None else f"{points:g}"


def page(release, student, result, marks, isolation, answers):
    """Return the feedback page (HTML): every question, its hint, and no hidden case."""
    e = html.escape
    rows, sections = [], []
    for question in release.questions:
        found = result["questions"].get(question.grade_id)
        mark = marks.get(question.grade_id)
        score = mark.score if mark else 0
        rows.append((question.title, score, question.points))
        if found is None:
            continue
        sections.append(f"<h2>{e(question.title)}</h2>")
        right = "You made one." if question.is_value else "Right."
        what = {1.0: right, 0.5: "Right but for special cases: half the points."}
        sections.append(f"<p>{what.get(found['share'], 'Not right yet.')}</p>")
        if found["share"] < 1:
            if found["kinds"] and found["share"] == 0.5:
                sections.append(
                    f"<p>It fails here: {e('; '.join(found['kinds']))}.</p>"
                )
            if found["why"]:
                why = WHY.get(found["why"], f"It ended with {found['why']}.")
                sections.append(f"<p>{e(why)}</p>")
            sections.append(f"<p><strong>Hint:</strong> {e(found['hint'])}</p>")
        if mark and mark.comment:
            sections.append(f"<p><strong>Comment:</strong> {e(mark.comment)}</p>")
    for essay in release.essays:
        mark = marks.get(essay.grade_id)
        score = mark.score if mark else 0
        rows.append((essay.title, score, essay.points))
        if not result["questions"]:
            continue
        sections.append(f"<h2>{e(essay.title)}</h2>")
        if essay.grade_id in result["blank"]:
            sections.append("<p>There is no text.</p>")
        else:
            sections.append(f"<pre>{e(answers.get(essay.grade_id, ''))}</pre>")
            if score is None:
                sections.append("<p>A person will mark this text.</p>")
        if mark and mark.comment:
            sections.append(f"<p><strong>Comment:</strong> {e(mark.comment)}</p>")
    table = "".join(
        f'<tr><th scope="row">{e(title)}</th>'
        f'<td class="points">{"to be marked" if score is None else number(score)}</td>'
        f'<td class="points">{number(points)}</td></tr>'
        for title, score, points in rows
    )
    total = number(sum(score or 0 for _, score, _ in rows))
    out_of = number(sum(points for _, _, points in rows))
    notes = "".join(f"<li>{e(note)}</li>" for note in result["notes"])
    who = f"{student.name} ({student.id})" if student.name else student.id
    apart = (
        "Your code ran isolated."
        if not isolation
        else f"Isolation is off: {isolation}. Your code ran as an ordinary process."
    )
    return (
        '<!DOCTYPE html>\n<html lang="en-GB">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{e(release.title)}: {e(student.id)}</title>\n"
        f"<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{e(release.title)}</h1>\n<p>{e(who)}</p>\n"
        f"<p>{STATUS[result['status']]}</p>\n"
        + (f"<ul>{notes}</ul>\n" if notes else "")
        + "<table>\n<caption>Points</caption>\n<thead><tr>"
        '<th scope="col">Question</th><th scope="col">Points</th>'
        '<th scope="col">of</th></tr></thead>\n'
        f"<tbody>{table}</tbody>\n"
        '<tfoot><tr><th scope="row">Together</th>'
        f'<td class="points">{total}</td><td class="points">{out_of}</td>'
        "</tr></tfoot>\n"
        "</table>\n" + "\n".join(sections) + f"\n<p><small>{e(apart)}</small></p>\n"
        "</main>\n</body>\n</html>\n"
    )


def word_for_word(text):
    """Return Markdown that shows a text as it was typed, whatever stands in it.

    Formgrader shows Markdown on a page that may do all that its reader may do. So each
    sign but letters, digits and spaces is written as its number: nothing is left that
    Markdown, HTML or MathJax could read.
    """
    signs = (s if s.isalnum() or s == " " else f"&#{ord(s)};" for s in text)
    style = "font: inherit; white-space: pre-wrap; word-break: normal"
    return f'<pre style="{style}">{"".join(signs)}</pre>'


def marked_notebook(release, submission, result):
    """Return the notebook (JSON) that a person marks in nbgrader's formgrader.

    It is the release with the student's answers; what they printed is left out, for
    stored output can carry scripts, and a text is shown word for word.
    """
    notebook = copy.deepcopy(release.notebook)
    kinds = {cell.grade_id: cell.kind for cell in release.cells if cell.grade_id}
    for cell in notebook["cells"]:
        grade_id = cell["metadata"].get("nbgrader", {}).get("grade_id", "")
        if kinds.get(grade_id) == "answer":
            cell["source"] = submission.answers.get(grade_id, "")
        if kinds.get(grade_id) == "essay":
            cell["source"] = word_for_word(submission.answers.get(grade_id, ""))
        if kinds.get(grade_id) == "test":
            found = result["questions"][grade_id]
            text = [f"{number(result['scores'][grade_id])} points"]
            text += [part for part in (found["why"], found["mistake"]) if part]
            text += [found["hint"]] if found["hint"] else []
            cell["outputs"] = [
                {"output_type": "stream", "name": "stdout", "text": ". ".join(text)}
            ]
    return json.dumps(notebook, ensure_ascii=True, indent=1)
