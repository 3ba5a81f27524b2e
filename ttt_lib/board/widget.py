"""The playable board in a notebook: what Python says to its script, and the other way.

Beside the six parts of a Board stands `_game`, None before anything has happened, else
a dict with keys of a stored state: `game` (its number on this board), `first` ("X" or
"O"), `start` (nine signs), `counted` (whether its end stands in the score).

1. After each act of a person or an agent the script puts `_game`, `history`,
   `position`, `shown`, `score`, `numbers` and `agents`, in this order, into the model
   with one `model.set({…})`, and then calls `save_changes()` once.
2. When the model changes from elsewhere (Python, a link, another view), the script
   takes over what makes sense as a whole: `start` and `history` lead to `position`.
   Else it waits: Python has been told as well, and sends either what follows, or the
   old values and `{fault: sentence}`, which the script says.
3. What the script takes over it does not send back. So nothing runs in circles.
4. `agents` names a frame of a slider by the key of its table: "snapshot-1000" for those
   that come with the book, "pupil-3" for the fourth of a page's own; "teacher 0.9",
   "teacher 0.9 lowest" and "perfect lowest" say their level and their rule for ties.
   How often a slider of the arena lets another agent leave its policy is not told.
5. `{learnt: sentence, rows: […]}` tells what an agent learnt from a game, a row for a
   move it learnt from: [number, cell, old, target, difference, new]. Where there are no
   targets, as with beads, `target` is null and the difference is new − old.
6. A message that makes no sense, and an agent that fails while it learns, are answered
   with `{fault: sentence}`. The page tells of the seven traits above and of no others.
"""

import asyncio
import copy
from contextlib import contextmanager

import anywidget
import traitlets

from ttt_lib.agents import builtin_names, learners, opponent
from ttt_lib.board import encode, state
from ttt_lib.board.page import mount, page
from ttt_lib.board.settings import player, playing, settings
from ttt_lib.board.state import naming
from ttt_lib.game import tables as game_tables
from ttt_lib.validation import require, short_repr

REPORTS = 50  # of the progress of a training
CHUNK_SIZE = (
    200_000  # games between two of them, so that a long training hears "stop", too
)
MODULE = "{}\nexport default {{ render: ttt.board.render }};\n"
VIEW = "application/vnd.jupyter.widget-view+json"


class Part(traitlets.TraitType):
    """A part of a board's state; `check(board, value)` returns it as it is kept."""

    def __init__(self, check):
        super().__init__()
        self.check = check
        self.tag(sync=True)

    def get(self, board, cls=None):
        """Return a copy, so that nobody changes the board behind its back."""
        return copy.copy(super().get(board, cls))

    def validate(self, board, value):
        """Return the value as it is kept."""
        try:
            return self.check(board, value)
        except ValueError as fault:
            raise traitlets.TraitError(str(fault)) from None


