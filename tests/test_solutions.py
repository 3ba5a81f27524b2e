"""Best responses, worst cases and error rates; some in exact fractions."""

import numpy as np
import pytest
from common import game, some_policy
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
from ttt_lib.game import tables
from ttt_lib.policy import (
    LEARNED_ATOL,
    best,
    greedy,
    mixture,
    uniform,
)

random_play = uniform(game.legal)
UNFINISHED = np.flatnonzero(~game.terminal)
SEEDS = st.integers(0, 2**32 - 1)
few = settings(max_examples=25)


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
    policy, (*first, of_first), (*second, of_second) = ROWS[name]
    ends = win_draw_loss(game, policy, random_play)[0]
    assert ends == pytest.approx(np.divide(first, of_first), abs=1e-13)
    ends = win_draw_loss(game, random_play, policy)[0][::-1]
    assert ends == pytest.approx(np.divide(second, of_second), abs=1e-13)


def test_best_response_to_random_play_can_lose():
    lowest = safe_and_greedy(game, random_play, "lowest")
    for policy in (BOOK["perfect"], BOOK["safe-and-greedy"], LOWEST, lowest):
        assert worst_case(game, policy, +1)[0] == worst_case(game, policy, -1)[0] == 0
        assert exploitability(game, policy) == (0, 0, 0)
    reckless = BOOK["best-against-random"]
    assert worst_case(game, reckless, +1)[0] == 0
    assert worst_case(game, reckless, -1)[0] == -1
    assert exploitability(game, reckless) == (0, 1, 0.5)


def test_best_response_has_no_values_and_reads_no_rows_of_the_other_side():
    for side in (+1, -1):
        other = game.to_move != side
        answer = best_response(game, random_play, side)
        assert not answer.Q[other].any()
        blind = np.where(other[:, None], random_play, np.nan)
        assert (best_response(game, blind, side).Q == answer.Q).all()


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


def test_share_optimal_returns_share_and_count():
    assert share_optimal(game, BOOK["perfect"]) == (pytest.approx(1), 4520)
    # All openings are optimal, so the share in the empty position is 1.
    only_start = np.arange(len(game.code)) == 0
    assert share_optimal(game, random_play, only_start) == (pytest.approx(1), 1)
    s = game.next[0, 1]
    good = best(search.solve(game).Q, game.legal)[s].sum() / 8
    after = np.arange(len(game.code)) == s
    assert share_optimal(game, random_play, after) == (pytest.approx(good), 1)
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
