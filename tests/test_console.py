"""Games in the console, as a person types them, and the examples of its page."""

import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import click
import numpy as np
import pytest
from common import same
from rich.console import Console
from ttt_lib.agents.recipes import MARKS

from ttt_lib import evaluation, learning, policy, schedules
from ttt_lib.agents import learners, player, storage
from ttt_lib.console import cli, keeping, solving, training
from ttt_lib.console import screen as console_screen
from ttt_lib.console.commands.train import kept
from ttt_lib.console.keeping import Keeper, keep, must_be_new, offer
from ttt_lib.console.screen import Screen
from ttt_lib.console.sitting import Manner, Sitting, in_words, read_move
from ttt_lib.doors import LARGEST
from ttt_lib.game import tables
from ttt_lib.policy import TIE

pytestmark = pytest.mark.slow

GAME = tables()
PAGE = Path(__file__).parents[1] / "book" / "console.md"


class Scripted(Screen):
    """A screen on which answers are typed from a list; Ctrl-C is typed as "^C"."""

    def __init__(self, answers):
        super().__init__(io.StringIO())
        self.signs = True
        self.answers = iter(answers)

    def ask(self, prompt):
        self.say(prompt)
        answer = next(self.answers, None)
        if answer is None:
            raise EOFError
        if answer == "^C":
            raise KeyboardInterrupt
        self.say(answer)
        return answer


def sit(answers, opponent="random", seed=1, settings=(), **manner):
    """Return a Sitting that is over, what was said, and whether Ctrl-C ended it."""
    rng = np.random.default_rng(seed)
    who = player(GAME, opponent, rng, **dict(settings))
    screen = Scripted(answers)
    sitting = Sitting(GAME, who, screen, rng, Manner(**manner))
    stopped = sitting.run()
    return sitting, screen.console.file.getvalue(), stopped


# ---------------------------------------------------------------- what may be typed


def test_who_is_asked_for_another_game_is_told_what_may_be_typed():
    screen = Scripted(["u", "q"])
    who = player(GAME, "random")
    assert not Sitting(GAME, who, screen, np.random.default_rng(1)).again()
    said = screen.console.file.getvalue()
    assert said.count("Please answer y or n; q leaves, too.") == 1


@pytest.mark.parametrize(
    ("text", "first_cell", "cell"),
    [
        ("0", 0, 0),
        (" 8 ", 0, 8),
        ("9", 1, 8),
        ("1", 1, 0),
        ("1,2", 0, 5),
        (" 2 , 0 ", 0, 6),
        ("1,1", 1, 0),
        ("3,3", 1, 8),
        ("+4", 0, 4),
    ],
)
def test_moves_are_read_in_three_ways(text, first_cell, cell):
    assert read_move(text, GAME, 0, first_cell) == cell


@pytest.mark.parametrize(
    ("text", "first_cell", "reason"),
    [
        ("", 0, "Nothing typed"),
        ("   ", 0, "Nothing typed"),
        ("nine", 0, "is no move"),
        ("4.0", 0, "is no move"),
        ("1,2,0", 0, "is no move"),
        ("9" * 5000, 0, "is no move"),
        ("²", 0, "is no move"),
        ("\0", 0, "is no move"),
        ("9", 0, "outside the board"),
        ("-1", 0, "outside the board"),
        ("0", 1, "outside the board"),
        ("0,3", 0, "outside the board"),
        ("0,1", 1, "outside the board"),
        ("4", 0, "Cell 4 is occupied; free are 0, 1, 2, 3, 5, 6, 7, 8."),
        ("5", 1, "Cell 5 is occupied; free are 1, 2, 3, 4, 6, 7, 8, 9."),
        ("1,1", 0, "Cell 4 is occupied"),
    ],
)
def test_what_is_no_move_gets_one_sentence(text, first_cell, reason):
    s = GAME.find("..../X/....".replace("/", ""))
    with pytest.raises(ValueError, match=re.escape(reason)) as fault:
        read_move(text, GAME, s, first_cell)
    assert len(str(fault.value)) < 120
    assert str(fault.value).count("\n") == 0


# ---------------------------------------------------------------- sittings


def test_whatever_is_typed_games_end_and_are_counted():
    rng = np.random.default_rng(5)
    tokens = [*"012345678", *"012345678", *"uh?nqx", "", "1,2", "9", "-1"]
    for seed, opponent in enumerate(["random", "perfect", "person", "new:sarsa"] * 5):
        answers = [tokens[i] for i in rng.integers(len(tokens), size=60)]
        answers = ["y" if rng.random() < 0.1 else answer for answer in answers]
        sitting, text, stopped = sit(
            answers,
            opponent,
            seed,
            starts="lot",
            learn=opponent.startswith("new"),
            first_cell=seed % 2,
        )
        assert not stopped
        ends = len(re.findall(r"^(?!Against)(?:A draw|You win|.* wins)\.$", text, re.M))
        assert sum(sitting.score) == ends
        counted = re.findall("Score: .*", text)[-1]
        assert sum(map(int, re.findall(r" (\d+)[,.]", counted))) == ends


def test_a_whole_game_between_two_persons():
    answers = ["4", "0", "u", "1", "0", "2", "8", "n"]
    sitting, text, _ = sit(answers, "person")
    assert sitting.moves == [4, 1, 0, 2, 8]
    assert sitting.score == [1, 0, 0]
    assert "Player 1 begins, with X." in text
    assert "Player 1 (X) wins." in text
    assert "Score: player 1 1, player 2 0, draws 0." in text
    # After u it is player 2's turn again.
    assert re.findall(r"Player (\d), (\w):", text) == [
        ("1", "X"),
        ("2", "O"),
        ("1", "X"),
        ("2", "O"),
        ("1", "X"),
        ("2", "O"),
        ("1", "X"),
    ]


