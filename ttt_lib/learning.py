"""Learning from play: values and policies from games, with no model of the opponent.

First the equations: a target for each method, and `update`, which moves an estimate
towards it. The loops at the end call these very functions.

A learner is one side of the game, or both in self-play. Its next state is the next
position in which it decides; what the opponent does in between belongs to the
transition, so γ discounts per decision of the learner.
In `minimax_q` alone the next state is the opponent's, and γ discounts per ply.

A game is played to its end and then learnt from, move by move. No position returns
within a game: so this gives the same numbers as learning after every move, and to Monte
Carlo methods every visit is a first visit.
"""

from copy import deepcopy
from typing import NamedTuple

import numpy as np

from ttt_lib.compiled import compiled
from ttt_lib.doors import demand
from ttt_lib.policy import TIE, greedy
from ttt_lib.schedules import Schedule, constant, one_over_n, scheduled

# The equations


class Update(NamedTuple):
    """One step of learning, with its numbers."""

    old: float  #: estimate before
    target: float  #: what it moved towards
    delta: float  #: target − old, the TD error
    new: float  #: estimate after


@compiled
def update(table, entry, target, alpha):
    """Move table[entry] by α (target − old), and return the Update [S&B eq. 2.4]."""
    old = table[entry]
    delta = target - old
    table[entry] = old + alpha * delta
    return Update(old, target, delta, table[entry])


@compiled
def td_target(V, r, s_next, gamma):
    """Return r + γ V(s′), the target of TD(0) [S&B eq. 6.2]."""
    return r + gamma * V[s_next]


@compiled
def lambda_return(V, r, s_next, G_next, gamma, lambda_):
    """Return G = r + γ ((1 − λ) V(s′) + λ G′), G′ being that of s′ [S&B eq. 12.18].

    It is TD(0)'s target for λ = 0, the return itself for λ = 1 [S&B eq. 3.9].
    """
    return r + gamma * ((1 - lambda_) * V[s_next] + lambda_ * G_next)


@compiled
def monte_carlo_target(r, gamma, decisions):
    """Return G = γ^decisions r, the return of a game whose last reward is r.

    All others are 0; `decisions` of the learner lie in between [S&B eq. 3.8].
    """
    return gamma ** float(decisions) * r


@compiled
def sarsa_target(Q, r, s_next, a_next, gamma):
    """Return r + γ Q(s′, a′) [S&B eq. 6.7]."""
    return r + gamma * Q[s_next, a_next]


@compiled
def expected_sarsa_target(Q, r, s_next, gamma, epsilon, count, action):
    """Return r + γ Σ_a π(a|s′) Q(s′, a), π being ε-greedy in Q [S&B eq. 6.9]."""
    return r + gamma * expected_q(Q, Q, s_next, epsilon, count, action)


@compiled
def q_learning_target(Q, r, s_next, gamma, count, action):
    """Return r + γ max_a Q(s′, a) over the legal actions of s′ [S&B eq. 6.8]."""
    largest = -np.inf if count[s_next] > 0 else 0.0
    for i in range(count[s_next]):
        largest = max(largest, Q[s_next, action[s_next, i]])
    return r + gamma * largest


@compiled
def double_q_target(Q1, Q2, r, s_next, gamma, count, action):
    """Return r + γ Q2(s′, argmax_a Q1(s′, a)), the mean if several [S&B eq. 6.10]."""
    return r + gamma * expected_q(Q2, Q1, s_next, 0.0, count, action)


@compiled
def minimax_q_target(Q, r, s_next, gamma, count, action):
    """Return r − γ max_a Q(s′, a), the opponent moving in s′ [Littman 1994]."""
    return q_learning_target(Q, r, s_next, -gamma, count, action)


@compiled
def expected_q(Q, Q_policy, s, epsilon, count, action):
    """Return Σ_a π(a|s) Q(s, a), π being ε-greedy in Q_policy; 0 at the end."""
    largest, ties, best, total = -np.inf, 0, 0.0, 0.0
    for i in range(count[s]):
        a = action[s, i]
        total += Q[s, a]
        if Q_policy[s, a] > largest + TIE:
            largest, ties, best = Q_policy[s, a], 0, 0.0
        if Q_policy[s, a] >= largest - TIE:
            ties += 1
            best += Q[s, a]
    return (1 - epsilon) * best / max(ties, 1) + epsilon * total / max(count[s], 1)


