"""The command `ttt play`: games between a person and an opponent, or two persons.

A game is the list of its moves, so undo removes moves from its end.
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
    help="Who begins; 'lot' chooses at random before each game.",
)
@click.option(
    "--numbers",
    type=click.Choice(NUMBERS),
    default="off",
    show_default=True,
    help="Numbers to show on the cells when the opponent chooses. With values it also "
    "shows whether the move was greedy (best by them) or exploring.",
)
@click.option(
    "--cells",
    "first_cell",
    type=click.Choice(["0-8", "1-9"]),
    default="0-8",
    show_default=True,
    callback=lambda context, parameter, cells: int(cells[0]),
    help="Numbers of the cells; row,column also counts from 0 or 1.",
)
@click.option(
    "--size",
    type=options.Whole(1),
    nargs=3,
    default=(3, 3, 3),
    metavar="ROWS COLUMNS K",
    help="The board, and how many in a row win. Default: 3 3 3. On a board too large "
    "for tables only random, perfect, teacher:P, uct:N and person can play.",
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
    move), person (two people in turns), an agent that comes with the library, a file,
    or new:METHOD, a learner without any training. Of equally good moves perfect and
    teacher choose one at random; with :lowest, as in teacher:0.9:lowest, they take the
    lowest cell.

    With --learn it learns from each game, and its file is updated after each game.

    During a game type a cell, or row,column; u takes back, h gives a hint, n changes
    the numbers on the cells, q leaves and ? helps.
    """
    if save is not None and not learn:
        raise click.UsageError("--save saves what is learned, so it needs --learn.")
    screen, rng, name = (
        Screen(),
        options.generator(options.seed_or_new(seed)),
        names.parse(opponent),
    )
    settings = options.given({"alpha": alpha, "gamma": gamma, "initial": initial})
    if name.kind != "new" and settings:
        setting = min(settings)
        text = f"--{setting} is for a new learner, such as new:q_learning."
        raise click.UsageError(text)
    if name.kind == "new":
        settings |= options.given({"epsilon": chosen["epsilon"]})
    size = require_size(*size)
    with patience():
        game, Q = board_of(size)
        if game.successor is None:
            agent = large_opponent(game, name, rng, Q)
        else:
            agent = as_agent(game, name, rng, **settings)
        if name.kind != "person":
            agent.on(agent.side)  # raises if it cannot move
    if learn and agent.learner is None:
        raise click.UsageError(
            f"{agent.name} cannot learn: give new:METHOD or the file of a learner."
        )
    starts = {+1: "it", -1: "you"}.get(agent.side, chosen["starts"])
    if chosen["starts"] not in (starts, "lot"):
        screen.say(f"{agent.name} was made for one side only: {starts} will begin.")
    keeper = None
    if learn:
        must_be_new(save, force or save == agent.path)
        path = agent.path if save is None else save
        where = f"and is saved in {path}" if path else "and is not saved: see --save"
        screen.say(f"{agent.name} learns from each game, {where}.")
        keeper = Keeper(game, screen, agent, path, force)
    chosen = PlayOptions(**chosen | {"starts": starts, "keep": keeper})
    stopped = Games(game, Q, agent, screen, rng, chosen).run()
    if learn and keeper.path is None and keeper.games > 0:
        path = offer(screen, keeper.named)
        if path is not None:
            screen.say(f"Saved in {path}.")
    return options.INTERRUPTED if stopped else None


class LeftError(Exception):
    """Raised when the person types q."""


class PlayOptions(NamedTuple):
    """Options of a series of games."""

    mark: str = "X"  #: mark of the person
    starts: str = "you"  #: "you", "it", or "lot": at random before each game
    numbers: str = "off"  #: one of NUMBERS, shown when the opponent chooses
    first_cell: int = 0  #: number of the first cell, 0 or 1
    epsilon: float | None = None  #: the opponent's probability of a random move
    keep: Callable | None = None  #: takes the learner after each game, if it learns


