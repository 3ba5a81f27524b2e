"""Learners after many games, compared with exact limits."""

from itertools import product

import numpy as np
import pytest
from common import game, rng, sample_params
from learner_fixtures import random_play

from ttt_lib import mdp, search
from ttt_lib.evaluation import win_draw_loss
from ttt_lib.learning import greedy_policy, new_learner, train
from ttt_lib.schedules import power
from ttt_lib.studies.parts import soft_optimum

pytestmark = pytest.mark.slow


def rms(error, weight):
    return np.sqrt((error**2 * weight).sum() / weight.sum())


CONTROL = "q_learning", "double_q_learning", "sarsa", "expected_sarsa", "mc_control"


@pytest.mark.parametrize(
    ("method", "side"), sample_params(product(CONTROL, (1, -1)), 5)
)
def test_control_against_random_play_approaches_exact_limit(method, side):
    epsilon, problem = 0.3, mdp.from_opponent(game, random_play, side)
    off_policy = method in ("q_learning", "double_q_learning")
    q = soft_optimum(problem, 0 if off_policy else epsilon)
    learner = new_learner(game, method, rng(13), alpha=power(1, 0.7), epsilon=epsilon)
    learner = train(game, learner, 400_000, random_play, side)
    learnt = mdp.from_cells(problem, learner.Q)
    weight = mdp.from_cells(problem, learner.updates)
    assert rms(learnt - q, weight) < 0.12
    # The value of the whole game: the other kind of limit is far from it.
    limit = soft_optimum(problem, epsilon if off_policy else 0)
    values = (np.maximum.reduceat(x, problem.first[:-1]) for x in (learnt, q, limit))
    value, exact, other = (problem.start @ V for V in values)
    assert abs(value - exact) < 0.04
    assert abs(exact - other) > 0.08
    if off_policy:
        policy = greedy_policy(game, learner)
        both = (policy, random_play) if side == 1 else (random_play, policy)
        win, _, loss = win_draw_loss(game, *both)[0]
        optimum = {+1: 191 / 192, -1: 874 / 945}[side]
        assert optimum - 0.03 < side * (win - loss) <= optimum + 1e-12


@pytest.mark.parametrize(
    ("gamma", "opponent"), [(1, None), (0.9, None), (1, random_play)], ids=str
)
def test_minimax_q_with_step_size_1_is_exact(gamma, opponent):
    exact = search.solve(game, gamma).Q
    learner = new_learner(game, "minimax_q", rng(16), alpha=1, epsilon=1, gamma=gamma)
    learner = train(game, learner, 150_000, opponent, -1 if opponent is not None else 0)
    assert ((learner.updates > 0) == game.legal).all()
    np.testing.assert_allclose(learner.Q, exact, atol=0 if gamma == 1 else 1e-12)
