"""Ratings of players from their exact results: averages, Elo, and the Nash average.

A *payoff* (P, P) has the mean result of the row's player against the column's, from −1
to +1, both sides of the match together. It is antisymmetric: what one wins the other
loses.
"""

from typing import NamedTuple

import numpy as np

from ttt_lib.validation import float_array, require, validated

ATOL = 1e-9  # results that differ by less are equal
ELO_POINTS = 400 / np.log(10)  # a unit of log odds; 400 points are odds of 10 to 1
MAX_STEPS = 100  # of Newton's method


class Parts(NamedTuple):
    """The transitive and the cyclic part of a payoff, which add up to it."""

    rating: np.ndarray  #: (P,) mean result against all players, oneself included
    transitive: np.ndarray  #: (P, P) differences of ratings
    cyclic: np.ndarray  #: (P, P) what no rating can express; rows sum to 0
    transitive_share: float  #: of the squared norm of the payoff
    cyclic_share: float  #: the rest of it


class Prediction(NamedTuple):
    """The score of one player against another, and what ratings predict."""

    player: int  #: row of the payoff
    opponent: int  #: column of the payoff
    predicted: float  #: expected score by the ratings, from 0 to 1
    true: float  #: exact score, with draws as ½


class NashAverage(NamedTuple):
    """The Nash equilibrium of largest entropy of the game in which one picks a player.

    The `rating` of everyone in the equilibrium is 0, and nobody's is above 0, up to
    `error`.
    """

    probability: np.ndarray  #: (P,) of each player
    rating: np.ndarray  #: (P,) mean result against players drawn from the equilibrium
    unique: bool  #: whether it is the only equilibrium
    error: float  #: the largest rating, which would be 0 without rounding


def _payoff(value, arguments):
    payoff = float_array(value, "payoff")
    square = payoff.ndim == 2 and payoff.shape[0] == payoff.shape[1] > 0
    good = square and np.abs(payoff + payoff.T).max() <= ATOL
    require(
        good and np.abs(payoff).max() <= 1 + ATOL,
        "payoff: give mean results (P, P) from -1 to 1, each the negative of that of "
        "the opponent, as ratings.mean_results returns",
    )
    return payoff


def _results(value, arguments):
    results = float_array(value, "results")
    good = results.ndim == 3 and results.shape[0] == results.shape[1] > 0
    good = good and results.shape[2] == 3
    require(good, "results: give a cross table (P, P, 3) of the same players")
    return results


def _rating(value, arguments):
    shape = arguments["payoff"].shape[:1] if "payoff" in arguments else None
    rating = float_array(value, "rating", shape)
    good = rating.ndim == 1 and rating.size > 0
    require(good, "rating: give one number for each player")
    return rating


@validated(results=_results)
def mean_results(results) -> np.ndarray:
    """Return the payoff (P, P) of a cross table (P, P, 3), both sides equally often.

    results: as `evaluation.cross_table` returns for the same players as first and as
    second.

    Examples
    --------
    >>> both = [search.perfect(game), at_random]
    >>> ratings.mean_results(evaluation.cross_table(game, both, both)).round(3)
    array([[ 0.   ,  0.873],
           [-0.873,  0.   ]])
    """
    value = results[..., 0] - results[..., 2]
    return (value - value.T) / 2


@validated(payoff=_payoff)
def decompose(payoff) -> Parts:
    """Return the Parts of a payoff: transitive and cyclic [Balduzzi et al. 2018].

    The rating r is the mean of each row, the transitive part r_i − r_j, and the cyclic
    part the rest. The parts are orthogonal, so their squared norms add up.
    Raises ValueError if all results are draws, as shares are then 0 of 0.

    Examples
    --------
    >>> parts = ratings.decompose([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    >>> parts.transitive_share, parts.cyclic_share
    (0.0, 1.0)
    >>> parts = ratings.decompose([[0, 1, 1], [-1, 0, 0], [-1, 0, 0]])
    >>> round(parts.transitive_share, 6), parts.rating.round(3)
    (1.0, array([ 0.667, -0.333, -0.333]))
    """
    require(
        np.abs(payoff).max() > ATOL, "payoff: all are draws, so no part has a share"
    )
    rating = payoff.mean(axis=1)
    transitive = rating[:, np.newaxis] - rating
    cyclic = payoff - transitive
    shares = ((part**2).sum() / (payoff**2).sum() for part in (transitive, cyclic))
    return Parts(rating, transitive, cyclic, *map(float, shares))


