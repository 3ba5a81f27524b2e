"""A whole class graded: one row for everybody on the roll, whatever was handed in."""

import csv
import functools
import hashlib
import hmac
import json
import os
import secrets
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import ttt_lib
from assignments.grader import course as courses
from assignments.grader import feedback, sandbox
from assignments.grader.examine import Questionnaire, examine, nothing
from assignments.grader.submission import of_class, read

DEFAULT_SECRET = Path("~/.config/three-in-a-row/secret")


def read_secret(path):
    """Return the secret of the class; the first time it is made, for its owner only."""
    path = Path(path).expanduser()
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(secrets.token_hex(32) + "\n")
    secret = path.read_text(encoding="utf-8").strip()
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
):
    """Grade an assignment; return {student: result}, and write everything.

    `isolation` is "" to isolate, or the reason not to; None tries.
    """
    limits = sandbox.Limits() if limits is None else limits
    say = functools.partial(print, flush=True) if say is None else say
    isolation = sandbox.isolation() if isolation is None else isolation
    say(f"isolation is {f'off: {isolation}' if isolation else 'on'}")
    course = Path(course).resolve()
    release = courses.read_release(course, name)
    found, nobody = of_class(submissions, {student.id for student in roll})
    for entry in nobody:
        say(f"NOT GRADED: {entry} belongs to nobody on the roll")
    handed_in = {s.id: read(found.get(s.id), release, s.id) for s in roll}

    # Student code runs only between these lines. Where it is not isolated, nothing that
    # it does to the course outlives the last of them; results carry a seal.
    _demand_sound(course / "gradebook.db")
    before = _everything(course) if isolation else {}
    try:
        results = _examine_all(
            release, handed_in, course, secret, limits, isolation, jobs, again, say
        )
    finally:
        _put_back(before, say)

    marks = courses.enter(course, release, roll, results)
    for student in roll:
        submission, result = handed_in[student.id], results[student.id]
        if result["questions"]:
            marked = feedback.marked_notebook(release, submission, result)
            _write(_place(course, "autograded", student, name, "ipynb"), marked)
        told = release, student, result, marks[student.id], isolation
        page = feedback.page(*told, submission.answers)
        _write(_place(course, "feedback", student, name, "html"), page)
    table = course / name / "grades.csv"
    write_grades(table, release, roll, results, marks, isolation)
    say(f"grades    {table}")
    say(f"feedback  {course / 'feedback'}")
    say(f"gradebook {course / 'gradebook.db'}")
    return results


def _place(course, step, student, name, ending):
    return course / step / student.id / name / f"{name}.{ending}"


def _demand_sound(gradebook):
    if not courses.is_database(gradebook):
        raise ValueError(
            f"The gradebook {gradebook} is damaged: move it away to begin a new one."
        )


def _everything(course):
    """Return the content of all files of the course but the results."""
    return {
        path: path.read_bytes()
        for path in sorted(course.rglob("*"))
        if path.is_file() and path.parent.name != "results"
    }


def _write(path, content):
    """Write a file in one step, so that it is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, str):
        content = content.encode("utf-8", errors="replace")
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(content)
    part.replace(path)


def _examine_all(
    release, handed_in, course, secret, limits, isolation, jobs, again, say
):
    """Return {student: result}; what was examined before is not examined again."""
    questionnaire = Questionnaire(release, secret)
    grader = _fingerprint_of_grader(release, secret, limits, isolation)
    results, waiting = {}, {}
    for student, submission in handed_in.items():
        fingerprint = hashlib.sha256(
            repr((grader, submission.notes, submission.bytes)).encode()
        ).hexdigest()
        place = course / release.name / "results" / f"{student}.json"
        known = None if again else _known(place, secret, fingerprint)
        if known is None:
            waiting[student] = submission, place, fingerprint
        else:
            results[student] = known
    if results:
        say(f"{len(results)} of {len(handed_in)} are graded already")
    with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        running = {
            pool.submit(
                examine, release, submission, questionnaire, limits, not isolation
            ): student
            for student, (submission, _, _) in waiting.items()
        }
        try:
            for done in as_completed(running):
                student = running[done]
                _, place, fingerprint = waiting[student]
                try:
                    result = results[student] = done.result()
                    _write(place, _sealed(result, secret, fingerprint))
                except Exception as error:  # the others must not wait for our mistake
                    failure = f"THE GRADER FAILED: {type(error).__name__}: {error}"
                    note = f"{failure}; grade once more, and tell us if it fails again"
                    result = results[student] = nothing(release, "crashed", [note])
                points = sum(result["scores"].values())
                say(
                    f"{len(results):4} of {len(handed_in)}  {student}: "
                    f"{result['status']}, {points:g} points"
                )
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    if isolation:  # code that was not isolated may have written into them
        for student, (_, place, fingerprint) in waiting.items():
            if place.exists():
                _write(place, _sealed(results[student], secret, fingerprint))
    return results


def _fingerprint_of_grader(release, secret, limits, isolation):
    """Return a fingerprint (hex) of all that a result depends on but the submission.

    It changes with the release, the secret, the limits, and any line of the code.
    """
    folders = Path(__file__).parents[1], Path(ttt_lib.__file__).parent
    files = [file for folder in folders for file in sorted(folder.rglob("*.py"))]
    code = [file.read_bytes() for file in files]
    whole = repr((release, secret, limits, bool(isolation), code))
    return hashlib.sha256(whole.encode()).hexdigest()


def _sealed(result, secret, fingerprint):
    text = json.dumps(result, sort_keys=True)
    return json.dumps(
        {"result": text, "seal": _seal(text, secret, fingerprint)}, indent=1
    )


def _seal(text, secret, fingerprint):
    return hmac.new(
        secret.encode(), f"{fingerprint}{text}".encode(), "sha256"
    ).hexdigest()


def _known(place, secret, fingerprint):
    """Return the stored result if it is of this submission and nobody changed it."""
    try:
        stored = json.loads(place.read_text(encoding="utf-8"))
        seal = _seal(stored["result"], secret, fingerprint)
        if hmac.compare_digest(stored["seal"], seal):
            return json.loads(stored["result"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return None


def _put_back(before, say):
    """Write the files that are not as they were."""
    for path, content in before.items():
        if not path.is_file() or path.read_bytes() != content:
            say(f"PUT BACK: {path} was changed while student code ran")
            _write(path, content)


def write_grades(path, release, roll, results, marks, isolation):
    """Write grades.csv: one row for everybody on the roll, as the gradebook has it."""
    items = (*release.questions, *release.essays)
    head = ["id", "name", "status", "total", "of"]
    head += [item.grade_id.removesuffix("_check") for item in items]
    head += ["to mark", "isolation", "notes"]
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(".grades.csv.part")
    with part.open("w", newline="", encoding="utf-8", errors="replace") as file:
        table = csv.writer(file)
        table.writerow(head)
        for student in roll:
            result, own = results[student.id], marks[student.id]
            scores = [
                own[item.grade_id].score if item.grade_id in own else 0.0
                for item in items
            ]
            table.writerow(
                [
                    student.id,
                    student.name,
                    result["status"],
                    feedback.number(sum(score or 0 for score in scores)),
                    feedback.number(sum(item.points for item in items)),
                    *map(feedback.number, scores),
                    sum(score is None for score in scores),
                    "off" if isolation else "on",
                    "; ".join([*result["notes"], *result["look"]]),
                ]
            )
    part.replace(path)
