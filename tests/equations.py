"""One numerical check for each labelled equation of the book, keyed by its label.

Each check writes the equation a second time, straight from the page,
and compares the library.
"""

from fractions import Fraction
from itertools import pairwise, product
from math import comb, isclose, log, sqrt

import numpy as np
from pages import BOOK, code
from studies import q_limits, td_lambda

from ttt_lib import (
    evaluation,
    learning,
    mdp,
    menace,
    planning,
    rules,
    schedules,
    search,
)
from ttt_lib.game import images, most_positions, symmetry_class, tables
from ttt_lib.policy import greedy, join, uniform

CHECKS = {}
game = tables()


def equation(label):
    """Register a check under the label of its equation."""

    def register(check):
        CHECKS[label] = check
        return check

    return register


def afterstates(s):
    return [int(game.next[s, a]) for a in range(9) if game.legal[s, a]]


def backwards(at_end, otherwise):
    """Return [f(s)]: at_end(s) at the end, else otherwise(s, f of its afterstates)."""
    f = [0] * len(game.code)
    for s in reversed(range(len(f))):
        f[s] = (
            at_end(s)
            if game.terminal[s]
            else otherwise(s, [f[after] for after in afterstates(s)])
        )
    return f


@equation("eq-code")
def code_is_a_sum_of_digits():
    for s in range(len(game.code)):
        digits = [{0: 0, 1: 1, -1: 2}[mark] for mark in game.board[s].tolist()]
        assert game.code[s] == sum(d * 3**i for i, d in enumerate(digits))


