"""A whole class graded: one row for everybody on the roll, whatever was handed in."""

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

MIN_WORDS = 3  # of a text, from which on another one alike is told
MAX_NOTES = 1000  # characters of one student in the table
DEFAULT_SECRET = Path("~/.config/three-in-a-row/secret")


def read_secret(path):
    """Return the secret of the class; the first time it is made, for its owner only."""
    try:
        path = Path(path).expanduser()
    except RuntimeError:
        raise ValueError(f"There is no home to keep {path}: say SECRET=file.") from None
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(secrets.token_hex(32) + "\n")
    remedy = "a secret is a text, delete this one for a new one"
    secret = courses.text_of(path, remedy).strip()
    if len(secret) < 16:
        raise ValueError(f"The secret in {path} is too short: delete it for a new one.")
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
    """Grade an assignment; return {student: result}, and write everything.

    `isolation` is "" to isolate, or the reason not to; None tries. `late` is
    {student: Lateness} where there are dates. Raises ValueError if nobody handed in
    this assignment, before anything is entered.
    """
    limits = sandbox.Limits() if limits is None else limits
    say = functools.partial(print, flush=True) if say is None else say
    isolation = sandbox.isolation() if isolation is None else isolation
    say(f"isolation is {f'off: {isolation}' if isolation else 'on'}")
    course = Path(course).resolve()
    gradebook.demand_sound(course)
    _tell_of_lost_gradebook(course, say)
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
        known = results[student.id], marks[student.id], isolation, when
        try:
            pages = _pages(release, student, submission, *known)
        except Exception as error:  # the others must not wait for our mistake
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
    told = release, student, result, marks, isolation
    page = feedback.page(*told, submission.answers, late, submission.picture)
    pages = {("feedback", "html"): page}
    if result["questions"]:
        marked = feedback.marked_notebook(release, submission, result)
        pages["autograded", "ipynb"] = marked
    return pages


def shortcoming(results):
    """Return in a sentence why a grading is not as it should be, or ""."""
    failed = [s for s, result in results.items() if result["status"] == "not graded"]
    if failed:
        return (
            f"{len(failed)} of {len(results)} could not be graded, {failed[0]} for one:"
            " their marks are empty, and `notes` says why. Grade once more."
        )
    if {result["status"] for result in results.values()} <= {"unreadable", "missing"}:
        return (
            "Nobody's notebook could be read, and so nobody has points: see the notes "
            "before you give anything back."
        )
    return ""


def _collect(submissions, roll, release, say):
    """Return {student: Submission}, and say what is nobody's, or may be another's."""
    for one, other in courses.mixed_up(roll):
        say(
            f"LOOK: a file named {other}… may be of {one} too, and is not graded:"
            " make a folder for each"
        )
    found, nobody = of_class(submissions, {student.id for student in roll})
    for entry in nobody:
        say(f"NOT GRADED: {entry}")
    times = _times(Path(submissions))
    handed_in = {s.id: _read(found.get(s.id), release, s.id, times) for s in roll}
    given = [one for one in handed_in.values() if one.problem != "missing"]
    if not given:
        raise ValueError(
            f"Nothing in {submissions} is of anybody on the roll, so nothing was "
            "entered: a student's work is named by the student's id."
        )
    others = [one for one in given if OTHER in one.notes]
    if others and all(one.problem for one in given):
        raise ValueError(
            f"No notebook in {submissions} is one of {release.name}, so nothing was "
            "entered: is it the right assignment?"
        )
    return handed_in


def _times(folder):
    """Return {file: when it came (ISO)} where `collect` has laid a folder out."""
    try:
        rows = courses.handed_in(folder)
    except ValueError:  # a person has
        return {}
    return {folder / row["id"] / row["file"]: row["time"] for row in rows}


def _read(files, release, student, times):
    """Return a Submission, whatever there is to be read."""
    try:
        return read(files, release, student, times)
    except Exception as error:  # the others must not wait for our mistake
        return unreadable(failure(error))._replace(problem="not graded")


