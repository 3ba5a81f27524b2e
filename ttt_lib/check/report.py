"""Output of the visible checks, for one answer and for a whole assignment."""

from copy import deepcopy

import numpy as np

from ttt_lib.check.judge import Failed, judge, same
from ttt_lib.check.run_cases import ENDLESS, run_cases

# Question that was checked → share of the points that its visible cases would earn.
KNOWN: dict = {}
CHANGED: dict = {}  # question that was checked → an argument that its function mutates
TEXTS = "prediction", "figure", "essay"  # marked by a person
DRAWING = "drawing"  # the cell that draws the figure, which no check needs


def report(name, question, *given):
    """Print what the visible checks say about an answer."""
    if len(given) != 1 or not callable(given[0]):
        print(f"{name}: give the function itself, as in check.{name}({name}).")
        return
    if question.training:
        _report_training(name, question, given[0])
        return
    results = run_cases(given[0], question.cases)
    answers = [result.answer for result in results]
    verdict = judge(question, question.cases, answers, question.key)
    KNOWN[name] = verdict.share
    count, right = len(verdict.passed), sum(verdict.passed)
    CHANGED[name] = next(
        (question.names[r.changed] for r in results if r.changed >= 0), ""
    )
    if right == count:
        passed = f"visible checks passed, {count} of {count}"
        print(f"{name}: {passed}. The grader tries others.")
        if changed := _changed(question, results):
            print(f"\nStill, {changed}: a later function that calls it may be misled.")
        return
    print(f"{name}: {right} of {count} visible checks passed.")
    first = verdict.passed.index(False)
    case, result = question.cases[first], results[first]
    print(f"\nThe first that failed ({case.kind}):\n")
    for argument, value in zip(question.names, case.args, strict=True):
        print(drawn(argument, value))
    print(f"\n{drawn('expected', question.expected[first])}")
    if isinstance(result.answer, Failed):
        print(f"    given = {_cut(result.answer.why)}")
        if result.line:
            print(f"            {_cut(result.line)}")
    else:
        print(drawn("given", result.given))
    print(f"\nHint: {hint(name, question, given[0], results, verdict)}")


def _report_training(name, question, function):
    """Print the results of a training with each visible seed, and the goals reached."""
    from ttt_lib.check import training  # late: it loads the game and the methods

    seeds = question.cases
    train = training.trained(question.training, function)
    results = []
    for seed in seeds:  # after a timeout the other seeds would time out, too
        late = bool(results) and _timed_out(results[-1])
        results += results[-1:] if late else run_cases(train, [seed], training.TIMEOUT)
    verdict = training.verdict(question, [result.answer for result in results])
    KNOWN[name] = verdict.share
    for case, result in zip(seeds, results, strict=True):
        print(f"{name}, seed {case.args[0]}: {_measures(result)}")
    print()
    for goal in training.TRAININGS[question.training].goals:
        mark = "not yet" if goal.says in verdict.kinds else "reached"
        print(f"{mark}, {goal.share:.0%} of the points: {goal.says}")
        if mark == "reached":  # the goals below it are lower
            break
    print("\nThe median of the seeds counts. The grader takes other seeds.")
    if verdict.share < 1 and (misled := _misled(name, function)):
        print(f"\nHint: {misled}")
    elif any(isinstance(result.answer, Failed) for result in results):
        print("\nHint: first fix the error on the line with the seed.")
    elif verdict.hint:
        print(f"\nHint: {verdict.hint}")


def _timed_out(result):
    return isinstance(result.answer, Failed) and result.answer.why.endswith(ENDLESS)


def _measures(result):
    if isinstance(result.answer, Failed):
        return _cut(". ".join(filter(None, (result.answer.why, result.line))))
    return measures(result.answer)


def measures(pairs):
    """Return the measures of a training, pairs of name and number, on one line."""
    return ", ".join(f"{name} {value:.4g}" for name, value in pairs)


# Hints: first about this answer, then about what its failures have in common


def hint(name, question, function, results, verdict):
    """Return advice for a student whose answers are not all right."""
    failed = [
        (result, expected)
        for result, expected, ok in zip(
            results, question.key.expected, verdict.passed, strict=True
        )
        if not ok
    ]
    whys = [r.answer.why for r, _ in failed if isinstance(r.answer, Failed)]
    if any(map(_timed_out, results)):
        return (
            "A loop or a recursion never ends, or does the same work again and again: "
            "what should stop it?"
        )
    raised = whys and not whys[0].startswith("nothing")
    if raised and len(whys) == len(failed):
        return f"Your function stops with an error. {_first_line(failed)}"
    if all(result.answer is None for result, _ in failed):
        return "Your function returns None: it needs a `return` on every path."
    if _varies(function, question, results, verdict):
        return (
            "Called twice with the same arguments, your function returns different "
            "answers: does it remember earlier calls, or use random numbers?"
        )
    if misled := _misled(name, function):
        return misled
    if verdict.mistake:
        return verdict.hint
    if raised and isinstance(failed[0][0].answer, Failed):
        return f"Here your function stops with an error. {_first_line(failed)}"
    if other := _other_form(question, results, verdict):
        return other
    if unlike := _unlike(failed):
        return unlike
    if changed := _changed(question, [result for result, _ in failed]):
        return f"{changed[0].upper()}{changed[1:]}: copy it first. {_COPIES}"
    others = {n for n, share in KNOWN.items() if share < 1} - {name}
    if wrong := _calls(function) & others:
        return (
            f"Your function calls `{min(wrong)}`, which failed when it was last "
            "checked: repair that first, and check it again."
        )
    return verdict.hint


