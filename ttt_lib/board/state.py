"""State of a board: validation of its traits, and the changes that one brings about.

A state is a dictionary with the keys of NAMES, and can be written as JSON. An invalid
value, or values that contradict each other, raise a ValueError with one sentence.
"""

from contextlib import contextmanager, suppress
from numbers import Integral

from ttt_lib import notation
from ttt_lib.game import tables
from ttt_lib.validation import one_of, require, short_repr

# In the order in which they are set and sent; `widget.py` describes each of them.
NAMES = ("_game", "history", "position", "shown", "score", "numbers", "agents")
LINE = {"_game", "history", "position"}  # the traits that a move changes
OVERLAYS = ("none", "value", "best", "random", "agent", "policy")
RESULTS = ("X", "draw", "O")  # the keys of a score
MAX_COUNT = 2**53  # JavaScript counts in floats, which are exact up to here


@contextmanager
def naming(argument):
    """Put the name of an argument before the message of an error."""
    try:
        yield
    except (ValueError, OSError) as fault:
        raise ValueError(f"{argument}: {fault}") from None


# Single traits: each function checks a value and returns its canonical form


def new_game(board, first="X"):
    """Return `_game` of a game that begins at a board, as `Game.find` reads it.

    In a text, the side with one mark more moved first; if both have equally many, it is
    `first`, or the other side where only that is possible.
    """
    game, sides = tables(), [first]
    if isinstance(board, str):
        more = board.upper().count("X") - board.upper().count("O")
        sides = {1: ["X"], -1: ["O"]}.get(more, notation.marks(first))
    first = next((side for side in sides if _is_found(board, side)), sides[0])
    with naming(f"position = {short_repr(board)}"):
        start = game.string(game.find(board, first), first)
    return {"game": 0, "first": first, "start": start, "counted": False}


def _is_found(board, first):
    with suppress(ValueError):
        return tables().find(board, first) >= 0
    return False


def position(board):
    """Return a board as text, its rows separated by `/`."""
    return _line(new_game(board), [])["position"]


def history(cells):
    """Return cells as a list."""
    is_list = isinstance(cells, list | tuple) and all(map(_is_int, cells))
    require(
        is_list, f"history = {short_repr(cells)}: give a list of cells, such as [4, 0]"
    )
    return [int(a) for a in cells]


def moves_shown(number):
    """Return a number of moves, at most the number of cells."""
    cells = tables().legal.shape[1]
    is_valid = _is_int(number) and 0 <= number <= cells
    require(
        is_valid,
        f"shown = {short_repr(number)}: give a number of moves from 0 to {cells}",
    )
    return int(number)


def score(counts):
    """Return the numbers of games that X won, that were drawn, and that O won."""
    is_score = isinstance(counts, dict) and set(counts) == set(RESULTS)
    is_score = is_score and all(
        _is_int(n) and 0 <= n <= MAX_COUNT for n in counts.values()
    )
    require(
        is_score,
        f"score = {short_repr(counts)}: give the counts of 'X', 'draw' and 'O'",
    )
    return {result: int(counts[result]) for result in RESULTS}


def _is_int(number):
    return isinstance(number, Integral) and not isinstance(number, bool)


def numbers(overlay):
    """Return the name of an overlay."""
    return one_of(overlay, "numbers", OVERLAYS)


def game(began):
    """Return where and how a game began, or None if no game has begun."""
    if began is None:
        return None
    keys = {"game": int, "first": str, "start": str, "counted": bool}
    valid = isinstance(began, dict) and {k: type(v) for k, v in began.items()} == keys
    valid = valid and 0 <= began["game"] <= MAX_COUNT and began["first"] in ("X", "O")
    require(valid, f"_game = {short_repr(began)}: this is not the start of a game")
    with naming("_game"):
        s = tables().find(began["start"], began["first"])
    return began | {"start": tables().string(s, began["first"])}


# All traits together


def empty(starts="X"):
    """Return the state before the first game, without numbers and agents."""
    return _line(_no_game(starts), []) | {
        "_game": None,
        "score": dict.fromkeys(RESULTS, 0),
    }


def state_at(board, first="X"):
    """Return the state of a game that begins at a board, without numbers and agents."""
    return empty() | _line(new_game(board, first), [])


