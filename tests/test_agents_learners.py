"""Learners of all kinds behind one interface: kept to the bit, in words, one's own."""

import json

import numpy as np
import pytest
from common import same
from matplotlib.figure import Figure

from ttt_lib import agents, evaluation, menace, plots, search
from ttt_lib.agents import learners, parse, storage
from ttt_lib.agents.learners import restore, to_agent
from ttt_lib.board import Board
from ttt_lib.console import cli, training
from ttt_lib.doors import MOST
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
from ttt_lib.search import perfect

game = tables()
random_play = uniform(game.legal)
FEW = 300  # games for the small versions


def stored(agent, folder):
    """Return an agent as it comes out of a file."""
    storage.save(agent, folder / "some.json")
    return storage.load(folder / "some.json")


def back(agent):
    """Return the learner in an agent."""
    return restore(game, agent)


def how_made(learner, opponent="self", *more):
    return learners.of(learner).how_made(parse(opponent), *more)


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
    more = OF_TD[settings] if METHODS[method].steps else {}
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
    after = back(agent)
    assert same(after, before)
    long = on(new, 2 * FEW)
    assert same(on(after, FEW), long)
    assert not same(long, before)
    assert same(back(to_agent(game, long, "pupil", "…")), long), "without a file"


@pytest.mark.parametrize("kind", ["PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"])
def test_every_generator_of_numpy_goes_on(kind, tmp_path):
    rng = np.random.Generator(getattr(np.random, kind)(3))
    learner = train(game, some_learner("sarsa", "by visits", rng), 11)
    learner.rng.integers(2, dtype=np.uint32)  # leaves half a draw in some of them
    after = back(stored(to_agent(game, learner, "pupil", "…"), tmp_path))
    assert (after.rng.integers(9, size=99) == learner.rng.integers(9, size=99)).all()
    assert (after.rng.random(99) == learner.rng.random(99)).all()


def test_a_kept_learner_learns_from_a_game_that_a_person_plays(tmp_path):
    learner = train(game, some_learner("q_learning", "by visits"), FEW)
    after = back(stored(to_agent(game, learner, "pupil", "…"), tmp_path))
    actions = [0, 1, 4, 2, 8]
    one, log = learn_game(game, learner, actions, -1)
    other, again = learn_game(game, after, actions, -1)
    assert same(one, other)
    assert same(log, again)


def test_the_agent_of_a_learner_is_greedy_and_says_how_it_was_made(tmp_path):
    learner = train(game, some_learner("double_q_learning", "fading"), FEW)
    history = (learners.of(learner).record(game),)
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
    assert learners.of(learner).record(game).keys() == {
        "games",
        "reward_first",
        "reward_second",
    }


def test_what_was_not_learned_does_not_go_on():
    perfect_agent = storage.load_shipped("perfect")
    with pytest.raises(ValueError, match=r"^perfect was not learned: Minimax: .*\.$"):
        back(perfect_agent)


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


ALPHA, PCG64 = STATE["alpha"], STATE["rng"]
MERSENNE = learners._plain(np.random.Generator(np.random.MT19937(1)))
PHILOX = learners._plain(np.random.Generator(np.random.Philox(1)))
for case, change in {
    "games below 0": {"games": -5},
    "half a game": {"games": 2.5},
    "games beyond 64 bits": {"games": 10**30},
    "steps beyond 64 bits": {"n": 10**20},
    "rewards beyond measure": {"total_reward": [1e200, 0.0]},
    "a schedule without a rate": {"alpha": ALPHA | {"rate": None}},
    "a schedule of no kind": {"alpha": ALPHA | {"kind": 99}},
    "a kind beyond 64 bits": {"alpha": ALPHA | {"kind": 10**30}},
    "a schedule that grows": {"alpha": ALPHA | {"rate": -0.1}},
    "a schedule without end": {"epsilon": STATE["epsilon"] | {"rate": 0.0}},
    "a generator below 0": {
        "rng": PCG64 | {"state": PCG64["state"] | {"inc": -1}},
    },
    "a generator of few numbers": {
        "rng": MERSENNE | {"state": MERSENNE["state"] | {"key": [1, 2]}},
    },
    # Without a check these two read what is no generator's, or end the interpreter.
    "a generator beyond its numbers": {
        "rng": MERSENNE | {"state": MERSENNE["state"] | {"pos": 700}},
    },
    "a generator before its numbers": {"rng": PHILOX | {"buffer_pos": -1}},
    "a generator just beyond its numbers": {"rng": PHILOX | {"buffer_pos": 5}},
}.items():
    HURT[case] = {"hyperparameters": {"learner": STATE | change}}
