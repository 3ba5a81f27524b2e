"""Grading of one submission: run its cells, call its functions, judge the answers."""

import inspect
import itertools
import re
import time
from typing import NamedTuple

from assignments import questions
from assignments.grader import course
from assignments.grader.files import printable
from assignments.grader.runner import UNDEFINED
from assignments.grader.sandbox import ProcessDied
from assignments.grader.submission import MAX_SOURCE, definitions, shortcuts
from assignments.questions.question import key
from ttt_lib.check.judge import Failed, UnfitError, Verdict, judge, plain
from ttt_lib.check.notebook import bare
from ttt_lib.check.training import TOO_SLOW, settled, trained, verdict

OUT_OF_MEMORY = "ran out of memory"
UNUSABLE = "the answer cannot be used"
LATER = "{} is better further down than at its check: the better result counts"
# A cell that binds a name to the reference solution, whose helpers stay hidden.
REPLACEMENT = """
def _right():
    names = dict(globals())
    exec({source!r}, names)
    return names[{name!r}]

{name} = _right()
"""


class Questionnaire:
    """Hidden cases of an assignment, the Key of each question, reference solutions."""

    def __init__(self, release, secret):
        self.cases, self.key = {}, {}
        self.right = course.solutions(release.name)
        for question in release.questions:
            drawn = questions.draw(secret, release.name, question.key)
            self.cases[question.grade_id] = drawn
            self.key[question.grade_id] = key(questions.QUESTIONS[question.key], drawn)

    def judge(self, question, answers):
        """Return the Verdict on the answers to a question."""
        id, asked = question.grade_id, questions.QUESTIONS[question.key]
        if asked.training:
            return verdict(asked, answers)
        return judge(asked, self.cases[id], answers, self.key[id])


def nothing(release, status, notes):
    """Return the result, without points, of a submission that cannot be graded."""
    scores = {item.grade_id: 0.0 for item in (*release.questions, *release.essays)}
    result = {"status": status, "notes": list(notes), "scores": scores}
    return result | {"look": [], "questions": {}, "blank": []}


def not_graded(release, error):
    """Return the result, without scores, of a submission on which the grader failed."""
    return nothing(release, "not graded", [failure(error)]) | {"scores": {}}


def failure(error):
    """Return the note on a fault of the grader itself."""
    message = printable(f"{type(error).__name__}: {error}")[:300]
    return (
        f"THE GRADER FAILED: {message}; grade once more, and tell us if it fails again"
    )


def examine(release, submission, questionnaire, sandbox):
    """Run a submission in a Sandbox; return its result as plain data (JSON)."""
    examination = Examination(release, submission, questionnaire, sandbox)
    examination.ask()
    examination.ask_with_help()
    return examination.result()


class Result(NamedTuple):
    """Result of asking a question."""

    verdict: Verdict
    answers: list
    place: int  #: index of the cell after which it was asked
    changed: int = -1  #: index of an argument that the function changed, or −1
    helped_by: tuple = ()  #: names of functions replaced by the reference solution

    def rank(self):
        """Return a key that is larger for a better result."""
        whys = {answer.why for answer in self.answers if isinstance(answer, Failed)}
        return self.verdict.share, whys != {UNDEFINED}