@equation("eq-turns")
def boards_with_turns_taken():
    total = sum(comb(9, n) * comb(n, n // 2) for n in range(10))
    every = np.array([0, 1, -1])[np.arange(3**9)[:, None] // 3 ** np.arange(9) % 3]
    assert (
        total == most_positions(9) == np.isin(every.sum(axis=1), (0, 1)).sum() == 6046
    )


@equation("eq-games")
def games_from_each_position():
    assert backwards(lambda s: 1, lambda s, below: sum(below))[0] == 255_168


@equation("eq-nodes")
def nodes_of_the_tree():
    assert backwards(lambda s: 1, lambda s, below: 1 + sum(below))[0] == 549_946


@equation("eq-random")
def probability_of_winning():
    # The page's sum, with the policy written out: π(a|s) = 1 / (number of legal a).
    p = backwards(
        lambda s: Fraction(int(game.outcome[s] == 1)),
        lambda s, below: sum(Fraction(1, len(below)) * each for each in below),
    )
    play = uniform(game.legal)
    library = evaluation.win_draw_loss(game, play, join(play, play, game.to_move))[:, 0]
    assert all(isclose(x, y, abs_tol=1e-12) for x, y in zip(p, library, strict=True))


@equation("eq-wilson")
def ends_of_the_interval():
    z = 1.959964
    for n, wins in ((10, 0), (10, 7), (1000, 585)):
        p = wins / n
        root = z * sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        ends = [
            (p + z**2 / (2 * n) + sign * root) / (1 + z**2 / n) for sign in (-1, +1)
        ]
        assert np.allclose(evaluation.wilson_interval(wins, n), ends, atol=1e-12)


@equation("eq-perfect")
def value_of_perfect_play():
    v = backwards(
        lambda s: int(rules.winner(game.board[s])),
        lambda s, below: max(below) if game.to_move[s] == 1 else min(below),
    )
    assert v[0] == 0


@equation("eq-burnside")
def classes_by_unchanged_positions():
    unchanged = (images(game) == np.arange(len(game.code))).sum()
    assert unchanged / 8 == len(set(symmetry_class(game).tolist())) == 765


# Chapter 4. The equations are written out for the second player against random play.


def next_decisions(s, a):
    """Yield (p, r, s') for move a of the second player; s' is None at the end."""
    after = int(game.next[s, a])
    if game.terminal[after]:
        yield Fraction(1), -int(game.outcome[after]), None
        return
    replies = afterstates(after)
    for s_next in replies:
        over = game.terminal[s_next]
        reward = -int(game.outcome[s_next])
        yield Fraction(1, len(replies)), reward, None if over else s_next


def best_on_offer(v, gamma=1, win_draw_loss=(1, 0, -1)):
    """Return {s: max_a Σ p (r + γ v(s'))} for the second player."""
    rewards = dict(zip((1, 0, -1), win_draw_loss, strict=True))
    return {
        s: max(
            sum(
                p * (rewards[r] if s_next is None else gamma * v[s_next])
                for p, r, s_next in next_decisions(s, a)
            )
            for a in np.flatnonzero(game.legal[s]).tolist()
        )
        for s in v
    }


def second_against_random(rewards=(1, 0, -1)):
    return mdp.against(game, uniform(game.legal), side=-1, rewards=rewards)


def settled(**settings):
    """Return v_* by the page's sweeps, exactly."""
    v = dict.fromkeys(second_against_random().position.tolist(), Fraction(0))
    while (new := best_on_offer(v, **settings)) != v:
        v = new
    return v


@equation("eq-value-iteration")
def sweeps_over_the_best():
    problem, gamma = second_against_random(), Fraction(9, 10)
    v = dict.fromkeys(problem.position.tolist(), Fraction(0))
    V = np.zeros(len(v))
    for _ in range(5):
        v, V = best_on_offer(v, gamma), planning.optimality_backup(problem, V, 0.9)
        assert np.allclose(V, [float(each) for each in v.values()], atol=1e-12)


@equation("eq-urgency")
def urgency_of_the_states_before():
    # A change of v(s') by d can change no pair's value by more than γ p(s'|s, a) d.
    problem, gamma = second_against_random(), 0.9
    p = mdp.transition_matrix(problem).toarray()
    state = mdp.state_of(problem)
    V = planning.optimality_backup(problem, np.zeros(len(problem.position)), gamma)
    before = planning.optimality_backup(problem, V, gamma)
    for s_next in np.random.default_rng(0).integers(1000, len(V), 20):
        changed = V.copy()
        changed[s_next] += 0.5
        after = planning.optimality_backup(problem, changed, gamma)
        urgency = np.zeros(len(V))
        np.maximum.at(urgency, state, gamma * p[:, s_next] * 0.5)
        assert (abs(after - before) <= urgency + 1e-12).all()


@equation("eq-linear-programme")
def least_values_that_no_action_beats():
    problem = second_against_random()
    V = planning.linear_programme(problem, 1).V
    v = dict(zip(problem.position.tolist(), V.tolist(), strict=True))
    offers = np.array(list(best_on_offer(v).values()), dtype=float)
    assert (offers <= V + 1e-12).all()  # the conditions; the best pair is equal:
    assert np.allclose(V, offers, atol=1e-12)


@equation("eq-worst-case")
def least_value_over_all_opponents():
    # On 2 × 2 cells all deterministic first players can be tried against one second.
    small = tables(2, 2, 2)
    second = greedy(np.zeros(small.legal.shape), small.legal, "lowest")
    mine = [s for s in range(len(small.code)) if small.to_move[s] == 1]
    mine = [s for s in mine if not small.terminal[s]]
    values = []
    for moves in product(*(np.flatnonzero(small.legal[s]) for s in mine)):
        first = np.zeros(small.legal.shape)
        first[mine, list(moves)] = 1
        win, _, loss = evaluation.win_draw_loss(small, first, second)[0]
        values.append(loss - win)
    frozen = mdp.against(small, second, side=+1)
    assert min(values) == -planning.backward_induction(frozen, 1).start_value[0] == -1


@equation("eq-affine")
def a_multiple_and_a_constant():
    c, d = 3, Fraction(5, 2)
    changed = settled(win_draw_loss=(c + d, d, d - c))
    assert changed == {s: c * value + d for s, value in settled().items()}
    library = planning.optimal_values(second_against_random((5.5, 2.5, -0.5)), 1)
    assert np.allclose(library, [float(value) for value in changed.values()])


# Chapter 2: the decision problem of one side, written out with the rules.


def answers(s, a, opponent, side):
    """Yield (probability, reward, next state, or None at the end) of a pair."""
    after = int(game.next[s, a])
    if game.terminal[after]:
        yield 1.0, side * int(game.outcome[after]), None
        return
    for b in range(9):
        if game.legal[after, b]:
            s_next = int(game.next[after, b])
            end = bool(game.terminal[s_next])
            reward = side * int(game.outcome[s_next])
            yield opponent[after, b], reward, None if end else s_next


def problems():
    """Yield (MDP, opponent, side): random play and a lopsided opponent."""
    lopsided = np.random.default_rng(2).random(game.legal.shape) * game.legal
    lopsided /= np.where(game.terminal, 1, lopsided.sum(axis=1))[:, None]
    for opponent in (uniform(game.legal), lopsided):
        for side in (+1, -1):
            yield mdp.against(game, opponent, side), opponent, side


def pairs(problem):
    """Return (pair, position, action) of every pair."""
    position = problem.position[mdp.state_of(problem)].tolist()
    return list(enumerate(zip(position, problem.action.tolist(), strict=True)))


@equation("eq-transition")
def probabilities_of_the_next_states():
    for problem, opponent, side in problems():
        P = mdp.transition_matrix(problem)
        for pair, (s, a) in pairs(problem)[::7]:
            row = dict.fromkeys(problem.position.tolist(), 0.0)
            for p, _, s_next in answers(s, a, opponent, side):
                if s_next is not None:
                    row[s_next] = p
            assert P[[pair]].toarray()[0].tolist() == list(row.values())


@equation("eq-pair-reward")
def expected_reward_of_a_pair():
    for problem, opponent, side in problems():
        for pair, (s, a) in pairs(problem):
            r = sum(p * reward for p, reward, _ in answers(s, a, opponent, side))
            assert isclose(problem.reward[pair], r, abs_tol=1e-12)


@equation("eq-start")
def value_of_the_whole_game():
    play = uniform(game.legal)
    for problem, opponent, side in problems():
        V = planning.linear_solve(problem, planning.uniform(problem), 1).V
        v = sum(p * value for p, value in zip(problem.start, V, strict=True))
        both = (play, opponent) if side == 1 else (opponent, play)
        win, _, loss = evaluation.win_draw_loss(game, *both)[0]
        assert isclose(v, side * (win - loss), abs_tol=1e-12)


@equation("eq-return")
def expected_return_of_all_futures():
    def expected(s, discount):
        total, cells = 0.0, np.flatnonzero(game.legal[s])
        for a in cells:
            for p, reward, s_next in answers(s, a, opponent, +1):
                later = 0 if s_next is None else expected(s_next, discount * gamma)
                total += p * (discount * reward + later) / len(cells)
        return total

    gamma = 0.9
    problem, opponent, _ = next(problems())
    V = planning.policy_evaluation(problem, planning.uniform(problem), gamma).V
    for s in (game.find("XX.OO...."), game.find("O.X/.XO/OX.")):
        index = np.searchsorted(problem.position, s)
        assert isclose(V[index], expected(s, 1), abs_tol=1e-12)


def backed_up(problem, V, opponent, side, gamma):
    """Return q(s, a) of each pair from the values V of the states."""
    value = dict(zip(problem.position.tolist(), V.tolist(), strict=True)) | {None: 0.0}
    return [
        sum(p * r for p, r, _ in answers(s, a, opponent, side))
        + gamma
        * sum(p * value[s_next] for p, _, s_next in answers(s, a, opponent, side))
        for _, (s, a) in pairs(problem)
    ]


@equation("eq-action-value")
def value_of_an_action():
    for problem, opponent, side in problems():
        V = np.random.default_rng(3).normal(size=len(problem.position))
        q = backed_up(problem, V, opponent, side, 0.9)
        assert np.allclose(planning.q_from_v(problem, V, 0.9), q, atol=1e-12)


@equation("eq-bellman")
def values_of_a_policy_solve_its_equation():
    for problem, opponent, side in problems():
        policy = planning.uniform(problem)
        V = planning.linear_solve(problem, policy, 0.9).V
        q = np.array(backed_up(problem, V, opponent, side, 0.9))
        v = np.bincount(mdp.state_of(problem), policy * q)
        assert np.allclose(V, v, atol=1e-12)


@equation("eq-bellman-optimality")
def best_values_solve_their_equation():
    for problem, opponent, side in problems():
        V = planning.value_iteration(problem, 0.9).V
        q = backed_up(problem, V, opponent, side, 0.9)
        best = np.full(len(V), -np.inf)
        np.maximum.at(best, mdp.state_of(problem), q)
        assert np.allclose(V, best, atol=1e-12)


@equation("eq-points")
def points_and_outcomes_are_one_problem():
    play = uniform(game.legal)
    for side in (+1, -1):
        V = [
            planning.optimal_values(mdp.against(game, play, side, rewards), 1)
            for rewards in ((1, 0.5, 0), (1, 0, -1))
        ]
        assert np.allclose(V[0], (V[1] + 1) / 2, atol=1e-12)


# Chapter 3: evaluating and improving a policy.


def lopsided_policies():
    """Yield (MDP, opponent, side, policy) with uneven policies on both sides."""
    for problem, opponent, side in problems():
        weight = np.random.default_rng(4).random(len(problem.action))
        state = mdp.state_of(problem)
        yield problem, opponent, side, weight / np.bincount(state, weight)[state]


@equation("eq-sweep")
def one_sweep_along_a_policy():
    for problem, opponent, side, policy in lopsided_policies():
        V = np.random.default_rng(5).normal(size=len(problem.position))
        q = np.array(backed_up(problem, V, opponent, side, 0.9))
        new = np.bincount(mdp.state_of(problem), policy * q)
        library = planning.expectation_backup(problem, policy, V, 0.9)
        assert np.allclose(library, new, atol=1e-12)


@equation("eq-linear")
def values_of_a_policy_solve_linear_equations():
    for problem, opponent, side, policy in lopsided_policies():
        n = len(problem.position)
        index = {s: i for i, s in enumerate(problem.position.tolist())}
        P, r = np.zeros((n, n)), np.zeros(n)
        for pair, (s, a) in pairs(problem):
            for p, reward, s_next in answers(s, a, opponent, side):
                r[index[s]] += policy[pair] * p * reward
                if s_next is not None:
                    P[index[s], index[s_next]] += policy[pair] * p
        V = planning.linear_solve(problem, policy, 0.9).V
        assert np.allclose((np.eye(n) - 0.9 * P) @ V, r, atol=1e-12)


@equation("eq-greedy")
def greedy_takes_an_action_of_largest_value():
    for problem, *_, policy in lopsided_policies():
        V = planning.linear_solve(problem, policy, 1).V
        q = planning.q_from_v(problem, V, 1)
        chosen = np.flatnonzero(planning.greedy(problem, q, ties="lowest"))
        for s in range(len(V)):
            offers = q[problem.first[s] : problem.first[s + 1]]
            assert q[chosen[s]] >= offers.max() - 1e-9


@equation("eq-improvement")
def a_greedy_step_makes_no_state_worse():
    for problem, *_, policy in lopsided_policies():
        state = mdp.state_of(problem)
        for gamma in (1, 0.9):
            v = planning.linear_solve(problem, policy, gamma).V
            q = planning.q_from_v(problem, v, gamma)
            better = planning.greedy(problem, q)
            assert (np.bincount(state, better * q) >= v - 1e-12).all()
            improved = planning.linear_solve(problem, better, gamma).V
            assert (improved >= v - 1e-12).all()
            assert (improved > v + 1e-3).any()


# Chapter 5


@equation("eq-negamax")
def worth_to_the_side_to_move():
    gamma = 0.9
    q = np.zeros(game.legal.shape)
    for s in reversed(np.flatnonzero(~game.terminal).tolist()):
        for a in np.flatnonzero(game.legal[s]).tolist():
            after = int(game.next[s, a])
            if rules.winner(game.board[after]) != 0:
                q[s, a] = 1
            elif (game.board[after] == 0).any():
                q[s, a] = -gamma * q[after][game.legal[after]].max()
    assert np.allclose(search.solve(game, gamma).Q, q, atol=1e-12)


@equation("eq-exploitability")
def what_the_worst_opponents_take():
    def least(policy, side):
        """Return the worst case of `policy`: the other side minimises."""
        v = [0] * len(game.code)
        for s in reversed(range(len(v))):
            if game.terminal[s]:
                v[s] = side * int(game.outcome[s])
            elif game.to_move[s] == side:
                v[s] = sum(
                    policy[s, a] * v[game.next[s, a]]
                    for a in np.flatnonzero(policy[s]).tolist()
                )
            else:
                v[s] = min(v[after] for after in afterstates(s))
        return v[0]

    lowest = greedy(np.zeros(game.legal.shape), game.legal, "lowest")
    for policy in (uniform(game.legal), lowest, search.perfect(game)):
        w_1, w_2 = least(policy, +1), least(policy, -1)
        e = ((0 - w_1) + (0 - w_2)) / 2
        assert isclose(evaluation.exploitability(game, policy).mean, e, abs_tol=1e-12)


# Chapter 6


def page_functions(page, *names):
    """Return what the cells of a page define that define one of the names."""
    space = {"np": np, "RUNS": 4, "PLAYS": 3}
    for cell in code(BOOK / f"{page}.ipynb"):
        if any(f"def {name}(" in cell.source for name in names):
            exec(cell.source, space)
    return [space[name] for name in names]


@equation("eq-running-mean")
def moving_by_1_over_n_gives_the_mean():
    results = np.random.default_rng(0).normal(size=50)
    Q, by_page = np.zeros(1), 0.0
    for n, r in enumerate(results, start=1):
        by_page = by_page + 1 / n * (r - by_page)
        learning.update(Q, 0, r, 1 / n)
        assert isclose(Q[0], by_page)
        assert isclose(Q[0], results[:n].mean())


@equation("eq-ucb")
def the_largest_upper_bound():
    ucb, _ = page_functions("06_menace", "ucb", "best")
    rng = np.random.default_rng(1)
    for t in (10, 100, 5000):
        Q, N = rng.normal(size=(4, 9)), rng.integers(1, t, size=(4, 9))
        bound = [
            [Q[i, a] + 0.5 * sqrt(log(t) / N[i, a]) for a in range(9)] for i in range(4)
        ]
        assert ucb(Q, N, t, rng).tolist() == np.argmax(bound, axis=1).tolist()
        N[:, 3] = 0
        assert ucb(Q, N, t, rng).tolist() == [3] * 4


@equation("eq-robbins-monro")
def steps_of_any_length_and_noise_that_fades():
    def doublings(schedule, power):
        """Return Σ α_n^power over n from 2^i to 2^(i+1), for i = 0, …, 16."""
        alpha = [schedules.scheduled(schedule, 0, n) ** power for n in range(1, 2**17)]
        return [sum(alpha[2**i - 1 : 2 ** (i + 1) - 1]) for i in range(17)]

    for k in (0.6, 0.7, 0.8, 1):
        assert min(doublings(schedules.power(1, k), 1)) > 0.5, "no end to the sum"
        squares = doublings(schedules.power(1, k), 2)
        assert all(b < 0.95 * a for a, b in pairwise(squares)), "a geometric series"
    squares = doublings(schedules.constant(0.1), 2)
    assert all(b > a for a, b in pairwise(squares))
    squares = doublings(schedules.power(1, 0.5), 2)
    assert min(squares) > 0.5, "one half is not enough"
    assert sum(doublings(schedules.power(0.5, 2), 1)) < 0.83, "π²/12"


@equation("eq-beads")
def a_bead_at_random_from_the_box():
    boxes = menace.new_matchboxes(game, np.random.default_rng(2))
    boxes = menace.train(game, boxes, 500, uniform(game.legal))
    policy = menace.bead_policy(game, boxes)
    box = symmetry_class(game)
    for s in np.flatnonzero((box == np.arange(len(box))) & (game.count > 1)):
        n = boxes.beads[s]
        for a in np.flatnonzero(game.legal[s]):
            colour = boxes.kind[s, a]
            cells = [b for b in range(9) if boxes.kind[s, b] == colour]
            if n.sum() > 0:
                total = sum(policy[s, b] for b in cells)
                assert isclose(total, n[colour] / sum(n), abs_tol=1e-12)
                assert isclose(policy[s, a], total / len(cells), abs_tol=1e-12)


@equation("eq-bead-drift")
def proportions_climb_the_slope_of_the_average():
    gains = {3: 0.5, 1: 0.2, -1: 0.3}, {3: 0.1, 1: 0.3, -1: 0.6}, {3: 0, 1: 1, -1: 0}
    m = [sum(gain * p for gain, p in each.items()) for each in gains]
    for scale in (100, 1000, 10_000):
        n = np.array([2, 3, 5]) * scale
        N, pi = n.sum(), n / n.sum()
        change = np.zeros(3)  # the exact expected value
        for a, each in enumerate(gains):
            for gain, p in each.items():
                after = n + gain * (np.arange(3) == a)
                change += pi[a] * p * (after / after.sum() - pi)
        by_page = 1 / N * pi * (m - pi @ m)
        assert np.allclose(N * change, N * by_page, atol=10 / N)
        assert np.abs(N * by_page).max() > 0.05
        # With H = ln n the boxes are a softmax, and H(a) grows by m_a / N on average.
        growth = [
            sum(p * pi[a] * log((n[a] + gain) / n[a]) for gain, p in each.items())
            for a, each in enumerate(gains)
        ]
        assert np.allclose(np.multiply(N, growth), m, atol=30 / N)


@equation("eq-gradient-bandit")
def preferences_climb_the_slope_of_the_reward():
    # On average the step is α times the slope of the average reward, …
    H, q, alpha = np.array([0.3, -0.2, 0.5]), np.array([0.2, 0.9, -0.4]), 0.1
    softmax = lambda H: np.exp(H) / np.exp(H).sum()  # noqa: E731
    pi, taken = softmax(H), np.eye(3)
    step = sum(pi[A] * alpha * (q[A] - 0.7) * (taken[A] - pi) for A in range(3))
    for a in range(3):
        slope = (
            softmax(H + 1e-6 * taken[a]) @ q - softmax(H - 1e-6 * taken[a]) @ q
        ) / 2e-6
        assert isclose(step[a], alpha * slope, abs_tol=1e-8)
        assert isclose(step[a], alpha * pi[a] * (q[a] - pi @ q), abs_tol=1e-12)
    # … and the page takes this step.
    (gradient_bandit,) = page_functions("06_menace", "gradient_bandit")
    of_page = gradient_bandit.__globals__
    of_page |= {"kinds": np.arange(3), "rewards": lambda a, rng: a - 0.5}
    shares, rng = (
        gradient_bandit(0.1, 6, np.random.default_rng(3)),
        np.random.default_rng(3),
    )
    H, mean = np.zeros((4, 3)), np.zeros(4)
    for t in range(6):
        luck = rng.random((4, 1))
        for i in range(4):
            pi = softmax(H[i])
            assert isclose(shares[t, i], pi[2])
            A = int(np.argmax(luck[i] < pi.cumsum()))
            H[i] += 0.1 * (A - 0.5 - mean[i]) * ((np.arange(3) == A) - pi)
            mean[i] += (A - 0.5 - mean[i]) / (t + 1)


# Chapter 7


def experience(seed=0, **settings):
    """Return a TD learner, what it knew before a game of the second player, and after.

    The game is a list of (state, reward, next state), 0 for a finished one.
    """
    rng, gamma = np.random.default_rng(seed), 0.9
    play = uniform(game.legal)
    learner = learning.new_learner(
        game, "td_prediction", rng, alpha=0.3, gamma=gamma, **settings
    )
    learner = learning.train(game, learner, 300, play, side=-1, behaviour=play)
    s, actions, states = 0, [], []
    while not game.terminal[s]:
        if game.to_move[s] == -1:
            states.append(s)
        actions.append(int(rng.choice(np.flatnonzero(game.legal[s]))))
        s = int(game.next[s, actions[-1]])
    rewards = [0] * (len(states) - 1) + [-int(game.outcome[s])]
    steps = list(zip(states, rewards, [*states[1:], 0], strict=True))
    after, _ = learning.learn_game(game, learner, actions, side=-1)
    return steps, np.append(0, learner.V[1:]), np.append(0, after.V[1:])


@equation("eq-td")
def one_step_of_td():
    for seed in range(20):
        steps, V, learned = experience(seed)
        for s, r, s_next in steps:
            V[s] = V[s] + 0.3 * (r + 0.9 * V[s_next] - V[s])
        assert np.allclose(learned, V, atol=1e-12)


@equation("eq-n-step")
def n_steps_of_rewards_and_then_an_estimate():
    for seed, n in product(range(10), (1, 2, 3)):
        steps, V, learned = experience(seed, n=n)
        for t in range(len(steps)):
            ahead = steps[t : t + n]
            G = sum(0.9**k * r for k, (_, r, _) in enumerate(ahead))
            G += 0.9 ** len(ahead) * V[ahead[-1][2]]
            s = steps[t][0]
            V[s] = V[s] + 0.3 * (G - V[s])
        assert np.allclose(learned, V, atol=1e-12)


@equation("eq-lambda-return")
def a_share_of_each_return():
    def lambda_return(t, steps, V):
        if t == len(steps):
            return 0
        _, r, s_next = steps[t]
        return r + 0.9 * ((1 - 0.7) * V[s_next] + 0.7 * lambda_return(t + 1, steps, V))

    for seed in range(20):
        steps, V, learned = experience(seed, lambda_=0.7)
        for t, (s, *_) in enumerate(steps):
            V[s] = V[s] + 0.3 * (lambda_return(t, steps, V) - V[s])
        assert np.allclose(learned, V, atol=1e-12)


@equation("eq-rms")
def error_weighted_by_visits():
    judged, opponent, _, mu = td_lambda.judgement()
    p, v = np.zeros((2, len(game.code)))
    p[0] = 1
    for s in range(len(p)):
        for a in np.flatnonzero(game.legal[s]):
            move = opponent if game.to_move[s] == 1 else judged
            p[game.next[s, a]] += p[s] * move[s, a]
    own = (game.to_move == -1) & ~game.terminal
    assert np.allclose(mu, np.where(own, p, 0) / p[own].sum(), atol=1e-12)
    problem = mdp.against(game, opponent, side=-1)
    packed = judged[problem.position[mdp.state_of(problem)], problem.action]
    v[problem.position] = planning.linear_solve(problem, packed, 1).V
    learner = learning.new_learner(
        game, "td_prediction", np.random.default_rng(1), alpha=0.1, lambda_=0.8
    )
    errors = []
    for games in td_lambda.GAMES:
        more = games - learner.games
        learner = learning.train(game, learner, more, opponent, -1, judged)
        terms = (mu[s] * (v[s] - learner.V[s]) ** 2 for s in range(len(v)))
        errors.append(sqrt(sum(terms)))
    found = td_lambda.trial(("lambda_", 0.8, 0.1), np.random.default_rng(1))
    assert np.allclose(found, errors, atol=1e-5)


# Chapter 8


def lessons(method, seed):
    """Return a game of the second player, the tables before it, the learner after.

    The game is a list of (s, a, r, s', a'); s' and a' are None at the end.
    """
    rng, gamma = np.random.default_rng(seed), 0.9
    learner = learning.new_learner(game, method, rng, alpha=0.3, gamma=gamma)
    for table in (learner.Q, learner.Q1, learner.Q2):
        if table is not None:
            table[game.legal] = rng.normal(size=game.legal.sum())
    s, states, actions = 0, [], []
    while not game.terminal[s]:
        states.append(s)
        actions.append(int(rng.choice(np.flatnonzero(game.legal[s]))))
        s = int(game.next[s, actions[-1]])
    own = list(zip(states[1::2], actions[1::2], strict=True))
    rewards = [0] * (len(own) - 1) + [-int(game.outcome[s])]
    steps = [
        (*pair, r, *after)
        for pair, r, after in zip(own, rewards, [*own[1:], (None, None)], strict=True)
    ]
    tables = [None if t is None else t.copy() for t in learner[2:5]]
    return steps, tables, learning.learn_game(game, learner, actions, side=-1)[0]


def offers(Q, s):
    """Return {a: Q(s, a)} of the legal actions."""
    return {a: Q[s, a] for a in np.flatnonzero(game.legal[s]).tolist()}


def learned_towards(method, what_follows):
    for seed in range(20):
        steps, (Q, *_), learner = lessons(method, seed)
        for s, a, r, s_next, a_next in steps:
            rest = 0 if s_next is None else what_follows(Q, s_next, a_next)
            Q[s, a] = Q[s, a] + 0.3 * (r + 0.9 * rest - Q[s, a])
        assert np.allclose(learner.Q, Q, atol=1e-12)


@equation("eq-sarsa")
def the_next_action():
    learned_towards("sarsa", lambda Q, s, a: Q[s, a])


@equation("eq-expected-sarsa")
def the_average_action():
    def average(Q, s, _):
        q = list(offers(Q, s).values())
        return 0.9 * max(q) + 0.1 * sum(q) / len(q)

    learned_towards("expected_sarsa", average)


@equation("eq-q-learning")
def the_best_action():
    learned_towards("q_learning", lambda Q, s, _: max(offers(Q, s).values()))


@equation("eq-double-q")
def the_best_action_with_a_second_opinion():
    for seed in range(20):
        steps, (_, *tables), learner = lessons("double_q_learning", seed)
        for s, a, r, s_next, _ in steps:
            learns = [
                i for i in (0, 1) if learner[3 + i][s, a] != tables[i][s, a]
            ]  # the coin cannot be seen
            assert len(learns) == 1
            one, other = tables[learns[0]], tables[1 - learns[0]]
            rest = 0
            if s_next is not None:
                q = offers(one, s_next)
                rest = other[s_next, max(q, key=q.get)]
            one[s, a] = one[s, a] + 0.3 * (r + 0.9 * rest - one[s, a])
        assert np.allclose(learner.Q1, tables[0], atol=1e-12)
        assert np.allclose(learner.Q2, tables[1], atol=1e-12)


@equation("eq-minimax-q")
def minus_the_best_of_the_opponent():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        Q = np.where(game.legal, rng.normal(size=game.legal.shape), 0)
        learner = learning.new_learner(game, "minimax_q", rng, alpha=0.3, gamma=0.9)
        learner.Q[:], s, actions, states = Q, 0, [], []
        while not game.terminal[s]:
            states.append(s)
            actions.append(int(rng.choice(np.flatnonzero(game.legal[s]))))
            s = int(game.next[s, actions[-1]])
        learned = learning.learn_game(game, learner, actions)[0].Q
        for s, a in zip(states, actions, strict=True):
            after = int(game.next[s, a])
            r = int(game.to_move[s] * game.outcome[after])
            best = 0 if game.terminal[after] else max(offers(Q, after).values())
            Q[s, a] = Q[s, a] + 0.3 * (r - 0.9 * best - Q[s, a])
        assert np.allclose(learned, Q, atol=1e-12)


@equation("eq-soft")
def the_best_of_those_who_explore():
    problem = second_against_random()
    for epsilon in (0, 0.1, 0.5):
        v, q = {None: 0.0}, {}
        for s in reversed(problem.position.tolist()):
            for a in np.flatnonzero(game.legal[s]).tolist():
                q[s, a] = sum(
                    p * (r + v[after]) for p, r, after in next_decisions(s, a)
                )
            here = [q[s, a] for a in np.flatnonzero(game.legal[s]).tolist()]
            v[s] = (1 - epsilon) * max(here) + epsilon * sum(here) / len(here)
        table = mdp.to_cells(game, problem, q_limits.soft_optimum(problem, epsilon))
        assert all(isclose(table[pair], q[pair], abs_tol=1e-12) for pair in q)
