"""Problems outside the game: Gymnasium's tables, known values, sampled steps."""

from fractions import Fraction
from itertools import product

import gymnasium
import numpy as np
import pytest
from common import rng
from gymnasium.envs.toy_text import blackjack as gymnasium_blackjack

from ttt_lib import mdp, planning, problems
from ttt_lib.problems import HANDS, NATURAL, Environment, Problem, model

TABLES = {
    "gridworld": problems.gridworld(),
    "random walk": problems.random_walk(),
    "cliff walking": problems.cliff_walking(),
    "frozen lake": problems.frozen_lake(),
    "advertising": problems.advertising(),
    "blackjack": problems.blackjack(),
}
BLACKJACK = model(TABLES["blackjack"])
DEALER = {}  # dealer's cards → distribution of the final hand


@pytest.mark.parametrize("name", TABLES)
def test_probabilities_of_every_pair_and_of_the_start_sum_to_one(name):
    problem = TABLES[name]
    assert problem.start.sum() == pytest.approx(1, abs=1e-12)
    for row in problem.P:
        for outcomes in row:
            assert sum(p for p, *_ in outcomes) == pytest.approx(1, abs=1e-12)
            assert all(0 <= s_next < len(problem.P) for _, s_next, *_ in outcomes)


@pytest.mark.parametrize(
    ("name", "environment"),
    [("cliff walking", "CliffWalking-v1"), ("frozen lake", "FrozenLake-v1")],
)
def test_table_equals_that_of_gymnasium(name, environment):
    ours, theirs = TABLES[name], gymnasium.make(environment).unwrapped
    assert ours.start.tolist() == theirs.initial_state_distrib.tolist()
    met = np.flatnonzero(ours.start).tolist()
    for s in met:  # grows: Gymnasium also has rows of squares that are never met
        for a in range(4):
            one, other = ours.P[s][a], theirs.P[s][a]
            assert [x[1:] for x in one] == [x[1:] for x in other], (s, a)
            chances = [p for p, *_ in one]
            assert chances == pytest.approx([p for p, *_ in other], abs=1e-15)
            met += [n for _, n, _, end in one if not end and n not in met]
    assert len(met) == {"cliff walking": 37, "frozen lake": 11}[name]


# Known values


def test_gridworld_values_of_random_policy():
    grid = model(TABLES["gridworld"])
    V = planning.linear_solve(grid, planning.uniform(grid), gamma=1).V.reshape(4, 4)
    book = [[0, -14, -20, -22], [-14, -18, -20, -20]]  # S&B figure 4.1
    figure = [*book, *np.fliplr(np.flipud(book))]
    np.testing.assert_allclose(V, figure, atol=1e-9)
    other = mdp.gridworld("E...|....|....|...E")
    q = planning.q_from_v(grid, V.ravel(), gamma=1).reshape(16, 4)
    same = planning.q_from_v(other, V.ravel()[other.position], gamma=1)
    np.testing.assert_allclose(q[other.position].ravel(), same, atol=1e-9)


@pytest.mark.parametrize(("states", "left"), [(5, 0.0), (19, -1.0)])
def test_random_walk_values_rise_evenly(states, left):
    walk = model(problems.random_walk(states, left))
    V = planning.linear_solve(walk, planning.uniform(walk), gamma=1).V
    assert V[1:-1] == pytest.approx(np.linspace(left, 1, states + 2)[1:-1], abs=1e-12)


def test_cliff_walking_optimum_takes_13_steps():
    V = planning.value_iteration(model(TABLES["cliff walking"]), gamma=1).V
    assert V[36] == -13
    assert V[24:36].tolist() == list(range(-12, 0)), "along the edge of the cliff"


SEVENTEENTHS = [14, 14, 14, 14, 14, 0, 9, 0, 14, 14, 13, 0, 0, 15, 16, 0]


