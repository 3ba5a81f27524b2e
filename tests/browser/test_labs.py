"""All labs on their pages: what a reader presses, links to, hears, sees and prints."""

import pytest
from common import FRAMES, thinned
from labs_on_pages import PAGES, choose, press
from obstacles import SCRIPT as AXE

from ttt_lib.board import tables as board_tables

# kind → marks at which the lab is looked at, the first being that of its start
MARKS = {
    "learner": ["0", "1:1", "1:7", "1000"],
    "matchboxes": ["new", "random:1", "random:20,me:40", "perfect:20,self:1000"],
    "on_and_off": ["0", "0.01", "0.05", "0.1"],
    "step": ["start", "1:1", "138:2", "83:3", "end"],
    "sweeps": ["0", "1", "7:6", "30"],
    "bandit": ["", "3", "36666", "044444444444444444444444444448"],
    "whole": ["0", "1", "4", "10"],
    "tree": ["0", "1", "14", "22"],
    "everyone": ["0", "1", "4", "7"],
    "playouts": ["0", "1", "50", "1000"],
}
# Marks at which axe is asked: not the last, for that is asked once the lab is unfolded,
# which hides nothing.
ONE, ALL = slice(1, 2), slice(-1)
# kind → what holds whatever was pressed
SOUND = {
    "on_and_off": """({ solved, epsilon, end }) => solved.at(-1).epsilon === epsilon &&
      epsilon <= 0.5 && end === (epsilon === 0.5) && solved.length <= 52""",
    "step": """(run) => run.cells.every((a) => {
      const sum = run.replies(a).reduce((sum, { p, r, v }) =>
        sum + p * (r + run.gamma * (v ?? 0)), 0), q = run.q(a);
      return Math.abs(sum - q) <= 1e-9 * (1 + Math.abs(q));
    })""",
    "matchboxes": """({ boxes, parts, list, games, trained }) => list.length === 304 &&
      boxes.beads.every((n) => Number.isInteger(n) && n >= 0) && trained <= 100000 &&
      games === trained + parts.filter(({ who }) => who === 'me').length""",
    "bandit": """(run) => run.t === run.mark.length && run.t <= run.games &&
      [run.own, ...run.others].every(({ regret, bandit }) =>
        regret.every((paid) => paid >= 0) && bandit.Q.every(Number.isFinite))""",
    "whole": """({ done, layers, u }) => done <= 10 &&
      u.every((x) => Math.abs(x) <= 1) &&
      layers.reduce((sum, { length }) => sum + length, 0) === 765""",
    "playouts": """(run) => run.texts.board.length === run.size.cells &&
      run.visits.reduce((sum, n) => sum + n, 0) === run.done &&
      run.means.every((mean) => mean === null || Math.abs(mean) <= 1)""",
    "everyone": """({ done, moves, ends: [win, draw, loss], ...run }) =>
      done <= moves.length && Math.abs(win + draw + loss - 1) < 1e-9 &&
      run.lost.every((gift) => gift >= 0)""",
    "tree": """(run) => run.at <= run.steps.length &&
      run.now().looked + run.now().cut <= run.tree.length""",
    "sweeps": """(run) => [...run.values()].every(Number.isFinite) &&
      run.history.length === run.sweeper.sweeps + 1""",
    "learner": """({ pupils }) => pupils.every(({ learner, curve }) =>
      learner.table.every(Number.isFinite) && curve.at(-1).games <= learner.games)""",
}
KINDS = [*PAGES]
FAULTS = "(options) => obstacles('[data-under-test] .ttt-lab', options)"
LOOKS = {"light": {}, "dark": {"runOnly": ["color-contrast"]}}  # the rest is as it was
# Tables of which a row has more or fewer cells than the others.
RAGGED = """() => {
  const width = (row) => [...row.cells].reduce((sum, { colSpan }) => sum + colSpan, 0);
  const tables = [...document.querySelectorAll('[data-under-test] table')];
  return tables.filter((table) => !table.querySelector('[rowspan]') &&
    new Set([...table.rows].map(width)).size > 1).map((table) => table.innerText);
}"""
NOT_TOO_WIDE = "() => document.documentElement.scrollWidth <= innerWidth"


