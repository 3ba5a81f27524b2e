"""Answers that are wrong at one boundary of an argument fail and lose points."""

import inspect
from functools import cache
from itertools import product
from types import SimpleNamespace

import pytest

from assignments import questions
from assignments.questions.question import met
from ttt_lib import check
from ttt_lib.check.judge import Key, answers, judge, same

pytestmark = pytest.mark.slow

FUNCTIONS = {n: q for n, q in questions.QUESTIONS.items() if not q.training}
SEEN = "what students see"
SECRETS = [SEEN, "secret 0"]
SECRETS += [pytest.param(f"secret {n}", marks=pytest.mark.long) for n in range(1, 20)]
secrets = pytest.mark.parametrize("secret", SECRETS)
functions = pytest.mark.parametrize("name", FUNCTIONS)
# Limits of an argument that a wrong answer treats as another value, or vice versa.
NEAR = {"gamma": (0.0, 1.0, 0.9), "alpha": (0.0, 1.0, 0.5), "epsilon": (0.0, 1.0, 0.2)}


@cache
def cases_of(name, secret):
    """Return the cases, the right answers, and the boundaries that each case is at."""
    if secret == SEEN:
        question = check.QUESTIONS[name]
        cases, expected = question.cases, question.key.expected
    else:
        cases = questions.draw(secret, "of the class", name)
        expected = answers(FUNCTIONS[name].answer, cases)
    return cases, expected, [met(FUNCTIONS[name], case) for case in cases]


def share(cases, expected, wrong):
    """Return the share of points for the answers `wrong`, a list, to the cases."""
    no_hints = SimpleNamespace(hint="", mistakes=())
    return judge(no_hints, cases, wrong, Key(expected, [])).share


def nudged(value):
    """Return plain data that differs in its first number, or in its length."""
    if isinstance(value, list):
        return [nudged(value[0]), *value[1:]] if value else [0.5]
    return f"{value}?" if isinstance(value, str) else value + 0.5


@functions
@secrets
def test_wrong_answers_at_each_boundary_lose_points(name, secret):
    cases, expected, at = cases_of(name, secret)
    assert set().union(*at) == FUNCTIONS[name].boundaries.keys() != set()
    for boundary in FUNCTIONS[name].boundaries:
        here = [n for n, met_there in enumerate(at) if boundary in met_there]
        those, right = [cases[n] for n in here], [expected[n] for n in here]
        for change in (nudged, lambda value: None, lambda value: []):
            wrong = [*map(change, right)]
            if not all(map(same, wrong, right)):
                assert share(those, right, wrong) < 1, boundary
            else:  # the right answer is None or []
                assert change is not nudged, boundary


@functions
def test_hidden_cases_have_every_visible_kind(name):
    (seen, *_), (hidden, *_) = (cases_of(name, secret) for secret in (SEEN, "secret 0"))
    assert {case.kind for case in seen} <= {case.kind for case in hidden}


def confusing(name, argument, value, instead):
    """Return the answer that confuses one value of an argument with another."""

    def function(*args):
        names = inspect.signature(FUNCTIONS[name].answer).parameters
        it = dict(zip(names, args, strict=True))
        if it[argument] == value:
            it[argument] = instead
        return FUNCTIONS[name].answer(**it)

    return function


CONFUSED = [
    (name, argument)
    for name, question in FUNCTIONS.items()
    for argument in inspect.signature(question.answer).parameters
    if argument in NEAR
]


@pytest.mark.parametrize(("name", "argument"), CONFUSED)
@secrets
def test_confused_parameter_limits_lose_points(name, argument, secret):
    cases, expected, _ = cases_of(name, secret)
    for value, instead in product(NEAR[argument][:2], NEAR[argument]):
        if value != instead:
            wrong = answers(confusing(name, argument, value, instead), cases)
            assert share(cases, expected, wrong) < 1, (value, instead)
