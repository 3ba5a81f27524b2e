"""Dyna: learning, planning and acting with a learned model of the opponent's replies.

Both learners count the outcomes (s′, r) of each pair (s, a); the frequencies are the
learned model p̂(s′, r | s, a). `Dyna` is Dyna-Q [S&B sec. 8.2] with samples of this
model, and `PrioritizedDyna` prioritized sweeping [S&B sec. 8.4]. `learned_model` makes
an `mdp.MDP` of the model, and `model_error` compares it with the exact one.
"""

from typing import NamedTuple

import numpy as np

from ttt_lib.agents import CustomLearner
from ttt_lib.compiled import compiled, jitable
from ttt_lib.mdp import MDP, state_of
from ttt_lib.validation import (
    SETTING_CHECKS,
    as_float,
    as_int,
    bad_argument,
    one_of,
    probability,
    require,
    validated,
)

SAMPLE, EXPECTED, PRIORITIZED = range(3)  # kinds of planning, in the loops
UPDATES = {"sample": SAMPLE, "expected": EXPECTED}
CHECKS = SETTING_CHECKS | {
    "planning": lambda value, arguments: as_int(value, "planning"),
    "alpha": probability("alpha", above=True),
    "updates": lambda value, arguments: one_of(value, "updates", UPDATES),
    "theta": lambda value, arguments: as_float(value, "theta", 0),
}


class Model(NamedTuple):
    """The outcomes of N pairs, which are numbered as they are first tried.

    A pair has room for K = A outcomes, as no move has more replies. The outcomes that
    lead to a position are a chain from last[s] along previous: outcome k of pair i has
    the number i K + k, and −1 ends the chain.
    """

    size: np.ndarray  #: (2,) number of pairs tried, and of positions decided in
    met: np.ndarray  #: (S,) number of cells tried in each position
    pair: np.ndarray  #: (S, A) number of each pair, −1 if it was never tried
    last: np.ndarray  #: (S,) last of the outcomes that lead to each position
    decided: np.ndarray  #: (N,) the positions decided in, as they were first met
    state: np.ndarray  #: (N,) position of each pair
    cell: np.ndarray  #: (N,) cell of each pair
    tries: np.ndarray  #: (N,) how often each pair was tried
    successor: np.ndarray  #: (N, K) position of each outcome
    times: np.ndarray  #: (N, K) how often each outcome came, 0 where there is none
    previous: np.ndarray  #: (N, K) outcome that led to the same position before
    reward: np.ndarray  #: (N, K) reward of each outcome
    urgency: np.ndarray  #: (N,) of prioritized sweeping

    @staticmethod
    def empty(game):
        """Return the Model of a learner that has tried nothing."""
        (S, A), whole = game.legal.shape, np.int64
        return Model(
            np.zeros(2, dtype=whole),
            np.zeros(S, dtype=whole),
            np.full((S, A), -1, dtype=whole),
            np.full(S, -1, dtype=whole),
            *(np.zeros(0, dtype=whole) for _ in range(4)),
            *(np.zeros((0, A), dtype=whole) for _ in range(3)),
            np.zeros((0, A)),
            np.zeros(0),
        )

    def with_room(self, more):
        """Return the Model with room for `more` pairs."""
        if self.size[0] + more <= len(self.state):
            return self
        n = max(len(self.state), 64)  # doubles the room
        rows = (np.append(x, np.zeros((n, *x.shape[1:]), x.dtype), 0) for x in self[4:])
        return Model(*self[:4], *rows)


class Dyna(CustomLearner):
    """Q-learning with `planning` more updates from a learned model after each decision.

    A planning step takes a position at random in which it has decided, and a cell at
    random that it has taken there [S&B p. 164]. updates: "sample" draws (s′, r) from
    the learned model and moves Q(s, a) by α, "expected" sets it to Σ p̂(s′, r | s, a)
    (r + γ max Q(s′, ·)) [S&B sec. 8.5]. With planning = 0 it is Q-learning.
    As every CustomLearner it learns when a game is over, decision by decision.

    Examples
    --------
    >>> beginner = dyna.Dyna(game, rng, planning=5)
    >>> learner = beginner.train(game, 100, at_random, side=+1)
    >>> learner.games, learner.settings()["planning"]
    (100, 5)
    """

    theta = 0.0

    @validated(**CHECKS)
    def __init__(
        self, game, rng, planning=5, alpha=0.1, epsilon=0.1, gamma=1.0, initial=0.0,
        updates="sample",
    ):  # fmt: skip
        super().__init__(game, rng, epsilon, initial)
        self.planning, self.alpha, self.gamma = planning, alpha, gamma
        self.model, self._kind = Model.empty(game), (UPDATES[updates],)

    def learn(self, game, steps):
        """Update Q after a game: by each decision, then by planning."""
        self.model = self.model.with_room(len(steps))
        whole, columns = (np.int64, np.int64, float, np.int64), zip(*steps, strict=True)
        experience = (np.array(x, d) for x, d in zip(columns, whole, strict=True))
        settings = *self._kind, self.planning, self.alpha, self.gamma, self.theta
        legal = game.count, game.action
        _learn(self.model, self.Q, *experience, *legal, *settings, self.rng)


