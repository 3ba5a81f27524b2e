"""The equations of a league."""

import numpy as np

from equations import equation
from ttt_lib import evaluation, search
from ttt_lib.agents import as_agent
from ttt_lib.game import tables

game = tables()
NAMES = "random", "sarsa", "teacher 0.9", "p4"
POLICIES = [as_agent(game, name).policy for name in NAMES]


def reach(one, two):
    """Return the probability that a game comes to each position, by all its games."""
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
def what_a_mover_gives_away():
    q, (_, one, two, _) = search.solve(game).Q, POLICIES
    p, given = reach(one, two), np.zeros(len(game.code))
    for s in np.flatnonzero(~game.terminal):
        pi = (one if game.to_move[s] == 1 else two)[s]
        cells = np.flatnonzero(game.legal[s])
        v = max(q[s, a] for a in cells)
        given[s] = p[s] * sum(pi[a] * (v - q[s, a]) for a in cells)
    assert np.allclose(evaluation.value_lost(game, one, two), given, atol=1e-14)


@equation("eq-match")
def what_a_match_is_worth():
    for one in POLICIES:
        for two in POLICIES:
            given = evaluation.value_lost(game, one, two)
            of_x, of_o = (given[game.to_move == side].sum() for side in (1, -1))
            win, _, loss = evaluation.result(game, one, two)
            assert abs(win - loss - (of_o - of_x)) < 1e-12


@equation("eq-total")
def the_total_of_a_league():
    ends = evaluation.cross_table(game, POLICIES, POLICIES)
    v = ends[..., 0] - ends[..., 2]
    total = v.sum(axis=1) - v.sum(axis=0)
    for i, one in enumerate(POLICIES):
        matches = 0.0
        for two in POLICIES:
            matches += evaluation.result(game, one, two).value
            matches -= evaluation.result(game, two, one).value
        assert abs(total[i] - matches) < 1e-12
