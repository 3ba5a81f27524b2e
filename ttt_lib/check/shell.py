"""IPython shell for checks: after a statement that fails the others still run."""

import ast

from IPython.core.interactiveshell import InteractiveShell

DELIBERATE = SystemExit, KeyboardInterrupt, MemoryError  # after these the cell ends


class Shell(InteractiveShell):
    """IPython that continues after a statement of a cell that failed.

    Without Colab, for example, `import google.colab` fails, and IPython would skip the
    rest of the cell. A cell still ends at a `raise` statement or an exit.
    """

    async def run_ast_nodes(
        self,
        nodelist,
        cell_name,
        interactivity="last_expr",
        compiler=compile,
        result=None,
    ):
        """Run statements; `result` gets the first error.

        `result.went_on` is whether other statements ran after it.
        """
        first, went_on, remaining = None, False, list(nodelist)
        while remaining:
            node = remaining.pop(0)
            shown = "none" if remaining else interactivity
            went_on = first is not None
            if await super().run_ast_nodes([node], cell_name, shown, compiler, result):
                error = result.error_before_exec or result.error_in_exec
                result.error_before_exec = None
                first = first or error
                if isinstance(error, DELIBERATE) or isinstance(node, ast.Raise):
                    first = error if isinstance(error, MemoryError) else first
                    break
                remaining = self._replacements(node) + remaining
        if first is not None:
            result.error_in_exec = first
        result.went_on = went_on
        return first is not None

    def _replacements(self, node):
        """Return statements to run instead of one that failed.

        They are the body of a cell whose `%%magic` is unknown, or the function without
        its decorators and type hints.
        """
        match node:
            case ast.Expr(
                ast.Call(
                    ast.Attribute(attr="run_cell_magic"), [_, _, ast.Constant(body)]
                )
            ):
                try:  # the lines keep their numbers
                    return ast.parse(self.transform_cell(f"#\n{body}")).body
                except (SyntaxError, ValueError, RecursionError, MemoryError):
                    pass
            case ast.FunctionDef():
                removed = [*node.decorator_list, node.returns]
                node.decorator_list, node.returns = [], None
                for part in ast.walk(node.args):
                    if isinstance(part, ast.arg):
                        removed.append(part.annotation)
                        part.annotation = None
                return [node] if any(removed) else []
        return []
