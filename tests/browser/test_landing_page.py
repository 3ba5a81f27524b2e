"""The landing page, social metadata, and the size of pages."""

import gzip
import re
import shutil
from html import unescape
from urllib.parse import urljoin

import numpy as np
import pytest
from common import sample_params
from pages import PAGES, address, markdown
from PIL import Image

from ttt_lib import search
from ttt_lib.game import symmetry_class, tables
from ttt_lib.policy import max_q
from ttt_lib.studies import load

FRONT = "book/index.html"
CHAPTERS = sorted(path for path in PAGES if re.match(r"\d\d_", path.name))
LADDER = "document.querySelector('[data-ttt-ladder]').tttLadder"
TURN = f"{LADDER}.game.toMove[{LADDER}.s] === 1"
BEST = f"""() => {{
  const {{ game, s, stage, values }} = {LADDER}, V = values[stage];
  for (let i = game.first[s]; i < game.first[s + 1]; i++)
    if (V[game.successor[i]] === V[s]) return game.action[i];
}}"""
MAX_BYTES = {FRONT: 250_000} | {address(path): 600_000 for path in CHAPTERS}  # bytes
game = tables()


@pytest.fixture
def front(open_page):
    """Open the front page, and wait for its game: (tab, log)."""

    def front(**more):
        tab, log = open_page(FRONT, **more)
        tab.locator(".learner-ladder .ttt-cell").first.wait_for()
        return tab, log

    return front


def test_each_stage_but_the_last_can_be_beaten_and_reviews_name_the_first_loss(front):
    tab, log = front()
    place = tab.locator("[data-ttt-ladder]")
    values = "() => document.querySelector('[data-ttt-ladder]').tttLadder.values"
    start = tab.evaluate(f"() => ({values})().map((V) => V[0])")
    assert start == [1, 1, 1, 1, 0]
    for stage in range(5):  # the reader plays a best reply
        while not tab.evaluate(f"{LADDER}.over"):
            tab.wait_for_function(f"() => {LADDER}.s === 0 || {TURN}", polling=20)
            best = tab.evaluate(BEST)
            place.get_by_role("gridcell").nth(best).click()
            tab.wait_for_function(f"() => {LADDER}.over || {TURN}", polling=20)
        said = place.locator(".ttt-ladder-says").inner_text()
        if stage < 4:
            assert re.match(
                r"You won\. Its \w+ move, cell \d, gave away the (win|draw): cell", said
            )
            place.get_by_role("button", name="Let it play").click()
    assert said.startswith("A draw. You gave nothing away")
    shown = place.locator(".ttt-ladder-rungs button").all_inner_texts()
    assert [text[-1] for text in shown] == ["✓"] * 4 + ["="]
    log.assert_silent()


def test_skyline_shows_what_the_study_stored(front):
    tab, log = front()
    study = load("skyline")
    classes = np.unique(symmetry_class(game))
    exact = 10 * best_value()[classes]
    place = tab.locator("[data-ttt-skyline]")
    slider = place.get_by_label("Games played")
    slider.focus()
    tab.keyboard.press("Home")
    for games, row in zip(study.MARKS, study.results[0, 0, :, :765], strict=True):
        right = (np.abs(row - exact) <= 1).sum()
        plural = "game" + "s" * (games != 1)
        said = f"{games:,} {plural}, {right} of 765 right"
        assert place.locator("output").inner_text() == said
        paths = place.locator("svg path:not(.ttt-sky-hole)")
        drawn = paths.evaluate_all(
            "(all) => all.map((e) => e.getAttribute('d')).join('')"
        )
        assert drawn.count("M") == 765
        tab.keyboard.press("ArrowRight")
    assert "nobody wins against it" in place.locator(".sky-says").inner_text()
    log.assert_silent()


def best_value():
    """Return the exact value (S,) of each position for the first player."""
    Q = search.solve(game).Q
    return np.where(game.terminal, game.outcome, game.to_move * max_q(Q, game.legal))


