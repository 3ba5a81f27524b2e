"""The equations of features and of the policy gradient."""

import numpy as np

from equations import equation
from ttt_lib import evaluation, policy, rules, search
from ttt_lib.approximation import features, reinforce
from ttt_lib.game import tables

game = tables()
X = features.features(game.board)
AFTER = np.flatnonzero(~game.terminal)[1:]
at_random = policy.uniform(game.legal)
THETA = np.random.default_rng(1).normal(size=9)


@equation("eq-weighted")
def value_of_a_move_from_weights():
    w = np.random.default_rng(2).normal(size=9)
    Q = features.action_values(game.board, w)
    for s in AFTER[::100]:
        for a in np.flatnonzero(game.legal[s]):
            if not game.terminal[game.next[s, a]]:
                total = sum(w[i] * X[game.next[s, a], i] for i in range(9))
                assert abs(Q[s, a] - total) < 1e-12


@equation("eq-value-error")
def the_smallest_value_error():
    v = (-game.to_move * search.solve(game).V)[AFTER]
    weight = np.random.default_rng(3).random(len(AFTER))
    mu = weight / weight.sum()
    w, error = features.least_squares(X[AFTER], v, weight)
    assert abs(sum(mu * (v - X[AFTER] @ w) ** 2) - error**2) < 1e-12


@equation("eq-semi-gradient")
def one_step_of_semi_gradient_td():
    w, alpha, gamma = np.random.default_rng(4).normal(size=9) / 10, 0.05, 0.9
    right = w.copy()
    rng, again = np.random.default_rng(5), np.random.default_rng(5)
    trained = features.self_play(w, 1, alpha, 1.0, rng, gamma=gamma)
    board, moves = np.zeros(9, dtype=np.int64), []
    while not rules.finished(board):
        mover = int(rules.side_to_move(board))
        x = np.zeros(9)
        settings = 1.0, rules.LINES, x, again
        a = features._choose(board, mover, len(moves), right, *settings)
        moves.append(a)
        before = board.copy()
        board[a] = mover
        if len(moves) > 1:
            x = features.features(before[np.newaxis])[0]
            target = -float(abs(rules.winner(board)))
            if not rules.finished(board):
                target = -gamma * (right @ features.features(board[np.newaxis])[0])
            right = right + alpha * (target - right @ x) * x
    assert np.allclose(trained, right, atol=1e-14)


@equation("eq-softmax-policy")
def the_softmax_policy():
    pi = reinforce.policy(game, X, THETA)
    for s in AFTER[::100]:
        cells = np.flatnonzero(game.legal[s])
        weights = [np.exp(THETA @ X[game.next[s, a]]) for a in cells]
        assert np.allclose(pi[s, cells], np.array(weights) / sum(weights))


@equation("eq-policy-gradient")
def the_policy_gradient_theorem():
    pi = reinforce.policy(game, X, THETA)
    p = evaluation.reach(game, pi, at_random)
    ends = evaluation.win_draw_loss(game, pi, at_random)
    v = ends[:, 0] - ends[:, 2]
    total = np.zeros(9)
    for s in np.flatnonzero(~game.terminal & (game.to_move == 1)):
        cells = np.flatnonzero(game.legal[s])
        after = X[game.next[s, cells]]
        mean = pi[s, cells] @ after
        for a, x in zip(cells, after, strict=True):
            total += p[s] * v[game.next[s, a]] * pi[s, a] * (x - mean)
    gradient = reinforce.exact_gradient(game, X, THETA, at_random)
    assert np.allclose(gradient, total, atol=1e-13)


@equation("eq-reinforce")
def one_game_of_reinforce():
    alpha, b = 0.1, 0.3
    w = np.zeros(9)
    w[0] = b  # the baseline is 0.3 everywhere
    start, settings = reinforce.Weights(THETA, w), (1, alpha, 0.0)
    again = np.random.default_rng(6)
    trained = reinforce.reinforce(game, X, start, 1, at_random, *settings, again)
    rng, pi = np.random.default_rng(6), reinforce.policy(game, X, THETA)
    s, line = 0, []
    while not game.terminal[s]:
        mover = pi if game.to_move[s] == 1 else at_random
        i = policy.sample_action(mover, s, game.count, game.action, rng)
        line.append((s, game.successor[s, i]))
        s = game.successor[s, i]
    theta = THETA
    for state, after in line:
        if game.to_move[state] == 1:
            pi = reinforce.policy(game, X, theta)[state]
            cells = np.flatnonzero(game.legal[state])
            mean = pi[cells] @ X[game.next[state, cells]]
            theta = theta + alpha * (game.outcome[s] - b) * (X[after] - mean)
    assert np.allclose(trained.theta, theta, atol=1e-13)
