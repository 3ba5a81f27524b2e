"""Agent files: round trips, and one-line errors for invalid files."""

import base64
import functools
import hashlib
import json
import re
import subprocess
import sys
import warnings
import zlib
from operator import getitem
from pathlib import Path

import numpy as np
import pytest
from common import game, same
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ttt_lib import agents
from ttt_lib.agents import Agent, AgentFileError, io, learners, load, opponent, save
from ttt_lib.agents.rows import from_rows, to_rows
from ttt_lib.console import train
from ttt_lib.console.screen import Screen
from ttt_lib.game import tables
from ttt_lib.policy import softmax, uniform

small = tables(2, 2, 2)
SIZE = {"rows": 2, "columns": 2, "k": 2}
Q = np.where(small.legal, np.random.default_rng(1).normal(size=small.legal.shape), 0.0)
HISTORY = {"games": 0, "win": 0.25}, {"games": 500, "win": 1 / 3}
PLAIN = Agent(
    "mine", "by hand", policy=softmax(Q, small.legal), Q=Q, rewards=(500, 0, -3500),
    training={"opponent": "teacher 0.9", "note": [1, 2.5]}, history=HISTORY, **SIZE,
)  # fmt: skip


def learned(method="double_q_learning", board=small):
    """Return an Agent whose learner has been trained."""
    learner = learners.new(board, method, np.random.default_rng(3))
    learner = learners.adapter(learner).train(board, 50)
    return agents.to_agent(board, learner, "learner", "It learned.", 0, HISTORY)


AGENTS = {"plain": PLAIN, "learned": learned(), "boxes": learned("menace")}
AGENTS["wide"] = learned("sarsa", tables(2, 3, 2))


def through_a_file(agent, folder):
    save(agent, folder / "agent.json")
    return load(folder / "agent.json")


@pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS)
def test_round_trip_through_file_is_bit_identical(agent, tmp_path):
    loaded = through_a_file(agent, tmp_path)
    assert loaded.path == tmp_path / "agent.json"
    assert same(loaded._replace(path=None), agent)
    save(loaded, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == loaded.path.read_bytes()


def test_round_trip_keeps_numpy_numbers_and_lone_surrogates(tmp_path):
    row = {"games": np.int64(5), "win": np.float64(0.5)}
    odd = {"half a sign": "\ud800", "seed": np.uint8(7), "all": [None, True, {"a": 1}]}
    agent = PLAIN._replace(made="é \udcff", training=odd, history=(row,))
    loaded = through_a_file(agent._replace(rewards=np.array([1, 0, -1])), tmp_path)
    assert (loaded.made, loaded.training, loaded.history) == (agent.made, odd, (row,))
    assert loaded.rewards == (1, 0, -1)
    assert "é" in loaded.path.read_text("utf-8")


def test_one_sided_agent_is_saved_with_its_side(tmp_path):
    for agent in (PLAIN._replace(side=1, taught=1), PLAIN._replace(taught=1)):
        loaded = through_a_file(agent, tmp_path)
        first = (small.to_move == 1)[:, np.newaxis]
        assert same(loaded.policy, PLAIN.policy * first)
        assert same(loaded.Q, np.where(first, PLAIN.Q, 0.0))
        assert (loaded.side, loaded.taught) == (1, 1)
        with pytest.raises(AgentFileError, match="made for the first player only"):
            loaded.on(-1)


@pytest.mark.parametrize("method", ["td_afterstates", "double_q_learning"])
def test_negative_initial_values_are_saved(method, tmp_path):
    learner = learners.new(small, method, np.random.default_rng(3), initial=-0.25)
    agent = agents.to_agent(small, learner, "learner", "It begins.")
    assert same(through_a_file(agent, tmp_path)._replace(path=None), agent)
    # Learners of the second edition have −0 where there is no move.
    table = np.where(small.legal, -0.25, -0.0)
    rows = to_rows(small, table)
    assert same(from_rows(small, "Q", rows, table), np.where(small.legal, -0.25, 0.0))


def test_minimal_file_of_another_program_is_valid(tmp_path):
    rows = {
        small.string(s): dict.fromkeys(np.flatnonzero(small.legal[s]).astype(str), p)
        for s, p in enumerate(1 / np.maximum(small.count, 1))
        if not small.terminal[s]
    }
    path = tmp_path / "least.json"
    path.write_text(json.dumps({"format": "ttt agent", "policy": rows, **SIZE}))
    loaded = load(path)
    assert same(loaded.policy, uniform(small.legal))
    assert (loaded.rewards, loaded.history, loaded.training) == ((1, 0, -1), (), {})


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "cut short, damaged, or not an agent"),
        (b"[" * 100_000, "cut short, damaged, or not an agent"),
        (b'{"a": 1}', "it is not an agent of ttt_lib"),
        (b'{"a": NaN}', "it has NaN, which is not a number in JSON"),
        (b'{"a": 1, "b": 2, "a": 3}', "it has the key 'a' twice in one object"),
        (b'{"format": "ttt agent", "version": 3, "agent": {}}', "newer edition"),
    ],
)
def test_foreign_file_is_rejected(data, words, tmp_path):
    (tmp_path / "foreign.json").write_bytes(data)
    with pytest.raises(AgentFileError, match=words):
        load(tmp_path / "foreign.json")


