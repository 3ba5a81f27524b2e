"""The decorators of compiled loops: Numba's where installed, else plain Python loops.

Both run the same lines and give the same numbers; the plain one is `function.py_func`.
A compiled loop does not hear Ctrl-C: one of many games runs in pieces.
"""

from contextlib import suppress
from pathlib import Path

try:
    import numba
except ImportError:  # slower, not different

    def compiled(function):
        """Return the plain Python function, unchanged."""
        function.py_func = function
        return function

    bounded = compiled
else:
    # Contraction off (Numba's default): compiled and plain loops agree to the last bit.
    # We never call a loop from C, so that entry is not compiled.
    options = {"cache": True, "no_cfunc_wrapper": True}
    compiled = numba.njit(**options)
    # Small functions that readers call, too, check indices: one out of range raises
    # IndexError. It costs nothing where references to arrays are not counted (`_nrt`);
    # where they are, it made Q-learning a quarter slower.
    bounded = numba.njit(**options, boundscheck=True, _nrt=False)


PIECE = 50_000  # games: some hundredths of a second


def in_pieces(play, state, games):
    """Return the state after `games` more games, by state = play(state, some games).

    Ctrl-C is heard after each piece: the KeyboardInterrupt then takes the state that it
    leaves along, as its attribute `so_far`.
    """
    try:
        for done in range(0, max(games, 1), PIECE):
            state = play(state, min(PIECE, games - done))
    except KeyboardInterrupt as stop:
        stop.so_far = state
        raise
    return state


# Numba compares a stored loop with its own file only, and would overlook an edit in
# another file that holds a loop called by this one: after an edit all are made anew.
edited = max(file.stat().st_mtime for file in Path(__file__).parent.glob("*.py"))
for stored in Path(__file__).parent.glob("__pycache__/*.nbi"):
    with suppress(FileNotFoundError):  # another process may have been faster
        if stored.stat().st_mtime < edited:
            stored.unlink()
