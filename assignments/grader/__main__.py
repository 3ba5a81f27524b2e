"""Command line of the grader: what `make assignments`, `make grade` and others run."""

import argparse
import os
import re
import signal
import sys
from collections import Counter
from pathlib import Path

from assignments import questions
from assignments.grader import (
    classroom,
    course,
    dates,
    export_lms,
    files,
    grade,
    import_lms,
    report,
    sandbox,
    signals,
    solutions,
)
from assignments.grader.work import files_in

# Required settings of each command, as they are written behind `make`.
NEEDS = {
    "collect": "DOWNLOAD=x.zip ROLL=roll.csv INTO=folder",
    "grade": "SUBMISSIONS=folder ROLL=roll.csv",
    "give-back": "ASSIGNMENT=assignment_game SUBMISSIONS=folder ROLL=roll.csv",
    "classroom": "ASSIGNMENT=assignment_game",
    "report": "ASSIGNMENT=assignment_game",
}
INTERRUPTED = "grader: interrupted. Run the same command again to continue."


def end(message):
    """Exit with an error message, or None for success.

    An interrupted command exits without clean-up: a compiler or a module that was
    interrupted half-way may fail in it, and then Python aborts.
    """
    if message != INTERRUPTED:
        sys.exit(message)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print(message, file=sys.stderr, flush=True)
    if sys.stdout is not None:
        sys.stdout.flush()
    os._exit(1)


def parser():
    """Return the parser of the command line."""
    limits = sandbox.Limits()
    top = argparse.ArgumentParser(prog="python -m assignments.grader")
    actions = top.add_subparsers(dest="action", required=True)
    make = actions.add_parser("release", help="make the student versions")
    judge = actions.add_parser("grade", help="grade a class")
    make.add_argument("assignments", nargs="*", help="by default all")
    judge.add_argument("--submissions", required=True, help="folder")
    judge.add_argument("--roll", required=True, help="CSV file with a column id")
    judge.add_argument("--assignment", help="name, if the file names do not show it")
    judge.add_argument("--dates", help="file with dates, extensions, the late rule")
    judge.add_argument("--secret", default=grade.DEFAULT_SECRET, help="file")
    judge.add_argument("--jobs", type=positive(int), help="submissions at a time")
    judge.add_argument("--again", action="store_true", help="ignore earlier results")
    judge.add_argument("--isolation", choices=("auto", "off", "on"), default="auto")
    seconds, megabytes = positive(float), positive(int)
    judge.add_argument("--cell-seconds", type=seconds, default=limits.cell_seconds)
    judge.add_argument("--call-seconds", type=seconds, default=limits.call_seconds)
    judge.add_argument(
        "--submission-seconds", type=seconds, default=limits.submission_seconds
    )
    judge.add_argument(
        "--memory", type=megabytes, default=limits.memory // 2**20, help="MB"
    )
    gather = actions.add_parser("collect", help="sort a platform's download by student")
    gather.add_argument("--download", required=True, help="folder or zip")
    gather.add_argument("--roll", required=True, help="CSV file of the class")
    gather.add_argument("--into", required=True, help="new folder")
    gather.add_argument(
        "--plan", action="store_true", help="show the plan and write nothing"
    )
    back = actions.add_parser("give-back", help="make the files for a platform")
    back.add_argument("--assignment", required=True, help="name")
    back.add_argument("--submissions", required=True, help="folder that was graded")
    back.add_argument("--roll", required=True, help="CSV file of the class")
    back.add_argument("--column", default="", help="heading of the column for points")
    solve = actions.add_parser("solutions", help="make solved notebooks")
    solve.add_argument("assignments", nargs="*", help="by default all")
    room = actions.add_parser("classroom", help="make a template for GitHub Classroom")
    room.add_argument("--assignment", required=True, help="name")
    tell = actions.add_parser("report", help="write the statistics of a class")
    tell.add_argument("--assignment", required=True, help="name")
    for action in (make, judge, back, solve, room, tell):
        action.add_argument("--course", default="course", help="folder for all results")
    return top


def positive(kind):
    """Return a converter for argparse: text to an int or float in (0, 1e9)."""

    def number(text):
        value = kind(text)
        if not 0 < value < 1e9:
            raise ValueError
        return value

    number.__name__ = f"{kind.__name__} above 0"
    return number


