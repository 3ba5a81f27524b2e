"""Loops of prediction and control, and the agent: the library's targets, known values.

Episodes of the game are compared with `learning`, which has its own loops.
"""

import inspect
from math import inf

import gymnasium
import numpy as np
import pytest
from common import game, rng
from learner_fixtures import play, random_play, some_learner

from ttt_lib import envs, evaluation, planning, problems, tabular
from ttt_lib.game import positions
from ttt_lib.learning import learn_game
from ttt_lib.problems import Environment
from ttt_lib.tabular import NO_INFO, Step, TabularAgent, steps

LOOPS = (
    tabular.n_step_td,
    tabular.td_lambda,
    tabular.n_step_sarsa,
    tabular.sarsa_lambda,
)
TRUE = np.arange(7) / 6 * ([0] + [1] * 5 + [0])  # of the random walk


def decisions(actions, side, after=0, gamma=1.0):
    """Return the Steps of one side in a game; states are `after` plies later.

    If the next own move ends the game, an afterstate is one decision before its reward.
    """
    path = [*positions(game, actions)]
    turns = [t for t in range(len(actions)) if game.to_move[path[t]] == side]
    turns = [t for t in turns if t + after < len(actions)]  # the others are the end
    found = []
    for t in turns:
        over = t + 2 + after >= len(actions)
        r = float(side * game.outcome[path[-1]]) if over else 0.0
        r *= gamma if after and t + 3 == len(actions) else 1
        s_next = path[-1] if over else path[t + 2 + after]
        a_next = -1 if over else actions[t + 2]
        step = path[t + after], actions[t], r, s_next, a_next, over, False, NO_INFO
        found.append(Step(*step))
    return found


def walks(episodes, seed=1):
    """Return random walks, as lists of Steps."""
    env = Environment(problems.random_walk(), rng(seed))
    return [list(steps(env, lambda s, info: 0)) for _ in range(episodes)]


def learned(loop, episodes, *settings, shape=(7,)):
    table = np.zeros(shape)
    for episode in episodes:
        loop(table, episode, *settings)
    return table


@pytest.mark.parametrize("loop", LOOPS)
def test_loop_has_ten_lines_at_most(loop):
    code = inspect.getsource(loop).splitlines()
    assert len(code) <= 12, "the signature, the docstring and ten lines"


# The library's learners


