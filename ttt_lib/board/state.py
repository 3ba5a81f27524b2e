"""The state of a board: what its parts may be, and what follows when one is set.

A state is a dict with the keys of NAMES, all of it fit for JSON. Where a part of it, or
all of it together, makes no sense, a ValueError says so in one sentence.
"""

from contextlib import contextmanager, suppress
from numbers import Integral

from ttt_lib import notation
from ttt_lib.game import tables
from ttt_lib.validation import one_of, require, short_repr

# In this order they are set and told; `widget.py` says what each of them is.
NAMES = ("_game", "history", "position", "shown", "score", "numbers", "agents")
LINE = {"_game", "history", "position"}  # what is another after a move
OVERLAYS = ("none", "value", "best", "random", "agent", "policy")
RESULTS = ("X", "draw", "O")  # the keys of a score
MAX_COUNT = 2**53  # a page counts in floats, and these are whole up to here


@contextmanager
def naming(argument):
    """Begin the sentence on what makes no sense with the name of an argument."""
    try:
        yield
    except (ValueError, OSError) as fault:
        raise ValueError(f"{argument}: {fault}") from None


# One part alone: each check returns its value in the one form in which it is kept


def begun(board, first="X"):
    """Return what `_game` is where a game begins at a board, as `Game.find` reads it.

    In a text, who has a mark more has moved first; of equally many, `first`, or the
    other where only that can be.
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
    """Return a board as text, its rows divided by `/`."""
    return _line(begun(board), [])["position"]


def history(cells):
    """Return cells as a list."""
    whole = isinstance(cells, list | tuple) and all(map(_is_whole, cells))
    require(
        whole, f"history = {short_repr(cells)}: give a list of cells, such as [4, 0]"
    )
    return [int(a) for a in cells]


def moves_shown(number):
    """Return a number of moves, at most that of all cells."""
    cells = tables().legal.shape[1]
    counts = _is_whole(number) and 0 <= number <= cells
    require(
        counts,
        f"shown = {short_repr(number)}: give a number of moves from 0 to {cells}",
    )
    return int(number)


def score(counts):
    """Return the counts of games that X won, of draws, and of those that O won."""
    fits = isinstance(counts, dict) and set(counts) == set(RESULTS)
    fits = fits and all(_is_whole(n) and 0 <= n <= MAX_COUNT for n in counts.values())
    require(
        fits, f"score = {short_repr(counts)}: give the counts of 'X', 'draw' and 'O'"
    )
    return {result: int(counts[result]) for result in RESULTS}


def _is_whole(number):
    return isinstance(number, Integral) and not isinstance(number, bool)


def numbers(overlay):
    """Return the name of an overlay."""
    return one_of(overlay, "numbers", OVERLAYS)


def game(began):
    """Return where and how a game began, or None where none has begun."""
    if began is None:
        return None
    keys = {"game": int, "first": str, "start": str, "counted": bool}
    whole = isinstance(began, dict) and {k: type(v) for k, v in began.items()} == keys
    whole = whole and 0 <= began["game"] <= MAX_COUNT and began["first"] in ("X", "O")
    require(whole, f"_game = {short_repr(began)}: this is no beginning of a game")
    with naming("_game"):
        s = tables().find(began["start"], began["first"])
    return began | {"start": tables().string(s, began["first"])}


# All parts together


def empty(starts="X"):
    """Return the state where nothing has happened yet, without numbers and agents."""
    return _line(_unbegun(starts), []) | {
        "_game": None,
        "score": dict.fromkeys(RESULTS, 0),
    }


def at(board, first="X"):
    """Return the state where a game begins at a board, without numbers and agents."""
    return empty() | _line(begun(board, first), [])


def opened(stored):
    """Return the state of a stored board, without numbers and agents."""
    began = {key: stored[key] for key in ("game", "first", "start", "counted")}
    counts = dict(zip(RESULTS, stored["score"], strict=True))
    return _line(began, list(stored["moves"])) | {"score": counts}


def stored(state):
    """Return what is stored of a state."""
    began, counts = state["_game"], state["score"]
    stored = {key: began[key] for key in ("game", "first", "start")}
    stored |= {"moves": list(state["history"]), "score": list(counts.values())}
    return stored | {"counted": began["counted"]}


def settled(old, new, starts="X"):
    """Return a state with what follows from the parts of it that are not as in `old`.

    A new position begins a game; new moves are all shown, and a game that they end is
    counted, once; new players have no score yet.
    `starts` says who moves first where no game has begun.
    """
    changed = {name for name in NAMES if new[name] != old[name]}
    began, moves = new["_game"] or _unbegun(starts), new["history"]
    if changed & LINE == {"position"}:
        number = began["game"] + 1
        began, moves = begun(new["position"], began["first"]) | {"game": number}, []
    line = _line(began, moves)
    if "position" in changed:
        led, told = line["position"], new["position"]
        require(led == told, f"position = {told!r}: the moves lead to {led!r}")
    if "shown" in changed or not changed & LINE:
        line["shown"] = new["shown"]
    if new["_game"] is None and not changed & {"score", *LINE}:
        return new | line | {"_game": None}
    if "_game" in changed:  # who tells of the game has counted
        wins = new["score"].get(_result(began, moves), 0)
        stands = not began["counted"] or (wins > 0 and moves != [])
        require(stands, "_game: an end that is counted should stand in the score")
        return new | line
    return new | line | _counted(old, new | line, changed)


def steps(old, new):
    """Yield the states between two, one for each move, without the two themselves."""
    began, moves, known = new["_game"], new["history"], 0
    if began is None:
        return
    if old["_game"] and old["_game"]["game"] == began["game"]:
        same = [a == b for a, b in zip(old["history"], moves, strict=False)]
        known = [*same, False].index(False) + 1
    for n in range(known, len(moves)):
        line = _line(began | {"counted": False}, moves[:n])
        yield new | line | {"score": old["score"]}


def after(began, moves):
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


def _unbegun(starts):
    return begun("." * tables().legal.shape[1], "O" if starts == "O" else "X")


def _line(began, moves):
    """Return the parts that moves decide."""
    game = tables()
    signs = game.string(after(began, moves), began["first"])
    rows = range(0, len(signs), game.columns)
    places = "/".join(signs[i : i + game.columns] for i in rows)
    return {
        "_game": began,
        "history": moves,
        "position": places,
        "shown": len(moves),
    }


def _counted(old, new, changed):
    """Return the score, and `_game`, which says whether this game stands in it."""
    began, counts = new["_game"], dict(new["score"])
    counted = began["counted"]
    if "score" in changed:
        counted = False  # what was set by hand is not taken back by an undo
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
    """Return the key of a score for the end of a game, None before it."""
    game, s = tables(), after(began, moves)
    if not game.terminal[s]:
        return None
    first, second = notation.marks(began["first"])
    return {+1: first, 0: "draw", -1: second}[int(game.outcome[s])]
