"""Features of each lab: controls, and the descriptions that follow."""

import re

import numpy as np
import pytest
from common import FRAMES
from labs_on_pages import choose, number, press

from ttt_lib import board, mdp, planning
from ttt_lib.board import standings
from ttt_lib.game import images, tables
from ttt_lib.studies import load

GAME = tables()
WORDS = "() => lab.run.description()"
MARK = "() => lab.run.mark"


def read_after_keys(tab, keys, read):
    """Press keys; return what `read` gives after each."""
    results = []
    for key in keys:
        tab.keyboard.press(key)
        results.append(tab.evaluate(read))
    return results


def stepped(tab, times, read):
    """Step; return what `read` gives after each step."""
    steps = f"""async (times) => {{
      const read = {read}, seen = [];
      for (let n = 0; n < times; n++) {{
        await lab.step();
        seen.push(read());
      }}
      return seen;
    }}"""
    return tab.evaluate(steps, times)


def test_learner_lab_shows_correct_update_equations(lab):
    tab, log = lab("learner")
    terms = """() => [...lab.element.querySelectorAll('.ttt-term b')]
      .map((e) => e.textContent)"""
    shown = [[number(x) for x in each] for each in stepped(tab, 30, terms) if each]
    for old, alpha, target, again, new in shown:
        assert old == again
        assert abs(old + alpha * (target - old) - new) < 0.001
    assert any(new for *_, new in shown)  # the reward at the end of a game

    # A game is shown before it is learnt from.
    tab.evaluate("() => lab.go('20')")
    seen, same = tab.evaluate(
        """async () => {
          const table = () => [...lab.run.learner.table], before = table(), seen = [];
          while (lab.run.gamesShown === 20) {
            await lab.step();
            seen.push([lab.element.querySelectorAll('.ttt-term').length > 0,
              table().filter((value, i) => value !== before[i]).length]);
          }
          return [seen, String(table()) === String(lab.run.learners[0].learner.table)];
        }"""
    )
    updates = np.cumsum([equation for equation, _ in seen])
    assert all(changed <= n for (_, changed), n in zip(seen, updates, strict=True))
    assert updates[-1] >= 3
    assert same
    log.assert_silent()


def test_learner_lab_keeps_and_labels_runs_of_all_chips(lab):
    tab, log = lab("learner")
    tab.evaluate("() => lab.set('to', '100')")
    tab.evaluate("() => lab.go('100')")
    for epsilon in ("0", "0.5", "1"):
        tab.evaluate("(text) => lab.set('epsilon', text)", epsilon)
        tab.evaluate("() => lab.go('100')")
    said = tab.locator("[data-under-test] .ttt-notice b").inner_text()
    assert said.startswith("In the worst case, with one seed each: ")
    ends = tab.locator("[data-under-test] .ttt-chart text").all_text_contents()
    for epsilon in ("0.1", "0", "0.5"):
        assert f" with ε = {epsilon}" in said
        assert ends.count(f"ε = {epsilon}") == 2  # both curves
    assert "ε = 1" in said
    log.assert_silent()


# page → the comparison there and its setting to choose
COMPARED = {
    "08_td": "step",
    "09_q_learning": "exploration",
    "play": "practice",
}


