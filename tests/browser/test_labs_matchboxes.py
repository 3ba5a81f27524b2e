"""The matchboxes on their page: what is in them is what the library puts there."""

import numpy as np
import pytest
from labs_on_pages import choose, press, run_cell

from ttt_lib import agents, board, menace
from ttt_lib.game import tables

KIND = "matchboxes"
GAME = tables()
HISTORIES = [
    ({}, "new"),
    ({}, "random:20,me:408172"),
    ({"seed": "7"}, "me:408172,random:1000,perfect:30,self:200,me:41236,random:5"),
    ({"beads": "9", "reinforcement": "2, 0, -3"}, "self:300,teacher 0.5:40"),
    ({"beads": "1, 1", "reinforcement": "1, 0, -9"}, "perfect lowest:50,me:,me:"),
    ({"seed": "3", "reinforcement": "1, 0, -1"}, "perfect:2000,random:10"),
]
INSIDE = (
    """() => ttt.lab && lab.run.list.map((b) => lab.run.inside(b).map((n) => n ?? 0))"""
)


def numbers():
    """The positions of the first player's boxes."""
    box, _ = menace.labels(GAME)
    return np.unique(box[(GAME.to_move == 1) & (GAME.count > 1)])


def assert_same(tab, boxes):
    """The page holds these boxes."""
    assert np.array_equal(tab.evaluate(INSIDE), boxes.beads[numbers()])
    assert tab.evaluate("() => lab.run.games") == boxes.games


@pytest.mark.parametrize(("texts", "mark"), HISTORIES)
def test_page_widget_and_copied_cell_have_the_same_boxes(texts, mark, lab):
    tab, log = lab()
    choose(tab, texts, mark)
    mark = tab.evaluate("() => lab.run.mark")
    widget = board.MatchboxLab("MENACE", **tab.evaluate("() => lab.texts"), at=mark)
    boxes, scores = run_cell(tab.evaluate("() => lab.run.python()"))
    assert_same(tab, boxes)
    again = widget.boxes()
    assert np.array_equal(boxes.beads, again.beads)
    assert boxes.games == again.games
    found = tab.evaluate("() => lab.run.scores()")
    assert np.allclose(found, scores, rtol=0, atol=1e-12)
    log.assert_silent()
    tab.close()


def test_python_goes_on_where_the_page_stopped(lab):
    tab, _ = lab()
    tab.evaluate("() => lab.go('random:500')")
    boxes = board.MatchboxLab("MENACE", at="random:500").boxes()
    tab.evaluate("() => lab.set('step', '1000')")
    press(tab, "Step")
    tab.wait_for_function("() => lab.run.mark === 'random:1500' && !lab.busy")
    play = agents.opponent(GAME, "random")
    assert_same(tab, menace.train(GAME, boxes, 1000, play))
    tab.close()


def test_a_game_with_the_reader_shows_the_boxes_that_were_used(lab):
    tab, log = lab()
    cells = tab.locator("[data-under-test] [role=grid]").first.locator(".ttt-cell")
    press(tab, "Let it begin")
    while tab.evaluate("() => Boolean(lab.run.moves)"):
        drawn = tab.evaluate("() => lab.run.drawn")
        said = tab.evaluate("() => lab.run.words()")
        moves = tab.evaluate("() => lab.run.moves")
        s = GAME.find(tab.evaluate("() => ttt.game.signs(lab.game, 0, 'X').join('')"))
        for cell in moves[:-1]:
            s = GAME.next[s, cell]
        box, kind = menace.labels(GAME)
        assert (drawn["b"], drawn["cell"]) == (box[s], kind[s, moves[-1]])
        assert f"box {1 + numbers().tolist().index(box[s])} " in said
        assert f"MENACE took {moves[-1]}" in said or f"cell {moves[-1]}" in said
        free = next(c for c in range(9) if c not in moves)
        cells.nth(free).click()
        tab.wait_for_function(
            "(n) => !lab.busy && lab.run.moves?.length !== n", arg=len(moves)
        )
    who, _, what = tab.evaluate("() => lab.run.mark").partition(":")
    assert who == "me"
    new = board.MatchboxLab("MENACE").boxes()
    after, changes = menace.learn_game(GAME, new, [int(c) for c in what])
    assert_same(tab, after)
    shown = tab.locator("[data-under-test] .ttt-used b").all_inner_texts()
    used = [row[2:] for row in changes if row[0] >= 0]
    assert shown == [f"{before} → {more}" for before, more in used]
    log.assert_silent()
    tab.close()


