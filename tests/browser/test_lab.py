"""Live boards and labs: JupyterLab with a kernel, in a browser."""

import contextlib
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import nbformat
import pytest
from labs_on_pages import PAGES as LABS

BOOK = Path(__file__).parents[2] / "book"
TIMEOUT = 300_000  # ms; generous, for busy machines
# No dialogs, and no requests to other hosts, when JupyterLab opens.
QUIET = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "notebook-extension/tracker": {
        "autoStartDefaultKernel": True,
        "windowingMode": "none",  # otherwise boards that are not visible leave the DOM
    },
}
TALK = """import numpy as np
from ttt_lib import learning
from ttt_lib.board import Board
from ttt_lib.game import tables
rng = np.random.default_rng(0)
pupil = learning.new_learner(tables(), "q_learning", rng, initial=0.5)
board = Board(agent=pupil, name="pupil", overlay="agent")
heard = []
board.observe(lambda change: heard.append(change.new), "history")
board"""
ACTS = """from ttt_lib.board import Board
board = Board(o="random", arena=True)
heard = []
board.observe(lambda change: heard.append(len(change.new)), "history")
board"""
OWN = """import numpy as np
from ttt_lib import agents
from ttt_lib.board import CustomLearnerLab
from ttt_lib.game import tables
class Tenth(agents.CustomLearner):
    limit = 1000
    def learn(self, game, steps):
        if self.games == self.limit:
            raise ZeroDivisionError("enough games")
        for step in steps:
            self.Q[step.s, step.a] += 0.1 * (steps[-1].r - self.Q[step.s, step.a])
beginner = Tenth(tables(), np.random.default_rng(0))
lab = CustomLearnerLab("What does it learn?", beginner, to=100)
lab"""

EVERY = """from IPython.display import display
from ttt_lib import board
names = [name for name in board.__all__ if name.endswith("Lab")]
names.remove("CustomLearnerLab")  # it has its own notebook
labs = [getattr(board, name)("What moves?") for name in names]
display(*labs)"""

PAGES = {  # name → cells of a notebook; tests run code in the last one
    "talk": [TALK, OWN, ""],
    "acts": [ACTS, ""],
    "every": [EVERY, ""],
}


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """Address of a page in a JupyterLab with the book and notebooks for tests."""
    home = tmp_path_factory.mktemp("lab")
    shutil.copy(BOOK / "02_mdp.ipynb", home)
    for page, cells in PAGES.items():
        notebook = nbformat.v4.new_notebook()
        notebook.cells = [nbformat.v4.new_code_cell(cell) for cell in cells]
        notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
        nbformat.write(notebook, home / f"{page}.ipynb")
    with jupyterlab(home, home) as (address, token):
        yield lambda page: f"{address}lab/tree/{page}.ipynb?token={token}&reset"


@contextlib.contextmanager
def jupyterlab(home, folder):
    """Serve a folder with JupyterLab, its settings in `home`; give (address, token)."""
    for name, values in QUIET.items():
        file = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values), encoding="utf-8")
    token = secrets.token_hex(8)
    options = {
        "ServerApp.token": token,
        "ServerApp.port": 0,  # any free port, written to a file
        "ServerApp.root_dir": folder,
        "ServerApp.open_browser": False,
        "ServerApp.allow_root": True,
    }
    environment = os.environ | {
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    server = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "jupyterlab",
            *(f"--{k}={v}" for k, v in options.items()),
        ],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        info_file = home / "runtime" / f"jpserver-{server.pid}.json"
        address = address_of(server, info_file, token)
        yield address, token
        # This shuts the kernels down; if it hangs, they notice that the server is gone.
        request = urllib.request.Request(
            f"{address}api/shutdown",
            method="POST",
            headers={"Authorization": f"token {token}"},
        )
        with contextlib.suppress(OSError):
            urllib.request.urlopen(request, timeout=5).close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(2)
    finally:
        server.kill()
        server.wait()