@validated(rating=_rating)
def expected_scores(rating) -> np.ndarray:
    """Return the scores (P, P), 1 / (1 + 10^((r_j − r_i) / 400)) [Elo 1978].

    rating (P,) is in Elo points.

    Examples
    --------
    >>> ratings.expected_scores([200, -200]).round(3)
    array([[0.5  , 0.909],
           [0.091, 0.5  ]])
    """
    gap = (rating[:, np.newaxis] - rating) / ELO_POINTS
    return np.exp(-np.logaddexp(0, -gap))


@validated(payoff=_payoff)
def elo(payoff) -> np.ndarray:
    """Return the Elo ratings (P,) of largest likelihood, with mean 0.

    They are those for which each player's expected scores add up to its true ones,
    (1 + payoff) / 2, to 1e-9, every pair counting alike [Bradley & Terry 1952].
    Newton's method finds them, with steps that are halved while the likelihood falls.
    Raises ValueError if some players score all points against all others: their
    ratings would be infinite, and only then are there none [Ford 1957].

    Examples
    --------
    >>> ratings.elo([[0, 9 / 11], [-9 / 11, 0]]).round(6)
    array([ 200., -200.])
    """
    _require_finite_elo(payoff)
    n, score = len(payoff), (1 + payoff) / 2

    def loss(r):  # minus the log likelihood
        return (score * np.logaddexp(0, r - r[:, np.newaxis])).sum()

    rating = np.zeros(n)
    for _ in range(MAX_STEPS):
        p = expected_scores(rating * ELO_POINTS)
        gradient = 2 * (p - score).sum(axis=1)
        if np.abs(gradient).max() <= ATOL:
            return (rating - rating.mean()) * ELO_POINTS
        weight = 2 * p * (1 - p)
        hessian = np.diag(weight.sum(axis=1)) - weight
        # Adding a constant to all ratings changes nothing: 1/n makes it invertible.
        step = np.linalg.solve(hessian + 1 / n, gradient)
        while loss(rating - step) > loss(rating) + 1e-12 * n**2:
            step /= 2
        rating = rating - step
    raise ValueError(
        f"Elo ratings have not converged after {MAX_STEPS} steps: some players nearly "
        "score all points against all others."
    )


def _require_finite_elo(payoff):
    from scipy.sparse.csgraph import connected_components  # imported late: slow to load

    scores = payoff > 2 * ATOL - 1  # a player scores something against another
    groups, group = connected_components(scores, connection="strong")
    for number in range(groups):
        above = group == number
        if groups > 1 and not scores[np.ix_(~above, above)].any():
            who = ", ".join(map(str, np.flatnonzero(above)))
            raise ValueError(
                f"payoff: nobody else scores against {who} (rows of the payoff), so "
                "Elo ratings would be infinite: rate the groups separately."
            )


@validated(payoff=_payoff, rating=_rating)
def worst_prediction(payoff, rating) -> Prediction:
    """Return the Prediction by Elo ratings (P,) that is furthest from the true score.

    Of the two players, the first is the one that scores more than is predicted.

    Examples
    --------
    >>> cycle = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    >>> ratings.worst_prediction(cycle, ratings.elo(cycle))
    Prediction(player=0, opponent=1, predicted=0.5, true=1.0)
    """
    predicted, true = expected_scores(rating), (1 + payoff) / 2
    error = np.round(true - predicted, 9)  # so that rounding breaks no tie
    i, j = np.unravel_index(error.argmax(), error.shape)
    return Prediction(int(i), int(j), float(predicted[i, j]), float(true[i, j]))


