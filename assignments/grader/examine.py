"""One submission examined: its cells run, its functions asked, its answers judged."""

import inspect
import itertools
import re
import time
from typing import NamedTuple

from assignments import questions
from assignments.grader import course
from assignments.grader.child import UNDEFINED
from assignments.grader.files import printable
from assignments.grader.sandbox import Gone
from assignments.grader.submission import LONGEST_SOURCE, definitions, shortcuts
from assignments.questions.question import key
from ttt_lib.check.judge import Failed, UnfitError, Verdict, judge, plain
from ttt_lib.check.notebook import bare
from ttt_lib.check.training import TOO_SLOW, settled, trained, verdict

OUT_OF_MEMORY = "ran out of memory"
UNUSABLE = "an answer that nothing can be made of"
LATER = "further down {} does better than at its check: that counts"
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
    best, troubles, stopped = ask(
        release, submission, questionnaire, sandbox, notes, sources, end
    )
    helped = once_more(release, submission, questionnaire, sandbox, best, sources, end)
    stub = {cell.grade_id: bare(cell.source) for cell in release.cells}
    asked = {question.answer_id for question in release.questions}
    untouched = {
        cell.grade_id
        for cell in submission.cells
        if cell.grade_id in asked and bare(cell.source) in ("", stub.get(cell.grade_id))
    }
    notes += _said_of_stops(submission, stopped, asked)
    stopped = {submission.cells[n].grade_id: failed for n, failed in stopped.items()}
    scores, told = {}, {}
    for question in release.questions:
        result, help_of = best[question.grade_id], []
        changed = _argument(question, result.changed)
        if question.grade_id in helped:
            result, help_of = helped[question.grade_id]
        verdict, answers = result.verdict, result.answers
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
            "changed": changed,
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


def _said_of_stops(submission, stopped, asked):
    """Yield what is said of cells, by number, of which a statement failed."""
    for number, failed in stopped.items():
        grade_id = submission.cells[number].grade_id
        if failed.get("went_on"):
            line = f"line {failed['line']} of " if failed["line"] else ""
            cell = f"the cell {grade_id}" if grade_id else "a cell of your own"
            said = f"{line}{cell} ended with {failed['error']}, and what follows ran"
            yield f"repaired: {said}" if grade_id else said
        elif grade_id in asked:
            yield f"the cell {grade_id} ended with {failed['error']}"


def _argument(question, number):
    """Return the name of an argument of a question, "" if the number is −1."""
    if number < 0:
        return ""
    right = questions.QUESTIONS[question.key].answer
    return [*inspect.signature(right).parameters][number]


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


class Result(NamedTuple):
    """What came of asking a question."""

    verdict: Verdict
    answers: list
    place: int  #: number of the cell behind which it was asked
    changed: int = -1  #: number of an argument that the function changed, or −1

    def rank(self):
        """Return what is larger for a better result."""
        whys = {answer.why for answer in self.answers if isinstance(answer, Failed)}
        return self.verdict.share, whys != {UNDEFINED}


def places(question, cells):
    """Return the numbers of the cells behind which a question is asked, in order.

    There its check stands. Whoever answers below it, or gives another answer there, is
    asked there too, and once more after all cells.
    """
    checks = [n for n, cell in enumerate(cells) if cell.grade_id == question.grade_id]
    answers = [n for n, cell in enumerate(cells) if cell.grade_id == question.answer_id]
    late = [n for n in answers if n > max(checks, default=-1)]
    found = {*checks[:1], *checks[-1:], *late[-1:]}
    rest = cells[max(found, default=-1) + 1 :]
    if not found or any(cell.source.strip() for cell in rest):
        found.add(len(cells) - 1)
    return sorted(found)


def ask(release, submission, questionnaire, sandbox, notes, sources, end):
    """Return {grade_id: Result} of all questions, and the troubles on the way.

    These are a set of words, and {grade_id: how it failed} of cells that stopped.
    A question is asked at its places, until the answers are right. Whenever the process
    of the student goes down, another one begins without the cell that did it, or goes
    on behind the question that did it. `sources` of the cells become those that run;
    nothing runs after `end`.
    """
    first_tries = set(range(len(sources)))
    waiting = {
        place: [q for q in release.questions if place in places(q, submission.cells)]
        for place in range(len(sources))
    }
    best, troubles, stopped = {}, set(), {}

    def down(what, reason):
        troubles.add("crashed" if reason == OUT_OF_MEMORY else reason)
        if (note := f"{what} {reason}") not in notes:
            notes.append(note)

    def is_right(question):
        known = best.get(question.grade_id)
        return known and known.verdict.share == 1

    for _ in range(sandbox.limits.restarts + 1):
        try:
            with sandbox.student() as student:
                student.end = end
                stopped.clear()
                for place in _run(student, sources, stopped):
                    while waiting[place]:
                        question = waiting[place].pop(0)
                        if is_right(question):
                            continue
                        before = best.get(question.grade_id)
                        known = place, student, question, questionnaire
                        found, reason = _asked(*known, before)
                        if before and found.verdict.share > before.verdict.share:
                            notes.append(LATER.format(question.name))
                        if before is None or found.rank() > before.rank():
                            best[question.grade_id] = found
                        if reason:
                            raise _FunctionDown(question.name, reason)
            break
        except _CellDown as error:
            number = error.number
            where = submission.cells[number].grade_id
            down(f"the cell {where}" if where else "a cell of your own", error.reason)
            # Once more with its functions alone; then without it.
            again = number in first_tries
            first_tries.discard(number)
            sources[number] = definitions(sources[number]) if again else ""
        except _FunctionDown as error:
            down(f"the function {error.name}", error.reason)
        if all(map(is_right, itertools.chain(*waiting.values()))):
            break
        if time.monotonic() >= end:
            if len(best) < len(release.questions):
                notes.append("the notebook as a whole timed out")
            break
    else:
        if len(best) < len(release.questions):
            notes.append("the notebook brought its process down too often")
    for question in release.questions:
        if question.grade_id not in best:
            count = len(questionnaire.cases[question.grade_id])
            answers = [Failed("it was never reached")] * count
            verdict = questionnaire.judge(question, answers)
            best[question.grade_id] = Result(verdict, answers, -1)
    return best, troubles, stopped


