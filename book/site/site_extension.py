"""Small changes of the site that need code: digests, styles, docstrings."""

import gc
import hashlib
from pathlib import Path

from myst_nb.sphinx_ext import add_global_html_resources
from sphinx_exercise import copy_asset_files

import ttt_lib

HERE, LIBRARY = Path(__file__).parent, Path(ttt_lib.__file__).parent
WATCHED = {".css", ".html", ".js", ".py", ".svg"}
MADE_FROM = {".css", ".js", ".json", ".py", ".toml"}
EXAMPLES = "Examples"


def digest_own_files(app, config):
    """Make Sphinx write all pages again when a file in this folder has changed.

    Sphinx watches the pages, but neither style sheets nor templates.
    """
    files = sorted(path for path in HERE.rglob("*.*") if path.suffix in WATCHED)
    content = b"".join(path.read_bytes() for path in files)
    config.site_digest = hashlib.sha256(content).hexdigest()


def is_fresh(path):
    """Return whether a file exists and is newer than all its possible sources.

    Sources are the library with its agents and scripts, and the extensions of the site.
    """
    sources = [
        path.stat().st_mtime
        for folder in (HERE, LIBRARY)
        for path in folder.rglob("*.*")
        if path.suffix in MADE_FROM
    ]
    return path.exists() and path.stat().st_mtime > max(sources)


def bring_styles(app):
    """Copy the style sheets of exercises and cells before pages are written.

    Pages link to them with checksums, which would otherwise be right only after a
    second build.
    """
    if app.builder.format == "html":
        Path(app.outdir, "_static").mkdir(parents=True, exist_ok=True)
        copy_asset_files(app, None)
        add_global_html_resources(app, None)


def docstring_to_rst(app, what, name, thing, options, lines):
    """Convert a docstring to reStructuredText: `code`, and the bar of p(s′|s, a).

    The section Examples, with an underlined heading, comes last.
    """
    end = lines.index(EXAMPLES) if EXAMPLES in lines else len(lines)
    lines[end : end + 2] = [f".. rubric:: {EXAMPLES}", ""] if lines[end:] else []
    for i, line in enumerate(lines[:end]):
        parts = line.split("`")  # every second part was in backticks
        parts[::2] = [part.replace("|", r"\|") for part in parts[::2]]
        lines[i] = "``".join(parts)


def setup(app):
    """Register the setting and the handlers."""
    gc.disable()  # a build keeps almost all objects, so collecting only costs time
    app.add_config_value("site_digest", "", "html")
    app.connect("config-inited", digest_own_files)
    app.connect("builder-inited", bring_styles)
    app.connect("autodoc-process-docstring", docstring_to_rst)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
