"""Agents as files: JSON that people, and other programs, can read, write and change.

A file looks like this::

    {
     "format": "ttt agent",
     "version": 2,
     "name": "mine",
     "made": "by hand",
     "side": 0,
     "rows": 3,
     "columns": 3,
     "k": 3,
     "rewards": [1, 0, -1],
     "policy": {
      "XO.......": {"2": 0.5, "4": 0.5},
      …
     },
     "values": {
      "XO.......": {"2": 0.25, "3": -0.5, …},
      …
     }
    }

`rows` tells how a board and its cells are written. `policy` has every unfinished board
of the side (1 first, −1 second, 0 both) and the probabilities of its cells. `values`
has for the same boards what every free cell is worth to the side to move, in the unit
of `rewards`, those of a win, a draw and a loss. Only `format` and `policy` have to be
there.

A file of an agent that can go on learning has `learner` in their place: all that the
learner needs, its tables as rows. Its policy and its values follow from these.

Nothing in a file is ever run, and whatever has changed it, each number is checked.
"""

import gzip
import json
from importlib import resources

import numpy as np

from ttt_lib.agents import learners, version_1
from ttt_lib.agents.agent import Agent, AgentFileError
from ttt_lib.agents.rows import MAX_NUMBER, all_boards, from_rows, to_rows
from ttt_lib.game import tables
from ttt_lib.policy import LEARNED_ATOL
from ttt_lib.validation import (
    Format,
    float_array,
    format_of,
    is_side,
    require,
    short_repr,
    validated_agent,
    write_atomic,
)

FORMAT = Format("ttt agent", 2)
FOREIGN = (  # what is missing in the file of another program
    f'it is no agent of ttt_lib: one should have "format": "{FORMAT.name}" and '
    '"policy": {"XO.......": {"4": 1}, …}, board → cell → probability, for each '
    "unfinished board"
)
MAX_BYTES = 10**8  # no agent of a board that has tables needs more
BUILTIN = ".json.gz"  # as text the files of all are five times as large
MAX_NAME = 255  # characters, as no name of a file has more
SIZE = {"rows": 3, "columns": 3, "k": 3}
DEFAULTS = FORMAT.head() | {"name": "policy", "made": "", "side": 0, **SIZE}
DEFAULTS |= {"rewards": [1, 0, -1], "training": {}, "history": []}
DEFAULTS |= {"policy": None, "values": None, "learner": None}


# Out


@validated_agent
def save(agent, path, exclusive=False):
    """Write an Agent to a file, whole or not at all; the same agent, the same bytes.

    exclusive: whether to raise FileExistsError instead of replacing a file.
    Raises ValueError, and writes nothing, if the agent is none that `load` would take.
    """
    try:
        text = to_json(agent)
        require(len(text) <= MAX_BYTES, f"it is larger than {MAX_BYTES:,} bytes")
        # A file's name that is no UTF-8 has lone surrogates: JSON has escapes for them.
        data = text.encode(errors="backslashreplace")
        from_json(_parsed(data))
    except ValueError as fault:
        raise ValueError(f"{path} was not written: {fault}") from None
    write_atomic(path, data, exclusive)


@validated_agent
def to_json(agent):
    """Return an Agent as the text of a file.

    One that cannot go on learning is told on the sides that it was taught.
    """
    game = tables(agent.rows, agent.columns, agent.k)
    state = None
    if agent.learner is not None:
        state = learners.of(agent.learner).to_state(game)
    header = FORMAT.head() | {
        "name": agent.name,
        "made": agent.made,
        "side": int(agent.side),
        **{what: int(getattr(agent, what)) for what in SIZE},
    }
    if state is not None:
        content = {"learner": state}
    else:
        header["side"] = side = int(agent.side or agent.taught)
        moves = float_array(agent.on(side), "policy", game.legal.shape)
        if side:
            moves = np.where((game.to_move == side)[:, np.newaxis], moves, 0)
        content = {"rewards": list(agent.rewards)}
        content["policy"] = to_rows(game, moves, moves != 0)
        if agent.Q is not None:
            chosen = moves.any(axis=1, keepdims=True)
            Q = float_array(agent.Q, "Q", game.legal.shape)
            content["values"] = to_rows(game, Q, game.legal & chosen)
    if agent.training:
        header["training"] = dict(agent.training)
    if agent.history:
        header["history"] = [dict(row) for row in agent.history]
    return _layout(header | content) + "\n"


def _layout(value, depth=1):
    """Return JSON with a line for each row, and for each number of a long table."""
    parts = value.values() if isinstance(value, dict) else value
    nested = isinstance(value, dict | list) and (
        len(value) > 16 or any(isinstance(part, dict) for part in parts)
    )
    if not nested:
        return json.dumps(value, ensure_ascii=False, default=_number)
    lines, brackets = [_layout(part, depth + 1) for part in parts], "[]"
    if isinstance(value, dict):
        brackets = "{}"
        lines = [f"{_layout(k)}: {line}" for k, line in zip(value, lines, strict=True)]
    start = "\n" + " " * depth
    return brackets[0] + start + f",{start}".join(lines) + start[:-1] + brackets[1]


def _number(thing):
    """Return a number of NumPy as one of Python; nothing else has a place in JSON."""
    if isinstance(thing, np.generic):
        return thing.item()
    raise ValueError(f"{short_repr(thing)} has no place in JSON.")


# In