class Games:
    """A series of games and their score; Q has the values of moves, or is None."""

    def __init__(self, game, Q, opponent, screen, rng, options):
        self.game, self.Q, self.opponent = game, Q, opponent
        self.screen, self.rng, self.options = screen, rng, options
        self.numbers = options.numbers
        self.score = [0, 0, 0]  # won, drawn, lost by the person or the first of two
        self.persons = opponent.policy is None
        self.moves = []

    # Sides and moves

    def side(self):
        """Return the side (+1, −1) of the person, or of the first of two, in a game."""
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
        """Take back the last move of a person. Return whether there was one."""
        moves = list(self.moves)
        while moves:
            moves.pop()
            if self.persons or self.game.to_move[self.position(moves)] == side:
                self.moves = moves
                return True
        return False

    # Output

    def mark(self, side, person_side):
        """Return the mark of a side; person_side: that of the person or the first."""
        other = "O" if self.options.mark == "X" else "X"
        return self.options.mark if side == person_side else other

    def side_name(self, side, person_side):
        """Return the name of a side."""
        if self.persons:
            number = 1 if side == person_side else 2
            return f"Player {number} ({self.mark(side, person_side)})"
        return "You" if side == person_side else self.opponent.name

    def show_score(self):
        """Write the score."""
        won, drawn, lost = self.score
        if self.persons:
            text = f"Score: player 1 {won}, player 2 {lost}, draws {drawn}."
        else:
            text = f"Score: you {won}, {self.opponent.name} {lost}, draws {drawn}."
        self.screen.say(text)

    def draw(self, person_side, numbers=None):
        """Draw the board."""
        first, s = self.mark(+1, person_side), self.position()
        self.screen.board(self.game, s, first, self.options.first_cell, numbers)

    # Playing

    def run(self):
        """Play until the person stops. Return whether Ctrl-C ended it."""
        try:
            while True:
                self.play(self.side())
                self.show_score()
                if not self.again():
                    return False
        except (EOFError, LeftError):
            stopped = False
        except KeyboardInterrupt:
            stopped = True
        with defer_sigint() as more:  # another Ctrl-C is ignored
            self.screen.say()
            self.screen.say("Stopped." if stopped else "Goodbye.")
            self.show_score()
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

    def play(self, person_side):
        """Play one game."""
        game, self.moves = self.game, []
        starter, _, _ = self.side_name(+1, person_side).partition(" (")
        verb = "begin" if starter == "You" else "begins"
        self.screen.say(f"{starter} {verb}, with {self.mark(+1, person_side)}.")
        if untaught := self.opponent.untaught(-person_side):
            self.screen.say(untaught)
        while not game.terminal[s := self.position()]:
            side = int(game.to_move[s])
            if self.persons or side == person_side:
                self.draw(person_side)
                a = self.ask_move(person_side)
            elif self.resigns(s):
                self.screen.say(f"{self.opponent.name} gives up: its box is empty.")
                break
            else:
                a = self.choose(s, side, person_side)
            self.moves.append(a)  # only now, because undo may have changed them
        with defer_sigint():  # no finished game is lost
            self.finish(s, person_side)

    def finish(self, s, person_side):
        """Show how the game ended in position s, count it, and learn from it."""
        game = self.game
        self.draw(person_side)
        outcome = int(game.outcome[s]) if game.terminal[s] else person_side
        if outcome == 0:
            self.screen.say("A draw.")
        else:
            winner = self.side_name(outcome, person_side)
            self.screen.say(f"{winner} {'win' if winner == 'You' else 'wins'}.")
        self.score[1 - person_side * outcome] += 1
        if self.options.keep is not None:
            self.learn(-person_side)

    def resigns(self, s):
        """Return whether the opponent resigns in position s."""
        learner = self.opponent.learner
        return learner is not None and learners.adapter(learner).resigns(self.game)[s]

    def prompt(self, side, person_side):
        """Return the prompt for a move of a side."""
        number = 1 if side == person_side else 2
        text = f"Player {number}" if self.persons else "Your move"
        return f"{text}, {self.mark(side, person_side)}: "

    def ask_move(self, person_side):
        """Return the cell that a person types; carry out commands typed before it."""
        while True:
            s = self.position()
            side = int(self.game.to_move[s])
            answer = self.screen.ask(self.prompt(side, person_side)).strip().lower()
            if answer in ("q", "quit"):
                raise LeftError
            if answer in ("?", "help"):
                self.help()
            elif answer in ("h", "hint"):
                self.hint(s, side)
            elif answer in ("n", "numbers") and self.persons:
                self.screen.say("There are no numbers to show when two people play.")
            elif answer in ("n", "numbers"):
                self.numbers = NUMBERS[(NUMBERS.index(self.numbers) + 1) % 3]
                when = f"when {self.opponent.name} moves next"
                self.screen.say(f"Numbers on the cells, {when}: {self.numbers}.")
            elif answer in ("u", "undo"):
                if self.undo(side):
                    self.draw(person_side)
                else:
                    self.screen.say("There is no move of yours to take back.")
            else:
                try:
                    return read_move(answer, self.game, s, self.options.first_cell)
                except ValueError as fault:
                    self.screen.say(str(fault))

    def help(self):
        """Show what can be typed."""
        cells, first = len(self.game.board[0]), self.options.first_cell
        self.screen.say(
            HELP.format(
                cells=f"A number from {first} to {cells - 1 + first}",
                pair=f"{first},{self.game.columns - 1 + first}",
            )
        )

    def hint(self, s, side):
        """Show the best moves against perfect play, and against this opponent."""
        game = self.game
        if self.Q is None:
            self.screen.say(
                "This board is too large to be solved, so there is no hint."
            )
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
            response = evaluation.best_response(game, self.moving(), side)
            text = self.cells(np.flatnonzero(response.policy[s]), "does", "do")
            self.screen.say(
                f"Against {self.opponent.name} {text} best: {decimal(response.V[s])} "
                "on average, a win being 1 and a loss −1."
            )

    def cells(self, cells, does, do):
        """Return the beginning of a sentence on one or several cells."""
        text = ", ".join(str(cell + self.options.first_cell) for cell in cells)
        return f"cell {text} {does}" if len(cells) == 1 else f"cells {text} {do}"

    def exploring(self):
        """Return the probability of a random move: one number, or (S, 1)."""
        if self.options.epsilon is not None or self.options.keep is None:
            return self.options.epsilon or 0.0
        return learners.adapter(self.opponent.learner).exploring(self.game)

    def moving(self):
        """Return the policy (S, A) of the opponent, with exploration."""
        epsilon = self.exploring()
        random = policy.uniform(self.game.legal)
        return epsilon * random + (1 - epsilon) * self.opponent.policy

    def chances(self, s):
        """Return the probabilities (A,) of the opponent's moves in position s."""
        epsilon, legal = self.exploring(), self.game.legal[s]
        if np.ndim(epsilon):
            epsilon = epsilon[s]
        random = legal / legal.sum()
        return epsilon * random + (1 - epsilon) * self.opponent.policy[s]

    def choose(self, s, side, person_side):
        """Return the opponent's move, and show it with its numbers."""
        game, agent = self.game, self.opponent
        agent.on(side)
        chances = self.chances(s)
        a = int(self.rng.choice(len(chances), p=chances))
        values = None if agent.Q is None else agent.Q[s]
        shown = {"values": values, "probabilities": chances}.get(self.numbers)
        if shown is not None:
            verb = "expects" if self.numbers == "values" else "takes with probability"
            self.screen.say(f"What {agent.name} {verb}:")
            self.draw(person_side, shown)
        elif self.numbers == "values":
            self.screen.say(f"{agent.name} has no values, only probabilities.")
        mark, cell = self.mark(side, person_side), a + self.options.first_cell
        text = f"{agent.name} puts {mark} on {cell}"
        if self.numbers != "off" and values is not None:
            greedy = values[a] >= values[game.legal[s]].max() - policy.LEARNED_ATOL
            text += ", greedy" if greedy else ", exploring"
        self.screen.say(f"{text}.")
        return a

    def learn(self, side):
        """Let the opponent learn from the game, and show its updates."""
        game, before = self.game, self.opponent
        adapter = learners.adapter(before.learner)
        learner, changes = adapter.learn_game(game, self.moves, side)
        after = as_agent(game, learner)
        learned = {"policy": after.policy, "Q": after.Q, "taught": after.taught}
        self.opponent = before._replace(**learned, learner=learner)
        self.screen.say(f"{before.name} learns:")
        for change in changes:
            self.screen.say(in_words(change, self.options.first_cell), indent=2)
        random = policy.uniform(game.legal)
        old, new = (
            evaluation.result(game, agent.policy, random, side).win
            for agent in (before, after)
        )
        places = 4 if decimal(old) != decimal(new) else 6  # one game may change little
        old, new = decimal(old, places), decimal(new, places)
        player = "first player" if side == 1 else "second player"
        self.screen.say(f"Its chance to beat random play as {player}: {old} → {new}.")
        self.options.keep(learner)