# The learner

PREDICTION, AFTERSTATES, ALL_MOVES, SWEEP, MONTE_CARLO = range(5)
SARSA, EXPECTED_SARSA, Q_LEARNING, DOUBLE_Q, MINIMAX_Q = range(5, 10)

# Name → what the loops do
METHODS = {
    # V(s) of a policy that is given as `behaviour` [S&B sec. 5.1, 6.1]
    "mc_prediction": PREDICTION,
    "td_prediction": PREDICTION,
    # V of afterstates: nothing is learnt across an exploratory move [S&B sec. 1.5], …
    "td_afterstates": AFTERSTATES,
    # … or from all moves alike, …
    "td_all_moves": ALL_MOVES,
    # … or also from the end of the game backwards, towards values just updated
    "backward_sweep": SWEEP,
    # Q(s, a) [S&B sec. 5.4, 6.4–6.7]
    "mc_control": MONTE_CARLO,
    "sarsa": SARSA,
    "expected_sarsa": EXPECTED_SARSA,
    "q_learning": Q_LEARNING,
    "double_q_learning": DOUBLE_Q,
    # Self-play: two Q-learners, each a part of the other's world, …
    "independent_q": Q_LEARNING,
    # … or one Q for two sides that want opposite things [Littman 1994]
    "minimax_q": MINIMAX_Q,
}


class Learner(NamedTuple):
    """What a learner has learnt, and all that it needs to go on."""

    method: str  #: its name in METHODS
    V: np.ndarray | None  #: (S,) to the side to move; of afterstates to the one before
    Q: np.ndarray | None  #: (S, A) to the side to move
    Q1: np.ndarray | None  #: (S, A) one table of double Q-learning; Q is their mean
    Q2: np.ndarray | None  #: (S, A) the other
    updates: np.ndarray  #: (S,) or (S, A), how often each estimate was updated
    visits: np.ndarray  #: (S,) how often the learner decided in each position
    games: int  #: how many it has seen
    total_reward: np.ndarray  #: (2,) sum of its rewards as first and as second player
    alpha: Schedule  #: step size
    epsilon: Schedule  #: probability of a random move
    gamma: float  #: discount
    lambda_: float  #: trace decay
    n: int  #: decisions from an estimate to the one it bootstraps from, at most
    rewards: tuple  #: of win, draw and loss
    rng: np.random.Generator  #: its own


def new_learner(
    game,
    method,
    rng,
    alpha=None,
    epsilon=0.1,
    gamma=1.0,
    initial=0.0,
    lambda_=None,
    n=None,
    rewards=(1, 0, -1),
):
    """Return a Learner that has seen no game; its generator is spawned from `rng`.

    `alpha`, by default 0.1 and for Monte Carlo 1/n, and `epsilon` are numbers or
    Schedules; `initial` is the first estimate, optimistic if above what can be won.
    TD methods of V take the `lambda_` of TD(λ), by default 0, or the `n` of n-step TD,
    or both [S&B sec. 12.3]. `rewards` are the learner's for win, draw and loss.
    Raises ValueError if a setting makes no sense.
    """
    demand(method in METHODS, f"method = {method!r}: choose from {', '.join(METHODS)}")
    demand(
        method.startswith("td_") or (lambda_ is None and n is None),
        f"lambda_ and n are settings of TD methods of V, and not of {method}",
    )
    if alpha is None:
        alpha = one_over_n() if method.startswith("mc_") else 0.1
    if lambda_ is None:
        lambda_ = 0 if n is None and method != "mc_prediction" else 1
    n = game.legal.shape[1] if n is None else n
    alpha, epsilon = _schedule("alpha", alpha), _schedule("epsilon", epsilon)
    gamma = _schedule("gamma", gamma).start
    lambda_ = _schedule("lambda_", lambda_).start
    demand(alpha.start > 0, "alpha = 0: nothing is learnt without a step size above 0")
    demand(n >= 1, f"n = {n}: give a number of steps from 1 up")
    win, draw, loss = rewards = tuple(float(reward) for reward in rewards)
    numbers = (initial, *rewards)
    demand(np.isfinite(numbers).all(), f"initial, rewards = {numbers}: not all finite")
    demand(
        method != "minimax_q" or (win == -loss and draw == 0),
        f"rewards = {rewards}: in minimax_q the sides' rewards must add up to 0",
    )
    of_v, double = METHODS[method] <= SWEEP, METHODS[method] == DOUBLE_Q
    table = np.where(~game.terminal if of_v else game.legal, float(initial), 0.0)
    V, Q = (table, None) if of_v else (None, table)
    Q1, Q2 = (table.copy(), table.copy()) if double else (None, None)
    updates = np.zeros(table.shape, dtype=np.int64)
    tables = V, Q, Q1, Q2, updates, np.zeros(len(game.code), dtype=np.int64)
    settings = alpha, epsilon, gamma, lambda_, int(n), rewards
    return Learner(method, *tables, 0, np.zeros(2), *settings, rng.spawn(1)[0])


