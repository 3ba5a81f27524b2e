"""The lab of MENACE: its game, its wall of boxes, and the reader's own machine."""

import json

import numpy as np
import pytest
from labs_on_pages import press

from ttt_lib import board, menace, search
from ttt_lib.game import tables

GAME = tables()
BOX, KIND = menace.labels(GAME)
MARK = "() => lab.run.mark"


def numbers():
    """The positions of the first player's boxes."""
    return np.unique(BOX[(GAME.to_move == 1) & (GAME.count > 1)])


def test_game_against_reader_shows_used_boxes(lab):
    tab, log = lab("matchboxes")
    cells = tab.locator("[data-under-test] [role=grid]").first.locator(".ttt-cell")
    press(tab, "Let it begin")
    while tab.evaluate("() => Boolean(lab.run.moves)"):
        drawn, said, moves = tab.evaluate(
            "() => [lab.run.drawn, lab.run.description(), lab.run.moves]"
        )
        s = 0
        for cell in moves[:-1]:
            s = GAME.next[s, cell]
        assert (drawn["b"], drawn["cell"]) == (BOX[s], KIND[s, moves[-1]])
        assert f"box {1 + numbers().tolist().index(BOX[s])} " in said
        cells.nth(next(c for c in range(9) if c not in moves)).click()
        tab.wait_for_function(
            "(n) => !lab.busy && lab.run.moves?.length !== n", arg=len(moves)
        )
    who, _, what = tab.evaluate(MARK).partition(":")
    assert who == "me"
    new = board.MatchboxLab("MENACE").boxes()
    after, changes = menace.learn_game(GAME, new, [int(c) for c in what])
    inside = "() => lab.run.list.map((b) => lab.run.inside(b).map((n) => n ?? 0))"
    assert np.array_equal(tab.evaluate(inside), after.beads[numbers()])
    shown = tab.locator("[data-under-test] .ttt-used b").all_inner_texts()
    used = [row for row in changes if row[0] >= 0]
    assert shown == [f"{before} → {more}" for _, _, before, more in used]
    assert tab.locator("[data-under-test] .ttt-used-box").count() == len(used)
    log.assert_silent()


# For each box: its likeliest cells, their probability together, and their mean value.
LEARNED = """() => lab.run.list.map((b) => {
  const learned = lab.run.learned(b);
  return learned && [learned.cells, learned.share, learned.worth ?? null];
})"""


def test_wall_of_boxes_shows_what_the_library_has_learned(lab):
    tab, log = lab("matchboxes")
    tab.evaluate("() => lab.go('random:300,perfect:700')")
    boxes = board.MatchboxLab("MENACE", at="random:300,perfect:700").boxes()
    exact, held = search.solve(GAME).Q, boxes.beads
    learned, kinds = (
        tab.evaluate(LEARNED),
        {"X": 0, "draw": 0, "O": 0, "even": 0, "empty": 0},
    )
    for b, page in zip(numbers(), learned, strict=True):
        own = np.flatnonzero(menace.labels(GAME)[1][b] == np.arange(9))
        beads = held[b, own]
        if not beads.any():
            assert page is None
            kinds["empty"] += 1
            continue
        best = own[beads == beads.max()]
        assert page[1] == pytest.approx(held[b, best].sum() / beads.sum())
        if len(best) == len(own) > 1:
            assert page[0] == []
            kinds["even"] += 1
            continue
        worth = exact[b, best].mean()
        assert page[0] == best.tolist()
        assert page[2] == pytest.approx(worth)
        kinds[{1: "X", 0: "draw", -1: "O"}[np.sign(worth)]] += 1
    assert min(kinds.values()) > 0
    wall = tab.locator("[data-under-test] .ttt-wall")
    for name, n in kinds.items():
        assert wall.locator(f".ttt-sees-{name}").count() == n
    wall.focus()
    says = tab.locator("[data-under-test] .ttt-says")
    assert says.inner_text().startswith("Box 1 of 304, for move 1: ")
    tab.keyboard.press("ArrowRight")
    assert ", for move 2: " in says.inner_text()
    tab.evaluate("() => document.activeElement.blur()")
    assert "700 games against perfect play" in says.inner_text()
    log.assert_silent()


