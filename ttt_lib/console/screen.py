"""Output of the console: sentences, boards, numbers and tables, fit to the terminal.

If the output is not UTF-8, characters are replaced by ASCII; if it is not a terminal,
or NO_COLOR is set, there are no colours.
"""

import json
import os
import sys
from contextlib import contextmanager
from fractions import Fraction
from threading import Timer

import numpy as np
from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Column, Table
from rich.text import Text

from ttt_lib import notation, theme
from ttt_lib.console.options import printable
from ttt_lib.game import SIDE_NAMES
from ttt_lib.policy import LEARNED_ATOL

STYLES = {mark: f"bold {theme.light()[mark.lower()]}" for mark in "XO"}
PLAIN: dict[str, str | int | None] = {
    **dict(zip("×−–′│─┼", "x--'|-+", strict=True)),
    **{"…": "...", "→": "->", "≥": ">=", "≤": "<=", "√": "sqrt "},
    **{"α": "alpha", "γ": "gamma", "λ": "lambda", "ε": "epsilon"},
}
RULED = box.SIMPLE_HEAD  # a rule below the heads, and nothing else
RULED_PLAIN = box.Box(str(RULED).translate(str.maketrans(PLAIN)), ascii=True)
MIN_WIDTH = 20  # columns, even if the terminal reports fewer
SILENT_SECONDS = 2  # seconds
ONE_MOMENT = "One moment: compiling, once.\n"
MAX_DENOMINATOR = 10_000  # of numbers that are also written as a fraction
SCORES = {  # key of `evaluation.scores` → label in a table
    **{end: f"{end} against random" for end in ("win", "draw", "loss")},
    "worst": "value against the worst opponent",
    "exploitability": "exploitability",
}


class Screen:
    """An output stream of some width, with or without UTF-8 and colours."""

    def __init__(self, file=None):
        file = sys.stdout if file is None else file
        self.has_utf8 = takes_utf8(file)
        # A file or pipe has a fixed width, so that its tables are not split.
        width = None if file.isatty() or "COLUMNS" in os.environ else 88
        self.console = Console(
            file=file,
            color_system=None if os.environ.get("NO_COLOR") else "auto",
            markup=False,
            emoji=False,
            highlight=False,
            width=width,
        )
        self.console.width = max(self.console.width, MIN_WIDTH)

    @property
    def width(self):
        """The number of columns."""
        return self.console.width

    def plain(self, text):
        """Return a text with the characters that this screen can write."""
        text = printable(str(text))
        return text if self.has_utf8 else text.translate(str.maketrans(PLAIN))

    def say(self, text="", style="", indent=0):
        """Write a text, wrapped at the width of the screen."""
        text = Text(self.plain(text), style=style)
        for line in text.wrap(self.console, self.width - indent):
            line.rstrip()
            self.console.print(Text(" " * indent) + line)

    def has_person(self):
        """Return whether input and output are a terminal."""
        return self.console.is_terminal and sys.stdin.isatty()

    def ask(self, prompt):
        """Return the next line of the input.

        A line that does not come from a terminal is echoed, so that a record of the
        game looks the same.
        """
        answer = input(self.plain(prompt))
        if not sys.stdin.isatty():
            self.say(answer)
        return answer

    def board(self, game, s, first="X", first_cell=0, numbers=None):
        """Draw position s: marks, the numbers of empty cells, and a value below each.

        Cells are numbered from `first_cell`, 0 or 1. numbers: (A,) or mapping from cell
        (from 0) to value, of the legal cells; the largest values are bold.
        """
        bar, dash, cross = self.plain("│─┼")
        marks = notation.write(game.board[s], first)
        width = 5 if numbers is None else 9
        legal = [] if numbers is None else np.flatnonzero(game.legal[s])
        best = max((numbers[a] for a in legal), default=-np.inf)
        for row in range(game.rows):
            line, below = [], []
            for cell in range(row * game.columns, (row + 1) * game.columns):
                text, style = marks[cell], STYLES.get(marks[cell], "dim")
                if text == ".":
                    text = "" if game.terminal[s] else str(cell + first_cell)
                line.append(Text(text.center(width), style))
                text, style = "", ""
                if cell in legal:
                    text = f"{self.plain(short(numbers[cell])):>7}"
                    style = "bold" if numbers[cell] >= best - LEARNED_ATOL else ""
                below.append(Text(text.center(width), style))
            for texts in (line,) if numbers is None else (line, below):
                joined = Text("  ") + Text(bar).join(texts)
                joined.rstrip()
                self.console.print(joined)
            if row < game.rows - 1:
                self.console.print("  " + cross.join([dash * width] * game.columns))

    def table(self, heads, rows):
        """Write a table; the first column is aligned left, the others right.

        If the screen is too narrow, each row becomes a few lines.
        """
        first, *others = map(self.plain, heads)
        columns = [Column(head, justify="right", no_wrap=True) for head in others]
        style = {"box": RULED if self.has_utf8 else RULED_PLAIN, "header_style": "bold"}
        table = Table(first, *columns, show_edge=False, pad_edge=False, **style)
        for row in rows:
            table.add_row(*map(self.plain, row))
        unlimited = self.console.options.update(max_width=10_000)
        if Measurement.get(self.console, unlimited, table).maximum <= self.width:
            self.console.print(table)
            return
        for name, *cells in rows:
            self.say(name, "bold")
            for head, cell in zip(others, cells, strict=True):
                self.say(f"  {head}: {cell}")

    def scores(self, scores):
        """Write `evaluation.scores` as a table, and the side that was not trained."""
        sides = [side for side in SIDE_NAMES.values() if f"win_{side}" in scores]
        exploitability = scores.get("exploitability", {})
        numbers = scores | {
            f"exploitability_{side}": value for side, value in exploitability.items()
        }
        rows = [
            [label, *(exact(numbers[f"{name}_{side}"]) for side in sides)]
            for name, label in SCORES.items()
            if f"{name}_{sides[0]}" in numbers
        ]
        self.table(["", *(f"as {side} player" for side in sides)], rows)
        for side in SIDE_NAMES.values():
            if side not in sides and "games" in scores:  # else it did not learn
                self.say(f"As {side} player: not taught.")

    def not_taught(self, sides):
        """Write the side on which each agent was not trained; see `not_taught`."""
        for name, side in sides.items():
            self.say(f"As {side} player {name} was not taught.")


