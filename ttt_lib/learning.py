"""Learning from play: values and policies from games, with no model of the opponent.

First the equations: a target for each method, and `update`, which moves an estimate
towards it. The loops at the end call these very functions. V is (S,), Q is (S, A), and
`count` and `action`, the legal moves of each position, are those of the Game.

A learner is one side of the game, or both in self-play. Its next state is the next
position in which it decides; what the opponent does in between belongs to the
transition, so γ discounts per decision of the learner.
In `minimax_q` alone the next state is the opponent's, and γ discounts per ply.

A game is played to its end and then learnt from, move by move. No position returns
within a game: so this gives the same numbers as learning after every move, and to Monte
Carlo methods every visit is a first visit.

The module is long because the loops are kept beside the equations that they call.
"""

from collections.abc import Iterator
from copy import deepcopy
from typing import NamedTuple

import numpy as np

from ttt_lib import validation
from ttt_lib.compiled import compiled, in_chunks, jitable
from ttt_lib.game import positions
from ttt_lib.interrupts import defer_sigint
from ttt_lib.policy import LEARNED_ATOL, greedy, sample_action
from ttt_lib.schedules import Schedule, as_schedule, constant, one_over_n, scheduled
from ttt_lib.validation import require, side_or_both, validated

# The equations


class Update(NamedTuple):
    """One update of an estimate: its terms and its result."""

    old: float  #: estimate before
    target: float  #: what it moved towards
    delta: float  #: target − old, the TD error
    new: float  #: estimate after


@jitable
def update(table, entry, target, alpha):
    """Move float table[entry] by α (target − old); return the Update [S&B eq. 2.4]."""
    old = table[entry]
    delta = target - old
    table[entry] = old + alpha * delta
    return Update(old, target, delta, table[entry])


@jitable
def _require_position(s, table):
    """Raise IndexError unless s is a position; an illegal move leads to −1."""
    if s < 0 or s >= len(table):
        raise IndexError("s_next is not a position: -1 is where an illegal move leads.")


@jitable
def td_target(V, r, s_next, gamma):
    """Return r + γ V(s′), the target of TD(0) [S&B eq. 6.2]."""
    _require_position(s_next, V)
    return r + gamma * V[s_next]


@jitable
def lambda_return(V, r, s_next, G_next, gamma, lambda_):
    """Return G = r + γ ((1 − λ) V(s′) + λ G′), G′ being that of s′ [S&B eq. 12.18].

    It is TD(0)'s target for λ = 0, the return itself for λ = 1 [S&B eq. 3.9].
    """
    _require_position(s_next, V)
    return r + gamma * ((1 - lambda_) * V[s_next] + lambda_ * G_next)


@jitable
def monte_carlo_target(r, gamma, decisions):
    """Return G = γ^decisions r, the return of a game whose last reward is r.

    All others are 0; `decisions` of the learner lie in between [S&B eq. 3.8].
    """
    return gamma ** float(decisions) * r


@jitable
def sarsa_target(Q, r, s_next, a_next, gamma):
    """Return r + γ Q(s′, a′) [S&B eq. 6.7]."""
    _require_position(s_next, Q)
    if a_next < 0 or a_next >= Q.shape[1]:
        raise IndexError("a_next is not a cell of the board.")
    return r + gamma * Q[s_next, a_next]


@jitable
def expected_sarsa_target(Q, r, s_next, gamma, epsilon, count, action):
    """Return r + γ Σ_a π(a|s′) Q(s′, a), π being ε-greedy in Q [S&B eq. 6.9]."""
    return r + gamma * expected_q(Q, Q, s_next, epsilon, count, action)


@jitable
def q_learning_target(Q, r, s_next, gamma, count, action):
    """Return r + γ max_a Q(s′, a) over the legal actions of s′ [S&B eq. 6.8]."""
    _require_position(s_next, Q)
    largest = -np.inf if count[s_next] > 0 else 0.0
    for i in range(count[s_next]):
        largest = max(largest, Q[s_next, action[s_next, i]])
    return r + gamma * largest