class PrioritizedDyna(Dyna):
    """Dyna that updates the most urgent pair first [S&B p. 170; Moore & Atkeson 1993].

    The urgency of a pair is the distance of Q(s, a) from its expected target in the
    learned model, if it exceeds `theta`. It is computed for the pair just tried, and
    after an update for all pairs that have led to the changed position. Each of up to
    `planning` steps sets the Q of the most urgent pair to its expected target.
    """

    @validated(**CHECKS)
    def __init__(
        self, game, rng, planning=5, alpha=0.1, epsilon=0.1, gamma=1.0, initial=0.0,
        theta=1e-4,
    ):  # fmt: skip
        super().__init__(game, rng, planning, alpha, epsilon, gamma, initial)
        self.theta, self._kind = theta, (PRIORITIZED,)


# The loops


@compiled
def _learn(
    model, Q, s, a, r, s_next, count, action, kind, planning, alpha, gamma, theta, rng
):
    """Learn from the decisions of a game, and plan after each of them."""
    for t in range(len(s)):
        best = _largest(Q, s_next[t], count, action)
        Q[s[t], a[t]] += alpha * (r[t] + gamma * best - Q[s[t], a[t]])
        i = _observe(model, s[t], a[t], r[t], s_next[t])
        if kind == PRIORITIZED:
            _set_urgency(model, Q, i, count, action, gamma, theta)
        for _ in range(planning):
            if kind == PRIORITIZED:
                i = _most_urgent(model)
                if model.urgency[i] == 0:
                    break
            else:
                i = _any_pair(model, rng)
            if kind == SAMPLE:
                _update_from_sample(model, Q, i, count, action, alpha, gamma, rng)
                continue
            cell = model.cell[i]
            target = _expected_target(model, Q, i, count, action, gamma)
            Q[model.state[i], cell] = target
            if kind == PRIORITIZED:
                model.urgency[i] = 0.0
                _set_urgencies(model, Q, model.state[i], count, action, gamma, theta)


@jitable
def _largest(Q, s, count, action):
    """Return max Q(s, a) over the legal cells, 0 at the end of the game."""
    largest = -np.inf if count[s] > 0 else 0.0
    for i in range(count[s]):
        largest = max(largest, Q[s, action[s, i]])
    return largest


@jitable
def _observe(model, s, a, r, s_next):
    """Add an outcome to the model; return the number of its pair."""
    if model.pair[s, a] < 0:
        if model.met[s] == 0:
            model.decided[model.size[1]] = s
            model.size[1] += 1
        model.met[s] += 1
        i = model.pair[s, a] = model.size[0]
        model.state[i], model.cell[i] = s, a
        model.size[0] += 1
    i, k = model.pair[s, a], 0
    while model.times[i, k] > 0 and (
        model.successor[i, k] != s_next or model.reward[i, k] != r
    ):
        k += 1
    if model.times[i, k] == 0:
        model.successor[i, k], model.reward[i, k] = s_next, r
        model.previous[i, k] = model.last[s_next]
        model.last[s_next] = i * model.times.shape[1] + k
    model.times[i, k] += 1
    model.tries[i] += 1
    return i


@jitable
def _expected_target(model, Q, i, count, action, gamma):
    """Return Σ p̂(s′, r | s, a) (r + γ max Q(s′, ·)) of pair i."""
    total, k = 0.0, 0
    while k < model.times.shape[1] and model.times[i, k] > 0:
        best = _largest(Q, model.successor[i, k], count, action)
        total += model.times[i, k] * (model.reward[i, k] + gamma * best)
        k += 1
    return total / model.tries[i]


@jitable
def _any_pair(model, rng):
    """Return a pair that was tried: a position at random, then one of its cells."""
    s = model.decided[int(rng.random() * model.size[1])]
    left, a = int(rng.random() * model.met[s]), 0
    while model.pair[s, a] < 0 or left > 0:
        left -= model.pair[s, a] >= 0
        a += 1
    return model.pair[s, a]


@jitable
def _update_from_sample(model, Q, i, count, action, alpha, gamma, rng):
    """Move Q of pair i towards the target of an outcome that the model draws."""
    k, drawn = 0, int(rng.random() * model.tries[i])
    while drawn >= model.times[i, k]:
        drawn -= model.times[i, k]
        k += 1
    s, a = model.state[i], model.cell[i]
    best = _largest(Q, model.successor[i, k], count, action)
    Q[s, a] += alpha * (model.reward[i, k] + gamma * best - Q[s, a])


