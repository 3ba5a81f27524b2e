"""Console games with typed input, saving, training runs, and the console page."""

import io
import json
import os
import re
import shlex
import signal
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ttt_lib import evaluation, mdp, planning, policy, schedules
from ttt_lib.agents import Agent, as_agent, learners, load
from ttt_lib.console import cli, saving, train
from ttt_lib.console.play import Games, PlayOptions, in_words, read_move
from ttt_lib.console.saving import Keeper, offer
from ttt_lib.console.screen import Screen
from ttt_lib.game import tables
from ttt_lib.search import perfect
from ttt_lib.search import solve as solved
from ttt_lib.validation import MAX_INT

pytestmark = pytest.mark.slow

GAME = tables()
RANDOM = policy.uniform(GAME.legal)
TRANSCRIPTS = sorted((Path(__file__).parent / "data" / "transcripts").iterdir())
PAGE = (Path(__file__).parents[1] / "book" / "console.md").read_text("utf-8")
CELLS = [*"0123456780123456785"]


class Scripted(Screen):
    """A screen whose input is a list of answers; "^C" stands for Ctrl-C."""

    def __init__(self, answers=(), person=False):
        super().__init__(io.StringIO())
        self.has_utf8 = True
        self.answers = iter(answers)
        self.has_person = lambda: person

    def ask(self, prompt):
        self.say(prompt)
        answer = next(self.answers, None)
        if answer is None:
            raise EOFError
        if answer == "^C":
            raise KeyboardInterrupt
        self.say(answer)
        return answer

    @property
    def text(self):
        return self.console.file.getvalue()


def games(answers=(), opponent="random", seed=1, **options):
    """Return Games that have not begun; the options are those of PlayOptions."""
    rng = np.random.default_rng(seed)
    screen = answers if isinstance(answers, Screen) else Scripted(answers)
    agent = as_agent(GAME, opponent, rng) if isinstance(opponent, str) else opponent
    return Games(GAME, solved(GAME).Q, agent, screen, rng, PlayOptions(**options))


def play(*arguments, **options):
    """Return Games that are over, their output, and whether Ctrl-C ended them."""
    played = games(*arguments, **options)
    stopped = played.run()
    return played, played.screen.text, stopped


@pytest.mark.parametrize(
    ("text", "first_cell", "expected"),
    [
        ("0", 0, 0), (" 8 ", 0, 8), ("9", 1, 8), ("1,2", 0, 5), (" 2 , 0 ", 0, 6),
        ("3,3", 1, 8), ("+3", 0, 3), ("", 0, "Nothing typed"),
        ("nine", 0, "'nine' is not a move"), ("4.0", 0, "is not a move"),
        ("1,2,0", 0, "is not a move"), ("9" * 5000, 0, "is not a move"),
        ("²", 0, "is not a move"), ("\x1b[A", 0, "That key is not a move: type a cell"),
        ("9", 0, "outside the board"), ("-1", 0, "outside the board"),
        ("0", 1, "outside the board"), ("0,3", 0, "outside the board"),
        ("0,1", 1, "outside the board"),
        ("4", 0, "Cell 4 is occupied; free are 0, 1, 2, 3, 5, 6, 7, 8."),
        ("2,2", 1, "Cell 5 is occupied; free are 1, 2, 3, 4, 6, 7, 8, 9."),
    ],
)  # fmt: skip
def test_read_move(text, first_cell, expected):
    s = GAME.find("....X....")
    if isinstance(expected, int):
        assert read_move(text, GAME, s, first_cell) == expected
        return
    with pytest.raises(ValueError, match=re.escape(expected)) as fault:
        read_move(text, GAME, s, first_cell)
    assert len(str(fault.value)) < 120
    assert "\n" not in str(fault.value)


