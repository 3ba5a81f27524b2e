"""Agents as files: a policy or values, and all that one must know to use them.

A file is JSON, so a person can read who the agent is and how it was made; its arrays
are compressed numbers of the legal moves only. A checksum covers everything.
Nothing in a file is ever run, and a file that is not whole is refused.
"""

import base64
import binascii
import hashlib
import json
import re
import zlib
from collections.abc import Mapping
from importlib import resources
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from ttt_lib import doors
from ttt_lib.agents import plain
from ttt_lib.doors import (
    Format,
    as_array,
    checked_agent,
    demand,
    format_of,
    write_whole,
)
from ttt_lib.game import tables as tables_of
from ttt_lib.policy import TIE

FORMAT = Format("ttt_lib agent")
TYPES = {"f": "<f8", "i": "<i8"}  # kind of an array → its numbers in a file
NOTHING: Mapping = MappingProxyType({})
FOREIGN = (  # what is missing in the file of another program
    f'it is no agent of ttt_lib: a policy should have "format": "{plain.FORMAT.name}" '
    'and "policy": {"XO.......": {"4": 1}, …}, board → cell → probability, for each '
    "unfinished board"
)
# What a file may hold. No agent of a board that has tables needs more bytes, no file
# name has more signs; a story is longer only of a learner who went on a hundred times.
MOST_BYTES, MOST_ROWS, LONGEST_NAME, LONGEST_STORY = 5 * 10**7, 10_000, 255, 5_000
# Among the hyperparameters these name somebody, in full: see `names.Name.in_full`.
SOMEBODY = ("opponent", "behaviour")
WITHOUT_RULE = re.compile(r"teacher \S+")


class Agent(NamedTuple):
    """A policy, values, or what a learner has learnt, and where they come from."""

    name: str  #: what to call it
    made: str  #: how it was made, in words
    side: int = 0  #: made for the first (+1) or second (−1) player, or for both (0)
    policy: np.ndarray | None = None  #: (S, A) probabilities
    Q: np.ndarray | None = None  #: (S, A) action values
    V: np.ndarray | None = None  #: (S,) values
    tables: Mapping = NOTHING  #: name → more arrays (S,) or (S, A), as visit counts
    rows: int = 3  #: rows of the board
    columns: int = 3  #: columns of the board
    k: int = 3  #: marks in a row that win
    rewards: tuple = (1, 0, -1)  #: of win, draw and loss
    gamma: float = 1.0  #: discount per decision of the agent
    hyperparameters: Mapping = NOTHING  #: name → number, text, list or such a mapping
    history: tuple = ()  #: rows, name → number, of what it was worth after `games`


class UnusableError(ValueError):
    """What is kept of an agent cannot be used; nobody has named it wrongly."""


@checked_agent
def save(agent, path, anew=False):
    """Write an Agent to a file, whole or not at all; the same agent, the same bytes.

    anew: whether to raise FileExistsError instead of replacing a file.
    Raises ValueError, and writes nothing, if the agent is none `load` would accept.
    """
    try:
        data = _pack(agent)
    except ValueError as fault:
        raise ValueError(f"{path} was not written: {fault}") from None
    write_whole(path, data, anew)


def within_bounds(agent):
    """Return an Agent that is within the bounds of a file, if its tables are good.

    What is too long of its name or of how it was made is left out, and of a history
    every second row until the rest fits.
    """
    name = "".join(filter(str.isprintable, agent.name))[:LONGEST_NAME]
    made, rows, half = agent.made, agent.history, LONGEST_STORY // 2 - 9
    if len(made) > LONGEST_STORY:
        made = f"{made[:half]} … {made[-half:]}"
    while len(rows) > MOST_ROWS:
        rows = (*rows[:-1:2], rows[-1])
    return agent._replace(name=name or "agent", made=made, history=rows)


@checked_agent
def load(path):
    """Return the Agent in a file, be it one that `save` wrote or a policy of `plain`.

    Raises UnusableError with the file and its fault if it is neither, or not whole,
    and FileNotFoundError if there is none.
    """
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}.")
    try:
        demand(path.is_file(), "it is a folder, or something else that is no file")
        large = path.stat().st_size > MOST_BYTES
        demand(not large, f"it is larger than any agent, {MOST_BYTES:,} bytes")
        whole = _read(path.read_bytes())
        ours = isinstance(whole, dict) and isinstance(whole.get("format"), str)
        demand(ours, FOREIGN)
        if format_of(whole, "agent", FORMAT, plain.FORMAT) == plain.FORMAT:
            agent = Agent(**plain.unpacked(whole))
            _check(agent)
            return agent
        return _unpack(whole)
    except ValueError as fault:
        raise UnusableError(f"{path} cannot be used: {fault}") from None


