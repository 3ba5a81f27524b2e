"""What the console writes: sentences, boards, numbers and tables, as a terminal can.

Where the output is no UTF-8, signs become ASCII; where it is no terminal, or NO_COLOR
is set, there is no colour.
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
MIN_WIDTH = 20  # columns, whatever the terminal says of itself
SILENT_SECONDS = 2  # seconds
ONE_MOMENT = "One moment: compiling, once.\n"
MAX_DENOMINATOR = 10_000  # of what is still worth writing as a fraction
SCORES = {  # what each is called in a table
    **{end: f"{end} against random" for end in ("win", "draw", "loss")},
    "worst": "value against the worst opponent",
    "exploitability": "exploitability",
}


class Screen:
    """Where words go: a terminal of some width, with or without signs and colours."""

    def __init__(self, file=None):
        file = sys.stdout if file is None else file
        self.signs = speaks_utf8(file)
        # Wide tables need no cutting where nobody's window is too narrow for them.
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
        """Return a text as this screen can write it."""
        text = printable(str(text))
        return text if self.signs else text.translate(str.maketrans(PLAIN))

    def say(self, text="", style="", indent=0):
        """Write one text, broken between words where the screen is too narrow."""
        text = Text(self.plain(text), style=style)
        for line in text.wrap(self.console, self.width - indent):
            line.rstrip()
            self.console.print(Text(" " * indent) + line)

    def has_person(self):
        """Return whether somebody is there who can read and answer."""
        return self.console.is_terminal and sys.stdin.isatty()

    def ask(self, prompt):
        """Return what a person types, or the next line of a file or pipe.

        From a pipe the answer is written too, so that a record of the game reads as one
        typed at a terminal.
        """
        answer = input(self.plain(prompt))
        if not sys.stdin.isatty():
            self.say(answer)
        return answer

    def board(self, game, s, first="X", first_cell=0, numbers=None):
        """Draw position s: marks, the numbers of empty cells, and a value below each.

        Cells are numbered from `first_cell`, 0 or 1. `numbers` has the value of each
        legal cell, by its place from 0 on; the largest are bold.
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
                whole = Text("  ") + Text(bar).join(texts)
                whole.rstrip()
                self.console.print(whole)
            if row < game.rows - 1:
                self.console.print("  " + cross.join([dash * width] * game.columns))

    def table(self, heads, rows):
        """Write rows of texts under heads: the first column left, others right.

        Where the screen is too narrow each row becomes a few lines.
        """
        first, *others = map(self.plain, heads)
        columns = [Column(head, justify="right", no_wrap=True) for head in others]
        look = {"box": RULED if self.signs else RULED_PLAIN, "header_style": "bold"}
        table = Table(first, *columns, show_edge=False, pad_edge=False, **look)
        for row in rows:
            table.add_row(*map(self.plain, row))
        anywhere = self.console.options.update(max_width=10_000)
        if Measurement.get(self.console, anywhere, table).maximum <= self.width:
            self.console.print(table)
            return
        for name, *cells in rows:
            self.say(name, "bold")
            for head, cell in zip(others, cells, strict=True):
                self.say(f"  {head}: {cell}")

    def scores(self, found):
        """Write `evaluation.scores` as a table, and which side was not taught."""
        places = [place for place in SIDE_NAMES.values() if f"win_{place}" in found]
        each = found.get("exploitability", {})
        numbers = found | {f"exploitability_{place}": each[place] for place in each}
        rows = [
            [label, *(exact(numbers[f"{name}_{place}"]) for place in places)]
            for name, label in SCORES.items()
            if f"{name}_{places[0]}" in numbers
        ]
        self.table(["", *(f"as {place} player" for place in places)], rows)
        for place in SIDE_NAMES.values():
            if place not in places and "games" in found:  # else it did not learn
                self.say(f"As {place} player: not taught.")

    def not_taught(self, sides):
        """Write on which side each was not taught, by name; see `not_taught`."""
        for name, place in sides.items():
            self.say(f"As {place} player {name} was not taught.")


def not_taught(*players):
    """Return the side, in words, on which each of them was not taught, by name."""
    return {who.name: SIDE_NAMES[-who.taught] for who in players if who.taught}


@contextmanager
def patience():
    """Say to a person at a terminal what takes long, if it does."""
    timer = Timer(SILENT_SECONDS, sys.stderr.write, [ONE_MOMENT])
    timer.daemon = True
    if sys.stderr.isatty():
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def report(as_json, found, tell, *more):
    """Write what was found: as JSON, or as `tell` words it on the screen."""
    if as_json:
        print(json.dumps(found, indent=1))
    else:
        tell(Screen(), found, *more)


def speaks_utf8(file):
    """Return whether a file, and the terminal behind it, take UTF-8."""
    encoding = (getattr(file, "encoding", None) or "").lower().replace("-", "")
    if encoding != "utf8" or os.name == "nt":
        return encoding == "utf8"
    # Python itself may write UTF-8 in a locale that has none: ask the locale too.
    names = (os.environ.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    return "utf" in next(filter(None, names), "").lower()


def decimal(number, places=4):
    """Return a number with some places; a negative one with a minus sign."""
    text = f"{number:.{places}f}"
    return (text if float(text) else text.lstrip("-")).replace("-", "−")


def short(number):
    """Return a number with three places."""
    return decimal(number, 3)


def fraction(number):
    """Return a number up to 1 as a fraction of small numbers if it is one, else ""."""
    nearest = Fraction(float(number)).limit_denominator(MAX_DENOMINATOR)
    if abs(number) > 1 or abs(float(nearest) - number) > 1e-12:
        return ""
    return str(nearest).replace("-", "−")


def exact(number):
    """Return a number with four places and, where it is one, as a fraction."""
    text, ratio = decimal(number), fraction(number)
    return f"{text} = {ratio}" if "/" in ratio else text
