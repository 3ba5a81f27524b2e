"""Readers for the settings of labs: each returns a text in its canonical form.

A reader is called with the text and the setting's name, and raises ValueError if the
text is invalid.
"""

import traitlets

from ttt_lib import learning, schedules
from ttt_lib.agents import names
from ttt_lib.game import tables
from ttt_lib.mdp import require_squares
from ttt_lib.validation import as_float, as_int, one_of, require, short_repr


class Setting(traitlets.TraitType):
    """A text of a lab, checked by `read(text)`, which returns its canonical form.

    A number is converted to its text, a tuple of numbers to theirs with commas.
    """

    def __init__(self, default, read):
        self.read = read
        super().__init__(default)
        self.tag(sync=True, setting=True)

    def validate(self, lab, value):
        """Return the canonical text; raise TraitError if it is invalid."""
        if isinstance(value, tuple | list):
            value = ", ".join(map(str, value))
        try:
            return self.read(str(value), self.name)
        except ValueError as fault:
            raise traitlets.TraitError(f"{self.name}: {fault}") from None


def among(*choices):
    """Return the reader of one of several texts."""
    return lambda text, name: one_of(text.strip(), name, choices)


def a_number(low=float("-inf"), high=float("inf")):
    """Return the reader of a number."""
    return lambda text, name: _plain(as_float(_value(text, name), name, low, high))


def a_number_or_agent(low, high):
    """Return the reader of a number, or of an agent's name."""

    def read(text, name):
        try:
            float(text)
        except ValueError:
            return a_player()(text, name)
        return a_number(low, high)(text, name)

    return read


def a_whole(low, high):
    """Return the reader of a whole number."""
    return lambda text, name: str(as_int(_value(text, name), name, low, high))


def a_schedule(text, name):
    """Return the text of a schedule that may be this setting of a learner."""
    learning.SETTINGS[name](schedules.parse(text.strip()), {})
    return text.strip()


def a_player(*others):
    """Return the reader of the name of a player."""

    def read(text, name):
        player = names.parse(text)
        kinds = ("random", "perfect", "teacher", "agent", *others)
        require(
            player.kind in kinds,
            f"{name} = {short_repr(text)}: this player cannot play in a lab",
        )
        return str(player)

    return read


def numbers(how_many):
    """Return the reader of `how_many` numbers, separated by commas."""
    return several(a_number(), how_many, how_many)


def wholes(low, high, few, many):
    """Return the reader of `few` to `many` whole numbers, separated by commas."""
    return several(a_whole(low, high), few, many)


def several(each, few, many):
    """Return the reader of `few` to `many` texts for `each`, separated by commas."""
    count = f"{few}" if few == many else f"{few} to {many}"

    def read(text, name):
        parts = text.split(",")
        valid = few <= len(parts) <= many
        require(valid, f"{name} = {short_repr(text)}: give {count} numbers")
        return ", ".join(each(part, name) for part in parts)

    return read


def cells(text, name):
    """Return the text of different cells, separated by commas."""
    largest = len(tables().board[0]) - 1
    cells = [a_whole(0, largest)(part, name) for part in text.split(",")]
    require(
        len({*cells}) == len(cells),
        f"{name} = {short_repr(text)}: a cell is given twice",
    )
    return ", ".join(cells)


def a_floor(longest):
    """Return the reader of a gridworld with up to `longest` rows and columns."""

    def read(text, name):
        text = require_squares(text.strip().upper().replace("/", "|"))
        rows = text.split("|")
        require(
            max(len(rows), len(rows[0])) <= longest,
            f"{name}: a floor has at most {longest} rows and columns",
        )
        return text

    return read


def a_board(text, name):
    """Return the canonical text of a board."""
    game = tables()
    return game.string(game.find(text))


def a_mark(most):
    """Return the reader of a mark: a number up to `most`, and progress in the next."""

    def read(text, name):
        done, *part = text.split(":")
        as_int(_value(done, name), name, 0, most)
        for each in part:
            as_int(_value(each, name), name, 0)
        return text

    return read


def _plain(value):
    return repr(value).removesuffix(".0")


def _value(text, name):
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{name} = {short_repr(text)}: give a number.") from None