def train(game, learner, games, opponent=None, side=0, behaviour=None):
    """Return the Learner after `games` more games; the one given stays as it was.

    `opponent` is a policy (S, A); without one it is self-play, and both sides learn.
    side: +1 or −1 for the learner's, 0 for both, against an opponent in turns.
    `behaviour` is a policy (S, A) that moves for the learner; without one its moves are
    ε-greedy in its own estimates, ties uniform.
    n games and then m are n + m games, to the bit.
    Raises ValueError if an argument makes no sense.
    """
    demand(games == int(games) >= 0, f"games = {games}: give a number from 0 up")
    demand(
        side in ((0,) if opponent is None else (+1, -1, 0)),
        f"side = {side!r}: give 1 or -1 against an opponent, 0 for both and self-play",
    )
    demand(
        METHODS[learner.method] != PREDICTION or behaviour is not None,
        f"{learner.method} judges a policy: give it as behaviour",
    )
    for policy, other in ((opponent, side), (behaviour, -side)):
        rows = ~game.terminal & (game.to_move != other)
        fits = policy is None or np.allclose(np.sum(policy, axis=1)[rows], 1)
        demand(fits, "A policy cannot move for its side: its rows should sum to 1")
    return _run(game, learner, int(games), opponent, side, behaviour)[0]


def snapshots(game, learner, at, opponent=None, side=0, behaviour=None):
    """Yield the Learner when it has seen each of the numbers of games in `at`.

    `opponent`, `side` and `behaviour` are those of `train`.
    Raises ValueError if the numbers go back.
    """
    for games in at:
        if games < learner.games:
            raise ValueError(
                f"at = {games}: the learner has seen {learner.games} games already."
            )
        learner = train(game, learner, games - learner.games, opponent, side, behaviour)
        yield learner


def learn_game(game, learner, actions, side=0):
    """Return the Learner after a game played elsewhere, and the updates it made.

    `actions` are all moves of the game; `side` is +1 or −1 for what the learner played,
    0 to learn from both sides.
    Row t of the updates (moves, 4) is the Update of move t, NaN if there was none.
    Raises ValueError if `actions` are not a whole game.
    """
    moves, s = np.zeros(game.legal.shape), 0
    for a in actions:
        legal = a in range(len(moves[s])) and game.legal[s, a]
        demand(legal, f"actions = {list(actions)}: {a} is illegal")
        moves[s, a] = 1
        s = game.next[s, a]
    demand(game.terminal[s], f"actions = {list(actions)}: the game is not finished")
    # To learn from a game is to play it again.
    learner, log = _run(game, learner, 1, moves if side else None, side, moves)
    return learner, log[: len(actions)]


def action_values(game, learner):
    """Return what a learner expects of each action, from the side to move: (S, A).

    From values of afterstates that is r + V(s′), r being 0 unless the game ends.
    Raises ValueError if the learner predicts: its V(s) says nothing about actions.
    """
    if learner.Q is not None:
        return learner.Q
    demand(
        METHODS[learner.method] != PREDICTION,
        f"{learner.method} judges a policy and has none of its own",
    )
    r = _rewards(game, learner)[game.to_move[:, np.newaxis], game.next]
    return np.where(game.legal, r + learner.V[game.next], 0.0)


def greedy_policy(game, learner, ties="uniform"):
    """Return the policy (S, A) that is greedy in what a learner expects.

    Where it has learnt nothing, all legal actions are ties.
    """
    return greedy(action_values(game, learner), game.legal, ties)


