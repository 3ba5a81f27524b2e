"""Four pages built with and without an address of the book."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import pytest
import yaml
from address_extension import BRANCH, COPIES
from bs4 import BeautifulSoup
from downloads import NAME, NOTEBOOKS, SITE
from pages import ROOT

HOME = "https://someone.github.io/three/"
EMPTY = dict.fromkeys(("url", "baseurl", "hub"), "")
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
        config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
        config["repository"]["url"] = address["url"]
        config["html"]["baseurl"] = address["baseurl"]
        config["launch_buttons"]["jupyterhub_url"] = address["hub"]
        chapters = [{"file": page} for page in PAGES[1:]]
        order = {"format": "jb-book", "root": PAGES[0], "chapters": chapters}
        for name, settings in ("_config.yml", config), ("_toc.yml", order):
            (folder / name).write_text(yaml.safe_dump(settings, sort_keys=False))
        program = Path(sys.executable).with_name("jupyter-book")
        build = [program, "build", folder, "--quiet"]
        known = {**os.environ, "PYTHONPATH": str(ROOT)}
        running.append((folder, subprocess.Popen(build, env=known)))
    assert [process.wait() for _, process in running] == [0, 0]
    return [folder / "_build" / "html" for folder, _ in running]


def read(site, page):
    return BeautifulSoup((site / f"{page}.html").read_text("utf-8"), "html.parser")


def test_site_without_address_has_no_absolute_links(sites):
    signs = f"canonical og:url launch-buttons issues/new {COPIES}/before.ipynb".split()
    empty, whole = ("".join(map(Path.read_text, s.rglob("*.html"))) for s in sites)
    assert [sign for sign in signs if sign not in whole] == []
    assert [sign for sign in signs if sign in empty] == []
    here = {path.name for path in sites[0].iterdir()}
    assert not {"sitemap.xml", "robots.txt", COPIES} & here


def test_launch_and_issue_buttons(sites):
    header = read(sites[1], PAGES[1]).find(class_="article-header-buttons")
    (menu,) = header.find_all(class_="dropdown")
    assert menu.button["aria-label"] == "Run this page"
    there = {
        "Binder": "mybinder.org/v2/gh/someone/three/main?urlpath=lab/tree/book/before",
        "JupyterHub": "urlpath=lab/tree/three/book/before.ipynb&branch=main",
        "Colab": f"google.com/github/someone/three/blob/{BRANCH}/before.ipynb",
    }
    led = {link.text.strip(): link["href"] for link in menu.find_all("a")}
    assert led.keys() == there.keys()
    assert [name for name in there if there[name] not in led[name]] == []
    report = header.find(title="Report a mistake")["href"]
    assert "/someone/three/issues/new?title=" in report
    assert report.endswith("book/before.html")
    assert not read(sites[1], PAGES[0]).find(class_="dropdown-launch-buttons")


def test_canonical_urls_and_sitemap(sites):
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


def test_notebook_copies_are_listed_in_order_and_packed(sites):
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
