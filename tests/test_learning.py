"""Learners against a textbook that learns move by move, exact answers, and laws."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ttt_lib import learning, mdp, planning, search
from ttt_lib.evaluation import exploitability, win_draw_loss
from ttt_lib.game import tables
from ttt_lib.learning import (
    METHODS,
    action_values,
    double_q_target,
    expected_q,
    expected_sarsa_target,
    greedy_policy,
    lambda_return,
    learn_game,
    minimax_q_target,
    monte_carlo_target,
    new_learner,
    q_learning_target,
    sarsa_target,
    td_target,
    train,
    update,
)
from ttt_lib.policy import (
    best,
    epsilon_greedy,
    max_q,
    softmax,
    uniform,
)
from ttt_lib.policy import (
    expected_q as expected_value,
)
from ttt_lib.schedules import (
    Schedule,
    constant,
    exponential,
    linear,
    one_over_n,
    power,
    scheduled,
)

game = tables()
wide = tables(2, 3, 3)  # the second player has the last move: first may see a draw come
random_play = uniform(game.legal)
OF_V = [name for name in METHODS if METHODS[name].learns == "V"]
PREDICTIONS = [name for name in METHODS if METHODS[name].judges]
CONTROL = [name for name in METHODS if name not in PREDICTIONS]


def rng(seed=0):
    return np.random.default_rng(seed)


def some_policy(g, seed):
    return softmax(rng(seed).normal(size=g.legal.shape), g.legal)


def some_learner(g, method, seed=0, **settings):
    """Return a learner whose tables are full of different numbers."""
    learner, noise = new_learner(g, method, rng(seed), **settings), rng(seed + 1)

    def full(table):
        return None if table is None else noise.normal(size=table.shape) * (table != 0)

    filled = new_learner(g, method, rng(seed), **settings | {"initial": 1})
    tables_ = {name: full(getattr(filled, name)) for name in ("V", "Q", "Q1", "Q2")}
    if tables_["Q1"] is not None:
        tables_["Q"] = (tables_["Q1"] + tables_["Q2"]) / 2
    return learner._replace(**tables_)


def play(g, seed, policy=None):
    """Return the actions of a game."""
    policy, draw, s, actions = (
        uniform(g.legal) if policy is None else policy,
        rng(seed),
        0,
        [],
    )
    while not g.terminal[s]:
        actions.append(int(draw.choice(g.legal.shape[1], p=policy[s])))
        s = g.next[s, actions[-1]]
    return actions


def positions(g, actions):
    path = [0]
    for a in actions:
        path.append(int(g.next[path[-1], a]))
    return path


def table_of(learner):
    return learner.V if learner.Q is None else learner.Q


def as_bytes(learner):
    """Return everything a learner holds, to be compared to the bit."""
    arrays = [x.tobytes() for x in learner if isinstance(x, np.ndarray)]
    return arrays, learner.games, learner.rng.bit_generator.state


# The first test of every learner


LOST = {
    +1: [0, 2, 1, 4, 3, 6],
    -1: [0, 3, 1, 4, 2],
}  # on 3 × 3, by the other's last move
DRAWN = {
    +1: [0, 1, 2, 3, 4, 5],
    -1: [0, 1, 2, 4, 3, 5, 7, 6, 8],
}  # first on 2 × 3 cells


@pytest.mark.parametrize("turns", [False, True], ids=["one side", "both sides"])
@pytest.mark.parametrize("side", [+1, -1])
@pytest.mark.parametrize("method", METHODS)
def test_the_last_reply_is_learnt_from(method, side, turns):
    for g, actions, outcome in (
        (game, LOST[side], -side),
        (wide if side == 1 else game, DRAWN[side], 0),
    ):
        path = positions(g, actions)
        assert g.terminal[path[-1]]
        assert g.outcome[path[-1]] == outcome
        assert g.to_move[path[-2]] == -side, "the reply is the other's"
        learner = new_learner(g, method, rng(), alpha=1, initial=0.5)
        # In minimax_q the reply is learnt first, and then what it means.
        for _ in range(2 if method == "minimax_q" else 1):
            learner, _ = learn_game(g, learner, actions, 0 if turns else side)
        s, a = path[-3], actions[-2]
        if learner.Q1 is not None:
            assert abs(outcome) * -1 in (learner.Q1[s, a], learner.Q2[s, a])
        elif learner.Q is not None:
            assert learner.Q[s, a] == -abs(outcome)
        else:
            x = s if method in PREDICTIONS else path[-2]
            assert learner.V[x] == -abs(outcome)


@pytest.mark.parametrize("method", METHODS)
def test_whoever_is_not_the_learner_is_not_learnt_for(method):
    actions = play(game, 3)
    path = positions(game, actions)
    for side in (+1, -1):
        learner, updates = learn_game(
            game, new_learner(game, method, rng(), alpha=1, initial=0.5), actions, side
        )
        changed = np.flatnonzero(
            learner.updates.reshape(len(game.code), -1).sum(axis=1)
        )
        decided = {s for s in path if game.to_move[s] == side and not game.terminal[s]}
        after = {n for s, n in pairwise(path) if s in decided and not game.terminal[n]}
        if method == "minimax_q":
            assert set(changed) == set(path[:-1]), "every move is learnt from"
        elif method in OF_V and method not in PREDICTIONS:
            assert set(changed) <= after
        else:
            assert set(changed) == decided
        assert set(np.flatnonzero(learner.visits)) == decided
        assert (~np.isnan(updates)).all(axis=1).sum() == learner.updates.sum()


# The same learning move by move, as in the textbook


def epsilon_soft(Q, legal, epsilon):
    """Return π(a|s) for one row of Q."""
    return epsilon_greedy(Q[np.newaxis], legal[np.newaxis], epsilon)[0]


def textbook_q(g, learner, actions, sides):
    """Return Q after a game in which every move is learnt from as soon as it can be."""
    Q, alpha, gamma = learner.Q.copy(), learner.alpha.start, learner.gamma
    path, waiting, steps = positions(g, actions), {}, {+1: [], -1: []}

    def largest(s):
        return Q[s, g.legal[s]].max()

    for t, (s, a) in enumerate(zip(path, actions, strict=False)):
        side = int(g.to_move[s])
        if learner.method == "minimax_q":
            after = path[t + 1]
            end = g.terminal[after]
            target = side * g.outcome[after] if end else -gamma * largest(after)
            Q[s, a] += alpha * (target - Q[s, a])
        elif side in sides:
            if side in waiting and learner.method != "mc_control":
                value = {
                    "sarsa": lambda s=s, a=a: Q[s, a],
                    "expected_sarsa": lambda s=s: (
                        epsilon_soft(Q[s], g.legal[s], learner.epsilon.start) @ Q[s]
                    ),
                }.get(learner.method, lambda s=s: largest(s))()
                Q[waiting[side]] += alpha * (gamma * value - Q[waiting[side]])
            waiting[side] = s, a
            steps[side].append((s, a))
    for side in waiting:
        r = side * g.outcome[path[-1]]
        if learner.method == "mc_control":
            for i, pair in enumerate(reversed(steps[side])):
                Q[pair] += alpha * (gamma**i * r - Q[pair])
        else:
            Q[waiting[side]] += alpha * (r - Q[waiting[side]])
    return Q


def textbook_v(g, learner, actions, sides):
    """Return V after a game, by eligibility traces, accumulating, cut where asked."""
    V, alpha, gamma = learner.V.copy(), learner.alpha.start, learner.gamma
    path = positions(g, actions)
    for side in sides:
        decisions = [t for t, s in enumerate(path[:-1]) if g.to_move[s] == side]
        after = 0 if learner.method in PREDICTIONS else 1
        r, trace = side * g.outcome[path[-1]], np.zeros(len(V))
        for t in decisions:
            s, last = path[t + after], t == decisions[-1]
            if g.terminal[s]:
                break
            trace *= gamma * learner.lambda_
            trace[s] += 1
            if last:
                V += alpha * (r - V[s]) * trace
                continue
            # The next estimate: a finished afterstate is worth its reward.
            s_next = path[t + 2 + after]
            value = r if g.terminal[s_next] else V[s_next]
            if learner.method == "td_afterstates":
                values = [
                    side * g.outcome[n] if g.terminal[n] else V[n]
                    for n in g.next[path[t + 2], g.legal[path[t + 2]]]
                ]
                if value < max(values):
                    trace[:] = 0
                    continue
            V += alpha * (gamma * value - V[s]) * trace
    return V


@pytest.mark.parametrize("gamma", [1, 0.9])
@pytest.mark.parametrize("sides", [(+1,), (-1,), (+1, -1)], ids=str)
@pytest.mark.parametrize(
    "method", [m for m in METHODS if m not in ("backward_sweep", "double_q_learning")]
)
def test_learning_after_the_game_is_learning_after_every_move(method, sides, gamma):
    textbook = textbook_v if method in OF_V else textbook_q
    for g in (game, wide):
        for lambda_ in (0, 0.7, 1) if METHODS[method].steps else (None,):
            learner = some_learner(
                g, method, alpha=0.3, gamma=gamma, epsilon=0.2, lambda_=lambda_
            )
            for seed in range(40):
                # Half of the games are greedy, so that cut traces differ in length.
                policy = None
                if seed % 2 and method not in PREDICTIONS:
                    policy = epsilon_greedy(action_values(g, learner), g.legal, 0.3)
                actions = play(g, seed, policy)
                expected = textbook(g, learner, actions, sides)
                learner, _ = learn_game(g, learner, actions, sum(sides))
                np.testing.assert_allclose(table_of(learner), expected, atol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("method", ["td_prediction", "td_all_moves"])
def test_n_steps_are_the_sum_of_the_textbook(method, n):
    gamma, after = 0.9, int(method == "td_all_moves")
    learner = some_learner(game, method, alpha=0.3, gamma=gamma, n=n)
    for seed in range(30):
        path = positions(game, actions := play(game, seed))
        expected = learner.V.copy()
        for t, s in enumerate(path[:-1]):
            side = game.to_move[s]
            rest = path[t + after :: 2]  # what the mover leaves or finds, to the end
            if game.terminal[rest[0]]:
                continue
            # r after each of them; by the other's reply it comes one decision earlier.
            if not game.terminal[rest[-1]]:
                rest.append(path[-1])
                r = [0.0] * (len(rest) - 2) + [side * game.outcome[path[-1]]]
            else:
                r = [0.0] * (len(rest) - 2) + [
                    side * game.outcome[path[-1]] * (gamma if after else 1)
                ]
            G = sum(gamma**i * each for i, each in enumerate(r[:n]))
            if n < len(rest):
                G += gamma**n * learner.V[rest[n]]
            expected[rest[0]] += 0.3 * (G - learner.V[rest[0]])
        learner, _ = learn_game(game, learner, actions)
        np.testing.assert_allclose(learner.V, expected, atol=1e-12)


def test_the_backward_sweep_by_hand():
    # S4: draws and losses 0, wins 1, unfinished boards 0.5. Second (O) wins with 2 4 6.
    learner = new_learner(
        game, "backward_sweep", rng(), alpha=0.5, initial=0.5, rewards=(1, 0, 0)
    )
    path = positions(game, LOST[+1])
    learner, updates = learn_game(game, learner, LOST[+1])
    # First lost: 0.5 → 0.25, and the one before moves towards that, and so on.
    assert [learner.V[path[t]] for t in (5, 3, 1)] == [0.25, 0.375, 0.4375]
    assert [learner.V[path[t]] for t in (4, 2)] == [0.75, 0.625]  # second won
    assert updates[4].tolist() == [0.5, 0, -0.5, 0.25]
    assert updates[2].tolist() == [0.5, 0.25, -0.25, 0.375]
    assert np.isnan(updates[5]).all(), "a finished afterstate has value 0 and keeps it"


# The equations


# Three states: two actions, one (the second cell), and the end.
COUNT = np.array([2, 1, 0])
ACTION = np.array([[0, 1], [1, -1], [-1, -1]])
Q = np.array([[0.5, -1.0], [0.0, 2.0], [0.0, 0.0]])
Q2 = np.array([[4.0, 3.0], [0.0, 1.0], [0.0, 0.0]])
V = np.array([0.5, -2.0, 0.0])


@pytest.fixture(params=["compiled", "plain"])
def either(request):
    """Return what takes a function compiled or as plain Python."""
    return (lambda f: f) if request.param == "compiled" else (lambda f: f.py_func)


def test_targets_by_hand(either):
    known = COUNT, ACTION
    assert either(td_target)(V, 1.0, 0, 0.5) == 1.25
    assert either(td_target)(V, 1.0, 2, 0.5) == 1
    assert either(lambda_return)(V, 1.0, 1, 4.0, 0.5, 0.25) == 1 + 0.5 * (-1.5 + 1)
    assert either(monte_carlo_target)(-1.0, 0.5, 3) == -0.125
    assert either(monte_carlo_target)(-1.0, 0.5, 0) == -1
    assert either(sarsa_target)(Q, 1.0, 0, 1, 0.5) == 0.5
    assert either(q_learning_target)(Q, 1.0, 0, 0.5, *known) == 1.25
    assert either(q_learning_target)(Q - 5, 1.0, 0, 1.0, *known) == -3.5
    assert either(q_learning_target)(Q, 1.0, 1, 0.5, *known) == 2
    assert either(q_learning_target)(Q, 1.0, 2, 0.5, *known) == 1
    assert either(minimax_q_target)(Q, 1.0, 0, 0.5, *known) == 0.75
    assert either(minimax_q_target)(Q, 1.0, 2, 0.5, *known) == 1
    # ε = 0.2 of two actions: the best has 0.9.
    assert either(expected_sarsa_target)(Q, 1.0, 0, 1.0, 0.2, *known) == pytest.approx(
        1 + 0.9 * 0.5 - 0.1
    )
    assert either(expected_sarsa_target)(Q, 1.0, 2, 1.0, 0.2, *known) == 1
    # Q finds action 0 best in state 0, and Q2 says what it is worth; and the reverse.
    assert either(double_q_target)(Q, Q2, 1.0, 0, 0.5, *known) == 3
    assert either(double_q_target)(-Q, Q2, 1.0, 0, 0.5, *known) == 2.5
    assert either(double_q_target)(Q * 0, Q2, 1.0, 0, 0.5, *known) == 2.75
    assert either(double_q_target)(Q, Q2, 1.0, 2, 0.5, *known) == 1


def test_an_update_by_hand(either):
    table = Q.copy()
    assert either(update)(table, (0, 1), 1.0, 0.25) == (-1, 1, 2, -0.5)
    assert (table != Q).sum() == 1
    assert table[0, 1] == -0.5
    values = V.copy()
    assert either(update)(values, 0, 1.0, 0.5)._asdict() == {
        "old": 0.5,
        "target": 1,
        "delta": 0.5,
        "new": 0.75,
    }
    assert values.tolist() == [0.75, -2, 0]


@given(st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_expected_sarsa_is_the_mean_of_sarsa(seed, epsilon):
    # Whole numbers, so that there are ties.
    table = rng(seed).integers(-2, 3, size=game.legal.shape) * game.legal.astype(float)
    known = game.count, game.action
    policy = epsilon_greedy(table, game.legal, epsilon)
    s = int(rng(seed).integers(len(game.code)))
    mean = sum(
        policy[s, a] * sarsa_target(table, 0.5, s, a, 0.9)
        for a in np.flatnonzero(game.legal[s])
    )
    mean = 0.5 if game.terminal[s] else mean
    found = expected_sarsa_target(table, 0.5, s, 0.9, epsilon, *known)
    assert found == pytest.approx(mean, abs=1e-12)


def test_the_loops_take_the_values_of_policy():
    table = some_learner(game, "sarsa").Q
    known = game.count, game.action
    for epsilon in (0, 0.3):
        policy = epsilon_greedy(table, game.legal, epsilon)
        found = [
            expected_q(table, table, s, float(epsilon), *known)
            for s in range(len(table))
        ]
        np.testing.assert_allclose(found, expected_value(table, policy), atol=1e-12)
    found = [q_learning_target(table, 0.0, s, 1.0, *known) for s in range(len(table))]
    assert (found == max_q(table, game.legal)).all()


def test_double_q_learning_asks_the_other_table():
    learner = some_learner(game, "double_q_learning", alpha=0.5)
    for seed in range(20):
        actions = play(game, seed)
        path = positions(game, actions)
        before, (learner, updates) = learner, learn_game(game, learner, actions)
        both = before.Q1 != learner.Q1, before.Q2 != learner.Q2
        assert not (both[0] & both[1]).any(), "each move is learnt in one table"
        assert (both[0] | both[1]).sum() == len(actions)
        assert (learner.Q == (learner.Q1 + learner.Q2) / 2)[game.legal].all()
        for t, a in enumerate(actions):
            s, s_next = path[t], path[min(t + 2, len(actions))]
            one, other = before.Q1, before.Q2
            if both[1][s, a]:
                one, other = other, one
            target = game.to_move[s] * game.outcome[s_next]
            if not game.terminal[s_next]:
                a_next = np.where(game.legal[s_next], one[s_next], -np.inf).argmax()
                target = other[s_next, a_next]
            assert updates[t, :2] == pytest.approx([one[s, a], target], abs=1e-12)


def test_each_table_of_double_q_learning_has_the_mean_of_its_own_targets():
    learner = new_learner(game, "double_q_learning", rng(), one_over_n())
    targets = {}
    for n in range(400):
        actions = play(game, n % 20)
        before, (learner, updates) = learner, learn_game(game, learner, actions)
        for t, pair in enumerate(zip(positions(game, actions), actions, strict=False)):
            first = bool(learner.updates1[pair] > before.updates1[pair])
            targets.setdefault((first, *pair), []).append(updates[t, 1])
    for (first, *pair), each in targets.items():
        pair = tuple(pair)
        in_first = learner.updates1[pair]
        table, n = (
            (learner.Q1, in_first)
            if first
            else (learner.Q2, learner.updates[pair] - in_first)
        )
        assert n == len(each)
        assert table[pair] == pytest.approx(np.mean(each), abs=1e-12)
    tosses = learner.updates.sum()
    assert abs(learner.updates1.sum() - tosses / 2) < 4 * np.sqrt(tosses) / 2


# Schedules


def test_schedules_by_hand(either):
    at = either(scheduled)
    assert at(constant(0.3), 10**9, 10**9) == 0.3
    assert [at(linear(0.5, 0.1, 4), n, 1) for n in range(6)] == pytest.approx(
        [0.5, 0.4, 0.3, 0.2, 0.1, 0.1]
    )
    assert [at(exponential(0.8, 0.1, 3), n, 1) for n in range(5)] == pytest.approx(
        [0.8, 0.4, 0.2, 0.1, 0.1]
    )
    assert [at(one_over_n(), 7, n) for n in (1, 2, 4)] == pytest.approx(
        [1, 1 / 2, 1 / 4]
    )
    assert [at(power(0.5, 0.5), 7, n) for n in (1, 4)] == pytest.approx([0.5, 0.25])
    assert [at(power(by="games"), n, 7) for n in range(3)] == pytest.approx(
        [1, 1 / 2, 1 / 3]
    )


@given(st.floats(0.001, 1), st.floats(0.001, 1), st.integers(1, 1000))
def test_schedules_end_at_their_end(start, end, games):
    for schedule in (linear(start, end, games), exponential(start, end, games)):
        assert scheduled(schedule, 0, 1) == start
        assert scheduled(schedule, games + 1, 1) == end
        for n in range(0, games, 100):
            now = scheduled(schedule, n, 1)
            assert min(start, end) - 1e-12 <= now <= max(start, end) + 1e-12


def test_one_over_n_makes_means():
    learner = new_learner(game, "mc_control", rng())
    returns = {}
    for seed in range(60):
        actions = play(game, seed)
        path = positions(game, actions)
        learner, _ = learn_game(game, learner, actions)
        for s, a in zip(path, actions, strict=False):
            G = game.to_move[s] * game.outcome[path[-1]]
            returns.setdefault((s, a), []).append(G)
    assert learner.alpha == one_over_n() == power(1, 1)
    for pair, G in returns.items():
        assert learner.Q[pair] == pytest.approx(np.mean(G), abs=1e-12)
        assert learner.updates[pair] == len(G)


def test_epsilon_can_count_decisions_in_the_position():
    # At ε = 1/visits the first decision anywhere is random and later ones ever less.
    learner = new_learner(game, "sarsa", rng(), epsilon=one_over_n(), alpha=1e-9)
    first = np.zeros(9)
    first[4] = 1
    learner = learner._replace(Q=learner.Q + first * game.legal)
    learner = train(game, learner, 2000)
    elsewhere = learner.updates[0].sum() - learner.updates[0, 4]
    assert learner.visits[0] == 2000
    harmonic = (1 / np.arange(1, 2001)).sum() * 8 / 9
    assert abs(elsewhere - harmonic) < 5 * harmonic**0.5


def test_expected_sarsa_explores_as_it_will():
    # At ε = 1/visits: the next state is met for the n-th time.
    learner = some_learner(game, "expected_sarsa", alpha=0.5, epsilon=one_over_n())
    s_next = positions(game, LOST[-1])[3]
    for n in (1, 2, 3):
        expected = epsilon_greedy(learner.Q, game.legal, 1 / n)[s_next]
        expected = expected @ learner.Q[s_next]
        learner, updates = learn_game(game, learner, LOST[-1], side=-1)
        assert updates[1, 1] == pytest.approx(expected, abs=1e-12)


# Laws


SITUATIONS = {
    "first": {"opponent": random_play, "side": +1},
    "second": {"opponent": random_play, "side": -1},
    "in turns": {"opponent": random_play, "side": 0},
    "self-play": {},
}


def situation(method, name):
    more = {"behaviour": random_play} if method in PREDICTIONS else {}
    return SITUATIONS[name] | more


@pytest.mark.parametrize("name", SITUATIONS)
@pytest.mark.parametrize("method", METHODS)
def test_n_games_and_m_are_n_plus_m_to_the_bit(method, name):
    how = situation(method, name)
    start = new_learner(
        game, method, rng(1), alpha=linear(0.5, 0.1, 200), epsilon=one_over_n()
    )
    before = as_bytes(start)
    once = train(game, start, 302, **how)
    part = train(game, train(game, start, 101, **how), 0, **how)
    assert as_bytes(train(game, part, 201, **how)) == as_bytes(once)
    assert as_bytes(start) == before, "the learner that was given stays as it was"
    assert once.games == 302
    assert as_bytes(once) != as_bytes(train(game, start, 301, **how))


def test_compiled_and_plain_loops_agree_to_the_bit(monkeypatch):
    plans = [
        (method, name, alpha, epsilon)
        for method in METHODS
        for name, alpha, epsilon in (
            ("first", 0.3, 0.2),
            ("in turns", one_over_n(), power(by="games")),
            ("self-play", linear(0.5, 0.1, 9), one_over_n()),
            ("second", exponential(0.5, 0.1, 9), linear(1, 0, 9)),
        )
    ]

    def run():
        found = []
        for method, name, alpha, epsilon in plans:
            learner = some_learner(
                game, method, alpha=alpha, epsilon=epsilon, gamma=0.9
            )
            learner = train(game, learner, 12, **situation(method, name))
            learner, updates = learn_game(game, learner, LOST[-1])
            found.append((as_bytes(learner), updates.tobytes()))
        return found

    compiled = run()
    names = [name for name, each in vars(learning).items() if hasattr(each, "py_func")]
    assert {
        "_learn_v",
        "_learn_q",
        "_learn_double_q",
        "_play",
        "drawn",
        "scheduled",
    } <= set(names)
    for name in names:
        monkeypatch.setattr(learning, name, getattr(learning, name).py_func)
    assert run() == compiled


@pytest.mark.parametrize("rewards", [(1, 0, -1), (2, -0.25, -2)], ids=str)
@pytest.mark.parametrize("method", METHODS)
def test_the_total_reward_is_that_of_the_learners_sides(method, rewards):
    rewards = (2, 0, -2) if method == "minimax_q" else rewards
    learner = new_learner(game, method, rng(), rewards=rewards)
    expected = [0.0, 0.0]
    assert learner.total_reward.tolist() == expected
    for actions in (LOST[+1], LOST[-1], DRAWN[-1], play(game, 3)):
        outcome = int(game.outcome[positions(game, actions)[-1]])
        for sides in ((+1,), (-1,), (+1, -1)):
            learner, _ = learn_game(game, learner, actions, sum(sides))
            for side in sides:
                expected[0 if side == 1 else 1] += rewards[1 - side * outcome]
            assert learner.total_reward.tolist() == expected


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_total_reward_of_many_games(name):
    # γ changes no reward, and all moves are random: so the exact mean is known.
    games, how = 20_000, SITUATIONS[name]
    learner = new_learner(game, "sarsa", rng(6), gamma=0.5)
    learner = train(game, learner, games, behaviour=random_play, **how)
    win, draw, loss = win_draw_loss(game, random_play, random_play)[0]
    share = {"first": (1, 0), "second": (0, 1), "in turns": (0.5, 0.5)}
    for total, side, part in zip(
        learner.total_reward, (+1, -1), share.get(name, (1, 1)), strict=True
    ):
        deviation = np.sqrt(part * games * (1 - draw - (win - loss) ** 2))
        assert abs(total - part * games * side * (win - loss)) <= 5.5 * deviation
    if name == "self-play":
        assert learner.total_reward.sum() == 0


@pytest.mark.parametrize("name", SITUATIONS)
@pytest.mark.parametrize("method", METHODS)
def test_what_is_illegal_or_over_is_never_touched(method, name):
    learner = new_learner(game, method, rng(2), initial=0.5, epsilon=0.5)
    learner = train(game, learner, 2000, **situation(method, name))
    known = ~game.terminal if method in OF_V else game.legal
    for table in (
        learner.V,
        learner.Q,
        learner.Q1,
        learner.Q2,
        learner.updates,
        learner.updates1,
    ):
        assert table is None or not table[~known].any()
        assert table is None or np.isfinite(table).all()
    assert not learner.visits[game.terminal].any()
    sides = {"first": [1], "second": [-1]}.get(name, [1, -1])
    assert set(game.to_move[learner.visits > 0]) == set(sides)


def test_lambda_zero_one_and_many_steps():
    for method in ("td_prediction", "td_afterstates", "td_all_moves"):
        how = situation(method, "in turns")

        def learnt(how=how, method=method, **settings):
            learner = new_learner(game, method, rng(4), gamma=0.9, **settings)
            return train(game, learner, 500, **how)

        assert as_bytes(learnt()) == as_bytes(learnt(lambda_=0))
        np.testing.assert_allclose(learnt(n=1).V, learnt().V, atol=1e-12)
        assert (learnt(n=5).V == learnt(lambda_=1).V).all()
        np.testing.assert_allclose(learnt(n=2).V, learnt(n=2, lambda_=1).V)
        assert not np.allclose(learnt(n=2).V, learnt(lambda_=0.5).V)
        assert not np.allclose(learnt(n=2).V, learnt(n=3).V)
    how = situation("td_prediction", "first")
    td, monte_carlo = (
        train(game, new_learner(game, method, rng(4), alpha=0.1, **more), 500, **how)
        for method, more in (("td_prediction", {"lambda_": 1}), ("mc_prediction", {}))
    )
    assert (td.V == monte_carlo.V).all()


def test_two_learners_of_one_generator_differ_and_leave_it():
    source = rng(5)
    one, two = (new_learner(game, "sarsa", source) for _ in range(2))
    assert source.random() == rng(5).random()
    assert as_bytes(train(game, one, 10)) != as_bytes(train(game, two, 10))


def test_independent_q_is_q_learning_in_self_play():
    one, two = (
        train(game, new_learner(game, method, rng(6)), 500)
        for method in ("independent_q", "q_learning")
    )
    assert as_bytes(one) == as_bytes(two)


def test_in_turns_is_first_then_second():
    learner = new_learner(game, "q_learning", rng(7))
    once = train(game, learner, 1, random_play)
    assert once.visits[0] == 1
    twice = train(game, once, 1, random_play)
    assert twice.visits[0] == 1
    assert (game.to_move[(twice.visits - once.visits) > 0] == -1).all()


@pytest.mark.parametrize("method", CONTROL)
def test_moves_are_epsilon_greedy_ties_uniform(method):
    # Nothing can be won and hardly anything learnt: the moves stay as they are.
    games, epsilon = 20_000, 0.3
    start = new_learner(
        game, method, rng(8), alpha=1e-12, epsilon=epsilon, rewards=(0, 0, 0)
    )
    if method in OF_V:
        values = start.V.copy()
        values[game.next[0, [2, 4, 6]]] = 1
        start = start._replace(V=values)
    else:
        values = start.Q.copy()
        values[0, [2, 4, 6]] = 1
        double = {} if start.Q1 is None else {"Q1": values, "Q2": values}
        start = start._replace(Q=values, **double)
    chosen = np.zeros(9)
    learner = train(game, start, games)
    for a in range(9):
        s = game.next[0, a]
        chosen[a] = learner.visits[s]
    p = epsilon_greedy(action_values(game, start), game.legal, epsilon)[0]
    assert (abs(chosen - games * p) < 5 * np.sqrt(games * p * (1 - p))).all()


def test_the_opponent_and_the_behaviour_play_their_policies():
    first, second = some_policy(game, 1), some_policy(game, 2)
    games = 50_000
    learner = new_learner(game, "q_learning", rng(9))
    learner = train(game, learner, games, second, +1, first)
    reached = np.zeros(len(game.code))  # probability that a game passes through
    reached[0] = 1
    for s in range(len(game.code)):
        mover = first if game.to_move[s] == 1 else second
        for a in np.flatnonzero(game.legal[s]):
            reached[game.next[s, a]] += reached[s] * mover[s, a]
    p = np.where((game.to_move == 1) & ~game.terminal, reached, 0)
    deviation = np.sqrt(games * p * (1 - p))
    assert (abs(learner.visits - games * p) <= 5.5 * deviation + 3).all()


# Exact answers


def hoeffding(updates, probability=1e-9):
    """Return how far a mean of numbers from −1 to 1 will not be from what it means."""
    return np.sqrt(2 * np.log(2 / probability) / np.maximum(updates, 1))


def rms(error, weight):
    return np.sqrt((error**2 * weight).sum() / weight.sum())


@pytest.mark.parametrize("side", [+1, -1])
def test_monte_carlo_prediction_finds_the_exact_values(side):
    policy, opponent = some_policy(game, 1), some_policy(game, 2)
    learner = new_learner(game, "mc_prediction", rng(10))
    learner = train(game, learner, 100_000, opponent, side, policy)
    both = (policy, opponent) if side == 1 else (opponent, policy)
    win, _, loss = win_draw_loss(game, *both).T
    exact = side * (win - loss)
    met = learner.updates > 0
    assert met.sum() > 1500
    assert (abs(learner.V - exact) <= hoeffding(learner.updates))[met].all()
    assert not learner.V[~met].any()


@pytest.mark.parametrize("gamma", [1, 0.9])
@pytest.mark.parametrize("side", [+1, -1, 0])
@pytest.mark.parametrize("settings", [{}, {"lambda_": 0.8}, {"n": 2}], ids=str)
def test_td_prediction_finds_the_exact_values(settings, side, gamma):
    policy, opponent = some_policy(game, 1), some_policy(game, 2)
    learner = new_learner(
        game, "td_prediction", rng(11), alpha=power(1, 0.75), gamma=gamma, **settings
    )
    other = None if side == 0 else opponent
    learner = train(game, learner, 200_000, other, side, policy)
    exact = np.zeros(len(game.code))
    for each in (side,) if side else (+1, -1):
        problem = mdp.against(game, opponent if side else policy, each)
        pairs = mdp.from_cells(problem, policy)
        V = planning.linear_solve(problem, pairs, gamma).V
        exact += mdp.to_positions(game, problem, V)
    assert rms(learner.V - exact, learner.updates) < 0.08
    assert abs(learner.V - exact)[learner.updates > 10_000].max() < 0.05
    assert abs(learner.V[0] - exact[0]) < 0.03


@pytest.mark.parametrize("gamma", [1, 0.9])
@pytest.mark.parametrize("side", [+1, -1])
@pytest.mark.parametrize("settings", [{}, {"lambda_": 1}, {"n": 2}], ids=str)
def test_afterstates_are_worth_the_actions_that_lead_there(settings, side, gamma):
    policy, opponent = some_policy(game, 3), some_policy(game, 4)
    learner = new_learner(
        game, "td_all_moves", rng(12), alpha=power(1, 0.75), gamma=gamma, **settings
    )
    learner = train(game, learner, 200_000, opponent, side, policy)
    problem = mdp.against(game, opponent, side)
    V = planning.linear_solve(problem, mdp.from_cells(problem, policy), gamma).V
    q = planning.q_from_v(problem, V, gamma)
    found = mdp.from_cells(problem, action_values(game, learner))
    afterstates = game.next[problem.position[mdp.state_of(problem)], problem.action]
    weight = np.where(game.terminal[afterstates], 1, learner.updates[afterstates])
    assert rms(found - q, weight) < 0.08
    assert abs(found - q)[weight > 10_000].max() < 0.06
    over = game.terminal[afterstates]
    assert (found[over] == problem.reward[over]).all()


def soft_optimum(problem, epsilon):
    """Return q of the best policy among those that are random with probability ε."""
    V, first = np.zeros(len(problem.position)), problem.first[:-1]
    for _ in range(6):  # sweeps enough for nine plies
        q = planning.q_from_v(problem, V, 1)
        mean = np.add.reduceat(q, first) / np.diff(problem.first)
        V = (1 - epsilon) * np.maximum.reduceat(q, first) + epsilon * mean
    return planning.q_from_v(problem, V, 1)


@pytest.mark.parametrize("side", [+1, -1])
@pytest.mark.parametrize(
    "method",
    ["q_learning", "double_q_learning", "sarsa", "expected_sarsa", "mc_control"],
)
def test_control_against_random_play_finds_its_exact_limit(method, side):
    epsilon, problem = 0.3, mdp.against(game, random_play, side)
    off_policy = method in ("q_learning", "double_q_learning")
    q = soft_optimum(problem, 0 if off_policy else epsilon)
    learner = new_learner(game, method, rng(13), alpha=power(1, 0.7), epsilon=epsilon)
    learner = train(game, learner, 400_000, random_play, side)
    found = mdp.from_cells(problem, learner.Q)
    weight = mdp.from_cells(problem, learner.updates)
    assert rms(found - q, weight) < 0.12
    # The value of the whole game, which the other kind of limit misses by far.
    largest = np.maximum.reduceat(found, problem.first[:-1])
    exact = np.maximum.reduceat(q, problem.first[:-1])
    other = np.maximum.reduceat(
        soft_optimum(problem, epsilon if off_policy else 0), problem.first[:-1]
    )
    assert abs(problem.start @ (largest - exact)) < 0.04
    assert abs(problem.start @ (exact - other)) > 0.08
    if off_policy:
        policy = greedy_policy(game, learner)
        both = (policy, random_play) if side == 1 else (random_play, policy)
        win, _, loss = win_draw_loss(game, *both)[0]
        optimum = {+1: 191 / 192, -1: 874 / 945}[side]
        assert optimum - 0.03 < side * (win - loss) <= optimum + 1e-12


@pytest.mark.parametrize("side", [+1, -1])
def test_q_learning_learns_the_best_from_watching_random_games(side):
    problem = mdp.against(game, random_play, side)
    learner = new_learner(game, "q_learning", rng(14), alpha=power(1, 0.7))
    learner = train(game, learner, 400_000, random_play, side, random_play)
    q = soft_optimum(problem, 0)
    assert rms(mdp.from_cells(problem, learner.Q) - q, 1 + 0 * q) < 0.12


def test_a_small_step_size_approaches_the_exact_values():
    # TD(0) with constant α stays in a band around them that narrows with α.
    problem = mdp.against(game, random_play, +1)
    exact = planning.linear_solve(problem, planning.uniform(problem), 1)
    exact = mdp.to_positions(game, problem, exact.V)
    errors = []
    for alpha in (0.3, 0.03, 0.003):
        learner = new_learner(game, "td_prediction", rng(15), alpha=alpha)
        learner = learner._replace(V=exact.copy())
        learner = train(game, learner, 100_000, random_play, +1, random_play)
        errors.append(rms(learner.V - exact, learner.updates))
    assert errors[0] > 2 * errors[1] > 4 * errors[2]
    assert errors[2] < 0.03


def test_minimax_q_with_a_step_size_of_one_is_exact():
    exact = search.solve(game).Q
    for seed in range(30):
        learner = new_learner(game, "minimax_q", rng(seed), alpha=1, epsilon=1)
        learner = train(game, learner, 150_000)
        seen = learner.updates > 0
        assert (seen == game.legal).all()
        assert (exact == learner.Q).all()


def test_minimax_q_becomes_unbeatable():
    for seed in range(30):
        learner = new_learner(game, "minimax_q", rng(seed), alpha=1, epsilon=0.3)
        policy = greedy_policy(game, train(game, learner, 100_000))
        assert exploitability(game, policy).mean == 0


def test_minimax_q_discounts_per_ply():
    learner = new_learner(game, "minimax_q", rng(16), alpha=1, epsilon=1, gamma=0.9)
    learner = train(game, learner, 150_000)
    np.testing.assert_allclose(learner.Q, search.solve(game, 0.9).Q, atol=1e-12)


def test_minimax_q_learns_from_an_opponent_too():
    learner = new_learner(game, "minimax_q", rng(17), alpha=1, epsilon=1)
    learner = train(game, learner, 150_000, random_play, side=-1)
    assert (learner.Q == search.solve(game).Q).all()


# What comes out


@pytest.mark.parametrize("method", CONTROL)
def test_every_learner_gives_a_policy(method):
    learner = new_learner(game, method, rng(18))
    if method not in OF_V:
        assert (greedy_policy(game, learner) == random_play).all()
    learner = train(game, learner, 3000)
    policy = greedy_policy(game, learner)
    np.testing.assert_allclose(policy.sum(axis=1), ~game.terminal)
    assert not policy[~game.legal].any()
    Q = action_values(game, learner)
    assert ((policy > 0) == best(Q, game.legal)).all()
    assert not Q[~game.legal].any()
    lowest = greedy_policy(game, learner, ties="lowest")
    assert set(lowest[~game.terminal].max(axis=1)) == {1}
    if learner.Q is not None:
        unvisited = (learner.updates.sum(axis=1) == 0) & ~game.terminal
        assert unvisited.any()
        assert (policy[unvisited] == random_play[unvisited]).all()


def test_an_afterstate_that_wins_is_known_to_win():
    learner = new_learner(game, "td_afterstates", rng(), initial=0.5)
    s, a = game.find("XX.OO...."), 2
    Q = action_values(game, learner)
    assert Q[s, a] == 1
    assert Q[s, 5] == 0.5
    assert greedy_policy(game, learner)[s].tolist() == np.eye(9)[2].tolist()


def test_an_optimistic_start_tries_everything():
    greedy_, optimist = (
        train(
            game,
            new_learner(game, "q_learning", rng(19), epsilon=0, initial=initial),
            2000,
            random_play,
            +1,
        )
        for initial in (0, 1.5)
    )
    assert (optimist.updates[0] > 50).all()
    assert (greedy_.updates[0] < 20).sum() >= 6


def test_a_game_played_elsewhere_shows_its_numbers():
    learner = some_learner(game, "q_learning", alpha=0.5, gamma=0.9)
    actions = play(game, 21)
    path = positions(game, actions)
    after, updates = learn_game(game, learner, actions, side=-1)
    assert after.games == 1
    for t, a in enumerate(actions):
        if game.to_move[path[t]] == 1:
            assert np.isnan(updates[t]).all()
            continue
        old, target, delta, new = updates[t]
        s, s_next = path[t], path[min(t + 2, len(actions))]
        r = -game.outcome[s_next]
        known = game.count, game.action
        assert target == q_learning_target(learner.Q, r, s_next, 0.9, *known)
        assert (old, new) == (learner.Q[s, a], after.Q[s, a])
        assert (delta, new) == (target - old, old + 0.5 * delta)


@settings(max_examples=20)
@given(st.lists(st.integers(-3, 12), max_size=9))
def test_what_is_no_game_is_refused(actions):
    s, whole = 0, True
    for a in actions:
        whole = whole and 0 <= a < 9 and bool(game.legal[s, a])
        s = game.next[s, a] if whole else s
    learner = new_learner(game, "sarsa", rng())
    if whole and game.terminal[s]:
        learn_game(game, learner, actions)
    else:
        with pytest.raises(
            ValueError, match=r"^actions = \[.*(is illegal|finished)\.$"
        ):
            learn_game(game, learner, actions)


# Refusals


@pytest.mark.parametrize(
    ("method", "settings", "sentence"),
    [
        ("q-learning", {}, "method = 'q-learning': choose from mc_prediction, td_"),
        ("sarsa", {"epsilon": -0.1}, "epsilon = -0.1: give a number from 0 to 1."),
        ("sarsa", {"epsilon": 1.1}, "epsilon = 1.1: give a number from 0 to 1."),
        ("sarsa", {"epsilon": linear(1, -1, 9)}, "epsilon = -1.0: give a number"),
        ("sarsa", {"epsilon": float("nan")}, "epsilon = nan: give a number"),
        ("sarsa", {"initial": np.nan}, "initial, rewards = (nan, 1.0, 0.0, -1.0): not"),
        ("sarsa", {"rewards": (1, 0, -np.inf)}, "initial, rewards = (0.0, 1.0"),
        ("sarsa", {"alpha": 0}, "alpha = 0: nothing is learnt without a step size"),
        ("sarsa", {"alpha": -0.5}, "alpha = -0.5: give a number from 0 to 1."),
        ("sarsa", {"alpha": 2}, "alpha = 2.0: give a number from 0 to 1."),
        ("sarsa", {"gamma": 1.5}, "gamma = 1.5: give a number from 0 to 1."),
        ("td_prediction", {"lambda_": 2}, "lambda_ = 2.0: give a number from 0 to 1."),
        ("td_prediction", {"n": 0}, "n = 0: give a number of steps from 1 up."),
        ("sarsa", {"lambda_": 0.5}, "lambda_ and n are settings of TD methods of V"),
        ("backward_sweep", {"n": 2}, "lambda_ and n are settings of TD methods of V"),
        ("minimax_q", {"rewards": (1, 0, 0)}, "rewards = (1.0, 0.0, 0.0): in minimax"),
        ("minimax_q", {"rewards": (1, 0.5, -1)}, "rewards = (1.0, 0.5, -1.0): in mini"),
    ],
)
def test_settings_without_sense_are_refused(method, settings, sentence):
    with pytest.raises(ValueError) as refusal:  # noqa: PT011
        new_learner(game, method, rng(), **settings)
    assert str(refusal.value).startswith(sentence)
    assert str(refusal.value).endswith(".")


ONE_SIDED = np.where(game.to_move[:, np.newaxis] == 1, random_play, 0)


@pytest.mark.parametrize(
    ("method", "arguments", "sentence"),
    [
        ("sarsa", {"games": -1}, "games = -1: give a number from 0 up."),
        ("sarsa", {"games": 1.5}, "games = 1.5: give a number from 0 up."),
        ("sarsa", {"side": 2, "opponent": random_play}, "side = 2: give 1 or -1 again"),
        ("sarsa", {"side": 1}, "side = 1: give 1 or -1 against an opponent, 0 for"),
        ("td_prediction", {}, "td_prediction judges a policy: give it as behaviour."),
        ("sarsa", {"opponent": ONE_SIDED, "side": 1}, "A policy cannot move for its"),
        ("sarsa", {"behaviour": ONE_SIDED}, "A policy cannot move for its side"),
    ],
)
def test_training_without_sense_is_refused(method, arguments, sentence):
    with pytest.raises(ValueError) as refusal:  # noqa: PT011
        train(game, new_learner(game, method, rng()), **{"games": 10} | arguments)
    assert str(refusal.value).startswith(sentence)
    assert str(refusal.value).endswith(".")


def test_a_policy_for_one_side_is_enough():
    learner = new_learner(game, "sarsa", rng())
    assert train(game, learner, 5, ONE_SIDED, side=-1).games == 5
    assert train(game, learner, 5, random_play, +1, ONE_SIDED).games == 5
    with pytest.raises(ValueError, match=r"^A policy cannot move for its side"):
        train(game, learner, 5, random_play, -1, ONE_SIDED)


def test_predictions_have_no_policy_of_their_own():
    learner = new_learner(game, "td_prediction", rng())
    for ask in (action_values, greedy_policy):
        with pytest.raises(ValueError, match=r"^td_prediction judges a policy and has"):
            ask(game, learner)


@pytest.mark.parametrize(
    "make",
    [
        lambda: linear(1, 0, 0),
        lambda: exponential(1, 0, 10),
        lambda: power(by="moves"),
        lambda: power(exponent=-1),
    ],
)
def test_schedules_without_sense_are_refused(make):
    with pytest.raises(ValueError, match=r"\.$"):
        make()


def test_schedules_are_plain_numbers():
    for schedule in (constant(1), linear(1, 0, 5), exponential(1, 0.1, 5), power()):
        assert isinstance(schedule, Schedule)
        assert [type(x) for x in schedule] == [int, float, float, float]
