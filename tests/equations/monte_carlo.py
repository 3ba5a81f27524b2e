"""The equations of bandits and step sizes."""

from itertools import pairwise
from math import isclose, log

import numpy as np
from pages import page_functions

from equations import equation
from ttt_lib import learning, schedules


@equation("eq-running-mean")
def running_mean():
    results = np.random.default_rng(0).normal(size=50)
    Q, by_page = np.zeros(1), 0.0
    for n, r in enumerate(results, start=1):
        by_page = by_page + 1 / n * (r - by_page)
        learning.update(Q, 0, r, 1 / n)
        assert isclose(Q[0], by_page)
        assert isclose(Q[0], results[:n].mean())


@equation("eq-ucb")
def upper_confidence_bound_action():
    ucb, _ = page_functions("07_bandits", "ucb", "best_each")
    rng = np.random.default_rng(1)
    for t, c in ((10, 0.5), (100, 2), (5000, 1)):
        Q, N = rng.normal(size=(4, 9)), rng.integers(1, t, size=(4, 9))
        best = np.argmax(Q + c * np.sqrt(log(t) / N), axis=1).tolist()
        assert ucb(c)(Q, N, t, *rng.random((2, 4))).tolist() == best
        N[:, 3] = 0
        assert ucb(c)(Q, N, t, *rng.random((2, 4))).tolist() == [3] * 4


@equation("eq-robbins-monro")
def robbins_monro_conditions():
    def doublings(schedule, power):
        """Return Σ α_n^power over n from 2^i to 2^(i+1), for i = 0, …, 13."""
        alpha = [schedules.scheduled(schedule, 0, n) ** power for n in range(1, 2**14)]
        return [sum(alpha[2**i - 1 : 2 ** (i + 1) - 1]) for i in range(14)]

    for k in (0.6, 0.7, 0.8, 1):
        assert min(doublings(schedules.power(1, k), 1)) > 0.5, "the sum must diverge"
        squares = doublings(schedules.power(1, k), 2)
        assert all(b < 0.95 * a for a, b in pairwise(squares)), (
            "the sum of squares must converge"
        )
    squares = doublings(schedules.constant(0.1), 2)
    assert all(b > a for a, b in pairwise(squares))
    squares = doublings(schedules.power(1, 0.5), 2)
    assert min(squares) > 0.5, "with exponent 1/2 it must diverge"
    assert sum(doublings(schedules.power(0.5, 2), 1)) < 0.83, "π²/12"