@jitable
def double_q_target(Q1, Q2, r, s_next, gamma, count, action):
    """Return r + γ Q2(s′, argmax_a Q1(s′, a)), the mean if several [S&B eq. 6.10]."""
    return r + gamma * expected_q(Q2, Q1, s_next, 0.0, count, action)


@jitable
def minimax_q_target(Q, r, s_next, gamma, count, action):
    """Return r − γ max_a Q(s′, a), the opponent moving in s′ [Littman 1994]."""
    return q_learning_target(Q, r, s_next, -gamma, count, action)


@jitable
def expected_q(Q, Q_policy, s, epsilon, count, action):
    """Return Σ_a π(a|s) Q(s, a), π being ε-greedy in Q_policy; 0 at the end."""
    _require_position(s, Q)
    largest, ties, best, total = -np.inf, 0, 0.0, 0.0
    for i in range(count[s]):
        a = action[s, i]
        total += Q[s, a]
        if Q_policy[s, a] > largest + LEARNED_ATOL:
            largest, ties, best = Q_policy[s, a], 0, 0.0
        if Q_policy[s, a] >= largest - LEARNED_ATOL:
            ties += 1
            best += Q[s, a]
    return (1 - epsilon) * best / max(ties, 1) + epsilon * total / max(count[s], 1)


# The learner

PREDICTION, AFTERSTATES, ALL_MOVES, SWEEP, MONTE_CARLO = range(5)
SARSA, EXPECTED_SARSA, Q_LEARNING, DOUBLE_Q, MINIMAX_Q = range(5, 10)


class Method(NamedTuple):
    """A learning method: a row of METHODS."""

    code: int  #: its branch in the loops
    description: str  #: what it learns and from what, in half a line, for help texts
    alpha: Schedule = constant(0.1)  #: step size by default
    lambda_: float = 0.0  #: trace decay by default
    steps: bool = False  #: whether `lambda_` and `n` can be set
    self_play: bool = False  #: whether it is meant for self-play

    @property
    def learns(self) -> str:
        """The name of what is learnt: "V" or "Q"."""
        return "V" if self.code <= SWEEP else "Q"

    @property
    def is_prediction(self) -> bool:
        """Whether the method evaluates a given policy and has none of its own."""
        return self.code == PREDICTION


METHODS = {
    # V(s) of a policy, given as `behaviour` [S&B sec. 5.1, 6.1]
    "mc_prediction": Method(
        PREDICTION, "V of a policy, from returns", one_over_n(), 1.0
    ),
    "td_prediction": Method(PREDICTION, "V of a policy, from the next V", steps=True),
    # V of afterstates: nothing is learnt across an exploratory move [S&B sec. 1.5], …
    "td_afterstates": Method(AFTERSTATES, "V after moves, if greedy", steps=True),
    # … or from all moves alike, …
    "td_all_moves": Method(ALL_MOVES, "V after moves, from all moves", steps=True),
    # … or also from the end of the game backwards, towards values just updated
    "backward_sweep": Method(SWEEP, "V after moves, from the end backwards"),
    # Q(s, a) [S&B sec. 5.4, 6.4–6.7]
    "mc_control": Method(MONTE_CARLO, "Q, from returns", one_over_n()),
    "sarsa": Method(SARSA, "Q, from the next action"),
    "expected_sarsa": Method(EXPECTED_SARSA, "Q, from the mean of the next actions"),
    "q_learning": Method(Q_LEARNING, "Q, from the best next action"),
    "double_q_learning": Method(DOUBLE_Q, "two tables Q, each judging the other"),
    # Self-play: two Q-learners, each a part of the other's environment, …
    "independent_q": Method(Q_LEARNING, "a Q-learner for each side", self_play=True),
    # … or one Q for two sides that want opposite things [Littman 1994]
    "minimax_q": Method(MINIMAX_Q, "one Q, from the best reply", self_play=True),
}


