"""`make assignments` and `make grade`, as a command."""

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

# What a command cannot do without, as `make` is told.
NEEDS = {
    "collect": "DOWNLOAD=x.zip ROLL=roll.csv INTO=folder",
    "grade": "SUBMISSIONS=folder ROLL=roll.csv",
    "give-back": "ASSIGNMENT=assignment_game SUBMISSIONS=folder ROLL=roll.csv",
    "classroom": "ASSIGNMENT=assignment_game",
    "report": "ASSIGNMENT=assignment_game",
}
INTERRUPTED = "grader: interrupted. The same command goes on where it stopped."


def end(said):
    """End the command with a sentence, or None; an interrupted one at once.

    What was stopped at work, a compiler or a module half loaded, may fail to clean up,
    and then Python aborts.
    """
    if said != INTERRUPTED:
        sys.exit(said)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print(said, file=sys.stderr, flush=True)
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
    judge.add_argument("--assignment", help="name, if the folder does not tell")
    judge.add_argument("--dates", help="file with dates, extensions, the late rule")
    judge.add_argument("--secret", default=grade.DEFAULT_SECRET, help="file")
    judge.add_argument("--jobs", type=positive(int), help="submissions at a time")
    judge.add_argument("--again", action="store_true", help="forget earlier results")
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
    gather = actions.add_parser("collect", help="lay out what a platform gives")
    gather.add_argument("--download", required=True, help="folder or zip")
    gather.add_argument("--roll", required=True, help="CSV file of the class")
    gather.add_argument("--into", required=True, help="new folder")
    gather.add_argument("--plan", action="store_true", help="write nothing")
    back = actions.add_parser("give-back", help="make what a platform takes")
    back.add_argument("--assignment", required=True, help="name")
    back.add_argument("--submissions", required=True, help="folder that was graded")
    back.add_argument("--roll", required=True, help="CSV file of the class")
    back.add_argument("--column", default="", help="head of the column for the points")
    solve = actions.add_parser("solutions", help="make solved notebooks")
    solve.add_argument("assignments", nargs="*", help="by default all")
    room = actions.add_parser("classroom", help="make a template for GitHub Classroom")
    room.add_argument("--assignment", required=True, help="name")
    tell = actions.add_parser("report", help="a class in numbers")
    tell.add_argument("--assignment", required=True, help="name")
    for action in (make, judge, back, solve, room, tell):
        action.add_argument("--course", default="course", help="folder for all results")
    return top


def positive(kind):
    """Return what reads a number of a kind that has to be above 0, but no infinity."""

    def number(text):
        found = kind(text)
        if not 0 < found < 1e9:
            raise ValueError
        return found

    number.__name__ = f"{kind.__name__} above 0"
    return number


def main(arguments=None):
    """Run the command; mistakes of the teacher end it with one sentence."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        if hasattr(stream, "reconfigure"):  # a name may be more than it can write
            stream.reconfigure(errors="backslashreplace")
    said = parser().parse_args(arguments)
    with signals.as_interrupts() as asked:
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
            _demand_all(said)
            return actions[said.action](said)
        except (Exception, KeyboardInterrupt) as error:
            # nbgrader and modules half loaded make others of an interrupt.
            if asked or isinstance(error, KeyboardInterrupt):
                return INTERRUPTED
            if isinstance(error, OSError):
                return f"grader: {files.sentence(error)}"
            if isinstance(error, ValueError):
                return f"grader: {error}"
            raise


def release(said):
    """Make the student versions, and what students install of the questions."""
    wanted = said.assignments or course.names()
    for name in wanted:
        _demand_assignment(name)
    questions.install(name.removeprefix("assignment_") for name in wanted)
    for name in wanted:
        print(f"released  {course.release(said.course, name)}")


def gather(said):
    """Say what a download holds, and lay it out unless it is a plan alone."""
    found = import_lms.plan(said.download, said.roll)
    for line in import_lms.told(found):
        print(line)
    if said.plan:
        print("This is a plan: nothing was written.")
    else:
        for line in import_lms.lines_of(import_lms.carry_out(found, said.into)):
            print(line)
        print(f"written   {said.into}")


def give_back(said):
    """Make the zip of pages, and the table of points, that a platform takes."""
    _demand_assignment(said.assignment)
    told = said.course, said.assignment, said.submissions, said.roll, said.column
    for line in export_lms.make(*told):
        print(line)


def solve(said):
    """Make the solved notebooks, for after the deadline."""
    for name in said.assignments or course.names():
        _demand_assignment(name)
        print(f"solved    {solutions.make(said.course, name)}")


def template(said):
    """Make the template repository of an assignment for GitHub Classroom."""
    _demand_assignment(said.assignment)
    print(f"template  {classroom.make(said.course, said.assignment)}")


def tell(said):
    """Make the page and the table on a graded class."""
    _demand_assignment(said.assignment)
    for place in report.make(said.course, said.assignment):
        print(f"report    {place}")


def judge(said):
    """Grade a class; return None, or a sentence if not all is as it should be."""
    folder = Path(said.submissions)
    if not folder.is_dir():
        raise ValueError(f"There is no folder {folder}.")
    roll = course.read_roll(said.roll)
    name = said.assignment or _guess(folder)
    _demand_assignment(name)
    isolation = "it was switched off" if said.isolation == "off" else None
    if isolation is None and (reason := sandbox.isolation()):
        raise ValueError(
            f"Student code would not be isolated: {reason}. Install it, or say "
            "ISOLATION=off, if that code may do whatever you may do on this machine."
        )
    late, ids = None, [student.id for student in roll]
    if said.dates:
        late = dates.lateness(said.dates, name, folder, ids)
    limits = sandbox.Limits(
        cell_seconds=said.cell_seconds,
        call_seconds=said.call_seconds,
        submission_seconds=said.submission_seconds,
        memory=said.memory * 2**20,
    )
    results = grade.grade(
        name,
        folder,
        roll,
        said.course,
        grade.read_secret(said.secret),
        limits,
        isolation,
        said.jobs,
        said.again,
        late=late,
    )
    if shortcoming := grade.shortcoming(results):
        return f"grader: {shortcoming}"


def _demand_all(said):
    """Raise ValueError if a command was not told all that it needs."""
    needs = NEEDS.get(said.action, "")
    missing = [name for name in re.findall(r"(\w+)=", needs) if not _told(said, name)]
    if missing:
        missing = ", ".join(missing)
        raise ValueError(f"It needs {missing}, as in: make {said.action} {needs}")


def _told(said, name):
    return getattr(said, name.lower()) or (name == "INTO" and said.plan)


def _demand_assignment(name):
    if name not in course.names():
        raise ValueError(
            f"There is no assignment {name!r}: choose from {', '.join(course.names())}."
        )


def _guess(folder):
    """Return the assignment that the names of most students' files speak of."""
    often = Counter()
    for place in folder.iterdir():
        words = [str(path.relative_to(folder)) for path in files_in([place])[0]]
        often.update(n for n in course.names() if any(n in word for word in words))
    found = often.most_common(2)
    if not found or (len(found) == 2 and found[0][1] == found[1][1]):
        what = " and ".join(sorted(name for name, _ in found)) or "no assignment"
        raise ValueError(
            f"The names in {folder} speak of {what}: say which one is to be graded, "
            "ASSIGNMENT=assignment_game for example."
        )
    return found[0][0]


if __name__ == "__main__":
    end(main())
