"""PDF of the whole book: the pages of the site in one document, printed by Chromium.

So boards, labs, formulas and figures are those of the site. Added are a cover, a table
of contents with page numbers, and titles of bookmarks.
"""

import html
import re
from io import BytesIO
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urldefrag, urljoin

import pikepdf
import yaml
from bs4 import BeautifulSoup
from chromium import ARGUMENTS, found
from downloads import PDF, offer
from figures_extension import inline
from landing_page import FRONT
from matplotlib.figure import Figure
from playwright.sync_api import Error, sync_playwright

from ttt_lib import __version__, plots
from ttt_lib.game import tables
from ttt_lib.plots.style import drawing
from ttt_lib.search import solve

ROOT = Path(__file__).parents[2]
SITE = ROOT / "_build" / "html"
STYLE = Path(__file__).with_suffix(".css")
TITLE = "Three in a Row"
ID_ATTRIBUTES = "id", "for", "headers", "aria-labelledby", "aria-describedby"
LINKS = "href", "xlink:href"
USED = re.compile(r"url\(#")
# Folds that are left out: only readers of the notebook need them.
LEFT_OUT = ".ttt-setup, .ttt-drawing, .ttt-check"
REMOVED = "script, .viewcode-link, .headerlink, .copybtn, .away"
SCALE = 0.8  # letters of 9.6 points
TIMEOUT = 600_000  # ms
# Fonts, boards, labs and agents are loaded.
READY = """() => document.fonts.status === "loaded" &&
  [...document.querySelectorAll("[data-ttt-board], [data-ttt-lab]")]
    .every((place) => place.querySelector(".ttt") && !place.tttPlay?.busy)"""
# The article and the text of each visible heading.
HEADINGS = """() => [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")]
    .filter((heading) => heading.checkVisibility())
    .map((heading) => [heading.closest("article").id,
      heading.textContent.trim().replace(/\\s+/g, " ")])"""
MISSING = re.compile(rb"<(?:[0-9A-F]{4})*?0000(?:[0-9A-F]{4})*> T[jJ]")
NO_BROWSER = (
    "No Chromium or Chrome starts on this machine, and the PDF needs one: install it, "
    "or run `.venv/bin/playwright install chromium`."
)
NUMBERED = "https://page.invalid/"  # links of the contents, until both PDFs are merged


class Page(NamedTuple):
    """A page of the book, prepared for the single document."""

    name: str  #: id of its article
    title: str
    body: str
    styles: list  #: addresses, relative to the root of the site
    scripts: list


def parts():
    """Return the parts of the book, caption → addresses of its pages."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    return {
        part["caption"]: [chapter["file"] for chapter in part["chapters"]]
        for part in toc["parts"]
    }


def anchor(address):
    """Return the id of a page's article in the single document."""
    return address.replace("/", "-")


def page(address, known):
    """Return the Page at an address; its links to `known` pages stay in the book."""
    text = (SITE / f"{address}.html").read_text("utf-8")
    soup, base = BeautifulSoup(text, "html.parser"), f"/{address}.html"
    body = soup.find("article")
    for part in body.select(REMOVED):
        part.decompose()
    for fold in body.select(LEFT_OUT):
        if "ttt-check" in fold["class"]:
            fold.insert_before(note := soup.new_tag("p", attrs={"class": "left-out"}))
            note.string = f"{fold.summary.get_text()}, in the notebook."
        fold.decompose()
    for fold in body.find_all("details"):
        fold["open"] = ""
    for tag in body.find_all(True):
        _rewrite(tag, address, known)
    return Page(
        anchor(address),
        " ".join(body.h1.get_text().split()),
        body.decode_contents(),
        [urljoin(base, link["href"]) for link in soup.select("link[rel=stylesheet]")],
        [
            urljoin(base, script["src"])
            for script in soup.select("script[src]")
            if "/ttt/" in script["src"] or "/book.js" in script["src"]
        ],
    )


