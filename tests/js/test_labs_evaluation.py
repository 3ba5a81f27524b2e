"""Exact scores on a page match the library, for random policies."""

import json

import numpy as np
import pytest

from ttt_lib import evaluation
from ttt_lib.game import tables

GAME = tables()
PARTS = 4096  # denominator of the probabilities, a power of 2, so that texts are exact
SCORES = """async ({ shared, policies }) => {
  const game = await ttt.agents.shared(shared);
  const { bestResponse, scores } = ttt.evaluation;
  policies = policies.map((text) => text.split(',').map((parts) => parts / PARTS));
  return JSON.stringify(policies.map((own, k) => ({
    ends: [...ttt.policy.winDrawLoss(game, own, policies.at(k - 1))],
    answers: [1, -1].map((side) => [...bestResponse(game, own, side)]),
    scores: [1, -1, 0].map((side) => scores(game, own, side)),
  })));
}""".replace("PARTS", str(PARTS))


def random_policy(rng):
    """Return a random policy (S, A), with some moves left out."""
    weights = rng.exponential(size=GAME.legal.shape) * GAME.legal
    weights *= rng.random(weights.shape) < rng.choice([0.3, 0.7, 1.0])
    none = weights.sum(axis=1, keepdims=True) == 0
    weights = np.where(none, GAME.legal, weights)
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-300)
    parts = np.where(GAME.legal, rng.multinomial(PARTS, weights), 0)
    return parts * GAME.legal.any(axis=1, keepdims=True) / PARTS


@pytest.mark.slow
@pytest.mark.parametrize("number", [20, pytest.param(200, marks=pytest.mark.long)])
def test_scores_of_random_policies_match_library(number, run, shared):
    rng = np.random.default_rng(16)
    policies = [random_policy(rng) for _ in range(number)]
    parts = [(each[GAME.legal] * PARTS).astype(int) for each in policies]
    packed = [",".join(map(str, each)) for each in parts]  # texts travel faster
    pages = json.loads(run(SCORES, shared | {"policies": packed}))
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