def test_frozen_lake_optimum_is_14_of_17():
    problem, V = TABLES["frozen lake"], [Fraction(n, 17) for n in SEVENTEENTHS]
    for s, row in enumerate(problem.P):  # the Bellman equation in whole numbers
        q = [
            sum(Fraction(round(r)) + V[n] * (not end) for _, n, r, end in outcomes)
            / len(outcomes)
            for outcomes in row
        ]
        assert V[s] == max(q)
    # It has other solutions at γ = 1; the optimum is the least, the limit from 0.
    solution = planning.value_iteration(model(problem), gamma=1)
    np.testing.assert_allclose(solution.V, np.array(SEVENTEENTHS) / 17, atol=1e-9)


def test_frozen_lake_within_gymnasiums_limit_of_100_steps():
    lake = model(TABLES["frozen lake"])
    policy = planning.value_iteration(lake, gamma=1).policy
    V = W = np.zeros(16)
    for _ in range(gymnasium.spec("FrozenLake-v1").max_episode_steps):
        V = planning.expectation_backup(lake, policy, V, gamma=1)
        W = planning.optimality_backup(lake, W, gamma=1)
    assert V[0] <= W[0] < 14 / 17
    assert [V[0], W[0]] == pytest.approx([0.740165, 0.744190], abs=1e-6)


def test_advertising_values_are_the_click_probabilities():
    bandit = model(TABLES["advertising"])
    q = planning.q_from_v(bandit, np.zeros(1), gamma=1)
    assert q.tolist() == list(problems.CLICKS)
    assert len(set(problems.CLICKS)) == 5


def test_rating_circle_is_antisymmetric_with_a_circle():
    names, payoff = problems.rating_circle()
    assert payoff.shape == (len(names), len(names))
    np.testing.assert_array_equal(payoff, -payoff.T)
    assert np.abs(payoff).max() <= 1
    assert min(payoff[0, 1], payoff[1, 2], payoff[2, 0]) > 0
    assert (payoff[:3, 3:] > 0).all()
    # The equilibrium of the circle: each share is the payoff between the two others.
    equilibrium = np.array([payoff[1, 2], payoff[2, 0], payoff[0, 1], 0, 0]) / 1.2
    assert equilibrium.sum() == pytest.approx(1, abs=1e-12)
    assert (equilibrium @ payoff)[:3] == pytest.approx(np.zeros(3), abs=1e-12)


# Blackjack, from hands of cards with Gymnasium's own functions


def dealers_hands(cards):
    """Return the final hands of a dealer, as pairs (cards, probability)."""
    if gymnasium_blackjack.sum_hand(list(cards)) >= 17:
        return [(cards, 1.0)]
    return [
        (hand, p / 13)
        for card in gymnasium_blackjack.deck
        for hand, p in dealers_hands((*cards, card))
    ]


def judged(player, dealer):
    """Return the reward of two hands, as Gymnasium gives it."""
    env = gymnasium_blackjack.BlackjackEnv(sab=True)
    env.reset(seed=1)
    env.player, env.dealer = list(player), list(dealer)
    return env.step(0)[1]


HANDS_OF_CARDS = [(10, 6), (1, 6), (1, 10), (10, 5, 6), (10, 2), (1, 2, 8), (2, 2)]


@pytest.mark.slow
@pytest.mark.parametrize("shown", [1, 6, 10])
def test_blackjack_outcomes_equal_those_of_gymnasiums_hands(shown):
    finals = {}
    for cards, p in dealers_hands((shown,)):
        key = gymnasium_blackjack.is_natural(list(cards)), tuple(sorted(cards))
        finals[key] = finals.get(key, 0.0) + p
    for player in HANDS_OF_CARDS:
        expected = sum(p * judged(player, hand) for (_, hand), p in finals.items())
        s = number(player, shown)
        stick, hit = TABLES["blackjack"].P[s]
        assert sum(p * r for p, _, r, _ in stick) == pytest.approx(expected, abs=1e-12)
        after = {}
        for card in gymnasium_blackjack.deck:
            over = gymnasium_blackjack.is_bust([*player, card])
            key = (
                (0, -1.0, True) if over else (number((*player, card), shown), 0, False)
            )
            after[key] = after.get(key, 0) + 1 / 13
        ours = {}
        for p, *key in hit:
            ours[tuple(key)] = ours.get(tuple(key), 0) + p
        assert ours == pytest.approx(after, abs=1e-12)


