"""The labs on their pages: what a reader presses, types, links to and takes away."""

import json
import re

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

from ttt_lib import board
from ttt_lib.board import tables as board_tables

# page → the labs that stand on it
PAGES = {"08_td": ["learner"], "09_q_learning": ["learner"]}
HELPERS = """() => {
  const element = document.querySelector('[data-ttt-lab]');
  const lab = element.tttLab;
  lab.pace = '0';
  window.lab = lab;
  const all = (of) => [...element.querySelectorAll(of)].map((e) => e.textContent);
  window.texts = () => all('.ttt-scores td');
  window.equation = () => all('.ttt-term b');
  window.notice = () => all('.ttt-notice')[0];
  window.faults = () => all('.ttt-fault').join('');
}"""


AXE = """async () => (await axe.run('.ttt-lab', { resultTypes: ['violations'] }))
  .violations.map((v) => v.id + ' ' + v.nodes[0].html + v.nodes[0].failureSummary)"""


@pytest.fixture
def lab(open_page):
    """Open a page whose first lab is ready: (tab, log)."""

    def lab(page="book/09_q_learning.html", **more):
        tab, log = open_page(page, rest=False, **more)
        tab.locator(".ttt-lab .ttt-cell").first.wait_for()
        tab.evaluate(HELPERS)
        return tab, log

    return lab


def number(text):
    """Return the number that a page writes."""
    return float(text.replace("−", "-"))


def press(tab, name):
    """Press a button of the first lab."""
    tab.locator(".ttt-lab").first.get_by_role("button", name=name, exact=True).click()


def run_cell(text):
    """Run a copied cell; return what its last line gives."""
    *lines, last = text.strip().split("\n")
    names = {}
    exec("\n".join(lines), names)
    return eval(last, names)


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
    ],
    ids=lambda changes: next(iter(changes.values())),
)
def test_the_copied_cell_runs_for_other_settings(changes, lab):
    tab, _ = lab()
    for name, text in changes.items():
        tab.evaluate("([name, text]) => lab.set(name, text)", [name, text])
        assert tab.evaluate("() => faults()") == ""
    tab.evaluate("() => lab.go('300')")
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


def test_back_and_start_again(lab):
    tab, _ = lab()
    marks = []
    for _ in range(7):
        press(tab, "Step")
        marks.append(tab.evaluate("() => lab.run.mark"))
    assert marks == [f"1:{frame}" for frame in range(1, 8)]
    tab.locator(".ttt-lab summary").first.click()
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
    tab.locator(".ttt-lab").first.get_by_role("radio", name="0.5").check(force=True)
    tab.locator(".ttt-names", has_text="before: ε = 0.1").first.wait_for()
    assert tab.evaluate("() => lab.texts.epsilon") == "0.5"
    tab.close()


def test_one_plays_against_what_has_been_made(lab):
    tab, log = lab()
    tab.evaluate("() => lab.go('1000')")
    tab.locator(".ttt-lab summary").first.click()
    press(tab, "Play against it")
    guest = tab.locator(".ttt-lab .ttt").first
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


@pytest.mark.parametrize(
    ("address", "word"),
    [
        ("epsilon=3", "0 and 1"),
        ("at=-5", "at=-5"),
        ("at=99999999999", "2,000,000"),
        ("at=abc", "abc"),
        ("method=magic", "magic"),
        ("opponent=nobody", "nobody"),
        ("look=XXXOOO...", "No game"),
        ("speed=9", "speed"),
        ("seed=1e30", "4,294,967,295"),
        ("rewards=a,b", "3 numbers"),
        ("method=minimax_q&rewards=3,1,-2", "minimax"),
        ("epsilon=%", "schedule"),
    ],
)
def test_an_address_that_makes_no_sense_opens_the_preset_and_says_so(
    address, word, lab
):
    tab, log = lab(f"book/09_q_learning.html#lab=learner-1&{address}")
    assert word in tab.evaluate("() => notice()")
    assert tab.evaluate("() => lab.run.mark") == "0"
    assert tab.evaluate("() => lab.texts.epsilon") == "0.1"
    log.assert_silent()
    tab.close()


def test_what_is_kept_comes_back(lab):
    tab, _ = lab()
    tab.locator(".ttt-lab summary").first.click()
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
    ],
)
def test_a_wrong_setting_is_told_beside_it_and_nothing_is_lost(name, text, word, lab):
    tab, log = lab()
    if name == "by":
        tab.evaluate("() => lab.set('differs', 'epsilon')")
    tab.evaluate("() => lab.go('50')")
    before = tab.evaluate("() => lab.state")
    tab.locator(".ttt-lab summary").first.click()
    label = tab.evaluate("(name) => lab.kind.settings[name].label", name)
    field = tab.locator(".ttt-lab").first.get_by_label(label, exact=True)
    field.fill(text)
    field.press("Enter")
    beside = field.locator("xpath=ancestor::*[@class='ttt-setting']")
    tab.wait_for_function("() => faults() !== ''")
    assert word in beside.locator(".ttt-fault").inner_text()
    assert tab.evaluate("() => lab.state") == before
    press(tab, "Step")
    assert tab.evaluate("() => lab.run.games") == 51
    log.assert_silent()
    tab.close()