class Learner(NamedTuple):
    """A learner: its estimates, counters and settings, and its generator."""

    method: str  #: its name in METHODS
    V: np.ndarray | None  #: (S,) for the side to move; of afterstates, the other
    Q: np.ndarray | None  #: (S, A) for the side to move
    Q1: np.ndarray | None  #: (S, A) first table of double Q-learning; Q is their mean
    Q2: np.ndarray | None  #: (S, A) second table of double Q-learning
    updates: np.ndarray  #: (S,) or (S, A), how often each estimate was updated
    updates1: np.ndarray | None  #: (S, A) how many of these were updates of Q1
    visits: np.ndarray  #: (S,) how often the learner decided in each position
    games: int  #: how many games it has seen
    total_reward: np.ndarray  #: (2,) sum of its rewards as first and as second player
    alpha: Schedule  #: step size
    epsilon: Schedule  #: probability of a random move
    gamma: float  #: discount
    lambda_: float  #: trace decay
    n: int  #: n of n-step TD: how many of the learner's decisions it looks ahead
    rewards: tuple  #: of win, draw and loss, for the learner
    rng: np.random.Generator  #: its own random numbers


def _schedule(name, above=False):
    """Return the check of a Schedule from 0 to 1; its start is above 0 if `above`."""

    def check(value, arguments):
        schedule = as_schedule(value, name)
        validation.as_float(schedule.start, name, 0, 1, above)
        validation.as_float(schedule.end, name, 0, 1)
        return schedule

    return check


SETTINGS = validation.SETTING_CHECKS | {
    "method": lambda value, arguments: validation.one_of(value, "method", METHODS),
    "alpha": _schedule("alpha", above=True),  # with 0 nothing is learnt
    "epsilon": _schedule("epsilon"),
}


def _valid_learner(learner, arguments):
    """Return a Learner as the loops need it. Raises ValueError if it is not valid."""
    require(
        isinstance(learner, Learner),
        f"learner = {validation.short_repr(learner)}: give what new_learner returns",
    )
    row = METHODS[SETTINGS["method"](learner.method, arguments)]
    learner = validation.validated_learner(learner, arguments["game"], SETTINGS)
    win, draw, loss = learner.rewards
    require(
        row.code != MINIMAX_Q or (win == -loss and draw == 0),
        f"rewards = {learner.rewards}: in minimax_q those of both sides add up to 0",
    )
    return learner


@validated(**SETTINGS)
def new_learner(
    game, method, rng, alpha=None, epsilon=0.1, gamma=1.0, initial=0.0, lambda_=None,
    n=None, rewards=(1, 0, -1),
) -> Learner:  # fmt: skip
    """Return a Learner that has seen no game; its generator is spawned from `rng`.

    `alpha`, by default as in METHODS, and `epsilon` are numbers or Schedules; `initial`
    is the first estimate, optimistic if above what can be won.
    TD methods of V take the `lambda_` of TD(λ), by default 0, or the `n` of n-step TD,
    or both [S&B sec. 12.3]. `rewards` are the learner's for win, draw and loss.
    """
    row = METHODS[method]
    require(
        row.steps or (lambda_ is None and n is None),
        f"lambda_ and n are settings of TD methods of V, and not of {method}",
    )
    if lambda_ is None:
        lambda_ = row.lambda_ if n is None else 1
    n = game.legal.shape[1] if n is None else n
    alpha = row.alpha if alpha is None else alpha
    has_estimate = ~game.terminal if row.learns == "V" else game.legal
    table = np.where(has_estimate, float(initial), 0.0)
    updates = np.zeros(has_estimate.shape, dtype=np.int64)
    V, Q = (table, None) if row.learns == "V" else (None, table)
    Q1 = Q2 = updates1 = None
    if row.code == DOUBLE_Q:
        Q1, Q2, updates1 = table.copy(), table.copy(), updates.copy()
    visits = np.zeros(len(game.code), dtype=np.int64)
    tables = V, Q, Q1, Q2, updates, updates1, visits
    settings = alpha, epsilon, gamma, lambda_, n, rewards
    new = Learner(method, *tables, 0, np.zeros(2), *settings, rng)
    return _valid_learner(new, {"game": game})._replace(rng=rng.spawn(1)[0])


