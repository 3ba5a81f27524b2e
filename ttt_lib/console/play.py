"""The command `ttt play`: games between a person and an opponent, or two persons.

A game is the list of its moves: to undo is to shorten it.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

import click
import numpy as np

from ttt_lib import evaluation, policy
from ttt_lib.agents import as_agent, learners, names
from ttt_lib.console import options
from ttt_lib.console.large_board import board_of
from ttt_lib.console.large_board import opponent as large_opponent
from ttt_lib.console.saving import Keeper, must_be_new, offer
from ttt_lib.console.screen import Screen, decimal, patience, short
from ttt_lib.interrupts import defer_sigint
from ttt_lib.validation import require_size

HELP = """\
{cells} puts your mark there; so does row,column, as in {pair}.
u takes back your last move, h gives a hint, n changes the numbers on the cells.
q leaves, ? shows this."""
NUMBERS = ("off", "values", "probabilities")


@options.command(
    "ttt play perfect --mark O --starts lot --numbers values",
    "ttt play new:q_learning --learn --alpha 0.5 --save mine.json",
    "ttt play mine.json --learn",
    "ttt play uct:1000 --size 4 4 4",
)
@click.argument("opponent", default="perfect")
@click.option(
    "--mark", type=options.MARK, default="X", show_default=True, help="Your mark."
)
@click.option(
    "--starts",
    type=click.Choice(["you", "it", "lot"]),
    default="you",
    show_default=True,
    help="Who begins; 'lot' draws one for each game.",
)
@click.option(
    "--numbers",
    type=click.Choice(NUMBERS),
    default="off",
    show_default=True,
    help="What to show on the cells when the opponent chooses, and, of one with "
    "values, whether its move was greedy (best by them) or exploring.",
)
@click.option(
    "--cells",
    "first_cell",
    type=click.Choice(["0-8", "1-9"]),
    default="0-8",
    show_default=True,
    callback=lambda context, parameter, cells: int(cells[0]),
    help="How cells are numbered; row,column counts from 0 or 1 likewise.",
)
@click.option(
    "--size",
    type=options.Whole(1),
    nargs=3,
    default=(3, 3, 3),
    metavar="ROWS COLUMNS K",
    help="The board, and how many in a row win. Default: 3 3 3. One that is too big "
    "for tables is played by random, perfect, teacher:P, uct:N and person.",
)
@click.option("--learn", is_flag=True, help="Let the opponent learn from each game.")
@click.option("--alpha", type=options.SHARE, help="Step size of a new learner.")
@click.option("--epsilon", type=options.SHARE, help="How often the opponent explores.")
@click.option("--gamma", type=options.SHARE, help="Discount of a new learner.")
@click.option("--initial", type=options.REWARD, help="First estimate of a new learner.")
@options.seed_option
@options.save_option
@options.force_option
def play(opponent, size, seed, save, force, learn, alpha, gamma, initial, **chosen):
    """Play against OPPONENT.

    OPPONENT is random, perfect, teacher:P, uct:N (a search of N random playouts at each
    move), person (two of you in turns), an agent that comes with the library, a file,
    or new:METHOD, a learner who knows nothing yet. Of
    equally good moves perfect and teacher take any; with :lowest behind them, as in
    teacher:0.9:lowest, that of the lowest cell.

    With --learn it learns from each game; a file is then kept up to date after each.

    During a game type a cell, or row,column; u takes back, h gives a hint, n changes
    the numbers on the cells, q leaves and ? helps.
    """
    if save is not None and not learn:
        raise click.UsageError("--save keeps what is learned: it needs --learn.")
    screen, rng, name = (
        Screen(),
        options.generator(options.seed_or_new(seed)),
        names.parse(opponent),
    )
    settings = options.given({"alpha": alpha, "gamma": gamma, "initial": initial})
    if name.kind != "new" and settings:
        setting = min(settings)
        text = f"--{setting} is for a new learner, as new:q_learning."
        raise click.UsageError(text)
    if name.kind == "new":
        settings |= options.given({"epsilon": chosen["epsilon"]})
    size = require_size(*size)
    with patience():
        game, Q = board_of(size)
        if game.successor is None:
            who = large_opponent(game, name, rng, Q)
        else:
            who = as_agent(game, name, rng, **settings)
        if name.kind != "person":
            who.on(who.side)  # refused if it cannot move
    if learn and who.learner is None:
        raise click.UsageError(f"{who.name} cannot learn: name a method or its file.")
    only = {+1: "it", -1: "you"}.get(who.side, chosen["starts"])
    if chosen["starts"] not in (only, "lot"):
        screen.say(f"{who.name} was made for one side only: {only} will begin.")
    keeper = None
    if learn:
        must_be_new(save, force or save == who.path)
        path = who.path if save is None else save
        where = f"and is kept in {path}" if path else "and is not kept: see --save"
        screen.say(f"{who.name} learns from each game, {where}.")
        keeper = Keeper(game, screen, who, path, force)
    chosen = PlayOptions(**chosen | {"starts": only, "keep": keeper})
    stopped = Games(game, Q, who, screen, rng, chosen).run()
    if learn and keeper.path is None and keeper.games > 0:
        place = offer(screen, keeper.named)
        if place is not None:
            screen.say(f"Saved in {place}.")
    return options.INTERRUPTED if stopped else None


class LeftError(Exception):
    """The person has left."""


class PlayOptions(NamedTuple):
    """How a person wants to play."""

    mark: str = "X"  #: the person's
    starts: str = "you"  #: "you", "it", or "lot": a new lot for each game
    numbers: str = "off"  #: what stands on the cells when the opponent chooses
    first_cell: int = 0  #: what the first cell is called, 0 or 1
    epsilon: float | None = None  #: the opponent's probability of a random move
    keep: Callable | None = None  #: takes the learner after each game, if it learns


class Games:
    """One or more games, and their score; Q is what moves are worth, or None."""

    def __init__(self, game, Q, opponent, screen, rng, options):
        self.game, self.Q, self.opponent = game, Q, opponent
        self.screen, self.rng, self.options = screen, rng, options
        self.numbers = options.numbers
        self.score = [0, 0, 0]  # won, drawn, lost by the person or the first of two
        self.persons = opponent.policy is None
        self.moves = []

    # The rules of a sitting

    def side(self):
        """Return the side (+1, −1) that the person, or the first of two, has now."""
        starts = self.options.starts
        if self.opponent.side:
            return -self.opponent.side
        if starts == "lot":
            starts = "you" if self.rng.random() < 0.5 else "it"
        return +1 if starts == "you" else -1

    def position(self, moves=None):
        """Return the position after the moves."""
        s = 0
        for a in self.moves if moves is None else moves:
            s = int(self.game.next[s, a])
        return s

    def undo(self, side):
        """Take back the last move of whoever types. Return whether there was one."""
        moves = list(self.moves)
        while moves:
            moves.pop()
            if self.persons or self.game.to_move[self.position(moves)] == side:
                self.moves = moves
                return True
        return False

    # What is said

    def mark(self, side, own):
        """Return the mark of a side, where the person has side `own`."""
        other = "O" if self.options.mark == "X" else "X"
        return self.options.mark if side == own else other

    def who(self, side, own):
        """Return the name of a side."""
        if self.persons:
            return f"Player {1 if side == own else 2} ({self.mark(side, own)})"
        return "You" if side == own else self.opponent.name

    def tell_score(self):
        """Say who has won how often."""
        won, drawn, lost = self.score
        if self.persons:
            text = f"Score: player 1 {won}, player 2 {lost}, draws {drawn}."
        else:
            text = f"Score: you {won}, {self.opponent.name} {lost}, draws {drawn}."
        self.screen.say(text)

    def draw(self, own, numbers=None):
        """Draw the board."""
        first, s = self.mark(+1, own), self.position()
        self.screen.board(self.game, s, first, self.options.first_cell, numbers)

    # What happens

    def run(self):
        """Play until the person has had enough; return whether Ctrl-C ended it."""
        try:
            while True:
                self.play(self.side())
                self.tell_score()
                if not self.again():
                    return False
        except (EOFError, LeftError):
            stopped = False
        except KeyboardInterrupt:
            stopped = True
        with defer_sigint() as more:  # one more Ctrl-C says nothing new
            self.screen.say()
            self.screen.say("Stopped." if stopped else "Goodbye.")
            self.tell_score()
            more.clear()
        return stopped

    def again(self):
        """Return whether the person wants another game."""
        while True:
            answer = self.screen.ask("Play again? [Y/n] ").strip().lower()
            if answer in ("", "y", "yes"):
                return True
            if answer in ("n", "no", "q", "quit"):
                return False
            self.screen.say("Please answer y or n; q leaves, too.")

    def play(self, own):
        """Play one game, the person having side `own`."""
        game, self.moves = self.game, []
        starter, _, _ = self.who(+1, own).partition(" (")
        verb = "begin" if starter == "You" else "begins"
        self.screen.say(f"{starter} {verb}, with {self.mark(+1, own)}.")
        if untaught := self.opponent.untaught(-own):
            self.screen.say(untaught)
        while not game.terminal[s := self.position()]:
            side = int(game.to_move[s])
            if self.persons or side == own:
                self.draw(own)
                a = self.ask_move(own)
            elif self.resigns(s):
                self.screen.say(f"{self.opponent.name} gives up: its box is empty.")
                break
            else:
                a = self.choose(s, side, own)
            self.moves.append(a)  # only now: to ask may have changed them
        with defer_sigint():  # no game that was played is lost
            self.finish(s, own)

    def finish(self, s, own):
        """Say how a game has ended in position s, count it, and learn from it."""
        game = self.game
        self.draw(own)
        outcome = int(game.outcome[s]) if game.terminal[s] else own
        if outcome == 0:
            self.screen.say("A draw.")
        else:
            winner = self.who(outcome, own)
            self.screen.say(f"{winner} {'win' if winner == 'You' else 'wins'}.")
        self.score[1 - own * outcome] += 1
        if self.options.keep is not None:
            self.learn(-own)

    def resigns(self, s):
        """Return whether the opponent gives up in position s."""
        learner = self.opponent.learner
        return learner is not None and learners.of(learner).resigns(self.game)[s]

    def prompt(self, side, own):
        """Return the question for a move of a side."""
        who = f"Player {1 if side == own else 2}" if self.persons else "Your move"
        return f"{who}, {self.mark(side, own)}: "

    def ask_move(self, own):
        """Return the cell that a person types, after whatever else they type."""
        while True:
            s = self.position()
            side = int(self.game.to_move[s])
            answer = self.screen.ask(self.prompt(side, own)).strip().lower()
            if answer in ("q", "quit"):
                raise LeftError
            if answer in ("?", "help"):
                self.help()
            elif answer in ("h", "hint"):
                self.hint(s, side)
            elif answer in ("n", "numbers") and self.persons:
                self.screen.say("Two persons play: there are no numbers to show.")
            elif answer in ("n", "numbers"):
                self.numbers = NUMBERS[(NUMBERS.index(self.numbers) + 1) % 3]
                when = f"when {self.opponent.name} moves next"
                self.screen.say(f"Numbers on the cells, {when}: {self.numbers}.")
            elif answer in ("u", "undo"):
                if self.undo(side):
                    self.draw(own)
                else:
                    self.screen.say("There is no move of yours to take back.")
            else:
                try:
                    return read_move(answer, self.game, s, self.options.first_cell)
                except ValueError as fault:
                    self.screen.say(str(fault))

    def help(self):
        """Say what may be typed."""
        cells, first = len(self.game.board[0]), self.options.first_cell
        self.screen.say(
            HELP.format(
                cells=f"A number from {first} to {cells - 1 + first}",
                pair=f"{first},{self.game.columns - 1 + first}",
            )
        )

    def hint(self, s, side):
        """Say what perfect play would do here, and what does best against this one."""
        game = self.game
        if self.Q is None:
            self.screen.say("This board is too big to be solved here: no hint.")
            return
        q, legal = self.Q[s], game.legal[s]
        best = q[legal].max()
        ends = {
            1: ("wins", "win"),
            0: ("holds the draw", "hold the draw"),
            -1: ("loses, as all others do", "lose, as all others do"),
        }
        cells = np.flatnonzero(legal & (q >= best - policy.LEARNED_ATOL))
        text = self.cells(cells, *ends[round(float(best))])
        self.screen.say(f"Against perfect play {text}.")
        if not self.persons and game.successor is not None:
            answer = evaluation.best_response(game, self.moving(), side)
            text = self.cells(np.flatnonzero(answer.policy[s]), "does", "do")
            self.screen.say(
                f"Against {self.opponent.name} {text} best: {decimal(answer.V[s])} on "
                "average, a win being 1 and a loss −1."
            )

    def cells(self, cells, does, do):
        """Return the beginning of a sentence about one cell or several."""
        text = ", ".join(str(cell + self.options.first_cell) for cell in cells)
        return f"cell {text} {does}" if len(cells) == 1 else f"cells {text} {do}"

    def exploring(self):
        """Return the probability of a random move: once for all, or (S, 1)."""
        if self.options.epsilon is not None or self.options.keep is None:
            return self.options.epsilon or 0.0
        return learners.of(self.opponent.learner).exploring(self.game)

    def moving(self):
        """Return the policy (S, A) that the opponent moves by, exploring included."""
        epsilon = self.exploring()
        random = policy.uniform(self.game.legal)
        return epsilon * random + (1 - epsilon) * self.opponent.policy

    def chances(self, s):
        """Return the probabilities (A,) by which the opponent moves in position s."""
        epsilon, legal = self.exploring(), self.game.legal[s]
        if np.ndim(epsilon):
            epsilon = epsilon[s]
        random = legal / legal.sum()
        return epsilon * random + (1 - epsilon) * self.opponent.policy[s]

    def choose(self, s, side, own):
        """Return the opponent's move, and say what it thought of it."""
        game, who = self.game, self.opponent
        who.on(side)
        chances = self.chances(s)
        a = int(self.rng.choice(len(chances), p=chances))
        values = None if who.Q is None else who.Q[s]
        shown = {"values": values, "probabilities": chances}.get(self.numbers)
        if shown is not None:
            what = "expects" if self.numbers == "values" else "takes with probability"
            self.screen.say(f"What {who.name} {what}:")
            self.draw(own, shown)
        elif self.numbers == "values":
            self.screen.say(f"{who.name} has no values, only probabilities.")
        text = (
            f"{who.name} puts {self.mark(side, own)} on {a + self.options.first_cell}"
        )
        if self.numbers != "off" and values is not None:
            greedy = values[a] >= values[game.legal[s]].max() - policy.LEARNED_ATOL
            text += ", greedy" if greedy else ", exploring"
        self.screen.say(f"{text}.")
        return a

    def learn(self, side):
        """Let the opponent learn from the game, and say what it learned."""
        game, who = self.game, self.opponent
        learner, changes = learners.of(who.learner).learn_game(game, self.moves, side)
        after = as_agent(game, learner)
        learned = {"policy": after.policy, "Q": after.Q, "taught": after.taught}
        self.opponent = who._replace(**learned, learner=learner)
        self.screen.say(f"{who.name} learns:")
        for change in changes:
            self.screen.say(in_words(change, self.options.first_cell), indent=2)
        random = policy.uniform(game.legal)
        old, new = (
            evaluation.result(game, each.policy, random, side).win
            for each in (who, after)
        )
        places = 4 if decimal(old) != decimal(new) else 6  # one game may change little
        old, new = decimal(old, places), decimal(new, places)
        place = "first" if side == 1 else "second"
        self.screen.say(
            f"Its chance to beat random play as {place} player: {old} → {new}."
        )
        self.options.keep(learner)


