"""The equations of matchboxes."""

from math import isclose, log

import numpy as np
from pages import BOOK, code

from equations import equation
from equations.by_hand import game
from ttt_lib import menace
from ttt_lib.game import symmetry_class
from ttt_lib.policy import uniform


def page_functions(page, *names):
    """Return what the cells of a page define that define one of the names."""
    space = {"np": np, "RUNS": 4, "PLAYS": 3}
    for cell in code(BOOK / f"{page}.ipynb"):
        if any(f"def {name}(" in cell.source for name in names):
            exec(cell.source, space)
    return [space[name] for name in names]


@equation("eq-beads")
def a_bead_at_random_from_the_box():
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
def proportions_climb_the_slope_of_the_average():
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
        # With H = ln n the boxes are a softmax, and H(a) grows by m_a / N on average.
        growth = [
            sum(p * pi[a] * log((n[a] + gain) / n[a]) for gain, p in each.items())
            for a, each in enumerate(gains)
        ]
        assert np.allclose(np.multiply(N, growth), m, atol=30 / N)


@equation("eq-gradient-bandit")
def preferences_climb_the_slope_of_the_reward():
    # On average the step is α times the slope of the average reward, …
    H, q, alpha = np.array([0.3, -0.2, 0.5]), np.array([0.2, 0.9, -0.4]), 0.1
    softmax = lambda H: np.exp(H) / np.exp(H).sum()  # noqa: E731
    pi, taken = softmax(H), np.eye(3)
    step = sum(pi[A] * alpha * (q[A] - 0.7) * (taken[A] - pi) for A in range(3))
    for a in range(3):
        slope = (
            softmax(H + 1e-6 * taken[a]) @ q - softmax(H - 1e-6 * taken[a]) @ q
        ) / 2e-6
        assert isclose(step[a], alpha * slope, abs_tol=1e-8)
        assert isclose(step[a], alpha * pi[a] * (q[a] - pi @ q), abs_tol=1e-12)
    # … and the page takes this step.
    (gradient_bandit,) = page_functions("07_menace", "gradient_bandit")
    of_page = gradient_bandit.__globals__
    of_page |= {"kinds": np.arange(3), "rewards": lambda a, rng: a - 0.5}
    shares, rng = (
        gradient_bandit(0.1, 6, np.random.default_rng(3)),
        np.random.default_rng(3),
    )
    H, mean = np.zeros((4, 3)), np.zeros(4)
    for t in range(6):
        luck = rng.random((4, 1))
        for i in range(4):
            pi = softmax(H[i])
            assert isclose(shares[t, i], pi[2])
            A = int(np.argmax(luck[i] < pi.cumsum()))
            H[i] += 0.1 * (A - 0.5 - mean[i]) * ((np.arange(3) == A) - pi)
            mean[i] += (A - 0.5 - mean[i]) / (t + 1)
