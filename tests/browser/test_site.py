"""Every page of the site, opened from a file and from a server."""

import re
from functools import cache
from html import unescape
from urllib.parse import unquote, urldefrag, urljoin

import pages as written
import pytest
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup
from common import FRAMES, sample_params

from ttt_lib import theme

NARROW = (390, 844)
IMAGE_FILE = re.compile(r"\.(png|svg|jpe?g|gif|webp)$")


def pages():
    """The pages in the table of contents, and the two that Sphinx adds."""
    return [f"{page}.html" for page in [*written.toc(), "genindex", "search"]]


READ = r"""() => {
  const text = document.querySelector('main').cloneNode(true);
  text.querySelectorAll('pre, code, script, .katex').forEach(e => e.remove());
  const all = selector => [...document.querySelectorAll(selector)];
  return {
    invisible: all('.katex-html').filter(e => !e.offsetWidth)
      .map(e => e.textContent),
    cut: all('.formula').filter(e => e.scrollWidth > e.clientWidth)
      .map(e => e.textContent),
    raw: text.textContent.match(/\$\$|\\\(|\\\[|\\begin\{/g) ?? [],
    broken: all('img').filter(e => e.complete && !e.naturalWidth)
      .map(e => e.src),
    pictures: [...all('main img').map(e => e.alt),
      ...all('.ttt-figure svg').map(e => e.getAttribute('aria-label'))],
    fixed: all('.ttt-figure [style]')
      .flatMap(e => e.getAttribute('style').match(/#[0-9a-f]{6}/g) ?? []),
    code: all('.cell_input pre').filter(e => e.checkVisibility())
      .map(e => e.textContent).join('\n'),
    quizzes: all('details.quiz').map(fold => {
      const closed = !fold.open;
      fold.open = true;
      const { content } = getComputedStyle(fold.querySelector('summary'), '::before');
      return [closed, content, fold.querySelector('p').innerText];
    }),
    checks: all('.ttt-check').map(fold => [!fold.open,
      fold.querySelector('summary').innerText,
      [...fold.querySelectorAll('pre')].map(e => e.textContent).join('\n')]),
  };
}"""
# Elements wider than the window that are not inside a scroll container.
WIDTHS = r"""() => {
  const width = document.documentElement.clientWidth;
  const scrolls = e => e && e !== document.body && (
    /auto|scroll/.test(getComputedStyle(e).overflowX) ||
    scrolls(e.parentElement));
  const wide = [...document.querySelectorAll('main *')].filter(e =>
    e.getBoundingClientRect().right > width + 1 && e.checkVisibility() &&
    !e.closest('.katex-mathml, .hide-tail') && !scrolls(e));
  return [
    document.documentElement.scrollWidth - width,
    wide.map(e => e.outerHTML.slice(0, 200)),
  ];
}"""
TESTED = [
    written.address(path)
    for path in written.NOTEBOOKS
    if any(cell.source.startswith("assert ") for cell in written.code(path))
]


@pytest.mark.parametrize("page", pages())
def test_page_from_file_loads_nothing_external_and_fits_phone(page, open_page):
    tab, log = open_page(page, size=NARROW)
    read = tab.evaluate(READ)
    assert tab.evaluate(WIDTHS) == [0, []]
    tab.add_style_tag(content="html { font-size: 200% !important }")
    assert tab.evaluate(WIDTHS) == [0, []], "letters of twice the size"
    log.assert_silent()
    for fault in ("invisible", "cut", "raw", "broken"):
        assert read[fault] == [], fault
    for alt in read["pictures"]:
        assert alt.strip(), "a picture has no description"
        assert not IMAGE_FILE.search(alt), f"{alt} is a file name"
    assert set(read["fixed"]) <= set(theme.beads()), "beads are the same in the dark"
    for closed, mark, said in read["quizzes"]:
        assert closed
        yes = "Yes" in said.split(".")[0]
        assert ("✓" in mark, "✗" in mark) == (yes, not yes), said
    if page in TESTED:
        ((closed, told, tests),) = read["checks"]
        assert closed
        (told,) = re.findall(r"^✓ (\d+) checks? of this page’s numbers$", told)
        assert len(re.findall(r"(?m)^ *assert ", tests)) == int(told) > 0
        assert not re.search(r"(?m)^assert |import numpy", read["code"]), "open"


@pytest.mark.parametrize("page", sample_params(pages(), 3))
def test_page_from_server_requests_no_other_host(page, open_page, server, settle):
    tab, log = open_page(page, "http")
    settle(tab)
    log.assert_silent()
    assert server[1] == []


POINTS = re.compile(
    r'\s(id|name|href|src)="([^"]*)"|http-equiv="refresh" content="[^"]*url=([^"]*)"',
    re.IGNORECASE,
)


