"""Exact evaluation of policies: results, best responses, exploitability, errors.

`sampling` estimates results from sampled games.
"""

from typing import NamedTuple

import numpy as np

from ttt_lib import validation
from ttt_lib.compiled import compiled
from ttt_lib.game import SIDES
from ttt_lib.policy import EXACT_RTOL, best, combine_sides, greedy, uniform
from ttt_lib.search import solve
from ttt_lib.validation import SUM_ATOL, require, validated


class Response(NamedTuple):
    """The exact best response of a side to a fixed opponent, valued for that side."""

    V: np.ndarray  #: (S,) value of each position, 0 where the game is over
    Q: np.ndarray  #: (S, A) action value where the side is to move, else 0
    policy: np.ndarray  #: (S, A) greedy in Q where the side is to move, else 0


class Exploitability(NamedTuple):
    """Exploitability: the value of the game minus that against the worst opponent."""

    first: float  #: as first player
    second: float  #: as second player
    mean: float  #: mean of the two


class Result(NamedTuple):
    """Exact probabilities of win, draw and loss of one side."""

    win: float  #: probability that the side wins
    draw: float  #: probability of a draw
    loss: float  #: probability that the side loses

    @property
    def value(self) -> float:
        """The mean outcome for the side, a win being +1, a draw 0 and a loss −1."""
        return self.win - self.loss


class Share(NamedTuple):
    """A share of positions, with its denominator."""

    share: float  #: from 0 to 1
    positions: int  #: number of positions, the denominator of the share


@validated
def win_draw_loss(game, first, second) -> np.ndarray:
    """Return the exact probabilities of win, draw and loss of the first player: (S, 3).

    Row s is for games continued from position s; row 0 is for the whole game.
    `first` and `second` are policies (S, A), used only where their side is to move.
    This is policy evaluation [S&B eq. 4.4] with three rewards at once, in one backward
    sweep.

    Examples
    --------
    >>> ends = evaluation.win_draw_loss(game, at_random, at_random)
    >>> ends[0].round(3)
    array([0.585, 0.127, 0.288])
    >>> ends[game.find("XX.OO....")].round(3)
    array([0.45, 0.2 , 0.35])
    """
    probability = np.zeros((len(game.code), 3))
    # Passed one by one: with the whole `game` a short call is slower.
    tables = game.to_move, game.outcome, game.count, game.action, game.successor
    if not _sweep_back(first, second, *tables, probability):
        validation.policy_for_side(+1, first, game, "first")  # raises with the reason
        validation.policy_for_side(-1, second, game, "second")
    return probability


@validated
def result(game, policy, opponent, side=+1) -> Result:
    """Return the exact Result of `policy` as first (+1) or second (−1) player.

    It is that of whole games against `opponent`; both are policies (S, A).

    Examples
    --------
    >>> ends = evaluation.result(game, search.perfect(game), at_random)
    >>> round(ends.win, 3), round(ends.draw, 3), ends.loss
    (0.968, 0.032, 0.0)
    """
    first, second = (policy, opponent) if side == 1 else (opponent, policy)
    win, draw, loss = win_draw_loss(game, first, second)[0].tolist()
    return Result(win, draw, loss) if side == 1 else Result(loss, draw, win)


def _first(value, arguments):
    return validation.policy_for_side(+1, value, arguments["game"], "first")


def _second(value, arguments):
    return validation.policy_for_side(-1, value, arguments["game"], "second")


def _policies(name):
    def check(value, arguments):
        valid = isinstance(value, list | tuple) and len(value) > 0
        text = validation.short_repr(value)
        example = (
            f", such as [agents.policy(game, {text})]" if isinstance(value, str) else ""
        )
        require(valid, f"{name} = {text}: give a list of policies{example}")
        return value

    return check


@validated(firsts=_policies("firsts"), seconds=_policies("seconds"))
def cross_table(game, firsts, seconds) -> np.ndarray:
    """Return win, draw and loss of all first players against all second ones (n, m, 3).

    firsts, seconds: lists of policies (S, A). Entry (i, j) is the result of firsts[i]
    against seconds[j], for the first player.

    Examples
    --------
    >>> both = [search.perfect(game), at_random]
    >>> wins = evaluation.cross_table(game, both, both)[:, :, 0]
    >>> wins.round(3)
    array([[0.   , 0.968],
           [0.   , 0.585]])
    """
    rows = [[win_draw_loss(game, one, two)[0] for two in seconds] for one in firsts]
    return np.array(rows)


