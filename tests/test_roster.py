"""The agents of the book: learners kept to the bit, files that can be made again."""

import importlib.metadata
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from ttt_lib import evaluation, menace, search
from ttt_lib.agents import recipes, storage
from ttt_lib.agents.recipes import AGENTS, make, record, to_agent, to_learner
from ttt_lib.game import tables
from ttt_lib.learning import (
    METHODS,
    greedy_policy,
    learn_game,
    new_learner,
    snapshots,
    train,
)
from ttt_lib.policy import uniform
from ttt_lib.schedules import exponential, linear, power
from ttt_lib.search import perfect, solve

game = tables()
random_play = uniform(game.legal)
LOCK = Path(__file__).parents[1] / "requirements.lock"
FEW = 300  # games for the small versions


def the_versions_are_locked():
    """Return whether NumPy and Numba are those of the lock file."""
    pins = {line.split()[0] for line in LOCK.read_text("utf-8").splitlines() if line}
    try:
        found = {f"{n}=={importlib.metadata.version(n)}" for n in ("numpy", "numba")}
    except importlib.metadata.PackageNotFoundError:
        return False
    return found <= pins


def state(generator):
    return json.dumps(recipes._numbers(generator.bit_generator.state))


def same(one, other):
    """Return whether two agents, learners, or parts of them are equal to the bit."""
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return (one.dtype, one.shape, one.tobytes()) == (
            other.dtype,
            other.shape,
            other.tobytes(),
        )
    if isinstance(one, np.random.Generator):
        return state(one) == state(other)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def stored(agent, folder):
    """Return an agent as it comes out of a file."""
    storage.save(agent, folder / "some.json")
    return storage.load(folder / "some.json")


# Opponents


def test_a_teacher_is_perfect_with_its_level_and_else_random():
    Q = solve(game).Q
    s = game.next[0, 1]  # several replies hold the draw, and others lose
    best = np.flatnonzero(game.legal[s] & (Q[s] == Q[s][game.legal[s]].max()))
    assert 1 < len(best) < 8
    lowest = search.teacher(game, 0.9, "lowest")[s]
    assert lowest[best[0]] == pytest.approx(0.9 + 0.1 / 8)
    assert lowest[best[1:]] == pytest.approx(0.1 / 8)
    fair = search.teacher(game, 0.9)[s]
    assert fair[best] == pytest.approx(0.9 / len(best) + 0.1 / 8)
    assert fair.sum() == pytest.approx(1)
    assert same(search.teacher(game, 0), random_play)
    assert same(search.teacher(game, 1, "lowest"), perfect(game, ties="lowest"))
    with pytest.raises(ValueError, match="not a probability"):
        search.teacher(game, 1.1)
    with pytest.raises(ValueError, match="the rules for ties are"):
        search.teacher(game, 0.5, "highest")


def test_an_opponent_has_a_name():
    small = tables(2, 3, 3)
    assert recipes.opponent(game, "self") is None
    assert same(recipes.opponent(game, "random"), random_play)
    assert same(recipes.opponent(small, "perfect"), perfect(small))
    for name, ties in (("", "lowest"), (" lowest", "lowest"), (" uniform", "uniform")):
        found = recipes.opponent(game, f"teacher 0.25{name}")
        assert same(found, search.teacher(game, 0.25, ties))
    shipped = storage.load_shipped("best-against-random").policy
    assert same(recipes.opponent(game, "best-against-random"), shipped)


@pytest.mark.parametrize(
    "name", ["", "nobody", "teacher", "teacher x", "teacher 1 highest", "teacher 1 2 3"]
)
def test_an_unknown_opponent_is_refused_with_the_names(name):
    with pytest.raises(ValueError, match=r"'teacher 0.9', or one of .*perfect"):
        recipes.opponent(game, name)


# Learners as agents

SETTINGS = {
    "by visits": {"alpha": power(exponent=0.7), "epsilon": 0.3, "initial": 0.5},
    "fading": {
        "alpha": exponential(0.5, 0.1, 400),
        "epsilon": linear(1, 0, 400),
        "gamma": 0.9,
        "rewards": (2, 0, -2),
    },
}
OF_TD = {"by visits": {"lambda_": 0.8, "n": 3}, "fading": {"n": 2}}


