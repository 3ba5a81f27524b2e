"""What a reader of the site meets: every page, from a file and a server."""

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

import pages as written
import pytest
import yaml
from bs4 import BeautifulSoup
from common import FRAMES, thinned
from obstacles import SCRIPT as AXE

from ttt_lib import look

ROOT = Path(__file__).parents[2]
TOC = ROOT / "_toc.yml"

WIDE, NARROW = (1280, 800), (390, 844)
LOOKS = (NARROW, "light"), (WIDE, "dark")
IMAGE_FILE = re.compile(r"\.(png|svg|jpe?g|gif|webp)$")
AXE_OPTIONS = {"rules": {"label-content-name-mismatch": {"enabled": True}}}


def pages():
    """The pages in the table of contents, and the two that Sphinx adds."""
    toc = yaml.safe_load(TOC.read_text(encoding="utf-8"))
    listed = [page["file"] for part in toc["parts"] for page in part["chapters"]]
    return [f"{page}.html" for page in [toc["root"], *listed, "genindex", "search"]]


ASKED = thinned([(page, look) for page in pages() for look in LOOKS], 20)
every_page = pytest.mark.parametrize("page", pages())
every_origin = pytest.mark.parametrize("origin", ["file", "http"])


# --- Reading pages -----------------------------------------------------------

# Read in the page, in a narrow window.
READ = r"""() => {
  const main = document.querySelector('main');
  const text = main.cloneNode(true);
  text.querySelectorAll('pre, code, script, .katex')
    .forEach(e => e.remove());
  const all = selector => [...document.querySelectorAll(selector)];
  // Whether a sign that stands after an inline formula begins a line.
  const parted = formula => {
    const after = formula.nextSibling;
    if (!/^[,.;:!?)]/.test(after?.data ?? '')) return false;
    const sign = document.createRange();
    sign.setStart(after, 0);
    sign.setEnd(after, 1);
    const piece = [...formula.querySelectorAll('.base')].at(-1);
    return sign.getBoundingClientRect().left < piece.getBoundingClientRect().left;
  };
  // How large the letters of a drawing are shown, indices and powers apart.
  const letters = text => {
    const size = e => parseFloat(getComputedStyle(e).fontSize);
    const parts = [...text.querySelectorAll('tspan')];
    const svg = text.closest('svg');
    return Math.max(...(parts.length ? parts : [text]).map(size)) *
      svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
  };
  return {
    parted: all('main .katex').filter(parted).map(e => e.textContent),
    small: all('.ttt-figure text').filter(e => letters(e) < 11)
      .map(e => e.textContent),
    invisible: all('.katex-html').filter(e => !e.offsetWidth)
      .map(e => e.textContent),
    cut: all('.formula').filter(e => e.scrollWidth > e.clientWidth)
      .map(e => e.textContent),
    fonts: [...document.fonts].filter(f => f.status === 'error')
      .map(f => f.family),
    raw: text.textContent.match(/\$\$|\\\(|\\\[|\\begin\{/g) ?? [],
    images: all('main img').map(e => [e.getAttribute('src'), e.alt]),
    drawings: all('.ttt-figure svg').map(e => e.getAttribute('aria-label')),
    fixed: all('.ttt-figure [style]')
      .flatMap(e => e.getAttribute('style').match(/#[0-9a-f]{6}/g) ?? []),
    broken: all('img').filter(e => e.complete && !e.naturalWidth)
      .map(e => e.src),
    stretched: all('main img').filter(e => Math.abs(
      e.width / e.height - e.naturalWidth / e.naturalHeight) > 0.05)
      .map(e => [e.alt, e.width, e.height]),
    code: all('.cell_input pre').filter(e => e.checkVisibility())
      .map(e => e.textContent),
  };
}"""
# Read of a fold, closed or open.
FOLD = """fold => ({
  open: fold.open,
  told: fold.querySelector('summary').innerText,
  mark: getComputedStyle(fold.querySelector('summary'), '::after').content,
  says: fold.querySelector('p')?.innerText,
  code: [...fold.querySelectorAll('pre')].filter(e => e.checkVisibility())
    .map(e => e.textContent),
  last: fold.closest('section').lastElementChild === fold,
})"""
# A piece of code looks like the others of its kind, so axe need see one of each only:
# that makes it many times as fast. Its kind is its markup, without words, and place.
# So with functions in their list and with what the contents of a page list.
# Of drawings and formulas axe need see the words, not their shapes and parts.
THIN_OUT = r"""() => {
  const seen = new Set(), named = (e) => `${e?.tagName} ${e?.className}`;
  const again = (piece, where) => {
    const markup = piece.outerHTML.replace(/>[^<]+/g, '>')
      .replace(/ (id|href|title)="[^"]*"/g, '');
    const kind = `${markup} in ${named(where)}`;
    return seen.size === seen.add(kind).size;
  };
  const pieces = 'em.sig-param, code:has(> .pre), ' +
    ':is(pre, dt.sig) span[class]:not(:has(*))';
  for (const piece of document.querySelectorAll(pieces)) {
    const block = piece.closest('.highlight, .sig') ?? piece;
    if (again(piece, block.parentElement)) piece.replaceWith(piece.textContent);
  }
  for (const entry of document.querySelectorAll('dl.py, .toc-entry'))
    if (again(entry, entry.parentElement)) entry.remove();
  const said = 'text, title, desc, [role], [tabindex]';
  for (const shape of document.querySelectorAll(`svg :not(${said}, text *)`))
    if (!shape.querySelector(said)) shape.remove();
  for (const formula of document.querySelectorAll('.katex-html, .katex-mathml'))
    if (!formula.querySelector('[style*="color"]')) formula.innerHTML = 'x';
}"""
# A wide thing may stick out of the window only inside something that scrolls.
WIDTHS = r"""() => {
  const width = document.documentElement.clientWidth;
  const scrolls = e => e && e !== document.body && (
    /auto|scroll/.test(getComputedStyle(e).overflowX) ||
    scrolls(e.parentElement));
  const wide = [...document.querySelectorAll('main *')].filter(e =>
    e.checkVisibility() && e.getBoundingClientRect().right > width + 1 &&
    !e.closest('.katex-mathml, .hide-tail') && !scrolls(e));
  return [
    document.documentElement.scrollWidth - width,
    wide.map(e => e.outerHTML.slice(0, 200)),
  ];
}"""


