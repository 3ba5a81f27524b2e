"""The model answers that are trained, under thousands of seeds; stored once.

`STORE=1 pytest tests/long/test_trainings.py` writes the file anew. Another run compares
every seed's share, and the largest of each measure.
"""

import json
import os
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path

import pytest

from assignments import questions
from ttt_lib.check.training import TRAININGS, trained

STORED = Path(__file__).parents[1] / "data" / "trainings.json"
SEEDS, FIRST = 1_000, 2
NAMES = [name for name, question in questions.QUESTIONS.items() if question.training]


def measured(name, seed):
    return trained(name, questions.QUESTIONS[name].answer)(seed)


def summary(name):
    """Return what is stored of a training: how many seeds reach the goal, and more."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        found = [*pool.map(measured, repeat(name), range(SEEDS), chunksize=50)]
    goal = TRAININGS[name].goals[0]
    return {
        "seeds": SEEDS,
        "reached": sum(map(goal.reached, found)),
        "largest": {key: max(each[key] for each in found) for key in found[0]},
        "first": found[:FIRST],
    }


@pytest.mark.parametrize("name", NAMES)
def test_the_model_reaches_its_goal_with_every_seed(name):
    found = summary(name)
    stored = json.loads(STORED.read_text("utf-8")) if STORED.exists() else {}
    if os.environ.get("STORE") == "1":
        text = json.dumps(stored | {name: found}, indent=1, sort_keys=True)
        STORED.write_text(text + "\n", encoding="utf-8")
    assert found["reached"] == SEEDS, found
    stored = json.loads(STORED.read_text("utf-8"))[name]
    assert found["largest"] == pytest.approx(stored["largest"], abs=1e-12)
