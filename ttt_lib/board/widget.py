"""The playable board: live in a notebook, and on a page without Python.

What is played is `board_play.js`, what is seen and pressed `board.js`; here is what
Python hears and says.
A stored board is a short text, the same each time; on a page, the files of
`board_tables.scripts` bring it to life.
"""

import asyncio
import html
from typing import NamedTuple

import anywidget
import traitlets

from ttt_lib import learning, notation
from ttt_lib.agents import recipes, storage
from ttt_lib.board import tables as board_tables
from ttt_lib.doors import demand
from ttt_lib.game import tables

OVERLAYS = ("none", "value", "best", "random", "agent", "policy")
STARTS = ("X", "O", "lot")
REPORTS = 50  # of the progress of a training
MODULE = "{}\nexport default {{ render: ttt.board.render }};\n"
VIEW = "application/vnd.jupyter.widget-view+json"


class Move(NamedTuple):
    """One move on a board, as `Board.on_move` tells it."""

    mark: str  #: "X" or "O"
    cell: int  #: where it was put
    position: str  #: the board afterwards


def settings(
    x="person",
    o=None,
    agent=None,
    name="agent",
    position=None,
    first="X",
    starts=None,
    overlay="none",
    agents=None,
    level=0.9,
    arena=False,
    title="Tic-tac-toe",
    slider="Trained",
):
    """Return what a page must know of a board.

    x, o: who plays: "person", "random", "perfect", "best-against-random", "teacher",
    another agent that comes with the book, "snapshot" for a learner in mid-training.
    agent: one's own, a policy (S, A), a Learner or a storage.Agent, called `name`; it
    plays O unless told otherwise. A dictionary label → agent puts them on a `slider`.
    position: where games start, as `Game.find` reads it; `first` moves first there.
    starts: who moves first in later games, "X", "O" or "lot".
    overlay: the numbers on the cells, one of OVERLAYS.
    agents: names of those to choose from, None for all. level: the teacher's p.
    arena: whether both sides can be given to agents. title: what the board is called.
    Raises ValueError if one of them makes no sense.
    """
    own, packed = _own(agent, name, slider)
    o = o or (name if own else "random")
    starts = first if starts is None else starts
    known = ["person", *board_tables.names(), *own]
    for who in (x, o, *(agents or ())):
        demand(who in known, f"{who!r} cannot play: choose from {', '.join(known)}")
    demand(overlay in OVERLAYS, f"overlay = {overlay!r}: take one of {OVERLAYS}")
    demand(first in ("X", "O"), f"first = {first!r}: 'X' or 'O' moves first")
    demand(starts in STARTS, f"starts = {starts!r}: take one of {STARTS}")
    demand(0 <= level <= 1, f"level = {level}: give a number from 0 to 1")
    setup = {"x": x, "o": o, "starts": starts, "overlay": overlay, "title": title}
    if agents is not None:
        others = [who for who in (x, o) if who != "person" and who not in own]
        setup["agents"] = list(dict.fromkeys([*agents, *others]))
    if "teacher" in (x, o):
        setup["level"] = level
    if arena:
        setup["arena"] = True
    if own:
        setup |= {"own": list(own.values()), "tables": packed}
    if position is not None:
        setup["state"] = _state_at(position, first)
    return setup


