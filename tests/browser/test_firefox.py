"""Boards, labs and formulas in Firefox, if it is installed.

Firefox is controlled with its own protocol, Marionette, in a few lines, to avoid
another dependency.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import time

import pytest
from common import sample_params
from labs_on_pages import PAGES as LABS
from test_boards import HELPERS, WITH_BOARD

from ttt_lib import search
from ttt_lib.game import tables

TIMEOUT = 300  # seconds; generous, for busy machines
SETTINGS = {
    "marionette.port": 0,  # any free port, written to a file of the profile
    "ui.prefersReducedMotion": 1,
    "network.proxy.type": 1,  # requests to other hosts fail at once
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
}
# Firefox logs this if it draws a page while a formula is half loaded. A test checks
# that loaded formulas are complete.
HALF_READ = "Invalid markup: Incorrect number of children for <m"
# Logged for each bold letter, which the MathML for screen readers writes in a
# deprecated way. It does not affect what is visible.
BOLD_LETTERS = "on MathML elements is deprecated"
IGNORED = HALF_READ, BOLD_LETTERS
MESSAGES = """
  const said = Services.console.getMessageArray()
    .filter(m => m instanceof Ci.nsIScriptError && /^(file|http)/.test(m.sourceName))
    .map(m => m.message);
  Services.console.reset();
  return said;
