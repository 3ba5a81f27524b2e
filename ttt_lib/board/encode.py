"""Tables of the game and of agents in the form that the boards' scripts read.

Whatever the script knows of the rules, of values and of agents stands in these tables:
each array is compressed, and action values are rounded as Python prints them.
"""

import base64
import json
import zlib
from functools import cache
from importlib import resources

import numpy as np

from ttt_lib import learning, search, theme
from ttt_lib.agents import as_agent, builtin_names, load
from ttt_lib.agents.builtin import AGENTS
from ttt_lib.board import standings
from ttt_lib.game import tables
from ttt_lib.policy import best

# In the order in which they are read; those before `elements.js` need no page.
SCRIPTS = (
    "format.js",
    "game.js",
    "policy.js",
    "agents.js",
    "colours.js",
    "overlays.js",
    "messages.js",
    "play.js",
    "elements.js",
    "grid.js",
    "match.js",
    "view.js",
    "kernel.js",
    "bootstrap.js",
)
# Of the labs, in `static/labs`: the rooms that need no page but those of a board; …
PURE = (
    "mt19937",
    "schedules",
    "parsing",
    "learning",
    "evaluation",
    "symmetry",
    "menace",
    "bandit_methods",
    "mdp",
    "planning",
    "minimax",
    "uct",
    "python",
)
# … what all labs load; and what each of them loads besides, its own script at last.
COMMON = "mt19937", "schedules", "parsing", "chart", "lab"
LABS = {
    "learner": ("learning", "evaluation", "python", "learner"),
    "backup": ("backup",),
    "sweeps": ("mdp", "planning", "sweeps"),
    "on_off_policy": ("evaluation", "on_off_policy"),
    "matchboxes": ("symmetry", "menace", "matchbox_drawing", "matchboxes"),
    "minimax_tree": ("minimax", "minimax_tree"),
    "minimax_map": ("symmetry", "minimax_map"),
    "bandit": ("bandit_methods", "bandit"),
    "cross_table": ("cross", "cross_table"),
    "uct_search": ("uct", "uct_search"),
}
# It asks Python for all that it shows, so no page has it.
LIVE = {"custom_learner": ("learning", "evaluation", "learner", "custom_learner")}
# Agents that need no file of their own: the tables of the game say all about them.
SIMPLE = {
    "random": "Every free cell is equally likely.",
    "best-against-random": "Nobody's wins minus losses against random moves are "
    "larger (evaluation.best_response).",
    "perfect": "It makes no mistakes, and chooses by lot among its best moves "
    "(search.solve).",
    "teacher": "Perfect with a probability of its own at each move, else random.",
}


def names():
    """Return the names of the agents that every board can load."""
    return [*SIMPLE, *_listed()]


@cache
def entries():
    """Return what boards say of each of `names` before it is loaded."""
    return [_entry(name) for name in names()]


def keys(entry):
    """Return the keys of an entry's tables: one, or one for each frame of a slider."""
    frames = range(len(entry.get("frames", ())))
    numbered = [f"{entry['name']}-{i}" for i in frames]
    return entry.get("files") or numbered or [entry["name"]]


def known(agent):
    """Return the table of whoever `as_agent` knows: a policy, a learner, an Agent.

    Raises ValueError if it has no policy, or is one of another game.
    """
    who = as_agent(tables(), agent)
    table = _table(who.on(who.side), who.Q, who.side, who.rewards)
    return table if who.taught == who.side else table | {"taught": who.taught}


@cache
def shipped(name):
    """Return the table of an agent that comes with the book."""
    return known(load(name))


@cache
def shared():
    """Return what all boards of a page share: the game, and who can be chosen."""
    game = tables()
    answer = load("best-against-random")
    return {
        "rows": game.rows,
        "columns": game.columns,
        "lines": game.lines.tolist(),
        "codes": _packed(np.diff(game.code, prepend=0), "i2"),
        "outcome": _packed(game.outcome, "i1"),
        "value": _packed(search.solve(game).Q[game.legal], "i1"),
        "best": known(answer.policy) | {"greedy": True},
        "agents": entries(),
    }


def methods():
    """Return what the labs are told of each of `learning.METHODS`."""
    keys = "code", "description", "learns", "is_prediction", "steps", "lambda_"
    return [
        {"name": name} | {key: getattr(row, key) for key in keys}
        for name, row in learning.METHODS.items()
    ]


