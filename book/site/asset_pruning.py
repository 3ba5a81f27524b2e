"""Light pages: each loads what it holds, and nothing it holds waits for the rest."""

import re
from pathlib import Path

from board_extension import minified
from sphinx.builders.html._assets import _JavaScript as Script

STATIC = Path(__file__).parent / "static"

# A part of a file's name → what stands on the pages that need the file.
NEEDS = {
    "clipboard": "highlight-",
    "copybutton": "highlight-",
    "design": '"sd-',
    "exercise": "exercise",
    "front": 'class="promise',  # not the word: its rules with :has() cost each change
    "katex": "katex",
    "mystnb": "cell docutils",
    "predict": "predict",
    "thebe": None,  # not used here, and its scripts contradict each other
    "toggle": "dropdown admonition",
}
CODE = re.compile(r"<pre>(.*?)\n?</pre>", re.DOTALL)


def thin(app, pagename, templatename, context, doctree):
    """Take off a page what it does not need, and let scripts wait for its text."""
    body = context.get("body", "")
    for files in "script_files", "css_files":
        context[files] = [file for file in context.get(files, []) if needed(file, body)]
    if body:
        context["body"] = CODE.sub(measured, body)
    context["script_files"] = [*map(waiting, context["script_files"])]


def measured(found):
    """Return a box of code that says how high it is, before it is laid out."""
    lines = found[1].count("\n") + 1
    place = f"contain-intrinsic-height: auto {lines}lh"
    return f'<pre style="{place}">{found[0][len("<pre>") :]}'


def needed(file, body):
    """Return whether a page with this body needs a style or a script."""
    told = f"{file.filename} {file.attributes.get('body', '')}"
    parts = [part for part in NEEDS if part in told.lower()]
    return all(NEEDS[part] and NEEDS[part] in body for part in parts)


def waiting(script):
    """Return a script that is loaded beside the text, and runs after it."""
    # What stands in the page itself cannot wait, and says more of Sphinx's options.
    if not script.filename or "documentation_options" in script.filename:
        return script
    attributes = script.attributes | {"defer": "defer"}
    return Script(script.filename, priority=script.priority, **attributes)


def minify(app, exception):
    """Leave comments and indents of the site's own scripts behind."""
    if exception or app.builder.format != "html":
        return
    for script in STATIC.glob("*.js"):
        text = minified(script.name, script.read_text("utf-8"))
        Path(app.outdir, "_static", script.name).write_text(text, "utf-8")


def setup(app):
    """Connect the above to Sphinx."""
    app.connect("html-page-context", thin, priority=950)  # after all who add files
    app.connect("build-finished", minify, priority=800)  # before the theme's patches
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