def from_stored(stored):
    """Return the state of a stored board, without numbers and agents."""
    began = {key: stored[key] for key in ("game", "first", "start", "counted")}
    counts = dict(zip(RESULTS, stored["score"], strict=True))
    return _line(began, list(stored["moves"])) | {"score": counts}


def to_stored(state):
    """Return the part of a state that is stored in a notebook or on a page."""
    began, counts = state["_game"], state["score"]
    stored = {key: began[key] for key in ("game", "first", "start")}
    stored |= {"moves": list(state["history"]), "score": list(counts.values())}
    return stored | {"counted": began["counted"]}


def updated(old, new, starts="X"):
    """Return `new` with the consequences of its differences from `old`.

    A new position begins a game; after new moves all of them are shown, and a game that
    they end is counted once; new players begin with an empty score.
    starts: the mark that moves first if no game has begun.
    Raises ValueError if traits contradict each other.
    """
    changed = {name for name in NAMES if new[name] != old[name]}
    began, moves = new["_game"] or _no_game(starts), new["history"]
    if changed & LINE == {"position"}:
        number = began["game"] + 1
        began, moves = new_game(new["position"], began["first"]) | {"game": number}, []
    line = _line(began, moves)
    if "position" in changed:
        reached, given = line["position"], new["position"]
        require(
            reached == given, f"position = {given!r}: the moves lead to {reached!r}"
        )
    if "shown" in changed or not changed & LINE:
        line["shown"] = new["shown"]
    if new["_game"] is None and not changed & {"score", *LINE}:
        return new | line | {"_game": None}
    if "_game" in changed:  # the page has counted already
        wins = new["score"].get(_result(began, moves), 0)
        consistent = not began["counted"] or (wins > 0 and moves != [])
        require(consistent, "_game: a counted result should be in the score")
        return new | line
    return new | line | _counted(old, new | line, changed)


def steps(old, new):
    """Yield the states between two states, one for each move, excluding both."""
    began, moves, first_new = new["_game"], new["history"], 0
    if began is None:
        return
    if old["_game"] and old["_game"]["game"] == began["game"]:
        same = [a == b for a, b in zip(old["history"], moves, strict=False)]
        first_new = [*same, False].index(False) + 1
    for n in range(first_new, len(moves)):
        line = _line(began | {"counted": False}, moves[:n])
        yield new | line | {"score": old["score"]}


def position_after(began, moves):
    """Return the position s after moves; raises ValueError if one is illegal."""
    game = tables()
    s = game.find(began["start"], began["first"])
    for n, a in enumerate(moves):
        legal = 0 <= a < game.legal.shape[1] and game.legal[s, a]
        require(
            legal,
            f"history = {short_repr(moves)}: move {n + 1}, in cell {a}, is illegal",
        )
        s = game.next[s, a]
    return int(s)


def _no_game(starts):
    return new_game("." * tables().legal.shape[1], "O" if starts == "O" else "X")


def _line(began, moves):
    """Return the traits that follow from the start of a game and its moves."""
    game = tables()
    signs = game.string(position_after(began, moves), began["first"])
    rows = range(0, len(signs), game.columns)
    text = "/".join(signs[i : i + game.columns] for i in rows)
    return {
        "_game": began,
        "history": moves,
        "position": text,
        "shown": len(moves),
    }


def _counted(old, new, changed):
    """Return the score, and `_game`, whose `counted` says if it includes this game."""
    began, counts = new["_game"], dict(new["score"])
    counted = began["counted"]
    if "score" in changed:
        counted = False  # an undo does not change a score that was set by hand
    elif "agents" in changed:
        counts, counted = dict.fromkeys(RESULTS, 0), False
    elif changed & LINE:
        if counted:
            counts[_result(began, old["history"])] -= 1
        result = _result(began, new["history"])
        counted = result is not None and new["history"] != []
        if counted:
            counts[result] += 1
    return {"score": counts, "_game": began | {"counted": counted}}


def _result(began, moves):
    """Return the key of the score for the result of a game, None before its end."""
    game, s = tables(), position_after(began, moves)
    if not game.terminal[s]:
        return None
    first, second = notation.marks(began["first"])
    return {+1: first, 0: "draw", -1: second}[int(game.outcome[s])]
