"""What the assignments on learning ask, chapters 6 to 8; the rest is in `questions`.

V is a list of numbers, one for each state; Q a list of dicts from action to number.
"""

from copy import deepcopy
from itertools import chain, pairwise

import numpy as np

from ttt_lib.questions import Mistake, Question, _cases, board

# Chapter 6: bandits and matchboxes


def _means(rewards, step=lambda n: 1 / n, start=0.0):
    estimate, found = start, []
    for n, r in enumerate(rewards, 1):
        estimate += step(n) * (r - estimate)
        found.append(estimate)
    return found


RUNNING_MEAN = Question(
    "running_mean: an estimate after every reward",
    _means,
    _cases(
        ("a few rewards", [1, 0, -1, 1]),
        ("one reward", [-1]),
        ("a few rewards", [1, 1, 0, 0, 0, 1]),
    ),
    (
        Mistake(
            "constant step size",
            lambda rewards: _means(rewards, lambda n: 0.1),
            "A step size of 0.1 forgets old rewards. The mean needs 1/n.",
        ),
        Mistake(
            "1/(n + 1)",
            lambda rewards: _means(rewards, lambda n: 1 / (n + 1)),
            "The first reward has n = 1, so that the first estimate is that reward.",
        ),
        Mistake(
            "sum, not mean",
            lambda rewards: np.cumsum(rewards).tolist(),
            "You add up the rewards. Move the estimate by (r − estimate) / n.",
        ),
        Mistake(
            "last estimate alone",
            lambda rewards: _means(rewards)[-1:],
            "Give a list: the estimate after every reward.",
        ),
    ),
    "Q ← Q + (r − Q) / n, and write down Q after every reward.",
)


def _epsilon_greedy(q, epsilon, random=None, best=None):
    top = [a for a in q if q[a] >= max(q.values()) - 1e-9]
    top = best(top) if best else top
    share = epsilon / (random(q, top) if random else len(q))
    return {a: share + (1 - epsilon) * (a in top) / len(top) for a in q}


def _exploring_elsewhere(q, epsilon):
    top = [a for a in q if q[a] >= max(q.values()) - 1e-9]
    others = len(q) - len(top)
    if not others:
        return _epsilon_greedy(q, epsilon)
    return {a: (1 - epsilon) / len(top) if a in top else epsilon / others for a in q}


EPSILON_GREEDY = Question(
    "epsilon_greedy: the probability of each move",
    _epsilon_greedy,
    _cases(
        ("one best action", {0: 0.2, 3: 0.9, 5: -1.0, 8: 0.0}, 0.1),
        ("one best action", {1: -0.5, 2: -0.1}, 0.4),
        ("equally good actions*", {0: 0.5, 4: 0.5, 7: 0.1}, 0.3),
    ),
    (
        Mistake(
            "first of equals",
            lambda q, epsilon: _epsilon_greedy(q, epsilon, best=lambda top: top[:1]),
            "Several actions can be best: they share 1 − ε.",
        ),
        Mistake(
            "exploring elsewhere",
            _exploring_elsewhere,
            "A random move may also be the best one: every action gets ε / n.",
        ),
        Mistake(
            "over nine cells",
            lambda q, epsilon: _epsilon_greedy(q, epsilon, lambda q, top: 9),
            "A random move is one of the legal ones, not of nine cells.",
        ),
        Mistake(
            "ε and 1 − ε exchanged",
            lambda q, epsilon: _epsilon_greedy(q, 1 - epsilon),
            "ε is the probability of a random move, and not of a greedy one.",
        ),
    ),
    "Every legal action gets ε / n, and the best ones share 1 − ε.",
)


def _beads(box, cell, result, change=(1, 3, -1), least=0):
    after = dict(box)
    after[cell] = max(least, after[cell] + change[result])  # of draw, win and loss
    return after


