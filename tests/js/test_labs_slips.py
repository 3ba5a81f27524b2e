"""What slips cost on a page is what they cost in the library; games that show it."""

import json

import numpy as np

from ttt_lib import agents, evaluation, policy
from ttt_lib.game import positions, tables

GAME = tables()
AT_RANDOM = policy.uniform(GAME.legal)
CASES = [  # opponent, side, moves before, two moves, the mark of the slip
    ("random", 1, [], [0, 4], 3),  # the lab of chapter 9
    ("random", 1, [], [4, 0], None),
    ("teacher 0.25", 1, [], [0, 4], 3),
    ("random", -1, [0], [8, 4], 2),
]
SLIPS = """async ({ shared, cases }) => {
  const game = await ttt.agents.shared(shared);
  return JSON.stringify(cases.map(({ opponent, q, side, s, cells }) => {
    const player = { policy: ttt.policy.greedy(game, q), opponent, side };
    const moves = cells.map((cell) => ttt.game.pair(game, s, cell));
    const slip = ttt.slips.tellingSlip(game, player, s, moves);
    return [slip, slip && ttt.slips.twoGames(game, player, moves, slip.mark)];
  }));
}"""


def earned(best, other, side):
    """Return what a side earns from each position, a win being 1 and a loss −1."""
    two = (best, other) if side == 1 else (other, best)
    return evaluation.win_draw_loss(GAME, *two) @ [side, 0, -side]


def results(best, other, side, s):
    """Return the results of all games from s without a further slip."""
    if GAME.terminal[s]:
        return {side * int(GAME.outcome[s])}
    own = GAME.to_move[s] == side
    cells = np.flatnonzero((best if own else other)[s])[: 1 if own else None]
    return set().union(*(results(best, other, side, GAME.next[s, c]) for c in cells))


def test_slips_cost_what_they_cost_in_the_library(run, shared):
    given, players = [], []
    for name, side, before, cells, _ in CASES:
        other = agents.policy(GAME, name, -side)
        Q = evaluation.best_response(GAME, other, side).Q
        players.append((policy.greedy(Q, GAME.legal), other, side))
        packed = {"opponent": other[GAME.legal].tolist(), "q": Q[GAME.legal].tolist()}
        s = int(positions(GAME, before)[-1])
        given.append(packed | {"side": side, "s": s, "cells": cells})
    page = json.loads(run(SLIPS, shared | {"cases": given}))
    for case, player, (slip, games) in zip(CASES, players, page, strict=True):
        _, side, before, cells, mark = case
        best, other, _ = player
        s = positions(GAME, before)[-1]
        after, marks = GAME.next[s, cells], (GAME.board == side).sum(axis=1)
        costs = {}
        for number in range(int(marks[s]) + 2, 6):
            slips = np.where((marks == number - 1)[:, np.newaxis], AT_RANDOM, best)
            costs[number] = (earned(*player) - earned(slips, other, side))[after]
        most = max(costs, key=lambda number: costs[number][0] - costs[number][1])
        if mark is None:
            assert slip is None
            assert costs[most][0] <= costs[most][1] + 1e-9
            continue
        assert slip["mark"] == most == mark
        np.testing.assert_allclose(slip["costs"], costs[most], rtol=0, atol=1e-12)
        check_games(games, case, player, marks)


def check_games(games, case, player, marks):
    """Compare two games: the same slip after the same replies, with the worst ends."""
    _, side, before, cells, mark = case
    events = []
    for game, cell in zip(games, cells, strict=True):
        moves, t = game["cells"], game["slip"]
        line = positions(GAME, [*before, *moves])[len(before) :]
        assert moves[0] == cell
        assert marks[line[t]] == mark - 1
        assert player[0][line[t], moves[t]] == 0  # it is a slip
        assert game["result"] == side * GAME.outcome[line[-1]]
        assert game["result"] == min(results(*player, line[t + 1]))
        events.append([moves[k] for k in range(1, t + 1) if k % 2 or k == t])
    assert events[0] == events[1]
    assert games[0]["result"] < 0 <= games[1]["result"]