def _rewrite(tag, address, known):
    """Prefix the ids of a tag, and make its links point into the single document."""
    prefix = f"{anchor(address)}--"
    for name in ID_ATTRIBUTES:
        if name in tag.attrs:
            tag[name] = " ".join(
                f"{prefix}{identifier}" for identifier in tag.get_attribute_list(name)
            )
    for name, value in [*tag.attrs.items()]:
        if isinstance(value, str) and "url(#" in value:
            tag[name] = USED.sub(f"url(#{prefix}", value)
    if "src" in tag.attrs:
        tag["src"] = urljoin(f"/{address}.html", tag["src"]).lstrip("/")
        tag.attrs.pop("loading", None)
    for name in LINKS:
        if name in tag.attrs:
            link = _internal_link(tag[name], address, known)
            if link:
                tag[name] = link
            else:
                del tag[name]


def _internal_link(link, address, known):
    """Return the target of a link in the single document, None if it has none."""
    if re.match(r"\w+:", link):
        return link
    target, name = urldefrag(link)
    target = urljoin(f"/{address}.html", target).strip("/").removesuffix(".html")
    if target not in known:
        return None
    return f"#{anchor(target)}" + (f"--{name}" if name else "")


def document(body, pages, more=""):
    """Return a document with a body and the styles and scripts of some pages."""
    styles = dict.fromkeys(style for page in pages for style in page.styles)
    scripts = dict.fromkeys(script for page in pages for script in page.scripts)
    last = [script for script in scripts if "/tables.js" in script]  # starts boards
    ordered = [script for script in scripts if script not in last] + last
    links = [f'<link rel="stylesheet" href="{file.lstrip("/")}">' for file in styles]
    links += [f"<style>{STYLE.read_text('utf-8')}{more}</style>"]
    links += [f'<script defer src="{file.lstrip("/")}"></script>' for file in ordered]
    return (
        '<!doctype html><html lang="en-GB" data-theme="light" data-mode="light">'
        f'<head><meta charset="utf-8"><title>{TITLE}</title>{"".join(links)}</head>'
        '<body><div class="bd-main"><div class="bd-content">'
        f'<div class="bd-article-container">{body}</div></div></div></body></html>'
    )


def inside(pages):
    """Return the document of all pages, with running titles and page numbers."""
    small = "color: var(--ttt-quiet); font: 9pt var(--ttt-prose-type);"
    rules = "".join(
        f"#{page.name} {{ page: {page.name}; }} @page {page.name} {{ "
        f"@top-right {{ content: {_quoted(page.title)}; {small} }} "
        f"@bottom-right {{ content: counter(page); {small} }} }}\n"
        for page in pages
    )
    articles = (
        f'<article class="bd-article" id="{page.name}">{page.body}</article>'
        for page in pages
    )
    return document("".join(articles), pages, rules)


def _quoted(text):
    return '"' + text.replace("\\", r"\\").replace('"', r"\"") + '"'


def front(pages, starts, listed):
    """Return the document of cover and contents; `starts` has the page numbers."""
    index = BeautifulSoup((SITE / f"{FRONT}.html").read_text("utf-8"), "html.parser")
    promise = index.select_one(".promise").get_text().strip()
    figure, game = Figure(figsize=(7.6, 1.75)), tables()
    plots.skyline(game, game.outcome + solve(game).V, figure.subplots())
    words = "All kinds of positions as dots, coloured by who wins"
    cover = (
        f'<section class="cover"><h1>{TITLE}</h1>'
        f"<p>{html.escape(promise)}</p>"
        f"{inline(drawing(figure), words)}"
        f'<p class="told">Edition {__version__}. Text and figures CC BY 4.0, code MIT. '
        "Boards and labs are pictures here; on the site they are interactive.</p>"
        "</section>"
    )
    lines = []
    for caption, names in listed.items():
        entries = "".join(
            f'<li><a href="{NUMBERED}{starts[anchor(name)]}">'
            f"<span>{html.escape(pages[anchor(name)].title)}</span>"
            f"<span>{starts[anchor(name)]}</span></a></li>"
            for name in names
        )
        lines.append(f"<h3>{caption}</h3><ol>{entries}</ol>")
    contents = f'<section class="contents"><h2>Contents</h2>{"".join(lines)}</section>'
    article = f'<article class="bd-article">{cover}{contents}</article>'
    return document(article, [*pages.values()][:1])