def address_of(server, info_file, token):
    """Return the address of a server, once it has written its port and answers."""
    for _ in range(1500):
        try:
            port = json.loads(info_file.read_text(encoding="utf-8"))["port"]
            address = f"http://127.0.0.1:{port}/"
            urllib.request.urlopen(f"{address}api?token={token}", timeout=60).close()
            return address
        except (OSError, ValueError):  # no file, half a file, no answer
            assert server.poll() is None, "JupyterLab does not start"
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.wait(0.2)
    pytest.fail("JupyterLab does not answer")


@pytest.fixture(scope="module")
def run_all(lab, browser):
    """Open a notebook in JupyterLab, once, and run its cells; return the tab."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(TIMEOUT)
    opened = {}

    def run_all(page):
        if page not in opened:
            for other in list(opened):
                opened.pop(other).close()
            opened[page] = tab = context.new_page()
            tab.goto(lab(page))
            tab.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
            menu(tab, "Run", "Run All Cells")
            tab.locator("[data-ttt-live] .ttt-cell").first.wait_for()
        return opened[page]

    yield run_all
    context.close()


def menu(tab, name, entry):
    """Choose an entry of one of JupyterLab's menus."""
    tab.locator(".lm-MenuBar-itemLabel", has_text=re.compile(f"^{name}$")).click()
    tab.locator(".lm-Menu-itemLabel", has_text=re.compile(f"^{entry}$")).click()


def free(tab):
    """The first free cell of the first live board."""
    ttt = tab.locator("[data-ttt-live]").first
    return ttt.locator(".ttt-cell[aria-disabled=false]").first


def play_to_the_end(tab):
    """Play the first live board until the game is over."""
    status = tab.locator("[data-ttt-live] .ttt-status").first

    def wait_for(words):
        """Wait until the status matches; while busy, it has the old text."""
        tab.wait_for_function(
            """(words) => {
              const said = document.querySelector('[data-ttt-live] .ttt-status');
              return said.ariaBusy === 'false' && RegExp(words).test(said.textContent);
            }""",
            arg=words,
        )

    for _ in range(5):
        wait_for("wins?[.]|draw[.]|Your move")
        if "Your move" not in status.inner_text():
            break
        free(tab).click()
    wait_for("wins?[.]|draw[.]")
    return status.inner_text()


def ask(tab, code):
    """Run code in the last cell, and return its output."""
    cell = tab.locator(".jp-Notebook .jp-CodeCell").last
    cell.locator(".cm-content").click()
    tab.keyboard.press("ControlOrMeta+a")
    asked = secrets.token_hex(4)  # distinguishes this output from an earlier one
    tab.keyboard.insert_text(f"{code}\nprint('{asked}')")
    tab.keyboard.press("Control+Enter")
    output = cell.locator(".jp-OutputArea-output", has_text=asked)
    output.wait_for()
    return output.inner_text().removesuffix(f"{asked}\n").strip()


def wait_for_output(tab, code, answer):
    """Wait until code prints an answer, because messages may still be on the way."""
    for _ in range(20):
        if (printed := ask(tab, code)) == answer:
            return
    assert printed == answer


@pytest.mark.long
def test_chapter_in_jupyterlab_has_captions_and_folded_answers(run_all):
    tab = run_all("02_mdp")
    cells = nbformat.read(BOOK / "02_mdp.ipynb", as_version=4).cells
    texts = [cell.metadata.get("mystnb", {}).get("figure", {}) for cell in cells]
    captions = [text["caption"] for text in texts if text]
    assert len(captions) > 3
    for caption in captions:  # up to characters that are rendered differently
        words = re.split(r"['\"$`]", caption)[0].strip()
        tab.locator(".jp-OutputArea-output", has_text=words).wait_for()
    option = tab.locator(".jp-MarkdownCell details", has_text="A. Only")
    assert option.locator("summary .katex").count() == 1
    assert not option.get_by_text("an average over").is_visible()
    option.locator("summary").click()
    option.get_by_text("an average over").wait_for()


