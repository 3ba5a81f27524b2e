"""Features of each lab: controls, and the descriptions that follow."""

import re

import numpy as np
import pytest
from common import FRAMES
from labs_on_pages import choose, number, press

from ttt_lib import board, menace
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


def numbers():
    """The positions of the first player's boxes."""
    box, _ = menace.labels(GAME)
    return np.unique(box[(GAME.to_move == 1) & (GAME.count > 1)])


def test_game_against_reader_shows_used_boxes(lab):
    tab, log = lab("matchboxes")
    cells = tab.locator("[data-under-test] [role=grid]").first.locator(".ttt-cell")
    box, kind = menace.labels(GAME)
    press(tab, "Let it begin")
    while tab.evaluate("() => Boolean(lab.run.moves)"):
        drawn, said, moves = tab.evaluate(
            "() => [lab.run.drawn, lab.run.description(), lab.run.moves]"
        )
        s = 0
        for cell in moves[:-1]:
            s = GAME.next[s, cell]
        assert (drawn["b"], drawn["cell"]) == (box[s], kind[s, moves[-1]])
        assert f"box {1 + numbers().tolist().index(box[s])} " in said
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
    used = [row[2:] for row in changes if row[0] >= 0]
    assert shown == [f"{before} → {more}" for before, more in used]
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


def test_on_off_policy_lab_jump_and_navigation(lab):
    tab, _ = lab("on_off_policy")
    tab.evaluate("() => lab.go('0.04')")
    assert "With exploration, the corners are best" in tab.evaluate(WORDS)
    press(tab, "Step")
    said = tab.evaluate(WORDS)
    assert "At ε = 0.046 the best jumped from the corners to the centre." in said
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


def test_uct_lab_plays_4x4_game_to_its_end(lab):
    tab, log = lab("uct_search")
    choose(tab, {"board": "." * 16})
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
    tab, log = lab("uct_search")
    press(tab, "Step")
    exact = tab.locator("[data-under-test] [role=grid]").nth(1)
    assert exact.locator(".ttt-number").count() == 0
    assert "Exact answer" not in tab.evaluate(WORDS)
    exact.locator(".ttt-cell").nth(2).click()
    assert exact.locator(".ttt-number").count() == 6
    assert "Your guess, cell 2, is worth −1." in tab.evaluate(WORDS)
    press(tab, "Step")  # it stays with this board
    assert exact.locator(".ttt-number").count() == 6
    tab.evaluate("() => lab.set('board', '.........')")
    assert exact.locator(".ttt-number").count() == 0
    log.assert_silent()


def test_uct_lab_compares_choice_with_exact_answer(lab):
    tab, _ = lab("uct_search")
    choose(tab, {"board": "XX..OOXO.XO....."}, "1000")
    said = tab.evaluate(WORDS)
    assert "X would take cell 3, which is right" in said
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
