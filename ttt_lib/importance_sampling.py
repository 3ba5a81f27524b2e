"""Importance sampling: the value of a target policy from games of a behaviour policy.

Both are policies of one side, against the same fixed opponent. The return of a game is
its outcome for that side, +1, 0 or −1, undiscounted, and its *ratio* ρ is the product
of π(a|s) / b(a|s) over the side's own moves; the opponent's cancel [S&B eq. 5.3].

The outcome is the only reward and comes after the last move. So per-decision importance
sampling [S&B sec. 5.9] weights it by the same ρ as ordinary importance sampling. With
control variates [S&B eq. 7.13] the two differ; without them they are equal.
"""

from typing import NamedTuple

import numpy as np

from ttt_lib.compiled import compiled, in_chunks
from ttt_lib.evaluation import reach, win_draw_loss
from ttt_lib.policy import combine_sides, sample_action
from ttt_lib.validation import as_int, float_array, require, validated


class Sample(NamedTuple):
    """Sampled games of the behaviour policy, one entry a game."""

    ratio: np.ndarray  #: (games,) ρ, the importance sampling ratio
    outcome: np.ndarray  #: (games,) +1, 0 or −1, for the side
    per_decision: np.ndarray  #: (games,) the return with control variates


class Variances(NamedTuple):
    """Exact mean of estimates, and their variances times the number of games n."""

    value: float  #: value of the target policy, the mean of ρ × outcome
    on_policy: float  #: n × variance of the mean outcome in games of the target itself
    ordinary: float  #: n × variance of ordinary importance sampling
    per_decision: float  #: n × variance of the per-decision method
    weighted: float  #: limit, for large n, of n × variance of the weighted method
    bias: float  #: limit, for large n, of n × bias of the weighted method


def _values(value, arguments):
    return float_array(value, "V", arguments["game"].terminal.shape)


def _outcomes(value, arguments):
    return float_array(value, "outcome", arguments["ratio"].shape)


def _ratios(value, arguments):
    ratio = float_array(value, "ratio")
    good = ratio.ndim > 0 and ratio.size > 0 and ratio.min() >= 0
    require(good, "ratio: give numbers from 0 up, of one game at least")
    return ratio


@validated(
    games=lambda value, arguments: as_int(value, "games", 1),
    V=_values,
)
def sample_returns(
    game, target, behaviour, opponent, games, rng, side=+1, V=None
) -> Sample:
    """Return a Sample of games of `behaviour` against `opponent`, from the empty board.

    `target`, `behaviour` and `opponent` are policies (S, A). V (S,), by default 0, are
    the control variates: guesses of the value of each position for the side, used where
    it decides. The per-decision return is G(t) = ρ(t) G(t + 1) + (1 − ρ(t)) V(S(t))
    over its decisions t, from the outcome backwards [S&B eq. 7.13, γ = 1].
    Raises ValueError if the behaviour policy never makes a move that the target may
    reach and make. Ctrl-C raises KeyboardInterrupt, whose `so_far` is an array of the
    games so far: ratio, outcome and per-decision return, (games, 3).

    Examples
    --------
    >>> perfect = search.perfect(game)
    >>> games = importance_sampling.sample_returns(
    ...     game, perfect, at_random, at_random, 1000, rng)
    >>> int((games.ratio > 0).sum())
    180
    """
    _require_coverage(game, target, behaviour, opponent, side)
    first, second = _players(behaviour, opponent, side)
    policy = combine_sides(first, second, game.to_move)
    ratio = np.where(game.to_move[:, np.newaxis] == side, _ratio(target, behaviour), 1)
    V, all_games = _or_zero(game, V), np.empty((games, 3))

    def play(so_far, more):
        end = len(so_far) + more
        _play_games(game, policy, ratio, side, V, rng, all_games[len(so_far) : end])
        return all_games[:end]

    return Sample(*in_chunks(play, all_games[:0], games).T)


@compiled
def _play_games(game, policy, ratio, side, V, rng, games):
    for g in range(len(games)):
        s, rho, controls = 0, 1.0, 0.0
        while game.count[s] > 0:
            i = sample_action(policy, s, game.count, game.action, rng)
            step = ratio[s, game.action[s, i]]
            if game.to_move[s] == side:
                controls += rho * (1 - step) * V[s]
            rho *= step
            s = game.successor[s, i]
        outcome = side * game.outcome[s]
        games[g, 0], games[g, 1], games[g, 2] = rho, outcome, controls + rho * outcome


@validated(ratio=_ratios, outcome=_outcomes)
def ordinary(ratio, outcome) -> np.ndarray:
    """Return Σ ρ G / n, ordinary importance sampling [S&B eq. 5.5].

    ratio, outcome: (..., n), of n games along the last axis. The estimate (...) is
    unbiased.

    Examples
    --------
    >>> float(importance_sampling.ordinary([0, 4, 2, 0], [1, 1, -1, 0]))
    0.5
    """
    return (ratio * outcome).mean(axis=-1)


