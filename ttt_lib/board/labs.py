"""The labs: methods that move under the reader's hand, in a page and in a notebook.

A lab's settings are texts, in the one grammar that the command line has, too, and how
far it has come is one more, its mark `at`. So page, address and Python agree on a
state by telling each other these texts, and each computes the rest: with the same seed
they have the same luck. A page takes over what makes sense; where it does not, the page
tells its last good state.
"""

import html

import anywidget
import traitlets

from ttt_lib import learning, runs
from ttt_lib.agents import names, policy, storage
from ttt_lib.agents.learners import JUDGES, read_schedule
from ttt_lib.board import tables
from ttt_lib.board.widget import VIEW
from ttt_lib.doors import demand, number, one_of, shown, whole
from ttt_lib.game import tables as game_tables

MODULE = "{}\nexport default {{ render: ttt.lab.render }};\n"
MOST = 2_000_000  # games that a page plays
SIDES = {"0": 0, "1": +1, "-1": -1}


class Setting(traitlets.TraitType):
    """A text of a lab, checked by `read(text)`, which returns its canonical form.

    A number is taken for its text, and a tuple of numbers for theirs with commas.
    """

    def __init__(self, usual, read):
        self.read = read
        super().__init__(usual)
        self.tag(sync=True, setting=True)

    def validate(self, lab, value):
        """Return the text."""
        if isinstance(value, tuple | list):
            value = ", ".join(map(str, value))
        try:
            return self.read(str(value), self.name)
        except ValueError as fault:
            raise traitlets.TraitError(f"{self.name}: {fault}") from None


def among(*choices):
    """Return the reader of one of some texts."""
    return lambda text, name: one_of(text.strip(), name, choices)


def a_number(low, high):
    """Return the reader of a number."""
    return lambda text, name: _plain(number(_value(text, name), name, low, high))


def a_whole(low, high):
    """Return the reader of a whole number."""
    return lambda text, name: str(whole(int(_value(text, name)), name, low, high))


def a_schedule(text, name):
    """Return the text of a schedule that may be this setting of a learner."""
    learning.SETTINGS[name](read_schedule(text.strip()), {})
    return text.strip()


def a_player(*others):
    """Return the reader of the name of somebody who plays."""

    def read(text, name):
        who = names.parse(text)
        kinds = ("random", "perfect", "teacher", "agent", *others)
        demand(who.kind in kinds, f"{name} = {shown(text)}: nobody who plays here")
        return str(who)

    return read


def three_numbers(text, name):
    """Return the text of three numbers."""
    parts = text.split(",")
    demand(len(parts) == 3, f"{name} = {shown(text)}: give three numbers")
    return ", ".join(_plain(_value(part, name)) for part in parts)


def a_board(text, name):
    """Return the text of a board."""
    game = game_tables()
    return game.string(game.find(text))


def a_mark(text, name):
    """Return a mark: a number of games, and how much is shown of the last one."""
    games, *frame = text.split(":")
    whole(int(_value(games, name)), name, 0, MOST)
    for part in frame:
        whole(int(_value(part, name)), name, 0)
    return text


def _plain(value):
    return repr(value).removesuffix(".0")


def _value(text, name):
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{name} = {shown(text)}: give a number.") from None


class Lab(anywidget.AnyWidget):
    """What all labs have in common."""

    _setup = traitlets.Dict().tag(sync=True)
    _tables = traitlets.Dict().tag(sync=True)
    _esm = traitlets.Unicode().tag(sync=True)
    _css = traitlets.Unicode().tag(sync=True)
    kind = ""
    _made = 0

    def __init__(self, title, choose=None, **settings):
        unknown = [each for each in settings if each not in self.settings()]
        demand(not unknown, f"{', '.join(unknown)}: this lab has no such setting")
        Lab._made += 1
        setup = {"kind": self.kind, "title": title, "choose": choose or {}}
        script = tables.script() + tables.common() + tables.lab(self.kind)
        super().__init__(
            _setup=setup,
            _tables=tables.shared(),
            _esm=MODULE.format(script),
            _css=tables.styles() + tables.file("labs.css"),
            model_id=f"ttt-lab-{Lab._made}",
            **settings,
        )
        self.on_msg(self._hear)

    @classmethod
    def settings(cls):
        """Return the names of its settings, `at` among them."""
        return cls.class_trait_names(setting=True)

    def _hear(self, _, content, buffers):
        """Bring the table of an agent that the page asks for."""
        match content:
            case {"load": str(name)} if name in storage.shipped():
                self.send({"agent": name, "table": tables.shipped(name)})

    def _stored(self):
        """Return what a page without Python needs."""
        texts = {name: getattr(self, name) for name in self.settings()}
        at = texts.pop("at")
        return dict(self._setup) | {"preset": texts, "mark": at}

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        return {
            "text/plain": f"Lab: {self._setup['title']}",
            "text/html": mount(self._stored()),
            VIEW: data[VIEW],
        }, metadata