def in_words(change, first_cell=0):
    """Return the formula of a Change of a learner with its numbers."""
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
    """Return the cell that a person typed in position s.

    Raises ValueError if it is not a cell, outside the board, or occupied.
    """
    cells = game.rows * game.columns
    pair = re.fullmatch(r"\s*(\d{1,9})\s*,\s*(\d{1,9})\s*", text)
    number = re.fullmatch(r"\s*([+-]?\d{1,9})\s*", text)
    if not text.strip():
        raise ValueError(f"Nothing typed: {_expected_input(game, first_cell)}.")
    if pair is not None:
        row, column = (int(part) - first_cell for part in pair.groups())
        inside = row in range(game.rows) and column in range(game.columns)
        cell = row * game.columns + column
    elif number is not None:
        cell = int(number[1]) - first_cell
        inside = cell in range(cells)
    else:
        typed = repr(text[:20]) if text.isprintable() else "That key"
        raise ValueError(f"{typed} is not a move: {_expected_input(game, first_cell)}.")
    if not inside:
        raise ValueError(
            f"{text} is outside the board: {_expected_input(game, first_cell)}."
        )
    if not game.legal[s, cell]:
        free = ", ".join(str(a + first_cell) for a in np.flatnonzero(game.legal[s]))
        raise ValueError(f"Cell {cell + first_cell} is occupied; free are {free}.")
    return cell


def _expected_input(game, first_cell):
    last = game.rows * game.columns - 1 + first_cell
    return f"type a cell from {first_cell} to {last}, row,column, or ? for help"