HURT["counts below 0"] = {
    "tables": WHOLE.tables | {"visits": WHOLE.tables["visits"] - 1}
}
HURT["values beyond measure"] = {"Q": WHOLE.Q - 3 * MOST * game.legal}
HURT["a side that is none"] = {"hyperparameters": {"learner": STATE, "side": "x"}}


@pytest.mark.parametrize("change", HURT.values(), ids=HURT)
def test_a_learner_that_is_not_whole_is_refused(change):
    assert back(WHOLE).games == 0
    with pytest.raises(ValueError, match="pupil does not hold all that its learner"):
        back(WHOLE._replace(**change))


@pytest.mark.parametrize("change", [{"n": 0}, {"lambda_": 2.0}])
def test_steps_and_traces_that_make_no_sense_are_refused(change):
    agent = to_agent(game, some_learner("td_afterstates", "by visits"), "pupil", "…")
    assert back(agent).n == 3
    hurt = {"learner": agent.hyperparameters["learner"] | change}
    with pytest.raises(ValueError, match="pupil does not hold all that its learner"):
        back(agent._replace(hyperparameters=hurt))


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
    row = learners.of(learner).record(game)
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
    with pytest.raises(ValueError, match="at = 100: the learner has seen 200"):
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
    whole = [learners.of(learner).record(game) for learner in snapshots(game, new, at)]
    *_, half = snapshots(game, new, at[:2])
    agent = stored(to_agent(game, half, "pupil", "…", 0, whole[:2]), tmp_path)
    (last,) = snapshots(game, back(agent), at[2:])
    history = (*agent.history, learners.of(last).record(game))
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
            ("teacher 0.9 lowest", -1, 1),
            "10 games against a teacher of level 0.9, ties to the lowest cell, as "
            "second player; α = 1 to 0.1 by equal steps in 50 games, ε = 1 to 0.01 by "
            "equal factors in 2,000 games, γ = 1, first estimates 1.",
        ),
        (
            {"rewards": (500, 0, -3500)},
            ("teacher 1", +1),
            "10 games against a teacher of level 1, ties uniform, as first player; "
            "α = 0.1, ε = 0.1, γ = 1, rewards 500, 0, -3500.",
        ),
        (
            {},
            ("my-file.json", +1),
            "10 games against my-file.json, as first player; α = 0.1,",
        ),
    ],
)
def test_how_it_was_made_is_said_in_words(settings, training, words):
    learner = new_learner(game, "sarsa", np.random.default_rng(1), **settings)
    learner = learner._replace(games=10)
    assert how_made(learner, *training).startswith(f"Learned by sarsa: {words}")


def test_the_steps_of_td_are_said_in_words():
    rng = np.random.default_rng(1)
    for settings, words in (
        ({}, "γ = 1."),
        ({"lambda_": 0.8}, "γ = 1, λ = 0.8, up to 9 steps."),
        ({"n": 3}, "γ = 1, λ = 1, up to 3 steps."),
    ):
        learner = new_learner(game, "td_afterstates", rng, **settings)
        assert how_made(learner).endswith(words)


# Matchboxes


@pytest.mark.parametrize("kind", ["PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"])
def test_matchboxes_with_any_generator_go_on(kind, tmp_path):
    rng = np.random.Generator(getattr(np.random, kind)(3))
    boxes = learners.new(game, "menace", rng)
    boxes = learners.of(boxes).train(game, 11, random_play, +1)
    boxes.rng.integers(2, dtype=np.uint32)  # leaves half a draw in some of them
    after = back(stored(to_agent(game, boxes, "boxes", "…", +1), tmp_path))
    assert same(after, boxes)
    on = [learners.of(each).train(game, 99, random_play, +1) for each in (after, boxes)]
    assert same(*on)


