"""What a student reads below an answer, and below all of them."""

from copy import deepcopy

import numpy as np

from ttt_lib.check.judge import Failed, judge, same
from ttt_lib.check.run_cases import ENDLESS, run_cases

# Question that was checked → the share that its visible cases would earn.
KNOWN: dict = {}
CHANGED: dict = {}  # question that was checked → an argument that its function changes
TEXTS = "prediction", "figure", "essay"  # a person marks them
DRAWING = "drawing"  # the cell that draws the figure, which no check needs


def report(name, question, *given):
    """Print what the visible checks say about an answer."""
    if len(given) != 1 or not callable(given[0]):
        print(f"{name}: give the function itself, as in check.{name}({name}).")
        return
    if question.training:
        _report_training(name, question, given[0])
        return
    found = run_cases(given[0], question.cases)
    answers = [each.answer for each in found]
    verdict = judge(question, question.cases, answers, question.key)
    KNOWN[name] = verdict.share
    count, right = len(verdict.passed), sum(verdict.passed)
    CHANGED[name] = next(
        (question.names[a.changed] for a in found if a.changed >= 0), ""
    )
    if right == count:
        passed = f"visible checks passed, {count} of {count}"
        print(f"{name}: {passed}. The grader tries others.")
        if changed := _changed(question, found):
            print(f"\nStill, {changed}: a later function that calls it may be misled.")
        return
    print(f"{name}: {right} of {count} visible checks passed.")
    first = verdict.passed.index(False)
    case, got = question.cases[first], found[first]
    print(f"\nThe first that failed ({case.kind}):\n")
    for argument, value in zip(question.names, case.args, strict=True):
        print(drawn(argument, value))
    print(f"\n{drawn('expected', question.expected[first])}")
    if isinstance(got.answer, Failed):
        print(f"    given = {_cut(got.answer.why)}")
        if got.line:
            print(f"            {_cut(got.line)}")
    else:
        print(drawn("given", got.given))
    print(f"\nHint: {hint(name, question, given[0], found, verdict)}")


def _report_training(name, question, function):
    """Print what came of a training with each visible seed, and which goals it met."""
    from ttt_lib.check import training  # late: it loads what plays and measures

    seeds = question.cases
    asked = training.trained(question.training, function)
    found = []
    for seed in seeds:  # what takes too long once does so again
        late = bool(found) and _is_late(found[-1])
        found += found[-1:] if late else run_cases(asked, [seed], training.TIMEOUT)
    verdict = training.verdict(question, [each.answer for each in found])
    KNOWN[name] = verdict.share
    for case, each in zip(seeds, found, strict=True):
        print(f"{name}, seed {case.args[0]}: {_measures(each)}")
    print()
    for goal in training.TRAININGS[question.training].goals:
        mark = "not yet" if goal.says in verdict.kinds else "reached"
        print(f"{mark}, {goal.share:.0%} of the points: {goal.says}")
        if mark == "reached":  # what is below it is no more than that
            break
    print("\nThe median of the seeds counts. The grader takes other seeds.")
    if verdict.share < 1 and (misled := _misled(name, function)):
        print(f"\nHint: {misled}")
    elif any(isinstance(each.answer, Failed) for each in found):
        print("\nHint: first repair what the line with the seed says.")
    elif verdict.hint:
        print(f"\nHint: {verdict.hint}")


def _is_late(asked):
    return isinstance(asked.answer, Failed) and asked.answer.why.endswith(ENDLESS)


def _measures(asked):
    if isinstance(asked.answer, Failed):
        return _cut(". ".join(filter(None, (asked.answer.why, asked.line))))
    return measures(asked.answer)


def measures(pairs):
    """Return what a training measured, (name, number) each, in a line."""
    return ", ".join(f"{name} {value:.4g}" for name, value in pairs)


# Hints: what is known of the answer, then what its failures have in common


def hint(name, question, function, found, verdict):
    """Return what to tell whoever gave answers that are not all right."""
    failed = [
        (each, expected)
        for each, expected, well in zip(
            found, question.key.expected, verdict.passed, strict=True
        )
        if not well
    ]
    whys = [each.answer.why for each, _ in failed if isinstance(each.answer, Failed)]
    if any(map(_is_late, found)):
        return (
            "A loop or a recursion never comes to its end, or does the same work again "
            "and again: what should stop it?"
        )
    raised = whys and not whys[0].startswith("nothing")
    if raised and len(whys) == len(failed):
        return f"Your function stops with an error. {_first_line(failed)}"
    if all(each.answer is None for each, _ in failed):
        return "Your function gives back None: it needs a `return` on every path."
    if _varies(function, question, found, verdict):
        return (
            "Called twice with the same arguments your function gives two answers: "
            "does it remember something of the calls before, or draw by chance?"
        )
    if misled := _misled(name, function):
        return misled
    if verdict.mistake:
        return verdict.hint
    if raised and isinstance(failed[0][0].answer, Failed):
        return f"Here your function stops with an error. {_first_line(failed)}"
    if other := _other_form(question, found, verdict):
        return other
    if unlike := _unlike(failed):
        return unlike
    if changed := _changed(question, [each for each, _ in failed]):
        return f"{changed[0].upper()}{changed[1:]}: copy it first. {_COPIES}"
    others = {n for n, share in KNOWN.items() if share < 1} - {name}
    if wrong := _calls(function) & others:
        return (
            f"Your function calls `{min(wrong)}`, which failed when it was last "
            "checked: repair that first, and check it again."
        )
    return verdict.hint


