"""Loops are bit-identical in plain Python, and in two parts."""

from copy import deepcopy
from functools import partial
from itertools import product

import numpy as np
import pytest
from common import game, rng, same, some_policy, sparse_policy, wide
from learner_fixtures import LOST, situation, some_learner

from ttt_lib import evaluation, learning, menace, planning, policy, sampling, search
from ttt_lib.approximation import actor_critic, features, reinforce
from ttt_lib.game import tables
from ttt_lib.large_boards import exact, growth, uct
from ttt_lib.mdp import from_opponent, state_of
from ttt_lib.rules import lines
from ttt_lib.schedules import exponential, linear, one_over_n, power

perfect, at_random = search.perfect(game, ties="lowest"), policy.uniform(game.legal)


def plan():
    mdp, random = from_opponent(game, at_random, -1), rng(8)
    sparse = planning.greedy(mdp, random.random(len(mdp.action)))
    dense, V = planning.uniform(mdp), random.normal(size=len(mdp.position))
    mixed = np.where(state_of(mdp) % 2, sparse, dense)
    return [
        planning.q_from_v(mdp, V, 0.9),
        planning.expectation_backup(mdp, mixed, V, 0.9),
        planning.policy_evaluation(mdp, mixed, 0.9, "falling", V=V),
        planning.value_iteration(mdp, 0.9, "rising"),
        planning.prioritized_sweeping(mdp, 0.9),
        planning.backward_induction(mdp, 0.9),
    ]


def evaluate():
    # The second policy never takes some moves, so some positions are not reached.
    first, second = some_policy(game, 5), sparse_policy(game, 6)
    return evaluation.win_draw_loss(game, first, second), [
        (
            evaluation.best_response(game, first, side),
            evaluation.reachable_against_any(game, second, side),
        )
        for side in (+1, -1)
    ]


def share_ties():
    first = np.concatenate(([0], np.cumsum(game.count)))
    noise = rng().normal(size=first[-1])
    nearly = noise.round() + policy.LEARNED_ATOL * noise
    all_of_them = product((noise, noise.round(), nearly), ("uniform", "lowest"))
    return [policy.greedy_pairs(first, q, ties) for q, ties in all_of_them]


def look_ahead():
    deep = np.flatnonzero((game.board != 0).sum(axis=1) == 4)[::40]
    late = [(search.minimax(game, s), search.minimax_on_tables(game, s)) for s in deep]
    return [
        *[search.alpha_beta(game, s) for s in (0, *deep)],
        *late,
        search.solve(game, 0.9),
    ]


def learn():
    plans = {
        "first": (0.3, 0.2),
        "in turns": (one_over_n(), power(by="games")),
        "self-play": (linear(0.5, 0.1, 9), one_over_n()),
        "second": (exponential(0.5, 0.1, 9), linear(1, 0, 9)),
    }
    results = []
    for method, (name, (alpha, epsilon)) in product(learning.METHODS, plans.items()):
        settings = {"alpha": alpha, "epsilon": epsilon, "gamma": 0.9}
        learner = some_learner(game, method, **settings)
        learner = learning.train(game, learner, 12, **situation(method, name))
        results.append(learning.learn_game(game, learner, LOST[-1]))
    return results


def fill_boxes():
    results = []
    for g in (game, wide, tables(1, 3, 2)):
        for opponent in (None, some_policy(g, 1)):
            boxes = menace.train(g, menace.new_matchboxes(g, rng()), 400, opponent)
            even = policy.uniform(g.legal)
            results += [boxes, menace.win_draw_loss(g, boxes, even)]
    return results


def sample():
    players = some_policy(game, 5), some_policy(game, 6)
    return sampling.sample_match(game, *players, 500, rng(7))


def learn_weights():
    generator = rng(5)
    w = features.self_play(np.zeros(9), 12, 0.05, 0.3, generator)
    V = features.table_self_play(
        wide, np.zeros(len(wide.code)), 12, 0.1, 0.3, generator
    )
    return w, V, features.action_values(game.board[::50], w), generator


def climb():
    x, theta = features.features(game.board), rng(3).normal(0, 0.5, 9)
    start, settings = reinforce.Weights(theta, np.zeros(9)), (-1, 0.1, 0.05)
    methods = reinforce.reinforce, actor_critic.actor_critic
    return [
        method(game, x, start, 20, perfect, *settings, rng(5)) for method in methods
    ]


def grow_tree():
    generator, empty = rng(3), np.zeros(16, dtype=np.int8)
    return uct.search(empty, 300, generator, 1.0, lines(4, 4, 4)), generator


def count():
    return exact.solve(3, 3, 2).value.copy(), growth.count(3, 3, 2)


RUNS = {
    plan: [planning],
    evaluate: [evaluation],
    share_ties: [policy],
    look_ahead: [search],
    learn: [learning],
    fill_boxes: [menace],
    sample: [sampling],
    learn_weights: [features],
    climb: [reinforce, actor_critic],
    grow_tree: [uct],
    count: [exact, growth],
}


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.__name__)
def test_compiled_and_plain_loops_are_bit_identical(run, uncompiled):
    compiled = run()
    uncompiled(*RUNS[run])
    assert same(run(), compiled)


def trained_boxes(boxes, games, _, side=1, opponent=None):
    return menace.train(game, boxes, games, opponent, side)


def trained_weights(w, games, generator, size=(3, 3, 3)):
    cells, all_lines = size[0] * size[1], lines(*size)
    return features.self_play(w, games, 0.01, 0.2, generator, cells, all_lines)


def trained_table(V, games, generator):
    return features.table_self_play(wide, V, games, 0.1, 0.2, generator)


def trained_policy(weights, games, generator, method=reinforce.reinforce):
    settings = at_random, -1, 0.05, 0.01, generator
    return method(game, features.features(game.board), weights, games, *settings)


def searched(tree, playouts, generator):
    return uct.search(np.zeros(9), playouts, generator, tree=tree)


WEIGHTS = reinforce.Weights(np.zeros(9), np.zeros(9))
BOXES = menace.new_matchboxes(game, rng())
IN_PARTS = [  # how to go on, and where to start; learners have tests of their own
    (trained_boxes, BOXES),
    (partial(trained_boxes, side=-1, opponent=at_random), BOXES),
    (trained_weights, np.zeros(9)),
    (partial(trained_weights, size=(2, 3, 2)), np.zeros(7)),
    (trained_table, np.zeros(len(wide.code))),
    (trained_policy, WEIGHTS),
    (partial(trained_policy, method=actor_critic.actor_critic), WEIGHTS),
    (searched, None),
]


@pytest.mark.parametrize(("go_on", "start"), IN_PARTS)
def test_n_then_m_games_are_bit_identical_to_n_plus_m(go_on, start):
    before, (one, two) = deepcopy(start), (rng(3), rng(3))
    once, part = go_on(start, 200, one), go_on(start, 70, two)
    copy = deepcopy(part)
    assert same(go_on(part, 130, two), once)
    assert not same(part, once)
    assert same(part, copy)
    assert same(start, before)