def test_the_score_is_kept_for_persons_not_for_sides():
    won = ["4", "0", "2", "1", "6", "n"]  # whoever begins wins
    assert sit(won, "person")[0].score == [1, 0, 0]
    sitting, text, _ = sit(won, "person", starts="it")
    assert sitting.score == [0, 0, 1]
    assert "Player 2 (O) wins." in text
    drawn = [*"401283567"]
    assert sit([*drawn[:5], *"7635", "n"], "person")[0].score == [0, 1, 0]
    # Against perfect play that begins, no person wins; who gives the game away loses.
    sitting, text, _ = sit(
        [*"876543210876543210876543210", "n"], "perfect", starts="it"
    )
    assert sitting.score[0] == 0
    assert ("perfect wins." in text) == (sitting.score[2] > 0)


def test_undo_goes_back_to_ones_last_decision():
    sitting, text, _ = sit(["u", "4", "u", "q"])
    assert "There is no move of yours to take back." in text
    assert sitting.moves == []
    sitting, text, _ = sit(["u", "q"], starts="it")
    assert "There is no move of yours to take back." in text
    assert len(sitting.moves) == 1
    cell = str(np.flatnonzero(GAME.legal[sitting.position()])[0])
    again, _, _ = sit([cell, "u", "q"], starts="it")
    assert again.moves == sitting.moves


def test_who_begins_and_with_which_mark():
    _, text, _ = sit(["q"], mark="O", starts="it")
    assert "random begins, with X." in text
    assert "Your move, O:" in text
    _, text, _ = sit(["q"], mark="O")
    assert "You begin, with O." in text
    assert "Your move, O:" in text
    begun = [sit(["q"], starts="lot", seed=seed)[1] for seed in range(24)]
    begins = sum(text.startswith("You begin") for text in begun)
    assert 4 < begins < 20
    # A new lot for each game of a sitting.
    answers = ["0", "1", "2", "3", "4", "5", "6", "7", "8"] * 3
    answers = [each for a in answers for each in (a, "y")]
    _, text, _ = sit(answers, starts="lot", seed=3)
    assert {"You begin", "random begins"} <= set(
        re.findall(r"(You begin|random begins)", text)
    )


def test_hints_know_the_game_and_the_opponent():
    _, text, _ = sit(["h", "q"], "perfect")
    assert "Against perfect play cells 0, 1, 2, 3, 4, 5, 6, 7, 8 hold the draw." in text
    _, text, _ = sit(["h", "q"])
    assert "Against random cells 0, 2, 6, 8 do best: 0.9948 on average" in text
    sitting, text, _ = sit(["h", "q"], starts="it")
    random = policy.uniform(GAME.legal)
    answer = evaluation.best_response(GAME, random, -1)
    s = sitting.position()
    cells = ", ".join(map(str, np.flatnonzero(answer.policy[s])))
    assert re.search(rf"Against random cells? {cells} do", " ".join(text.split()))
    assert f"{answer.V[s]:.4f} on average" in " ".join(text.split())
    _, text, _ = sit(["1", "h", "0", "h", "q"], "person", first_cell=1)
    assert "holds the draw" in text or "hold the draw" in text
    # Where a game is lost and where it is won: by the cell's name.
    _, text, _ = sit(["0", "1", "4", "h", "2", "h", "8", "n"], "person")
    assert "Against perfect play cell 8 holds" not in text
    assert "lose, as all others do." in text
    assert re.search(r"Against perfect play cells [\d, ]*8 win\.", text)


@pytest.mark.parametrize("first_cell", [0, 1])
def test_cells_are_counted_and_called_as_the_person_calls_them(first_cell):
    sitting = sit([], first_cell=first_cell)[0]
    for cells in ([3], [3, 5], [0, 1, 8]):
        text = sitting.cells(cells, "does", "do")
        assert list(map(int, re.findall(r"\d+", text))) == [
            cell + first_cell for cell in cells
        ]
        assert text.endswith(" does") == (len(cells) == 1)
        assert text.startswith("cells ") == (len(cells) > 1)


@pytest.mark.parametrize("opponent", ["random", "person"])
def test_a_person_sees_the_board_before_each_move_and_in_the_end(opponent):
    class Seen(Scripted):
        def board(self, game, s, *more, **named):
            seen.append(s)

    seen, rng = [], np.random.default_rng(1)
    who, screen = player(GAME, opponent, rng), Seen([*"0123456780123456785", "n"])
    sitting = Sitting(GAME, who, screen, rng, Manner())
    sitting.run()
    states = [sitting.position(sitting.moves[:n]) for n in range(10)]
    states = list(dict.fromkeys(states))
    asked = {+1, -1} if opponent == "person" else {+1}
    assert seen == [s for s in states if GAME.terminal[s] or GAME.to_move[s] in asked]


