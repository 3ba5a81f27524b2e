"""The decorators of compiled loops: Numba's where installed, else plain Python loops.

Both run the same lines and give the same numbers; the plain one is `function.py_func`.
A compiled loop does not hear Ctrl-C: one of many games runs in pieces.
"""

import warnings
from contextlib import suppress
from pathlib import Path

from ttt_lib.interrupts import defer_sigint

try:
    from numba import njit
    from numba.extending import register_jitable
except ImportError:  # slower, not different
    njit = register_jitable = None  # type: ignore[assignment]


def compiled(function):
    """Return the loop, compiled at its first call and stored where there is a place.

    It makes no array and no list, and writes into the arrays that it is given.
    """
    # Whoever calls holds the arrays: counting references to them (`_nrt`) at each call
    # took half of alpha-beta's time.
    return allocating(function, _nrt=False)


def jitable(function):
    """Return the function as it is: plain Python, and compiled where a loop calls it.

    As a loop of its own it would take longer to compile. It makes no array, either.
    """
    function.py_func = function
    return function if njit is None else register_jitable(_nrt=False)(function)


def allocating(function, **options):
    """Return what `compiled` does of a loop that makes arrays or lists of its own.

    `options` are more of Numba's.
    """
    function.py_func = function  # also where Numba is told to compile nothing
    if njit is None:
        return function
    # We never call a loop from C, so that entry is not compiled.
    options["no_cfunc_wrapper"] = True
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:  # there is no place
        warnings.warn(
            "Compiled loops cannot be stored, so each start takes seconds longer: "
            "let NUMBA_CACHE_DIR name a folder.",
            stacklevel=1,
        )
        return njit(**options)(function)


CHUNK_SIZE = 50_000  # games: some hundredths of a second


def in_chunks(play, state, games):
    """Return the state after `games` more games, by state = play(state, some games).

    Ctrl-C is heard after each piece: the KeyboardInterrupt then takes the state that it
    leaves along, as its attribute `so_far`.
    """
    try:
        for done in range(0, max(games, 1), CHUNK_SIZE):
            # It would end Python where Numba takes a generator of random numbers apart.
            with defer_sigint():
                state = play(state, min(CHUNK_SIZE, games - done))
    except KeyboardInterrupt as stop:
        stop.so_far = state
        raise
    return state


# Numba compares a stored loop with its own file only, and would overlook an edit in
# another file, of what this loop calls or of a constant: then all are made anew.
here = Path(__file__).parent
with_loops = "", "validation", "large_boards", "approximation", "studies"
folders = [here / name for name in with_loops]
edited = max(file.stat().st_mtime for each in folders for file in each.glob("*.py"))
for stored in (file for each in folders for file in each.glob("__pycache__/*.nbi")):
    with suppress(OSError):  # another process may have been faster, or may not write
        if stored.stat().st_mtime < edited:
            stored.unlink()