LAB = "[...document.querySelectorAll('[data-ttt-live]')].find((e) => e.tttLab).tttLab"
AT = f"() => {LAB}.run.mark"


def test_custom_learner_lab_steps_and_plays(run_all):
    tab = run_all("talk")
    step = tab.get_by_role("button", name="Step", exact=True)
    marks = ["0"]
    while len(marks) < 30 and not marks[-1].startswith("2:"):
        step.click()
        tab.wait_for_function(f"(old) => ({AT})() !== old", arg=marks[-1], polling=10)
        marks.append(tab.evaluate(AT))
    assert marks[1] == "1:1"
    assert len(marks) > 10  # the moves of a game, and its updates
    tab.evaluate(f"() => {LAB}.back()")
    tab.wait_for_function(f"(old) => ({AT})() === old", arg=marks[-2])

    tab.get_by_role("button", name="Run", exact=True).click()
    tab.wait_for_function(f"() => {LAB}.run.mark === '100'")
    shown = tab.locator(".ttt-lab-board .ttt-number b").all_inner_texts()
    whom = "agents.opponent(tables(), 'random')"
    code = f"print(*(f'{{x:.3f}}' for x in beginner.train(tables(), 100, {whom}).Q[0]))"
    assert shown == ask(tab, code).replace("-", "−").split()
    wait_for_output(tab, "print(lab.learner().games, beginner.games)", "100 0")

    # An error of the learner is reported, and the lab does not change.
    ask(tab, "Tenth.limit = 100")
    tab.evaluate(f"() => {LAB}.look('to', '1000')")
    step.click()
    tab.get_by_text("ZeroDivisionError in Python: enough games").wait_for()
    assert tab.evaluate(AT) == "100"


def test_live_board_syncs_trains_and_survives_kernel_restart(run_all):
    tab = run_all("talk")
    play_to_the_end(tab)
    code = "print(board.history == heard[-1], sum(board.score.values()))"
    wait_for_output(tab, code, "True 1")

    tab.get_by_role("button", name="Learn from this game").click()
    report = tab.locator(".ttt-learnt p")
    table = tab.locator(".ttt-learnt table")
    table.wait_for()
    for row in table.locator("tr").all()[1:]:
        old, target, delta, new = (
            float(text.replace("−", "-"))
            for text in row.locator("td").all_inner_texts()[2:]
        )
        assert delta == pytest.approx(target - old, abs=0.0011)
        assert new == pytest.approx(old + 0.1 * delta, abs=0.0011)

    train = tab.get_by_role("button", name="Train", exact=True)
    tab.get_by_label("Train for").select_option("10000")
    train.click()
    tab.get_by_text("Trained for 10,000 games against itself.").wait_for()
    tab.get_by_role("button", name="New game").first.click()
    shown = tab.locator("[data-ttt-live]").first.locator(".ttt-number b")
    code = "print(*(f'{x:.3f}' for x in board.learner.Q[0]))"
    assert shown.all_inner_texts() == ask(tab, code).replace("-", "−").split()

    # Stop interrupts the training.
    tab.get_by_label("Train for").select_option("10000000")
    train.click()
    tab.get_by_role("button", name="Stop").click()
    train.wait_for()
    report.filter(has_text=re.compile(r"^Trained for (?!10,000 )")).wait_for()
    trained = int(re.search(r"[\d,]+", report.inner_text())[0].replace(",", ""))
    assert 0 < trained < 10_000_000

    # Python sets the position, and the page shows it.
    assert ask(tab, "board.position = 'X.O/.../...'; print('set')") == "set"
    tab.get_by_text("Cell 2: O").wait_for(state="attached")

    # The board still works after a restart of the kernel.
    menu(tab, "Kernel", "Restart Kernel…")
    tab.get_by_role("button", name="Confirm Kernel Restart").click()
    tab.get_by_text("The kernel is gone.").first.wait_for()
    assert re.search("win|draw", play_to_the_end(tab))