@jitable
def _most_urgent(model):
    """Return the pair with the largest urgency."""
    first = 0
    for i in range(model.size[0]):
        if model.urgency[i] > model.urgency[first]:
            first = i
    return first


@jitable
def _set_urgency(model, Q, i, count, action, gamma, theta):
    """Set the urgency of pair i."""
    target = _expected_target(model, Q, i, count, action, gamma)
    urgency = abs(target - Q[model.state[i], model.cell[i]])
    model.urgency[i] = urgency if urgency > theta else 0.0


@jitable
def _set_urgencies(model, Q, s, count, action, gamma, theta):
    """Set the urgencies of all pairs that have led to position s."""
    outcome, K = model.last[s], model.times.shape[1]
    while outcome >= 0:
        i, k = outcome // K, outcome % K
        _set_urgency(model, Q, i, count, action, gamma, theta)
        outcome = model.previous[i, k]


# The learned model beside the exact one


class ModelError(NamedTuple):
    """The difference of a learned model from the exact one, over the pairs tried."""

    largest: float  #: largest |p̂(s′|s, a) − p(s′|s, a)|
    mean: float  #: mean of these over all s′ that are possible after a tried pair
    reward: float  #: largest |r̂(s, a) − r(s, a)| of the expected rewards
    never_tried: int  #: number of legal pairs that were never tried
    pairs: int  #: number of all legal pairs


def _dyna(value, arguments):
    if not isinstance(value, Dyna):
        bad_argument("learner", value, "give a Dyna or PrioritizedDyna")
    return value


@validated(learner=_dyna)
def tries(mdp, learner) -> np.ndarray:
    """Return how often a learner has tried each pair (N,) of the exact MDP."""
    pair = learner.model.pair[mdp.position[state_of(mdp)], mdp.action]
    return np.append(learner.model.tries, 0)[pair]  # −1: never tried


@validated(learner=_dyna)
def learned_model(mdp, learner) -> MDP:
    """Return the learned model p̂ as an MDP: `mdp` with other probabilities and rewards.

    `mdp` is the exact MDP of the same opponent and side, as `mdp.from_opponent` returns
    it. A pair that was never tried ends the episode with reward 0.
    Raises ValueError if the learner has met a reply that this opponent never makes.

    Examples
    --------
    >>> beginner = dyna.Dyna(game, rng)
    >>> learner = beginner.train(game, 100, at_random, side=+1)
    >>> learned = dyna.learned_model(mdp.from_opponent(game, at_random), learner)
    >>> float(planning.optimal_values(learned, gamma=1.0)[0]) <= 1
    True
    """
    p, r = np.zeros_like(mdp.probability), np.zeros_like(mdp.reward)
    model, tried = learner.model, tries(mdp, learner)
    number = np.full(len(model.pair), -1, dtype=np.int64)  # of decisions
    number[mdp.position] = np.arange(len(mdp.position), dtype=np.int64)
    pair = model.pair[mdp.position[state_of(mdp)], mdp.action]
    for i in np.flatnonzero(tried):
        share = model.times[pair[i]] / tried[i]
        successor = number[model.successor[pair[i]]]
        goes_on = (share > 0) & (successor >= 0)
        r[i] = share @ model.reward[pair[i]]
        possible = np.arange(mdp.indptr[i], mdp.indptr[i + 1], dtype=np.int64)
        for k in np.flatnonzero(goes_on):
            j = possible[mdp.successor[possible] == successor[k]]
            require(len(j), "learner has met a reply that this opponent never makes")
            p[j] += share[k]
    return mdp._replace(probability=p, reward=r)


@validated(learner=_dyna)
def model_error(mdp, learner) -> ModelError:
    """Return the ModelError of a learner; `mdp` is the exact one of its opponent.

    Raises ValueError as `learned_model` does, or if it has tried nothing.

    Examples
    --------
    >>> problem = mdp.from_opponent(game, at_random)
    >>> learner = dyna.Dyna(game, rng).train(game, 100, at_random, side=+1)
    >>> error = dyna.model_error(problem, learner)
    >>> 0 < error.mean < error.largest < 1, error.pairs
    (True, 8631)
    """
    learned, tried = learned_model(mdp, learner), tries(mdp, learner) > 0
    require(tried.any(), "learner has tried no pair of mdp: train it on that side")
    transitions = np.repeat(tried, np.diff(mdp.indptr).astype(np.intp))
    difference = np.abs(learned.probability - mdp.probability)[transitions]
    return ModelError(
        float(difference.max()),
        float(difference.mean()),
        float(np.abs(learned.reward - mdp.reward)[tried].max()),
        int((~tried).sum()),
        len(tried),
    )
