"""Visible checks for the assignments: `check.winner(my_winner)` prints the result.

Expected answers, and those of well-known mistakes, are stored for the visible cases
only: nothing here can answer a question. The grader tries hidden cases, and judges them
by the same rules (`judge`).
"""

from functools import partial

from ttt_lib.check import report, stored


def __getattr__(name):
    """Return the check of a question, so that `check.winner(my_winner)` works."""
    questions = stored.read()  # late: what stores the questions imports this module
    if name == "QUESTIONS":
        return questions
    if name in questions:
        return partial(report.report, name, questions[name])
    raise AttributeError(
        f"There is no check named {name!r}: choose from {', '.join(questions)}."
    )


def __dir__():
    return sorted([*globals(), *stored.read()])


def score(topic, **points):
    """Print the points of an assignment so far, question by question.

    `points` are the points of each question and of each text, by name.
    """
    report.score(topic, points)
