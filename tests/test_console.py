"""The console program `ttt`, each command, run in this process."""

import ctypes
import json
import logging
import os
import re
import subprocess
import sys
import threading
import warnings
from itertools import product
from pathlib import Path

import click
import numpy as np
import pytest
from common import same
from matplotlib.figure import Figure

from ttt_lib import __main__, learning, policy, schedules
from ttt_lib.agents import io, learners, load, save
from ttt_lib.agents.builtin import MARKS
from ttt_lib.console import agents as listed
from ttt_lib.console import (
    book,
    cli,
    match,
    plot,
    saving,
    screen,
    solve,
    train,
)
from ttt_lib.game import tables

pytestmark = pytest.mark.slow

GAME = tables()
RANDOM = policy.uniform(GAME.legal)
PAGE = (Path(__file__).parents[1] / "book" / "console.md").read_text("utf-8")


@pytest.fixture
def result(ttt):
    """Return a function that runs a line with --json and returns the parsed output."""

    def run(line):
        status, out, err = ttt(line + " --json")
        assert (status, err) == (0, "")
        return json.loads(out)

    return run


def test_every_command_is_listed_and_has_help(ttt):
    rows = re.findall(r"^\| `ttt (\w+)", PAGE.split("| Command |")[1], re.M)
    listed = re.findall(r"^  (\w+)  +\S.*\.$", ttt("--help")[1], re.M)
    assert sorted(rows[: len(listed)]) == listed == list(cli.COMMANDS)
    for name in ("", *listed):
        status, out, _ = ttt(f"{name} --help")
        assert status == 0
        assert f"ttt {name}".strip() in out.split("Example:")[1]
        assert "Exit status: 0 done; 1 a problem" in out
        assert out.isascii()
    solving = [name for kind in solve.METHODS.values() for name in kind]
    for command, methods in (("train", [*learners.METHODS]), ("solve", solving)):
        listed = re.findall(r"^  ([a-z_]+)\s+\S+ \S", ttt(f"{command} --help")[1], re.M)
        assert [name for name in listed if name in methods] == methods
    assert ttt("")[:2] == (2, ""), "without a command: help, as an error"
    assert ttt("")[2].rstrip() == ttt("--help")[1].rstrip()


def test_help_imports_no_slow_modules_and_works_without_docstrings():
    program = (
        "import sys; from ttt_lib.__main__ import main\n"
        "sys.argv[1:] = ['--help']; main()\n"
        "slow = {'numba', 'numpy', 'matplotlib', 'rich', 'scipy'}\n"
        "print('loaded:', [name for name in slow if sys.modules.get(name)])\n"
        "sys.argv[1:] = ['match', '--help']; main()\n"
        "print('compiler:', sys.modules['numba'])"
    )
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-OO", "-c", program]
    output = subprocess.check_output(command, env=environment, text=True)
    for words in ("play it, train and solve agents", "Compare A and B exactly"):
        assert words in output
    assert "loaded: []\n" in output
    assert "compiler: None\n" in output


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        # Names
        ("play rndom", "do you mean random?"),
        ("train sarsa --opponent person", "A person has no policy"),
        ("solve value", "do you mean value_iteration?"),
        # Numbers
        ("play new:sarsa --alpha 2", "2.0 is not in the range 0<=x<=1"),
        ("train sarsa --alpha 2", "--alpha 2.0: give a finite number above 0 to 1"),
        ("train sarsa --games 99999999999999999999999", "and cannot see"),
        ("train sarsa --games 1000000 --every 1", "--every 1 makes more than 10,000 r"),
        ("train menace --rewards 1.5 0 0", "--rewards 1.5: give a whole number"),
        # Contradictory options
        ("play new:td_prediction", "does not play itself"),
        ("play random --learn", "random cannot learn"),
        ("play new:sarsa --save x.json", "it needs --learn"),
        ("play random --alpha 0.5", "--alpha is for a new learner"),
        ("show perfect --tests xo_/___/___", "shows all its boards"),
        ("train minimax_q --side first", "leave --side out"),
        ("train sarsa --from sarsa", "--from AGENT to go on"),
        ("train --from sarsa --seed 0", "AGENT holds its own"),
        ("train --from best-against-random", "cannot be trained further: its file"),
        ("solve linear_solve --theta 1", "linear_solve has no --theta"),
        ("solve minimax --save x.json", "finds a value but no policy"),
        ("solve value_iteration --order up", "--order up: choose from 'synchronous'"),
        ("solve count_down --size 5 5 4", "raise --max-bytes"),
        # Boards, files and commands
        ("play uct:9 --size 3 3 4", "4 in a row fit nowhere on a board of 3 × 3"),
        ("play uct:9 --size 7 7 4", "7 × 7 are 49 cells: give up to 39"),
        ("play perfect --size 5 5 4", "perfect needs the value of every position"),
        ("play new:sarsa --size 4 4 4", "new:sarsa needs a table of all positions"),
        ("play uct:9 --size 4 4 4 --learn", "uct:9 cannot learn"),
        ("play perfcet --size 4 4 4", "do you mean perfect?"),
        ("show perfect O________", "where O began, say so with --first O."),
        ("plot q-learning --output x.gif", ".png or .svg"),
        ("contest nowhere", "nowhere is not a folder"),
        ("nothing", "No such command"),
    ],
)
def test_usage_error_prints_one_line_and_exits_with_2(ttt, line, hint):
    status, out, err = ttt(line)
    assert (status, out) == (2, "")
    assert hint in err
    command = line.split()[0]
    path = "" if command == "nothing" else f" {command}"
    assert re.fullmatch(rf"ttt{path}: .*[^.?][.?] Help: ttt{path} --help\n", err)
    assert "='" not in err, "arguments are written as options"


