"""The bandit on its page: estimates and regret are what Python finds on the same luck.

That each way of choosing does what its equation says is held in `test_labs_luck.py`.
"""

import numpy as np
import pytest
from labs_on_pages import choose, number, press, run_cell

from ttt_lib import board, evaluation, policy
from ttt_lib.game import tables

KIND = "bandit"
GAME = tables()
AT_RANDOM = policy.uniform(GAME.legal)
WORTH = evaluation.win_draw_loss(GAME, AT_RANDOM, AT_RANDOM)[GAME.next[0]] @ [1, 0, -1]
SETTINGS = [
    ({}, "0123456788" * 3),
    ({"cells": "own", "seed": "7"}, "444"),
    ({"games": "300", "epsilon": "0.5", "weight": "3", "initial": "0.5"}, "80" * 150),
    ({"tau": "1", "c": "2", "seed": "4294967295"}, "4" * 29),
    ({"tau": "0.001", "c": "0", "epsilon": "0", "initial": "-1", "games": "9"}, "1"),
]
ALL = """() => [lab.run.own, ...lab.run.others].map(({ bandit, regret, pulls }) => ({
  Q: [...bandit.Q], N: [...bandit.N], regret: regret[lab.run.t],
  cells: pulls.map(({ a }) => a) }))"""


@pytest.mark.parametrize(("texts", "mark"), SETTINGS)
def test_page_widget_and_copied_cell_find_the_same(texts, mark, lab):
    tab, log = lab()
    choose(tab, texts, mark)
    own, *others = tab.evaluate(ALL)
    known = tab.evaluate("() => lab.texts")
    Q, N, regret = board.BanditLab("The bandit", **known, at=mark).pulled()
    assert np.allclose(own["Q"], Q, rtol=0, atol=1e-12)
    assert own["N"] == N.tolist()
    assert abs(own["regret"] - regret) < 1e-12
    you, theirs = run_cell(tab.evaluate("() => lab.run.python()"))
    assert np.allclose(you[0], Q, rtol=0, atol=1e-12)
    assert you[1].tolist() == N.tolist()
    assert abs(you[2] - regret) < 1e-12
    whole = len(mark) == int(known["games"])
    for one, (Q, N, regret) in zip(others, theirs, strict=True):
        assert abs(one["regret"] - regret) < 1e-11
        if whole:  # else they have played on, unseen
            assert np.allclose(one["Q"], Q, rtol=0, atol=1e-12)
            assert one["N"] == N.tolist()
    log.assert_silent()
    tab.close()


@pytest.mark.parametrize("k", range(4))
def test_who_always_does_what_a_learner_says_ends_where_it_ends(k, lab):
    tab, _ = lab()
    names = tab.evaluate("() => lab.kind.settings.chooser.options.map(([v]) => v)")
    choose(tab, {"chooser": names[k]})
    for _ in range(3):
        press(tab, "Step")
    press(tab, "Play")
    tab.wait_for_function("() => lab.run.end && !lab.playing")
    own, *others = tab.evaluate(ALL)
    assert own["cells"] == others[k]["cells"]
    assert own["regret"] == others[k]["regret"]
    tab.close()


CELLS = """() => lab.view.tiles.cells.map((cell) =>
  [...cell.querySelectorAll('.ttt-number > *')].map((each) => each.textContent))"""
TABLE = """() => [...lab.element.querySelectorAll('.ttt-scores tr')].slice(1)
  .map((row) => [...row.children].map((cell) => cell.textContent.trim()))"""


def test_what_the_openings_are_worth_is_shown_after_the_last_game(lab):
    tab, log = lab()
    choose(tab, {"games": "4"})
    cells = tab.locator("[data-under-test] [role=gridcell]")
    for cell in (3, 3, 5):
        cells.nth(cell).click()
        tab.wait_for_function("(cell) => lab.run.mark.endsWith(cell)", arg=str(cell))
    Q, *_ = board.BanditLab("", **tab.evaluate("() => lab.texts"), at="335").pulled()
    shown = tab.evaluate(CELLS)
    assert [len(each) for each in shown] == [0, 0, 0, 2, 0, 2, 0, 0, 0]
    assert abs(number(shown[3][0]) - Q[3]) < 6e-4
    assert (shown[3][1], shown[5][1]) == ("2 games", "1 game")
    assert [row[2:] for row in tab.evaluate(TABLE)] == [["?", "?"]] * 5
    cells.nth(8).click()
    tab.wait_for_function("() => lab.run.end && !lab.busy")
    shown, mixed = tab.evaluate(CELLS), tab.evaluate("() => lab.run.mixed")
    assert sorted(mixed) == [*range(9)]
    assert mixed != [*range(9)]
    for each, a in zip(shown, mixed, strict=True):
        assert abs(number(each[-1].split()[-1]) - WORTH[a]) < 6e-4
    rows, found = tab.evaluate(TABLE), tab.evaluate(ALL)
    assert rows[0][0] == "you"
    for row, one in zip(rows, found, strict=True):
        assert row[2] == str(one["cells"].count(mixed.index(4)))
        assert abs(number(row[3]) - one["regret"]) < 6e-4
    cells.nth(0).click(force=True)
    assert "All 4 games are played" in tab.evaluate("() => notice()")
    tab.evaluate("() => lab.back()")
    assert tab.evaluate("() => lab.run.mark") == "335"
    log.assert_silent()
    tab.close()


def test_lines_differ_without_colours(lab):
    tab, _ = lab()
    choose(tab, {"show": "always"}, "01234")
    dashes = tab.evaluate(
        """() => [...lab.element.querySelectorAll('.ttt-picture .ttt-curve')]
          .map((line) => getComputedStyle(line).strokeDasharray)"""
    )
    assert len(set(dashes)) == 5
    ends = tab.evaluate("() => lab.view.chart.picture.textContent")
    for name in ("you", "ε-greedy", "optimistic", "UCB", "softmax"):
        assert name in ends
    tab.close()


def test_after_the_last_game_the_four_have_200_other_runs(lab):
    tab, log = lab()
    assert tab.evaluate("() => lab.run.paid") == []
    choose(tab, {"games": "9", "seed": "3"}, "444444444")
    paid = np.array(tab.evaluate("() => lab.run.paid"))
    said = tab.evaluate("() => lab.element.querySelector('.ttt-says').textContent")
    names = {}
    exec(tab.evaluate("() => lab.run.python()"), names)  # it has drawn the page's luck
    ways = "greedily(0.1)", "greedily(0), 1, 10", "ucb(0.75)", "softmax(0.07)"
    for run in paid:
        names["luck"] = names["rng"].random((9, 3))
        found = [eval(f"play({way})", names)[2] for way in ways]
        assert np.allclose(run, found, rtol=0, atol=1e-12)
    assert paid.shape == (200, 4)
    half = 1.96 * paid.std(axis=0, ddof=1) / np.sqrt(200)
    for mean, error in zip(paid.mean(axis=0), half, strict=True):
        assert f"{mean:.1f} ± {error:.1f}" in said
    log.assert_silent()
    tab.close()


def test_a_press_plays_on_to_1000_games(lab):
    tab, log = lab()
    choose(tab, {"chooser": "ucb"}, "012")
    tab.locator("[data-under-test] summary").first.click()
    press(tab, "1,000 games at a press")
    tab.wait_for_function("() => lab.run.end && lab.run.paid.length === 200")
    mark = tab.evaluate("() => lab.run.mark")
    assert (len(mark), mark[:3]) == (1000, "012")
    assert mark[-200:].count(str(tab.evaluate("() => lab.run.best"))) > 100
    log.assert_silent()
    tab.close()