_COPIES = (
    "A slice of an array is not a copy (`np.array(board)` is one), and a copy of a "
    "list has the same inner lists and dictionaries (`deepcopy` copies these, too)."
)


def _varies(function, question, results, verdict):
    """Return whether failed cases get other answers when they run again, in reverse."""
    failed = [i for i, ok in enumerate(verdict.passed) if not ok][:3]
    cases = [question.cases[i] for i in failed[::-1]]
    kept = deepcopy(cases)  # noqa: F841  so that new arguments get new addresses
    again = run_cases(function, cases)
    before = [results[i] for i in failed[::-1]]
    return any(
        not same(now.answer, then.answer)
        for now, then in zip(again, before, strict=True)
        if not isinstance(now.answer, Failed) and not isinstance(then.answer, Failed)
    )


def _changed(question, results):
    """Return which argument was mutated, in half a sentence, or "" if none was."""
    changed = [result.changed for result in results if result.changed >= 0]
    if not changed:
        return ""
    return f"your function changes `{question.names[changed[0]]}`, which it was given"


def _misled(name, function):
    """Return a hint if a function calls one that mutates its argument, or ""."""
    called = _calls(function) - {name}
    for other, argument in CHANGED.items():
        if argument and other in called:
            fault = f"Your `{name}` calls `{other}`, which changes `{argument}`"
            return f"{fault}: repair that first."
    return ""


def _first_line(failed):
    lines = [result.line for result, _ in failed if result.line]
    return f"Look at {lines[0]}" if lines else "Call it yourself to see where."


def _other_form(question, results, verdict):
    """Return a hint if the answer is a list instead of a dict or vice versa, or ""."""
    names = {dict: "a dictionary", list: "a list"}
    first = verdict.passed.index(False)
    wanted = names.get(type(question.expected[first]))
    given = names.get(type(results[first].given))
    if wanted and given and wanted != given:
        return f"The question wants {wanted}; your function returns {given}."
    return ""


def _unlike(failed):
    """Return a hint if most answers are of the wrong type or length, or "".

    Most, because a list that is too short may have the right length in some cases.
    """
    pairs = [(_type(result), _shape(expected)) for result, expected in failed]
    unlike = [given != expected for given, expected in pairs]
    if not unlike[0] or sum(unlike) <= len(pairs) / 2:
        return ""
    given, expected = pairs[0]
    return f"The question wants {expected}; your function returns {given}."


def _type(result):
    return "an error" if isinstance(result.answer, Failed) else _shape(result.answer)


def _shape(value):
    """Return the type of plain data, or its length, in words."""
    if isinstance(value, list):
        return f"{len(value)} values" if len(value) != 1 else "1 value"
    names = {str: "a string", type(None): "None"}
    return names.get(type(value), "a number")


def _calls(function):
    """Return the names that a function uses, directly or in functions that it calls."""
    code, space = (getattr(function, f"__{x}__", None) for x in ("code", "globals"))
    names, remaining = set(), [code] if code else []
    while remaining:
        code = remaining.pop()
        called = [space.get(name) for name in {*code.co_names} - names]
        names |= {*code.co_names}
        own = [f for f in called if getattr(f, "__globals__", None) is space]
        remaining += [f.__code__ for f in own]  # not those of the library
        remaining += [const for const in code.co_consts if hasattr(const, "co_names")]
    return names


# Values as text


def drawn(name, value):
    """Return a named value as text: a board in three rows, a list row by row."""
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
    except ValueError:  # Python does not write integers of thousands of digits
        return "a number too long to write"


def _cut(text):
    return text if len(text) <= 300 else text[:297] + "..."


def _is_board(value):
    return value.dtype.kind == "i" and set(value.tolist()) <= {-1, 0, 1}


# All questions of an assignment


def score(topic, points):
    """Print the points of an assignment so far, question by question.

    `points` are the points of each question and of each text, by name.
    """
    earned = open_points = texts = 0
    for name, worth in points.items():
        share = KNOWN.get(name)
        if name in TEXTS:
            status, texts = "a person marks it", texts + worth
        else:
            status = _status(share)
            earned += worth * (share or 0)
            open_points += worth * (1 - (share or 0))
        print(f"{name:24}{worth:3}   {status}")
    print(
        f"\n{topic}: {earned:g} points so far, {open_points:g} open, and up to {texts} "
        f"given by a person, of {sum(points.values())} in all."
    )


def _status(share):
    """Return the status of a question, given the share that it would earn, or None."""
    if share is None:
        return "not checked yet"
    if share == 1:
        return "green: right, unless a hidden case finds more"
    return "half the points so far" if share else "no points so far"
