"""Downloads: the book as a PDF, the site and the notebooks as zips."""

import os
import subprocess
import sys
import zipfile
from types import SimpleNamespace

import pdf
import pikepdf
import poster
import pytest
from bs4 import BeautifulSoup
from downloads import NAME, NOTEBOOKS, PDF, POSTER, SITE, filled, pack

LISTED = {"Begin": ["book/before"], "Learning": ["book/08_menace", "book/glossary"]}


@pytest.fixture(scope="module")
def printed(browser):
    """Three pages as a book."""
    whole = pdf.book(browser, LISTED)
    assert pdf.faults(whole) == []
    return whole


def links(page):
    return [note for note in page.get("/Annots", []) if note.Subtype == "/Link"]


def test_pdf_bookmarks_contents_and_links(printed, site):
    titles = []
    for address in [address for part in LISTED.values() for address in part]:
        text = (site / f"{address}.html").read_text("utf-8")
        heading = BeautifulSoup(text, "html.parser").article.h1
        titles.append(heading.get_text().removesuffix("#"))
    numbers = {page.objgen: n for n, page in enumerate(printed.pages)}
    with printed.open_outline() as outline:
        marks = [
            (mark.title, numbers[mark.destination[0].objgen]) for mark in outline.root
        ]
    assert [title for title, _ in marks] == titles
    there = [page for _, page in marks]
    cover, contents, *pages = printed.pages
    assert links(cover) == []
    assert [numbers[link.Dest[0].objgen] for link in links(contents)] == there
    assert there[0] == 2
    labels = printed.Root.PageLabels.Nums  # page numbers restart after the contents
    assert [int(labels[0]), int(labels[2])] == [0, 2]
    links_on_pages = [link for page in pages for link in links(page)]
    met = {str(link.Dest) for link in links_on_pages if "/Dest" in link}
    assert met <= {*printed.Root.Dests.keys()}
    assert any(name.startswith("/book-glossary--term-") for name in met)
    away = [str(link.A.URI) for link in links_on_pages if "/Dest" not in link]
    assert all(address.startswith("http") for address in away)


def test_pdf_page_keeps_boards_and_labs_without_scripts():
    known = ["book/before", "book/08_menace"]
    one, two = (pdf.page(address, known).body for address in known)
    assert "data-ttt-board" in one
    assert "data-ttt-lab" in two
    for part in ("<script", "ttt-setup", "ttt-drawing", "ttt-check", "headerlink"):
        assert part not in one + two
    assert "checks of this page’s numbers, in the notebook." in two  # the label remains


def test_pdf_faults_finds_missing_glyphs_and_fonts(printed, tmp_path):
    printed.save(tmp_path / "other.pdf")
    with pikepdf.open(tmp_path / "other.pdf") as other:
        page = other.pages[3]
        page.Contents = other.make_stream(
            b"BT <0029> Tj ET " + page.Contents.read_bytes() + b" BT <00290000> Tj ET"
        )
        fonts = page.resources.Font
        name = next(name for name in fonts if fonts[name].Subtype == "/Type0")
        descriptor = fonts[name].DescendantFonts[0].FontDescriptor
        del descriptor["/FontFile2"]
        found = pdf.faults(other)
    assert "page 4: a sign has no glyph" in found
    assert f"page 4: font {name} is not embedded" in found


def test_unzipped_site_works(site, tmp_path, new_tab):
    with zipfile.ZipFile(site / SITE) as packed:
        packed.extractall(tmp_path)
    copy = tmp_path / NAME
    here = {path.relative_to(site) for path in site.rglob("*") if path.is_file()}
    there = {path.relative_to(copy) for path in copy.rglob("*") if path.is_file()}
    assert {str(path) for path in here - there} <= {SITE, PDF, ".buildinfo"}
    tab = new_tab()
    tab.goto((copy / "index.html").as_uri())
    tab.wait_for_selector(".ttt")
    tab.click(".licence-note a >> nth=0")
    tab.wait_for_selector(".away")
    places = tab.locator(".away")
    assert places.locator("a").all_inner_texts() == [NOTEBOOKS, POSTER]
    assert "This is a copy of it." in places.all_inner_texts()


@pytest.mark.long
def test_unzipped_notebooks_run(site, tmp_path):
    with zipfile.ZipFile(site / NOTEBOOKS) as packed:
        packed.extractall(tmp_path)
    folder, target = tmp_path / NAME, tmp_path / "installed"
    alone = {**os.environ, "PYTHONPATH": str(target)}

    def run(*words):
        command = [sys.executable, "-m", *words]
        done = subprocess.run(
            command, env=alone, cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr

    run("pip", "install", "--quiet", "--no-deps", "--no-build-isolation",
        "--target", target, folder)  # fmt: skip
    run("pytest", "--nbval", "--nbval-current-env", "-q", "-p", "no:cacheprovider",
        "book/before.ipynb")  # fmt: skip


def test_download_page_lists_files_and_stale_pdf_is_deleted(tmp_path, monkeypatch):
    monkeypatch.setattr(poster, "write", lambda path: path.write_text("drawn"))
    site, root = tmp_path / "site", tmp_path / "root"
    (site / "book").mkdir(parents=True)
    (root / "book").mkdir(parents=True)
    place = '<p class="away" data-away="{}"></p>'
    page, chapter = site / "book" / "take_away.html", site / "book" / "one.html"
    page.write_text("".join(map(place.format, (PDF, SITE, NOTEBOOKS))))
    chapter.write_text("one")
    app = SimpleNamespace(
        builder=SimpleNamespace(format="html"), outdir=site, srcdir=root
    )
    (site / PDF).write_text("printed")
    os.utime(chapter, (1, 1))
    pack(app, None)
    assert page.read_text().count("download>") == 3
    pack(app, None)  # again: nothing is added twice
    assert page.read_text().count("download>") == 3
    os.utime(site / PDF, (0, 0))  # now a page is newer than the PDF
    pack(app, None)
    assert not (site / PDF).exists()
    assert "make pdf" in page.read_text()
    assert filled(page.read_text(), site, {NOTEBOOKS}).count("download>") == 1
