"""One submission examined: its cells run, its functions asked, its answers judged."""

import re
import time

from assignments import questions
from assignments.grader import course
from assignments.grader.child import UNDEFINED
from assignments.grader.files import printable
from assignments.grader.sandbox import Gone
from assignments.grader.submission import LONGEST_SOURCE, definitions, shortcuts
from assignments.questions.question import key
from ttt_lib.check.judge import Failed, UnfitError, judge, plain
from ttt_lib.check.notebook import bare
from ttt_lib.check.training import trained, verdict

OUT_OF_MEMORY = "ran out of memory"
TOO_SLOW = "one training takes"  # begins what is said of a training without an end
# A cell that binds a name to a right function, which keeps its helpers to itself.
PUT_IN = """
def _right():
    names = dict(globals())
    exec({source!r}, names)
    return names[{name!r}]

{name} = _right()
"""


class Questionnaire:
    """The hidden cases of an assignment, the Key to each question, right answers."""

    def __init__(self, release, secret):
        self.cases, self.key = {}, {}
        self.right = course.solutions(release.name)
        for question in release.questions:
            drawn = questions.draw(secret, release.name, question.key)
            self.cases[question.grade_id] = drawn
            self.key[question.grade_id] = key(questions.QUESTIONS[question.key], drawn)

    def judge(self, question, answers):
        """Return the Verdict on the answers to a question."""
        where = question.grade_id
        known = questions.QUESTIONS[question.key]
        if known.training:
            return verdict(known, answers)
        return judge(known, self.cases[where], answers, self.key[where])


def nothing(release, status, notes):
    """Return the result of a submission of which nothing could be graded."""
    scores = {item.grade_id: 0.0 for item in (*release.questions, *release.essays)}
    known = {"status": status, "notes": list(notes), "scores": scores}
    return known | {"look": [], "questions": {}, "blank": []}


def not_graded(release, error):
    """Return the result of a submission at which the grader itself failed."""
    return nothing(release, "not graded", [failure(error)]) | {"scores": {}}


def failure(error):
    """Return the note on a mistake of the grader's own."""
    what = printable(f"{type(error).__name__}: {error}")[:300]
    return f"THE GRADER FAILED: {what}; grade once more, and tell us if it fails again"


def examine(release, submission, questionnaire, sandbox):
    """Return the result of a submission, which runs in a Sandbox, as plain data."""
    notes = list(submission.notes)
    sources = [cell.source for cell in submission.cells]
    end = time.monotonic() + sandbox.limits.submission_seconds
    given, troubles, stopped = ask(
        release, submission, questionnaire, sandbox, notes, sources, end
    )
    verdicts = {
        question.grade_id: questionnaire.judge(question, given[question.grade_id])
        for question in release.questions
    }
    helped = once_more(
        release, submission, questionnaire, sandbox, verdicts, sources, end
    )
    stub = {cell.grade_id: bare(cell.source) for cell in release.cells}
    asked = {question.answer_id for question in release.questions}
    untouched = {
        cell.grade_id
        for cell in submission.cells
        if cell.grade_id in asked and bare(cell.source) in ("", stub.get(cell.grade_id))
    }
    for grade_id, failed in stopped.items():
        if grade_id in asked:
            notes.append(f"the cell {grade_id} ended with {failed['error']}")
    scores, told = {}, {}
    for question in release.questions:
        verdict, help_of = verdicts[question.grade_id], []
        answers = given[question.grade_id]
        if question.grade_id in helped:
            verdict, answers, help_of = helped[question.grade_id]
        failed = [answer for answer in answers if isinstance(answer, Failed)]
        whys = [each.why for each in failed]
        why = max(set(whys), key=lambda why: (whys.count(why), why), default="")
        line = next((each.line for each in failed if each.why == why), 0)
        before = stopped.get(question.answer_id) if why == UNDEFINED else None
        if slow := [why for why in whys if why.startswith(TOO_SLOW)]:
            troubles.add("timed out")
            notes.append(f"the function {question.name} timed out: {slow[0]}")
        scores[question.grade_id] = question.points * verdict.share
        begun = bool(verdict.share) or question.answer_id not in untouched
        told[question.grade_id] = {
            "share": verdict.share,
            "kinds": list(verdict.kinds),
            "mistake": verdict.mistake,
            "hint": verdict.hint if begun else "",  # none solves what nobody tried
            "begun": begun,
            "why": why,
            "line": before["line"] if before else line,
            "stopped": before["error"] if before else "",
            "measured": [_measured(each) for each in answers if question.training],
            "help": help_of,
        }
    blank = []
    for essay in release.essays:
        if essay.grade_id not in submission.answers:
            continue  # it may stand anywhere: a person looks
        text = bare(submission.answers[essay.grade_id])
        if text in ("", stub[essay.grade_id]):
            blank.append(essay.grade_id)
            if not (essay.drawing and submission.picture):  # else it may earn points
                scores[essay.grade_id] = 0.0
    written = {cell.grade_id for cell in submission.cells} & asked - untouched
    if len(blank) == len(release.essays) and not written and not submission.picture:
        notes.append("no answer was written")
    look = sorted(set(_looks(release, submission)))
    status = "graded"
    if any(note.startswith("repaired") for note in notes):
        status = "repaired"
    for trouble in ("crashed", "timed out"):
        if trouble in troubles:
            status = trouble
    return {
        "status": status,
        "notes": notes,
        "look": look,
        "scores": scores,
        "questions": told,
        "blank": blank,
    }


