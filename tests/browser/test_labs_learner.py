"""The learner's lab on its pages: what it shows is what the library finds."""

import json
import re
from itertools import pairwise

import numpy as np
import pytest
from common import thinned
from labs_on_pages import choose, number, press, run_cell

from ttt_lib import board
from ttt_lib.board import tables as board_tables

KIND = "learner"
HELPERS = """() => {
  const all = (of) => [...lab.element.querySelectorAll(of)].map((e) => e.textContent);
  window.texts = () => all('.ttt-scores td');
  window.equation = () => all('.ttt-term b');
}"""


@pytest.fixture
def lab(lab):
    """Open the learner's lab on a page, with helpers: (tab, log)."""

    def open_it(*page, **more):
        tab, log = lab(*page, **more)
        tab.evaluate(HELPERS)
        return tab, log

    return open_it


# --- What moves --------------------------------------------------------------


def test_each_update_is_shown_in_numbers_that_are_right(lab):
    tab, log = lab()
    seen = 0
    for _ in range(60):
        press(tab, "Step")
        terms = [number(text) for text in tab.evaluate("() => equation()")]
        if terms:
            old, alpha, target, again, new = terms
            assert old == again
            assert abs(old + alpha * (target - old) - new) < 0.001
            seen += new != 0
    assert seen >= 3  # the reward at the end of a game
    log.assert_silent()
    tab.close()


def test_play_goes_to_its_end_and_the_copied_cell_gives_the_same_numbers(lab):
    tab, _ = lab()
    tab.evaluate("() => lab.set('to', '1000')")
    press(tab, "Play")
    tab.get_by_role("button", name="Start again", exact=True).first.wait_for()
    assert tab.evaluate("() => lab.run.games") == 1000
    values, scores = run_cell(tab.evaluate("() => lab.run.python()"))
    cells = tab.locator(".ttt-lab-board").first.locator(".ttt-number b")
    shown = [number(text) for text in cells.all_inner_texts()]
    assert np.allclose(shown, values, rtol=0, atol=0.0005 + 1e-9)
    theirs = [
        (scores[f"{end}_first"] + scores[f"{end}_second"]) / 2
        for end in ("win", "draw", "loss", "worst")
    ]
    shown = [number(text) for text in tab.evaluate("() => texts()")]
    assert np.allclose(shown, theirs, rtol=0, atol=0.0005 + 1e-9)
    tab.close()


@pytest.mark.parametrize(
    "changes",
    [
        {"method": "sarsa", "alpha": "1/n", "opponent": "teacher 0.9", "side": "1"},
        {"method": "td_all_moves", "lambda_": "0.8", "opponent": "self"},
        {"method": "double_q_learning", "opponent": "q-learning", "seed": "4000000000"},
        {"method": "td_prediction", "n": "2", "behaviour": "perfect", "side": "-1"},
        {"method": "minimax_q", "opponent": "self", "epsilon": "linear:1:0:300"},
        {"differs": "alpha", "by": "power:1:0.75", "rewards": "1, 0.5, 0"},
        {"initial": "mc-control", "method": "double_q_learning"},
        {"initial": "perfect", "method": "minimax_q", "opponent": "self"},
    ],
    ids=lambda changes: next(iter(changes.values())),
)
def test_the_copied_cell_runs_for_other_settings(changes, lab):
    tab, _ = lab()
    choose(tab, changes, "300")
    found = run_cell(tab.evaluate("() => lab.run.python()"))
    tables = tab.evaluate(
        """() => lab.run.pupils.map((one) => [...ttt.learning.actionValues(lab.game,
          one.learner)].slice(0, 9))"""
    )
    judge = changes["method"].endswith("prediction") if "method" in changes else False
    if judge:
        estimate = tab.evaluate("() => lab.run.pupils[0].learner.table[0]")
        assert abs(found - estimate) < 1e-12
    else:
        for k, values in enumerate(tables):
            assert np.allclose(found[2 * k], values, rtol=0, atol=1e-12)
    tab.close()


