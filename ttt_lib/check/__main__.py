"""Run the checks of a notebook: `python -m ttt_lib.check NOTEBOOK [QUESTION …]`.

All cells run in order, except the cell that draws the figure and the checks of other
questions. The exit status is 0 if the named functions (default: all) pass their checks.
"""

import argparse
import ast
import sys
from pathlib import Path

from ttt_lib.check import notebook, report


def main(words=None):
    """Run the checks of a notebook; return 0 if they pass, else 1 or a message."""
    parser = argparse.ArgumentParser("python -m ttt_lib.check", description=__doc__)
    parser.add_argument("notebook", type=Path)
    parser.add_argument("question", nargs="*", help="such as winner (default: all)")
    arguments = parser.parse_args(words)
    try:
        cells = notebook.cells_of(notebook.content_of(arguments.notebook))
    except notebook.UnreadableError as error:
        return f"{arguments.notebook} cannot be read as a notebook: {error}"
    sources = [cell.source for cell in cells if _runs(cell)]
    names = {name: None for source in sources for name in _checked(source)[0]}
    if unknown := [name for name in arguments.question if name not in names]:
        choice = ", ".join(names)
        return f"{arguments.notebook} has no check.{unknown[0]}: choose from {choice}"
    if not names:
        return f"{arguments.notebook} has no check: is it an assignment of this book?"
    wanted = arguments.question or [*names]
    from ttt_lib.check.shell import Shell  # late: IPython is large

    shell = Shell.instance()
    shell.history_manager.enabled = False
    for source in sources:
        checks, is_alone = _checked(source)
        if not is_alone or {*checks} & {*wanted}:
            shell.run_cell(source)
    return int(any(report.KNOWN.get(name, 0) < 1 for name in wanted))


def _runs(cell):
    """Return whether a cell runs; an answer does, even if it became a Markdown cell."""
    if cell.grade_id == report.DRAWING:
        return False
    return cell.kind == "code" or cell.is_solution


def _checked(source):
    """Return the questions that a cell checks, and whether it does nothing else."""
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