@validated(side=side_or_both, learner=_valid_learner)
def train(game, learner, games, opponent=None, side=0, behaviour=None) -> Learner:
    """Return the Learner after `games` more games; the given one is not changed.

    `opponent` is a policy (S, A); without one it is self-play, and both sides learn.
    side: +1 or −1 for the learner's, 0 for both, against an opponent in turns.
    `behaviour` is a policy (S, A) that moves for the learner; without one its moves are
    ε-greedy in its own estimates, ties uniform.
    Training for n games and then m is bit-identical to n + m games. Ctrl-C, or a
    notebook's stop button, raises KeyboardInterrupt, whose `so_far` is the Learner at
    that moment (in a notebook: `sys.last_value.so_far`).

    Examples
    --------
    >>> beginner = learning.new_learner(game, "td_afterstates", rng, alpha=0.5)
    >>> learner = learning.train(game, beginner, 1000, at_random, side=+1)
    >>> learned = learning.greedy_policy(game, learner)
    >>> evaluation.result(game, learned, at_random).win > 0.9
    True
    >>> beginner.games, learner.games
    (0, 1000)
    """
    can_move = not METHODS[learner.method].is_prediction or behaviour is not None
    require(can_move, f"{learner.method} evaluates a policy: give it as behaviour")
    one_side_alone = opponent is None and side != 0
    require(
        not one_side_alone,
        f"side = {side}: in self-play both sides learn, that is side = 0",
    )
    validation.as_int(games, "games", 0, validation.MAX_INT - learner.games)

    def play(learner, games):
        return _run(game, learner, games, opponent, side, behaviour)[0]

    return in_chunks(play, learner, games)


@validated(side=side_or_both, learner=_valid_learner, at=validation.game_counts)
def snapshots(
    game, learner, at, opponent=None, side=0, behaviour=None
) -> Iterator[Learner]:
    """Yield the Learner when it has seen each of the numbers of games in `at`.

    `opponent`, `side` and `behaviour` are those of `train`, and so is what Ctrl-C does.
    Raises ValueError if the numbers decrease.

    Examples
    --------
    >>> beginner = learning.new_learner(game, "q_learning", rng)
    >>> stages = learning.snapshots(game, beginner, [10, 100, 1000])
    >>> [learner.games for learner in stages]
    [10, 100, 1000]
    """
    for games in at:
        n = learner.games
        later = validation.as_int(games, "at") >= n
        require(later, f"at = {games}: the learner has seen {n} games already")
        learner = train(game, learner, games - n, opponent, side, behaviour)
        yield learner


@validated(side=side_or_both, learner=_valid_learner)
def learn_game(game, learner, actions, side=0) -> tuple[Learner, np.ndarray]:
    """Return the Learner after a game played elsewhere, and the updates it made.

    `actions` are all moves of the game; `side` is +1 or −1 for what the learner played,
    0 to learn from both sides.
    Row t of the updates (moves, 4) is the Update of move t, NaN if there was none.
    Raises ValueError if `actions` are not a whole game.

    Examples
    --------
    >>> beginner = learning.new_learner(game, "mc_control", rng, alpha=0.5)
    >>> moves = [4, 1, 0, 2, 8]
    >>> learner, updates = learning.learn_game(game, beginner, moves, side=+1)
    >>> updates[0]
    array([0. , 1. , 1. , 0.5])
    >>> learner.Q[0]
    array([0. , 0. , 0. , 0. , 0.5, 0. , 0. , 0. , 0. ])
    """
    path, moves = positions(game, actions), np.zeros(game.legal.shape)
    is_over = game.terminal[path[-1]]
    require(is_over, f"actions = {list(actions)}: the game is not finished")
    moves[path[:-1], list(actions)] = 1
    with defer_sigint():
        # Replay the game with policies that make its moves.
        learner, log = _run(game, learner, 1, moves if side else None, side, moves)
    return learner, log[: len(actions)]


