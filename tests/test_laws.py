"""Properties that plausible mistakes break: a side, a sign, an index, a default.

`tools/slips.toml` has such mistakes. The properties hold on every board, for every
policy and schedule; they are tested where sides, rows and columns, or states differ.
"""

import gymnasium
import numpy as np
import pytest
from common import game, rng, some_policy, sparse_policy, wide

from ttt_lib import (
    envs,
    evaluation,
    learning,
    mdp,
    planning,
    policy,
    rules,
    sampling,
    schedules,
    search,
)
from ttt_lib import game as games
from ttt_lib.approximation import features, reinforce
from ttt_lib.board import standings
from ttt_lib.large_boards import growth

TALL = games.tables(3, 2, 2)  # the first player wins it
SHORT = games.tables(2, 2, 2)  # the first player wins it, and the board is square
BOARDS = [wide, TALL, SHORT, games.tables(1, 4, 2), games.tables(2, 4, 3)]
boards = pytest.mark.parametrize("g", BOARDS, ids=lambda g: f"{g.rows}{g.columns}{g.k}")
sides = pytest.mark.parametrize("side", [+1, -1])


# --- Policies ---------------------------------------------------------------------


def test_mixtures_keep_the_tie_rule():
    Q = np.zeros(game.legal.shape)
    lowest = policy.epsilon_greedy(Q, game.legal, 0.0, "lowest")
    assert (lowest == policy.greedy(Q, game.legal, "lowest")).all()
    for ties in ("lowest", "uniform"):
        assert (search.teacher(game, 1.0, ties) == search.perfect(game, 1, ties)).all()
    safe = evaluation.safe_and_greedy(game, sparse_policy(game, 1), "lowest")
    assert (safe[~game.terminal].max(axis=1) == 1).all()


def test_rare_replies_are_transitions():
    rare = policy.mixture(1e-6, policy.uniform(wide.legal), search.perfect(wide))
    often = policy.uniform(wide.legal)
    one, other = (mdp.from_opponent(wide, each) for each in (rare, often))
    assert len(one.successor) == len(other.successor)


def test_solution_records_start_value_and_change():
    problem = mdp.from_opponent(wide, policy.uniform(wide.legal), side=-1)
    policy_ = planning.greedy(problem, np.zeros(len(problem.action)), "lowest")
    sweeps = planning.policy_evaluation(problem, policy_, 1.0)
    assert np.isclose(sweeps.start_value[-1], problem.start @ sweeps.V)
    assert not np.isclose(sweeps.start_value[-1], sweeps.V[0])
    solved = planning.linear_solve(problem, policy_, 1.0, V=sweeps.V + 0.25)
    assert np.allclose(solved.change, 0.25)


@pytest.mark.parametrize("gamma", [0.5, 0.9])
@pytest.mark.parametrize("sign", [+1, -1])
def test_planners_agree_on_continuing_mdps(gamma, sign):
    p, r = rng(2).random((6, 2, 6)), sign * rng(3).random((6, 2))
    problem = mdp.from_arrays(p / p.sum(axis=2, keepdims=True), r)
    right = planning.policy_iteration(problem, gamma).V
    for method in (
        planning.value_iteration,
        planning.modified_policy_iteration,
        planning.prioritized_sweeping,
    ):
        assert np.allclose(method(problem, gamma).V, right)
    even = planning.uniform(problem)
    sweeps = planning.policy_evaluation(problem, even, gamma, V=np.full(6, -50.0))
    assert np.allclose(sweeps.V, planning.linear_solve(problem, even, gamma).V)


def test_prioritized_sweeping_discounts_urgency():
    """State 0 leads to 1, which ends with reward 1; the urgency of 0 is γ × 1 = 0.5."""
    p = [[[0, 1]], [[0, 0]]]
    problem = mdp.from_arrays(p, [[0], [1]])
    for theta, first in ((0.3, 0.5), (0.7, 0)):
        solution = planning.prioritized_sweeping(problem, 0.5, theta=theta)
        assert solution.V.tolist() == [first, 1]


# --- Learning ---------------------------------------------------------------------