def test_games_end_and_are_counted_for_random_input():
    rng = np.random.default_rng(5)
    tokens = [*"012345678", *"012345678", *"uh?nqx", "", "1,2", "9", "-1"]
    for seed, opponent in enumerate(["random", "perfect", "person", "new:sarsa"] * 5):
        answers = [tokens[i] for i in rng.integers(len(tokens), size=60)]
        answers = ["y" if rng.random() < 0.1 else answer for answer in answers]
        keep = [].append if opponent.startswith("new") else None
        options = {"starts": "lot", "keep": keep, "first_cell": seed % 2}
        played, text, stopped = play(answers, opponent, seed, **options)
        assert not stopped
        ends = len(re.findall(r"^(?!Against)(?:A draw|You win|.* wins)\.$", text, re.M))
        assert sum(played.score) == ends
        counted = re.findall("Score: .*", text)[-1]
        assert sum(map(int, re.findall(r" (\d+)[,.]", counted))) == ends


def test_score_of_two_persons_is_kept_by_person():
    played, text, _ = play([*"40216", "n"], "person", starts="it")  # player 2 begins
    assert played.score == [0, 0, 1]
    assert "Player 2 (O) wins." in text
    assert "Score: player 1 0, player 2 1, draws 0." in text


def test_undo_returns_to_the_last_decision():
    for answers, starts, left in ((["u", "4", "u", "q"], "you", 0), ("uq", "it", 1)):
        played, text, _ = play(answers, starts=starts)
        assert "There is no move of yours to take back." in text
        assert len(played.moves) == left
    cell = str(np.flatnonzero(GAME.legal[played.position()])[0])
    assert play([cell, "u", "q"], starts="it")[0].moves == played.moves


def test_starts_lot_is_a_new_random_choice_for_each_game():
    answers = [each for a in [*"012345678"] * 3 for each in (a, "y")]
    _, text, _ = play(answers, starts="lot", seed=3)
    begun = re.findall("You begin|.* begins", text)
    assert {"You begin", "random begins"} <= {*begun}
    assert "You begin, with O." in play(["q"], mark="O")[1]


def test_hints_consider_game_and_opponent():
    played, text, _ = play(["h", "q"], starts="it", epsilon=0.5)
    response = evaluation.best_response(GAME, played.moving(), -1)
    s = played.position()
    cells = ", ".join(map(str, np.flatnonzero(response.policy[s])))
    output = " ".join(text.split())
    assert re.search(rf"Against random cells? {cells} do", output)
    assert f"{response.V[s]:.4f} on average" in output
    _, text, _ = play(["1", "h", "5", "h", "q"], "person", first_cell=1)
    assert "cell 5 holds the draw." in text, "the corner, cell 1, is taken"
    # Hints in a lost and in a won position.
    _, text, _ = play([*"014h2h8", "n"], "person")
    assert "lose, as all others do." in text
    assert re.search(r"Against perfect play cells [\d, ]*8 win\.", text)


def test_numbers_show_values_or_probabilities():
    played, text, _ = play(["n", *"012345678"], "q-learning", 1, epsilon=0.5)
    Q, s, best = played.opponent.Q, 0, []
    for a in played.moves:
        if GAME.to_move[s] == -1:
            greedy = Q[s, a] >= Q[s, GAME.legal[s]].max() - 1e-9
            best.append((str(a), "greedy" if greedy else "exploring"))
        s = GAME.next[s, a]
    assert re.findall(r"q-learning puts O on (\d), (\w+)\.", text) == best
    assert {word for _, word in best} == {"greedy", "exploring"}
    _, text, _ = play(["0", "q"], "random", numbers="values")
    assert "random has no values, only probabilities." in text
    assert "greedy" not in text
    _, text, _ = play(["n", "q"], "person")
    assert "There are no numbers to show when two people play." in text


