"""What the assignments ask: a file for each topic, which holds all of its questions.

The questions of `assignment_minimax` stand in `minimax`. A question is a right answer,
the cases that students see, known mistakes, and how hidden cases are drawn.
"""

import hashlib
import importlib
import inspect
import json
import pkgutil
from collections import Counter
from copy import deepcopy
from pathlib import Path

import numpy as np

from assignments.questions.question import Question, key, met
from ttt_lib import check
from ttt_lib.check.stored import pack

INSTALLED = Path(check.__file__).parent
SEEN = 3  # of each kind that is drawn


def _topics():
    """Return {topic: {name: Question}} of all files that hold Questions."""
    topics = {}
    for file in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{file.name}")
        found = [
            value for value in vars(module).values() if isinstance(value, Question)
        ]
        if found:
            topics[file.name] = {one.answer.__name__: one for one in found}
    return topics


TOPICS = _topics()
QUESTIONS = {name: one for topic in TOPICS.values() for name, one in topic.items()}


def visible(name):
    """Return the Cases of a question that students see.

    They are its own, and then some of each kind, drawn as the hidden ones are: what
    fails there should fail here. Of all that meet a boundary there is one at least.
    """
    question = QUESTIONS[name]
    found, count = list(question.cases), Counter()
    seen = set().union(*(met(question, case) for case in found))
    for case in () if question.training else draw("visible", "", name):
        here = met(question, case)
        count[case.kind] += 1
        enough = SEEN if case.kind not in question.boundaries else 1
        if count[case.kind] <= enough or here - seen:
            found.append(case)
            seen |= here
    return tuple(found)


def draw(secret, assignment, name):
    """Return the hidden Cases of a question: the same for the whole class.

    The generator comes from the secret of the class, so that whoever reads the topics
    knows what kinds of cases there are, and not one of them.
    """
    question = QUESTIONS[name]
    seed = hashlib.sha256(f"{secret}/{assignment}/{name}".encode()).digest()
    return tuple(question.draw(np.random.default_rng(list(seed))))


def stored(topic):
    """Return the JSON text of a topic: what students install of its questions."""
    blocks = []
    for name, question in TOPICS[topic].items():
        seen = visible(name)
        known = key(question, seen)
        cases = [
            {"kind": case.kind, "special": case.special, "args": pack(list(case.args))}
            for case in seen
        ]
        if not question.training:
            for told, case in zip(cases, seen, strict=True):
                told["expected"] = _answer(question.answer(*deepcopy(case.args)))
        mistakes = [
            {"name": mistake.name, "hint": mistake.hint, "gives": _answer(gives)}
            for mistake, gives in zip(question.mistakes, known.mistaken, strict=True)
        ]
        lines = [
            f'  "names": {_text([*inspect.signature(question.answer).parameters])}',
            f'  "training": {_text(question.training)}',
            f'  "hint": {_text(question.hint)}',
            f'  "cases": {_lines(cases)}',
            f'  "mistakes": {_lines(mistakes)}',
        ]
        blocks.append(f" {_text(name)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def _answer(value):
    """Return an answer as JSON, with 12 digits: Python 3.12 adds better than 3.11."""

    def short(number):
        return float(f"{float(number):.12g}")

    return json.loads(_text(pack(value)), parse_float=short)


def _lines(rows):
    return "[" + ",".join(f"\n   {_text(row)}" for row in rows) + "]"


def _text(value):
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def install(topics):
    """Write what students install, a file for each of these topics.

    A file that is as it should be is not touched, and one of no topic is removed.
    """
    for file in INSTALLED.glob("*.json"):
        if file.stem not in TOPICS:
            file.unlink()
    for topic in topics:
        file, content = INSTALLED / f"{topic}.json", stored(topic).encode()
        if not file.exists() or file.read_bytes() != content:
            file.write_bytes(content)