def some_learner(method, settings, rng=None):
    more = OF_TD[settings] if method.startswith("td_") else {}
    rng = np.random.default_rng(5) if rng is None else rng
    return new_learner(game, method, rng, **SETTINGS[settings], **more)


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("method", METHODS)
def test_a_kept_learner_goes_on_as_one_long_run(method, settings, tmp_path):
    behaviour = random_play if METHODS[method].judges else None
    opponent = None if "by" in settings else search.teacher(game, 0.5, "uniform")

    def on(learner, games):
        return train(game, learner, games, opponent, 0, behaviour)

    new = some_learner(method, settings)
    before = on(new, FEW)
    agent = stored(to_agent(game, before, "pupil", "…"), tmp_path)
    after = to_learner(agent)
    assert same(after, before)
    long = on(new, 2 * FEW)
    assert same(on(after, FEW), long)
    assert not same(long, before)
    assert same(to_learner(to_agent(game, long, "pupil", "…")), long), "without a file"


@pytest.mark.parametrize("kind", ["PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"])
def test_every_generator_of_numpy_goes_on(kind, tmp_path):
    rng = np.random.Generator(getattr(np.random, kind)(3))
    learner = train(game, some_learner("sarsa", "by visits", rng), 11)
    learner.rng.integers(2, dtype=np.uint32)  # leaves half a draw in some of them
    after = to_learner(stored(to_agent(game, learner, "pupil", "…"), tmp_path))
    assert (after.rng.integers(9, size=99) == learner.rng.integers(9, size=99)).all()
    assert (after.rng.random(99) == learner.rng.random(99)).all()


def test_a_kept_learner_learns_from_a_game_that_a_person_plays(tmp_path):
    learner = train(game, some_learner("q_learning", "by visits"), FEW)
    after = to_learner(stored(to_agent(game, learner, "pupil", "…"), tmp_path))
    actions = [0, 1, 4, 2, 8]
    one, log = learn_game(game, learner, actions, -1)
    other, again = learn_game(game, after, actions, -1)
    assert same(one, other)
    assert same(log, again)


def test_the_agent_of_a_learner_is_greedy_and_says_how_it_was_made(tmp_path):
    learner = train(game, some_learner("double_q_learning", "fading"), FEW)
    history = (record(game, learner),)
    training = {"opponent": "self", "seed": 5}
    agent = to_agent(game, learner, "pupil", "So.", -1, history, training)
    agent = stored(agent, tmp_path)
    assert (agent.name, agent.made, agent.side) == ("pupil", "So.", -1)
    assert same(agent.policy, greedy_policy(game, learner))
    assert same(agent.Q, learner.Q)
    assert agent.V is None
    assert (agent.rewards, agent.gamma) == ((2, 0, -2), 0.9)
    assert agent.history == history
    assert agent.hyperparameters.items() >= training.items()
    assert agent.hyperparameters["learner"]["epsilon"]["start"] == 1


def test_a_learner_of_prediction_has_no_policy(tmp_path):
    learner = some_learner("td_prediction", "by visits")
    learner = train(game, learner, 9, behaviour=random_play)
    agent = stored(to_agent(game, learner, "judge", "…"), tmp_path)
    assert agent.policy is None
    assert same(agent.V, learner.V)
    assert record(game, learner).keys() == {"games", "reward_first", "reward_second"}


def test_what_was_not_learned_does_not_go_on():
    perfect_agent = storage.load_shipped("perfect")
    with pytest.raises(ValueError, match=r"^perfect was not learned: Minimax: .*\.$"):
        to_learner(perfect_agent)


