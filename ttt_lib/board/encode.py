"""Encoding of tables and agents for the scripts of boards and labs, and their files.

The scripts take the rules, the values and the agents from these tables. Each array is
compressed, and action values are rounded as Python prints them.
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
from ttt_lib.board import runs, standings
from ttt_lib.game import tables
from ttt_lib.policy import best

# In loading order; the scripts before `elements.js` need no DOM.
SCRIPTS = (
    "format.js",
    "game.js",
    "policy.js",
    "agents.js",
    "colours.js",
    "review.js",
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
# Scripts in `static/labs` that need no DOM.
PURE = (
    "mt19937",
    "schedules",
    "parsing",
    "learning",
    "evaluation",
    "slips",
    "features",
    "symmetry",
    "menace",
    "bandit_methods",
    "mdp",
    "planning",
    "sweep_run",
    "minimax",
    "tree_search",
    "uct",
    "python",
)
# Scripts that every lab loads, and those that each kind loads in addition.
COMMON = "mt19937", "schedules", "parsing", "chart", "lab"
LABS = {
    "learner": (
        "learning",
        "evaluation",
        "python",
        "symmetry",
        "skyline",
        "comparison",
        "learner",
    ),
    "backup": ("backup",),
    "sweeps": ("mdp", "planning", "sweep_run", "floor", "sweeps"),
    "on_off_policy": ("evaluation", "slips", "on_off_policy"),
    "matchboxes": (
        "symmetry",
        "menace",
        "matchbox_drawing",
        "matchbox_run",
        "matchbox_wall",
        "own_menace",
        "matchboxes",
    ),
    "minimax_tree": ("minimax", "tree_search", "minimax_tree"),
    "minimax_map": ("symmetry", "minimax_map"),
    "bandit": ("bandit_methods", "bandit_run", "bandit"),
    "cross_table": ("cross", "match_table", "cross_table"),
    "uct_search": ("uct", "uct_search"),
}
# Labs that work only in a notebook, because Python does the computation.
NOTEBOOK_LABS = {
    "custom_learner": (
        "learning",
        "evaluation",
        "symmetry",
        "skyline",
        "learner",
        "custom_learner",
    )
}
# Agents that need no file of their own: they follow from the tables of the game.
SIMPLE = {
    "random": "Every free cell is equally likely.",
    "best-against-random": "Nobody's wins minus losses against random moves are "
    "larger (evaluation.best_response).",
    "perfect": "It makes no mistakes, and chooses at random among its best moves "
    "(search.solve).",
    "teacher": "Perfect with a probability of its own at each move, else random.",
}


def names():
    """Return the names of the agents that every board can load."""
    return [*SIMPLE, *_listed()]


@cache
def entries():
    """Return the descriptions of all `names`, which boards list before loading them."""
    return [_entry(name) for name in names()]


def keys(entry):
    """Return the keys of an entry's tables: one, or one for each frame of a slider."""
    frames = range(len(entry.get("frames", ())))
    numbered = [f"{entry['name']}-{i}" for i in frames]
    return entry.get("files") or numbered or [entry["name"]]


def known(agent):
    """Return the encoded table of anything that `as_agent` accepts.

    Raises ValueError if it has no policy, or belongs to another game.
    """
    agent = as_agent(tables(), agent)
    table = _table(agent.on(agent.side), agent.Q, agent.side, agent.rewards)
    return table if agent.taught == agent.side else table | {"taught": agent.taught}


@cache
def shipped(name):
    """Return the encoded table of a built-in agent."""
    return known(load(name))


@cache
def shared():
    """Return the data shared by all boards of a page: the game, and all entries."""
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
    """Return the properties of `learning.METHODS` that the labs use."""
    keys = "code", "description", "learns", "is_prediction", "steps", "lambda_"
    return [
        {"name": name} | {key: getattr(row, key) for key in keys}
        for name, row in learning.METHODS.items()
    ]


