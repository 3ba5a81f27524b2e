"""The address of the book: features that it enables, and standalone notebooks."""

import re
import sys
from types import SimpleNamespace

import nbformat
import pytest
from address_extension import alone, turn_on
from downloads import NOTEBOOKS
from IPython.core.inputtransformer2 import TransformerManager
from pages import NOTEBOOKS as CHAPTERS
from pages import ROOT, toc
from sphinx.errors import ConfigError

HOME = "https://someone.github.io/three/"


@pytest.mark.parametrize("path", CHAPTERS[::4], ids=lambda path: path.stem)
def test_links_of_notebook_copies_lead_to_site_pages(path):
    page = path.relative_to(ROOT).with_suffix("").as_posix()
    copy = alone(nbformat.read(path, 4), page, HOME)
    nbformat.validate(copy)
    text = "\n".join(c.source for c in copy.cells if c.cell_type == "markdown")
    led = re.findall(rf"\]\({re.escape(HOME)}([^)#]*)\.html(?:#[^)]*)?\)", text)
    assert led
    assert {*led} <= {*toc()}
    assert not re.search(r"\.(ipynb|md)(#[^)]*)?\)", text)


@pytest.mark.parametrize("there", [True, False])
def test_first_cell_of_copy_installs_library_only_if_missing(there, monkeypatch):
    first = alone(nbformat.v4.new_notebook(), "book/x", HOME).cells[0].source
    asked = []
    shell = SimpleNamespace(run_line_magic=lambda *command: asked.append(command))
    if not there:
        monkeypatch.setitem(sys.modules, "ttt_lib", None)
    exec(TransformerManager().transform_cell(first), {"get_ipython": lambda: shell})
    install = [("pip", f"install --quiet {HOME}{NOTEBOOKS}")]
    assert asked == (install if not there else [])


def turned_on(url="", baseurl="", hub=""):
    """Return the services that the theme links to run a page."""
    launch = {"jupyterhub_url": hub}
    options = {"repository_url": url, "launch_buttons": launch}
    config = SimpleNamespace(html_theme_options=options, html_baseurl=baseurl)
    turn_on(SimpleNamespace(tags=set()), config)
    assert options.get("use_issues_button", False) == bool(url)
    return {key.removesuffix("_url") for key, value in launch.items() if "://" in value}


@pytest.mark.parametrize(
    ("key", "address"),
    [
        ("repository: url", {"url": "someone/three"}),
        ("repository: url", {"url": "https://github.com/someone/three.git"}),
        ("html: baseurl", {"baseurl": "someone.github.io/three"}),
        ("html: baseurl", {"baseurl": "https://a.org/?book"}),
        ("launch_buttons: jupyterhub_url", {"hub": "hub"}),
        ("repository: url", {"hub": HOME}),
    ],
)
def test_invalid_address_raises_config_error(key, address):
    words = f"`{key}`.* _config.yml|_config.yml.*`{key}`"
    with pytest.raises(ConfigError, match=words):
        turned_on(**address)