def test_what_matchboxes_are_asked():
    boxes = learners.new(game, "menace", np.random.default_rng(1), rewards=(2, 0, -2))
    pupil = learners.of(boxes)
    assert (pupil.method, pupil.games, pupil.action_values(game)) == ("menace", 0, None)
    assert pupil.settings() == {"reinforcement": [2, 0, -2]}
    assert same(pupil.policy(game), menace.bead_policy(game, boxes))
    boxes.beads[:] = 0
    assert same(learners.of(boxes).resigns(game), game.count > 1)
    assert not learners.of(some_learner("sarsa", "by visits")).resigns(game).any()
    with pytest.raises(ValueError, match="menace has no behaviour"):
        pupil.train(game, 1, random_play, +1, random_play)
    with pytest.raises(ValueError, match="Matchboxes play one side"):
        pupil.train(game, 1, random_play, 0)
    assert same(pupil.train(game, 11), menace.train(game, boxes, 11)), "both sides"
    with pytest.raises(ValueError, match="menace keeps its settings"):
        pupil.changed(game, {"rewards": (1, 0, 0)})


def test_how_matchboxes_were_made_is_said_in_words():
    boxes = learners.new(game, "menace", np.random.default_rng(1))
    boxes = learners.of(boxes).train(game, 9, random_play, -1)
    assert how_made(boxes, "random", -1) == (
        "Matchboxes: 9 games against uniformly random moves, as second player; "
        "beads +3, +1, −1. It draws its moves by chance."
    )


@pytest.mark.parametrize(
    "change",
    [
        {"games": "many"},
        {"games": -1},
        {"reinforcement": [1]},
        {"reinforcement": [10**30, 0, 0]},
        {"generator": {"bit_generator": "Generator"}},
        {"generator": 3},
    ],
)
def test_matchboxes_that_are_not_whole_are_refused(change):
    boxes = learners.new(game, "menace", np.random.default_rng(1))
    agent = to_agent(game, boxes, "boxes", "…", +1)
    kept = {"matchboxes": agent.hyperparameters["matchboxes"] | change}
    beads = agent.tables["beads"]
    for hurt in (
        {"hyperparameters": kept},
        {"tables": {}},
        {"tables": {"beads": beads - 9}},
        {"tables": {"beads": beads / 2}},
    ):
        with pytest.raises(
            learners.UnusableError, match="boxes does not hold all that"
        ):
            back(agent._replace(**hurt))


# What holds for all


def test_what_is_kept_is_apart_from_what_is_told_of_the_training():
    for method in ("sarsa", "menace"):
        learner = learners.new(game, method, np.random.default_rng(1))
        told = {"opponent": "random", "seed": 1}
        agent = to_agent(game, learner, "pupil", "…", training=told)
        assert learners.training(agent) == told
        assert agent.hyperparameters.keys() - told.keys() == {learners.of(learner).key}
        assert learners.is_learned(agent)
    assert not learners.is_learned(storage.load_shipped("perfect"))
    told = storage.load_shipped("menace")
    assert "generator" not in json.dumps(learners.training(told))


@pytest.mark.parametrize(
    "method", ["sarsa", "td_afterstates", "td_prediction", "menace"]
)
def test_a_policy_that_its_learner_does_not_have_is_refused(method):
    learner = learners.new(game, method, np.random.default_rng(1))
    behaviour = random_play if method in learners.JUDGES else None
    learner = learners.of(learner).train(game, FEW, random_play, +1, behaviour)
    agent = to_agent(game, learner, "pupil", "…")
    back(agent)
    other = perfect(game, ties="lowest")
    with pytest.raises(
        learners.UnusableError, match="a policy that is not the one its"
    ):
        back(agent._replace(policy=other))


@pytest.mark.parametrize("method", ["sarsa", "td_prediction"])
def test_who_judges_has_no_policy_and_who_learns_to_play_has_one(method):
    learner = learners.new(game, method, np.random.default_rng(1))
    agent = to_agent(game, learner, "pupil", "…")
    assert same(back(agent), learner)
    other = random_play if agent.policy is None else None
    with pytest.raises(learners.UnusableError, match="a policy that is not the one"):
        back(agent._replace(policy=other))


