"""All labs on their pages: buttons, keys, links, accessibility and printing."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from common import FRAMES, sample_params
from labs_on_pages import PAGES, press

from ttt_lib import board

AXE = Axe().axe_script

# kind → its first mark, the mark after one step, and a later one
MARKS = {
    "learner": ["0", "1:1", "1000"],
    "matchboxes": ["new", "random:1", "perfect:20,self:1000"],
    "on_off_policy": ["0", "0.01", "0.1"],
    "backup": ["start", "1:1", "end"],
    "sweeps": ["0", "1", "30"],
    "bandit": ["", "3", "044444444444444444444444444448"],
    "minimax_map": ["0", "1", "10"],
    "minimax_tree": ["0", "1", "22"],
    "cross_table": ["0", "1", "7"],
    "uct_search": ["0", "1", "1000"],
}
MORE = {  # other pictures
    "learner": "3:7",
    "matchboxes": "me:",
    "backup": "13:2",
    "bandit": "4" * 30 + ":200",
}
CLASSES = [getattr(board, name) for name in board.__all__ if name.endswith("Lab")]
CLASSES = {each.kind: each for each in CLASSES}
FAULTS = """async (options) => (await axe.run('[data-under-test] .ttt-lab',
  { resultTypes: ['violations'], ...options })).violations
  .map(({ id, nodes }) => [id, nodes[0].html, nodes[0].failureSummary])"""
NOT_TOO_WIDE = "() => document.documentElement.scrollWidth <= innerWidth"


ACTS = """async ({ seed, acts }) => {
  const { random } = ttt.mt19937.mt19937(seed), some = (list) =>
    list[Math.floor(random() * list.length)];
  const root = lab.element;
  const strange = ['', '0', '1', '-1', '0.5', '1/n', 'NaN', '1e9', '3', '1, 0, -1', '5',
    'linear:1:0:50', 'power:1:0.6', '<b>', 'self', 'random', 'perfect', 'q-learning',
    'menace', 'teacher 0.3', 'XO.......', 'XXXXXXXXX', '0x10', '\u221e', '.E|#.'];
  lab.more.open = true;
  const done = {}, states = [];
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
    } else if (!['Fetch what was kept', 'Load from a file'].includes(one.textContent)) {
      one.click();
    }
    if (random() < 0.9) do await new Promise((go) => setTimeout(go)); while (lab.busy);
    if (random() < 0.2) lab.playing = false;
    if (/undefined|\\[object/.test(root.textContent + lab.run.description())) {
      throw Error(`no sentence: ${lab.state}`);
    }
    states.push([lab.texts, lab.run.mark]);
    for (const name in lab.texts) {
      if (lab.read(name, lab.texts[name]) !== lab.texts[name]) throw Error(name);
    }
    if (lab.run.readMark(lab.run.mark) !== lab.run.mark) throw Error(lab.run.mark);
  }
  lab.playing = false;
  return [done, states];
}"""


def press_anything(tab, kind, acts):
    """Press, choose and type at random; raise if the state is invalid."""
    tab.evaluate("() => { navigator.clipboard.writeText = async () => {}; }")
    tab.evaluate("() => { window.print = () => {}; }")
    done, states = tab.evaluate(ACTS, {"seed": 11, "acts": acts})
    assert min(done.values()) > acts / 35
    assert {"BUTTON", "INPUT"} <= {*done}
    for texts, mark in states[::10]:  # the library accepts each of them
        CLASSES[kind]("A lab", **texts, at=mark)


@pytest.mark.parametrize("kind", sample_params(PAGES, 4))
def test_random_input_breaks_nothing(kind, lab):
    tab, log = lab(kind)
    press_anything(tab, kind, 100)  # `make long` has 2,000 each
    log.assert_silent()


@pytest.mark.parametrize("kind", PAGES)
def test_keys_axe_and_width_of_labs(kind, lab):
    tab, _ = lab(kind, size=(390, 900))
    line = tab.locator("[data-under-test] .ttt-lab:not(.ttt-compare) > .ttt-line")
    assert 2 <= line.locator("> button, > .ttt-setting").count() <= 3
    start, one, last = MARKS[kind]
    tab.locator("[data-under-test]").get_by_role("button", name="Step").focus()
    for key, mark in (("s", one), ("b", start), ("s", one), ("a", start), ("b", one)):
        tab.keyboard.press(key)
        tab.wait_for_function("(mark) => lab.run.mark === mark && !lab.busy", arg=mark)
    tab.keyboard.press("r")
    tab.wait_for_function("(one) => lab.run.mark !== one", arg=one)
    tab.keyboard.press("r")
    tab.wait_for_function("() => !lab.playing && !lab.looping && !lab.busy")

    tab.evaluate(AXE)
    letters = "(size) => { document.documentElement.style.fontSize = size; }"
    tab.evaluate(letters, "32px")
    for mark in (one, last):
        tab.evaluate("(mark) => lab.go(mark)", mark)
        tab.evaluate(FRAMES, 6)
        assert tab.evaluate(NOT_TOO_WIDE), mark
    tab.evaluate(letters, "")
    tab.evaluate("() => { lab.more.open = true; }")
    tab.evaluate("() => lab.copy(lab.run.python(), 'a cell')")
    tab.evaluate(FRAMES)
    assert tab.evaluate(NOT_TOO_WIDE)
    for mode, options in ("light", {}), ("dark", {"runOnly": ["color-contrast"]}):
        tab.emulate_media(color_scheme=mode)
        tab.wait_for_selector(f"html[data-theme={mode}]")
        assert tab.evaluate(FAULTS, options) == [], mode


# The height of the title, the picture and the bar, as if the bar were not sticky.
HEIGHT = """() => {
  const [title, bar] = ['.ttt-question', ':scope > .ttt-line']
    .map((part) => lab.whole.querySelector(part));
  bar.style.position = 'static';
  const height = bar.getBoundingClientRect().bottom - title.getBoundingClientRect().top;
  bar.style.position = '';
  return height;
}"""
BAR = """(ahead) => {
  scrollTo(0, scrollY + lab.whole.getBoundingClientRect().top - ahead);
  return lab.whole.querySelector(':scope > .ttt-line').getBoundingClientRect().bottom;
}"""


@pytest.mark.parametrize(("size", "room"), [((1280, 800), 744), ((390, 844), 760)])
@pytest.mark.parametrize(
    ("kind", "page"), [(kind, page) for kind, pages in PAGES.items() for page in pages]
)
def test_picture_and_bar_of_labs_fit_the_window(kind, page, size, room, lab):
    tab, _ = lab(kind, f"book/{page}.html", size=size)
    for mark in (*MARKS[kind], MORE.get(kind, MARKS[kind][0])):
        tab.evaluate("(mark) => lab.go(mark)", mark)
        tab.evaluate(FRAMES, 3)
        assert tab.evaluate(HEIGHT) <= room, mark
    for ahead in (size[1] // 2, size[1] // 4, 56):  # the lab crosses the window
        assert tab.evaluate(BAR, ahead) <= size[1] + 0.5, ahead


@pytest.mark.parametrize("kind", PAGES)
def test_labs_say_what_is_seen_from_the_start(kind, lab):
    tab, _ = lab(kind)
    told = tab.locator("[data-under-test] :is(.ttt-says, .ttt-outlook)")
    first = told.all_inner_texts()
    assert any(text.strip().endswith((".", "?")) for text in first)
    press(tab, "Step")
    assert told.all_inner_texts() != first


# kind → a mark at which the run has ended or says enough, and its answer
ANSWERS = {
    "learner": ("1000", "After 1,000 games, with one seed: it knows "),
    "matchboxes": ("perfect:20", "its first box is empty."),
    "on_off_policy": ("0.1", "at ε = 0.046, from the corners to the centre."),
    "backup": ("end", "Cell 1 is worth 1.000, cell 3 0.500, cell 8 −0.500."),
    "sweeps": ("571", "Every value is right to three decimals after "),
    "bandit": ("4" * 30 + ":200", "in the first 30 they pay "),
    "minimax_map": ("10", "X wins from 412 dots, O from 202, and 151 are draws."),
    "minimax_tree": ("22", "4 of 14 boards need not be looked at"),
    "cross_table": ("7", "there O gives away 1.000, of 1.000 that both give away"),
    "uct_search": (
        "1000",
        "right from 200 playouts on, with all 30 seeds; flat search with 14 of 30.",
    ),
}


@pytest.mark.parametrize("kind", PAGES)
def test_answer_of_run_is_shown_in_bold(kind, lab):
    tab, _ = lab(kind)
    mark, answer = ANSWERS[kind]
    if kind == "learner":
        tab.evaluate("() => lab.set('to', '1000')")
    tab.evaluate("(mark) => lab.go(mark)", mark)
    assert answer in tab.locator("[data-under-test] .ttt-notice b").inner_text()


@pytest.mark.parametrize("kind", sample_params(PAGES, 4))
def test_link_restores_state_and_print_layout(kind, lab):
    tab, _ = lab(kind)
    tab.evaluate("(mark) => lab.go(mark)", MARKS[kind][-1])
    known = "() => [lab.state, lab.run.description(), lab.run.python()]"
    link = tab.evaluate("() => lab.link")
    other, _ = lab(kind, link[link.index("book/") :])
    assert other.evaluate(known) == tab.evaluate(known)
    other.emulate_media(media="print")
    element = other.locator("[data-under-test]")
    assert element.get_by_role("button", name="Step", exact=True).is_hidden()
    assert element.locator(".ttt-question").first.is_visible()


def test_pages_without_labs_load_no_lab_scripts(site):
    with_labs = {page for pages in PAGES.values() for page in pages}
    for page in (site / "book").glob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert ("ttt/labs.js" in text) == ("data-ttt-lab=" in text), page.name
        assert ("data-ttt-lab=" in text) == (page.stem in with_labs), page.name


def test_stored_state_belongs_to_its_page(lab, open_lab):
    tab, _ = lab("learner")
    tab.evaluate("() => lab.go('7')")
    tab.evaluate("() => lab.keep()")
    tab.evaluate("() => lab.reset()")
    tab.evaluate("() => lab.fetchKept()")
    tab.wait_for_function("() => lab.run.mark === '7'")
    other, _ = open_lab("learner", "book/play.html")  # with a preset of its own
    assert other.evaluate("() => lab.id") == tab.evaluate("() => lab.id")
    other.evaluate("() => lab.fetchKept()")
    assert "Nothing has been kept here" in other.evaluate("() => notice()")
    tab.evaluate("() => localStorage.clear()")
