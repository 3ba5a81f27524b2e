"""Wrong answers of students: the visible checks reject each, and so does the grader."""

import os
from functools import cache
from pathlib import Path

import pytest
from submissions import cell, solution
from wrong_answers import read

from assignments import questions
from assignments.questions.question import key
from ttt_lib import check
from ttt_lib.check.judge import judge
from ttt_lib.check.report import DRAWING
from ttt_lib.check.run_cases import run_cases
from ttt_lib.check.training import MAX_SECONDS, settled, trained, verdict

pytestmark = pytest.mark.slow

WRONG = read()
SECRETS = int(os.environ.get("SECRETS", "1"))  # `make long` sets 12

ONE_LIST = "old and new are one list, so that nothing seems to change"


def parameters():
    """Return the wrong answers as parameters, most of them for `make long` only.

    Without it the last answer to each question is tried, except those of trainings,
    which take seconds.
    """
    last = {row[1]: row for row in WRONG}
    return [
        pytest.param(
            *row,
            id="-".join(row[1:3]),
            marks=()
            if row is last[row[1]] and not questions.QUESTIONS[row[1]].training
            else pytest.mark.long,
        )
        for row in WRONG
    ]


@cache
def cases(name, secret):
    """Return the hidden cases for a secret (None: the visible ones), and their Key."""
    if secret is None:
        return check.QUESTIONS[name].cases, check.QUESTIONS[name].key
    drawn = questions.draw(secret, "of the class", name)
    return drawn, key(questions.QUESTIONS[name], drawn)


def share(function, name, secret=None):
    """Return the share of the points that a function earns."""
    question, (drawn, answer_key) = questions.QUESTIONS[name], cases(name, secret)
    if not question.training:
        given = [r.answer for r in run_cases(function, drawn, MAX_SECONDS)]
        return judge(question, drawn, given, answer_key).share
    function, given = trained(question.training, function), []
    for case in drawn:
        if not settled(question, given, len(drawn)):
            given += [r.answer for r in run_cases(function, [case], MAX_SECONDS)]
    return verdict(question, given).share


@cache
def right(assignment):
    """Return the sources of the code cells of a solved assignment, by grade id."""
    sources = {}
    for one in solution(assignment)["cells"]:
        grade_id = one["metadata"].get("nbgrader", {}).get("grade_id", "")
        if one["cell_type"] != "code" or grade_id in ("", DRAWING):
            continue
        if not grade_id.endswith("_check"):
            sources[grade_id] = "".join(cell(solution(assignment), grade_id)["source"])
    return sources


def function_of(assignment, question, source):
    """Return the function of a wrong answer in a notebook that is otherwise right."""
    space = {}
    for grade_id, text in right(assignment).items():
        if grade_id != question:
            exec(text, space)
    exec(source, space)
    return space[question]


@pytest.mark.parametrize(("assignment", "question", "wrong", "source"), parameters())
def test_wrong_answers_fail_a_visible_check_and_never_earn_all_points(
    assignment, question, wrong, source
):
    function = function_of(assignment, question, source)
    assert share(function, question) < 1, "all visible checks pass"
    for secret in range(SECRETS):
        assert share(function, question, f"secret {secret}") < 1, secret


HINTS = {
    ("winner", "an empty line counts"): "an empty line counts",
    ("winner", "the sign of the sum of all cells"): "second player forgotten",
    ("winner", "columns looked up with the step of rows"): "anti-diagonal forgotten",
    ("class_size", "the reversed list for the mirror"): "turns only",
    ("count_games", "only X can win"): "lines of O forgotten",
    ("can_occur", "the owner of a line is to move"): "the two sides exchanged",
    ("backup", "returns the best action"): "the action, not its value",
    ("backup", "not n"): "state 0 taken for the end",
    ("greedy_actions", "equal to the last digit, and the lowest"): (
        "ties up to rounding forgotten"
    ),
    ("solve", "gamma becomes 0.9"): "0.9 everywhere",
    ("value_iteration", ONE_LIST): "old is V itself",
    ("evaluate", ONE_LIST): "old is V itself",
    ("greedy_actions", "the index of the largest, as argmax gives it"): (
        "index of the largest, not the action"
    ),
    ("greedy_actions", "without the discount"): "γ forgotten",
}


def test_known_mistakes_are_recognised_in_independent_answers():
    rows = {row[1:3]: row for row in WRONG}
    for (question, wrong), mistake in HINTS.items():
        assignment, *_, source = rows[question, wrong]
        function = function_of(assignment, question, source)
        visible, answer_key = cases(question, None)
        given = [r.answer for r in run_cases(function, visible, MAX_SECONDS)]
        verdict = judge(questions.QUESTIONS[question], visible, given, answer_key)
        assert verdict.mistake == mistake, (question, wrong)


def test_every_question_has_wrong_answers_and_the_guide_their_number():
    guide = (Path(__file__).parents[1] / "book" / "teaching.md").read_text("utf-8")
    assert f"tried it with {len(WRONG)} wrong answers" in guide
    assert {question for _, question, _, _ in WRONG} == questions.QUESTIONS.keys()
    assert len({(question, wrong) for _, question, wrong, _ in WRONG}) == len(WRONG)
