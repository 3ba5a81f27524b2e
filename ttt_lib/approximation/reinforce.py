"""Policy gradient: a softmax policy over features, which climbs its own value.

The preference for a move is h(s, a, θ) = θ · x(s, a), with the features x of the board
after it, seen by the mover (`features`), and π(a | s, θ) ∝ exp h [S&B eq. 13.2]. The
gradient of ln π is then the *score*, x(s, a) − Σ_b π(b | s) x(s, b) [S&B eq. 13.9].

One side learns, against an opponent who does not change. The return is its outcome of
the game, +1, 0 or −1, undiscounted.
"""

from typing import NamedTuple

import numpy as np

from ttt_lib import evaluation
from ttt_lib.compiled import allocating, in_chunks, jitable
from ttt_lib.game import positions
from ttt_lib.policy import sample_action, softmax
from ttt_lib.validation import float_array, probability, require, short_repr, validated


class Weights(NamedTuple):
    """The weights of REINFORCE, with F features."""

    theta: np.ndarray  #: (F,) of the policy
    w: np.ndarray  #: (F,) of the baseline w · x(s), 0 where there is none


def _theta(value, arguments):
    return float_array(value, "theta", _features(arguments["x"], arguments).shape[1:])


def _features(value, arguments):
    x = float_array(value, "x")
    states = len(arguments["game"].code)
    require(x.ndim == 2 and len(x) == states, f"x: give features (S, F), S = {states}")
    return x


def _checked_weights(value, arguments):
    require(isinstance(value, Weights), f"weights = {short_repr(value)}: give Weights")
    shape = arguments["x"].shape[1:]
    return Weights(*(float_array(part, "weights", shape) for part in value))


def _baseline(value, arguments):
    numbers, states = float_array(value, "baseline"), arguments["game"].code.shape
    require(
        numbers.shape in ((), states), f"baseline: give a number, or shape {states}"
    )
    return numbers


@validated(x=_features, theta=_theta)
def policy(game, x, theta):
    """Return the softmax policy (S, A) of weights θ; x (S, F), theta (F,).

    Examples
    --------
    >>> x = features.features(game.board)
    >>> s = game.find("XX.OO....")
    >>> reinforce.policy(game, x, 2 * np.eye(9)[3])[s].round(2)
    array([0.  , 0.  , 0.65, 0.  , 0.  , 0.09, 0.09, 0.09, 0.09])
    """
    return softmax(np.where(game.legal, x[game.next] @ theta, 0.0), game.legal)


@validated(x=_features)
def score(game, x, policy):
    """Return ∇ ln π(a | s, θ) of a softmax policy: (S, A, F), 0 where a is illegal."""
    after = x[game.next] * game.legal[..., np.newaxis]
    mean = np.einsum("sa,saf->sf", policy, after)
    return (after - mean[:, np.newaxis]) * game.legal[..., np.newaxis]


@validated(x=_features, theta=_theta)
def exact_gradient(game, x, theta, opponent, side=+1):
    """Return ∇J (F,), J being the value of θ's policy against the opponent.

    It is the policy gradient theorem [S&B eq. 13.5] over all positions: how often each
    is met, times Σ_a q(s, a) ∇π(a | s).
    """
    pi = policy(game, x, theta)
    first, second = (pi, opponent) if side == 1 else (opponent, pi)
    met = evaluation.reach(game, first, second) * (game.to_move == side)
    ends = evaluation.win_draw_loss(game, first, second)
    V = side * (ends[:, 0] - ends[:, 2])
    q = np.where(game.legal, V[game.next], 0)
    return np.einsum("s,sa,saf->f", met, pi * q, score(game, x, pi))