WHOLE = to_agent(game, some_learner("double_q_learning", "fading"), "pupil", "…")
STATE = WHOLE.hyperparameters["learner"]
HURT = {
    "no table": {"Q": None},
    "half the tables": {"tables": {k: v for k, v in WHOLE.tables.items() if k != "Q1"}},
    "no counts": {"tables": {k: v for k, v in WHOLE.tables.items() if k != "updates"}},
    "counts of positions": {
        "tables": WHOLE.tables | {"updates": WHOLE.tables["visits"]}
    },
    "counts that are no counts": {
        "tables": WHOLE.tables | {"visits": WHOLE.tables["visits"] / 2}
    },
    "a table too many": {"V": np.zeros(len(game.code))},
    "rewards": {"rewards": (1, 0)},
    "nothing": {"hyperparameters": {"learner": {}}},
    "a number": {"hyperparameters": {"learner": 3}},
}
for field, value in {
    "method": "by heart",
    "games": "many",
    "alpha": {"kind": 0},
    "epsilon": {"kind": 0, "start": 7.0, "end": 0.0, "rate": 0.0},
    "rng": {"bit_generator": "Generator", "state": {}},
    "total_reward": [0.0],
}.items():
    HURT[field] = {"hyperparameters": {"learner": STATE | {field: value}}}
    without = {name: kept for name, kept in STATE.items() if name != field}
    HURT[f"no {field}"] = {"hyperparameters": {"learner": without}}


@pytest.mark.parametrize("change", HURT.values(), ids=HURT)
def test_a_learner_that_is_not_whole_is_refused(change):
    assert to_learner(WHOLE).games == 0
    with pytest.raises(ValueError, match="pupil does not hold all that its learner"):
        to_learner(WHOLE._replace(**change))


@pytest.mark.parametrize("change", [{"n": 0}, {"lambda_": 2.0}])
def test_steps_and_traces_that_make_no_sense_are_refused(change):
    agent = to_agent(game, some_learner("td_afterstates", "by visits"), "pupil", "…")
    assert to_learner(agent).n == 3
    hurt = {"learner": agent.hyperparameters["learner"] | change}
    with pytest.raises(ValueError, match="pupil does not hold all that its learner"):
        to_learner(agent._replace(hyperparameters=hurt))


# Histories


def test_scores_are_the_known_ones():
    safe = evaluation.scores(game, storage.load_shipped("safe-and-greedy").policy)
    known = {"win_first": 191 / 192, "draw_first": 1 / 192, "loss_first": 0}
    known |= {"win_second": 866 / 945, "draw_second": 79 / 945, "loss_second": 0}
    known |= {"worst_first": 0, "worst_second": 0}
    assert safe == pytest.approx(known)
    reckless = evaluation.scores(
        game, storage.load_shipped("best-against-random").policy
    )
    known |= {"win_second": 881 / 945, "draw_second": 57 / 945, "loss_second": 7 / 945}
    assert reckless == pytest.approx(known | {"worst_second": -1})
    lost = evaluation.scores(game, random_play)
    assert lost["loss_second"] == pytest.approx(737 / 1260)
    assert lost["win_second"] == pytest.approx(121 / 420)


def test_a_row_holds_games_rewards_and_exact_scores():
    learner = train(game, some_learner("sarsa", "by visits"), FEW, random_play)
    row = record(game, learner)
    assert row["games"] == FEW
    assert [row["reward_first"], row["reward_second"]] == learner.total_reward.tolist()
    assert row["reward_first"] != row["reward_second"]
    policy = greedy_policy(game, learner)
    as_second = evaluation.win_draw_loss(game, random_play, policy)[0]
    assert row["loss_second"] == as_second[0]
    assert row["worst_second"] == evaluation.worst_case(game, policy, -1)[0]
    json.dumps(row)


def test_snapshots_are_of_one_long_run():
    new = some_learner("minimax_q", "by visits")
    at = [0, 7, 7, 200]
    seen = list(snapshots(game, new, at))
    assert [learner.games for learner in seen] == at
    assert all(same(learner, train(game, new, learner.games)) for learner in seen)
    with pytest.raises(ValueError, match="at = 100: the learner has seen 200 games"):
        next(snapshots(game, seen[-1], [100]))


