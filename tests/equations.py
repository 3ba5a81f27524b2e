"""One numerical check for each labelled equation of the book, keyed by its label.

Each check writes the equation a second time, straight from the page,
and compares the library.
"""

from fractions import Fraction
from itertools import product
from math import comb, isclose, sqrt

import numpy as np

from ttt_lib import evaluation, mdp, planning, rules, search
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