def test_skyline_starts_by_itself_without_layout_shift(browser, site):
    tab = browser.new_page(reduced_motion="no-preference")
    tab.goto((site / FRONT).as_uri())
    tab.locator("[data-ttt-skyline]").scroll_into_view_if_needed()
    tab.get_by_role("button", name="Run again").wait_for()
    shift = tab.evaluate(
        """() => new Promise((done) => {
          new PerformanceObserver((list) => done(list.getEntries()
            .reduce((sum, { value }) => sum + value, 0)))
            .observe({ type: 'layout-shift', buffered: true });
          setTimeout(() => done(0), 500);  // no layout shift
        })"""
    )
    assert shift <= 0.02
    tab.close()


def test_chapters_and_labs_are_listed_with_links(front, open_page):
    tab, _ = front()
    for n, path in enumerate(CHAPTERS, start=1):
        link = tab.locator(f".chapter-list a[href='{path.stem}.html']")
        number, question, title, _ = link.inner_text().split("\n")
        assert (number, title) == (str(n), re.match("# (.*)", markdown(path))[1])
        assert question.endswith("?")
    tab, _ = open_page("book/labs.html")
    links = tab.locator(".lab-list a").evaluate_all("(all) => all.map((a) => a.href)")
    assert len(links) == 15
    for link in links[6], links[11]:  # the second lab of its page, and another
        tab.goto(link)
        name = link.partition("#lab=")[2]
        tab.wait_for_function(
            f"() => [...document.querySelectorAll('[data-ttt-lab]')]"
            f".some((e) => e.tttLab?.id === '{name}' && e.querySelector('.ttt-lab')"
            f" && !e.querySelector('.ttt-notice').textContent)"
        )


@pytest.mark.parametrize("page", sample_params(MAX_BYTES, 2))
def test_page_size_is_within_limit(page, open_page, site, settle):
    # Compressed, as servers do; images are compressed already and count in full.
    tab, log = open_page("book/licences.html", "http")
    came = []
    tab.on("request", lambda each: came.append(each.url.partition("?")[0]))
    root = tab.url.removesuffix("book/licences.html")
    tab.goto(root + page)
    settle(tab)
    files = {site / url.removeprefix(root) for url in came if url.startswith(root)}
    assert len(files) > 10
    assert (
        sum(len(gzip.compress(file.read_bytes())) for file in files) <= MAX_BYTES[page]
    )
    log.assert_silent()


def test_social_metadata_of_pages(site):
    for path in PAGES:  # metadata for search engines and link previews
        head = (site / address(path)).read_text("utf-8").partition("</head>")[0]
        meta = r'<meta (?:name|property)="([^"]*)" content="([^"]*)"'
        found = re.findall(meta, head)
        known = dict(found)
        assert [key for key, _ in found].count("viewport") == 1
        assert 40 <= len(unescape(known["description"])) <= 160
        assert known["og:title"] in re.search("<title>(.*?)</title>", head, re.S)[1]
        here = known.get("og:url", address(path))  # absolute, if there is an address
        home = here.removesuffix(address(path))
        picture = urljoin(here, known["og:image"]).removeprefix(home)
        with Image.open(site / picture) as shown:
            assert shown.size == (1200, 630)


def test_404_page_is_self_contained(site, tmp_path, new_tab):
    shutil.copy(site / "404.html", tmp_path)
    tab, asked = new_tab(), []
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto((tmp_path / "404.html").as_uri())
    tab.locator(".ttt-cell").nth(4).click()
    tab.wait_for_function(
        "() => document.querySelector('.ttt-status').textContent.includes('cell 4')"
    )
    assert len(asked) == 1
    assert tab.evaluate("() => document.fonts.check('1em \"Bricolage Grotesque\"')")
    assert tab.get_by_role("link", name="contents").get_attribute("href")
    assert tab.get_by_role("search").get_by_role("searchbox").count() == 1


def test_every_icon_is_defined(site):
    styles = (site / "_static" / "icons.css").read_text("utf-8")
    drawn, used = {"fa-solid", *re.findall(r"\.(fa-[\w-]+)", styles)}, set()
    icon = re.compile(r'class="([^"]*\bfa[srb]? [^"]*|fa-solid [^"]*)"')
    for page in site.rglob("*.html"):
        for classes in icon.findall(page.read_text("utf-8")):
            used |= {each for each in classes.split() if each.startswith("fa-")}
    assert used
    assert used <= drawn