def _measured(answer):
    """Return what was measured of a training, as plain data, or why nothing was."""
    return answer.why if isinstance(answer, Failed) else answer


def _looks(release, submission):
    """Return what the teacher may want to look at: cells that ask the library."""
    checks = {question.answer_id: [question.key] for question in release.questions}
    everyone = [question.key for question in release.questions]
    left = 3 * LONGEST_SOURCE
    cells = sorted(submission.cells, key=lambda cell: cell.grade_id, reverse=True)
    for grade_id, source in cells:  # the answers first
        if len(source) > left:
            continue
        left -= len(source)
        if found := shortcuts(source, *checks.get(grade_id, everyone)):
            yield f"{grade_id or 'a cell of the student'} uses {', '.join(found)}"


def ask(release, submission, questionnaire, sandbox, notes, sources, end):
    """Return {grade_id: answers} of all questions, and the troubles on the way.

    These are a set of words, and {grade_id: how it failed} of cells that stopped.
    Whenever the process of the student goes down, another one begins without the cell
    that did it, or goes on behind the question that did it. `sources` of the cells
    become those that run; nothing runs after `end`.
    """
    first_tries = set(range(len(sources)))
    given = {question.grade_id: [] for question in release.questions}
    troubles, stopped = set(), {}

    def down(what, reason):
        troubles.add("crashed" if reason == OUT_OF_MEMORY else reason)
        notes.append(f"{what} {reason}")

    for _ in range(sandbox.limits.restarts + 1):
        try:
            with sandbox.student() as student:
                student.end = end
                failed = _run(student, sources)
                stopped = {submission.cells[n].grade_id: failed[n] for n in failed}
                _call(student, release, questionnaire, given, down)
        except _CellDown as error:
            number = error.number
            where = submission.cells[number].grade_id
            down(f"the cell {where}" if where else "a cell of your own", error.reason)
            # Once more with its functions alone; then without it.
            again = number in first_tries
            first_tries.discard(number)
            sources[number] = definitions(sources[number]) if again else ""
        if all(given[q.grade_id] for q in release.questions):
            return given, troubles, stopped
        if time.monotonic() >= end:
            notes.append("the notebook as a whole timed out")
            break
    else:
        notes.append("the notebook brought its process down too often")
    for question in release.questions:
        missing = len(questionnaire.cases[question.grade_id])
        missing -= len(given[question.grade_id])
        given[question.grade_id] += [Failed("it was never reached")] * missing
    return given, troubles, stopped


