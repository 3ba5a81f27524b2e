"""The console program `ttt`, command by command, in this process."""

import ctypes
import importlib.metadata
import io
import json
import logging
import os
import re
import runpy
import subprocess
import sys
import threading
import time
import warnings
from _thread import interrupt_main
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import click
import matplotlib
import numpy as np
import pytest
from common import same
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from ttt_lib.agents.players import player

from ttt_lib import __main__, evaluation, learning, policy, runs, schedules
from ttt_lib.agents import learners, names, storage
from ttt_lib.console import (
    cli,
    history,
    keeping,
    screen,
    solving,
    terminal,
    training,
)
from ttt_lib.console import scores as console_scores
from ttt_lib.console.commands import book
from ttt_lib.game import tables

pytestmark = pytest.mark.slow

GAME = tables()
RANDOM = policy.uniform(GAME.legal)


@pytest.fixture
def ttt(tmp_path, monkeypatch, capsys):
    """Return a function that runs a command line in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)

    def run(line, typed=""):
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        status = cli.main(line.split())
        out, err = capsys.readouterr()
        return status, out, err

    return run


def result_of(ttt, line):
    status, out, err = ttt(line + " --json")
    assert (status, err) == (0, "")
    return json.loads(out)


# ---------------------------------------------------------------- all commands


def test_each_command_has_an_example_and_its_exit_statuses(ttt):
    for name, command in [("", cli.cli), *cli.cli.commands.items()]:
        status, out, _ = ttt(f"{name} --help")
        assert status == 0
        assert f"ttt {name}".strip() in out.split("Example:")[1]
        assert "Exit status: 0 done; 1 a problem" in out
        assert "130" in out
        assert command.help in (cli.cli.help, command.help)
        assert out.isascii()


def test_the_page_has_a_row_for_each_command():
    page = (Path(__file__).parents[1] / "book" / "console.md").read_text("utf-8")
    table = page.split("| Command | What it does |")[1].split("\n\n")[0]
    rows = re.findall(r"^\| `ttt (\w+)", table, re.M)
    assert sorted(rows) == sorted(cli.cli.commands)


@pytest.mark.parametrize(
    ("command", "methods"),
    [("train", learners.METHODS), ("solve", solving.METHODS)],
    ids=["train", "solve"],
)
def test_help_lists_every_method_and_what_it_does(ttt, command, methods):
    out = ttt(f"{command} --help")[1]
    listed = dict(re.findall(r"^  ([a-z_]+)\s+(\S.*)$", out, re.M))
    assert [name for name in listed if name in methods] == list(methods)
    for text in listed.values():
        assert len(text.split()) > 1


def test_help_and_version_wait_for_nothing():
    program = (
        "import sys; from ttt_lib.console.cli import main\n"
        "for line in ('--version', '--help', 'play --help', 'match --help'):\n"
        "    assert main(line.split()) == 0\n"
        "slow = {'numba', 'numpy', 'matplotlib', 'rich', 'scipy'}\n"
        "print('loaded:', sorted(slow & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "loaded: []" in done.stdout
    assert done.stdout.startswith("ttt, version 0.")


def test_the_version_is_known_where_nothing_is_installed(ttt, monkeypatch):
    installed = importlib.metadata.version("ttt-lib")

    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    assert ttt("--version") == (0, f"ttt, version {installed}\n", "")


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("play rndom", "do you mean random?"),
        ("match perfct random", "do you mean perfect"),
        ("play q_lerning", "new:q_learning"),
        ("play td_afterstates", "new:td_afterstates"),
        ("play zzzzzz", "`ttt agents` lists all"),
        ("play teacher:2", "as in teacher:0.9"),
        ("play teacher:x", "as in teacher:0.9"),
        ("play new:td_prediction", "does not play itself"),
        ("play random --learn", "random cannot learn"),
        ("play new:sarsa --save x.json", "it needs --learn"),
        ("play random --alpha 0.5", "--alpha is for a new learner"),
        ("play new:sarsa --alpha 2", "2.0 is not in the range 0<=x<=1"),
        ("play new:menace --alpha 0.5", "menace has no alpha"),
        ("play random --epsilon 3", "3.0 is not in the range 0<=x<=1"),
        ("play random --epsilon nan", "'nan' is not a valid number"),
        ("play new:sarsa --initial nan", "'nan' is not a valid number"),
        ("match person random", "A person has no policy"),
        ("show person", "A person has no policy"),
        ("show perfect --tests xo_/___/___", "shows all its boards"),
        ("train sarsa --games 1e9", "'1e9' is not a valid whole number"),
        ("train sarsa --rewards nan 0 0", "'nan' is not a valid number"),
        ("train sarsa --initial inf", "inf is not in the range"),
        ("train sarsa --alpha 2", "--alpha 2.0: give a finite number above 0 to 1"),
        ("train menace --side both", "Matchboxes play one side"),
        ("train menace --behaviour perfect", "menace has no behaviour"),
        ("solve value_iteration --theta nan", "'nan' is not a valid number"),
        ("solve value_iteration --theta -1", "-1.0 is not in the range x>=0"),
        ("solve value_iteration --rewards 1e308 0 0", "1e+308 is not in the range"),
        ("train sarsas", "do you mean sarsa"),
        ("train", "--from AGENT to go on"),
        ("train sarsa --from sarsa", "--from AGENT to go on"),
        ("train --from sarsa --seed 0", "AGENT holds its own"),
        ("train sarsa --opponent person", "A person has no policy"),
        ("train sarsa --opponent nobody", "no agent or file named nobody"),
        ("train sarsa --alpha fast", "'fast' is no schedule"),
        ("train sarsa --epsilon linear:1:0", "is no schedule"),
        ("train sarsa --epsilon linear:1:0:0", "games = 0.0: give a whole number"),
        ("train sarsa --epsilon linear:1:0:1e-320", "games = 1e-320: give a"),
        ("train sarsa --epsilon power:1:inf", "exponent = inf: give a finite number"),
        ("train sarsa --alpha nan", "nan: give a finite number"),
        ("train td_afterstates --n 99999999999999999999", "is not in the range 1<=x<"),
        ("train sarsa --lambda 0.5", "settings of TD methods"),
        ("train sarsa --games 1000000 --every 1", "more than 10,000 rows of history"),
        ("train minimax_q --side first", "leave --side out"),
        ("solve value", "do you mean value_iteration?"),
        ("solve value_iteration --gamma 2", "2.0 is not in the range 0<=x<=1"),
        ("solve minimax --gamma 0.5", "minimax has no --gamma"),
        ("solve minimax --against random", "minimax has no --against"),
        ("solve linear_solve --theta 1", "linear_solve has no --theta"),
        ("solve value_iteration --order sideways", "choose from 'synchronous'"),
        ("solve alpha_beta --order sideways", "'rising' or 'lines'"),
        ("show perfect xxx/___/___", "players take turns"),
        ("plot q-learning --output x.gif", ".png or .svg"),
        ("match perfect random --games 0", "0 is not in the range"),
        ("match perfect random --games 99999999999999999999999", "is not in the range"),
        ("train sarsa --games 99999999999999999999999", "and cannot see"),
        ("nothing", "No such command"),
        ("play --starts me", "is not one of 'you', 'it', 'lot'"),
        ("match perfect random --tides lowest", "--tides"),
        ("train sarsa --save .", "is a directory"),
        ("train sarsa --initial 1000000.5", "is not in the range"),
        ("train sarsa --initial -1000000.5", "is not in the range"),
        ("train " + "x" * 60, "x" * 60 + ":"),
        ("train " + "x" * 61, "x" * 60 + "...:"),
    ],
)
def test_wrong_use_is_one_sentence_and_status_2(ttt, line, hint):
    status, out, err = ttt(line)
    assert (status, out) == (2, "")
    assert hint in err
    assert err.count("\n") == 1
    command = line.split()[0]
    path = "" if command == "nothing" else f" {command}"
    assert err.startswith(f"ttt{path}: ")
    assert err.endswith(f" Help: ttt{path} --help\n")
    assert re.search(r"[^.?][.?] Help: ", err), "one stop"


def test_who_types_nothing_gets_the_help_and_status_2(ttt):
    status, out, err = ttt("")
    assert (status, out) == (2, "")
    assert err.rstrip() == ttt("--help")[1].rstrip()


@pytest.mark.parametrize(
    "line",
    ["match perfect random --seed 0", "play random --mark o", "show perfect --first x"],
)
def test_what_may_be_typed_so_too(ttt, line):
    status, _, err = ttt(line, "q\n")
    assert (status, err) == (0, "")


@pytest.mark.parametrize(
    ("text", "schedule"),
    [
        ("0.5", schedules.constant(0.5)),
        ("1/n", schedules.one_over_n()),
        ("linear:0.5:0:20", schedules.linear(0.5, 0, 20)),
        ("exponential:0.5:0.1:20", schedules.exponential(0.5, 0.1, 20)),
        ("power:0.5,0.6", schedules.power(0.5, 0.6)),
    ],
)
def test_a_schedule_is_typed_as_it_is_called(text, schedule):
    assert learners.read_schedule(text) == schedule
    with pytest.raises(ValueError, match="is no schedule"):
        learners.read_schedule(text + ":1")


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("show nobody.json", "There is no file nobody.json."),
        ("show cut.json", "cut short, damaged, or no agent at all"),
        ("play cut.json", "cut short, damaged, or no agent at all"),
        ("match cut.json random", "cut short, damaged, or no agent at all"),
        ("train --from cut.json", "cut short, damaged, or no agent at all"),
        ("show spoilt.json", "does not hold all that its learner needs"),
        ("train --from spoilt.json", "does not hold all that its learner needs"),
        (
            "show folder.json",
            "folder.json cannot be used: it is a folder, or something",
        ),
        ("play fifo.json", "fifo.json cannot be used: it is a folder, or something"),
        ("export sarsa fifo.json --force", "fifo.json is no file that could be repl"),
        ("solve solve --save fifo.json --force", "is no file that could be replaced"),
        ("play newer.json", "was made by a newer edition (format 99; this one knows"),
        ("play wide.json", "3 in a row on 2 × 3 cells"),
        ("play values.json", "no policy"),
        ("match values.json random", "no policy"),
        ("train sarsa --opponent values.json", "no policy"),
        ("train sarsa --games 1 --save cut.json", "--force replaces it"),
        ("train sarsa --games 1 --save no/where.json", "There is no folder"),
        ("solve solve --save cut.json", "--force replaces it"),
        ("plot perfect", "has no history"),
        ("export random loop.json", "loop.json: File exists."),
        ("show judge.json", "a policy that is not the one its learner has"),
        ("train --from huge.json", "does not hold all that its learner needs"),
        ("plot q-learning", "There is no window"),
        ("plot q-learning --output cut.json.png", "There is no folder"),
    ],
)
def test_a_problem_is_one_sentence_and_status_1(ttt, line, hint):
    agent = storage.load_shipped("perfect")
    storage.save(agent, "perfect.json")
    text = Path("perfect.json").read_text(encoding="utf-8")
    files = {"cut.json": text[:3000], "newer.json": text.replace('n": 1,', 'n": 99,')}
    for name, part in files.items():
        Path(name).write_text(part, encoding="utf-8")
    small = tables(2, 3, 3)
    wide = agent._replace(policy=policy.uniform(small.legal), rows=2, history=())
    storage.save(wide, "wide.json")
    storage.save(agent._replace(policy=None, V=np.zeros(5478)), "values.json")
    sarsa = storage.load_shipped("sarsa")
    spoilt = sarsa.hyperparameters["learner"] | {"games": -1}
    spoilt = sarsa._replace(hyperparameters={"learner": spoilt})
    storage.save(spoilt, "spoilt.json")
    storage.save(sarsa._replace(rewards=(1e100, 0, -1e100)), "huge.json")
    Path("folder.json").mkdir()
    os.mkfifo("fifo.json")
    Path("loop.json").symlink_to("loop.json")
    judge = learning.new_learner(GAME, "td_prediction", np.random.default_rng(1))
    judge = learners.to_agent(GAME, judge, "judge", "…")
    storage.save(judge._replace(policy=RANDOM), "judge.json")
    if line.startswith("plot q-learning --output"):
        line = line.replace("cut", "no/cut")
    status, out, err = ttt(line)
    assert (status, out) == (1, "")
    assert err.startswith("ttt: ")
    assert hint in err
    assert err.count("\n") == 1
    assert Path("cut.json").read_text(encoding="utf-8") == text[:3000]


def test_every_name_stands_for_somebody():
    rng = np.random.default_rng(0)
    for name in names.known():
        if name.removeprefix("new:") in learners.JUDGES:
            with pytest.raises(ValueError, match="judges a policy"):
                player(GAME, name, rng)
            continue
        who = player(GAME, name, rng)
        if name == "person":
            assert who.policy is None
        else:
            evaluation.win_draw_loss(GAME, who.policy, who.policy)
            assert who.policy[~GAME.terminal].sum(axis=1) == pytest.approx(1)
        if name.startswith("new:"):
            assert who.learner.games == 0


def test_names_may_be_written_carelessly():
    rng = np.random.default_rng(0)
    assert player(GAME, " PERFECT ", rng).name == "perfect"
    assert player(GAME, "new:q-learning", rng).name == "q_learning"
    lowest = player(GAME, names.parse("teacher:1", "lowest")).policy
    assert lowest[0, 0] == 1
    even = player(GAME, "teacher:1", rng).policy
    assert even[0, 0] == pytest.approx(1 / 9)


@pytest.mark.parametrize(
    "line",
    [
        "match perfect random --games 50 --seed 1",
        "tournament perfect random",
        "show safe-and-greedy",
        "show perfect --tests",
        "train q_learning --games 100 --seed 1",
        "train td_prediction --games 100 --seed 1",
        "solve value_iteration --rewards 1 0 -1",
        "solve solve",
        "agents",
        "play perfect --seed 1 --numbers values",
        "play new:sarsa --learn --seed 1",
    ],
)
def test_plain_and_narrow(ttt, monkeypatch, line):
    wide = ttt(line, "4\nh\n?\nx\n0\n1\n2\n3\n5\n6\n7\n8\n")[1]
    assert not wide.isascii() or "td_prediction" in line
    assert "\x1b" not in wide  # nobody sees colours in a pipe
    assert max(map(len, wide.splitlines())) <= 88
    for locale in ("C", "de_DE.ISO-8859-1"):
        monkeypatch.setenv("LC_ALL", locale)
        plain = ttt(line, "4\nh\n?\nx\n0\n1\n2\n3\n5\n6\n7\n8\n")[1]
        assert plain.isascii()
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("COLUMNS", "40")
    narrow = ttt(line, "4\nh\n?\nx\n0\n1\n2\n3\n5\n6\n7\n8\n")[1]
    assert max(map(len, narrow.splitlines())) <= 40
    asking = ("Your move, X: ", "Play again? [Y/n] ")
    for text in wide.splitlines():
        assert text == text.rstrip() or text in asking


# ---------------------------------------------------------------- numbers as written


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (191 / 192, "0.9948 = 191/192"),
        (-874 / 945, "−0.9249 = −874/945"),
        (0.0, "0.0000"),
        (1.0, "1.0000"),
        (-0.0, "0.0000"),
        (-1.0, "−1.0000"),
        (-1e-9, "0.0000"),
        (np.pi / 4, "0.7854"),
        (1 / 9_999, "0.0001 = 1/9999"),
        (1 / 10_001, "0.0001"),
    ],
)
def test_numbers_are_decimals_and_fractions_where_exact(number, text):
    assert screen.exact(number) == text


# ---------------------------------------------------------------- match and tournament


def test_a_match_is_exact_both_ways(ttt):
    ways = result_of(ttt, "match safe-and-greedy random")["matches"]
    assert [way["first"] for way in ways] == ["safe-and-greedy", "random"]
    assert ways[0]["exact"]["win"] == pytest.approx(191 / 192)
    assert ways[1]["exact"]["loss"] == pytest.approx(866 / 945)
    out = ttt("match safe-and-greedy random")[1]
    assert "0.9948 = 191/192" in out
    assert "0.9164 = 866/945" in out


def test_a_sampled_match_has_intervals_and_a_seed(ttt):
    line = "match perfect random --games 2000 --seed 3"
    found = result_of(ttt, line)
    assert found["seed"] == 3
    for way in found["matches"]:
        assert sum(each["games"] for each in way["sampled"].values()) == 2000
        for end, each in way["sampled"].items():
            assert each["low"] - 0.02 <= way["exact"][end] <= each["high"] + 0.02
            low, high = runs.wilson_interval(each["games"], 2000)
            assert (each["low"], each["high"]) == pytest.approx((low, high))
    assert ttt(line)[1] == ttt(line)[1]
    assert "95 % interval" in ttt(line)[1]
    assert "Seed of the sample: 3." in ttt(line)[1]
    seeds = {result_of(ttt, "match perfect random --games 5")["seed"] for _ in range(3)}
    assert len(seeds) == 3


def test_ties_are_part_of_a_name(ttt):
    wins = [
        result_of(ttt, f"match random {who}{ties}")["matches"][0]["exact"]["loss"]
        for who in ("perfect", "teacher:1")
        for ties in ("", ":uniform", ":lowest")
    ]
    assert wins[0] == wins[1] == wins[3] == wins[4] == pytest.approx(2645 / 3402)
    assert wins[2] == wins[5] == pytest.approx(254 / 315)


@pytest.mark.parametrize(
    "line",
    [
        "play perfect --ties lowest",
        "match perfect random --ties lowest",
        "tournament perfect random --ties lowest",
        "show perfect --ties lowest",
        "train sarsa --opponent teacher:0.9 --ties lowest",
    ],
)
def test_who_types_ties_as_an_option_is_told_where_they_are_now(ttt, line):
    status, out, err = ttt(line)
    assert (status, out) == (2, "")
    assert "Ties are part of a name, as in perfect:lowest" in err


def test_a_tournament_is_a_cross_table(ttt):
    line = "tournament random perfect safe-and-greedy"
    results = result_of(ttt, line)["results"]
    assert len(results) == 9
    table = {(row["first"], row["second"]): row for row in results}
    assert table["random", "random"]["win"] == pytest.approx(737 / 1260)
    assert table["perfect", "safe-and-greedy"]["draw"] == pytest.approx(1)
    head, *rows = ttt(line + " --csv")[1].splitlines()
    assert head == "first,second,win,draw,loss,mean"
    assert len(rows) == 9
    assert float(rows[0].split(",")[2]) == results[0]["win"]
    out = ttt(line)[1]
    assert [text.split()[0] for text in out.splitlines()[2:5]] == line.split()[1:]
    assert out.splitlines()[2].split()[1:] == ["0.2968", "−0.7775", "−0.9164"]


def test_who_plays_one_side_only_plays_no_other(ttt):
    ttt("solve backward_induction --side second --save second.json")
    ways = result_of(ttt, "match second.json random")["matches"]
    assert [(way["first"], way["second"]) for way in ways] == [("random", "second")]
    ttt("solve backward_induction --side first --save first.json")
    ways = result_of(ttt, "match random first.json")["matches"]
    assert [(way["first"], way["second"]) for way in ways] == [("first", "random")]
    for name in ("first", "second"):
        card = ttt(f"show {name}.json")[1]
        assert [place in card for place in ("the first p", "the second p")] == [
            name == "first",
            name == "second",
        ]
    results = result_of(ttt, "tournament second.json random")["results"]
    assert [(row["first"], row["second"]) for row in results] == [
        ("random", "second"),
        ("random", "random"),
    ]
    rows = ttt("tournament second.json random")[1].splitlines()
    assert rows[2].split() == ["second", "–", "–"]
    assert rows[-2:] == [
        "–: one of the two was not taught this side.",
        "As first player second was not taught.",
    ]
    alone = ttt("tournament second.json --csv")
    assert alone == (0, "first,second,win,draw,loss,mean\n", "")
    status, _, err = ttt("match second.json second.json")
    assert status == 2
    assert "were both taught as second player only" in err
    status, out, _ = ttt("play second.json --starts it", "q\n")
    assert "you will begin" in out
    for seed in range(6):
        assert (
            "You begin" in ttt(f"play second.json --starts lot --seed {seed}", "q\n")[1]
        )
    status, out, _ = ttt("show second.json ___/___/___")
    assert "was not made for X" in out


# ---------------------------------------------------------------- train


@pytest.mark.parametrize("method", learners.METHODS)
def test_every_learner_trains_and_goes_on_to_the_bit(ttt, method):
    whole = f"train {method} --games 60 --seed 7 --save whole.json"
    assert ttt(whole)[0] == 0
    ttt(f"train {method} --games 25 --seed 7 --save part.json")
    ttt("train --from part.json --games 35 --save rest.json")
    one, two = storage.load("whole.json"), storage.load("rest.json")
    for name in ("policy", "Q", "V"):
        pair = getattr(one, name), getattr(two, name)
        assert (pair[0] is None) == (pair[1] is None)
        assert pair[0] is None or (pair[0] == pair[1]).all()
    assert set(one.tables) == set(two.tables)
    for name in one.tables:
        assert (one.tables[name] == two.tables[name]).all()
    games = [row["games"] for row in two.history]
    assert games == sorted(set(games))
    assert games[0] == 0
    assert games[-1] == 60
    assert 25 in games
    assert two.history[-1] == one.history[-1]
    assert two.made.startswith(storage.load("part.json").made)
    assert "35 games" in two.made


def test_training_ends_with_exact_scores(ttt):
    found = result_of(ttt, "train q_learning --games 500 --seed 1 --save mine.json")
    agent = storage.load("mine.json")
    chances = evaluation.win_draw_loss(GAME, agent.policy, RANDOM)[0]
    for end, chance in zip(("win", "draw", "loss"), chances, strict=True):
        assert found[f"{end}_first"] == pytest.approx(chance)
    worst = evaluation.worst_case(GAME, agent.policy, -1)[0]
    assert found["worst_second"] == pytest.approx(worst)
    mean = evaluation.exploitability(GAME, agent.policy).mean
    assert found["exploitability"]["mean"] == pytest.approx(mean)
    assert found["games"] == 500
    assert found["saved"] == "mine.json"
    _, out, _ = ttt("train q_learning --games 500 --seed 1")
    assert f"{chances[0]:.4f}" in out
    assert "Not saved" in out
    assert "Seed 1." in out


FEW = "train sarsa --games 20 --every 20 --seed 1"


def test_what_is_trained_is_let_go_unless_it_is_said_and_this_is_told(ttt):
    status, out, err = ttt(FEW)
    assert (status, err) == (0, "")
    assert "sarsa: 20 games" in out
    assert "Not saved: --save" in out
    assert "--save" not in ttt("train sarsa --games 0")[1]
    found = result_of(ttt, FEW)
    assert (found["saved"], found["games"], found["stopped"]) == (None, 20, False)
    assert list(Path().iterdir()) == []


def test_a_seed_may_be_0(ttt):
    assert result_of(ttt, "train sarsa --games 0 --seed 0")["seed"] == 0


def test_what_is_trained_is_kept_where_it_is_said_and_this_is_told(ttt):
    out = ttt(FEW + " --save a.json")[1]
    assert "Saved in a.json." in out
    assert "--save" not in out
    assert result_of(ttt, FEW + " --save b.json")["saved"] == "b.json"
    assert ttt("train --from a.json --games 5 --every 5 --save c.json")[0] == 0
    a, b, c = (storage.load(f"{name}.json") for name in "abc")
    assert same((a.Q, a.history), (b.Q, b.history))
    assert [row["games"] for row in c.history][-2:] == [20, 25]


def test_a_person_is_asked_only_where_nothing_else_is_said(ttt, monkeypatch):
    monkeypatch.setattr(screen.Screen, "has_person", lambda _: True)
    line = "train sarsa --games 1 --every 1 --seed 1"
    out = ttt(line, "d.json\n")[1]
    assert out.count("d.json") == 2, "typed, and told"
    assert "Not saved" not in out
    assert storage.load("d.json").history[-1]["games"] == 1
    for more in (" --json", " --save e.json"):
        assert keeping.QUESTION not in ttt(line + more, "x.json\n")[1]
    assert not Path("x.json").exists()


@pytest.mark.parametrize("person", [False, True])
@pytest.mark.parametrize("as_json", [False, True])
def test_who_cannot_be_kept_is_offered_another_file_if_a_person_is_there(
    ttt, monkeypatch, person, as_json
):
    save, full = storage.save, [True]

    def sometimes(*arguments):
        if full:
            raise OSError(28, "No space left on device", full.pop())
        save(*arguments)

    monkeypatch.setattr(storage, "save", sometimes)
    monkeypatch.setattr(screen.Screen, "has_person", lambda _: person)
    line = FEW + " --save a.json" + " --json" * as_json
    status, out, err = ttt(line, "b.json\n")
    offered = person and not as_json
    assert status == (0 if offered else 1)
    assert "a.json" in (out if offered else err)
    assert [file.name for file in Path().iterdir()] == ["b.json"] * offered


@pytest.mark.parametrize("as_json", [False, True])
def test_training_is_watched_unless_its_result_is_for_a_program(
    ttt, monkeypatch, as_json
):
    seen = []

    def run(*_, watched):
        seen.append(watched)
        return False

    monkeypatch.setattr(training, "run", run)
    ttt(FEW + " --json" * as_json)
    assert seen == [not as_json]


@pytest.mark.parametrize("as_json", [False, True])
def test_a_file_is_offered_where_something_was_learned_and_no_file_was_said(
    ttt, monkeypatch, as_json
):
    offered = []
    for name, short in (  # all that takes a while
        ("prepare", lambda game, course, games: replace(course, games=games)),
        ("agent", lambda *_: None),
        ("tell", lambda *_: None),
        ("summary", lambda game, course, save, stopped: [str(save), stopped]),
    ):
        monkeypatch.setattr(training, name, short)
    monkeypatch.setattr(keeping, "keep", lambda agent, save, force: save)
    monkeypatch.setattr(keeping, "offer", lambda *_: offered.append("a file"))
    for games, save, stopped in product((0, 3), (None, "a.json"), (False, True)):
        monkeypatch.setattr(training, "run", lambda *_, watched, by=stopped: by)
        line = f"train sarsa --games {games}" + f" --save {save}" * (save is not None)
        status, out, err = ttt(line + " --json" * as_json)
        assert (status, err) == (0, "")
        wanted = not save and not as_json and (stopped or games > 0)
        assert offered == ["a file"] * wanted
        offered.clear()
        if as_json:
            assert json.loads(out) == [str(save), stopped]
        else:
            assert ("Saved in a.json." in out) == (save is not None)
            assert ("Not saved" in out) == wanted


GAME_BY_HAND = "\n".join([*"012345678" * 3, "n", ""])
BY_HAND = "play new:sarsa --learn --seed 1"


def test_who_learned_by_hand_is_offered_a_file_if_it_has_none(ttt, monkeypatch):
    monkeypatch.setattr(screen.Screen, "has_person", lambda _: True)
    status, out, err = ttt(BY_HAND, GAME_BY_HAND + "a.json\n")
    assert (status, err) == (0, "")
    assert "--save" in out.split("You begin")[0]
    assert out.split(keeping.QUESTION)[1].count("a.json") == 2, "typed, and told"
    assert keeping.QUESTION not in ttt(BY_HAND, "q\n")[1], "no game has been played"
    out = ttt("play random --seed 1", GAME_BY_HAND + "x.json\n")[1]
    assert keeping.QUESTION not in out
    assert [file.name for file in Path().iterdir()] == ["a.json"]


def test_who_learns_by_hand_is_kept_in_the_file_that_was_said_or_its_own(
    ttt, monkeypatch
):
    monkeypatch.setattr(screen.Screen, "has_person", lambda _: True)
    out = ttt(BY_HAND + " --save b.json", GAME_BY_HAND + "x.json\n")[1]
    assert "b.json" in out.split("You begin")[0]
    assert keeping.QUESTION not in out
    assert ttt(BY_HAND + " --save b.json", "q\n")[:2] == (1, "")
    for games, more in ((2, ""), (3, " --save b.json")):
        assert ttt(f"play b.json --learn{more}", GAME_BY_HAND)[0] == 0
        assert storage.load("b.json").history[-1]["games"] == games
    assert [file.name for file in Path().iterdir()] == ["b.json"]


def test_a_game_that_ctrl_c_ends_has_its_status(ttt, monkeypatch):
    def pressed(*_):
        raise KeyboardInterrupt

    assert ttt("play random", "q\n")[0] == 0
    monkeypatch.setattr(screen.Screen, "ask", pressed)
    status, out, err = ttt("play random")
    assert (status, err) == (130, "")
    assert "Stopped." in out


def test_settings_reach_the_learner(ttt):
    line = (
        "train td_afterstates --games 30 --seed 2 --alpha power:0.5:0.6 "
        "--epsilon linear:0.5:0:20 --gamma 0.9 --lambda 0.4 --n 3 --initial 0.5 "
        "--rewards 1 0.5 0 --side second --opponent Teacher:0.8:lowest "
        "--every 10 --save a.json"
    )
    assert ttt(line)[0] == 0
    agent = storage.load("a.json")
    learner = learners.restore(GAME, agent)
    assert learner.alpha[:2] == (4, 0.5)
    assert learner.alpha.rate == 0.6
    assert learner.epsilon == (1, 0.5, 0, 1 / 20)
    assert (learner.gamma, learner.lambda_, learner.n) == (0.9, 0.4, 3)
    assert learner.rewards == (1, 0.5, 0)
    assert agent.side == -1
    assert agent.hyperparameters["opponent"] == "teacher 0.8 lowest"
    assert learner.visits[GAME.to_move == 1].sum() == 0
    assert (learner.V[~GAME.terminal] == 0.5).sum() > 4000
    assert [row["games"] for row in agent.history][-2:] == [20, 30]
    # On and on against the same, unless told otherwise.
    ttt("train --from a.json --games 10 --alpha 0.25 --save b.json")
    agent = storage.load("b.json")
    learner = learners.restore(GAME, agent)
    assert learner.alpha.start == 0.25
    assert learner.epsilon == (1, 0.5, 0, 1 / 20)
    assert agent.hyperparameters["opponent"] == "teacher 0.8 lowest"
    assert agent.side == -1
    ttt("train --from a.json --games 10 --opponent random --side both --save c.json")
    assert storage.load("c.json").hyperparameters["opponent"] == "random"
    assert storage.load("c.json").side == 0


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("train sarsa --from mine.json", "or --from AGENT to go on"),
        ("train --from mine.json --seed 1", "AGENT holds its own"),
        ("train --from mine.json --initial 1", "is for a new learner"),
        ("train --from mine.json --alpha 3", "--alpha 3.0"),
        (
            "train --from perfect.json",
            "perfect cannot be trained further: its file holds",
        ),
        ("train --from random", "has not learned"),
        ("train --from new:sarsa", "has not learned"),
    ],
)
def test_what_cannot_go_on(ttt, line, hint):
    ttt("train sarsa --games 1 --save mine.json")
    storage.save(storage.load_shipped("perfect"), "perfect.json")
    status, out, err = ttt(line)
    assert (status, out) == (2, "")
    assert hint in err


def test_nothing_is_overwritten_unless_forced(ttt):
    ttt("train sarsa --games 5 --seed 1 --save mine.json")
    before = Path("mine.json").read_bytes()
    for line in (
        "train sarsa --games 6 --seed 1 --save mine.json",
        "train --from mine.json --save mine.json",
        "solve solve --save mine.json",
        "play new:sarsa --learn --save mine.json",
    ):
        status, _, err = ttt(line)
        assert status == 1
        assert "mine.json exists: --force replaces it." in err
        assert Path("mine.json").read_bytes() == before
    assert ttt("train --from mine.json --games 5 --save mine.json --force")[0] == 0
    assert storage.load("mine.json").history[-1]["games"] == 10


def test_a_file_that_comes_meanwhile_is_not_lost(ttt, monkeypatch):
    agent_of = training.agent

    def late(*arguments):
        Path("a.json").write_text("another's", encoding="utf-8")
        return agent_of(*arguments)

    monkeypatch.setattr(training, "agent", late)
    for name in ("a-2.json", "a-3.json"):
        Path("a.json").unlink(missing_ok=True)
        status, out, _ = ttt("train sarsa --games 10 --save a.json")
        assert status == 0
        assert f"Saved in {name}." in out
        assert storage.load(name).hyperparameters["learner"]["games"] == 10
        assert Path("a.json").read_text(encoding="utf-8") == "another's"


def test_what_cannot_be_saved_leaves_nothing_behind(ttt, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device", ".a.json.part")

    monkeypatch.setattr(storage, "save", full)
    status, _, err = ttt("train sarsa --games 10 --save a.json")
    assert status == 1
    assert err == "ttt: a.json was not written: No space left on device.\n"
    assert not list(Path().iterdir())


@pytest.mark.parametrize("who", ["sarsa", "menace"])
def test_who_has_seen_too_many_games_to_go_on_is_told_so_at_once(ttt, who):
    agent = storage.load_shipped(who)
    (key,) = agent.hyperparameters.keys() & {"learner", "matchboxes"}
    seen = {key: agent.hyperparameters[key] | {"games": 2**62 - 3}}
    storage.save(agent._replace(hyperparameters=seen), "seen.json")
    status, out, err = ttt("train --from seen.json --games 9 --save more.json")
    assert (status, out) == (2, "")
    assert "It has seen 4,611,686,018,427,387,901 games, and cannot see 9 more." in err


@pytest.mark.parametrize("columns", ["0", "1"])
def test_a_window_of_no_width_is_written_to(ttt, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    status, out, err = ttt("show sarsa")
    assert (status, err) == (0, "")
    assert "exploitability" in out


def test_a_policy_whose_chances_are_rounded_up_comes_back(ttt):
    moves = RANDOM.copy()
    moves[GAME.count == 1] *= 1 + 5e-10
    storage.save(storage.Agent("mine", "…", policy=moves), "mine.json")
    assert ttt("export mine.json plain.json")[0] == 0
    status, _, err = ttt("show plain.json")
    assert (status, err) == (0, "")


def test_a_folder_that_cannot_be_written_to_is_told_before_training(ttt, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    status, out, err = ttt("train sarsa --games 1000000000 --save a.json")
    assert (status, out) == (1, "")
    assert "may not be written to" in err


def test_a_full_output_is_one_sentence():
    if not Path("/dev/full").exists():
        pytest.skip("no full device here")
    with Path("/dev/full").open("w") as full:
        run = subprocess.run(
            [sys.executable, "-m", "ttt_lib", "--version"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert run.stderr.startswith("ttt: No space left on device.\n")
    assert "Traceback" not in run.stderr


def test_samples_are_the_same_in_pieces(ttt, monkeypatch):
    line = "match random perfect --games 1000 --seed 1"
    whole = result_of(ttt, line)["matches"]
    sample = runs.sample_match(
        GAME, RANDOM, player(GAME, "perfect", None).policy, 1000,
        np.random.default_rng(1),
    )  # fmt: skip
    found = whole[0]["sampled"]
    assert [each["games"] for each in found.values()] == sample.counts.tolist()
    np.testing.assert_allclose([each["low"] for each in found.values()], sample.low)
    np.testing.assert_allclose([each["high"] for each in found.values()], sample.high)
    monkeypatch.setattr(console_scores, "MOST_AT_ONCE", 300)
    assert result_of(ttt, line)["matches"] == whole


@pytest.mark.parametrize("games", [10_000, 10**18])
def test_ctrl_c_stops_training_and_keeps_what_is_there(ttt, monkeypatch, ctrl_c, games):
    train, save, calls = training.train, storage.save, []

    def pressed(*arguments):
        calls.append(arguments)
        if len(calls) == 12:
            ctrl_c()
        return train(*arguments)

    def pressed_again(*arguments):
        ctrl_c()
        ctrl_c()
        return save(*arguments)

    monkeypatch.setattr(training, "train", pressed)
    monkeypatch.setattr(storage, "save", pressed_again)
    line = f"train q_learning --games {games} --seed 4 --save mine.json"
    status, out, err = ttt(line)
    assert (status, err) == (130, "")
    assert len(calls) == 12
    agent = storage.load("mine.json")
    games = agent.hyperparameters["learner"]["games"]
    assert 0 < games < 10_000_000
    assert f"Stopped early, after {games:,} games." in out
    assert "Saved in mine.json." in out
    assert agent.history[-1]["games"] == games


@pytest.mark.parametrize("fails", [False, True])
def test_ctrl_c_that_a_compiler_cannot_pass_on_is_heard(
    ttt, monkeypatch, ctrl_c, fails
):
    callback = ctypes.CFUNCTYPE(None)(ctrl_c)

    def dropped(*arguments):
        callback()  # Python calls the exception unraisable
        if fails:
            raise RuntimeError("no compiled object yet")
        for _ in range(900):  # as the compiler goes on, in Python
            threading.Event().wait(0.1)

    monkeypatch.setattr(console_scores, "match", dropped)
    status, out, err = ttt("match perfect random")
    assert (status, out, err.strip()) == (130, "", "Stopped.")
    try:
        late = threading.Event().wait(2 * terminal.A_MOMENT)
    except KeyboardInterrupt:
        late = True
    assert not late, "nothing comes after the end"


def test_ctrl_c_while_the_program_is_loaded_is_no_traceback():
    program = (
        "import runpy, sys\n"
        "class Pressed:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'click':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Pressed())\n"
        "runpy.run_module('ttt_lib', run_name='__main__')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (130, "Stopped.\n")


def test_where_nobody_reads_any_more_the_rest_goes_nowhere(monkeypatch, capsys):
    def unread(*_, **__):
        raise BrokenPipeError

    copied = []
    monkeypatch.setattr(cli.cli, "main", unread)
    monkeypatch.setattr(os, "dup2", lambda *ends: copied.append(ends))
    assert cli.main([]) == 1
    ((nothing, output),) = copied
    assert os.path.samestat(os.fstat(nothing), Path(os.devnull).stat())
    assert os.write(nothing, b"goes nowhere") == 12
    assert output == 1
    os.close(nothing)
    assert capsys.readouterr() == ("", "")


def test_an_output_that_is_found_full_in_the_end_is_one_sentence(monkeypatch, capsys):
    class Full(io.StringIO):
        def flush(self):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(cli.cli, "main", lambda *_, **__: None)
    monkeypatch.setattr(sys, "stdout", Full())
    assert cli.main([]) == 1
    assert capsys.readouterr().err == "ttt: No space left on device.\n"


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (OSError("Our own sentence."), "ttt: Our own sentence.\n"),
        (OSError(13, "Permission denied", "a.json"), "a.json: Permission denied.\n"),
        (MemoryError(), "memory"),
    ],
)
def test_a_fault_of_the_system_is_one_sentence(monkeypatch, capsys, fault, told):
    def fails(*_, **__):
        raise fault

    monkeypatch.setattr(cli.cli, "main", fails)
    assert cli.main([]) == 1
    err = capsys.readouterr().err
    assert told in err
    assert err.count("\n") == 1


def test_a_fault_of_the_program_is_not_hidden(monkeypatch):
    def fails(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr(cli.cli, "main", fails)
    with pytest.raises(ZeroDivisionError):
        cli.main([])


def test_ctrl_c_while_it_is_told_is_told_once(monkeypatch, ctrl_c):
    def pressed(*_, **__):
        ctrl_c()

    monkeypatch.setattr(cli.cli, "main", pressed)
    monkeypatch.setattr(cli, "message", pressed)
    try:
        status = cli.main([])
    except KeyboardInterrupt:
        status = "a traceback"
    assert status == 130


def test_streams_that_are_closed_give_and_take_nothing(monkeypatch):
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    with terminal.prepared():
        print("some words")
        print("some words", file=sys.stderr)
        assert sys.stdin.read() == ""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        stream.close()


def test_a_sign_that_a_stream_cannot_write_is_replaced(monkeypatch):
    out = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stdin", io.StringIO())  # has nothing to set
    with terminal.prepared():
        print("0 → 1", flush=True)
    assert out.buffer.getvalue() == b"0 ? 1\n"


def test_warnings_are_messages_and_what_else_is_unheard_goes_where_it_went(
    monkeypatch, capsys
):
    heard, timers = [], []

    class Clock:
        def __init__(self, seconds, what):
            timers.append([seconds, what, False])

        def start(self):
            timers[-1][2] = self.daemon

    monkeypatch.setattr(sys, "unraisablehook", heard.append)
    monkeypatch.setattr(terminal, "Timer", Clock)
    monkeypatch.setattr(terminal, "dropped", threading.Event())
    terminal.dropped.set()
    before = warnings.showwarning
    with terminal.prepared():
        assert not terminal.dropped.is_set()
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.warn("mind\nthis", stacklevel=1)
        faults = [
            SimpleNamespace(exc_type=kind) for kind in (ValueError, BaseException)
        ]
        for fault in faults:
            sys.unraisablehook(fault)
        assert (heard, timers) == (faults, [])
        assert not terminal.dropped.is_set()
        sys.unraisablehook(SimpleNamespace(exc_type=KeyboardInterrupt))
        assert (heard, terminal.dropped.is_set()) == (faults, True)
    assert timers == [[terminal.A_MOMENT, interrupt_main, True]]
    assert warnings.showwarning is before
    assert capsys.readouterr() == ("", "ttt: mind\\nthis\n")


@pytest.mark.parametrize("length", [0, 599, 600, 601, 5000])
def test_a_message_says_all_or_its_beginning_and_its_end(capsys, length):
    text = "".join(chr(ord("a") + place % 26) for place in range(length))
    for err in (False, True):
        terminal.message(text, err)
        out = capsys.readouterr()
        assert out[not err] == ""
        told = out[err].removesuffix("\n")
        assert (told == text) == (length <= terminal.MOST_SIGNS)
        assert abs(len(told) - min(length, terminal.MOST_SIGNS)) <= 3
        assert text[:300] == told[:300]
        assert text[-300:] == told[-300:]
    terminal.message("to whom the result goes")
    assert capsys.readouterr() == ("to whom the result goes\n", "")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("0 → 1\n", "0 → 1\n"),
        ("a\tb", "a\\tb"),
        ("\x1b[31m", "\\x1b[31m"),
        ("\u202ea\nb", "\\u202ea\nb"),
    ],
)
def test_a_sign_that_is_not_printed_is_shown_by_its_escape(text, shown):
    assert terminal.printable(text) == shown


class GoneError(BaseException):
    """Instead of the end of this process."""


def test_who_is_done_gives_the_status_and_hears_no_ctrl_c(monkeypatch, ctrl_c):
    monkeypatch.setattr(cli, "main", lambda arguments: len(arguments))
    monkeypatch.setattr(os, "_exit", None)
    assert __main__.main(["some", "words"]) == 2
    ctrl_c()


@pytest.mark.parametrize(
    ("line", "waits"),
    [
        ("play", False),
        ("play perfect --mark O", False),
        ("play uct:1000", True),
        ("play UCT:1000", True),
        ("play random --size 4 4 4", True),
        ("match perfect random", True),
    ],
)
def test_who_plays_on_few_cells_waits_for_no_compiler(monkeypatch, ctrl_c, line, waits):
    numba = object()
    monkeypatch.setitem(sys.modules, "numba", numba)
    monkeypatch.setattr(sys, "argv", ["ttt", *line.split()])
    monkeypatch.setattr(cli, "main", lambda _: sys.modules["numba"] is numba)
    assert __main__.main() == waits


def test_where_a_compiler_was_stopped_all_is_written_before_the_end(
    monkeypatch, ctrl_c
):
    streams = {
        name: io.TextIOWrapper(io.BytesIO(), "utf-8") for name in ("stdout", "stderr")
    }
    for name, stream in streams.items():
        monkeypatch.setattr(sys, name, stream)
        stream.write(name)
    ended = []

    def end(status):
        ended.append((status, {n: s.buffer.getvalue() for n, s in streams.items()}))
        raise GoneError

    monkeypatch.setattr(cli, "main", lambda _: 7)
    monkeypatch.setattr(os, "_exit", end)
    monkeypatch.setattr(terminal, "dropped", threading.Event())
    terminal.dropped.set()
    with pytest.raises(GoneError):
        __main__.main()
    assert ended == [(7, {"stdout": b"stdout", "stderr": b"stderr"})]


@pytest.mark.parametrize("closed", [False, True])
def test_ctrl_c_once_and_again_is_told_once(monkeypatch, capsys, ctrl_c, closed):
    class Again(io.StringIO):
        def write(self, text):
            ctrl_c()
            return super().write(text)

    def pressed(_):
        raise KeyboardInterrupt

    told = None if closed else Again()
    monkeypatch.setattr(cli, "main", pressed)
    monkeypatch.setattr(sys, "stderr", told)
    assert __main__.main() == 130
    assert closed or told.getvalue().count("\n") == 1
    assert capsys.readouterr().out == ""


def test_the_program_ends_with_the_status_and_an_import_does_nothing(
    monkeypatch, ctrl_c
):
    monkeypatch.setattr(cli, "main", lambda _: 3)
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(__main__.__file__, run_name="__main__")
    assert ended.value.code == 3
    assert callable(runpy.run_path(__main__.__file__, run_name="other")["main"])


@pytest.mark.skipif(os.name == "nt", reason="needs preexec_fn")
@pytest.mark.parametrize(
    ("stream", "line", "told"),
    [
        (0, "play perfect", "draws 0.\n"),
        (1, "show perfect", ""),
        (2, "train sarsa --games 20", "Not saved: --save FILE keeps it.\n"),
    ],
)
def test_a_stream_may_be_closed(stream, line, told):
    done = subprocess.run(
        [sys.executable, "-m", "ttt_lib", *line.split()],
        capture_output=True,
        text=True,
        preexec_fn=lambda: os.close(stream),
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(told)


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "x" * 5000],
        ["show", "x" * 5000 + ".json"],
        ["play", "\x1b[31mred\a.json"],
        ["match", "a\nb", "random"],
        ["train", "sarsa", "--games", "9" * 5000],
        ["train", "sarsa", "--alpha", "\x1b]0;title\x07" * 99],
        ["plot", "sarsa", "--output", "\x1b.gif"],
        ["solve", "\u202e" * 5000],
        ["\x9b31m" * 5000],
        ["tournament", "--\x1b"],
    ],
)
def test_what_was_typed_is_repeated_shortly_and_printably(capsys, arguments):
    assert cli.main(arguments) in (1, 2)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.removesuffix("\n").isprintable()
    assert len(err) < 700


def test_signs_that_are_not_printed_reach_no_terminal(ttt):
    told = "Made \x1b[31min\x1b[0m a\a hurry.\nBy hand."
    agent = storage.load_shipped("perfect")._replace(made=told)
    storage.save(agent, "mine.json")
    for line in ("show mine.json", "agents", "match mine.json random"):
        out = ttt(line)[1]
        assert all(text.isprintable() for text in out.split("\n"))
    assert r"Made \x1b[31min\x1b[0m a\x07 hurry." in ttt("show mine.json")[1]


def test_who_judged_somebody_who_has_gone_needs_another(ttt):
    ttt("export random other.json")
    line = "train td_prediction --games 20 --behaviour other.json --save judge.json"
    assert ttt(line)[0] == 0
    Path("other.json").unlink()
    judge = storage.load("judge.json")
    told = judge.hyperparameters | {"behaviour": "gone"}
    storage.save(judge._replace(hyperparameters=told), "judge.json")
    status, out, err = ttt("train --from judge.json --games 20")
    assert (status, out) == (2, "")
    assert "It judged gone, who is not here: give --behaviour." in err
    line = "train --from judge.json --games 20 --behaviour perfect --save on.json"
    assert ttt(line)[0] == 0


def test_who_comes_with_the_library_goes_on_by_its_name(ttt):
    assert ttt("train --from sarsa --games 10 --save a.json")[0] == 0
    storage.save(storage.load_shipped("sarsa"), "sarsa.json")
    assert ttt("train --from sarsa.json --games 10 --save b.json")[0] == 0
    one, two = storage.load("a.json"), storage.load("b.json")
    assert one.history == two.history
    assert (one.Q == two.Q).all()
    assert one.hyperparameters == two.hyperparameters
    before = storage.load_shipped("sarsa").hyperparameters
    assert one.hyperparameters["learner"]["games"] == before["learner"]["games"] + 10


def test_whoever_can_be_named_can_be_an_opponent(ttt):
    fresh = result_of(ttt, "train sarsa --opponent new:sarsa --games 20 --seed 1")
    assert fresh["opponent"] == "new sarsa"  # whose moves are random
    random = result_of(ttt, "train sarsa --opponent random --games 20 --seed 1")
    assert {**fresh, "opponent": ""} == {**random, "opponent": ""}


def test_judges_are_compared_with_the_exact_value(ttt):
    line = "train mc_prediction --games 3000 --seed 1"
    found = result_of(ttt, line)
    assert found["exact"] == pytest.approx(737 / 1260 - 121 / 420)
    assert found["V"] == pytest.approx(found["exact"], abs=0.1)
    assert 0 < found["error"] < 0.7
    assert "win_first" not in found
    again = result_of(ttt, line + " --behaviour perfect --opponent perfect")
    assert again["exact"] == 0
    assert "0.2968 = 187/630" in ttt(line)[1]
    side = result_of(ttt, "train mc_prediction --games 3000 --side second --seed 1")
    assert "V" not in side
    assert side["positions"] > 500
    assert "It judges random.\n" in ttt(line + " --side second")[1]


# ---------------------------------------------------------------- solve


@pytest.mark.parametrize(
    "method",
    [
        "policy_iteration",
        "modified_policy_iteration",
        "value_iteration",
        "prioritised_sweeping",
        "backward_induction",
        "linear_programme",
        "best_response",
    ],
)
def test_planning_finds_the_exact_values(ttt, method):
    begun = time.perf_counter()
    found = result_of(ttt, f"solve {method}")
    took = time.perf_counter() - begun
    first, second = found["results"]
    assert (first["side"], second["side"]) == (1, -1)
    assert first["value"] == pytest.approx(191 / 192)
    assert second["value"] == pytest.approx(874 / 945)
    assert first["win_first"] == pytest.approx(191 / 192)
    assert second["worst_second"] == -1  # optimal, and not safe
    assert type(first["backups"]) is int
    assert first["backups"] > 0
    assert 0 < first["seconds"] + second["seconds"] < took
    out = ttt(f"solve {method} --side second")[1]
    assert "0.9249 = 874/945" in out
    assert "as first player" not in out
    assert " ms" in out


def test_every_method_is_called_by_its_name_and_has_options_of_the_command():
    typed = {option.name for option in cli.cli.commands["solve"].params}
    for name, method in solving.METHODS.items():
        other = {"count_down": "solve"}  # search has a solve, too
        assert method.call.__name__ == other.get(name, name)
        assert method.options <= typed
        assert ("policy" in method.options) == (method.kind == solving.JUDGES)
    listed = [name for kind in solving.headings().values() for name, _ in kind]
    assert listed == list(solving.METHODS)
    given = set().union(*(method.options for method in solving.METHODS.values()))
    assert typed - given == {"method", "save", "force", "as_json"}


@pytest.mark.parametrize("method", ["solve", "backward_induction"])
def test_what_is_solved_is_told_number_by_number(ttt, method):
    numbers = [
        number
        for result in result_of(ttt, f"solve {method}")["results"]
        for name, number in result.items()
        if name == "value" or name.endswith(("first", "second"))
    ]
    out = ttt(f"solve {method}")[1]
    for number in numbers:
        assert screen.exact(number) in out
    assert len(numbers) >= 9


@pytest.mark.parametrize("place", ["first", "second"])
def test_who_plays_one_side_is_planned_against_on_that_side(ttt, place):
    other = {"first": "second", "second": "first"}[place]
    told = ttt(f"solve backward_induction --side {other} --save {other}.json")[1]
    assert f"{other}.json" in told
    line = f"solve backward_induction --against {other}.json --side "
    (found,) = result_of(ttt, line + place)["results"]
    assert f"win_{place}" in found
    status, _, err = ttt(line + other)
    assert (status, err.count("\n")) == (1, 1)
    assert f"{other} was made for" in err


def test_a_solved_agent_of_both_sides_holds_what_each_side_found():
    settings = solving.settings_of("backward_induction", {})
    answers = solving.run(GAME, "backward_induction", settings)
    agent = solving.agent(GAME, "backward_induction", answers, settings, Path("a.json"))
    best = np.where(GAME.legal, agent.Q, -np.inf).max(axis=1)
    assert agent.V[~GAME.terminal] == pytest.approx(best[~GAME.terminal])
    for answer in answers:
        own = GAME.to_move == answer.side
        assert (agent.V[own] == answer.V[own]).all()
        assert (agent.policy[own] == answer.policy[own]).all()


@pytest.mark.parametrize(
    ("line", "backups"),
    [
        ("value_iteration --order synchronous", 5 * 8631),
        ("value_iteration --order falling", 2 * 8631),
        ("value_iteration --theta 2", 8631),
        ("modified_policy_iteration --evaluations 0", 5 * 8631),
        ("policy_iteration --order falling", None),
        ("policy_iteration --ties lowest", None),
    ],
)
def test_options_reach_the_method(ttt, line, backups):
    (found,) = result_of(ttt, f"solve {line} --side first")["results"]
    assert found["backups"] == backups or backups is None
    if "theta" not in line:
        assert found["value"] == pytest.approx(191 / 192)
    assert found.get("solves") == (4 if "--ties" in line else 0)


def test_the_book_that_patched_its_reward(ttt):
    line = "solve policy_iteration --gamma 0.8 --side second --rewards 500 0 -3500"
    (found,) = result_of(ttt, line + " --save o.json")["results"]
    assert Fraction(found["win_second"]).limit_denominator(1000) == Fraction(866, 945)
    assert found["loss_second"] == pytest.approx(0)
    assert found["worst_second"] == pytest.approx(0)
    agent = storage.load("o.json")
    assert (agent.side, agent.gamma, agent.rewards) == (-1, 0.8, (500, 0, -3500))
    assert (
        "policy_iteration against random; γ = 0.8, rewards 500, 0, −3500" in agent.made
    )
    (plain,) = result_of(ttt, "solve policy_iteration --gamma 0.8 --side second")[
        "results"
    ]
    assert plain["worst_second"] == -1


@pytest.mark.parametrize("method", ["policy_evaluation", "linear_solve"])
def test_judging_a_policy(ttt, method):
    first, second = result_of(ttt, f"solve {method}")["results"]
    assert first["value"] == pytest.approx(187 / 630)
    assert second["value"] == pytest.approx(-187 / 630)
    line = f"solve {method} --policy perfect --against perfect --side first"
    assert result_of(ttt, line)["results"][0]["value"] == pytest.approx(0)


@pytest.mark.parametrize(
    ("line", "nodes"),
    [
        ("minimax", 549_946),
        ("minimax_on_tables", 549_946),
        ("minimax_with_memory", 5478),
        ("alpha_beta", 18_297),
        ("alpha_beta --order lines", 7275),
        ("solve", 5478),
    ],
)
def test_searches_count_their_nodes(ttt, line, nodes):
    (found,) = result_of(ttt, f"solve {line}")["results"]
    assert found["value"] == 0
    assert found["nodes"] == nodes
    assert f"{nodes:,}" in ttt(f"solve {line}")[1]


def test_a_search_begins_where_it_is_told(ttt):
    (found,) = result_of(ttt, "solve alpha_beta --board x_x/o_o/___")["results"]
    assert found["value"] == 1
    line = "solve alpha_beta --board o_o/x_x/___ --first O"
    assert result_of(ttt, line)["results"][0]["value"] == 1


def test_solved_agents_are_kept(ttt):
    assert ttt("solve value_iteration --save vi.json --ties lowest")[0] == 0
    agent = storage.load("vi.json")
    assert agent.side == 0
    assert agent.policy[~GAME.terminal].max(axis=1).min() == 1  # no tie is shared
    both = evaluation.win_draw_loss(GAME, RANDOM, agent.policy)[0]
    assert both == pytest.approx([7 / 945, 57 / 945, 881 / 945])
    assert agent.Q.max() == pytest.approx(1)
    assert ttt("solve solve --save perfect.json")[0] == 0
    assert (storage.load("perfect.json").policy > 0).sum() > 5000
    status, _, err = ttt("solve minimax --save x.json")
    assert status == 2
    assert "finds a value and no policy" in err


# ---------------------------------------------------------------- show, plot, agents


def test_a_card_says_who_it_is_and_what_it_is_worth(ttt):
    card = result_of(ttt, "show best-against-random")
    assert card["win_second"] == pytest.approx(881 / 945)
    assert card["worst_second"] == -1
    assert card["exploitability"]["mean"] == pytest.approx(0.5)
    out = ttt("show best-against-random")[1]
    assert storage.load_shipped("best-against-random").made[:40] in out
    assert "0.0074 = 1/135" in out
    ttt("train menace --games 20 --seed 1 --save boxes.json")
    card = result_of(ttt, "show boxes.json")
    assert card["side"] == 1
    assert "win_second" not in card
    assert "exploitability" not in card
    assert "as second player" not in ttt("show boxes.json")[1]


def test_the_card_of_a_judge_has_no_scores(ttt):
    ttt("train td_prediction --games 20 --seed 1 --save judge.json")
    status, out, _ = ttt("show judge.json")
    assert status == 0
    assert "Learned by td_prediction" in out
    assert "judges and does not play" in out
    assert "against" not in out.split("judges")[1]
    assert "win_first" not in result_of(ttt, "show judge.json")


def test_five_boards(ttt):
    boards = result_of(ttt, "show perfect --tests")["boards"]
    chosen = {board["name"]: board["chooses"] for board in boards}
    assert chosen == {
        "empty": list(range(9)),
        "win_4_or_5": [1, 4],
        "win_1": [0],
        "draw_6": [0, 2, 6, 7, 8],
        "loss": [2, 7, 8],
    }
    known = {board["name"]: board["perfect"] for board in boards}
    assert known["draw_6"] == "lost"  # whatever its name says
    out = ttt("show perfect --tests")[1]
    assert out.count("Under perfect play") == 5
    for name, board in console_scores.TESTS.items():
        assert name in out
        assert board in out


@pytest.mark.parametrize(
    ("line", "several"),
    [
        ("random xox/xoo/o_x", True),  # one cell is left, and it expects nothing
        ("random ___/___/___", True),
        ("q-learning xx_/oo_/___", False),
        ("perfect ___/___/___", True),
    ],
)
def test_probabilities_are_told_unless_one_cell_and_what_it_expects_say_all(
    ttt, line, several
):
    (board,) = result_of(ttt, f"show {line}")["boards"]
    out = ttt(f"show {line}")[1]
    cells = ", ".join(map(str, board["chooses"]))
    assert f"{line.split()[0]} puts X on {cells}" in out
    assert ("probabilities" in out) == several
    assert several == (len(board["chooses"]) > 1 or "value" not in board)
    if several:
        for number in board["probability"].values():
            assert screen.short(number) in out


def test_numbers_on_a_board(ttt):
    agent = storage.load_shipped("q-learning")
    (board,) = result_of(ttt, "show q-learning x__/_o_/___")["boards"]
    s = GAME.find("x__/_o_/___")
    assert board["value"] == {
        str(a): agent.Q[s, a] for a in np.flatnonzero(GAME.legal[s])
    }
    out = ttt("show q-learning x__/_o_/___")[1]
    assert screen.short(agent.Q[s].max()) in out
    # Where O begins, the same position is written with the marks exchanged.
    assert (
        result_of(ttt, "show q-learning o__/_x_/___ --first O")["boards"][0]["value"]
        == board["value"]
    )
    assert "The game is over." in ttt("show perfect xxx/oo_/___")[1]
    for text, mark, known in (
        ("x__/_xo/___", "O", "lost"),
        ("xx_/oo_/x__", "O", "won"),
        ("xx_/oo_/___", "X", "won"),
    ):
        (board,) = result_of(ttt, f"show perfect {text}")["boards"]
        assert (board["to_move"], board["perfect"]) == (mark, known)


def test_histories_are_drawn(ttt):
    ttt("train sarsa --games 200 --seed 1 --save mine.json")
    ttt("train menace --games 20 --seed 1 --save boxes.json")
    for line, head in (
        ("mine.json --output a.png", b"\x89PNG"),
        ("boxes.json --output a.svg", b"<?xml"),
    ):
        status, out, err = ttt(f"plot {line}")
        assert (status, err) == (0, "")
        name = line.split()[-1]
        assert out == f"Drawn in {name}.\n"
        assert Path(name).read_bytes().startswith(head)
    status, _, err = ttt("plot mine.json --output a.png")
    assert status == 1
    assert "--force" in err


ROWS = (
    {"games": 0, "win_first": 0.1, "win_second": 0.2},
    {"games": 10, "win_first": 0.3, "win_second": 0.4},
    {"games": 40, "win_first": 0.5, "win_second": 0.6, "reward_first": 7}
    | {"reward_second": -8, "worst_first": -1, "worst_second": 0},
)


def drawn(monkeypatch, rows, name="$x^$", output=Path("a.png"), **more):
    """Return the figure that a history is drawn in."""
    made = []
    monkeypatch.setattr(history, "Figure", lambda: made.append(Figure()) or made[-1])
    agent = storage.Agent(name, "…", history=rows)
    history.draw(SimpleNamespace(agent=agent, name=name), output, **more)
    return made[-1] if made else None  # or in a window


def test_a_history_is_drawn_number_by_number(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    figure = drawn(monkeypatch, ROWS)
    top, *_, bottom = axes = figure.axes
    assert len(axes) == 3
    assert top.get_title("left") == "$x^$"
    labels = ["as first player", "as second player"]
    assert [text.get_text() for text in top.texts] == labels
    assert [bool(ax.get_xlabel()) for ax in axes] == [False, False, True]
    assert len({ax.get_ylabel() for ax in axes} - {""}) == 3
    for ax, name in zip(axes, ("reward", "win", "worst"), strict=True):
        lines = {line.get_label(): line for line in ax.lines}
        for place in ("first", "second"):
            line = lines.pop(f"as {place} player")
            assert line.get_xdata().tolist() == [0, 10, 40]
            numbers = [row.get(f"{name}_{place}", np.nan) for row in ROWS]
            assert np.array_equal(line.get_ydata(), numbers, equal_nan=True)
        (zero,) = lines.values()
        assert set(zero.get_ydata()) == {0}
        assert ax.get_shared_x_axes().joined(ax, top)
    one = drawn(monkeypatch, ROWS[:2], output=Path("b.png"))
    (ax,) = one.axes
    assert bottom.get_xlabel() == ax.get_xlabel()
    for each in (one, figure):  # one picture of the same size below the other
        assert each.get_size_inches() == pytest.approx((7, 2.6 * len(each.axes)))
        rows = [ax.get_subplotspec().rowspan.start for ax in each.axes]
        assert rows == [*range(len(each.axes))]
    with pytest.raises(click.ClickException, match="no history"):
        drawn(monkeypatch, ROWS[:1])
    with pytest.raises(click.ClickException, match="no scores"):
        drawn(monkeypatch, ({"games": 0}, {"games": 1}))


def test_a_picture_for_a_file_asks_for_no_window(ttt, monkeypatch):
    drawn, used, log = [], [], logging.getLogger("matplotlib")
    monkeypatch.setattr(history, "draw", lambda *arguments: drawn.append(arguments[1:]))
    monkeypatch.setattr(matplotlib, "use", used.append)
    log.setLevel(logging.NOTSET)
    monkeypatch.setenv("MPLBACKEND", "none such")
    assert ttt("plot sarsa") == (0, "", "")
    assert os.environ["MPLBACKEND"] == "none such"
    assert used == []
    status, out, err = ttt("plot sarsa --output a.png")
    assert (status, err) == (0, "")
    assert "a.png" in out
    assert "MPLBACKEND" not in os.environ
    assert used == ["agg"]
    assert not log.isEnabledFor(logging.WARNING)
    Path("a.png").touch()
    assert ttt("plot sarsa --output a.png")[:2] == (1, "")
    assert ttt("plot sarsa --output a.png --force")[0] == 0
    assert drawn == [(None, False), (Path("a.png"), False), (Path("a.png"), True)]


def test_a_picture_replaces_no_file_unless_it_is_said(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    drawn(monkeypatch, ROWS)
    before = Path("a.png").read_bytes()
    assert before.startswith(b"\x89PNG")
    with pytest.raises(FileExistsError):
        drawn(monkeypatch, ROWS[:2])
    assert Path("a.png").read_bytes() == before
    drawn(monkeypatch, ROWS[:2], force=True)
    assert Path("a.png").read_bytes() != before


@pytest.mark.parametrize("system", ["linux", "darwin"])
@pytest.mark.parametrize("display", ["", ":0"])
@pytest.mark.parametrize("backend", ["agg", "TkAgg"])
def test_a_window_is_opened_where_there_is_one_and_closed_afterwards(
    monkeypatch, system, display, backend
):
    shown, before = [], plt.get_fignums()
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(plt, "get_backend", lambda: backend)
    monkeypatch.setattr(plt, "show", lambda: shown.append(plt.gcf().axes))
    if backend == "agg" or (system == "linux" and not display):
        with pytest.raises(click.ClickException, match="no window"):
            drawn(monkeypatch, ROWS, output=None)
    else:
        drawn(monkeypatch, ROWS, output=None)
        assert len(shown[0]) == 3
    assert plt.get_fignums() == before


def test_a_picture_needs_no_window_and_a_full_disk_is_told(ttt, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "none such")
    assert ttt("plot sarsa --output a.png")[0] == 0
    before = Path("a.png").read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    for line in (
        "plot q-learning --output a.png --force",
        "export sarsa a.png --force",
        "solve solve --save a.png --force",
    ):
        status, _, err = ttt(line)
        told = "ttt: a.png was not written: No space left on device.\n"
        assert (status, err) == (1, told)
        assert Path("a.png").read_bytes() == before
        assert len(list(Path().iterdir())) == 1


def test_a_file_may_be_called_anything(ttt):
    for name in ("$x^$é ü\a.json", "x" * 250 + ".json"):
        arguments = ["train", "sarsa", "--games", "20", "--save", name]
        assert cli.main(arguments) == 0
        assert cli.main(["show", name]) == 0
        assert cli.main(["plot", name, "--output", "a.png", "--force"]) == 0


def test_where_a_policy_is_written_is_told(ttt):
    assert ttt("export random random.json") == (0, "Written to random.json.\n", "")


def test_a_policy_is_written_for_other_programs_and_read_back(ttt):
    assert ttt("export q-learning policy.json") == (0, "Written to policy.json.\n", "")
    whole = json.loads(Path("policy.json").read_text(encoding="utf-8"))
    board = whole["policy"]["XO......."], whole["values"]["XO......."]
    (shown,) = result_of(ttt, "show q-learning xo_/___/___")["boards"]
    assert board[1] == shown["value"]
    chosen = {cell: p for cell, p in shown["probability"].items() if p > 0}
    assert board[0] == chosen
    # It is an agent wherever one is named: the same numbers come out.
    pair = ("q-learning", "policy.json")
    for line in (
        "match {} random --seed 1",
        "tournament {} perfect",
        "show {} xo_/___/___",
    ):
        one, two = (result_of(ttt, line.format(a)) for a in pair)
        assert one == two
    assert ttt("play policy.json --starts it --seed 1", "q\n")[0] == 0
    assert "holds moves and no learner" in ttt("train --from policy.json")[2]
    # Who plays one side only says nothing of the other's positions.
    ttt("solve value_iteration --side second --save second.json")
    ttt("export second.json half.json")
    whole = json.loads(Path("half.json").read_text(encoding="utf-8"))
    assert list(whole["values"]) == list(whole["policy"])
    assert {board.count("X") - board.count("O") for board in whole["policy"]} == {1}


@pytest.mark.parametrize(
    ("line", "status", "hint"),
    [
        ("export perfect there.json", 1, "there.json exists: --force replaces it."),
        ("export perfect no/where.json", 1, "There is no folder"),
        ("export judge.json new.json", 1, "has no policy"),
        ("export person new.json", 2, "A person has no policy"),
        ("export perfct new.json", 2, "do you mean perfect?"),
        ("show wrong.json", 1, "XO....... in its policy adds up to 0.5, and not to 1"),
    ],
)
def test_what_cannot_be_written_or_read_is_one_sentence(ttt, line, status, hint):
    ttt("train td_prediction --games 20 --seed 1 --save judge.json")
    ttt("export random there.json")
    whole = json.loads(before := Path("there.json").read_text(encoding="utf-8"))
    whole["policy"]["XO......."] = {"2": 0.5}
    Path("wrong.json").write_text(json.dumps(whole), encoding="utf-8")
    found, out, err = ttt(line)
    assert (found, out) == (status, "")
    assert hint in err
    assert err.count("\n") == 1
    assert Path("there.json").read_text(encoding="utf-8") == before
    assert not Path("new.json").exists()
    assert ttt("export perfect there.json --force")[0] == 0
    assert Path("there.json").read_text(encoding="utf-8") != before


def test_agents_are_listed(ttt):
    found = result_of(ttt, "agents")
    assert [each["name"] for each in found["shipped"]] == storage.shipped()
    out = ttt("agents")[1]
    for name in (*storage.shipped(), *learners.METHODS, "teacher:P"):
        assert name in out
    assert out.startswith("Agents ")
    assert out.splitlines()[0].endswith(":")


def test_the_book_is_found_or_its_building_explained(ttt, tmp_path, monkeypatch):
    page = tmp_path / "index.html"
    assert Path(cli.__file__).parents[2] / "_build/html/index.html" == book.PAGE
    monkeypatch.setattr(book, "PAGE", page)
    status, _, err = ttt("book")
    assert status == 1
    assert "make book" in err
    page.touch()
    opened = []
    monkeypatch.setattr(book.click, "launch", opened.append)
    assert ttt("book --where")[:2] == (0, f"{page}\n")
    assert opened == []
    assert ttt("book")[0] == 0
    assert opened == [str(page)]


def test_who_stops_reading_is_not_told_off():
    command = [sys.executable, "-m", "ttt_lib", "agents"]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert done.returncode == 1
    assert done.stderr == b""


# Larger boards


def test_a_larger_board_is_solved_and_said_before_what_it_takes(ttt):
    status, out, err = ttt("solve count_down --size 3 5 4 --json")
    (found,) = json.loads(out)["results"]
    assert (status, found["value"], found["nodes"]) == (0, 0, 3_414_564)
    assert "14,348,907 codes take 14.3 MB and about" in err


def test_a_board_that_is_too_large_is_refused_before_any_work(ttt):
    status, out, err = ttt("solve count_down --size 5 5 4")
    assert (status, out) == (2, "")
    assert "raise --most-bytes" in err
    few = ttt("solve count_down --size 3 3 3 --most-bytes 19682")
    assert "takes 19,683 bytes" in few[2]