@validated(learner=_valid_learner)
def action_values(game, learner) -> np.ndarray:
    """Return a learner's values of all actions, for the side to move: (S, A).

    From values of afterstates that is r + V(s′), r being 0 unless the game ends.
    Raises ValueError for a prediction method: its V(s) does not tell actions apart.
    """
    if learner.Q is not None:
        return learner.Q
    has_policy = not METHODS[learner.method].is_prediction
    require(has_policy, f"{learner.method} evaluates a policy, and has none of its own")
    wins = game.to_move[:, np.newaxis] * game.outcome[game.next]
    r = np.array(learner.rewards)[1 - wins] * game.terminal[game.next]
    return np.where(game.legal, r + learner.V[game.next], 0.0)


def greedy_policy(game, learner, ties="uniform") -> np.ndarray:
    """Return the policy (S, A) that is greedy in a learner's `action_values`.

    Where it has learnt nothing, all legal actions tie.
    """
    return greedy(action_values(game, learner), game.legal, ties)


def _run(game, learner, games, opponent, side, behaviour):
    """Return the Learner after more games, and the updates of the last one (A, 4)."""
    learner, cells = deepcopy(learner), game.legal.shape[1]
    opponent, behaviour = (
        np.zeros((0, 0)) if policy is None else np.array(policy, float, order="C")
        for policy in (opponent, behaviour)
    )
    # Unsigned indices make the loops a third faster: none can be negative.
    action, successor = (x.astype(np.uint32) for x in (game.action, game.successor))
    rewards = np.array(learner.rewards)
    env = _Env(rewards, game.outcome, game.to_move, game.count, action, successor)
    state, taken = np.zeros((2, cells + 2), dtype=np.uint32)
    path = _Trajectory(state, taken, np.zeros(cells + 2, dtype=bool))
    log = np.full((cells, 4), np.nan)
    code = METHODS[learner.method].code
    learn = _learn_v if learner.Q is None else _learn_q
    learn = _learn_double_q if code == DOUBLE_Q else learn
    # One shape for V and Q, so that `_play` is compiled once for both.
    of_boards = learner.Q is None
    table = _Estimates(learner.V[:, np.newaxis] if of_boards else learner.Q, of_boards)
    policies = _Policies(opponent, behaviour)
    learn(code, games, side, learner, table, policies, env, path, log)
    return learner._replace(games=learner.games + games), log


# The loops. Helpers get arrays, or small tuples of them: with a whole Learner passed on
# to `_play`, training took a third longer.


class _Env(NamedTuple):
    """The parts of the game that the loops read, and the learner's rewards."""

    rewards: np.ndarray  #: (3,) of win, draw and loss
    outcome: np.ndarray  #: as in the Game, like the fields below
    to_move: np.ndarray
    count: np.ndarray  # type: ignore[assignment]
    action: np.ndarray
    successor: np.ndarray


class _Policies(NamedTuple):
    """Policies besides the learner's own; an array (0, 0) where there is none."""

    opponent: np.ndarray  #: (S, A)
    behaviour: np.ndarray  #: (S, A) makes the learner's moves


class _Estimates(NamedTuple):
    """The estimates that the learner chooses its moves by."""

    values: np.ndarray  #: Q (S, A), or V (S, 1)
    of_boards: bool  #: whether the values are V


class _Tally(NamedTuple):
    """Counters of the Learner that change while games are played."""

    visits: np.ndarray  #: (S,)
    total_reward: np.ndarray  #: (2,)