@pytest.mark.parametrize(("page", "name"), COMPARED.items())
def test_columns_show_the_study_and_answer_the_title(page, name, lab):
    tab, log = lab("learner", f"book/{page}.html", size=(390, 844))
    study = load("lab_runs")
    _, values, _ = study.LABS[name]
    keys = [list(study.SETTINGS).index(f"{name} {value}") for value in values]
    worst = study.results[keys, 0, :, :-765].reshape(len(keys), -1, 20, 2)
    safe = (worst == 0).all(axis=3).sum(axis=2)
    section = tab.locator(".ttt-compare")
    asked = section.locator("[role=status]")
    assert "safe" in asked.inner_text()
    assert section.locator(".ttt-runs path").count() == 20 * len(values)

    slider, shown = section.locator("input"), section.locator(".ttt-column > button")
    for frame in (15, 12):  # the slider by keys
        slider.fill(str(frame))
        assert section.locator("output").inner_text() == f"{study.MARKS[frame]:,} games"
        heads = shown.all_inner_texts()
        for text, value, n in zip(heads, values, safe[:, frame], strict=True):
            assert value in text
            assert f"{n} of 20 safe" in text

    shown.nth(1).click()  # a guess; with reduced motion all games are played at once
    assert shown.nth(1).get_attribute("aria-pressed") == "true"
    counts = re.findall(r"\d+", asked.locator("b").inner_text())
    assert counts[: len(values) + 1] == ["20", *map(str, safe[:, -1])]
    if not safe[:, -1].any():
        first = (worst[:, -1, :, 0] == 0).sum(axis=1)
        assert counts[len(values) + 1 :] == [*map(str, first)]
    assert asked.inner_text().endswith(f"{values[1]}.")
    known = section.locator("[role=img]").first.get_attribute("aria-label")
    met = (study.results[keys[0], 0, -1, -765:] >= -10).sum()
    assert f"knows {met} of 765" in known
    value = tab.evaluate("(name) => lab.texts[name]", study.LABS[name][0])
    tab.evaluate("() => lab.go('1000')")  # the first of 20, step by step
    says = np.array(tab.evaluate("() => lab.run.opinions"), dtype=float)
    stored = study.results[[*study.SETTINGS].index(f"{name} {value}"), 0]
    stored = stored[study.MARKS.index(1_000), -765:]
    np.testing.assert_array_equal(np.isnan(says), stored == study.NEVER)
    assert np.nanmax(np.abs(10 * says - stored), where=stored >= -10, initial=0) < 0.501
    tab.evaluate("() => { lab.element.querySelector('.ttt-single').open = false; }")
    for size, room in (((390, 844), 760), ((1280, 800), 744)):
        tab.set_viewport_size({"width": size[0], "height": size[1]})
        tab.evaluate(FRAMES, 3)
        assert section.bounding_box()["height"] <= room
    log.assert_silent()


def test_columns_run_in_steps_and_pause(lab):
    tab, _ = lab("learner")
    tab.emulate_media(reduced_motion="no-preference")
    tab.evaluate(
        "() => { window.setInterval = (act) => { window.tick = act; return 1; } }"
    )
    section = tab.locator(".ttt-compare")
    section.locator(".ttt-column").first.click()  # anywhere in it
    tab.evaluate("() => { tick(); tick(); }")
    section.get_by_role("button", name="Pause").click()
    assert section.locator("input").input_value() == "3"
    assert "Lines: " in section.locator("[role=status]").inner_text()
    section.get_by_role("button", name="Run").click()
    tab.evaluate("() => { for (let n = 4; n < 16; n++) tick(); }")
    assert section.locator(".ttt-first").inner_text() == "Run again"
    assert section.locator("[role=status] b").count() == 1


def test_twenty_seeds_of_own_settings_are_those_of_the_study(lab):
    tab, _ = lab("learner")
    study = load("lab_runs")
    tab.evaluate("() => { lab.more.open = true; return lab.set('to', '1000'); }")
    press(tab, "Twenty seeds")
    tab.wait_for_function("() => notice().startsWith('With the seeds 1 to 20')")
    row = [*study.SETTINGS].index("exploration 0.1")
    worst = study.results[row, 0, study.MARKS.index(1_000), :-765].reshape(20, 2)
    assert f"{(worst == 0).all(axis=1).sum()} of 20 are safe" in tab.evaluate(
        "() => notice()"
    )
    low = -number(re.search(r"between (\S+) and", tab.evaluate("() => notice()"))[1])
    assert abs(100 * low + worst.mean(axis=1).min()) <= 1  # the study rounds down


def test_draw_has_neutral_colour_whatever_its_reward(lab):
    tab, _ = lab("learner")
    choose(tab, {"initial": "0.5", "rewards": "1, 0.5, 0"})
    shares = """() => lab.view.grid.cells.map((cell) =>
      Number(cell.style.getPropertyValue('--ttt-share')))"""
    assert tab.evaluate(shares) == [0] * 9


