"""Template repository for GitHub Classroom: notebook, library and workflow."""

import subprocess
import sys
from pathlib import Path

from assignments.grader import course as courses
from assignments.grader.files import write

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW = """\
# Written by `make classroom`: runs the visible checks of a student's notebook.
name: Autograding Tests
on: [push, workflow_dispatch, repository_dispatch]
permissions:
  checks: write
  actions: read
  contents: read
jobs:
  run-autograding-tests:
    runs-on: ubuntu-latest
    if: github.actor != 'github-classroom[bot]'
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: python -m pip install ./{wheel}
{tests}
      - uses: classroom-resources/autograding-grading-reporter@v1
        env:
{results}
        with:
          runners: {names}
"""
TEST = """\
      - id: {name}
        uses: classroom-resources/autograding-command-grader@v1
        with:
          test-name: {name}
          command: python -m ttt_lib.check {notebook} {name}
          timeout: 5
          max-score: {points:g}"""
RESULT = '          {upper}_RESULTS: "${{{{steps.{name}.outputs.result}}}}"'


def make(course, name):
    """Write the template repository of an assignment; return its folder."""
    release = courses.read_release(course, name)
    folder = Path(course) / "classroom" / name
    notebook = f"{name}.ipynb"
    released = Path(course) / "release" / name / notebook
    write(folder / notebook, released.read_bytes())
    text = workflow(release, notebook, wheel(folder).name)
    write(folder / ".github" / "workflows" / "classroom.yml", text)
    return folder


def workflow(release, notebook, wheel):
    """Return the workflow (YAML): a test for each question, with its points."""
    asked = [(question.key, question.points) for question in release.questions]
    tests = [TEST.format(name=n, notebook=notebook, points=p) for n, p in asked]
    results = [RESULT.format(name=name, upper=name.upper()) for name, _ in asked]
    return WORKFLOW.format(
        wheel=wheel,
        tests="\n".join(tests),
        results="\n".join(results),
        names=",".join(name for name, _ in asked),
    )


def wheel(place):
    """Build the wheel of the library (it has no answers) into a folder; return it."""
    for old in place.glob("*.whl"):
        old.unlink()
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    command += ["--no-build-isolation", "--wheel-dir", str(place), str(ROOT)]
    subprocess.run(command, check=True)
    (built,) = place.glob("*.whl")
    return built
