"""Policy gradient: a softmax policy over features, which climbs its own value.

The preference for a move is h(s, a, θ) = θ · x(s, a), with the features x of the board
after it, seen by the mover (`features`), and π(a | s, θ) ∝ exp h [S&B eq. 13.2]. The
gradient of ln π is then the *score*, x(s, a) − Σ_b π(b | s) x(s, b) [S&B eq. 13.9].

One side learns, against an opponent who does not change. The return is its outcome of
the game, +1, 0 or −1, undiscounted.
"""

from math import exp
from typing import NamedTuple

import numpy as np

from ttt_lib import evaluation
from ttt_lib.compiled import allocating, in_chunks, jitable
from ttt_lib.game import positions
from ttt_lib.policy import sample_action, softmax
from ttt_lib.validation import float_array, probability, require, short_repr, validated


class Weights(NamedTuple):
    """The weights of a policy and of its baseline or critic, with F features."""

    theta: np.ndarray  #: (F,) of the policy
    w: np.ndarray  #: (F,) of the baseline or critic w · x(s), 0 if there is none


class Moments(NamedTuple):
    """The mean of a random vector, and its variance, the sum over the components."""

    mean: np.ndarray  #: (F,)
    variance: float  #: E|Y|² − |E[Y]|², the trace of the covariance matrix


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


CHECKS = {  # of the arguments of policy gradients, by name
    "x": _features,
    "theta": _theta,
    "baseline": _baseline,
    "weights": _checked_weights,
    "alpha": probability("alpha", above=True),
    "alpha_w": probability("alpha_w"),
}


@validated(**CHECKS)
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


@validated(**CHECKS)
def both_players(game, x, theta, opponent, side=+1):
    """Return one policy (S, A) for both players: θ's for its side, and the opponent."""
    mine = (game.to_move == side)[:, np.newaxis]
    return np.where(mine, policy(game, x, theta), opponent)


@validated(**CHECKS)
def score(game, x, policy):
    """Return ∇ ln π(a | s, θ) of a softmax policy: (S, A, F), 0 where a is illegal."""
    after = x[game.next] * game.legal[..., np.newaxis]
    mean = np.einsum("sa,saf->sf", policy, after)
    return (after - mean[:, np.newaxis]) * game.legal[..., np.newaxis]


@validated(**CHECKS)
def exact_gradient(game, x, theta, opponent, side=+1):
    """Return ∇J (F,), J being the value of θ's policy against the opponent.

    It is `policy_gradient` with the exact action values.
    """
    both = both_players(game, x, theta, opponent, side)
    ends = evaluation.win_draw_loss(game, both, both)
    V = side * (ends[:, 0] - ends[:, 2])
    return policy_gradient(game, x, theta, V[game.next], opponent, side)


@validated(**CHECKS)
def policy_gradient(game, x, theta, Q, opponent, side=+1):
    """Return Σ_s μ(s) Σ_a Q(s, a) ∇π(a | s, θ): (F,), as in S&B eq. 13.5.

    The sum is over the positions in which the side moves, and μ(s) is the probability
    that a game reaches s. Q (S, A) are action values for the side: the exact ones, or
    estimates.
    """
    both = both_players(game, x, theta, opponent, side)
    met = evaluation.reach(game, both, both) * (game.to_move == side)
    q = np.where(game.legal, Q, 0)
    return np.einsum("s,sa,saf->f", met, both * q, score(game, x, both))


@validated(**CHECKS)
def gradient_moments(game, x, theta, opponent, side=+1, baseline=0.0):
    """Return the exact Moments of `sampled_gradient` over all games.

    baseline: a number, or (S,), that of each position. The outcome G is common to all
    terms of a game. So for each outcome z one sweep back computes, Y being what the
    rest of a game from s adds to the estimate, and Y′ the rest after the next move,
    which adds g = (z − b(s)) ∇ ln π(a | s) if it is the side's:

    - P(z), the probability that the game ends with z;
    - E[Y; z] = E[g + Y′; z], the mean over games that end with z, times P(z);
    - E[Y²; z] = E[g² + 2 g · Y′ + Y′²; z], the squares being squared lengths.
    """
    both = both_players(game, x, theta, opponent, side)
    slope = score(game, x, both) * (game.to_move == side)[:, np.newaxis, np.newaxis]
    z = np.array([1, 0, -1])
    weight = z - np.broadcast_to(baseline, len(game.code))[:, np.newaxis]  # (S, 3)
    P = (side * game.outcome[:, np.newaxis] == z).astype(float)
    mean, square = np.zeros((*P.shape, len(theta))), np.zeros(P.shape)
    for s in plies_backwards(game, ~game.terminal):
        move, after = np.where(game.legal[s], both[s], 0), game.next[s]  # (n, A)
        g = weight[s][:, np.newaxis, :, np.newaxis] * slope[s][:, :, np.newaxis]
        more = P[after] * (g**2).sum(axis=3) + 2 * (g * mean[after]).sum(axis=3)
        g *= P[after][..., np.newaxis]
        P[s] = np.einsum("na,naz->nz", move, P[after])
        mean[s] = np.einsum("na,nazf->nzf", move, g + mean[after])
        square[s] = np.einsum("na,naz->nz", move, more + square[after])
    total = mean[0].sum(axis=0)
    return Moments(total, float(square[0].sum() - total @ total))


def plies_backwards(game, among):
    """Yield the indices (n,) of positions with equally many marks, most marks first.

    among (S,) of bool selects positions.
    """
    marks = (game.board != 0).sum(axis=1)
    for ply in reversed(range(game.board.shape[1])):
        yield np.flatnonzero(among & (marks == ply))


@validated(**CHECKS)
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


@validated(**CHECKS)
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
    settings = opponent, side, alpha, alpha_w, rng
    return train(_learn, game, x, weights, games, *settings)


def train(learn, game, x, weights, games, opponent, side, alpha, alpha_w, rng):
    """Return the Weights after more games of the loop `learn`, in chunks for Ctrl-C."""
    opponent = np.ascontiguousarray(opponent)  # one layout, so one compiled loop

    def play(weights, games):
        theta, w = weights.theta.copy(), weights.w.copy()
        learn(game, x, theta, w, games, opponent, side, alpha, alpha_w, rng)
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
                i = choose(p, x, theta, s, game, rng)
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
            step(p, mean, x, theta, w, s, i, delta, alpha, alpha_w, game)


@jitable
def choose(p, x, theta, s, game, rng):
    """Return the index of a move drawn from the softmax policy, and write it into p."""
    _softmax(p, x, theta, s, game)
    return _sample(p, game.count[s], rng)


@jitable
def step(p, mean, x, theta, w, s, i, delta, alpha, alpha_w, game):
    """Add α δ ∇ln π(A | s) to θ and α_w δ x(s) to w, A being the i-th legal move of s.

    p (A,) and mean (F,) are overwritten.
    """
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
        # Not NumPy's: its last bit may differ from the compiled one.
        p[j] = exp(p[j] - largest)
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