@validated(theta=_theta, x=_features, baseline=_baseline)
def sampled_gradient(game, x, theta, actions, side=+1, baseline=0.0):
    """Return the estimate of ∇J (F,) from one game: Σ_t (G − b(S_t)) ∇ ln π(A_t | S_t).

    actions: all moves of a game in which the side followed θ's policy. baseline (S,):
    what is subtracted from the outcome in each position [S&B eq. 13.11], or a number
    for all positions. With any baseline, the mean over games is ∇J.
    """
    path = positions(game, actions)
    outcome = side * int(game.outcome[path[-1]])
    b = np.broadcast_to(baseline, len(game.code))
    slope = score(game, x, policy(game, x, theta))
    decisions = [t for t in range(len(actions)) if game.to_move[path[t]] == side]
    weight = outcome - b[path]
    return sum(weight[t] * slope[path[t], actions[t]] for t in decisions)


@validated(
    x=_features,
    alpha=probability("alpha", above=True),
    alpha_w=probability("alpha_w"),
    weights=_checked_weights,
)
def reinforce(game, x, weights, games, opponent, side, alpha, alpha_w, rng):
    """Return the Weights after more games against an opponent [S&B p. 328 and p. 330].

    x (S, F) are the features of each position, and `opponent` is a policy (S, A).
    After each game, θ + α δ ∇ ln π(A_t | S_t) for each of its own moves in turn, where
    δ = G − w · x(S_t), and w + α_w δ x(S_t). With α_w = 0, and w = 0, there is no
    baseline. Because each step uses the θ and w that the step before has changed, the
    mean step is only approximately α ∇J, for small α and α_w. n games and then m are
    bit-identical to n + m games. Ctrl-C raises KeyboardInterrupt, whose `so_far` is the
    Weights at that moment.
    """
    opponent = np.ascontiguousarray(opponent)  # one layout, so one compiled loop

    def play(weights, games):
        theta, w = weights.theta.copy(), weights.w.copy()
        _learn(game, x, theta, w, games, opponent, side, alpha, alpha_w, rng)
        return Weights(theta, w)

    return in_chunks(play, weights, games)


@allocating
def _learn(game, x, theta, w, games, opponent, side, alpha, alpha_w, rng):
    p, mean = np.zeros(game.action.shape[1]), np.zeros(len(theta))
    states = np.zeros(game.action.shape[1], dtype=np.int64)
    moves = np.zeros(game.action.shape[1], dtype=np.int64)
    for _ in range(games):
        s, decisions = 0, 0
        while game.count[s] > 0:
            if game.to_move[s] == side:
                _softmax(p, x, theta, s, game)
                i = _sample(p, game.count[s], rng)
                states[decisions], moves[decisions] = s, i
                decisions += 1
            else:
                i = sample_action(opponent, s, game.count, game.action, rng)
            s = game.successor[s, i]
        G = float(side * game.outcome[s])
        for t in range(decisions):
            s, i = states[t], moves[t]
            delta = G
            for f in range(len(w)):
                delta -= w[f] * x[s, f]
            _softmax(p, x, theta, s, game)
            mean[:] = 0
            for j in range(game.count[s]):
                for f in range(len(theta)):
                    mean[f] += p[j] * x[game.successor[s, j], f]
            for f in range(len(theta)):
                w[f] += alpha_w * delta * x[s, f]
                theta[f] += alpha * delta * (x[game.successor[s, i], f] - mean[f])


@jitable
def _softmax(p, x, theta, s, game):
    """Write into p the probabilities of the legal moves of s, in their order."""
    largest, total = -np.inf, 0.0
    for j in range(game.count[s]):
        p[j] = 0.0
        for f in range(len(theta)):
            p[j] += theta[f] * x[game.successor[s, j], f]
        largest = max(largest, p[j])
    for j in range(game.count[s]):
        p[j] = np.exp(p[j] - largest)
        total += p[j]
    for j in range(game.count[s]):
        p[j] /= total


@jitable
def _sample(p, count, rng):
    """Return an index from 0 to count − 1, drawn with the probabilities p."""
    threshold, i = rng.random(), 0
    while i < count - 1 and threshold >= p[i]:
        threshold -= p[i]
        i += 1
    return i
