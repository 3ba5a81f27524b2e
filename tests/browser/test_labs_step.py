"""The lab of one step on its page: what flows back is what the library finds."""

import numpy as np
import pytest
from labs_on_pages import choose, number, press, run_cell

from ttt_lib import agents, board, mdp
from ttt_lib.game import tables

KIND = "step"
GAME = tables()
SETTINGS = [
    {},
    {"gamma": "0.9", "policy": "random"},
    {"look": "X........", "opponent": "perfect", "rewards": "1, 0.5, 0"},
    {"look": "X........", "opponent": "menace", "rewards": "5, 0, -1"},
    {"look": ".........", "opponent": "teacher 0.5", "policy": "perfect lowest"},
    {
        "look": ".........",
        "opponent": "q-learning",
        "gamma": "0.5",
        "rewards": "3, 1, -2",
    },
]


@pytest.mark.parametrize("texts", SETTINGS)
def test_page_widget_and_copied_cell_have_the_same_values(texts, lab):
    tab, log = lab()
    choose(tab, texts, "end")
    cells, q, v = tab.evaluate(
        """() => [lab.run.cells, lab.run.cells.map((a) => lab.run.q(a)),
          lab.run.V[lab.run.s]]"""
    )
    widget = board.StepLab("One step", **tab.evaluate("() => lab.texts"), at="end")
    values, value = widget.values()
    assert np.flatnonzero(np.isfinite(values)).tolist() == cells
    assert np.allclose(q, values[cells], rtol=0, atol=1e-12)
    assert v == pytest.approx(value, abs=1e-12)
    theirs, of_board = run_cell(tab.evaluate("() => lab.run.python()"))
    assert np.allclose(q, theirs, rtol=0, atol=1e-12)
    assert v == pytest.approx(of_board, abs=1e-12)
    log.assert_silent()
    tab.close()


@pytest.mark.parametrize("texts", SETTINGS[:3])
def test_the_replies_are_the_transitions_of_the_problem(texts, lab):
    tab, _ = lab()
    choose(tab, texts)
    widget = board.StepLab("One step", **tab.evaluate("() => lab.texts"))
    problem, s = widget.problem(), GAME.find(widget.look)
    P = mdp.transition_matrix(problem).toarray()
    pairs = np.flatnonzero(problem.position[mdp.state_of(problem)] == s)
    for pair in pairs:
        a = int(problem.action[pair])
        rows = tab.evaluate("(a) => lab.run.replies(a)", a)
        assert sum(row["p"] for row in rows) == pytest.approx(1, abs=1e-12)
        reward = sum(row["p"] * row["r"] for row in rows)
        assert reward == pytest.approx(problem.reward[pair], abs=1e-12)
        goes_on = {row["s"]: row["p"] for row in rows if row["v"] is not None}
        (to,) = P[pair].nonzero()
        assert {int(problem.position[i]): P[pair, i] for i in to} == pytest.approx(
            goes_on, abs=1e-12
        )
    tab.close()


def seen(tab):
    """Return the numbers of the tree that can be seen, row by row."""
    rows = tab.locator("[data-under-test] .ttt-ledger tr:not(:first-child)")
    return [
        [
            number(text)
            for text in row.locator(
                "td:not([rowspan]):not(.ttt-later)"
            ).all_inner_texts()
            if text not in ("", "end")
        ]
        for row in rows.all()
        if "ttt-later" not in (row.get_attribute("class") or "")
    ]


def test_step_by_step_the_numbers_of_the_chapter_flow_back(lab):
    tab, log = lab()
    half = 0.5
    for mark, numbers in [
        ("1:1", [[1]]),
        ("1:2", [[1, 1]]),
        ("1:3", [[1, 1, 1], [1, 0, 1]]),
        ("13:1", [[half], [half]]),
        ("13:2", [[half, 0, 0], [half, 0, 1]]),
        ("13:3", [[half, 0, 0, 0], [half, 0, 1, half], [0, half, half]]),
        ("138:1", [[half], [half]]),
        ("138:2", [[half, 0, 0], [half, -1]]),
        ("138:3", [[half, 0, 0, 0], [half, -1, -half], [-half, 0, -half]]),
        ("end", [[1], [half], [-half], [1]]),
    ]:
        press(tab, "Step")
        assert tab.evaluate("() => lab.run.mark") == mark
        assert seen(tab) == numbers
    assert "v* = 1.000" in tab.evaluate("() => lab.run.words()")
    tab.evaluate("() => lab.set('policy', 'random')")
    assert tab.evaluate("() => lab.run.mark") == "end"
    assert seen(tab)[-1] == [0.333]
    tab.evaluate("() => lab.set('policy', 'best')")
    # γ moves the numbers where the reader is, and only those that come later.
    tab.locator("[data-under-test]").get_by_role("radio", name="0.9").check()
    tab.wait_for_function("() => lab.texts.gamma === '0.9' && !lab.busy")
    assert seen(tab) == [[1], [0.45], [-half], [1]]
    log.assert_silent()
    tab.close()


def test_a_press_takes_a_cell_up_and_a_board_leads_on(lab):
    tab, log = lab()
    grid = tab.locator("[data-under-test] [role=grid]")
    grid.locator(".ttt-cell").nth(8).click()
    assert tab.evaluate("() => lab.run.mark") == "8:1"
    grid.locator(".ttt-cell").nth(3).click()
    assert tab.evaluate("() => lab.run.mark") == "3:1"  # cell 8 was left too soon
    for _ in range(2):
        press(tab, "Step")
    grid.locator(".ttt-cell").nth(8).click()
    assert tab.evaluate("() => lab.run.mark") == "38:1"
    tab.locator("[data-under-test] button.ttt-reply").first.click()
    assert tab.evaluate("() => lab.texts.look") == "OOX.XOOXX"
    assert tab.evaluate("() => lab.run.mark") == "start"
    grid.locator(".ttt-cell").nth(3).click()
    assert "the game is over" in tab.evaluate("() => lab.run.words()")
    press(tab, "First board")
    assert tab.evaluate("() => lab.texts.look") == "O.X.XOOX."
    log.assert_silent()
    tab.close()


def test_an_opponent_who_knows_one_reply_leaves_one_branch(lab):
    tab, _ = lab()
    texts = {"look": "XO.......", "opponent": "perfect lowest"}
    choose(tab, texts, "4:1")
    rows = tab.evaluate("() => lab.run.replies(4)")
    assert [row["p"] for row in rows] == [1]
    after = GAME.next[GAME.find("XO......."), 4]
    lowest = agents.policy(GAME, "perfect lowest", -1)[after]
    assert rows[0]["b"] == lowest.argmax()
    tab.close()
