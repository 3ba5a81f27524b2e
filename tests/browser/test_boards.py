"""The playable boards of the site, as a reader plays them: without Python."""

import html
import json
import re

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from common import thinned
from pages import PAGES, address

from ttt_lib import board, evaluation, policy, runs, search
from ttt_lib.agents import io
from ttt_lib.board import league
from ttt_lib.board import tables as board_tables
from ttt_lib.game import tables

# The pages in whose source a board stands.
WITH_BOARD = [
    address(page)
    for page in PAGES
    if re.search(r"\{board\}|data-ttt-board", page.read_text("utf-8"))
]
with_board = pytest.mark.parametrize("page", thinned(WITH_BOARD, 4))
both_sizes = pytest.mark.parametrize(
    "size", [(1280, 800), (390, 844)], ids=["wide", "narrow"]
)
GAME = tables()
BOARD = ".ttt:not(.ttt-lab)"  # labs are made of the same parts

# What the tests do many times is done inside the page, by the clicks of a reader.
HELPERS = """() => {
  const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
  const root = () => document.querySelector('.ttt:not(.ttt-lab)');
  const cells = () => [...root().querySelectorAll('.ttt-cell')];
  const free = () => cells().filter((c) => c.getAttribute('aria-disabled') === 'false');
  const status = () => root().querySelector('.ttt-status');
  const busy = () => status().ariaBusy === 'true';  // then the old words still stand
  const says = () => busy() ? '' : status().textContent.trim();
  const words = () => root().querySelector('.ttt-words').textContent;
  const press = (name) => [...root().querySelectorAll('button')]
    .find((b) => b.textContent === name).click();
  const choose = (label, value) => {
    const select = [...root().querySelectorAll('label')]
      .find((l) => l.firstChild.textContent === label).querySelector('select');
    select.value = value;
    select.dispatchEvent(new Event('change'));
  };
  const show = (overlay) =>
    root().querySelector(`.ttt-chips input[value=${overlay}]`).click();
  const over = () => /wins?[.]|draw[.]/.test(says());  // not a move that is drawn
  const mine = () => says().includes('Your move');
  const ready = async () => {
    do await sleep(1); while (says().startsWith('One moment'));
  };
  const turn = async () => { while (!over() && !mine()) await sleep(1); };
  const setUp = (text) => {
    press('Set up a position');
    const field = root().querySelector('.ttt-text');
    field.value = text;
    field.dispatchEvent(new Event('input'));
    press('Play from here');
  };
  window.play = { sleep, root, cells, free, says, words, press, choose, show, over,
    ready, turn, setUp };
}"""


@pytest.fixture
def play(open_page):
    """Open a page with a board that is ready: (tab, log)."""

    def play(page="book/before.html", origin="file", **more):
        tab, log = open_page(page, origin, rest=False, **more)
        tab.locator(f"{BOARD} .ttt-cell").first.wait_for()
        tab.evaluate(HELPERS)
        tab.evaluate("() => play.ready()")
        return tab, log

    return play


def game_by(tab, move):
    """Play the first board of a page to the end; `move(cell)` makes a move."""
    ttt = tab.locator(BOARD).first
    status = ttt.locator(".ttt-status")
    if ttt.get_by_role("button", name="Next move").is_visible():  # two agents
        ttt.get_by_label("X is played by").select_option("person")
    for _ in range(9):
        tab.wait_for_function(
            "() => /wins?[.]|draw[.]|Your move|[XO] to move/.test(play.says())"
        )
        if re.search(r"wins?\.|draw\.", status.inner_text()):
            return status.inner_text()
        move(ttt.locator(".ttt-cell[aria-disabled=false]").first)
    return status.inner_text()


# --- Every page with a board -------------------------------------------------


def test_there_are_boards():
    assert {"book/index.html", "book/play.html"} <= set(WITH_BOARD)


@with_board
def test_a_game_by_mouse_from_a_file(page, play):
    tab, log = play(page)
    said = game_by(tab, lambda cell: cell.click())
    assert re.search(r"win|draw", said)
    log.assert_silent()
    tab.close()


