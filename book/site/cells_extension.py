"""Cells of notebooks on pages: what is proof or preparation folds, what is idea stays.

A fold is a line that opens, made of the cell itself: nothing is marked in the notebook.
A cell with the tag `open` does not fold.
"""

import ast
import html

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

LONG = 20  # lines: longer code folds
MANY = 12  # rows: a table of more folds, with the code that makes it
TESTED = "✓ {} tested"  # how many numbers


class FoldCells(SphinxPostTransform):
    """Fold the code of some cells, and count at the end what a page tests."""

    default_priority = 198  # before MyST-NB hides cells by their tags
    formats = ("html",)

    def run(self, **kwargs):
        """Fold the cells of one page."""
        tested, first = 0, True
        for cell in list(self.document.findall(_is_code_cell)):
            source = cell.next_node(nodes.literal_block)
            if source is None or cell[0].get("nb_element") != "cell_code_source":
                continue
            body = _parsed(source.astext())
            numbers = _numbers_tested(body)
            tested += numbers
            if source.astext().startswith("plots.source("):
                cell.remove(cell[0])  # what it shows is code: one box is enough
                continue
            said = _line(cell, source.astext(), body, numbers, first)
            first = False
            if said and "tag_open" not in cell["classes"]:
                _fold(cell, *said)
        if tested:
            text = f"✓ {_counted(tested)} on this page are tested: green lines open."
            self.document[-1].append(_raw(f'<p class="ttt-tested">{text}</p>'))


def _is_code_cell(node):
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def _line(cell, source, body, numbers, first):
    """Return the kind of a fold and what its line says, or None if nothing folds."""
    lines = len(source.splitlines())
    if numbers and _only_tests(body) and len(cell) == 1:
        return "check", TESTED.format(_counted(numbers))
    if first and len(cell) == 1:
        return "setup", "Set-up"
    if any(cell.findall(nodes.image)):
        return "drawing", "How this picture is drawn"
    bodies = cell.findall(nodes.tbody)
    rows = max((len(list(body.findall(nodes.row))) for body in bodies), default=0)
    if rows > MANY:
        return "table", f"The whole table, {rows} rows"
    if lines > LONG:
        return "code", f"The code, {lines} lines"
    return None


def _counted(n):
    return f"{n} number{'s' * (n != 1)}"


def _parsed(source):
    """Return the statements of a cell, without the lines that are for IPython."""
    lines = (line for line in source.splitlines() if not line.startswith(("%", "!")))
    try:
        return ast.parse("\n".join(lines)).body
    except SyntaxError:
        return []


def _only_tests(body):
    """Return whether statements do nothing but test, and name what they test."""
    for statement in body:
        match statement:
            case ast.Assert() | ast.Assign():
                continue
            case ast.For(body=inner) if _only_tests(inner):
                continue
            case _:
                return False
    return True


def _numbers_tested(body):
    """Return how many numbers stand in the assertions."""
    asserts = [n for part in body for n in ast.walk(part) if isinstance(n, ast.Assert)]
    return sum(
        isinstance(n, ast.Constant) and type(n.value) in (int, float)
        for each in asserts
        for n in ast.walk(each.test)
    )


def _fold(cell, kind, line):
    """Put the code of a cell behind a line: below a drawing, and with its table."""
    opening = (
        f'<details class="ttt-fold ttt-{kind}"><summary>{html.escape(line)}</summary>'
    )
    hidden = list(cell) if kind == "table" else [cell[0]]
    for part in hidden:
        cell.remove(part)
    folded = [_raw(opening), *hidden, _raw("</details>")]
    cell.extend(folded) if kind == "drawing" else cell.insert(0, folded)


def _raw(text):
    return nodes.raw("", text, format="html")


def setup(app):
    """Connect the folds to Sphinx."""
    app.add_post_transform(FoldCells)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
