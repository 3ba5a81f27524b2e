"""A prediction: any number will do, but it has to be made."""

from assignments.questions.question import Question, cases
from ttt_lib.check.judge import is_number


def guess(value):
    """Return whether a value is a prediction."""
    return is_number(value)


GUESS = Question(
    answer=guess,
    cases=cases(("your prediction",)),
    draw=None,
    mistakes=(),
    hint="Write a number that is not below 0, without quotation marks, as in\n"
    "prediction = 12. A wrong prediction earns the same points as a "
    "right one; none earns nothing.",
    is_value=True,
)
