"""Arguments by their names, which mean the same everywhere.

A public function that is `@checked` looks at its arguments once, here, and its loops
may trust them. A check gets the value, and all arguments of the call by name; it
returns the value as the loops need it.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial, wraps
from inspect import cleandoc, signature
from typing import TypeVar, overload

import numpy as np

from ttt_lib.compiled import compiled
from ttt_lib.doors.values import (
    LARGEST,
    MOST,
    array,
    as_array,
    demand,
    mask,
    number,
    one_of,
    refuse,
    shown,
    whole,
)

MISSING = object()  # no default
SAID = "Raises ValueError if an argument makes no sense."
ORDERS = "synchronous", "rising", "falling"  # of sweeps
F = TypeVar("F", bound=Callable)  # a function, which a type checker sees as it was
NEARLY = 1e-6  # sums of probabilities may miss 1 by this, as float32 makes them do


def _side(value, given):
    if isinstance(value, bool) or not np.isscalar(value) or value not in (+1, -1):
        refuse("side", value, "the first player is +1, the second -1")
    return int(value)


def any_side(value, given):
    """Return a side as an int; 0 stands for both."""
    if isinstance(value, bool) or not np.isscalar(value) or value not in (+1, -1, 0):
        refuse("side", value, "give 1 or -1 for a player, 0 for both")
    return int(value)


def _legal(value, given):
    legal = mask(value, "legal")
    if legal.ndim != 2 or not legal.shape[1]:
        refuse("legal", value, "give Game.legal, of shape (S, A)")
    return legal


def _rewards(value, given):
    numbers = array(value, "rewards")
    if numbers.shape != (3,):
        refuse("rewards", value, "give three, of a win, a draw and a loss")
    if np.abs(numbers).max() > MOST:
        refuse("rewards", value, f"give numbers up to {MOST:g}")
    return tuple(numbers.tolist())


def _position(name):
    def check(value, given):
        game = given["game"] if "game" in given else given["self"]
        return whole(value, name, 0, len(game.code) - 1)

    return check


def _game(value, given):
    if not (hasattr(value, "successor") and hasattr(value, "to_move")):
        refuse("game", value, "give what game.tables returns")
    return value


def _mdp(value, given):
    if not (hasattr(value, "indptr") and hasattr(value, "successor")):
        refuse("mdp", value, "give what mdp.against or mdp.from_arrays returns")
    if "game" in given:
        legal = given["game"].legal
        fits = value.position.max() < len(legal) and value.action.max() < legal.shape[1]
        fits = fits and len(value.action) == legal[value.position].sum()
        demand(fits, "mdp has the positions of another board than game")
    return value


def cells(name):
    """Return the check of boards, or of the cells of one: +1, −1 and 0."""

    def check(value, given):
        try:
            good = isinstance(value, list | tuple | np.ndarray)
            board = as_array(value if good else [])
        except TypeError:
            board = np.zeros(0)
        good = board.dtype.kind in "iuf" and board.shape[-1:] > (0,)
        good = good and board.min(initial=0) >= -1 and board.max(initial=0) <= 1
        if not (good and (board.dtype.kind != "f" or (board == np.rint(board)).all())):
            refuse(name, value, "give cells of +1, -1 and 0")
        if "lines" in given and board.shape[-1] <= given["lines"].max():
            have = board.shape[-1]
            raise ValueError(f"{name} has {have} cells, and lines go beyond them.")
        # Unsigned cells have no −1, and a list is made anew in any case.
        kept = board is value and board.dtype.kind == "i"
        return board if kept else board.astype(np.int8)

    return check


def _lines(value, given):
    lines = array(value, "lines")
    good = lines.ndim == 2 and lines.size and lines.min() >= 0
    good = good and (lines == np.floor(lines)).all() and lines.max() <= LARGEST
    if not good:
        refuse("lines", value, "give cells (L, k), as rules.lines returns")
    return lines.astype(np.int64)


def _player(value, given):
    if not (np.isscalar(value) and value in (+1, -1)):
        refuse("player", value, "the first player is +1, the second -1")
    return value


def _action(value, given):
    action, boards = array(value, "action"), given["board"].shape[:-1]
    cells = np.asarray(value).dtype != bool and (action == np.floor(action)).all()
    if not cells or np.abs(action).max(initial=0) > LARGEST:
        refuse("action", value, "there is no such cell, which is a whole number")
    with suppress(ValueError):
        np.broadcast_shapes(action.shape, boards)
        return action.astype(np.int64)
    refuse("action", value, f"{action.shape} actions do not fit {boards} boards")


def _actions(value, given):
    if not np.iterable(value):
        refuse("actions", value, "give the cells of a game, one after another")
    return [whole(a, "actions: an action") for a in value]


def _to_move(value, given):
    sides = array(value, "to_move", given["first"].shape[:1])
    demand(np.isin(sides, (1, -1)).all(), "to_move should be +1 and -1: Game.to_move")
    return sides


def _cell_table(value, given):
    """Return a table (S, A) from which the pairs of an MDP can be read."""
    numbers, mdp = array(value, "table", finite=False), given["mdp"]
    rows, columns = mdp.position.max() + 1, mdp.action.max() + 1
    fits = numbers.ndim == 2 and len(numbers) >= rows and numbers.shape[1] == columns
    if not fits:
        refuse("table", value, "give numbers (S, A) of the same board")
    return numbers


def moves_among(value, given):
    """Return the legal moves (S, A) that a side may choose from."""
    game = given["game"]
    among = mask(value, "among", game.legal.shape) & game.legal
    decides = (game.to_move == given["side"]) & ~game.terminal
    demand(among[decides].any(axis=1).all(), "among leaves a position without a move")
    return among


def states_among(value, given):
    """Return which positions (S,) are looked at."""
    return mask(value, "among", given["game"].terminal.shape)


def _order(value, given):
    if "mdp" in given:
        return one_of(value, "order", ORDERS)
    legal, order = given["game"].legal[given.get("s", 0)], array(value, "order")
    once = order.ndim == 1 and len(np.unique(order)) == len(order)
    fits = once and np.isin(order, np.arange(len(legal), dtype=np.int64)).all()
    fits = fits and np.isin(np.flatnonzero(legal), order).all()
    if not fits:
        refuse("order", value, "give cells once, and all legal ones")
    return order.astype(np.int64)


def table(name, like=None, finite=True):
    """Return the check of numbers (S, A), `finite` where moves are legal.

    `like` is the argument whose shape they have, if there is no board to tell.
    """

    def check(value, given):
        legal = given["game"].legal if "game" in given else given.get("legal")
        shape = given[like].shape if legal is None and like else None
        numbers = array(value, name, shape if legal is None else legal.shape, False)
        if numbers.ndim != 2:
            refuse(name, value, "give an array (S, A)")
        if finite and not np.isfinite(numbers).all():
            # Entries at illegal cells are ignored.
            good = legal is not None and np.isfinite(numbers[legal]).all()
            demand(good, f"{name} has entries that are infinite or no numbers")
        return numbers

    return check


def chances(name, like=None):
    """Return the check of probabilities (S, A), some rows of which may be 0."""

    def check(value, given):
        numbers = table(name, like)(value, given)
        demand(numbers.min(initial=0) >= 0, f"{name} has a probability below 0")
        return numbers

    return check


def probabilities(name, like=None):
    """Return the check of a policy of any form, (S, A) or packed (N,)."""

    def check(value, given):
        numbers = array(value, name, given[like].shape if like else None)
        good = numbers.min(initial=0) >= 0 and numbers.max(initial=0) <= 1 + NEARLY
        demand(good, f"{name} has entries below 0 or above 1")
        return numbers

    return check


def _values(name):
    """Return the check of V (n,) of the states of an MDP."""

    def check(value, given):
        return array(value, name, given["mdp"].position.shape)

    return check


def _pairs(value, given):
    return array(value, "q", given["mdp"].action.shape)


def _policy(name, owner):
    """Return the check of a policy that moves for `owner` times the argument `side`."""

    def check(value, given):
        if "mdp" in given:
            return _packed_policy(value, given["mdp"])
        if "game" in given:
            return moves_for(owner * given.get("side", 0), value, given["game"], name)
        return chances(name, "Q")(value, given)

    return check


def _packed_policy(value, mdp):
    policy = array(value, "policy", mdp.action.shape)
    sound = _sums_to_one(policy, mdp.first)
    demand(sound, "policy has a state whose probabilities are none, or do not sum to 1")
    return policy


@compiled
def _sums_to_one(policy, first):
    """Return whether the pairs of each state have probabilities that sum to 1."""
    least, sums = 0.0, True
    for s in range(len(first) - 1):
        total = 0.0
        for pair in range(first[s], first[s + 1]):
            least = min(least, policy[pair])
            total += policy[pair]
        sums &= abs(total - 1) <= NEARLY
    return sums and least >= 0


def moves_for(side, policy, game, name="policy"):
    """Return a policy as an array (S, A) that can move for a side, both if it is 0.

    Raises ValueError if it has another shape, or a row of that side is no distribution
    over the legal cells.
    """
    policy = array(policy, name, game.legal.shape, finite=False)
    s = _first_unsound(policy, game.count, game.action, game.to_move, side)
    if s >= 0:
        raise unsound(name, s, policy)
    return policy


def unsound(name, s, policy):
    """Return the ValueError on a policy that cannot move in position s."""
    row = shown(policy[s].tolist())
    return ValueError(
        f"{name} has the row {row} in position {s}: legal cells need probabilities "
        "that sum to 1, the others 0."
    )


@compiled
def _first_unsound(policy, count, action, to_move, side):
    """Return the first position whose row cannot be drawn from, −1 if there is none."""
    for s in range(len(policy)):
        if to_move[s] == -side:
            continue
        everywhere = total = least = 0.0
        for a in range(policy.shape[1]):
            everywhere += policy[s, a]
        for i in range(count[s]):
            p = policy[s, action[s, i]]
            least = min(least, p)
            total += p
        # Written so that what is no number fails as well.
        sound = least >= 0 and abs(everywhere - total) <= 1e-12
        if not (sound and abs(total - min(count[s], 1)) <= NEARLY):
            return s
    return -1


def chance(name, above=False):
    """Return the check of a number from 0 to 1; if `above`, 0 itself is refused."""

    def check(value, given):
        return number(value, name, 0, 1, above)

    return check


def _rng(value, given):
    if not isinstance(value, np.random.Generator):
        refuse("rng", value, "give a generator, such as numpy.random.default_rng(0)")
    return value


def offsets(value, given):
    """Return the first pair of each state, and the end: 0 to N, never falling."""
    first = array(value, "first")
    good = first.ndim == 1 and len(first) and (np.diff(first) >= 0).all()
    good = good and first[0] == 0 and (first == np.floor(first)).all()
    good = good and first[-1] < 2**32
    if not good:
        refuse("first", value, "give whole numbers from 0 below 2^32, none falling")
    return first.astype(np.uint32)


def pairs(value, given):
    """Return the numbers (N,) of the pairs that `first` packs; none may be NaN."""
    q = array(value, "q", (int(given["first"][-1]),), finite=False)
    demand(not np.isnan(q).any(), "q has entries that are no numbers")
    return q


def free(value, given):
    """Return a value that the function itself looks at, or nobody needs to."""
    return value


CHECKS = {  # in the order in which they are made: some look at others
    "self": free,
    "game": _game,
    "mdp": _mdp,
    "legal": _legal,
    "side": _side,
    "player": _player,
    "lines": _lines,
    "gamma": chance("gamma"),
    "rewards": _rewards,
    "ties": lambda value, given: one_of(value, "ties", ("uniform", "lowest")),
    "tie": lambda value, given: number(value, "tie", 0),
    "theta": lambda value, given: number(value, "theta", 0),
    "evaluation": lambda value, given: one_of(value, "evaluation", ("solve", *ORDERS)),
    "evaluations": lambda value, given: whole(value, "evaluations", 0, 99_999),
    "s": _position("s"),
    "order": _order,
    "start": _position("start"),
    "position": _position("position"),
    "board": cells("board"),
    "action": _action,
    "actions": _actions,
    "games": lambda value, given: whole(value, "games"),
    "rng": _rng,
    "p": chance("p"),
    "epsilon": chance("epsilon"),
    "temperature": lambda value, given: number(value, "temperature", 0, above=True),
    "first": table("first", finite=False),
    "Q": table("Q"),
    "q": _pairs,
    "V": _values("V"),
    "table": _cell_table,
    "second": table("second", "first", finite=False),
    "to_move": _to_move,
    "policy": _policy("policy", +1),
    "behaviour": _policy("behaviour", +1),
    "other": probabilities("other", "policy"),
    "opponent": _policy("opponent", -1),
}


@overload
def checked(function: F, /) -> F: ...
@overload
def checked(function: None = None, /, **other: Callable) -> Callable[[F], F]: ...
def checked(function=None, /, **other):
    """Return a function that knows its arguments by their names, as CHECKS tells.

    `other` has the checks of arguments that mean something else there, or are its own;
    an argument left to its default is not looked at. Its docstring says that it raises
    ValueError, so the source need not. Its `bare` is the function without the door, for
    those who have looked.
    """
    if function is None:
        return partial(checked, **other)
    parameters = dict(signature(function).parameters)
    others = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    if others:  # settings that the function hands on
        parameters.popitem()
    names, known = tuple(parameters), set(parameters)
    defaults = {n: p.default for n, p in parameters.items() if p.default is not p.empty}
    checks = [
        (name, check, defaults.get(name, MISSING))
        for name, check in (CHECKS | other).items()
        if name in known
    ]
    unknown = known - {name for name, _, _ in checks}
    if unknown:
        raise KeyError(f"{function.__name__} has arguments without a check: {unknown}")

    @wraps(function)
    def door(*args, **named):
        given = {**defaults, **dict(zip(names, args, strict=False)), **named}
        twice = named and not named.keys().isdisjoint(names[: len(args)])
        fits = given.keys() >= known if others else given.keys() == known
        if twice or not fits or len(args) > len(names):
            return function(*args, **named)  # Python says which one is wrong
        for name, check, default in checks:
            if (value := given[name]) is not default:
                given[name] = check(value, given)
        return function(**given)

    door.bare = function
    # Python 3.13 takes the indent away itself.
    whole = cleandoc(function.__doc__ or "")
    words, heading, rest = whole.partition("\nExamples\n")
    door.__doc__ = f"{words.rstrip()}\n\n{SAID}\n{heading}{rest}"
    return door