@pytest.fixture(scope="module")
def bad_files(tmp_path_factory):
    """Return a folder of files that some commands cannot use."""
    folder = tmp_path_factory.mktemp("bad")
    prediction = learning.new_learner(GAME, "td_prediction", np.random.default_rng(1))
    size = {"rows": 2, "columns": 3, "k": 3}
    wide = io.Agent("wide", "…", policy=policy.uniform(tables(2, 3, 3).legal), **size)
    save(io.read_builtin("perfect"), folder / "good.json")
    save(wide, folder / "wide.json")
    judge = learners.to_agent(GAME, prediction, "judge", "…")
    save(judge, folder / "judge.json")
    (folder / "cut.json").write_text((folder / "good.json").read_text("utf-8")[:3000])
    os.mkfifo(folder / "fifo.json")
    return folder


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("show nobody.json", "There is no file nobody.json."),
        ("play cut.json", "cut short, damaged, or not an agent"),
        ("train --from cut.json", "cut short, damaged, or not an agent"),
        ("play fifo.json", "fifo.json cannot be used: it is not a regular file"),
        ("play wide.json", "3 in a row on 2 × 3 cells"),
        ("train sarsa --opponent judge.json", "no policy"),
        ("export judge.json new.json", "has no policy"),
        *(
            (line, "good.json exists: --force replaces it.")
            for line in (
                "train sarsa --games 1 --save good.json",
                "train --from good.json --save good.json",
                "play new:sarsa --learn --save good.json",
                "solve solve --save good.json",
                "export perfect good.json",
            )
        ),
        ("export sarsa fifo.json --force", "fifo.json is not a regular file"),
        ("train sarsa --games 1 --save no/where.json", "There is no folder"),
        ("train sarsa --games 1 --save -", "- is not a file name"),
        ("plot q-learning --output no/a.png", "There is no folder"),
        ("plot perfect", "has no history"),
        ("plot q-learning", "There is no display"),
    ],
)
def test_problem_prints_one_line_and_exits_with_1(
    ttt, bad_files, monkeypatch, line, hint
):
    monkeypatch.chdir(bad_files)
    before = {file: file.stat().st_mtime_ns for file in bad_files.iterdir()}
    status, out, err = ttt(line)
    assert (status, out) == (1, "")
    assert hint in err
    assert re.fullmatch(r"ttt: .*\.\n", err)
    now = {file: file.stat().st_mtime_ns for file in bad_files.iterdir()}
    assert now == before, "no file is changed or left behind"


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "x" * 5000 + ".json"],
        ["match", "a\nb", "random"],
        ["train", "sarsa", "--alpha", "\x1b]0;title\x07" * 99],
        ["\x9b31m" * 5000],
    ],
)
def test_error_messages_shorten_and_escape_input(ttt, arguments):
    status, out, err = ttt(arguments)
    assert status in (1, 2)
    assert out == ""
    assert err.removesuffix("\n").isprintable()
    assert len(err) < 700


