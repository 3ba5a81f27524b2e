"""The front page, what others show of the site, and how light pages are."""

import gzip
import json
import re
import shutil
from urllib.parse import urljoin

import numpy as np
import pytest
from common import thinned
from pages import BOOK, PAGES, address, markdown, minutes
from PIL import Image

from ttt_lib import menace, search
from ttt_lib.agents.builtin import AGENTS
from ttt_lib.board import tables as entries
from ttt_lib.game import tables
from ttt_lib.studies import load

FRONT = "book/index.html"
README = BOOK.parent / "README.md"
CHAPTERS = sorted(path for path in PAGES if re.match(r"\d\d_", path.name))
MOST = {FRONT: 250_000} | {address(path): 600_000 for path in CHAPTERS}  # bytes
SIZES = {"wide": (1280, 900), "narrow": (390, 844)}
game = tables()


@pytest.fixture
def front(open_page):
    """Open the front page, and wait for its board: (tab, log)."""

    def front(**more):
        tab, log = open_page(FRONT, **more)
        tab.locator(".first-board .ttt-cell").first.wait_for()
        return tab, log

    return front


def test_the_facts_are_the_library_s(front):
    tab, _ = front()
    games = np.zeros(len(game.code), dtype=int)  # from here to the end
    for s in reversed(range(len(games))):
        after = game.next[s][game.legal[s]]
        games[s] = games[after].sum() if len(after) else 1
    facts = [len(game.code), games[0], len(entries.entries()), 0]
    written = tab.locator(".facts strong").all_inner_texts()
    assert written == [f"{fact:,}" for fact in facts]
    asked = (game.to_move == 1) & ~game.terminal & (np.abs(game.board).sum(1) < 8)
    boxes = len(np.unique(menace.labels(game)[0][asked]))  # the last cell needs none
    words = tab.locator(".first-board > p").inner_text()
    assert re.findall(r"[\d,]+\d", words) == [str(boxes), f"{AGENTS['menace'].games:,}"]


@pytest.mark.parametrize("origin", ["file", "http"])
def test_the_first_board_shows_exact_numbers_and_plays(origin, front):
    tab, log = front(origin=origin)
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


def test_a_learner_grows_as_one_watches(front):
    tab, log = front()
    ((rows,),) = (study := load("growing")).results
    best = search.solve(game).Q[game.find(study.BOARD)]
    legal = game.legal[game.find(study.BOARD)]
    assert np.flatnonzero(legal & (best >= 0)).tolist() == [4], "the page says so"
    place = tab.locator("[data-watch]")
    told, slider = place.locator("output"), place.get_by_label("Games played")

    def shows(n):
        """Whether the page shows row n of the study."""
        numbers = place.locator("b").all_inner_texts()
        values = [float(number.replace("−", "-")) for number in numbers]
        assert values == rows[n][:9][legal].tolist()
        said = f"{study.MARKS[n]:,} games, exploitability {rows[n][9]:.3f}"
        assert told.inner_text() == said
        points = place.locator("polyline").get_attribute("points").split()
        assert len(points) == n + 1
        return True

    place.scroll_into_view_if_needed()
    assert shows(0), "who wants little to move begins by hand"
    place.get_by_role("button", name="Watch").click()
    place.get_by_role("button", name="Watch again").wait_for()
    assert shows(len(rows) - 1)
    slider.focus()
    tab.keyboard.press("Home")
    tab.keyboard.press("ArrowRight")
    assert shows(1)
    place.get_by_role("button", name="Watch").click()
    place.get_by_role("button", name="Pause").click()
    before = told.inner_text()
    tab.wait_for_timeout(100)
    assert told.inner_text() == before
    assert place.locator("[role=status]").inner_text() == before
    log.assert_silent()


def test_it_begins_by_itself_where_things_may_move(browser, site):
    tab = browser.new_page(reduced_motion="no-preference")
    tab.goto((site / FRONT).as_uri())
    tab.locator("[data-watch]").scroll_into_view_if_needed()
    tab.get_by_role("button", name="Watch again").wait_for()
    tab.close()


def test_the_cards_lead_to_the_chapters(front):
    tab, _ = front()
    cards = tab.locator(".card-of-chapter")
    told = [
        [card.get_attribute("href"), *card.locator("strong, small").all_inner_texts()]
        for card in cards.all()
    ]
    assert told == [
        [
            f"{path.stem}.html",
            f"{n}. {re.match('# (.*)', markdown(path))[1]}",
            f"{minutes(path)[0]} minutes to read",
        ]
        for n, path in enumerate(CHAPTERS, start=1)
    ]
    assert all(card.locator("svg path").count() for card in cards.all())


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_the_search_is_at_hand(size, front):
    tab, log = front(size=size)
    tab.locator("button[aria-label='Search']:visible").first.click()
    tab.locator("input[name=q]:visible").first.wait_for()
    log.assert_silent()


