"""Studies: long experiments whose stored results the pages of the book read.

The programs that make them are in the folder `studies` of the book's source.
"""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from ttt_lib.validation import require, short_repr

FOLDER = Path(__file__).parent


def load(name):
    """Return a stored study: its `results` and its program's constants, as attributes.

    `results` is an array (settings, seeds, …); SETTINGS has the settings by name, in
    the same order. Lists have become tuples, as they were in the program.
    Raises ValueError with the names of all studies if there is no such study.
    """
    names = sorted(file.stem for file in FOLDER.glob("*.json"))
    is_study = isinstance(name, str) and name in names
    require(is_study, f"name = {short_repr(name)}: the studies are {', '.join(names)}")
    stored = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    results = np.array(stored["results"])
    return SimpleNamespace(results=results, **_with_tuples(stored["constants"]))


def _with_tuples(value):
    if isinstance(value, dict):
        return {key: _with_tuples(each) for key, each in value.items()}
    if isinstance(value, list):
        return tuple(_with_tuples(each) for each in value)
    return value