ACTS = """async ({ seed, acts }) => {
  const { random } = ttt.twister.twister(seed), some = (list) =>
    list[Math.floor(random() * list.length)];
  const root = document.querySelector('.ttt-lab');
  const strange = ['', '0', '1', '-1', '0.5', '1/n', 'NaN', '1e9', '3', '1, 0, -1', '5',
    'linear:1:0:50', 'power:1:0.6', '<b>', 'self', 'random', 'perfect', 'q-learning',
    'menace', 'teacher 0.3', 'XO.......', 'XXXXXXXXX', '0x10', '\u221e'];
  lab.more.open = true;
  const done = {};
  for (let n = 0; n < acts; n++) {
    const controls = [...root.querySelectorAll('button, select, input')]
      .filter((each) => each.offsetParent && !each.closest('.ttt .ttt'));
    const one = some(controls);
    done[one.tagName] = (done[one.tagName] ?? 0) + 1;
    if (one.tagName === 'SELECT') {
      one.value = some([...one.options]).value;
      one.dispatchEvent(new Event('change'));
    } else if (one.type === 'text') {
      one.value = some(strange);
      one.dispatchEvent(new Event('change'));
    } else if (!['Fetch what was kept'].includes(one.textContent)) one.click();
    if (random() < 0.9) do await new Promise((go) => setTimeout(go)); while (lab.busy);
    if (random() < 0.2) lab.playing = false;
    for (const { learner, curve } of lab.run.pupils) {
      if (!learner.table.every(Number.isFinite)) throw Error('not finite');
      if (curve.at(-1).games > learner.games) throw Error('a curve ahead of its games');
    }
    for (const name in lab.texts) {
      if (lab.read(name, lab.texts[name]) !== lab.texts[name]) throw Error(name);
    }
    lab.run.readMark(lab.run.mark);
  }
  lab.playing = false;
  return done;
}"""


def test_whoever_presses_anything_breaks_nothing(lab):
    tab, log = lab()
    tab.evaluate("() => { navigator.clipboard.writeText = async () => {}; }")
    done = tab.evaluate(ACTS, {"seed": 11, "acts": 2000})
    assert min(done[tag] for tag in ("BUTTON", "SELECT", "INPUT")) > 100
    log.assert_silent()
    tab.close()


# --- Everybody ---------------------------------------------------------------


def test_at_first_sight_there_are_three_controls(lab):
    for page, kinds in PAGES.items():
        tab, _ = lab(f"book/{page}.html")
        labs = tab.locator(".ttt-lab")
        assert labs.count() == len(kinds)
        for one in labs.all():
            line = one.locator(":scope > .ttt-line")
            seen = line.locator("> button, > .ttt-setting").count()
            assert seen <= 3
        tab.close()


def test_keys_do_what_buttons_do(lab):
    tab, _ = lab()
    tab.locator(".ttt-lab").first.get_by_role("button", name="Step").focus()
    for key, mark in (
        ("s", "1:1"),
        ("s", "1:2"),
        ("b", "1:1"),
        ("r", "0"),
        ("b", "1:1"),
    ):
        tab.keyboard.press(key)
        tab.wait_for_function("(mark) => lab.run.mark === mark && !lab.busy", arg=mark)
    tab.evaluate("() => lab.set('to', '100')")
    tab.keyboard.press("p")
    tab.wait_for_function("() => lab.run.end && !lab.playing")
    assert tab.evaluate("() => lab.run.games") == 100
    tab.close()


@pytest.mark.parametrize(("mode", "width"), [("light", 1280), ("dark", 390)])
def test_axe_finds_no_fault_and_nothing_is_too_wide(mode, width, lab):
    tab, _ = lab(size=(width, 900))
    tab.emulate_media(color_scheme=mode)
    tab.evaluate(Axe().axe_script)
    faults = []
    states = ["0", "1:1", "1:7", "1000"]
    for mark in states:
        tab.evaluate("(mark) => lab.go(mark)", mark)
        faults += tab.evaluate(AXE)
        wide = "() => document.documentElement.scrollWidth <= innerWidth"
        assert tab.evaluate(wide), mark
    tab.evaluate("() => { lab.more.open = true; lab.set('differs', 'epsilon'); }")
    tab.evaluate("() => lab.copy(lab.run.python(), 'a cell')")
    faults += tab.evaluate(AXE)
    assert faults == []
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


def test_pages_without_a_lab_load_nothing_of_it(site):
    for page in (site / "book").glob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert ("ttt/labs.js" in text) == ("data-ttt-lab=" in text), page.name
        assert ("data-ttt-lab=" in text) == (page.stem in PAGES), page.name


def test_scripts_keep_to_their_size():
    files = board_tables.scripts()
    common = len(files["labs.js"].encode())
    each = [len(files[f"labs/{kind}.js"].encode()) for kind in board_tables.LABS]
    assert common + max(each) <= 60_000
    assert common + sum(each) <= 150_000


# --- In Python ---------------------------------------------------------------


def test_the_widget_s_learner_is_the_page_s(lab):
    tab, _ = lab()
    tab.evaluate("() => lab.set('epsilon', '1/n')")
    tab.evaluate("() => lab.go('250')")
    texts = tab.evaluate("() => lab.texts")
    page = tab.evaluate("() => [...lab.run.pupils[0].learner.table]")
    learner = board.LearnerLab("A lab", **texts, at="250").learner()
    ours = learner.Q[board_tables.tables().legal]
    assert np.allclose(page, ours, rtol=0, atol=1e-12)
    assert learner.games == 250
    tab.close()
    assert json.dumps(texts)  # all of them are texts