def _run(game, learner, games, opponent, side, behaviour):
    """Return the Learner after more games, and the updates of the last one (A, 4)."""
    learner, cells = deepcopy(learner), game.legal.shape[1]
    policies = tuple(
        np.zeros((0, 0)) if policy is None else np.array(policy, dtype=float)
        for policy in (opponent, behaviour)
    )
    # Unsigned indices make the loops a third faster: none can be negative.
    action, successor = (x.astype(np.uint32) for x in (game.action, game.successor))
    known = _rewards(game, learner), game.to_move, game.count, action, successor
    position, taken = np.zeros((2, cells + 2), dtype=np.uint32)
    record = position, taken, np.zeros(cells + 2, dtype=bool)
    log = np.full((cells, 4), np.nan)
    settings = METHODS[learner.method], games, side
    if learner.Q is None:
        _train_v(*settings, learner, policies, known, record, log)
    else:
        # With two tables always, all methods of Q are one type and compiled once.
        Q1, Q2 = (learner.Q if Q is None else Q for Q in (learner.Q1, learner.Q2))
        full = learner._replace(Q1=Q1, Q2=Q2)
        _train_q(*settings, full, policies, known, record, log)
    return learner._replace(games=learner.games + games), log


def _rewards(game, learner):
    """Return (3, S) what the end in s gives to a side, at [+1, s] and at [−1, s]."""
    rewards = np.zeros((3, len(game.code)))
    for side in (+1, -1):
        reward = np.array(learner.rewards)[1 - side * game.outcome]
        rewards[side] = np.where(game.terminal, reward, 0.0)
    return rewards


def _schedule(name, value):
    """Return a Schedule, or a number as one, all of whose values are from 0 to 1."""
    schedule = value if isinstance(value, Schedule) else constant(value)
    for each in (schedule.start, schedule.end):
        demand(0 <= each <= 1, f"{name} = {each}: give a number from 0 to 1")
    return schedule


# The loops


@compiled
def _worth(table, reward, s, i, to_move, action, successor):
    """Return what V or Q says of the i-th legal action: Q(s, a), or r + V(s′)."""
    if table.ndim == 1:
        s_next = successor[s, i]
        return reward[to_move[s], s_next] + table[s_next]
    return table[s, action[s, i]]


@compiled
def _best(table, reward, s, to_move, count, action, successor, rng):
    """Return which legal action of s is best, equal ones equally likely."""
    largest, ties, choice = -np.inf, 0, 0
    for i in range(count[s]):
        value = _worth(table, reward, s, i, to_move, action, successor)
        if value > largest + TIE:
            largest, ties, choice = value, 1, i
        elif value >= largest - TIE:
            ties += 1
            if int(rng.random() * ties) == 0:
                choice = i
    return choice


@compiled
def _drawn(policy, s, count, action, rng):
    """Return which legal action of s is drawn from a policy."""
    threshold, i = rng.random(), 0
    while i < count[s] - 1 and threshold >= policy[s, action[s, i]]:
        threshold -= policy[s, action[s, i]]
        i += 1
    return i


@compiled
def _play(table, epsilon, visits, episode, agent, policies, known, record, rng):
    """Play a game, `agent` (0: both) for the learner, and return its number of moves.

    The record holds the position of each move and the last, the actions, and whether
    they were exploratory: worth less than the best.
    """
    reward, to_move, count, action, successor = known
    position, taken, exploratory = record
    opponent, behaviour = policies
    position[0], t = 0, 0
    s = position[0]
    while count[s] > 0:
        position[t], exploratory[t] = s, False
        if agent == 0 or to_move[s] == agent:
            visits[s] += 1
            best = _best(table, reward, s, to_move, count, action, successor, rng)
            i = best
            if len(behaviour) > 0:
                i = _drawn(behaviour, s, count, action, rng)
            elif rng.random() < scheduled(epsilon, episode, visits[s]):
                i = int(rng.random() * count[s])
            largest = _worth(table, reward, s, best, to_move, action, successor)
            value = _worth(table, reward, s, i, to_move, action, successor)
            exploratory[t] = value < largest - TIE
        else:
            i = _drawn(opponent, s, count, action, rng)
        taken[t] = action[s, i]
        s = successor[s, i]
        t += 1
    position[t], exploratory[t] = s, False
    return t