def test_numbers_say_what_the_opponent_thought():
    for seed in range(6):
        sitting, text, _ = sit(
            ["n", "0", "1", "2", "3", "4", "5", "6", "7", "8"],
            "q-learning",
            seed,
            epsilon=0.5,
        )
        assert "Numbers on the cells, when q-learning moves next: values." in text
        Q, s = sitting.opponent.Q, 0
        said = re.findall(r"q-learning puts O on (\d), (\w+)\.", text)
        for a in sitting.moves:
            if GAME.to_move[s] == -1:
                cell, word = said.pop(0)
                assert int(cell) == a
                best = Q[s, GAME.legal[s]].max()
                assert word == ("greedy" if Q[s, a] >= best - 1e-9 else "exploring")
            s = GAME.next[s, a]
        assert said == []
    _, text, _ = sit(["0", "q"], "q-learning", numbers="probabilities")
    assert "What q-learning takes with probability:" in text
    assert re.search(r"(1|0)\.\d{3}", text)
    _, text, _ = sit(["0", "q"], "random", numbers="values")
    assert "random has no values, only probabilities." in text
    assert "greedy" not in text
    _, text, _ = sit(["n", "q"], "person")
    assert "Two persons play: there are no numbers to show." in text
    _, text, _ = sit(["0", "q"], "random")
    assert "greedy" not in text


@pytest.mark.parametrize(
    "method", [m for m in learners.METHODS if m not in learners.JUDGES]
)
def test_every_learner_learns_from_the_game_as_it_was_in_the_end(method):
    rng = np.random.default_rng(2)
    kept = []
    who = player(GAME, f"new:{method}", rng)
    screen = Scripted(["4", "u", *"0123456784", "n"])
    manner = Manner(learn=True, keep=kept.append)
    sitting = Sitting(GAME, who, screen, rng, manner)
    sitting.run()
    (learner,) = kept
    assert learner.games == 1
    fresh = player(GAME, f"new:{method}", np.random.default_rng(2)).learner
    expected, changes = learners.of(fresh).learn_game(GAME, sitting.moves, -1)
    lines = list(map(in_words, changes))
    text = screen.console.file.getvalue()
    for one, two in zip(learner, expected, strict=True):
        if isinstance(one, np.ndarray):
            assert (one == two).all()
    for line in lines:
        assert f"\n  {line}\n" in text
    assert len(lines) >= 1
    assert re.search(r"beat random play as second player: 0\.\d+ → 0\.\d+\.", text)


def test_who_learns_explores_as_the_schedule_says_and_who_does_not_is_greedy():
    for epsilon, at_first in ((0.4, 0.4), (schedules.power(0.8, 0.5), 0.8)):
        rng = np.random.default_rng(0)
        who = player(GAME, "new:q_learning", rng, epsilon=epsilon)
        who.learner.visits[1] = 3  # its fourth decision there comes next
        sitting = Sitting(GAME, who, Scripted([]), rng, Manner(learn=True))
        uniform = policy.uniform(GAME.legal)
        later = {0.4: 0.4, 0.8: 0.8 / 2}[at_first]
        for s, share in ((0, at_first), (1, later)):
            mixed = share * uniform[s] + (1 - share) * who.policy[s]
            assert sitting.moving()[s] == pytest.approx(mixed)
            assert learners.of(who.learner).exploring(GAME)[s] == pytest.approx(share)
        greedy = Sitting(GAME, who, Scripted([]), rng, Manner()).moving()
        assert (greedy == who.policy).all()
    boxes = learners.new(GAME, "menace", rng)
    assert not learners.of(boxes).exploring(GAME).any()


def test_the_numbers_of_an_update_are_plugged_in():
    rng = np.random.default_rng(0)
    learner = learning.new_learner(GAME, "q_learning", rng, alpha=0.5)
    moves = [4, 1, 0, 2, 8]  # the second player loses
    learner, changes = learners.of(learner).learn_game(GAME, moves, -1)
    assert list(map(in_words, changes)) == [
        "cell 1: 0.000, as expected",
        "cell 2: 0.000 + 0.5 × (−1.000 − 0.000) = −0.500",
    ]
    learner, changes = learners.of(learner).learn_game(GAME, moves, -1)
    assert (
        in_words(changes[1], 1) == "cell 3: −0.500 + 0.5 × (−1.000 − (−0.500)) = −0.750"
    )
    boxes = learners.new(GAME, "menace", rng)
    boxes, changes = learners.of(boxes).learn_game(GAME, moves, -1)
    assert [in_words(change).split(": ")[1] for change in changes] == [
        "4 − 1 = 3 beads",
        "3 − 1 = 2 beads",
    ]


def test_matchboxes_give_up_when_one_is_empty():
    rng = np.random.default_rng(0)
    who = player(GAME, "new:menace", rng)
    who.learner.beads[:] = 0
    screen, kept = Scripted(["4", "n"]), []
    manner = Manner(learn=True, keep=kept.append)
    sitting = Sitting(GAME, who, screen, rng, manner)
    sitting.run()
    assert "menace gives up: its box is empty." in screen.console.file.getvalue()
    assert sitting.score == [1, 0, 0]
    assert kept[0].games == 1