class Board(anywidget.AnyWidget):
    """A board to play on, with the numbers of any agent on its cells.

    Its arguments are those of `settings`; if the agent is a learner, the live board can
    teach it. Six traits can be observed, set, and linked to other widgets:

    - `position`, the board after all moves, as text: `"XO./.../..."`;
    - `history`, the list of cells of all moves since the start of the game;
    - `shown`, after how many of these moves the board is shown, or after all if there
      are not so many: fewer to who looks back;
    - `score`, the games that X won, draws, and those that O won: a dict with the keys
      `"X"`, `"draw"` and `"O"`;
    - `numbers`, the numbers on the cells, one of OVERLAYS;
    - `agents`, who plays, by name: `{"X": "person", "O": "teacher 0.9"}`.

    Observers hear of each move, whether made by hand, by an agent, by an undo or by
    code, and see all traits as they are after it. A new position begins a game; new
    moves are all shown, and a game that they end is counted, once; new agents begin a
    new score. What makes no sense is refused with a TraitError, and all stays as it
    was. Where an observer fails, observers after it do not hear, as in all of
    traitlets, but the board and its page have changed. Raises ValueError if an argument
    makes no sense.
    """

    position = Part(lambda board, text: state.position(text))
    history = Part(lambda board, cells: state.history(cells))
    shown = Part(lambda board, number: state.moves_shown(number))
    score = Part(lambda board, counts: state.score(counts))
    numbers = Part(lambda board, overlay: state.numbers(overlay))
    agents = Part(lambda board, names: board._canonical(names))
    _game = Part(lambda board, began: state.game(began))
    _setup = traitlets.Dict().tag(sync=True)
    _tables = traitlets.Dict().tag(sync=True)
    _esm = traitlets.Unicode().tag(sync=True)
    _css = traitlets.Unicode().tag(sync=True)
    _made = 0

    def __init__(self, x="person", o=None, agent=None, name="agent", **more):
        setup = settings(x, o, agent, name, **more)
        begins = setup.pop("state", None)
        self._name, self._learner = name, None
        if learners.is_learner(agent):
            self._learner = agent
            setup["learner"] = name
        self._stopped, self._training = False, None
        self._kept = state.opened(begins) if begins else state.empty(setup["starts"])
        self._kept |= {"numbers": setup["overlay"], "agents": _agents(setup)}
        # A number instead of chance: a notebook that is run again stays the same file.
        Board._made += 1
        super().__init__(
            _setup=setup,
            _tables=encode.shared(),
            _esm=MODULE.format(encode.engine(setup)),
            _css=encode.styles(),
            model_id=f"ttt-board-{Board._made}",
            **self._kept,
        )
        self.on_msg(self._hear)

    @property
    def learner(self):
        """The learner as it is now, if the agent is one, else None."""
        return self._learner

    # What follows when a part is set

    def _canonical(self, names):
        both = isinstance(names, dict) and set(names) == {"X", "O"}
        require(
            both, f"agents = {short_repr(names)}: say who plays 'X' and who plays 'O'"
        )
        entries, setup = playing(self._setup), self._setup
        with naming("agents"):
            who = {mark: player(names[mark], entries).name for mark in ("X", "O")}
        arena = setup.get("arena") or "person" not in (setup["x"], setup["o"])
        require(
            arena or "person" in who.values(),
            f"agents = {short_repr(names)}: one side is a person here, and arena=True "
            "at the start lets agents play both",
        )
        return who

    @traitlets.validate(*state.NAMES)
    def _settle(self, proposal):
        """Set all that follows from a part, and return that part as it is kept.

        Where notifications are held, other parts may be new, too.
        """
        name = proposal.trait.name
        told = {each: getattr(self, each) for each in state.NAMES}
        told[name] = proposal.value
        if told != self._kept:
            try:
                self._kept = state.settled(self._kept, told, self._setup["starts"])
            except ValueError as fault:  # the widgets go back for no other error
                raise traitlets.TraitError(str(fault)) from None
            with self._page_told(), self.hold_trait_notifications():
                for each, value in self._kept.items():
                    self.set_trait(each, value)
        return self._kept[name]

    @contextmanager
    def _page_told(self):
        """Tell the page of all changes in one message, even where an observer fails."""
        try:
            with self.hold_sync():
                yield
        except Exception:
            self.send_state(state.NAMES)
            raise

    # What the page tells

    def set_state(self, sync_data):
        """Take over what the page tells, move by move, or say there what is wrong.

        A page that plays faster than Python listens tells several moves at once.
        """
        try:
            for name in sync_data:
                require(
                    name in state.NAMES, f"{short_repr(name)} is no part of a board"
                )
            told = {n: self.traits()[n].check(self, sync_data[n]) for n in sync_data}
            new = state.settled(self._kept, self._kept | told, self._setup["starts"])
        except ValueError as fault:
            self.send_state(state.NAMES)
            self.send({"fault": str(fault)})
            return
        on_page = self._kept | sync_data
        with self._page_told():
            try:
                for step in state.steps(self._kept, new):
                    with self.hold_trait_notifications():
                        for name in told:
                            self.set_trait(name, step[name])
            finally:
                super().set_state(sync_data)
            # What the page knows already does not go back to it.
            now = {name: getattr(self, name) for name in state.NAMES}
            self._states_to_send -= {n for n in now if now[n] == on_page[n]}

    def _hear(self, _, content, buffers):
        """Do what the script asks for."""
        with self._admitting():
            match content:
                case {"load": str(name)}:
                    known = name in builtin_names()
                    require(known, f"load = {short_repr(name)}: there is no such agent")
                    self.send({"agent": name, "table": encode.shipped(name)})
                case {"learn": list(marks)}:
                    self._learn(marks)
                case {"train": int(games), "against": str(whom)}:
                    self._begin_training(games, whom)
                case {"stop": True}:
                    self._stopped = True
                case _:
                    require(False, f"{short_repr(content)}: no board can do this")

    @contextmanager
    def _admitting(self):
        """Say on the page what goes wrong; what should not have is raised as well."""
        try:
            yield
        except ValueError as fault:
            self.send({"fault": str(fault)})
        except Exception as error:
            self.send({"fault": f"The agent could not learn: {short_repr(error)}."})
            raise

    # What it teaches

    def _learn(self, marks):
        """Let the agent learn from the game on the board; it played `marks`."""
        self._demand_free()
        sides = ([], ["X"], ["O"], ["X", "O"])
        require(marks in sides, f"learn = {short_repr(marks)}: take one of {sides}")
        began, side = self._game or {}, 0
        whole = began.get("start", "").strip(".") == ""
        require(whole, "Only whole games, from the empty board, are learnt")
        if len(marks) == 1:
            side = +1 if marks[0] == began.get("first") else -1
        learner = learners.of(self._learner)
        after, changes = learner.learn_game(game_tables(), self.history, side)
        rows = [_row(change) for change in changes]
        self._learnt(after, "It has learnt from this game.", rows)

    def _begin_training(self, games, whom):
        self._demand_free()
        counts = games is not True and games > 0
        require(
            counts, f"train = {short_repr(games)}: give a number of games from 1 up"
        )
        against = opponent(game_tables(), whom)
        # A task, so that the kernel hears "stop" between two chunks.
        self._stopped = False
        self._training = asyncio.ensure_future(self._train(games, whom, against))

    def _demand_free(self):
        """Raise ValueError unless the agent can begin to learn now."""
        require(self._learner is not None, "Nobody on this board learns")
        free = self._training is None or self._training.done()
        require(free, "It is training already: wait until it is done, or stop it")

    async def _train(self, games, whom, opponent):
        learner, done = self._learner, 0
        with self._admitting():
            try:
                while done < games and not self._stopped:
                    chunk = min(max(1, games // REPORTS), CHUNK_SIZE, games - done)
                    learner = learners.of(learner).train(game_tables(), chunk, opponent)
                    done += chunk
                    self.send({"progress": done / games})
                    await asyncio.sleep(0.001)
            finally:  # what was learnt is kept, whatever went wrong
                whom = "itself" if opponent is None else whom
                self._learnt(learner, f"Trained for {_games(done)} against {whom}.")

    def _learnt(self, learner, told, rows=None):
        own = self._setup["tables"] | {self._name: encode.known(learner)}
        self._learner, self._setup = learner, self._setup | {"tables": own}
        told = f"{told} It has seen {_games(learners.of(learner).games)}."
        self.send({"learnt": told, "rows": rows})

    # What is stored

    def _stored(self):
        """Return the settings that a page without Python needs."""
        setup = {key: self._setup[key] for key in self._setup if key != "learner"}
        at_first = _agents(setup)
        for key, mark in (("x", "X"), ("o", "O")):
            if self.agents[mark] != at_first[mark]:
                setup[key] = self.agents[mark]
        setup["overlay"] = self.numbers
        return setup | ({"state": state.stored(self._kept)} if self._game else {})

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        setup = self._stored()
        who = f"X is {setup['x']}, O is {setup['o']}"
        return {
            "text/plain": f"Board: {who}, position {self.position}",
            "text/html": mount(setup),
            VIEW: data[VIEW],
        }, metadata

    def to_html(self):
        """Return one page that holds this board and all that it needs."""
        return page(self._stored())


def _agents(setup):
    """Return who plays by the settings of a board."""
    entries = playing(setup)
    return {mark: player(setup[mark.lower()], entries).name for mark in ("X", "O")}


def _row(change):
    """Return a `learners.Change` as the script shows it."""
    move, cell, old, target, new, _ = change
    difference = new - old if target is None else target - old
    return [move + 1, cell, old, target, difference, new]


def _games(n):
    return f"{n:,} game{'s' * (n != 1)}"
