"""One submission examined: its cells run, its functions asked, its answers judged."""

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
    examination = Examination(release, submission, questionnaire, sandbox)
    examination.ask()
    examination.ask_with_help()
    return examination.result()


class Result(NamedTuple):
    """What came of asking a question."""

    verdict: Verdict
    answers: list
    place: int  #: number of the cell behind which it was asked
    changed: int = -1  #: number of an argument that the function changed, or −1
    helped_by: tuple = ()  #: names of right functions that stood in for others

    def rank(self):
        """Return what is larger for a better result."""
        whys = {answer.why for answer in self.answers if isinstance(answer, Failed)}
        return self.verdict.share, whys != {UNDEFINED}


class Examination:
    """One submission, its cells run and its functions asked."""

    def __init__(self, release, submission, questionnaire, sandbox):
        self.release, self.submission = release, submission
        self.questionnaire, self.sandbox = questionnaire, sandbox
        self.end = time.monotonic() + sandbox.limits.submission_seconds
        self.sources = [cell.source for cell in submission.cells]  # as far as they run
        self.shortened = set()  # numbers of cells of which the functions alone run
        self.notes, self.troubles = list(submission.notes), set()
        self.stopped = {}  # number of a cell → how it failed in the last process
        self.best = {}  # grade_id → Result

    def ask(self):
        """Ask each question at its places, until the answers are right.

        Whenever the process of the student goes down, another one begins without the
        cell that did it, or goes on behind the question that did it.
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
            self._note_unasked("the notebook brought its process down too often")
        for question in questions:
            if question.grade_id not in self.best:
                count = len(self.questionnaire.cases[question.grade_id])
                answers = [Failed("it was never reached")] * count
                verdict = self.questionnaire.judge(question, answers)
                self.best[question.grade_id] = Result(verdict, answers, -1)

    def _ask_in_one_process(self, waiting):
        """Run the cells and ask what is {number of a cell: questions} waiting."""
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
        """Ask a question, keep the better Result, and raise _Down if it went down."""
        before = self.best.get(question.grade_id)
        found, reason = self._asked(student, question, place, before)
        if before and found.verdict.share > before.verdict.share:
            self.notes.append(LATER.format(question.name))
        if before is None or found.rank() > before.rank():
            self.best[question.grade_id] = found
        if reason:
            raise _Down(f"the function {question.name}", reason)

    def _is_right(self, question):
        known = self.best.get(question.grade_id)
        return known and known.verdict.share == 1

    def _run(self, student):
        """Run all cells; yield (number, how it failed or None) of each that has run.

        Raises _Down where one brings the process down.
        """
        for number, source in enumerate(self.sources):
            failed, reason = None, ""
            try:
                failed = student.run(source) if source else None
            except ProcessDied as died:
                reason = str(died)
            if failed and failed["error"] == "MemoryError":  # what fills it is there
                reason = OUT_OF_MEMORY
            if reason:
                raise _Down(self._cell(number), reason, number)
            yield number, failed

    def _cell(self, number):
        grade_id = self.submission.cells[number].grade_id
        return f"the cell {grade_id}" if grade_id else "a cell of your own"

    def _asked(self, student, question, place, before):
        """Return the Result of a question here, and why its process is down, or "".

        What a training gives with one seed as it did `before`, it gives with all.
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
        """Note what went down; a cell runs once more with its functions, then not."""
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
        """Ask once more what may be better with some help.

        An error costs once: a function that is wrong, and may call others that come
        before it, is asked again with right ones in their place. They may have had all
        points: a right answer may come with a change of what others use.
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
        # Its own answer is asked before a right one takes its place.
        first |= {question: best[question.grade_id].place for question in waiting}
        while waiting:  # another process, where a function brought one down
            try:
                with self.sandbox.student() as student:
                    student.end, replaced = self.end, []
                    for place, _ in self._run(student):
                        for question in self.release.questions:
                            known = best[question.grade_id]
                            if question in waiting and known.place == place:
                                waiting.remove(question)
                                self._ask_helped(student, question, replaced)
                            if question in called and first[question] == place:
                                replaced.append(question)
                                self._put_in(student, question)
                return
            except (_Down, ProcessDied) as down:
                if isinstance(down, ProcessDied) or down.cell is not None:
                    return  # what was asked until then counts

    def _ask_helped(self, student, question, replaced):
        """Ask a question with right functions in the place of others."""
        for other in replaced:  # a cell may have bound its name
            self._put_in(student, other)
        before = self.best[question.grade_id]
        found, reason = self._asked(student, question, before.place, before)
        if found.verdict.share > before.verdict.share:
            names = tuple(other.name for other in replaced)
            self.best[question.grade_id] = found._replace(
                changed=before.changed, helped_by=names
            )
        if reason:
            raise _Down(f"the function {question.name}", reason)

    def _put_in(self, student, question):
        """Put a right function in the place of the student's."""
        right = self.questionnaire.right[question.answer_id]
        student.run(PUT_IN.format(source=right, name=question.name))

    def result(self):
        """Return the result of what was asked, as plain data."""
        submission = self.submission
        stub = {cell.grade_id: bare(cell.source) for cell in self.release.cells}
        answers = {question.answer_id for question in self.release.questions}
        untouched = {
            cell.grade_id
            for cell in submission.cells
            if bare(cell.source) in ("", stub.get(cell.grade_id))
        }
        written = {cell.grade_id for cell in submission.cells} & answers - untouched
        self.notes += self._told_of_stops(answers)
        told = {
            question.grade_id: self._told(question, question.answer_id not in untouched)
            for question in self.release.questions
        }
        scores = {
            question.grade_id: question.points * told[question.grade_id]["share"]
            for question in self.release.questions
        }
        blank = []
        for essay in self.release.essays:
            text = submission.answers.get(essay.grade_id)
            # One that has no cell may stand anywhere: a person looks.
            if text is not None and bare(text) in ("", stub[essay.grade_id]):
                blank.append(essay.grade_id)
                if not (essay.drawing and submission.picture):  # else it may earn some
                    scores[essay.grade_id] = 0.0
        is_empty = len(blank) == len(self.release.essays) and not submission.picture
        if is_empty and not written:
            self.notes.append("no answer was written")
        return {
            "status": self._status(),
            "notes": self.notes,
            "look": sorted(set(_looks(self.release, submission))),
            "scores": scores,
            "questions": told,
            "blank": blank,
        }

    def _status(self):
        for trouble in ("timed out", "crashed"):
            if trouble in self.troubles:
                return trouble
        repaired = any(note.startswith("repaired") for note in self.notes)
        return "repaired" if repaired else "graded"

    def _told(self, question, is_begun):
        """Return what is told of a question, as plain data."""
        best = self.best[question.grade_id]
        verdict = best.verdict
        failed = [answer for answer in best.answers if isinstance(answer, Failed)]
        whys = [each.why for each in failed]
        why = max(set(whys), key=lambda why: (whys.count(why), why), default="")
        line = next((each.line for each in failed if each.why == why), 0)
        where = {self.submission.cells[n].grade_id: n for n in self.stopped}
        stopped = where.get(question.answer_id) if why == UNDEFINED else None
        before = self.stopped.get(stopped)
        if slow := [why for why in whys if why.startswith(TOO_SLOW)]:
            self.troubles.add("timed out")
            self.notes.append(f"the function {question.name} timed out: {slow[0]}")
        begun = bool(verdict.share) or is_begun
        return {
            "share": verdict.share,
            "kinds": list(verdict.kinds),
            "mistake": verdict.mistake,
            "hint": verdict.hint if begun else "",  # none solves what nobody tried
            "begun": begun,
            "why": why,
            "line": before["line"] if before else line,
            "stopped": before["error"] if before else "",
            "measured": [_measured(each) for each in best.answers if question.training],
            "help": list(best.helped_by),
            "changed": _argument(question, best.changed),
        }

    def _told_of_stops(self, answers):
        """Yield what is said of cells of which a statement failed."""
        for number, failed in self.stopped.items():
            grade_id = self.submission.cells[number].grade_id
            ended = f"{self._cell(number)} ended with {failed['error']}"
            if failed.get("went_on"):
                line = f"line {failed['line']} of " if failed["line"] else ""
                said = f"{line}{ended}, and what follows ran"
                yield f"repaired: {said}" if grade_id else said
            elif grade_id in answers:
                yield ended


