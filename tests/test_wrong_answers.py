"""Green means right: what the visible checks pass earns its points under any secret."""

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
SECRETS = int(os.environ.get("SECRETS", "1"))  # `make long` takes 12

ONE_LIST = "old and new are one list, so that nothing seems to change"


def tried():
    """Return the wrong answers: all but the last of each question for `make long`.

    The last is the latest that was found; one that is trained would take seconds.
    """
    last = {one[1]: one for one in WRONG}
    return [
        pytest.param(
            *one,
            id="-".join(one[1:3]),
            marks=()
            if one is last[one[1]] and not questions.QUESTIONS[one[1]].training
            else pytest.mark.long,
        )
        for one in WRONG
    ]


@cache
def cases(name, secret):
    """Return the cases that a secret draws, or the visible ones, and their Key."""
    if secret is None:
        return check.QUESTIONS[name].cases, check.QUESTIONS[name].key
    drawn = questions.draw(secret, "of the class", name)
    return drawn, key(questions.QUESTIONS[name], drawn)


def share(function, name, secret=None):
    """Return the share of the points that a function earns."""
    question, (drawn, known) = questions.QUESTIONS[name], cases(name, secret)
    if not question.training:
        given = [asked.answer for asked in run_cases(function, drawn, MAX_SECONDS)]
        return judge(question, drawn, given, known).share
    function, given = trained(question.training, function), []
    for case in drawn:
        if not settled(question, given, len(drawn)):
            given += [
                asked.answer for asked in run_cases(function, [case], MAX_SECONDS)
            ]
    return verdict(question, given).share


@cache
def right(assignment):
    """Return the source of all cells of code of a solved assignment, by grade id."""
    found = {}
    for one in solution(assignment)["cells"]:
        grade_id = one["metadata"].get("nbgrader", {}).get("grade_id", "")
        if one["cell_type"] != "code" or grade_id in ("", DRAWING):
            continue
        if not grade_id.endswith("_check"):
            found[grade_id] = "".join(cell(solution(assignment), grade_id)["source"])
    return found


def function_of(assignment, question, source):
    """Return the function of a wrong answer, in a notebook that is right otherwise."""
    names = {}
    for grade_id, text in right(assignment).items():
        if grade_id != question:
            exec(text, names)
    exec(source, names)
    return names[question]


@pytest.mark.parametrize(("assignment", "question", "wrong", "source"), tried())
def test_what_is_wrong_is_not_green_and_never_earns_all(
    assignment, question, wrong, source
):
    function = function_of(assignment, question, source)
    assert share(function, question) < 1, "green"
    for secret in range(SECRETS):
        assert share(function, question, f"secret {secret}") < 1, secret


HINTS = {
    ("winner", "an empty line counts"): "an empty line counts",
    ("winner", "the sign of the sum of all cells"): "second player forgotten",
    ("winner", "columns looked up with the step of rows"): "anti-diagonal forgotten",
    ("class_size", "the reversed list for the mirror"): "turns only",
    ("count_games", "only X can win"): "lines of O forgotten",
    ("can_occur", "whoever owns a line is to move"): "the two sides exchanged",
    ("backup", "gives back the best action"): "the action, not its value",
    ("backup", "not n"): "state 0 taken for the end",
    ("greedy_actions", "equal to the last digit, and the lowest"): (
        "ties up to rounding forgotten"
    ),
    ("solve", "gamma becomes 0.9"): "0.9 everywhere",
    ("value_iteration", ONE_LIST): "old is V itself",
    ("evaluate", ONE_LIST): "old is V itself",
    ("greedy_actions", "the place of the largest, as argmax gives it"): (
        "index of the largest, not the action"
    ),
    ("greedy_actions", "without the discount"): "γ forgotten",
}


def test_what_was_written_without_a_look_at_the_known_mistakes_is_known():
    known = {one[1:3]: one for one in WRONG}
    for (question, wrong), mistake in HINTS.items():
        assignment, *_, source = known[question, wrong]
        function = function_of(assignment, question, source)
        drawn, answers = cases(question, None)
        given = [asked.answer for asked in run_cases(function, drawn, MAX_SECONDS)]
        found = judge(questions.QUESTIONS[question], drawn, given, answers)
        assert found.mistake == mistake, (question, wrong)


def test_there_are_many_for_every_question():
    guide = (Path(__file__).parents[1] / "book" / "teaching.md").read_text("utf-8")
    assert f"tried it with {len(WRONG)} wrong answers" in guide
    asked = {question for _, question, _, _ in WRONG}
    assert asked == questions.QUESTIONS.keys()
    assert len({(question, wrong) for _, question, wrong, _ in WRONG}) == len(WRONG)
