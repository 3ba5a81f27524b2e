"""Options of a board, given in Python or in a Markdown page."""

import re
from contextlib import suppress
from inspect import signature
from typing import NamedTuple

from ttt_lib.agents import names
from ttt_lib.agents.agent import Agent
from ttt_lib.board import encode, state
from ttt_lib.board.state import naming
from ttt_lib.validation import one_of, require, short_repr

STARTS = ("X", "O", "lot")
UNPRINTABLE = re.compile(r"[\0-\x1f\x7f-\x9f\ud800-\udfff]")  # and lone surrogates
MAX_NAMED = 12  # players listed in an error message
# Kinds of `names.Name` that can play on a board: no files and no new learners.
KINDS = ("person", "random", "perfect", "teacher", "agent")


def settings(
    x="person",
    o=None,
    agent=None,
    name="agent",
    position=None,
    first="X",
    starts=None,
    overlay="none",
    choices=None,
    arena=False,
    title="Tic-tac-toe",
    slider="Trained",
):
    """Return the settings of a board, a dictionary that a page can store as JSON.

    x, o: the players, each a name of `agents.names`: "person", "random", "perfect",
    "teacher 0.9", "perfect lowest", a built-in agent; "snapshot" for a
    learner at several stages of training, on a slider.
    agent: an agent of your own, called `name`: a policy (S, A), any learner, or an
    Agent. It plays O by default. A dictionary label → agent puts all on a `slider`.
    position: where games start, as `Game.find` reads it; if both sides have as many
    marks, `first` moved first.
    starts: the mark that moves first in later games, "X", "O" or "lot" (at random).
    overlay: the numbers on the cells, one of OVERLAYS.
    choices: names to choose from, in a list or separated by commas; None for all.
    arena: whether agents may play both sides. title: the name of the board.
    Raises ValueError if an option is invalid.
    """
    for argument, text in (("title", title), ("name", name), ("slider", slider)):
        _require_text(argument, text)
    own_entries, own_tables = _own_agent(agent, name, slider)
    entries = [*encode.entries(), *own_entries]
    one_of(first, "first", ("X", "O"))
    start = {} if position is None else state.to_stored(state.state_at(position, first))
    starts = start.get("first", first) if starts is None else starts
    o = (name if own_entries else "random") if o is None else o
    x, o = _player("x", x, entries), _player("o", o, entries)
    setup = {
        "x": x.setting,
        "o": o.setting,
        "starts": one_of(starts, "starts", STARTS),
        "overlay": one_of(overlay, "overlay", state.OVERLAYS),
        "title": title,
    }
    if choices is not None:
        chosen = [*_chosen(choices, entries), x, o]
        always = ["person", *(entry["name"] for entry in own_entries)]
        listed = dict.fromkeys(each.entry for each in chosen)
        setup["choices"] = [entry for entry in listed if entry not in always]
    require(isinstance(arena, bool), f"arena = {short_repr(arena)}: take True or False")
    if arena:
        setup["arena"] = True
    if own_entries:
        setup |= {"own": own_entries, "tables": own_tables}
    if start:
        setup["state"] = start
    return setup


# Options of a Markdown page: all except those that need a Python object.
OPTIONS = tuple(
    name
    for name in signature(settings).parameters
    if name not in ("agent", "name", "slider")
)


def playing(setup):
    """Return the entries of the agents that a board with these settings offers."""
    chosen = setup.get("choices")
    listed = [e for e in encode.entries() if chosen is None or e["name"] in chosen]
    return [*listed, *setup.get("own", [])]


class Player(NamedTuple):
    """A player on a board: a person or an agent."""

    name: str  #: the canonical name; for an agent on a slider, the key of its table
    entry: str  #: the name of its entry in the list of a board
    setting: str  #: the name that settings store; for a slider, that of the slider


def player(text, entries):
    """Return the Player of a name: a person, or an agent in `entries`.

    The name of a slider stands for the last agent on it.
    Raises ValueError if there is no such player.
    """
    require(isinstance(text, str), f"{short_repr(text)} cannot play: give a name")
    listed = {"person": "person"}
    for entry in entries:
        keys = encode.keys(entry)
        if text == entry["name"] and "frames" in entry:
            return Player(keys[-1], text, text)
        listed |= dict.fromkeys(keys, entry["name"])
    with suppress(ValueError):
        name = names.parse(text)
        key = name.what if name.kind == "agent" else name.kind
        if name.kind in KINDS and key in listed:
            return Player(str(name), listed[key], str(name))
    if text in listed:
        return Player(text, listed[text], text)
    players = shown = [*dict.fromkeys(listed.values())]
    if len(players) > MAX_NAMED:
        shown = names.nearest(text, players) or players[:MAX_NAMED]
    hidden = len(players) - len(shown)
    more = f" or {hidden} others" if hidden else ""
    raise ValueError(
        f"{short_repr(text)} cannot play: choose from {', '.join(shown)}{more}."
    )


def _player(argument, text, entries):
    """Return the `player` of a name; errors name the argument of `settings`."""
    with naming(argument):
        return player(text, entries)


def _chosen(choices, entries):
    """Return the Players of names in a list or separated by commas."""
    if isinstance(choices, str):
        choices = [name.strip() for name in choices.split(",")]
    listed = isinstance(choices, list | tuple | set)
    require(listed, f"choices = {short_repr(choices)}: give names, in a list or a text")
    return [_player("choices", name, entries) for name in choices]


def _require_text(argument, text):
    """Raise ValueError unless it is a text on one line, without control characters."""
    clean = isinstance(text, str) and not UNPRINTABLE.search(text)
    require(clean, f"{argument} = {short_repr(text)}: give a text on one line")


def _own_agent(agent, name, slider):
    """Return the entry of the user's agent, in a list, and its encoded tables."""
    if agent is None:
        return [], {}
    require(name, "name = '': give a name")
    require(not _is_taken(name), f"name = {short_repr(name)} is taken: choose another")
    entry = {"name": name, "label": name, "group": "own"}
    if isinstance(agent, Agent):
        entry["made"] = agent.made
    with naming("agent"):
        if not isinstance(agent, dict):
            return [entry], {name: encode.known(agent)}
        require(len(agent) > 0, "a slider needs at least one")
        frames = [encode.known(each) for each in agent.values()]
    for label in map(str, agent):
        _require_text("agent", label)
    entry |= {"frames": [*map(str, agent)], "slider": slider}
    return [entry], dict(zip(encode.keys(entry), frames, strict=True))


def _is_taken(name):
    """Return whether a name belongs to another player."""
    with suppress(ValueError):
        return names.parse(name).kind != "file"
    return name in encode.names()