def shipped():
    """Return the names of the agents that come with the book.

    Examples
    --------
    >>> "menace" in agents.shipped()
    True
    """
    files = (resources.files("ttt_lib.agents") / "files").iterdir()
    return sorted(
        file.name.removesuffix(".json") for file in files if file.name.endswith(".json")
    )


@checked_agent
def load_shipped(name):
    """Return the Agent of that name from those that come with the book.

    Raises ValueError with their names if it is none of them.

    Examples
    --------
    >>> menace = agents.load_shipped("menace")
    >>> menace.side, menace.hyperparameters["opponent"]
    (1, 'random')
    """
    if name not in shipped():
        raise ValueError(f"name = {name!r}: the agents are {', '.join(shipped())}.")
    file = resources.files("ttt_lib.agents") / "files" / f"{name}.json"
    with resources.as_file(file) as path:
        return load(path)


@checked_agent
def must_fit(agent, game):
    """Raise UnusableError unless an agent was made for this game."""
    if (agent.rows, agent.columns, agent.k) != (game.rows, game.columns, game.k):
        raise UnusableError(
            f"{agent.name} plays {agent.k} in a row on {agent.rows} × {agent.columns} "
            f"cells, not {game.k} in a row on {game.rows} × {game.columns}."
        )


# An agent as bytes; faults are told as the end of a sentence that names the file


def _pack(agent):
    legal = _check(agent).legal
    fields = {
        "name": agent.name,
        "made": agent.made,
        "side": int(agent.side),
        "rows": int(agent.rows),
        "columns": int(agent.columns),
        "k": int(agent.k),
        "rewards": np.asarray(agent.rewards).tolist(),
        "gamma": float(agent.gamma),
        "hyperparameters": dict(agent.hyperparameters),
        "arrays": {n: _pack_array(a, legal) for n, a in _arrays(agent).items()},
    }
    if agent.history:
        fields["history"] = [dict(row) for row in agent.history]
    whole = FORMAT.head() | {"sha256": _checksum(fields), "agent": fields}
    return json.dumps(whole, indent=1).encode()


def _read(data):
    """Return the JSON that bytes hold: of finite numbers, no key twice."""
    try:
        hooks = {"object_pairs_hook": _once, "parse_constant": _refuse}
        return json.loads(data, parse_int=_whole, **hooks)
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError):
        raise ValueError("it is cut short, damaged, or no agent at all.") from None


def _once(pairs):
    found = {}
    for key, value in pairs:
        demand(key not in found, f"it has {key[:99]!r} twice in one place")
        found[key] = value
    return found


def _refuse(constant):
    raise ValueError(f"it has {constant}, which is no number in JSON.")


def _whole(text):
    return int(text) if len(text) < 300 else float(text)  # which is infinite


def _unpack(whole):
    fields = whole.get("agent")
    if whole.get("sha256") != _checksum(fields):
        raise ValueError("its contents were changed after it was saved.")
    try:
        game = tables_of(fields["rows"], fields["columns"], fields["k"])
        packed, rewards = fields.pop("arrays"), tuple(fields.pop("rewards"))
        arrays = {name: _unpack_array(p, game.legal) for name, p in packed.items()}
        own = {name: arrays.pop(name, None) for name in ("policy", "Q", "V")}
        history = tuple(fields.pop("history", ()))
        _add_rules(fields["hyperparameters"])
        agent = Agent(**fields, **own, tables=arrays, rewards=rewards, history=history)
    except (AttributeError, KeyError, TypeError, binascii.Error, zlib.error):
        raise ValueError("it does not hold what makes an agent.") from None
    _check(agent)
    return agent


def _add_rules(settings):
    """Let teachers without a rule take the lowest cell, as in the first edition."""
    if isinstance(settings, dict):
        for who in SOMEBODY:
            if _lacks_rule(settings, who):
                settings[who] += " lowest"


def _lacks_rule(settings, who):
    name = settings.get(who)
    return isinstance(name, str) and WITHOUT_RULE.fullmatch(name) is not None


def _checksum(fields):
    """Return the SHA-256 of the fields, however their JSON is laid out."""
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


def _pack_array(array, legal):
    numbers = array[legal] if array.ndim == 2 else array
    raw = numbers.astype(TYPES[array.dtype.kind]).tobytes()
    return {
        "axes": "SA"[: array.ndim],
        "type": TYPES[array.dtype.kind],
        # Level 9 saves 6 % of the size and takes ten times as long.
        "data": base64.b64encode(zlib.compress(raw, 6)).decode(),
    }


