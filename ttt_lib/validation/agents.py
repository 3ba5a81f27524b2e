"""Checks of the arguments of agents: texts, histories, settings and paths."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from ttt_lib.validation.arguments import CHECKS, anything, side_or_both, validated
from ttt_lib.validation.learners import initial
from ttt_lib.validation.values import require, short_repr

MAX_NAME_BYTES = 255  # of a file name, on most file systems


def _text(name):
    def check(value, arguments):
        require(isinstance(value, str), f"{name} = {short_repr(value)}: give a text")
        return value

    return check


def _agent(value, arguments):
    is_agent = hasattr(value, "training") and hasattr(value, "rewards")
    require(
        is_agent, f"agent = {short_repr(value)}: give an Agent, as agents.load returns"
    )
    return value


def path(value, arguments):
    """Return a file name (text or PathLike) as a Path."""
    name = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    good = isinstance(name, str) and name != "" and "\0" not in name
    try:
        good = good and len(os.fsencode(Path(name).name)) <= MAX_NAME_BYTES
        os.fsencode(name if good else "")
    except UnicodeEncodeError:  # a lone surrogate
        good = False
    require(good, f"path = {short_repr(value)}: give the name of a file")
    return Path(name)


def _history(value, arguments):
    good = isinstance(value, Iterable) and not isinstance(value, str | bytes)
    rows = tuple(value) if good else ()
    good = good and all(isinstance(row, Mapping) for row in rows)
    require(good, f"history = {short_repr(value)}: give dictionaries, name → number")
    return rows


def _mapping(name):
    def check(value, arguments):
        is_mapping = isinstance(value, Mapping)
        require(
            is_mapping, f"{name} = {short_repr(value)}: give a dictionary, name → value"
        )
        return value

    return check


AGENT_CHECKS = CHECKS | {
    "agent": _agent,
    "exclusive": anything,
    "history": _history,
    "initial": initial,
    "learner": anything,
    "made": _text("made"),
    "method": anything,
    "name": _text("name"),
    "path": path,
    "settings": _mapping("settings"),
    "side": side_or_both,
    "text": _text("text"),
    "training": _mapping("training"),
    "who": anything,
}


def validated_agent(function):
    """Return a function on agents whose arguments are validated by their names."""
    return validated(function, **AGENT_CHECKS)