def print_document(browser, document):
    """Print a document when its boards and labs are ready; return PDF and headings."""
    source = SITE / "paper.html"  # relative addresses begin here
    source.write_text(document, encoding="utf-8")
    try:
        tab = browser.new_page()
        tab.set_default_timeout(TIMEOUT)
        tab.goto(source.as_uri())
        tab.wait_for_function(READY)
        headings = tab.evaluate(HEADINGS)
        paper = tab.pdf(
            format="A4",
            scale=SCALE,
            outline=True,
            tagged=True,
            print_background=True,
            prefer_css_page_size=True,
        )
        tab.close()
    finally:
        source.unlink()
    return pikepdf.open(BytesIO(paper)), headings


def title_bookmarks(pdf, headings):
    """Set the titles of the bookmarks; return the page numbers of their targets.

    The browser's own titles join words where a heading has a line break.
    """
    numbers = {page.objgen: n for n, page in enumerate(pdf.pages, start=1)}
    with pdf.open_outline() as outline:
        items = [*_flat(outline.root)]
        if len(items) != len(headings):
            raise SystemExit(f"{len(items)} bookmarks, but {len(headings)} headings")
        for item, (_, text) in zip(items, headings, strict=True):
            item.title = text
        return [numbers[item.destination[0].objgen] for item in items]


def _flat(items):
    for item in items:
        yield item
        yield from _flat(item.children)


def bind(front, inside):
    """Insert cover and contents before the rest, and link the contents to it."""
    before = len(front.pages)
    for page in reversed(front.pages):
        inside.pages.insert(0, page)
    for page in inside.pages[:before]:
        for link in page.get("/Annots", []):
            address = str(link.get("/A", {}).get("/URI", ""))
            if address.startswith(NUMBERED):
                number = int(address.removeprefix(NUMBERED))
                del link["/A"]
                target = inside.pages[before + number - 1].obj
                link["/Dest"] = pikepdf.Array([target, pikepdf.Name.Fit])
    inside.Root.PageLabels = pikepdf.Dictionary(
        Nums=[
            0,
            pikepdf.Dictionary(S=pikepdf.Name.r),
            before,
            pikepdf.Dictionary(S=pikepdf.Name.D),
        ]
    )
    with inside.open_metadata() as metadata:
        metadata["dc:title"] = TITLE
        metadata["dc:creator"] = ["The Three in a Row team"]
        metadata["dc:language"] = ["en-GB"]
    inside.Root.PageMode = pikepdf.Name.UseOutlines
    return inside


def faults(pdf):
    """Return the problems of a PDF: missing glyphs, fonts that are not embedded."""
    problems = []
    for number, page in enumerate(pdf.pages, start=1):
        for name, font in page.resources.get("/Font", {}).items():
            if not _embedded(font):
                problems.append(f"page {number}: font {name} is not embedded")
        contents = page.Contents
        streams = contents if isinstance(contents, pikepdf.Array) else [contents]
        if any(MISSING.search(stream.read_bytes()) for stream in streams):
            problems.append(f"page {number}: a sign has no glyph")
    return problems


def _embedded(font):
    if font.Subtype == "/Type3":  # its glyphs are drawings
        return True
    descendants = font.get("/DescendantFonts", [font])
    embedded = {"/FontFile", "/FontFile2", "/FontFile3"}
    return all(embedded & {*part.FontDescriptor} for part in descendants)


def book(browser, listed):
    """Return the pages of some parts as a PDF with cover and contents."""
    known = [address for addresses in listed.values() for address in addresses]
    pages = {anchor(address): page(address, known) for address in known}
    inner, headings = print_document(browser, inside([*pages.values()]))
    numbers, starts = title_bookmarks(inner, headings), {}
    for (name, _), number in zip(headings, numbers, strict=True):
        starts.setdefault(name, number)
    outer, _ = print_document(browser, front(pages, starts, listed))
    return bind(outer, inner)


def main():
    """Print the built book, and link to the PDF on the site."""
    if not (SITE / "index.html").exists():
        raise SystemExit("There is no site to print. Run `make book` first.")
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(
                executable_path=found(windows=False), args=ARGUMENTS
            )
        except Error:
            raise SystemExit(NO_BROWSER) from None
        whole = book(browser, parts())
    if problems := faults(whole):
        raise SystemExit("The PDF was not saved:\n" + "\n".join(problems))
    target = SITE / PDF
    whole.save(target, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    offer(SITE)
    size = target.stat().st_size / 1e6
    print(f"The book is printed: {target}, {len(whole.pages)} pages, {size:.1f} MB")


if __name__ == "__main__":
    main()
