"""IPython as a check runs notebooks with it: a line that fails costs no others."""

import ast

from IPython.core.interactiveshell import InteractiveShell

DELIBERATE = SystemExit, KeyboardInterrupt, MemoryError  # after these nothing goes on


class Shell(InteractiveShell):
    """IPython that goes on after a statement of a cell that failed.

    `import google.colab` fails where there is no Colab, and with it all that stands
    below. A cell ends early where its author wants it to, by `raise` or by an exit.
    """

    async def run_ast_nodes(
        self,
        nodelist,
        cell_name,
        interactivity="last_expr",
        compiler=compile,
        result=None,
    ):
        """Run statements; of those that fail `result` has the first error.

        `result.went_on` says whether others ran after that.
        """
        first, went_on, waiting = None, False, list(nodelist)
        while waiting:
            node = waiting.pop(0)
            shown = "none" if waiting else interactivity
            went_on = first is not None
            if await super().run_ast_nodes([node], cell_name, shown, compiler, result):
                error = result.error_before_exec or result.error_in_exec
                result.error_before_exec = None
                first = first or error
                if isinstance(error, DELIBERATE) or isinstance(node, ast.Raise):
                    first = error if isinstance(error, MemoryError) else first
                    break
                waiting = self._what_is_left(node) + waiting
        if first is not None:
            result.error_in_exec = first
        result.went_on = went_on
        return first is not None

    def _what_is_left(self, node):
        """Return statements in the place of one that failed.

        They are those of a cell whose `%%magic` is not known, or a function without its
        decorators and type hints.
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
                taken = [*node.decorator_list, node.returns]
                node.decorator_list, node.returns = [], None
                for part in ast.walk(node.args):
                    if isinstance(part, ast.arg):
                        taken.append(part.annotation)
                        part.annotation = None
                return [node] if any(taken) else []
        return []
