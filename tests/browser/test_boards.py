"""Playable boards of the site, without Python."""

import html
import json
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from common import sample_params
from pages import PAGES, address

from ttt_lib import board, evaluation, policy, sampling
from ttt_lib.agents import as_agent, io
from ttt_lib.board import encode as board_tables
from ttt_lib.board import standings
from ttt_lib.game import tables

# Pages with a board in their source.
WITH_BOARD = [
    address(page)
    for page in PAGES
    if re.search(r"\{board\}|data-ttt-board", page.read_text("utf-8"))
]
with_board = pytest.mark.parametrize("page", sample_params(WITH_BOARD, 2))
GAME = tables()
BOARD = ".ttt:not(.ttt-lab)"  # labs have the class, too

# Helpers that run inside the page, and click as a reader does.
HELPERS = """() => {
  const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
  const root = () => document.querySelector('.ttt:not(.ttt-lab)');
  const cells = () => [...root().querySelectorAll('.ttt-cell')];
  const free = () => cells().filter((c) => c.getAttribute('aria-disabled') === 'false');
  const status = () => root().querySelector('.ttt-status');
  const busy = () => status().ariaBusy === 'true';  // then the old text is still shown
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
  const show = (overlay) => choose('Numbers', overlay);
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
    """Open a page with a board that is ready. At the end its log has to be empty."""
    logs = []

    def play(page="book/before.html", origin="file", **more):
        tab, log = open_page(page, origin, rest=False, **more)
        logs.append(log)
        tab.locator(f"{BOARD} .ttt-cell").first.wait_for()
        tab.evaluate(HELPERS)
        tab.evaluate("() => play.ready()")
        return tab

    yield play
    for log in logs:
        log.assert_silent()


def game_by(tab, move):
    """Play the first board of a page to the end; `move(cell)` makes a move."""
    ttt = tab.locator(BOARD).first
    if ttt.get_by_role("button", name="Next move").is_visible():  # two agents
        ttt.get_by_label("X is played by").select_option("person")
    for _ in range(9):
        tab.wait_for_function(
            "() => /wins?[.]|draw[.]|Your move|[XO] to move/.test(play.says())"
        )
        if tab.evaluate("() => play.over()"):
            break
        move(ttt.locator(".ttt-cell[aria-disabled=false]").first)
    assert tab.evaluate("() => play.over()")


@with_board
def test_play_by_mouse_and_by_keyboard(page, play):
    tab = play(page)
    game_by(tab, lambda cell: cell.click())

    def by_keyboard(cell):
        goal = int(cell.locator(".ttt-name").inner_text())
        tab.locator(f"{BOARD} .ttt-cell[tabindex='0']").first.focus()
        at = tab.evaluate("() => play.cells().indexOf(document.activeElement)")
        down, right = goal // 3 - at // 3, goal % 3 - at % 3
        keys = ["ArrowDown" if down > 0 else "ArrowUp"] * abs(down)
        keys += ["ArrowRight" if right > 0 else "ArrowLeft"] * abs(right)
        for key in [*keys, "Space" if goal % 2 else "Enter"]:
            tab.keyboard.press(key)

    tab.evaluate("() => play.press('New game')")
    game_by(tab, by_keyboard)


@pytest.mark.parametrize("origin", ["file", "http"])
def test_every_builtin_agent_plays(origin, play):
    tab = play(origin=origin)
    played = tab.evaluate(
        """async () => {
          const messages = {}, names = play.root().querySelector('select').options;
          for (const name of [...names].map((option) => option.value)) {
            if (name === 'person') continue;
            play.choose('Opponent', name);
            await play.ready();
            play.press('New game');
            play.cells()[4].click();
            await play.turn();
            messages[name] = play.says();
          }
          return messages;
        }"""
    )
    assert {*played} == {*board_tables.names()}
    for name, message in played.items():
        assert re.search(r"\(O\) takes cell \d", message), (name, message)


def test_exploratory_moves_are_labelled(play):
    tab = play("book/play.html")
    perfect, teacher, at_random = tab.evaluate(
        """async () => {
          let drawn = 1;  // fixed random numbers: a teacher might not err in 60 games
          Math.random = () => (drawn = drawn * 16807 % 2147483647) / 2147483647;
          const how = [];
          play.choose('X is played by', 'random');
          for (const name of ['perfect', 'teacher', 'random']) {
            await play.ready();
            play.choose('O is played by', name);
            await play.ready();
            let messages = '';
            for (let n = 0; n < 60; n++) {
              ['New game', 'Next move', 'Next move'].forEach(play.press);
              messages += play.says();
            }
            how.push(messages);
          }
          return how;
        }"""
    )
    assert "greedy" in perfect
    assert "exploratory" not in perfect
    assert "exploratory" in teacher
    assert "greedy" not in at_random


SEATS = """async (seats) => {
  for (const [mark, name] of Object.entries(seats)) {
    const card = [...play.root().querySelectorAll('.ttt-seats button')]
      .find((b) => b.ariaLabel === `${name} as ${mark}`);
    card.click();
    await play.ready();
  }
}"""


def test_arena_cards_match_library(play):
    tab = play("book/play.html")
    told = tab.evaluate(
        """() => [...play.root().querySelectorAll('.ttt-card')].map((card) =>
          [...card.querySelectorAll('tr')].slice(1).flatMap((row) =>
            [...row.querySelectorAll('td')].map((cell) => cell.textContent)))"""
    )
    cards = standings.cards(board_tables.entries()).values()
    for seen, card in zip(told, cards, strict=True):
        right = []
        for row in range(2):  # lost to random moves, and to the best
            for lost in card["loses"]:  # first, and second
                if lost:
                    right += [f"{lost[row]:.3f}" if lost[row] > 1e-9 else "never"]
                elif row == 0:
                    right += ["not taught"]  # one cell for both rows
        assert seen == right


def test_whole_board_of_arena_is_in_first_screen_of_telephone(play):
    tab = play("book/play.html", size=(390, 844))
    box = tab.locator(".ttt-grid").first.bounding_box()
    assert box["y"] + box["height"] <= 844


MEDALS = """() => play.root().querySelector('.ttt-medals').textContent"""


def beatable(name):
    """Return whether somebody can beat an agent on a side that it was taught."""
    agent = as_agent(GAME, name)
    sides = [side for side in (1, -1) if agent.taught in (0, side)]
    worst = [evaluation.worst_case(GAME, agent.policy, side)[0] for side in sides]
    # Then nobody ever wins a single game, either.
    for side, value in zip(sides, worst, strict=True):
        wins = evaluation.best_response(GAME, agent.policy, -side, rewards=(1, 0, 0))
        assert (wins.V[0] > 1e-9) == (value < -1e-9)
    return min(worst) < -1e-9


def test_nobody_can_is_right_for_agents_that_library_finds_safe(play):
    tab = play("book/play.html")
    told = tab.evaluate(
        """async (names) => {
          const told = {}, board = play.root().parentElement.tttPlay;
          for (const name of names) {
            await board.seated({ X: board.free('person'), O: board.free(name) });
            play.press('Nobody can');
            told[name] = play.root().querySelector('.ttt-medals span').textContent;
          }
          return told;
        }""",
        io.builtin_names(),
    )
    safe = [name for name in told if not beatable(name)]
    for name, text in told.items():
        right = (
            "You were right: nobody can beat" if name in safe else "Somebody can: as"
        )
        assert text.startswith(right), (name, text)
    assert f"{len(safe)} of {len(told)} medals." in tab.evaluate(MEDALS)
    # They are stored asynchronously: wait until another tab sees them.
    other = play("book/play.html")
    medals = "bookStore.names().filter((name) => /^medal /.test(name)).length"
    other.wait_for_function(f"() => {medals} >= {len(safe)}", polling=50)
    tab.reload()
    kept = f"{len(safe)} of {len(told)} medals."
    tab.get_by_text(kept, exact=True).wait_for()


WIN = """async (seats) => {
  const board = play.root().parentElement.tttPlay, { game } = board;
  await board.seated({ X: board.free(seats.X), O: board.free(seats.O) });
  while (!/You win/.test(play.says())) {  // a best reply does not win every game
    if (play.over()) play.press('New game');
    await play.turn();
    if (play.over()) continue;
    const { table, side } = board.reply, worth = (i) => {
      const s = game.successor[i];
      return side * (table[3 * s] - table[3 * s + 2]);
    };
    let best = game.first[board.now];
    for (let i = best; i < game.first[board.now + 1]; i++)
      if (worth(i) > worth(best) + 1e-9) best = i;
    play.cells()[game.action[best]].click();
  }
}"""


def test_win_earns_medal_without_storage_but_not_with_slips(open_page, tmp_path):
    file = tmp_path / "arena.html"
    file.write_text(board.Board(o="random", arena=True).to_html(), "utf-8")
    folder = tmp_path.as_uri() + "/"
    tab, log = open_page("arena.html", rest=False, folder=folder)
    tab.locator(".ttt-cell").first.wait_for()
    tab.evaluate(HELPERS)
    tab.evaluate("() => play.ready()")
    assert "0 of 31 medals, for this visit only." in tab.evaluate(MEDALS)
    for seats, medals in (
        ({"X": "person", "O": "random"}, 0),  # there is none
        ({"X": "person", "O": "q-learning"}, 1),
        ({"X": "menace", "O": "person"}, 2),
        ({"X": "person", "O": "sarsa"}, 3),
    ):
        tab.evaluate(WIN, seats)
        assert f"{medals} of 31 medals" in tab.evaluate(MEDALS)
    tab.evaluate(
        """async () => {
          const board = play.root().parentElement.tttPlay;
          await board.choose('O', 'mc-control');
          board.setLevel('O', 0);
        }"""
    )
    tab.evaluate(WIN.replace("await board.seated", "//"), {})
    assert "3 of 31 medals" in tab.evaluate(MEDALS)
    log.assert_silent()


def test_match_reports_whether_intervals_contain_exact_values(play):
    tab = play("book/play.html")

    def match(button):
        """Press a button; return (games, share, interval, exact) of each end."""
        tab.evaluate("button => play.press(button)", button)  # motion is reduced
        rows = tab.locator(".ttt-match").first.locator("tbody tr").all_inner_texts()
        return [row.split("\t")[1:] for row in rows]

    tab.evaluate(SEATS, {"X": "random", "O": "random"})
    exact = evaluation.win_draw_loss(GAME, *[policy.uniform(GAME.legal)] * 2)
    match("Play 100 games")
    rows = match("Play 100 games")
    assert sum(int(games) for games, *_ in rows) == 200
    outside = []
    for (games, share, interval, p), right, name in zip(
        rows, exact[0], ("X wins", "Draws", "O wins"), strict=True
    ):
        low, high = sampling.wilson_interval(int(games), 200)
        assert share == f"{int(games) / 200:.3f}"
        assert interval == f"{low:.3f}–{high:.3f}".replace("-0.000", "0.000")
        assert p == f"{right:.3f}"
        outside += [] if low <= right <= high else [name]
    verdict = tab.locator(".ttt-verdict").first.inner_text()
    assert ("All three intervals contain" in verdict) == (not outside)
    assert all(f"of {name}" in verdict or f"and {name}" in verdict for name in outside)
    # It is compared with the exact values of its first position.
    after = match("Next move")
    text = tab.locator(".ttt-text").first.input_value()
    assert [row[1:3] for row in after] == [["–", "–"]] * 3
    assert [p for *_, p in after] == [f"{p:.3f}" for p in exact[GAME.find(text)]]
    assert sum(int(games) for games, *_ in match("Play 100 games")) == 100
    assert match("Undo") == rows


def test_board_waits_while_agent_is_loaded(play):
    tab = play("book/play.html", "http")
    held = []
    tab.route("**/agents/sarsa.js", lambda route: held.append(route))
    buttons = ["Play to the end", "Next move", "Play 100 games"]
    tab.evaluate(
        """async (buttons) => {
          play.choose('X is played by', 'random');
          await play.ready();
          play.choose('O is played by', 'random');
          await play.ready();
          play.choose('X is played by', 'sarsa');
          await play.sleep(0);
          buttons.forEach(play.press);
        }""",
        buttons,
    )
    for name in buttons:
        button = tab.get_by_role("button", name=name, exact=True).first
        assert button.get_attribute("aria-disabled") == "true"
    assert tab.evaluate("() => play.free().length") == 9
    for route in held:
        route.continue_()
    tab.wait_for_function("() => play.says() === 'sarsa (X) to move.'")


def test_undo_replay_score_and_random_first_move(play):
    tab = play()
    score, back, refused, forward, first = tab.evaluate(
        """async () => {
          const marks = () => play.cells().filter((c) => c.querySelector('svg')).length;
          const counted = () => play.root().querySelector('.ttt-score').textContent
            .match(/\\d+/g).reduce((sum, n) => sum + Number(n), 0);
          const score = [], back = [], first = [];
          for (let game = 0; game < 2; game++) {
            while (!play.over()) { play.free()[0].click(); await play.turn(); }
            score.push(counted());
            if (game) break;
            play.press('Undo');
            await play.turn();
            score.push(counted());
          }
          const length = marks();
          for (let n = 0; n <= length; n++) {
            back.push(marks() + n - length);
            play.press('Back');
          }
          play.cells()[0].click();
          const refused = play.words();
          for (let n = 0; n < length; n++) play.press('Forward');
          const forward = marks() - length;
          play.choose('Opponent', 'person');
          await play.ready();
          play.choose('First move', 'lot');
          for (let n = 0; n < 40; n++) {
            play.press('New game');
            first.push(play.says());
          }
          return [score, back, refused, forward, first];
        }"""
    )
    assert score == [1, 0, 1]
    assert {*back, forward} == {0}  # one mark fewer each time, and all again
    assert "looking back" in refused
    assert {*first} == {"O to move.", "X to move."}


def test_hint_and_why_messages(play):
    tab = play()
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
    assert "cells 2, 4 and 8 win (+1) and cells 5 and 6 draw (0)." in hint
    assert re.search(r"\(O\) took cell \d \(a greedy move\)\. It expected −1 for", why)


def test_set_up_position_and_errors_of_invalid_ones(play):
    tab = play()
    wrong = {
        "XXX......": "ahead",
        "XXXOO": "has 5",
        "XXY......": "“Y”",
        "XXXOOO...": "won before",
        "X" * 500: "500",
    }
    said, typed, here, turn = tab.evaluate(
        """async (wrong) => {
          const text = () => play.root().querySelector('.ttt-text').value, said = [];
          for (const position of wrong) {
            play.setUp(position);
            said.push(play.words());
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
          return [said, typed, here, play.says()];
        }""",
        [*wrong],
    )
    for told, word in zip(said, wrong.values(), strict=True):
        assert told.endswith(".")
        assert word in told
    assert typed == here == "O../.X./..."
    assert turn == "X to move."


BAD = [
    "{",
    "null",
    json.dumps({"o": "nobody"}),
    json.dumps({"overlay": "nothing"}),
    json.dumps({"state": {"first": "X", "start": "XXXOOO...", "moves": [],
                          "score": [0, 0, 0]}}),
    json.dumps({"state": {"first": "X", "start": "." * 9, "moves": [0, 0],
                          "score": [0, 0, 0]}}),
    json.dumps({"state": 7}),
    json.dumps({"o": "mine", "own": [None, {}, 3], "tables": 5}),
    json.dumps({"o": "teacher", "level": "x", "overlay": 4}),
]  # fmt: skip


def test_malformed_board_shows_one_error_and_is_playable(play, tmp_path):
    place = '<div data-ttt-board="{}">words</div>'
    places = "".join(place.format(html.escape(wrong)) for wrong in BAD)
    text = board.Board().to_html()
    text = re.sub(r"<div data-ttt-board=.*?</div>", lambda _: places, text)
    (tmp_path / "boards.html").write_text(text, encoding="utf-8")
    tab = play("boards.html", folder=f"{tmp_path.as_uri()}/")
    tab.wait_for_function(f"document.querySelectorAll('.ttt').length === {len(BAD)}")
    tab.wait_for_function(
        "[...document.querySelectorAll('.ttt-words')].every(w => w.textContent)"
    )
    for ttt, wrong in zip(tab.locator(".ttt").all(), BAD, strict=True):
        said = ttt.locator(".ttt-words").inner_text()
        assert said.count(".") == 1, (wrong, said)
        ttt.get_by_label("You are").select_option("X")
        ttt.locator(".ttt-cell[aria-disabled=false]").first.click()
        ttt.locator("svg").first.wait_for()


def test_thousand_clicks_at_once_make_one_move(play):
    tab = play()
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
    assert (marks, said) == (1, "It is not your turn.")
    game_by(tab, lambda cell: cell.click())


def test_exported_html_is_self_contained(new_tab, tmp_path):
    file = tmp_path / "board.html"
    file.write_text(board.Board(o="q-learning", overlay="agent").to_html(), "utf-8")
    tab, asked = new_tab(), []
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(file.as_uri())
    tab.locator(".ttt-cell").first.wait_for()
    tab.evaluate(HELPERS)
    tab.evaluate("() => play.ready()")
    tab.locator(".ttt-cell").nth(4).click()
    tab.wait_for_function("() => play.says().includes('q-learning (O) takes cell')")
    tab.get_by_label("Opponent").select_option("sarsa")
    tab.wait_for_function("() => play.says().includes('Your move')")
    assert asked == [file.as_uri()]


FAULTS = """async ([where, asked]) => (await axe.run(where,
  { resultTypes: ['violations'], ...asked })).violations
  .map((v) => v.id + ' ' + v.nodes[0].html + v.nodes[0].failureSummary)"""
NAMES = {"label-content-name-mismatch": {"enabled": True}}
AXE_OPTIONS = {  # axe options per mode; in dark mode only colours differ
    "light": {"rules": NAMES | {"target-size": {"enabled": True}}},
    "dark": {"runOnly": ["color-contrast"]},
}


def assert_no_fault(tab, where):
    """Run axe in light and in dark mode."""
    for mode, asked in AXE_OPTIONS.items():
        tab.emulate_media(color_scheme=mode)
        tab.wait_for_selector(f"html[data-theme={mode}]")
        assert tab.evaluate(FAULTS, [where, asked]) == []


def test_boards_in_use_pass_axe(play):
    tab = play(origin="http", size=(390, 844))  # axe fetches the style sheets
    tab.evaluate(Axe().axe_script)
    for details in tab.locator(".ttt-more").all():
        details.evaluate("e => { e.open = true; }")
    for overlay, position in (("value", "X../.O./..."), ("none", "XXX/OO./...")):
        tab.evaluate("o => play.show(o)", overlay)
        tab.evaluate("p => { play.setUp(p); play.press('Hint'); }", position)
        assert_no_fault(tab, ".ttt")


def test_arena_passes_axe(play):
    tab = play("book/play.html", "http", size=(390, 844))
    tab.evaluate(Axe().axe_script)
    tab.evaluate("() => play.press('Nobody can')")
    tab.locator(".ttt-league summary").first.click()
    tab.evaluate(SEATS, {"X": "menace", "O": "random"})
    tab.evaluate("() => play.press('Play 100 games')")
    assert_no_fault(tab, ".ttt-arena :is(.ttt-match, .ttt-league)")
    assert tab.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_keyboard_session_keeps_focus_and_announces(play):
    tab = play()
    words = "() => play.words()"

    def go(name):
        tab.get_by_role("button", name=name, exact=True).focus()
        tab.keyboard.press("Enter")
        return tab.evaluate("() => document.activeElement.textContent")

    tab.locator(".ttt-cell").first.focus()
    tab.keyboard.press("4")  # each cell and button has a key
    tab.wait_for_function("() => play.says().includes('(O) takes cell')")
    assert tab.evaluate("() => document.activeElement === play.cells()[4]")
    for key, said in (("h", "X to move."), ("w", "random (O) took"), ("?", "Keys: ")):
        tab.keyboard.press(key)
        assert tab.evaluate(words).startswith(said)
    tab.keyboard.press("u")
    assert tab.evaluate("() => play.free().length") == 9
    assert go("Undo") == "Undo"
    assert "nothing to undo" in tab.evaluate(words)
    tab.locator(".ttt-more summary").focus()
    tab.keyboard.press("Enter")
    assert go("Set up a position") == "Cancel"
    tab.locator(".ttt-text").first.press("n")  # a letter in a field of text
    tab.locator(".ttt-cell[tabindex='0']").focus()
    here = int(tab.locator(".ttt-cell[tabindex='0'] .ttt-name").inner_text())
    for said in ("X.", "O.", "free.", "X."):
        tab.keyboard.press("Enter")
        assert tab.evaluate(words) == f"Cell {here}: {said}"
    assert go("Play from here") == "Set up a position"
    tab.wait_for_function("() => play.says().includes('(O) takes cell')")
    assert tab.locator(".ttt-cell").nth(here).locator("svg").count() == 1


def test_outlook_bar_shows_best_reply_and_review_the_loss(play):
    tab = play()
    said = tab.evaluate(
        """async () => {
          const bar = () => play.root().querySelector('.ttt-outlook').textContent;
          play.choose('Opponent', 'perfect');
          await play.ready();
          const said = [bar()];
          play.choose('You are', 'O');
          await play.ready();
          play.setUp('X../.O./..X');
          said.push(bar());
          play.cells()[2].click();
          await play.sleep(0);
          said.push(bar());
          while (!play.over()) { play.free()[0].click(); await play.turn(); }
          return [...said, play.words()];
        }"""
    )
    shares = [[int(p) for p in re.findall(r"(\d+) %", text)] for text in said[:3]]
    assert shares == [[0, 100, 0], [0, 100, 0], [0, 0, 100]]
    assert (
        "first move, cell 2, gave away the draw: cells 1, 3, 5 and 7 kept it" in said[3]
    )
    tab.evaluate("() => { play.choose('Opponent', 'person'); }")
    tab.evaluate("async () => { await play.ready(); play.press('New game'); }")
    exact = evaluation.win_draw_loss(GAME, *[policy.uniform(GAME.legal)] * 2)[0]
    told = tab.locator(".ttt-outlook").first.inner_text()
    assert re.findall(r"\d+", told) == [f"{100 * p:.0f}" for p in exact]


def test_print_forced_colours_and_large_fonts(play):
    tab = play(size=(640, 900))
    tab.evaluate("() => play.show('value')")
    tab.emulate_media(media="print")
    for part, seen in {"grid": 1, "legend p": 1, "buttons": 0, "who": 0}.items():
        assert tab.locator(f".ttt-{part}").first.is_visible() == bool(seen), part
    tab.emulate_media(media="screen", forced_colors="active")
    tab.evaluate("() => play.setUp('XXX/OO./...')")
    outline = "all => all.slice(0, 9).map((e) => getComputedStyle(e).outlineStyle)"
    styles = tab.locator(".ttt-cell").evaluate_all(outline)
    assert styles == ["solid"] * 3 + ["none"] * 6, "the line is visible"
    tab.evaluate("() => { document.documentElement.style.fontSize = '200%'; }")
    wide = """() => [...play.root().querySelectorAll('*')].filter((e) =>
      e.checkVisibility() && e.getBoundingClientRect().right > innerWidth)
      .map((e) => e.outerHTML)"""
    assert tab.evaluate(wide) == []


def test_snapshot_slider_shows_values_during_training(play):
    tab = play("book/play.html")
    ttt, corner = tab.locator(".ttt").nth(1), GAME.find("X../.../...")
    slider = ttt.locator(".ttt-slider input").nth(1)
    names = [name for name in io.builtin_names() if name.startswith("snapshot-")]
    names.sort(key=lambda name: int(name.removeprefix("snapshot-")))
    assert int(slider.get_attribute("max")) == len(names) - 1
    # However fast it is moved, the last position counts.
    for places in ([0], [2, 0, len(names) - 1, 1, 4]):
        slider.evaluate(
            """(slider, places) => places.forEach((place) => {
              slider.value = place;
              slider.dispatchEvent(new Event('input'));
            })""",
            places,
        )
        Q = io.read_builtin(names[places[-1]]).Q[corner]
        right = [f"{x:.3f}".replace("-", "−").replace("−0.000", "0.000") for x in Q[1:]]
        tab.wait_for_function(
            """right => [...document.querySelectorAll('.ttt')[1]
              .querySelectorAll('.ttt-number')].map(e => e.textContent)
              .join() === right.join()""",
            arg=right,
        )