def unfolded(tab, folds):
    """Press Enter twice on each fold; return what is read before, and after each."""
    found = []
    for fold in tab.query_selector_all(folds):
        fold.evaluate("e => e.querySelector('summary').focus()")
        found.append([fold.evaluate(FOLD)])
        for _ in range(2):
            tab.keyboard.press("Enter")
            found[-1].append(fold.evaluate(FOLD))
    return found


def look_at(tab, size, mode):
    """See a page as on another screen, and wait until it has changed."""
    tab.set_viewport_size({"width": size[0], "height": size[1]})
    tab.emulate_media(color_scheme=mode)
    tab.wait_for_selector(f"html[data-theme={mode}]")


@pytest.fixture(scope="module")
def visit(open_page):
    """Read a page once: (log, what is on it, {window: widths})."""
    known = {}

    def visit(page):
        if page not in known:
            tab, log = open_page(page, size=LOOKS[0][0])
            read = tab.evaluate(READ)
            read["quizzes"] = unfolded(tab, "details.quiz")
            read["checks"] = unfolded(tab, ".ttt-check")
            widths = {}
            style = tab.add_style_tag(content="html { font-size: 200% !important }")
            tab.evaluate(FRAMES)
            widths["letters of twice the size"] = tab.evaluate(WIDTHS)
            style.evaluate("style => style.remove()")
            for size, mode in LOOKS:
                look_at(tab, size, mode)
                tab.evaluate(FRAMES)
                widths[size, mode] = tab.evaluate(WIDTHS)
            known[page] = log, read, widths
            tab.close()
        return known[page]

    return visit


# --- Every page --------------------------------------------------------------


@every_page
def test_a_page_from_a_file_is_silent_and_asks_nobody(page, visit):
    log, *_ = visit(page)
    log.assert_silent()


@pytest.mark.parametrize("page", thinned(pages(), 10))
def test_a_page_from_a_server_is_silent_and_asks_nobody_else(
    page, open_page, server, settle
):
    tab, log = open_page(page, "http")
    settle(tab)
    tab.close()
    log.assert_silent()
    assert server[1] == []


@pytest.mark.parametrize(("page", "look"), ASKED)
def test_axe_finds_no_fault(page, look, open_page):
    tab, _ = open_page(page)
    look_at(tab, *look)
    tab.evaluate(AXE)
    tab.evaluate(THIN_OUT)
    tab.evaluate(FRAMES, 10)  # in which the page sees what scrolls now
    found = tab.evaluate("o => obstacles(null, o)", AXE_OPTIONS)
    faults = [
        f"{fault['id']}: {node['html'][:300]}\n{node['failureSummary']}"
        for fault in found
        for node in fault["nodes"]
    ]
    assert not faults, "\n".join(faults)


