"""Names of players: one grammar, and the same policy everywhere."""

import json
import re

import numpy as np
import pytest
from common import same, sample_params, taught_part, unpacked
from hypothesis import given
from hypothesis import strategies as st

from ttt_lib import agents, learning, search
from ttt_lib.agents import builtin_names, learners, load, names, save
from ttt_lib.agents.names import Name, all_names, parse
from ttt_lib.board import encode as board_tables
from ttt_lib.board import settings as board_settings
from ttt_lib.console import cli
from ttt_lib.game import tables
from ttt_lib.policy import uniform
from ttt_lib.search import perfect

game = tables()
random_play = uniform(game.legal)

# Text to Name to text

SPELT = {
    "random": ["random", " Random ", "RANDOM"],
    "perfect": ["perfect", "perfect uniform", "perfect:uniform"],
    "perfect lowest": ["perfect lowest", "perfect:lowest", "Perfect  Lowest"],
    "teacher 0.9": ["teacher", "teacher:0.9", "teacher 0.90 uniform", "TEACHER:.9"],
    "teacher 0.9 lowest": ["teacher lowest", "teacher:.9:lowest", "teacher .9 lowest"],
    "teacher 1": ["teacher 1", "teacher:1.0", "teacher : 1"],
    "new q_learning": ["new q_learning", "new:q-learning", "NEW:Q_Learning"],
    "safe-and-greedy": ["safe-and-greedy", " Safe-and-greedy"],
    **{text: [text] for text in ("self", "person", "mine.json", "My runs/new: best")},
}  # fmt: skip


def test_spellings_of_a_name_have_one_canonical_text():
    for text, spelt in SPELT.items():
        assert {str(parse(each)) for each in spelt} == {text}
        assert parse(text) == parse(spelt[0])
    for name in all_names():
        assert parse(name).typed == name
        assert " " not in name


TIES, UNIFORM = st.sampled_from(names.TIES), st.just("uniform")
NOTHING, ONE = st.just(""), st.just(1.0)
METHODS = st.sampled_from(list(learners.METHODS))
SHIPPED = st.sampled_from([name for name in builtin_names() if name != "perfect"])


@given(
    st.one_of(
        st.builds(Name, st.just("perfect"), NOTHING, ONE, TIES),
        st.builds(Name, st.just("teacher"), NOTHING, st.floats(0, 1), TIES),
        st.builds(Name, st.just("new"), METHODS, ONE, UNIFORM),
        st.builds(Name, st.just("agent"), SHIPPED, ONE, UNIFORM),
    )
)
def test_name_round_trips_through_text(name):
    assert parse(str(name)) == parse(name.typed) == name


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("teacher 1.5", "teacher 1.5: a teacher has a probability from 0 to 1, as in"),
        ("teacher nan", "a probability from 0 to 1"),
        ("teacher 1 highest", "rule for ties, as in teacher:0.9:lowest"),
        ("teacher 0.9 lowest uniform", "a probability from 0 to 1"),
        ("uct 0", "uct has a number of playouts from 1 to"),
        ("uct 5 6", "uct has a number of playouts from 1 to"),
        ("perfect highest", "do you mean perfect?"),
        ("sarsas", "do you mean sarsa"),
        ("td_afterstates", "do you mean new:td_afterstates or td-afterstates?"),
        ("and_gr", "do you mean safe-and-greedy?"),
        ("snapshot-", "do you mean snapshot-0 or snapshot-10 or snapshot-100?"),
        ("new", "do you mean new:"),
        ("new by heart", "There is no agent or file named new by heart"),
        ("nobody", "uct:1000, and `ttt agents` lists all."),
        (" ", 'There is no agent or file named "": do you mean random'),
        ("x" * 60, "x" * 60 + ":"),
        ("x" * 61, "x" * 60 + "...:"),
    ],
)
def test_unknown_name_raises_with_nearest_names(text, words):
    with pytest.raises(ValueError, match=re.escape(words)) as caught:
        parse(text)
    assert len(str(caught.value)) < 200


def test_names_suggested_for_an_unknown_name_are_valid():
    with pytest.raises(ValueError, match="nobody") as caught:
        parse("nobody")
    text = re.search("there are (.*), and", str(caught.value))[1]
    suggested = re.split(", | and ", text)
    assert len(suggested) == 4
    assert all(map(parse, suggested))