class Examination:
    """Examination of one submission: its cells are run and its functions called."""

    def __init__(self, release, submission, questionnaire, sandbox):
        self.release, self.submission = release, submission
        self.questionnaire, self.sandbox = questionnaire, sandbox
        self.end = time.monotonic() + sandbox.limits.submission_seconds
        self.sources = [
            cell.source for cell in submission.cells
        ]  # "" if it must not run
        self.shortened = set()  # indices of cells reduced to their definitions
        self.notes, self.troubles = list(submission.notes), set()
        self.stopped = {}  # index of a cell → its error in the last process
        self.best = {}  # grade_id → Result

    def ask(self):
        """Ask each question at its places, until the answers are right.

        If the student's process dies, a new one starts without the cell that caused
        it, or continues after the question that caused it.
        """
        questions = self.release.questions
        waiting = {
            number: [q for q in questions if number in places(q, self.submission.cells)]
            for number in range(len(self.sources))
        }
        for _ in range(self.sandbox.limits.restarts + 1):
            try:
                self._ask_in_one_process(waiting)
                break
            except _Down as down:
                self._note_down(down)
            if all(map(self._is_right, itertools.chain(*waiting.values()))):
                break
            if time.monotonic() >= self.end:
                self._note_unasked("the notebook as a whole timed out")
                break
        else:
            self._note_unasked("the notebook crashed its process too often")
        for question in questions:
            if question.grade_id not in self.best:
                count = len(self.questionnaire.cases[question.grade_id])
                answers = [Failed("it was never reached")] * count
                verdict = self.questionnaire.judge(question, answers)
                self.best[question.grade_id] = Result(verdict, answers, -1)

    def _ask_in_one_process(self, waiting):
        """Run the cells and ask what is `waiting`, {index of a cell: questions}."""
        self.stopped = {}
        with self.sandbox.student() as student:
            student.end = self.end
            for place, failed in self._run(student):
                if failed:
                    self.stopped[place] = failed
                while waiting[place]:
                    question = waiting[place].pop(0)
                    if not self._is_right(question):
                        self._ask_here(student, question, place)

    def _ask_here(self, student, question, place):
        """Ask a question, keep the better Result; raise _Down if the process died."""
        before = self.best.get(question.grade_id)
        result, reason = self._ask_cases(student, question, place, before)
        if before and result.verdict.share > before.verdict.share:
            self.notes.append(LATER.format(question.name))
        if before is None or result.rank() > before.rank():
            self.best[question.grade_id] = result
        if reason:
            raise _Down(f"the function {question.name}", reason)

    def _is_right(self, question):
        result = self.best.get(question.grade_id)
        return result and result.verdict.share == 1

    def _run(self, student):
        """Run all cells; yield (index, its error or None) of each.

        Raises _Down if the process dies.
        """
        for number, source in enumerate(self.sources):
            failed, reason = None, ""
            try:
                failed = student.run(source) if source else None
            except ProcessDied as died:
                reason = str(died)
            if failed and failed["error"] == "MemoryError":  # the memory stays full
                reason = OUT_OF_MEMORY
            if reason:
                raise _Down(self._cell(number), reason, number)
            yield number, failed

    def _cell(self, number):
        grade_id = self.submission.cells[number].grade_id
        return f"the cell {grade_id}" if grade_id else "a cell of your own"

    def _ask_cases(self, student, question, place, before):
        """Return the Result of a question here, and why its process died, or "".

        A training that gives the same with one seed as `before` is not run with others.
        """
        cases = self.questionnaire.cases[question.grade_id]
        if before and question.training:
            first, reason, _ = _answers(student, question, cases[:1])
            if reason or first == before.answers[:1]:
                return before, reason
        answers, reason, changed = _answers(student, question, cases)
        verdict = self.questionnaire.judge(question, answers)
        return Result(verdict, answers, place, changed), reason

    def _note_down(self, down):
        """Note a crash; a cell runs again with definitions only, then not at all."""
        out_of_memory = down.reason == OUT_OF_MEMORY
        self.troubles.add("crashed" if out_of_memory else down.reason)
        if (note := f"{down.what} {down.reason}") not in self.notes:
            self.notes.append(note)
        if down.cell in self.shortened:
            self.sources[down.cell] = ""
        elif down.cell is not None:
            self.sources[down.cell] = definitions(self.sources[down.cell])
            self.shortened.add(down.cell)

    def _note_unasked(self, note):
        if len(self.best) < len(self.release.questions):
            self.notes.append(note)

    def ask_with_help(self):
        """Ask wrong functions again with reference solutions in place of earlier ones.

        So an error costs points only once. Functions with all points are replaced,
        too: a right answer may have a side effect on what later functions use.
        """
        cells, best = self.submission.cells, self.best.copy()
        called = [q for q in self.release.questions if _is_called(q, cells)]
        first = {q: places(q, cells)[0] for q in called}
        waiting = [
            question
            for question in self.release.questions
            if not self._is_right(question)
            and any(
                first[other] < best[question.grade_id].place
                and _may_call(question, other, self.release, cells)
                for other in called
                if other != question
            )
        ]
        # The student's own answer is asked before it is replaced.
        first |= {question: best[question.grade_id].place for question in waiting}
        while waiting:  # each process that dies is replaced by a new one
            try:
                with self.sandbox.student() as student:
                    student.end, replaced = self.end, []
                    for place, _ in self._run(student):
                        for question in self.release.questions:
                            result = best[question.grade_id]
                            if question in waiting and result.place == place:
                                waiting.remove(question)
                                self._ask_helped(student, question, replaced)
                            if question in called and first[question] == place:
                                replaced.append(question)
                                self._replace(student, question)
                return
            except (_Down, ProcessDied) as down:
                if isinstance(down, ProcessDied) or down.cell is not None:
                    return  # the results so far count

    def _ask_helped(self, student, question, replaced):
        """Ask a question with reference solutions in place of other functions."""
        for other in replaced:  # a later cell may have bound the name again
            self._replace(student, other)
        before = self.best[question.grade_id]
        result, reason = self._ask_cases(student, question, before.place, before)
        if result.verdict.share > before.verdict.share:
            names = tuple(other.name for other in replaced)
            self.best[question.grade_id] = result._replace(
                changed=before.changed, helped_by=names
            )
        if reason:
            raise _Down(f"the function {question.name}", reason)

    def _replace(self, student, question):
        """Replace the student's function by the reference solution."""
        right = self.questionnaire.right[question.answer_id]
        student.run(REPLACEMENT.format(source=right, name=question.name))

    def result(self):
        """Return the result of the submission as plain data."""
        submission = self.submission
        stub = {cell.grade_id: bare(cell.source) for cell in self.release.cells}
        answers = {question.answer_id for question in self.release.questions}
        untouched = {
            cell.grade_id
            for cell in submission.cells
            if bare(cell.source) in ("", stub.get(cell.grade_id))
        }
        written = {cell.grade_id for cell in submission.cells} & answers - untouched
        self.notes += self._notes_on_stops(answers)
        reports = {
            asked.grade_id: self._report(asked, asked.answer_id not in untouched)
            for asked in self.release.questions
        }
        scores = {
            question.grade_id: question.points * reports[question.grade_id]["share"]
            for question in self.release.questions
        }
        blank = []
        for essay in self.release.essays:
            text = submission.answers.get(essay.grade_id)
            # A text without a cell may be anywhere, so a person has to look.
            if text is not None and bare(text) in ("", stub[essay.grade_id]):
                blank.append(essay.grade_id)
                if not (essay.drawing and submission.picture):  # which may earn points
                    scores[essay.grade_id] = 0.0
        is_empty = len(blank) == len(self.release.essays) and not submission.picture
        if is_empty and not written:
            self.notes.append("no answer was written")
        return {
            "status": self._status(),
            "notes": self.notes,
            "look": sorted(set(_shortcuts(self.release, submission))),
            "scores": scores,
            "questions": reports,
            "blank": blank,
        }

    def _status(self):
        for trouble in ("timed out", "crashed"):
            if trouble in self.troubles:
                return trouble
        repaired = any(note.startswith("repaired") for note in self.notes)
        return "repaired" if repaired else "graded"

    def _report(self, question, is_begun):
        """Return the report on a question for the page and the table, as plain data."""
        best = self.best[question.grade_id]
        verdict = best.verdict
        failed = [answer for answer in best.answers if isinstance(answer, Failed)]
        whys = [each.why for each in failed]
        why = max(set(whys), key=lambda why: (whys.count(why), why), default="")
        line = next((each.line for each in failed if each.why == why), 0)
        numbers = {self.submission.cells[n].grade_id: n for n in self.stopped}
        number = numbers.get(question.answer_id) if why == UNDEFINED else None
        stop = self.stopped.get(number)
        if slow := [why for why in whys if why.startswith(TOO_SLOW)]:
            self.troubles.add("timed out")
            self.notes.append(f"the function {question.name} timed out: {slow[0]}")
        begun = bool(verdict.share) or is_begun
        return {
            "share": verdict.share,
            "kinds": list(verdict.kinds),
            "mistake": verdict.mistake,
            "hint": verdict.hint if begun else "",  # no hint without an attempt
            "begun": begun,
            "why": why,
            "line": stop["line"] if stop else line,
            "stopped": stop["error"] if stop else "",
            "measured": [_measured(each) for each in best.answers if question.training],
            "help": list(best.helped_by),
            "changed": _argument(question, best.changed),
        }

    def _notes_on_stops(self, answers):
        """Yield notes on cells in which a statement failed."""
        for number, failed in self.stopped.items():
            grade_id = self.submission.cells[number].grade_id
            ended = f"{self._cell(number)} ended with {failed['error']}"
            if failed.get("went_on"):
                line = f"line {failed['line']} of " if failed["line"] else ""
                note = f"{line}{ended}, and the rest of it ran"
                yield f"repaired: {note}" if grade_id else note
            elif grade_id in answers:
                yield ended


