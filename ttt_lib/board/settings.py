"""What a board may be told: by Python, or by a page in Markdown."""

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
UNSEEN = re.compile(r"[\0-\x1f\x7f-\x9f\ud800-\udfff]")  # controls, halves of signs
# Kinds of `names.Name` that play on a board, which has no files and no new learners.
MAX_NAMED = 12  # in a sentence, of all who play
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
    """Return what a page must know of a board.

    x, o: who plays, by a name of `agents.names`: "person", "random", "perfect",
    "teacher 0.9", "perfect lowest", an agent that comes with the book; "snapshot" for a
    learner in mid-training, on a slider.
    agent: one's own, a policy (S, A), a learner of any kind or an Agent, called `name`;
    it plays O unless told otherwise. A dictionary label → agent puts all on a `slider`.
    position: where games start, as `Game.find` reads it; of equally many marks, `first`
    has moved first. starts: who moves first in later games, "X", "O" or "lot".
    overlay: the numbers on the cells, one of OVERLAYS.
    choices: names to choose from, in a list or divided by commas; None for all.
    arena: whether both sides can be given to agents. title: what the board is called.
    Raises ValueError if one of them makes no sense.
    """
    for argument, text in (("title", title), ("name", name), ("slider", slider)):
        _demand_text(argument, text)
    own, packed = _own(agent, name, slider)
    entries = [*encode.entries(), *own]
    one_of(first, "first", ("X", "O"))
    begins = {} if position is None else state.stored(state.at(position, first))
    starts = begins.get("first", first) if starts is None else starts
    o = (name if own else "random") if o is None else o
    x, o = _player("x", x, entries), _player("o", o, entries)
    setup = {
        "x": x.told,
        "o": o.told,
        "starts": one_of(starts, "starts", STARTS),
        "overlay": one_of(overlay, "overlay", state.OVERLAYS),
        "title": title,
    }
    if choices is not None:
        chosen = [*_chosen(choices, entries), x, o]
        others = ["person", *(entry["name"] for entry in own)]
        listed = dict.fromkeys(who.entry for who in chosen)
        setup["choices"] = [entry for entry in listed if entry not in others]
    require(isinstance(arena, bool), f"arena = {short_repr(arena)}: take True or False")
    if arena:
        setup["arena"] = True
    if own:
        setup |= {"own": own, "tables": packed}
    if begins:
        setup["state"] = begins
    return setup


# What a page in Markdown can say: all but what only Python has.
OPTIONS = tuple(
    name
    for name in signature(settings).parameters
    if name not in ("agent", "name", "slider")
)


def playing(setup):
    """Return the entries of those who can play on a board, given its settings."""
    chosen = setup.get("choices")
    listed = [e for e in encode.entries() if chosen is None or e["name"] in chosen]
    return [*listed, *setup.get("own", [])]


class Player(NamedTuple):
    """Somebody who can play on a board."""

    name: str  #: the canonical name; of an agent on a slider the key of its table
    entry: str  #: what a board lists it as
    told: (
        str  #: the name that settings keep: of a slider as a whole, that of the slider
    )


def player(text, entries):
    """Return the Player that a text means, of a person and those in `entries`.

    The name of a slider means the last agent on it.
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
    known = [*dict.fromkeys(listed.values())]
    some = known
    if len(known) > MAX_NAMED:
        some = names.nearest(text, known) or known[:MAX_NAMED]
    more = f" or {len(known) - len(some)} others" if len(some) < len(known) else ""
    raise ValueError(
        f"{short_repr(text)} cannot play: choose from {', '.join(some)}{more}."
    )


def _player(argument, text, entries):
    """Return the `player` that is meant by an argument of `settings`."""
    with naming(argument):
        return player(text, entries)


def _chosen(choices, entries):
    """Return the Players that are meant by names in a list or divided by commas."""
    if isinstance(choices, str):
        choices = [who.strip() for who in choices.split(",")]
    listed = isinstance(choices, list | tuple | set)
    require(listed, f"choices = {short_repr(choices)}: give names, in a list or a text")
    return [_player("choices", who, entries) for who in choices]


def _demand_text(argument, text):
    """Raise ValueError unless a text can stand on any page."""
    clean = isinstance(text, str) and not UNSEEN.search(text)
    require(clean, f"{argument} = {short_repr(text)}: give a text on one line")


def _own(agent, name, slider):
    """Return the entry, in a list, and the tables of an agent that a page brings."""
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
        _demand_text("agent", label)
    entry |= {"frames": [*map(str, agent)], "slider": slider}
    return [entry], dict(zip(encode.keys(entry), frames, strict=True))


def _is_taken(name):
    """Return whether a name means somebody else."""
    with suppress(ValueError):
        return names.parse(name).kind != "file"
    return name in encode.names()