class _Down(Exception):  # noqa: N818  it says what happened
    """A cell, by its number, or a function has brought its process down."""

    def __init__(self, what, reason, cell=None):
        self.what, self.reason, self.cell = what, reason, cell


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
    left = 3 * MAX_SOURCE
    cells = sorted(submission.cells, key=lambda cell: cell.grade_id, reverse=True)
    for grade_id, source in cells:  # the answers first
        if len(source) > left:
            continue
        left -= len(source)
        if found := shortcuts(source, *checks.get(grade_id, everyone)):
            yield f"{grade_id or 'a cell of the student'} uses {', '.join(found)}"


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
        except ProcessDied as gone:
            reason = str(gone)
            break
        except Exception:
            found.append(Failed(UNUSABLE))
    found += [Failed(f"the function {reason}")] * (len(cases) - len(found))
    return found, reason, changed[0] if changed else -1


def _is_called(question, cells):
    """Return whether the name of a function stands in a cell other than its own."""
    return any(
        _names(cell, question) for cell in cells if cell.grade_id != question.answer_id
    )


def _may_call(question, other, release, cells):
    """Return whether the name of another function stands where a question may call it.

    That is in its own cell, or in one that answers nothing.
    """
    answers = {one.answer_id for one in release.questions} - {question.answer_id}
    return any(_names(cell, other) for cell in cells if cell.grade_id not in answers)


def _names(cell, question):
    return re.search(rf"\b{question.name}\b", cell.source)
