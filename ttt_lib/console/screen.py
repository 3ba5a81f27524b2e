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
from rich.console import Console
from rich.text import Text

from ttt_lib import look
from ttt_lib.console.terminal import printable
from ttt_lib.doors import notation
from ttt_lib.policy import TIE

STYLES = {mark: f"bold {look.light()[mark.lower()]}" for mark in "XO"}
PLAIN = str.maketrans(
    {
        "×": "x",
        "−": "-",
        "–": "-",
        "…": "...",
        "→": "->",
        "≥": ">=",
        "≤": "<=",
        "α": "alpha",
        "γ": "gamma",
        "λ": "lambda",
        "ε": "epsilon",
        "√": "sqrt ",
        "′": "'",
        "│": "|",
        "─": "-",
        "┼": "+",
    }
)
LEAST_WIDTH = 20  # columns, whatever the terminal says of itself
PATIENCE = 2  # seconds
ONE_MOMENT = "One moment: compiling, once.\n"
LARGEST_DENOMINATOR = 10_000  # of what is still worth writing as a fraction


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
        self.console.width = max(self.console.width, LEAST_WIDTH)

    @property
    def width(self):
        """The number of columns."""
        return self.console.width

    def plain(self, text):
        """Return a text as this screen can write it."""
        text = printable(text)
        return text if self.signs else text.translate(PLAIN)

    def say(self, text="", style=None, indent=0):
        """Write one text, broken between words where the screen is too narrow."""
        text = Text(self.plain(str(text)), style=style or "")
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
        bar, dash, cross = "│─┼" if self.signs else "|-+"
        marks = notation.write(game.board[s], first)
        wide = 5 if numbers is None else 9
        legal = [] if numbers is None else np.flatnonzero(game.legal[s])
        best = max((numbers[a] for a in legal), default=-np.inf)
        for row in range(game.rows):
            cells = range(row * game.columns, (row + 1) * game.columns)
            line, below = [], []
            for cell in cells:
                text, style = marks[cell], STYLES.get(marks[cell], "dim")
                if text == ".":
                    text = "" if game.terminal[s] else str(cell + first_cell)
                line.append(Text(text.center(wide), style))
                text, style = "", ""
                if cell in legal:
                    text = f"{self.plain(short(numbers[cell])):>7}"
                    style = "bold" if numbers[cell] >= best - TIE else ""
                below.append(Text(text.center(wide), style))
            for texts in (line,) if numbers is None else (line, below):
                whole = Text("  ") + Text(bar).join(texts)
                whole.rstrip()
                self.console.print(whole)
            if row < game.rows - 1:
                rule = cross.join([dash * wide] * game.columns)
                self.console.print(Text("  " + rule))

    def table(self, heads, rows):
        """Write rows of texts under heads: the first column left, others right.

        Where the screen is too narrow each row becomes a few lines.
        """
        heads = [self.plain(head) for head in heads]
        rows = [[self.plain(str(cell)) for cell in row] for row in rows]
        wide = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
        if sum(wide) + 3 * (len(wide) - 1) > self.width:
            for name, *cells in rows:
                self.say(name, "bold")
                for head, cell in zip(heads[1:], cells, strict=True):
                    self.say(f"  {head}: {cell}")
            return
        for row in (heads, *rows):
            cells = [row[0].ljust(wide[0])]
            cells += map(str.rjust, row[1:], wide[1:])
            self.say("   ".join(cells).rstrip(), "bold" if row is heads else None)
            if row is heads:
                dash = "─" if self.signs else "-"
                self.say(dash * (sum(wide) + 3 * (len(wide) - 1)))


@contextmanager
def patience():
    """Say to a person at a terminal what takes long, if it does."""
    timer = Timer(PATIENCE, sys.stderr.write, [ONE_MOMENT])
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
    if encoding != "utf8":
        return False
    if os.name == "nt":
        return True
    # Python itself may write UTF-8 in a locale that has none: ask the locale too.
    names = (os.environ.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    locale = next((name for name in names if name), "")
    return "utf" in locale.lower()


def decimal(number, places=4):
    """Return a number with some places; a negative one with a minus sign."""
    text = f"{number:.{places}f}"
    return (text if float(text) else text.lstrip("-")).replace("-", "−")


def short(number):
    """Return a number with three places."""
    return decimal(number, 3)


def fraction(number):
    """Return a number up to 1 as a fraction of small numbers if it is one, else ""."""
    nearest = Fraction(float(number)).limit_denominator(LARGEST_DENOMINATOR)
    if abs(number) > 1 or abs(float(nearest) - number) > 1e-12:
        return ""
    return str(nearest).replace("-", "−")


def exact(number):
    """Return a number with four places and, where it is one, as a fraction."""
    text, ratio = decimal(number), fraction(number)
    return f"{text} = {ratio}" if "/" in ratio else text
