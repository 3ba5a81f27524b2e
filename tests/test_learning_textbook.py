"""Learners compared with textbook implementations that learn move by move."""

from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from common import game, rng, wide
from learner_fixtures import LOST, OF_V, PREDICTIONS, play, some_learner, table_of

from ttt_lib import search
from ttt_lib.game import positions
from ttt_lib.learning import METHODS, action_values, learn_game, new_learner, train
from ttt_lib.policy import epsilon_greedy, uniform
from ttt_lib.schedules import constant, one_over_n, power


@pytest.mark.parametrize("method", METHODS)
def test_learn_game_updates_only_the_learners_side(method):
    actions = play(game, 3)
    path = positions(game, actions)
    for side in (+1, -1):
        learner = new_learner(game, method, rng(), alpha=1, initial=0.5)
        learner, updates = learn_game(game, learner, actions, side)
        changed = {*np.nonzero(learner.updates)[0].tolist()}
        decided = {s for s in path if game.to_move[s] == side and not game.terminal[s]}
        after = {n for s, n in pairwise(path) if s in decided and not game.terminal[n]}
        if method == "minimax_q":
            assert changed == set(path[:-1]), "it learns from every move"
        elif method in OF_V and method not in PREDICTIONS:
            assert changed <= after
        else:
            assert changed == decided
        assert set(np.flatnonzero(learner.visits)) == decided
        assert (~np.isnan(updates)).all(axis=1).sum() == learner.updates.sum()


def textbook_q(g, learner, actions, sides):
    """Return Q after a game, updated after every move as soon as possible."""
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
                value = largest(s)
                if learner.method == "sarsa":
                    value = Q[s, a]
                elif learner.method == "expected_sarsa":
                    epsilon = learner.epsilon.start
                    value = epsilon_greedy(Q[[s]], g.legal[[s]], epsilon)[0] @ Q[s]
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
    """Return V after a game, by accumulating eligibility traces, cut if exploring."""
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
            # The next estimate: the value of a finished afterstate is its reward.
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
def test_learning_after_game_equals_learning_after_every_move(method, sides, gamma):
    textbook = textbook_v if method in OF_V else textbook_q
    for g in (game, wide):
        for lambda_ in (0, 0.7, 1) if METHODS[method].steps else (None,):
            settings = {"gamma": gamma, "epsilon": 0.2, "lambda_": lambda_}
            learner = some_learner(g, method, alpha=0.3, **settings)
            for seed in range(4):
                # Half of the games are nearly greedy, so that some traces get long.
                policy = None
                if seed % 2 and method not in PREDICTIONS:
                    policy = epsilon_greedy(action_values(g, learner), g.legal, 0.3)
                actions = play(g, seed, policy)
                expected = textbook(g, learner, actions, sides)
                learner, _ = learn_game(g, learner, actions, sum(sides))
                np.testing.assert_allclose(table_of(learner), expected, atol=1e-12)


def test_backward_sweep_matches_hand_calculation():
    # S4: draws and losses 0, wins 1, unfinished boards 0.5. Second (O) wins with 2 4 6.
    settings = {"alpha": 0.5, "initial": 0.5, "rewards": (1, 0, 0)}
    learner = new_learner(game, "backward_sweep", rng(), **settings)
    path = positions(game, LOST[+1])
    learner, updates = learn_game(game, learner, LOST[+1])
    # The first player lost: 0.5 → 0.25, the state before moves towards that, and so on.
    assert [learner.V[path[t]] for t in (5, 3, 1)] == [0.25, 0.375, 0.4375]
    assert [learner.V[path[t]] for t in (4, 2)] == [0.75, 0.625]  # second won
    assert updates[4].tolist() == [0.5, 0, -0.5, 0.25]
    assert updates[2].tolist() == [0.5, 0.25, -0.25, 0.375]
    assert np.isnan(updates[5]).all(), "the value of a finished afterstate stays 0"


def test_double_q_learning_evaluates_with_the_other_table():
    learner = some_learner(game, "double_q_learning", alpha=0.5)
    for seed in range(20):
        actions = play(game, seed)
        path = positions(game, actions)
        before, (learner, updates) = learner, learn_game(game, learner, actions)
        both = before.Q1 != learner.Q1, before.Q2 != learner.Q2
        assert not (both[0] & both[1]).any(), "each move updates one table"
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


def test_double_q_tables_with_one_over_n_are_means_of_targets():
    learner = new_learner(game, "double_q_learning", rng(), one_over_n())
    targets = {}
    for n in range(200):
        actions = play(game, n % 20)
        before, (learner, updates) = learner, learn_game(game, learner, actions)
        for t, pair in enumerate(zip(positions(game, actions), actions, strict=False)):
            first = bool(learner.updates1[pair] > before.updates1[pair])
            targets.setdefault((first, *pair), []).append(updates[t, 1])
    in_second = learner.updates - learner.updates1
    for (first, *pair), values in targets.items():
        table = learner.Q1 if first else learner.Q2
        assert (learner.updates1 if first else in_second)[*pair] == len(values)
        assert table[*pair] == pytest.approx(np.mean(values), abs=1e-12)
    tosses = learner.updates.sum()
    assert abs(learner.updates1.sum() - tosses / 2) < 4 * np.sqrt(tosses) / 2


def test_one_over_n_gives_mean_of_returns():
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


def decided(g, visits):
    """Return all moves but the last of one game, and its last unfinished position."""
    path = np.flatnonzero(visits)  # later positions have larger numbers
    moves = [int(np.flatnonzero(g.next[s] == n)[0]) for s, n in pairwise(path)]
    return moves, int(path[-1])


@pytest.mark.parametrize("method", ["td_afterstates", "sarsa", "q_learning"])
def test_train_equals_learn_game_on_the_same_game(method):
    for seed in range(12):
        learner = some_learner(wide, method, seed, alpha=0.5, epsilon=0.5)
        trained = train(wide, learner, 1)
        moves, s = decided(wide, trained.visits)
        ends = np.flatnonzero(wide.legal[s] & wide.terminal[wide.next[s]]).tolist()
        tables = [table_of(learn_game(wide, learner, [*moves, a])[0]) for a in ends]
        assert any(np.allclose(table_of(trained), table) for table in tables)


def test_new_learner_defaults():
    new = partial(new_learner, wide, "td_prediction", rng())
    assert [new(n=3).lambda_, new().lambda_, new(lambda_=0.5).lambda_] == [1, 0, 0.5]
    assert [new(n=3).n, new().n] == [3, 6]
    assert new(epsilon=0).epsilon == constant(0)


@pytest.mark.slow
@pytest.mark.parametrize("gamma", [1, 0.9])
@pytest.mark.parametrize(
    "opponent", [None, uniform(game.legal)], ids=["self", "random"]
)
def test_minimax_q_with_step_size_1_is_exact(gamma, opponent):
    exact = search.solve(game, gamma).Q
    learner = new_learner(game, "minimax_q", rng(16), alpha=1, epsilon=1, gamma=gamma)
    learner = train(game, learner, 150_000, opponent, -1 if opponent is not None else 0)
    assert ((learner.updates > 0) == game.legal).all()
    np.testing.assert_allclose(learner.Q, exact, atol=0 if gamma == 1 else 1e-12)
