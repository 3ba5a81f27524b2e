"""The tree on its page: boards answer values or bounds, nodes are the library's.

That the room of searches tells every node rightly is held in `test_labs_planning.py`.
"""

import numpy as np
import pytest
from labs_on_pages import choose, press, run_cell

from ttt_lib import board, search
from ttt_lib.game import tables

KIND = "tree"
GAME = tables()
EXACT = GAME.outcome + search.solve(GAME).V
SETTINGS = [
    {},
    {"order": "8, 6, 5"},
    {"order": "8, 5, 6", "search": "minimax"},
    {"look": "X.XO.O...", "order": "4, 0, 2, 6, 8, 1, 3, 5, 7"},
    {"look": "XO.XO.OX.", "order": "8"},
    {"look": "OX.....XO"},
    {"look": "OX.....XO", "order": "2, 3, 6, 5, 4", "search": "minimax"},
]
SEEN = """() => {
  const { run } = lab, { states, looked, cut } = run.now();
  const nodes = run.tree.map(({ s }, place) => ({ ...states[place], s,
    shown: lab.view.nodes[place].text.textContent,
    slash: getComputedStyle(lab.view.nodes[place].element.querySelector('.ttt-slash'))
      .display,
    said: lab.view.nodes[place].element.getAttribute('aria-label') }));
  return { nodes, looked, cut, all: run.tree.length, said: run.words() };
}"""


def to_the_end(tab):
    """Go to the end of the search; return what is seen there."""
    tab.evaluate("() => lab.go(String(lab.run.steps.length))")
    return tab.evaluate(SEEN)


@pytest.mark.parametrize("texts", SETTINGS)
def test_page_widget_and_copied_cell_find_the_same(texts, lab):
    tab, log = lab()
    choose(tab, texts)
    seen = to_the_end(tab)
    known = tab.evaluate("() => lab.texts")
    found = board.TreeLab("The tree", **known).searched()
    assert run_cell(tab.evaluate("() => lab.run.python()")) == found
    assert (seen["nodes"][0]["answer"], seen["looked"]) == found
    assert seen["all"] == search.minimax(GAME, seen["nodes"][0]["s"]).nodes
    assert seen["looked"] + seen["cut"] == seen["all"]
    log.assert_silent()
    tab.close()


@pytest.mark.parametrize("texts", SETTINGS)
def test_each_board_shows_its_value_or_a_true_bound(texts, lab):
    tab, _ = lab()
    choose(tab, texts)
    holds = {"=": np.equal, "≤": np.less_equal, "≥": np.greater_equal}
    for node in to_the_end(tab)["nodes"]:
        assert (node["slash"] != "none") == (node["what"] == "cut")
        if node["what"] == "cut":
            assert node["shown"] == ""
            assert "never looked at" in node["said"]
            continue
        assert node["what"] == "done"
        assert holds[node["sign"]](EXACT[node["s"]], node["answer"])
        low, high = node.get("told", (-2, 2))
        assert node["sign"] == "=" or not low < node["answer"] < high
        assert node["shown"] == f"{node['sign']} {node['answer']}".replace("-", "−")
    tab.close()


def test_every_step_says_what_it_does(lab):
    tab, _ = lab()
    said = []
    for _ in range(22):
        press(tab, "Step")
        said.append(tab.evaluate("() => lab.run.told()"))
    assert tab.evaluate("() => lab.run.end")
    assert len(set(said)) > 15
    cuts = [each for each in said if each.startswith("Cut, because α ≥ β")]
    assert len(cuts) == 2
    assert "X can have 0 elsewhere, and O holds it to −1 here" in cuts[0]
    assert said[3].startswith("X tries cell 8. The game is over: X has won, +1.")
    assert said[-1].startswith("The value is 0")
    assert "all 14 boards; this order saves 4." in said[-1]
    tab.close()


def test_a_step_may_lead_to_the_next_board(lab):
    tab, _ = lab()
    choose(tab, {"step": "board", "order": "8, 6, 5"})
    for looked in range(1, 15):
        press(tab, "Step")
        assert tab.evaluate("() => lab.run.now().looked") == looked
    press(tab, "Step")
    assert tab.evaluate("() => lab.run.end")
    tab.close()


IN_SIGHT = """() => {
  const box = lab.view.box.getBoundingClientRect();
  const one = lab.view.box.querySelector('[data-here] rect').getBoundingClientRect();
  return one.top >= box.top - 1 && one.bottom <= box.bottom + 1
    && one.left >= box.left - 1 && one.right <= box.right + 1;
}"""


@pytest.mark.parametrize("width", [390, 1280])
def test_the_board_that_is_looked_at_is_in_sight(width, lab):
    tab, _ = lab(size=(width, 800))
    choose(tab, {"search": "minimax", "look": "OX.....XO", "step": "board"})
    for mark in range(0, tab.evaluate("() => lab.run.steps.length"), 23):
        tab.evaluate("(mark) => lab.go(mark)", str(mark))
        assert tab.evaluate(IN_SIGHT), mark
    tab.close()


def test_boards_are_pressed_and_reached_by_arrows(lab):
    tab, log = lab()
    tab.evaluate("() => lab.go('22')")
    tab.locator("[data-under-test] [role=treeitem]").nth(6).click()
    about = "() => lab.view.about.textContent"
    assert tab.evaluate(about) == (
        "After X 6: O, MIN, was told α = 0, β = 2, and answers at most −1."
    )
    tab.locator("[data-under-test] [role=tree]").focus()
    for key, said in (
        ("ArrowRight", "After X 6 and O 5: the game is over, O has won, −1."),
        ("ArrowDown", "After X 6 and O 8: cut, never looked at."),
        ("Home", "At the root: X, MAX, was told α = −2, β = 2, and answers 0."),
    ):
        tab.keyboard.press(key)
        assert tab.evaluate(about) == said
    assert tab.evaluate("() => lab.run.mark") == "22"
    log.assert_silent()
    tab.close()
