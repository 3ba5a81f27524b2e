"""Built-in agents: their files can be reproduced bit-identically."""

import gzip
import importlib.metadata
import itertools
from functools import cache
from pathlib import Path

import pytest
from common import same, sample_params

from ttt_lib import evaluation
from ttt_lib.agents import as_agent, builtin, builtin_names, learners, policy
from ttt_lib.agents.builtin import AGENTS, make
from ttt_lib.agents.io import read_builtin
from ttt_lib.console import train as console_train
from ttt_lib.game import tables
from ttt_lib.learning import METHODS
from ttt_lib.policy import uniform

pytestmark = pytest.mark.slow

game = tables()
random_play = uniform(game.legal)
FILES = Path(builtin.__file__).parent / "files"
shipped = cache(read_builtin)
# They take seconds, those of the tutorial more: p1 is trained against all others.
QUICK = [name for name in AGENTS if name not in ("menace", "p1", *builtin.FIVE)]
LONG = [pytest.param(name, marks=pytest.mark.long) for name in ("p1", *builtin.FIVE)]
LOCK = Path(__file__).parents[1] / "requirements.lock"


def versions_match_lock():
    """Return whether NumPy and Numba are those of the lock file."""
    pins = {line.split()[0] for line in LOCK.read_text("utf-8").splitlines() if line}
    try:
        installed = {
            f"{n}=={importlib.metadata.version(n)}" for n in ("numpy", "numba")
        }
    except importlib.metadata.PackageNotFoundError:
        return False
    return installed <= pins


def test_files_match_recipes_and_cover_every_method():
    assert builtin_names() == sorted(AGENTS)
    methods = {recipe.settings.get("method") for recipe in AGENTS.values()}
    predictions = {name for name, row in METHODS.items() if row.is_prediction}
    assert methods - {None} | {"backward_sweep"} == set(learners.METHODS) - predictions


@pytest.mark.parametrize("name", [*sample_params(QUICK, 12), "menace", *LONG])
def test_file_matches_current_recipe_and_has_exact_scores(name):
    agent, recipe, new = shipped(name), AGENTS[name], make(game, name, 0)
    assert (new.name, new.side) == (agent.name, agent.side) == (name, agent.side)
    assert new.training == agent.training
    games = [row["games"] for row in agent.history]
    marks = [mark for mark in builtin.MARKS if mark < recipe.games]
    assert games == [*marks, recipe.games]
    if agent.learner:
        one, other = (learners.adapter(each.learner) for each in (new, agent))
        assert one.settings() == other.settings()
        assert (one.method, one.games, other.games) == (other.method, 0, recipe.games)
        assert f"{recipe.games:,} games" in agent.made or not recipe.games
    last, side = agent.history[-1], as_agent(game, agent).taught
    assert evaluation.scores(game, agent.policy, side).items() <= last.items()
    others = {0: set(), 1: {"second"}, -1: {"first"}}[side]
    assert not others & {key.rpartition("_")[2] for key in last}, (
        "it was not trained on the other side"
    )


@pytest.mark.skipif(not versions_match_lock(), reason="needs the locked versions")
@pytest.mark.parametrize("name", [*sample_params(QUICK, 6), "menace", *LONG])
def test_builtin_agent_is_reproduced_bit_identically(name):
    assert same(shipped(name), make(game, name))


@pytest.mark.skipif(not versions_match_lock(), reason="needs the locked versions")
@pytest.mark.parametrize("name", [name for name in AGENTS if name not in ("p5", "p6")])
def test_shorter_training_has_the_same_history(name):
    games = {"p1": 1020, "p3": 10}.get(name, 50)  # p1 meets p2, p3 and p4
    history, whole = make(game, name, games).history, shipped(name).history
    assert len(history) > 1 or AGENTS[name].group == "exact"
    for one, other in zip(history, whole, strict=False):
        assert same(one, other) or one["games"] == games != other["games"]


@pytest.mark.parametrize("name", ["p1", *builtin.FIVE])
def test_tutorial_learners_are_trained_on_one_side(name):
    agent = as_agent(game, name)
    learner, first = agent.learner, name != "p1"
    settings = learner.epsilon.start, learner.alpha.start, learner.games
    assert settings == builtin.FIVE.get(name, (*builtin.P1, builtin.ALL_FIVE))
    assert (agent.side, agent.taught) == (0, 1 if first else -1)
    assert (learner.V[(learner.updates == 0) & ~game.terminal] == 0.5).all()
    assert not learner.visits[game.to_move != agent.taught].any()
    run = console_train.prepare(game, console_train.go_on(game, name), 10)
    assert (str(run.opponent), run.side) == ("p1" if first else "p6", agent.taught)


def test_make_accepts_any_number_of_games(monkeypatch):
    few = {name: (*settings, 3) for name, (*settings, _) in builtin.FIVE.items()}
    monkeypatch.setattr(builtin, "FIVE", few)
    flat = tables(2, 3, 2)
    for name, games in itertools.product(("p1", "p2", "p4"), (0, 5, 7, 30)):
        agent = make(flat, name, games)
        assert agent.history[-1]["games"] == agent.learner.games == games
        other = -1 if name != "p1" else +1
        assert not agent.learner.visits[(flat.to_move == other) | flat.terminal].any()


def test_write_can_make_single_agents(tmp_path):
    paths = builtin.write(tmp_path, "perfect", "snapshot-10")
    assert paths == [tmp_path / "perfect.json.gz", tmp_path / "snapshot-10.json.gz"]
    assert sorted(tmp_path.iterdir()) == paths
    for path in paths:
        text = gzip.decompress(path.read_bytes())
        assert text == gzip.decompress((FILES / path.name).read_bytes())


def test_unknown_name_raises_with_all_names(tmp_path):
    with pytest.raises(ValueError, match=r"^name = .p9.: the agents are .*p6"):
        make(game, "p9")
    with pytest.raises(ValueError, match=r"^name = .p9.: the agents are .*p6"):
        builtin.write(tmp_path, "perfect", "p9")
    assert not list(tmp_path.iterdir())


def test_best_against_random_is_a_best_response():
    moves = policy(game, "best-against-random")
    for side in (+1, -1):
        best = evaluation.best_response(game, random_play, side, ties="lowest").policy
        decides = (game.to_move == side) & ~game.terminal
        assert same(moves[decides], best[decides])
