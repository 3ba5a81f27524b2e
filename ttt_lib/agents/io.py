"""Agent files: JSON that people and other programs can read, write and edit.

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

The module `rows` explains how boards and cells are written. `policy` has every
unfinished board of the side (1 first, −1 second, 0 both) with the probabilities of its
cells. `values` has for the same boards the value of every free cell for the side to
move, in the unit of `rewards`, those of a win, a draw and a loss. Only `format` and
`policy` are required.

A file of an agent that can go on learning has `learner` instead of these two: the
state of the learner, with its tables as rows. The policy and values follow from it.

Nothing in a file is ever run, and each number is checked when a file is read.
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
NOT_AN_AGENT = (
    f'it is not an agent of ttt_lib: a file should have "format": "{FORMAT.name}" and '
    '"policy": {"XO.......": {"4": 1}, …}, board → cell → probability, for each '
    "unfinished board"
)
MAX_BYTES = 10**8  # more than any agent on a board with tables needs
BUILTIN = ".json.gz"  # a fifth of the size of plain text
MAX_NAME = 255  # characters, as in the name of a file
SIZE = {"rows": 3, "columns": 3, "k": 3}
DEFAULTS = FORMAT.head() | {"name": "policy", "made": "", "side": 0, **SIZE}
DEFAULTS |= {"rewards": [1, 0, -1], "training": {}, "history": []}
DEFAULTS |= {"policy": None, "values": None, "learner": None}


# Writing


@validated_agent
def save(agent, path, exclusive=False):
    """Write an Agent to a file, atomically; equal agents give equal bytes.

    exclusive: whether to raise FileExistsError instead of replacing a file.
    Raises ValueError, and writes nothing, if `load` would reject the file.
    """
    try:
        text = to_json(agent)
        require(len(text) <= MAX_BYTES, f"it is larger than {MAX_BYTES:,} bytes")
        # A file name that is not UTF-8 has lone surrogates, which JSON escapes.
        data = text.encode(errors="backslashreplace")
        from_json(_parsed(data))
    except ValueError as fault:
        raise ValueError(f"{path} was not written: {fault}") from None
    write_atomic(path, data, exclusive)


@validated_agent
def to_json(agent):
    """Return an Agent as the text of a file.

    One without a learner is written for the sides on which it was trained.
    """
    game = tables(agent.rows, agent.columns, agent.k)
    state = None
    if agent.learner is not None:
        state = learners.adapter(agent.learner).to_state(game)
    header = FORMAT.head() | {
        "name": agent.name,
        "made": agent.made,
        "side": int(agent.side),
        **{name: int(getattr(agent, name)) for name in SIZE},
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
    return _format_json(header | content) + "\n"


def _format_json(value, depth=1):
    """Return JSON text with a line for each row, or each number of a long table."""
    parts = value.values() if isinstance(value, dict) else value
    nested = isinstance(value, dict | list) and (
        len(value) > 16 or any(isinstance(part, dict) for part in parts)
    )
    if not nested:
        return json.dumps(value, ensure_ascii=False, default=_number)
    lines, brackets = [_format_json(part, depth + 1) for part in parts], "[]"
    if isinstance(value, dict):
        brackets = "{}"
        lines = [
            f"{_format_json(k)}: {line}" for k, line in zip(value, lines, strict=True)
        ]
    start = "\n" + " " * depth
    return brackets[0] + start + f",{start}".join(lines) + start[:-1] + brackets[1]


def _number(value):
    """Return a NumPy scalar as a Python number; raise ValueError for anything else."""
    if isinstance(value, np.generic):
        return value.item()
    raise ValueError(f"{short_repr(value)} cannot be written as JSON.")


# Reading


def read(path):
    """Return the Agent in a file.

    Raises AgentFileError with the path and what is wrong if it holds no valid agent,
    and FileNotFoundError if it does not exist.
    """
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}.")
    try:
        require(path.is_file(), "it is not a regular file")
        too_large = path.stat().st_size > MAX_BYTES
        require(not too_large, f"it is larger than any agent, {MAX_BYTES:,} bytes")
        return from_json(_parsed(path.read_bytes()))._replace(path=path)
    except ValueError as fault:
        raise AgentFileError(f"{path} cannot be used: {fault}") from None


def builtin_names():
    """Return the sorted names of the built-in agents.

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
    """Return the built-in Agent of that name."""
    data = (_folder() / f"{name}{BUILTIN}").read_bytes()
    return from_json(_parsed(gzip.decompress(data)))


