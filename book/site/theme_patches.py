"""Patches of the theme that neither a setting nor a template can make.

They match the text of its files, and the templates in this folder match its components.
After an upgrade check that each still works, then name the new version here and in
`pyproject.toml`.
"""

import html
import re
from importlib.metadata import version
from pathlib import Path
from shutil import rmtree

VERSIONS = {"pydata-sphinx-theme": "0.17.1", "sphinx-book-theme": "1.3.0"}
assert {name: version(name) for name in VERSIONS} == VERSIONS, "see above"

VIEWPORT = re.compile(r'<meta [^>]*name="viewport"[^>]*>')
# The title of a solution repeats that of the exercise above it.
SOLUTION = re.compile(
    r'(<p class="admonition-title">)Solution to\s*<a .*?</a>', re.DOTALL
)
LOGGING = re.compile(r"\bconsole\.(log|info|debug)\(")
NO_OP = "(()=>{})("  # takes the same arguments, does nothing
# The theme measures every box to make those that scroll focusable, but not all are laid
# out yet: book.js measures boxes when they come near the viewport.
WIDTHS = re.compile(
    r'document\.querySelectorAll\(\["pre",[^()]*\.join\("[^"]*"\)\)'
    r"\.forEach\(\w+=>\{[^{}]*\}\)"
)
FOLDED = "Closer looks", "Reference", "The library", "About the book"  # parts
PART = re.compile(
    r'<p[^>]*class="caption"[^>]*><span class="caption-text">(.*?)</span></p>\s*'
    r"(<ul.*?</ul>)(?=\s*(?:<p|$))",
    re.DOTALL,
)
UNUSED = (
    *("*.map", "scripts/fontawesome.*", "scripts/bootstrap.*", "vendor", "*thebe*"),
    "searchtools.js",
)

ATTRIBUTE = re.compile(r'\b(?:class|id)="([^"]*)"')
RULE = re.compile(r"(?<=[{}])([^{}@]+)\{[^{}]*\}")
INNER = re.compile(r"/\*.*?\*/|\[[^\]]*\]|\([^()]*\)", re.DOTALL)
NEEDED = re.compile(r"[.#]([A-Za-z_][-\w]*+)(?!\\)")
GENERATED = re.compile(r"bs-")  # names that the theme's scripts compose
FONTS = re.compile(r"@font-face\{[^{}]*Font Awesome[^{}]*\}")
ICON = re.compile(r"\s*(\.fa([bsr]|-[-\w]+)?(::?\w+)?)+\s*")  # replaced by icons.css


def cache_trees(app):
    """Make the navigation tree once for each folder of pages with source code.

    The theme makes it for every page, which took a fifth of a build. The tree contains
    none of these pages, so it depends on their folder alone.
    """
    if app.builder.format != "html":
        return
    trees, tree = {}, app.builder._get_local_toctree

    def cached(page, collapse=True, **settings):
        if not page.startswith("_modules/"):
            return folded(tree(page, collapse, **settings))
        key = page.rpartition("/")[0], collapse, *settings.items()
        if key not in trees:
            trees[key] = folded(tree(page, collapse, **settings))
        return trees[key]

    app.builder._get_local_toctree = cached


def folded(tree):
    """Return the navigation tree with its last parts as folds, open at their pages."""

    def fold(part):
        caption, entries = part.groups()
        if html.unescape(caption) not in FOLDED:
            return part[0]
        is_open = " open" if 'class="toctree-l1 current' in entries else ""
        entries = entries.replace("<ul", '<ul class="nav bd-sidenav"', 1)
        return f"<details{is_open}><summary>{caption}</summary>{entries}</details>"

    return PART.sub(fold, tree)


def patch_page(app, pagename, templatename, context, doctree):
    """Remove the second viewport tag, replace a deprecated role, shorten titles."""
    context["metatags"] = VIEWPORT.sub("", context.get("metatags", ""))
    if "body" in context:
        body = context["body"].replace('role="doc-biblioentry"', 'role="listitem"')
        context["body"] = SOLUTION.sub(r"\1Solution", body)


def patch_files(app, exception):
    """Turn off logging of the theme's scripts; remove unused files and rules."""
    if exception or app.builder.format != "html":
        return
    static = Path(app.outdir, "_static")
    for pattern in UNUSED:
        for path in [*static.rglob(pattern)]:
            rmtree(path) if path.is_dir() else path.unlink()
    # Tests treat any message in the console as an error. `console.warn` and
    # `console.error` stay.
    for file in [*static.glob("*.js"), *static.glob("scripts/*.js")]:
        rewrite(file, lambda text: WIDTHS.sub("0", LOGGING.sub(NO_OP, text)))
    names = used_names(static.parent)
    styles = static / "styles" / "pydata-sphinx-theme.css"
    rewrite(styles, lambda text: pruned(FONTS.sub("", text), names))


def rewrite(file, change):
    """Replace the text of `file` by `change(text)`, if it differs."""
    text = file.read_text(encoding="utf-8")
    if (changed := change(text)) != text:
        file.write_text(changed, encoding="utf-8")


def used_names(site):
    """Return the classes and ids of all pages, and the words of the theme's scripts."""
    names = set()
    for page in site.rglob("*.html"):
        for attribute in ATTRIBUTE.findall(page.read_text("utf-8")):
            names.update(attribute.split())
    static = site / "_static"
    for script in [*static.glob("scripts/*.js"), *static.glob("*.js")]:
        if script.name != "searchtexts.js":
            names.update(re.findall(r"[-\w]+", script.read_text("utf-8")))
    return names


def pruned(css, names):
    """Return a style sheet without rules for names that are not used."""

    def keep(rule):
        selectors = rule[1]
        while selectors != (bare := INNER.sub("", selectors)):
            selectors = bare
        for selector in selectors.split(","):
            if ICON.fullmatch(selector):
                continue
            if all(n in names or GENERATED.match(n) for n in NEEDED.findall(selector)):
                return rule[0]
        return "".join(re.findall(r"/\*!.*?\*/", rule[1], re.DOTALL))

    return RULE.sub(keep, css)


def setup(app):
    """Register the handlers."""
    app.connect("builder-inited", cache_trees)
    app.connect("html-page-context", patch_page, priority=950)
    app.connect("build-finished", patch_files, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
