"""`python -m ttt_lib.check NOTEBOOK [QUESTION …]`: its checks, without a browser.

All cells run in order but the checks of other questions, and the drawing. The status is
0 if the functions asked for pass their checks, all of them if none is named.
"""

import argparse
import ast
import json
import sys
from pathlib import Path

from ttt_lib.check import report


def main(words=None):
    """Run the checks of a notebook; return 0 if they pass, else 1 or a sentence."""
    parser = argparse.ArgumentParser("python -m ttt_lib.check", description=__doc__)
    parser.add_argument("notebook", type=Path)
    parser.add_argument("question", nargs="*", help="such as winner; all if none")
    known = parser.parse_args(words)
    try:
        cells = json.loads(known.notebook.read_text(encoding="utf-8"))["cells"]
        code = [c for c in cells if c["cell_type"] == "code"]
        sources = ["".join(c["source"]) for c in code if not _is_drawing(c)]
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        return f"{known.notebook} cannot be read as a notebook: {error}"
    asked = {name: source for source in sources if (name := _checked(source))}
    if strange := [name for name in known.question if name not in asked]:
        names = ", ".join(asked)
        return f"{known.notebook} has no check.{strange[0]}: choose from {names}"
    wanted = known.question or [*asked]
    from IPython.core.interactiveshell import InteractiveShell  # late: it is large

    shell = InteractiveShell.instance()
    shell.history_manager.enabled = False
    for source in sources:
        if _checked(source) in ("", *wanted):
            shell.run_cell(source)
    return int(any(report.KNOWN.get(name, 0) < 1 for name in wanted))


def _is_drawing(cell):
    return cell["metadata"].get("nbgrader", {}).get("grade_id") == report.DRAWING


def _checked(source):
    """Return the question of a cell `check.question(…)`, "" of another cell."""
    try:
        call = ast.parse(source).body[-1].value
        is_check = call.func.value.id == "check" and call.func.attr != "score"
        return call.func.attr if is_check else ""
    except (SyntaxError, ValueError, LookupError, AttributeError):
        return ""


if __name__ == "__main__":
    sys.exit(main())
