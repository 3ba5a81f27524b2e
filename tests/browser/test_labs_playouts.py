"""The lab of the search: its playouts are the library's, and its truth is the truth."""

import pytest
from labs_on_pages import choose, press, run_cell

from ttt_lib import board, rules
from ttt_lib.game import tables

KIND = "playouts"
GAME = tables()
LINES4 = rules.lines(4, 4, 4)
THOUGHTS = [
    ("X...O...X", "1.41", "1", "1000"),
    (".........", "0", "7", "300"),
    ("..OX.....", "4", "3", "2000"),
    ("XOXOOX.X.", "0.5", "5", "50"),
    ("XX..OOXO.XO.....", "1.41", "2", "700"),
    ("................", "1", "9", "5000"),
]


@pytest.mark.parametrize(("text", "c", "seed", "mark"), THOUGHTS)
def test_page_widget_and_copied_cell_think_alike(text, c, seed, mark, lab):
    tab, log = lab()
    choose(tab, {"board": text, "c": c, "seed": seed}, mark)
    visits, means = tab.evaluate("() => [lab.run.visits, lab.run.means]")
    cell = run_cell(tab.evaluate("() => lab.run.python()"))
    log.assert_silent()
    tab.close()
    theirs = board.SearchLab("Thinks", board=text, c=c, seed=seed, at=mark).values()
    assert visits == theirs[0].tolist() == cell[0]
    means = [mean or 0 for mean in means]
    assert means == pytest.approx(theirs[1].tolist(), abs=1e-12)
    assert cell[1] == theirs[1].tolist()
    assert sum(visits) == int(mark)


def test_a_game_on_four_by_four_is_played_to_its_end(lab):
    tab, log = lab()
    choose(tab, {"board": "." * 16})
    idle = "() => !lab.busy"
    for turn in range(8):
        before = tab.evaluate("() => lab.texts.board")
        free = [a for a, sign in enumerate(before) if sign == "."]
        if tab.evaluate("() => lab.run.over"):
            break
        cells = tab.locator("[data-under-test] [role=grid]").first.locator(".ttt-cell")
        cells.nth(free[turn % len(free)]).click()
        tab.wait_for_function("(old) => lab.texts.board !== old", arg=before)
        tab.wait_for_function(idle)
        if tab.evaluate("() => lab.run.over"):
            break
        before = tab.evaluate("() => lab.texts.board")
        press(tab, "Let it move")
        tab.wait_for_function("(old) => lab.texts.board !== old", arg=before)
        tab.wait_for_function(idle)
    assert tab.evaluate("() => lab.run.over")
    assert "The game is over: " in tab.evaluate("() => lab.run.words()")
    tab.evaluate("() => lab.view.letMove()")
    assert "The game is over" in tab.evaluate("() => notice()")
    log.assert_silent()
    tab.close()


def test_it_says_whether_it_is_right(lab):
    tab, _ = lab()
    choose(tab, {"board": "XX..OOXO.XO....."}, "1000")
    said = tab.evaluate("() => lab.run.words()")
    assert "X would take cell 3, which is a best one" in said
    assert "Truly best: cell 3, worth +1 to X." in said
    tab.evaluate("() => { lab.more.open = true; }")
    press(tab, "Empty 4 × 4")
    tab.wait_for_function("() => lab.texts.board === '.'.repeat(16)")
    assert tab.locator("[data-under-test] [role=gridcell]").count() == 16
    press(tab, "Empty 3 × 3")
    tab.wait_for_function("() => lab.texts.board === '.'.repeat(9)")
    assert tab.locator("[data-under-test] [role=gridcell]").count() == 9
    tab.close()