def test_play_against_trained_learner(lab):
    tab, log = lab("learner")
    tab.evaluate("() => lab.go('1000')")
    tab.locator("[data-under-test] .ttt-more > summary").first.click()
    press(tab, "Play against it")
    guest = tab.locator("[data-under-test] .ttt-lab .ttt").first
    guest.locator(".ttt-cell").first.click()
    tab.wait_for_function(
        "() => document.querySelectorAll('.ttt-lab .ttt .ttt-O').length === 1"
    )
    log.assert_silent()


def test_learner_lab_announces_stops_only(lab):
    tab, _ = lab("learner")
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
    (heard,) = tab.evaluate("() => heard")
    assert re.match(r"After 1,000 games: against random moves it wins 0\.\d{3}", heard)


def test_on_off_policy_lab_bars_cross_and_a_slip_decides(lab):
    tab, log = lab("on_off_policy")
    columns = tab.locator("[data-under-test] .ttt-on-off > .ttt-pair > div")
    ends = [each.locator("figcaption").all_inner_texts() for each in columns.all()]
    assert [captions[-1] for captions in ends] == ["loses", "draws"]
    for epsilon, better in ("0.04", 0), ("0.05", 1):
        tab.evaluate("(mark) => lab.go(mark)", epsilon)
        exploring, free = board.OnOffPolicyLab("", at=epsilon).values()
        given = free.max() - exploring[[0, 4]]
        assert np.argmin(given) == better
        heads = columns.locator(".ttt-head").all_inner_texts()
        assert ["better" in head for head in heads] == [better == 0, better == 1]
        for column, points in zip(columns.all(), 100 * given, strict=True):
            assert f"gives away {points:.1f} points" in column.inner_text()
            share = column.locator(".ttt-gives").get_attribute("style")
            (percent,) = re.findall(r"[\d.]+(?=%)", share)
            assert float(percent) == pytest.approx(points / 0.08)
    says = tab.locator("[data-under-test] .ttt-on-off > .ttt-says").inner_text()
    assert "100 slips in its third mark cost 22.7 points after a corner" in says
    log.assert_silent()


def test_on_off_policy_lab_jump_and_navigation(lab):
    tab, _ = lab("on_off_policy")
    tab.evaluate("() => lab.go('0.04')")
    assert "With exploration, the corners are best" in tab.evaluate(WORDS)
    press(tab, "Step")
    said = tab.evaluate(WORDS)
    assert "At ε = 0.046 the best jumped from the corners to the centre." in said
    tab.locator("[data-under-test] .ttt-all-cells > summary").click()
    grid = tab.locator("[data-under-test] [role=grid]").first
    for cell, look in ((4, "....X...."), (0, "O...X....")):
        grid.locator(".ttt-cell").nth(cell).click()
        assert tab.evaluate("() => lab.texts.look") == look
    assert grid.locator(".ttt-number b").count() == 7
    press(tab, "Empty board")
    assert tab.evaluate("() => lab.texts.look") == "........."
    choose(tab, {"look": "X........", "opponent": "perfect", "side": "-1"}, "0.1")
    assert "ε = 0.000" not in tab.evaluate(
        WORDS
    )  # all cells draw, so the best does not change


LEDGER = """() => [...lab.element.querySelectorAll('.ttt-ledger tr:not(:first-child)')]
  .filter((row) => !row.matches('.ttt-later'))
  .map((row) => [...row.querySelectorAll('td:not([rowspan]):not(.ttt-later)')]
    .map((cell) => cell.innerText.trim()).filter((text) => text && text !== 'end'))"""


def ledger(tab):
    """Return the visible numbers of the table of one backup, row by row."""
    return [[number(text) for text in row] for row in tab.evaluate(LEDGER)]