@validated(payoff=_payoff)
def nash_average(payoff) -> NashAverage:
    """Return the NashAverage of a payoff [Balduzzi et al. 2018].

    Two opponents pick a player each, and the payoff is the result. In an equilibrium p
    of this symmetric game, whose value is 0, Σ_i p_i payoff_ij ≥ 0 for all j. A linear
    programme (HiGHS, tolerance 1e-7) finds who is in some equilibrium. A single one
    solves linear equations. Of several, the one of largest entropy is, among these
    players, p_i ∝ exp Σ_j λ_j payoff_ij, and λ minimises ln Σ_i exp Σ_j λ_j payoff_ij,
    with λ_j ≥ 0 for every j who is in no equilibrium (L-BFGS-B).
    Raises ValueError if the `error` is above 1e-6.

    Examples
    --------
    >>> cycle = [[0, 1, -1, 1], [-1, 0, 1, 1], [1, -1, 0, 1], [-1, -1, -1, 0]]
    >>> average = ratings.nash_average(cycle)
    >>> average.probability.round(6), average.unique
    (array([0.333333, 0.333333, 0.333333, 0.      ]), True)
    """
    inside = _in_some_equilibrium(payoff)
    chosen = payoff[inside]
    # All equilibria make those inside equally good: M p = (0, …, 0, 1).
    equations = np.vstack([chosen[:, inside].T, np.ones(inside.sum())])
    unique = np.linalg.matrix_rank(equations, tol=1e-7) == inside.sum()
    if unique:
        total = np.zeros(len(equations))
        total[-1] = 1
        some = np.linalg.lstsq(equations, total)[0]
    else:
        some = _largest_entropy(chosen, inside)
    probability = np.zeros(len(payoff))
    probability[inside] = some
    rating = payoff @ probability
    error = float(rating.max())
    require(
        error <= 1e-6 and probability.min() >= 0,
        f"The Nash average has not converged: somebody still wins by {error:.2g}",
    )
    return NashAverage(probability, rating, bool(unique), error)


def _in_some_equilibrium(payoff):
    """Return a mask (P,) of the players with positive probability in an equilibrium.

    Equilibria and their multiples q form a cone, so t_i = 1 is possible for exactly
    these in max Σ t with t ≤ q, t ≤ 1 and Σ_i q_i payoff_ij ≥ 0.
    """
    from scipy.optimize import linprog  # imported late: slow to load

    n = len(payoff)
    nothing, one = np.zeros((n, n)), np.eye(n)
    optimum = linprog(
        np.repeat([0.0, -1.0], n),  # of q, then of t
        A_ub=np.block([[-payoff.T, nothing], [-one, one]]),
        b_ub=np.zeros(2 * n),
        bounds=[(0, None)] * n + [(0, 1)] * n,
        method="highs-ds",
    )
    require(optimum.success, f"payoff: HiGHS fails: {optimum.message}")
    return optimum.x[n:] > 0.5


def _largest_entropy(chosen, inside):
    """Return the probabilities (K,) of the players inside; chosen is (K, P)."""
    from scipy.optimize import minimize  # imported late: slow to load
    from scipy.special import logsumexp, softmax

    def loss(multipliers):
        exponent = chosen @ multipliers
        return logsumexp(exponent), softmax(exponent) @ chosen

    optimum = minimize(
        loss,
        np.zeros(chosen.shape[1]),
        jac=True,
        method="L-BFGS-B",
        bounds=[(None if equal else 0, None) for equal in inside],
        options={"ftol": 0, "gtol": 1e-12, "maxiter": 10_000, "maxfun": 100_000},
    )
    return softmax(chosen @ optimum.x)