@with_board
def test_a_game_by_keyboard_from_a_server(page, play):
    tab, log = play(page, "http")

    def by_keyboard(cell):
        goal = int(cell.locator(".ttt-name").inner_text())
        tab.locator(f"{BOARD} .ttt-cell[tabindex='0']").first.focus()
        at = tab.evaluate("() => play.cells().indexOf(document.activeElement)")
        for key, steps in (
            ("ArrowDown", goal // 3 - at // 3),
            ("ArrowUp", at // 3 - goal // 3),
            ("ArrowRight", goal % 3 - at % 3),
            ("ArrowLeft", at % 3 - goal % 3),
        ):
            for _ in range(steps):
                tab.keyboard.press(key)
        tab.keyboard.press("Space" if goal % 2 else "Enter")

    said = game_by(tab, by_keyboard)
    assert re.search(r"win|draw", said)
    log.assert_silent()
    tab.close()


@both_sizes
def test_the_first_board_is_on_the_first_screen(size, play):
    tab, _ = play("book/index.html", size=size)
    box = tab.locator(".ttt-grid").first.bounding_box()
    assert box["y"] > 0
    assert box["y"] + box["height"] <= size[1]
    tab.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 6)
    tab.wait_for_function("() => play.says().includes('(O): cell 1')")
    tab.close()


# --- Agents ------------------------------------------------------------------


@pytest.mark.parametrize("mark", ["X", "O"])
def test_nobody_beats_the_perfect_agent(mark, play):
    tab, log = play()
    score = tab.evaluate(
        """async (mark) => {
          play.choose('You are', mark);
          play.choose('First move', 'lot');
          await play.turn();
          play.choose('Opponent', 'perfect');
          await play.ready();
          for (let game = 0; game < 100; game++) {
            play.press('New game');
            await play.turn();
            while (!play.over()) {
              const free = play.free();
              free[Math.floor(Math.random() * free.length)].click();
              await play.turn();
            }
          }
          return play.root().querySelector('.ttt-score').textContent;
        }""",
        mark,
    )
    x, draws, o = map(int, re.findall(r"\d+", score))
    mine, theirs = (x, o) if mark == "X" else (o, x)
    assert (mine, mine + draws + theirs) == (0, 100)
    assert theirs > 0
    log.assert_silent()
    tab.close()


def test_the_random_agent_can_be_beaten(play):
    tab, _ = play()
    score = tab.evaluate(
        """async () => {
          for (let game = 0; game < 10; game++) {
            play.press('New game');
            await play.turn();
            while (!play.over()) { play.free()[0].click(); await play.turn(); }
          }
          return play.root().querySelector('.ttt-score').textContent;
        }"""
    )
    assert int(re.search(r"\d+", score).group()) > 0
    tab.close()


@pytest.mark.parametrize("origin", ["file", "http"])
def test_every_agent_that_comes_with_the_book_plays(origin, play):
    tab, log = play(origin=origin)
    names = tab.evaluate(
        "() => [...play.root().querySelector('select').options].map(o => o.value)"
    )
    assert set(names) == {"person", *board_tables.names()}
    played = tab.evaluate(
        """async (names) => {
          const told = {};
          for (const name of names) {
            play.choose('Opponent', name);
            await play.ready();
            play.press('New game');
            play.cells()[4].click();
            await play.turn();
            told[name] = play.says();
          }
          return told;
        }""",
        [name for name in names if name != "person"],
    )
    for name, told in played.items():
        assert re.search(r"\(O\): cell \d", told), (name, told)
    log.assert_silent()
    tab.close()


def test_a_perfect_agent_says_that_its_moves_are_greedy_and_a_teacher_errs(play):
    tab, _ = play("book/play.html")
    told = tab.evaluate(
        """async () => {
          const how = {};
          let drawn = 1;  // the same luck each time: a teacher may not err in 60 games
          Math.random = () => (drawn = drawn * 16807 % 2147483647) / 2147483647;
          for (const name of ['perfect', 'teacher', 'random']) {
            play.choose('X is played by', 'person');
            play.choose('O is played by', name);
            await play.ready();
            play.choose('X is played by', 'random');
            await play.ready();
            how[name] = '';
            for (let n = 0; n < 60; n++) {
              play.press('New game');
              play.press('Next move');
              play.press('Next move');
              how[name] += play.says();
            }
          }
          return how;
        }"""
    )
    assert "exploratory" not in told["perfect"]
    assert "(O): cell" in told["perfect"]
    assert "greedy" in told["perfect"]
    assert "exploratory" in told["teacher"]
    assert "greedy" not in told["random"]
    tab.close()


def test_an_agent_s_moves_have_its_probabilities(play):
    tab, _ = play("book/play.html")
    counts = tab.evaluate(
        """async () => {
          play.choose('X is played by', 'best-against-random');
          play.choose('O is played by', 'random');
          await play.ready();
          const counts = Array(9).fill(0);
          for (let n = 0; n < 300; n++) {
            play.press('New game');
            play.press('Next move');
            play.press('Next move');
            counts[Number(play.says().match(/cell (\\d)/)[1])]++;
          }
          return counts;
        }"""
    )
    # The first player opens in one cell; each other is random's answer one time in 8.
    assert sorted(counts)[0] == 0
    assert all(8 < n < 67 for n in sorted(counts)[1:])  # five standard deviations
    tab.close()


# --- Numbers -----------------------------------------------------------------


def expected(overlay, agent):
    """Return what the library says of every move: (S, A) or (S, A, 3), and how."""
    random = policy.uniform(GAME.legal)
    if overlay == "value":
        return search.solve(GAME).Q, "{:+.0f}"
    if overlay == "policy":
        return agent.policy, "{:.3f}"
    if overlay == "agent":
        return agent.Q, "{:.3f}"
    best = io.read_builtin("best-against-random").policy
    first, second = (best, best) if overlay == "best" else (random, random)
    as_first = evaluation.win_draw_loss(GAME, first, random)
    as_second = evaluation.win_draw_loss(GAME, random, second)[:, ::-1]
    side = GAME.to_move[:, np.newaxis, np.newaxis]
    return np.where(side == 1, as_first[GAME.next], as_second[GAME.next]), "{:.3f}"


def test_the_cells_show_the_numbers(play):
    # Those of all positions are compared in test_scripts.py.
    agent = io.read_builtin("q-learning")
    tab, log = play("book/play.html")
    chosen = np.random.default_rng(8).choice(np.flatnonzero(~GAME.terminal), 3, False)
    positions = [0, *chosen.tolist()]
    overlays = ["value", "best", "random", "agent", "policy"]
    shown = tab.evaluate(
        """async ([texts, overlays]) => {
          play.choose('X is played by', 'q-learning');
          await play.ready();
          play.choose('O is played by', 'q-learning');
          await play.ready();
          const seen = [];
          for (const text of texts) {
            play.setUp(text);
            for (const overlay of overlays) {
              play.show(overlay);
              seen.push(play.cells().map((c) =>
                [...c.querySelectorAll('b')].map((b) => b.textContent)));
            }
          }
          return seen;
        }""",
        [[GAME.string(s) for s in positions], overlays],
    )
    rows = iter(shown)
    for s in positions:
        for overlay in overlays:
            values, form = expected(overlay, agent)
            for cell, numbers in enumerate(next(rows)):
                if not GAME.legal[s, cell]:
                    assert numbers == []
                    continue
                right = [
                    form.format(x).replace("-", "−").replace("−0.000", "0.000")
                    for x in np.atleast_1d(values[s, cell])
                ]
                right = [{"+0": "0", "−0": "0"}.get(text, text) for text in right]
                assert numbers == right, (GAME.string(s), overlay, cell)
    log.assert_silent()
    tab.close()


def test_the_sentence_says_what_the_numbers_are(play):
    tab, _ = play()
    sentences = tab.evaluate(
        """(overlays) => overlays.map((overlay) => {
          play.show(overlay);
          return play.root().querySelector('.ttt-legend p')?.textContent ?? '';
        })""",
        board.OVERLAYS,
    )
    assert sentences[0] == ""
    assert len(set(sentences)) == len(board.OVERLAYS)
    assert all(sentence.endswith(".") for sentence in sentences[1:])
    tab.close()


def test_a_match_of_agents_stands_beside_its_exact_probabilities(play):
    tab, _ = play("book/play.html")
    tab.evaluate(
        """async () => {
          play.choose('X is played by', 'random');
          await play.ready();
          play.choose('O is played by', 'random');
          await play.ready();
          for (let n = 0; n < 4; n++) play.press('Play 100 games');
        }"""
    )
    rows = tab.locator(".ttt-match").first.locator("tr").all_inner_texts()[1:]
    exact = [
        f"{p:.3f}"
        for p in evaluation.win_draw_loss(
            GAME, policy.uniform(GAME.legal), policy.uniform(GAME.legal)
        )[0]
    ]
    assert [row.split("\t")[-1] for row in rows] == exact
    games = [int(row.split("\t")[1]) for row in rows]
    assert sum(games) == 400
    assert 180 < games[0] < 290
    tab.close()


def test_a_match_is_compared_with_the_position_it_began_at(play):
    tab, _ = play("book/play.html")

    def match(*buttons):
        """Press buttons; return (games, share, interval, exact) of each end."""
        for button in buttons:
            tab.evaluate("button => play.press(button)", button)
        rows = tab.locator(".ttt-match").first.locator("tr").all_inner_texts()[1:]
        return [row.split("\t")[1:] for row in rows]

    tab.evaluate(
        """async () => {
          play.choose('X is played by', 'random');
          await play.ready();
          play.choose('O is played by', 'random');
          await play.ready();
        }"""
    )
    exact = evaluation.win_draw_loss(GAME, *[policy.uniform(GAME.legal)] * 2)
    before = match("Play 100 games", "Play 100 games")
    after = match("Next move")
    text = tab.locator(".ttt-text").first.input_value()
    assert [row[1:3] for row in after] == [["–", "–"]] * 3
    assert [p for *_, p in after] == [f"{p:.3f}" for p in exact[GAME.find(text)]]
    assert sum(int(games) for games, *_ in match("Play 100 games")) == 100
    assert match("Undo") == before
    assert sum(int(games) for games, *_ in before) == 200
    tab.close()


# --- The arena ---------------------------------------------------------------

SEATS = """async (seats) => {
  for (const [mark, name] of Object.entries(seats)) {
    const card = [...play.root().querySelectorAll('.ttt-seats button')]
      .find((b) => b.ariaLabel === `${name} as ${mark}`);
    card.click();
    await play.ready();
  }
}"""
PRESSED = """() => [...play.root().querySelectorAll('.ttt-seats [aria-pressed=true]')]
  .map((b) => b.ariaLabel)"""


def table(tab):
    """Return the numbers of the match: (games, share, interval, exact) of each end."""
    rows = tab.locator(".ttt-match").first.locator("tbody tr").all_inner_texts()
    return [row.split("\t")[1:] for row in rows]


def test_cards_say_what_the_library_computes_and_seat_everybody(play):
    tab, log = play("book/play.html")
    told = tab.evaluate(
        """() => Object.fromEntries([...play.root().querySelectorAll('.ttt-card')]
          .map((card) => [card.querySelector('b').textContent,
            [...card.querySelectorAll('tr')].slice(1).map((row) =>
              [...row.querySelectorAll('td')].map((cell) => cell.textContent))]))"""
    )
    entries = board_tables.entries()
    labels = {entry["name"]: entry.get("label", entry["name"]) for entry in entries}

    def cells(loses, row):  # that of a side not taught reaches over both rows
        numbers = [
            lost and (f"{lost[row]:.3f}" if lost[row] > 1e-9 else "never")
            for lost in loses
        ]
        return [text or "not taught" for text in numbers if text or row == 0]

    right = {
        labels[name]: [cells(card["loses"], row) for row in (0, 1)]
        for name, card in league.cards(entries).items()
    }
    assert list(told.items()) == list(right.items())
    assert told["p4"][0][1] == told["p1"][0][0] == "not taught"
    for name, label in labels.items():
        tab.evaluate(SEATS, {"X": label})
        assert {*tab.evaluate(PRESSED)} == {f"{label} as X", "perfect as O"}
        tab.evaluate("() => { play.press('New game'); play.press('Next move'); }")
        assert re.search(r"\(X\): cell \d", tab.evaluate("() => play.says()")), name
    log.assert_silent()
    tab.close()


def test_a_card_is_pressed_by_keyboard_and_keeps_the_focus(play):
    tab, _ = play("book/play.html")
    tab.locator(".ttt-league summary").first.focus()
    tab.keyboard.press("Enter")
    tab.get_by_role("button", name="p4 as X", exact=True).first.focus()
    top = "document.activeElement.getBoundingClientRect().top"
    before = tab.evaluate(top)
    tab.keyboard.press("Enter")
    tab.evaluate("() => play.ready()")
    assert tab.evaluate("() => document.activeElement.ariaLabel") == "p4 as X"
    tab.wait_for_function(f"y => Math.abs({top} - y) < 2", arg=before)
    assert {*tab.evaluate(PRESSED)} == {"p4 as X", "perfect as O"}
    assert tab.get_by_label("X is played by").first.input_value() == "p4"
    tab.close()


def test_a_match_says_whether_its_intervals_hold_the_exact_values(play):
    tab, _ = play("book/play.html")
    tab.evaluate(SEATS, {"X": "random", "O": "random"})
    assert [row[1:3] for row in table(tab)] == [["–", "–"]] * 3
    tab.evaluate("() => play.press('Play 100 games')")  # motion is reduced: at once
    exact = evaluation.win_draw_loss(GAME, *[policy.uniform(GAME.legal)] * 2)[0]
    rows = table(tab)
    assert sum(int(games) for games, *_ in rows) == 100
    outside = []
    for (games, share, interval, p), right, name in zip(
        rows, exact, ("X wins", "Draws", "O wins"), strict=True
    ):
        low, high = runs.wilson_interval(int(games), 100)
        assert share == f"{int(games) / 100:.3f}"
        assert interval == f"{low:.3f}–{high:.3f}".replace("-0.000", "0.000")
        assert p == f"{right:.3f}"
        outside += [] if low <= right <= high else [name]
    verdict = tab.locator(".ttt-verdict").first.inner_text()
    assert ("All three intervals hold" in verdict) == (not outside)
    assert all(f"of {name}" in verdict or f"and {name}" in verdict for name in outside)
    bars = tab.evaluate(
        """() => [...play.root().querySelectorAll('.ttt-track')].map((track) => {
          const all = track.getBoundingClientRect();
          const at = (part, side) => (track.querySelector(part)
            .getBoundingClientRect()[side] - all.left) / all.width;
          const line = at('.ttt-exact', 'left') + at('.ttt-exact', 'right');
          return [at('.ttt-fill', 'right'), at('.ttt-band', 'left'),
            at('.ttt-band', 'right'), line / 2];
        })"""
    )
    for (games, *_), right, bar in zip(rows, exact, bars, strict=True):
        low, high = runs.wilson_interval(int(games), 100)
        assert bar == pytest.approx([int(games) / 100, low, high, right], abs=0.005)
    tab.close()


def test_a_match_that_runs_can_be_paused_and_nothing_that_is_pressed_breaks_it(play):
    tab, log = play("book/play.html")
    tab.emulate_media(reduced_motion="no-preference")
    tab.evaluate(SEATS, {"X": "random", "O": "p2"})
    press = "name => play.press(name)"
    games = "play.root().querySelectorAll('.ttt-match tbody td:nth-child(2)')"
    played = f"[...{games}].reduce((sum, e) => sum + Number(e.textContent), 0)"
    paused = tab.evaluate(
        f"""async () => {{
          play.press('Play 100 games');
          while ({played} < 10) await play.sleep(1);
          play.press('Pause');
          const before = {played};
          await play.sleep(80);
          const told = play.root().querySelector('.ttt-verdict').textContent;
          return [before, {played}, told];
        }}"""
    )
    assert paused[0] == paused[1] < 100
    assert paused[2] == ""
    tab.evaluate(press, "Go on")
    tab.wait_for_function(f"() => {played} === 100")
    assert tab.evaluate("() => play.root().querySelector('.ttt-verdict').textContent")
    # Where another position is shown the match stops, and it waits for who comes back.
    stopped = tab.evaluate(
        f"""async () => {{
          play.press('Play 100 games');
          play.press('Next move');
          await play.sleep(80);
          const other = {played};
          play.press('Undo');
          const back = {played};
          play.press('Go on');
          return [other, back];
        }}"""
    )
    assert stopped == [0, 102]
    tab.evaluate(
        """async () => {
          for (const button of play.root().querySelectorAll('button')) {
            button.click();
            const match = [...play.root().querySelectorAll('button')]
              .find((b) => ['Play 100 games', 'Go on'].includes(b.textContent));
            match?.click();
          }
          await play.ready();
        }"""
    )
    tab.evaluate(SEATS, {"X": "perfect", "O": "p6"})
    tab.evaluate("() => { play.setUp('.........'); play.press('Play 100 games'); }")
    tab.wait_for_function(f"() => {played} === 100")
    log.assert_silent()
    tab.close()


def test_axe_finds_no_fault_in_the_arena(play):
    tab, _ = play("book/play.html")
    tab.evaluate(Axe().axe_script)
    tab.locator(".ttt-league summary").first.click()
    tab.evaluate(SEATS, {"X": "menace", "O": "random"})
    tab.evaluate("() => play.press('Play 100 games')")
    inside = "() => document.documentElement.scrollWidth <= innerWidth"
    # Colours do not depend on the width: each mode is looked at once.
    for width, mode in ((1280, "light"), (390, "dark")):
        tab.set_viewport_size({"width": width, "height": 800})
        tab.emulate_media(color_scheme=mode)
        assert tab.evaluate(inside)
        faults = tab.evaluate(
            """async () => (await axe.run('.ttt-arena :is(.ttt-match, .ttt-league)', {
              resultTypes: ['violations'],
              rules: { 'label-content-name-mismatch': { enabled: true } } })).violations
              .map((v) => v.id + ' ' + v.nodes[0].html + v.nodes[0].failureSummary)"""
        )
        assert faults == [], (width, mode)
    tab.emulate_media(forced_colors="active")
    shown = "e => getComputedStyle(e).outlineStyle"
    assert (
        tab.locator(".ttt-seats [aria-pressed=true]").first.evaluate(shown) == "solid"
    )
    tab.close()


def test_nothing_moves_while_an_agent_is_loaded(play):
    tab, log = play("book/play.html", "http")
    held = []
    tab.route("**/agents/sarsa.js", lambda route: held.append(route))
    tab.evaluate(
        """async () => {
          play.choose('X is played by', 'random');
          await play.ready();
          play.choose('O is played by', 'random');
          await play.ready();
          play.choose('X is played by', 'sarsa');
          play.choose('O is played by', 'person');
          setTimeout(() => {
            for (const name of ['Play to the end', 'Next move', 'Play 100 games'])
              play.press(name);
            window.pressed = true;
          });
        }"""
    )
    tab.wait_for_function("() => window.pressed")  # a tab that hangs does not answer
    for name in ("Play to the end", "Next move", "Play 100 games"):
        button = tab.get_by_role("button", name=name, exact=True).first
        assert button.get_attribute("aria-disabled") == "true"
    assert tab.evaluate("() => play.free().length") == 9
    for route in held:
        route.continue_()
    tab.wait_for_function("() => play.says().startsWith('sarsa (X): cell')")
    assert not tab.get_by_role("button", name="Next move").first.is_visible()
    log.assert_silent()
    tab.close()


# --- What a reader can do ----------------------------------------------------


def test_undo_replay_score_and_lot(play):
    tab, log = play()
    result = tab.evaluate(
        """async () => {
          const marks = () => play.cells().filter((c) => c.querySelector('svg')).length;
          const score = () => play.root().querySelector('.ttt-score').textContent;
          const out = {};
          play.cells()[4].click();
          await play.turn();
          out.after = marks();
          play.press('Undo');
          out.undone = marks();
          play.press('Undo');
          while (!play.over()) { play.free()[0].click(); await play.turn(); }
          out.end = marks();
          out.score = score();
          play.press('Undo');
          out.taken = score();
          await play.turn();
          while (!play.over()) { play.free()[0].click(); await play.turn(); }
          out.again = score();
          const length = marks();
          const seen = [];
          for (let n = 0; n < length + 2; n++) {
            seen.push(marks());
            play.press('Back');
          }
          out.back = seen;
          out.length = length;
          play.cells()[0].click();
          out.refused = play.words();
          for (let n = 0; n < length; n++) play.press('Forward');
          out.forward = marks();
          play.press('New game');
          out.fresh = marks();
          play.choose('Opponent', 'person');
          await play.ready();
          play.cells()[0].click();
          play.cells()[1].click();
          out.two = play.says();
          play.choose('First move', 'lot');
          const first = new Set();
          for (let n = 0; n < 40; n++) {
            play.press('New game');
            first.add(play.says());
          }
          out.first = [...first].sort();
          return out;
        }"""
    )
    assert (result["after"], result["undone"]) == (2, 0)
    assert sum(map(int, re.findall(r"\d+", result["score"]))) == 1
    assert sum(map(int, re.findall(r"\d+", result["taken"]))) == 0
    assert sum(map(int, re.findall(r"\d+", result["again"]))) == 1
    length = result["length"]
    assert result["back"] == [*range(length, -1, -1), 0]
    assert "looking back" in result["refused"]
    assert (result["forward"], result["fresh"]) == (length, 0)
    assert result["two"] == "O: cell 1. X to move."
    assert result["first"] == ["O to move.", "X to move."]
    log.assert_silent()
    tab.close()


def test_a_hint_compares_values_and_why_explains_the_agent(play):
    tab, _ = play()
    hint, why = tab.evaluate(
        """async () => {
          play.choose('Opponent', 'perfect');
          await play.ready();
          play.setUp('XX./O../.O.');
          play.press('Hint');
          const hint = play.words();
          play.cells()[8].click();
          await play.turn();
          play.press('Why?');
          return [hint, play.words()];
        }"""
    )
    assert hint == (
        "X to move. Against perfect play, cells 2, 4 and 8 win (+1) and cells 5 and 6 "
        "draw (0)."
    )
    assert re.match(
        r"perfect \(O\) took cell \d \(a greedy move\)\. It expected −1 of this cell, "
        r"−1 of cells \d, \d and \d\. Against perfect play",
        why,
    )
    tab.close()


def test_positions_are_set_up_copied_and_refused_in_a_sentence(play):
    tab, log = play()
    result = tab.evaluate(
        """async () => {
          const text = () => play.root().querySelector('.ttt-text').value;
          const said = {};
          for (const wrong of ['XXX......', 'XXXOO', 'XXY......', 'XXXOOO...',
            'XXX/OO./OO.', 'X'.repeat(500)]) {
            play.setUp(wrong);
            said[wrong] = play.words();
            play.press('Cancel');
          }
          play.choose('Opponent', 'person');
          await play.ready();
          play.press('Set up a position');
          for (const cell of [0, 0, 4]) play.cells()[cell].click();
          const typed = text();
          play.press('Play from here');
          const here = text();
          play.cells()[8].click();
          play.setUp('O../.../...');
          return { said, typed, here, turn: play.says() };
        }"""
    )
    assert all(said.endswith(".") for said in result["said"].values()), result
    assert "5 cells" not in result["said"]["XXX......"]
    assert "has 5" in result["said"]["XXXOO"]
    assert "“Y”" in result["said"]["XXY......"]
    assert "ahead" in result["said"]["XXX......"]
    assert "won before" in result["said"]["XXXOOO..."]
    assert result["typed"] == result["here"] == "O../.X./..."
    assert result["turn"] == "X to move."
    log.assert_silent()
    tab.close()


# --- Robustness --------------------------------------------------------------


def page_with(tmp_path, *mounts):
    """Return a page of boards whose settings are these texts."""
    whole = board.Board().to_html()
    places = "".join(
        f'<div data-ttt-board="{html.escape(mount)}">words</div>' for mount in mounts
    )
    file = tmp_path / "boards.html"
    changed = re.sub(r"<div data-ttt-board=.*?</div>", lambda _: places, whole)
    file.write_text(changed, encoding="utf-8")
    return file


BAD = {
    "no JSON": "{",
    "unknown agent": json.dumps({"o": "nobody"}),
    "unknown numbers": json.dumps({"overlay": "nothing"}),
    "impossible position": json.dumps({"state": {
        "first": "X", "start": "XXXOOO...", "moves": [], "score": [0, 0, 0]}}),
    "illegal move": json.dumps({"state": {
        "first": "X", "start": "." * 9, "moves": [0, 0], "score": [0, 0, 0]}}),
    "wrong length": json.dumps({"state": {
        "first": "X", "start": "..", "moves": [], "score": [0, 0, 0]}}),
    "no state": json.dumps({"state": 7}),
    "no settings": "null",
    "no agents": json.dumps({"o": "mine", "own": [None, {}, 3], "tables": 5}),
    "no level": json.dumps({"o": "teacher", "level": "x", "overlay": 4}),
    "wrong types": json.dumps({"x": 5, "agents": 3, "own": "x", "starts": {}}),
}  # fmt: skip


def test_a_malformed_board_says_so_once_and_can_be_played(new_tab, tmp_path):
    file = page_with(tmp_path, *BAD.values())
    tab = new_tab()
    errors = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.on("console", lambda said: errors.append(said.text))
    tab.goto(file.as_uri())
    tab.wait_for_function(f"document.querySelectorAll('.ttt').length === {len(BAD)}")
    tab.wait_for_function(
        "[...document.querySelectorAll('.ttt-words')].every(w => w.textContent)"
    )
    for ttt, name in zip(tab.locator(".ttt").all(), BAD, strict=True):
        said = ttt.locator(".ttt-words").inner_text()
        assert said.count(".") == 1, (name, said)
        ttt.get_by_label("You are").select_option("X")
        ttt.locator(".ttt-cell[aria-disabled=false]").first.click()
        ttt.locator("svg").first.wait_for()
    assert errors == []
    tab.close()


def test_an_agent_whose_table_cannot_be_used_moves_at_random(new_tab, tmp_path):
    mine = board.settings(agent=policy.uniform(GAME.legal), name="mine")
    missing, short, torn = (json.loads(json.dumps(mine)) for _ in range(3))
    missing["tables"] = {}
    short["tables"]["mine"]["policy"] = board_tables._packed_policy(np.ones(5))
    torn["tables"]["mine"]["policy"]["data"] = "§"
    tab, errors = new_tab(), []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.on("console", lambda said: errors.append(said.text))
    tab.goto(page_with(tmp_path, *map(json.dumps, (missing, short, torn))).as_uri())
    for n in range(3):
        status = tab.locator(".ttt-status").nth(n)
        status.get_by_text("mine cannot be loaded").wait_for()
        assert "so O moves at random" in status.inner_text()
        tab.locator(".ttt").nth(n).locator(".ttt-cell").nth(4).click()
        status.get_by_text("random (O): cell").wait_for()
    assert errors == []
    tab.close()


@pytest.fixture
def own(new_tab, tmp_path):
    """Open one board in a file of its own."""
    tabs = []

    def own(**arguments):
        file = tmp_path / "own.html"
        file.write_text(board.Board(**arguments).to_html(), encoding="utf-8")
        tabs.append(new_tab())
        tabs[-1].goto(file.as_uri())
        tabs[-1].locator(".ttt-cell").first.wait_for()
        tabs[-1].evaluate(HELPERS)
        return tabs[-1]

    yield own
    for tab in tabs:
        tab.close()


def test_why_tells_what_held_when_the_agent_moved(own):
    sure = policy.greedy(search.solve(GAME).Q, GAME.legal)
    sure[0] = np.eye(9)[4]
    stages = {"before": policy.uniform(GAME.legal), "after": sure}
    tab = own(x="mine", o="person", agent=stages, name="mine")
    tab.wait_for_function("() => play.says().includes('Your move')")
    slider = tab.locator(".ttt-slider input:visible").first
    slider.fill("0")
    tab.get_by_label("Opponent").select_option("perfect")
    tab.wait_for_function("() => play.says().includes('Your move')")
    tab.get_by_role("button", name="Why?").click()
    assert tab.locator(".ttt-words").inner_text() == (
        "mine (X) took cell 4, with probability 1.000. It keeps no values of its own. "
        "The exact values for X: 0 of this cell, 0 of cells 0, 1, 2, 3, 5, 6, 7 and 8. "
        "Against perfect play +1 wins, 0 draws and −1 loses."
    )


def test_an_agent_without_values_shows_its_probabilities(own):
    tab = own(x="person", agent=policy.uniform(GAME.legal), name="m", overlay="agent")
    assert tab.locator(".ttt-number").all_inner_texts() == ["0.111"] * 9
    assert (
        tab.locator(".ttt-legend p")
        .inner_text()
        .startswith("m keeps no values of its own. How often m takes each cell")
    )


def test_a_teacher_that_breaks_ties_otherwise_says_so_and_can_be_left(own):
    tab = own(o="teacher 0.8 lowest", overlay="policy")
    opponent = tab.get_by_label("Opponent")
    chosen = "e => e.selectedOptions[0].textContent"
    assert opponent.evaluate(chosen) == "teacher lowest"
    assert tab.locator(".ttt-slider output:visible").first.inner_text() == "0.80"
    tab.locator(".ttt-cell").nth(4).click()
    tab.wait_for_function("() => play.says().includes('teacher lowest (O): cell')")
    for name in ("teacher", "teacher lowest"):
        opponent.select_option(name)
        tab.wait_for_function("() => play.says().includes('Your move')")
        assert opponent.evaluate(chosen) == name


def test_an_agent_of_the_other_side_says_that_it_does_not_know(own):
    first = policy.uniform(GAME.legal)
    first[GAME.to_move == -1] = 0
    tab = own(x="mine", o="person", agent=first, name="mine", overlay="policy")
    tab.wait_for_function("() => play.says().includes('Your move')")
    tab.evaluate("() => play.setUp('O../.../...')")
    tab.wait_for_function("() => /it knows nothing of this pos/.test(play.says())")
    assert "exploratory" not in tab.evaluate("() => play.says()")


def test_a_thousand_clicks_at_once(play):
    tab, log = play()
    marks, said = tab.evaluate(
        """async () => {
          const cells = play.cells();
          for (let n = 0; n < 1000; n++) cells[n % 9].click();
          const marks = cells.filter((c) => c.querySelector('svg')).length;
          const said = play.words();
          await play.turn();
          return [marks, said];
        }"""
    )
    assert marks == 1
    assert said == "It is not your turn."
    assert re.search("win|draw", game_by(tab, lambda cell: cell.click()))
    log.assert_silent()
    tab.close()


def test_a_click_and_an_answer_cost_little(play):
    tab, _ = play()
    session = tab.context.new_cdp_session(tab)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def used():  # of the processor, which a busy machine does not change
        (time,) = (
            metric["value"]
            for metric in session.send("Performance.getMetrics")["metrics"]
            if metric["name"] == "ThreadTime"
        )
        return time

    tab.evaluate(
        """async () => {
          play.choose('Opponent', 'q-learning');
          await play.ready();
          play.show('best');
          await play.ready();
        }"""
    )
    before = used()
    clicks = tab.evaluate(
        """async () => {
          const drawn = () => play.root().getBoundingClientRect();
          let clicks = 0;
          for (let game = 0; game < 15; game++) {
            play.press('New game');
            for (; !play.over(); clicks++) {
              play.free()[0].click();
              drawn();
              await play.turn();
              drawn();
            }
          }
          return clicks;
        }"""
    )
    each = 1000 * (used() - before) / clicks
    print(f"a click and its answer: {each:.1f} ms")
    assert each <= 100
    tab.close()


def test_one_file_holds_a_whole_board(new_tab, tmp_path):
    file = tmp_path / "board.html"
    file.write_text(board.Board(o="q-learning", overlay="agent").to_html(), "utf-8")
    tab, asked = new_tab(), []
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(file.as_uri())
    tab.locator(".ttt-cell").first.wait_for()
    tab.evaluate(HELPERS)
    tab.evaluate("() => play.ready()")
    tab.locator(".ttt-cell").nth(4).click()
    tab.wait_for_function("() => play.says().includes('q-learning (O): cell')")
    tab.get_by_label("Opponent").select_option("sarsa")
    tab.wait_for_function("() => play.says().includes('Your move')")
    assert asked == [file.as_uri()]
    tab.close()


# --- Everybody ---------------------------------------------------------------


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_axe_finds_no_fault_on_boards_in_use(mode, play):
    tab, _ = play(size=(390, 844))
    tab.emulate_media(color_scheme=mode)
    tab.evaluate(Axe().axe_script)
    for details in tab.locator(".ttt-more").all():
        details.evaluate("e => { e.open = true; }")
    faults = []
    for overlay, position in (
        ("value", "X../.O./..."),
        ("best", "..." * 3),
        ("none", "XXX/OO./..."),
    ):
        tab.evaluate("o => play.show(o)", overlay)
        tab.evaluate("p => { play.setUp(p); play.press('Hint'); }", position)
        faults += tab.evaluate(
            """async () => (await axe.run('.ttt', { resultTypes: ['violations'],
              rules: { 'label-content-name-mismatch': { enabled: true } } })).violations
              .map((v) => v.id + ' ' + v.nodes[0].html + v.nodes[0].failureSummary)"""
        )
    assert faults == []
    tab.close()


def test_a_screen_reader_finds_a_grid_and_hears_the_moves(play):
    tab, _ = play()
    grid = tab.get_by_role("grid", name="Play first")
    assert grid.get_by_role("row").count() == 3
    assert grid.get_by_role("gridcell").count() == 9
    assert grid.get_by_role("gridcell", name="Cell 4: free").count() == 1
    grid.get_by_role("gridcell", name="Cell 4: free").click()
    assert grid.get_by_role("gridcell", name="Cell 4: X").count() == 1
    status = tab.get_by_role("status").first
    tab.wait_for_function("() => play.says().includes('(O): cell')")
    assert status.inner_text().startswith("You (X): cell 4. random (O): cell")
    tab.close()


def test_a_session_by_keyboard_keeps_the_focus_and_speaks(play):
    tab, log = play()
    focus = "() => document.activeElement.textContent"

    def go(name):
        tab.get_by_role("button", name=name, exact=True).focus()
        tab.keyboard.press("Enter")
        return tab.evaluate(focus)

    tab.locator(".ttt-cell").first.focus()
    tab.keyboard.press("Enter")
    tab.wait_for_function("() => play.says().includes('Your move')")
    assert go("New game") == "New game"
    tab.locator(".ttt-cell").first.focus()
    tab.keyboard.press("Space")
    tab.wait_for_function("() => play.says().includes('Your move')")
    for _ in range(2):  # the second time there is nothing left
        assert go("Undo") == "Undo"
    assert "nothing to undo" in tab.evaluate("() => play.words()")
    tab.locator(".ttt-more summary").focus()
    tab.keyboard.press("Enter")
    assert go("Set up a position") == "Cancel"
    tab.locator(".ttt-cell[tabindex='0']").focus()
    for key, said in (
        ("Enter", "Cell 0: X."),
        ("Enter", "Cell 0: O."),
        ("Enter", "Cell 0: free."),
        ("ArrowRight", "Cell 0: free."),
        ("Space", "Cell 1: X."),
    ):
        tab.keyboard.press(key)
        assert tab.evaluate("() => play.words()") == said
    for button in ("Hint", "Why?"):
        go(button)
        assert "Play from here" in tab.evaluate("() => play.words()")
    assert go("Play from here") == "Set up a position"
    tab.wait_for_function("() => play.says().includes('(O): cell')")
    assert tab.locator(".ttt-cell").nth(1).locator("svg").count() == 1
    log.assert_silent()
    tab.close()


def test_targets_are_large_enough_for_a_finger(play):
    tab, _ = play("book/play.html", size=(390, 844))
    for details in tab.locator(".ttt-more").all():
        details.evaluate("e => { e.open = true; }")
    small = tab.evaluate(
        """() => [...document.querySelectorAll(
            '.ttt :is(button, select, input, summary)')].map((e) =>
            [e.getBoundingClientRect(), e.outerHTML]).filter(([box]) =>
            box.width > 0 && (box.width < 24 || box.height < 24))"""
    )
    assert small == []
    tab.close()


def test_keys_play_a_game_and_are_told_by_a_question_mark(play):
    tab, log = play()
    tab.evaluate("() => play.choose('Opponent', 'perfect')")
    tab.evaluate("() => play.ready()")
    tab.locator(".ttt-cell").first.focus()
    tab.keyboard.press("4")
    tab.wait_for_function("() => play.says().includes('(O): cell')")
    assert tab.evaluate("() => document.activeElement === play.cells()[4]")
    tab.keyboard.press("h")
    assert tab.evaluate("() => play.words()").startswith("X to move.")
    tab.keyboard.press("w")
    assert tab.evaluate("() => play.words()").startswith("perfect (O) took cell")
    tab.keyboard.press("?")
    assert tab.evaluate("() => play.words()").startswith("Keys: ")
    tab.keyboard.press("u")
    assert tab.evaluate("() => play.free().length") == 9
    tab.keyboard.press("0")
    tab.keyboard.press("n")
    assert tab.evaluate("() => play.free().length") == 9
    tab.locator(".ttt-more summary").first.click()
    tab.evaluate("() => play.press('Set up a position')")
    tab.locator(".ttt-text").first.press("n")  # a letter in a field of text
    assert tab.evaluate("() => !!play.root().parentElement.tttPlay.editing")
    log.assert_silent()
    tab.close()


def test_a_move_and_its_answer_are_one_announcement(play):
    tab, _ = play()
    changes = tab.evaluate(
        """async () => {
          const region = play.root().querySelector('.ttt-status');
          const told = [];
          new MutationObserver((changes) => {
            if (changes.length > 0) told.push(region.textContent);
          }).observe(region, { childList: true, subtree: true });
          play.free()[4].click();
          await play.turn();
          await play.sleep(50);
          return told;
        }"""
    )
    assert len(changes) == 1
    assert "You (X): cell 4. random (O): cell" in changes[0]


@both_sizes
def test_words_have_their_place_before_there_are_any(size, play):
    tab, _ = play(size=size)
    words = tab.locator(".ttt-words").first
    before = tab.locator(".ttt").first.bounding_box()["height"]
    assert words.text_content() == ""
    assert words.is_visible()
    tab.evaluate("() => play.press('?')")
    assert tab.locator(".ttt").first.bounding_box()["height"] == before
    for overlay in board.OVERLAYS:
        tab.evaluate("overlay => play.show(overlay)", overlay)
        assert tab.locator(".ttt").first.bounding_box()["height"] == before, overlay
    tab.close()


@both_sizes
def test_little_stays_empty_below_a_board(size, play):
    tab, _ = play(size=size)
    box = "e => e.getBoundingClientRect()"
    for overlay, most in (("none", 110), ("value", 40)):
        tab.evaluate("overlay => play.show(overlay)", overlay)
        above = ".ttt-chips span, .ttt-legend p, .ttt-scale"
        ends = [e.evaluate(box)["bottom"] for e in tab.locator(above).all()]
        fold = tab.locator(".ttt-more").first.evaluate(box)["top"]
        assert 0 <= fold - max(ends) <= most, overlay
    tab.close()


@pytest.mark.parametrize("width", [360, 390, 1280])
def test_the_buttons_for_words_stand_in_one_row(width, play):
    tab, _ = play(size=(width, 844))
    names = ["New game", "Undo", "Hint", "Why?", "Keys"]
    buttons = [tab.get_by_role("button", name=name, exact=True) for name in names]
    assert len({button.bounding_box()["y"] for button in buttons}) == 1
    tab.close()


def test_the_best_cells_are_ringed_and_close_numbers_have_a_scale_of_their_own(play):
    tab, _ = play()
    ringed = "() => play.cells().flatMap((c, n) => c.matches('.ttt-best') ? [n] : [])"
    for overlay, best in (("value", []), ("random", [4]), ("best", [0, 2, 6, 8])):
        tab.evaluate("o => play.show(o)", overlay)
        assert tab.evaluate(ringed) == best  # if all are equal, none is best
        legend = tab.locator(".ttt-legend").first.inner_text()
        assert ("from the least to the largest" in legend) == (overlay != "value")
    tab.close()


def test_the_bar_says_how_the_game_goes_on(play):
    tab, _ = play()
    win, draw, loss = evaluation.win_draw_loss(GAME, *[policy.uniform(GAME.legal)] * 2)[
        0
    ]
    told = tab.locator(".ttt-outlook").first.inner_text()
    assert re.findall(r"\d+", told) == [f"{100 * p:.0f}" for p in (win, draw, loss)]
    parts = (
        tab.locator(".ttt-bar")
        .first.locator("div")
        .evaluate_all("all => all.map((e) => Number(e.style.flexGrow))")
    )
    assert parts == pytest.approx([win, draw, loss], abs=5e-5)
    tab.close()


def test_colours_that_the_system_forces_leave_the_marks_and_the_line(play):
    tab, _ = play()
    tab.emulate_media(forced_colors="active")
    tab.evaluate("() => play.setUp('XXX/OO./...')")
    outline = "e => getComputedStyle(e).outlineStyle"
    styles = [cell.evaluate(outline) for cell in tab.locator(".ttt-cell").all()[:9]]
    assert styles == ["solid"] * 3 + ["none"] * 6
    tab.evaluate("() => play.show('value')")
    assert not tab.locator(".ttt-scale").first.is_visible()
    assert tab.locator(".ttt-grid").bounding_box()["width"] > 300  # without the bar
    tab.close()


def test_nothing_moves_by_itself_and_a_large_print_fits(play):
    tab, _ = play(size=(640, 900))
    tab.evaluate("() => { document.documentElement.style.fontSize = '200%'; }")
    tab.locator(".ttt-cell").first.click()
    assert tab.evaluate("() => document.getAnimations().length") == 0
    wide = "e => e.getBoundingClientRect().right <= innerWidth"
    for part in tab.locator(".ttt").first.locator("*").all():
        if part.is_visible():
            assert part.evaluate(wide), part.evaluate("e => e.outerHTML")[:200]
    tab.close()


def test_on_paper_the_numbers_stay_and_the_controls_go(play):
    tab, _ = play()
    tab.evaluate("() => play.show('value')")
    tab.emulate_media(media="print")
    assert tab.locator(".ttt-grid").first.is_visible()
    assert tab.locator(".ttt-legend p").first.is_visible()
    assert not tab.locator(".ttt-buttons").first.is_visible()
    assert not tab.locator(".ttt-who").first.is_visible()
    colour = "e => [getComputedStyle(e).printColorAdjust, e.style.backgroundColor]"
    assert tab.locator(".ttt-cell").first.evaluate(colour)[0] == "exact"
    tab.close()


def test_a_slider_leads_through_the_training_of_a_learner(play):
    tab, log = play("book/play.html")
    ttt, corner = tab.locator(".ttt").nth(1), GAME.find("X../.../...")
    slider = ttt.locator(".ttt-slider input").nth(1)
    names = [name for name in io.builtin_names() if name.startswith("snapshot-")]
    names.sort(key=lambda name: int(name.removeprefix("snapshot-")))
    assert int(slider.get_attribute("max")) == len(names) - 1
    for step in (0, len(names) - 1, 3):
        slider.fill(str(step))
        Q = io.read_builtin(names[step]).Q[corner]
        right = [f"{x:.3f}".replace("-", "−").replace("−0.000", "0.000") for x in Q[1:]]
        tab.wait_for_function(
            "right => [...document.querySelectorAll('.ttt')[1]"
            ".querySelectorAll('.ttt-number')].map(e => e.textContent)"
            ".join() === right.join()",
            arg=right,
        )
    # However fast it is moved, the last place counts.
    slider.evaluate(
        """(slider, last) => {
          for (const step of [2, 0, last, 1, 4, last]) {
            slider.value = step;
            slider.dispatchEvent(new Event('input'));
          }
        }""",
        len(names) - 1,
    )
    tab.wait_for_function(
        "() => !document.querySelectorAll('.ttt')[1].querySelector('.ttt-status')"
        ".textContent.startsWith('One moment')"
    )
    Q = io.read_builtin(names[-1]).Q[corner]
    right = [f"{x:.3f}".replace("-", "−").replace("−0.000", "0.000") for x in Q[1:]]
    assert ttt.locator(".ttt-number").all_inner_texts() == right
    log.assert_silent()
    tab.close()