@pytest.mark.parametrize("method", ["q_learning", "td_afterstates", "menace"])
def test_learner_learns_from_the_final_moves(method):
    saved = []
    played, text, _ = play(
        ["4", "u", *CELLS, "n"], f"new:{method}", 2, keep=saved.append
    )
    (learner,) = saved
    fresh = as_agent(GAME, f"new:{method}", np.random.default_rng(2)).learner
    expected, changes = learners.adapter(fresh).learn_game(GAME, played.moves, -1)
    assert learner.games == 1
    for one, two in zip(learner, expected, strict=True):
        assert not isinstance(one, np.ndarray) or (one == two).all()
    assert changes
    for line in map(in_words, changes):
        assert f"\n  {line}\n" in text
    assert re.search(r"beat random play as second player: 0\.\d+ → 0\.\d+\.", text)


def test_only_learning_opponents_explore():
    halving = schedules.power(0.8, 0.5)
    agent = as_agent(GAME, "new:q_learning", np.random.default_rng(0), epsilon=halving)
    agent.learner.visits[1] = 3  # its fourth decision there comes next
    learning_ = games(opponent=agent, keep=print)
    for s, share in ((0, 0.8), (1, 0.4)):
        mixed = share * RANDOM[s] + (1 - share) * agent.policy[s]
        assert learning_.moving()[s] == pytest.approx(mixed)
        assert learning_.chances(s) == pytest.approx(mixed)
    for options, share in (({}, 0), ({"epsilon": 0.25, "keep": print}, 0.25)):
        mixed = share * RANDOM + (1 - share) * agent.policy
        assert games(opponent=agent, **options).moving() == pytest.approx(mixed)


def test_matchboxes_resign_when_a_box_is_empty():
    agent, saved = as_agent(GAME, "new:menace", np.random.default_rng(0)), []
    agent.learner.beads[:] = 0
    played, text, _ = play(["4", "n"], agent, keep=saved.append)
    assert "menace gives up: its box is empty." in text
    assert played.score == [1, 0, 0]
    assert saved[0].games == 1


@pytest.mark.parametrize("exists", [False, True])
def test_keeper_saves_every_game_in_its_own_file(tmp_path, exists):
    path, screen = tmp_path / "mine.json", Scripted([*CELLS, "y", *CELLS, "n"])
    new = as_agent(GAME, "new:sarsa", np.random.default_rng(1))
    keeper = Keeper(GAME, screen, new, path)
    if exists:  # made in the meantime
        path.write_text("another's", encoding="utf-8")
    play(screen, new, keep=keeper)
    agent = load(keeper.path)
    assert keeper.games == agent.history[-1]["games"] == 2
    assert agent.made == "Learned by sarsa from games by hand."
    assert keeper.path.name == ("mine-2.json" if exists else "mine.json")
    assert not exists or path.read_text(encoding="utf-8") == "another's"
    # An agent from a file is saved to the same file.
    loaded = as_agent(GAME, str(keeper.path), np.random.default_rng(1))
    play([*CELLS, "n"], loaded, keep=Keeper(GAME, Scripted(), loaded, loaded.path))
    assert load(keeper.path).history[-1]["games"] == 3
    assert len(list(tmp_path.iterdir())) == 1 + exists


def test_play_goes_on_if_the_file_cannot_be_written(tmp_path):
    agent = as_agent(GAME, "new:sarsa", np.random.default_rng(1))
    screen = Scripted(CELLS)
    keeper = Keeper(GAME, screen, agent, tmp_path / "gone" / "mine.json")
    play(screen, agent, keep=keeper)
    assert screen.text.count("Play goes on.") == 1
    assert (keeper.games, keeper.path.parent.exists()) == (1, False)
    keeper.path.parent.mkdir()
    screen.answers = iter(CELLS)
    play(screen, keeper.agent, keep=keeper)
    assert load(keeper.path).history[-1]["games"] == 2


