"""A policy and its values as plain JSON, for other programs to read and to write.

A file looks like this::

    {
     "format": "ttt policy",
     "version": 1,
     "name": "mine",
     "made": "by hand",
     "side": 0,
     "rows": 3,
     "columns": 3,
     "k": 3,
     "policy": {
      "XO.......": {"2": 0.5, "4": 0.5},
      …
     },
     "values": {
      "XO.......": {"2": 0.25, "3": -0.5, …},
      …
     }
    }

A board has a sign for each cell, row by row: X, who moves first, O, and a full stop.
`policy` has every unfinished position of the side (1 first, -1 second, 0 both) and the
probabilities of cells, counted from 0; a cell that is left out has 0. `values` may be
left out; else it has, for the same positions, what every legal cell is worth to the
side to move. Also `name`, `made`, `side` and the size may be left out.
"""

import json
import math

import numpy as np

from ttt_lib.doors import Format, demand
from ttt_lib.game import tables
from ttt_lib.policy import TIE

FORMAT = Format("ttt policy")
SIZE = {"rows": 3, "columns": 3, "k": 3}
LARGEST = (
    1e100  # a number in a file: what is computed with it stays finite, squares too
)
TABLES = {"policy": None, "values": None}
HEADER = FORMAT.head() | {"name": "policy", "made": "", "side": 0}


def packed(game, name, made, side, policy, Q=None):
    """Return the text of a policy (S, A), and of values Q (S, A) if there are any."""
    header = HEADER | {"name": name, "made": made, "side": int(side)}
    header |= {what: int(getattr(game, what)) for what in SIZE}
    tables = {"policy": _rows(game, policy, policy > 0)}
    if Q is not None:
        moves = (policy > 0).any(axis=1, keepdims=True)
        tables["values"] = _rows(game, Q, game.legal & moves)
    parts = [
        f" {json.dumps(key)}: {json.dumps(value)}" for key, value in header.items()
    ]
    for key, rows in tables.items():
        lines = ",\n".join(f"  {json.dumps(b)}: {json.dumps(r)}" for b, r in rows)
        parts.append(f" {json.dumps(key)}: {{\n{lines}\n }}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _rows(game, table, shown):
    """Yield (board, cell → number) for each position in which some number is shown."""
    boards = _strings(game)
    for s in np.flatnonzero(shown.any(axis=1)):
        row = {str(a): float(table[s, a]) for a in np.flatnonzero(shown[s])}
        yield boards[s], row


def _strings(game):
    """Return `game.string` of all positions: asked one by one they take a second."""
    marks = np.array([".", "X", "O"])[game.board]  # −1 is the last
    return marks.view(f"U{game.board.shape[1]}").ravel().tolist()


def unpacked(whole):
    """Return the fields of an Agent from the JSON of a policy.

    Raises ValueError with the first fault, as the end of a sentence on its file.
    """
    fields = HEADER | SIZE | TABLES | whole
    for key in whole:
        demand(key in HEADER | SIZE | TABLES, f"it has {key[:99]!r}, as no policy has")
    demand(fields["policy"] is not None, "it has no policy")
    side = fields["side"]
    for key in SIZE:
        demand(type(fields[key]) is int, f"its {key} should be a whole number")
    demand(type(side) is int and abs(side) <= 1, "its side should be 1, -1 or 0")
    for key in ("name", "made"):
        demand(isinstance(fields[key], str), f"its {key} should be a text")
    game = tables(*(fields[key] for key in SIZE))
    policy = _table(game, "policy", fields["policy"], side)
    Q = None
    if fields["values"] is not None:
        Q = _table(game, "values", fields["values"], side)
    kept = {key: fields[key] for key in ("name", "made", "side", *SIZE)}
    return {**kept, "policy": policy, "Q": Q}


def _table(game, what, rows, side):
    """Return the table (S, A) of what a file says of positions."""
    demand(isinstance(rows, dict), f"its {what} should be board → cell → number")
    boards = _strings(game)
    place = {boards[s]: s for s in np.flatnonzero(~game.terminal)}
    table = np.zeros(game.legal.shape)
    for board, row in rows.items():
        s = place.get(board)
        if s is None:
            why = _why(game, board)
            raise ValueError(f"a board in its {what} is {board[:99]!r}: {why}")
        where = f"the row of {board} in its {what}"
        demand(isinstance(row, dict), f'{where} should be cell → number, as {{"4": 1}}')
        legal = [str(a) for a in np.flatnonzero(game.legal[s])]
        for cell, number in row.items():
            demand(
                cell in legal,
                f"{where} has the cell {cell!r}: free are {', '.join(legal)}",
            )
            table[s, int(cell)] = _number(number, what, where, cell)
        if what == "policy":
            total = sum(row.values())
            demand(
                abs(total - 1) <= TIE, f"{where} adds up to {total:.9g}, and not to 1"
            )
        else:
            for cell in legal:
                demand(cell in row, f"{where} lacks cell {cell}")
    for board, s in place.items():
        mover = "X" if game.to_move[s] == 1 else "O"
        present = board in rows or side not in (0, game.to_move[s])
        demand(present, f"its {what} should have {board}, where {mover} is to move")
    return table


def _why(game, board):
    """Return why a board is none of the unfinished positions of a game."""
    if board.upper().count("O") > board.upper().count("X"):
        return "X moves first, so O never has more marks."
    try:
        s = game.find(board)
    except ValueError as fault:
        return str(fault)
    if game.terminal[s]:
        return "the game is over there."
    return f"write it as {game.string(s)}."


def _number(number, what, where, cell):
    """Return a number as a table can hold it."""
    is_number = type(number) in (int, float) and math.isfinite(number)
    demand(
        is_number, f"{where} has {str(number)[:99]} at cell {cell}, which is no number"
    )
    fits = 0 <= number <= 1 + TIE if what == "policy" else abs(number) <= LARGEST
    demand(fits, f"{where} has {number:g} at cell {cell}, which is out of range")
    return float(number)