def mount(setup):
    """Return the place of a lab on a page, with words for where no script runs."""
    return (
        f'<div data-ttt-lab="{html.escape(tables.to_json(setup))}">'
        "<p>A lab stands here, in which a method runs step by step. It needs "
        "JavaScript; in a notebook, run this cell.</p></div>"
    )


class LearnerLab(Lab):
    """A learner that plays and learns in the page, one move or a million games at once.

    The arguments are `title`, the question that it asks; `choose`, the one setting that
    is in sight at once, {name: list of texts to choose from}; and its settings, which
    are traits that can be observed, set and linked:

    - `method`, one of `learning.METHODS`; `alpha` and `epsilon`, numbers or schedules
      as `ttt train` reads them; `gamma`; `lambda_` and `n` of TD methods; `rewards`
      of win, draw and loss; `initial`, the first estimates; `seed`;
    - `opponent` and, where the play of another is judged, `behaviour`, by name;
      `side`, 1, −1 or 0 for both in turns;
    - `differs` and `by`, in which setting a second learner beside it differs, and what
      it has there;
    - `to`, where Play stops; `step`, what a step is; `look`, the board that is shown;
    - `at`, how many games it has learnt from.

    Raises TraitError if a setting makes no sense.
    """

    kind = "learner"
    method = Setting("q_learning", among(*learning.METHODS))
    alpha = Setting("0.1", a_schedule)
    epsilon = Setting("0.1", a_schedule)
    gamma = Setting("1", a_number(0, 1))
    lambda_ = Setting("0", a_number(0, 1))
    n = Setting("9", a_whole(1, 9))
    opponent = Setting("random", a_player("self"))
    behaviour = Setting("random", a_player())
    side = Setting("0", among(*SIDES))
    rewards = Setting("1, 0, -1", three_numbers)
    initial = Setting("0", a_number(-1e6, 1e6))
    seed = Setting("1", a_whole(0, 2**32 - 1))
    differs = Setting("none", lambda text, name: text)
    by = Setting("0.5", lambda text, name: text)
    to = Setting("100000", a_whole(1, MOST))
    step = Setting("move", among("move", "game", "1000"))
    look = Setting(".........", a_board)
    at = Setting("0", a_mark)

    @property
    def games(self):
        """How many games it has learnt from."""
        return int(self.at.split(":")[0])

    def learner(self, second=False):
        """Return the `learning.Learner` that the page has come to, ready to go on.

        second: whether it is the one beside it.
        Raises ValueError if there is none, or the settings do not go together.
        """
        texts = {name: getattr(self, name) for name in self.settings()}
        if second:
            demand(self.differs != "none", "There is no second learner in this lab")
            texts[self.differs] = self.by
        game, method = game_tables(), texts["method"]
        steps = {"lambda_": float(texts["lambda_"]), "n": int(texts["n"])}
        rng = runs.twister(int(texts["seed"]))
        learner = learning.new_learner(
            game,
            method,
            rng,
            alpha=read_schedule(texts["alpha"]),
            epsilon=read_schedule(texts["epsilon"]),
            gamma=float(texts["gamma"]),
            initial=float(texts["initial"]),
            rewards=tuple(map(float, texts["rewards"].split(","))),
            **(steps if learning.METHODS[method].steps else {}),
        )._replace(rng=rng)
        behaviour = policy(game, texts["behaviour"]) if method in JUDGES else None
        if texts["opponent"] == "self":
            return learning.train(game, learner, self.games, behaviour=behaviour)
        side = SIDES[texts["side"]]
        whom = policy(game, texts["opponent"], -side)
        return learning.train(game, learner, self.games, whom, side, behaviour)
