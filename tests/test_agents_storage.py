"""Files of agents: what goes in comes out, and what is not whole is refused."""

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from common import game, same
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ttt_lib import agents
from ttt_lib.agents import storage
from ttt_lib.agents.storage import Agent, load, load_shipped, save, shipped
from ttt_lib.game import tables
from ttt_lib.policy import greedy, uniform

small = tables(2, 3, 3)
rng = np.random.default_rng(1)
Q = np.where(small.legal, rng.normal(size=small.legal.shape), 0.0)
SIZE = {"rows": 2, "columns": 3, "k": 3}
LEARNER = Agent(
    name="pupil",
    made="Sarsa against itself: 500 games, ε = 0.1.",
    side=-1,
    policy=greedy(Q, small.legal) * (small.to_move == -1)[:, None],
    Q=Q,
    V=rng.normal(size=len(small.code)),
    tables={
        "visits": rng.integers(0, 10**12, small.legal.shape) * small.legal,
        "Q_2": Q / 3,
    },
    rewards=(500, 0, -3500),
    gamma=0.9,
    history=({"games": 0, "win": 0.25}, {"games": 500, "win": 1 / 3}),
    hyperparameters={
        "alpha": 0.1,
        "episodes": 500,
        "schedule": [1, 0.5],
        "generator": np.random.default_rng(3).bit_generator.state,
    },
    **SIZE,
)
NEGATIVE = uniform(small.legal)
NEGATIVE[1, [1, 2]] += [1, -1]  # adds up to 1 all the same
quick = settings(deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("agents") / "pupil.json"
    save(LEARNER, path)
    return path


def test_what_goes_in_comes_out(file, tmp_path):
    assert same(load(file), LEARNER)
    for agent in (
        Agent("random", "No thought.", policy=uniform(game.legal)),
        Agent("values", "Solved.", V=np.arange(5478), gamma=1.0),
        Agent("nothing but a name", ""),
    ):
        save(agent, tmp_path / "some.json")
        assert same(load(tmp_path / "some.json"), agent)


@quick
@given(
    st.sampled_from([-1, 0, 1]),
    st.floats(0, 1),
    st.text(max_size=255).filter(str.isprintable),
    st.dictionaries(st.text(), st.floats(allow_nan=False, allow_infinity=False)),
    st.integers(0, 99),
)
def test_all_that_an_agent_may_hold_comes_out(tmp_path, side, gamma, text, many, seed):
    V = np.random.default_rng(seed).normal(size=len(small.code)) * 10.0**seed
    agent = Agent(text, text, side, V=V, gamma=gamma, hyperparameters=many, **SIZE)
    save(agent, tmp_path / "some.json")
    assert same(load(tmp_path / "some.json"), agent)


@pytest.mark.parametrize("more", [-1, 0, 1, 70])
def test_what_a_file_has_room_for_is_kept_and_of_more_the_beginning_and_end(more):
    name, made = "n" * (storage.LONGEST_NAME + more), "x" * storage.LONGEST_STORY
    told = LEARNER._replace(name=name, made=f"{made[3:]}the end"[-len(made) - more :])
    kept = storage.within_bounds(told)
    assert kept.name == name[: storage.LONGEST_NAME]
    assert len(kept.made) <= storage.LONGEST_STORY
    assert kept.made[-7:] == "the end"
    assert more > 0 or kept.made == told.made


def test_a_history_has_as_many_rows_as_it_may_and_no_more(monkeypatch, tmp_path):
    monkeypatch.setattr(storage, "MOST_ROWS", len(LEARNER.history))
    save(LEARNER, tmp_path / "a.json")
    assert same(load(tmp_path / "a.json").history, LEARNER.history)
    monkeypatch.setattr(storage, "MOST_ROWS", len(LEARNER.history) - 1)
    with pytest.raises(ValueError, match="its history should have"):
        save(LEARNER, tmp_path / "b.json")


@pytest.mark.parametrize("n", [0, 1, 9, 10, 11, 23, 200])
def test_a_long_history_keeps_its_ends_and_no_fewer_rows_than_half_of_the_room(
    n, monkeypatch
):
    monkeypatch.setattr(storage, "MOST_ROWS", 10)
    rows = tuple({"games": i} for i in range(n))
    kept = storage.within_bounds(LEARNER._replace(history=rows)).history
    assert len(kept) >= min(n, 5)
    assert len(kept) <= 10
    if n <= 10:
        assert kept == rows
    else:
        assert (kept[0], kept[-1]) == (rows[0], rows[-1])
        numbers = [row["games"] for row in kept]
        assert numbers == sorted(set(numbers))


def test_an_agent_is_of_the_usual_game_unless_it_says_otherwise():
    agent = Agent("somebody", "made by hand")
    storage.must_fit(agent, game)
    assert (agent.rewards, agent.gamma, agent.side) == ((1, 0, -1), 1, 0)


def test_an_agent_that_fills_its_room_is_written(tmp_path):
    name, made = "n" * storage.LONGEST_NAME, "x" * storage.LONGEST_STORY
    save(LEARNER._replace(name=name, made=made), tmp_path / "full.json")
    assert load(tmp_path / "full.json")[:2] == (name, made)


def test_a_learner_goes_on_where_it_stopped(file):
    state = load(file).hyperparameters["generator"]
    reloaded, unbroken = np.random.default_rng(), np.random.default_rng(3)
    reloaded.bit_generator.state = state
    assert (reloaded.random(9) == unbroken.random(9)).all()


def test_a_file_without_a_history_is_as_good_as_ever(file, tmp_path):
    path = tmp_path / "old.json"
    path.write_bytes(resealed(file, lambda fields: fields.pop("history")))
    assert same(load(path), LEARNER._replace(history=()))
    save(LEARNER._replace(history=()), path)
    assert "history" not in json.loads(path.read_bytes())["agent"]


def test_the_same_agent_gives_the_same_bytes(file, tmp_path):
    save(load(file), tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == file.read_bytes()


def test_a_person_can_read_who_it_is(file):
    shown = json.loads(file.read_text(encoding="utf-8"))
    assert (shown["format"], shown["version"]) == ("ttt_lib agent", 1)
    assert shown["agent"]["made"] == LEARNER.made
    assert shown["agent"]["hyperparameters"]["alpha"] == 0.1


def test_files_of_the_usual_board_are_small(tmp_path):
    save(Agent("random", "", policy=uniform(game.legal)), tmp_path / "some.json")
    assert (tmp_path / "some.json").stat().st_size < 10_000
    Q = rng.normal(size=game.legal.shape) * game.legal  # 16,167 numbers without order
    save(Agent("noise", "", Q=Q), tmp_path / "some.json")
    assert (tmp_path / "some.json").stat().st_size < 16_167 * 8 * 4 / 3 + 2_000


# Refused: files


def resealed(file, change):
    """Return the bytes of a file with changed fields and a checksum that fits them."""
    whole = json.loads(file.read_bytes())
    change(whole["agent"])
    text = json.dumps(whole["agent"], sort_keys=True)
    whole["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    return json.dumps(whole).encode()


def with_array(name, change):
    """Return a change of fields that edits the numbers of one array."""

    def edit(fields):
        array = fields["arrays"][name]
        raw = zlib.decompress(base64.b64decode(array["data"]))
        numbers = change(np.frombuffer(raw, array["type"]).copy())
        array["data"] = base64.b64encode(zlib.compress(numbers.tobytes())).decode()

    return edit


def put(index, value):
    def change(numbers):
        numbers[index] = value
        return numbers

    return change


ALTERED = {
    "probabilities": (
        with_array("policy", lambda numbers: numbers * 0.5),
        "the probabilities of its policy should add up to 1",
    ),
    "negative": (
        with_array("policy", lambda numbers: NEGATIVE[small.legal]),
        "the probabilities of its policy should add up to 1",
    ),
    "not a number": (with_array("Q", put(3, np.nan)), "its Q should hold finite"),
    "infinite": (with_array("V", put(0, np.inf)), "its V should hold finite"),
    "too short": (
        with_array("V", lambda numbers: numbers[:-1]),
        "size that does not fit its board",
    ),
    "too long": (
        with_array("Q", lambda numbers: np.append(numbers, 0)),
        "size that does not fit its board",
    ),
    "a bomb": (
        with_array("Q", lambda numbers: np.zeros(10**7)),
        "size that does not fit its board",
    ),
    "another board": (
        lambda fields: fields.update(columns=4),
        "size that does not fit its board",
    ),
    "no board": (
        lambda fields: fields.update(k=9),
        "9 in a row fit nowhere on a board of 2 × 3 cells",
    ),
    "side": (lambda fields: fields.update(side=2), "its side should be 1, -1 or 0"),
    "side with a point": (lambda f: f.update(side=1.0), "its side should be 1, -1 or"),
    "side as an answer": (lambda f: f.update(side=True), "its side should be 1, -1"),
    "rewards": (lambda f: f.update(rewards=[1, 0]), "three finite numbers"),
    "reward": (lambda f: f.update(rewards=[1, 0, "x"]), "three finite numbers"),
    "gamma": (lambda f: f.update(gamma=1.5), "its gamma should be a number from 0"),
    "name": (lambda f: f.update(name=7), "should be texts"),
    "colours": (lambda f: f.update(name="\x1b[31mred"), "all of them printable"),
    "half a sign": (lambda f: f.update(name="\ud800"), "all of them printable"),
    "a long name": (lambda f: f.update(name="x" * 10**6), "up to 255 signs"),
    "a long story": (lambda f: f.update(made="x" * 10**6), "up to 5,000 signs"),
    "somebody": (
        lambda f: f["hyperparameters"].update(opponent=5),
        "its opponent should be a text",
    ),
    "rows without games": (
        lambda f: f.update(history=[{"x": 1}, {"x": 2}]),
        "should have rows of finite numbers, games among them",
    ),
    "a long history": (
        lambda f: f.update(history=[{"games": 0}] * 10_001),
        "up to 10,000 of them",
    ),
    "beyond measure": (with_array("Q", put(3, 1e200)), "its Q should hold finite"),
    "settings": (lambda f: f.update(hyperparameters=[]), "should be a dictionary"),
    "history": (lambda f: f.update(history=[3]), "should have rows of finite numbers"),
    "text as row": (
        lambda f: f.update(history=["ab"]),
        "should have rows of finite numbers",
    ),
    "no history": (
        lambda f: f.update(history=3),
        "does not hold what makes an agent",
    ),
    "left out": (lambda f: f.pop("made"), "does not hold what makes an agent"),
    "unknown": (lambda f: f.update(age=3), "does not hold what makes an agent"),
    "no arrays": (lambda f: f.update(arrays=3), "does not hold what makes an agent"),
    "not packed": (
        lambda f: f["arrays"]["Q"].update(data="AAAA"),
        "does not hold what makes an agent",
    ),
    "not base64": (
        lambda f: f["arrays"]["Q"].update(data="A"),
        "does not hold what makes an agent",
    ),
    "a kind to run": (
        lambda f: f["arrays"]["Q"].update(type="|O"),
        "does not hold what makes an agent",
    ),
    "policy of values": (
        lambda f: f["arrays"].update(policy=f["arrays"]["V"]),
        "its policy should be an array of numbers for",
    ),
}


@pytest.mark.parametrize(("change", "sentence"), ALTERED.values(), ids=ALTERED)
def test_a_tampered_file_is_refused_though_its_checksum_fits(
    file, tmp_path, change, sentence
):
    path = tmp_path / "tampered.json"
    path.write_bytes(resealed(file, change))
    with pytest.raises(ValueError, match=sentence) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path} cannot be used: ")
    assert str(caught.value).count(". ") == 0, "one sentence"


def test_resealing_alone_does_no_harm(file, tmp_path):
    (tmp_path / "same.json").write_bytes(resealed(file, lambda fields: None))
    assert same(load(tmp_path / "same.json"), LEARNER)


FOREIGN = {
    "empty": (b"", "cut short, damaged, or no agent"),
    "text": (b"Dear agent", "cut short, damaged, or no agent"),
    "pickle": (b"\x80\x04\x95", "cut short, damaged, or no agent"),
    "deep": (b"[" * 100_000, "cut short, damaged, or no agent"),
    "other JSON": (b'{"a": 1}', "it is no agent of ttt_lib"),
    "a list": (b"[1, 2]", "it is no agent of ttt_lib"),
}


@pytest.mark.parametrize(("data", "sentence"), FOREIGN.values(), ids=FOREIGN)
def test_a_foreign_file_is_refused(tmp_path, data, sentence):
    (tmp_path / "foreign.json").write_bytes(data)
    with pytest.raises(ValueError, match=sentence):
        load(tmp_path / "foreign.json")


def test_a_newer_file_is_refused_by_its_version(file, tmp_path):
    whole = json.loads(file.read_bytes()) | {"version": 2, "agent": "of the future"}
    (tmp_path / "newer.json").write_text(json.dumps(whole), encoding="utf-8")
    with pytest.raises(ValueError, match=r"newer edition \(format 2; .*: update ttt_l"):
        load(tmp_path / "newer.json")


def test_a_file_without_a_version_is_of_the_first(file, tmp_path):
    whole = json.loads(file.read_bytes())
    assert whole.pop("version") == 1
    (tmp_path / "first.json").write_text(json.dumps(whole), encoding="utf-8")
    assert same(load(tmp_path / "first.json"), LEARNER)


def test_an_edited_file_is_refused(file, tmp_path):
    text = file.read_text(encoding="utf-8").replace('"alpha": 0.1', '"alpha": 0.2')
    (tmp_path / "edited.json").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="changed after it was saved"):
        load(tmp_path / "edited.json")


def test_a_file_of_more_than_50_million_bytes_is_refused(tmp_path):
    path = tmp_path / "large.json"
    with path.open("wb") as stream:
        stream.truncate(50_000_001)  # of which the disk keeps nothing
    with pytest.raises(ValueError, match="larger than any agent, 50,000,000 bytes"):
        load(path)


def test_a_missing_file_is_named_and_a_folder_is_none(tmp_path):
    path = tmp_path / "none.json"
    with pytest.raises(FileNotFoundError, match=re.escape(f"no file {path}.")):
        load(path)
    for path in (tmp_path, "/dev/null"):
        with pytest.raises(
            ValueError, match=f"{path} cannot be used: it is a folder, or"
        ):
            load(path)


def test_what_has_grown_too_long_is_shortened_and_kept(file, tmp_path):
    rows = tuple({"games": n} for n in range(25_001))
    long = LEARNER._replace(
        name="\a" + "x" * 300, made="So " + "y" * 9000, history=rows
    )
    with pytest.raises(ValueError, match="its name should"):
        save(long, tmp_path / "long.json")
    save(storage.within_bounds(long), tmp_path / "long.json")
    kept = load(tmp_path / "long.json")
    assert kept.name == "x" * 255
    assert kept.made.startswith("So y")
    assert (kept.history[0], kept.history[-1]) == (rows[0], rows[-1])
    games = [row["games"] for row in kept.history]
    assert games == sorted(set(games))
    assert 5_000 < len(games) <= 10_000
    assert storage.within_bounds(LEARNER) == LEARNER


def test_a_file_that_is_made_anew_replaces_none_and_a_link_stays(tmp_path):
    path, link = tmp_path / "pupil.json", tmp_path / "link.json"
    save(LEARNER, path, anew=True)
    another = LEARNER._replace(name="another")
    with pytest.raises(FileExistsError):
        save(another, path, anew=True)
    assert same(load(path), LEARNER)
    link.symlink_to(path)
    save(another, link)
    assert link.is_symlink()
    assert same(load(path), another)
    assert {each.name for each in tmp_path.iterdir()} == {path.name, link.name}


def test_without_links_between_files_a_new_one_is_made_too(tmp_path, monkeypatch):
    def refused(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    save(LEARNER, tmp_path / "pupil.json", anew=True)
    with pytest.raises(FileExistsError):
        save(LEARNER._replace(name="another"), tmp_path / "pupil.json", anew=True)
    assert same(load(tmp_path / "pupil.json"), LEARNER)
    assert [file.name for file in tmp_path.iterdir()] == ["pupil.json"]


@quick
@given(st.data())
def test_damage_never_gives_another_agent(file, tmp_path, data):
    whole = file.read_bytes()
    place = st.integers(0, len(whole) - 1)
    if data.draw(st.booleans()):
        damaged = bytearray(whole)
        for _ in range(data.draw(st.integers(1, 3))):
            # Half of the damage at the head, where the words are.
            at = data.draw(st.one_of(st.integers(0, 900), place))
            damaged[at] ^= data.draw(st.integers(1, 255))
    else:
        damaged = whole[: data.draw(place)]
    path = tmp_path / "damaged.json"
    path.write_bytes(damaged)
    try:
        found = load(path)
    except ValueError as fault:
        assert str(fault).startswith(str(path))
    else:
        assert same(found, LEARNER)


# Refused: agents

WRONG = {
    "probabilities": ({"policy": uniform(small.legal) / 2}, "should add up to 1"),
    "a hole": ({"policy": 0 * Q, "side": 0}, "should add up to 1"),
    "the other side only": ({"side": +1}, "should add up to 1"),
    "half a side": (
        {
            "policy": np.where(small.to_move[:, None] == 1, 0.5, 1)
            * uniform(small.legal)
        },
        "should add up to 1",
    ),
    "illegal cells": (
        {"policy": np.full(Q.shape, 1 / 6)},
        "its policy should be 0 at illegal cells",
    ),
    "optimistic cells": ({"Q": np.ones(Q.shape)}, "its Q should be 0 at illegal cells"),
    "negative": ({"policy": NEGATIVE}, "should add up to 1"),
    "not a number": ({"Q": Q * np.nan}, "its Q should hold finite numbers"),
    "another board": ({"Q": np.zeros((5478, 9))}, "its Q should be an array of number"),
    "flat": ({"Q": np.zeros(len(small.code))}, "its Q should be an array of numbers"),
    "objects": ({"V": np.array([None] * len(small.code))}, "its V should be an array"),
    "hidden": ({"tables": {"Q": Q}}, "should not stand among its tables"),
    "generator": ({"hyperparameters": {"rng": rng}}, "should be a dictionary of"),
    "infinite": ({"hyperparameters": {"alpha": np.inf}}, "should be a dictionary of"),
    "tuple": ({"hyperparameters": {"alpha": (1, 2)}}, "should be a dictionary of"),
    "number as name": ({"hyperparameters": {1: 2}}, "should be a dictionary of"),
    "a word in a row": ({"history": ({"games": "many"},)}, "should have rows of fin"),
    "a hole in a row": ({"history": ({"win": np.nan},)}, "should have rows of finite"),
    "a list in a row": ({"history": ({"win": [1]},)}, "should have rows of finite"),
    "gamma": ({"gamma": float("nan")}, "its gamma should be a number from 0 to 1"),
    "rewards": ({"rewards": (1, 0, np.nan)}, "should be three finite numbers"),
    "no row of rewards": ({"rewards": [[1], [1, 2]]}, "should be three finite numbers"),
    "ragged gamma": ({"gamma": [[1], [1, 2]]}, "its gamma should be a number from 0"),
    "no history": ({"history": 5}, "should have rows of finite numbers"),
    "no tables": ({"tables": 5}, "its tables should be a dictionary"),
    "a table without a name": ({"tables": {5: 0 * Q}}, "should be a dictionary, name"),
    "no board": ({"rows": [3]}, r"rows = \[3\]: give a whole number"),
    "infinite in few bits": (
        {"Q": np.where(small.legal, np.inf, 0).astype("f4")},
        "its Q should hold finite numbers",
    ),
    "hidden numbers": (
        {"Q": np.ma.array(Q, mask=~small.legal)},
        "its Q should be an array of numbers",
    ),
    "sums in few bits": (
        {"policy": uniform(small.legal).astype("f4"), "side": 0},
        "should add up to 1",
    ),
    "two sides": ({"side": np.array([1, 0])}, "its side should be 1, -1 or 0"),
}


@pytest.mark.parametrize(("change", "sentence"), WRONG.values(), ids=WRONG)
def test_an_agent_that_would_not_load_is_not_written(tmp_path, change, sentence):
    path = tmp_path / "pupil.json"
    save(LEARNER, path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=sentence) as caught:
        save(LEARNER._replace(**change), path)
    assert str(caught.value).startswith(f"{path} was not written: ")
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["pupil.json"]


def test_one_side_may_be_left_empty_or_filled(tmp_path):
    for policy in (LEARNER.policy, greedy(Q, small.legal)):
        save(LEARNER._replace(policy=policy), tmp_path / "some.json")


# Interrupted


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("fault", [OSError("disk full"), KeyboardInterrupt()])
def test_an_interrupted_write_leaves_the_old_file_and_no_litter(
    tmp_path, monkeypatch, step, fault
):
    path = tmp_path / "pupil.json"
    save(LEARNER, path)

    def fail(*_):
        raise fault

    if step == "fsync":
        monkeypatch.setattr(os, "fsync", fail)
    else:
        monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(type(fault)):
        save(LEARNER._replace(name="another"), path)
    assert same(load(path), LEARNER)
    assert [file.name for file in tmp_path.iterdir()] == ["pupil.json"]


@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.replace"])
def test_a_process_killed_in_mid_write_leaves_the_old_file(tmp_path, step):
    path = tmp_path / "pupil.json"
    save(LEARNER, path)
    program = (
        "import os, pathlib, sys\n"
        "from ttt_lib.agents import storage\n"
        f"{step} = lambda *_: os._exit(9)\n"
        "agent = storage.load(sys.argv[1])\n"
        "storage.save(agent._replace(name='another'), sys.argv[1])\n"
    )
    killed = subprocess.run([sys.executable, "-c", program, path], check=False)
    assert killed.returncode == 9
    assert same(load(path), LEARNER)
    save(LEARNER._replace(name="another"), path)
    assert load(path).name == "another"


# Programs that write a file in 50 pieces, with `between_pieces` after each.
WRITER = """
import os, signal, sys, time
from pathlib import Path
from ttt_lib.agents import storage


class InPieces:
    def __init__(self, file):
        self.file = file

    def __enter__(self):
        return self

    def __exit__(self, *fault):
        self.file.close()

    def write(self, data):
        for done in range(50):
            start, end = len(data) * done // 50, len(data) * (done + 1) // 50
            self.file.write(data[start:end])
            self.file.flush()
            between_pieces(done)

    def __getattr__(self, name):
        return getattr(self.file, name)


def in_pieces(path, mode="r", *more, open=Path.open):
    file = open(path, mode, *more)
    return file if mode.startswith("r") else InPieces(file)


Path.open = in_pieces
path = Path(sys.argv[1])
one = storage.load(path)
other = one._replace(name="another", made=one.made * 20)
made = {one.name: one.made, other.name: other.made}


def read():
    found = storage.load(path)  # raises if it is not whole
    assert made[found.name] == found.made
    return found.name
"""
KILLED = """
def between_pieces(done):
    if done == last:
        os.kill(os.getpid(), signal.SIGKILL)


new = path.with_name("new.json")
for last in range(50):
    for place, anew in ((path, False), (new, True)):
        child = os.fork()
        if child == 0:
            storage.save(other, place, anew)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == signal.SIGKILL
        assert read() == one.name
        assert not new.exists()
last = None
storage.save(other, path)
assert read() == other.name
"""
AT_ONCE = """
def between_pieces(done):
    time.sleep(0.0002)


stop, parent = path.with_name("stop"), os.getpid()
children = []
for agent in (one, other):
    children.append(os.fork())
    if children[-1] == 0:
        while not stop.exists() and os.getppid() == parent:
            storage.save(agent, path)
        os._exit(0)
seen = []
while len(seen) < 100 or len(set(seen)) < 2:
    seen.append(read())
    assert len(seen) < 10_000
stop.touch()
assert [os.waitpid(child, 0)[1] for child in children] == [0, 0]
read()
assert {file.name for file in path.parent.iterdir()} == {path.name, "stop"}
"""
# A file may not grow beyond 1,000 bytes, and then writing fails as on a full disk.
FULL = """
import resource


def between_pieces(done):
    pass


resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    storage.save(other, path)
except OSError:
    assert read() == one.name
    assert [file.name for file in path.parent.iterdir()] == [path.name]
else:
    raise AssertionError("it was saved")
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.parametrize(
    "program", [KILLED, AT_ONCE, FULL], ids=["killed", "at once", "full"]
)
def test_a_file_is_whole_whatever_happens_to_who_writes_it(tmp_path, program):
    save(LEARNER, tmp_path / "pupil.json")
    command = [sys.executable, "-c", WRITER + program, tmp_path / "pupil.json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert load(tmp_path / "pupil.json").made.startswith(LEARNER.made)


# In use


def test_a_one_sided_agent_is_refused_as_the_other():
    assert agents.policy(small, LEARNER, -1) is LEARNER.policy
    for side in (+1, 0):
        with pytest.raises(ValueError, match=r"^pupil was made for the second player"):
            agents.policy(small, LEARNER, side)
    first = LEARNER._replace(side=+1)
    with pytest.raises(ValueError, match="made for the first player only"):
        agents.policy(small, first, -1)
    both = LEARNER._replace(side=0)
    for side in (+1, -1, 0):
        assert agents.policy(small, both, side) is LEARNER.policy


def test_an_agent_of_another_board_or_without_policy_is_refused():
    with pytest.raises(ValueError, match="3 in a row on 2 × 3 cells, not 3 in a row"):
        agents.policy(game, LEARNER, -1)
    with pytest.raises(ValueError, match="pupil has no policy: it cannot choose"):
        agents.policy(small, LEARNER._replace(policy=None, Q=None), -1)


def test_the_agents_of_the_book_are_there():
    assert set(shipped()) >= {"perfect", "best-against-random", "safe-and-greedy"}
    for name in shipped():
        agent = load_shipped(name)
        assert agent.name == name
        assert agents.policy(game, agent, agent.side).shape == game.legal.shape
    with pytest.raises(ValueError, match=r"name = 'pupil': the agents are .*perfect"):
        load_shipped("pupil")