BEADS_AFTER = Question(
    "beads_after: how MENACE learns",
    _beads,
    _cases(
        ("a win", {0: 4, 4: 2, 8: 4}, 4, 1),
        ("a draw", {0: 4, 4: 2, 8: 4}, 0, 0),
        ("a loss", {0: 4, 4: 2, 8: 4}, 8, -1),
        ("no bead is left*", {1: 3, 7: 0}, 7, -1),
    ),
    (
        Mistake(
            "negative beads",
            lambda *args: _beads(*args, least=-99),
            "A box cannot hold fewer than no beads.",
        ),
        Mistake(
            "draw = loss",
            lambda *args: _beads(*args, change=(-1, 3, -1)),
            "A draw adds a bead. Only a loss takes one away.",
        ),
        Mistake(
            "draw = nothing",
            lambda *args: _beads(*args, change=(0, 3, -1)),
            "A draw adds a bead too.",
        ),
        Mistake(
            "win +1",
            lambda *args: _beads(*args, change=(1, 1, -1)),
            "A win adds three beads.",
        ),
    ),
    "+3 for a win, +1 for a draw, −1 for a loss, and never below 0.",
)


def _chosen_cell(cells, values, index=False, worst=False):
    empty = np.flatnonzero(np.asarray(cells) == 0)
    best = int(np.argmin(values) if worst else np.argmax(values))
    return best if index else int(empty[best])


CHOSEN_CELL = Question(
    "chosen_cell: the number of a cell",
    _chosen_cell,
    _cases(
        ("some cells taken", board("XO./.X./..."), [0.1, 0.0, 0.5, 0.2, -0.1, 0.3]),
        (
            "some cells taken",
            board("X../.O./..."),
            [0.1, 0.7, 0.5, 0.2, -0.1, 0.3, 0.0],
        ),
    ),
    (
        Mistake(
            "not repaired",
            lambda cells, values: _chosen_cell(cells, values, index=True),
            "You still give the place in the list of empty cells: the same number "
            "means another cell on another board.",
        ),
        Mistake(
            "worst cell",
            lambda cells, values: _chosen_cell(cells, values, worst=True),
            "You take the smallest value.",
        ),
    ),
    "Number i of the values belongs to number i of the empty cells.",
)


# Chapter 7: temporal differences


def _td(V, s, r, s_next, alpha, gamma, sign=1, entry=None, reward=1, ends=None):
    V = list(V)
    later = V[ends] if s_next is None and ends is not None else 0.0
    target = reward * r + gamma * (later if s_next is None else V[s_next])
    delta = target - V[s]
    entry = s if entry is None or s_next is None else s_next
    V[entry] += sign * alpha * delta
    return V


VALUES = [0.5, -0.2, 0.8, 0.0]

TD_UPDATE = Question(
    "td_update: learning from one move",
    _td,
    _cases(
        ("an unfinished game", VALUES, 0, 0, 2, 0.1, 0.9),
        ("a reward on the way", VALUES, 1, 1, 3, 0.5, 1.0),
        ("the end of the game", [0.5, -0.2, 0.8, 0.3], 1, -1, None, 0.5, 0.9),
    ),
    (
        Mistake(
            "sign turned",
            lambda *args: _td(*args, sign=-1),
            "Your estimate moves away from the target: V(s) + α (target − V(s)). One "
            "well-known book prints it with this very error.",
        ),
        Mistake(
            "the new state's entry updated",
            lambda *args: _td(*args, entry=True),
            "You change V(s′). It is V(s) that learns.",
        ),
        Mistake(
            "γ forgotten",
            lambda V, s, r, n, alpha, gamma: _td(V, s, r, n, alpha, 1),
            "The value of the next state is discounted by γ.",
        ),
        Mistake(
            "γ twice",
            lambda V, s, r, n, alpha, gamma: _td(V, s, r, n, alpha, gamma**2),
            "γ acts twice: it discounts V(s′) once.",
        ),
        Mistake(
            "reward forgotten",
            lambda *args: _td(*args, reward=0),
            "The reward is missing: the target is r + γ V(s′).",
        ),
        Mistake(
            "α = 1",
            lambda V, s, r, n, alpha, gamma: _td(V, s, r, n, 1, gamma),
            "You put the target in the place of V(s). Move towards it by α only.",
        ),
        Mistake(
            "None read as the last state",
            lambda *args: _td(*args, ends=-1),
            "After the end there is nothing: where the next state is None, V is 0.",
        ),
    ),
    "V(s) ← V(s) + α (r + γ V(s′) − V(s)), with V(s′) = 0 after the end.",
)