def test_a_game_is_shown_before_it_is_learnt_from(lab):
    tab, _ = lab()
    tab.evaluate("() => lab.go('20')")
    known = "() => [texts(), [...lab.run.learner.table], equation(), lab.run.told]"
    scores, table, *_ = tab.evaluate(known)
    told, updates = 20, 0
    while told == 20:
        tab.evaluate("() => lab.step()")
        shown, values, equation, told = tab.evaluate(known)
        updates += bool(equation)
        changed = [one != other for one, other in zip(table, values, strict=True)]
        assert sum(changed) <= updates
        if not equation:  # a move
            assert (shown, values) == (scores, table)
    assert updates >= 3
    assert values == tab.evaluate("() => [...lab.run.pupils[0].learner.table]")
    tab.close()


def test_scores_stand_one_below_another_inside_their_card(lab):
    tab, _ = lab()
    tab.evaluate("() => lab.go('20')")
    card = tab.locator(".ttt-card:has(> .ttt-scores)").first
    rows = [row.bounding_box() for row in card.locator("tr").all()]
    card = card.bounding_box()
    assert len(rows) == 4
    for above, row in pairwise(rows):
        assert above["y"] + above["height"] <= row["y"] + 0.5
    for row in rows:
        assert row["x"] + row["width"] <= card["x"] + card["width"]
    tab.close()


def test_back_and_start_again(lab):
    tab, _ = lab()
    marks = []
    for _ in range(7):
        press(tab, "Step")
        marks.append(tab.evaluate("() => lab.run.mark"))
    assert marks == [f"1:{frame}" for frame in range(1, 8)]
    tab.locator("[data-under-test] summary").first.click()
    for mark in [*marks[-2::-1], "0"]:
        press(tab, "Back")
        assert tab.evaluate("() => lab.run.mark") == mark
    tab.keyboard.press("b")
    assert tab.evaluate("() => lab.run.mark") == "0"
    assert "nothing to go back to" in tab.evaluate("() => notice()")
    tab.evaluate("() => lab.go('500')")
    press(tab, "Start again")
    assert tab.evaluate("() => lab.run.mark") == "0"
    press(tab, "Back")
    assert tab.evaluate("() => lab.run.mark") == "500"
    tab.close()


def test_the_curve_from_before_stays_when_a_setting_is_changed(lab):
    tab, _ = lab()
    tab.evaluate("() => lab.go('100')")
    tab.locator("[data-under-test]").get_by_role("radio", name="0.5").check(force=True)
    tab.locator(".ttt-names", has_text="before: ε = 0.1").first.wait_for()
    assert tab.evaluate("() => lab.texts.epsilon") == "0.5"
    tab.close()


def test_one_plays_against_what_has_been_made(lab):
    tab, log = lab()
    tab.evaluate("() => lab.go('1000')")
    tab.locator("[data-under-test] summary").first.click()
    press(tab, "Play against it")
    guest = tab.locator("[data-under-test] .ttt-lab .ttt").first
    guest.locator(".ttt-cell").first.click()
    tab.wait_for_function(
        "() => document.querySelectorAll('.ttt-lab .ttt .ttt-O').length === 1"
    )
    log.assert_silent()
    tab.close()


# --- Links, storage ----------------------------------------------------------


def test_a_link_leads_to_the_same_state(lab):
    tab, _ = lab()
    tab.evaluate("() => lab.set('epsilon', '0.5')")
    tab.evaluate("() => lab.go('321:4')")
    link = tab.evaluate("() => lab.link")
    known = tab.evaluate(
        "() => [lab.state, texts(), [...lab.run.pupils[0].learner.table]]"
    )
    tab.close()
    page = link[link.index("book/") :]
    other, _ = lab(page)
    assert (
        other.evaluate(
            "() => [lab.state, texts(), [...lab.run.pupils[0].learner.table]]"
        )
        == known
    )
    other.close()


def test_what_is_kept_comes_back(lab):
    tab, _ = lab()
    tab.locator("[data-under-test] summary").first.click()
    press(tab, "Fetch what was kept")
    assert "Nothing has been kept" in tab.evaluate("() => notice()")
    tab.evaluate("() => lab.go('77')")
    press(tab, "Keep")
    press(tab, "Start again")
    press(tab, "Fetch what was kept")
    tab.wait_for_function("() => lab.run.mark === '77'")
    tab.evaluate(
        "() => { Storage.prototype.setItem = () => { throw Error('full'); }; }"
    )
    press(tab, "Keep")
    assert "keeps nothing" in tab.evaluate("() => notice()")
    tab.evaluate("() => localStorage.clear()")
    tab.close()