def test_backup_lab_shows_numbers_of_the_chapter(lab):
    tab, _ = lab("backup")
    half = 0.5
    stages = {
        "1:1": [[1]],
        "1:2": [[1, 1]],
        "1:3": [[1, 1, 1], [1, 0, 1]],
        "13:1": [[half], [half]],
        "13:2": [[half, 0, 0], [half, 0, 1]],
        "13:3": [[half, 0, 0, 0], [half, 0, 1, half], [0, half, half]],
        "138:1": [[half], [half]],
        "138:2": [[half, 0, 0], [half, -1]],
        "138:3": [[half, 0, 0, 0], [half, -1, -half], [-half, 0, -half]],
        "end": [[1], [half], [-half], [1]],
    }
    shown = stepped(tab, 10, f"() => [lab.run.mark, ({LEDGER})()]")
    for mark, rows in shown:
        assert [[number(x) for x in row] for row in rows] == stages.pop(mark)
    assert not stages
    assert "v* = 1.000" in tab.evaluate(WORDS)
    tab.evaluate("() => lab.set('policy', 'random')")
    assert tab.evaluate(MARK) == "end"
    assert ledger(tab)[-1] == [0.333]
    tab.evaluate("() => lab.set('policy', 'best')")
    # Another γ changes the numbers at the same mark, and only discounted ones.
    tab.locator("[data-under-test]").get_by_role("radio", name="0.9").check()
    tab.wait_for_function("() => lab.texts.gamma === '0.9' && !lab.busy")
    assert ledger(tab) == [[1], [0.45], [-half], [1]]


def test_backup_lab_navigation(lab):
    tab, _ = lab("backup")
    cells = tab.locator("[data-under-test] [role=grid] .ttt-cell")
    for cell, mark in ((8, "8:1"), (3, "3:1")):  # cell 8 was left before its last stage
        cells.nth(cell).click()
        assert tab.evaluate(MARK) == mark
    stepped(tab, 2, MARK)
    cells.nth(8).click()
    assert tab.evaluate(MARK) == "38:1"
    tab.locator("[data-under-test] button.ttt-reply").first.click()
    where = "() => [lab.texts.look, lab.run.mark]"
    assert tab.evaluate(where) == ["OOX.XOOXX", "start"]
    cells.nth(3).click()
    assert "the game is over" in tab.evaluate(WORDS)
    press(tab, "First board")
    assert tab.evaluate("() => lab.texts.look") == "O.X.XOOX."


def test_sweep_lab_describes_backups_correctly(lab):
    tab, _ = lab("sweeps")
    choose(tab, {"step": "backup"}, "3")
    for k, (mark, said) in enumerate(
        stepped(tab, 13, "() => [lab.run.mark, lab.run.description()]"), start=1
    ):
        assert mark == f"3:{k}"
        *actions, _, new = [number(x) for x in re.findall(r"−?\d+\.\d{3}", said)]
        assert len(actions) == 4
        assert abs(np.mean(actions) - new) < 0.002


def test_sweep_lab_half_sweeps_and_convergence(lab):
    tab, _ = lab("sweeps")
    choose(tab, {"problem": "game"}, "5")
    cells = "() => [...lab.element.querySelectorAll('td')].map((e) => e.textContent)"
    assert tab.evaluate(cells)[1:].count("100%") == 15  # 5 + 4 + … + 1
    assert "all values are right" in tab.evaluate(WORDS)
    choose(tab, {"order": "falling"}, "1")
    assert tab.evaluate(cells)[-1] == "100%"
    answer = "Every value is right to three decimals after 1 sweep (in two lists: 5)."
    assert tab.evaluate("() => notice()") == answer
    choose(tab, {"step": "half"}, "0")
    half, whole = stepped(tab, 2, MARK)
    assert (half.partition(":")[0], whole) == ("0", "1")
    choose(tab, {"step": "sweep"})
    tab.evaluate("() => lab.play()")
    assert "changed nothing" in tab.evaluate(WORDS)


def test_sweep_lab_edits_floor_and_reports_divergence(lab):
    tab, _ = lab("sweeps")
    squares = tab.locator("[data-under-test] .ttt-floor .ttt-cell")
    for wall in (1, 4, 14, 11):  # walls around the exits
        squares.nth(wall).click()
        tab.wait_for_function(
            f"() => lab.texts.floor.replaceAll('|', '')[{wall}] === '#'"
        )
    assert "The values of all states do not converge" in tab.evaluate(WORDS)
    tab.evaluate("() => lab.set('floor', '.E')")
    squares.nth(0).click()  # now no square would be free: rejected
    tab.wait_for_function("() => faults() !== ''")
    assert tab.evaluate("() => lab.texts.floor") == ".E"