def test_total_reward_is_summed_by_side():
    alone = learning.new_learner(TALL, "q_learning", rng(0), rewards=(1, 0, -5))
    alone = learning.train(TALL, alone, 50)
    assert alone.total_reward.sum() <= -4 * 40


def test_training_both_sides_starts_with_the_first():
    start = learning.new_learner(wide, "q_learning", rng(0))
    one = learning.train(wide, start, 1, policy.uniform(wide.legal), side=0)
    decided = np.flatnonzero(one.visits)
    assert (wide.to_move[decided] == 1).all()


def test_random_choice_among_ties_is_not_exploration():
    """All estimates are equal: afterstates are learned across every move."""
    settings = {"epsilon": 1.0, "alpha": 0.5, "rewards": (0, 0, 0)}
    start = learning.new_learner(wide, "td_afterstates", rng(0), **settings)
    one, all_moves = (
        learning.train(wide, each, 30, policy.uniform(wide.legal), 1)
        for each in (start, start._replace(method="td_all_moves"))
    )
    assert (one.updates == all_moves.updates).all()


def test_afterstate_values_are_from_the_movers_side():
    learner = learning.new_learner(game, "td_all_moves", rng(0), initial=0.25)
    Q = learning.action_values(game, learner)
    over = game.legal & game.terminal[game.next]
    draw = game.outcome[game.next] == 0
    assert (Q[over & ~draw] == 1).all()  # the last move wins unless it draws
    assert (Q[over & draw] == 0).all()
    assert (Q[game.legal & ~over] == 0.25).all()


@pytest.mark.parametrize(
    ("method", "n", "targets"),
    [
        ("mc_control", None, [0.25, 0.5, 1.0]),  # γ per decision of the learner
        ("q_learning", None, [0.0, 0.0, 1.0]),
        ("td_all_moves", None, [0.0, 0.5, None]),
        ("td_all_moves", 2, [0.25, 0.5, None]),
        ("backward_sweep", None, [0.25, 0.5, None]),
    ],
)
def test_discount_counts_decisions_of_the_learner(method, n, targets):
    learner = learning.new_learner(game, method, rng(0), alpha=1.0, gamma=0.5, n=n)
    _, updates = learning.learn_game(game, learner, [4, 1, 0, 2, 8], side=+1)
    used = [None if np.isnan(row[1]) else row[1] for row in updates[::2]]
    assert used == targets


def test_epsilon_schedules_count_games_or_visits():
    Q = np.zeros(wide.legal.shape)
    Q[0, 0] = 1.0
    even = policy.uniform(wide.legal)

    def greedy_firsts(epsilon, games, visits):
        settings = {"alpha": 1e-9, "epsilon": epsilon}
        start = learning.new_learner(wide, "q_learning", rng(0), **settings)
        seen = start.visits.copy()
        seen[0] = visits
        count = 0
        for seed in range(100):
            begun = start._replace(Q=Q, visits=seen, games=games, rng=rng(seed))
            count += learning.train(wide, begun, 1, even, side=1).updates[0, 0]
        return count

    assert greedy_firsts(schedules.linear(1, 0, 20), games=50, visits=0) == 100
    assert 40 < greedy_firsts(schedules.power(), games=50, visits=1) < 80


@boards
@sides
def test_result_has_opposite_signs_for_the_two_sides(g, side):
    one, two = some_policy(g, 1), sparse_policy(g, 2)
    mine = evaluation.result(g, one, two, side)
    theirs = evaluation.result(g, two, one, -side)
    assert mine == theirs[::-1]
    assert np.isclose(mine.value, -theirs.value)


@boards
def test_perfect_play_has_zero_exploitability(g):
    assert np.allclose(evaluation.exploitability(g, search.perfect(g)), 0)
    random = evaluation.exploitability(g, some_policy(g, 1))
    assert min(random) >= -1e-12
    assert max(random) <= 2
    value = float(search.solve(g).V[0])
    for side, lost in ((+1, random.first), (-1, random.second)):
        worst = evaluation.worst_case(g, some_policy(g, 1), side)[0]
        assert np.isclose(lost, side * value - worst)


