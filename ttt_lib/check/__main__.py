"""`python -m ttt_lib.check NOTEBOOK [QUESTION …]`: its checks, without a browser.

All cells run in order but the checks of other questions, and the drawing. The status is
0 if the functions asked for pass their checks, all of them if none is named.
"""

import argparse
import ast
import sys
from pathlib import Path

from ttt_lib.check import notebook, report


def main(words=None):
    """Run the checks of a notebook; return 0 if they pass, else 1 or a sentence."""
    parser = argparse.ArgumentParser("python -m ttt_lib.check", description=__doc__)
    parser.add_argument("notebook", type=Path)
    parser.add_argument("question", nargs="*", help="such as winner; all if none")
    known = parser.parse_args(words)
    try:
        cells = notebook.cells_of(notebook.content_of(known.notebook))
    except notebook.UnreadableError as error:
        return f"{known.notebook} cannot be read as a notebook: {error}"
    sources = [cell.source for cell in cells if _runs(cell)]
    names = {name: None for source in sources for name in _checked(source)[0]}
    if strange := [name for name in known.question if name not in names]:
        choice = ", ".join(names)
        return f"{known.notebook} has no check.{strange[0]}: choose from {choice}"
    if not names:
        return f"{known.notebook} has no check: is it an assignment of this book?"
    wanted = known.question or [*names]
    from ttt_lib.check.shell import Shell  # late: IPython is large

    shell = Shell.instance()
    shell.history_manager.enabled = False
    for source in sources:
        checks, is_alone = _checked(source)
        if not is_alone or {*checks} & {*wanted}:
            shell.run_cell(source)
    return int(any(report.KNOWN.get(name, 0) < 1 for name in wanted))


def _runs(cell):
    """Return whether a cell runs: also an answer that has become a text."""
    if cell.grade_id == report.DRAWING:
        return False
    return cell.kind == "code" or cell.is_solution


def _checked(source):
    """Return the questions `check.question(…)` of a cell, and if it does no more."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [], False
    calls = [node.value for node in body if isinstance(node, ast.Expr)]
    names = [
        call.func.attr
        for call in calls
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == "check"
        and call.func.attr != "score"
    ]
    return names, bool(names) and len(names) == len(body)


if __name__ == "__main__":
    sys.exit(main())