"""


class Firefox:
    """A Firefox process: `call` sends a command, `run` runs a function in its page."""

    def __init__(self, program, profile):
        lines = (
            f"user_pref({json.dumps(k)}, {json.dumps(v)});" for k, v in SETTINGS.items()
        )
        (profile / "user.js").write_text("\n".join(lines), "utf-8")
        command = [program, "--headless", "--marionette", "--no-remote"]
        command += ["--remote-allow-system-access", "--profile", profile]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"HOME": str(profile), "MOZ_HEADLESS": "1"},
        )
        port, end = profile / "MarionetteActivePort", time.monotonic() + TIMEOUT
        while not (port.exists() and port.read_text("utf-8")):
            assert self.process.poll() is None, "Firefox has ended"
            assert time.monotonic() < end, "Firefox does not listen"
            time.sleep(0.05)
        self.wire = socket.create_connection(
            ("127.0.0.1", int(port.read_text("utf-8"))), timeout=TIMEOUT
        )
        self.stream = self.wire.makefile("rb")
        self.sent = 0
        self.receive()  # the greeting
        limits = {"script": TIMEOUT * 1000, "pageLoad": TIMEOUT * 1000}
        self.call(
            "WebDriver:NewSession", capabilities={"alwaysMatch": {"timeouts": limits}}
        )

    def receive(self):
        """Return the next message: its length in decimals, a colon, JSON."""
        digits = b""
        while (byte := self.stream.read(1)) != b":":
            assert byte, "Firefox has hung up"
            digits += byte
        return json.loads(self.stream.read(int(digits)))

    def call(self, command, **parameters):
        """Return the answer to a command."""
        self.sent += 1
        message = json.dumps([0, self.sent, command, parameters]).encode()
        self.wire.sendall(b"%d:%s" % (len(message), message))
        _, _, error, answer = self.receive()
        assert error is None, error
        return answer

    def open(self, address):
        self.call("WebDriver:Navigate", url=address)

    def run(self, function, *arguments):
        """Return the result of a JavaScript function, async or not, in the page."""
        script = f"return ({function})(...arguments)"
        answer = self.call(
            "WebDriver:ExecuteScript", script=script, args=list(arguments)
        )
        return answer["value"]

    def messages(self):
        """Return the console messages of pages since the last call."""
        self.call("Marionette:SetContext", value="chrome")
        said = self.call("WebDriver:ExecuteScript", script=MESSAGES, args=[])["value"]
        self.call("Marionette:SetContext", value="content")
        return [each for each in said if not any(text in each for text in IGNORED)]

    def close(self):
        self.call("Marionette:Quit", flags=["eForceQuit"])
        self.stream.close()
        self.wire.close()
        self.process.wait(TIMEOUT)


@pytest.fixture(scope="module")
def firefox(site, tmp_path_factory):
    """A headless Firefox; skip if it is not installed."""
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if program is None and os.environ.get("REQUIRE_FIREFOX") != "1":
        pytest.skip("THE SITE IS NOT TESTED IN FIREFOX: it is not installed.")
    assert program, "Firefox is required, but not installed"
    firefox = Firefox(program, tmp_path_factory.mktemp("firefox"))
    yield firefox
    firefox.close()


@pytest.fixture
def board(firefox, site):
    """Open a page from a file, and wait until its first board is ready."""

    def board(page):
        firefox.open((site / page).as_uri())
        firefox.run(HELPERS)
        firefox.run("async () => { while (!play.root()) await play.sleep(5); }")
        firefox.run("() => play.ready()")
        return firefox

    return board


@pytest.mark.parametrize("page", sample_params(WITH_BOARD, 1))
def test_game_is_played_to_its_end(page, board):
    firefox = board(page)
    said = firefox.run(
        """async () => {
          const next = [...play.root().querySelectorAll('button')]
            .find(b => b.textContent === 'Next move' && b.checkVisibility());
          if (next) { play.choose('X is played by', 'person'); await play.ready(); }
          while (!play.over()) {
            if (play.says()) play.free()[0].click();
            await play.sleep(1);
          }
          return play.says();
        }"""
    )
    assert re.search(r"wins?\.|draw\.", said)
    assert firefox.messages() == []


def test_exact_values_and_move_by_keyboard(board):
    firefox, game = board("book/before.html"), tables()
    shown = firefox.run(
        """() => {
          play.show('value');
          play.cells()[0].focus();
          return play.cells().map(cell => cell.querySelector('b').textContent);
        }"""
    )
    assert [float(text) for text in shown] == search.solve(game).Q[0].tolist()
    keys = [{"type": kind, "value": "4"} for kind in ("keyDown", "keyUp")]
    actions = [{"type": "key", "id": "keys", "actions": keys}]
    firefox.call("WebDriver:PerformActions", actions=actions)
    said = firefox.run(
        "async () => { do await play.sleep(1); while (!play.says().includes('cell 4'));"
        "return play.says(); }"
    )
    assert "You (X) take cell 4." in said


@pytest.mark.parametrize("kind", sample_params(LABS, 3))
def test_lab_steps_plays_and_goes_back(kind, firefox, site):
    firefox.open((site / f"book/{LABS[kind][-1]}.html").as_uri())
    known = firefox.run(
        """async (kind) => {
          const sleep = () => new Promise((done) => setTimeout(done, 5));
          const labs = [...document.querySelectorAll('[data-ttt-lab]')];
          const lab = labs.map((each) => each.tttLab)
            .find((each) => each.setup.kind === kind);
          while (!lab.stepButton) await sleep();
          const marks = [lab.run.mark];
          await lab.step();
          marks.push(lab.run.mark);
          lab.playButton.click();
          while (lab.run.mark === marks[1] || lab.busy) await sleep();
          lab.playing = false;
          await sleep();
          while (lab.playButton.textContent === 'Pause') await sleep();
          marks.push(lab.run.mark);
          while (lab.run.mark !== marks[0]) await lab.back();
          return [...marks, lab.run.mark, lab.run.description(),
            lab.notice.textContent];
        }""",
        kind,
    )
    start, one, later, back, words, notice = known
    assert len({start, one, later}) == 3
    assert back == start
    assert "Nothing has changed" not in notice
    assert words
    assert firefox.messages() == []


def test_formulas_are_visible_and_complete(firefox, site):
    firefox.open((site / "book/02_mdp.html").as_uri())
    count, faults = firefox.run(
        """() => {
          for (const fold of document.querySelectorAll('details')) fold.open = true;
          const drawn = [...document.querySelectorAll('.katex-html')];
          const pairs = [...document.querySelectorAll('msub, msup, mfrac, mover')];
          return [drawn.length, [...drawn.filter((e) => !e.offsetWidth),
            ...pairs.filter((e) => e.children.length !== 2)].map((e) => e.outerHTML)];
        }"""
    )
    assert count > 9
    assert faults == []
