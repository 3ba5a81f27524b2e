"""The equations of temporal differences."""

from itertools import product
from math import sqrt

import numpy as np
from pages import page_functions
from studies import td_lambda

from equations import equation
from equations.by_hand import game
from ttt_lib import learning, mdp, planning
from ttt_lib.policy import uniform
from ttt_lib.studies import parts


def experience(seed=0, **settings):
    """Return a game of the second player, V of a TD learner before it, and V after it.

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
    (td0,) = page_functions("10_td", "td0")
    for seed in range(20):
        steps, V, learned = experience(seed)
        td0(V, steps, 0.3, 0.9)
        assert np.allclose(learned, V, atol=1e-12)
    # Rewards before the end count, and V is updated after each step.
    V, seen = np.array([0.0, 0.0, 1.0, 0.0]), []

    def walk():
        for step in ((1, 5, 2), (2, -1, 0)):
            seen.append(V.tolist())
            yield step

    td0(V, walk(), 0.5, 0.9)
    assert seen == [[0, 0, 1, 0], [0, 2.95, 1, 0]]
    assert V.tolist() == [0, 2.95, 0, 0]


@equation("eq-n-step")
def n_step_return():
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
def lambda_return_updates():
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
def root_mean_square_error():
    evaluated, opponent, _, mu = parts.judgement()
    p, v = np.zeros((2, len(game.code)))
    p[0] = 1
    for s in range(len(p)):
        for a in np.flatnonzero(game.legal[s]):
            move = opponent if game.to_move[s] == 1 else evaluated
            p[game.next[s, a]] += p[s] * move[s, a]
    decides = (game.to_move == -1) & ~game.terminal
    assert np.allclose(mu, np.where(decides, p, 0) / p[decides].sum(), atol=1e-12)
    problem = mdp.from_opponent(game, opponent, side=-1)
    packed = evaluated[problem.position[mdp.state_of(problem)], problem.action]
    v[problem.position] = planning.linear_solve(problem, packed, 1).V
    learner = learning.new_learner(
        game, "td_prediction", np.random.default_rng(1), alpha=0.1, lambda_=0.8
    )
    errors = []
    for games in td_lambda.GAMES:
        more = games - learner.games
        learner = learning.train(game, learner, more, opponent, -1, evaluated)
        terms = (mu[s] * (v[s] - learner.V[s]) ** 2 for s in range(len(v)))
        errors.append(sqrt(sum(terms)))
    result = td_lambda.trial(("lambda_", 0.8, 0.1), np.random.default_rng(1))
    assert np.allclose(result, errors, atol=1e-5)