class _Raised(Exception):  # noqa: N818  it says what happened
    def __init__(self, failed):
        self.failed = failed


class _CellDown(Exception):  # noqa: N818  it says what happened
    def __init__(self, number, reason):
        self.number, self.reason = number, reason


def _run(student, sources):
    """Run all cells; return {number: how it failed} of those that stopped.

    Raises _CellDown where one brings the process down.
    """
    stopped = {}
    for number, source in enumerate(sources):
        if not source:
            continue
        try:
            failed = student.run(source)
        except Gone as gone:
            raise _CellDown(number, str(gone)) from None
        if failed and failed["error"] == "MemoryError":  # what fills it is still there
            raise _CellDown(number, OUT_OF_MEMORY)
        if failed:
            stopped[number] = failed
    return stopped


def _call(student, release, questionnaire, given, down):
    """Ask every question that has no answers yet; stop when the process is down."""
    for question in release.questions:
        if given[question.grade_id]:
            continue
        cases = questionnaire.cases[question.grade_id]
        given[question.grade_id], reason = _answers(student, question, cases)
        if reason:
            down(f"the function {question.name}", reason)
            return


def _answers(student, question, cases):
    """Return the answers to all cases of a question, and why the process is down.

    A training runs here, and only the function that is put to it runs over there.
    """

    def function(*args):
        answer = student.call(question.name, args)
        if "value" not in answer:
            raise _Raised(Failed(answer["error"], answer["line"]))
        return answer["value"]

    asked = trained(question.training, function) if question.training else function
    found = []
    for case in cases:
        try:
            found.append(plain(asked(*case.args)))
        except UnfitError as error:
            found.append(Failed(str(error)))
        except _Raised as raised:
            found.append(raised.failed)
            if raised.failed.why == "MemoryError":
                reason = OUT_OF_MEMORY
                break
        except Gone as gone:
            reason = str(gone)
            break
    else:
        return found, ""
    return found + [Failed(f"the function {reason}")] * (
        len(cases) - len(found)
    ), reason


def once_more(release, submission, questionnaire, sandbox, verdicts, sources, end):
    """Return {grade_id: (Verdict, answers, names)} of what is better with some help.

    An error costs once: a function that is wrong, and may call others that are wrong
    and come before it, is asked again with right ones, of these names, in their place.
    """
    wrong = [q for q in release.questions if verdicts[q.grade_id].share < 1]
    called = [question.name for question in wrong if _is_called(question, submission)]
    better, replaced, waiting = {}, [], list(wrong)
    if not called or called[0] == wrong[-1].name:
        return {}
    try:
        while waiting:  # another process, where one was brought down
            with sandbox.student() as student:
                student.end = end
                _run(student, sources)
                for question in replaced:
                    _put_in(student, question, questionnaire)
                reason = ""
                while waiting and not reason:
                    question = waiting.pop(0)
                    if replaced:
                        cases = questionnaire.cases[question.grade_id]
                        answers, reason = _answers(student, question, cases)
                        verdict = questionnaire.judge(question, answers)
                        if verdict.share > verdicts[question.grade_id].share:
                            names = [each.name for each in replaced]
                            better[question.grade_id] = verdict, answers, names
                    if question.name in called:
                        replaced.append(question)
                        if not reason:
                            _put_in(student, question, questionnaire)
    except (Gone, _CellDown):
        pass  # what it was asked until then counts
    return better


def _put_in(student, question, questionnaire):
    """Put a right function in the place of the student's."""
    right = questionnaire.right[question.answer_id]
    student.run(PUT_IN.format(source=right, name=question.name))


def _is_called(question, submission):
    """Return whether the name of a function stands in a cell other than its own."""
    return any(
        re.search(rf"\b{question.name}\b", cell.source)
        for cell in submission.cells
        if cell.grade_id != question.answer_id
    )
