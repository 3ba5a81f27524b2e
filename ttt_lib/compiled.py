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
    # No way in from C, which nobody takes: there is less to compile.
    compiled = numba.njit(cache=True, no_cfunc_wrapper=True)
