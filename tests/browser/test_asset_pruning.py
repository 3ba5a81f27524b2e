"""Pruned styles and lazy rendering: nothing that a page needs is missing."""

from pathlib import Path

import pydata_sphinx_theme
import pytest
from common import sample_params

CHAPTERS = "book/01_game.html", "book/11_q_learning.html"
NARROW = (390, 844)
WAITING = ".ttt-figure, .bd-article div.highlight pre"
BOXES = """() => [...document.querySelectorAll(`%s`)]
  .filter((box) => !box.closest('details:not([open]), .toggle-hidden'))"""
BOXES %= WAITING
# The rules of one style sheet that are not in another but match on the page.
HOLDING = """([one, other]) => {
  const rules = (list) => [...list].flatMap((rule) =>
    rule.selectorText ? [rule.cssText] : rule.cssRules ? rules(rule.cssRules) : []);
  const holds = (selectors) => {
    const places = selectors.replace(/::?(before|after|placeholder)/g, '')
      .replace(/:(hover|focus[-a-z]*|active|disabled)/g, ':not(none)');
    try { return document.querySelector(places); } catch { return false; }
  };
  const [whole, kept] = [one, other].map((css) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    return rules(sheet.cssRules);
  });
  const known = new Set(kept);
  return whole.filter((rule) => !known.has(rule) && holds(rule.split('{')[0]));
}"""


@pytest.mark.parametrize(
    "page", sample_params([CHAPTERS[0], "book/index.html", "search.html"], 1)
)
def test_pruned_theme_keeps_all_rules_in_use(page, open_page, site):
    styles = Path("styles", "pydata-sphinx-theme.css")
    theme = Path(pydata_sphinx_theme.__file__).parent / "theme" / "pydata_sphinx_theme"
    whole = (theme / "static" / styles).read_text("utf-8")
    kept = (site / "_static" / styles).read_text("utf-8")
    assert len(kept) < len(whole) / 2
    tab, _ = open_page(page)
    missing = tab.evaluate(HOLDING, [whole, kept])
    assert [rule for rule in missing if not rule.startswith(".fa")] == []


def test_lazily_rendered_content_is_printed_and_searchable(open_page):
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
    tab.emulate_media(media="print")
    assert tab.evaluate(state) == ["visible"]
