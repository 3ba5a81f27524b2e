"""Validation of arguments by name: a name means the same in every public function.

A function decorated with `@validated` validates its arguments once, when it is called,
so its loops need not. A check takes the value and all arguments of the call by name; it
returns the value as the loops need it, or raises ValueError.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial, wraps
from inspect import cleandoc, signature
from typing import TypeVar, overload

import numpy as np

from ttt_lib.compiled import compiled
from ttt_lib.validation.values import (
    MAX_INT,
    MAX_REWARD,
    as_array,
    as_float,
    as_int,
    bad_argument,
    bool_array,
    float_array,
    one_of,
    require,
    short_repr,
)

MISSING = object()  # marks an argument without a default
RAISES = "Raises ValueError if an argument is invalid."
ORDERS = "synchronous", "rising", "falling"  # of sweeps
F = TypeVar("F", bound=Callable)  # the decorated function keeps its type
SUM_ATOL = 1e-6  # tolerance for sums of probabilities, wide enough for float32


def _side(value, arguments):
    if isinstance(value, bool) or not np.isscalar(value) or value not in (+1, -1):
        bad_argument("side", value, "the first player is +1, the second -1")
    return int(value)


def side_or_both(value, arguments):
    """Return a side as an int; 0 stands for both."""
    if isinstance(value, bool) or not np.isscalar(value) or value not in (+1, -1, 0):
        bad_argument("side", value, "give 1 or -1 for a player, 0 for both")
    return int(value)


def _legal(value, arguments):
    legal = bool_array(value, "legal")
    if legal.ndim != 2 or not legal.shape[1]:
        bad_argument("legal", value, "give Game.legal, of shape (S, A)")
    return legal


def _rewards(value, arguments):
    numbers = float_array(value, "rewards")
    if numbers.shape != (3,):
        bad_argument("rewards", value, "give three, of a win, a draw and a loss")
    if np.abs(numbers).max() > MAX_REWARD:
        bad_argument("rewards", value, f"give numbers up to {MAX_REWARD:g}")
    return tuple(numbers.tolist())


def _position(name):
    def check(value, arguments):
        game = arguments["game"] if "game" in arguments else arguments["self"]
        return as_int(value, name, 0, len(game.code) - 1)

    return check


def _game(value, arguments):
    if not (hasattr(value, "successor") and hasattr(value, "to_move")):
        bad_argument("game", value, "give what game.tables returns")
    return value


def _mdp(value, arguments):
    if not (hasattr(value, "indptr") and hasattr(value, "successor")):
        bad_argument(
            "mdp", value, "give what mdp.from_opponent or mdp.from_arrays returns"
        )
    if "game" in arguments:
        legal = arguments["game"].legal
        fits = value.position.max() < len(legal) and value.action.max() < legal.shape[1]
        fits = fits and len(value.action) == legal[value.position].sum()
        require(fits, "mdp was made for a different board than game")
    return value


def cells(name):
    """Return the check of boards, or of the cells of one: +1, −1 and 0."""

    def check(value, arguments):
        try:
            good = isinstance(value, list | tuple | np.ndarray)
            board = as_array(value if good else [])
        except TypeError:
            board = np.zeros(0)
        good = board.dtype.kind in "iuf" and board.shape[-1:] > (0,)
        good = good and board.min(initial=0) >= -1 and board.max(initial=0) <= 1
        if not (good and (board.dtype.kind != "f" or (board == np.rint(board)).all())):
            bad_argument(name, value, "give cells of +1, -1 and 0")
        if "lines" in arguments and board.shape[-1] <= arguments["lines"].max():
            cell = arguments["lines"].max()
            raise ValueError(
                f"{name} has {board.shape[-1]} cells, but lines contains cell {cell}."
            )
        # Arrays of signed integers are not copied; unsigned ones cannot hold −1.
        reusable = board is value and board.dtype.kind == "i"
        return board if reusable else board.astype(np.int8)

    return check


def _lines(value, arguments):
    lines = float_array(value, "lines")
    good = lines.ndim == 2 and lines.size and lines.min() >= 0
    good = good and (lines == np.floor(lines)).all() and lines.max() <= MAX_INT
    if not good:
        bad_argument("lines", value, "give cells (L, k), as rules.lines returns")
    return lines.astype(np.int64)


def _player(value, arguments):
    if not (np.isscalar(value) and value in (+1, -1)):
        bad_argument("player", value, "the first player is +1, the second -1")
    return value


def _action(value, arguments):
    action, boards = float_array(value, "action"), arguments["board"].shape[:-1]
    whole = np.asarray(value).dtype != bool and (action == np.floor(action)).all()
    if not whole or np.abs(action).max(initial=0) > MAX_INT:
        last = arguments["board"].shape[-1] - 1
        right = f"there is no such cell, give a whole number from 0 to {last}"
        bad_argument("action", value, right)
    with suppress(ValueError):
        np.broadcast_shapes(action.shape, boards)
        return action.astype(np.int64)
    bad_argument(
        "action",
        value,
        f"its shape {action.shape} does not fit that of board, {boards}",
    )


def _actions(value, arguments):
    if not np.iterable(value):
        bad_argument(
            "actions",
            value,
            "give the cells of a game in the order in which they are played",
        )
    return [as_int(a, "actions: an action") for a in value]


def _to_move(value, arguments):
    sides = float_array(value, "to_move", arguments["first"].shape[:1])
    require(np.isin(sides, (1, -1)).all(), "to_move should be +1 and -1: Game.to_move")
    return sides


def _cell_table(value, arguments):
    """Return a table (S, A) with an entry for each pair of the MDP."""
    numbers, mdp = float_array(value, "table", finite=False), arguments["mdp"]
    rows, columns = mdp.position.max() + 1, mdp.action.max() + 1
    fits = numbers.ndim == 2 and len(numbers) >= rows and numbers.shape[1] == columns
    if not fits:
        bad_argument("table", value, "give numbers (S, A) of the same board")
    return numbers


def allowed_moves(value, arguments):
    """Return the legal moves (S, A) that a side may choose from."""
    game = arguments["game"]
    among = bool_array(value, "among", game.legal.shape) & game.legal
    decides = (game.to_move == arguments["side"]) & ~game.terminal
    require(among[decides].any(axis=1).all(), "among leaves a position without a move")
    return among


def selected_states(value, arguments):
    """Return a mask (S,) of bool that selects positions."""
    return bool_array(value, "among", arguments["game"].terminal.shape)


def _order(value, arguments):
    if "mdp" in arguments:
        return one_of(value, "order", ORDERS)
    legal, order = (
        arguments["game"].legal[arguments.get("s", 0)],
        float_array(value, "order"),
    )
    once = order.ndim == 1 and len(np.unique(order)) == len(order)
    fits = once and np.isin(order, np.arange(len(legal), dtype=np.int64)).all()
    fits = fits and np.isin(np.flatnonzero(legal), order).all()
    if not fits:
        bad_argument("order", value, "give each legal cell, and no cell twice")
    return order.astype(np.int64)


def table(name, like=None, finite=True):
    """Return the check of numbers (S, A), `finite` where moves are legal.

    Without a game or `legal`, they have the shape of the argument `like`.
    """

    def check(value, arguments):
        legal = (
            arguments["game"].legal if "game" in arguments else arguments.get("legal")
        )
        shape = arguments[like].shape if legal is None and like else None
        numbers = float_array(
            value, name, shape if legal is None else legal.shape, False
        )
        if numbers.ndim != 2:
            bad_argument(name, value, "give an array (S, A)")
        if finite and not np.isfinite(numbers).all():
            # Entries at illegal cells are ignored.
            good = legal is not None and np.isfinite(numbers[legal]).all()
            require(good, f"{name} has entries that are infinite or NaN")
        return numbers

    return check


def partial_policy(name, like=None):
    """Return the check of numbers (S, A), none below 0; rows may be all 0."""

    def check(value, arguments):
        numbers = table(name, like)(value, arguments)
        require(numbers.min(initial=0) >= 0, f"{name} has a probability below 0")
        return numbers

    return check


def probabilities(name, like=None):
    """Return the check of a policy of any form, (S, A) or packed (N,)."""

    def check(value, arguments):
        numbers = float_array(value, name, arguments[like].shape if like else None)
        good = numbers.min(initial=0) >= 0 and numbers.max(initial=0) <= 1 + SUM_ATOL
        require(good, f"{name} has entries below 0 or above 1")
        return numbers

    return check


def _values(name):
    """Return the check of V (n,) of the states of an MDP."""

    def check(value, arguments):
        return float_array(value, name, arguments["mdp"].position.shape)

    return check


def _pairs(value, arguments):
    return float_array(value, "q", arguments["mdp"].action.shape)


def _policy(name, owner):
    """Return the check of a policy that moves for `owner` times the argument `side`."""

    def check(value, arguments):
        if "mdp" in arguments:
            return _packed_policy(value, arguments["mdp"])
        if "game" in arguments:
            return policy_for_side(
                owner * arguments.get("side", 0), value, arguments["game"], name
            )
        return partial_policy(name, "Q")(value, arguments)

    return check


def _packed_policy(value, mdp):
    policy = float_array(value, "policy", mdp.action.shape)
    sound = _sums_to_one(policy, mdp.first)
    require(
        sound, "policy has a state whose probabilities are below 0 or do not sum to 1"
    )
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
        sums &= abs(total - 1) <= SUM_ATOL
    return sums and least >= 0


def policy_for_side(side, policy, game, name="policy"):
    """Return the policy as an array (S, A), valid for `side`, for both sides if 0.

    Raises ValueError if its shape is wrong, or a row of that side is not a distribution
    over the legal cells.
    """
    policy = float_array(policy, name, game.legal.shape, finite=False)
    s = _first_invalid_row(policy, game.count, game.action, game.to_move, side)
    if s >= 0:
        raise invalid_policy(name, s, policy)
    return policy


def invalid_policy(name, s, policy):
    """Return the ValueError on a policy that cannot move in position s."""
    row = short_repr(policy[s].tolist())
    return ValueError(
        f"{name} has the row {row} in position {s}: legal cells need probabilities "
        "that sum to 1, the others 0."
    )


@compiled
def _first_invalid_row(policy, count, action, to_move, side):
    """Return the first position whose row is not a distribution, or −1."""
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
        # Written so that NaN fails as well.
        sound = least >= 0 and abs(everywhere - total) <= 1e-12
        if not (sound and abs(total - min(count[s], 1)) <= SUM_ATOL):
            return s
    return -1


def probability(name, above=False):
    """Return the check of a number from 0 to 1; with `above`, 0 is invalid."""

    def check(value, arguments):
        return as_float(value, name, 0, 1, above)

    return check


def _rng(value, arguments):
    if not isinstance(value, np.random.Generator):
        bad_argument(
            "rng", value, "give a generator, such as numpy.random.default_rng(0)"
        )
    return value


def offsets(value, arguments):
    """Return the first pair of each state and the end: from 0 to N, not decreasing."""
    rule = "give whole numbers from 0 to below 2^32, in non-decreasing order"
    if isinstance(value, str):  # here it is not a policy, as elsewhere
        bad_argument("first", value, rule)
    first = float_array(value, "first")
    good = first.ndim == 1 and len(first) and (np.diff(first) >= 0).all()
    good = good and first[0] == 0 and (first == np.floor(first)).all()
    good = good and first[-1] < 2**32
    if not good:
        bad_argument("first", value, rule)
    return first.astype(np.uint32)


def pairs(value, arguments):
    """Return the numbers (N,) of the pairs packed by `first`. NaN is invalid."""
    q = float_array(value, "q", (int(arguments["first"][-1]),), finite=False)
    require(not np.isnan(q).any(), "q has entries that are NaN")
    return q


def anything(value, arguments):
    """Return the value unchecked: the function checks it, or any value is valid."""
    return value


CHECKS = {  # in the order of validation: some checks use earlier arguments
    "self": anything,
    "game": _game,
    "mdp": _mdp,
    "legal": _legal,
    "side": _side,
    "player": _player,
    "lines": _lines,
    "gamma": probability("gamma"),
    "rewards": _rewards,
    "ties": lambda value, arguments: one_of(value, "ties", ("uniform", "lowest")),
    "tie": lambda value, arguments: as_float(value, "tie", 0),
    "theta": lambda value, arguments: as_float(value, "theta", 0),
    "evaluation": lambda value, arguments: one_of(
        value, "evaluation", ("solve", *ORDERS)
    ),
    "evaluations": lambda value, arguments: as_int(value, "evaluations", 0, 99_999),
    "s": _position("s"),
    "order": _order,
    "start": _position("start"),
    "position": _position("position"),
    "board": cells("board"),
    "action": _action,
    "actions": _actions,
    "games": lambda value, arguments: as_int(value, "games"),
    "rng": _rng,
    "p": probability("p"),
    "epsilon": probability("epsilon"),
    "temperature": lambda value, arguments: as_float(
        value, "temperature", 0, above=True
    ),
    "first": table("first", finite=False),
    "Q": table("Q"),
    "q": _pairs,
    "V": _values("V"),
    "table": _cell_table,
    "second": table("second", "first", finite=False),
    "to_move": _to_move,
    "policy": _policy("policy", +1),
    "target": _policy("target", +1),
    "behaviour": _policy("behaviour", +1),
    "other": probabilities("other", "policy"),
    "opponent": _policy("opponent", -1),
}


@overload
def validated(function: F, /) -> F: ...
@overload
def validated(function: None = None, /, **other: Callable) -> Callable[[F], F]: ...
def validated(function=None, /, **other):
    """Return the function with its arguments validated by name, with CHECKS.

    `other` has checks that replace those of CHECKS or add to them, by name. Arguments
    left at their defaults are not validated. A sentence on ValueError is added to the
    docstring. The attribute `unchecked` is the function without validation, for
    internal callers that have already validated.
    """
    if function is None:
        return partial(validated, **other)
    parameters = dict(signature(function).parameters)
    has_settings = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    if has_settings:  # **settings, passed on and validated elsewhere
        parameters.popitem()
    names, expected = tuple(parameters), set(parameters)
    defaults = {n: p.default for n, p in parameters.items() if p.default is not p.empty}
    checks = [
        (name, check, defaults.get(name, MISSING))
        for name, check in (CHECKS | other).items()
        if name in expected
    ]
    unknown = expected - {name for name, _, _ in checks}
    if unknown:
        raise KeyError(f"{function.__name__} has arguments without a check: {unknown}")

    @wraps(function)
    def wrapper(*args, **named):
        arguments = {**defaults, **dict(zip(names, args, strict=False)), **named}
        twice = named and not named.keys().isdisjoint(names[: len(args)])
        given = arguments.keys()
        fits = given >= expected if has_settings else given == expected
        if twice or not fits or len(args) > len(names):
            return function(*args, **named)  # raises Python's own TypeError
        for name, check, default in checks:
            if (value := arguments[name]) is not default:
                arguments[name] = check(value, arguments)
        return function(**arguments)

    wrapper.unchecked = function
    # Before Python 3.13 a docstring keeps its indentation.
    docstring = cleandoc(function.__doc__ or "")
    words, heading, rest = docstring.partition("\nExamples\n")
    wrapper.__doc__ = f"{words.rstrip()}\n\n{RAISES}\n{heading}{rest}"
    return wrapper
