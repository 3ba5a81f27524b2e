"""The playable board as a notebook widget, and its protocol with the script.

Besides the six public traits of a Board there is `_game`: None before the first game,
else a dictionary with keys of a stored state: `game` (its number on this board),
`first` ("X" or "O"), `start` (nine signs), `counted` (is its result in the score?).

1. After each action of a person or an agent the script writes `_game`, `history`,
   `position`, `shown`, `score`, `numbers` and `agents`, in this order, into the model
   with one `model.set({…})`, and then calls `save_changes()` once.
2. When the model changes from elsewhere (Python, a link, another view), the script
   adopts the new values if they are consistent: `start` and `history` lead to
   `position`. If not, it waits: Python has received them too, and sends either their
   consequences, or the old values and `{fault: sentence}`, which the script shows.
3. The script does not send back values that it adopts, so there are no loops.
4. `agents` names a frame of a slider by the key of its table: "snapshot-1000" for the
   built-in ones, "pupil-3" for the fourth of a user's own; "teacher 0.9",
   "teacher 0.9 lowest" and "perfect lowest" include their level and tie-breaking rule.
   The level of other agents, which a slider of the arena sets, is not sent.
5. `{learnt: sentence, rows: […]}` reports what an agent learnt from a game, one row for
   each move: [number, cell, old, target, difference, new]. If there are no targets, as
   with beads, `target` is null and the difference is new − old.
6. Python answers an invalid message, or an agent that fails while it learns, with
   `{fault: sentence}`. The page may set the seven traits above and no others.
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

REPORTS = 50  # progress reports of a training run
CHUNK_SIZE = 200_000  # games between two reports at most, so that "stop" is heard
MODULE = "{}\nexport default {{ render: ttt.board.render }};\n"
VIEW = "application/vnd.jupyter.widget-view+json"


class StateTrait(traitlets.TraitType):
    """A trait of a board's state; `check(board, value)` returns its canonical form."""

    def __init__(self, check):
        super().__init__()
        self.check = check
        self.tag(sync=True)

    def get(self, board, cls=None):
        """Return a copy, so that changing it in place does not change the board."""
        return copy.copy(super().get(board, cls))

    def validate(self, board, value):
        """Return the canonical form of a value; raise TraitError if it is invalid."""
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
    - `shown`, the number of these moves after which the board is shown, at most all of
      them; smaller while the reader looks back;
    - `score`, the number of games that X won, that were drawn, and that O won: a
      dictionary with the keys `"X"`, `"draw"` and `"O"`;
    - `numbers`, the numbers on the cells, one of OVERLAYS;
    - `agents`, the players by name: `{"X": "person", "O": "teacher 0.9"}`.

    Observers are notified of each move, whether made by hand, by an agent, by an undo
    or by code, and see all traits as they are after it. A new position begins a game;
    after new moves all of them are shown, and a game that they end is counted once; new
    agents begin a new score. An invalid value raises TraitError, and nothing changes.
    If an observer raises, later observers are not notified, as in all of traitlets, but
    the board and its page have changed. Raises ValueError if an argument is invalid.
    """

    position = StateTrait(lambda board, text: state.position(text))
    history = StateTrait(lambda board, cells: state.history(cells))
    shown = StateTrait(lambda board, number: state.moves_shown(number))
    score = StateTrait(lambda board, counts: state.score(counts))
    numbers = StateTrait(lambda board, overlay: state.numbers(overlay))
    agents = StateTrait(lambda board, names: board._canonical(names))
    _game = StateTrait(lambda board, began: state.game(began))
    _setup = traitlets.Dict().tag(sync=True)
    _tables = traitlets.Dict().tag(sync=True)
    _esm = traitlets.Unicode().tag(sync=True)
    _css = traitlets.Unicode().tag(sync=True)
    _made = 0

    def __init__(self, x="person", o=None, agent=None, name="agent", **more):
        setup = settings(x, o, agent, name, **more)
        start = setup.pop("state", None)
        self._name, self._learner = name, None
        if learners.is_learner(agent):
            self._learner = agent
            setup["learner"] = name
        self._stopped, self._training = False, None
        self._kept = state.from_stored(start) if start else state.empty(setup["starts"])
        self._kept |= {"numbers": setup["overlay"], "agents": _agents(setup)}
        # Counted, not random: a notebook that is run again has the same output.
        Board._made += 1
        super().__init__(
            _setup=setup,
            _tables=encode.shared(),
            _esm=MODULE.format(encode.engine(setup)),
            _css=encode.styles(),
            model_id=f"ttt-board-{Board._made}",
            **self._kept,
        )
        self.on_msg(self._on_message)

    @property
    def learner(self):
        """The learner as it is now, if the agent is one, else None."""
        return self._learner

    # Setting a trait in Python

    def _canonical(self, names):
        """Return `agents` with canonical names; raise ValueError if invalid."""
        complete = isinstance(names, dict) and set(names) == {"X", "O"}
        require(
            complete,
            f"agents = {short_repr(names)}: say who plays 'X' and who plays 'O'",
        )
        entries, setup = playing(self._setup), self._setup
        with naming("agents"):
            players = {mark: player(names[mark], entries).name for mark in ("X", "O")}
        arena = setup.get("arena") or "person" not in (setup["x"], setup["o"])
        require(
            arena or "person" in players.values(),
            f"agents = {short_repr(names)}: one side is a person here, and arena=True "
            "at the start lets agents play both",
        )
        return players

    @traitlets.validate(*state.NAMES)
    def _settle(self, proposal):
        """Set all traits that follow from a new one, and return its canonical form.

        While notifications are held, other traits may have changed, too.
        """
        name = proposal.trait.name
        proposed = {each: getattr(self, each) for each in state.NAMES}
        proposed[name] = proposal.value
        if proposed != self._kept:
            try:
                self._kept = state.updated(self._kept, proposed, self._setup["starts"])
            except ValueError as fault:  # widgets roll back for a TraitError only
                raise traitlets.TraitError(str(fault)) from None
            with self._one_update(), self.hold_trait_notifications():
                for each, value in self._kept.items():
                    self.set_trait(each, value)
        return self._kept[name]

    @contextmanager
    def _one_update(self):
        """Send all changes to the page in one message, even if an observer raises."""
        try:
            with self.hold_sync():
                yield
        except Exception:
            self.send_state(state.NAMES)
            raise

    # Messages of the page

    def set_state(self, sync_data):
        """Adopt the state that the page sends, move by move, or report the error there.

        If the page plays faster than Python reads, one message has several moves.
        """
        try:
            for name in sync_data:
                require(
                    name in state.NAMES, f"{short_repr(name)} is not a trait of a board"
                )
            sent = {n: self.traits()[n].check(self, sync_data[n]) for n in sync_data}
            new = state.updated(self._kept, self._kept | sent, self._setup["starts"])
        except ValueError as fault:
            self.send_state(state.NAMES)
            self.send({"fault": str(fault)})
            return
        on_page = self._kept | sync_data
        with self._one_update():
            try:
                for step in state.steps(self._kept, new):
                    with self.hold_trait_notifications():
                        for name in sent:
                            self.set_trait(name, step[name])
            finally:
                super().set_state(sync_data)
            # Values that the page has already are not sent back.
            now = {name: getattr(self, name) for name in state.NAMES}
            self._states_to_send -= {n for n in now if now[n] == on_page[n]}

    def _on_message(self, _, content, buffers):
        """Handle a message of the script."""
        with self._reporting():
            match content:
                case {"load": str(name)}:
                    exists = name in builtin_names()
                    require(
                        exists, f"load = {short_repr(name)}: there is no such agent"
                    )
                    self.send({"agent": name, "table": encode.shipped(name)})
                case {"learn": list(marks)}:
                    self._learn(marks)
                case {"train": int(games), "against": str(opponent_name)}:
                    self._begin_training(games, opponent_name)
                case {"stop": True}:
                    self._stopped = True
                case _:
                    require(
                        False, f"{short_repr(content)}: a board has no such command"
                    )

    @contextmanager
    def _reporting(self):
        """Show errors on the page; raise those that are not a ValueError as well."""
        try:
            yield
        except ValueError as fault:
            self.send({"fault": str(fault)})
        except Exception as error:
            self.send({"fault": f"The agent could not learn: {short_repr(error)}."})
            raise

    # Teaching the agent

    def _learn(self, marks):
        """Let the agent learn from the game on the board; it played `marks`."""
        self._require_idle()
        sides = ([], ["X"], ["O"], ["X", "O"])
        require(marks in sides, f"learn = {short_repr(marks)}: take one of {sides}")
        began, side = self._game or {}, 0
        from_empty = began.get("start", "").strip(".") == ""
        require(from_empty, "It learns only from games that begin with the empty board")
        if len(marks) == 1:
            side = +1 if marks[0] == began.get("first") else -1
        learner = learners.adapter(self._learner)
        after, changes = learner.learn_game(game_tables(), self.history, side)
        rows = [_row(change) for change in changes]
        self._learnt(after, "It has learnt from this game.", rows)

    def _begin_training(self, games, opponent_name):
        self._require_idle()
        is_count = games is not True and games > 0
        require(
            is_count, f"train = {short_repr(games)}: give a number of games from 1 up"
        )
        policy = opponent(game_tables(), opponent_name)
        # A task, so that the kernel can handle "stop" between two chunks.
        self._stopped = False
        self._training = asyncio.ensure_future(
            self._train(games, opponent_name, policy)
        )

    def _require_idle(self):
        """Raise ValueError unless there is a learner that is not training now."""
        require(self._learner is not None, "There is no learner on this board")
        idle = self._training is None or self._training.done()
        require(idle, "It is training already: wait until it is done, or stop it")

    async def _train(self, games, opponent_name, policy):
        learner, done = self._learner, 0
        with self._reporting():
            try:
                while done < games and not self._stopped:
                    chunk = min(max(1, games // REPORTS), CHUNK_SIZE, games - done)
                    learner = learners.adapter(learner).train(
                        game_tables(), chunk, policy
                    )
                    done += chunk
                    self.send({"progress": done / games})
                    await asyncio.sleep(0.001)
            finally:  # keep what was learnt before an error
                against = "itself" if policy is None else opponent_name
                self._learnt(learner, f"Trained for {_games(done)} against {against}.")

    def _learnt(self, learner, sentence, rows=None):
        tables = self._setup["tables"] | {self._name: encode.known(learner)}
        self._learner, self._setup = learner, self._setup | {"tables": tables}
        seen = f"It has seen {_games(learners.adapter(learner).games)}."
        self.send({"learnt": f"{sentence} {seen}", "rows": rows})

    # Storing

    def _stored(self):
        """Return the settings that a page without Python needs."""
        setup = {key: self._setup[key] for key in self._setup if key != "learner"}
        initial = _agents(setup)
        for key, mark in (("x", "X"), ("o", "O")):
            if self.agents[mark] != initial[mark]:
                setup[key] = self.agents[mark]
        setup["overlay"] = self.numbers
        return setup | ({"state": state.to_stored(self._kept)} if self._game else {})

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        setup = self._stored()
        players = f"X is {setup['x']}, O is {setup['o']}"
        return {
            "text/plain": f"Board: {players}, position {self.position}",
            "text/html": mount(setup),
            VIEW: data[VIEW],
        }, metadata

    def to_html(self):
        """Return an HTML page with this board and all the scripts and data it needs."""
        return page(self._stored())


def _agents(setup):
    """Return the players in the settings of a board, mark → name."""
    entries = playing(setup)
    return {mark: player(setup[mark.lower()], entries).name for mark in ("X", "O")}


def _row(change):
    """Return a `learners.Change` as a row of the table that the script shows."""
    move, cell, old, target, new, _ = change
    difference = new - old if target is None else target - old
    return [move + 1, cell, old, target, difference, new]


def _games(n):
    return f"{n:,} game{'s' * (n != 1)}"