def test_control_characters_are_escaped_on_output(ttt):
    made = "Made \x1b[31min\x1b[0m a\a hurry.\nBy hand."
    name = "$x^$é ü\a.json"
    save(io.read_builtin("q-learning")._replace(made=made), name)
    for line in (["show", name], ["match", name, "random"], ["play", name]):
        status, out, err = ttt(line, "q\n")
        assert (status, err) == (0, "")
        assert all(text.isprintable() for text in out.split("\n"))
    escaped = "Made \\x1b[31min\\x1b[0m a\\x07 hurry.\nBy hand.\n"
    assert escaped in ttt(["show", name])[1]
    assert ttt(["plot", name, "--output", "a.png"])[0] == 0


TYPED = "4\nh\n?\nx\n0\n1\n2\n3\n5\n6\n7\n8\n"


@pytest.mark.parametrize(
    "line",
    [
        "match perfect random --games 50 --seed 1",
        "tournament perfect random safe-and-greedy",
        "show perfect --tests",
        "train q_learning --games 100 --every 100 --seed 1",
        "play new:sarsa --learn --seed 1 --numbers values",
    ],
)
def test_output_fits_pipes_and_narrow_terminals(ttt, monkeypatch, line):
    wide = ttt(line, TYPED)[1]
    assert "\x1b" not in wide
    assert not wide.isascii()
    assert max(map(len, wide.splitlines())) <= 88
    for text in wide.splitlines():
        assert text == text.rstrip() or text in ("Your move, X: ", "Play again? [Y/n] ")
    monkeypatch.setenv("COLUMNS", "40")
    assert max(map(len, ttt(line, TYPED)[1].splitlines())) <= 40
    monkeypatch.setenv("COLUMNS", "0")
    monkeypatch.setenv("LC_ALL", "de_DE.ISO-8859-1")
    status, out, _ = ttt(line, TYPED)
    assert (status, out.isascii()) == (0, True)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (OSError("A message of the library."), "ttt: A message of the library.\n"),
        (OSError(13, "Permission denied", "a"), "ttt: a: Permission denied.\n"),
        (MemoryError(), "ttt: There is not enough memory for this.\n"),
    ],
)
def test_system_error_prints_one_line(ttt, monkeypatch, fault, message):
    def fails(*_, **__):
        raise fault

    monkeypatch.setattr(cli.cli, "main", fails)
    assert ttt("") == (1, "", message)
    fault = ZeroDivisionError()  # a bug of the program is not hidden
    with pytest.raises(ZeroDivisionError):
        ttt("")


@pytest.mark.skipif(os.name == "nt", reason="needs preexec_fn")
def test_closed_full_and_broken_streams_exit_quietly():
    def run(line, **streams):
        command = [sys.executable, "-m", "ttt_lib", *line.split()]
        done = subprocess.run(command, **{"stderr": subprocess.PIPE} | streams)
        return done.returncode, (done.stdout or b"").decode(), done.stderr.decode()

    status, out, err = run(
        "play perfect", stdout=subprocess.PIPE, preexec_fn=lambda: os.close(0)
    )
    assert (status, err) == (0, "")
    assert out.endswith("draws 0.\n")
    assert run("--version", preexec_fn=lambda: os.close(1)) == (0, "", "")
    reader, writer = os.pipe()
    os.close(reader)
    empty = subprocess.DEVNULL
    assert run("play perfect", stdin=empty, stdout=writer) == (1, "", "")
    os.close(writer)
    with Path("/dev/full").open("w") as full:
        err = run("--version", stdout=full)[2]
    assert err.startswith("ttt: No space left on device.\n")
    assert "Traceback" not in err


def test_ctrl_c_dropped_by_the_compiler_is_resent(ttt, monkeypatch, ctrl_c):
    callback = ctypes.CFUNCTYPE(None)(ctrl_c)

    def dropped(*arguments):
        callback()  # the exception is unraisable
        for _ in range(900):  # as the compiler goes on, in Python
            threading.Event().wait(0.1)

    monkeypatch.setattr(match, "compare", dropped)
    status, out, err = ttt("match perfect random")
    assert (status, out, err.strip()) == (130, "", "Stopped.")
    try:
        late = threading.Event().wait(2 * cli.RESEND_DELAY)
    except KeyboardInterrupt:
        late = True
    assert not late, "no second Ctrl-C after the end"