def test_file_may_have_any_name_and_its_suffix_is_suggested(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    small = tables(2, 2, 2)
    agent = agents.as_agent(small, uniform(small.legal))._replace(name="x", made="…")
    for name in ("mine", "teacher of mine", "new one", "perfct"):
        save(agent, name)
        assert parse(name) == Name("file", name)
        assert same(agents.policy(small, name), agent.policy)
    save(agents.as_agent(game, "perfect"), "random")
    assert same(agents.policy(game, "random"), random_play), (
        "a name comes before a file"
    )
    save(agent, "Yours.json")
    with pytest.raises(ValueError, match=r"named Yours: do you mean Yours\.json\?$"):
        parse("Yours")


# Agents of names


def test_teacher_mixes_perfect_and_random_moves():
    Q = search.solve(game).Q
    s = game.next[0, 1]  # several replies hold the draw, and others lose
    best = np.flatnonzero(game.legal[s] & (Q[s] == Q[s][game.legal[s]].max()))
    lowest, fair = (agents.policy(game, f"teacher 0.9{t}")[s] for t in (" lowest", ""))
    assert lowest[best[0]] == pytest.approx(0.9 + 0.1 / 8)
    assert lowest[best[1:]] == pytest.approx(0.1 / 8)
    assert fair[best] == pytest.approx(0.9 / len(best) + 0.1 / 8)
    assert same(agents.policy(game, "teacher 0"), random_play)
    assert same(search.teacher(game, 1, "lowest"), perfect(game, ties="lowest"))


def test_opponent_is_self_or_plays_both_sides():
    assert agents.opponent(game, "self") is None
    assert agents.opponent(game, parse("self")) is None
    assert same(agents.opponent(game, "random"), random_play)
    for name in ("random", "perfect", "teacher", "person"):
        assert agents.as_agent(game, name).rewards == (1, 0, -1)


def test_as_agent_accepts_learners_policies_and_agents():
    rng = np.random.default_rng(1)
    learner = learning.train(game, learning.new_learner(game, "sarsa", rng), 50)
    agent = agents.as_agent(game, learner)
    assert agent.learner is learner
    assert same(agent.policy, learning.greedy_policy(game, learner))
    assert same(agent.Q, learner.Q)
    boxes = agents.as_agent(game, learners.new(game, "menace", rng))
    assert (boxes.name, boxes.Q) == ("menace", None)
    assert agents.as_agent(game, load("menace")).side == +1
    first = random_play * (game.to_move == 1)[:, np.newaxis]
    assert [agents.as_agent(game, one).side for one in (first, random_play)] == [1, 0]


def test_agent_checks_its_side_and_warns_if_untrained():
    agent = agents.Agent("mine", policy=random_play)
    assert (agent.side, agent.taught, agent.rewards) == (0, 0, (1, 0, -1))
    for side in (-1, 0, +1):
        assert agent.on(side) is random_play
        assert not agent.untaught(side)
    first = agent._replace(side=+1, taught=+1)
    assert first.on(+1) is random_play
    assert not first.untaught(+1)
    for sides in ((), (0,), (-1,)):
        assert first.untaught(*sides) == (
            "mine was taught as first player only, and not as second."
        )
        with pytest.raises(agents.AgentFileError, match="mine was made for the first"):
            first.on(*sides)
    prediction = agent._replace(policy=None, made="by TD")
    with pytest.raises(agents.AgentFileError, match="mine has no policy"):
        prediction.on()
    with pytest.raises(ValueError, match="A person has no policy"):
        prediction._replace(made="").on()


# The same text gives a bit-identical policy everywhere

NOT_FIXED = ("new:", "uct:", "person")  # random numbers or a person choose their moves
NAMES = [
    *(name for name in all_names() if not name.startswith(NOT_FIXED)),
    "perfect:lowest",
    "teacher:0.25",
    "teacher:0.9:lowest",
]


def in_the_console(text, capsys):
    """Return the probabilities that `ttt show` prints: (s, a) → probability."""
    probabilities = {}
    for s in (1, 30):
        assert cli.main(["show", text, game.string(s), "--json"]) == 0
        (board,) = json.loads(capsys.readouterr().out)["boards"]
        if "probability" in board:
            probabilities |= {(s, int(a)): p for a, p in board["probability"].items()}
    return probabilities


@pytest.mark.slow
@pytest.mark.parametrize("text", sample_params(NAMES, 6))
def test_name_gives_the_same_policy_everywhere(text, capsys, tmp_path):
    agent = agents.as_agent(game, text)
    expected = agents.policy(game, text, agent.side)
    assert same(agent.policy, expected)
    for spelt in (text, text.replace(":", " "), text.upper(), str(parse(text))):
        assert same(agents.policy(game, spelt, agent.side), expected), (
            "library and studies"
        )
    for mark in ("x", "o"):
        assert board_settings(**{mark: text})[mark] == str(parse(text)), "board"
    table = board_tables.known(parse(text))["policy"]
    assert same(unpacked(table), expected[game.legal]), "board"
    printed = in_the_console(text, capsys)
    assert printed
    assert all(expected[index] == p for index, p in printed.items()), "console"
    if agent.side == 0:
        assert same(agents.opponent(game, text), expected), "training"
        path = tmp_path / "learner.json"
        line = f"train sarsa --opponent {text} --games 1 --seed 1 --save {path}"
        assert cli.main(line.split()) == 0
        opponent = load(path).training["opponent"]
        assert same(agents.opponent(game, opponent), expected), "a file's opponent"
    save(agent._replace(learner=None, made="…"), tmp_path / "policy.json")
    written = agents.as_agent(game, str(tmp_path / "policy.json")).policy
    assert same(taught_part(written, agent), taught_part(expected, agent)), "a file"
