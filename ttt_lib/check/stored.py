"""Visible questions, as `make assignments` stores them: one JSON file per topic."""

import json
import math
from functools import cache
from importlib import resources
from typing import NamedTuple

import numpy as np

from ttt_lib.check.judge import Case, Failed, Key, plain


class Mistake(NamedTuple):
    """A common wrong answer, without the function that gives it."""

    name: str  #: in a few words
    hint: str  #: advice for a student who made it


class Question(NamedTuple):
    """Data of a question for its visible check, without a function that answers it."""

    names: tuple  #: of the arguments
    cases: tuple  #: the visible Cases
    expected: tuple  #: answer to each, in the form of the model answer
    key: Key  #: plain answers to these cases
    mistakes: tuple  #: Mistakes, the more specific first
    hint: str  #: advice if no known mistake explains the answers
    training: str  #: name of the training of its function, or ""


def pack(value):
    """Return a value as JSON data, with tags for types that JSON does not have."""
    if isinstance(value, Failed):
        return {"failed": value.why}
    if isinstance(value, list):
        return [pack(item) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [pack(item) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[pack(key), pack(item)] for key, item in value.items()]}
    if hasattr(value, "tolist"):
        return {"array": value.tolist(), "dtype": str(value.dtype)}
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    return value


def unpack(value):
    """Return the value that `pack` packed."""
    if isinstance(value, list):
        return [unpack(item) for item in value]
    if isinstance(value, dict):
        if "failed" in value:
            return Failed(value["failed"])
        if "tuple" in value:
            return tuple(unpack(value["tuple"]))
        if "dict" in value:
            return {unpack(key): unpack(item) for key, item in value["dict"]}
        if "float" in value:
            return float(value["float"])
        return np.array(value["array"], dtype=value["dtype"])
    return value


@cache
def read():
    """Return {name: Question} of all topics."""
    questions = {}
    files = resources.files("ttt_lib.check").iterdir()
    for file in sorted((f for f in files if f.name.endswith(".json")), key=str):
        for name, of in json.loads(file.read_text(encoding="utf-8")).items():
            expected = [unpack(c["expected"]) for c in of["cases"] if "expected" in c]
            questions[name] = Question(
                tuple(of["names"]),
                tuple(
                    Case(case["kind"], case["half_credit"], tuple(unpack(case["args"])))
                    for case in of["cases"]
                ),
                tuple(expected),
                Key(
                    [plain(each) for each in expected],
                    [unpack(mistake["gives"]) for mistake in of["mistakes"]],
                ),
                tuple(Mistake(m["name"], m["hint"]) for m in of["mistakes"]),
                of["hint"],
                of["training"],
            )
    return questions