def test_a_game_that_is_put_away_leaves_no_trace_and_comes_back(lab):
    tab, _ = lab()
    press(tab, "Let it begin")
    assert (
        "put this game away" in tab.locator("[data-under-test] .ttt-place").inner_text()
    )
    begun = tab.evaluate("() => lab.run.mark")
    press(tab, "Step")
    tab.wait_for_function("() => lab.run.mark === 'random:1' && !lab.busy")
    assert_same(tab, board.MatchboxLab("MENACE", at="random:1").boxes())
    tab.evaluate("() => lab.back()")
    tab.wait_for_function("(mark) => lab.run.mark === mark && !lab.busy", arg=begun)
    tab.close()


def test_the_wall_has_every_box_and_tells_which_have_changed(lab):
    tab, log = lab()
    tab.locator("[data-under-test] .ttt-fold > summary").click()
    tab.wait_for_function("() => lab.view.wall.at === 0")
    places = tab.locator("[data-under-test] .ttt-wall button")
    assert places.count() == 304
    press(tab, "Step")
    tab.wait_for_function("() => document.querySelector('.ttt-changed')")
    tab.wait_for_function("() => lab.view.wall.detail.innerText.includes('green')")
    changed = tab.evaluate(
        "() => lab.run.changes.map(({ b }) => lab.run.list.indexOf(b))"
    )
    framed = places.evaluate_all(
        "all => [...all.keys()].filter(k => all[k].matches('.ttt-changed'))"
    )
    assert framed == sorted(changed)
    places.first.focus()
    tab.keyboard.press("ArrowRight")
    detail = tab.locator("[data-under-test] .ttt-detail p")
    assert detail.inner_text().startswith("Box 2 of 304, for move 2: ")
    log.assert_silent()
    tab.close()


def test_a_dead_machine_says_so_and_learns_no_more(lab):
    tab, _ = lab()
    tab.evaluate("() => lab.go('perfect:100')")
    boxes = board.MatchboxLab("MENACE", at="perfect:100").boxes()
    assert boxes.beads[0].sum() == 0
    assert "it is dead" in tab.evaluate("() => lab.run.words()")
    tab.evaluate("() => lab.step()")
    assert "Nothing follows" in tab.evaluate("() => notice()")
    press(tab, "Play against it")
    tab.wait_for_function("() => lab.run.mark === 'perfect:100,me:' && !lab.busy")
    assert "resign for ever" in tab.evaluate("() => lab.run.words()")
    tab.close()


SHEET = """() => [...document.querySelectorAll('.ttt-sheet li')].map((place) => [
  place.querySelector('span').textContent,
  [...place.querySelectorAll('.ttt-bead')].map((bead) => bead.textContent),
  [...place.querySelectorAll('.ttt-many')].map((many) => many.textContent)])"""


@pytest.mark.parametrize("mark", ["new", "random:1000"])
def test_the_sheet_has_all_boxes_with_what_is_in_them(mark, lab):
    tab, _ = lab()
    tab.evaluate("() => { window.print = () => {}; }")
    tab.evaluate("(mark) => lab.go(mark)", mark)
    tab.evaluate("() => lab.view.print()")
    sheet = tab.evaluate(SHEET)
    boxes = board.MatchboxLab("MENACE", at=mark).boxes()
    assert [name for name, *_ in sheet] == [str(n) for n in range(1, 305)]
    for (_, beads, many), row in zip(sheet, boxes.beads[numbers()], strict=True):
        drawn = [str(c) for c in range(9) for _ in range(row[c] if row[c] <= 9 else 1)]
        assert beads == drawn
        assert many == [f"{n:,}" for n in row if n > 9]
    tab.emulate_media(media="print")
    assert tab.locator(".ttt-sheet").is_visible()
    assert tab.locator("[data-under-test]").is_hidden()
    tab.evaluate("() => dispatchEvent(new Event('afterprint'))")
    assert tab.locator(".ttt-sheet").count() == 0
    assert tab.locator("[data-under-test]").is_visible()
    tab.close()


def test_a_game_before_the_last_must_be_finished():
    with pytest.raises(ValueError, match="not finished"):
        board.MatchboxLab("MENACE", at="me:40,random:1").boxes()