def says(tab, words):
    """Wait until the first live board shows a text."""
    tab.locator("[data-ttt-live]").first.get_by_text(words).first.wait_for()


@pytest.mark.long
def test_live_board_and_python_notify_each_other(run_all):
    tab = run_all("acts")
    board = tab.locator("[data-ttt-live]").first
    says(tab, "Your move")
    says(tab, "medals, for this visit only.")  # the store is one of the site
    free(tab).click()  # by hand, and the agent replies at once
    says(tab, "random (O) takes cell")
    wait_for_output(tab, "print(heard, board.shown)", "[1, 2] 2")
    board.get_by_role("button", name="Undo").click()
    says(tab, "One move back.")
    wait_for_output(tab, "print(heard, board.position)", "[1, 2, 0] .../.../...")
    ask(tab, "board.history = [4, 0]; board.numbers = 'value'")
    board.get_by_text("Cell 0: O").wait_for(state="attached")
    says(tab, "The exact value for X")
    ask(tab, "board.agents = {'X': 'sarsa', 'O': 'teacher 0.5 lowest'}")
    says(tab, "sarsa (X) to move.")
    ask(tab, "heard.clear(); board.position = '.' * 9")
    board.get_by_role("button", name="Play to the end").click()
    says(tab, re.compile("wins[.]|A draw[.]"))
    code = "print(heard[1:] == [*range(1, len(board.history) + 1)]"
    wait_for_output(tab, f"{code}, sum(board.score.values()))", "True 1")
    board.get_by_label("O is played by").select_option("perfect")
    wait_for_output(tab, "print(board.agents)", "{'X': 'sarsa', 'O': 'perfect'}")
    code = "board.history = [4, 0, 8]; board.shown = 1; print(board.position)"
    assert ask(tab, code) == "O../.X./..X"
    says(tab, "Looking back: after move 1 of 3.")


@pytest.mark.long
def test_every_live_lab_steps_and_is_reset_by_python(run_all):
    tab = run_all("every")
    labs = tab.locator("[data-ttt-live] .ttt-lab")
    labs.nth(len(LABS) - 1).wait_for()
    assert labs.count() == len(LABS)
    all_marks = """() => [...document.querySelectorAll('[data-ttt-live]')]
      .map((each) => each.tttLab.run.mark)"""
    starts = tab.evaluate(all_marks)
    for step in labs.get_by_role("button", name="Step", exact=True).all():
        step.click()
    tab.wait_for_function(
        f"(starts) => ({all_marks})().every((mark, k) => mark !== starts[k])",
        arg=starts,
    )
    marks = tab.evaluate(all_marks)
    wait_for_output(tab, "print([lab.at for lab in labs])", str(marks))
    ask(tab, f"for lab, start in zip(labs, {starts}): lab.at = start")
    tab.wait_for_function(
        f"(starts) => String(({all_marks})()) === String(starts)", arg=starts
    )

    # A setting in Python reaches the page; contradictory settings are reverted.
    ask(tab, "lab = next(each for each in labs if hasattr(each, 'rewards'))")
    ask(tab, "lab.at = '2000'; lab.rewards = (3, 1, -2)")
    learner = "[...document.querySelectorAll('[data-ttt-live]')]"
    learner += ".find((each) => each.tttLab.texts.rewards).tttLab"
    tab.wait_for_function(f"() => {learner}.texts.rewards === '3, 1, -2'")
    ask(tab, "lab.method = 'minimax_q'")
    tab.get_by_text("Nothing has changed: In minimax-q").wait_for()
    wait_for_output(tab, "print(lab.method, lab.at)", "q_learning 2000")