def test_library_warning_prints_one_line(capsys):
    with cli.prepared(), warnings.catch_warnings(action="always"):
        warnings.warn("mind\nthis", stacklevel=1)
    assert capsys.readouterr() == ("", "ttt: mind\\nthis\n")


def test_ctrl_c_during_import_prints_no_traceback():
    program = (
        "import runpy, sys\n"
        "class Pressed:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'click':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Pressed())\n"
        "runpy.run_module('ttt_lib', run_name='__main__')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True)
    assert (done.returncode, done.stderr) == (130, b"Stopped.\n")


@pytest.mark.parametrize(
    ("line", "waits"),
    [
        ("play perfect --mark O", False),
        ("play UCT:1000", True),
        ("play random --size 4 4 4", True),
        ("match perfect random --games 9", True),
        ("train -h", False),
    ],
)
def test_short_commands_do_not_import_numba(monkeypatch, ctrl_c, line, waits):
    numba = object()
    monkeypatch.setattr(cli, "dropped", threading.Event())
    monkeypatch.setitem(sys.modules, "numba", numba)
    monkeypatch.setattr(sys, "argv", ["ttt", *line.split()])
    monkeypatch.setattr(cli, "main", lambda _: sys.modules["numba"] is numba)
    assert __main__.main() == waits
    ctrl_c()  # is ignored now


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (191 / 192, "0.9948 = 191/192"), (-874 / 945, "−0.9249 = −874/945"),
        (0.0, "0.0000"), (1.0, "1.0000"), (-1.0, "−1.0000"), (-1e-9, "0.0000"),
        (-1.5, "−1.5000"), (np.pi / 4, "0.7854"), (0.5 + 1e-13, "0.5000 = 1/2"),
        (0.5 + 1.5e-12, "0.5000"), (1 / 9_999, "0.0001 = 1/9999"),
        (1 / 10_001, "0.0001"),
    ],
)  # fmt: skip
def test_exact_adds_fraction_to_decimal(number, text):
    assert screen.exact(number) == text


def test_sample_without_a_seed_is_new_each_time(result):
    seeds = {result("match perfect random --games 5")["seed"] for _ in range(3)}
    assert len(seeds) == 3


def test_tournament_as_json_has_all_matches(result):
    names = "random", "perfect", "safe-and-greedy"
    results = result(f"tournament {' '.join(names)}")["results"]
    pairs = [(row["first"], row["second"]) for row in results]
    assert pairs == [*product(names, names)]
    assert results[0]["win"] == pytest.approx(737 / 1260)


def test_one_sided_agents_warn_or_play_only_their_side(ttt, result):
    words = "As second player p4 was not taught."
    assert words in ttt("solve backward_induction --against p4")[1]
    assert words not in ttt("solve backward_induction --against p4 --side second")[1]
    assert words in ttt("solve linear_solve --policy p4")[1]
    words = "p4 was taught as first player only, and not as second."
    line = "train q_learning --games 9 --seed 1 --opponent p4"
    assert words in ttt(line)[1]
    assert words not in ttt(f"{line} --side second")[1]
    assert words in ttt("play p4 --starts you", "q\n")[1]
    assert words not in ttt("play p4 --starts it", "q\n")[1]
    assert "value" not in result("show p4 X________")["boards"][0]
    ttt("solve backward_induction --side second --save second.json")
    assert "It plays the second player" in ttt("show second.json")[1]
    line = "solve backward_induction --against second.json --side "
    assert "win_first" in result(line + "first")["results"][0]
    status, _, err = ttt(line + "second")
    assert (status, err.count("\n")) == (1, 1)
    assert "second was made for" in err
    assert "you will begin" in ttt("play second.json --starts it", "q\n")[1]
    for seed in range(4):
        line = f"play second.json --starts lot --seed {seed}"
        assert "You begin" in ttt(line, "q\n")[1]
    assert "was not made for X" in ttt("show second.json ___/___/___")[1]


@pytest.mark.parametrize("method", ["q_learning", "td_prediction"])
def test_train_from_file_is_bit_identical_to_one_run(ttt, method):
    assert ttt(f"train {method} --games 60 --seed 7 --save whole.json")[0] == 0
    ttt(f"train {method} --games 25 --every 10 --seed 7 --save part.json")
    ttt("train --from part.json --games 35 --every 12 --save rest.json")
    one, two = load("whole.json"), load("rest.json")
    assert same(one.learner, two.learner)
    games = [row["games"] for row in two.history]
    assert games == sorted({0, 10, 20, 25, 37, 49, 60} | {*MARKS} & {*range(61)})
    assert two.history[-1] == one.history[-1]
    assert two.made.startswith(load("part.json").made)
    assert "35 games" in two.made