def _folder():
    return resources.files("ttt_lib.agents") / "files"


def from_json(whole):
    """Return the Agent of parsed JSON, of this version or an earlier one.

    Raises ValueError with the first error, worded to follow the name of the file.
    """
    require(
        isinstance(whole, dict) and isinstance(whole.get("format"), str), NOT_AN_AGENT
    )
    file_format = format_of(whole, "agent", FORMAT, version_1.AGENT, version_1.POLICY)
    if file_format != FORMAT:
        whole = version_1.upgraded(whole, file_format)
    for key in whole:
        require(key in DEFAULTS, f"it has the unknown key {key[:99]!r}")
    fields = DEFAULTS | whole
    for key in ("name", "made"):
        require(isinstance(fields[key], str), f"its {key} should be a string")
    name = fields["name"]
    require(
        name.isprintable() and len(name) <= MAX_NAME,
        f"its name should have up to {MAX_NAME} characters, all of them printable",
    )
    for key in SIZE:
        require(type(fields[key]) is int, f"its {key} should be a whole number")
    require(is_side(fields["side"]), "its side should be 1, -1 or 0")
    rewards = fields["rewards"]
    is_triple = isinstance(rewards, list) and len(rewards) == 3
    is_triple = is_triple and all(map(_is_finite, rewards))
    require(is_triple, "its rewards should be 3 numbers")
    _require_training(fields["training"])
    rows = fields["history"]
    require(
        isinstance(rows, list) and all(map(_is_history_row, rows)),
        "its history should be a list of rows, name → number, each with games",
    )
    game = tables(*(fields[key] for key in SIZE))
    shared = {key: fields[key] for key in ("made", "side", "training")}
    shared["history"] = tuple(rows)
    if fields["learner"] is not None:
        is_alone = fields["policy"] is None and fields["values"] is None
        require(
            is_alone,
            "it has a learner, so leave out policy and values, which follow from it",
        )
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
    _require_all_boards(game, "policy", rows, side)
    return policy


def _values(game, fields):
    rows = fields["values"]
    if rows is None:
        return None
    values = from_rows(game, "values", rows, like=np.zeros(game.legal.shape))
    _require_all_boards(game, "values", rows, fields["side"])
    for board, row in rows.items():
        complete = len(row) == board.count(".")
        require(complete, f"the row of {board} in its values lacks a free cell")
    return values


def _require_all_boards(game, name, rows, side):
    """Raise ValueError unless there is a row for each board in which a side moves."""
    side_moves = ~game.terminal & ((game.to_move == side) | (side == 0))
    boards = all_boards(game)
    for s in np.flatnonzero(side_moves).tolist():
        if boards[s] not in rows:
            mover = "X" if game.to_move[s] == 1 else "O"
            board = f"{boards[s]}, where {mover} is to move"
            raise ValueError(f"its {name} should have {board}.")


def _require_training(training):
    require(
        isinstance(training, dict), "its training should be name → number or string"
    )
    for name in ("opponent", "behaviour"):
        is_string = isinstance(training.get(name, ""), str)
        require(is_string, f"its {name} should be a string")
    require(is_side(training.get("side", 0)), "its side in training should be 1, -1, 0")


def _is_finite(number):
    return type(number) in (int, float) and abs(number) <= MAX_NUMBER


def _is_history_row(row):
    return (
        isinstance(row, dict) and "games" in row and all(map(_is_finite, row.values()))
    )


def _parsed(data):
    """Return the parsed JSON of bytes, with finite numbers and no key twice."""
    try:
        return json.loads(
            data, object_pairs_hook=_unique_keys, parse_constant=_not_a_number
        )
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError):
        raise ValueError("it is cut short, damaged, or not an agent.") from None


def _unique_keys(pairs):
    fields = dict(pairs)
    if len(fields) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"it has the key {twice[:99]!r} twice in one object.")
    return fields


def _not_a_number(constant):
    raise ValueError(f"it has {constant}, which is not a number in JSON.")
