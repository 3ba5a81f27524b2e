"""The lab of the whole game on its page: its dots and values are the library's."""

import numpy as np
import pytest
from labs_on_pages import press, run_cell

from ttt_lib import board, search
from ttt_lib.game import images, tables

KIND = "whole"
GAME = tables()
U = search.solve(GAME).V + GAME.outcome
KINDS = images(GAME).min(axis=0)
LAYER = np.abs(GAME.board).sum(axis=1)


def test_every_position_has_its_kind_and_its_value(lab):
    tab, log = lab()
    u, box = tab.evaluate("() => [[...lab.run.u], [...lab.run.box]]")
    assert u == U.tolist()
    assert box == KINDS.tolist()
    layers = tab.evaluate("() => lab.run.layers")
    assert [len(each) for each in layers] == [1, 3, 12, 38, 108, 174, 204, 153, 57, 15]
    assert sorted(s for each in layers for s in each) == np.unique(KINDS).tolist()
    following = tab.evaluate(
        "() => lab.run.layers.flat().map((s) => [s, lab.run.following(s)])"
    )
    for s, dots in following:
        later = GAME.successor[s, : GAME.count[s]]
        assert sorted(dots) == np.unique(KINDS[later]).tolist()
    log.assert_silent()
    tab.close()


@pytest.mark.parametrize("mark", ["0", "1", "5", "10"])
def test_page_widget_copied_cell_and_table_have_the_same_counts(mark, lab):
    tab, log = lab()
    tab.evaluate("(mark) => lab.go(mark)", mark)
    page = tab.evaluate("() => lab.run.layers.map((_, n) => lab.run.counts(n))")
    counts = [each or [0, 0, 0] for each in page]
    assert run_cell(tab.evaluate("() => lab.run.python()")) == counts
    known, u = board.WholeGameLab("Whole", at=mark).values()
    assert counts == [
        [int((u[LAYER[known] == n] == who).sum()) for who in (1, 0, -1)]
        for n in range(10)
    ]
    rows = tab.locator("[data-under-test] .ttt-counts tr").all()[1:4]
    for k, row in enumerate(rows):
        seen = row.locator("td").all_inner_texts()
        assert seen == ["·" if each is None else str(each[k]) for each in page]
    shapes = tab.locator("[data-under-test] .ttt-dots path.ttt-dot-x").count()
    assert shapes == sum(x for x, _, _ in counts)
    log.assert_silent()
    tab.close()


def test_a_dot_is_found_by_touch_by_arrows_and_on_the_board(lab):
    tab, log = lab()
    tab.evaluate("() => lab.go('10')")
    for s in (5, 300, 3000):
        kind = int(KINDS[s])
        x, y = tab.evaluate("(s) => lab.view.places.get(s)", kind)
        tab.locator("[data-under-test] .ttt-dots svg").click(
            position={"x": x + 1, "y": y - 1}
        )
        assert tab.evaluate("() => lab.run.lookedAt") == kind
        rings = tab.locator("[data-under-test] circle.ttt-follows").count()
        assert rings == len(np.unique(KINDS[GAME.successor[kind, : GAME.count[kind]]]))
    press(tab, "Empty board")
    assert tab.evaluate("() => lab.texts.look") == "........."
    tab.locator("[data-under-test] [role=listbox]").focus()
    for key, layer in (
        ("ArrowRight", 1),
        ("ArrowUp", 1),
        ("ArrowRight", 2),
        ("End", 2),
    ):
        tab.keyboard.press(key)
        assert tab.evaluate("() => lab.run.marks(lab.run.lookedAt)") == layer
    assert "marks" in tab.locator("[data-under-test] [role=option]").inner_text()
    press(tab, "Empty board")
    tab.locator("[data-under-test] [role=grid] .ttt-cell").nth(8).click()
    assert tab.evaluate("() => lab.texts.look") == "X........"  # the same kind
    log.assert_silent()
    tab.close()


def test_why_a_dot_has_its_value(lab):
    tab, _ = lab()
    why = "() => lab.run.why(lab.run.lookedAt)"
    tab.evaluate("() => lab.set('look', 'X...O....')")
    assert "Its value will be the largest of the" in tab.evaluate(why)
    tab.evaluate("() => lab.go('10')")
    assert "takes the largest u of what follows" in tab.evaluate(why)
    assert "So u = 0: a draw." in tab.evaluate(why)
    tab.evaluate("() => lab.set('look', 'XXXOO....')")
    assert "The game is over: X wins, u = +1." in tab.evaluate(why)
    tab.close()


def test_a_notebook_takes_a_kind():
    assert board.WholeGameLab("Whole", look="........X").look == "X........"