@validated(ratio=_ratios, outcome=_outcomes)
def weighted(ratio, outcome) -> np.ndarray:
    """Return Σ ρ G / Σ ρ, weighted importance sampling [S&B eq. 5.6].

    ratio, outcome: (..., n), of n games along the last axis. The estimate (...) is 0 if
    all ratios are 0. It is biased, by an amount of order 1 / n.

    Examples
    --------
    >>> round(float(importance_sampling.weighted([0, 4, 2, 0], [1, 1, -1, 0])), 3)
    0.333
    """
    total = ratio.sum(axis=-1)
    return (ratio * outcome).sum(axis=-1) / np.where(total == 0, 1, total)


@validated(V=_values)
def variances(game, target, behaviour, opponent, side=+1, V=None) -> Variances:
    """Return the exact Variances of all estimates from games of `behaviour`.

    Arguments are those of `sample_returns`. Second moments satisfy an equation like
    that of values [S&B eq. 4.4], in which π(a|s)² / b(a|s) is in the place of π(a|s),
    so a backward sweep solves it. For the weighted method no finite form is known: its
    variance and bias are those of the delta method, E[ρ²(G − v)²] / n and
    −E[ρ²(G − v)] / n, with errors of smaller order than 1 / n; where this bias is not
    small, n is too small for either.

    Examples
    --------
    >>> perfect = search.perfect(game)
    >>> exact = importance_sampling.variances(game, perfect, at_random, at_random)
    >>> round(exact.value, 3), round(exact.ordinary, 3)
    (0.968, 10.544)

    1,000 games of random play are worth as many games of perfect play:

    >>> round(1000 * exact.on_policy / exact.ordinary, 1)
    3.0
    """
    _require_coverage(game, target, behaviour, opponent, side)
    ratio, own = _ratio(target, behaviour), game.to_move[:, np.newaxis] == side
    weight = np.where(own, ratio * target, opponent) * game.legal
    ends = win_draw_loss(game, *_players(target, opponent, side))
    mean = side * (ends[:, 0] - ends[:, 2])
    value, on_policy = float(mean[0]), ends[0, 0] + ends[0, 2] - mean[0] ** 2

    squares = np.zeros((len(game.code), 4))  # E ρ² in games won, drawn, lost; E G²
    over = np.flatnonzero(game.terminal)
    squares[over, 1 - side * game.outcome[over]] = 1
    squares[over, 3] = game.outcome[over] ** 2
    # With X the return after the move, (ρ X + (1 − ρ) V)² has two terms besides ρ² X².
    V = _or_zero(game, V)[:, np.newaxis]
    cross = 2 * (1 - ratio) * target * V * mean[game.next]
    squares[:, 3] += (
        (cross + behaviour * (1 - ratio) ** 2 * V**2) * (own & game.legal)
    ).sum(axis=1)
    _sweep_back(game, weight, squares)

    error = np.array([1, 0, -1]) - value
    return Variances(
        value,
        float(on_policy),
        ordinary=float(squares[0, 0] + squares[0, 2] - value**2),
        per_decision=float(squares[0, 3] - value**2),
        weighted=float(squares[0, :3] @ error**2),
        bias=-float(squares[0, :3] @ error),
    )


@compiled
def _sweep_back(game, weight, squares):
    """Add to each row (S, k) those of its successors, times the weights (S, A)."""
    for s in range(len(squares) - 1, -1, -1):
        for i in range(game.count[s]):
            for column in range(squares.shape[1]):
                squares[s, column] += (
                    weight[s, game.action[s, i]] * squares[game.successor[s, i], column]
                )


def _require_coverage(game, target, behaviour, opponent, side):
    """Raise ValueError if `target` can reach and make a move of probability 0."""
    reached = reach(game, *_players(target, opponent, side)) > 0
    missing = (target > 0) & (behaviour == 0) & game.legal
    missing &= (reached & (game.to_move == side))[:, np.newaxis]
    if missing.any():
        s, a = np.argwhere(missing)[0].tolist()
        raise ValueError(
            f"behaviour never plays cell {a} in position {s} ({game.string(s)}), which "
            "target may play: importance sampling needs a behaviour that may play it."
        )


def _ratio(target, behaviour):
    """Return π(a|s) / b(a|s), 0 where b is 0."""
    return np.divide(target, behaviour, np.zeros_like(target), where=behaviour > 0)


def _players(policy, opponent, side):
    """Return the policies of the first and the second player."""
    return (policy, opponent) if side == 1 else (opponent, policy)


def _or_zero(game, V):
    return np.zeros(len(game.code)) if V is None else V