def read(path):
    """Return the Agent in a file.

    Raises UnusableError with the file and its fault if there is none in it, and
    FileNotFoundError if there is no such file.
    """
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}.")
    try:
        require(path.is_file(), "it is a folder, or something else that is no file")
        large = path.stat().st_size > MAX_BYTES
        require(not large, f"it is larger than any agent, {MAX_BYTES:,} bytes")
        return from_json(_parsed(path.read_bytes()))._replace(path=path)
    except ValueError as fault:
        raise AgentFileError(f"{path} cannot be used: {fault}") from None


def builtin_names():
    """Return the names of the agents that come with the book.

    Examples
    --------
    >>> "menace" in agents.builtin_names()
    True
    """
    return sorted(
        file.name.removesuffix(BUILTIN)
        for file in _folder().iterdir()
        if file.name.endswith(BUILTIN)
    )


def read_builtin(name):
    """Return the Agent of that name from those that come with the book."""
    data = (_folder() / f"{name}{BUILTIN}").read_bytes()
    return from_json(_parsed(gzip.decompress(data)))


def _folder():
    return resources.files("ttt_lib.agents") / "files"


def from_json(whole):
    """Return the Agent of a file's JSON, of this version or an earlier one.

    Raises ValueError with the first fault, as the end of a sentence on the file.
    """
    require(isinstance(whole, dict) and isinstance(whole.get("format"), str), FOREIGN)
    written_in = format_of(whole, "agent", FORMAT, version_1.AGENT, version_1.POLICY)
    if written_in != FORMAT:
        whole = version_1.upgraded(whole, written_in)
    for key in whole:
        require(key in DEFAULTS, f"it has {key[:99]!r}, as no agent has")
    fields = DEFAULTS | whole
    for key in ("name", "made"):
        require(isinstance(fields[key], str), f"its {key} should be a text")
    name = fields["name"]
    require(
        name.isprintable() and len(name) <= MAX_NAME,
        f"its name should have up to {MAX_NAME} characters, all of them printable",
    )
    for key in SIZE:
        require(type(fields[key]) is int, f"its {key} should be a whole number")
    require(is_side(fields["side"]), "its side should be 1, -1 or 0")
    rewards = fields["rewards"]
    are_three = isinstance(rewards, list) and len(rewards) == 3
    are_three = are_three and all(map(_is_finite, rewards))
    require(are_three, "its rewards should be 3 numbers")
    _demand_training(fields["training"])
    rows = fields["history"]
    require(
        isinstance(rows, list) and all(map(_is_history, rows)),
        "its history should have rows of numbers, games among them",
    )
    game = tables(*(fields[key] for key in SIZE))
    shared = {key: fields[key] for key in ("made", "side", "training")}
    shared["history"] = tuple(rows)
    if fields["learner"] is not None:
        alone = fields["policy"] is None and fields["values"] is None
        require(alone, "it has a learner, from which its policy and values follow")
        learner = learners.from_state(game, fields["learner"])
        return learners.to_agent(game, learner, name, **shared)
    require(fields["policy"] is not None, "it has no policy and no learner")
    policy, Q = _policy(game, fields), _values(game, fields)
    agent = Agent(name, policy=policy, Q=Q, rewards=tuple(rewards), **shared)
    return agent._replace(**{key: fields[key] for key in SIZE}, taught=agent.side)


def _policy(game, fields):
    rows, side = fields["policy"], fields["side"]
    policy = from_rows(game, "policy", rows, like=np.zeros(game.legal.shape))
    for board, row in rows.items():
        total = sum(row.values())
        is_distribution = (
            min(row.values(), default=0) >= 0 and abs(total - 1) <= LEARNED_ATOL
        )
        where = f"the row of {board} in its policy"
        require(
            is_distribution, f"{where} adds up to {total:.9g}, or has a number below 0"
        )
    _demand_all(game, "policy", rows, side)
    return policy


def _values(game, fields):
    rows = fields["values"]
    if rows is None:
        return None
    values = from_rows(game, "values", rows, like=np.zeros(game.legal.shape))
    _demand_all(game, "values", rows, fields["side"])
    for board, row in rows.items():
        complete = len(row) == board.count(".")
        require(complete, f"the row of {board} in its values lacks a free cell")
    return values


def _demand_all(game, what, rows, side):
    """Raise ValueError unless there is a row for each board in which a side moves."""
    mine = ~game.terminal & ((game.to_move == side) | (side == 0))
    boards = all_boards(game)
    for s in np.flatnonzero(mine).tolist():
        if boards[s] not in rows:
            mover = "X" if game.to_move[s] == 1 else "O"
            there = f"{boards[s]}, where {mover} is to move"
            raise ValueError(f"its {what} should have {there}.")


def _demand_training(training):
    require(isinstance(training, dict), "its training should be name → number or text")
    for who in ("opponent", "behaviour"):
        is_text = isinstance(training.get(who, ""), str)
        require(is_text, f"its {who} should be a text")
    require(is_side(training.get("side", 0)), "its side in training should be 1, -1, 0")


def _is_finite(number):
    return type(number) in (int, float) and abs(number) <= MAX_NUMBER


def _is_history(row):
    return (
        isinstance(row, dict) and "games" in row and all(map(_is_finite, row.values()))
    )


def _parsed(data):
    """Return the JSON that bytes hold: of finite numbers, no key twice."""
    try:
        return json.loads(data, object_pairs_hook=_once, parse_constant=_refused)
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError):
        raise ValueError("it is cut short, damaged, or no agent at all.") from None


def _once(pairs):
    fields = dict(pairs)
    if len(fields) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"it has {twice[:99]!r} twice in one place.")
    return fields


def _refused(constant):
    raise ValueError(f"it has {constant}, which is no number in JSON.")