_COPIES = (
    "A slice of an array is no copy (`np.array(board)` is one), and a copy of a list "
    "has the same inner lists and dictionaries (`deepcopy` copies these, too)."
)


def _varies(function, question, found, verdict):
    """Return whether failed cases get other answers once more, the last one first."""
    failed = [i for i, well in enumerate(verdict.passed) if not well][:3]
    cases = [question.cases[i] for i in failed[::-1]]
    kept = deepcopy(cases)  # noqa: F841  so that new arguments lie where none have lain
    again = run_cases(function, cases)
    before = [found[i] for i in failed[::-1]]
    return any(
        not same(now.answer, then.answer)
        for now, then in zip(again, before, strict=True)
        if not isinstance(now.answer, Failed) and not isinstance(then.answer, Failed)
    )


def _changed(question, found):
    """Return in half a sentence which argument was changed, "" if none was."""
    changed = [each.changed for each in found if each.changed >= 0]
    if not changed:
        return ""
    return f"your function changes `{question.names[changed[0]]}`, which it was given"


def _misled(name, function):
    """Return a sentence where a function calls one that changes what it is given."""
    called = _calls(function) - {name}
    for other, argument in CHANGED.items():
        if argument and other in called:
            said = f"Your `{name}` calls `{other}`, which changes `{argument}`"
            return f"{said}: repair that first."
    return ""


def _first_line(failed):
    lines = [each.line for each, _ in failed if each.line]
    return f"Look at {lines[0]}" if lines else "Call it yourself to see where."


def _other_form(question, found, verdict):
    """Return a sentence where a list was given for a dictionary or the reverse."""
    names = {dict: "a dictionary", list: "a list"}
    first = verdict.passed.index(False)
    wanted = names.get(type(question.expected[first]))
    given = names.get(type(found[first].given))
    if wanted and given and wanted != given:
        return f"The question wants {wanted}; your function gives {given}."
    return ""


def _unlike(failed):
    """Return a sentence where most answers are of another type or length, else "".

    Where a list should have one entry only, a short one may happen to be as long.
    """
    pairs = [(_type(each), _shape(expected)) for each, expected in failed]
    unlike = [given != expected for given, expected in pairs]
    if not unlike[0] or sum(unlike) <= len(pairs) / 2:
        return ""
    given, expected = pairs[0]
    return f"The question wants {expected}; your function gives {given}."


def _type(asked):
    return "an error" if isinstance(asked.answer, Failed) else _shape(asked.answer)


def _shape(value):
    """Return what plain data is, in words."""
    if isinstance(value, list):
        return f"{len(value)} values" if len(value) != 1 else "1 value"
    names = {str: "a text", type(None): "None"}
    return names.get(type(value), "a number")


def _calls(function):
    """Return the names that a function uses, and those of the functions it calls."""
    code, around = (getattr(function, f"__{x}__", None) for x in ("code", "globals"))
    found, left = set(), [code] if code else []
    while left:
        code = left.pop()
        called = [around.get(name) for name in {*code.co_names} - found]
        found |= {*code.co_names}
        own = [one for one in called if getattr(one, "__globals__", None) is around]
        left += [one.__code__ for one in own]  # and none of the library
        left += [const for const in code.co_consts if hasattr(const, "co_names")]
    return found


# Values as text


def drawn(name, value):
    """Return a named value as text: a board as a board, a list of dicts by its rows."""
    if isinstance(value, np.ndarray) and value.shape == (9,) and _is_board(value):
        marks = [".XO"[int(mark)] for mark in value]
        rows = [" ".join(marks[i : i + 3]) for i in (0, 3, 6)]
        return "\n".join(f"    {text}" for text in (name, *rows))
    if isinstance(value, list) and any(isinstance(row, dict | list) for row in value):
        rows = [f"      {i}: {_short(row)}" for i, row in enumerate(value)]
        return "\n".join((f"    {name}", *rows[:12]))
    return f"    {name} = {_short(value)}"


def _short(value):
    try:
        return _cut(repr(value))
    except ValueError:  # of thousands of digits, which Python does not write
        return "a number too long to write"


def _cut(text):
    return text if len(text) <= 300 else text[:297] + "..."


def _is_board(value):
    return value.dtype.kind == "i" and set(value.tolist()) <= {-1, 0, 1}


# All questions of an assignment


def score(topic, points):
    """Print what is known of the points of an assignment, question by question.

    `points` has those of its questions by name, and its texts' by theirs.
    """
    earned = still = texts = 0
    for name, worth in points.items():
        share = KNOWN.get(name)
        if name in TEXTS:
            said, texts = "a person marks it", texts + worth
        else:
            said = _standing(share)
            earned += worth * (share or 0)
            still += worth * (1 - (share or 0))
        print(f"{name:24}{worth:3}   {said}")
    print(
        f"\n{topic}: {earned:g} points so far, {still:g} open, and a person gives up "
        f"to {texts}. Of {sum(points.values())}."
    )


def _standing(share):
    """Return how a question stands of which a share is known, or None."""
    if share is None:
        return "not checked yet"
    if share == 1:
        return "green: right, unless a hidden case finds more"
    return "half of it, as it is" if share else "nothing, as it is"
