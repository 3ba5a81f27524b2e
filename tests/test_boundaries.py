"""Wrong at one ordinary boundary of an argument is red, and loses points."""

import inspect
from functools import cache
from types import SimpleNamespace

import pytest

from assignments import questions
from assignments.questions.question import met
from ttt_lib import check
from ttt_lib.check.judge import Key, answers, judge, same

FUNCTIONS = {n: q for n, q in questions.QUESTIONS.items() if not q.training}
SEEN = "what students see"
SOME = [SEEN, "secret 0"]
MANY = [f"secret {number}" for number in range(1, 20)]
secrets = pytest.mark.parametrize(
    "secret", [*SOME, *(pytest.param(one, marks=pytest.mark.long) for one in MANY)]
)
functions = pytest.mark.parametrize("name", FUNCTIONS)
# What is near a boundary, for whoever does there as elsewhere, or the other way round.
NEAR = {"gamma": (0.0, 1.0, 0.9), "alpha": (0.0, 1.0, 0.5), "epsilon": (0.0, 1.0, 0.2)}


@cache
def asked(name, secret):
    """Return the cases, and what is right."""
    if secret == SEEN:
        known = check.QUESTIONS[name]
        return known.cases, known.key.expected
    cases = questions.draw(secret, "of the class", name)
    return cases, answers(FUNCTIONS[name].answer, cases)


def share(cases, expected, wrong):
    """Return what somebody earns who gives `wrong`, a list, to the cases."""
    nobody = SimpleNamespace(hint="", mistakes=())
    return judge(nobody, cases, wrong, Key(expected, [])).share


def test_every_function_has_boundaries():
    assert all(question.boundaries for question in FUNCTIONS.values())


@functions
@secrets
def test_every_boundary_is_asked(name, secret):
    cases, _ = asked(name, secret)
    found = set().union(*(met(FUNCTIONS[name], case) for case in cases))
    assert found == FUNCTIONS[name].boundaries.keys()


@functions
def test_every_kind_that_is_seen_is_hidden_too(name):
    (seen, _), (hidden, _) = (asked(name, secret) for secret in SOME)
    assert {case.kind for case in seen} <= {case.kind for case in hidden}


def nudged(value):
    """Return plain data that differs in its first number, or in its length."""
    if isinstance(value, list):
        return [nudged(value[0]), *value[1:]] if value else [0.5]
    return f"{value}?" if isinstance(value, str) else value + 0.5


@functions
@secrets
@pytest.mark.parametrize("spoil", [nudged, lambda value: None])
def test_wrong_at_one_boundary_is_seen_and_costs_points(name, secret, spoil):
    cases, expected = asked(name, secret)
    at = [met(FUNCTIONS[name], case) for case in cases]
    for boundary in FUNCTIONS[name].boundaries:
        wrong = [
            spoil(e) if boundary in here else e
            for e, here in zip(expected, at, strict=True)
        ]
        if not all(map(same, wrong, expected)):
            assert share(cases, expected, wrong) < 1, boundary
        else:  # nothing is all that there is to say
            assert spoil is not nudged, boundary


def as_elsewhere(name, argument, value):
    """Return the function that takes another value for one value of an argument."""

    def function(*args):
        it = dict(
            zip(inspect.signature(FUNCTIONS[name].answer).parameters, args, strict=True)
        )
        if it[argument] == value[0]:
            it[argument] = value[1]
        return FUNCTIONS[name].answer(**it)

    return function


CONFUSED = [
    (name, argument, (one, other))
    for name, question in FUNCTIONS.items()
    for argument in inspect.signature(question.answer).parameters
    if argument in NEAR
    for one in NEAR[argument][:2]
    for other in NEAR[argument]
    if one != other
]


@pytest.mark.parametrize(("name", "argument", "values"), CONFUSED)
@secrets
def test_a_limit_taken_for_another_number_is_seen(name, argument, values, secret):
    cases, expected = asked(name, secret)
    wrong = answers(as_elsewhere(name, argument, values), cases)
    assert share(cases, expected, wrong) < 1
