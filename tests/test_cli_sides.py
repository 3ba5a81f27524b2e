"""The console on agents that were taught one side only, and on names and files."""

import json
import os
import subprocess
import sys

import pytest

from ttt_lib import evaluation
from ttt_lib.agents import player, storage
from ttt_lib.console import cli
from ttt_lib.game import tables
from ttt_lib.policy import uniform

game = tables()
at_random = uniform(game.legal)


@pytest.fixture
def ttt(tmp_path, monkeypatch, capsys):
    """A function that runs the program in an empty folder: (status, out, err)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("COLUMNS", "100")

    def run(line):
        status = cli.main(line.split())
        return status, *capsys.readouterr()

    return run


ONE_SIDE = {"p1": "second", "p4": "first", "menace": "first"}  # which each was taught
OTHER = {"first": "second", "second": "first"}


@pytest.mark.parametrize("name", ONE_SIDE)
def test_no_score_of_a_side_that_was_not_taught(name, ttt):
    place = ONE_SIDE[name]
    found = json.loads(ttt(f"show {name} --json")[1])
    assert f"worst_{place}" in found
    assert not [key for key in found if key.endswith(OTHER[place])]
    assert "exploitability" not in found
    out = ttt(f"show {name}")[1]
    assert f"As {OTHER[place]} player: not taught." in out
    assert ("It plays both sides, was taught as" in out) == (name != "menace")

    found = json.loads(ttt(f"match {name} random --json")[1])
    assert [way[place] for way in found["matches"]] == [name]
    assert found["not_taught"] == {name: OTHER[place]}
    assert (
        f"As {OTHER[place]} player {name} was not taught."
        in ttt(f"match {name} random")[1]
    )

    found = json.loads(ttt(f"tournament {name} random --json")[1])
    assert {row[OTHER[place]] for row in found["results"]} == {"random"}
    assert (
        f"As {OTHER[place]} player {name} was not taught."
        in ttt(f"tournament {name} random")[1]
    )

    listed = json.loads(ttt("agents --json")[1])["shipped"]
    (told,) = (each for each in listed if each["name"] == name)
    assert told["taught"] == {"first": +1, "second": -1}[place]
    assert f"{name} ({place} player only)\n" in ttt("agents")[1]


def test_two_who_were_taught_the_same_side_have_no_match(ttt):
    status, out, err = ttt("match p4 p6")
    assert (status, out) == (2, "")
    assert "both taught as first player only" in err


def test_what_it_expects_on_a_side_not_taught_is_not_told(ttt):
    found = json.loads(ttt("show p4 X________ --json")[1])["boards"][0]
    assert found["taught"] is False
    assert "value" not in found
    assert "p4 was not taught as second player." in ttt("show p4 X________")[1]
    assert "value" in json.loads(ttt("show p4 _________ --json")[1])["boards"][0]


@pytest.mark.parametrize("side", ["first", "second"])
@pytest.mark.parametrize("method", ["q_learning", "td_afterstates", "menace"])
def test_training_on_one_side_has_no_score_of_the_other(method, side, ttt):
    out = ttt(f"train {method} --side {side} --games 50 --seed 1 --save a.json")[1]
    assert f"As {OTHER[side]} player: not taught." in out
    for row in storage.load("a.json").history[1:]:
        assert f"win_{side}" in row
        assert not [key for key in row if key.endswith(OTHER[side])]
    assert ttt("plot a.json --output a.svg")[0] == 0
    if method != "menace":  # once it has learned the other side it has that score, too
        line = (
            f"train --from a.json --side {OTHER[side]} --games 50 --json --save b.json"
        )
        found = json.loads(ttt(line)[1])
        assert {"win_first", "win_second", "exploitability"} <= found.keys()
        assert player(game, "b.json").taught == 0


def test_an_agent_of_both_sides_that_goes_on_on_one_has_learned_both(ttt):
    ttt("train --from sarsa --side first --games 10 --save s.json")
    assert player(game, "s.json").taught == 0


def test_an_opponent_on_a_side_that_it_was_not_taught_gets_a_word(ttt):
    words = "p4 was taught as first player only, and not as second."
    line = "train q_learning --games 9 --seed 1 --opponent p4"
    assert words in ttt(line)[1]
    assert words not in ttt(f"{line} --side second")[1]
    assert ttt(f"{line[:-2]}menace --side second")[0] == 0, "it moves first"
    out = ttt("solve backward_induction --against p4")[1]
    assert "As second player p4 was not taught." in out
    assert "taught" not in ttt("solve backward_induction --against p4 --side second")[1]


def test_who_plays_a_side_not_taught_says_so(ttt, monkeypatch):
    monkeypatch.setattr("sys.stdin", type("Gone", (), {"isatty": lambda _: False})())
    monkeypatch.setattr("builtins.input", lambda _: "q")
    words = "p4 was taught as first player only, and not as second."
    assert words in ttt("play p4 --starts you")[1]
    assert words not in ttt("play p4 --starts it")[1]


def test_an_export_has_the_side_that_was_taught(ttt):
    out = ttt("export p4 p4-again.json")[1]
    assert "p4 was taught as first player only, and not as second." in out
    again, shipped = player(game, "p4-again.json"), player(game, "p4")
    assert (again.side, again.taught) == (+1, +1)
    one, other = (
        evaluation.result(game, who.policy, at_random) for who in (again, shipped)
    )
    assert one == pytest.approx(other)


def test_a_dash_is_the_standard_output_of_export_and_no_file(ttt, tmp_path):
    status, out, err = ttt("export p4 -")
    assert (status, json.loads(out)["side"]) == (0, 1)
    assert "p4 was taught as first player only" in err
    for line in ("train sarsa --games 1 --save -", "solve solve --save -"):
        status, _, err = ttt(line)
        assert (status, "- is no file name" in err) == (1, True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["draw_6", "Draw-6", "LOSS"])
def test_a_board_of_the_tests_is_known_by_its_name(name, ttt):
    known = name.lower().replace("-", "_")
    boards = json.loads(ttt("show perfect --tests --json")[1])["boards"]
    (right,) = (each for each in boards if each["name"] == known)
    assert json.loads(ttt(f"show perfect {name} --json")[1])["boards"] == [right]
    assert ttt(f"solve minimax --board {name}")[0] == 0


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("show perfect O________", "where O began, say so with --first O."),
        ("show perfect X________ --first O", "where X began, say so with --first X."),
        ("solve minimax --board O________", "where O began, say so with --first O."),
        ("solve value_iteration --order up", "--order up: choose from"),
        ("train menace --side both --opponent random", "--side both: Matchboxes"),
        ("train menace --rewards 1.5 0 0", "--rewards 1.5: give a whole number"),
        ("train td_afterstates --n 0", "--n"),
    ],
)
def test_a_sentence_of_the_library_names_the_option(line, says, ttt):
    status, _, err = ttt(line)
    assert status == 2
    assert says in err
    assert "='" not in err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"X........": 4}', '"policy": {"XO.......": {"4": 1}'),
        ("[4, 5]", '"format": "ttt policy"'),
        ('{"format": "ttt policy", "policy": {".........": 4}}', 'as {"4": 1}'),
        (
            '{"format": "ttt policy", "policy": {"O........": {"4": 1}}}',
            "X moves first, so O never has more marks.",
        ),
    ],
)
def test_a_file_of_another_program_hears_what_is_missing(text, says, ttt, tmp_path):
    (tmp_path / "a.json").write_text(text, "utf-8")
    status, _, err = ttt("show a.json")
    assert status == 1
    assert says in err
    assert "first=" not in err


def test_help_describes_itself_where_python_drops_docstrings():
    settings = os.environ | {"PYTHONOPTIMIZE": "2", "PYTHONDONTWRITEBYTECODE": "1"}
    helps = [
        subprocess.run(
            [sys.executable, "-m", "ttt_lib", *command, "--help"],
            env=settings,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for command in ([], ["show"])
    ]
    assert "play it, train and solve agents" in helps[0]
    assert "Play against OPPONENT." in helps[0]
    assert "Show who AGENT is" in helps[1]
