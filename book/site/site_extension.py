"""Small repairs to the site that neither a setting nor a template can make."""

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
    """Make Sphinx write all pages anew when a file beside this one has changed.

    It watches the pages themselves, but neither style sheets nor templates.
    """
    files = sorted(path for path in HERE.rglob("*.*") if path.suffix in WATCHED)
    content = b"".join(path.read_bytes() for path in files)
    config.site_digest = hashlib.sha256(content).hexdigest()


def is_fresh(made):
    """Return whether a file is there and younger than all that it may be made from.

    That is the library with its agents and scripts, and the programs of the site: to
    make it anew takes longer than to write a page.
    """
    sources = [
        path.stat().st_mtime
        for folder in (HERE, LIBRARY)
        for path in folder.rglob("*.*")
        if path.suffix in MADE_FROM
    ]
    return made.exists() and made.stat().st_mtime > max(sources)


def bring_styles(app):
    """Bring style sheets of exercises and cells before pages are written, not after.

    Their addresses have checksums on each page, which only a second build would know.
    """
    if app.builder.format == "html":
        Path(app.outdir, "_static").mkdir(parents=True, exist_ok=True)
        copy_asset_files(app, None)
        add_global_html_resources(app, None)


def docstring_to_rst(app, what, name, thing, options, lines):
    """Let docstrings be plain text: `code` is code, and the bar of p(s′|s, a) a bar.

    Examples, a heading with a line below it in a docstring, come last.
    """
    end = lines.index(EXAMPLES) if EXAMPLES in lines else len(lines)
    lines[end : end + 2] = [f".. rubric:: {EXAMPLES}", ""] if lines[end:] else []
    for i, line in enumerate(lines[:end]):
        parts = line.split("`")  # every second part stood in backticks
        parts[::2] = [part.replace("|", r"\|") for part in parts[::2]]
        lines[i] = "``".join(parts)


def setup(app):
    """Connect the repairs to Sphinx."""
    gc.disable()  # a build keeps what it reads, and looked at it again and again
    app.add_config_value("site_digest", "", "html")
    app.connect("config-inited", digest_own_files)
    app.connect("builder-inited", bring_styles)
    app.connect("autodoc-process-docstring", docstring_to_rst)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
