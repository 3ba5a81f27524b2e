"""What a student reads below an answer."""

import numpy as np

from ttt_lib.check.judge import Failed, answers, judge


def report(name, question, *given):
    """Print what the visible checks say about an answer."""
    if len(given) != 1 or not (question.is_value or callable(given[0])):
        what = "value" if question.is_value else "function itself"
        print(f"{name}: give the {what}, as in check.{name}({name}).")
        return
    (answer,) = given
    found = answers((lambda: answer) if question.is_value else answer, question.cases)
    verdict = judge(question, question.cases, found, question.key)
    count, right = len(verdict.passed), sum(verdict.passed)
    if right == count:
        more = "" if question.is_value else " The grader tries others."
        print(f"{name}: visible checks passed, {count} of {count}.{more}")
        return
    print(f"{name}: {right} of {count} visible checks passed.")
    first = verdict.passed.index(False)
    case, got = question.cases[first], found[first]
    if not question.is_value:
        print(f"\nThe first that failed ({case.kind}):\n")
        print(_drawn(case.args))
        print(f"\n    expected  {_short(question.key.expected[first])}")
    print(f"    given     {_cut(got.why) if isinstance(got, Failed) else _short(got)}")
    print(f"\nHint: {verdict.hint}")


def _short(value):
    try:
        return _cut(repr(value))
    except ValueError:  # of thousands of digits, which Python does not write
        return "a number too long to write"


def _cut(text):
    return text if len(text) <= 300 else text[:297] + "..."


def _drawn(args):
    """Return arguments as text, a board as a board."""
    drawn = []
    for value in args:
        if isinstance(value, np.ndarray) and value.shape == (9,) and _is_board(value):
            marks = [".XO"[int(mark)] for mark in value]
            rows = [" ".join(marks[i : i + 3]) for i in (0, 3, 6)]
            drawn.extend(f"    {row}" for row in rows)
        else:
            drawn.append(f"    {_short(value)}")
    return "\n".join(drawn)


def _is_board(value):
    return value.dtype.kind == "i" and set(value.tolist()) <= {-1, 0, 1}
