"""Sweeps and searches on a page match the library's values and nodes."""

import itertools
import json

import numpy as np
import pytest

from ttt_lib import mdp, planning, policy, search
from ttt_lib.game import tables

GAME = tables()
RANDOM = policy.uniform(GAME.legal)
OPPONENTS = {
    "random": RANDOM,
    "perfect": search.perfect(GAME),
    "perfect lowest": search.perfect(GAME, ties="lowest"),
    "teacher": search.teacher(GAME, 0.9),
}
SIDES, REWARDS = (1, -1), ((1, 0, -1), (1, 0.5, 0), (500, 0, -3500))
FLOORS = {  # squares, reward of a step, additional reward of an exit
    "example": ("E...|....|....|...E", -1, 0),
    "walls": ("...E|.#.E|....", -0.04, 1),
    "closed": ("..#.|.#E.", -1, 0),
    "costly": ("..|.E", -1000, 0),
    "free": ("..|.E", 0, 0),
}

# A problem is a side, rewards and an opponent, or the name of a floor. Policies have
# names of opponents, or "uniform"; null takes the best actions.
WITH_GAME = """async ({ shared, floors, ...given }) => {
  const game = await ttt.agents.shared(shared), { policies } = game;
  const { fromOpponent, gridworld, fromCells } = ttt.mdp, { uniform } = ttt.planning;
  const teacher = ttt.policy.mixture(0.9, policies.perfect, policies.random);
  const opponents = { ...policies, teacher };
  const problem = (one) => (typeof one === "string"
    ? gridworld(...floors[one])
    : fromOpponent(game, opponents[one[2]], one[0], one[1]));
  const along = (mdp, name) => (name === "uniform" ? uniform(mdp)
    : name && fromCells(game, mdp, opponents[name]));
  const run = %s;
  return JSON.stringify(run(given, game),
    (_, each) => (ArrayBuffer.isView(each) ? [...each] : each));
}"""


@pytest.fixture(scope="module")
def compute(run, shared):
    """Run a function (arguments, game) of JavaScript."""

    def compute(code, **given):
        data = {"shared": shared["shared"], "floors": FLOORS}
        return json.loads(run(WITH_GAME % code, data | given))

    return compute


def problem(one):
    if isinstance(one, str):
        return mdp.gridworld(*FLOORS[one])
    side, rewards, opponent = one
    return mdp.from_opponent(GAME, OPPONENTS[opponent], side, rewards)


def along(m, name):
    """Return the policy of a name for an MDP, None for the best actions."""
    if name == "uniform":
        return planning.uniform(m)
    return name and mdp.from_cells(m, OPPONENTS[name])


ORDERS = "synchronous", "rising", "falling", "shuffled"
GAMMAS = 1, 0.9, 0.5


ON_FLOORS = [("example", 0.9), ("walls", 1), ("closed", 0.5), ("costly", 0.5)]
SWEEPS = 50  # at most, in every order


def settings():
    """Yield problems with policy, order, γ, and whether the first values are 0."""
    rng = np.random.default_rng(2)
    problems = [*itertools.product(SIDES, REWARDS, OPPONENTS)]
    found = [
        (problems[rng.integers(24)], name, order, GAMMAS[rng.integers(3)], zero)
        for order, name in itertools.product(ORDERS, (None, "uniform", *OPPONENTS))
        for zero in (True, False)
    ]
    ways = itertools.product(ORDERS, (None, "uniform"), (True, False))
    for (order, name, zero), (one, gamma) in itertools.product(ways, ON_FLOORS):
        found.append((one, name, order, gamma, zero))
    for one, name, order, *more in found:
        states = rng.permutation(len(problem(one).position)).tolist()
        yield one, name, states if order == "shuffled" else order, *more


SWEEP = """({ settings, most, theta }) => settings.map((setting) => {
  const [one, name, order, gamma, zero] = setting;
  const mdp = problem(one), policy = along(mdp, name);
  const V = zero ? null : mdp.position.map((_, s) => (7 * s) % 11 - 5);
  const { sweeper } = ttt.planning;
  const now = sweeper(mdp, gamma, { policy, V, theta, order });
  const lists = [], changes = [];
  while (lists.length < most && !now.converged) {
    if (lists.length % 2) for (let k = 0; k < mdp.position.length / 2; k++) now.step();
    const before = lists.at(-1) ?? V, { old, new: after, change } = now.sweep();
    if (before?.some((x, s) => x !== old[s])) throw Error("the old values are others");
    lists.push(after);
    changes.push(change);
  }
  const { sweeps, place, backups, converged } = now;
  return { lists, changes, sweeps, place, backups, converged };
})"""


