"""The decorators of compiled loops: Numba's where installed, else plain Python loops.

Both run the same lines and give the same numbers; the plain one is `function.py_func`.
A compiled loop does not hear Ctrl-C: one of many games runs in pieces.
"""

import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path

from ttt_lib.interrupts import held

try:
    import numba
except ImportError:  # slower, not different
    numba = None  # type: ignore[assignment]


def compiled(function):
    """Return the compiled loop, stored for the next start where there is a place.

    It makes no array and no list, and writes into the arrays that it is given.
    """
    # Whoever calls holds the arrays: counting references to them (`_nrt`) at each call
    # took half of alpha-beta's time.
    return _made(function, _nrt=False)


def allocating(function):
    """Return what `compiled` does of a loop that makes arrays or lists of its own."""
    return _made(function)


def bounded(function):
    """Return a small compiled function that readers call, too: it checks its indices.

    An index out of range raises IndexError.
    """
    return _made(function, _nrt=False, boundscheck=True)


def _made(function, **options):
    if numba is None:
        function.py_func = function
        return function
    # Contraction off (Numba's default): compiled and plain loops agree to the last bit.
    # We never call a loop from C, so that entry is not compiled.
    options["no_cfunc_wrapper"] = True
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:
        _say_that_nothing_is_stored()
        return numba.njit(**options)(function)


@cache  # once is enough
def _say_that_nothing_is_stored():
    note = "Compiled loops cannot be stored, so each start takes seconds longer: "
    # From here to whoever asked for the loop it is four calls.
    warnings.warn(note + "let NUMBA_CACHE_DIR name a folder.", stacklevel=4)


PIECE = 50_000  # games: some hundredths of a second


def in_pieces(play, state, games):
    """Return the state after `games` more games, by state = play(state, some games).

    Ctrl-C is heard after each piece: the KeyboardInterrupt then takes the state that it
    leaves along, as its attribute `so_far`.
    """
    try:
        for done in range(0, max(games, 1), PIECE):
            # It would end Python where Numba takes a generator of random numbers apart.
            with held():
                state = play(state, min(PIECE, games - done))
    except KeyboardInterrupt as stop:
        stop.so_far = state
        raise
    return state


# Numba compares a stored loop with its own file only, and would overlook an edit in
# another file that holds a loop called by this one: after an edit all are made anew.
here = Path(__file__).parent
rooms = here, here / "doors", here / "bigger"
edited = max(file.stat().st_mtime for room in rooms for file in room.glob("*.py"))
for stored in (file for room in rooms for file in room.glob("__pycache__/*.nbi")):
    with suppress(OSError):  # another process may have been faster, or may not write
        if stored.stat().st_mtime < edited:
            stored.unlink()