def test_settings_change_from_now_on_and_first_estimates_do_not():
    learner = train(game, some_learner("td_afterstates", "by visits"), 9)
    pupil = learners.of(learner)
    after = pupil.changed(game, {"alpha": 0.5, "n": 2})
    assert (after.alpha.start, after.n, after.lambda_) == (0.5, 2, learner.lambda_)
    assert same(after._replace(alpha=learner.alpha, n=learner.n), learner)
    assert learners.of(after).settings() == {
        "alpha": "0.5",
        "epsilon": "0.3",
        "gamma": 1.0,
        "lambda_": 0.8,
        "n": 2,
        "rewards": [1.0, 0.0, -1.0],
    }
    with pytest.raises(ValueError, match="initial is for a new learner"):
        pupil.changed(game, {"initial": 1})
    with pytest.raises(ValueError, match=r"alpha = 2\.0"):
        pupil.changed(game, {"alpha": 2.0})
    for name in ("games", "by heart"):
        with pytest.raises(ValueError, match=f"there is no '{name}'"):
            pupil.changed(game, {"alpha": 0.5, name: 1})


@pytest.mark.parametrize("method", ["sarsa", "menace", "own"])
def test_a_game_of_no_side_is_of_both(method):
    rng = np.random.default_rng(1)
    learner = own() if method == "own" else learners.new(game, method, rng)
    actions = [4, 0, 2, 6, 3, 5, 1, 7, 8]  # a draw: neither side learns from the other
    told = [
        learners.of(learner).learn_game(game, actions, *side)[1]
        for side in ((), (+1,), (-1,))
    ]
    assert told[0] == sorted(told[1] + told[2])
    assert told[1]
    assert told[2]


def test_there_is_one_learner_for_each_method():
    for method in learners.METHODS:
        learner = learners.new(game, method, np.random.default_rng(1))
        assert learners.is_learner(learner)
        assert learners.of(learner).method == method
    with pytest.raises(ValueError, match="method = 'by heart': choose from mc_predict"):
        learners.new(game, "by heart", np.random.default_rng(1))
    assert not learners.is_learner(random_play)


# One's own


class Plain(agents.OwnLearner):
    """Q-learning with step size 0.1, as a reader would write it."""

    def learn(self, game, steps):
        for s, a, r, s_next in steps:
            target = r + max(self.Q[s_next, game.legal[s_next]], default=0)
            self.Q[s, a] += 0.1 * (target - self.Q[s, a])


def own(seed=1, **settings):
    return Plain(game, np.random.default_rng(seed), **settings)


@pytest.mark.parametrize("side", [+1, -1, 0])
def test_ones_own_q_learning_is_the_librarys_to_the_bit(side):
    one, other = own(), new_learner(game, "q_learning", np.random.default_rng(1))
    rng = np.random.default_rng(2)
    for _ in range(50):
        s, actions = 0, []
        while not game.terminal[s]:
            actions.append(int(rng.choice(np.flatnonzero(game.legal[s]))))
            s = game.next[s, actions[-1]]
        one, changes = one.learn_game(game, actions, side)
        other, log = learn_game(game, other, actions, side)
        told = [(change.move, change.cell) for change in changes]
        moves = [t for t, row in enumerate(log) if row[0] == row[0]]
        assert told == [(t, actions[t]) for t in moves]
        assert [(c.old, c.new) for c in changes] == [
            (log[t][0], log[t][3]) for t in moves
        ]
    assert same(one.Q, other.Q)
    assert same(one.policy(game), greedy_policy(game, other))


@pytest.mark.parametrize("side", [+1, -1, 0])
def test_ones_own_learner_trains_as_all_do(side):
    new = own(epsilon=0.3)
    part = new.train(game, 30, random_play, side)
    whole = new.train(game, 50, random_play, side)
    assert (new.games, part.games, whole.games) == (0, 30, 50)
    assert not new.Q.any(), "it never changes"
    assert same(part.train(game, 20, random_play, side).Q, whole.Q)
    decided = whole.Q.any(axis=1)
    assert set(game.to_move[decided]) == ({+1, -1} if side == 0 else {side})
    assert (new.exploring(game) == 0.3).all()


