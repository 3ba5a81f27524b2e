"""Visible checks for the assignments: `check.winner(my_winner)` prints what it found.

What is right, and what well-known mistakes give, is stored for the visible cases alone:
nothing here can answer a question. A grader tries other cases, and judges as `judge`
does.
"""

from functools import partial

from ttt_lib.check import report, stored


def __getattr__(name):
    """Return the check of a question, so that `check.winner(my_winner)` works."""
    questions = stored.read()  # not before: whoever stores them anew imports this
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
    """Print what is known of the points of an assignment, question by question.

    `points` has those of its questions by name, and its texts' by theirs.
    """
    report.score(topic, points)
