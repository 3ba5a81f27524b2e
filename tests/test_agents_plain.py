"""Policies as plain JSON: out and in to the bit, and a sentence for each fault."""

import json
import os

import numpy as np
import pytest
from common import same, taught_part, thinned
from hypothesis import given, settings
from hypothesis import strategies as st

from ttt_lib import agents, learning
from ttt_lib.agents import plain, storage
from ttt_lib.game import tables
from ttt_lib.policy import softmax, uniform

pytestmark = pytest.mark.slow

game, small = tables(), tables(2, 2, 2)
EMPTY = "." * 9


@pytest.mark.parametrize("name", thinned(storage.shipped(), 6))
def test_every_agent_comes_back_to_the_bit(name, tmp_path):
    path = tmp_path / "some.data"
    agents.write_policy(game, name, path)
    before, after = agents.player(game, name), agents.player(game, str(path))
    for one, other in ((after.policy, before.policy), (after.Q, before.Q)):
        if other is not None:
            one, other = taught_part(one, before), taught_part(other, before)
        assert same(one, other)
    assert after.taught == before.taught
    assert after.path == path
    assert after.learner is None
    if before.agent is not None:
        assert (after.name, after.agent.made) == (before.name, before.agent.made)


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-9, 1.0, 1e9]))
def test_numbers_come_back_to_the_bit(seed, size):
    rng = np.random.default_rng(seed)
    Q = np.where(small.legal, rng.normal(size=small.legal.shape) * size, 0.0)
    policy = softmax(Q, small.legal, size)
    text = plain.packed(small, "n", "m", 0, policy, Q)
    fields = plain.unpacked(json.loads(text))
    assert same(fields["policy"], policy)
    assert same(fields["Q"], Q)
    assert plain.packed(small, **{n: fields[n] for n in ("name", "made", "side")},
        policy=fields["policy"], Q=fields["Q"]) == text  # fmt: skip


def test_a_policy_of_one_side_is_written_with_the_values_of_that_side():
    first = (small.to_move == 1)[:, np.newaxis]
    Q = np.where(small.legal, 0.5, 0.0)
    text = plain.packed(small, "n", "m", 1, uniform(small.legal) * first, Q)
    whole = json.loads(text)
    assert whole["values"].keys() == whole["policy"].keys()
    assert same(plain.unpacked(whole)["Q"], Q * first)


def test_a_value_is_as_large_as_a_number_in_a_file_may_be():
    whole = of_two_by_two()
    whole["values"]["...."]["3"] = -plain.LARGEST
    assert plain.unpacked(whole)["Q"][0, 3] == -plain.LARGEST


def test_another_program_can_read_it(tmp_path):
    agents.write_policy(game, "sarsa", tmp_path / "sarsa.json")
    whole = json.loads((tmp_path / "sarsa.json").read_text(encoding="utf-8"))
    agent = storage.load_shipped("sarsa")
    assert (whole["name"], whole["side"], whole["rows"]) == ("sarsa", 0, 3)
    for s in np.flatnonzero(~game.terminal):
        board = "".join("O.X"[mark + 1] for mark in game.board[s])
        assert sum(whole["policy"][board].values()) == pytest.approx(1)
        for a in np.flatnonzero(game.legal[s]):
            assert whole["policy"][board].get(str(a), 0) == agent.policy[s, a]
            assert whole["values"][board][str(a)] == agent.Q[s, a]
    assert len(whole["policy"]) == len(whole["values"]) == 4520


def test_the_least_that_another_program_must_write(tmp_path):
    rows = {
        game.string(s): {
            str(a): 1 / game.count[s] for a in np.flatnonzero(game.legal[s])
        }
        for s in np.flatnonzero(~game.terminal)
    }
    path = tmp_path / "least.json"
    path.write_text(json.dumps({"format": "ttt policy", "policy": rows}), "utf-8")
    assert same(agents.policy(game, str(path)), uniform(game.legal))
    first = {b: row for b, row in rows.items() if b.count("X") == b.count("O")}
    whole = {"format": "ttt policy", "side": 1, "policy": first}
    path.write_text(json.dumps(whole), "utf-8")
    who = agents.player(game, str(path))
    assert who.side == 1
    with pytest.raises(agents.UnusableError, match="made for the first player only"):
        who.on(-1)


def test_a_policy_of_ones_own_and_of_a_learner_can_be_written(tmp_path):
    learner = learning.new_learner(game, "td_afterstates", np.random.default_rng(1))
    learner = learning.train(game, learner, 100)
    agents.write_policy(game, learner, tmp_path / "a.json", "It learned.")
    found = agents.player(game, str(tmp_path / "a.json"))
    assert same(found.Q, learning.action_values(game, learner))
    assert found.agent.made == "It learned."
    agents.write_policy(game, uniform(game.legal), tmp_path / "b.json")
    assert same(agents.policy(game, str(tmp_path / "b.json")), uniform(game.legal))
    with pytest.raises(ValueError, match="A person has no policy"):
        agents.write_policy(game, "person", tmp_path / "c.json")
    assert not (tmp_path / "c.json").exists()


# Refused


def of_two_by_two():
    """Return the JSON of an agent of a small board."""
    Q = np.where(small.legal, 0.5, 0.0)
    return json.loads(plain.packed(small, "n", "m", 0, uniform(small.legal), Q))


def put(table, board, row):
    return lambda whole: whole[table].update({board: row})


