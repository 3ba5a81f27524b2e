"""Decorators of compiled loops: Numba's if it is installed, else plain Python loops.

Both run the same code with bit-identical results; `function.py_func` is the plain one.
A compiled loop cannot be interrupted by Ctrl-C, so loops over many games run in chunks.
"""

import warnings
from contextlib import suppress
from pathlib import Path

from ttt_lib.interrupts import defer_sigint

try:
    from numba import njit
    from numba.extending import register_jitable
except ImportError:  # slower, with the same results
    njit = register_jitable = None  # type: ignore[assignment]


def compiled(function):
    """Return the loop, compiled at its first call and cached on disk if possible.

    It must not create arrays or lists; it writes into the arrays that it is given.
    """
    # The caller holds the arrays, so references need not be counted (`_nrt`): that took
    # half the time of alpha-beta.
    return allocating(function, _nrt=False)


def jitable(function):
    """Return the function itself: plain Python, but compiled into loops that call it.

    Compiling it separately would take longer. It must not create arrays either.
    """
    function.py_func = function
    return function if njit is None else register_jitable(_nrt=False)(function)


def allocating(function, **options):
    """Return the loop as `compiled` does; it may create arrays and lists.

    `options` are further options of `numba.njit`.
    """
    function.py_func = function  # also under NUMBA_DISABLE_JIT
    if njit is None:
        return function
    # We never call a loop from C, so that entry is not compiled.
    options["no_cfunc_wrapper"] = True
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:  # no folder can be written to
        warnings.warn(
            "Compiled loops cannot be stored, so each start takes seconds longer: "
            "set NUMBA_CACHE_DIR to a folder that you may write to.",
            stacklevel=1,
        )
        return njit(**options)(function)


CHUNK_SIZE = 50_000  # games, which take some hundredths of a second


def in_chunks(play, state, games):
    """Return the state after `games` more games, by state = play(state, chunk size).

    Ctrl-C takes effect after each chunk: the KeyboardInterrupt has the state that is
    reached as its attribute `so_far`.
    """
    try:
        for done in range(0, max(games, 1), CHUNK_SIZE):
            # An interrupt while Numba unpacks a random generator would crash Python.
            with defer_sigint():
                state = play(state, min(CHUNK_SIZE, games - done))
    except KeyboardInterrupt as stop:
        stop.so_far = state
        raise
    return state


# Numba checks a cached loop against its own source file only. After an edit to any file
# with loops, all older cached loops are removed, as they may use what was edited.
here = Path(__file__).parent
with_loops = "", "validation", "large_boards", "approximation", "studies"
folders = [here / name for name in with_loops]
edited = max(file.stat().st_mtime for each in folders for file in each.glob("*.py"))
for cached in (file for each in folders for file in each.glob("__pycache__/*.nbi")):
    with suppress(OSError):  # already removed by another process, or not permitted
        if cached.stat().st_mtime < edited:
            cached.unlink()