def _n_step(rewards, last_value, gamma, shift=0):
    n = len(rewards)
    total = sum(gamma**k * r for k, r in enumerate(rewards))
    return float(total + gamma ** (n + shift) * last_value)


N_STEP_RETURN = Question(
    "n_step_return: some rewards and one estimate",
    _n_step,
    _cases(
        ("three rewards", [0, 1, -1], 0.5, 0.9),
        ("one reward", [1], -0.4, 0.5),
        ("no discount", [0, 0], 0.3, 1.0),
    ),
    (
        Mistake(
            "estimate not discounted enough",
            lambda rewards, v, gamma: _n_step(rewards, v, gamma, shift=-1),
            "After n rewards the estimate is n steps away: γ to the power n.",
        ),
        Mistake(
            "estimate not discounted",
            lambda rewards, v, gamma: _n_step(rewards, 0, gamma) + v,
            "The estimate is discounted too, by γ to the power n.",
        ),
        Mistake(
            "estimate forgotten",
            lambda rewards, v, gamma: _n_step(rewards, 0, gamma),
            "Behind the last reward stands the estimate of where you are then.",
        ),
        Mistake(
            "γ forgotten",
            lambda rewards, v, gamma: _n_step(rewards, v, 1),
            "Nothing is discounted here.",
        ),
    ),
    "Σ γ^k r_k over the n rewards, and γ^n times the last value.",
)


def _sweep_back(V, states, alpha, forwards=False):
    V = list(V)
    pairs = list(pairwise(states))
    for s, s_next in pairs if forwards else pairs[::-1]:
        V[s] += alpha * (V[s_next] - V[s])
    return V


BACKWARD_SWEEP = Question(
    "backward_sweep: a game learnt from its end",
    _sweep_back,
    _cases(
        ("four states", [0.5, 0.5, 0.5, 1.0], [0, 1, 2, 3], 0.5),
        ("some states not visited", [0.5, 0.4, 0.6, 0.0, 0.7], [0, 2, 3], 0.1),
    ),
    (
        Mistake(
            "from the beginning",
            lambda *args: _sweep_back(*args, forwards=True),
            "You move towards values from before the game, so that one state alone "
            "sees its end. Go from the end, and use the values just updated.",
        ),
        Mistake(
            "the next state updated",
            lambda V, states, alpha: _sweep_back(V, states[::-1], alpha, forwards=True),
            "You change V(s′). It is V(s) that learns.",
        ),
    ),
    "From the last pair of states to the first: V(s) ← V(s) + α (V(s′) − V(s)).",
)


def _tables(V, lessons, alpha, shared=False):
    common, found = list(V), []
    for lesson in lessons:
        own = common if shared else list(V)
        for s, target in lesson:
            own[s] += alpha * (target - own[s])
        found.append(own)
    return [list(own) for own in found]


SEPARATE_TABLES = Question(
    "separate_tables: learners that share nothing",
    _tables,
    _cases(
        ("two learners", [0.5, 0.5], [[(0, 1.0)], [(0, 0.0), (1, 1.0)]], 0.5),
        ("three learners", [0.0, 0.2], [[(1, 1.0)], [], [(0, -1.0), (0, 1.0)]], 0.1),
    ),
    (
        Mistake(
            "not repaired",
            lambda *args: _tables(*args, shared=True),
            "All learners still write into one table: give each a copy of its own.",
        ),
        Mistake(
            "all begin where the last one stopped",
            lambda V, lessons, alpha: [
                _tables(V, [[*chain(*lessons[: i + 1])]], alpha)[0]
                for i in range(len(lessons))
            ],
            "Each learner begins with what the one before had learnt. All should begin "
            "with V.",
        ),
    ),
    "`own = V` makes a second name for one list, and no second list.",
)