def put(*names, **change):
    """Return a change of the object that has these names in a file."""
    return lambda whole: functools.reduce(getitem, names, whole).update(change)


def row(table, board, row):
    return put(table, **{board: row})


MERSENNE = learners._to_json(np.random.Generator(np.random.MT19937(1)))
PHILOX = learners._to_json(np.random.Generator(np.random.Philox(1)))
INCOMPLETE = "its learner is incomplete, or a value in it is not valid."
FAULTS = [
    (row("policy", "XO..", {"2": 0.5}), "adds up to 0.5"),
    (row("policy", "XO..", {"2": 1.5, "3": -0.5}), "a number below 0"),
    (row("policy", "XO..", {"2": True}), "in its policy has True at cell 2, which"),
    (row("values", "XO..", {"2": None, "3": 0}), "has None at cell 2"),
    (row("values", "XO..", {"2": 10**308, "3": 0}), "2, which is out of range"),
    (row("policy", "XO..", {"0": 1.0}), "has the cell '0': free"),
    (row("values", "XO..", {"2": 1.0}), "in its values lacks a free"),
    (row("policy", "XO..", [0, 0, 1, 0]), "should be cell → number"),
    (row("policy", "O...", {"1": 1.0}), "X moves first"),
    (row("policy", "hello", {}), "a board in its policy is 'hello': "),
    (row("policy", "." * 150, {}), "has 4 cells, not 150."),
    (row("policy", "XOX.", {"3": 1.0}), "'XOX.': the game is over there"),
    (row("values", "xo__", {}), "'xo__': write it as XO.."),
    (lambda w: w["policy"].pop("X..."), "its policy should have X..., where O is"),
    (lambda w: w.pop("policy"), "it has no policy and no learner"),
    (put(policy=[]), "its policy should be board → c"),
    (put(polcy={}), "it has the unknown key 'polcy'"),
    (put(side="first"), "its side should be 1, -1 or 0"),
    (put(rows=2.0), "its rows should be a whole number"),
    (put(k=9), "9 in a row fit nowhere"),
    (put(name="\x1b[31mred"), "all of them printabl"),
    (put(rewards=[1, 0]), "should be 3 numbers"),
    (put(history=[{"win": 1}]), "each with games"),
    (put(training=[]), "its training should be"),
    (put(training={"opponent": 5}), "its opponent should be a string"),
]
OF_LEARNERS = [
    (put(policy={}), "it has a learner, so leave out policy"),
    (put(learner=3), "its learner should be name → value"),
    (put("learner", method="by heart"), "method = 'by heart': choose from"),
    (lambda w: w["learner"].pop("tables"), INCOMPLETE),
    (lambda w: w["learner"]["tables"].pop("Q1"), INCOMPLETE),
    (lambda w: w["learner"]["tables"]["visits"].update({"....": 0.5}),
     "the row of .... in its visits has 0.5, which is not a count"),
    (lambda w: w["learner"]["tables"]["updates"].update({"....": {"1": -1}}),
     "has -1 at cell 1, which is not a count"),
    (put("learner", games=-5), "games = -5"),
    (put("learner", "alpha", start=7.0), "alpha = 7"),
    (put("learner", "epsilon", kind=1, rate=0.0), "a rate of 0"),
    (put("learner", "alpha", kind=99), "alpha.kind = 99"),
    (put("learner", rewards=[1, 0]), "rewards"),
    (put("learner", total_reward=[0.0]), "total_reward"),
    (put("learner", rng={"bit_generator": "Generator"}), "is not a generator"),
    (put("learner", rng=MERSENNE | {"state": MERSENNE["state"] | {"key": [1, 2]}}), ""),
    # Without a check these two read beyond a buffer or crash the interpreter.
    (put("learner", rng=MERSENNE | {"state": MERSENNE["state"] | {"pos": 700}}),
     "pos = 700"),
    (put("learner", rng=PHILOX | {"buffer_pos": -1}), "buffer_pos = -1"),
]  # fmt: skip
LEARNED = learned()