@boards
@sides
def test_worst_case_is_the_result_against_the_best_response(g, side):
    mine = some_policy(g, 4)
    reply = evaluation.best_response(g, mine, -side)
    assert np.isclose(
        evaluation.result(g, mine, reply.policy, side).value,
        evaluation.worst_case(g, mine, side)[0],
    )
    name = {1: "first", -1: "second"}[side]
    row = evaluation.scores(g, mine, side)
    assert np.isclose(row[f"worst_{name}"], evaluation.worst_case(g, mine, side)[0])
    assert np.isclose(evaluation.scores(g, mine)[f"worst_{name}"], row[f"worst_{name}"])
    random = policy.uniform(g.legal)
    assert np.isclose(row[f"win_{name}"], evaluation.result(g, mine, random, side).win)


@boards
@sides
def test_best_response_uses_the_rewards_of_its_side(g, side):
    opponent = some_policy(g, 5)
    reply = evaluation.best_response(g, opponent, side, rewards=(3, 1, -4))
    ends = evaluation.result(g, reply.policy, opponent, side)
    assert np.isclose(reply.V[0], np.dot(ends, (3, 1, -4)))


@sides
def test_reachable_against_any_selects_decisions_of_the_side(side):
    mine = sparse_policy(game, 3)
    reachable = evaluation.reachable_against_any(game, mine, side)
    assert reachable.any()
    assert (game.to_move[reachable] == side).all()
    share, positions = evaluation.share_optimal(game, mine, reachable)
    assert positions == reachable.sum()
    best = policy.best(search.solve(game).Q, game.legal)
    assert np.isclose(share, (mine * best).sum(axis=1)[reachable].mean())


@boards
def test_safe_and_greedy_wins_most_among_perfect_policies(g):
    """Also from lost positions, where it still maximises wins."""
    opponent = some_policy(g, 1)
    safe = policy.best(search.solve(g).Q, g.legal)
    policy_ = evaluation.safe_and_greedy(g, opponent)
    for side in (+1, -1):
        most = evaluation.best_response(g, opponent, side, (1, 0, 0), safe)
        both = (policy_, opponent) if side == 1 else (opponent, policy_)
        wins = evaluation.win_draw_loss(g, *both)[:, 1 - side]
        assert np.allclose(wins[~g.terminal], most.V[~g.terminal])


def test_sampled_matches_are_near_the_exact_probabilities():
    one, two = some_policy(wide, 1), some_policy(wide, 2)
    for start in (0, 5, 40):
        match = sampling.sample_match(wide, one, two, 4000, rng(start), start)
        assert np.allclose(match.exact, evaluation.win_draw_loss(wide, one, two)[start])
        assert np.abs(match.counts / 4000 - match.exact).max() < 0.04


def test_growth_estimate_errors_match_the_standard_error():
    right = growth.count(3, 3, 3).positions
    errors = []
    for seed in range(20):
        estimate = growth.estimate(3, 3, 3, 100, rng(seed))
        known = estimate.positions_error > 0
        difference = (estimate.positions - right)[known]
        errors += [difference / estimate.positions_error[known]]
    spread = np.sqrt(np.mean(np.concatenate(errors) ** 2))
    assert 0.6 < spread < 1.5


def test_drawing_move_has_value_zero():
    w = np.full(len(features.names()), 0.5)
    last = game.find("XXOOOXXO.")
    assert features.action_values(game.board[[last]], w)[0, 8] == 0


def test_final_reward_is_not_discounted():
    nothing = np.zeros(len(features.names()))
    w = features.self_play(nothing, 5, 0.1, 1.0, rng(1), gamma=1e-9)
    assert abs(w).max() > 1e-3


def test_td_system_negates_the_value_of_the_next_player():
    """With a constant feature, the estimate of the next board is subtracted."""
    x, random = np.ones((len(game.code), 1)), policy.uniform(game.legal)
    weight = evaluation.reach(game, random, random)
    far, near = (
        features.td_system(game, x, random, weight, gamma)[0].item()
        for gamma in (1.0, 0.0)
    )
    assert far > near > 0