@pytest.fixture
def lab(open_lab):
    """Open the last page on which a kind of lab stands: (tab, log)."""
    return lambda kind, **more: open_lab(kind, f"book/{PAGES[kind][-1]}.html", **more)


ACTS = """async ({ seed, acts, sound }) => {
  const { random } = ttt.twister.twister(seed), some = (list) =>
    list[Math.floor(random() * list.length)];
  const root = lab.element;
  const strange = ['', '0', '1', '-1', '0.5', '1/n', 'NaN', '1e9', '3', '1, 0, -1', '5',
    'linear:1:0:50', 'power:1:0.6', '<b>', 'self', 'random', 'perfect', 'q-learning',
    'menace', 'teacher 0.3', 'XO.......', 'XXXXXXXXX', '0x10', '\u221e', '.E|#.'];
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
    if (/undefined|\\[object/.test(root.textContent + lab.run.words())) {
      throw Error(`no sentence: ${lab.state}`);
    }
    if (!sound(lab.run)) throw Error(`impossible: ${lab.state}`);
    for (const name in lab.texts) {
      if (lab.read(name, lab.texts[name]) !== lab.texts[name]) throw Error(name);
    }
    if (lab.run.readMark(lab.run.mark) !== lab.run.mark) throw Error(lab.run.mark);
  }
  lab.playing = false;
  return done;
}"""


def press_anything(tab, kind, acts):
    """Press, choose and type at random; raise where that leads to nonsense."""
    tab.evaluate("() => { navigator.clipboard.writeText = async () => {}; }")
    tab.evaluate("() => { window.print = () => {}; }")
    code = ACTS.replace("sound }", f"sound = {SOUND[kind]} }}")
    done = tab.evaluate(code, {"seed": 11, "acts": acts})
    assert min(done.values()) > acts / 35
    assert {"BUTTON", "INPUT"} <= {*done}


