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

from ttt_lib import menace, search
from ttt_lib.agents.builtin import AGENTS
from ttt_lib.board import encode as entries
from ttt_lib.game import tables
from ttt_lib.studies import load

FRONT = "book/index.html"
CHAPTERS = sorted(path for path in PAGES if re.match(r"\d\d_", path.name))
MAX_BYTES = {FRONT: 250_000} | {address(path): 600_000 for path in CHAPTERS}  # bytes
game = tables()


@pytest.fixture
def front(open_page):
    """Open the front page, and wait for its board: (tab, log)."""

    def front(**more):
        tab, log = open_page(FRONT, **more)
        tab.locator(".first-board .ttt-cell").first.wait_for()
        return tab, log

    return front


def test_front_page_facts_match_library(front):
    tab, _ = front()
    games = np.zeros(len(game.code), dtype=int)  # games from each position
    for s in reversed(range(len(games))):
        after = game.next[s][game.legal[s]]
        games[s] = games[after].sum() if len(after) else 1
    facts = [len(game.code), games[0], len(entries.entries()), 0]
    written = tab.locator(".facts strong").all_inner_texts()
    assert written == [f"{fact:,}" for fact in facts]
    asked = (game.to_move == 1) & ~game.terminal & (np.abs(game.board).sum(1) < 8)
    boxes = len(np.unique(menace.labels(game)[0][asked]))  # the last cell needs no box
    words = tab.locator(".first-board > p").inner_text()
    assert re.findall(r"[\d,]+\d", words) == [str(boxes), f"{AGENTS['menace'].games:,}"]


def test_first_board_shows_exact_values_and_plays(front):
    tab, log = front()
    cells, s = tab.locator(".first-board .ttt-cell"), game.find("X...O...X")
    exact = search.solve(game).Q[s]
    for cell in np.flatnonzero(game.legal[s]):
        number = cells.nth(int(cell)).locator("b").inner_text()
        assert float(number.replace("−", "-")) == exact[cell]
    cells.nth(1).click()
    tab.wait_for_function(
        "() => document.querySelectorAll('.first-board .ttt-cell path').length > 6"
    )
    log.assert_silent()


def test_growing_learner_animation_matches_study(front):
    tab, log = front()
    ((rows,),) = (study := load("growing")).results
    best = search.solve(game).Q[game.find(study.BOARD)]
    legal = game.legal[game.find(study.BOARD)]
    assert np.flatnonzero(legal & (best >= 0)).tolist() == [4], "the page says so"
    place = tab.locator("[data-watch]")
    status, slider = place.locator("output"), place.get_by_label("Games played")

    def shows(n):
        """Assert that the page shows row n of the study."""
        numbers = place.locator("b").all_inner_texts()
        values = [float(number.replace("−", "-")) for number in numbers]
        assert values == rows[n][:9][legal].tolist()
        said = f"{study.MARKS[n]:,} games, exploitability {rows[n][9]:.3f}"
        assert status.inner_text() == said
        points = place.locator("polyline").get_attribute("points").split()
        assert len(points) == n + 1
        return True

    place.scroll_into_view_if_needed()
    assert shows(0), "with reduced motion the animation is started by hand"
    place.get_by_role("button", name="Watch").click()
    place.get_by_role("button", name="Watch again").wait_for()
    assert shows(len(rows) - 1)
    slider.focus()
    tab.keyboard.press("Home")
    tab.keyboard.press("ArrowRight")
    assert shows(1)
    log.assert_silent()


def test_learner_animation_starts_by_itself_without_layout_shift(browser, site):
    tab = browser.new_page(reduced_motion="no-preference")
    tab.goto((site / FRONT).as_uri())
    tab.locator("[data-watch]").scroll_into_view_if_needed()
    tab.get_by_role("button", name="Watch again").wait_for()
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


def test_cards_link_to_chapters(front):
    tab, _ = front()
    for n, path in enumerate(CHAPTERS, start=1):
        card = tab.locator(f".card-of-chapter[href='{path.stem}.html']")
        title = card.locator("strong").inner_text()
        assert title == f"{n}. {re.match('# (.*)', markdown(path))[1]}"
        assert card.locator("svg path").count()


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