def main(arguments=None):
    """Run a command; return None, or an error message of one sentence."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        if hasattr(stream, "reconfigure"):  # it may not be able to encode every name
            stream.reconfigure(errors="backslashreplace")
    options = parser().parse_args(arguments)
    with signals.as_interrupts() as received:
        try:
            actions = {
                "release": release,
                "collect": gather,
                "grade": judge,
                "give-back": give_back,
                "solutions": solve,
                "classroom": template,
                "report": tell,
            }
            _require_settings(options)
            return actions[options.action](options)
        except (Exception, KeyboardInterrupt) as error:
            # nbgrader and half-loaded modules may turn an interrupt into another error.
            if received or isinstance(error, KeyboardInterrupt):
                return INTERRUPTED
            if isinstance(error, OSError):
                return f"grader: {files.sentence(error)}"
            if isinstance(error, ValueError):
                return f"grader: {error}"
            raise


def release(options):
    """Write the student versions, and the stored questions that students install."""
    names = options.assignments or course.names()
    for name in names:
        _require_assignment(name)
    questions.install(name.removeprefix("assignment_") for name in names)
    for name in names:
        print(f"released  {course.release(options.course, name)}")


def gather(options):
    """Print the plan for a download, and carry it out unless only that was wanted."""
    plan = import_lms.plan(options.download, options.roll)
    for line in import_lms.summary(plan):
        print(line)
    if options.plan:
        print("This is a plan: nothing was written.")
    else:
        for line in import_lms.lines_of(import_lms.carry_out(plan, options.into)):
            print(line)
        print(f"written   {options.into}")


def give_back(options):
    """Write the zip of feedback pages and the table of points for a platform."""
    name = options.assignment
    _require_assignment(name)
    files = options.submissions, options.roll, options.column
    for line in export_lms.make(options.course, name, *files):
        print(line)


def solve(options):
    """Write the solved notebooks, for after the deadline."""
    for name in options.assignments or course.names():
        _require_assignment(name)
        print(f"solved    {solutions.make(options.course, name)}")


def template(options):
    """Write the template repository of an assignment for GitHub Classroom."""
    _require_assignment(options.assignment)
    print(f"template  {classroom.make(options.course, options.assignment)}")


def tell(options):
    """Write the statistics of a graded class: a page and two tables."""
    _require_assignment(options.assignment)
    for path in report.make(options.course, options.assignment):
        print(f"report    {path}")


def judge(options):
    """Grade a class; return None, or a sentence if some submissions failed."""
    folder = Path(options.submissions)
    if not folder.is_dir():
        raise ValueError(f"There is no folder {folder}.")
    roll = course.read_roll(options.roll)
    name = options.assignment or _guess(folder)
    _require_assignment(name)
    isolation = "it was switched off" if options.isolation == "off" else None
    if isolation is None and (reason := sandbox.isolation()):
        raise ValueError(
            f"Student code would not be isolated: {reason}. Install bubblewrap, or set "
            "ISOLATION=off if student code may do on this machine whatever you may do."
        )
    late, ids = None, [student.id for student in roll]
    if options.dates:
        late = dates.lateness(options.dates, name, folder, ids)
    limits = sandbox.Limits(
        cell_seconds=options.cell_seconds,
        call_seconds=options.call_seconds,
        submission_seconds=options.submission_seconds,
        memory=options.memory * 2**20,
    )
    results = grade.grade(
        name,
        folder,
        roll,
        options.course,
        grade.read_secret(options.secret),
        limits,
        isolation,
        options.jobs,
        options.again,
        late=late,
    )
    if shortcoming := grade.shortcoming(results):
        return f"grader: {shortcoming}"


def _require_settings(options):
    """Raise ValueError if a required setting of the command is missing."""
    action, needs = options.action, NEEDS.get(options.action, "")
    names = re.findall(r"(\w+)=", needs)
    if missing := [name for name in names if not _is_set(options, name)]:
        missing = ", ".join(missing)
        raise ValueError(
            f"make {action} needs {missing}, for example: make {action} {needs}"
        )


def _is_set(options, name):
    return getattr(options, name.lower()) or (name == "INTO" and options.plan)


def _require_assignment(name):
    if name not in course.names():
        raise ValueError(
            f"There is no assignment {name!r}: choose from {', '.join(course.names())}."
        )


def _guess(folder):
    """Return the assignment that the file names of most students contain."""
    counts = Counter()
    for entry in folder.iterdir():
        paths = [str(path.relative_to(folder)) for path in files_in([entry])[0]]
        counts.update(n for n in course.names() if any(n in path for path in paths))
    most = counts.most_common(2)
    if not most or (len(most) == 2 and most[0][1] == most[1][1]):
        names = " and ".join(sorted(name for name, _ in most)) or "no assignment"
        raise ValueError(
            f"The file names in {folder} mention {names}: name the assignment to grade,"
            " for example ASSIGNMENT=assignment_game."
        )
    return most[0][0]


if __name__ == "__main__":
    end(main())