@sides
def test_reinforce_follows_the_gradient_of_its_side(side):
    x = search.solve(game).V[:, np.newaxis]
    start = reinforce.Weights(np.zeros(1), np.zeros(1))
    random = policy.uniform(game.legal)
    slope = reinforce.exact_gradient(game, x, np.zeros(1), random, side)
    settings = {"side": side, "alpha": 1e-4, "alpha_w": 0.0, "rng": rng(0)}
    after = reinforce.reinforce(game, x, start, 500, random, **settings)
    assert np.sign(after.theta[0]) == np.sign(slope[0]) == side


def test_baseline_is_taken_at_each_decision():
    x, theta = rng(3).normal(size=(len(game.code), 2)), np.zeros(2)
    moves = [4, 1, 0, 2, 8]
    path = games.positions(game, moves)
    baseline = np.zeros(len(game.code))
    baseline[path[2]] = 0.75
    plain, other = (
        reinforce.sampled_gradient(game, x, theta, moves, baseline=b)
        for b in (0.0, baseline)
    )
    score = reinforce.score(game, x, reinforce.policy(game, x, theta))
    assert np.allclose(plain - other, 0.75 * score[path[2], moves[2]])


@sides
def test_standings_count_losses_of_the_agent(side):
    mine = some_policy(game, 2)
    to_random, worst = standings.loses(game, mine, side)
    random = policy.uniform(game.legal)
    assert np.isclose(to_random, evaluation.result(game, mine, random, side).loss)
    reply = evaluation.best_response(game, mine, -side, (1, 0, 0)).policy
    assert np.isclose(worst, evaluation.result(game, mine, reply, side).loss)


def test_pettingzoo_masks_and_observations_are_per_player():
    match = envs.env(rows=2, columns=3)
    match.reset()
    moves = [4, 0, 5]
    for t, action in enumerate([*moves, None]):
        mover = match.agent_selection
        (waits,) = {"player_1", "player_2"} - {mover}
        sees, other = match.observe(mover), match.observe(waits)
        free = [int(cell not in moves[:t]) for cell in range(6)]
        assert sees["action_mask"].tolist() == free
        assert not other["action_mask"].any()
        mine, theirs = np.moveaxis(sees["observation"].reshape(6, 2), 1, 0)
        assert set(np.flatnonzero(mine)) == set(moves[t % 2 : t : 2])
        assert set(np.flatnonzero(theirs)) == set(moves[1 - t % 2 : t : 2])
        assert (other["observation"] == sees["observation"][..., ::-1]).all()
        if action is not None:
            match.step(action)


@pytest.mark.parametrize("moves", [[4, 1, 0, 2, 8], [0, 4, 1, 2, 3, 6]], ids=len)
def test_pettingzoo_rewards_winner_and_loser(moves):
    match = envs.env()
    match.reset()
    for action in moves:
        last = match.agent_selection
        match.step(action)
    assert match.rewards[last] == 1
    assert sorted(match.rewards.values()) == [-1, 1]


@pytest.mark.parametrize("side", ["first", "second"])
def test_gymnasium_observation_and_reward_are_those_of_the_agent(side):
    env = gymnasium.make(
        "TicTacToe-v0", side=side, opponent="perfect lowest", rewards=(5, 2, -7)
    )
    board, info = env.reset(seed=1)
    while True:
        before = board
        action = int(np.flatnonzero(info["action_mask"])[-1])
        board, reward, over, _, info = env.step(action)
        assert board.ravel()[action] == 1
        assert before.ravel()[action] == 0
        if over:
            break
    assert (board.ravel()[rules.LINES] == -1).all(axis=1).any()
    assert reward == -7


def test_policy_from_passes_own_marks_as_ones():
    seen = set()

    def function(board, mask):
        seen.add(int(board.sum()))
        return int(mask.argmax())

    envs.policy_from(function, wide)
    assert seen == {0, -1}  # the opponent has as many marks, or one more


def test_one_sided_opponent_plays_its_side():
    env = envs.TicTacToeEnv(side="second", opponent="menace")
    board, _ = env.reset(seed=0)
    assert board.sum() == -1