@compiled
def _sweep_back(first, second, to_move, outcome, count, action, successor, probability):
    """Write the probabilities (S, 3); return whether all rows were distributions."""
    # Successors have larger indices, so backwards they are ready when needed.
    # Rows are checked as they are read: a separate check takes as long as the sweep.
    least, sums = 0.0, True
    for s in range(len(count) - 1, -1, -1):
        if count[s] == 0:
            probability[s, 1 - outcome[s]] = 1
        else:
            win = draw = loss = 0.0
            for i in range(count[s]):
                a, s_next = action[s, i], successor[s, i]
                p = first[s, a] if to_move[s] == 1 else second[s, a]
                least = min(least, p)
                win += p * probability[s_next, 0]
                draw += p * probability[s_next, 1]
                loss += p * probability[s_next, 2]
            probability[s, 0] = win
            probability[s, 1] = draw
            probability[s, 2] = loss
            sums &= abs(win + draw + loss - 1) <= SUM_ATOL
    return sums and least >= 0


@validated(first=_first, second=_second)
def value_lost(game, first, second) -> np.ndarray:
    """Return (S,) the value that the player to move loses in each position of a match.

    It is the probability that a game of `first` against `second` reaches the position,
    times the mean loss of value of the move there, both valued under perfect play. So
    the value of a match for the first player is that of the game, plus all that the
    second player loses, minus all that the first loses.

    Examples
    --------
    >>> lost = evaluation.value_lost(game, at_random, search.perfect(game))
    >>> round(float(lost[game.to_move == 1].sum()), 3)
    0.777
    """
    solved, policy = solve(game), combine_sides(first, second, game.to_move)
    V = (game.to_move * solved.V)[:, np.newaxis]  # for the player to move
    cost = np.where(game.legal, policy * (V - solved.Q), 0)
    return reach(game, first, second) * cost.sum(axis=1)


@validated(first=_first, second=_second)
def reach(game, first, second) -> np.ndarray:
    """Return (S,) the probability that a game reaches each position.

    `first` and `second` are the policies (S, A) of the players.
    """
    policy, chance = (
        combine_sides(first, second, game.to_move),
        np.zeros(len(game.code)),
    )
    chance[0] = 1
    _spread_chance(policy, game.count, game.action, game.successor, chance)
    return chance


@compiled
def _spread_chance(policy, count, action, successor, chance):
    """Add the probability of each position to its successors, in place."""
    for s in range(len(chance)):
        for i in range(count[s]):
            chance[successor[s, i]] += chance[s] * policy[s, action[s, i]]


# Against an opponent that knows the policy


@validated(among=validation.allowed_moves)
def best_response(
    game, opponent, side=+1, rewards=(1, 0, -1), among=None, ties="uniform"
) -> Response:
    """Return the exact best Response of the first (+1) or second (−1) player.

    `opponent` is a fixed policy (S, A), so the side faces an MDP, which one backward
    sweep solves [S&B eq. 4.10, γ = 1]. `rewards` are those of win, draw and loss for
    that side; `among` (S, A) of bool is the moves that it may choose from, all legal
    ones if None.

    Examples
    --------
    >>> reply = evaluation.best_response(game, at_random)
    >>> round(float(reply.V[0]), 3)
    0.995
    >>> np.flatnonzero(reply.policy[0])
    array([0, 2, 6, 8])
    """
    decides = game.to_move[:, np.newaxis] == side
    among = decides & (game.legal if among is None else among)
    reward = np.array(rewards)[1 - side * game.outcome]
    reward = np.where(game.terminal, reward, 0.0)
    V, Q = np.zeros(len(game.code)), np.zeros(game.legal.shape)
    _respond(game, opponent, side, reward, among, V, Q)
    return Response(
        V, Q, greedy.unchecked(Q, among, ties, EXACT_RTOL * np.abs(V).max())
    )


@compiled
def _respond(game, opponent, side, reward, among, V, Q):
    for s in range(len(V) - 1, -1, -1):
        expected, largest = 0.0, -np.inf
        for i in range(game.count[s]):
            a, s_next = game.action[s, i], game.successor[s, i]
            q = reward[s_next] + V[s_next]
            if game.to_move[s] != side:
                expected += opponent[s, a] * q
            else:
                Q[s, a] = q
                if among[s, a]:
                    largest = max(largest, q)
        if game.count[s] > 0:
            V[s] = largest if game.to_move[s] == side else expected


@validated
def worst_case(game, policy, side=+1) -> np.ndarray:
    """Return (S,) the value of `policy` for its side against its worst opponent.

    The side is first (+1) or second (−1) player; entry 0 is for the whole game.

    Examples
    --------
    >>> round(float(evaluation.worst_case(game, at_random)[0]), 3)
    -0.925
    >>> float(evaluation.worst_case(game, search.perfect(game))[0])
    0.0
    """
    return 0.0 - best_response(game, policy, -side).V


