"""Exact scores on a page match the library, for random policies."""

import json

import numpy as np
import pytest
from common import sparse_policy

from ttt_lib import evaluation
from ttt_lib.game import tables

GAME = tables()
SCORES = """async ({ shared, policies }) => {
  const game = await ttt.agents.shared(shared);
  const { bestResponse, scores } = ttt.evaluation;
  return JSON.stringify(policies.map((own, k) => ({
    ends: [...ttt.policy.winDrawLoss(game, own, policies.at(k - 1))],
    answers: [1, -1].map((side) => [...bestResponse(game, own, side)]),
    scores: [1, -1, 0].map((side) => scores(game, own, side)),
  })));
}"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [20, pytest.param(200, marks=pytest.mark.long)])
def test_scores_of_random_policies_match_library(number, run, shared):
    policies = [sparse_policy(GAME, seed) for seed in range(number)]
    given = [each[GAME.legal].tolist() for each in policies]
    pages = json.loads(run(SCORES, shared | {"policies": given}))
    for k, (own, page) in enumerate(zip(policies, pages, strict=True)):
        right = [evaluation.win_draw_loss(GAME, own, policies[k - 1]).ravel()]
        found = [page["ends"]]
        for side, answer in zip((1, -1), page["answers"], strict=True):
            V = evaluation.best_response(GAME, own, side).V
            # A page has the result as the value of the end, the library as a reward.
            right.append(np.where(GAME.terminal, side * GAME.outcome, V))
            found.append(answer)
        ends = ("win", "draw", "loss", "worst")
        row = evaluation.scores(GAME, own)
        first, second = (
            np.array([row[f"{end}_{seat}"] for end in ends])
            for seat in ("first", "second")
        )
        right += [first, second, (first + second) / 2]
        found += [[scores[end] for end in ends] for scores in page["scores"]]
        for one, other in zip(found, right, strict=True):
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)
