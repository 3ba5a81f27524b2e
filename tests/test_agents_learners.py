"""Adapters of learners of every kind: saving, provenance, custom learners."""

import numpy as np
import pytest
from common import same
from learner_fixtures import play

from ttt_lib import agents, menace, search
from ttt_lib.agents import learners, load, parse, save, to_agent
from ttt_lib.console import train as console_train
from ttt_lib.game import tables
from ttt_lib.learning import (
    METHODS,
    greedy_policy,
    learn_game,
    new_learner,
    train,
)
from ttt_lib.policy import uniform
from ttt_lib.schedules import exponential, linear, power
from ttt_lib.search import perfect

pytestmark = pytest.mark.slow

game, small = tables(), tables(2, 3, 3)
random_play = uniform(game.legal)
GAMES = 300  # games for the small versions


def stored(agent, folder):
    """Return an agent after a round trip through a file."""
    save(agent, folder / "agent.json")
    return load(folder / "agent.json")


def provenance(learner, opponent="self", *more):
    return learners.adapter(learner).provenance(parse(opponent), *more)


KINDS = "PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"


def generator(kind):
    return np.random.Generator(getattr(np.random, kind)(3))


# Learners as agents

SETTINGS = {
    "by visits": {"alpha": power(exponent=0.7), "epsilon": 0.3, "initial": 0.5},
    "fading": {"alpha": exponential(0.5, 0.1, 400), "epsilon": linear(1, 0, 400)},
}
SETTINGS["fading"] |= {"gamma": 0.9, "rewards": (2, 0, -2)}
OF_TD = {"by visits": {"lambda_": 0.8, "n": 3}, "fading": {"n": 2}}


def new_tabular(method, settings, board=game):
    more = OF_TD[settings] if METHODS[method].steps else {}
    rng = np.random.default_rng(5)
    return new_learner(board, method, rng, **SETTINGS[settings], **more)


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("method", METHODS)
def test_saved_learner_resumes_bit_identically(method, settings, tmp_path):
    behaviour = uniform(small.legal) if METHODS[method].is_prediction else None
    opponent = None if "by" in settings else search.teacher(small, 0.5, "uniform")

    def trained(learner, games):
        return train(small, learner, games, opponent, 0, behaviour)

    new = new_tabular(method, settings, small)
    before, long = trained(new, GAMES), trained(new, 2 * GAMES)
    after = stored(to_agent(small, before, "learner", "…"), tmp_path).learner
    assert same(after, before)
    assert same(trained(after, GAMES), long)
    assert not same(long, before)
    assert same(to_agent(small, long, "learner", "…").learner, long), "without a file"


@pytest.mark.parametrize("kind", KINDS)
def test_saved_generator_of_every_kind_resumes(kind, tmp_path):
    learner = new_learner(small, "sarsa", generator(kind))
    boxes = learners.new(small, "menace", generator(kind))
    for new, side in ((learner, 0), (boxes, +1)):
        learner = learners.adapter(new).train(small, 11, uniform(small.legal), side)
        learner.rng.integers(2, dtype=np.uint32)  # some kinds buffer half of a draw
        loaded = stored(
            to_agent(small, learner, "learner", "…", side), tmp_path
        ).learner
        assert same(loaded, learner)
        one, two = (
            learners.adapter(each).train(small, 99) for each in (loaded, learner)
        )
        assert same(one, two)


# Histories


# Provenance


@pytest.mark.parametrize(
    ("method", "settings", "training", "words"),
    [
        ("sarsa", {"alpha": power(), "epsilon": power(0.5, 0.6, "games"), "gamma": 0.9},
         ("random", 0),
         "10 games against uniformly random moves, in turns as first and second "
         "player; α = 1/n by visits, ε = 0.5/n^0.6 by games, γ = 0.9."),
        ("sarsa", {"alpha": linear(1, 0.1, 50), "epsilon": exponential(1, 0.01, 2_000)},
         ("teacher 0.9 lowest", -1, 1),
         "10 games against a teacher of level 0.9, ties to the lowest cell, as second "
         "player; α = 1 to 0.1 by equal steps in 50 games, ε = 1 to 0.01 by equal "
         "factors in 2,000 games, γ = 1, first estimates 1."),
        ("sarsa", {"rewards": (500, 0, -3500)}, ("my-file.json", +1),
         "10 games against my-file.json, as first player; "
         "α = 0.1, ε = 0.1, γ = 1, rewards 500, 0, -3500."),
        ("td_afterstates", {"n": 3, "lambda_": 0.8}, (),
         "10 games against itself; α = 0.1, ε = 0.1, γ = 1, λ = 0.8, up to 3 steps."),
    ],
)  # fmt: skip
def test_provenance_of_tabular_learner(method, settings, training, words):
    learner = new_learner(game, method, np.random.default_rng(1), **settings)
    text = provenance(learner._replace(games=10), *training)
    assert text == f"Learned by {method}: {words}"


# Matchboxes


def test_menace_adapter():
    boxes = learners.new(game, "menace", np.random.default_rng(1), rewards=(2, 0, -2))
    adapter = learners.adapter(boxes)
    assert (adapter.method, adapter.action_values(game)) == ("menace", None)
    assert adapter.settings() == {"reinforcement": [2, 0, -2]}
    assert same(adapter.policy(game), menace.bead_policy(game, boxes))
    boxes.beads[:] = 0
    assert same(learners.adapter(boxes).resigns(game), game.count > 1)
    assert not learners.adapter(new_tabular("sarsa", "by visits")).resigns(game).any()
    assert same(adapter.train(game, 11), menace.train(game, boxes, 11)), "both sides"


