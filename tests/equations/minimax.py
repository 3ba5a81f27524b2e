"""The equations of minimax and of exploitability."""

from math import isclose

import numpy as np

from equations import equation
from equations.by_hand import afterstates, game
from ttt_lib import evaluation, rules, search
from ttt_lib.policy import greedy, uniform


@equation("eq-negamax")
def negamax_action_values():
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
def exploitability_of_policies():
    def least(policy, side):
        """Return the worst case of `policy`: the other side minimises."""
        v = [0] * len(game.code)
        for s in reversed(range(len(v))):
            if game.terminal[s]:
                v[s] = side * int(game.outcome[s])
            elif game.to_move[s] == side:
                cells = np.flatnonzero(policy[s]).tolist()
                v[s] = sum(policy[s, a] * v[game.next[s, a]] for a in cells)
            else:
                v[s] = min(v[after] for after in afterstates(s))
        return v[0]

    lowest = greedy(np.zeros(game.legal.shape), game.legal, "lowest")
    for policy in (uniform(game.legal), lowest, search.perfect(game)):
        w_1, w_2 = least(policy, +1), least(policy, -1)
        e = ((0 - w_1) + (0 - w_2)) / 2
        assert isclose(evaluation.exploitability(game, policy).mean, e, abs_tol=1e-12)