class _Down(Exception):  # noqa: N818  it names an event
    """A cell (with its index) or a function has made its process die."""

    def __init__(self, what, reason, cell=None):
        self.what, self.reason, self.cell = what, reason, cell


def _argument(question, number):
    """Return the name of the argument with an index, "" if the index is −1."""
    if number < 0:
        return ""
    right = questions.QUESTIONS[question.key].answer
    return [*inspect.signature(right).parameters][number]


def _measured(answer):
    """Return the measures of a training as plain data, or why there are none."""
    return answer.why if isinstance(answer, Failed) else answer


def _shortcuts(release, submission):
    """Yield notes for the teacher on cells that use the library or system calls."""
    checks = {question.answer_id: [question.key] for question in release.questions}
    all_checks = [question.key for question in release.questions]
    left = 3 * MAX_SOURCE
    cells = sorted(submission.cells, key=lambda cell: cell.grade_id, reverse=True)
    for grade_id, source in cells:  # the answers first
        if len(source) > left:
            continue
        left -= len(source)
        if uses := shortcuts(source, *checks.get(grade_id, all_checks)):
            yield f"{grade_id or 'a cell of the student'} uses {', '.join(uses)}"


def places(question, cells):
    """Return the indices of the cells after which a question is asked, in order.

    They are its check, an answer cell below the check, and the last cell.
    """
    checks = [n for n, cell in enumerate(cells) if cell.grade_id == question.grade_id]
    answers = [n for n, cell in enumerate(cells) if cell.grade_id == question.answer_id]
    late = [n for n in answers if n > max(checks, default=-1)]
    asked = {*checks[:1], *checks[-1:], *late[-1:]}
    rest = cells[max(asked, default=-1) + 1 :]
    if not asked or any(cell.source.strip() for cell in rest):
        asked.add(len(cells) - 1)
    return sorted(asked)


