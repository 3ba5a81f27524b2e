"""The trained model answers with many seeds, compared with stored results.

`STORE=1 pytest tests/long/test_trainings.py` writes the file again. Other runs compare
the number of seeds that reach the goal, and the largest value of each measure.
"""

import json
import os
import random
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path

import pytest
from natural import NATURAL

from assignments import questions
from ttt_lib.check.training import HIDDEN, TRAININGS, share, trained, verdict
from ttt_lib.check.training import SEEDS as VISIBLE_SEEDS

STORED = Path(__file__).parents[1] / "data" / "trainings.json"
SEEDS = 3_000  # as the page Teaching says
FIRST = 2
NAMES = [name for name, question in questions.QUESTIONS.items() if question.training]


def measured(name, seed):
    return trained(name, questions.QUESTIONS[name].answer)(seed)


def summary(name):
    """Return the results of a training: how many seeds reach the goal, and more."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        measures = [*pool.map(measured, repeat(name), range(SEEDS), chunksize=50)]
    goal = TRAININGS[name].goals[0]
    return {
        "seeds": SEEDS,
        "reached": sum(map(goal.reached, measures)),
        "largest": {key: max(each[key] for each in measures) for key in measures[0]},
        "first": measures[:FIRST],
    }


@pytest.mark.parametrize("name", NAMES)
def test_model_answer_reaches_goal_with_every_seed(name):
    results = summary(name)
    stored = json.loads(STORED.read_text("utf-8")) if STORED.exists() else {}
    if os.environ.get("STORE") == "1":
        text = json.dumps(stored | {name: results}, indent=1, sort_keys=True)
        STORED.write_text(text + "\n", encoding="utf-8")
    assert results["reached"] == SEEDS, results
    stored = json.loads(STORED.read_text("utf-8"))[name]
    assert results["largest"] == pytest.approx(stored["largest"], abs=1e-12)


def one_seen_before(estimates, counts, G):
    return [e + (G - e) / (n + 1) for e, n in zip(estimates, counts, strict=True)]


def first_stays(values, chosen, result):
    new = questions.QUESTIONS["q_learn"].answer(values, chosen, result)
    return [values[0][chosen[0]], *new[1:]]


def three_improvements(model, gamma):
    policies = questions.QUESTIONS["iterate"].answer(model, gamma)
    return (policies + policies[-1:] * 3)[:4]


def fewest_moves_first(model):
    return sorted(range(len(model)), key=lambda s: len(model[s]))


def never_again(before, result, decision, decisions):
    if result is None:
        return (4, 3, 2, 1, 1)[decision]
    last_of_a_loss = result < 0 and decision == decisions - 1
    return 0 if last_of_a_loss else before + {1: 3, 0: 1, -1: 0}[result]


INDISTINGUISHABLE = [
    ("beads", "boxes, if only the last move of a loss is blamed", never_again),
    ("iterate", "three improvements, always", three_improvements),
    ("sweep_order", "fewest moves first", fewest_moves_first),
    ("mc_learn", "a step of 1/(n + 1)", one_seen_before),
    ("q_learn", "the first value stays", first_stays),
]


@pytest.mark.parametrize(("name", "what", "function"), INDISTINGUISHABLE)
def test_limits_of_trainings_are_on_teaching_page(name, what, function):
    guide = (Path(__file__).parents[2] / "book" / "teaching.md").read_text("utf-8")
    (row,) = (line for line in guide.splitlines() if line.startswith(f"| `{name}` |"))
    assert what in row
    measures = [[*trained(name, function)(seed).items()] for seed in VISIBLE_SEEDS]
    assert verdict(questions.QUESTIONS[name], measures).share == 1


POOL, CLASSES = 60, 100  # number of measured seeds, and of classes drawn from them


@pytest.mark.parametrize(
    ("name", "function", "earns"),
    [pytest.param(one[0], *one[2:], id=f"{one[0]}-{one[1]}") for one in NATURAL],
)
def test_share_of_natural_answers_does_not_depend_on_seed(name, function, earns):
    goals = TRAININGS[name].goals
    shares = [
        share(goals, [*trained(name, function)(seed).items()])
        for seed in range(50_000, 50_000 + POOL)
    ]
    rng, middle = random.Random(1), HIDDEN // 2
    classes = [sorted(rng.sample(shares, HIDDEN))[middle] for _ in range(CLASSES)]
    assert classes.count(earns) >= 0.95 * CLASSES, {x: shares.count(x) for x in shares}