def test_next_leads_to_the_first_chapter(front):
    tab, _ = front()
    tab.locator(".prev-next-area a.right-next").click()
    tab.wait_for_url(f"**/{address(CHAPTERS[0])}")


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_nothing_jumps_on_the_front_page(size, front):
    tab, _ = front(size=size)
    shift = tab.evaluate(
        """() => new Promise((done) => {
          let shift = 0;
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) shift += entry.value;
          }).observe({ type: 'layout-shift', buffered: true });
          setTimeout(() => done(shift), 500);
        })"""
    )
    assert shift <= 0.02


@pytest.mark.parametrize("page", thinned(MOST, 4))
def test_a_page_is_light(page, open_page, site, settle):
    # Packed as hosts pack it; pictures of types that are packed already count whole.
    tab, log = open_page("book/licences.html", "http")
    came = []
    tab.on("request", lambda each: came.append(each.url.partition("?")[0]))
    root = tab.url.removesuffix("book/licences.html")
    tab.goto(root + page)
    settle(tab)
    files = {site / url.removeprefix(root) for url in came if url.startswith(root)}
    assert len(files) > 10
    assert sum(len(gzip.compress(file.read_bytes())) for file in files) <= MOST[page]
    log.assert_silent()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_what_others_show_of_a_page(path, site):
    head = (site / address(path)).read_text("utf-8").partition("</head>")[0]
    metas = [
        (tag["key"], tag["content"])
        for tag in re.finditer(
            r'<meta (?:name|property)="(?P<key>[^"]*)" content="(?P<content>[^"]*)"',
            head,
        )
    ]
    known = dict(metas)
    assert [key for key, _ in metas].count("viewport") == 1
    assert 40 <= len(known["description"]) <= 160 + 10 * known["description"].count("&")
    assert known["og:title"] in re.search("<title>(.*?)</title>", head, re.DOTALL)[1]
    here = known.get("og:url", address(path))  # whole, where the book has an address
    home = here.removesuffix(address(path))
    picture = urljoin(here, known["og:image"]).removeprefix(home)
    with Image.open(site / picture) as shown:
        assert shown.size == (1200, 630)


def test_the_readme_shows_the_picture_that_links_are_shown_with(site):
    files = (
        BOOK.parent / ".github" / "three_in_a_row.png",
        site / "_static" / "share.png",
    )
    stored, drawn = (np.asarray(Image.open(file).convert("RGB")) for file in files)
    assert stored.shape == drawn.shape
    assert np.abs(stored.astype(int) - drawn).mean() < 0.5
    s = game.find(load("growing").BOARD)
    saves = game.legal[s] & (search.solve(game).Q[s] == 0)
    assert np.flatnonzero(saves).tolist() == [4], "all lose but the centre"
    assert f'"{files[0].relative_to(BOOK.parent).as_posix()}"' in README.read_text(
        "utf-8"
    )


def test_the_root_says_where_the_book_begins(site):
    root = (site / "index.html").read_text("utf-8")
    assert '<html lang="en-GB">' in root
    assert "<title>Three in a Row</title>" in root


def test_the_page_for_lost_links_is_whole_in_itself(site, tmp_path, new_tab):
    shutil.copy(site / "404.html", tmp_path)
    tab, asked = new_tab(), []
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto((tmp_path / "404.html").as_uri())
    tab.locator(".ttt-cell").nth(4).click()
    tab.wait_for_function(
        "() => document.querySelector('.ttt-status').textContent.includes('cell 4')"
    )
    assert len(asked) == 1
    tab.close()


def test_every_icon_is_drawn(site):
    styles = (site / "_static" / "icons.css").read_text("utf-8")
    drawn = set(re.findall(r"\.(fa-[\w-]+)", styles))
    used = {
        icon
        for page in site.rglob("*.html")
        for classes in re.findall(
            r'class="([^"]*\bfa[srb]? [^"]*|fa-solid [^"]*)"', page.read_text("utf-8")
        )
        for icon in classes.split()
        if icon.startswith("fa-")
    }
    assert used
    assert used - {"fa-solid"} <= drawn
    assert not list(site.rglob("fa-*.woff2"))
    assert "Font Awesome" not in json.dumps(
        re.findall(
            r"@font-face\{[^}]*\}",
            (site / "_static" / "styles" / "pydata-sphinx-theme.css").read_text(
                "utf-8"
            ),
        )
    )
