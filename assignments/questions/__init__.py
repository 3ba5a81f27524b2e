"""Questions of the assignments: one module for each topic.

The questions of `assignment_minimax` are in `minimax`. A question has a right answer,
visible cases, known mistakes, and a function that draws hidden cases.
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
SEEN = 3  # visible cases of each kind that is drawn


def _topics():
    """Return {topic: {name: Question}} of all modules with Questions."""
    topics = {}
    for file in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{file.name}")
        questions = [v for v in vars(module).values() if isinstance(v, Question)]
        if questions:
            topics[file.name] = {q.answer.__name__: q for q in questions}
    return topics


TOPICS = _topics()
QUESTIONS = {name: q for topic in TOPICS.values() for name, q in topic.items()}


def visible(name):
    """Return the visible Cases of a question.

    They are its fixed cases, and some of each kind drawn as the hidden ones are, so
    that what fails there fails here. Each boundary is met by at least one of them.
    """
    question = QUESTIONS[name]
    cases, count = list(question.cases), Counter()
    covered = set().union(*(met(question, case) for case in cases))
    for case in () if question.training else draw("visible", "", name):
        boundaries = met(question, case)
        count[case.kind] += 1
        enough = SEEN if case.kind not in question.boundaries else 1
        if count[case.kind] <= enough or boundaries - covered:
            cases.append(case)
            covered |= boundaries
    return tuple(cases)


def draw(secret, assignment, name):
    """Return the hidden Cases of a question, the same for the whole class.

    They are drawn from the secret of the class, so a student who reads this code knows
    the kinds of cases, but none of the cases.
    """
    question = QUESTIONS[name]
    seed = hashlib.sha256(f"{secret}/{assignment}/{name}".encode()).digest()
    return tuple(question.draw(np.random.default_rng(list(seed))))


def stored(topic):
    """Return the JSON text of a topic: the data that students get with the library."""
    blocks = []
    for name, question in TOPICS[topic].items():
        cases = visible(name)
        rows = [
            {
                "kind": case.kind,
                "half_credit": case.half_credit,
                "args": pack(list(case.args)),
            }
            for case in cases
        ]
        if not question.training:
            for row, case in zip(rows, cases, strict=True):
                row["expected"] = _answer(question.answer(*deepcopy(case.args)))
        mistaken = key(question, cases).mistaken
        mistakes = [
            {"name": mistake.name, "hint": mistake.hint, "gives": _answer(gives)}
            for mistake, gives in zip(question.mistakes, mistaken, strict=True)
        ]
        lines = [
            f'  "names": {_text([*inspect.signature(question.answer).parameters])}',
            f'  "training": {_text(question.training)}',
            f'  "hint": {_text(question.hint)}',
            f'  "cases": {_lines(rows)}',
            f'  "mistakes": {_lines(mistakes)}',
        ]
        blocks.append(f" {_text(name)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def _answer(value):
    """Return an answer as JSON, with 12 digits: since 3.12 Python adds more exactly."""

    def short(number):
        return float(f"{float(number):.12g}")

    return json.loads(_text(pack(value)), parse_float=short)


def _lines(rows):
    return "[" + ",".join(f"\n   {_text(row)}" for row in rows) + "]"


def _text(value):
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def install(topics):
    """Write the JSON files of topics into the library.

    A file that is up to date is not touched; files of other topics are removed.
    """
    for file in INSTALLED.glob("*.json"):
        if file.stem not in TOPICS:
            file.unlink()
    for topic in topics:
        file, content = INSTALLED / f"{topic}.json", stored(topic).encode()
        if not file.exists() or file.read_bytes() != content:
            file.write_bytes(content)
