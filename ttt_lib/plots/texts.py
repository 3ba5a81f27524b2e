"""Text outputs of pages: tables, and the source code of the library."""

import inspect
import re
from numbers import Integral, Real

from ttt_lib.validation import short_repr

ONE = r"[-−+]?\d[\d,]*(\.\d+)?"
DECORATOR = re.compile(r"^@validated\w*(\(.*?\))?\n(?=@|def )", re.DOTALL)
NUMBERS = re.compile(rf"{ONE}( ?[±–/] ?{ONE})*( ?%)?")  # 1,287 or 0.3 ± 0.1 or 5 / 6 %


def table(head, rows, form="{:.3f}"):
    """Return a table for a notebook to display.

    head: names of the columns. rows: as many texts and numbers each; floats are written
    by `form`, True and False as yes and no. Columns of numbers are aligned right, also
    if they are texts with ±, ranges or %, and do not wrap.
    Raises ValueError if a row is not as long as the head.
    """
    from IPython.display import Markdown  # installed only with notebooks

    rows = list(rows)
    if wrong := [row for row in rows if len(row) != len(head)]:
        raise ValueError(
            f"rows has {short_repr(wrong[0])}: give {len(head)} cells in each."
        )
    written = [[_written(cell, form) for cell in row] for row in rows]
    columns = zip(*rows, strict=True) if rows else [()] * len(head)
    right_aligned = [all(map(_numeric, column)) for column in columns]
    rule = ["---:" if right else ":---" for right in right_aligned]
    lines = [[_escaped(name) for name in head], rule, *written]
    return Markdown("\n".join(f"| {' | '.join(line)} |" for line in lines))


def _written(cell, form):
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, Integral):
        return f"{cell:,}".replace("-", "−")
    if isinstance(cell, Real):
        return form.format(cell).replace("-", "−").replace(" ", "\u00a0")
    text = _escaped(cell)
    return text.replace(" ", "\u00a0") if _numeric(cell) else text


def _numeric(cell):
    if isinstance(cell, Real):
        return not isinstance(cell, bool)
    return bool(NUMBERS.fullmatch(str(cell)))


def _escaped(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def source(*functions):
    """Return the source code of functions of the library, for a notebook to display.

    The decorator that checks their arguments is left out.
    Raises ValueError if one has no source.
    """
    from IPython.display import Markdown

    code = "\n\n".join(map(_code, functions))
    return Markdown(f"```python\n{code}\n```")


def _code(function):
    try:
        code = inspect.getsource(function).rstrip()
        return DECORATOR.sub("", code)
    except (TypeError, OSError):
        raise ValueError(
            f"{short_repr(function)} has no source: give a function."
        ) from None
