"""The lab on and off on its page: what exploring costs is what the library finds."""

import numpy as np
import pytest
from labs_on_pages import choose, number, press, run_cell

from ttt_lib import board

KIND = "on_and_off"
SETTINGS = [
    ({}, "0.05"),
    ({"opponent": "teacher 0.25", "look": "X.......O"}, "0.333"),
    ({"opponent": "perfect", "side": "-1", "look": "X........"}, "0.5"),
    ({"opponent": "q-learning", "look": "XO.......", "side": "1"}, "0.1"),
]


@pytest.mark.parametrize(("texts", "mark"), SETTINGS)
def test_page_widget_and_copied_cell_have_the_same_values(texts, mark, lab):
    tab, log = lab()
    choose(tab, texts, mark)
    page = tab.evaluate(
        """() => [lab.run.now, lab.run.solved[0]].map((each) =>
          lab.run.cells(each, lab.run.lookedAt))"""
    )
    page = np.array(page, dtype=float)  # null is nan
    known = tab.evaluate("() => lab.texts")
    widget = board.OnAndOffLab("On and off", **known, at=mark).values()
    assert np.isfinite(page).any()
    assert np.allclose(page, widget, rtol=0, atol=1e-12, equal_nan=True)
    on, off, earned = run_cell(tab.evaluate("() => lab.run.python()"))
    free = np.isfinite(page[0])
    assert np.allclose(page[:, free], [on[free], off[free]], rtol=0, atol=1e-12)
    assert np.allclose(tab.evaluate("() => lab.run.earned()"), earned, atol=1e-12)
    log.assert_silent()
    tab.close()


def test_the_best_cell_jumps_where_the_chapter_says(lab):
    tab, _ = lab()
    tab.evaluate("() => lab.go('0.04')")
    assert "Exploring, the corners are best" in tab.evaluate("() => lab.run.words()")
    press(tab, "Step")
    said = tab.evaluate("() => lab.run.words()")
    assert "At ε = 0.046 the best jumped from the corners to the centre." in said
    choose(tab, {"look": "X........", "opponent": "perfect", "side": "-1"}, "0.1")
    said = tab.evaluate("() => lab.run.words()")
    assert "are best" in said or "is best" in said
    assert "ε = 0.000" not in said  # all cells are a draw there, and none jumps
    tab.close()


def test_a_press_looks_further_and_back_again(lab):
    tab, log = lab()
    board_ = tab.locator("[data-under-test] [role=grid]").first
    board_.locator(".ttt-cell").nth(4).click()
    assert tab.evaluate("() => lab.texts.look") == "....X...."
    assert "the opponent, moves here" in tab.evaluate("() => lab.run.words()")
    board_.locator(".ttt-cell").nth(0).click()
    assert tab.evaluate("() => lab.texts.look") == "O...X...."
    shown = board_.locator(".ttt-number b").all_inner_texts()
    assert len(shown) == 7
    assert all(abs(number(x)) <= 1 for x in shown)
    press(tab, "Empty board")
    assert tab.evaluate("() => lab.texts.look") == "........."
    log.assert_silent()
    tab.close()