FAULTY = [(PLAIN, *fault) for fault in FAULTS]
FAULTY += [(LEARNED, *fault) for fault in OF_LEARNERS]


@pytest.mark.parametrize(("agent", "change", "words"), FAULTY)
def test_invalid_agent_file_raises_one_line_error(agent, change, words, tmp_path):
    whole, path = json.loads(io.to_json(agent)), tmp_path / "bad.json"
    change(whole)
    path.write_text(json.dumps(whole), "utf-8")
    with pytest.raises(AgentFileError, match=r"cannot be used") as caught:
        load(path)
    message = str(caught.value).removeprefix(f"{path} cannot be used: ")
    assert words in message
    assert message.endswith(".")
    assert "\n" not in message
    assert len(message) < 400


def test_missing_file_folder_and_oversized_file_are_rejected(tmp_path):
    path = tmp_path / "none.json"
    with pytest.raises(FileNotFoundError, match=re.escape(f"no file {path}.")):
        load(path)
    with pytest.raises(AgentFileError, match="it is not a regular file"):
        load(tmp_path)
    with path.open("wb") as stream:
        stream.truncate(io.MAX_BYTES + 1)  # a sparse file
    with pytest.raises(AgentFileError, match="larger than any agent, 100,000,000 b"):
        load(path)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"policy": uniform(small.legal) / 2}, "adds up to 0.5"),
        ({"policy": np.full(Q.shape, 1 / 4)}, "has the cell '0': free"),
        ({"Q": Q * np.nan}, "Q has entries that are infinite"),
        ({"Q": np.zeros((5478, 9))}, "shape"),
        ({"training": {"rng": np.random.default_rng()}}, "JSON"),
        ({"history": ({"games": np.nan},)}, "NaN, which is not a number"),
        ({"name": "\n"}, "all of them printable"),
        ({"policy": None, "made": ""}, "A person has no policy"),
    ],
)
def test_invalid_agent_is_not_saved(change, words, tmp_path):
    path = through_a_file(PLAIN, tmp_path).path
    before = path.read_bytes()
    with pytest.raises(ValueError, match=words) as caught:
        save(PLAIN._replace(**change), path)
    assert str(caught.value).startswith(f"{path} was not written: ")
    assert path.read_bytes() == before
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.slow
@settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=50)
@given(st.data())
def test_damaged_file_raises_or_gives_a_valid_policy(tmp_path, data):
    whole = io.to_json(learned("q_learning")).encode()
    damaged = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(whole) - 1))
        damaged[at] ^= data.draw(st.integers(1, 255))
    path = tmp_path / "damaged.json"
    path.write_bytes(damaged)
    try:
        policy = load(path).policy
    except ValueError as fault:
        assert str(fault).startswith(str(path))
    else:
        assert policy.sum(axis=1)[~small.terminal] == pytest.approx(1)


@pytest.mark.slow
@pytest.mark.parametrize(
    "step", ["pathlib.Path.replace", pytest.param("os.fsync", marks=pytest.mark.long)]
)
def test_killed_process_leaves_the_old_file(tmp_path, step):
    path = tmp_path / "agent.json"
    save(PLAIN, path)
    program = (
        "import os, pathlib, sys\n"
        "from ttt_lib import agents\n"
        f"{step} = lambda *_: os._exit(9)\n"
        "agent = agents.load(sys.argv[1])\n"
        "agents.save(agent._replace(name='another'), sys.argv[1])\n"
    )
    killed = subprocess.run([sys.executable, "-c", program, path], check=False)
    assert killed.returncode == 9
    assert load(path).name == "mine"
    link = tmp_path / "link.json"
    link.symlink_to(path)
    save(PLAIN._replace(name="another"), link)
    assert link.is_symlink()
    assert load(path).name == "another"


