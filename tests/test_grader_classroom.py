"""Template for GitHub Classroom, and the command that its workflow runs."""

import json
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest
import submissions
import yaml
from submissions import GAME

from assignments.grader import classroom, course
from assignments.grader.__main__ import main
from assignments.questions import TOPICS

RELEASE = course.of_notebook(GAME, submissions.solution(GAME))


def checks(notebook, *questions, **more):
    """Run the checks of a notebook as the workflow does."""
    command = [sys.executable, "-m", "ttt_lib.check", notebook, *questions]
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


def test_workflow_has_a_test_with_points_for_each_question():
    text = classroom.workflow(RELEASE, f"{GAME}.ipynb", "ttt_lib-1-py3-none-any.whl")
    steps = yaml.safe_load(text)["jobs"]["run-autograding-tests"]["steps"]
    *_, install = (step["run"] for step in steps if "run" in step)
    assert install.endswith("./ttt_lib-1-py3-none-any.whl")
    graders = {step["id"]: step["with"] for step in steps if "id" in step}
    assert [*graders] == [*TOPICS["game"]]
    for question in RELEASE.questions:
        step_with, key = graders[question.key], question.key
        assert step_with["max-score"] == question.points
        assert step_with["command"] == f"python -m ttt_lib.check {GAME}.ipynb {key}"
    assert steps[-1]["with"]["runners"].split(",") == [*graders]
    result = "${{steps.winner.outputs.result}}"
    assert steps[-1]["env"].items() >= {("WINNER_RESULTS", result)}
    assert len(steps[-1]["env"]) == len(graders)


def test_template_contains_notebook_workflow_and_library(tmp_path, monkeypatch, capsys):
    released = tmp_path / "release" / GAME / f"{GAME}.ipynb"
    released.parent.mkdir(parents=True)
    released.write_text('{"cells": []}', encoding="utf-8")
    fake_wheel = SimpleNamespace(name="ttt_lib.whl")
    monkeypatch.setattr(classroom, "wheel", lambda folder: fake_wheel)
    monkeypatch.setattr(course, "read_release", lambda *_: RELEASE)
    arguments = ["classroom", "--course", str(tmp_path), "--assignment"]
    assert main([*arguments, GAME]) is None
    folder = tmp_path / "classroom" / GAME
    assert (folder / f"{GAME}.ipynb").read_bytes() == released.read_bytes()
    text = (folder / ".github" / "workflows" / "classroom.yml").read_text("utf-8")
    assert "pip install ./ttt_lib.whl" in text
    assert "There is no assignment 'x'" in main([*arguments, "x"])
    assert str(folder) in capsys.readouterr().out


@pytest.mark.slow
def test_check_command_reports_each_question_separately(tmp_path):
    file, notebook = tmp_path / f"{GAME}.ipynb", submissions.solution(GAME)
    submissions.write(class_size="def class_size(board):\n    return 8")(notebook)
    submissions.add("print('a cell of my own')", 0)(notebook)
    file.write_text(json.dumps(notebook), encoding="utf-8")
    all_checks = checks(file)
    assert all_checks.returncode == 1
    assert "game: 12 points so far, 4 open" in all_checks.stdout
    assert "a cell of my own" in all_checks.stdout
    assert checks(file, "winner", "can_occur").returncode == 0
    one = checks(file, "class_size")
    assert (one.returncode, "class_size: " in one.stdout) == (1, True)
    assert "winner: " not in one.stdout
    other = checks(file, "backup")
    assert (other.returncode, other.stdout) == (1, "")
    assert re.fullmatch(".*has no check.backup: choose from .*\n", other.stderr)


@pytest.mark.slow
def test_check_command_survives_colab_lines_and_skips_drawings(tmp_path):
    notebook, file = submissions.solution("assignment_td"), tmp_path / "x.ipynb"
    source = "".join(submissions.cell(notebook, "td_update")["source"])
    source = f"from google.colab import drive\nn = input()\n{source}"
    submissions.write(td_update=source, drawing="raise SystemExit('drawn')")(notebook)
    file.write_bytes(json.dumps(notebook).encode("utf-16"))
    done = checks(file, "td_update")
    assert done.returncode == 0, done.stdout
    assert "No module named 'google" in done.stdout + done.stderr
    assert "drawn" not in done.stdout + done.stderr
