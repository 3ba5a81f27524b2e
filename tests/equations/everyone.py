"""The equations of the round-robin tournament."""

import numpy as np

from equations import equation
from ttt_lib import evaluation, search
from ttt_lib.agents import as_agent
from ttt_lib.game import tables

game = tables()
NAMES = "random", "sarsa", "teacher 0.9", "p4"
POLICIES = [as_agent(game, name).policy for name in NAMES]


def reach(one, two):
    """Return the probability that a game reaches each position, by enumeration."""
    p = np.zeros(len(game.code))

    def go_on(s, chance):
        p[s] += chance
        if not game.terminal[s]:
            mover = one if game.to_move[s] == 1 else two
            for a in np.flatnonzero(mover[s]):
                go_on(game.next[s, a], chance * mover[s, a])

    go_on(0, 1.0)
    return p


@equation("eq-given-away")
def value_lost_by_the_player_to_move():
    q, (_, one, two, _) = search.solve(game).Q, POLICIES
    p, lost = reach(one, two), np.zeros(len(game.code))
    for s in np.flatnonzero(~game.terminal):
        pi = (one if game.to_move[s] == 1 else two)[s]
        cells = np.flatnonzero(game.legal[s])
        v = max(q[s, a] for a in cells)
        lost[s] = p[s] * sum(pi[a] * (v - q[s, a]) for a in cells)
    assert np.allclose(evaluation.value_lost(game, one, two), lost, atol=1e-14)


@equation("eq-match")
def value_of_a_match():
    for one in POLICIES:
        for two in POLICIES:
            lost = evaluation.value_lost(game, one, two)
            of_x, of_o = (lost[game.to_move == side].sum() for side in (1, -1))
            win, _, loss = evaluation.result(game, one, two)
            assert abs(win - loss - (of_o - of_x)) < 1e-12


@equation("eq-total")
def totals_of_the_tournament():
    ends = evaluation.cross_table(game, POLICIES, POLICIES)
    v = ends[..., 0] - ends[..., 2]
    total = v.sum(axis=1) - v.sum(axis=0)
    for i, one in enumerate(POLICIES):
        matches = 0.0
        for two in POLICIES:
            matches += evaluation.result(game, one, two).value
            matches -= evaluation.result(game, two, one).value
        assert abs(total[i] - matches) < 1e-12
