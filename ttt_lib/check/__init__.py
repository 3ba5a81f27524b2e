"""Visible checks for the assignments: `check.winner(my_winner)` prints what it found.

What is right, and what well-known mistakes give, is stored for the visible cases alone:
nothing here can answer a question. A grader tries other cases, and judges as `judge`
does.
"""

from functools import partial

from ttt_lib.check import report, stored

QUESTIONS = stored.read()


def __getattr__(name):
    """Return the check of a question, so that `check.winner(my_winner)` works."""
    if name in QUESTIONS:
        return partial(report.report, name, QUESTIONS[name])
    raise AttributeError(
        f"There is no check named {name!r}: choose from {', '.join(QUESTIONS)}."
    )


def __dir__():
    return sorted([*globals(), *QUESTIONS])