def test_internal_links_resolve(site):
    root = site.as_uri() + "/"
    anchors, waiting, lost = {}, [root + "index.html"], []

    def anchors_of(address):
        """Return the anchors of a page, to be read too; None if it is missing."""
        file = site / unquote(address.removeprefix(root))
        if address not in anchors and file.is_file():
            text = file.read_text("utf-8") if file.suffix == ".html" else ""
            found = POINTS.findall(text)
            anchors[address] = {"", "top"} | {
                value for name, value, _ in found if name in ("id", "name")
            }
            waiting.extend(
                (address, unescape(value or refresh))
                for name, value, refresh in found
                if name not in ("id", "name")
            )
        return anchors.get(address)

    anchors_of(waiting.pop())
    while waiting:
        page, address = waiting.pop()
        target, fragment = urldefrag(urljoin(page, address))
        if target.startswith("file:"):
            there = anchors_of(target.split("?")[0])
            is_lab = fragment.startswith("lab=")  # the state of a lab; tested elsewhere
            if there is None or not (is_lab or unquote(fragment) in there):
                lost.append(f"{page.removeprefix(root)} -> {address}")
    assert not lost, "\n".join(lost)
    assert {root + page for page in pages()} <= anchors.keys()


NUMBERED = re.compile(r"\]\(\w+\.ipynb#((?:eq|fig)-[\w-]+)\)")


def test_links_to_equations_and_figures_show_numbers(site):
    text = cache(lambda address: (site / address).read_text("utf-8"))
    asked = {
        (written.address(path), label)
        for path in written.NOTEBOOKS
        for label in NUMBERED.findall(written.markdown(path))
    }
    assert len(asked) > 9
    for here, label in asked:
        place = rf'href="([^"]*#(?:equation-)?{label})"'
        links = re.findall(
            rf'<a class="reference internal" {place}[^>]*>(.*?)</a>', text(here), re.S
        )
        assert links, label
        for link, words in links:
            address, target = urldefrag(urljoin(here, link))
            there = text(address).partition(f'id="{target}"')[2]
            number = r'"(?:eqno|caption-number)">.*?(\d+\.\d+)'
            number = re.escape(re.search(number, there, re.DOTALL)[1])
            words = re.sub("<.*?>", "", words)
            assert re.search(rf"\((?:Fig\. )?{number}\)$", words), label


@pytest.fixture(scope="module")
def reference(site):
    """The pages of the reference, address → parsed HTML."""
    sections = [page for page in pages() if page.startswith("book/api/")]
    return {
        page: BeautifulSoup((site / page).read_text("utf-8"), "lxml")
        for page in sections
    }


def test_reference_index_links_every_name(site, reference):
    first = (site / "book/api.html").read_text("utf-8")
    known = re.findall(r'href="(api/\w+\.html)#module-(ttt_lib[.\w]*)"', first)
    for address, page in reference.items():
        for name in [f"{entry['id']}." for entry in page.select("dt.sig[id]")]:
            sections = {
                f"book/{section}"
                for section, module in known
                if name.startswith(f"{module}.")
            }
            assert sections == {address}, name


def test_reference_and_chapters_link_to_each_other(site, reference):
    there, back = set(), set()
    for address, page in reference.items():
        for link in page.select(".used-in a"):
            name = link.find_parent("dl").dt["id"]
            there.add((urljoin(address, urldefrag(link["href"])[0]), name))
    for path in written.NOTEBOOKS:
        address = written.address(path)
        cells = "\n".join(cell.source for cell in written.code(path))
        fold = (site / address).read_text("utf-8").partition("ttt-library")[2]
        fold = fold.partition("</p>")[0]
        for name in re.findall(r'<a href="[^"]*#([^"]*)"><code>', fold):
            assert re.search(rf"\b{name.rpartition('.')[2]}\b", cells), name
            back.add((address, name))
    assert there <= back
    assert there >= {use for use in back if re.search(r"/\d\d_", use[0])}
    assert ("book/06_minimax.html", "ttt_lib.search.alpha_beta") in there


def test_root_and_old_urls_redirect(open_page):
    name = "ttt_lib.agents.lookup.as_agent"
    for old, new, origin in [
        ("index.html", "book/index.html", "http"),
        (f"book/api.html#{name}", f"book/api/agents.html#{name}", "file"),
    ]:
        tab, log = open_page(old, origin, rest=False)
        tab.wait_for_url(f"**/{new}")
        log.assert_silent()


# A page of each layout: a chapter with labs, boards, drawings and guesses, the front
# page, the reference, a list, the search. The others are for `make long`.
LAYOUTS = ["book/01_game.html", "book/index.html", "book/api/figures.html"]
LAYOUTS += ["book/references.html", "search.html"]
OTHERS = [pytest.param(p, marks=pytest.mark.long) for p in pages() if p not in LAYOUTS]


@pytest.mark.parametrize("page", [*LAYOUTS, *OTHERS])
def test_pages_pass_axe(page, open_page):
    tab, _ = open_page(page, size=NARROW)
    tab.evaluate(Axe().axe_script)
    names = {"rules": {"label-content-name-mismatch": {"enabled": True}}}
    for mode, asked in ("light", names), ("dark", {"runOnly": ["color-contrast"]}):
        tab.emulate_media(color_scheme=mode)
        tab.wait_for_selector(f"html[data-theme={mode}]")
        tab.evaluate(FRAMES, 10)  # until the theme knows which elements scroll
        found = tab.evaluate(
            """async (asked) => (await axe.run({ resultTypes: ['violations'],
              preload: false, ...asked })).violations.map(({ id, nodes }) =>
              [id, nodes[0].html, nodes[0].failureSummary])""",
            asked,
        )
        assert found == [], mode