def test_beads_move_unless_the_reader_wants_no_motion(lab):
    tab, _ = lab("matchboxes")
    moving = """async (mark) => { await lab.forth(mark);
      return document.querySelectorAll('.ttt-moving').length; }"""
    assert tab.evaluate(moving, "me:") == 0
    tab.emulate_media(reduced_motion="no-preference")
    tab.evaluate("() => lab.reset()")
    assert tab.evaluate(moving, "me:") == 1
    tab.wait_for_function("() => !document.querySelector('.ttt-moving')")
    tab.evaluate("() => lab.reset()")
    returned = tab.evaluate(moving, "random:1")
    gains = tab.evaluate("() => lab.run.changes.map((one) => one.after - one.before)")
    assert returned == sum(gain if gain > 0 else 1 for gain in gains) > 0


def test_own_menace_is_kept_saved_loaded_and_forgotten(lab, tmp_path):
    tab, log = lab("matchboxes")
    tab.on("dialog", lambda dialog: dialog.accept())
    tab.evaluate("() => bookStore.forget()")
    own = tab.locator("[data-under-test] .ttt-own")
    own.locator("summary").click()
    mark = "me:408172,me:41236"
    tab.evaluate("(mark) => lab.forth(mark)", mark)
    assert tab.evaluate("() => bookStore.get('menace').at") == mark
    assert "Your own MENACE: 2 games with you" in own.inner_text()
    boxes = board.MatchboxLab("MENACE", at=mark).boxes()
    exact = menace.win_draw_loss(GAME, boxes, search.perfect(GAME))[1]
    said = f": it draws {100 * exact:.1f} % of its games against perfect play."
    assert said in tab.evaluate("() => notice()")
    with tab.expect_download() as download:
        own.get_by_role("button", name="Save to a file").click()
    file = tmp_path / "menace.json"
    download.value.save_as(file)

    tab.evaluate("() => lab.reset()")  # a new machine does not replace it
    tab.evaluate("() => lab.forth('me:40123567')")
    assert tab.evaluate("() => bookStore.get('menace').at") == mark
    place = tab.locator("[data-under-test]")
    place.get_by_role("button", name="Go on with yours").click()
    tab.wait_for_function("(mark) => lab.run.mark === mark && !lab.busy", arg=mark)
    own.get_by_role("button", name="Forget yours").click()
    assert tab.evaluate("() => bookStore.get('menace')") is None
    tab.evaluate("() => lab.reset()")

    wrong = {
        "no JSON": "holds no MENACE",
        json.dumps(json.loads(file.read_text()) | {"version": 2}): "the format 2",
        json.dumps(json.loads(file.read_text()) | {"at": "me:44"}): "Cell 4 cannot be",
    }
    for text, why in wrong.items():
        other = tmp_path / "other.json"
        other.write_text(text, encoding="utf-8")
        own.locator("input").set_input_files(other)
        tab.wait_for_function("(why) => notice().includes(why)", arg=why)
        assert tab.evaluate("() => notice()").endswith("Nothing has changed.")
        assert tab.evaluate(MARK) == "new"
    own.locator("input").set_input_files(file)
    tab.wait_for_function("(mark) => lab.run.mark === mark && !lab.busy", arg=mark)
    assert tab.evaluate("() => bookStore.get('menace').at") == mark
    tab.evaluate("() => bookStore.forget()")
    log.assert_silent()


def test_printed_sheet_has_all_boxes(lab):
    tab, _ = lab("matchboxes")
    tab.evaluate("() => { window.print = () => {}; }")
    tab.evaluate("() => lab.go('random:1000')")
    tab.evaluate("() => lab.view.print()")
    sheet = tab.evaluate(
        """() => [...document.querySelectorAll('.ttt-sheet li')].map((place) =>
          ['.ttt-bead', '.ttt-many'].map((part) =>
            [...place.querySelectorAll(part)].map((each) => each.textContent)))"""
    )
    boxes = board.MatchboxLab("MENACE", at="random:1000").boxes()
    for (beads, many), row in zip(sheet, boxes.beads[numbers()], strict=True):
        drawn = [str(c) for c in range(9) for _ in range(row[c] if row[c] <= 9 else 1)]
        assert beads == drawn
        assert many == [f"{n:,}" for n in row if n > 9]
    tab.emulate_media(media="print")
    assert tab.locator(".ttt-sheet").is_visible()
    assert tab.locator("[data-under-test]").is_hidden()
