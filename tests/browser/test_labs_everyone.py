"""The lab of everyone on its page: its matches and its luck are the library's."""

import numpy as np
import pytest
from labs_on_pages import choose, press, run_cell

from ttt_lib import agents, board, evaluation
from ttt_lib.board import league
from ttt_lib.game import tables

KIND = "everyone"
GAME = tables()
MATCHES = [
    ("perfect", "random", "1"),
    ("random", "teacher 0.9", "7"),
    ("menace-100", "p4", "20"),
    ("q-learning", "sarsa-teacher-0.9", "3"),
    ("snapshot-1000", "snapshot-10", "5"),
    ("perfect lowest", "td-lambda-0.8", "0"),
]
MATCH = """() => ({ ends: [...lab.run.ends.slice(0, 3)], lost: [...lab.run.lost],
  moves: lab.run.moves.map((i) => lab.game.action[i]), sums: lab.run.sums() })"""


def test_the_table_has_every_match_of_the_library(lab):
    tab, _ = lab()
    told = tab.evaluate("() => ttt.CROSS")
    tab.close()
    assert told == league.cross()
    firsts, seconds = (
        [agents.policy(GAME, name, side) for name in told[seats]]
        for seats, side in (("firsts", 1), ("seconds", -1))
    )
    ends = evaluation.cross_table(GAME, firsts, seconds)
    exact = 1000 * (ends[..., 0] - ends[..., 2])
    assert np.abs(exact - told["value"]).max() <= 0.5 + 1e-9
    assert {"menace", "menace-100", "menace-1000", "p4"} <= {*told["firsts"]}
    assert "p4" not in told["seconds"], "it was not taught to play second"


@pytest.mark.parametrize(("first", "second", "seed"), MATCHES)
def test_page_widget_and_copied_cell_play_the_same_match(first, second, seed, lab):
    tab, log = lab()
    choose(tab, {"first": first, "second": second, "seed": seed}, "4")
    page = tab.evaluate(MATCH)
    cell = run_cell(tab.evaluate("() => lab.run.python()"))
    said, remark = tab.evaluate("() => [lab.run.match(), notice()]")
    log.assert_silent()
    tab.close()
    texts = {"first": first, "second": second, "seed": seed}
    result, lost, moves = board.EveryoneLab("A match", **texts, at="4").values()
    assert page["ends"] == pytest.approx(list(result), abs=1e-12)
    assert page["lost"] == pytest.approx(lost, abs=1e-12)
    assert page["moves"][:4] == moves == cell[2]
    assert page["sums"] == pytest.approx(cell[1], abs=1e-12)
    assert tuple(cell[0]) == tuple(result)
    x, o = page["sums"]
    assert result.value == pytest.approx(o - x, abs=1e-12)
    assert f"X wins {result.win:.3f}" in said
    assert ("p4 was taught to move first only" in remark) == (second == "p4")
    whole = board.EveryoneLab("A match", **texts, at="9").values()[2]
    assert page["moves"] == whole


def test_a_match_is_found_by_touch_and_by_arrows(lab):
    tab, log = lab()
    cross = tab.locator("[data-under-test] [role=listbox]")
    tab.wait_for_function("() => lab.view.cross.side > 0")  # it draws once it is seen
    place = tab.evaluate("""() => {
      const { side } = lab.view.cross;
      return { x: 3.5 * side, y: 2.5 * side };
    }""")
    cross.locator("svg").click(position=place)
    names = league.cross()
    seats = "() => [lab.texts.first, lab.texts.second]"
    tab.wait_for_function("(name) => lab.texts.first === name", arg=names["firsts"][1])
    assert tab.evaluate(seats) == [names["firsts"][1], names["seconds"][3]]
    cross.focus()
    tab.mouse.move(0, 0)
    for key in ("ArrowDown", "ArrowDown", "ArrowLeft", "Home", "ArrowRight"):
        tab.keyboard.press(key)
    first, second = names["firsts"][3], names["seconds"][1]
    option = tab.locator("[data-under-test] [role=option]").inner_text()
    assert option.startswith(f"{first} first, {second} second: worth ")
    assert tab.evaluate(seats)[0] == names["firsts"][1]  # not yet taken
    tab.keyboard.press("Enter")
    tab.wait_for_function("(name) => lab.texts.first === name", arg=first)
    assert tab.evaluate(seats) == [first, second]
    log.assert_silent()
    tab.close()


def test_another_game_of_the_same_match(lab):
    tab, _ = lab()
    choose(tab, {"first": "random", "second": "random", "seed": "1"})
    tab.evaluate("() => { lab.more.open = true; }")
    press(tab, "Another game")
    tab.wait_for_function("() => lab.texts.seed === '2' && !lab.busy")
    press(tab, "Step")
    tab.wait_for_function("() => lab.run.mark === '1'")
    assert "Move 1: X, random, takes cell" in tab.evaluate("() => lab.run.words()")
    tab.close()


def test_a_mistake_is_told(lab):
    tab, _ = lab()
    texts = {"first": "best-against-random", "second": "double-q-learning"}
    choose(tab, texts, "2")
    assert tab.evaluate("() => lab.run.words()") == (
        "Move 2: O, double-q-learning, takes cell 6: for O a draw becomes a loss."
    )
    assert "for O it is worth a draw" in tab.evaluate("() => lab.run.most()")
    assert tab.locator("[data-under-test] .ttt-gives").count() == 1
    choose(tab, {"first": "perfect", "second": "perfect"}, "9")
    assert tab.evaluate("() => lab.run.most()") == "Neither gives anything away."
    assert "The game is over: a draw." in tab.evaluate("() => lab.run.words()")
    tab.close()