def test_finished_game_is_saved_despite_ctrl_c(tmp_path, ctrl_c):
    class Pressed(Scripted):
        def board(self, game, s, *arguments, **options):
            super().board(game, s, *arguments, **options)
            if game.terminal[s]:
                ctrl_c()
                ctrl_c()

    agent = as_agent(GAME, "new:sarsa", np.random.default_rng(0))
    screen, path = Pressed(CELLS), tmp_path / "mine.json"
    played, text, stopped = play(screen, agent, keep=Keeper(GAME, screen, agent, path))
    assert stopped
    assert sum(played.score) == 1
    assert load(path).history[-1]["games"] == 1
    assert text.count("Stopped.") == 1


PLAY_AND_LEARN = "play new:sarsa --learn --seed 1"


def test_unsaved_learner_is_offered_a_file(ttt, monkeypatch):
    monkeypatch.setattr(Screen, "has_person", lambda _: True)
    typed = "\n".join([*CELLS[:-1], "n", ""])
    status, out, err = ttt(PLAY_AND_LEARN, typed + "a.json\n")
    assert (status, err) == (0, "")
    assert out.split(saving.QUESTION)[1].count("a.json") == 2, "typed and printed"
    no_game = ttt(PLAY_AND_LEARN, "q\n")[1]
    assert saving.QUESTION not in no_game
    assert saving.QUESTION not in ttt(PLAY_AND_LEARN + " --save b.json", typed)[1]
    for count, option in ((2, ""), (3, " --save b.json")):  # its own file
        assert ttt(f"play b.json --learn{option}", typed)[0] == 0
        assert load("b.json").history[-1]["games"] == count
    assert sorted(map(str, Path().iterdir())) == ["a.json", "b.json"]