def test_sweep_lab_keeps_values_when_a_square_changes(lab):
    tab, log = lab("sweeps")
    tab.evaluate("() => lab.set('problem', 'floor')")
    tab.evaluate("() => lab.go('600')")
    before = tab.evaluate("() => [...lab.run.values()]")
    squares = tab.locator("[data-under-test] [role=gridcell]")
    squares.nth(1).click()  # a wall beside an exit
    tab.wait_for_function("() => lab.texts.floor[1] === '#' && !lab.busy")
    after = tab.evaluate("() => [...lab.run.values()]")
    assert np.allclose(after, before[1:], rtol=0, atol=1e-4)
    assert tab.locator("[data-under-test] .ttt-wrong").count() == len(after)
    assert ", now wrong" in squares.nth(2).inner_text()
    tab.evaluate("() => lab.go('900')")  # the sweeps go on
    assert tab.locator("[data-under-test] .ttt-wrong").count() == 0
    tab.evaluate("() => lab.reset()")
    assert set(tab.evaluate("() => [...lab.run.values()]")) == {0}
    log.assert_silent()


def test_sweep_lab_draws_walls_and_walks_the_greedy_way(lab):
    tab, log = lab("sweeps")
    tab.evaluate("() => lab.set('problem', 'floor')")
    squares = tab.locator("[data-under-test] [role=gridcell]")

    def drawn(floor):
        tab.wait_for_function("(floor) => lab.texts.floor === floor", arg=floor)

    for floor in "E...|.##.|....|...E", "E...|....|....|...E":  # built, taken away
        squares.nth(5).scroll_into_view_if_needed()
        for square, act in ((5, tab.mouse.down), (6, tab.mouse.up)):
            box = squares.nth(square).bounding_box()
            middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
            tab.mouse.move(*middle, steps=3)
            act()
        drawn(floor)
    squares.nth(1).focus()
    for floor in "E##.|....|....|...E", "E##.|..#.|....|...E":
        tab.keyboard.press(f"Shift+Arrow{'Right' if floor[7] == '.' else 'Down'}")
        drawn(floor)
    floor = "E...|.##.|....|...E"
    tab.evaluate("(floor) => lab.set('floor', floor)", floor)
    tab.evaluate("() => lab.go('900')")
    problem = mdp.gridworld(floor)
    V = planning.policy_evaluation(problem, planning.uniform(problem), 1).V
    said = f"earns −3.000 in 3 steps; moving at random earns {V.min():.3f}."
    assert said.replace("-", "−") in tab.evaluate("() => notice()")
    way = """() => lab.view.floor.cells.flatMap((cell, c) =>
      cell.matches('.ttt-passed') ? [c] : [])"""
    assert tab.evaluate(way) == [0, 4, 8, 12]
    press(tab, "Walk")  # from the next square
    assert tab.evaluate(way) == [0, 1, 2, 3]
    log.assert_silent()


def test_minimax_tree_lab_describes_every_step(lab):
    tab, _ = lab("minimax_tree")
    said = stepped(tab, 22, WORDS)
    cuts = [each for each in said if each.startswith("Cut, because α ≥ β")]
    assert len(cuts) == 2
    assert "X can get 0 elsewhere, and here O can hold it to −1" in cuts[0]
    assert said[3].startswith("X tries cell 8. The game is over: X has won, +1.")
    assert said[-1].startswith("The value is 0")
    assert "all 14 boards; this order saves 4." in said[-1]
    tab.locator("[data-under-test] [role=treeitem]").nth(6).click()
    about = "() => lab.view.about.textContent"
    told = (
        "After X 6: O, MIN, was reached with α = 0 and β = 2, and returned at most −1."
    )
    assert tab.evaluate(about) == told
    tab.locator("[data-under-test] [role=tree]").focus()
    assert read_after_keys(tab, ("ArrowRight", "ArrowDown"), about) == [
        "After X 6 and O 5: the game is over, O has won, −1.",
        "After X 6 and O 8: cut, never looked at.",
    ]