FEW = "train sarsa --games 20 --every 20 --seed 1"


def test_training_goes_on_with_its_settings_unless_others_are_given(ttt):
    line = (
        "train td_afterstates --games 30 --seed 2 --alpha power:0.5:0.6 --every 10 "
        "--epsilon linear:0.5:0:20 --side second --opponent Teacher:0.8:lowest"
    )
    assert ttt(line + " --save a.json")[0] == 0
    epsilon, opponent = schedules.linear(0.5, 0, 20), "teacher 0.8 lowest"
    for more, *expected in (
        ("--games 0", schedules.power(0.5, 0.6), epsilon, opponent, -1),
        ("--alpha 1/n", schedules.one_over_n(), epsilon, opponent, -1),
        ("--alpha 0.25 --opponent random --side both --epsilon exponential:0.5:0.1:20",
         schedules.constant(0.25), schedules.exponential(0.5, 0.1, 20), "random", 0),
    ):  # fmt: skip
        line = "train --from a.json --games 10 --every 10 --save b.json --force"
        assert ttt(f"{line} {more}")[0] == 0
        agent = load("b.json")
        assert [agent.learner.alpha, agent.learner.epsilon] == expected[:2]
        assert [agent.training["opponent"], agent.side] == expected[2:]
    assert "now against new:sarsa" in ttt(FEW + " --opponent new:sarsa")[1]


def test_full_disk_and_read_only_folder_are_reported(ttt, monkeypatch):
    Path("a.png").write_bytes(before := b"another's")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    for line in (
        FEW + " --save a.png --force",
        "plot q-learning --output a.png --force",
        "export random a.png --force",
        "solve solve --save a.png --force",
    ):
        message = "ttt: a.png was not written: No space left on device.\n"
        assert ttt(line)[::2] == (1, message)
        assert [file.read_bytes() for file in Path().iterdir()] == [before]
    monkeypatch.setattr(os, "access", lambda *_: False)
    status, out, err = ttt("train sarsa --games 1000000000 --save a.json")
    assert (status, out) == (1, "")
    assert "is not writable" in err


def test_ctrl_c_stops_training_and_saves(ttt, monkeypatch, ctrl_c):
    after, calls = train.after, []

    def pressed(*arguments):
        calls.append(arguments)
        if len(calls) == 12:
            ctrl_c()
        return after(*arguments)

    def pressed_again(*arguments):
        ctrl_c()
        ctrl_c()
        return save(*arguments)

    monkeypatch.setattr(train, "after", pressed)
    monkeypatch.setattr(saving, "save", pressed_again)
    status, out, err = ttt(
        f"train q_learning --games {10**18} --seed 4 --save mine.json"
    )
    assert (status, err) == (130, "")
    assert len(calls) == 12
    games = load("mine.json").history[-1]["games"]
    assert 0 < games < 10_000_000
    assert f"Stopped early, after {games:,} games." in out
    assert "Saved in mine.json." in out


def test_prediction_goes_on_without_the_policy_that_it_judged(ttt, result):
    line = "train mc_prediction --games 20 --behaviour perfect --opponent perfect"
    assert result(line + " --save judge.json")["exact"] == 0
    assert "judges and does not play" in ttt("show judge.json")[1]
    agent = load("judge.json")
    save(agent._replace(training=agent.training | {"behaviour": "gone"}), "judge.json")
    status, out, err = ttt("train --from judge.json --games 20")
    assert (status, out) == (2, "")
    assert "it judged, gone, is not available: give --behaviour." in err
    assert ttt("train --from judge.json --games 20 --behaviour perfect")[0] == 0


def test_solve_by_search_takes_names_of_boards(result):
    (answer,) = result("solve minimax --board Draw-6")["results"]
    assert answer["value"] == -1  # in spite of its name


ROWS = (
    {"games": 0, "win_first": 0.1, "win_second": 0.2},
    {"games": 10, "win_first": 0.3, "win_second": 0.4},
    {"games": 40, "win_first": 0.5, "win_second": 0.6, "reward_first": 7}
    | {"reward_second": -8, "worst_first": -1, "worst_second": 0},
)