def test_ones_own_learner_learns_from_itself_and_from_others():
    new = own(initial=0.5)
    assert (new.Q[game.legal] == 0.5).all()
    itself = new.train(game, 300)
    assert {+1, -1} == set(game.to_move[(itself.Q != new.Q).any(axis=1)])
    told = new.train(game, 40, random_play, +1, behaviour=perfect(game, ties="lowest"))
    assert set(np.flatnonzero((told.Q != new.Q)[0])) <= {0}, "others move for it"
    for arguments, sentence in (
        ((-1,), "games = -1"),
        ((1, None, +1), "side = 1: give 1 or -1 against an opponent"),
        ((1, random_play[1:]), "shape"),
    ):
        with pytest.raises(ValueError, match=sentence):
            new.train(game, *arguments)
    with pytest.raises(ValueError, match="epsilon = 2"):
        own(epsilon=2)
    with pytest.raises(ValueError, match="the game is not finished"):
        new.learn_game(game, [0, 1])
    with pytest.raises(ValueError, match="0 is illegal"):
        new.learn_game(game, [0, 0])
    with pytest.raises(NotImplementedError, match="Write learn"):
        agents.OwnLearner(game, np.random.default_rng(1)).train(game, 1)


def test_ones_own_learner_whose_values_are_no_numbers_is_told():
    class Spoilt(Plain):
        def learn(self, game, steps):
            self.Q[steps[0].s] = np.nan

    learner = Spoilt(game, np.random.default_rng(1), epsilon=0)
    with pytest.raises(ValueError, match=r"^Q\[0\] has entries that are no numbers"):
        learner.train(game, 2)


def test_ones_own_learner_takes_one_generator_of_the_one_it_is_given():
    rng, again = np.random.default_rng(1), np.random.default_rng(1)
    learner = Plain(game, rng)
    assert same([learner.rng, *rng.spawn(1)], again.spawn(2))


def test_ones_own_learner_is_kept_as_a_policy_and_its_values(tmp_path):
    learner = own().train(game, 200, random_play)
    assert learner.settings() == {"epsilon": 0.1}
    assert how_made(learner, "random") == (
        "Learned by Plain: 200 games against uniformly random moves, in turns as first "
        "and second player."
    )
    agent = to_agent(game, learner, "mine", "…", history=[learner.record(game)])
    agent = stored(agent, tmp_path)
    assert same(agent.policy, learner.policy(game))
    assert same(agent.Q, learner.Q)
    assert agent.history[-1]["games"] == 200
    assert not learners.is_learned(agent)
    with pytest.raises(ValueError, match="mine was not learned: …"):
        back(agent)
    with pytest.raises(
        ValueError, match="mine cannot be trained further: its file holds"
    ):
        training.go_on(game, agent)
    who = agents.player(game, learner)
    assert (who.name, who.learner) == ("Plain", learner)


def test_ones_own_learner_is_drawn_played_and_entered_in_a_tournament(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    learner = own(epsilon=0.3).train(game, 2000, random_play)
    scores = evaluation.scores(game, learner.policy(game))
    assert scores["win_first"] > 0.8 > 737 / 1260
    ax = Figure().subplots()
    plots.numbers(game, 0, learner.action_values(game)[0], ax, limits=(-1, 1))
    assert f"{learner.Q[0].max():.3f}" in {text.get_text() for text in ax.texts}
    board = Board(agent=learner, name="mine", overlay="agent")
    assert board.learner is learner
    agents.save(to_agent(game, learner, "mine", "By hand."), "mine.json")
    assert same(agents.policy(game, "mine.json"), learner.policy(game))
    assert cli.main(["tournament", "mine.json", "random", "--csv"]) == 0
    row = capsys.readouterr().out.splitlines()[2].split(",")
    assert row[:2] == ["mine", "random"]
    assert float(row[2]) == scores["win_first"]


def test_nobody_is_shown_the_state_of_a_generator(capsys):
    for name in ("menace", "sarsa"):
        assert cli.main(["show", name, "--json"]) == 0
        card = json.loads(capsys.readouterr().out)
        learner = restore(game, storage.load_shipped(name))
        assert card["settings"]["opponent"] == "random"
        assert card["settings"].items() >= learners.of(learner).settings().items()
        assert card["games"] == storage.load_shipped(name).history[-1]["games"]
        assert "PCG64" not in json.dumps(card)
