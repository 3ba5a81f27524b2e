"""Pruning of assets: a page loads only the scripts and styles that it needs."""

import re
from pathlib import Path

from board_extension import minified
from sphinx.builders.html._assets import _JavaScript as Script

STATIC = Path(__file__).parent / "static"

# Part of a file's name → text in the HTML of the pages that need the file.
NEEDS = {
    "clipboard": "highlight-",
    "copybutton": "highlight-",
    "design": '"sd-',
    "exercise": "exercise",
    "front": 'class="promise',  # the attribute: rules with :has() slow a page down
    "katex": "katex",
    "mystnb": "cell docutils",
    "predict": "predict",
    "pygments": "highlight-",
    "thebe": None,  # not used, and its scripts conflict
    "toggle": "dropdown admonition",
}
CODE = re.compile(r"<pre>(.*?)\n?</pre>", re.DOTALL)


def prune_assets(app, pagename, templatename, context, doctree):
    """Remove the assets that a page does not need, and defer its scripts."""
    body = context.get("body", "")
    for files in "script_files", "css_files":
        present = context.get(files, [])
        context[files] = [file for file in present if is_needed(file, body)]
    if body:
        context["body"] = CODE.sub(with_height, body)
    context["script_files"] = [*map(deferred, context["script_files"])]


def with_height(match):
    """Return a `<pre>` with its height in lines, known before its layout."""
    lines = match[1].count("\n") + 1
    style = f"contain-intrinsic-height: auto {lines}lh"
    return f'<pre style="{style}">{match[0][len("<pre>") :]}'


def is_needed(file, body):
    """Return whether a page with this body needs a style sheet or a script."""
    description = f"{file.filename} {file.attributes.get('body', '')}"
    parts = [part for part in NEEDS if part in description.lower()]
    return all(NEEDS[part] and NEEDS[part] in body for part in parts)


def deferred(script):
    """Return a script with the attribute `defer`, if it may have it."""
    # Inline scripts cannot be deferred, and others read documentation_options.
    if not script.filename or "documentation_options" in script.filename:
        return script
    attributes = script.attributes | {"defer": "defer"}
    return Script(script.filename, priority=script.priority, **attributes)


def minify(app, exception):
    """Remove comments and indentation from the site's own scripts."""
    if exception or app.builder.format != "html":
        return
    for script in STATIC.glob("*.js"):
        text = minified(script.name, script.read_text("utf-8"))
        Path(app.outdir, "_static", script.name).write_text(text, "utf-8")


def setup(app):
    """Register the handlers."""
    app.connect("html-page-context", prune_assets, priority=950)  # all files are added
    app.connect("build-finished", minify, priority=800)  # before the theme's patches
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
