"""Folding of notebook cells: code is one line, with its result if that is short.

Definitions of functions and classes stay open, because the text discusses them; so
does a cell with the tag `open`. The call of a board or lab stands below it, and checks
are in one fold at the end of the page.
"""

import ast
import html
import re

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

MAX_LINES = 20  # longer definitions fold
MAX_RESULT = 48  # characters of a result that stands on the line of its code
MAX_ROWS = 12  # a longer table folds, with its code
CHECKED = "✓ {} of this page’s numbers"
OUTSIDE = re.compile(r"<!-- Numbers from outside: (.*?) -->", re.DOTALL)
NOT_CHECKED = "Not checked here, because they come from elsewhere: "


class FoldCells(SphinxPostTransform):
    """Fold the code of some cells, and move all checks into one fold at the end."""

    default_priority = 198  # before MyST-NB hides cells by their tags
    formats = ("html",)

    def run(self, **kwargs):
        """Fold the cells of one page."""
        tests, checks, first, setup = [], 0, True, None
        for cell in list(self.document.findall(_is_code_cell)):
            source = cell.next_node(nodes.literal_block)
            if source is None or cell[0].get("nb_element") != "cell_code_source":
                continue
            body = parsed(source.astext())
            if source.astext().startswith("plots.source("):
                cell.remove(cell[0])  # its output is code: show only that
                continue
            if len(cell) == 1 and (count := _checks(body)):
                cell.parent.remove(cell)
                tests.append(cell)
                checks += count
                continue
            index = cell.parent.index(cell)
            first = first or (setup is not None and cell.parent[index - 1] is setup)
            line = _line(cell, source.astext(), first)
            if setup is not None and line and line[0] == "setup":
                setup.insert(-1, cell[0])  # one fold for all set-up cells
                cell.parent.remove(cell)
                continue
            first, setup = False, cell if line and line[0] == "setup" else None
            if line and "tag_open" not in cell["classes"] and not _in_solution(cell):
                _fold(cell, *line)
        if tests:
            count = f"{checks} check{'s' * (checks != 1)}"
            opening = _opening("check", CHECKED.format(count))
            elsewhere = [
                nodes.paragraph("", NOT_CHECKED + match[1])
                for comment in self.document.findall(nodes.raw)
                if (match := OUTSIDE.match(comment.astext()))
            ]
            end = [*tests, *elsewhere, _raw("</details>")]
            self.document[-1].extend([opening, *end])


def _is_code_cell(node):
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def _in_solution(node):
    """Return whether a node is part of a solution, which is folded as a whole."""
    while node is not None and "solution" not in node.get("classes", ()):
        node = node.parent
    return node is not None


def _line(cell, source, first):
    """Return the kind and the summary of the fold of a cell; None without a fold."""
    count = len(source.splitlines())
    lines = f"{count} line{'s' * (count != 1)} of Python"
    if first and len(cell) == 1:
        return "setup", "Set-up"
    if any(cell.findall(nodes.image)):
        return "drawing", "How this picture is drawn"
    if any("data-ttt-" in raw.astext() for raw in cell.findall(nodes.raw)):
        return "call", f"The call that makes this, {lines}"
    bodies = cell.findall(nodes.tbody)
    rows = max((len(list(body.findall(nodes.row))) for body in bodies), default=0)
    if rows > MAX_ROWS:
        return "table", f"The whole table, {rows} rows"
    if _defines(parsed(source)) and count <= MAX_LINES:
        return None
    result = _short_result(cell)
    return ("result", f"{lines} → {result}") if result else ("plain", lines)


def _defines(body):
    return any(isinstance(part, ast.FunctionDef | ast.ClassDef) for part in body)


def _short_result(cell):
    """Return the output of a cell, if it is one short line of text; else ""."""
    blocks = [block for part in cell[1:] for block in part.findall(nodes.literal_block)]
    text = "".join(block.astext() for block in blocks).strip()
    others = any(
        [*part.findall(nodes.raw), *part.findall(nodes.table)] for part in cell[1:]
    )
    one_line = len(blocks) == 1 and "\n" not in text and not others
    return text if one_line and len(text) <= MAX_RESULT else ""


def parsed(source):
    """Return the statements of a cell, without IPython magics; [] if invalid."""
    lines = (line for line in source.splitlines() if not line.startswith(("%", "!")))
    try:
        return ast.parse("\n".join(lines)).body
    except SyntaxError:
        return []


def _checks(body):
    """Return the number of asserts in a cell, 0 if all are inside functions."""
    runs = [part for part in body if not isinstance(part, ast.FunctionDef)]
    return _asserts(body) if _asserts(runs) else 0


def _asserts(body):
    return sum(isinstance(node, ast.Assert) for part in body for node in ast.walk(part))


def _fold(cell, kind, line):
    """Fold the code of a cell: below a figure or lab, or together with its result."""
    hidden = list(cell) if kind in ("table", "result") else [cell[0]]
    for part in hidden:
        cell.remove(part)
    folded = [_opening(kind, line), *hidden, _raw("</details>")]
    cell.extend(folded) if kind in ("drawing", "call") else cell.insert(0, folded)


def _opening(kind, line):
    line = html.escape(line)
    return _raw(f'<details class="ttt-fold ttt-{kind}"><summary>{line}</summary>')


def _raw(text):
    return nodes.raw("", text, format="html")


def setup(app):
    """Register the transform."""
    app.add_post_transform(FoldCells)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