# Chapter 8: learning what an action is worth


def _q_step(Q, s, a, target, alpha, entry=None):
    Q = deepcopy(Q)
    new = Q[s][a] + alpha * (target - Q[s][a])
    where, which = entry or (s, a)
    Q[where][which] = new
    return Q


def _sarsa(Q, s, a, r, s_next, a_next, alpha, gamma, greedy=False, other=False):
    later = 0.0
    if s_next is not None:
        later = max(Q[s_next].values()) if greedy else Q[s_next][a_next]
    entry = (s_next, a_next) if other and s_next is not None else None
    return _q_step(Q, s, a, r + gamma * later, alpha, entry)


def _q_learning(Q, s, a, r, s_next, alpha, gamma, of=max, sign=1):
    later = 0.0 if s_next is None else of(list(Q[s_next].values()))
    return _q_step(Q, s, a, sign * r + gamma * later, alpha)


def _expected(Q, r, s_next, gamma, epsilon, how=None):
    if s_next is None:
        return float(r)
    q = Q[s_next]
    policy = _epsilon_greedy(q, epsilon) if how is None else how(q)
    return float(r + gamma * sum(policy[a] * q[a] for a in q))


Q_TABLE = [
    {0: 0.2, 4: -0.1, 8: 0.5},
    {1: -0.5, 2: -0.2},
    {3: 0.0, 5: 0.7, 6: 0.7},
]

SARSA_UPDATE = Question(
    "sarsa_update: towards the move that was made",
    _sarsa,
    _cases(
        ("an exploring next action", Q_TABLE, 0, 4, 0, 1, 1, 0.5, 0.9),
        ("a greedy next action", Q_TABLE, 0, 8, 1, 1, 2, 0.1, 1.0),
        ("the end of the game", Q_TABLE, 1, 2, -1, None, None, 0.5, 0.9),
    ),
    (
        Mistake(
            "greedy target",
            lambda *args: _sarsa(*args, greedy=True),
            "That is Q-learning: the target of Sarsa is the action that was chosen in "
            "s′, also if it explored.",
        ),
        Mistake(
            "the new action's entry updated",
            lambda *args: _sarsa(*args, other=True),
            "You change Q(s′, a′). It is Q(s, a) that learns.",
        ),
        Mistake(
            "γ forgotten",
            lambda Q, s, a, r, n, b, alpha, gamma: _sarsa(Q, s, a, r, n, b, alpha, 1),
            "The value of the next action is discounted by γ.",
        ),
        Mistake(
            "γ twice",
            lambda Q, s, a, r, n, b, alpha, g: _sarsa(Q, s, a, r, n, b, alpha, g * g),
            "γ acts twice: it discounts the next value once.",
        ),
        Mistake(
            "reward forgotten",
            lambda Q, s, a, r, *args: _sarsa(Q, s, a, 0, *args),
            "The reward is missing from the target.",
        ),
    ),
    "Q(s, a) ← Q(s, a) + α (r + γ Q(s′, a′) − Q(s, a)).",
)

Q_LEARNING_UPDATE = Question(
    "q_learning_update: towards the best next move",
    _q_learning,
    _cases(
        ("a next state worth something", Q_TABLE, 0, 4, 0, 2, 0.5, 0.9),
        ("every next action loses*", Q_TABLE, 0, 8, 0, 1, 0.5, 0.9),
        ("the end of the game", Q_TABLE, 1, 2, -1, None, 0.5, 0.9),
    ),
    (
        Mistake(
            "illegal actions count as 0",
            lambda *args: _q_learning(*args, of=lambda q: max([0.0, *q])),
            "Where all legal actions lose, your maximum is 0: take it over the legal "
            "actions only.",
        ),
        Mistake(
            "mean instead of maximum",
            lambda *args: _q_learning(*args, of=lambda q: sum(q) / len(q)),
            "You take the mean over the next actions. Q-learning takes the largest.",
        ),
        Mistake(
            "minimum instead of maximum",
            lambda *args: _q_learning(*args, of=min),
            "You take the worst next action. The agent takes the best.",
        ),
        Mistake(
            "γ forgotten",
            lambda Q, s, a, r, n, alpha, gamma: _q_learning(Q, s, a, r, n, alpha, 1),
            "The value of the next action is discounted by γ.",
        ),
        Mistake(
            "sign of the reward turned",
            lambda *args: _q_learning(*args, sign=-1),
            "The sign of the reward is turned: a loss is −1 to the learner.",
        ),
    ),
    "Q(s, a) ← Q(s, a) + α (r + γ max Q(s′, ·) − Q(s, a)).",
)