def scripts():
    """Return the files of a page with boards, name → text.

    They are `theme.css`, `board.css`, `board.js`, `tables.js`, which is loaded last,
    and `agents/NAME.js` for each agent that comes with the book: a board loads it when
    it is chosen. Between board and tables a page with an arena loads `arena.js`, and
    one with labs `labs.js`, `labs.css` and `labs/SCRIPT.js` for each of the `rooms` of
    its labs.
    """
    files = {"theme.css": theme.css(), "board.css": file("board.css")}
    files |= {"labs.css": file("labs.css"), "board.js": script(), "labs.js": common()}
    files["arena.js"] = arena()
    files |= {f"labs/{name}.js": room(name) for name in rooms(LABS)}
    files["tables.js"] = shared_script()
    agents = [name for name in builtin_names() if name not in SIMPLE]
    return files | {f"agents/{name}.js": agent_script(name) for name in agents}


def script():
    """Return the scripts of a board as one, without tables."""
    return "".join(map(file, SCRIPTS))


def shared_script():
    """Return the script with what all boards of a page share."""
    return f"ttt.board.tables({to_json(shared())});\n"


def agent_script(name):
    """Return the script with the table of an agent that comes with the book."""
    return f'ttt.board.register("{name}", {to_json(shipped(name))});\n'


def arena():
    """Return what an arena loads besides, as one script."""
    return f"ttt.CARDS = {to_json(standings.cards(entries()))};\n" + file("arena.js")


def engine(setup):
    """Return the scripts of one board, given its settings, without tables."""
    return script() + (arena() if setup.get("arena") else "")


def common():
    """Return what all labs load as one script."""
    told = f"ttt.METHODS = {to_json(methods())};\n"
    return told + "".join(map(room, COMMON))


def lab(kind):
    """Return what one kind of lab loads besides, as one script."""
    return "".join(map(room, (LABS | LIVE)[kind]))


def rooms(kinds):
    """Return the names of the rooms that some kinds of lab load besides, in order."""
    return list(dict.fromkeys(name for kind in kinds for name in LABS[kind]))


def room(name):
    """Return the script of a room of the labs; `cross` is made of the library's."""
    if name == "cross":
        return f"ttt.CROSS = {to_json(standings.cross())};\n"
    return file(f"labs/{name}.js")


def styles():
    """Return the styles of a board as one."""
    return theme.css() + file("board.css")


def file(name):
    """Return the text of a file that comes with the library."""
    path = resources.files("ttt_lib.board").joinpath("static", name)
    return path.read_text(encoding="utf-8")


def to_json(thing):
    """Return JSON that may stand inside a script of a page."""
    text = json.dumps(thing, separators=(",", ":"), allow_nan=False)
    return text.replace("</", "<\\/")


def _listed():
    """Return the agents that come with the book in files, one for all snapshots."""
    files = [name for name in builtin_names() if name not in SIMPLE]
    alone = [name for name in files if AGENTS[name].group != "snapshot"]
    return alone if len(alone) == len(files) else [*alone, "snapshot"]


def _entry(name):
    """Return what a board says of an agent before it is loaded.

    If nothing else is said, it has learned, and its label is its name.
    """
    if name in SIMPLE:
        return {"name": name, "group": "exact", "made": SIMPLE[name]}
    if name == "snapshot":
        files = [each for each, recipe in AGENTS.items() if recipe.group == name]
        games = [AGENTS[each].games for each in files]
        return {
            "name": name,
            "label": "a learner in training",
            "made": load(files[-1]).made,
            "frames": [f"{n:,} game{'s' * (n != 1)}" for n in games],
            "files": files,
        }
    entry = {"name": name, "made": load(name).made}
    group = AGENTS[name].group
    return entry if group == "learned" else entry | {"group": group}


def _table(policy, Q, side, rewards):
    game = tables()
    table = {"side": side, "policy": _packed_policy(policy[game.legal])}
    if Q is None:
        return table
    # Colours run from a win's reward to its negative, light at 0; what is worse than
    # that, because a loss costs more than a win brings, is as dark as can be.
    win, worst = float(max(rewards)), min(rewards)
    return table | {
        "q": _packed_values(Q[game.legal]),
        "greedy": bool((best(Q, game.legal) | (policy == 0)).all()),
        "limits": [-win if worst < 0 else 0.0, win],
    }


def _packed(numbers, kind):
    raw = np.asarray(numbers).astype(f"<{kind}").tobytes()
    data = base64.b64encode(zlib.compress(raw, 9)).decode()
    return {"type": kind, "data": data}


def _packed_policy(p):
    """Return probabilities exactly: the few there are, and which one stands where."""
    palette, index = np.unique(p, return_inverse=True)
    kind = "u1" if len(palette) < 2**8 else "u2"
    return _packed(index, kind) | {"palette": palette.tolist()}


def _packed_values(q):
    """Return action values in thousandths, rounded as Python prints three decimals."""
    values, where = np.unique(q, return_inverse=True)
    rounded = np.array([int(f"{x:.3f}".replace(".", "")) for x in values.tolist()])
    kind = "i2" if abs(rounded).max() < 2**15 else "i4"
    return _packed(rounded[where], kind) | {"unit": 1000}
