"""How little a browser has to do for a page, and that nobody misses what it left."""

import json
from pathlib import Path

import pydata_sphinx_theme
import pytest

CHAPTERS = "book/01_game.html", "book/09_q_learning.html"
SIZES = {"wide": (1280, 900), "narrow": (390, 844)}
every_chapter = pytest.mark.parametrize("page", CHAPTERS)
every_size = pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
WAITING = ".ttt-figure, .bd-article div.highlight pre"
BOXES = """() => [...document.querySelectorAll(`%s`)]
  .filter((box) => !box.closest('details:not([open]), .toggle-hidden'))"""
BOXES %= WAITING
# Of a page, what of a style sheet holds for something on it.
HOLDING = """(css) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  const rules = (list) => [...list].flatMap((rule) =>
    rule.selectorText ? [rule.cssText] : rule.cssRules ? rules(rule.cssRules) : []);
  const holds = (selectors) => {
    const places = selectors.replace(/::?(before|after|placeholder)/g, '')
      .replace(/:(hover|focus[-a-z]*|active|disabled)/g, ':not(none)');
    try { return document.querySelector(places); } catch { return false; }
  };
  return rules(sheet.cssRules).filter((rule) => holds(rule.split('{')[0]));
}"""


def test_the_front_page_alone_has_its_rules(site):
    pages = {page: page.read_text("utf-8") for page in site.rglob("*.html")}
    with_rules = [page for page, text in pages.items() if "front.css" in text]
    assert with_rules == [site / "book" / "index.html"]


@every_chapter
def test_a_chapter_is_styled_once(page, browser, site, settle):
    # Whole pages used to be styled again with each piece that came: counted, not timed.
    tab = browser.new_page()
    browser.start_tracing(page=tab, categories=["devtools.timeline"])
    tab.goto((site / page).as_uri())
    tab.locator(".ttt-cell").first.wait_for()
    settle(tab)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    styled = [
        event["args"].get("elementCount", 0)
        for event in events
        if event["name"] == "UpdateLayoutTree"
    ]
    elements = tab.evaluate("() => document.querySelectorAll('*').length")
    tab.close()
    assert 1000 < sum(styled) < 1.5 * elements


def test_the_theme_keeps_every_rule_that_holds(open_page, site):
    styles = Path("styles", "pydata-sphinx-theme.css")
    theme = Path(pydata_sphinx_theme.__file__).parent / "theme" / "pydata_sphinx_theme"
    whole = (theme / "static" / styles).read_text("utf-8")
    kept = (site / "_static" / styles).read_text("utf-8")
    assert len(kept) < len(whole) / 2
    for page in "book/index.html", "book/01_game.html", "search.html":
        tab, _ = open_page(page)
        before, after = (set(tab.evaluate(HOLDING, css)) for css in (whole, kept))
        missing = {rule for rule in before - after if not rule.startswith(".fa")}
        assert missing == set()


@every_size
@every_chapter
def test_what_waits_has_its_place(page, size, open_page):
    tab, _ = open_page(page, size=size)
    moved, count = tab.evaluate(
        f"""() => {{
          const boxes = ({BOXES})(), high = () => boxes.map((box) => box.offsetHeight);
          const before = high();
          for (const box of boxes) box.style.contentVisibility = 'visible';
          return [high().map((now, n) => now - before[n]), boxes.length];
        }}"""
    )
    assert count > 10
    assert max(map(abs, moved)) <= 5


@every_size
def test_a_link_lands_at_its_heading(size, open_page):
    tab, _ = open_page("book/09_q_learning.html#against-yourself", size=size)
    tab.locator(".ttt-cell").first.wait_for(state="attached")
    top = tab.locator("#against-yourself h2").evaluate(
        """async (heading) => {
          const top = () => heading.getBoundingClientRect().top;
          for (let before; before !== top();) {
            before = top();
            await new Promise((later) => setTimeout(later, 500));
          }
          return top();
        }"""
    )
    assert 0 <= top <= 120


def test_what_waits_is_printed_and_found(open_page):
    tab, _ = open_page(CHAPTERS[0])
    last = tab.evaluate(
        f"""() => {{
          const text = ({BOXES})().findLast((box) => box.matches('pre')).textContent;
          return text.trim().split('\\n')[0];
        }}"""
    )
    assert tab.evaluate("(text) => find(text)", last)
    state = f"""() => [...new Set([...document.querySelectorAll('{WAITING}')]
      .map((box) => getComputedStyle(box).contentVisibility))]"""
    assert tab.evaluate(state) == ["auto"]
    tab.emulate_media(media="print")
    assert tab.evaluate(state) == ["visible"]


@every_chapter
def test_what_scrolls_is_reached_by_keyboard(page, open_page):
    tab, _ = open_page(page, size=SIZES["narrow"])
    # What is far away does not know its width: each is looked at where it is near.
    told = tab.evaluate(
        f"""async () => {{
          const told = [], frame = () => new Promise(requestAnimationFrame);
          for (const box of ({BOXES})()) {{
            box.scrollIntoView({{ block: 'center', behavior: 'instant' }});
            const wide = () => box.scrollWidth > box.clientWidth ||
              (box.matches('pre') && box.scrollHeight > box.clientHeight);
            for (let n = 0; n < 60; n++) {{
              await frame();
              if (n > 2 && (box.tabIndex === 0) === wide()) break;
            }}
            told.push([box.tabIndex === 0, wide()]);
          }}
          return told;
        }}"""
    )
    assert any(wide for _, wide in told)
    assert all(reached == wide for reached, wide in told)
