"""The decorators of compiled loops: Numba's where installed, else plain Python loops.

Both run the same lines and give the same numbers; the plain one is `function.py_func`.
A loop compiles when it is first called, or a little later, and only then Numba comes.
A compiled loop does not hear Ctrl-C: one of many games runs in pieces.
"""

import warnings
from contextlib import suppress
from functools import cache, wraps
from pathlib import Path
from threading import Lock

from ttt_lib.interrupts import held


def compiled(function):
    """Return the compiled loop, stored for the next start where there is a place.

    It makes no array and no list, and writes into the arrays that it is given.
    """
    # Whoever calls holds the arrays: counting references to them (`_nrt`) at each call
    # took half of alpha-beta's time.
    return _loop(function, _nrt=False)


def allocating(function):
    """Return what `compiled` does of a loop that makes arrays or lists of its own."""
    return _loop(function)


def bounded(function):
    """Return a small compiled function that readers call, too: it checks its indices.

    An index out of range raises IndexError.
    """
    return _loop(function, _nrt=False, boundscheck=True)


PATIENCE = 10  # calls, which take about as long as to compile


def brief(function):
    """Return a loop of one pass, compiled when it has been called PATIENCE times.

    Plain Python passes over the tables of 3 × 3 in some hundredths of a second, and
    Numba needs most of a second to come: who plays one game need not wait for it.
    """
    later, left = compiled(function), PATIENCE

    @wraps(function)
    def loop(*args, **named):
        nonlocal left
        if left > 0:
            left -= 1
            return function(*args, **named)
        return later(*args, **named)

    loop.py_func = function
    return loop


# What Numba makes of a loop, when it is called

_new: list = []  # loops of which Numba has not been told
_one_at_a_time = Lock()


def _loop(function, **options):
    @wraps(function)
    def loop(*args, **named):
        if loop.called is None:
            with held(), _one_at_a_time:
                if loop.called is None:  # nobody was faster
                    _prepare(loop)
        return loop.called(*args, **named)

    loop.py_func, loop.options, loop.called = function, options, None
    _new.append(loop)
    return loop


def _prepare(loop):
    """Give a loop what runs when Python calls it, and all loops what Numba asks for."""
    try:
        import numba  # late: it takes longer than all of the library
    except ImportError:  # slower, not different
        loop.called = loop.py_func
        return
    # Contraction off (Numba's default): compiled and plain loops agree to the last bit.
    # We never call a loop from C, so that entry is not compiled.
    options = {"no_cfunc_wrapper": True}
    while _new:
        # A loop that calls another needs no way in for Python's objects either, which
        # takes a fifth of the time. What it calls is stored with it.
        other = _new[-1]
        within = other.options | options | {"no_cpython_wrapper": True}
        other.within = numba.njit(**within)(other.py_func)
        other._numba_type_ = other.within._numba_type_
        _new.pop()
    options |= loop.options
    try:
        called = numba.njit(cache=True, **options)(loop.py_func)
    except RuntimeError:
        _say_that_nothing_is_stored()
        called = numba.njit(**options)(loop.py_func)
    if loop.__name__ in loop.py_func.__code__.co_names:  # it calls itself
        loop._numba_type_ = called._numba_type_
    # Numba compiles, or reads what is stored, when it meets new types of arguments, and
    # in Python: Ctrl-C would leave something half done.
    called._compile_for_args = held()(called._compile_for_args)
    loop.called = called  # last, for from here on other threads call it


@cache  # once is enough
def _say_that_nothing_is_stored():
    note = "Compiled loops cannot be stored, so each start takes seconds longer: "
    # From here to whoever called the loop it is four calls.
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
