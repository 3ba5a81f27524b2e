"""The equations of decision problems, returns and values."""

from math import isclose

import numpy as np

from equations import equation
from equations.by_hand import backed_up, game, pairs, problems, transitions
from ttt_lib import evaluation, mdp, planning
from ttt_lib.policy import uniform


@equation("eq-transition")
def probabilities_of_the_next_states():
    for problem, opponent, side in problems():
        P = mdp.transition_matrix(problem)
        for pair, (s, a) in pairs(problem)[::30]:
            row = dict.fromkeys(problem.position.tolist(), 0.0)
            for p, _, s_next in transitions(s, a, opponent, side):
                if s_next is not None:
                    row[s_next] = p
            assert P[[pair]].toarray()[0].tolist() == list(row.values())


@equation("eq-pair-reward")
def expected_reward_of_a_pair():
    for problem, opponent, side in problems():
        for pair, (s, a) in pairs(problem):
            r = sum(p * reward for p, reward, _ in transitions(s, a, opponent, side))
            assert isclose(problem.reward[pair], r, abs_tol=1e-12)


@equation("eq-start")
def value_of_the_whole_game():
    play = uniform(game.legal)
    for problem, opponent, side in problems():
        V = planning.linear_solve(problem, planning.uniform(problem), 1).V
        v = sum(p * value for p, value in zip(problem.start, V, strict=True))
        both = (play, opponent) if side == 1 else (opponent, play)
        win, _, loss = evaluation.win_draw_loss(game, *both)[0]
        assert isclose(v, side * (win - loss), abs_tol=1e-12)


@equation("eq-return")
def expected_return_of_all_futures():
    def expected(s, discount):
        total, cells = 0.0, np.flatnonzero(game.legal[s])
        for a in cells:
            for p, reward, s_next in transitions(s, a, opponent, +1):
                later = 0 if s_next is None else expected(s_next, discount * gamma)
                total += p * (discount * reward + later) / len(cells)
        return total

    gamma = 0.9
    problem, opponent, _ = next(problems())
    V = planning.policy_evaluation(problem, planning.uniform(problem), gamma).V
    for s in (game.find("XX.OO...."), game.find("O.X/.XO/OX.")):
        index = np.searchsorted(problem.position, s)
        assert isclose(V[index], expected(s, 1), abs_tol=1e-12)


@equation("eq-action-value")
def value_of_an_action():
    for problem, opponent, side in problems():
        V = np.random.default_rng(3).normal(size=len(problem.position))
        q = backed_up(problem, V, opponent, side, 0.9)
        assert np.allclose(planning.q_from_v(problem, V, 0.9), q, atol=1e-12)


@equation("eq-bellman")
def values_of_a_policy_solve_its_equation():
    for problem, opponent, side in problems():
        policy = planning.uniform(problem)
        V = planning.linear_solve(problem, policy, 0.9).V
        q = np.array(backed_up(problem, V, opponent, side, 0.9))
        v = np.bincount(mdp.state_of(problem), policy * q)
        assert np.allclose(V, v, atol=1e-12)


@equation("eq-bellman-optimality")
def best_values_solve_their_equation():
    for problem, opponent, side in problems():
        V = planning.value_iteration(problem, 0.9).V
        q = backed_up(problem, V, opponent, side, 0.9)
        best = np.full(len(V), -np.inf)
        np.maximum.at(best, mdp.state_of(problem), q)
        assert np.allclose(V, best, atol=1e-12)


@equation("eq-points")
def values_in_points_and_in_outcomes():
    play = uniform(game.legal)
    for side in (+1, -1):
        V = [
            planning.optimal_values(mdp.from_opponent(game, play, side, rewards), 1)
            for rewards in ((1, 0.5, 0), (1, 0, -1))
        ]
        assert np.allclose(V[0], (V[1] + 1) / 2, atol=1e-12)
