"""The reader's opponents on the front page, and what is said after a game."""

import numpy as np
import pytest

from ttt_lib import evaluation, policy, search
from ttt_lib.game import positions, symmetry_class, tables
from ttt_lib.studies import load

GAME = tables()
STUDY = load("skyline")
STAGES = [STUDY.MARKS.index(games) for games in (0, 30, 300, 3_000, 30_000)]
CODE = """async ({ shared, cells, games }) => {
  const game = await ttt.agents.shared(shared);
  const { bestReply, classes, exactValues, replies, review } = ttt.review;
  const stages = cells.map((text) => replies(game, text));
  const values = stages.map((reply) => bestReply(game, reply));
  const path = (moves) => ttt.game.positions(game, 0, moves);
  return {
    stages,
    values: values.map((V) => Array.from(V)),
    classes: classes(game),
    exact: Array.from(exactValues(game)),
    said: games.map(([stage, moves]) => review(game, path(moves), values[stage])),
  };
}"""
GAMES = [
    (0, [4, 0, 8, 1, 5, 2]),
    (4, [0, 4, 1, 2, 6, 3, 5, 8, 7]),
    (0, [0, 1, 4, 2, 8]),
]


@pytest.fixture(scope="module")
def page(run, shared):
    """What the page computes of all stages."""
    rows = STUDY.results[0, 0, STAGES, 765:-2].tolist()
    cells = ["".join(map(str, row)) for row in rows]
    given = {"shared": shared["shared"], "cells": cells, "games": GAMES}
    return run(CODE, given)


def test_classes_and_exact_values_match_library(page):
    assert page["classes"] == np.unique(symmetry_class(GAME)).tolist()
    best = policy.max_q(search.solve(GAME).Q, GAME.legal)
    exact = np.where(GAME.terminal, GAME.outcome, GAME.to_move * best)
    assert page["exact"] == exact.astype(int).tolist()


def test_best_reply_to_each_stage_wins_except_to_the_last(page):
    for cells, values, worst in zip(
        page["stages"], page["values"], (-1, -1, -1, -1, 0), strict=True
    ):
        action = np.array([0 if cell is None else cell for cell in cells])
        action = np.where(
            GAME.legal[range(len(action)), action], action, GAME.legal.argmax(1)
        )
        stage = policy.deterministic(action, GAME.legal)
        response = evaluation.best_response(GAME, stage, side=1)
        assert evaluation.worst_case(GAME, stage, side=-1)[0] == worst
        assert values[0] == -worst == response.V[0]
        asked = evaluation.reachable_against_any(GAME, stage, side=-1)
        assert np.array_equal(np.array(values)[asked], response.V[asked])


def test_review_names_the_first_loss_and_the_cells_that_kept_the_value(page):
    for (stage, moves), said in zip(GAMES, page["said"], strict=True):
        V, path = page["values"][stage], positions(GAME, moves)
        losses = [t for t in range(0, len(moves), 2) if V[path[t + 1]] < V[path[t]]]
        won = GAME.outcome[path[-1]] == 1
        if won or not losses:
            assert "Your move" not in said
            continue
        t = losses[0]
        kept = [
            a
            for a in np.flatnonzero(GAME.legal[path[t]])
            if V[GAME.next[path[t], a]] == V[path[t]]
        ]
        assert f"Your move {t // 2 + 1} gave away" in said
        assert all(str(cell) in said.partition(":")[2] for cell in kept)
