"""Names of players: one grammar for library, console, board, page and file.

============================== =====================================================
``random``                     uniformly random moves
``perfect [TIES]``             perfect moves
``teacher [P] [TIES]``         at each move perfect with probability P, else random
``uct [N]``                    a search of N random playouts in each position
``self``                       the learner itself, on the other side
``person``                     a person at the board
``new METHOD``                 a new learner
an agent's name                a built-in agent
a path                         an agent file
============================== =====================================================

TIES says which of equally good moves is made: ``uniform``, any of them with equal
probability, or ``lowest``, that of the lowest cell. The defaults are ``uniform`` for
TIES, 0.9 for P and 1000 for N. A colon may replace a space, because a shell splits a
line at spaces: ``teacher:0.9:lowest``.
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
LEVEL = 0.9  # default probability of a teacher
PLAYOUTS = 1000  # default number of playouts of UCT


class Name(NamedTuple):
    """The parsed name of a player; `str` returns the text in its canonical form."""

    kind: str  #: the first word, "agent" of an agent's name, or "file" of a path
    what: str = ""  #: METHOD of "new", N of "uct", an "agent"'s name, a "file"'s path
    level: float = 1.0  #: a teacher's probability of a perfect move
    ties: str = "uniform"  #: TIES of "perfect" and "teacher"

    def __str__(self):
        return " ".join(self._words())

    @property
    def typed(self):
        """The text with colons for spaces, as it is typed in a shell."""
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
    """Return the Name of a text; `ties` is the default rule for ties.

    Raises ValueError with the nearest names if the name is unknown. A file of that
    name is looked for only if the text is nothing else.

    Examples
    --------
    >>> agents.parse("teacher 0.9 lowest")
    Name(kind='teacher', what='', level=0.9, ties='lowest')
    """
    normal = text.strip().lower()
    kind, *rest = re.split(r"[\s:]+", normal)
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
    if normal in builtin_names():
        return Name("agent", normal)
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
    shown = " ".join(text[:60].split()) + "..." * (len(text) > 60)
    shown = shown or '""'
    raise ValueError(f"There is no agent or file named {shown}: {_hint(text)}")


def all_names():
    """Return the names of all players that need no file, as typed in a shell."""
    methods = (Name("new", method).typed for method in METHODS)
    fixed = ["random", "perfect", f"teacher:{LEVEL}", f"uct:{PLAYOUTS}", "person"]
    return [*fixed, *builtin_names(), *methods]


def nearest(text, names):
    """Return up to three names that contain `text` or are close to it."""
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
    except OSError:  # longer than any file name
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
    *names, last = all_names()[:4]  # with `make play` there may be no `ttt`
    return f"there are {', '.join(names)} and {last}, and `ttt agents` lists all."
