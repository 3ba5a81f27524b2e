"""All kinds of learner behind one interface, `Pupil`; a reader's own is one more.

`of` gives the Pupil of a learner: of tables that learn (`learning.Learner`), of
matchboxes (`menace.Matchboxes`), of a learner of one's own (`own.OwnLearner`). Whoever
trains, keeps, shows or teaches a learner asks its Pupil, and need not know its kind.
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
    """What a learner has learnt from one move of a game."""

    move: int  #: the number of the move in the game, from 0
    cell: int  #: where it was made
    old: float  #: estimate, or number of beads, before the game
    target: float | None  #: what an estimate moved towards; None if there is no such
    new: float  #: estimate, or number of beads, after it
    unit: str = ""  #: what is counted: "bead", or nothing


class LearnerAdapter:
    """What can be asked of a learner of any kind.

    `method` names how it learns, `games` is how many games it has learnt from, and
    `rewards` are those of win, draw and loss. It never changes: `train` and
    `learn_game` return the learner as it is afterwards.
    """

    method = "a learner"
    games = 0
    rewards = (1, 0, -1)

    def policy(self, game):
        """Return the policy (S, A) that it has come to, without exploring.

        Who judges the play of another has none: None.
        """
        raise NotImplementedError

    def action_values(self, game):
        """Return what it expects of each move (S, A), None if it does not say."""
        return None

    def exploring(self, game):
        """Return the probability (S, 1) of a random move in each position."""
        return np.zeros((len(game.code), 1))

    def resigns(self, game):
        """Return where (S,) it gives up instead of moving."""
        return np.zeros(len(game.code), dtype=bool)

    def taught(self, game):
        """Return the only side (+1, −1) on which it has learned, or 0 for both.

        It is 0 also for a beginner, who was taught on neither.
        """
        return 0

    def train(self, game, games, opponent=None, side=0, behaviour=None):
        """Return the learner after `games` more games; arguments of `learning.train`.

        Raises ValueError if they make no sense for it.
        """
        raise NotImplementedError

    def learn_game(self, game, actions, side=0):
        """Return the learner after a game played elsewhere, and its list of Changes.

        `actions` are all moves of the game; `side` is +1 or −1 for the learner's, 0 if
        it played both.
        """
        raise NotImplementedError

    def changed(self, game, settings):
        """Return the learner with other settings (name → value) from now on.

        Raises ValueError if it keeps its settings, or if one makes no sense.
        """
        raise ValueError(f"{self.method} keeps its settings once it has begun.")

    def settings(self):
        """Return its settings, name → number, text or list."""
        return {}

    def record(self, game):
        """Return the row of a history for it as it is now, name → number.

        `games` and the `evaluation.scores` of its policy, on the sides it was taught.
        """
        scores = evaluation.scores(game, self.policy(game), self.taught(game))
        return {"games": self.games, **scores}

    def provenance(self, opponent, side=0, initial=None):
        """Return the sentence on how it came to what it knows.

        `opponent` is the Name of who it trained against; `side` and `initial` are those
        of `train` and `new`.
        """
        return f"Learned by {self.method}: {self._games(opponent, side)}."

    def to_state(self, game):
        """Return all that it needs to go on, as JSON has it; None if it cannot."""
        return None

    def _games(self, opponent, side):
        place = ", in turns as first and second player"
        if side or opponent.kind == "self":
            place = f", as {SIDE_NAMES[side]} player" if side else ""
        return f"{self.games:,} games against {opponent_name(opponent)}{place}"


# Tables of estimates


class TabularAdapter(LearnerAdapter):
    """The Pupil of a `learning.Learner`."""

    holds = Learner
    methods = tuple((name, row.description) for name, row in learning.METHODS.items())

    def __init__(self, learner):
        self.learner, self.method, self.games = learner, learner.method, learner.games
        self.rewards = learner.rewards

    @staticmethod
    def new(game, method, rng, **settings):
        """Return a Learner who has seen no game; see `learning.new_learner`."""
        return learning.new_learner(game, method, rng, **settings)

    def policy(self, game):
        """Return the policy that is greedy in its estimates, ties uniform."""
        if self.method in PREDICTION_METHODS:
            return None
        return learning.greedy_policy(game, self.learner)

    def action_values(self, game):
        """Return `learning.action_values`, of a judge None."""
        if self.method in PREDICTION_METHODS:
            return None
        return learning.action_values(game, self.learner)

    def exploring(self, game):
        """Return ε as the schedule has it in each position now."""
        visits, which = np.unique(self.learner.visits, return_inverse=True)
        epsilon = self.learner.epsilon
        now = [schedules.scheduled(epsilon, self.games, n + 1) for n in visits]
        return np.array(now)[which, np.newaxis]

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
        """Return the Learner with other settings; its first estimates are behind it."""
        begun = "settings: initial is for a new learner, and this one has begun"
        require("initial" not in settings, begun)
        for name in settings:
            known = name in CHANGEABLE
            require(known, f"settings = {short_repr(settings)}: there is no {name!r}")
        checked = self.new(game, self.method, self.learner.rng, **settings)
        return self.learner._replace(
            **{name: getattr(checked, name) for name in settings}
        )

    def settings(self):
        """Return step size, exploration, discount and others, schedules in words."""
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
        """Return games, rewards so far, and scores if it plays, on the sides taught."""
        side, row = self.taught(game), {"games": self.games}
        total_reward = self.learner.total_reward.tolist()
        for (name, one), total in zip(SIDES.items(), total_reward, strict=True):
            if side in (one, 0):
                row[f"reward_{name}"] = total
        if self.method not in PREDICTION_METHODS:
            row |= evaluation.scores(game, self.policy(game), side)
        return row

    def provenance(self, opponent, side=0, initial=None):
        """Return the sentence with its method, games, opponent and settings."""
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
        """Return the fields of the Learner, its tables as rows."""
        state, rows = {}, {}
        for name, value in self.learner._asdict().items():
            if isinstance(value, np.ndarray) and len(value) == len(game.code):
                rows[name] = to_rows(game, value)
            elif value is not None:
                state[name] = _plain(value)
        return state | {"tables": rows}

    @staticmethod
    def from_state(game, state):
        """Return the Learner that `to_state` has told."""
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
    """Return the Schedule that a file has."""
    schedule = schedules.as_schedule(Schedule(**fields), name)
    # One that leads from a number to another needs some games for that.
    leads = schedule.kind in (LINEAR, EXPONENTIAL)
    require(schedule.rate > 0 or not leads, f"{name} has a rate of 0")
    return schedule


# Matchboxes


class MenaceAdapter(LearnerAdapter):
    """The Pupil of `menace.Matchboxes`."""

    holds = Matchboxes
    methods = (("menace", "beads in matchboxes, for one side"),)
    method = "menace"

    def __init__(self, boxes):
        self.boxes, self.games = boxes, boxes.games

    @staticmethod
    def new(game, method, rng, rewards=(3, 1, -1), **settings):
        """Return Matchboxes that have seen no game; `rewards` are in beads."""
        for name in settings:
            raise ValueError(f"menace has no {name.rstrip('_')}: beads are all it has.")
        return menace.new_matchboxes(game, rng, reinforcement=rewards)

    def policy(self, game):
        """Return the policy of drawing a bead."""
        return menace.bead_policy(game, self.boxes)

    def resigns(self, game):
        """Return where the box is empty."""
        return menace.is_empty(game, self.boxes)

    def taught(self, game):
        """Return the only side whose boxes do not hold what new ones hold, or 0."""
        new = menace.new_matchboxes(game, generator("PCG64", seed=0))
        return _only_side(game, (self.boxes.beads != new.beads).any(axis=1))

    def train(self, game, games, opponent=None, side=0, behaviour=None):
        """Return the Matchboxes after more games."""
        require(behaviour is None, "menace has no behaviour: beads are all it has")
        one = side in (+1, -1) or (opponent is None and side == 0)
        require(one, f"side = {side!r}: Matchboxes play one side, first or second")
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
        """Return the sentence with its games, opponent and beads."""
        win, draw, loss = self.boxes.reinforcement
        beads = f"beads {win:+d}, {draw:+d}, {loss:+d}".replace("-", "−")
        games = self._games(opponent, side)
        return f"Matchboxes: {games}; {beads}. It draws its moves by chance."

    def to_state(self, game):
        """Return its beads as rows, and how it goes on."""
        boxes = self.boxes
        return {
            "method": self.method,
            "games": int(self.games),
            "reinforcement": list(boxes.reinforcement),
            "rng": _plain(boxes.rng),
            "tables": {"beads": to_rows(game, boxes.beads)},
        }

    @staticmethod
    def from_state(game, state):
        """Return the Matchboxes that `to_state` has told."""
        rng, gain = generator_of(state["rng"]), state["reinforcement"]
        require(all(abs(beads) <= MAX_BEADS for beads in gain), "too many beads")
        boxes = menace.new_matchboxes(game, rng, reinforcement=gain)
        beads = from_rows(game, "beads", state["tables"]["beads"], like=boxes.beads)
        games = as_int(state["games"], "games")
        return boxes._replace(beads=beads, games=games, rng=rng)


# All of them: each also has `holds`, the type of its learners, `methods`, pairs of name
# and what it does, and the functions `new` and `from_state`.

KINDS = (TabularAdapter, MenaceAdapter)
METHODS = {  # name → what it learns and how, in half a line
    name: says for kind in KINDS for name, says in kind.methods
}


@validated_agent
def new(game, method, rng, **settings):
    """Return a learner who has seen no game. Raises ValueError on a wrong setting."""
    return _kind(method).new(game, method, rng, **settings)


def _kind(method):
    """Return the kind of learner that learns by a method."""
    known = isinstance(method, str) and method in METHODS
    require(known, f"method = {short_repr(method)}: choose from {', '.join(METHODS)}")
    return next(kind for kind in KINDS if method in dict(kind.methods))


def is_learner(thing):
    """Return whether a thing is a learner of any kind."""
    return isinstance(thing, (LearnerAdapter, *(kind.holds for kind in KINDS)))


def of(learner):
    """Return the Pupil of a learner: what can be asked of it, whatever its kind."""
    if isinstance(learner, LearnerAdapter):
        return learner
    kinds = [kind for kind in KINDS if isinstance(learner, kind.holds)]
    require(kinds, f"learner = {short_repr(learner)}: give a learner, of any kind")
    return kinds[0](learner)


# Kept


@validated_agent
def to_agent(game, learner, name, made="", side=0, history=(), training=NOTHING):
    """Return a learner as an Agent: what it plays without exploring, what it expects.

    `history` has rows of `Pupil.record`; `training` says in texts and numbers what the
    learner does not know of its making, as its opponent, in the grammar of `names`.
    """
    pupil = of(learner)
    return Agent(
        name,
        made,
        side,
        pupil.policy(game),
        pupil.action_values(game),
        pupil.rewards,
        game.rows,
        game.columns,
        game.k,
        taught=side or pupil.taught(game),
        learner=learner,
        training=training,
        history=tuple(history),
    )


def from_state(game, state):
    """Return the learner that a Pupil's `to_state` has told, ready to go on.

    Raises ValueError with the first fault, as the end of a sentence on its file.
    """
    require(isinstance(state, dict), "its learner should be name → value")
    try:
        return _kind(state.get("method")).from_state(game, state)
    except (ArithmeticError, AttributeError, LookupError, TypeError) as fault:
        lacks = "its learner does not hold all that it needs to go on."
        raise ValueError(lacks) from fault


def _only_side(game, where):
    """Return the only side (+1, −1) that moves where (S,) is true, or 0."""
    movers = game.to_move[where]
    return int(+1 in movers) - int(-1 in movers)


def _plain(value):
    """Return what JSON can say of a field of a learner."""
    if isinstance(value, np.random.Generator):
        return _plain(value.bit_generator.state)
    if isinstance(value, Schedule):
        return value._asdict()
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(each) for each in value]
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


# Where a state says how much of its numbers has been drawn, NumPy does not look whether
# there are as many: kind of generator → who says so, and up to what.
DRAWN = {"MT19937": ("pos", 624), "Philox": ("buffer_pos", 4)}


def generator(kind, state=None, seed=None):
    """Return a generator in a state, or of a seed: part of how an agent was made."""
    if kind not in ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"):
        raise ValueError(f"{short_repr(kind)} is no generator.")
    bits = getattr(np.random, kind)(seed)
    if state is not None:
        if kind in DRAWN:
            name, most = DRAWN[kind]
            drawn = {**state["state"], **state}[name]
            as_int(drawn, name, 0, most)
        bits.state = state
    return np.random.Generator(bits)


def generator_of(state):
    """Return the generator that is in a state, as JSON has it."""
    return generator(state["bit_generator"], state)


# In words


def opponent_name(opponent):
    """Return who the Name of an opponent is, in words."""
    if opponent.kind == "teacher":
        rule = {"lowest": "to the lowest cell", "uniform": "uniform"}[opponent.ties]
        return f"a teacher of level {opponent.level:g}, ties {rule}"
    named = {"self": "itself", "random": "uniformly random moves"}
    return named.get(opponent.kind, str(opponent))
