"""One-step actor–critic: the policy of `reinforce`, with a critic instead of returns.

The actor is the softmax policy with weights θ. The critic is v̂(s, w) = w · x(s), with
the features x of the positions in which the side decides. From one decision S_t of the
side to its next one, S_{t+1}, or to the end of the game,

    δ_t = R_{t+1} + v̂(S_{t+1}, w) − v̂(S_t, w),

where R is 0 before the end and then the outcome for the side, and v̂ is 0 at the end
[S&B eq. 13.12 to 13.14, γ = 1]. In the place of δ REINFORCE has G − v̂(S_t, w), and its
mean step is the gradient whatever the critic says. Here it is not, unless the critic is
right.
"""

import numpy as np

from ttt_lib import evaluation
from ttt_lib.approximation.reinforce import (
    CHECKS,
    Moments,
    both_players,
    choose,
    plies_backwards,
    policy_gradient,
    score,
    step,
    train,
)
from ttt_lib.compiled import allocating, jitable
from ttt_lib.policy import sample_action
from ttt_lib.validation import float_array, validated


def _critic(value, arguments):
    return float_array(value, "critic", arguments["game"].code.shape)


@validated(**CHECKS)
def actor_critic(game, x, weights, games, opponent, side, alpha, alpha_w, rng):
    """Return the Weights after more games against an opponent [S&B p. 332].

    Arguments are those of `reinforce.reinforce`. After each decision, as soon as the
    side is to move again or the game is over, w + α_w δ x(S_t), and
    θ + α δ ∇ ln π(A_t | S_t); δ is computed before. n games and then m are
    bit-identical to n + m games. Ctrl-C raises KeyboardInterrupt, whose `so_far` is the
    Weights at that moment.
    """
    settings = opponent, side, alpha, alpha_w, rng
    return train(_learn, game, x, weights, games, *settings)


@allocating
def _learn(game, x, theta, w, games, opponent, side, alpha, alpha_w, rng):
    p, mean = np.zeros(game.action.shape[1]), np.zeros(len(theta))
    for _ in range(games):
        s = _decision(game, 0, opponent, side, rng)
        while game.count[s] > 0:
            i = choose(p, x, theta, s, game, rng)
            s_next = _decision(game, game.successor[s, i], opponent, side, rng)
            delta = _ahead(game, x, w, s_next, side) - _ahead(game, x, w, s, side)
            step(p, mean, x, theta, w, s, i, delta, alpha, alpha_w, game)
            s = s_next


@jitable
def _decision(game, s, opponent, side, rng):
    """Return s, or the position after the opponent's move if it is to move in s."""
    if game.count[s] == 0 or game.to_move[s] == side:
        return s
    return game.successor[s, sample_action(opponent, s, game.count, game.action, rng)]


@jitable
def _ahead(game, x, w, s, side):
    """Return the critic's value of a decision, or the outcome of a finished game."""
    if game.count[s] == 0:
        return float(side * game.outcome[s])
    total = 0.0
    for f in range(len(w)):
        total += w[f] * x[s, f]
    return total


# The same, exactly


@validated(**CHECKS, critic=_critic)
def expected_step(game, x, theta, critic, opponent, side=+1):
    """Return the mean over games of Σ_t δ_t ∇ ln π(A_t | S_t): (F,), θ and w fixed.

    critic (S,): the values of the positions in which the side decides, x @ w if they
    are linear. It is `reinforce.policy_gradient` with q(s, a) = E[R + v̂(S′) | s, a]. So
    the exact values of θ's policy as critic give the exact gradient.
    """
    after, chance = _moves(game, both_players(game, x, theta, opponent, side))
    ahead = np.where(game.terminal, side * game.outcome, critic)
    q = np.einsum("sa,sa->s", chance, ahead[after])[after]
    return policy_gradient(game, x, theta, q, opponent, side)


@validated(**CHECKS, critic=_critic)
def step_moments(game, x, theta, critic, opponent, side=+1):
    """Return the exact Moments of Σ_t δ_t ∇ ln π(A_t | S_t) over all games.

    θ and the critic (S,) are fixed during a game, as in `expected_step`, which is the
    mean. Let Y be that sum from the decision s on, Y′ the sum from the next decision
    on, and g = δ ∇ ln π(A | s). One sweep back computes E[Y] = E[g + Y′], and
    E[Y²] = E[g² + 2 g · Y′ + Y′²], the squares being squared lengths.
    """
    both = both_players(game, x, theta, opponent, side)
    (after, chance), slope = _moves(game, both), score(game, x, both)
    ahead = np.where(game.terminal, side * game.outcome, critic)
    mean, square = np.zeros((len(ahead), len(theta))), np.zeros(len(ahead))
    for s in plies_backwards(game, (game.to_move == side) & ~game.terminal):
        p = chance[s][..., np.newaxis] * chance[after[s]]  # (n, A, A): move and reply
        s_next = after[after[s]]
        delta = ahead[s_next] - ahead[s][:, np.newaxis, np.newaxis]
        g = delta[..., np.newaxis] * slope[s][:, :, np.newaxis]
        more = (g**2 + 2 * g * mean[s_next]).sum(axis=3)
        mean[s] = np.einsum("nab,nabf->nf", p, g + mean[s_next])
        square[s] = np.einsum("nab,nab->n", p, more + square[s_next])
    s, p = (0, 1.0) if side == 1 else (after[0], chance[0])
    total = np.dot(p, mean[s])
    return Moments(total, float(np.dot(p, square[s]) - total @ total))


@validated(**CHECKS)
def fixed_point(game, x, theta, opponent, side=+1):
    """Return the weights w (F,) of the critic at which the mean update of TD(0) is 0.

    It is w = A⁻¹ b, with A = Σ_s μ(s) x(s) (x(s) − E[x(S′)])ᵀ and
    b = Σ_s μ(s) E[R] x(s) [S&B eq. 9.11 and 9.12]. The sums are over the decisions of
    the side, μ(s) is the probability that a game reaches s, and x(S′) is 0 at the end.
    If θ stays, the critic of `actor_critic` converges to it. If features depend on each
    other, several w are the same critic, and this is the shortest.
    """
    both = both_players(game, x, theta, opponent, side)
    after, chance = _moves(game, both)
    met = evaluation.reach(game, both, both) * ((game.to_move == side) & ~game.terminal)
    ahead = np.where(game.terminal[:, np.newaxis], 0, x)
    ahead = np.column_stack([ahead, side * game.outcome])
    for _ in range(2):  # a move and a reply
        ahead = np.einsum("sa,saf->sf", chance, ahead[after])
    x_next, reward = ahead[:, :-1], ahead[:, -1]
    A = (met[:, np.newaxis] * x).T @ (x - x_next)
    return np.linalg.lstsq(A, (met * reward) @ x, rcond=None)[0]


def _moves(game, both):
    """Return the positions after each move (S, A), and the moves' probabilities.

    A finished game stays where it is, with probability 1 [S&B sec. 3.4].
    """
    stays = np.arange(len(game.code))[:, np.newaxis]
    after = np.where(game.terminal[:, np.newaxis], stays, game.next)
    chance = np.where(game.legal, both, 0)
    chance[game.terminal, 0] = 1
    return after, chance
