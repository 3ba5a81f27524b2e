"""Adapters: one interface, `LearnerAdapter`, for learners of every kind.

`adapter` returns that of a learner: a `learning.Learner` with its tables,
`menace.Matchboxes`, or a `custom.CustomLearner`. Code that trains, stores or shows a
learner uses its adapter and need not know its kind.
The module is long because the adapters of all kinds are read side by side.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ttt_lib import evaluation, learning, menace, schedules
from ttt_lib.agents.agent import NOTHING, Agent
from ttt_lib.agents.rows import from_rows, to_rows
from ttt_lib.game import SIDE_NAMES, SIDES
from ttt_lib.learning import Learner
from ttt_lib.menace import Matchboxes
from ttt_lib.schedules import EXPONENTIAL, LINEAR, Schedule
from ttt_lib.validation import as_int, float_array, require, short_repr, validated_agent

CHANGEABLE = ("alpha", "epsilon", "gamma", "lambda_", "n", "rewards")
SELF_PLAY = tuple(m for m, row in learning.METHODS.items() if row.self_play)
PREDICTION_METHODS = tuple(
    m for m, row in learning.METHODS.items() if row.is_prediction
)
MAX_BEADS = 10**6  # after one game


class Change(NamedTuple):
    """An update: what a learner learned from one move of a game."""

    move: int  #: number of the move in the game, from 0
    cell: int  #: cell of the move
    old: float  #: estimate or number of beads before the game
    target: float | None  #: target of the update; None if there is none
    new: float  #: estimate or number of beads after the game
    unit: str = ""  #: "bead" if beads are counted


class LearnerAdapter:
    """Interface of learners of every kind.

    `method` is the name of its method, `games` the number of games it has learned from,
    and `rewards` are those of win, draw and loss. It is immutable: `train` and
    `learn_game` return the learner as it is afterwards.
    """

    method = "a learner"
    games = 0
    rewards = (1, 0, -1)

    def policy(self, game):
        """Return the policy (S, A) that it has learned, without exploration.

        It is None for a method of prediction.
        """
        raise NotImplementedError

    def action_values(self, game):
        """Return the action values (S, A), or None if it has none."""
        return None

    def exploring(self, game):
        """Return the probability (S, 1) of a random move in each position."""
        return np.zeros((len(game.code), 1))

    def resigns(self, game):
        """Return the mask (S,) of positions where it resigns instead of moving."""
        return np.zeros(len(game.code), dtype=bool)

    def taught(self, game):
        """Return the only side (+1, −1) on which it has been trained, or 0 for both.

        It is 0 also for a new learner, which has been trained on neither.
        """
        return 0

    def train(self, game, games, opponent=None, side=0, behaviour=None):
        """Return the learner after `games` more games; arguments of `learning.train`.

        Raises ValueError if they are not valid for it.
        """
        raise NotImplementedError

    def learn_game(self, game, actions, side=0):
        """Return the learner after a game played elsewhere, and its list of Changes.

        actions: all moves of the game. side: +1 or −1, that of the learner, or 0 if it
        played both.
        """
        raise NotImplementedError

    def changed(self, game, settings):
        """Return the learner with other settings (name → value) from now on.

        Raises ValueError if its settings cannot change, or if one is not valid.
        """
        raise ValueError(
            f"{self.method} cannot change its settings after it has begun."
        )

    def settings(self):
        """Return its settings, name → number, string or list."""
        return {}

    def record(self, game):
        """Return a row of its history, as it is now: name → number.

        It has `games` and the `evaluation.scores` of its policy, on the sides on which
        it was trained.
        """
        scores = evaluation.scores(game, self.policy(game), self.taught(game))
        return {"games": self.games, **scores}

    def provenance(self, opponent, side=0, initial=None):
        """Return a sentence on how it was trained.

        opponent: the Name of its opponent. `side` and `initial` are those of `train`
        and `new`.
        """
        return f"Learned by {self.method}: {self._games(opponent, side)}."

    def to_state(self, game):
        """Return its state for JSON, from which it can go on; None if it cannot."""
        return None

    def _games(self, opponent, side):
        played_as = ", in turns as first and second player"
        if side or opponent.kind == "self":
            played_as = f", as {SIDE_NAMES[side]} player" if side else ""
        return f"{self.games:,} games against {opponent_name(opponent)}{played_as}"


# Tables of estimates


class TabularAdapter(LearnerAdapter):
    """The adapter of a `learning.Learner`."""

    holds = Learner
    methods = tuple((name, row.description) for name, row in learning.METHODS.items())

    def __init__(self, learner):
        self.learner, self.method, self.games = learner, learner.method, learner.games
        self.rewards = learner.rewards

    @staticmethod
    def new(game, method, rng, **settings):
        """Return a new Learner; see `learning.new_learner`."""
        return learning.new_learner(game, method, rng, **settings)

    def policy(self, game):
        """Return the policy that is greedy in its estimates, ties uniform."""
        if self.method in PREDICTION_METHODS:
            return None
        return learning.greedy_policy(game, self.learner)

    def action_values(self, game):
        """Return `learning.action_values`; None for a method of prediction."""
        if self.method in PREDICTION_METHODS:
            return None
        return learning.action_values(game, self.learner)

    def exploring(self, game):
        """Return the current ε (S, 1) of each position, by its schedule."""
        visits, index = np.unique(self.learner.visits, return_inverse=True)
        epsilon = self.learner.epsilon
        now = [schedules.scheduled(epsilon, self.games, n + 1) for n in visits]
        return np.array(now)[index, np.newaxis]

    def taught(self, game):
        """Return the only side on which it has made decisions, or 0."""
        return _only_side(game, self.learner.visits > 0)

    def train(self, game, games, opponent=None, side=0, behaviour=None):
        """Return the Learner after more games."""
        return learning.train(game, self.learner, games, opponent, side, behaviour)

    def learn_game(self, game, actions, side=0):
        """Return the Learner after a game, and a Change for each update."""
        learner, updates = learning.learn_game(game, self.learner, actions, side)
        changes = [
            Change(t, a, old, target, new)
            for t, (a, (old, target, _, new)) in enumerate(
                zip(actions, updates.tolist(), strict=True)
            )
            if not np.isnan(old)
        ]
        return learner, changes

    @validated_agent
    def changed(self, game, settings):
        """Return the Learner with other settings, except `initial`."""
        begun = "settings: initial is for a new learner, and this one has begun"
        require("initial" not in settings, begun)
        for name in settings:
            require(
                name in CHANGEABLE,
                f"settings = {short_repr(settings)}: there is no {name!r}",
            )
        validated = self.new(game, self.method, self.learner.rng, **settings)
        return self.learner._replace(
            **{name: getattr(validated, name) for name in settings}
        )

    def settings(self):
        """Return step size, exploration, discount and others, schedules as text."""
        learner, steps = self.learner, {}
        if learning.METHODS[self.method].steps:
            steps = {"lambda_": learner.lambda_, "n": learner.n}
        return {
            "alpha": schedules.description(learner.alpha),
            "epsilon": schedules.description(learner.epsilon),
            "gamma": learner.gamma,
            **steps,
            "rewards": list(learner.rewards),
        }

    def record(self, game):
        """Return games, rewards so far and scores, on the sides it was trained on."""
        side, row = self.taught(game), {"games": self.games}
        total_reward = self.learner.total_reward.tolist()
        for (name, one_side), total in zip(SIDES.items(), total_reward, strict=True):
            if side in (one_side, 0):
                row[f"reward_{name}"] = total
        if self.method not in PREDICTION_METHODS:
            row |= evaluation.scores(game, self.policy(game), side)
        return row

    def provenance(self, opponent, side=0, initial=None):
        """Return a sentence with its method, games, opponent and settings."""
        learner = self.learner
        alpha, epsilon = map(schedules.description, (learner.alpha, learner.epsilon))
        text = f"{super().provenance(opponent, side)[:-1]}; α = {alpha}, ε = {epsilon}"
        text += f", γ = {learner.gamma:g}"
        if learning.METHODS[self.method].steps and learner.lambda_ > 0:
            text += f", λ = {learner.lambda_:g}, up to {learner.n} steps"
        if learner.rewards != (1, 0, -1):
            win, draw, loss = learner.rewards
            text += f", rewards {win:g}, {draw:g}, {loss:g}"
        return f"{text}{'' if initial is None else f', first estimates {initial:g}'}."

    def to_state(self, game):
        """Return the fields of the Learner for JSON, its tables as rows."""
        state, rows = {}, {}
        for name, value in self.learner._asdict().items():
            if isinstance(value, np.ndarray) and len(value) == len(game.code):
                rows[name] = to_rows(game, value)
            elif value is not None:
                state[name] = _to_json(value)
        return state | {"tables": rows}

    @staticmethod
    def from_state(game, state):
        """Return the Learner that `to_state` has written."""
        method, rng = state["method"], generator_of(state["rng"])
        names = ["gamma", "rewards"]
        names += ["lambda_", "n"] if learning.METHODS[method].steps else []
        settings = {name: state[name] for name in names}
        for name in ("alpha", "epsilon"):
            settings[name] = _schedule(name, state[name])
        new = learning.new_learner(game, method, rng, **settings)
        arrays = {
            name: from_rows(game, name, state["tables"][name], like=array)
            for name, array in new._asdict().items()
            if isinstance(array, np.ndarray) and len(array) == len(game.code)
        }
        games = as_int(state["games"], "games")
        total = float_array(state["total_reward"], "total_reward", (2,)).astype(float)
        return new._replace(**arrays, games=games, total_reward=total, rng=rng)


def _schedule(name, fields):
    """Return the Schedule of a file."""
    schedule = schedules.as_schedule(Schedule(**fields), name)
    # A schedule from one number to another takes at least one game.
    needs_rate = schedule.kind in (LINEAR, EXPONENTIAL)
    require(schedule.rate > 0 or not needs_rate, f"{name} has a rate of 0")
    return schedule


# Matchboxes


class MenaceAdapter(LearnerAdapter):
    """The adapter of `menace.Matchboxes`."""

    holds = Matchboxes
    methods = (("menace", "beads in matchboxes, for one side"),)
    method = "menace"

    def __init__(self, boxes):
        self.boxes, self.games = boxes, boxes.games

    @staticmethod
    def new(game, method, rng, rewards=(3, 1, -1), **settings):
        """Return new Matchboxes; `rewards` are in beads."""
        for name in settings:
            name = name.rstrip("_")
            raise ValueError(f"menace has no {name}: its only setting is rewards.")
        return menace.new_matchboxes(game, rng, reinforcement=rewards)

    def policy(self, game):
        """Return the policy of drawing a bead."""
        return menace.bead_policy(game, self.boxes)

    def resigns(self, game):
        """Return the mask (S,) of positions whose box is empty."""
        return menace.is_empty(game, self.boxes)

    def taught(self, game):
        """Return the only side whose boxes differ from new ones, or 0."""
        new = menace.new_matchboxes(game, generator("PCG64", seed=0))
        return _only_side(game, (self.boxes.beads != new.beads).any(axis=1))

    def train(self, game, games, opponent=None, side=0, behaviour=None):
        """Return the Matchboxes after more games."""
        require(
            behaviour is None,
            "menace has no behaviour policy: its beads choose the moves",
        )
        is_valid = side in (+1, -1) or (opponent is None and side == 0)
        require(is_valid, f"side = {side!r}: Matchboxes play one side, first or second")
        return menace.train(game, self.boxes, games, opponent, side or +1)

    def learn_game(self, game, actions, side=0):
        """Return the Matchboxes after a game, and a Change for each box used."""
        boxes, changes = menace.learn_game(game, self.boxes, actions, side)
        return boxes, [
            Change(t, a, before, None, after, "bead")
            for t, (a, (_, _, before, after)) in enumerate(
                zip(actions, changes.tolist(), strict=True)
            )
            if before >= 0
        ]

    def settings(self):
        """Return the beads added after a win, a draw and a loss."""
        return {"reinforcement": list(self.boxes.reinforcement)}

    def provenance(self, opponent, side=0, initial=None):
        """Return a sentence with its games, opponent and beads."""
        win, draw, loss = self.boxes.reinforcement
        beads = f"beads {win:+d}, {draw:+d}, {loss:+d}".replace("-", "−")
        games = self._games(opponent, side)
        return f"Matchboxes: {games}; {beads}. It draws its moves by chance."

    def to_state(self, game):
        """Return its state for JSON, its beads as rows."""
        boxes = self.boxes
        return {
            "method": self.method,
            "games": int(self.games),
            "reinforcement": list(boxes.reinforcement),
            "rng": _to_json(boxes.rng),
            "tables": {"beads": to_rows(game, boxes.beads)},
        }

    @staticmethod
    def from_state(game, state):
        """Return the Matchboxes that `to_state` has written."""
        rng, reinforcement = generator_of(state["rng"]), state["reinforcement"]
        few = all(abs(beads) <= MAX_BEADS for beads in reinforcement)
        require(few, f"its reinforcement should be at most {MAX_BEADS:,} beads")
        boxes = menace.new_matchboxes(game, rng, reinforcement=reinforcement)
        beads = from_rows(game, "beads", state["tables"]["beads"], like=boxes.beads)
        games = as_int(state["games"], "games")
        return boxes._replace(beads=beads, games=games, rng=rng)


# Each adapter also has `holds`, the type of its learners; `methods`, pairs of name and
# description; and the functions `new` and `from_state`.

KINDS = (TabularAdapter, MenaceAdapter)
METHODS = {  # name → description of a few words
    name: description for kind in KINDS for name, description in kind.methods
}


@validated_agent
def new(game, method, rng, **settings):
    """Return a new learner. Raises ValueError if a setting is not valid."""
    return _kind(method).new(game, method, rng, **settings)


def _kind(method):
    """Return the adapter class of a method."""
    is_known = isinstance(method, str) and method in METHODS
    require(
        is_known, f"method = {short_repr(method)}: choose from {', '.join(METHODS)}"
    )
    return next(kind for kind in KINDS if method in dict(kind.methods))


def is_learner(value):
    """Return whether a value is a learner of any kind."""
    return isinstance(value, (LearnerAdapter, *(kind.holds for kind in KINDS)))


def adapter(learner):
    """Return the adapter of a learner of any kind."""
    if isinstance(learner, LearnerAdapter):
        return learner
    kinds = [kind for kind in KINDS if isinstance(learner, kind.holds)]
    require(kinds, f"learner = {short_repr(learner)}: give a learner, of any kind")
    return kinds[0](learner)


# Stored learners


@validated_agent
def to_agent(game, learner, name, made="", side=0, history=(), training=NOTHING):
    """Return a learner as an Agent, with its policy and action values.

    history: rows of `LearnerAdapter.record`. training: name → string or number, what
    the learner does not record itself, such as the name of its opponent.
    """
    wrapped = adapter(learner)
    return Agent(
        name,
        made,
        side,
        wrapped.policy(game),
        wrapped.action_values(game),
        wrapped.rewards,
        game.rows,
        game.columns,
        game.k,
        taught=side or wrapped.taught(game),
        learner=learner,
        training=training,
        history=tuple(history),
    )


def from_state(game, state):
    """Return the learner that `to_state` of an adapter has written, ready to go on.

    Raises ValueError with the first error, worded to follow the name of the file.
    """
    require(isinstance(state, dict), "its learner should be name → value")
    try:
        return _kind(state.get("method")).from_state(game, state)
    except (ArithmeticError, AttributeError, LookupError, TypeError) as fault:
        incomplete = "its learner is incomplete, or a value in it is not valid."
        raise ValueError(incomplete) from fault


def _only_side(game, where):
    """Return the only side (+1, −1) that moves where (S,) is true, or 0."""
    movers = game.to_move[where]
    return int(+1 in movers) - int(-1 in movers)


def _to_json(value):
    """Return a field of a learner as values of JSON."""
    if isinstance(value, np.random.Generator):
        return _to_json(value.bit_generator.state)
    if isinstance(value, Schedule):
        return value._asdict()
    if isinstance(value, Mapping):
        return {key: _to_json(each) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [_to_json(each) for each in value]
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


# NumPy does not check the position in the buffer of these generators, and reads beyond
# its end: kind → (key of the position, size of the buffer).
BUFFER_POSITIONS = {"MT19937": ("pos", 624), "Philox": ("buffer_pos", 4)}


def generator(kind, state=None, seed=None):
    """Return a generator of random numbers of a kind, from a state or a seed."""
    if kind not in ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"):
        raise ValueError(f"{short_repr(kind)} is not a generator of random numbers.")
    bits = getattr(np.random, kind)(seed)
    if state is not None:
        if kind in BUFFER_POSITIONS:
            key, size = BUFFER_POSITIONS[kind]
            position = {**state["state"], **state}[key]
            as_int(position, key, 0, size)
        bits.state = state
    return np.random.Generator(bits)


def generator_of(state):
    """Return the generator of random numbers of a state from JSON."""
    return generator(state["bit_generator"], state)


# Descriptions


def opponent_name(opponent):
    """Return a description of the opponent with a Name."""
    if opponent.kind == "teacher":
        rule = {"lowest": "to the lowest cell", "uniform": "uniform"}[opponent.ties]
        return f"a teacher of level {opponent.level:g}, ties {rule}"
    descriptions = {"self": "itself", "random": "uniformly random moves"}
    return descriptions.get(opponent.kind, str(opponent))