# --- Wrong input -------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "word"),
    thinned(
        [
            ("alpha", "3", "between 0 and 1"),
            ("alpha", "0", "above 0"),
            ("alpha", "fast", "no schedule"),
            ("gamma", "1.5", "0 to 1"),
            ("gamma", "", "0 to 1"),
            ("rewards", "one, 0, -1", "a win"),
            ("rewards", "1, 0", "3 numbers"),
            ("seed", "1e30", "4,294,967,295"),
            ("seed", "1.5", "whole"),
            ("opponent", "somebody", "no player"),
            ("opponent", "menace", "other side"),
            ("initial", "NaN", "number"),
            ("look", "XX", "9 cells"),
            ("by", "<img src=x>", "schedule"),
            ("initial", "menace", "no values of moves"),
            ("initial", "somebody", "an agent of the book"),
        ],
        6,
    ),
)
def test_a_wrong_setting_is_told_beside_it_and_nothing_is_lost(name, text, word, lab):
    tab, log = lab()
    if name == "by":
        tab.evaluate("() => lab.set('differs', 'epsilon')")
    tab.evaluate("() => lab.go('50')")
    before = tab.evaluate("() => lab.state")
    tab.locator("[data-under-test] summary").first.click()
    label = tab.evaluate("(name) => lab.kind.settings[name].label", name)
    field = tab.locator("[data-under-test]").get_by_label(label, exact=True)
    field.fill(text)
    field.press("Enter")
    beside = field.locator("xpath=ancestor::*[@class='ttt-setting']")
    tab.wait_for_function("() => faults() !== ''")
    assert word in beside.locator(".ttt-fault").inner_text()
    assert tab.evaluate("() => notice()") == ""  # it is told once
    assert tab.evaluate("() => lab.state") == before
    press(tab, "Step")
    assert tab.evaluate("() => lab.run.games") == 51
    log.assert_silent()
    tab.close()


def test_a_screen_reader_hears_each_stop_and_no_frame(lab):
    tab, _ = lab()
    tab.evaluate(
        """() => {
          window.heard = [];
          const region = document.querySelector('.ttt-lab .ttt-hidden[role=status]');
          new MutationObserver(() => heard.push(region.textContent)).observe(region,
            { childList: true, characterData: true, subtree: true });
        }"""
    )
    tab.evaluate("() => lab.set('to', '1000')")
    tab.evaluate("() => lab.play()")
    heard = tab.evaluate("() => heard")
    assert len(heard) == 1
    assert re.match(
        r"After 1,000 games: against random moves it wins 0\.\d{3}", heard[0]
    )
    tab.close()


# --- In Python ---------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [{"epsilon": "1/n"}, {"initial": "sarsa", "method": "double_q_learning"}],
)
def test_the_widget_s_learner_is_the_page_s(changes, lab):
    tab, _ = lab()
    choose(tab, changes, "250")
    texts = tab.evaluate("() => lab.texts")
    page = tab.evaluate("() => [...lab.run.pupils[0].learner.table]")
    learner = board.LearnerLab("A lab", **texts, at="250").learner()
    ours = learner.Q[board_tables.tables().legal]
    assert np.allclose(page, ours, rtol=0, atol=1e-12)
    assert learner.games == 250
    tab.close()
    assert json.dumps(texts)  # all of them are texts


def test_earlier_curves_of_a_setting_stay_and_those_of_others_go(lab):
    tab, log = lab("book/play.html")
    names = "() => [...lab.element.querySelectorAll('.ttt-names span')].slice(0, -2)"
    names += ".map((each) => each.textContent)"
    for opponent in ("perfect", "self", "random"):
        tab.evaluate("() => lab.go('100')")
        choose(tab, {"opponent": opponent})
    before = [f"before: opponent = {name}" for name in ("self", "perfect")]
    assert tab.evaluate(names) == before, "random is here again"
    dashes = """() => [...lab.element.querySelectorAll('.ttt-picture .ttt-curve')]
      .map((line) => line.getAttribute('stroke-dasharray'))"""
    assert len(set(tab.evaluate(dashes))) == 3
    tab.evaluate("() => lab.go('100')")
    choose(tab, {"alpha": "0.5"})
    assert tab.evaluate(names) == ["before: α = 0.1"]
    log.assert_silent()
    tab.close()