def _tell_of_lost_gradebook(course, say):
    if not gradebook.is_there(course) and any(course.glob("*/results/*.json")):
        say(
            f"NEW GRADEBOOK: {gradebook.place(course)} is gone, though there are "
            "results: the new one has nothing that a person entered"
        )


def _keep_old(table, say):
    """Copy the table of a gradebook that is gone: what a person gave is there alone."""
    names = (table.with_name(f"grades.{number}.csv") for number in itertools.count(1))
    old = next(name for name in names if not name.exists())
    write(old, table.read_bytes())
    say(f"KEPT: {old}, for the gradebook has no marks for {table.parent.name}")


def _place(course, step, student, name, ending):
    return course / step / student.id / name / f"{name}.{ending}"


def _examine_all(
    release, handed_in, course, secret, limits, isolation, jobs, again, say
):
    """Return {student: result}; what was examined before is not examined again."""
    grader = _fingerprint_of_grader(release, secret, limits, isolation)
    results, waiting = {}, {}
    for student, submission in handed_in.items():
        fingerprint = hashlib.sha256(
            repr((grader, submission.notes, submission.digest)).encode()
        ).hexdigest()
        file = course / release.name / "results" / f"{student}.json"
        known = None if again else kept.found(file, secret, fingerprint)
        if known is None:
            waiting[student] = submission, file, fingerprint
        else:
            results[student] = known
    if results:
        say(f"{len(results)} of {len(handed_in)} are graded already")

    def work(submission):
        if submission.problem:
            return nothing(release, submission.problem, submission.notes)
        try:
            return workers.examine(submission)
        except Exception as error:  # the others must not wait for our mistake
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
                    said = result["notes"][0]
                else:
                    _, file, fingerprint = waiting[student]
                    write(file, kept.sealed(result, secret, fingerprint))
                    said = f"{sum(result['scores'].values()):g} points"
                say(
                    f"{len(results):4} of {len(handed_in)}  {student}: "
                    f"{result['status']}, {said}"
                )
        except BaseException:
            workers.end()
            pool.shutdown(cancel_futures=True)
            raise
    return {student: results[student] for student in handed_in}


def _fingerprint_of_grader(release, secret, limits, isolation):
    """Return a fingerprint (hex) of all that a result depends on but the submission.

    It changes with the release, the secret, the limits, and any line of the code.
    """
    folders = Path(__file__).parents[1], Path(ttt_lib.__file__).parent
    files = [file for folder in folders for file in sorted(folder.rglob("*.py"))]
    code = [file.read_bytes() for file in files]
    right = courses.solutions(release.name)
    whole = repr((release, right, secret, limits, bool(isolation), code))
    return hashlib.sha256(whole.encode()).hexdigest()


def same_texts(release, handed_in):
    """Return {student: ids of those with a text of the same words}.

    Texts of one or two words are alike by chance.
    """
    known = {}
    places = {*(essay.grade_id for essay in release.essays), OWN}
    for student, submission in handed_in.items():
        for where, text in submission.texts:
            words = same(text)
            if where in places and len(words.split()) >= MIN_WORDS:
                known.setdefault(words, {})[student] = None
    found = {}
    for students in known.values():
        for student in students:
            if others := [other for other in students if other != student]:
                found.setdefault(student, {}).update(dict.fromkeys(others))
    return {student: [*others] for student, others in found.items()}


def write_grades(
    path, release, roll, results, marks, isolation, late=None, copies=None
):
    """Write grades.csv: one row for everybody on the roll, as the gradebook has it.

    `late` as in `grade`: it adds what the rule on late work makes of the total.
    `copies` is what `same_texts` gives.
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
        result, own = results[student.id], marks[student.id]
        scores = [own[x.grade_id].score if x.grade_id in own else 0.0 for x in items]
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