def test_offer_asks_until_the_file_name_is_valid(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("exists.json").write_text("another's", encoding="utf-8")
    invalid = ["exists.json", "no/where.json", "x" * 300, "a\0b", "y", " N "]
    screen = Scripted([*invalid, "mine.json"], person=True)
    agent = as_agent(GAME, "random")
    assert offer(screen, lambda path: agent) == Path("mine.json")
    assert Path("exists.json").read_text(encoding="utf-8") == "another's"
    assert screen.text.count(saving.QUESTION.strip()) == len(invalid) + 1
    assert "--force" not in screen.text
    for end in ([], ["^C"], [""]):
        screen = Scripted(end, person=True)
        assert offer(screen, lambda path: agent) is None
        assert screen.text.splitlines()[1:] == [""], "the next output has its own line"


def begun(method="q_learning", **settings):
    """Return the TrainingRun of a new learner."""
    return train.begin(GAME, method, np.random.default_rng(1), 1, **settings)


def test_side_of_a_run_is_given_or_default():
    for method, options, side in (
        ("menace", {}, 1),
        ("menace", {"side": "second"}, -1),
        ("menace", {"opponent": "self"}, 0),
        ("menace", {"opponent": "random"}, 1),
        ("sarsa", {}, 0),
    ):
        training = train.prepare(GAME, begun(method), 0, **options)
        assert (training.side, training.settings["side"]) == (side, side)


def test_number_of_games_is_limited():
    training = replace(begun(), rows=[{"games": 0}])
    assert train.prepare(GAME, training, MAX_INT, every=MAX_INT).games == MAX_INT
    with pytest.raises(ValueError, match="has seen 0 games, and cannot see"):
        train.prepare(GAME, training, MAX_INT + 1, every=MAX_INT)
    for count in (0, 499, 500, 501, 12345):  # at most fifty rows, or one in ten games
        every = train.prepare(GAME, training, count).every
        assert every * 50 >= count
        assert every == 10 or (every - 1) * 50 < count


@pytest.mark.parametrize("side", ["first", "second", "both"])
def test_prediction_error_counts_visited_positions(side):
    rewards = (1.0, 0.5, -1.0)
    right, decides = np.zeros(len(GAME.code)), np.zeros(len(GAME.code), dtype=bool)
    for number in {"first": [1], "second": [-1], "both": [1, -1]}[side]:
        problem = mdp.from_opponent(GAME, RANDOM, number, rewards)
        evaluated = mdp.from_cells(problem, perfect(GAME))
        exact = planning.linear_solve(problem, evaluated, 1.0).V
        moves = (GAME.to_move == number) & ~GAME.terminal
        right = np.where(moves, mdp.to_positions(GAME, problem, exact), right)
        decides |= moves
    training = train.prepare(
        *(GAME, begun("td_prediction", rewards=rewards), 20),
        **{"opponent": "random", "side": side, "behaviour": "perfect"},
    )
    training.learner = train.after(GAME, training, 20)
    visited = decides & (training.learner.visits > 0)
    for error in (0.0, 0.25):
        V = np.where(visited, right + error, 9.0)
        training.learner = training.learner._replace(V=V)
        data = train.summary(GAME, training, None, False)
        assert data["error"] == pytest.approx(error, abs=1e-12)
        assert data["positions"] == visited.sum() > 0
        assert ("V" in data) == (side != "second")
        if "V" in data:
            assert (data["V"], data["exact"]) == (V[0], pytest.approx(right[0]))
    training.learner = begun("td_prediction").learner
    # No position was visited.
    assert train.summary(GAME, training, None, False)["error"] == 0


def test_training_on_the_other_side_makes_a_two_sided_agent():
    for before, now, side in ((+1, "first", +1), (+1, "second", 0), (-1, "both", 0)):
        training = train.prepare(GAME, begun(), 1, side=now)
        training.origin = Agent("mine", "By hand.", before)
        agent = train.to_agent(GAME, training, Path("other.json"))
        assert (agent.name, agent.side) == ("other", side)
        assert agent.made.startswith("By hand.")


class Terminal:
    """A pseudo-terminal that runs `ttt`."""

    def __init__(self, line, folder, columns=80, **environment):
        pexpect = pytest.importorskip("pexpect")
        if not hasattr(pexpect, "spawn"):
            pytest.skip("no pseudo-terminals here")
        left_out = ("NO_COLOR", "COLUMNS", "LINES", "FORCE_COLOR")
        kept = {n: value for n, value in os.environ.items() if n not in left_out}
        locale = {"LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "ttt_lib", *shlex.split(line)],
            env={**kept, **locale, **environment},
            cwd=str(folder),
            dimensions=(50, columns),
            timeout=600,  # only if it hangs
            # Ctrl-C works also if the tests run in the background.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        self.log = self.child.logfile_read = io.BytesIO()

    def type(self, prompt, *answers):
        """Type each answer when the prompt appears."""
        for answer in answers:
            self.child.expect_exact(prompt)
            self.child.sendline(answer)

    def interrupt(self, prompt):
        """Press Ctrl-C while the program waits for an answer to its prompt.

        A signal between its last check and the wait would not be handled until the next
        key, so this waits until the process sleeps.
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
        self.child.wait()  # else `close` would kill a slow process
        self.child.close()
        text = self.log.getvalue().decode("utf-8", "replace").replace("\r\n", "\n")
        assert "Traceback" not in text
        return self.child.exitstatus, text


def test_ctrl_c_and_ctrl_d_at_terminals_with_and_without_colour(tmp_path):
    line = "play new:q_learning --learn --save m.json --seed 312"
    terminal = Terminal(line, tmp_path)
    terminal.type("Your move, X: ", "4", "0", "8")
    terminal.type("Play again? [Y/n] ", "")
    terminal.interrupt("Your move, X: ")
    status, text = terminal.end()
    assert status == 130
    assert "\x1b[" in text
    assert text.endswith("Stopped.\nScore: you 1, q_learning 0, draws 0.\n")
    assert load(tmp_path / "m.json").history[-1]["games"] == 1
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    line = "play m.json --learn --numbers values --starts it"
    terminal = Terminal(line, tmp_path, 40, NO_COLOR="1", **plain)
    terminal.type("Your move, X: ", b"\xe9\xff")
    terminal.child.expect_exact("is not a move")
    terminal.child.expect_exact("Your move, X: ")
    terminal.child.sendeof()
    status, text = terminal.end()
    assert status == 0
    assert text.endswith("Goodbye.\nScore: you 0, m 0, draws 0.\n")
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 40
    assert re.sub(r"Your move, X: .*", "", text).isascii()


def test_training_at_a_terminal_can_be_stopped_and_saved(tmp_path):
    terminal = Terminal("train q_learning --games 100000000", tmp_path)
    terminal.child.expect(r"wins 0\.\d{3}, 0\.\d{3} as first, second")
    terminal.child.sendintr()
    terminal.type(saving.QUESTION, "mine.json")
    status, text = terminal.end()
    assert status == 130
    assert "Stopped early, after " in text
    assert text.endswith("Saved in mine.json.\n")
    assert 0 < load(tmp_path / "mine.json").history[-1]["games"] < 100_000_000


def recorded(text):
    """Return {line: output} of a text with `$ LINE` and what it prints."""
    parts = re.split(r"^\$ ", text, flags=re.M)[1:]
    return dict(part.partition("\n")[::2] for part in parts)


def printed(ttt, line, output):
    """Return the output of a line, with the input that is recorded in an output.

    `cat` prints a file, without the styles of a page.
    """
    program, *arguments = shlex.split(line)
    if program == "cat":
        text = Path(*arguments).read_text("utf-8")
        return re.sub("<style>.*</style>", "", text, flags=re.S)
    prompts = r"^(?:Your move, .|Player ., .|Play again\? \[Y/n\]):? (.*)$"
    typed = [*re.findall(prompts, output, re.M), ""]
    return "".join(ttt(arguments, "\n".join(typed))[1:])


def without_times(text):
    times = r" *\d+\.\d\d ms|about [\d.e+]+ s\b"
    return re.sub(times, " … ", text).split("\n")


def test_examples_of_the_page_are_reproduced(ttt):
    blocks = re.findall(r"^```console\n(.*?)^```", PAGE, re.M | re.S)
    examples = [pair for block in blocks for pair in recorded(block).items()]
    used = {line.split()[1] for line, _ in examples}
    assert used == cli.COMMANDS.keys() - {"agents", "book"}
    for line, output in examples:
        result = printed(ttt, line, output)
        assert without_times(result) == without_times(output), line
    # The excerpt of a file on the page is in the file.
    (shown,) = re.findall(r"^```json\n(.*?)^```", PAGE, re.M | re.S)
    shown, whole = json.loads(shown), json.loads(Path("policy.json").read_text("utf-8"))
    for key in ("policy", "values"):
        assert shown[key].items() <= whole.pop(key).items()
        del shown[key]
    assert shown.items() <= whole.items()


@pytest.mark.parametrize("file", TRANSCRIPTS, ids=lambda file: file.stem)
def test_transcript_is_reproduced(file, ttt):
    """UPDATE_TRANSCRIPTS=1 writes it again: read the diff before a commit."""
    examples = recorded(file.read_text("utf-8"))
    results = {line: printed(ttt, line, output) for line, output in examples.items()}
    if "UPDATE_TRANSCRIPTS" in os.environ:
        text = "".join(f"$ {line}\n{result}" for line, result in results.items())
        file.write_text(text, "utf-8")
        pytest.skip("written again")
    for line, result in results.items():
        assert without_times(result) == without_times(examples[line]), line


def test_command_lines_of_the_page_are_valid():
    """Those of the tables are parsed, but not run."""
    lines = re.findall(r"`ttt ([^`]+ [^`]+)`", PAGE)
    assert len(lines) > 20
    for line in lines:
        name, *rest = shlex.split(line)
        if "--help" not in rest:
            cli.cli.get_command(None, name).make_context(name, rest)