class _Trajectory(NamedTuple):
    """The game that is being played, in arrays for the longest one."""

    state: np.ndarray  #: position before each move, and the last
    action: np.ndarray  #: the moves
    exploratory: np.ndarray  #: whether a move is worth less than the best


@jitable
def reward(rewards, side, outcome):
    """Return the reward of a side for an outcome; `rewards` (3,): win, draw, loss.

    The arguments are not validated: a side is +1 or −1, an outcome +1, 0 or −1.
    """
    return rewards[1 - side * outcome]


@jitable
def _value(table, s, i, env):
    """Return the value of the i-th legal action: Q(s, a), or r + V(s′)."""
    if not table.of_boards:
        return table.values[s, env.action[s, i]]
    s_next = env.successor[s, i]
    if env.count[s_next] == 0:
        return reward(env.rewards, env.to_move[s], env.outcome[s_next])
    return table.values[s_next, 0]


@jitable
def _best(table, s, env, rng):
    """Return the index of the best among the legal actions of s, ties uniform."""
    largest, ties, index = -np.inf, 0, 0
    for i in range(env.count[s]):
        value = _value(table, s, i, env)
        if value > largest + LEARNED_ATOL:
            largest, ties, index = value, 1, i
        elif value >= largest - LEARNED_ATOL:
            ties += 1
            if int(rng.random() * ties) == 0:
                index = i
    return index


@jitable
def _play(table, epsilon, tally, episode, side, policies, env, path, rng):
    """Play a game into `path`; return its length, and the learner's side, 0 if both.

    With `side` 0 against an opponent the learner plays each side in turns.
    """
    if side == 0 and len(policies.opponent) > 0:
        side = 1 - 2 * (episode % 2)
    path.state[0], t = 0, 0
    s = path.state[0]
    while env.count[s] > 0:
        path.state[t], path.exploratory[t] = s, False
        if side == 0 or env.to_move[s] == side:
            tally.visits[s] += 1
            best = i = _best(table, s, env, rng)
            if len(policies.behaviour) > 0:
                i = sample_action(policies.behaviour, s, env.count, env.action, rng)
            elif rng.random() < scheduled(epsilon, episode, tally.visits[s]):
                i = int(rng.random() * env.count[s])
            largest = _value(table, s, best, env)
            path.exploratory[t] = _value(table, s, i, env) < largest - LEARNED_ATOL
        else:
            i = sample_action(policies.opponent, s, env.count, env.action, rng)
        path.action[t] = env.action[s, i]
        s = env.successor[s, i]
        t += 1
    path.state[t], path.exploratory[t] = s, False
    if side != -1:
        tally.total_reward[0] += reward(env.rewards, +1, env.outcome[s])
    if side != +1:
        tally.total_reward[1] += reward(env.rewards, -1, env.outcome[s])
    return t, side


@jitable
def _log_update(log, t, numbers):
    log[t, 0], log[t, 1], log[t, 2], log[t, 3] = numbers


@compiled
def _learn_v(method, games, side, learner, table, policies, env, path, log):
    """Learn V from games, each after its end; the log has the updates of the last."""
    V, updates, rng = learner.V, learner.updates, learner.rng
    epsilon, gamma = learner.epsilon, learner.gamma
    tally = _Tally(learner.visits, learner.total_reward)
    after = 0 if method == PREDICTION else 1  # plies from a decision to its V
    n = learner.n if learner.lambda_ > 0 else 1  # λ = 0 is one-step TD
    for episode in range(learner.games, learner.games + games):
        T, own = _play(table, epsilon, tally, episode, side, policies, env, path, rng)
        result = env.outcome[path.state[T]]
        for i in range(T):
            t = T - 1 - i if method == SWEEP else i
            mover = env.to_move[path.state[t]]
            if own != 0 and mover != own:
                continue
            # From the decision at t look ahead to the one at k, or to the end.
            k = t
            while k + after < T and k < t + 2 * n:
                if method == AFTERSTATES and path.exploratory[k + 2]:
                    break
                k += 2
            if k == t:  # its move ends the game, or its next one is exploratory
                continue
            r = reward(env.rewards, mover, result) if k + after >= T else 0.0
            if after == 1 and k < T:  # the reward comes one decision later
                r *= gamma
            G = td_target(V, r, path.state[min(k + after, T)], gamma)
            for j in range(k - 2, t, -2):
                s_next = path.state[j + after]
                G = lambda_return(V, 0.0, s_next, G, gamma, learner.lambda_)
            s = path.state[t + after]
            updates[s] += 1
            alpha = scheduled(learner.alpha, episode, updates[s])
            _log_update(log, t, update(V, s, G, alpha))


