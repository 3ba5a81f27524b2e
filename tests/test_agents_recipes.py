"""The agents that come with the book: files that can be made again to the bit."""

import importlib.metadata
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from alike import same

from ttt_lib import evaluation, menace
from ttt_lib.agents import learners, recipes, storage
from ttt_lib.agents.learners import restore
from ttt_lib.agents.recipes import AGENTS, make
from ttt_lib.game import tables
from ttt_lib.learning import METHODS, train
from ttt_lib.policy import uniform

game = tables()
random_play = uniform(game.legal)
LOCK = Path(__file__).parents[1] / "requirements.lock"


def the_versions_are_locked():
    """Return whether NumPy and Numba are those of the lock file."""
    pins = {line.split()[0] for line in LOCK.read_text("utf-8").splitlines() if line}
    try:
        found = {f"{n}=={importlib.metadata.version(n)}" for n in ("numpy", "numba")}
    except importlib.metadata.PackageNotFoundError:
        return False
    return found <= pins


def test_the_files_are_those_of_the_list():
    assert storage.shipped() == sorted(AGENTS)
    learned = {
        learners.of(restore(game, storage.load_shipped(name))).method
        for name in AGENTS
        if learners.is_learned(storage.load_shipped(name))
    }
    judges = {name for name, row in METHODS.items() if row.judges}
    assert learned == set(learners.METHODS) - judges, "one of each that has a policy"


made_again = cache(lambda name: make(game, name))


@pytest.mark.skipif(not the_versions_are_locked(), reason="bits are of locked versions")
@pytest.mark.parametrize("name", AGENTS)
def test_a_shipped_agent_can_be_made_again_to_the_bit(name):
    assert same(storage.load_shipped(name), made_again(name))


@pytest.mark.parametrize("name", AGENTS)
def test_a_shipped_agent_made_again_has_equal_exact_scores(name):
    shipped, made = storage.load_shipped(name), made_again(name)
    assert made.made == shipped.made
    assert made.history[-1] == pytest.approx(shipped.history[-1])


@pytest.mark.parametrize("name", AGENTS)
def test_a_shipped_agent_has_exactly_the_scores_of_its_history(name):
    agent = storage.load_shipped(name)
    last = agent.history[-1]
    assert evaluation.scores(game, agent.policy).items() <= last.items()
    assert last["games"] == AGENTS[name].games
    if AGENTS[name].games:
        assert f"{last['games']:,} games" in agent.made
    if learners.is_learned(agent):
        assert restore(game, agent).games == last["games"]


@pytest.mark.parametrize("name", AGENTS)
def test_a_small_version_is_the_same_twice(name):
    one, other = make(game, name, 99), make(game, name, 99)
    assert same(one, other)
    learned = "snapshot" in name or AGENTS[name].games
    assert one.history[-1]["games"] == (99 if learned else 0)


def test_a_shipped_learner_goes_on(tmp_path):
    agent = storage.load_shipped("snapshot-1000")
    on = train(game, restore(game, agent), 9_000)
    assert same(on, restore(game, make(game, "snapshot-10000")))
    assert agent.history == storage.load_shipped("snapshot-10000").history[:8]


def test_the_snapshots_go_from_nothing_to_unbeatable():
    agents = [storage.load_shipped(f"snapshot-{n}") for n in (0, 100, 10**4, 10**5)]
    wins = [agent.history[-1]["win_first"] for agent in agents]
    assert wins == sorted(wins)
    assert wins[0] == pytest.approx(737 / 1260)
    last = agents[-1].history[-1]
    assert last["worst_first"] == last["worst_second"] == 0


def test_the_pupils_of_the_teacher_can_be_beaten():
    for name in ("sarsa-teacher-0.9", "q-learning-teacher-0.9"):
        agent = storage.load_shipped(name)
        assert agent.hyperparameters["opponent"] == "teacher 0.9 lowest"
        assert "100,000 games against a teacher of level 0.9, ties to the low" in (
            agent.made
        )
        assert "first estimates 0." in agent.made
        assert agent.history[-1]["worst_second"] < 0


def test_the_matchboxes_come_with_their_beads_and_go_on():
    agent = storage.load_shipped("menace")
    rng = np.random.default_rng(AGENTS["menace"].seed)
    boxes = menace.new_matchboxes(game, rng)
    boxes = menace.train(game, boxes, 10_000, random_play, side=+1)
    assert same(agent.tables["beads"], boxes.beads)
    assert same(agent.policy, menace.bead_policy(game, boxes))
    assert agent.side == +1
    kept = agent.hyperparameters["matchboxes"]
    assert (kept["games"], kept["reinforcement"]) == (10_000, [3, 1, -1])
    assert kept["generator"] == boxes.rng.bit_generator.state
    assert agent.history[0]["loss_first"] > 0.2 > agent.history[-1]["loss_first"]
    with pytest.raises(ValueError, match="menace was made for the first player only"):
        storage.policy_for(agent, game, -1)


def test_an_agent_that_is_not_of_the_book_is_refused():
    with pytest.raises(ValueError, match="name = 'nobody': the agents are backward-sw"):
        make(game, "nobody")


def test_the_files_are_written_where_they_are_wanted(tmp_path, monkeypatch):
    names = ("perfect", "snapshot-10")
    monkeypatch.setattr(recipes, "AGENTS", {name: AGENTS[name] for name in names})
    recipes.write(tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == {f"{n}.json" for n in names}
    first = {file: file.read_bytes() for file in tmp_path.iterdir()}
    recipes.write(tmp_path)
    assert first == {file: file.read_bytes() for file in tmp_path.iterdir()}
    for name in names:
        again = storage.load(tmp_path / f"{name}.json")
        assert again.name == name
        assert same(again.policy, make(game, name).policy)


def test_the_folder_of_agents_is_small():
    folder = Path(storage.__file__).parent / "files"
    assert sum(file.stat().st_size for file in folder.iterdir()) < 1_500_000
