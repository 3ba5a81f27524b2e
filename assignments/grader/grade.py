"""Grading of a whole class: one row for each student on the roll in any case."""

import csv
import functools
import hashlib
import io
import itertools
import os
import secrets
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import ttt_lib
from assignments.grader import course as courses
from assignments.grader import dates, feedback, gradebook, sandbox
from assignments.grader import results as kept
from assignments.grader.files import write
from assignments.grader.grading import failure, not_graded, nothing
from assignments.grader.submission import OTHER, unreadable
from assignments.grader.texts import OWN, same
from assignments.grader.work import of_class, read
from assignments.grader.workers import Workers
from ttt_lib.validation import escape_formula

MIN_WORDS = 3  # of a text: shorter ones are not reported as equal
MAX_NOTES = 1000  # characters of one student in the table
DEFAULT_SECRET = Path("~/.config/three-in-a-row/secret")


def read_secret(path):
    """Return the secret of the class; create it, readable by its owner, if missing."""
    try:
        path = Path(path).expanduser()
    except RuntimeError:
        raise ValueError(f"{path} needs a home folder: set SECRET=file.") from None
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(secrets.token_hex(32) + "\n")
    remedy = "a secret is a text, so delete this file to get a new one"
    secret = courses.text_of(path, remedy).strip()
    if len(secret) < 16:
        raise ValueError(
            f"The secret in {path} is too short: delete it to get a new one."
        )
    return secret


def grade(
    name,
    submissions,
    roll,
    course,
    secret,
    limits=None,
    isolation=None,
    jobs=None,
    again=False,
    say=None,
    late=None,
):
    """Grade an assignment, write all results, and return {student: result}.

    `isolation` is "" to isolate, the reason not to, or None to try it. `late` is
    {student: Lateness} if there are dates. Raises ValueError, before anything is
    entered, if no student on the roll has handed in this assignment.
    """
    limits = sandbox.Limits() if limits is None else limits
    say = functools.partial(print, flush=True) if say is None else say
    isolation = sandbox.isolation() if isolation is None else isolation
    say(f"isolation is {f'off: {isolation}' if isolation else 'on'}")
    course = Path(course).resolve()
    gradebook.demand_sound(course)
    _report_lost_gradebook(course, say)
    release = courses.read_release(course, name)
    handed_in = _collect(submissions, roll, release, say)

    results = _examine_all(
        release, handed_in, course, secret, limits, isolation, jobs, again, say
    )
    table = course / name / "grades.csv"
    if table.exists() and not gradebook.knows(course, name):
        _keep_old(table, say)
    marks = gradebook.enter(course, release, roll, results)
    for student in roll:
        submission, when = handed_in[student.id], late[student.id] if late else None
        outcome = results[student.id], marks[student.id]
        try:
            pages = _pages(release, student, submission, *outcome, isolation, when)
        except Exception as error:  # a fault of the grader must not stop the others
            results[student.id]["notes"].append(failure(error))
            say(f"NO PAGE for {student.id}: {failure(error)}")
            continue
        for (step, ending), page in pages.items():
            write(_place(course, step, student, name, ending), page)
    copies = same_texts(release, handed_in)
    write_grades(table, release, roll, results, marks, isolation, late, copies)
    say(f"grades    {table}")
    say(f"feedback  {course / 'feedback'}")
    say(f"gradebook {gradebook.place(course)}")
    return results


def _pages(release, student, submission, result, marks, isolation, late):
    """Return the page for the student, and the notebook that a person marks."""
    answers, picture = submission.answers, submission.picture
    outcome = result, marks, isolation
    page = feedback.page(release, student, *outcome, answers, late, picture)
    pages = {("feedback", "html"): page}
    if result["questions"]:
        marked = feedback.marked_notebook(release, submission, result)
        pages["autograded", "ipynb"] = marked
    return pages


def shortcoming(results):
    """Return why the grading is incomplete, in a sentence, or ""."""
    failed = [s for s, result in results.items() if result["status"] == "not graded"]
    if failed:
        return (
            f"{len(failed)} of {len(results)} could not be graded, for example "
            f"{failed[0]}: their marks are empty, and `notes` says why. Grade again."
        )
    if {result["status"] for result in results.values()} <= {"unreadable", "missing"}:
        return (
            "No notebook could be read, so no student has points: see the notes before "
            "you give anything back."
        )
    return ""


def _collect(submissions, roll, release, say):
    """Return {student: Submission}; report files without a certain owner."""
    for shorter, longer in courses.mixed_up(roll):
        say(
            f"LOOK: a file named {longer}… may belong to {shorter} too, and is not "
            "graded: make a folder for each student"
        )
    paths, without_owner = of_class(submissions, {student.id for student in roll})
    for entry in without_owner:
        say(f"NOT GRADED: {entry}")
    times = _times(Path(submissions))
    handed_in = {s.id: _read(paths.get(s.id), release, s.id, times) for s in roll}
    present = [each for each in handed_in.values() if each.problem != "missing"]
    if not present:
        raise ValueError(
            f"Nothing in {submissions} belongs to a student on the roll, so nothing "
            "was entered: names of files and folders begin with a student's id."
        )
    others = [each for each in present if OTHER in each.notes]
    if others and all(each.problem for each in present):
        raise ValueError(
            f"No notebook in {submissions} belongs to {release.name}, so nothing was "
            "entered: is it the right assignment?"
        )
    return handed_in


def _times(folder):
    """Return {file: time (ISO)} of a folder written by `collect`, else {}."""
    try:
        rows = courses.submissions_table(folder)
    except ValueError:  # it was made by hand
        return {}
    return {folder / row["id"] / row["file"]: row["time"] for row in rows}


