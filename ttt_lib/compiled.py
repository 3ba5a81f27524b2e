"""The decorator of compiled loops: Numba's where installed, else the plain Python loop.

Both run the same lines and give the same numbers; the plain one is `function.py_func`.
"""

try:
    import numba
except ImportError:  # slower, not different

    def compiled(function):
        """Return the plain Python function, unchanged."""
        function.py_func = function
        return function

else:
    # Contraction off (Numba's default): compiled and plain loops agree to the last bit.
    compiled = numba.njit(cache=True)
