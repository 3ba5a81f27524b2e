"""Training loops: invariants, results, interrupts, and rejected arguments."""

import numpy as np
import pytest
from common import game, rng, same, some_policy, wide
from learner_fixtures import (
    CONTROL,
    DRAWN,
    LOST,
    OF_V,
    SITUATIONS,
    play,
    random_play,
    situation,
    some_learner,
)

from ttt_lib import compiled
from ttt_lib.game import positions
from ttt_lib.learning import (
    METHODS,
    action_values,
    greedy_policy,
    learn_game,
    new_learner,
    snapshots,
    train,
)
from ttt_lib.policy import best, epsilon_greedy
from ttt_lib.schedules import constant, linear, one_over_n


@pytest.mark.parametrize("name", SITUATIONS)
@pytest.mark.parametrize("method", METHODS)
def test_train_n_then_m_games_is_bit_identical_to_n_plus_m(method, name):
    how = situation(method, name)
    settings = {"alpha": linear(0.5, 0.1, 200), "epsilon": one_over_n()}
    start, again = (new_learner(game, method, rng(1), **settings) for _ in range(2))
    once = train(game, start, 302, **how)
    part = train(game, train(game, start, 101, **how), 0, **how)
    assert same(train(game, part, 201, **how), once)
    assert same(start, again), "the given learner is not changed"
    assert once.games == 302
    assert not same(once, train(game, start, 301, **how))


@pytest.mark.parametrize("rewards", [(1, 0, -1), (2, -0.25, -2)], ids=str)
@pytest.mark.parametrize("method", METHODS)
def test_total_reward_counts_only_the_learners_sides(method, rewards):
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
@pytest.mark.parametrize("method", METHODS)
def test_training_never_updates_illegal_or_terminal_entries(method, name):
    learner = new_learner(game, method, rng(2), initial=0.5, epsilon=0.5)
    learner = train(game, learner, 2000, **situation(method, name))
    valid = ~game.terminal if method in OF_V else game.legal
    for field in ("V", "Q", "Q1", "Q2", "updates", "updates1"):
        table = getattr(learner, field)
        assert table is None or not table[~valid].any()
        assert table is None or np.isfinite(table).all()
    assert not learner.visits[game.terminal].any()
    sides = {"first": [1], "second": [-1]}.get(name, [1, -1])
    assert set(game.to_move[learner.visits > 0]) == set(sides)


def test_lambda_and_n_agree_in_their_special_cases():
    for method in ("td_prediction", "td_afterstates", "td_all_moves"):
        how = situation(method, "in turns")

        def learnt(how=how, method=method, **settings):
            learner = new_learner(game, method, rng(4), gamma=0.9, **settings)
            return train(game, learner, 500, **how)

        assert same(learnt(), learnt(lambda_=0))
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


@pytest.mark.parametrize("opponents", [(), (some_policy(wide, 3),)], ids=len)
def test_snapshots_equal_train(opponents):
    start, at = new_learner(wide, "q_learning", rng(10)), [0, 3, 3, 8]
    for games, snapshot in zip(at, snapshots(wide, start, at, *opponents), strict=True):
        assert same(snapshot, train(wide, start, games, *opponents))


def test_new_learner_spawns_from_generator_without_drawing():
    source = rng(5)
    one, two = (new_learner(game, "sarsa", source) for _ in range(2))
    assert source.random() == rng(5).random()
    assert not same(train(game, one, 10), train(game, two, 10))


@pytest.mark.parametrize("method", CONTROL)
def test_moves_are_epsilon_greedy_with_uniform_ties(method):
    # Rewards are 0 and the step size is tiny, so the estimates and moves do not change.
    games, epsilon = 20_000, 0.3
    settings = {"alpha": 1e-12, "epsilon": epsilon, "rewards": (0, 0, 0)}
    start = new_learner(game, method, rng(8), **settings)
    for name in ("V", "Q", "Q1", "Q2"):
        values = getattr(start, name)
        if values is not None:
            values[game.next[0, [2, 4, 6]] if name == "V" else (0, [2, 4, 6])] = 1
    chosen = train(game, start, games).visits[game.next[0]]
    p = epsilon_greedy(action_values(game, start), game.legal, epsilon)[0]
    assert (abs(chosen - games * p) < 5 * np.sqrt(games * p * (1 - p))).all()


def test_opponent_and_behaviour_follow_their_policies():
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


def test_expected_sarsa_uses_epsilon_of_the_next_state():
    # ε = 1/visits: the next state is visited for the n-th time, this one more often.
    learner = some_learner(game, "expected_sarsa", alpha=0.5, epsilon=one_over_n())
    s, s_next = positions(game, LOST[-1])[1:4:2]
    learner.visits[s] = 7
    for n in (1, 2, 3):
        expected = epsilon_greedy(learner.Q, game.legal, 1 / n)[s_next]
        expected = expected @ learner.Q[s_next]
        learner, updates = learn_game(game, learner, LOST[-1], side=-1)
        assert updates[1, 1] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("method", CONTROL)
def test_greedy_policy_of_every_control_method_is_valid(method):
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


START = new_learner(game, "double_q_learning", rng())


def test_replaced_fields_are_converted():
    changed = START._replace(alpha=0.5, gamma=1, rewards=[1, 0, -1], n=np.int64(9))
    usual = START._replace(alpha=constant(0.5), rewards=(1.0, 0.0, -1.0))
    assert same(train(game, changed, 50), train(game, usual, 50))


def test_chunked_training_is_bit_identical(monkeypatch):
    at_once = train(game, START, 1050, random_play)
    monkeypatch.setattr(compiled, "CHUNK_SIZE", 100)
    assert same(train(game, START, 1050, random_play), at_once)
