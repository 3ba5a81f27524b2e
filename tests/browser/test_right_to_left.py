"""Pages switched to right-to-left, as browser translation does."""

import pytest
from common import FRAMES, sample_params
from test_site import pages

# Open all folds and render everything, once boards and labs are there.
OPEN = """() => {
  const places = [...document.querySelectorAll('[data-ttt-lab], [data-ttt-board]')];
  if (!places.every((place) => place.querySelector('.ttt'))) return false;
  for (const fold of document.querySelectorAll('details')) fold.open = true;
  document.head.insertAdjacentHTML('beforeend',
    '<style>* { content-visibility: visible !important }</style>');
  return true;
}"""
# Signs that are not to the left of their numbers.
SIGNS = r"""() => {
  const wrong = [], range = document.createRange();
  const main = document.querySelector('main');
  const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  const place = (text, at) => {
    range.setStart(text, at);
    range.setEnd(text, at + 1);
    return range.getBoundingClientRect();
  };
  while (texts.nextNode()) {
    const text = texts.currentNode, parent = text.parentElement;
    if (parent.closest('script, style, .katex-mathml')) continue;
    if (!parent.checkVisibility()) continue;
    for (const { index } of text.data.matchAll(/[−+±](?=[\d.½⅓¼])/g)) {
      const sign = place(text, index), digit = place(text, index + 1);
      if (!digit.width || sign.left < digit.left) continue;
      wrong.push(text.data.slice(Math.max(0, index - 20), index + 9));
    }
  }
  return wrong;
}"""
# Positions of the elements in content that must not be mirrored.
PLACES = """() => {
  const boxes = '.ttt, .katex-html > .base, .ttt-figure svg, pre, main table, ' +
    '.predict-board';
  const seen = (list) => [...list].filter((each) => each.checkVisibility());
  return seen(document.querySelectorAll(boxes)).map((box) => {
    const { left } = box.getBoundingClientRect();
    const all = box.querySelectorAll(':not(wbr, defs, defs *, .ttt-hidden)');
    return [box.textContent.trim().slice(0, 60), ...seen(all).map((each) =>
      Math.round(each.getBoundingClientRect().left - left))];
  });
}"""
# Formulas with a part to the left of the previous part on the same line.
PIECES = """() => [...document.querySelectorAll('.katex-html')].filter((formula) => {
  const pieces = [...formula.querySelectorAll(':scope > .base')];
  const places = pieces.map((piece) => piece.getBoundingClientRect());
  return places.some(({ top, left }, n) => n &&
    top < places[n - 1].bottom && left < places[n - 1].left);
}).map((formula) => formula.textContent)"""
# The landing page adds elements for some frames after loading.
STILL = """async () => {
  let before = 0;
  for (let frames = 0; frames < 20; ++frames) {
    await new Promise(requestAnimationFrame);
    const now = document.querySelectorAll('*').length;
    if (now !== before) frames = 0;
    before = now;
  }
}"""
TURN = "(way) => { document.documentElement.dir = way; }"


@pytest.mark.parametrize(
    "page", sample_params(sorted(pages(), key=lambda page: "triad" not in page), 1)
)
def test_right_to_left_page_keeps_layout_of_code_boards_and_formulas(page, open_page):
    tab, log = open_page(page)
    tab.wait_for_function(OPEN)
    tab.evaluate(STILL)
    before = tab.evaluate(PLACES)
    tab.evaluate(TURN, "rtl")
    tab.evaluate(FRAMES)
    for one, other in zip(before, tab.evaluate(PLACES), strict=True):
        near = [abs(a - b) <= 2 for a, b in zip(one[1:], other[1:], strict=True)]
        assert all(near), one[0]
    assert tab.evaluate(SIGNS) == []
    assert tab.evaluate(PIECES) == []
    tab.evaluate(TURN, "ltr")
    assert tab.evaluate(SIGNS) == []
    log.assert_silent()
