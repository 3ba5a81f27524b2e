"""The address of the book: a site built with one and without, and copies that run."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import nbformat
import pytest
import yaml
from address_extension import BRANCH, COPIES, alone, turn_on
from away_extension import NAME, NOTEBOOKS, SITE
from bs4 import BeautifulSoup
from IPython.core.inputtransformer2 import TransformerManager
from pages import NOTEBOOKS as CHAPTERS
from pages import ROOT, toc
from sphinx.errors import ConfigError

HOME = "https://someone.github.io/three/"
EMPTY = {"url": "", "baseurl": "", "hub": ""}
WHOLE = {
    "url": "https://github.com/someone/three/",
    "baseurl": HOME.rstrip("/"),
    "hub": "https://hub.example.org/",
}
PAGES = "book/licences", "book/before", "book/closer_looks/folklore", "book/take_away"


def config(url, baseurl, hub):
    """Return the text of `_config.yml` with another address."""
    told = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    told["repository"]["url"] = url
    told["html"]["baseurl"] = baseurl
    told["launch_buttons"]["jupyterhub_url"] = hub
    return yaml.safe_dump(told, sort_keys=False)


@pytest.fixture(scope="module")
def sites(tmp_path_factory):
    """Two sites of four pages: without an address, and with one."""
    running = []
    for address in EMPTY, WHOLE:
        folder = tmp_path_factory.mktemp("site")
        for name in "book", "ttt_lib", "pyproject.toml", "LICENSE":
            (folder / name).symlink_to(ROOT / name)
        (folder / "_config.yml").write_text(config(**address), encoding="utf-8")
        chapters = [{"file": page} for page in PAGES[1:]]
        order = {"format": "jb-book", "root": PAGES[0], "chapters": chapters}
        (folder / "_toc.yml").write_text(yaml.safe_dump(order))
        program = Path(sys.executable).with_name("jupyter-book")
        build = [program, "build", folder, "--quiet"]
        known = {**os.environ, "PYTHONPATH": str(ROOT)}
        running.append((folder, subprocess.Popen(build, env=known)))
    assert [process.wait() for _, process in running] == [0, 0]
    return [folder / "_build" / "html" for folder, _ in running]


def read(site, page):
    return BeautifulSoup((site / f"{page}.html").read_text("utf-8"), "html.parser")


@pytest.mark.slow
def test_without_an_address_nothing_is_there_that_needs_one(sites):
    signs = f"canonical og:url launch-buttons issues/new {COPIES}/before.ipynb".split()
    empty, whole = ("".join(map(Path.read_text, s.rglob("*.html"))) for s in sites)
    assert [sign for sign in signs if sign not in whole] == []
    assert [sign for sign in signs if sign in empty] == []
    here = {path.name for path in sites[0].iterdir()}
    assert not {"sitemap.xml", "robots.txt", COPIES} & here


@pytest.mark.slow
def test_buttons_run_a_page_elsewhere_and_report_a_mistake(sites):
    header = read(sites[1], PAGES[1]).find(class_="article-header-buttons")
    (menu,) = header.find_all(class_="dropdown")
    assert menu.button["aria-label"] == "Run this page"
    assert {link.text.strip(): link["href"] for link in menu.find_all("a")} == {
        "Binder": "https://mybinder.org/v2/gh/someone/three/main"
        "?urlpath=lab/tree/book/before.ipynb",
        "JupyterHub": "https://hub.example.org/hub/user-redirect/git-pull"
        "?repo=https%3A//github.com/someone/three"
        "&urlpath=lab/tree/three/book/before.ipynb&branch=main",
        "Colab": "https://colab.research.google.com/github/someone/three"
        f"/blob/{BRANCH}/before.ipynb",
    }
    report = header.find(title="Report a mistake")["href"]
    assert report == (
        "https://github.com/someone/three/issues/new"
        "?title=Issue%20on%20page%20%2Fbook/before.html"
    )
    assert not read(sites[1], PAGES[0]).find(class_="dropdown-launch-buttons")
    icons = (sites[1] / "_static" / "icons.css").read_text("utf-8")
    for button in menu.button, header.find(title="Report a mistake"):
        assert f".{button.i['class'][-1]}" in icons


@pytest.mark.slow
def test_each_page_says_where_it_is_and_the_map_lists_them(sites):
    _, site = sites
    for page in PAGES:
        head = read(site, page).head
        assert head.find(rel="canonical")["href"] == f"{HOME}{page}.html"
        assert head.find(property="og:url")["content"] == f"{HOME}{page}.html"
        picture = head.find(property="og:image")["content"]
        assert (site / picture.removeprefix(HOME)).exists()
    assert (site / "robots.txt").read_text() == f"Sitemap: {HOME}sitemap.xml\n"
    listed = ElementTree.parse(site / "sitemap.xml").getroot().itertext()
    pages = [text for text in listed if text.strip()]
    assert pages == sorted(f"{HOME}{page}.html" for page in PAGES)


@pytest.mark.slow
def test_the_copies_are_offered_in_order_and_packed_with_the_site(sites):
    _, site = sites
    links = read(site, "book/take_away").select(".copies a")
    files = [link["href"].removeprefix("../") for link in links]
    assert files == [f"{COPIES}/before.ipynb", f"{COPIES}/closer_looks/folklore.ipynb"]
    assert links[0].text == "Before you begin"
    packed = zipfile.ZipFile(site / SITE).namelist()
    for file in files:
        first, *rest = nbformat.read(site / file, 4).cells
        assert HOME + NOTEBOOKS in first.source
        committed = nbformat.read(ROOT / file.replace(COPIES, "book"), 4).cells
        assert [cell.id for cell in rest] == [cell.id for cell in committed]
        assert f"{NAME}/{file}" in packed


@pytest.mark.slow
def test_the_workflow_puts_the_copies_where_colab_looks_for_them(sites, tmp_path):
    jobs = yaml.safe_load((ROOT / ".github/workflows/book.yml").read_text())["jobs"]
    script = jobs["copies"]["steps"][-1]["run"]
    script = re.sub(r"\$\{\{ github\.(\w+) \}\}", r"\1", script)
    target = tmp_path / "target.git"
    subprocess.run(["git", "init", "--quiet", "--bare", target], check=True)
    rewritten = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{target}.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://x-access-token:token@github.com/repository",
    }
    for site, found in zip(sites, ("", "before.ipynb\ncloser_looks\n"), strict=True):
        folder = tmp_path / site.parts[-3]
        folder.mkdir()
        shutil.make_archive(folder / "artifact", "tar", site)
        run = {"env": {**os.environ, **rewritten}, "cwd": folder, "check": True}
        subprocess.run(["bash", "-e", "-c", script], capture_output=True, **run)
        listed = ["git", "-C", target, "ls-tree", "--name-only", BRANCH]
        done = subprocess.run(listed, capture_output=True, text=True, check=False)
        assert done.stdout == found


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_links_of_a_copy_lead_to_pages_of_the_site(path):
    page = path.relative_to(ROOT).with_suffix("").as_posix()
    copy = alone(nbformat.read(path, 4), page, HOME)
    nbformat.validate(copy)
    text = "\n".join(c.source for c in copy.cells if c.cell_type == "markdown")
    led = re.findall(rf"\]\({re.escape(HOME)}([^)#]*)\.html(?:#[^)]*)?\)", text)
    assert led
    assert {*led} <= {*toc()}
    assert not re.search(r"\.(ipynb|md)(#[^)]*)?\)", text)


@pytest.mark.parametrize("there", [True, False])
def test_the_first_cell_of_a_copy_fetches_the_library_only_where_it_is_missing(
    there, monkeypatch
):
    first = alone(nbformat.v4.new_notebook(), "book/x", HOME).cells[0].source
    asked = []
    shell = SimpleNamespace(run_line_magic=lambda *told: asked.append(told))
    if not there:
        monkeypatch.setitem(sys.modules, "ttt_lib", None)
    exec(TransformerManager().transform_cell(first), {"get_ipython": lambda: shell})
    told = [("pip", f"install --quiet {HOME}{NOTEBOOKS}")]
    assert asked == (told if not there else [])


def turned_on(url="", baseurl="", hub=""):
    """Return the places where the theme is told that a page can run."""
    launch = {"jupyterhub_url": hub}
    options = {"repository_url": url, "launch_buttons": launch}
    config = SimpleNamespace(html_theme_options=options, html_baseurl=baseurl)
    turn_on(SimpleNamespace(tags=set()), config)
    assert options.get("use_issues_button", False) == bool(url)
    return {key.removesuffix("_url") for key, value in launch.items() if "://" in value}


def test_each_part_of_an_address_turns_on_what_it_suffices_for():
    github, gitlab = "https://github.com/a/b", "https://gitlab.uni.example/a/b"
    assert turned_on() == turned_on(baseurl=HOME) == set()
    assert turned_on(github) == turned_on(gitlab, HOME) == {"binderhub"}
    assert turned_on(github, HOME) == {"binderhub", "colab"}
    assert turned_on(gitlab, hub=HOME) == {"binderhub", "jupyterhub"}


@pytest.mark.parametrize(
    ("key", "address"),
    [
        ("repository: url", {"url": "someone/three"}),
        ("repository: url", {"url": "https://github.com/someone"}),
        ("repository: url", {"url": "https://github.com/someone/three.git"}),
        ("repository: url", {"url": "https://github.com/someone/three/tree/main"}),
        ("repository: url", {"url": "https://example.org/someone/three"}),
        ("html: baseurl", {"baseurl": "someone.github.io/three"}),
        ("html: baseurl", {"baseurl": "https://a.org/book index"}),
        ("html: baseurl", {"baseurl": "https://a.org/?book"}),
        ("launch_buttons: jupyterhub_url", {"hub": "hub"}),
        ("repository: url", {"hub": HOME}),
    ],
)
def test_what_is_no_address_is_refused_in_a_sentence(key, address):
    with pytest.raises(
        ConfigError, match=f"`{key}`.* _config.yml|_config.yml.*`{key}`"
    ):
        turned_on(**address)