class Board(anywidget.AnyWidget):
    """A board to play on, with the numbers of any agent on its cells.

    Its arguments are those of `settings`.
    If the agent is a Learner, the live board can teach it.
    Raises ValueError if an argument makes no sense.
    """

    _setup = traitlets.Dict().tag(sync=True)
    _state = traitlets.Dict(allow_none=True).tag(sync=True)
    _tables = traitlets.Dict().tag(sync=True)
    _esm = traitlets.Unicode().tag(sync=True)
    _css = traitlets.Unicode().tag(sync=True)
    _made = 0

    def __init__(self, x="person", o=None, agent=None, name="agent", **more):
        setup = settings(x, o, agent, name, **more)
        state = setup.pop("state", None)
        self._name, self._learner = name, None
        if isinstance(agent, learning.Learner):
            self._learner = agent
            setup["learner"] = name
        self._heard, self._stopped, self._training = [], False, None
        # A number instead of chance: a notebook that is run again stays the same file.
        Board._made += 1
        super().__init__(
            _setup=setup,
            _state=state,
            _tables=board_tables.shared(),
            _esm=MODULE.format(board_tables.script()),
            _css=board_tables.file("board.css"),
            model_id=f"ttt-board-{Board._made}",
        )
        self.on_msg(self._hear)
        self.observe(self._tell, "_state")

    # What Python reads and sets

    @property
    def position(self):
        """The board as text, rows divided by `/`; set it as `Game.find` reads it."""
        return _text(self._after(self.history), self._now["first"])

    @position.setter
    def position(self, board):
        first = self._now["first"]
        if isinstance(board, str):  # who has a mark more has moved first
            more = board.upper().count("X") - board.upper().count("O")
            first = {1: "X", -1: "O"}.get(more, first)
        kept = {"score": self._now["score"], "game": self._now["game"] + 1}
        self._state = _state_at(board, first) | kept

    @property
    def history(self):
        """The cells of all moves since the start of the game, in their order."""
        return list(self._now["moves"])

    @history.setter
    def history(self, moves):
        self._state = _checked(self._now | {"moves": list(moves), "counted": False})

    @property
    def score(self):
        """The counts of games that X won, of draws, and of those that O won."""
        return dict(zip(("X", "draw", "O"), self._now["score"], strict=True))

    @score.setter
    def score(self, score):
        fits = isinstance(score, dict) and set(score) == {"X", "draw", "O"}
        demand(fits, f"score = {score!r}: give the counts of 'X', 'draw' and 'O'")
        counts = [score["X"], score["draw"], score["O"]]
        self._state = _checked(self._now | {"score": counts})

    @property
    def learner(self):
        """The learner as it is now, if the agent is one, else None."""
        return self._learner

    def on_move(self, function):
        """Call function(move) with a Move after each move on the board."""
        self._heard.append(function)

    @property
    def _now(self):
        return self._state or _empty(self._setup["starts"])

    def _after(self, moves):
        return _after(self._now, moves)

    @traitlets.validate("_state")
    def _check(self, proposal):
        try:
            return _checked(proposal["value"])
        except ValueError as fault:  # the widgets go back for no other error
            raise traitlets.TraitError(str(fault)) from None

    def _tell(self, change):
        """Tell those who asked about the moves that are new in a state."""
        old, new = change["old"] or _empty(change["new"]["first"]), change["new"]
        moves, known = new["moves"], 0
        if all(old[key] == new[key] for key in ("game", "first", "start")):
            while moves[: known + 1] == old["moves"][: known + 1] and known < len(
                moves
            ):
                known += 1
        for n in range(known, len(moves)):
            side = tables().to_move[self._after(moves[:n])]
            mark = notation.marks(new["first"])[0 if side == 1 else 1]
            position = _text(self._after(moves[: n + 1]), new["first"])
            for function in self._heard:
                function(Move(mark, moves[n], position))

    # What the script asks for

    def _hear(self, _, content, buffers):
        try:
            if "load" in content:
                name = content["load"]
                self.send({"agent": name, "table": board_tables.shipped(name)})
            elif "learn" in content:
                self._learn(content["learn"])
            elif "train" in content:
                opponent = recipes.opponent(tables(), content["against"])
                # A task, so that the kernel hears "stop" between two chunks.
                self._stopped = False
                training = self._train(content["train"], content["against"], opponent)
                self._training = asyncio.ensure_future(training)
            elif "stop" in content:
                self._stopped = True
        except ValueError as fault:
            self.send({"fault": str(fault)})

    def _learn(self, marks):
        """Let the agent learn from the game on the board; it played `marks`."""
        moves, side = self.history, 0
        demand(
            self._after([]) == 0, "Only whole games, from the empty board, are learnt"
        )
        if len(marks) == 1:
            side = +1 if marks[0] == self._now["first"] else -1
        after, log = learning.learn_game(tables(), self._learner, moves, side)
        rows = [
            [n + 1, moves[n], *row]
            for n, row in enumerate(log.tolist())
            if row[0] == row[0]  # NaN: nothing was learnt from this move
        ]
        self._learnt(after, "It has learnt from this game.", rows)

    async def _train(self, games, against, opponent):
        learner, done = self._learner, 0
        while done < games and not self._stopped:
            chunk = min(max(1, games // REPORTS), games - done)
            learner = learning.train(tables(), learner, chunk, opponent)
            done += chunk
            self.send({"progress": done / games})
            await asyncio.sleep(0.001)
        whom = "itself" if opponent is None else against
        self._learnt(learner, f"Trained for {_games(done)} against {whom}.")

    def _learnt(self, learner, told, rows=None):
        self._learner = learner
        own = self._setup["tables"] | {self._name: board_tables.known(learner)}
        self._setup = self._setup | {"tables": own}
        told = f"{told} It has seen {_games(learner.games)}."
        self.send({"learnt": told, "rows": rows})

    # What is stored

    def _stored(self):
        """Return the settings that a page without Python needs."""
        setup = {key: self._setup[key] for key in self._setup if key != "learner"}
        return setup if self._state is None else setup | {"state": self._state}

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        who = f"X is {self._setup['x']}, O is {self._setup['o']}"
        return {
            "text/plain": f"Board: {who}, position {self.position}",
            "text/html": mount(self._stored()),
            VIEW: data[VIEW],
        }, metadata

    def to_html(self):
        """Return one page that holds this board and all that it needs."""
        files, setup = board_tables.scripts(), self._stored()
        chosen = setup.get("agents")
        agents = [
            files[f"agents/{key}.js"]
            for entry in board_tables.shared()["agents"]
            if entry["name"] not in board_tables.SIMPLE
            and (chosen is None or entry["name"] in chosen)
            for key in entry.get("files", [entry["name"]])
        ]
        return PAGE.format(
            title=html.escape(setup["title"]),
            css=files["board.css"],
            mount=mount(setup),
            js="\n".join([files["board.js"], *agents, files["tables.js"]]),
        )


PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font-family: system-ui, sans-serif; margin: 1rem auto; max-width: 50rem; }}
main {{ padding: 0 1rem; }}
{css}</style>
</head>
<body>
<main>
<h1>{title}</h1>
{mount}
</main>
<script>
{js}
</script>
</body>
</html>
"""


def mount(setup):
    """Return the place of a board on a page, with words for where no script runs."""
    return (
        f'<div data-ttt-board="{html.escape(board_tables.to_json(setup))}">'
        "<p>A playable board stands here. It needs JavaScript; in a notebook, run this "
        "cell.</p></div>"
    )


def _own(agent, name, slider):
    """Return the entry and the tables of an agent that a page brings along."""
    if agent is None:
        return {}, {}
    taken = ["person", *board_tables.names(), *storage.shipped()]
    demand(name not in taken, f"name = {name!r} is taken: choose another")
    entry = {"name": name, "label": name, "group": "own"}
    if isinstance(agent, storage.Agent):
        entry["made"] = agent.made
    if not isinstance(agent, dict):
        return {name: entry}, {name: board_tables.known(agent)}
    demand(len(agent) > 0, "agent = {}: a slider needs at least one agent")
    entry |= {"frames": [str(label) for label in agent], "slider": slider}
    frames = [board_tables.known(each) for each in agent.values()]
    return {name: entry}, {f"{name}-{i}": frame for i, frame in enumerate(frames)}


# States of a board, as the script sends them


def _empty(starts):
    first = "O" if starts == "O" else "X"
    start = "." * tables().legal.shape[1]
    game = {"game": 0, "first": first, "start": start, "moves": []}
    return game | {"score": [0, 0, 0], "counted": False}


def _state_at(position, first):
    game = tables()
    text = game.string(game.find(position, first), first)
    return _empty(first) | {"start": text}


def _after(state, moves):
    """Return the position after moves; raises ValueError if one is illegal."""
    game = tables()
    s = game.find(state["start"], state["first"])
    for n, a in enumerate(moves):
        legal = isinstance(a, int) and 0 <= a < game.legal.shape[1] and game.legal[s, a]
        demand(legal, f"history = {moves}: move {n + 1}, in cell {a!r}, is illegal")
        s = game.next[s, a]
    return int(s)


def _checked(state):
    """Return a state that makes sense, or None. Raises ValueError with its fault."""
    if state is None:
        return None
    fits = set(state) == set(_empty("X")) and isinstance(state["start"], str)
    demand(fits, "The board sent something that is no state")
    _after(state, state["moves"])
    counts = state["score"]
    whole = all(isinstance(n, int) and n >= 0 for n in [*counts, state["game"]])
    fits = whole and len(counts) == 3
    demand(fits, f"score = {counts}: give three counts of games")
    return state


def _text(s, first):
    game = tables()
    signs = game.string(s, first)
    rows = range(0, len(signs), game.columns)
    return "/".join(signs[i : i + game.columns] for i in rows)


def _games(n):
    return f"{n:,} game{'s' * (n != 1)}"