def not_taught(*agents):
    """Return {name: side} of agents that were trained on one side: the other side."""
    return {agent.name: SIDE_NAMES[-agent.taught] for agent in agents if agent.taught}


@contextmanager
def patience():
    """Write a message to a terminal if the block takes longer than SILENT_SECONDS."""
    timer = Timer(SILENT_SECONDS, sys.stderr.write, [ONE_MOMENT])
    timer.daemon = True
    if sys.stderr.isatty():
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def report(as_json, data, tell, *arguments):
    """Write data as JSON, or call `tell` to write it as text."""
    if as_json:
        print(json.dumps(data, indent=1))
    else:
        tell(Screen(), data, *arguments)


def takes_utf8(file):
    """Return whether a file, and the terminal behind it, take UTF-8."""
    encoding = (getattr(file, "encoding", None) or "").lower().replace("-", "")
    if encoding != "utf8" or os.name == "nt":
        return encoding == "utf8"
    # Python may write UTF-8 in a locale without it, so the locale is checked too.
    names = (os.environ.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    return "utf" in next(filter(None, names), "").lower()


def decimal(number, places=4):
    """Return a number with a fixed number of decimals and a typographic minus."""
    text = f"{number:.{places}f}"
    return (text if float(text) else text.lstrip("-")).replace("-", "−")


def short(number):
    """Return a number with three decimals."""
    return decimal(number, 3)


def fraction(number):
    """Return a number in [−1, 1] as a fraction with a small denominator, else ""."""
    nearest = Fraction(float(number)).limit_denominator(MAX_DENOMINATOR)
    if abs(number) > 1 or abs(float(nearest) - number) > 1e-12:
        return ""
    return str(nearest).replace("-", "−")


def exact(number):
    """Return a number with four decimals and, if it is one, as a simple fraction."""
    text, ratio = decimal(number), fraction(number)
    return f"{text} = {ratio}" if "/" in ratio else text