FAULTS = {
    "sum": (
        put("policy", "XO..", {"2": 0.5}),
        "the row of XO.. in its policy adds up to 0.5, and not to 1",
    ),
    "a bool": (
        put("policy", "XO..", {"2": True}),
        "the row of XO.. in its policy has True at cell 2, which is no number",
    ),
    "a text": (
        put("policy", "XO..", {"2": "1"}),
        "has 1 at cell 2, which is no number",
    ),
    "null": (put("values", "XO..", {"2": None, "3": 0}), "has None at cell 2"),
    "negative": (
        put("policy", "XO..", {"2": 1.5, "3": -0.5}),
        "the row of XO.. in its policy has 1.5 at cell 2, which is out of range",
    ),
    "huge": (
        put("values", "XO..", {"2": 10**308, "3": 0}),
        "the row of XO.. in its values has 1e+308 at cell 2, which is out of range",
    ),
    "occupied": (
        put("policy", "XO..", {"0": 1.0}),
        "the row of XO.. in its policy has the cell '0': free are 2, 3",
    ),
    "no cell": (put("values", "XO..", {"4": 1.0}), "has the cell '4': free are 2, 3"),
    "a cell lacks": (
        put("values", "XO..", {"2": 1.0}),
        "the row of XO.. in its values lacks cell",
    ),
    "no row": (put("policy", "XO..", [0, 0, 1, 0]), "should be cell → number"),
    "the other begins": (put("policy", "O...", {"1": 1.0}), "'O...': "),
    "cannot be": (
        put("policy", "XXX.", {"3": 1.0}),
        "a board in its policy is 'XXX.': ",
    ),
    "no board": (put("policy", "hello", {}), "a board in its policy is 'hello': "),
    "a long board": (put("policy", "." * 150, {}), "has 4 cells, not 150."),
    "over": (put("policy", "XOX.", {"3": 1.0}), "'XOX.': the game is over there"),
    "spelt otherwise": (put("values", "xo__", {}), "'xo__': write it as XO.."),
    "a board lacks": (
        lambda whole: whole["policy"].pop("X..."),
        "its policy should have X..., where O is to move",
    ),
    "values lack a board": (
        lambda whole: whole["values"].pop("...."),
        "its values should have ...., where X is to move",
    ),
    "no policy": (lambda whole: whole.pop("policy"), "it has no policy"),
    "a list": (
        lambda whole: whole.update(policy=[]),
        "its policy should be board → cell",
    ),
    "a slip": (
        lambda whole: whole.update(polcy={}),
        "it has 'polcy', as no policy has",
    ),
    "side": (lambda whole: whole.update(side="first"), "its side should be 1, -1 or 0"),
    "a side that is true": (
        lambda w: w.update(side=True),
        "its side should be 1, -1 or",
    ),
    "size": (lambda whole: whole.update(rows=2.0), "its rows should be a whole number"),
    "another size": (lambda whole: whole.update(rows=3), "a board in its policy is"),
    "no size": (lambda whole: whole.update(k=9), "9 in a row fit nowhere"),
    "name": (lambda whole: whole.update(name=3), "its name should be a text"),
    "later": (
        lambda whole: whole.update(version=2, symmetries=8),
        "it was made by a newer edition (format 2; this one knows up to 1): update",
    ),
}


@pytest.mark.parametrize(("change", "sentence"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_one_sentence(change, sentence, tmp_path):
    whole, path = of_two_by_two(), tmp_path / "bad.json"
    path.write_text(json.dumps(whole), "utf-8")
    assert storage.load(path).name == "n"
    change(whole)
    path.write_text(json.dumps(whole), "utf-8")
    with pytest.raises(agents.UnusableError, match=r"cannot be used") as caught:
        storage.load(path)
    told = str(caught.value).removeprefix(f"{path} cannot be used: ")
    assert sentence in told
    assert told.endswith(".")
    assert "\n" not in told
    assert len(told) < 300


RAW = {
    "not a number": ('{"2": NaN, "3": 0.5}', "it has NaN, which is no number in JSON"),
    "infinite": ('{"2": -Infinity}', "it has -Infinity, which is no number in JSON"),
    "beyond all": ('{"2": 1e999}', "has inf at cell 2, which is no number"),
    "a long number": (
        f'{{"2": {"9" * 5000}}}',
        "has inf at cell 2, which is no number",
    ),
    "twice": ('{"2": 0.5, "3": 0.5, "2": 0.5}', "it has '2' twice in one place"),
    "deep": ("[" * 100_000, "cut short, damaged, or no agent at all"),
}


@pytest.mark.parametrize(("row", "sentence"), RAW.values(), ids=RAW)
def test_what_json_itself_does_not_refuse(row, sentence, tmp_path):
    whole = json.dumps(of_two_by_two())
    whole = whole.replace('"XO..": {"2": 0.5, "3": 0.5}', f'"XO..": {row}', 1)
    assert row in whole
    (tmp_path / "bad.json").write_text(whole, "utf-8")
    with pytest.raises(agents.UnusableError, match="cannot be used") as caught:
        storage.load(tmp_path / "bad.json")
    assert sentence in str(caught.value)


def test_a_board_twice_and_a_file_without_end_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "bad.json"
    whole = json.dumps(of_two_by_two())
    path.write_text(whole.replace('"X...": ', '"....": ', 1), "utf-8")
    with pytest.raises(agents.UnusableError, match=r"it has '\.\.\.\.' twice"):
        storage.load(path)
    monkeypatch.setattr(storage, "MOST_BYTES", 1000)
    path.write_text(whole, "utf-8")
    with pytest.raises(
        agents.UnusableError, match="larger than any agent, 1,000 bytes"
    ):
        storage.load(path)


def test_a_bad_policy_replaces_no_file(tmp_path, monkeypatch):
    path = tmp_path / "mine.json"
    agents.write_policy(game, "perfect", path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="This is no policy"):
        agents.write_policy(game, uniform(game.legal) / 2, path)

    def full(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="disk full"):
        agents.write_policy(game, "random", path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["mine.json"]