# Of thousands that look alike axe is asked about three: what differs is asked for.
ONE_PALE = """async (pale) => {
  const alike = '<p><em>It looks like all others.</em></p>';
  const style = '<style>.pale { color: #999 } .grey { background: #333 }</style>';
  const rest = pale.all ? alike.replace('<em>', '<em class="pale">') : alike;
  document.body.innerHTML = style + rest.repeat(200);
  const all = document.querySelectorAll('em'), one = all[pale.which];
  for (const e of pale.all ? [all[0], all[99], all[199]] : []) // it is asked of these
    e.insertAdjacentHTML('afterend', `<img alt="" style="position: absolute;
      z-index: -1; left: 0; top: ${e.offsetTop}px; width: 300px; height: 20px">`);
  if (pale.colour) one.style.color = pale.colour;
  if (pale.class) one.className = pale.class;
  if (pale.behind) one.parentElement.className = pale.behind;
  return (await obstacles(null, { runOnly: ['color-contrast'] }))
    .flatMap(({ nodes }) => nodes).length;
}"""


@pytest.mark.parametrize(
    ("pale", "found"),
    [
        ({}, 0),
        ({"colour": "#999"}, 1),
        ({"class": "pale"}, 1),
        ({"behind": "grey"}, 1),
        ({"all": "pale, the three before pictures"}, None),
    ],
    ids=str,
)
def test_of_many_that_look_alike_the_one_that_does_not_is_found(pale, found, new_tab):
    tab = new_tab()
    tab.evaluate(AXE)
    counted = tab.evaluate(ONE_PALE, {"which": 150} | pale)
    assert counted > 100 if found is None else counted == found
    tab.close()


@every_page
def test_a_page_is_no_wider_than_its_window(page, visit):
    *_, widths = visit(page)
    for window, found in widths.items():
        assert found == [0, []], window


@every_page
def test_formulas_are_drawn_and_whole(page, visit):
    _, read, *_ = visit(page)
    assert read["invisible"] == []
    assert read["cut"] == []
    assert read["fonts"] == []
    assert read["raw"] == []


@every_page
def test_pictures_are_there_and_described(page, visit):
    _, read, *_ = visit(page)
    assert read["broken"] == []
    assert read["stretched"] == [], "on a narrow window"
    for source, alt in read["images"]:
        assert alt.strip(), f"{source} has no alt text"
        assert not IMAGE_FILE.search(alt), f"{source}: {alt} is a file name"
    assert all(alt.strip() for alt in read["drawings"])


@every_page
def test_a_telephone_shows_letters_one_can_read_and_parts_no_sign(page, visit):
    _, read, *_ = visit(page)
    assert read["small"] == []
    assert read["parted"] == []


@every_page
def test_drawings_take_the_colours_of_the_theme(page, visit):
    _, read, *_ = visit(page)
    assert set(read["fixed"]) <= set(look.beads()), "beads are the same in the dark"


# --- The site as a whole -----------------------------------------------------