def test_plot_draws_history():
    figure = Figure()
    plot.draw(io.Agent("$x^$", "…", history=ROWS), figure)
    assert figure.axes[0].get_title() == "$x^$"
    for ax, name in zip(figure.axes, ("reward", "win", "worst"), strict=True):
        assert bool(ax.get_xlabel()) == (name == "worst")
        lines = {line.get_label(): line for line in ax.lines}
        for side in ("first", "second"):
            line = lines.pop(f"as {side} player")
            assert line.get_xdata().tolist() == [0, 10, 40]
            numbers = [row.get(f"{name}_{side}", np.nan) for row in ROWS]
            assert np.array_equal(line.get_ydata(), numbers, equal_nan=True)
        (zero,) = lines.values()
        assert set(zero.get_ydata()) == {0}
    plot.draw(io.Agent("a", "…", history=ROWS[:2]), one := Figure())
    assert len(one.axes) == 1, "no panel without data"
    with pytest.raises(click.ClickException, match="no scores"):
        plot.draw(io.Agent("a", "…", history=({"games": 0},) * 2), Figure())


def test_plot_to_file_needs_no_window_and_replaces_no_file(ttt, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "none such")
    logging.getLogger("matplotlib").setLevel(logging.NOTSET)
    assert ttt("plot sarsa --output a.png") == (0, "Drawn in a.png.\n", "")
    assert not logging.getLogger("matplotlib").isEnabledFor(logging.WARNING)
    assert (before := Path("a.png").read_bytes()).startswith(b"\x89PNG")
    assert ttt("plot menace --output a.SVG")[0] == 0
    assert Path("a.SVG").read_bytes().startswith(b"<?xml")
    assert "--force" in ttt("plot q-learning --output a.png")[2]
    with pytest.raises(FileExistsError):  # made in the meantime
        plot.write(io.read_builtin("q-learning"), Path("a.png"))
    assert Path("a.png").read_bytes() == before
    assert ttt("plot q-learning --output a.png --force")[0] == 0
    assert Path("a.png").read_bytes() != before


def test_export_round_trips(ttt, result):
    assert ttt("export q-learning policy.json") == (0, "Written to policy.json.\n", "")
    # The file is an agent like any other, with the same numbers.
    for line in ("match {} random --seed 1", "show {} xo_/___/___"):
        one, two = (result(line.format(a)) for a in ("q-learning", "policy.json"))
        assert one == two
    assert "holds a policy but no learner" in ttt("train --from policy.json")[2]
    # An agent trained on one side is written for that side only.
    status, out, err = ttt("export p4 -")
    whole = json.loads(out)
    assert (status, whole["side"], len([*Path().iterdir()])) == (0, 1, 1)
    assert "p4 was taught as first player only, and not as second." in err
    assert list(whole["values"]) == list(whole["policy"])
    assert {board.count("X") - board.count("O") for board in whole["policy"]} == {0}


def test_agents_command_lists_agents(ttt, result, monkeypatch):
    few = ["menace", "p1", "perfect"]  # reading all of them takes seconds
    monkeypatch.setattr(listed, "builtin_names", lambda: few)
    taught = {each["name"]: each["taught"] for each in result("agents")["shipped"]}
    assert taught == {"menace": 1, "p1": -1, "perfect": 0}
    monkeypatch.setenv("COLUMNS", "40")
    out = ttt("agents")[1]
    for name in (*few, *learners.METHODS, "teacher:P"):
        assert name in out
    for name, side in {"p1": "second", "menace": "first"}.items():
        assert f"{name} ({side} player only)\n" in out
    assert max(map(len, out.splitlines())) <= 40


def test_book_command_opens_or_explains(ttt, tmp_path, monkeypatch):
    assert Path(cli.__file__).parents[2] / "_build/html/index.html" == book.PAGE
    page, opened = tmp_path / "index.html", []
    monkeypatch.setattr(book, "PAGE", page)
    monkeypatch.setattr(book.click, "launch", opened.append)
    status, _, err = ttt("book")
    assert (status, "make book" in err) == (1, True)
    page.touch()
    assert ttt("book --where")[:2] == (0, f"{page}\n")
    assert opened == []
    assert ttt("book")[0] == 0
    assert opened == [str(page)]
