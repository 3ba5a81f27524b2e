"""Who plays, as a text: one grammar for library, console, board, page and file.

============================== =====================================================
``random``                     uniformly random moves
``perfect [TIES]``             perfect moves
``teacher [P] [TIES]``         at each move perfect with probability P, else random
``uct [N]``                    a search of N random playouts in each position
``self``                       whoever learns, on the other side
``person``                     somebody at the board
``new METHOD``                 a learner who has seen no game
an agent's name                an agent that comes with the book
a path                         an agent in a file
============================== =====================================================

TIES says which of equally good moves is made: ``uniform``, any of them with equal
probability, or ``lowest``, that of the lowest cell. Where it is left out it is
``uniform``, and P is 0.9, and N 1000. A colon may stand for a space, because a shell
divides a line at spaces: ``teacher:0.9:lowest``.
"""

import re
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from ttt_lib.agents.io import builtin_names
from ttt_lib.agents.learners import METHODS
from ttt_lib.large_boards.uct import MAX_PLAYOUTS
from ttt_lib.validation import validated_agent

TIES = ("uniform", "lowest")
LEVEL = 0.9  # of a teacher where none is said
PLAYOUTS = 1000  # of UCT where none are said


class Name(NamedTuple):
    """What a text says of a player; `str` gives the text, in its canonical form."""

    kind: str  #: the first word, "agent" of an agent's name, or "file" of a path
    what: str = ""  #: METHOD of "new", N of "uct", an "agent"'s name, a "file"'s path
    level: float = 1.0  #: a teacher's probability of a perfect move
    ties: str = "uniform"  #: TIES of "perfect" and "teacher"

    def __str__(self):
        return " ".join(self._words())

    @property
    def typed(self):
        """The text with colons for spaces, as one types it in a shell."""
        return ":".join(self._words())

    def _words(self):
        if self.kind in ("agent", "file"):
            return [self.what]
        words = [self.kind, self.what]
        if self.kind == "teacher":
            words.append(repr(self.level).removesuffix(".0"))
        if self.ties != "uniform":
            words.append(self.ties)
        return list(filter(None, words))


@validated_agent
def parse(text, ties="uniform"):
    """Return the Name that a text stands for; `ties` is the rule if it says none.

    Raises ValueError with the nearest names if it stands for nobody. Whether there is
    such a file is asked only where the text looks like nothing else.

    Examples
    --------
    >>> agents.parse("teacher 0.9 lowest")
    Name(kind='teacher', what='', level=0.9, ties='lowest')
    """
    plain = text.strip().lower()
    kind, *rest = re.split(r"[\s:]+", plain)
    if kind in ("random", "self", "person") and not rest:
        return Name(kind)
    if kind in ("perfect", "teacher"):
        *level, ties = rest if rest and rest[-1] in TIES else (*rest, ties)
        if kind == "perfect" and not level:
            return Name(kind, ties=ties)
        if kind == "teacher" and len(level) < 2 and _is_share(*level):
            return Name(kind, level=float(*level or [LEVEL]), ties=ties)
    if kind == "uct" and len(rest) < 2 and _is_count(*rest):
        return Name(kind, str(int(*rest or [PLAYOUTS])))
    method = "_".join(rest).replace("-", "_")
    if kind == "new" and method in METHODS:
        return Name("new", method)
    if plain in builtin_names():
        return Name("agent", plain)
    path = Path(text)
    if path.suffix == ".json" or path.name != text or _is_file(path):
        return Name("file", text)
    if kind == "teacher":
        raise ValueError(
            f"{text}: a teacher has a probability from 0 to 1, as in teacher:0.9, and "
            "may have a rule for ties, as in teacher:0.9:lowest."
        )
    if kind == "uct":
        raise ValueError(
            f"{text}: uct has a number of playouts from 1 to {MAX_PLAYOUTS:,}, as in "
            f"uct:{PLAYOUTS}."
        )
    named = " ".join(text[:60].split()) + "..." * (len(text) > 60)
    named = named or '""'
    raise ValueError(f"There is no agent or file named {named}: {_hint(text)}")


def all_names():
    """Return the names of all who can play without a file, as one types them."""
    methods = (Name("new", method).typed for method in METHODS)
    fixed = ["random", "perfect", f"teacher:{LEVEL}", f"uct:{PLAYOUTS}", "person"]
    return [*fixed, *builtin_names(), *methods]


def nearest(text, names):
    """Return up to three of the names that a person may have meant by `text`."""
    return [name for name in names if text in name][:3] or get_close_matches(
        text, names, 3
    )


def _is_share(text="0"):
    try:
        return 0 <= float(text) <= 1
    except ValueError:
        return False


def _is_count(text="1"):
    return text.isdecimal() and 1 <= int(text) <= MAX_PLAYOUTS


def _is_file(path):
    try:
        return path.is_file()
    except OSError:  # longer than any name of a file
        return False


def _hint(text):
    if _is_file(Path(f"{text}.json")):
        return f"do you mean {text}.json?"
    text = text.strip().lower()
    dashed = {name.replace("_", "-"): name for name in all_names()}
    near = [dashed[name] for name in nearest(text.replace("_", "-"), dashed)]
    if (method := text.replace("-", "_")) in METHODS:
        near.insert(0, Name("new", method).typed)
    near = list(dict.fromkeys(near))
    if near:
        return f"do you mean {' or '.join(near)}?"
    *some, last = all_names()[:4]  # where no `ttt` is at hand, as with `make play`
    return f"there are {', '.join(some)} and {last}, and `ttt agents` lists all."
