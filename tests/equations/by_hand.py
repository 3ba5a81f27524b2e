"""The MDPs of tic-tac-toe, implemented again from the tables of the game."""

from fractions import Fraction

import numpy as np

from ttt_lib import mdp
from ttt_lib.game import tables
from ttt_lib.policy import uniform

game = tables()
EVEN = np.array([[Fraction(1, max(1, int(n)))] * 9 for n in game.count])


def afterstates(s):
    return [int(game.next[s, a]) for a in range(9) if game.legal[s, a]]


def second_against_random(rewards=(1, 0, -1)):
    return mdp.from_opponent(game, uniform(game.legal), side=-1, rewards=rewards)


def next_decisions(s, a):
    """Yield (p, r, s') for move a of the second player; s' is None at the end."""
    return transitions(s, a, EVEN, -1)


def transitions(s, a, opponent, side):
    """Yield (probability, reward, next state, or None at the end) of a pair."""
    after = int(game.next[s, a])
    if game.terminal[after]:
        yield Fraction(1), side * int(game.outcome[after]), None
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
    for opponent, side in ((uniform(game.legal), +1), (lopsided, -1)):
        yield mdp.from_opponent(game, opponent, side), opponent, side


def pairs(problem):
    """Return (pair, position, action) of every pair."""
    position = problem.position[mdp.state_of(problem)].tolist()
    return list(enumerate(zip(position, problem.action.tolist(), strict=True)))


def backed_up(problem, V, opponent, side, gamma):
    """Return q(s, a) of each pair from the values V of the states."""
    value = dict(zip(problem.position.tolist(), V.tolist(), strict=True)) | {None: 0.0}
    return [
        sum(p * r for p, r, _ in transitions(s, a, opponent, side))
        + gamma
        * sum(p * value[s_next] for p, _, s_next in transitions(s, a, opponent, side))
        for _, (s, a) in pairs(problem)
    ]
