"""The source of the library, as pages show it."""

import inspect
import re

from ttt_lib.doors import shown


def source(*functions):
    """Return the source code of functions of the library, for a notebook to display.

    The decorator that checks their arguments is left out.
    Raises ValueError if one has none.
    """
    from IPython.display import Markdown  # only notebooks have it

    code = "\n\n".join(map(_code, functions))
    return Markdown(f"```python\n{code}\n```")


def _code(function):
    try:
        code = inspect.getsource(function).rstrip()
        return re.sub(r"^@checked(\(.*?\))?\n(?=@|def )", "", code, flags=re.DOTALL)
    except (TypeError, OSError):
        raise ValueError(f"{shown(function)} has no source: give a function.") from None
