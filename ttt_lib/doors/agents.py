"""What agents are made of and kept in: texts, histories, files."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from ttt_lib.doors.arguments import CHECKS, any_side, checked, free
from ttt_lib.doors.learners import initial
from ttt_lib.doors.values import demand, shown

LONGEST = 255  # bytes of the name of a file, on most disks


def _text(name):
    def check(value, given):
        demand(isinstance(value, str), f"{name} = {shown(value)}: give a text")
        return value

    return check


def _agent(value, given):
    is_one = hasattr(value, "training") and hasattr(value, "rewards")
    demand(is_one, f"agent = {shown(value)}: give an Agent, as agents.load returns")
    return value


def path(value, given):
    """Return the name of a file as a Path."""
    name = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    good = isinstance(name, str) and name != "" and "\0" not in name
    try:
        good = good and len(os.fsencode(Path(name).name)) <= LONGEST
        os.fsencode(name if good else "")
    except UnicodeEncodeError:  # half a sign
        good = False
    demand(good, f"path = {shown(value)}: give the name of a file")
    return Path(name)


def _history(value, given):
    good = isinstance(value, Iterable) and not isinstance(value, str | bytes)
    rows = tuple(value) if good else ()
    good = good and all(isinstance(row, Mapping) for row in rows)
    demand(good, f"history = {shown(value)}: give rows, name → number")
    return rows


def _mapping(name):
    def check(value, given):
        is_one = isinstance(value, Mapping)
        demand(is_one, f"{name} = {shown(value)}: give a dictionary, name → value")
        return value

    return check


AGENTS = CHECKS | {
    "agent": _agent,
    "anew": free,
    "history": _history,
    "initial": initial,
    "learner": free,
    "made": _text("made"),
    "method": free,
    "name": _text("name"),
    "path": path,
    "settings": _mapping("settings"),
    "side": any_side,
    "text": _text("text"),
    "training": _mapping("training"),
    "who": free,
}


def checked_agent(function):
    """Return a function on agents that knows its arguments by their names."""
    return checked(function, **AGENTS)