def test_a_full_disk_does_not_end_the_game(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    who = player(GAME, "new:sarsa", rng)
    screen = Scripted([*"0123456780123456785", "y", *"0123456780123456785", "n"])
    keep = Keeper(GAME, screen, who, tmp_path / "mine.json")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(storage, "save", full)
    Sitting(GAME, who, screen, rng, Manner(learn=True, keep=keep)).run()
    text = screen.console.file.getvalue()
    # Long paths are broken anywhere, so spaces do not count.
    sentence = "mine.json was not written: No space left on device. Play goes on."
    assert "".join(sentence.split()) in "".join(text.split())
    assert (
        sum(map(int, re.findall(r" (\d+)[,.]", re.findall("Score: .*", text)[-1]))) == 2
    )


def test_what_cannot_be_written_where_it_should_may_be_written_elsewhere(tmp_path):
    agent, place = storage.Agent("mine", "…"), tmp_path / "no" / "where.json"
    with pytest.raises(
        click.ClickException, match=r"where.json was not written: There is no folder"
    ):
        kept(agent, place, False, Scripted([]))
    screen = Scripted([])
    screen.has_person = lambda: True
    assert kept(agent, place, False, screen) is None, "so that it is offered a file"
    assert "was not written" in " ".join(screen.console.file.getvalue().split())
    assert kept(agent, tmp_path / "mine.json", False, screen).is_file()
    bad = agent._replace(gamma=2)
    assert kept(bad, tmp_path / "bad.json", False, screen) is None, "likewise"


def test_a_game_by_hand_replaces_no_file_that_comes_meanwhile(tmp_path):
    rng, place = np.random.default_rng(0), tmp_path / "mine.json"
    who = player(GAME, "new:sarsa", rng)
    screen = Scripted([*"0123456780123456785", "y", *"0123456780123456785", "n"])
    keep = Keeper(GAME, screen, who, place)
    place.write_text("another's", encoding="utf-8")
    Sitting(GAME, who, screen, rng, Manner(learn=True, keep=keep)).run()
    assert place.read_text(encoding="utf-8") == "another's"
    assert {file.name for file in tmp_path.iterdir()} == {"mine.json", "mine-2.json"}
    assert storage.load(tmp_path / "mine-2.json").history[-1]["games"] == 2


@pytest.mark.parametrize("there", [False, True])
def test_a_keeper_has_every_game_in_one_file_of_its_own(tmp_path, there):
    place, screen = tmp_path / "mine.json", Scripted([])
    who = player(GAME, "new:sarsa", np.random.default_rng(1))
    keeper, learner = Keeper(GAME, screen, who, place), who.learner
    if there:
        place.write_text("another's", encoding="utf-8")
    for games in (1, 2):
        learner = learners.of(learner).learn_game(GAME, [0, 1, 4, 2, 8], -1)[0]
        keeper(learner)
        agent = storage.load(keeper.path)
        assert keeper.games == agent.history[-1]["games"] == games
        assert agent.name.startswith("mine")
        assert agent.made.startswith("Learned by sarsa")
    told = "".join(screen.console.file.getvalue().split())
    assert keeper.path.name == ("mine-2.json" if there else "mine.json")
    assert ("mine-2.json" in told) == ("hascome" in told) == there
    assert len(list(tmp_path.iterdir())) == 1 + there


def test_who_came_from_a_file_goes_on_in_it_under_its_name(tmp_path):
    place, rng = tmp_path / "mine.json", np.random.default_rng(1)
    learner = learners.new(GAME, "sarsa", rng)
    keep(learners.to_agent(GAME, learner, "old", "So."), place)
    who = player(GAME, str(place), rng)
    keeper = Keeper(GAME, Scripted([]), who, who.path)
    keeper(learners.of(learner).learn_game(GAME, [0, 1, 4, 2, 8], -1)[0])
    assert [file.name for file in tmp_path.iterdir()] == ["mine.json"]
    agent = storage.load(place)
    assert (agent.name, agent.made[:3], agent.history[-1]["games"]) == ("old", "So.", 1)


def test_nothing_is_replaced_unless_it_is_said(tmp_path):
    agent, place = storage.Agent("mine", "…"), tmp_path / "mine.json"
    must_be_new(place)
    assert keep(agent, place) == place
    with pytest.raises(click.ClickException, match="exists"):
        must_be_new(place)
    must_be_new(place, force=True)
    assert keep(agent, place) == tmp_path / "mine-2.json"
    assert keep(agent, place, force=True) == place


@pytest.mark.parametrize("end", [[], ["^C"], [""]])
def test_a_file_is_asked_for_until_it_can_be_one(tmp_path, monkeypatch, end):
    monkeypatch.chdir(tmp_path)
    Path("there.json").write_text("another's", encoding="utf-8")
    asked, made = ["there.json", "no/where.json", "x" * 300, "a\0b"], []
    asked += ["y", "Yes", " N ", "no"]  # to a question that asks for a name

    def agent_of(path):
        made.append(path.name)
        return storage.Agent("mine", "…")

    screen = Scripted([*asked, "mine.json"])
    screen.has_person = lambda: True
    assert offer(screen, agent_of) == Path("mine.json")
    assert {"mine.json"} <= set(made) <= {"mine.json", "x" * 300, "a\0b"}
    assert Path("there.json").read_text(encoding="utf-8") == "another's"
    first, *told = screen.console.file.getvalue().split(keeping.QUESTION.strip())
    assert first == ""
    for name, text in zip(asked, told, strict=False):
        after = "".join(text.split()).removeprefix(name.strip())
        assert after.endswith("."), "what is wrong is said"
        assert "--force" not in after
    screen = Scripted(end)
    screen.has_person = lambda: True
    assert offer(screen, agent_of) is None
    lines = screen.console.file.getvalue().splitlines()
    assert lines[1:] == [""], "what comes next is in a line of its own"


def test_a_key_without_a_sign_is_told_without_its_code():
    with pytest.raises(ValueError, match="That key is no move: type a cell"):
        read_move("\x1b[A", GAME, 0)


def test_a_game_that_is_over_is_kept_whenever_ctrl_c_comes(tmp_path, ctrl_c):
    class Pressed(Scripted):
        def board(self, game, s, *more, **named):
            super().board(game, s, *more, **named)
            if game.terminal[s]:
                ctrl_c()
                ctrl_c()

    rng, place = np.random.default_rng(0), tmp_path / "mine.json"
    who, screen = player(GAME, "new:sarsa", rng), Pressed([*"0123456780123456785"])
    manner = Manner(learn=True, keep=Keeper(GAME, screen, who, place))
    sitting = Sitting(GAME, who, screen, rng, manner)
    assert sitting.run(), "stopped"
    assert sum(sitting.score) == 1
    assert storage.load(place).history[-1]["games"] == 1
    assert screen.console.file.getvalue().count("Stopped.") == 1


def test_ctrl_c_and_the_end_of_input_keep_the_score():
    _, text, stopped = sit(["4", "^C"])
    assert stopped
    assert text.endswith("Stopped.\nScore: you 0, random 0, draws 0.\n")
    _, text, stopped = sit(["4"])
    assert not stopped
    assert text.endswith("Goodbye.\nScore: you 0, random 0, draws 0.\n")


# ---------------------------------------------------------------- a screen


def written(columns=88, signs=True, colours=None):
    """Return a Screen of some width, and what gives all that was written on it."""
    screen, file = Scripted([]), io.StringIO()
    screen.signs = signs
    screen.console = Console(
        file=file, width=columns, force_terminal=bool(colours), color_system=colours
    )
    return screen, file.getvalue


HEADS = ["", "as first", "as second"]
ROWS = [["won", "0.9", "0.75"], ["lost against anybody", "0", "x"]]


def test_a_table_is_one_just_where_the_screen_is_as_wide_as_it():
    screen, text = written()
    screen.table(HEADS, ROWS)
    head, rule, *rows = whole = text().splitlines()
    assert {len(line) for line in whole} == {len(head)}
    assert set(rule) == {"─"}
    assert [re.split(r"\s{3,}", row) for row in rows] == ROWS
    screen, same_width = written(len(head))
    screen.table(HEADS, ROWS)
    assert same_width() == text()
    screen, narrow = written(len(head) - 1)
    screen.table(HEADS, ROWS)
    lines = iter(map(str.strip, narrow().splitlines()))
    for name, *cells in ROWS:
        assert next(lines) == name
        for head, cell in zip(HEADS[1:], cells, strict=True):
            assert next(lines) == f"{head}: {cell}"
    with pytest.raises(ValueError, match="shorter"):
        screen.table(HEADS, [["won", "0.9"]])


@pytest.mark.parametrize("signs", [False, True])
@pytest.mark.parametrize("numbers", [None, dict.fromkeys(range(1, 9), -10.25)])
def test_what_stands_on_a_board_stands_in_the_middle_of_its_cell(signs, numbers):
    screen, text = written(signs=signs)
    screen.board(GAME, int(GAME.next[0, 0]), numbers=numbers)
    assert text().isascii() != signs
    lines = text().splitlines()
    rules = [line for line in lines if set(line) <= set(" -+─┼")]
    assert len(rules) == 2
    assert len({len(rule) for rule in rules}) == 1
    wide = {len(part) for rule in rules for part in re.split("[+┼]", rule.strip())}
    assert len(wide) == 1
    for line in lines:
        if line not in rules and re.search("[|│]", line):
            middle = re.split("[|│]", line)[1]
            assert {len(middle)} == wide
            left, right = (
                len(middle) - len(part) for part in (middle.lstrip(), middle.rstrip())
            )
            assert left == right
    for cell in range(1, 9):
        assert str(cell) in text()
    assert text().count("10.250") == (8 if numbers else 0)


def test_the_best_cells_of_a_board_are_bold():
    for worse in (TIE, 3 * TIE):
        screen, text = written(colours="standard")
        numbers = dict.fromkeys(range(9), 0.25) | {4: 1.0 - worse, 7: 1.0}
        screen.board(GAME, 0, numbers=numbers)
        bold = re.findall(r"\x1b\[1m\s*([\d.]+)\s*\x1b\[0m", text())
        assert bold == ["1.000"] * (2 if worse == TIE else 1)


def test_a_screen_is_as_wide_as_the_help_and_has_colours_unless_somebody_has_none(
    monkeypatch,
):
    class Window(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    assert Screen(io.StringIO()).width == cli.cli.context_settings["max_content_width"]
    for said, colours in (("", True), ("1", False)):
        monkeypatch.setenv("NO_COLOR", said)
        screen = Screen(Window())
        assert (screen.console.color_system is not None) == colours


@pytest.mark.parametrize(
    ("system", "encoding", "locale", "speaks"),
    [
        ("posix", "utf-8", "C.UTF-8", True),
        ("posix", "utf-8", "C", False),
        ("posix", "latin-1", "C.UTF-8", False),
        ("posix", None, "C.UTF-8", False),
        ("nt", "utf-8", "C", True),
        ("nt", "cp1252", "C.UTF-8", False),
    ],
)
def test_signs_need_a_file_and_a_terminal_that_take_them(
    monkeypatch, system, encoding, locale, speaks
):
    file = io.StringIO()
    if encoding is not None:
        file = io.TextIOWrapper(io.BytesIO(), encoding)
    with monkeypatch.context() as here:
        here.setenv("LC_ALL", locale)
        here.setattr(console_screen.os, "name", system)
        said = console_screen.speaks_utf8(file)
    assert said is speaks


@pytest.mark.parametrize(
    ("number", "text"),
    [
        *((n / d, str(Fraction(n, d))) for n, d in ((1, 1), (0, 1), (1, 2), (5, 9999))),
        (-1.0, "−1"),
        (-191 / 192, "−191/192"),
        (1e-12, "0"),
        (1.5e-12, ""),
        (1.0 + 1e-9, ""),
        (-1.5, ""),
        (1 / np.pi, ""),
    ],
)
def test_a_number_up_to_1_is_a_fraction_if_it_is_one_of_small_numbers(number, text):
    assert console_screen.fraction(number) == text


# ---------------------------------------------------------------- courses of training


def begun(method="q_learning", **settings):
    """Return a Course of a learner who has seen no game."""
    return training.begin(GAME, method, np.random.default_rng(1), 1, **settings)


def test_a_course_in_two_parts_is_one_long_run_and_all_its_rows_are_kept():
    course = begun()
    assert (course.games, course.rows) == (0, [])
    long = learning.train(GAME, course.learner, 41, policy.uniform(GAME.legal))
    rows = [0]
    for games, every, ends in ((25, 10, [10, 20, 25]), (16, 7, [32, 39, 41])):
        course = training.prepare(GAME, replace(course, every=0), games, every=every)
        assert not training.run(GAME, course, Scripted([]))
        rows += ends
        assert [row["games"] for row in course.rows] == rows
        assert course.rows[-1] == learners.of(course.learner).record(GAME)
    assert same(course.learner, long)
    assert training.prepare(GAME, course, 60).before == 41
    assert set(MARKS) & set(range(42)) <= set(rows)


@pytest.mark.parametrize(
    ("method", "said", "side"),
    [("menace", {}, 1), ("menace", {"side": "second"}, -1), ("sarsa", {}, 0),
     ("menace", {"opponent": "self"}, 0), ("menace", {"opponent": "random"}, 1)],
)  # fmt: skip
def test_a_course_is_of_the_side_that_was_said_or_is_usual(method, said, side):
    course = training.prepare(GAME, begun(method), 0, **said)
    assert (course.school.side, course.training["side"]) == (side, side)


def test_a_learner_sees_as_many_games_as_can_be_counted_and_no_more():
    course = replace(begun(), rows=[{"games": 0}])
    assert training.prepare(GAME, course, LARGEST, every=LARGEST).games == LARGEST
    with pytest.raises(ValueError, match="has seen 0 games, and cannot see"):
        training.prepare(GAME, course, LARGEST + 1, every=LARGEST)


class Pressed(list):
    """Ctrl-C, which comes at the third look at it."""

    def __bool__(self):
        self.append("look")
        return len(self) > 2


def test_a_course_that_is_stopped_ends_in_a_row_of_its_own(monkeypatch):
    monkeypatch.setattr(training, "MOST_AT_ONCE", 3)
    course = training.prepare(GAME, begun(), 30, every=30)
    assert training.run(GAME, course, Scripted([]), Pressed())
    assert learners.of(course.learner).games == 6
    assert [row["games"] for row in course.rows] == [0, 6]


@pytest.mark.parametrize("games", [0, 1, 499, 500, 501, 1001, 12345])
def test_a_history_has_fifty_rows_or_one_for_every_ten_games(games):
    course = replace(begun(), rows=[{"games": 0}])
    every = training.prepare(GAME, course, games).every
    assert every == 10 or every > 10 >= games / 50 or (every - 1) * 50 < games
    assert every >= 10
    assert every * 50 >= games


@pytest.mark.parametrize("side", ["first", "second", "both"])
def test_a_judge_is_as_wrong_as_its_values_where_it_has_been(side):
    rewards = (1.0, 0.5, -1.0)
    options = {"policy": "perfect", "side": side, "rewards": rewards}
    settings = solving.settings_of("linear_solve", options)
    right, own = np.zeros(len(GAME.code)), np.zeros(len(GAME.code), dtype=bool)
    for answer in solving.run(GAME, "linear_solve", settings):
        mine = (GAME.to_move == answer.side) & ~GAME.terminal
        right, own = np.where(mine, answer.V, right), own | mine
    course = training.prepare(
        *(GAME, begun("td_prediction", rewards=rewards), 20),
        **{"opponent": "random", "side": side, "behaviour": "perfect"},
    )
    course.learner = training.train(GAME, course, 20)
    seen = own & (course.learner.visits > 0)
    for wrong in (0.0, 0.25):
        V = np.where(seen, right + wrong, 9.0)
        course.learner = course.learner._replace(V=V)
        found = training.summary(GAME, course, None, False)
        assert found["error"] == pytest.approx(wrong, abs=1e-12)
        assert found["positions"] == seen.sum() > 0
        assert ("V" in found) == (side != "second")
        if "V" in found:
            assert found["V"] == V[0]
            assert found["exact"] == pytest.approx(right[0])
    course.learner = begun("td_prediction").learner
    assert training.summary(GAME, course, None, False)["error"] == 0, "not been at all"


def test_who_is_judged_must_be_there():
    course = begun("td_prediction")
    gone = replace(
        course,
        school=course.school._replace(behaviour=None),
        training=course.training | {"behaviour": "gone.json"},
    )
    with pytest.raises(ValueError, match=r"gone\.json"):
        training.prepare(GAME, gone, 1)
    assert training.prepare(GAME, gone, 1, behaviour="random").behaviour is not None


@pytest.mark.parametrize(
    ("before", "now", "side"),
    [(+1, "first", +1), (-1, "second", -1), (+1, "second", 0), (-1, "both", 0)],
)
def test_who_has_trained_on_both_sides_plays_both(before, now, side):
    course = training.prepare(GAME, begun(), 1, side=now)
    course.origin = storage.Agent("mine", "By hand.", before)
    agent = training.agent(GAME, course, Path("other.json"))
    assert (agent.name, agent.side) == ("other", side)
    assert agent.made.startswith("By hand.")


@pytest.mark.parametrize("columns", [40, 100])
def test_the_progress_of_a_part_is_watched_and_leaves_nothing(columns):
    screen = Scripted([])
    screen.console = Console(
        file=io.StringIO(), force_terminal=True, width=columns, color_system=None
    )
    course = training.prepare(GAME, begun(), 20)
    training.run(GAME, course, screen)
    text = screen.console.file.getvalue()
    assert "20 games" in text
    row = course.rows[-1]
    assert f"{row['win_first']:.3f}, {row['win_second']:.3f}" in text
    assert text.rsplit("games", 1)[1].count("\x1b[2K") >= 1, "the line is cleared"
    course = training.prepare(GAME, course, 30)
    with training.Watch(screen, course, True) as watch:
        watch({"games": 35})
        (task,) = watch.progress.tasks
        assert (task.completed, task.total) == (15, 30)


# ---------------------------------------------------------------- at a terminal


def hear_ctrl_c():
    """Let a new process hear Ctrl-C, also where the tests run in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Terminal:
    """A pseudo-terminal in which `ttt` runs."""

    def __init__(self, line, folder, columns=80, **environment):
        pexpect = pytest.importorskip("pexpect")
        if not hasattr(pexpect, "spawn"):
            pytest.skip("no pseudo-terminals here")
        kept = {
            name: value
            for name, value in os.environ.items()
            if name not in ("NO_COLOR", "COLUMNS", "LINES", "FORCE_COLOR")
        }
        locale = {"LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "ttt_lib", *shlex.split(line)],
            env={**kept, **locale, **environment},
            cwd=str(folder),
            dimensions=(50, columns),
            timeout=600,  # only where something hangs
            preexec_fn=hear_ctrl_c,
        )
        self.log = self.child.logfile_read = io.BytesIO()

    def type(self, prompt, *answers):
        """Type each answer when the prompt appears."""
        for answer in answers:
            self.child.expect_exact(prompt)
            self.child.sendline(answer)

    def interrupt(self, prompt):
        """Press Ctrl-C where the program waits for an answer to its prompt.

        Between its last look for a signal and the wait it would not be heard until the
        next key: so what the test waits for is that it sleeps.
        """
        self.child.expect_exact(prompt)
        state = Path(f"/proc/{self.child.pid}/stat")  # on Linux
        while state.exists() and state.read_text().rpartition(")")[2].split()[0] != "S":
            pass
        self.child.sendintr()

    def end(self):
        """Return the exit status and all that was on the screen."""
        import pexpect

        self.child.expect(pexpect.EOF)
        self.child.wait()  # else `close` would kill whom a busy machine lets wait
        self.child.close()
        text = self.log.getvalue().decode("utf-8", "replace").replace("\r\n", "\n")
        assert "Traceback" not in text
        return self.child.exitstatus, text


def test_a_whole_game_at_a_terminal(tmp_path):
    terminal = Terminal("play random --seed 3", tmp_path)
    terminal.type("Your move, X: ", "nine", "9", "-3", "", "1,1", "4", "?", "h", "u")
    status, text = finish(terminal)
    for sentence in (
        "'nine' is no move",
        "9 is outside the board",
        "-3 is outside the board",
        "Nothing typed",
        "Cell 4 is occupied; free are",
        "u takes back your last move",
        "Against random",
    ):
        assert sentence in text
    assert status == 0
    assert "\x1b[" in text  # colours
    assert "│" in text


def finish(terminal, *files):
    """Type the cells in turn until the game is over, say no to another, name files."""
    for cell in [*"012345678"] * 2:
        found = terminal.child.expect_exact(["Play again? [Y/n] ", "Your move, X: "])
        if found == 0:
            break
        terminal.child.sendline(cell)
    terminal.child.sendline("n")
    terminal.type(keeping.QUESTION, *files)
    return terminal.end()


def test_forty_columns_without_colour(tmp_path):
    line = "play new:q_learning --learn --numbers values --seed 1 --save mine.json"
    status, text = finish(Terminal(line, tmp_path, 40, NO_COLOR="1"))
    assert status == 0
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 40
    assert "Score: you" in text
    assert storage.load(tmp_path / "mine.json").history[-1]["games"] == 1


def test_a_locale_without_utf_8(tmp_path):
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    terminal = Terminal("play new:sarsa --learn --seed 1", tmp_path, **plain)
    terminal.child.expect_exact("Your move, X: ")
    terminal.child.sendline(b"\xe9\xff")
    terminal.child.expect_exact("is no move")
    status, text = finish(terminal, "")
    assert status == 0
    answers = re.sub(r"Your move, X: .*", "", text)
    assert answers.isascii()
    assert "-----+-----" in text
    assert "->" in text


def test_ctrl_c_and_ctrl_d_at_a_terminal(tmp_path):
    terminal = Terminal("play random --learn", tmp_path)
    assert terminal.end()[0] == 2  # random cannot learn
    terminal = Terminal(
        "play new:q_learning --learn --save m.json --seed 312", tmp_path
    )
    terminal.type("Your move, X: ", "4", "0", "8")
    terminal.type("Play again? [Y/n] ", "")
    terminal.interrupt("Your move, X: ")
    status, text = terminal.end()
    assert status == 130
    assert text.endswith("Stopped.\nScore: you 1, q_learning 0, draws 0.\n")
    assert storage.load(tmp_path / "m.json").history[-1]["games"] == 1
    terminal = Terminal("play m.json --learn", tmp_path)
    terminal.child.expect_exact("Your move, X: ")
    terminal.child.sendeof()
    status, text = terminal.end()
    assert status == 0
    assert text.endswith("Goodbye.\nScore: you 0, m 0, draws 0.\n")


def test_training_is_watched_and_stopped_at_a_terminal(tmp_path):
    line = "train q_learning --games 100000000 --seed 1 --save mine.json"
    terminal = Terminal(line, tmp_path)
    terminal.child.expect(r"wins 0\.\d{3}, 0\.\d{3} as first, second")
    terminal.child.sendintr()
    status, text = terminal.end()
    assert status == 130
    assert "Stopped early, after " in text
    assert "Saved in mine.json." in text
    games = storage.load(tmp_path / "mine.json").history[-1]["games"]
    assert 0 < games < 100_000_000
    assert f"{games:,} games" in text


def test_what_was_trained_without_a_file_is_offered_one(tmp_path):
    (tmp_path / "taken.json").write_text("another's")
    line = "train sarsa --games 200 --seed 1"
    terminal = Terminal(line, tmp_path)
    terminal.type(
        keeping.QUESTION, "taken.json", "no/where.json", "x" * 300, "mine.json"
    )
    status, text = terminal.end()
    assert status == 0
    assert "taken.json exists: give another name." in text
    assert "There is no folder" in text
    assert "No file can be called so here." in text
    assert text.endswith("Saved in mine.json.\n")
    assert (tmp_path / "taken.json").read_text() == "another's"
    assert storage.load(tmp_path / "mine.json").history[-1]["games"] == 200
    for answer in ("", "  "):
        terminal = Terminal(line, tmp_path)
        terminal.type(keeping.QUESTION, answer)
        status, text = terminal.end()
        assert status == 0
        assert text.endswith("Not saved: --save FILE keeps it.\n")
    assert len(list(tmp_path.iterdir())) == 2


def test_what_was_stopped_is_offered_a_file_until_the_second_ctrl_c(tmp_path):
    for answer in ("mine.json", None):
        terminal = Terminal("train q_learning --games 100000000", tmp_path)
        terminal.child.expect(r"wins 0\.\d{3}")
        terminal.child.sendintr()
        if answer is None:
            terminal.interrupt(keeping.QUESTION)
        else:
            terminal.type(keeping.QUESTION, answer)
        status, text = terminal.end()
        assert status == 130
        assert text.endswith(
            "Saved in mine.json.\n" if answer else "Not saved: --save FILE keeps it.\n"
        )
    assert 0 < storage.load(tmp_path / "mine.json").history[-1]["games"] < 100_000_000


def test_who_was_taught_by_hand_without_a_file_is_offered_one(tmp_path):
    terminal = Terminal("play new:sarsa --learn --seed 1", tmp_path)
    status, text = finish(terminal, "pupil.json")
    assert status == 0
    assert text.endswith("Saved in pupil.json.\n")
    agent = storage.load(tmp_path / "pupil.json")
    assert agent.name == "pupil"
    assert [row["games"] for row in agent.history] == [0, 1]
    terminal = Terminal("play new:sarsa --learn --seed 1", tmp_path)
    terminal.type("Your move, X: ", "q")  # nothing has been learned
    assert keeping.QUESTION not in terminal.end()[1]


def test_input_from_a_pipe_is_written_as_if_typed(tmp_path):
    script = Path(sys.executable).parent / "ttt"
    command = [script] if script.exists() else [sys.executable, "-m", "ttt_lib"]
    done = subprocess.run(
        [*command, "play", "person"],
        input="4\n0\n1\n2\n7\nn\n",
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == ""
    assert "Player 1, X: 4\n" in done.stdout
    assert done.stdout.endswith("draws 0.\nPlay again? [Y/n] n\n")
    assert "\x1b" not in done.stdout


# ---------------------------------------------------------------- the page


def examples():
    """Return the recorded examples: (command line, what was typed, all lines)."""
    text = PAGE.read_text(encoding="utf-8")
    found = []
    for block in re.findall(r"^```console\n(.*?)^```", text, re.M | re.S):
        for part in re.split(r"^\$ ttt ", block, flags=re.M)[1:]:
            line, _, output = part.partition("\n")
            prompts = r"^(?:Your move, .|Player ., .|Play again\? \[Y/n\]):? (.*)$"
            found.append((line, re.findall(prompts, output, re.M), output))
    return found


def test_the_recorded_examples_come_out_again(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.delenv("COLUMNS", raising=False)
    recorded = examples()
    assert len(recorded) > 8
    used = {line.split()[0] for line, _, _ in recorded}
    assert used == set(cli.cli.commands) - {"agents", "book"}
    for line, typed, output in recorded:
        monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join([*typed, ""])))
        cli.main(shlex.split(line))
        out, err = capsys.readouterr()
        # How long it took is another number each time.
        masked = [
            re.sub(r" *\d+\.\d\d ms", " … ms", text) for text in (out + err, output)
        ]
        assert masked[0].split("\n") == masked[1].split("\n"), line
    # What the page shows of a file is in the file.
    (shown,) = re.findall(r"^```json\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)
    shown, whole = json.loads(shown), json.loads(Path("policy.json").read_text("utf-8"))
    for key in ("policy", "values"):
        assert shown[key].items() <= whole.pop(key).items()
        del shown[key]
    assert shown.items() <= whole.items()


def test_every_command_line_of_the_page_is_one(tmp_path, monkeypatch, capsys):
    """Those of the tables are read by the program, though not carried out."""
    text = PAGE.read_text(encoding="utf-8")
    lines = re.findall(r"`ttt ([^`]+)`", text)
    assert len(lines) > 20
    for line in lines:
        if " " not in line or "--help" in line:
            continue
        name, *rest = shlex.split(line)
        command = cli.cli.commands[name]
        command.make_context(name, list(rest))