class _Raised(Exception):  # noqa: N818  it names an event
    def __init__(self, failed):
        self.failed = failed


def _answers(student, question, cases):
    """Return the answers to all cases, why the process died or "", and `changed`.

    A training runs in this process, and only the student's function in the other one.
    Answers are untrusted data of any form.
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
    answers, reason = [], ""
    for case in cases:
        if question.training and settled(question, answers, len(cases)):
            return answers, "", changed[0] if changed else -1
        try:
            answers.append(plain(asked(*case.args)))
        except UnfitError as error:
            answers.append(Failed(str(error)))
        except _Raised as raised:
            answers.append(raised.failed)
            if raised.failed.why == "MemoryError":
                reason = OUT_OF_MEMORY
                break
        except ProcessDied as died:
            reason = str(died)
            break
        except Exception:
            answers.append(Failed(UNUSABLE))
    answers += [Failed(f"the function {reason}")] * (len(cases) - len(answers))
    return answers, reason, changed[0] if changed else -1


def _is_called(question, cells):
    """Return whether the name of a function occurs in a cell other than its own."""
    return any(
        _names(cell, question) for cell in cells if cell.grade_id != question.answer_id
    )


def _may_call(question, other, release, cells):
    """Return whether a question may call another function.

    It may if the name occurs in its own cell, or in a cell that is not an answer.
    """
    answers = {one.answer_id for one in release.questions} - {question.answer_id}
    return any(_names(cell, other) for cell in cells if cell.grade_id not in answers)


def _names(cell, question):
    return re.search(rf"\b{question.name}\b", cell.source)