@compiled
def _learn_q(method, games, side, learner, table, policies, env, path, log):
    """Learn Q from games, each after its end; the log has the updates of the last."""
    Q, updates, visits, rng = learner.Q, learner.updates, learner.visits, learner.rng
    epsilon, gamma = learner.epsilon, learner.gamma
    tally = _Tally(visits, learner.total_reward)
    count, action = env.count, env.action
    plies = 1 if method == MINIMAX_Q else 2
    for episode in range(learner.games, learner.games + games):
        T, own = _play(table, epsilon, tally, episode, side, policies, env, path, rng)
        result = env.outcome[path.state[T]]
        for t in range(T):
            s, a = path.state[t], path.action[t]
            if own != 0 and env.to_move[s] != own and method != MINIMAX_Q:
                continue
            s_next = path.state[min(t + plies, T)]
            ends = t + plies >= T or method == MONTE_CARLO
            r = reward(env.rewards, env.to_move[s], result) if ends else 0.0
            # This chain stays in the loop: as a separate function it made training a
            # sixth slower.
            if method == MONTE_CARLO:
                target = monte_carlo_target(r, gamma, (T - 1 - t) // 2)
            elif method == SARSA:
                target = sarsa_target(Q, r, s_next, path.action[t + 2], gamma)
            elif method == EXPECTED_SARSA:
                now = scheduled(epsilon, episode, visits[s_next])
                target = expected_sarsa_target(Q, r, s_next, gamma, now, count, action)
            elif method == MINIMAX_Q:
                target = minimax_q_target(Q, r, s_next, gamma, count, action)
            else:
                target = q_learning_target(Q, r, s_next, gamma, count, action)
            updates[s, a] += 1
            alpha = scheduled(learner.alpha, episode, updates[s, a])
            _log_update(log, t, update(Q, (s, a), target, alpha))


@compiled
def _learn_double_q(_, games, side, learner, table, policies, env, path, log):
    """Learn Q1 and Q2 from games: a coin decides which of them a move updates."""
    Q, Q1, Q2 = learner.Q, learner.Q1, learner.Q2
    updates, updates1, rng = learner.updates, learner.updates1, learner.rng
    epsilon, gamma = learner.epsilon, learner.gamma
    tally = _Tally(learner.visits, learner.total_reward)
    for episode in range(learner.games, learner.games + games):
        T, own = _play(table, epsilon, tally, episode, side, policies, env, path, rng)
        result = env.outcome[path.state[T]]
        for t in range(T):
            s, a = path.state[t], path.action[t]
            if own != 0 and env.to_move[s] != own:
                continue
            s_next = path.state[min(t + 2, T)]
            r = reward(env.rewards, env.to_move[s], result) if t + 2 >= T else 0.0
            first = rng.random() < 0.5
            updates[s, a] += 1
            updates1[s, a] += first
            one, other = (Q1, Q2) if first else (Q2, Q1)
            n = updates1[s, a] if first else updates[s, a] - updates1[s, a]
            alpha = scheduled(learner.alpha, episode, n)
            target = double_q_target(
                one, other, r, s_next, gamma, env.count, env.action
            )
            _log_update(log, t, update(one, (s, a), target, alpha))
            Q[s, a] = (Q1[s, a] + Q2[s, a]) / 2