def _read(files, release, student, times):
    """Return the Submission of a student; an unexpected error becomes a note in it."""
    try:
        return read(files, release, student, times)
    except Exception as error:  # a fault of the grader must not stop the others
        return unreadable(failure(error))._replace(problem="not graded")


def _report_lost_gradebook(course, say):
    if not gradebook.is_there(course) and any(course.glob("*/results/*.json")):
        say(
            f"NEW GRADEBOOK: {gradebook.place(course)} is missing although there are "
            "results: the new one lacks what a person entered"
        )


def _keep_old(table, say):
    """Copy the table of a lost gradebook: nothing else has the marks of a person."""
    names = (table.with_name(f"grades.{number}.csv") for number in itertools.count(1))
    old = next(name for name in names if not name.exists())
    write(old, table.read_bytes())
    say(f"KEPT: {old}, because the gradebook has no marks for {table.parent.name}")


def _place(course, step, student, name, ending):
    return course / step / student.id / name / f"{name}.{ending}"


def _examine_all(
    release, handed_in, course, secret, limits, isolation, jobs, again, say
):
    """Return {student: result}; submissions with a stored result are not run again."""
    grader = _fingerprint_of_grader(release, secret, limits, isolation)
    results, waiting = {}, {}
    for student, submission in handed_in.items():
        fingerprint = hashlib.sha256(
            repr((grader, submission.notes, submission.digest)).encode()
        ).hexdigest()
        file = course / release.name / "results" / f"{student}.json"
        stored = None if again else kept.read_result(file, secret, fingerprint)
        if stored is None:
            waiting[student] = submission, file, fingerprint
        else:
            results[student] = stored
    if results:
        say(f"{len(results)} of {len(handed_in)} are graded already")

    def work(submission):
        if submission.problem:
            return nothing(release, submission.problem, submission.notes)
        try:
            return workers.examine(submission)
        except Exception as error:  # a fault of the grader must not stop the others
            return not_graded(release, error)

    with (
        ThreadPoolExecutor(jobs or os.cpu_count()) as pool,
        Workers(release, secret, limits, not isolation) as workers,
    ):
        running = {
            pool.submit(work, submission): student
            for student, (submission, _, _) in waiting.items()
        }
        try:
            for done in as_completed(running):
                student = running[done]
                result = results[student] = done.result()
                if result["status"] == "not graded":
                    summary = result["notes"][0]
                else:
                    _, file, fingerprint = waiting[student]
                    write(file, kept.sealed(result, secret, fingerprint))
                    summary = f"{sum(result['scores'].values()):g} points"
                say(
                    f"{len(results):4} of {len(handed_in)}  {student}: "
                    f"{result['status']}, {summary}"
                )
        except BaseException:
            workers.end()
            pool.shutdown(cancel_futures=True)
            raise
    return {student: results[student] for student in handed_in}


def _fingerprint_of_grader(release, secret, limits, isolation):
    """Return a fingerprint (hex) of all that a result depends on except the submission.

    It changes with the release, the secret, the limits, and any line of the code.
    """
    folders = Path(__file__).parents[1], Path(ttt_lib.__file__).parent
    files = [file for folder in folders for file in sorted(folder.rglob("*.py"))]
    code = [file.read_bytes() for file in files]
    right = courses.solutions(release.name)
    whole = repr((release, right, secret, limits, bool(isolation), code))
    return hashlib.sha256(whole.encode()).hexdigest()


def same_texts(release, handed_in):
    """Return {student: ids of others with a text of the same words}.

    Texts of one or two words are left out: they are often equal by chance.
    """
    authors = {}  # {words of a text: its students}; dicts keep the order
    cells = {*(essay.grade_id for essay in release.essays), OWN}
    for student, submission in handed_in.items():
        for where, text in submission.texts:
            words = same(text)
            if where in cells and len(words.split()) >= MIN_WORDS:
                authors.setdefault(words, {})[student] = None
    copies = {}
    for students in authors.values():
        for student in students:
            if others := [other for other in students if other != student]:
                copies.setdefault(student, {}).update(dict.fromkeys(others))
    return {student: [*others] for student, others in copies.items()}


def write_grades(
    path, release, roll, results, marks, isolation, late=None, copies=None
):
    """Write grades.csv: one row for each student, with the gradebook's marks.

    `late` is as in `grade` and adds the columns of the late rule; `copies` is the
    result of `same_texts`.
    """
    items = (*release.questions, *release.essays)
    head = ["id", "name", "status", "total", "of"]
    head += [item.grade_id.removesuffix("_check") for item in items]
    head += ["to mark", "isolation", "notes", "same text as"]
    head += [] if late is None else dates.HEAD
    file = io.StringIO(newline="")
    table = csv.writer(file)
    table.writerow(head)
    for student in roll:
        result, given = results[student.id], marks[student.id]
        ids = [item.grade_id for item in items]
        scores = [given[id].score if id in given else 0.0 for id in ids]
        known = [score for score in scores if score is not None]
        notes = "; ".join([*result["notes"], *result["look"]])
        if len(notes) > MAX_NOTES:
            notes = f"{notes[:MAX_NOTES]} …"
        table.writerow(
            [
                student.id,
                escape_formula(student.name),
                result["status"],
                feedback.number(sum(known) if known else None),
                feedback.number(sum(item.points for item in items)),
                *map(feedback.number, scores),
                len(scores) - len(known),
                ("off" if isolation else "on") if result["questions"] else "",
                escape_formula(notes),
                ", ".join((copies or {}).get(student.id, ())),
                *([] if late is None else dates.cells(late[student.id], sum(known))),
            ]
        )
    write(path, file.getvalue())