# All kinds


def test_changed_replaces_settings_but_not_initial():
    learner = train(game, new_tabular("td_afterstates", "by visits"), 9)
    adapter = learners.adapter(learner)
    after = adapter.changed(game, {"alpha": 0.5, "n": 2})
    assert (after.alpha.start, after.n, after.lambda_) == (0.5, 2, learner.lambda_)
    assert same(after._replace(alpha=learner.alpha, n=learner.n), learner)
    settings = learners.adapter(after).settings()
    assert (settings["alpha"], settings["n"], settings["rewards"]) == (
        "0.5",
        2,
        [1, 0, -1],
    )
    for change, words in (
        ({"initial": 1}, "initial is for a new learner"),
        ({"alpha": 2.0}, r"alpha = 2\.0"),
        ({"alpha": 0.5, "games": 1}, "there is no 'games'"),
    ):
        with pytest.raises(ValueError, match=words):
            adapter.changed(game, change)


def test_learn_game_learns_for_both_sides_by_default():
    actions = [4, 0, 2, 6, 3, 5, 1, 7, 8]  # a draw: neither side learns from the other
    for method in ("sarsa", "menace", "custom"):
        one = (
            learners.new(game, method, generator("PCG64"))
            if method[0] != "c"
            else custom()
        )
        learn = learners.adapter(one).learn_game
        first, second = (learn(game, actions, side)[1] for side in (+1, -1))
        assert learn(game, actions)[1] == sorted(first + second)
        assert min(len(first), len(second)) > 0


# Custom learners


class CustomQ(agents.CustomLearner):
    """Q-learning with step size 0.1, as a reader would write it."""

    def learn(self, game, steps):
        for s, a, r, s_next in steps:
            target = r + max(self.Q[s_next, game.legal[s_next]], default=0)
            self.Q[s, a] += 0.1 * (target - self.Q[s, a])


def custom(seed=1, **settings):
    return CustomQ(game, np.random.default_rng(seed), **settings)


@pytest.mark.parametrize("side", [+1, -1, 0])
def test_custom_q_learning_is_bit_identical_to_the_library(side):
    one, other = custom(), new_learner(game, "q_learning", np.random.default_rng(1))
    for seed in range(50):
        actions = play(game, seed)
        one, changes = one.learn_game(game, actions, side)
        other, log = learn_game(game, other, actions, side)
        moves = [t for t, row in enumerate(log) if row[0] == row[0]]
        assert [(c.move, c.cell, c.old, c.new) for c in changes] == [
            (t, actions[t], log[t][0], log[t][3]) for t in moves
        ]
    assert same(one.Q, other.Q)
    assert same(one.policy(game), greedy_policy(game, other))


@pytest.mark.parametrize(
    ("opponent", "side"),
    [(random_play, +1), (random_play, -1), (random_play, 0), (None, 0)],
)
def test_custom_learner_trains_in_parts(opponent, side):
    new = custom(epsilon=0.3)
    part, whole = (new.train(game, games, opponent, side) for games in (30, 50))
    assert (new.games, part.games, whole.games) == (0, 30, 50)
    assert not new.Q.any(), "it is immutable"
    assert same(part.train(game, 20, opponent, side).Q, whole.Q)
    decided = whole.Q.any(axis=1)
    assert set(game.to_move[decided]) == ({+1, -1} if side == 0 else {side})
    assert (new.exploring(game) == 0.3).all()


def test_custom_learner_may_learn_off_policy():
    new = custom(initial=0.5)
    assert (new.Q[game.legal] == 0.5).all()
    behaviour = perfect(game, ties="lowest")
    off_policy = new.train(game, 40, random_play, +1, behaviour=behaviour)
    assert set(np.flatnonzero((off_policy.Q != new.Q)[0])) <= {0}, "perfect moves"
    with pytest.raises(NotImplementedError, match="Write learn"):
        agents.CustomLearner(game, np.random.default_rng(1)).train(game, 1)


def test_custom_learner_with_nan_values_raises():
    class Invalid(CustomQ):
        def learn(self, game, steps):
            self.Q[steps[0].s] = np.nan

    learner = Invalid(game, np.random.default_rng(1), epsilon=0)
    with pytest.raises(ValueError, match=r"^Q\[0\] has entries that are not numbers"):
        learner.train(game, 2)


def test_custom_learner_is_saved_as_policy_and_values(tmp_path):
    learner = custom().train(game, 200, random_play)
    assert learner.settings() == {"epsilon": 0.1}
    assert "by CustomQ: 200 games against uniform" in provenance(learner, "random")
    agent = to_agent(game, learner, "mine", "…", history=[learner.record(game)])
    agent = stored(agent, tmp_path)
    assert same(agent.policy, learner.policy(game))
    assert same(agent.Q, learner.Q)
    assert agent.history[-1]["games"] == 200
    assert agent.learner is None
    with pytest.raises(ValueError, match="mine cannot be trained further: its file ho"):
        console_train.go_on(game, agent)
    agent = agents.as_agent(game, learner)
    assert (agent.name, agent.learner) == ("CustomQ", learner)
