"""The decorator of compiled loops: Numba's where installed, else the plain Python loop.

Both run the same lines and give the same numbers; the plain one is `function.py_func`.
"""

from pathlib import Path

try:
    import numba
except ImportError:  # slower, not different

    def compiled(function):
        """Return the plain Python function, unchanged."""
        function.py_func = function
        return function

else:
    # Contraction off (Numba's default): compiled and plain loops agree to the last bit.
    # We never call a loop from C, so that entry is not compiled.
    compiled = numba.njit(cache=True, no_cfunc_wrapper=True)


def forget_stale_loops(folder):
    """Remove the stored loops of the modules in a folder if a module is newer.

    Numba compares a stored loop with its own file only; it would overlook an edit in
    another file that holds a loop called by this one.
    """
    newest = max(module.stat().st_mtime for module in folder.glob("*.py"))
    for stored in folder.glob("__pycache__/*.nbi"):
        if stored.stat().st_mtime < newest:
            stored.unlink(missing_ok=True)


forget_stale_loops(Path(__file__).parent)