def test_minimax_tree_lab_scores_the_boards_that_were_named(lab):
    tab, log = lab("minimax_tree")
    boards = tab.locator("[data-under-test] [role=treeitem]")
    named = "() => [...lab.run.named]"
    boards.nth(8).click()  # O's other reply to cell 6, with the board after it
    boards.nth(11).click()  # O's win after cell 8, which is looked at
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("Enter")  # O's other reply to cell 8
    assert tab.evaluate(named) == [8, 9, 11, 12, 13]
    boards.nth(13).click()  # taken back
    tab.evaluate("() => lab.go('22')")
    boards.nth(3).click()  # too late
    signs = boards.evaluate_all("(all) => all.map((e) => e.dataset.named)")
    assert {k: sign for k, sign in enumerate(signs) if sign} == {
        8: "right", 9: "right", 11: "wrong", 12: "right"
    }  # fmt: skip
    score = "You named 3 of these 4; 1 of yours was not cut."
    assert score in tab.evaluate("() => notice()")
    press(tab, "Start again")
    assert len(tab.evaluate(named)) == 4  # they stay for this tree
    tab.evaluate("() => lab.set('order', '8, 6, 5')")
    assert tab.evaluate(named) == []
    log.assert_silent()


def test_uct_lab_plays_4x4_game_to_its_end(lab):
    tab, log = lab("uct_search")
    tab.locator("[data-under-test]").get_by_role("radio", name="empty 4 × 4").check()
    tab.wait_for_function("() => lab.texts.board.length === 16 && !lab.busy")
    cells = tab.locator("[data-under-test] [role=grid]").first.locator(".ttt-cell")
    while not tab.evaluate("() => lab.run.over"):
        before = tab.evaluate("() => lab.texts.board")
        if before.count(".") % 2:
            press(tab, "Let it move")
        else:
            cells.nth(before.index(".")).click()
        moved = "(old) => lab.texts.board !== old && !lab.busy"
        tab.wait_for_function(moved, arg=before)
    assert "The game is over: " in tab.evaluate(WORDS)
    log.assert_silent()


def test_uct_lab_hides_the_truth_until_a_guess(lab):
    tab, log = lab("uct_search", size=(390, 844))
    height = "() => lab.whole.offsetHeight"
    before = tab.evaluate(height)
    press(tab, "Step")
    exact = tab.locator("[data-under-test] [role=grid]").nth(1)
    assert exact.locator(".ttt-number").count() == 0
    assert "Exact answer" not in tab.evaluate(WORDS)
    exact.locator(".ttt-cell").nth(2).click()
    assert exact.locator(".ttt-number").count() == 6
    assert "Your guess, cell 2, is worth −1." in tab.evaluate(WORDS)
    assert tab.evaluate(height) == before  # nothing is pushed down
    press(tab, "Step")  # it stays with this board
    assert exact.locator(".ttt-number").count() == 6
    tab.evaluate("() => lab.set('board', '.........')")
    assert exact.locator(".ttt-number").count() == 0
    log.assert_silent()


def test_uct_lab_compares_choice_with_exact_answer(lab):
    tab, _ = lab("uct_search")
    choose(tab, {"board": "XX..OOXO.XO....."}, "1000")
    said = tab.evaluate(WORDS)
    assert "UCT would take cell 3, which is right" in said
    assert "Exact answer: cell 3, worth +1 to X." in said