def number(player, shown):
    """Return the number of the state of a hand."""
    natural = gymnasium_blackjack.is_natural(list(player))
    total = NATURAL if natural else gymnasium_blackjack.sum_hand(list(player))
    ace = gymnasium_blackjack.usable_ace(list(player))
    return int(np.ravel_multi_index((total, shown, ace), HANDS))


def stick_from(total):
    """Return the policy that sticks from a sum on."""
    policy = np.zeros((*HANDS, 2))
    policy[..., 1] = 1
    policy[total:] = 1, 0
    return policy.ravel()


def test_blackjack_value_of_known_policies():
    sticks = planning.linear_solve(BLACKJACK, stick_from(20), gamma=1)
    optimum = planning.value_iteration(BLACKJACK, gamma=1)
    values = [sticks.start_value[0], optimum.start_value[-1]]
    assert values == pytest.approx([-0.350111, -0.043113], abs=1e-6)
    hits = optimum.policy.reshape(*HANDS, 2)[..., 1]
    # the least sums to stick with, for the dealer's cards 2 to 10
    stick_at = [min(np.flatnonzero(hits[12:22, c, 0] == 0)) + 12 for c in range(2, 11)]
    assert stick_at == [13, 13, 12, 12, 12, 17, 17, 17, 17]
    stick_at = [min(np.flatnonzero(hits[12:22, c, 1] == 0)) + 12 for c in range(2, 11)]
    assert stick_at == [18, 18, 18, 18, 18, 18, 18, 19, 19]


def test_blackjack_start_is_two_cards_and_the_dealers():
    start = np.zeros(len(TABLES["blackjack"].P))
    for one, two, shown in product(gymnasium_blackjack.deck, repeat=3):
        start[number((one, two), shown)] += 1 / 13**3
    np.testing.assert_allclose(TABLES["blackjack"].start, start, atol=1e-12)


@pytest.mark.slow
def test_blackjack_value_agrees_with_games_of_gymnasium():
    env = gymnasium.make("Blackjack-v1", sab=True).unwrapped
    env.reset(seed=1)
    rewards = []
    for _ in range(20_000):
        (total, *_), _ = env.reset()
        over = False
        while not over:
            (total, *_), reward, over, *_ = env.step(int(total < 20))
        rewards.append(reward)
    exact = planning.linear_solve(BLACKJACK, stick_from(20), gamma=1).start_value[0]
    error = np.std(rewards) / np.sqrt(len(rewards))
    assert abs(np.mean(rewards) - exact) < 4 * error


# The environment


def test_environment_draws_outcomes_of_the_table():
    env, counts = Environment(TABLES["frozen lake"], rng(1)), np.zeros(16)
    for _ in range(3000):
        assert env.reset() == (0, {})
        s_next, reward, terminated, truncated, info = env.step(2)
        assert (reward, terminated, truncated, info) == (0, False, False, {})
        counts[s_next] += 1
    assert np.flatnonzero(counts).tolist() == [0, 1, 4]
    assert counts[[0, 1, 4]] == pytest.approx(1000, abs=4 * np.sqrt(3000 * 2 / 9))


def test_environment_truncates_at_its_limit_and_refuses_wrong_calls():
    env = Environment(TABLES["cliff walking"], rng(), limit=2)
    with pytest.raises(ValueError, match=r"call reset\(\)"):
        env.step(0)
    env.reset()
    with pytest.raises(ValueError, match="action = 4: give a whole number from 0 to 3"):
        env.step(4)
    assert env.step(0) == (24, -1.0, False, False, {})
    assert env.step(3) == (24, -1.0, False, True, {})
    with pytest.raises(ValueError, match=r"call reset\(\)"):
        env.step(0)
    short = Environment(problems.random_walk(1), rng(), limit=1)
    short.reset()
    assert short.step(0)[2:4] == (True, False), "the end is no cut"
    for wrong in ((TABLES, rng()), (TABLES["gridworld"], 7), ("lake", rng())):
        with pytest.raises(ValueError, match=r"^(problem|rng) = "):
            Environment(*wrong)
    assert isinstance(TABLES["gridworld"], Problem)