@compiled
def _collect(total_reward, reward, s, agent):
    """Add what the end in s gives to each side that is the learner's."""
    if agent != -1:
        total_reward[0] += reward[+1, s]
    if agent != +1:
        total_reward[1] += reward[-1, s]


@compiled
def _note(log, t, numbers):
    log[t, 0], log[t, 1], log[t, 2], log[t, 3] = numbers


@compiled
def _train_v(method, games, side, learner, policies, known, record, log):
    V, updates, visits, rng = learner.V, learner.updates, learner.visits, learner.rng
    alpha, epsilon, gamma = learner.alpha, learner.epsilon, learner.gamma
    reward, to_move = known[0], known[1]
    position, _, exploratory = record
    turns = side == 0 and len(policies[0]) > 0
    after = 0 if method == PREDICTION else 1  # plies from a decision to what is valued
    n = learner.n if learner.lambda_ > 0 else 1  # λ = 0 looks no further than one
    for episode in range(learner.games, learner.games + games):
        agent = 1 - 2 * (episode % 2) if turns else side
        T = _play(V, epsilon, visits, episode, agent, policies, known, record, rng)
        _collect(learner.total_reward, reward, position[T], agent)
        for i in range(T):
            t = T - 1 - i if method == SWEEP else i
            mover = to_move[position[t]]
            if agent != 0 and mover != agent:
                continue
            # From the decision at t look ahead to the one at k, or to the end.
            k = t
            while k + after < T and k < t + 2 * n:
                if method == AFTERSTATES and exploratory[k + 2]:
                    break
                k += 2
            if k == t:  # the own move ends the game, or the next one is exploratory
                continue
            s_next = position[min(k + after, T)]
            r = reward[mover, s_next]
            if after == 1 and k < T:  # it came one decision later
                r *= gamma
            G = td_target(V, r, s_next, gamma)
            for j in range(k - 2, t, -2):
                s_next = position[j + after]
                G = lambda_return(V, 0.0, s_next, G, gamma, learner.lambda_)
            s = position[t + after]
            updates[s] += 1
            step = scheduled(alpha, episode, updates[s])
            _note(log, t, update(V, s, G, step))


@compiled
def _train_q(method, games, side, learner, policies, known, record, log):
    Q, Q1, Q2, updates = learner.Q, learner.Q1, learner.Q2, learner.updates
    visits, rng = learner.visits, learner.rng
    alpha, epsilon, gamma = learner.alpha, learner.epsilon, learner.gamma
    reward, to_move, count, action, _ = known
    position, taken, _ = record
    turns = side == 0 and len(policies[0]) > 0
    plies = 1 if method == MINIMAX_Q else 2
    for episode in range(learner.games, learner.games + games):
        agent = 1 - 2 * (episode % 2) if turns else side
        T = _play(Q, epsilon, visits, episode, agent, policies, known, record, rng)
        _collect(learner.total_reward, reward, position[T], agent)
        for t in range(T):
            s, a = position[t], taken[t]
            if agent != 0 and to_move[s] != agent and method != MINIMAX_Q:
                continue
            s_next = position[min(t + plies, T)]
            r = reward[to_move[s], s_next]
            updates[s, a] += 1
            step = scheduled(alpha, episode, updates[s, a])
            if method == MONTE_CARLO:
                r = reward[to_move[s], position[T]]
                target = monte_carlo_target(r, gamma, (T - 1 - t) // 2)
            elif method == SARSA:
                target = sarsa_target(Q, r, s_next, taken[t + 2], gamma)
            elif method == EXPECTED_SARSA:
                now = scheduled(epsilon, episode, visits[s_next])
                target = expected_sarsa_target(Q, r, s_next, gamma, now, count, action)
            elif method == MINIMAX_Q:
                target = minimax_q_target(Q, r, s_next, gamma, count, action)
            elif method == Q_LEARNING:
                target = q_learning_target(Q, r, s_next, gamma, count, action)
            else:
                # Either table has had about half of the updates.
                step = scheduled(alpha, episode, (updates[s, a] + 1) // 2)
                one, other = (Q1, Q2) if rng.random() < 0.5 else (Q2, Q1)
                target = double_q_target(one, other, r, s_next, gamma, count, action)
                _note(log, t, update(one, (s, a), target, step))
                Q[s, a] = (Q1[s, a] + Q2[s, a]) / 2
                continue
            _note(log, t, update(Q, (s, a), target, step))
