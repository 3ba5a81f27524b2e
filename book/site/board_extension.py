"""Boards and labs: the directive `board`, and scripts on the pages that need them."""

import re
from pathlib import Path

import rjsmin
from docutils import nodes
from docutils.parsers.rst import Directive, directives
from site_extension import is_fresh

from ttt_lib import board
from ttt_lib.board import encode as board_tables

FOLDER, LAST = "ttt", "tables.js"


class BoardDirective(Directive):
    """A playable board; the options are arguments of `ttt_lib.board.Board`."""

    option_spec = {  # noqa: RUF012 (docutils' own interface)
        **dict.fromkeys(board.OPTIONS, directives.unchanged_required),
        "arena": directives.flag,
    }

    def run(self):
        """Return the HTML element of the board."""
        options = {**self.options}
        if "arena" in options:
            options["arena"] = True
        try:
            setup = board.settings(**options)
        except ValueError as error:
            raise self.error(str(error)) from None
        return [nodes.raw("", board.mount(setup), format="html")]


def write_scripts(app):
    """Write the minified scripts, tables and agents into the site.

    The readable source is in the library.
    """
    if app.builder.format != "html":
        return
    folder = Path(app.outdir, "_static", FOLDER)
    if is_fresh(folder / LAST):
        return
    scripts = board_tables.scripts()
    last = scripts.pop(LAST)
    for name, text in [*scripts.items(), (LAST, last)]:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(minified(name, text), encoding="utf-8")


def minified(name, text):
    """Return a script or style sheet without comments and indentation."""
    if name.endswith(".js"):
        return rjsmin.jsmin(text) + "\n"
    return re.sub(r"/\*.*?\*/|^\s+", "", text, flags=re.DOTALL | re.MULTILINE)


def add_scripts(app, pagename, templatename, context, doctree):
    """Load the scripts of the boards and labs of a page."""
    body = context.get("body", "")
    labs = {*re.findall(r'data-ttt-lab="\{&quot;kind&quot;:&quot;(\w+)', body)}
    if "data-ttt-board" in body or labs:
        scripts = [
            f"labs/{name}" for name in board_tables.lab_script_names(sorted(labs))
        ]
        stored = re.findall(r"&quot;runs&quot;:&quot;(\w+)", body)
        scripts += [f"labs/runs_{name}" for name in stored]
        engine = ["labs", *scripts] if labs else []
        arena = ["arena"] if "&quot;arena&quot;:true" in body else []
        for style in ["board", *engine[:1]]:
            app.add_css_file(f"{FOLDER}/{style}.css")
        for script in ["board", *arena, *engine, "tables"]:
            app.add_js_file(f"{FOLDER}/{script}.js", loading_method="defer")


def setup(app):
    """Register the directive and the handlers."""
    app.add_directive("board", BoardDirective)
    app.add_css_file(f"{FOLDER}/theme.css", priority=400)  # before the book's own
    app.connect("builder-inited", write_scripts)
    app.connect("html-page-context", add_scripts)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
