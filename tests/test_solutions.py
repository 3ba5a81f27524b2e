"""Best responses, worst cases and error rates; some in exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
from common import game, rng, some_policy
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ttt_lib import search
from ttt_lib.agents import builtin
from ttt_lib.evaluation import (
    best_response,
    error_rate,
    exploitability,
    reachable_against_any,
    safe_and_greedy,
    share_optimal,
    suboptimal_states,
    win_draw_loss,
    worst_case,
)
from ttt_lib.game import images, symmetries, tables
from ttt_lib.policy import (
    LEARNED_ATOL,
    best,
    combine_sides,
    greedy,
    mixture,
    uniform,
)

random_play = uniform(game.legal)
UNFINISHED = np.flatnonzero(~game.terminal)
SEEDS = st.integers(0, 2**32 - 1)
few = settings(max_examples=25)


def some_deterministic(g, seed):
    return greedy(rng(seed).random(g.legal.shape), g.legal, "lowest")


def fractions(g, first, second):
    """Return win, draw and loss of the first player as exact fractions."""
    policy = combine_sides(first, second, g.to_move)
    result = [None] * len(g.code)
    for s in reversed(range(len(g.code))):
        if g.terminal[s]:
            result[s] = tuple(Fraction(int(g.outcome[s] == o)) for o in (1, 0, -1))
        else:
            moves = [
                (Fraction(policy[s, a]).limit_denominator(9), result[g.next[s, a]])
                for a in np.flatnonzero(policy[s])
            ]
            assert sum(p for p, _ in moves) == 1
            result[s] = tuple(sum(p * below[i] for p, below in moves) for i in range(3))
    return result[0]


def respond_in_fractions(g, side):
    """Return the value of the game for the best `side` against random moves."""
    value = [None] * len(g.code)
    for s in reversed(range(len(g.code))):
        below = [value[g.next[s, a]] for a in np.flatnonzero(g.legal[s])]
        if not below:
            value[s] = Fraction(side * int(g.outcome[s]))
        else:
            value[s] = max(below) if g.to_move[s] == side else sum(below) / len(below)
    return value[0]


NAMES = "perfect", "best-against-random", "safe-and-greedy"
BOOK = {name: builtin.make(game, name).policy for name in NAMES}
LOWEST = search.perfect(game, ties="lowest")
ROWS = {  # as first: win, draw, loss, of; as second
    "safe-and-greedy": (BOOK["safe-and-greedy"], (191, 1, 0, 192), (866, 79, 0, 945)),
    "lowest": (LOWEST, (191, 1, 0, 192), (254, 61, 0, 315)),
    "reckless": (BOOK["best-against-random"], (191, 1, 0, 192), (881, 57, 7, 945)),
}


@pytest.mark.parametrize("name", ROWS)
def test_results_against_random_equal_exact_fractions(name):
    policy, first, second = ROWS[name]
    *counts, total = first
    first = [*fractions(game, policy, random_play)]
    assert first == [Fraction(n, total) for n in counts]
    *counts, total = second
    loss, draw, win = fractions(game, random_play, policy)
    assert [win, draw, loss] == [Fraction(n, total) for n in counts]


def test_best_values_against_random_equal_exact_fractions():
    for side, exact in ((+1, Fraction(191, 192)), (-1, Fraction(874, 945))):
        assert respond_in_fractions(game, side) == exact
        V = best_response(game, random_play, side).V
        assert V[0] == pytest.approx(float(exact), abs=1e-15)


def test_best_response_to_random_play_can_lose():
    lowest = safe_and_greedy(game, random_play, "lowest")
    for policy in (BOOK["perfect"], BOOK["safe-and-greedy"], LOWEST, lowest):
        assert worst_case(game, policy, +1)[0] == worst_case(game, policy, -1)[0] == 0
        assert exploitability(game, policy) == (0, 0, 0)
    reckless = BOOK["best-against-random"]
    assert worst_case(game, reckless, +1)[0] == 0
    assert worst_case(game, reckless, -1)[0] == -1
    assert exploitability(game, reckless) == (0, 1, 0.5)


def test_best_response_uses_allowed_moves_of_its_side_only():
    optimal = best(search.solve(game).Q, game.legal)
    for side in (+1, -1):
        other = game.to_move != side
        free, bound = (
            best_response(game, random_play, side, among=among)
            for among in (None, optimal)
        )
        assert not bound.policy[~optimal].any()
        assert not bound.policy[other].any()
        assert not bound.Q[other].any()
        total = bound.policy.sum(axis=1)
        assert total == pytest.approx(np.where(other | game.terminal, 0, 1))
        assert (bound.V <= free.V).all()
        blind = np.where(other[:, None], random_play, np.nan)
        assert (best_response(game, blind, side).Q == free.Q).all()


@pytest.mark.slow
@few
@given(SEEDS, st.sampled_from([+1, -1]), st.booleans())
def test_best_response_is_best_among_allowed_moves(seed, side, bound):
    opponent = some_policy(game, seed)
    among = game.legal
    if bound:  # two moves are allowed in every position, or the only one
        among = among & (opponent >= np.sort(opponent, axis=1)[:, [-2]])
    answer = best_response(game, opponent, side, among=among if bound else None)
    other = some_policy(game, seed + 1) * among
    mixed = other / np.maximum(other.sum(axis=1, keepdims=True), 1e-300)
    for policy in (answer.policy, greedy(other, among), mixed):
        pair = (policy, opponent) if side == 1 else (opponent, policy)
        W = win_draw_loss(game, *pair)
        value = (side * (W[:, 0] - W[:, 2]))[UNFINISHED]
        assert (value <= answer.V[UNFINISHED] + 1e-12).all()
        if policy is answer.policy:
            assert answer.V[UNFINISHED] == pytest.approx(value, abs=1e-12)


def test_symmetric_opponent_has_a_symmetric_best_response():
    opponent = some_policy(game, 4)
    answer = best_response(game, opponent, +1)
    for map_, image in zip(symmetries(3, 3), images(game), strict=True):
        turned = np.empty(opponent.shape)
        turned[image] = opponent[:, map_]
        assert best_response(game, turned, +1).V[image] == pytest.approx(answer.V)


@few
@given(SEEDS, st.floats(0, 1))
@example(2610022, 0.99999)  # values that differ by less than LEARNED_ATOL
def test_exploitability_equals_its_definition(seed, p):
    policy = mixture(p, BOOK["perfect"], some_policy(game, seed))
    answer = best_response(game, policy, -1).policy
    W = win_draw_loss(game, policy, answer)[0]
    first, second, _ = exploitability(game, policy)
    # The response may take moves that are worse by less than LEARNED_ATOL, at most four
    # of them; the exploitability itself is an exact maximum.
    assert -1e-12 <= first - (0 - (W[0] - W[2])) <= 4 * LEARNED_ATOL + 1e-12
    assert first >= 0 <= second


def test_exploitability_if_the_first_player_can_force_a_win():
    g = tables(2, 3, 2)  # the first player wins
    assert search.solve(g).V[0] == 1
    assert exploitability(g, search.perfect(g)) == pytest.approx((0, 0, 0), abs=1e-15)
    # A policy that always takes the last free cell misses the win as first player; as
    # second player it is lost anyway, and gives nothing away.
    last = greedy(np.arange(6) * g.legal, g.legal)
    assert exploitability(g, last).second == 0
    assert exploitability(g, last).first in (1, 2)


def test_reachable_against_any_equals_positions_of_sampled_games():
    rng = np.random.default_rng(0)
    for side in (+1, -1):
        policy = some_deterministic(game, 9)
        expected = reachable_against_any(game, policy, side)
        met = np.zeros(len(game.code), dtype=bool)
        for _ in range(4000):
            s = 0
            while not game.terminal[s]:
                if game.to_move[s] == side:
                    met[s] = True
                    s = game.next[s, policy[s].argmax()]
                else:
                    s = rng.choice(game.successor[s, : game.count[s]])
        assert not met[~expected].any()
        assert met.sum() > 0.95 * expected.sum()
    assert reachable_against_any(game, random_play, +1).sum() == 2423
    assert reachable_against_any(game, random_play, -1).sum() == 2097


def test_share_optimal_returns_share_and_count():
    assert share_optimal(game, BOOK["perfect"]) == (pytest.approx(1), 4520)
    # All openings are optimal, so the share in the empty position is 1.
    only_start = np.arange(len(game.code)) == 0
    assert share_optimal(game, random_play, only_start) == (pytest.approx(1), 1)
    s = game.next[0, 1]
    good = best(search.solve(game).Q, game.legal)[s].sum() / 8
    after = np.arange(len(game.code)) == s
    assert share_optimal(game, random_play, after) == (pytest.approx(good), 1)
    own = reachable_against_any(game, LOWEST, +1)
    assert share_optimal(game, LOWEST, own) == (1, own.sum())
    with pytest.raises(ValueError, match="no unfinished position"):
        share_optimal(game, random_play, game.terminal)


@few
@given(SEEDS)
def test_policies_without_errors_are_not_exploitable(seed):
    policy = greedy(search.solve(game).Q + 0.4 * some_policy(game, seed), game.legal)
    for side, exploited in zip((+1, -1), exploitability(game, policy), strict=False):
        share, positions = error_rate(game, policy, side)
        assert positions == reachable_against_any(game, policy, side).sum()
        if share == 0:
            assert exploited == 0
        if exploited > 0:
            assert share > 0
    assert error_rate(game, LOWEST, +1).share == 0


def test_missed_win_is_an_error_but_not_exploitable():
    # A perfect opponent never reaches X.O......, where the second player is lost.
    Q = search.solve(game).Q
    s = game.find("X.O......")
    assert Q[s].max() == 1
    a = int(np.flatnonzero(game.legal[s] & (Q[s] == 0))[0])
    policy = search.perfect(game, ties="lowest")
    opening = int(policy[0].argmax())
    assert opening == 0, "the policy must reach this position"
    policy[s] = np.eye(9)[a]
    assert exploitability(game, policy).first == 0
    assert error_rate(game, policy, +1).share > 0


def test_suboptimal_states_have_moves_that_are_not_best():
    Q = search.solve(game).Q
    assert len(suboptimal_states(LOWEST, Q, game.legal)) == 0
    wrong = suboptimal_states(random_play, Q, game.legal)
    assert wrong.tolist() == [
        s for s in UNFINISHED if len(set(Q[s, game.legal[s]].tolist())) > 1
    ]
    changed = LOWEST.copy()
    s = game.next[0, 1]
    changed[s] = np.eye(9)[6]
    assert suboptimal_states(changed, Q, game.legal).tolist() == [s]
