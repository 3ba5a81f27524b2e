"""Wrong at one ordinary boundary of an argument is red, and loses points."""

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
# What is near a boundary, for whoever does there as elsewhere, or the other way round.
NEAR = {"gamma": (0.0, 1.0, 0.9), "alpha": (0.0, 1.0, 0.5), "epsilon": (0.0, 1.0, 0.2)}


@cache
def asked(name, secret):
    """Return the cases, what is right, and the boundaries that each meets."""
    if secret == SEEN:
        known = check.QUESTIONS[name]
        cases, expected = known.cases, known.key.expected
    else:
        cases = questions.draw(secret, "of the class", name)
        expected = answers(FUNCTIONS[name].answer, cases)
    return cases, expected, [met(FUNCTIONS[name], case) for case in cases]


def share(cases, expected, wrong):
    """Return what somebody earns who gives `wrong`, a list, to the cases."""
    nobody = SimpleNamespace(hint="", mistakes=())
    return judge(nobody, cases, wrong, Key(expected, [])).share


def nudged(value):
    """Return plain data that differs in its first number, or in its length."""
    if isinstance(value, list):
        return [nudged(value[0]), *value[1:]] if value else [0.5]
    return f"{value}?" if isinstance(value, str) else value + 0.5


@functions
@secrets
def test_every_boundary_is_asked_and_wrong_there_is_seen_and_costs_points(name, secret):
    cases, expected, at = asked(name, secret)
    assert set().union(*at) == FUNCTIONS[name].boundaries.keys() != set()
    for boundary in FUNCTIONS[name].boundaries:
        here = [n for n, met_there in enumerate(at) if boundary in met_there]
        those, right = [cases[n] for n in here], [expected[n] for n in here]
        for spoil in (nudged, lambda value: None, lambda value: []):
            wrong = [*map(spoil, right)]
            if not all(map(same, wrong, right)):
                assert share(those, right, wrong) < 1, boundary
            else:  # nothing is all that there is to say
                assert spoil is not nudged, boundary


@functions
def test_every_kind_that_is_seen_is_hidden_too(name):
    (seen, *_), (hidden, *_) = (asked(name, secret) for secret in (SEEN, "secret 0"))
    assert {case.kind for case in seen} <= {case.kind for case in hidden}


def as_elsewhere(name, argument, value, instead):
    """Return the function that takes another value for one value of an argument."""

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
def test_a_limit_taken_for_another_number_is_seen(name, argument, secret):
    cases, expected, _ = asked(name, secret)
    for value, instead in product(NEAR[argument][:2], NEAR[argument]):
        if value != instead:
            wrong = answers(as_elsewhere(name, argument, value, instead), cases)
            assert share(cases, expected, wrong) < 1, (value, instead)