EXPECTED_SARSA_TARGET = Question(
    "expected_sarsa_target: what the next move is worth on average",
    _expected,
    _cases(
        ("a next state", Q_TABLE, 0, 0, 0.9, 0.3),
        ("a next state", Q_TABLE, 1, 1, 0.5, 0.4),
        ("the end of the game", Q_TABLE, -1, None, 0.9, 0.1),
        ("equally good actions*", Q_TABLE, 0, 2, 0.9, 0.1),
    ),
    (
        Mistake(
            "greedy target",
            lambda Q, r, n, gamma, epsilon: _expected(Q, r, n, gamma, 0.0),
            "You take the best action. With probability ε the next move is random.",
        ),
        Mistake(
            "random target",
            lambda Q, r, n, gamma, epsilon: _expected(Q, r, n, gamma, 1.0),
            "You weigh all actions alike. With probability 1 − ε the best is chosen.",
        ),
        Mistake(
            "exploring elsewhere",
            lambda Q, r, n, gamma, epsilon: _expected(
                Q, r, n, gamma, epsilon, lambda q: _exploring_elsewhere(q, epsilon)
            ),
            "A random move may also be the best one: every action gets ε / n.",
        ),
        Mistake(
            "γ forgotten",
            lambda Q, r, n, gamma, epsilon: _expected(Q, r, n, 1, epsilon),
            "The value of the next action is discounted by γ.",
        ),
    ),
    "r + γ Σ π(a|s′) Q(s′, a), where π is ε-greedy in Q.",
)


def _learn_game(Q, moves, result, alpha, losses=True, last=-1):
    Q, moves = deepcopy(Q), [tuple(move) for move in moves]
    for (s, a), (s_next, _) in pairwise(moves):
        Q[s][a] += alpha * (max(Q[s_next].values()) - Q[s][a])
    if losses or result >= 0:
        s, a = moves[last]
        Q[s][a] += alpha * (result - Q[s][a])
    return Q


LEARN_GAME = Question(
    "learn_game: the last move gets the result",
    _learn_game,
    _cases(
        ("a loss", Q_TABLE, [(0, 4), (1, 2)], -1, 0.5),
        ("a win", Q_TABLE, [(0, 8), (2, 3)], 1, 0.1),
        ("a draw", Q_TABLE, [(0, 0), (2, 5)], 0, 0.5),
    ),
    (
        Mistake(
            "not repaired",
            lambda *args: _learn_game(*args, losses=False),
            "A loss still changes nothing: the opponent's winning reply has to reach "
            "the learner's last move.",
        ),
        Mistake(
            "result to the first move",
            lambda *args: _learn_game(*args, last=0),
            "The result belongs to the last move of the learner.",
        ),
    ),
    "Whoever makes the last mark, the learner's last move gets the result.",
)


QUESTIONS = {
    "running_mean": RUNNING_MEAN,
    "epsilon_greedy": EPSILON_GREEDY,
    "beads_after": BEADS_AFTER,
    "chosen_cell": CHOSEN_CELL,
    "td_update": TD_UPDATE,
    "n_step_return": N_STEP_RETURN,
    "backward_sweep": BACKWARD_SWEEP,
    "separate_tables": SEPARATE_TABLES,
    "sarsa_update": SARSA_UPDATE,
    "q_learning_update": Q_LEARNING_UPDATE,
    "expected_sarsa_target": EXPECTED_SARSA_TARGET,
    "learn_game": LEARN_GAME,
}