# Earlier editions: `first_edition` holds files of 0.1, and SHA-256 checksums of the
# tables after 1,000 more games with its own code; `second_edition` two files of 0.2.

FIRST = Path(__file__).parent / "data" / "first_edition"
SECOND = FIRST.with_name("second_edition")
AFTER = json.loads((FIRST / "after_1000_games.json").read_text("utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize("name", AFTER)
def test_learner_of_version_0_1_resumes_bit_identically(name):
    with warnings.catch_warnings(record=True, action="always") as caught:
        agent = load(FIRST / f"{name}.json")
        run = train.go_on(game, str(FIRST / f"{name}.json"))
    halved = ["double comes from the first edition"] * 2 if name == "double" else []
    assert [str(each.message).partition(",")[0] for each in caught] == halved
    run = train.prepare(game, run, 1000)
    assert not train.run(game, run, Screen(), watched=False)
    against = opponent(game, agent.training["opponent"])
    side = agent.training.get("side", 0)
    learner = learners.adapter(agent.learner).train(game, 1000, against, side)
    for one in (learner, run.learner):
        assert AFTER[name] == {
            table: hashlib.sha256(getattr(one, table).tobytes()).hexdigest()
            for table in AFTER[name]
        }
    after = train.to_agent(game, run, FIRST / "after.json")
    if "teacher" in name:
        assert agent.training["opponent"] == "teacher 0.9 lowest"
    assert after.history[0] == agent.history[0]
    assert after.history[-1]["games"] == agent.history[-1]["games"] + 1000


@pytest.mark.slow
@pytest.mark.parametrize("name", ["snapshot-1000", "menace-100", "best-against-random"])
def test_agent_of_version_0_2_loads_unchanged(name):
    loaded = load(SECOND / f"{name}.json")
    as_now = loaded._replace(path=None, rewards=load(name).rewards)  # ints, or floats
    assert same(as_now, load(name))


def test_policy_and_values_of_version_0_2_load_unchanged(tmp_path):
    sarsa, path = load("sarsa"), tmp_path / "sarsa.json"

    def packed(array):
        data = zlib.compress(np.ascontiguousarray(array[game.legal]).tobytes())
        return {"axes": "SA", "type": "<f8", "data": base64.b64encode(data).decode()}

    agent = json.loads((SECOND / "best-against-random.json").read_bytes())
    agent["agent"]["arrays"] = {"policy": packed(sarsa.policy), "Q": packed(sarsa.Q)}
    path.write_text(json.dumps(agent))
    assert same(load(path).policy, sarsa.policy)
    assert same(load(path).Q, sarsa.Q)
    agent["agent"]["arrays"]["Q"]["data"] = "!" + packed(sarsa.Q)["data"]
    path.write_text(json.dumps(agent))
    with pytest.raises(AgentFileError, match="is incomplete, or a value in it is"):
        load(path)
    # `ttt export` of 0.2 wrote policies in another format.
    save(sarsa._replace(learner=None), path)
    now = json.loads(path.read_bytes())
    path.write_text(json.dumps(now | {"format": "ttt policy", "version": 1}))
    assert same(load(path).policy, sarsa.policy)
    path.write_text(json.dumps(now | {"format": "ttt policy", "version": 2}))
    with pytest.raises(AgentFileError, match="this one knows up to 1"):
        load(path)


def test_file_of_version_0_2_cannot_exhaust_memory(tmp_path):
    whole, path = json.loads((SECOND / "menace-100.json").read_bytes()), tmp_path / "b"
    for array in [*whole["agent"]["arrays"].values()][:1]:
        array["data"] = base64.b64encode(zlib.compress(bytes(10**8))).decode()
    path.write_text(json.dumps(whole))
    with pytest.raises(AgentFileError, match="a size that does not fit its board"):
        load(path)
    whole["agent"].pop("arrays")
    path.write_text(json.dumps(whole))
    with pytest.raises(AgentFileError, match="is incomplete, or a value in it is"):
        load(path)