def test_minimax_map_lab_selects_dots_by_click_arrows_and_board(lab):
    tab, log = lab("minimax_map")
    kinds = images(GAME).min(axis=0)
    tab.evaluate("() => lab.go('10')")
    for kind in kinds[[300, 3000]].tolist():
        x, y = tab.evaluate("(s) => lab.view.places.get(s)", kind)
        place = {"x": x + 1, "y": y - 1}
        tab.locator("[data-under-test] .ttt-dots svg").click(position=place)
        assert tab.evaluate("() => lab.run.lookedAt") == kind
        rings = tab.locator("[data-under-test] circle.ttt-follows").count()
        assert rings == len(np.unique(kinds[GAME.successor[kind, : GAME.count[kind]]]))
    press(tab, "Empty board")
    tab.locator("[data-under-test] [role=listbox]").focus()
    keys = ("ArrowRight", "ArrowUp", "ArrowRight", "End")
    layers = read_after_keys(tab, keys, "() => lab.run.marks(lab.run.lookedAt)")
    assert layers == [1, 1, 2, 2]
    press(tab, "Empty board")
    tab.locator("[data-under-test] [role=grid] .ttt-cell").nth(8).click()
    assert tab.evaluate("() => lab.texts.look") == "X........"  # the same class
    tab.evaluate("() => lab.set('look', 'XXXOO....')")
    why = tab.evaluate("() => lab.run.why(lab.run.lookedAt)")
    assert "The game is over: X wins, u = +1." in why
    log.assert_silent()


def test_cross_table_lab_selects_matches_by_click_and_arrows(lab):
    tab, log = lab("cross_table")
    cross = tab.locator("[data-under-test] [role=listbox]")
    tab.wait_for_function(
        "() => lab.view.table.side > 0"
    )  # it is drawn once it is visible
    left, side, high = tab.evaluate(
        "() => ['left', 'side', 'high'].map((name) => lab.view.table[name])"
    )
    cross.locator("svg").click(position={"x": left + 3.5 * side, "y": 1.5 * high})
    firsts, seconds = (standings.cross()[seats] for seats in ("firsts", "seconds"))
    seats = "() => String([lab.texts.first, lab.texts.second])"
    taken = f"(names) => ({seats})() === String(names)"
    tab.wait_for_function(taken, arg=[firsts[1], seconds[3]])
    cross.focus()
    tab.mouse.move(0, 0)
    for key in ("ArrowDown", "ArrowDown", "ArrowLeft", "Home", "ArrowRight", "Enter"):
        tab.keyboard.press(key)
    tab.wait_for_function(taken, arg=[firsts[3], seconds[1]])
    option = tab.locator("[data-under-test] [role=option]").inner_text()
    assert option.startswith(f"{firsts[3]} first, {seconds[1]} second: worth ")

    # By worst case the perfect player is among the first, and other rows move.
    cross_table = standings.cross()
    worst, total = map(np.array, (cross_table["worst"], cross_table["total"]))
    order = np.argsort(-worst.sum(axis=1), kind="stable")
    tab.locator("[data-under-test]").get_by_role("radio", name="worst case").check()
    assert tab.evaluate("() => lab.view.table.order.rows")[: len(total)] == [*order]
    tops = """() => lab.view.table.tiles.map(([tile]) =>
      new DOMMatrix(getComputedStyle(tile).transform).m42)"""
    assert np.argsort(tab.evaluate(tops))[: len(total)].tolist() == [*order]
    tab.evaluate("() => lab.set('first', 'perfect', { second: 'double-q-learning' })")
    said = tab.locator("[data-under-test] .ttt-given").inner_text()
    for name in "perfect", "double-q-learning":
        k = firsts.index(name)
        by_total = 1 + (total > total[k]).sum()
        by_worst = 1 + (worst.sum(axis=1) > worst[k].sum()).sum()
        assert f"number {by_total} by total, {by_worst} by worst case" in said
    log.assert_silent()


def test_cross_table_lab_describes_mistakes(lab):
    tab, _ = lab("cross_table")
    texts = {"first": "best-against-random", "second": "double-q-learning"}
    choose(tab, texts, "2")
    assert "for O a draw becomes a loss" in tab.evaluate(WORDS)
    assert "for O it is worth a draw" in tab.evaluate("() => lab.run.most()")
    choose(tab, {"first": "perfect", "second": "perfect"}, "9")
    assert tab.evaluate("() => lab.run.most()") == "Neither player gives anything away."
    assert "The game is over: a draw." in tab.evaluate(WORDS)