@pytest.mark.parametrize("origin", ["file", "http"])
def test_typefaces_of_the_book_come_from_the_site(origin, open_page):
    tab, log = open_page("book/10_td.html", origin)
    loaded = tab.wait_for_function(
        """() => {
          const found = [...document.fonts].filter(({ status }) => status === 'loaded')
            .map((face) => [face.family, face.weight, face.style].join(' '))
            .filter((face) => /^"?(Atkinson Hyperlegible|Bricolage)/.test(face));
          return found.length === 5 && found.sort().join(', ').replaceAll('"', '');
        }"""
    )
    assert loaded.json_value() == (
        "Atkinson Hyperlegible Mono normal normal, "
        "Atkinson Hyperlegible Next 400 italic, Atkinson Hyperlegible Next 400 normal, "
        "Atkinson Hyperlegible Next 700 normal, Bricolage Grotesque 700 normal"
    )
    preloaded = tab.locator("link[rel=preload][as=font]").count()
    assert preloaded == (origin == "http"), "only the upright type"
    log.assert_silent()


def test_colour_mode_persists(open_page):
    other, _ = open_page("book/glossary.html")
    tab, log = open_page("book/index.html")  # in front, to be clicked
    button, html = tab.get_by_role("button", name="Colour mode"), tab.locator("html")
    stored = "mode => localStorage.getItem('mode') === mode"
    modes = []
    for _ in range(3):
        button.click()
        modes.append(html.get_attribute("data-mode"))
        # The mode is stored. Poll, because background tabs get no animation frames.
        other.wait_for_function(stored, arg=modes[-1], polling=50)
        tab.reload()
        assert html.get_attribute("data-mode") == modes[-1]
        assert modes[-1] in ("auto", html.get_attribute("data-theme"))
    assert set(modes) == {"auto", "light", "dark"}
    log.assert_silent()


def test_prediction_is_compared_with_answer_and_stored(open_page):
    tab, log = open_page("book/03_policy_iteration.html")
    other, _ = open_page("book/glossary.html")
    form, told = tab.locator(".predict-form").first, tab.locator(".predict-told").first
    fold = tab.locator("details.predict").first
    form.get_by_role("button").click()  # without a guess it stays closed
    assert fold.get_attribute("open") is None
    form.get_by_role("spinbutton").fill("120")
    tab.keyboard.press("Enter")
    # The guess is stored asynchronously: wait until another tab sees it.
    stored = "() => bookStore.get('guess book/03_policy_iteration 0') === 120"
    other.wait_for_function(stored, polling=50)
    tab.reload()
    assert told.locator("p").inner_text() == "You said 120. It is 5."
    assert fold.get_attribute("open") is not None
    told.get_by_role("button", name="Guess again").click()
    assert fold.get_attribute("open") is None
    board = tab.locator(".predict-form", has=tab.get_by_role("radiogroup"))
    board.get_by_role("radio", name="Cell 8").check()
    board.get_by_role("button").click()
    assert "You said cell 8, which is right." in tab.locator("main").inner_text()
    tab.evaluate("() => localStorage.clear()")
    log.assert_silent()


def test_prediction_without_scripts_is_a_details_element(browser, site):
    tab = browser.new_page(java_script_enabled=False)
    tab.goto(f"{site.as_uri()}/book/03_policy_iteration.html")
    fold = tab.locator("details.predict").first
    assert fold.get_attribute("open") is None
    fold.locator("summary").first.click()
    assert fold.get_attribute("open") is not None
    tab.close()


def test_quiz_opens_by_keyboard_and_long_table_unfolds_with_code(open_page):
    tab, _ = open_page("book/13_belief.html")
    quiz = tab.locator("details.quiz").first
    quiz.locator("summary").focus()
    tab.keyboard.press("Enter")
    assert quiz.get_attribute("open") is not None
    fold = tab.locator("details.ttt-table").last
    assert not fold.locator("table").is_visible()
    fold.locator("summary").click()
    assert fold.locator("table").is_visible()
    assert fold.locator(".cell_input").is_visible()


def test_print_opens_folds_and_uses_light_mode(open_page):
    tab, _ = open_page("book/03_policy_iteration.html")
    tab.locator(".ttt-more").nth(1).wait_for()  # the lab and the board have folds, too
    closed = "document.querySelectorAll('details:not([open])').length"
    before = tab.evaluate(closed)
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab.evaluate(closed) == 0 < before
    tab.emulate_media(media="print", color_scheme="dark")
    paper = tab.evaluate("() => getComputedStyle(document.body).backgroundColor")
    assert min(map(int, re.findall(r"\d+", paper))) > 200
    assert tab.get_by_text("See without a guess").filter(visible=True).count() == 0
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    assert tab.evaluate(closed) == before
