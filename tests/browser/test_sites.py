"""Four pages built both ways: with an address of the book, and without."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import pytest
import yaml
from address_extension import BRANCH, COPIES
from away_extension import NAME, NOTEBOOKS, SITE
from bs4 import BeautifulSoup
from pages import ROOT

HOME = "https://someone.github.io/three/"
EMPTY = {"url": "", "baseurl": "", "hub": ""}
WHOLE = {
    "url": "https://github.com/someone/three/",
    "baseurl": HOME.rstrip("/"),
    "hub": "https://hub.example.org/",
}
pytestmark = pytest.mark.long
PAGES = "book/licences", "book/before", "book/closer_looks/folklore", "book/take_away"


@pytest.fixture(scope="module")
def sites(tmp_path_factory):
    """Two sites of four pages: without an address, and with one."""
    running = []
    for address in EMPTY, WHOLE:
        folder = tmp_path_factory.mktemp("site")
        for name in "book", "ttt_lib", "pyproject.toml", "LICENSE":
            (folder / name).symlink_to(ROOT / name)
        told = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
        told["repository"]["url"] = address["url"]
        told["html"]["baseurl"] = address["baseurl"]
        told["launch_buttons"]["jupyterhub_url"] = address["hub"]
        chapters = [{"file": page} for page in PAGES[1:]]
        order = {"format": "jb-book", "root": PAGES[0], "chapters": chapters}
        for name, settings in ("_config.yml", told), ("_toc.yml", order):
            (folder / name).write_text(yaml.safe_dump(settings, sort_keys=False))
        program = Path(sys.executable).with_name("jupyter-book")
        build = [program, "build", folder, "--quiet"]
        known = {**os.environ, "PYTHONPATH": str(ROOT)}
        running.append((folder, subprocess.Popen(build, env=known)))
    assert [process.wait() for _, process in running] == [0, 0]
    return [folder / "_build" / "html" for folder, _ in running]


def read(site, page):
    return BeautifulSoup((site / f"{page}.html").read_text("utf-8"), "html.parser")


def test_without_an_address_nothing_is_there_that_needs_one(sites):
    signs = f"canonical og:url launch-buttons issues/new {COPIES}/before.ipynb".split()
    empty, whole = ("".join(map(Path.read_text, s.rglob("*.html"))) for s in sites)
    assert [sign for sign in signs if sign not in whole] == []
    assert [sign for sign in signs if sign in empty] == []
    here = {path.name for path in sites[0].iterdir()}
    assert not {"sitemap.xml", "robots.txt", COPIES} & here


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


def test_the_buttons_open_by_keyboard_and_fit_a_telephone(sites, new_tab):
    tab = new_tab()
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.goto((sites[1] / f"{PAGES[1]}.html").as_uri())
    tab.add_style_tag(content="html { font-size: 200% !important }")
    menu = tab.locator(".dropdown-launch-buttons")
    menu.get_by_role("button", name="Run this page").press("Enter")
    menu.get_by_role("link", name="Colab").wait_for()
    assert tab.evaluate("() => document.documentElement.scrollWidth") == 390


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