class Links(HTMLParser):
    """The anchors of a page and the addresses it points at."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.addresses = {"", "top"}, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.anchors |= {attrs[name] for name in ("id", "name") if name in attrs}
        self.addresses += [attrs[name] for name in ("href", "src") if name in attrs]
        if attrs.get("http-equiv", "").lower() == "refresh":
            self.addresses.append(attrs["content"].split("url=")[1])


def test_every_link_inside_the_site_leads_somewhere(site):
    root = site.as_uri() + "/"
    parsed, waiting, lost = {}, [root + "index.html"], []

    def anchors_of(address):
        """Return the anchors of a page, to be read too; None if it is missing."""
        file = site / unquote(address.removeprefix(root))
        if address not in parsed and file.is_file():
            text = file.read_text("utf-8") if file.suffix == ".html" else ""
            parsed[address] = Links(text)
            waiting.append(address)
        return parsed[address].anchors if address in parsed else None

    while waiting:
        page = waiting.pop()
        anchors_of(page)
        for address in parsed[page].addresses:
            target, fragment = urldefrag(urljoin(page, address))
            if target.startswith("file:"):
                anchors = anchors_of(target.split("?")[0])
                is_lab = fragment.startswith("lab=")  # a state; the guide's test knows
                if anchors is None or not (is_lab or unquote(fragment) in anchors):
                    lost.append(f"{page.removeprefix(root)} -> {address}")
    assert not lost, "\n".join(lost)
    unreachable = {root + page for page in pages()} - parsed.keys()
    assert not unreachable


NUMBERED = re.compile(r"\]\(\w+\.ipynb#((?:eq|fig)-[\w-]+)\)")


def test_a_link_to_an_equation_or_a_figure_says_its_number(site):
    asked = {
        (p, label)
        for p in written.NOTEBOOKS
        for label in NUMBERED.findall(written.markdown(p))
    }
    assert len(asked) > 9
    for path, label in asked:
        page = soup(site / written.address(path))
        links = page.select(f'main a[href$="{label}"]:not(.headerlink)')
        assert links, label
        for link in links:
            there = urljoin(written.address(path), link["href"])
            address, target = urldefrag(there)
            place = (soup(site / address) if address else page).find(id=target)
            told = (
                place.select_one(".eqno") or place.select_one(".caption-number")
            ).text
            number = re.search(r"\d+\.\d+", told)[0]
            assert re.search(rf"\((?:Fig\. )?{re.escape(number)}\)$", link.text), label


# --- The library's reference --------------------------------------------------


@cache
def soup(page):
    return BeautifulSoup(page.read_text("utf-8"), "html.parser")


def rooms(site):
    """Yield the pages of the reference, each as (address, what is on it)."""
    for page in pages():
        if page.startswith("book/api/"):
            yield page, soup(site / page)


@every_origin
def test_an_old_address_in_the_reference_leads_to_its_room(origin, open_page):
    name = "ttt_lib.agents.lookup.as_agent"
    tab, log = open_page(f"book/api.html#{name}", origin, rest=False)
    tab.wait_for_url(f"**/book/api/agents.html#{name}")
    assert tab.evaluate("document.querySelector(':target').id") == name
    log.assert_silent()


def test_the_reference_has_a_link_by_which_each_name_is_found(site):
    first = (site / "book/api.html").read_text("utf-8")
    known = re.findall(r'href="(api/\w+\.html)#module-(ttt_lib[.\w]*)"', first)
    for address, page in rooms(site):
        for entry in page.select("dt.sig[id]"):
            found = [
                room for room, name in known if f"{entry['id']}.".startswith(f"{name}.")
            ]
            assert {f"book/{room}" for room in found} == {address}, entry["id"]


def test_the_reference_and_the_chapters_lead_to_each_other(site):
    there, back = set(), set()
    for address, page in rooms(site):
        for link in page.select(".used-in a"):
            name = link.find_parent("dl").dt["id"]
            there.add((urljoin(address, urldefrag(link["href"])[0]), name))
    for path in written.NOTEBOOKS:
        address = written.address(path)
        cells = "\n".join(cell.source for cell in written.code(path))
        for link in soup(site / address).select(".ttt-library a"):
            name = urldefrag(link["href"])[1]
            assert re.search(rf"\b{name.rpartition('.')[2]}\b", cells), name
            back.add((address, name))
    assert there <= back
    assert there >= {use for use in back if re.search(r"/\d\d_", use[0])}
    assert ("book/05_minimax.html", "ttt_lib.search.alpha_beta") in there


@every_origin
def test_the_root_of_the_site_leads_to_the_book(origin, open_page):
    tab, log = open_page("index.html", origin, rest=False)
    tab.wait_for_url("**/book/index.html")
    log.assert_silent()


def test_a_quiz_opens_by_keyboard_and_shows_whether_it_is_right(visit):
    found = [quiz for page in pages() for quiz in visit(page)[1]["quizzes"]]
    assert found
    for states in found:
        assert [state["open"] for state in states] == [False, True, False]
        shown, said = states[1]["mark"], states[1]["says"].split(".")[0]
        yes = "Yes" in said
        assert ("✓" in shown, "✗" in shown) == (yes, not yes), said


def test_the_colour_mode_can_be_chosen_and_is_kept(open_page):
    other, _ = open_page("book/glossary.html")
    tab, log = open_page("book/index.html")  # in front, to be clicked
    button, html = tab.get_by_role("button", name="Colour mode"), tab.locator("html")
    stored = "mode => localStorage.getItem('mode') === mode"
    modes = []
    for _ in range(3):
        button.click()
        modes.append(html.get_attribute("data-mode"))
        # The browser has kept the mode. A tab in the back gets no frames to wait by.
        other.wait_for_function(stored, arg=modes[-1], polling=50)
        tab.reload()
        assert html.get_attribute("data-mode") == modes[-1]
        assert modes[-1] in ("auto", html.get_attribute("data-theme"))
    assert modes[-1] == "auto"
    assert set(modes) == {"auto", "light", "dark"}
    log.assert_silent()


def test_what_a_reader_leaves_before_it_has_come_is_no_fault(open_page):
    # So it is with the icon: the browser asks for it when the page is there already,
    # and who goes on at once, as the test above does, leaves while it is on its way.
    tab, log = open_page("book/index.html", rest=False)
    tab.route("**/late.svg", lambda route: None)  # never comes
    tab.reload()  # what is asked for is stopped on pages that come after that
    with tab.expect_request("**/late.svg"):
        tab.evaluate("() => { (window.late = new Image()).src = 'late.svg'; }")
    with tab.expect_event("requestfailed"):
        tab.reload()
    tab.unroute_all(behavior="ignoreErrors")
    log.assert_silent()


def test_a_guess_is_shown_beside_the_answer_and_kept(open_page):
    tab, log = open_page("book/03_policy_iteration.html")
    other, _ = open_page("book/glossary.html")
    form, told = tab.locator(".predict-form").first, tab.locator(".predict-told").first
    fold = tab.locator("details.predict").first
    assert fold.get_attribute("open") is None
    form.get_by_role("button").click()  # without a guess there is nothing to see
    assert fold.get_attribute("open") is None
    form.get_by_role("spinbutton").fill("120")
    tab.keyboard.press("Enter")
    # The browser keeps the guess in its own time: another tab tells when it has.
    stored = "() => Object.values(localStorage).includes('120')"
    other.wait_for_function(stored, polling=50)
    tab.reload()
    assert told.locator("p").inner_text() == "You said 120. It is 5."
    assert fold.get_attribute("open") is not None
    told.get_by_role("button", name="Guess again").click()
    assert fold.get_attribute("open") is None
    board = tab.locator(".predict-form", has=tab.get_by_role("radiogroup"))
    board.get_by_role("radio", name="Cell 8").check()
    board.get_by_role("button").click()
    assert "You said cell 8, and so it is." in tab.locator("main").inner_text()
    log.assert_silent()


def test_without_scripts_a_prediction_is_a_fold(browser, site):
    tab = browser.new_page(java_script_enabled=False)
    tab.goto(f"{site.as_uri()}/book/03_policy_iteration.html")
    fold = tab.locator("details.predict").first
    assert fold.get_attribute("open") is None
    fold.locator("summary").first.click()
    assert fold.get_attribute("open") is not None
    tab.close()


TESTED = [
    written.address(path)
    for path in written.NOTEBOOKS
    if any(cell.source.startswith("assert ") for cell in written.code(path))
]


@pytest.mark.parametrize("page", TESTED)
def test_all_that_is_tested_is_one_line_at_the_end(page, visit):
    _, read, *_ = visit(page)
    ((closed, fold, _),) = read["checks"]
    assert (closed["code"], fold["open"]) == ([], True)
    (told,) = re.findall(r"^✓ (\d+) checks? of this page’s numbers$", fold["told"])
    tests = "\n".join(fold["code"])
    assert len(re.findall(r"(?m)^ *assert ", tests)) == int(told) > 0
    assert fold["last"], "after all that is read"
    for above in read["code"]:
        assert "import numpy" not in above
        assert not re.search("(?m)^assert ", above), "an open test"


def test_a_long_table_folds_with_its_code_and_a_short_one_stays_open(open_page):
    tab, _ = open_page("book/09_q_learning.html")
    found = {}
    for table in tab.locator(".cell_output table").all():
        rows = table.locator("tbody tr").count()
        found[rows] = found.get(rows, False) or table.is_visible()
    assert [found[rows] for rows in (4, 24)] == [True, False]
    fold = tab.locator("details.ttt-table").last
    assert fold.locator("summary").inner_text() == "The whole table, 24 rows"
    fold.locator("summary").click()
    assert fold.locator("table").is_visible()
    assert fold.locator(".cell_input").is_visible()


def test_paper_is_light_whole_and_has_the_number_of_the_chapter(open_page):
    tab, _ = open_page("book/03_policy_iteration.html")
    tab.emulate_media(media="print", color_scheme="dark")
    assert tab.locator("h1:visible").inner_text().startswith("3. ")
    style = "e => { const s = getComputedStyle(e); return [s.whiteSpace, s.color]; }"
    code = tab.locator("div.highlight pre").first
    assert code.evaluate(style)[0] == "pre-wrap"
    paper = tab.evaluate("() => getComputedStyle(document.body).backgroundColor")
    assert min(map(int, re.findall(r"\d+", paper))) > 200


def test_on_paper_all_that_folds_is_open_and_goes_with_its_line(open_page):
    tab, _ = open_page("book/03_policy_iteration.html")
    tab.locator(".ttt-more").nth(1).wait_for()  # the lab and the board have folds, too
    closed = "document.querySelectorAll('details:not([open])').length"
    before = tab.evaluate(closed)
    assert before > 0
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab.evaluate(closed) == 0
    tab.emulate_media(media="print")
    style = "e => getComputedStyle(e).breakInside"
    assert tab.locator(".ttt-fold").first.evaluate(style) == "avoid"
    style = "e => getComputedStyle(e).breakBefore"
    assert tab.locator(".cell_input + .cell_output").first.evaluate(style) == "avoid"
    assert tab.get_by_text("See without a guess").filter(visible=True).count() == 0
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    assert tab.evaluate(closed) == before
    tab.close()


def test_colours_that_the_system_forces_leave_guesses_and_drawings(new_tab, site):
    tab = new_tab()  # which shares nothing: what was guessed before has no form
    tab.goto(f"{site.as_uri()}/book/03_policy_iteration.html")
    tab.emulate_media(forced_colors="active", color_scheme="dark")
    cell = tab.locator(".predict-board label").first
    free = cell.screenshot()
    cell.locator("input").check()
    tab.evaluate("document.activeElement.blur()")
    tab.mouse.move(0, 0)
    assert cell.screenshot() != free
    tab.locator(".predict-form input[type=number]").first.fill("120")
    tab.keyboard.press("Enter")
    colour = "e => getComputedStyle(e).backgroundColor"
    dot, line = tab.locator(".predict-answer"), tab.locator(".predict-told").first
    assert dot.evaluate(colour) != line.evaluate(colour)
    paper = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    figure = tab.locator(".ttt-figure").first  # stands on its own
    assert figure.evaluate(colour) not in (paper, "rgba(0, 0, 0, 0)")
    tab.close()


def resized(tab, *widths):
    """Give a tab one width after another."""
    for width in widths:
        tab.set_viewport_size({"width": width, "height": 800})
        yield width


def test_a_title_stands_apart_from_the_toolbar_and_nothing_on_the_text(open_page):
    tab, _ = open_page("book/02_mdp.html")
    for width in resized(tab, 390, 768, 1280):
        bar = tab.locator(".bd-header-article").bounding_box()
        title = tab.locator("h1:visible").bounding_box()
        assert title["y"] - bar["y"] - bar["height"] >= 16, width
        assert tab.locator("#pst-back-to-top").count() == 0, width


@pytest.mark.parametrize("page", ["play", "07_menace", "console"])
def test_all_that_is_wide_is_equally_wide(page, open_page):
    tab, _ = open_page(f"book/{page}.html")
    wide = ".cell_input, .cell_output, .pst-scrollable-table-container, .ttt"
    for width in resized(tab, 1024, 1280, 1440, 1920):
        widths = tab.locator(f":is({wide}):visible").evaluate_all(
            "all => all.filter(e => !e.closest('.admonition'))"
            ".map(e => Math.round(e.getBoundingClientRect().width))"
        )
        assert set(widths) == {736}, width


def test_code_is_equally_large_and_its_copy_button_leaves_it_alone(open_page):
    tab, _ = open_page("book/02_mdp.html")
    sizes = tab.locator("main pre").evaluate_all(
        "all => all.map(e => getComputedStyle(e).fontSize)"
    )
    assert len(set(sizes)) == 1
    box = tab.locator(".highlight:has(.copybtn):visible").first
    button = box.locator(".copybtn")
    tab.keyboard.press("Tab")  # whoever uses the keyboard sees where it is
    button.focus()
    tab.wait_for_function(
        "e => getComputedStyle(e).opacity === '1'", arg=button.element_handle()
    )
    first_line = box.locator("pre").evaluate(
        "e => e.getBoundingClientRect().top"
        " + parseFloat(getComputedStyle(e).paddingTop)"
    )
    lowest = button.evaluate("e => e.getBoundingClientRect().bottom")
    assert lowest <= first_line
    tab.close()
