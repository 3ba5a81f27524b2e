"""Light pages: each loads what it holds, and nothing it holds waits for the rest."""

import re
from pathlib import Path
from shutil import rmtree

from board_extension import minified
from site_extension import rewrite
from sphinx.builders.html._assets import _JavaScript as Script

# A part of a file's name → what stands on the pages that need the file.
NEEDS = {
    "clipboard": "highlight-",
    "copybutton": "highlight-",
    "design-tabs": "sd-tab-set",
    "exercise": "exercise",
    "front": 'class="promise',  # not the word: its rules with :has() cost each change
    "katex": "katex",
    "mystnb": "cell docutils",
    "predict": "predict",
    "sphinx-design": '"sd-',
    "thebe": None,  # not used here, and its scripts contradict each other
    "toggle": "dropdown admonition",
}
ICONS = re.compile(  # rules of nothing but the theme's icons, and their fonts
    r"(?:(?<=[{}])|(?<=\*/))\s*(?:\.fa[-\w]*[^{},]*,?)+\{[^{}]*\}"
    r"|@font-face\{[^{}]*Font Awesome[^{}]*\}"
)
CODE = re.compile(r"<pre>(.*?)\n?</pre>", re.DOTALL)
NAMED = re.compile(r'\b(?:class|id)="([^"]*)"')
RULE = re.compile(r"(?<=[{}])([^{}@]+)\{[^{}]*\}")
EMPTY = re.compile(r"@media[^{}]*\{\s*\}")
INNER = re.compile(r"/\*.*?\*/|\[[^\]]*\]|\([^()]*\)", re.DOTALL)
NEEDED = re.compile(r"[.#]([A-Za-z_][-\w]*+)(?!\\)")
MADE = re.compile(r"bs-")  # names that the theme's scripts put together
UNUSED = "*.map", "scripts/fontawesome.*", "vendor", "*thebe*", "searchtools.js"


def thin(app, pagename, templatename, context, doctree):
    """Take off a page what it does not need, and let scripts wait for its text."""
    body = context.get("body", "")
    for files in "script_files", "css_files":
        context[files] = [file for file in context.get(files, []) if needed(file, body)]
    if body:
        context["body"] = CODE.sub(measured, body)
    context["metatags"] = re.sub(
        r'<meta [^>]*name="viewport"[^>]*>', "", context.get("metatags", "")
    )
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


def drop_unused(app, exception):
    """Take out of the finished site what no page loads, and comments of scripts."""
    if exception or app.builder.format != "html":
        return
    static = Path(app.outdir, "_static")
    theme = static / "styles" / "pydata-sphinx-theme.css"
    for script in (Path(__file__).parent / "static").glob("*.js"):
        text = minified(script.name, script.read_text("utf-8"))
        (static / script.name).write_text(text, "utf-8")
    names = used(static.parent)
    rewrite(theme, lambda text: EMPTY.sub("", pruned(ICONS.sub("", text), names)))
    for pattern in UNUSED:
        for path in [*static.rglob(pattern)]:
            if path.is_dir():
                rmtree(path)
            else:
                path.unlink()


def used(site):
    """Return the names that stand on any page, or in a script of the theme."""
    names = set()
    for page in site.rglob("*.html"):
        for attribute in NAMED.findall(page.read_text("utf-8")):
            names.update(attribute.split())
    static = site / "_static"
    for script in [*static.glob("scripts/*.js"), *static.glob("*.js")]:
        if script.name != "searchtexts.js":
            names.update(re.findall(r"[-\w]+", script.read_text("utf-8")))
    return names


def pruned(css, names):
    """Return a style sheet without the rules for names that are not used."""

    def keep(rule):
        selectors = rule[1]
        while selectors != (bare := INNER.sub("", selectors)):
            selectors = bare
        for selector in selectors.split(","):
            if all(n in names or MADE.match(n) for n in NEEDED.findall(selector)):
                return rule[0]
        return "".join(re.findall(r"/\*!.*?\*/", rule[1], re.DOTALL))

    return RULE.sub(keep, css)


def setup(app):
    """Connect the above to Sphinx."""
    app.connect("html-page-context", thin, priority=950)  # after all who add files
    app.connect("build-finished", drop_unused, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