def scripts():
    """Return the files of a page with boards, name → text.

    They are `theme.css`, `board.css`, `board.js`, `tables.js`, which is loaded last,
    and `agents/NAME.js` for each built-in agent, which a board loads when the agent is
    chosen. Between board and tables a page with an arena loads `arena.js`, the front
    page `ladder.js`, and one with labs `labs.js`, `labs.css` and `labs/NAME.js` for
    each of the `lab_script_names`, with `labs/runs_NAME.js` for a comparison.
    """
    files = {"theme.css": theme.css(), "board.css": file("board.css")}
    files |= {"labs.css": file("labs.css"), "board.js": script(), "labs.js": common()}
    files |= {"arena.js": arena(), "ladder.js": ladder()}
    stored = [f"runs_{name}" for name in runs.names()]
    for name in [*lab_script_names(LABS), *stored]:
        files[f"labs/{name}.js"] = lab_script(name)
    files["tables.js"] = shared_script()
    agents = [name for name in builtin_names() if name not in SIMPLE]
    return files | {f"agents/{name}.js": agent_script(name) for name in agents}


def script():
    """Return the scripts of a board as one, without tables."""
    return "".join(map(file, SCRIPTS))


def shared_script():
    """Return the script with the `shared` data."""
    return f"ttt.board.tables({to_json(shared())});\n"


def agent_script(name):
    """Return the script with the table of a built-in agent."""
    return f'ttt.board.register("{name}", {to_json(shipped(name))});\n'


def arena():
    """Return the scripts that an arena loads in addition, as one."""
    data = f"ttt.CARDS = {to_json(standings.cards(entries()))};\n"
    return data + file("medals.js") + file("arena.js")


def ladder():
    """Return the scripts of the skyline and the ladder on the front page, as one."""
    parts = map(lab_script, ("symmetry", "skyline"))
    return "".join(parts) + file("ladder.js")


def engine(setup):
    """Return the scripts of one board, given its settings, without tables."""
    return script() + (arena() if setup.get("arena") else "")


def common():
    """Return the scripts that all labs load, as one."""
    data = f"ttt.METHODS = {to_json(methods())};\n"
    return data + "".join(map(lab_script, COMMON))


def lab(kind):
    """Return the scripts that one kind of lab loads in addition, as one."""
    return "".join(map(lab_script, (LABS | NOTEBOOK_LABS)[kind]))


def lab_script_names(kinds):
    """Return the names of the scripts that these kinds of lab load, in order."""
    return list(dict.fromkeys(name for kind in kinds for name in LABS[kind]))


def lab_script(name):
    """Return a script of the labs by name.

    Two kinds are generated: `cross` is the cross table, and `runs_NAME` has the stored
    learners of a comparison.
    """
    if name == "cross":
        return f"ttt.CROSS = {to_json(standings.cross())};\n"
    if name.startswith("runs_"):
        stored = name.removeprefix("runs_")
        return f"(ttt.RUNS ??= {{}}).{stored} = {to_json(runs.packed(stored))};\n"
    return file(f"labs/{name}.js")


def styles():
    """Return the styles of a board as one."""
    return theme.css() + file("board.css")


def file(name):
    """Return the text of a file in `static`."""
    path = resources.files("ttt_lib.board").joinpath("static", name)
    return path.read_text(encoding="utf-8")


def to_json(thing):
    """Return JSON that is safe inside a <script> element."""
    text = json.dumps(thing, separators=(",", ":"), allow_nan=False)
    return text.replace("</", "<\\/")


def _listed():
    """Return the names of the built-in agents, with one name for all snapshots."""
    files = [name for name in builtin_names() if name not in SIMPLE]
    single = [name for name in files if AGENTS[name].group != "snapshot"]
    return single if len(single) == len(files) else [*single, "snapshot"]


def _entry(name):
    """Return the description of an agent, which a board lists before loading it.

    By default its group is "learned", and its label is its name.
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
    # Colours run from a win's reward to its negative, light at 0. Values below that,
    # possible if a loss costs more than a win pays, have the darkest colour.
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
    """Return probabilities exactly, as a palette of values and an index for each."""
    palette, index = np.unique(p, return_inverse=True)
    kind = "u1" if len(palette) < 2**8 else "u2"
    return _packed(index, kind) | {"palette": palette.tolist()}


def _packed_values(q):
    """Return action values in thousandths, rounded as Python prints three decimals."""
    values, index = np.unique(q, return_inverse=True)
    rounded = np.array([int(f"{x:.3f}".replace(".", "")) for x in values.tolist()])
    kind = "i2" if abs(rounded).max() < 2**15 else "i4"
    return _packed(rounded[index], kind) | {"unit": 1000}
