"""The equations of the game and its numbers."""

from fractions import Fraction
from math import comb, isclose, sqrt

import numpy as np

from equations import equation
from equations.by_hand import afterstates, game
from ttt_lib import evaluation, rules, sampling
from ttt_lib.game import images, most_positions, symmetry_class
from ttt_lib.policy import combine_sides, uniform


def backwards(at_end, otherwise):
    """Return [f(s)]: at_end(s) at the end, else otherwise(s, f of its afterstates)."""
    f = [0] * len(game.code)
    for s in reversed(range(len(f))):
        below = [f[after] for after in afterstates(s)]
        f[s] = otherwise(s, below) if below else at_end(s)
    return f


@equation("eq-code")
def code_is_a_sum_of_digits():
    for s in range(len(game.code)):
        digits = [{0: 0, 1: 1, -1: 2}[mark] for mark in game.board[s].tolist()]
        assert game.code[s] == sum(d * 3**i for i, d in enumerate(digits))


@equation("eq-turns")
def boards_with_turns_taken():
    total = sum(comb(9, n) * comb(n, n // 2) for n in range(10))
    every = np.array([0, 1, -1])[np.arange(3**9)[:, None] // 3 ** np.arange(9) % 3]
    turns = np.isin(every.sum(axis=1), (0, 1)).sum()
    assert total == most_positions(9) == turns == 6046


@equation("eq-games")
def games_from_each_position():
    assert backwards(lambda s: 1, lambda s, below: sum(below))[0] == 255_168


@equation("eq-nodes")
def nodes_of_the_tree():
    assert backwards(lambda s: 1, lambda s, below: 1 + sum(below))[0] == 549_946


@equation("eq-random")
def probability_of_winning():
    # The page's sum, with the policy written out: π(a|s) = 1 / (number of legal a).
    p = backwards(
        lambda s: Fraction(int(game.outcome[s] == 1)),
        lambda s, below: sum(Fraction(1, len(below)) * each for each in below),
    )
    play = uniform(game.legal)
    library = evaluation.win_draw_loss(
        game, play, combine_sides(play, play, game.to_move)
    )[:, 0]
    assert all(isclose(x, y, abs_tol=1e-12) for x, y in zip(p, library, strict=True))


@equation("eq-wilson")
def ends_of_the_interval():
    z = 1.959964
    for n, wins in ((10, 0), (10, 7), (1000, 585)):
        p = wins / n
        root = z * sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        ends = (p + z**2 / (2 * n) + np.array([-1, 1]) * root) / (1 + z**2 / n)
        assert np.allclose(sampling.wilson_interval(wins, n), ends, atol=1e-12)


@equation("eq-perfect")
def value_of_perfect_play():
    v = backwards(
        lambda s: int(rules.winner(game.board[s])),
        lambda s, below: max(below) if game.to_move[s] == 1 else min(below),
    )
    assert v[0] == 0


@equation("eq-burnside")
def classes_by_unchanged_positions():
    unchanged = (images(game) == np.arange(len(game.code))).sum()
    assert unchanged / 8 == len(set(symmetry_class(game).tolist())) == 765