def test_snapshots_train_as_they_are_told():
    new = some_learner("sarsa", "by visits")
    told = {"opponent": random_play, "side": -1, "behaviour": perfect(game)}
    (last,) = snapshots(game, new, [50], **told)
    assert same(last, train(game, new, 50, **told))
    assert last.visits[0] == 0, "it never moved first"


def test_a_history_goes_on_with_its_learner(tmp_path):
    new = some_learner("independent_q", "by visits")
    at = [0, 50, 100]
    whole = [record(game, learner) for learner in snapshots(game, new, at)]
    *_, half = snapshots(game, new, at[:2])
    agent = stored(to_agent(game, half, "pupil", "…", 0, whole[:2]), tmp_path)
    (last,) = snapshots(game, to_learner(agent), at[2:])
    history = (*agent.history, record(game, last))
    agent = stored(to_agent(game, last, "pupil", "…", 0, history), tmp_path)
    assert same(agent.history, tuple(whole))


# In words


@pytest.mark.parametrize(
    ("settings", "training", "words"),
    [
        ({}, ("self",), "10 games against itself; α = 0.1, ε = 0.1, γ = 1."),
        (
            {"alpha": power(), "epsilon": power(0.5, 0.6, "games"), "gamma": 0.9},
            ("random", 0),
            "10 games against uniformly random moves, in turns as first and second "
            "player; α = 1/n by visits, ε = 0.5/n^0.6 by games, γ = 0.9.",
        ),
        (
            {"alpha": linear(1, 0.1, 50), "epsilon": exponential(1, 0.01, 2_000)},
            ("teacher 0.9", -1, 1),
            "10 games against a teacher of level 0.9, ties to the lowest cell, as "
            "second player; α = 1 to 0.1 by equal steps in 50 games, ε = 1 to 0.01 by "
            "equal factors in 2,000 games, γ = 1, first estimates 1.",
        ),
        (
            {"rewards": (500, 0, -3500)},
            ("teacher 1 uniform", +1),
            "10 games against a teacher of level 1, ties uniform, as first player; "
            "α = 0.1, ε = 0.1, γ = 1, rewards 500, 0, -3500.",
        ),
        ({}, ("my-file", +1), "10 games against my-file, as first player; α = 0.1,"),
    ],
)
def test_how_it_was_made_is_said_in_words(settings, training, words):
    learner = new_learner(game, "sarsa", np.random.default_rng(1), **settings)
    learner = learner._replace(games=10)
    assert recipes.how_made(learner, *training).startswith(f"Learned by sarsa: {words}")


def test_the_steps_of_td_are_said_in_words():
    rng = np.random.default_rng(1)
    for settings, words in (
        ({}, "γ = 1."),
        ({"lambda_": 0.8}, "γ = 1, λ = 0.8, up to 9 steps."),
        ({"n": 3}, "γ = 1, λ = 1, up to 3 steps."),
    ):
        learner = new_learner(game, "td_afterstates", rng, **settings)
        assert recipes.how_made(learner).endswith(words)


# The agents that come with the book


def test_the_files_are_those_of_the_list():
    assert storage.shipped() == sorted(AGENTS)
    learned = {
        to_learner(storage.load_shipped(name)).method
        for name in AGENTS
        if "learner" in storage.load_shipped(name).hyperparameters
    }
    judges = {name for name, row in METHODS.items() if row.judges}
    assert learned == set(METHODS) - judges, "one of each that has a policy"


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
    if "learner" in agent.hyperparameters:
        assert to_learner(agent).games == last["games"]


@pytest.mark.parametrize("name", AGENTS)
def test_a_small_version_is_the_same_twice(name):
    one, other = make(game, name, 99), make(game, name, 99)
    assert same(one, other)
    learned = "snapshot" in name or AGENTS[name].games
    assert one.history[-1]["games"] == (99 if learned else 0)


def test_a_shipped_learner_goes_on(tmp_path):
    agent = storage.load_shipped("snapshot-1000")
    on = train(game, to_learner(agent), 9_000)
    assert same(on, to_learner(make(game, "snapshot-10000")))
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
        assert agent.hyperparameters["opponent"] == "teacher 0.9"
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