def in_words(change, first_cell=0):
    """Return the line on a Change of a learner, its numbers plugged in."""
    _, cell, old, target, new, unit = change
    cell = f"cell {cell + first_cell}: "
    if unit:
        sign = "−" if new < old else "+"
        return f"{cell}{old} {sign} {abs(new - old)} = {new} {unit}{'s' * (new != 1)}"
    if target is None:
        return f"{cell}{short(old)} → {short(new)}"
    if abs(target - old) < 1e-12:
        return f"{cell}{short(old)}, as expected"
    step, before = f"{(new - old) / (target - old):.3g}", short(old)
    minus = f"({before})" if before.startswith("−") else before
    return f"{cell}{before} + {step} × ({short(target)} − {minus}) = {short(new)}"


def read_move(text, game, s, first_cell=0):
    """Return the cell that a person means in position s.

    Raises ValueError with one sentence if it is none, outside, or occupied.
    """
    cells = game.rows * game.columns
    pair = re.fullmatch(r"\s*(\d{1,9})\s*,\s*(\d{1,9})\s*", text)
    number = re.fullmatch(r"\s*([+-]?\d{1,9})\s*", text)
    if not text.strip():
        raise ValueError(f"Nothing typed: {_wanted(game, first_cell)}.")
    if pair is not None:
        row, column = (int(part) - first_cell for part in pair.groups())
        inside = row in range(game.rows) and column in range(game.columns)
        cell = row * game.columns + column
    elif number is not None:
        cell = int(number[1]) - first_cell
        inside = cell in range(cells)
    else:
        typed = repr(text[:20]) if text.isprintable() else "That key"
        raise ValueError(f"{typed} is no move: {_wanted(game, first_cell)}.")
    if not inside:
        raise ValueError(f"{text} is outside the board: {_wanted(game, first_cell)}.")
    if not game.legal[s, cell]:
        free = ", ".join(str(a + first_cell) for a in np.flatnonzero(game.legal[s]))
        raise ValueError(f"Cell {cell + first_cell} is occupied; free are {free}.")
    return cell


def _wanted(game, first_cell):
    last = game.rows * game.columns - 1 + first_cell
    return f"type a cell from {first_cell} to {last}, row,column, or ? for help"
