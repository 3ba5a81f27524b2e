"""Agents that the first edition kept load, and go on as they did there, to the bit.

`tests/data/first_edition` holds three of its files, and the checksums (SHA-256) of what
its own code made of each in 1,000 more games. A teacher without a rule for ties took
the lowest cell there. `policy.json` is of the first program that wrote such files.
"""

import hashlib
import json
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from common import same

from ttt_lib import learning, search
from ttt_lib.agents import learners, opponent, player, storage, write_policy
from ttt_lib.console import training
from ttt_lib.console.screen import Screen
from ttt_lib.game import tables

FOLDER = Path(__file__).parent / "data" / "first_edition"
AFTER = json.loads((FOLDER / "after_1000_games.json").read_text("utf-8"))
game = tables()


def told(name):
    """Return what to expect when a file is loaded: one says how it is taken."""
    if name != "double":
        return nullcontext()
    return pytest.warns(
        UserWarning, match="^double comes from the first edition, .*half"
    )


def load(name):
    return storage.load(FOLDER / f"{name}.json")


def checksums(learner, names):
    return {
        name: hashlib.sha256(getattr(learner, name).tobytes()).hexdigest()
        for name in names
    }


@pytest.mark.parametrize("name", AFTER)
def test_it_goes_on_in_the_library(name):
    agent = load(name)
    with told(name):
        learner = learners.restore(game, agent)
    against = opponent(game, agent.hyperparameters["opponent"])
    side = agent.hyperparameters.get("side", 0)
    learner = learners.of(learner).train(game, 1000, against, side)
    assert checksums(learner, AFTER[name]) == AFTER[name]


@pytest.mark.parametrize("name", AFTER)
def test_it_goes_on_in_the_console(name):
    with told(name):
        course = training.go_on(game, str(FOLDER / f"{name}.json"))
    course = training.prepare(game, course, 1000)
    assert not training.run(game, course, Screen(), watched=False)
    assert checksums(course.learner, AFTER[name]) == AFTER[name]
    agent = training.agent(game, course, FOLDER / "after.json")
    assert agent.history[0] == load(name).history[0]
    assert agent.history[-1]["games"] == load(name).history[-1]["games"] + 1000


def test_a_policy_for_other_programs_is_read_as_it_was_written(tmp_path):
    agent, path = load("policy"), tmp_path / "again.json"
    small = tables(agent.rows, agent.columns, agent.k)
    assert agent.name == "q_learning"
    assert agent.policy[small.find("X..."), 1] == 1 / 3
    assert agent.Q[0, 3] == 0.9970119606865331
    write_policy(small, agent, path)
    assert path.read_bytes() == (FOLDER / "policy.json").read_bytes()


def test_a_teacher_without_a_rule_took_the_lowest_cell(tmp_path):
    agent = load("q-learning-teacher-0.9")
    kept = json.loads((FOLDER / "q-learning-teacher-0.9.json").read_text("utf-8"))
    assert kept["agent"]["hyperparameters"]["opponent"] == "teacher 0.9"
    assert agent.hyperparameters["opponent"] == "teacher 0.9 lowest"
    lowest = search.teacher(game, 0.9, "lowest")
    assert same(opponent(game, agent.hyperparameters["opponent"]), lowest)
    # What is kept now always has its rule, so that no file can be misread.
    storage.save(agent, tmp_path / "again.json")
    again = storage.load(tmp_path / "again.json")
    assert again.hyperparameters == agent.hyperparameters
    vague = agent._replace(hyperparameters={"opponent": "teacher 0.9"})
    with pytest.raises(
        ValueError, match="should have a rule for ties, as in 'teacher 0"
    ):
        storage.save(vague, tmp_path / "vague.json")


def test_half_of_a_shared_count_is_the_first_tables():
    agent = load("double")
    with told("double") as warned:
        learner = learners.restore(game, agent)
    assert [each.filename for each in warned] == [__file__], "who asked for it is told"
    counts = agent.tables["updates"]
    assert (learner.updates1 == np.ceil(counts / 2)).all()
    assert same(learner.updates, counts)
    new = learning.new_learner(game, "double_q_learning", np.random.default_rng(1))
    assert learner.updates1.dtype == new.updates1.dtype


def test_the_console_says_in_one_sentence_how_such_a_count_is_taken():
    command = [sys.executable, "-m", "ttt_lib", "show", str(FOLDER / "double.json")]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    assert told.startswith("ttt: double comes from the first edition, whose double")
    assert told.count("\n") == told.count(".") == 1


@pytest.mark.parametrize("name", AFTER)
def test_it_plays(name):
    with told(name):
        who = player(game, str(FOLDER / f"{name}.json"))
    assert same(who.policy, load(name).policy)
