"""Games and decision problems as loops trust them: tables that fit, no index too far.

Loops take a Game or an MDP as it is, so what `_replace` may have made of one is looked
at here, once: the last few that were found sound are known by their identity, and held,
so that no other can take it. Who writes into their arrays afterwards is not seen.
"""

import numpy as np

from ttt_lib.doors.values import demand, is_array, refuse

FEW = 8
GAMES: dict[int, tuple] = {}  # id → what was found sound
MDPS: dict[int, tuple] = {}


def sound_game(value, given):
    """Return what `game.tables` gave, or what was made of it."""
    if GAMES.get(id(value), GAMES) is not value:
        if not (hasattr(value, "successor") and hasattr(value, "to_move")):
            refuse("game", value, "give what game.tables returns")
        _look_at_game(value)
        _remember(value, GAMES)
    return value


def sound_mdp(value):
    """Return what `mdp.against` or `mdp.from_arrays` gave, or what was made of it."""
    if MDPS.get(id(value), MDPS) is not value:
        if not (hasattr(value, "indptr") and hasattr(value, "successor")):
            refuse("mdp", value, "give what mdp.against or mdp.from_arrays returns")
        _look_at_mdp(value)
        _remember(value, MDPS)
    return value


def _remember(value, found):
    found[id(value)] = value
    for oldest in list(found)[:-FEW]:
        found.pop(oldest, None)


def _look_at_game(game):
    fits = np.ndim(game.legal) == 2
    demand(fits, "game.legal should have the shape (S, A): game was changed by hand")
    S, A = np.shape(game.legal)
    k = game.k if isinstance(game.k, int) and game.k > 0 else 1
    sizes = {"S": S, "A": A, "L": np.size(game.lines) // k, "k": k}
    _demand_tables("game", game, sizes, {
        "lines": ("Lk", np.int64, 0, A - 1),
        "board": ("SA", np.int8, -1, 1),
        "code": ("S", np.int64, 0, np.inf),
        "to_move": ("S", np.int8, -1, 1),
        "legal": ("SA", np.bool_, 0, 1),
        "next": ("SA", np.int32, -1, S - 1),
        "terminal": ("S", np.bool_, 0, 1),
        "outcome": ("S", np.int8, -1, 1),
        "count": ("S", np.int64, 0, A),
        "action": ("SA", np.int64, -1, A - 1),
        "successor": ("SA", np.int32, -1, S - 1),
    })  # fmt: skip
    # One mark more after each move: so successors are later, and every game ends.
    marks = np.count_nonzero(game.board, axis=1)
    used = np.arange(A, dtype=np.int64) < game.count[:, np.newaxis]
    fits = game.rows * game.columns == A and (game.to_move != 0).all()
    fits = fits and (game.action[used] >= 0).all() and (game.successor[used] > 0).all()
    after, before = marks[game.successor], marks[:, np.newaxis] + 1
    later = game.successor > np.arange(S, dtype=np.int64)[:, np.newaxis]
    fits = fits and ((after == before) & later)[used].all()
    demand(fits, "game has moves that are none: it was changed by hand")


def _look_at_mdp(mdp):
    n, N, M = map(np.size, (mdp.position, mdp.action, mdp.successor))
    sizes = {"n": n, "N": N, "M": M, "n + 1": n + 1, "N + 1": N + 1}
    _demand_tables("mdp", mdp, sizes, {
        "position": ("n", np.int64, 0, np.inf),
        "first": (["n + 1"], np.uint32, 0, N),
        "action": ("N", np.int64, 0, np.inf),
        "indptr": (["N + 1"], np.uint32, 0, M),
        "successor": ("M", np.uint32, 0, n - 1),
        "probability": ("M", np.float64, 0, np.inf),
        "reward": ("N", np.float64, None, None),  # planning says what is too large
        "start": ("n", np.float64, 0, np.inf),
    })  # fmt: skip
    packed = (mdp.first[:-1] < mdp.first[1:]).all() and mdp.first[0] == 0
    packed = packed and (mdp.indptr[:-1] <= mdp.indptr[1:]).all() and mdp.indptr[0] == 0
    packed = packed and mdp.first[-1] == N and mdp.indptr[-1] == M
    demand(packed, "mdp has pairs or transitions of no state: it was changed by hand")


def _demand_tables(name, owner, sizes, expected):
    """Raise ValueError unless fields hold what they should: field → (axes, kind, …).

    What follows are the least and the largest of their numbers.
    """
    for field, (axes, kind, least, most) in expected.items():
        found, shape = getattr(owner, field), tuple(sizes[axis] for axis in axes)
        fits = is_array(found) and (found.shape, found.dtype) == (shape, kind)
        if fits and found.size and least is not None:
            fits = found.min() >= least and found.max() <= most  # never if not numbers
        ends = "" if least is None else f", from {least} to {most}"
        what = f"{name}.{field} should be an array of {kind.__name__}, shape {shape}"
        demand(fits, f"{what}{ends}: {name} was changed by hand")