@pytest.mark.parametrize("gamma", [1, 0.9])
@pytest.mark.parametrize("side", [+1, -1])
@pytest.mark.parametrize(
    ("method", "after"), [("td_prediction", 0), ("td_all_moves", 1)]
)
def test_td_loops_equal_learner_of_v(method, after, side, gamma):
    for seed in range(6):
        episode = decisions(actions := play(game, seed), side, after, gamma)
        for n in (1, 2, 3, inf):
            steps_ahead = {"n": 9 if n == inf else n}
            learner = some_learner(
                game, method, seed, alpha=0.3, gamma=gamma, **steps_ahead
            )
            V = learner.V.copy()
            tabular.n_step_td(V, episode, 0.3, gamma, n)
            expected = learn_game(game, learner, actions, side)[0].V
            np.testing.assert_allclose(V, expected, rtol=0, atol=1e-12)
        for lambda_ in (0, 0.7, 1):
            learner = some_learner(
                game, method, seed, alpha=0.3, gamma=gamma, lambda_=lambda_
            )
            V = learner.V.copy()
            tabular.td_lambda(V, episode, 0.3, gamma, lambda_)
            expected = learn_game(game, learner, actions, side)[0].V
            np.testing.assert_allclose(V, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("gamma", [1, 0.9])
@pytest.mark.parametrize(("method", "n"), [("sarsa", 1), ("mc_control", inf)])
def test_n_step_sarsa_equals_learner_of_q(method, n, gamma):
    for seed in range(6):
        for side in (+1, -1):
            learner = some_learner(game, method, seed, alpha=0.3, gamma=gamma)
            Q, actions = learner.Q.copy(), play(game, seed)
            tabular.n_step_sarsa(Q, decisions(actions, side), 0.3, gamma, n)
            expected = learn_game(game, learner, actions, side)[0].Q
            np.testing.assert_allclose(Q, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("method", tabular.METHODS)
def test_agent_equals_learner_of_q_on_one_game(method):
    for seed in range(6):
        learner = some_learner(game, method, seed, alpha=0.3, gamma=0.9, epsilon=0.2)
        settings = {"alpha": 0.3, "gamma": 0.9, "epsilon": 0.2}
        agent = TabularAgent(len(game.code), 9, rng(), method, **settings)
        agent.Q[:] = learner.Q
        actions = play(game, seed)
        for step in decisions(actions, +1):
            mask = {"action_mask": game.legal[step.s_next]}
            agent.learn(step._replace(info=mask))
        expected = learn_game(game, learner, actions, +1)[0].Q
        np.testing.assert_allclose(agent.Q, expected, rtol=0, atol=1e-12)


# Theorems


@pytest.mark.parametrize("shape", [(7,), (7, 1)])
def test_one_step_and_lambda_0_are_td_0(shape):
    episodes, by_hand = walks(30), np.zeros(shape)
    for step in (step for episode in episodes for step in episode):
        target = step.r + 0.9 * by_hand[step.s_next] * (not step.terminated)
        by_hand[step.s] += 0.2 * (target - by_hand[step.s])
    for loop, last in zip(LOOPS, (1, 0, 1, 0), strict=True):
        if (len(shape) == 2) == (loop in LOOPS[2:]):
            table = learned(loop, episodes, 0.2, 0.9, last, shape=shape)
            np.testing.assert_allclose(table, by_hand, rtol=0, atol=1e-12)


def returns(episode, gamma):
    """Return the return after each Step."""
    G, found = 0.0, []
    for step in reversed(episode):
        G = step.r + gamma * G
        found.append(G)
    return found[::-1]


def test_infinite_steps_are_every_visit_monte_carlo():
    episodes, V, Q = walks(30), np.zeros(7), np.zeros((7, 1))
    for episode in episodes:
        for step, G in zip(episode, returns(episode, 0.9), strict=True):
            V[step.s] += 0.2 * (G - V[step.s])
            Q[step.s, step.a] += 0.2 * (G - Q[step.s, step.a])
    found = learned(tabular.n_step_td, episodes, 0.2, 0.9, inf)
    np.testing.assert_allclose(found, V, rtol=0, atol=1e-12)
    found = learned(tabular.n_step_sarsa, episodes, 0.2, 0.9, inf, shape=(7, 1))
    np.testing.assert_allclose(found, Q, rtol=0, atol=1e-12)


class Offline(np.ndarray):
    """A table whose updates are collected until its episode is over."""

    def __iadd__(self, change):
        self.changes = getattr(self, "changes", 0) + change
        return self


@pytest.mark.parametrize("lambda_", [0.0, 0.5, 1.0])
def test_td_lambda_offline_sums_the_updates_of_the_lambda_return(lambda_):
    # S&B sec. 12.2: backward and forward view agree in the sum over an episode if V
    # changes at its end only. For λ = 1 these are the updates of Monte Carlo.
    V, (episode,), gamma = rng(4).normal(size=7), walks(1, seed=7), 0.9
    frozen = V.copy().view(Offline)
    tabular.td_lambda(frozen, episode, 0.2, gamma, lambda_)
    forward, G = np.zeros(7), 0.0
    for step in reversed(episode):
        after = 0.0 if step.terminated else V[step.s_next]
        G = step.r + gamma * ((1 - lambda_) * after + lambda_ * G)
        forward[step.s] += 0.2 * (G - V[step.s])
    np.testing.assert_allclose(frozen.changes, forward, rtol=0, atol=1e-12)
    assert len(episode) > len({step.s for step in episode}), "some states return"
    if lambda_ == 1:
        monte_carlo = np.zeros(7)
        for step, G in zip(episode, returns(episode, gamma), strict=True):
            monte_carlo[step.s] += 0.2 * (G - V[step.s])
        np.testing.assert_allclose(frozen.changes, monte_carlo, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("loop", "last"),
    [(tabular.n_step_td, 3), (tabular.td_lambda, 0.8)],
)
def test_prediction_approaches_true_values_of_random_walk(loop, last):
    V, mean = np.full(7, 0.5), []
    for episode in walks(3000):
        loop(V, episode, 0.02, 1, last)
        mean.append(V.copy())
    assert np.mean(mean[500:], axis=0)[1:-1] == pytest.approx(TRUE[1:-1], abs=0.03)


@pytest.mark.parametrize("loop", LOOPS)
def test_cut_episode_bootstraps_and_ended_one_does_not(loop):
    table = np.full((3, 1) if loop in LOOPS[2:] else 3, 8.0)
    last = 1.0 if loop in (tabular.td_lambda, tabular.sarsa_lambda) else inf
    cut = Step(0, 0, 1.0, 1, 0, False, True, NO_INFO)
    loop(table, [cut], 1.0, 0.5, last)
    assert table[0] == 1 + 0.5 * 8
    loop(table, [cut._replace(terminated=True, truncated=False)], 1.0, 0.5, last)
    assert table[0] == 1


# The agent


def test_agent_bootstraps_if_truncated_and_not_if_terminated():
    for method in tabular.METHODS:
        agent = TabularAgent(2, 2, rng(), method, alpha=1, epsilon=0, gamma=0.5)
        agent.Q[1] = 3, 3
        cut = Step(0, 0, 1.0, 1, 1, False, True, NO_INFO)
        agent.learn(cut)
        assert agent.Q[0, 0] == 1 + 0.5 * 3
        agent.learn(cut._replace(terminated=True, truncated=False, a_next=-1))
        assert agent.Q[0, 0] == 1


def test_agent_obeys_the_mask_and_shares_ties():
    agent = TabularAgent(1, 4, rng(), epsilon=0.2)
    agent.Q[0] = 1, 2, 2, 9
    info = {"action_mask": np.array([1, 1, 1, 0], dtype=np.int8)}
    assert agent.policy(0, info=info).tolist() == [0, 0.5, 0.5, 0]
    with_chance = agent.policy(0, 0.3, info)
    assert with_chance == pytest.approx([0.1, 0.45, 0.45, 0], abs=1e-12)
    assert {agent.act(0, info) for _ in range(200)} == {0, 1, 2}
    info["action_mask"][:] = 0
    with pytest.raises(ValueError, match="s = 0: the action mask leaves no action"):
        agent.act(0, info)


@pytest.mark.parametrize("method", tabular.METHODS)
def test_agent_learns_cliff_walking(method):
    env = Environment(problems.cliff_walking(), rng(2), limit=1000)
    agent = TabularAgent(48, 4, rng(3), method, alpha=0.5, epsilon=0.0)
    assert agent.train(env, 400)[-1] == -13


@pytest.mark.slow
@pytest.mark.long
def test_agent_learns_gymnasiums_frozen_lake():
    env = gymnasium.make("FrozenLake-v1")
    env.reset(seed=5)
    agent = TabularAgent(16, 4, rng(5), alpha=0.1, epsilon=0.3, gamma=0.99)
    agent.train(env, 2500)
    lake = problems.model(problems.frozen_lake())
    greedy = np.array([agent.policy(s) for s in range(16)]).ravel()
    value = planning.linear_solve(lake, greedy, gamma=1).V[0]
    assert 0.7 < value <= 14 / 17 + 1e-12


class Numbered(gymnasium.ObservationWrapper):
    """Tic-tac-toe with the number of the position as its observation."""

    def observation(self, board):
        """Return the number of a position in which the first player is to move."""
        return self.unwrapped.s


@pytest.mark.slow
def test_agent_learns_tic_tac_toe_with_a_mask():
    env = Numbered(envs.TicTacToeEnv())
    env.reset(seed=1)
    agent = TabularAgent(len(game.code), 9, rng(1))
    rewards = agent.train(env, 3000)
    assert set(rewards) <= {1, 0, -1}
    assert not agent.Q[~game.legal].any(), "no illegal move was made"
    policy = np.zeros(game.legal.shape)
    for s in np.flatnonzero(~game.terminal):
        policy[s] = agent.policy(s, info={"action_mask": game.legal[s]})
    assert evaluation.result(game, policy, random_play).value > 0.8


def test_agent_rejects_invalid_settings():
    for name, wrong in (
        ("states", 0),
        ("actions", 0.5),
        ("method", "dyna"),
        ("alpha", 0),
        ("epsilon", 2),
        ("gamma", -1),
        ("initial", np.nan),
        ("rng", 7),
    ):
        right = {"states": 2, "actions": 2, "rng": rng()}
        with pytest.raises(ValueError, match=rf"^{name} = "):
            TabularAgent(**right | {name: wrong})
