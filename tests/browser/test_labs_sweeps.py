"""The lab of sweeps on its pages: its values are the library's."""

import re

import numpy as np
import pytest
from labs_on_pages import choose, number, press, run_cell

from ttt_lib import board

KIND = "sweeps"
FLOOR = "E...|.#..|.#..|...."
SETTINGS = [
    ({"problem": "game"}, "3"),
    ({"problem": "game", "order": "falling", "method": "optimality"}, "0:1301"),
    ({"problem": "game", "opponent": "teacher 0.9", "side": "-1"}, "2:40"),
    ({"problem": "game", "policy": "perfect", "rewards": "1, 0.5, -2"}, "1:2000"),
    ({"problem": "floor", "order": "rising", "gamma": "0.9"}, "17:5"),
    ({"problem": "floor", "floor": FLOOR, "method": "optimality"}, "4"),
    ({"problem": "floor", "pays": "0, 1", "initial": "3", "gamma": "0.5"}, "8:1"),
]


@pytest.mark.parametrize(("texts", "mark"), SETTINGS)
def test_page_widget_and_copied_cell_have_the_same_values(texts, mark, lab):
    tab, log = lab()
    choose(tab, texts, mark)
    page = tab.evaluate("() => [...lab.run.values()]")
    known = tab.evaluate("() => lab.texts")
    widget = board.SweepLab("Sweeps", **known, at=mark)
    assert np.allclose(page, widget.values(), rtol=0, atol=1e-12)
    copied = run_cell(tab.evaluate("() => lab.run.python()"))
    wanted = page if np.ndim(copied) else page[0]  # of the board that is shown
    assert np.allclose(copied, wanted, rtol=0, atol=1e-12)
    log.assert_silent()
    tab.close()


def test_each_backup_is_told_in_numbers_that_are_right(lab):
    tab, _ = lab()
    choose(tab, {"step": "backup"}, "3")
    for k in range(1, 14):
        press(tab, "Step")
        assert tab.evaluate("() => lab.run.mark") == f"3:{k}"
        said = tab.evaluate("() => lab.run.words()")
        found = [number(x) for x in re.findall(r"−?\d+\.\d{3}", said)]
        *actions, _, new = found
        assert len(actions) == 4
        assert abs(np.mean(actions) - new) < 0.002
    tab.close()


def test_the_table_says_how_many_values_are_right(lab):
    tab, _ = lab()
    choose(tab, {"problem": "game"}, "5")
    cells = "() => [...lab.element.querySelectorAll('td')].map((e) => e.textContent)"
    assert tab.evaluate(cells)[1:].count("100%") == 15  # a staircase: 5 + 4 + … + 1
    assert "all values are right" in tab.evaluate("() => lab.run.words()")
    choose(tab, {"order": "falling"}, "1")
    assert tab.evaluate(cells)[-1] == "100%"
    tab.close()


def test_a_sweep_in_halves_and_play_to_the_end(lab):
    tab, _ = lab()
    choose(tab, {"problem": "game", "method": "optimality", "step": "half"})
    marks = []
    for _ in range(3):
        press(tab, "Step")
        marks.append(tab.evaluate("() => lab.run.mark"))
    assert marks == ["0:1212", "1", "1:1212"]
    choose(tab, {"step": "sweep"})
    press(tab, "Play")
    tab.wait_for_function("() => lab.run.end && !lab.playing")
    assert "changed nothing" in tab.evaluate("() => lab.run.words()")
    tab.close()


def test_squares_are_edited_and_what_has_no_end_is_said(lab):
    tab, log = lab()
    squares = tab.locator("[data-under-test] .ttt-floor .ttt-cell")
    for wall in (1, 4):  # the exit at the left is walled in
        squares.nth(wall).click()
        tab.wait_for_function(
            f"() => lab.texts.floor.replaceAll('|', '')[{wall}] === '#'"
        )
    for c in (14, 11):
        squares.nth(c).click()
        tab.wait_for_function(f"() => lab.texts.floor.replaceAll('|', '')[{c}] === '#'")
    assert "No sweep will make all right" in tab.evaluate("() => lab.run.words()")
    squares.nth(11).click()
    tab.wait_for_function("() => lab.texts.floor[13] === 'E'")
    assert "no end" not in tab.evaluate("() => lab.run.words()")
    tab.evaluate("() => lab.set('floor', '.E')")
    squares.nth(0).click()  # now no square would be free
    tab.wait_for_function("() => faults() !== ''")
    assert tab.evaluate("() => lab.texts.floor") == ".E"
    assert "All stays as it was" in tab.evaluate(
        "() => notice()"
    )  # its field is folded
    log.assert_silent()
    tab.close()
