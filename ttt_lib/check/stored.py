"""The visible questions as `make assignments` stores them, a JSON file each topic."""

import json
import math
from functools import cache
from importlib import resources
from typing import NamedTuple

import numpy as np

from ttt_lib.check.judge import Case, Failed, Key, plain


class Mistake(NamedTuple):
    """A wrong answer that is often given, without the function that gives it."""

    name: str  #: in a few words
    hint: str  #: what to tell whoever made it


class Question(NamedTuple):
    """What a check knows of a question: no function that answers it."""

    names: tuple  #: of the arguments
    cases: tuple  #: the visible Cases
    expected: tuple  #: what each should give, in the form of the model answer
    key: Key  #: to these cases
    mistakes: tuple  #: Mistakes, the more special first
    hint: str  #: for whoever makes none of them
    training: str  #: the one that its function is put to, or ""


def pack(value):
    """Return a value as JSON can carry it: what it has no word for gets a tag."""
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
    """Return what `pack` packed."""
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
    found = {}
    files = resources.files("ttt_lib.check").iterdir()
    for file in sorted((f for f in files if f.name.endswith(".json")), key=str):
        for name, of in json.loads(file.read_text(encoding="utf-8")).items():
            expected = [unpack(c["expected"]) for c in of["cases"] if "expected" in c]
            found[name] = Question(
                tuple(of["names"]),
                tuple(
                    Case(case["kind"], case["special"], tuple(unpack(case["args"])))
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
    return found
