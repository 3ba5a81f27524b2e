"""Patches of the theme: what neither a setting nor a template can change of it.

They know its files by their text, as the templates beside this file know its parts.
After an upgrade look whether each still fits, then name the new version here and in
`pyproject.toml`.
"""

import re
from importlib.metadata import version
from pathlib import Path
from shutil import rmtree

VERSIONS = {"pydata-sphinx-theme": "0.17.1", "sphinx-book-theme": "1.3.0"}
assert {name: version(name) for name in VERSIONS} == VERSIONS, "see above"

VIEWPORT = re.compile(r'<meta [^>]*name="viewport"[^>]*>')
CHATTER = re.compile(r"\bconsole\.(log|info|debug)\(")
SILENCE = "(()=>{})("  # takes the same arguments and does nothing
# The theme asks every box how wide it is, and takes from the keyboard what scrolls, but
# is not laid out yet: book.js asks what comes near.
WIDTHS = re.compile(
    r'document\.querySelectorAll\(\["pre",[^()]*\.join\("[^"]*"\)\)'
    r"\.forEach\(\w+=>\{[^{}]*\}\)"
)
UNUSED = "*.map", "scripts/fontawesome.*", "vendor", "*thebe*", "searchtools.js"

NAMED = re.compile(r'\b(?:class|id)="([^"]*)"')
RULE = re.compile(r"(?<=[{}])([^{}@]+)\{[^{}]*\}")
INNER = re.compile(r"/\*.*?\*/|\[[^\]]*\]|\([^()]*\)", re.DOTALL)
NEEDED = re.compile(r"[.#]([A-Za-z_][-\w]*+)(?!\\)")
MADE = re.compile(r"bs-")  # names that the theme's scripts put together
FONTS = re.compile(r"@font-face\{[^{}]*Font Awesome[^{}]*\}")
ICON = re.compile(r"\s*(\.fa([bsr]|-[-\w]+)?(::?\w+)?)+\s*")  # icons.css draws them


def share_trees(app):
    """Make the tree of pages once for a folder of pages with the library's source.

    The theme makes it anew for each of them, which took a fifth of a build, though the
    tree has none of these pages: only their folder tells where its links lead.
    """
    if app.builder.format != "html":
        return
    made, tree = {}, app.builder._get_local_toctree

    def shared(page, collapse=True, **settings):
        if not page.startswith("_modules/"):
            return tree(page, collapse, **settings)
        key = page.rpartition("/")[0], collapse, *settings.items()
        if key not in made:
            made[key] = tree(page, collapse, **settings)
        return made[key]

    app.builder._get_local_toctree = shared


def patch_page(app, pagename, templatename, context, doctree):
    """Say once how wide a telephone is, and give entries of lists the role of entries.

    That of bibliographies is deprecated.
    """
    context["metatags"] = VIEWPORT.sub("", context.get("metatags", ""))
    if "body" in context:
        context["body"] = context["body"].replace(
            'role="doc-biblioentry"', 'role="listitem"'
        )


def patch_files(app, exception):
    """Silence the theme's scripts; take out what no page loads and no page needs."""
    if exception or app.builder.format != "html":
        return
    static = Path(app.outdir, "_static")
    for pattern in UNUSED:
        for path in [*static.rglob(pattern)]:
            rmtree(path) if path.is_dir() else path.unlink()
    # No reports of progress: any message in the console is a fault. `console.warn` and
    # `console.error` stay.
    for file in [*static.glob("*.js"), *static.glob("scripts/*.js")]:
        rewrite(file, lambda text: WIDTHS.sub("0", CHATTER.sub(SILENCE, text)))
    names = used(static.parent)
    styles = static / "styles" / "pydata-sphinx-theme.css"
    rewrite(styles, lambda text: pruned(FONTS.sub("", text), names))


def rewrite(file, change):
    """Replace the text of `file` by `change(text)`, if that is another text."""
    text = file.read_text(encoding="utf-8")
    if (changed := change(text)) != text:
        file.write_text(changed, encoding="utf-8")


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
            if ICON.fullmatch(selector):
                continue
            if all(n in names or MADE.match(n) for n in NEEDED.findall(selector)):
                return rule[0]
        return "".join(re.findall(r"/\*!.*?\*/", rule[1], re.DOTALL))

    return RULE.sub(keep, css)


def setup(app):
    """Connect the patches to Sphinx."""
    app.connect("builder-inited", share_trees)
    app.connect("html-page-context", patch_page, priority=950)
    app.connect("build-finished", patch_files, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