@validated
def exploitability(game, policy) -> Exploitability:
    """Return the value of the game minus that of `policy` against its worst opponent.

    It is 0 for a policy that no opponent beats on average [Johanson et al. 2011].

    Examples
    --------
    >>> values = evaluation.exploitability(game, at_random)
    >>> [round(value, 3) for value in values]
    [0.925, 0.995, 0.96]
    """
    value = float(solve(game).V[0])
    first = value - float(worst_case(game, policy, +1)[0])
    second = 0.0 - value - float(worst_case(game, policy, -1)[0])
    return Exploitability(first, second, (first + second) / 2)


@validated
def reachable_against_any(game, policy, side=+1) -> np.ndarray:
    """Return a mask (S,) of the decisions of `side` that some opponent can reach.

    The side plays `policy`, and the opponent may make any move.
    """
    reached = np.zeros(len(game.code), dtype=np.bool_)
    reached[0] = True
    tables = game.to_move, game.count, game.action, game.successor
    _spread(policy, side, *tables, reached)
    return reached & (game.to_move == side) & ~game.terminal


@compiled
def _spread(policy, side, to_move, count, action, successor, reached):
    for s in range(len(reached)):
        if reached[s]:
            for i in range(count[s]):
                if to_move[s] != side or policy[s, action[s, i]] > 0:
                    reached[successor[s, i]] = True


@validated(side=validation.side_or_both)
def scores(game, policy, side=0) -> dict[str, float]:
    """Return the exact scores of a policy, name → number, of one side or of both (0).

    They are win, draw and loss against uniformly random moves, as first and as second
    player, and the value (+1, 0, −1 for win, draw, loss) against its worst opponent.
    """
    random, row = uniform(game.legal), {}
    for name, side_ in SIDES.items():
        if side in (side_, 0):
            for end, chance in result(game, policy, random, side_)._asdict().items():
                row[f"{end}_{name}"] = chance
            row[f"worst_{name}"] = float(worst_case(game, policy, side_)[0])
    return row


# Agreement with perfect play


@validated(policy=validation.partial_policy("policy"), among=validation.selected_states)
def share_optimal(game, policy, among=None) -> Share:
    """Return the Share of positions in which `policy` makes an optimal move.

    A random move counts with its probability.
    `among` (S,) of bool selects the positions, such as `reachable_against_any` or those
    visited in training: all if None; finished ones never count.
    Raises ValueError if no position is left.

    Examples
    --------
    >>> share = evaluation.share_optimal(game, at_random)
    >>> round(share.share, 3), share.positions
    (0.58, 4520)
    """
    among = ~game.terminal if among is None else among & ~game.terminal
    require(among.any(), "There is no unfinished position to take a share of")
    legal, all_ = (policy * game.legal)[among].sum(axis=1), policy[among].sum(axis=1)
    moves = np.abs(legal - 1).max() <= SUM_ATOL and (all_ - legal).max() <= SUM_ATOL
    require(moves, "policy has a row there that does not sum to 1 over legal cells")
    optimal = best(solve(game).Q, game.legal)
    share = (policy * optimal).sum(axis=1)[among].mean()
    return Share(float(share), int(among.sum()))


@validated
def error_rate(game, policy, side=+1) -> Share:
    """Return the Share of reachable positions where the move of `policy` loses value.

    If it is 0, no opponent can exploit the policy on that side. The converse is false:
    a policy may miss wins that only a weak opponent allows, and still never lose.
    """
    kept, positions = share_optimal(
        game, policy, reachable_against_any(game, policy, side)
    )
    return Share(1 - kept, positions)


@validated
def suboptimal_states(policy, Q, legal) -> np.ndarray:
    """Return the states in which `policy` may choose an action not best in Q (S, A)."""
    return np.flatnonzero(((policy > 0) & ~best(Q, legal)).any(axis=1))


# A policy made from both


@validated
def safe_and_greedy(game, opponent, ties="uniform") -> np.ndarray:
    """Return the perfect policy (S, A) that wins most often against `opponent`.

    On both sides it takes, among the moves of perfect play, those with the largest
    probability of a win.

    Examples
    --------
    >>> safe = evaluation.safe_and_greedy(game, at_random)
    >>> ends = evaluation.result(game, safe, at_random)
    >>> round(ends.win, 3), ends.loss
    (0.995, 0.0)
    """
    safe = best(solve(game).Q, game.legal)
    first, second = (
        best_response(game, opponent, side, (1, 0, 0), safe, ties).policy
        for side in (+1, -1)
    )
    return combine_sides(first, second, game.to_move)