@pytest.mark.parametrize("kind", KINDS)
def test_whoever_presses_anything_breaks_nothing(kind, lab):
    tab, log = lab(kind)
    press_anything(tab, kind, 1000 // len(KINDS))  # and 2,000 each by `make long`
    log.assert_silent()
    tab.close()


def few_at_first_sight(tab):
    """Return whether a lab has three controls, or two, before it is unfolded."""
    line = tab.locator("[data-under-test] .ttt-lab > .ttt-line")
    return 2 <= line.locator("> button, > .ttt-setting").count() <= 3


OTHER = [(kind, page) for kind, pages in PAGES.items() for page in pages[:-1]]


@pytest.mark.parametrize(("kind", "page"), OTHER)
def test_on_other_pages_too_there_are_three_controls(kind, page, open_lab):
    assert few_at_first_sight(open_lab(kind, f"book/{page}.html")[0])


@pytest.mark.parametrize("kind", KINDS)
def test_there_are_three_controls_and_keys_do_what_buttons_do(kind, lab):
    tab, _ = lab(kind)
    assert few_at_first_sight(tab)
    start, one = MARKS[kind][:2]
    tab.locator("[data-under-test]").get_by_role("button", name="Step").focus()
    for key, mark in (("s", one), ("b", start), ("s", one), ("r", start), ("b", one)):
        tab.keyboard.press(key)
        tab.wait_for_function("(mark) => lab.run.mark === mark && !lab.busy", arg=mark)
    tab.keyboard.press("p")
    tab.wait_for_function("(one) => lab.run.mark !== one", arg=one)
    tab.evaluate("() => { lab.playing = false; }")
    tab.close()


@pytest.mark.parametrize("kind", KINDS)
def test_a_link_leads_to_the_same_state_and_paper_shows_it(kind, lab, open_lab):
    tab, _ = lab(kind)
    tab.evaluate("(mark) => lab.go(mark)", MARKS[kind][-1])
    tab.evaluate("() => lab.stop()")
    link = tab.evaluate("() => lab.link")
    known = tab.evaluate("() => [lab.state, lab.run.words(), lab.run.python()]")
    tab.close()
    other, _ = open_lab(kind, link[link.index("book/") :])
    assert (
        other.evaluate("() => [lab.state, lab.run.words(), lab.run.python()]") == known
    )

    room = "() => lab.element.getBoundingClientRect().height"
    before = other.evaluate(room)
    other.emulate_media(forced_colors="active")
    assert abs(other.evaluate(room) - before) < 20
    other.emulate_media(media="print", forced_colors="none")
    element = other.locator("[data-under-test]")
    assert element.get_by_role("button", name="Step", exact=True).is_hidden()
    assert element.locator(".ttt-question").is_visible()
    assert element.locator(".ttt-more").is_hidden()
    other.close()


@pytest.mark.parametrize("closely", [ONE, pytest.param(ALL, marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", KINDS)
def test_axe_finds_no_fault_and_nothing_is_too_wide(kind, closely, lab):
    tab, _ = lab(kind)
    tab.evaluate(AXE)
    faults = []

    def look(state, at=(390, 1280)):
        for width in (1280, 390):
            tab.set_viewport_size({"width": width, "height": 900})
            tab.evaluate(FRAMES)
            assert tab.evaluate(NOT_TOO_WIDE), (state, width)
            assert tab.evaluate(RAGGED) == [], state
            for mode, options in LOOKS.items() if width in at else ():
                tab.emulate_media(color_scheme=mode)
                tab.wait_for_selector(f"html[data-theme={mode}]")
                found = tab.evaluate(FAULTS, options)
                faults.extend((state, width, mode, fault) for fault in found)

    for mark in MARKS[kind]:
        tab.evaluate("(mark) => lab.go(mark)", mark)
        look(mark, at=(390,) if mark in MARKS[kind][closely] else ())
    tab.evaluate("() => { lab.more.open = true; }")
    tab.evaluate("() => lab.copy(lab.run.python(), 'a cell')")
    look("unfolded")
    assert faults == []
    tab.close()


def test_pages_without_a_lab_load_nothing_of_it(site):
    with_labs = {page for pages in PAGES.values() for page in pages}
    for page in (site / "book").glob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert ("ttt/labs.js" in text) == ("data-ttt-lab=" in text), page.name
        assert ("data-ttt-lab=" in text) == (page.stem in with_labs), page.name


def test_scripts_keep_to_their_size(site):
    folder = site / "_static/ttt"
    common = (folder / "labs.js").stat().st_size
    rooms = {file.stem: file.stat().st_size for file in (folder / "labs").glob("*.js")}
    assert {*rooms} == {*board_tables.rooms(board_tables.LABS)}
    for kind in board_tables.LABS:
        assert sum(map(rooms.get, board_tables.rooms([kind]))) <= 60_000 - common, kind
    later = {"cross", "everyone", "uct", "playouts"}  # came with chapters 10 and 11
    first = sum(size for name, size in rooms.items() if name not in later)
    assert common + first <= 150_000  # of all pages, each fetched once
    assert sum(map(rooms.get, later)) <= 35_000


def test_a_short_pause_leaves_one_play_going(lab):
    tab, _ = lab("sweeps")
    tab.evaluate(
        """() => {
          window.played = 0;
          const playOn = lab.playOn;
          lab.playOn = () => { played += 1; return playOn.call(lab); };
          lab.pace = '600';
          for (let n = 0; n < 3; n++) lab.play(); // play, pause, play
        }"""
    )
    assert tab.evaluate("() => [played, lab.playing]") == [1, True]
    tab.evaluate("() => lab.play()")
    tab.wait_for_function("() => !lab.looping")
    tab.evaluate("() => { lab.play(); }")
    assert tab.evaluate("() => [played, lab.playing]") == [2, True]
    tab.close()


def test_what_is_kept_belongs_to_its_page(lab, open_lab):
    tab, _ = lab("learner")
    tab.evaluate("() => lab.go('7')")
    tab.evaluate("() => lab.keep()")
    tab.evaluate("() => lab.reset()")
    tab.evaluate("() => lab.fetchKept()")
    tab.wait_for_function("() => lab.run.mark === '7'")
    other, _ = open_lab("learner", "book/08_td.html")  # with a preset of its own
    assert other.evaluate("() => lab.id") == tab.evaluate("() => lab.id")
    other.evaluate("() => lab.fetchKept()")
    assert "Nothing has been kept here" in other.evaluate("() => notice()")
    other.close()
    tab.evaluate("() => localStorage.clear()")
    tab.close()


def test_nothing_to_go_back_to(lab):
    tab, _ = lab("learner")
    tab.locator("[data-under-test] summary").first.click()
    tab.evaluate("() => lab.back()")
    assert "nothing to go back to" in tab.evaluate("() => notice()")
    press(tab, "Step")
    assert tab.evaluate("() => notice()") == ""
    tab.close()


# kind → settings in which p4, which was taught to move first only, plays second
UNTAUGHT = {
    "step": {"opponent": "p4", "look": "........."},
    "sweeps": {"problem": "game", "opponent": "p4", "side": "1"},
    "on_and_off": {"opponent": "p4", "side": "1"},
    "learner": {"opponent": "p4", "side": "1"},
}


@pytest.mark.parametrize("kind", thinned(UNTAUGHT, 2))
def test_a_lab_says_who_plays_a_side_that_it_was_not_taught(kind, lab):
    tab, _ = lab(kind)
    told = "p4 was taught to move first only"
    texts = UNTAUGHT[kind]
    choose(tab, texts)
    assert tab.evaluate("() => notice()").count(told) == 1
    press(tab, "Step")
    assert told in tab.evaluate("() => notice()")
    other = {"look": "X........"} if kind == "step" else {"side": "-1"}
    choose(tab, other)
    assert told not in tab.evaluate("() => notice()")
    tab.close()


# Where the bar ends as its lab moves down the window, and where the lab ends.
STICKS = """() => {
  const frame = document.querySelector('[data-under-test] .ttt-lab');
  const bar = frame.querySelector(':scope > .ttt-line');
  frame.scrollIntoView();
  const ends = [0, 60, 60].map((by) => {
    scrollBy(0, -by);
    return bar.getBoundingClientRect().bottom;
  });
  return [ends, frame.getBoundingClientRect().bottom];
}"""


@pytest.mark.parametrize("kind", thinned(KINDS, 2))
def test_the_bar_sticks_while_the_lab_crosses_the_lower_edge(kind, lab):
    tab, _ = lab(kind)
    tab.set_viewport_size({"width": 1280, "height": 420})
    ends, below = tab.evaluate(STICKS)
    assert below > 430, "the lab reaches below the window"
    assert max(ends) <= 421
    tab.close()


# What stands outside of its tile, or of the frame where nothing scrolls.
OUTSIDE = """(selector) => {
  const frame = document.querySelector(selector);
  const texts = document.createTreeWalker(frame, NodeFilter.SHOW_TEXT), out = [];
  const range = document.createRange();
  while (texts.nextNode()) {
    const text = texts.currentNode, tile = text.parentElement.closest('.ttt-cell');
    if (!tile || !text.parentElement.checkVisibility() ||
      text.parentElement.closest('.ttt-hidden, .ttt-name')) continue;
    range.selectNodeContents(text);
    const inner = range.getBoundingClientRect(), outer = tile.getBoundingClientRect();
    if (inner.width && (inner.right > outer.right + 1 || inner.left < outer.left - 1 ||
      inner.bottom > outer.bottom + 1 || inner.top < outer.top - 1)) {
      out.push(text.data);
    }
  }
  return out;
}"""


@pytest.mark.parametrize("kind", thinned(KINDS, 2))
def test_large_letters_stay_inside_their_tiles_and_the_page(kind, lab):
    tab, _ = lab(kind)
    tab.evaluate("(mark) => lab.go(mark)", MARKS[kind][-1])
    for width in (1280, 390):
        tab.set_viewport_size({"width": width, "height": 900})
        for size in (24, 32):
            tab.evaluate(f"document.documentElement.style.fontSize = '{size}px'")
            tab.evaluate(FRAMES)
            found = tab.evaluate(OUTSIDE, "[data-under-test] .ttt-lab")
            assert found == [], (width, size)
            assert tab.evaluate(NOT_TOO_WIDE), (width, size)
    tab.close()


def test_large_letters_of_chances_stay_inside_the_tiles_of_a_board(open_page):
    tab, _ = open_page("book/02_mdp.html", rest=False, size=(390, 800))
    tab.locator(".ttt-three").first.wait_for()
    for size in (24, 32):
        tab.evaluate(f"document.documentElement.style.fontSize = '{size}px'")
        assert tab.evaluate(OUTSIDE, "[data-ttt-board]") == [], size