def _unpack_array(packed, legal):
    pairs = {"S": False, "SA": True}[packed["axes"]]
    kind = {"<f8": np.float64, "<i8": np.int64}[packed["type"]]
    size = 8 * int(legal.sum() if pairs else len(legal))
    # Never more than a byte too many is unpacked, so no file can fill the memory.
    data = base64.b64decode(packed["data"])
    raw = zlib.decompressobj().decompress(data, size + 1)
    if len(raw) != size:
        raise ValueError("an array in it has a size that does not fit its board.")
    numbers = np.frombuffer(raw, packed["type"]).astype(kind)
    if not pairs:
        return numbers
    array = np.zeros(legal.shape, kind)
    array[legal] = numbers
    return array


def _arrays(agent):
    """Return name → array, with the numbers that a file has of it, if it can."""
    arrays = {**agent.tables, "policy": agent.policy, "Q": agent.Q, "V": agent.V}
    return {name: _kept(a) for name, a in arrays.items() if a is not None}


def _kept(value):
    try:
        array = as_array(value)
    except TypeError:
        return np.array(None)
    with np.errstate(over="ignore"):  # what becomes infinite is refused
        return array.astype(TYPES.get(array.dtype.kind, object), copy=False)


def _check(agent):
    """Return the game of an agent. Raises ValueError with its first fault."""
    game = tables_of(agent.rows, agent.columns, agent.k)
    rewards, gamma = _kept(agent.rewards), _kept(agent.gamma)
    demand(
        isinstance(agent.name, str) and isinstance(agent.made, str),
        "its name and how it was made should be texts",
    )
    demand(
        agent.name.isprintable() and len(agent.name) <= LONGEST_NAME,
        f"its name should have up to {LONGEST_NAME} signs, all of them printable",
    )
    demand(
        len(agent.made) <= LONGEST_STORY,
        f"how it was made should be told in up to {LONGEST_STORY:,} signs",
    )
    demand(doors.is_side(agent.side), "its side should be 1, -1 or 0")
    demand(
        rewards.shape == (3,) and rewards.dtype.kind in TYPES and _is_finite(rewards),
        "its rewards should be three finite numbers",
    )
    demand(
        gamma.shape == () and gamma.dtype.kind in TYPES and 0 <= gamma <= 1,
        "its gamma should be a number from 0 to 1",
    )
    demand(
        _survives_json(agent.hyperparameters),
        "its hyperparameters should be a dictionary of finite numbers, texts and lists",
    )
    for who in SOMEBODY:
        demand(
            isinstance(agent.hyperparameters.get(who, ""), str),
            f"its {who} should be a text",
        )
        demand(
            not _lacks_rule(agent.hyperparameters, who),
            f"its {who} should have a rule for ties, as in 'teacher 0.9 uniform'",
        )
    rows = agent.history if isinstance(agent.history, list | tuple) else [None]
    demand(
        all(map(_is_row, rows)) and len(rows) <= MOST_ROWS,
        f"its history should have rows of finite numbers, games among them, and up to "
        f"{MOST_ROWS:,} of them",
    )
    names = agent.tables if isinstance(agent.tables, Mapping) else [None]
    demand(
        all(isinstance(name, str) for name in names),
        "its tables should be a dictionary, name → array",
    )
    demand(
        {"policy", "Q", "V"}.isdisjoint(agent.tables),
        "its policy, Q and V should not stand among its tables",
    )
    arrays = _arrays(agent)
    for name, array in arrays.items():
        axes = {"policy": (2,), "Q": (2,), "V": (1,)}.get(name, (1, 2))
        demand(
            array.dtype.kind in TYPES
            and array.ndim in axes
            and array.shape == game.legal.shape[: array.ndim],
            f"its {name} should be an array of numbers for {len(game.code):,} "
            f"positions of {game.legal.shape[1]} cells",
        )
        demand(_is_finite(array), f"its {name} should hold finite numbers")
        demand(
            array.ndim == 1 or not array[~game.legal].any(),
            f"its {name} should be 0 at illegal cells",
        )
    if agent.policy is not None:
        total = np.sum(arrays["policy"], axis=1)
        wrong = ~game.terminal & (abs(total - 1) > TIE)
        if agent.side != 0:  # where the other side moves there may be nothing
            wrong &= (game.to_move == agent.side) | (total != 0)
        demand(
            not wrong.any() and np.min(arrays["policy"]) >= 0,
            "the probabilities of its policy should add up to 1",
        )
    return game


def _is_finite(array):
    """Return whether all is finite, and stays so when it is computed with."""
    return bool(np.all(abs(array) <= plain.LARGEST))


def _is_row(row):
    return (
        isinstance(row, Mapping)
        and "games" in row
        and all(type(name) is str for name in row)
        and all(
            type(n) in (int, float) and abs(n) <= plain.LARGEST for n in row.values()
        )
    )


def _survives_json(settings):
    try:
        text = json.dumps(dict(settings), allow_nan=False)
    except (TypeError, ValueError):
        return False
    return json.loads(text) == settings