@pytest.mark.slow
def test_sweeps_in_every_order_match_library(compute):
    tried, ended = [*settings()], set()
    page = compute(SWEEP, settings=tried, most=SWEEPS)
    for setting, theirs in zip(tried, page, strict=True):
        one, name, order, gamma, zero = setting
        m = problem(one)
        pi, n = along(m, name), len(m.position)
        states = {"falling": range(n)[::-1]}.get(str(order), range(n))
        states = order if isinstance(order, list) else states
        states = np.array(states, dtype=m.successor.dtype)
        V = np.zeros(n) if zero else 7.0 * np.arange(n) % 11 - 5
        record, converged = planning.Trace(m, V), False
        new = V.copy() if order == "synchronous" else V
        for k, values in enumerate(theirs["lists"]):
            assert not converged, setting
            if pi is None:
                change = planning.sweep_best(m, states, V, new, float(gamma))
            else:
                change = planning.sweep_policy(m, pi, states, V, new, float(gamma))
            V, new = new, V
            record.sweep(V, change, len(m.action) if pi is None else (pi > 0).sum())
            converged = record.converged(V, planning.THETA)
            assert np.allclose(values, V, rtol=0, atol=1e-12), (setting, k)
        assert np.allclose(theirs["changes"], record.change, rtol=0, atol=1e-12)
        assert theirs["converged"] is bool(converged)
        assert (theirs["sweeps"], theirs["place"]) == (len(record.change), 0)
        assert theirs["backups"] == record.backups
        if converged:
            ended.add("shuffled" if isinstance(order, list) else order)
    assert ended == {*ORDERS}


GREEDY = """({ asked, tie }) => asked.map(([one, gamma, V]) => {
  const { qFromV, greedy } = ttt.planning, mdp = problem(one);
  const q = qFromV(mdp, V, gamma);
  return [q, greedy(mdp, q), greedy(mdp, q, "lowest"), greedy(mdp, q, "uniform", tie)];
})"""


def test_greedy_policies_match_library(compute):
    problems = (1, (1, 0, -1), "random"), "example", (-1, (500, 0, -3500), "perfect")
    asked, expected, tie = [], [], 0.5
    for one, gamma in itertools.product(problems, GAMMAS):
        m = problem(one)
        V = planning.value_iteration(m, gamma, theta=1e-3).V
        asked.append((one, gamma, V.tolist()))
        q, ways = planning.q_from_v(m, V, gamma), ({}, {"ties": "lowest"}, {"tie": tie})
        expected.append([q, *(planning.greedy(m, q, **way) for way in ways)])
    page = compute(GREEDY, asked=asked, tie=tie)
    for theirs, ours in zip(page, expected, strict=True):
        for values, exact in zip(theirs, ours, strict=True):
            assert np.allclose(values, exact, rtol=0, atol=1e-12)


ROLLOUTS = """({ asked, gamma }) => asked.map(([one, V]) => {
  const { qFromV, greedy, rollout } = ttt.planning, mdp = problem(one);
  const pi = greedy(mdp, qFromV(mdp, V, gamma), "lowest");
  return Array.from(mdp.position, (_, s) => rollout(mdp, pi, s, gamma));
})"""


def test_greedy_walks_earn_the_library_values_of_their_policy(compute):
    asked, expected, gamma = [], [], 0.9
    for one, sweeps in itertools.product(("example", "walls", "costly"), (1, 3, 99)):
        m = problem(one)
        V = planning.policy_evaluation(m, planning.uniform(m), gamma, theta=1e-9)
        V = V.V if sweeps == 99 else np.arange(len(m.position)) * sweeps % 5.0
        pi = planning.greedy(m, planning.q_from_v(m, V, gamma), ties="lowest")
        asked.append((one, V.tolist()))
        expected.append(planning.policy_evaluation(m, pi, gamma).V)
    ended = set()
    page = compute(ROLLOUTS, asked=asked, gamma=gamma)
    for walks, V in zip(page, expected, strict=True):
        for walk, value in zip(walks, V, strict=True):
            ended.add(walk["ended"])
            if walk["ended"]:
                assert walk["earned"] == pytest.approx(value, abs=1e-9)
    assert ended == {True, False}


TOTALS = """({ asked }, game) => asked.map(([s, order]) => {
  const { minimax, alphaBeta } = ttt.minimax;
  const { value, nodes } = alphaBeta(game, s, order), whole = minimax(game, s, order);
  return [value, nodes, whole.value, whole.nodes];
})"""


@pytest.mark.slow
def test_minimax_and_alpha_beta_match_library_values_and_nodes(compute):
    rng = np.random.default_rng(8)
    centre_first = search.most_lines_first(GAME).tolist()
    asked = [(0, None), (0, centre_first), (0, centre_first[::-1])]
    marks = np.abs(GAME.board).sum(axis=1)
    for m, n in {1: 2, 2: 4, 3: 8, 4: 10, 5: 10, 6: 10, 7: 10, 8: 10, 9: 10}.items():
        for s in rng.choice(np.flatnonzero(marks == m), n).tolist():
            asked.append((s, rng.permutation(9).tolist()))
    for (s, order), found in zip(asked, compute(TOTALS, asked=asked), strict=True):
        assert found == [*search.alpha_beta(GAME, s, order), *search.minimax(GAME, s)]