class _CellDown(Exception):  # noqa: N818  it says what happened
    def __init__(self, number, reason):
        self.number, self.reason = number, reason


class _FunctionDown(Exception):  # noqa: N818  it says what happened
    def __init__(self, name, reason):
        self.name, self.reason = name, reason


def _run(student, sources, stopped):
    """Run all cells; yield the number of each once it has run.

    `stopped` becomes {number: how it failed} of those that stopped. Raises _CellDown
    where one brings the process down.
    """
    for number, source in enumerate(sources):
        failed = None
        if source:
            try:
                failed = student.run(source)
            except Gone as gone:
                raise _CellDown(number, str(gone)) from None
        if failed and failed["error"] == "MemoryError":  # what fills it is still there
            raise _CellDown(number, OUT_OF_MEMORY)
        if failed:
            stopped[number] = failed
        yield number


def _asked(place, student, question, questionnaire, before=None):
    """Return the Result of a question here, and why its process is down, or "".

    What a training gives with one seed as it did `before`, it gives with all.
    """
    cases = questionnaire.cases[question.grade_id]
    if before and question.training:
        first, reason, _ = _answers(student, question, cases[:1])
        if reason or first == before.answers[:1]:
            return before, reason
    answers, reason, changed = _answers(student, question, cases)
    verdict = questionnaire.judge(question, answers)
    return Result(verdict, answers, place, changed), reason


class _Raised(Exception):  # noqa: N818  it says what happened
    def __init__(self, failed):
        self.failed = failed


def _answers(student, question, cases):
    """Return the answers to all cases, why the process is down, and what was changed.

    A training runs here, and only the function that is put to it runs over there. What
    comes from there may be anything, whatever the child was told to send.
    """
    changed = []

    def function(*args):
        answer = student.call(question.name, args)
        if "value" not in answer:
            raise _Raised(Failed(answer["error"], answer["line"]))
        if "changed" in answer:
            changed.append(answer["changed"])
        return answer["value"]

    asked = trained(question.training, function) if question.training else function
    found, reason = [], ""
    for case in cases:
        if question.training and settled(question, found, len(cases)):
            return found, "", changed[0] if changed else -1
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
        except Exception:
            found.append(Failed(UNUSABLE))
    found += [Failed(f"the function {reason}")] * (len(cases) - len(found))
    return found, reason, changed[0] if changed else -1


def once_more(release, submission, questionnaire, sandbox, best, sources, end):
    """Return {grade_id: (Result, names)} of what is better with some help.

    An error costs once: a function that is wrong, and may call others that come before
    it, is asked again with right ones, of these names, in their place. They may have
    had all points: a right answer may come with a change of what others use.
    """
    called = [q for q in release.questions if _is_called(q, submission)]
    first = {q.grade_id: places(q, submission.cells)[0] for q in called}
    waiting = [
        question
        for question in release.questions
        if best[question.grade_id].verdict.share < 1
        and any(
            first[other.grade_id] < best[question.grade_id].place
            and _may_call(question, other, release, submission)
            for other in called
            if other != question
        )
    ]
    for (
        question
    ) in waiting:  # its own answer is asked before a right one takes its place
        first[question.grade_id] = best[question.grade_id].place
    better = {}
    while waiting:  # another process, where one was brought down
        try:
            with sandbox.student() as student:
                student.end = end
                replaced = []
                for place in _run(student, sources, {}):
                    for question in release.questions:
                        before = best[question.grade_id]
                        if question in waiting and before.place == place:
                            waiting.remove(question)
                            for other in replaced:  # a cell may have bound its name
                                _put_in(student, other, questionnaire)
                            known = place, student, question, questionnaire
                            found, reason = _asked(*known, before)
                            if found.verdict.share > before.verdict.share:
                                names = [other.name for other in replaced]
                                better[question.grade_id] = found, names
                            if reason:
                                raise _FunctionDown(question.name, reason)
                        if question in called and first[question.grade_id] == place:
                            replaced.append(question)
                            _put_in(student, question, questionnaire)
            break
        except _FunctionDown:
            continue
        except (Gone, _CellDown):
            break  # what it was asked until then counts
    return better


def _put_in(student, question, questionnaire):
    """Put a right function in the place of the student's."""
    right = questionnaire.right[question.answer_id]
    student.run(PUT_IN.format(source=right, name=question.name))


def _is_called(question, submission):
    """Return whether the name of a function stands in a cell other than its own."""
    return any(
        _names(cell, question)
        for cell in submission.cells
        if cell.grade_id != question.answer_id
    )


def _may_call(question, other, release, submission):
    """Return whether the name of another function stands where a question may call it.

    That is in its own cell, or in one that answers nothing.
    """
    answers = {one.answer_id for one in release.questions} - {question.answer_id}
    cells = [cell for cell in submission.cells if cell.grade_id not in answers]
    return any(_names(cell, other) for cell in cells)


def _names(cell, question):
    return re.search(rf"\b{question.name}\b", cell.source)
