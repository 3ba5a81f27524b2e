"""The equations of matchboxes."""

import random
from math import isclose

import numpy as np
from pages import page_functions

from equations import equation
from equations.by_hand import game
from ttt_lib import menace
from ttt_lib.game import symmetry_class
from ttt_lib.policy import uniform


@equation("eq-beads")
def probability_of_drawing_a_bead():
    boxes = menace.new_matchboxes(game, np.random.default_rng(2))
    boxes = menace.train(game, boxes, 500, uniform(game.legal))
    policy = menace.bead_policy(game, boxes)
    box = symmetry_class(game)
    for s in np.flatnonzero((box == np.arange(len(box))) & (game.count > 1)):
        n = boxes.beads[s]
        for a in np.flatnonzero(game.legal[s]):
            colour = boxes.kind[s, a]
            cells = [b for b in range(9) if boxes.kind[s, b] == colour]
            if n.sum() > 0:
                total = sum(policy[s, b] for b in cells)
                assert isclose(total, n[colour] / sum(n), abs_tol=1e-12)
                assert isclose(policy[s, a], total / len(cells), abs_tol=1e-12)


@equation("eq-bead-drift")
def expected_change_of_bead_proportions():
    gains = {3: 0.5, 1: 0.2, -1: 0.3}, {3: 0.1, 1: 0.3, -1: 0.6}, {3: 0, 1: 1, -1: 0}
    m = [sum(gain * p for gain, p in each.items()) for each in gains]
    for scale in (100, 1000, 10_000):
        n = np.array([2, 3, 5]) * scale
        N, pi = n.sum(), n / n.sum()
        change = np.zeros(3)  # the exact expected value
        for a, each in enumerate(gains):
            for gain, p in each.items():
                after = n + gain * (np.arange(3) == a)
                change += pi[a] * p * (after / after.sum() - pi)
        by_page = 1 / N * pi * (m - pi @ m)
        assert np.allclose(N * change, N * by_page, atol=10 / N)
        assert np.abs(N * by_page).max() > 0.05


@equation("eq-bead-growth")
def growth_of_bead_ratios():
    (by_law,) = page_functions("08_menace", "by_law")
    chances = np.array([[0.5, 0.2, 0.3], [0.1, 0.3, 0.6], [0.6, 0.2, 0.2]])
    by_law.__globals__.update({"chances": chances, "GAMES": 3000})
    for reinforcement in ((3, 1, -1), (6, 2, -2), (4, 2, 0)):
        m, n = chances @ reinforcement, by_law(reinforcement)
        average = n @ m / n.sum(axis=1)
        assert (np.diff(average) > 0).all(), "the average never decreases"
        late, end = n[1000], n[1010]
        ratio = np.log(end[0] / end[2]) - np.log(late[0] / late[2])
        growth = np.log(end.sum() / late.sum())
        assert isclose(ratio / growth, (m[0] - m[2]) / average[1000], rel_tol=0.01)


@equation("eq-gradient-bandit")
def gradient_bandit_step():
    softmax = lambda H: np.exp(H) / np.exp(H).sum()  # noqa: E731
    (gradient_bandit,) = page_functions("08_menace", "gradient_bandit")
    results = {"chances": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "GAMES": 6}
    gradient_bandit.__globals__.update(results)
    probabilities, rng = gradient_bandit(0.1, random.Random(3)), random.Random(3)
    H, mean = [0.0, 0.0, 0.0], 0.0
    for t in range(6):
        pi = softmax(np.array(H))
        assert isclose(probabilities[t], pi[2])
        A = rng.choices(range(3), pi)[0]
        rng.random()  # the result is certain: 1, 0 or −1
        for a in range(3):
            H[a] += 0.1 * (1 - A - mean) * ((a == A) - pi[a])
        mean += (1 - A - mean) / (t + 1)
