"""How a lab reads its settings: each reader returns a text in its canonical form.

A reader is called with the text and the setting's name, and raises ValueError where the
text makes no sense.
"""

import traitlets

from ttt_lib import learning, schedules
from ttt_lib.agents import names
from ttt_lib.doors import demand, number, one_of, shown, whole
from ttt_lib.game import tables
from ttt_lib.mdp import demand_floor


class Setting(traitlets.TraitType):
    """A text of a lab, checked by `read(text)`, which returns its canonical form.

    A number is taken for its text, and a tuple of numbers for theirs with commas.
    """

    def __init__(self, usual, read):
        self.read = read
        super().__init__(usual)
        self.tag(sync=True, setting=True)

    def validate(self, lab, value):
        """Return the text."""
        if isinstance(value, tuple | list):
            value = ", ".join(map(str, value))
        try:
            return self.read(str(value), self.name)
        except ValueError as fault:
            raise traitlets.TraitError(f"{self.name}: {fault}") from None


def among(*choices):
    """Return the reader of one of some texts."""
    return lambda text, name: one_of(text.strip(), name, choices)


def a_number(low, high):
    """Return the reader of a number."""
    return lambda text, name: _plain(number(_value(text, name), name, low, high))


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
    return lambda text, name: str(whole(_value(text, name), name, low, high))


def a_schedule(text, name):
    """Return the text of a schedule that may be this setting of a learner."""
    learning.SETTINGS[name](schedules.parse(text.strip()), {})
    return text.strip()


def a_player(*others):
    """Return the reader of the name of somebody who plays."""

    def read(text, name):
        who = names.parse(text)
        kinds = ("random", "perfect", "teacher", "agent", *others)
        demand(who.kind in kinds, f"{name} = {shown(text)}: nobody who plays here")
        return str(who)

    return read


def numbers(how_many):
    """Return the reader of as many numbers, with commas between them."""

    def read(text, name):
        parts = text.split(",")
        demand(
            len(parts) == how_many, f"{name} = {shown(text)}: give {how_many} numbers"
        )
        return ", ".join(_plain(_value(part, name)) for part in parts)

    return read


def wholes(low, high, few, many):
    """Return the reader of `few` to `many` whole numbers, with commas between them."""

    def read(text, name):
        parts, each = text.split(","), a_whole(low, high)
        demand(
            few <= len(parts) <= many,
            f"{name} = {shown(text)}: give {few} to {many} whole numbers",
        )
        return ", ".join(each(part, name) for part in parts)

    return read


def cells(text, name):
    """Return the text of different cells, with commas between them."""
    most = len(tables().board[0]) - 1
    found = [a_whole(0, most)(part, name) for part in text.split(",")]
    demand(len({*found}) == len(found), f"{name} = {shown(text)}: a cell comes twice")
    return ", ".join(found)


def a_floor(longest):
    """Return the reader of a floor with up to `longest` rows and columns."""

    def read(text, name):
        text = demand_floor(text.strip().upper().replace("/", "|"))
        rows = text.split("|")
        demand(
            max(len(rows), len(rows[0])) <= longest,
            f"{name}: a floor has at most {longest} rows and columns",
        )
        return text

    return read


def a_board(text, name):
    """Return the text of a board."""
    game = tables()
    return game.string(game.find(text))


def a_mark(most):
    """Return the reader of a mark: a number up to `most`, and how far in the next."""

    def read(text, name):
        done, *part = text.split(":")
        whole(_value(done, name), name, 0, most)
        for each in part:
            whole(_value(each, name), name, 0)
        return text

    return read


def _plain(value):
    return repr(value).removesuffix(".0")


def _value(text, name):
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{name} = {shown(text)}: give a number.") from None
