"""Linear values: features by hand, symmetries, self-play, least squares and TD."""

import numpy as np
import pytest
from common import game, rng, same, wide

from ttt_lib import evaluation, policy, rules, search
from ttt_lib.approximation import features
from ttt_lib.game import images, tables
from ttt_lib.studies import parts

S, SMALL = len(wide.code), tables(2, 3, 2)
LINES4 = rules.lines(4, 4, 4)
X = features.features(game.board)
at_random = policy.uniform(game.legal)
AFTER = ~game.terminal & (np.arange(len(game.code)) > 0)  # boards with an owner


def of(board, lines=rules.LINES):
    """Return the features of a board given as text, name → value."""
    signs = {"X": 1, "O": -1, ".": 0}
    cells = np.array([[signs[sign] for sign in board.replace("/", "")]])
    values = features.features(cells, lines)[0]
    return dict(zip(features.names(lines.shape[1]), values, strict=True))


def test_features_match_hand_calculation():
    assert of(".../.X./...") == {
        "1": 1, "own 1": 4, "own 2": 0, "own 3": 0, "other 1": 0, "other 2": 0,
        "fork": 0, "threat": 0, "cells": 0.5,
    }  # fmt: skip
    # O has moved: it owns one line, X's diagonal is blocked, X has three more.
    assert of("O../.X./...") | {"cells": 0} == {
        "1": 1, "own 1": 2, "own 2": 0, "own 3": 0, "other 1": 3, "other 2": 0,
        "fork": 0, "threat": 0, "cells": 0,
    }  # fmt: skip
    assert of("O../.X./...")["cells"] == pytest.approx((3 - 4) / 8)
    corners = of("X.O/.O./X.X")  # X threatens in cells 3 and 7, O nothing
    assert (corners["own 2"], corners["fork"], corners["threat"]) == (2, 1, 0)
    assert of("XX./OO./...")["threat"] == of("XX./OO./X..")["threat"] == 1
    assert of("XXX/OO./...")["own 3"] == 1
    twice = of("X../X../.OO")  # one line of two, and one of the other's
    assert (twice["own 2"], twice["other 2"], twice["threat"]) == (1, 1, 1)
    assert twice["fork"] == 0
    four = of("XXX./OO../OX../....", LINES4)
    assert (four["own 3"], four["fork"], len(four)) == (1, 0, 11)
    one_cell = of(".XX/XOO/XO.")  # two lines that one cell closes are no fork
    assert (one_cell["own 2"], one_cell["fork"]) == (2, 0)


def test_symmetric_boards_have_the_same_features():
    for image in images(game):
        assert same(X[image], X)


@pytest.mark.parametrize("g", [SMALL, parts.folded(SMALL)])
def test_table_self_play_is_semi_gradient_td_with_one_hot_features(g):
    alpha, epsilon, gamma, generator = 0.3, 0.2, 0.9, rng(7)
    x = np.eye(len(g.code))
    w = 0 * x[0]
    for _ in range(100):
        path = [0]
        while not g.terminal[path[-1]]:
            after = g.next[path[-1], g.legal[path[-1]]]
            q = np.where(g.terminal, abs(g.outcome), x @ w)[after]
            q = 0 * q if generator.random() < epsilon else q
            best, ties = -np.inf, []  # a new best move is drawn among one
            for s, value in zip(after, q, strict=True):
                ties = [] if value > best else ties
                best = max(best, value)
                if value == best:
                    ties.append(s)
                    if int(generator.random() * len(ties)) == 0:
                        chosen = s
            path.append(chosen)
            if len(path) > 2:
                before, s = path[-2:]
                target = -abs(g.outcome[s]) if g.terminal[s] else -gamma * w @ x[s]
                w += alpha * (target - w @ x[before]) * x[before]
    settings = 100, alpha, epsilon, rng(7), gamma
    V = features.table_self_play(g, 0 * w, *settings)
    assert pytest.approx(w, abs=1e-12) == V
    assert (V < 0).any()
    assert (V > 0).any()


def test_least_squares_is_a_projection():
    owner = -game.to_move[AFTER]
    value = owner * search.solve(game).V[AFTER]
    weight = rng(2).random(AFTER.sum())
    w, error = features.least_squares(X[AFTER], value, weight)
    rest = X[AFTER] @ w - value
    assert np.abs(X[AFTER].T @ (weight * rest)).max() < 1e-9
    assert error == pytest.approx(np.sqrt(np.average(rest**2, weights=weight)))
    for other in np.eye(9) * 0.01:
        moved = X[AFTER] @ (w + other) - value
        assert np.average(moved**2, weights=weight) >= error**2 - 1e-15


def test_td_fixed_point_with_one_hot_features_is_exact():
    """With one feature per board, TD(0) converges to the exact values."""
    g, random = wide, policy.uniform(wide.legal)
    met = evaluation.reach(g, random, random)
    A, b = features.td_system(g, np.eye(len(g.code)), random, met)
    boards = np.flatnonzero(~g.terminal)[1:]
    ends = evaluation.win_draw_loss(g, random, random)
    exact = (-g.to_move * (ends[:, 0] - ends[:, 2]))[boards]
    fixed = np.linalg.solve(A[np.ix_(boards, boards)], b[boards])
    assert fixed == pytest.approx(exact, abs=1e-12)
    others = np.setdiff1d(np.arange(len(g.code)), boards)  # boards without an owner
    assert not A[others].any()
    assert not b[others].any()
