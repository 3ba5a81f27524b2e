"""Linear values on a page: features, moves and learning are those of the library."""

import numpy as np
import pytest
from common import game, rng

from ttt_lib import evaluation, experiments, policy
from ttt_lib.approximation import features

EVALUATE = """async ({ shared, weights }) => {
  const game = await ttt.agents.shared(shared);
  const { names, features, actionValues, greedyMoves, exploitability } = ttt.features;
  const x = features(game);
  return {
    names: names(3),
    x: [...x],
    players: weights.map((w) => {
      const q = actionValues(game, x, w);
      const moves = Array.from(game.toMove, (_, s) => greedyMoves(game, q, s));
      return { q: [...q], moves, ...exploitability(game, q) };
    }),
  };
}"""


def test_evaluation_matches_library(run, shared):
    weights = [np.zeros(9), *rng().normal(size=(5, 9))]
    weights.append(features.self_play(np.zeros(9), 300, 0.01, 0.1, rng(1)))
    given = shared | {"weights": [w.tolist() for w in weights]}
    page = run(EVALUATE, given)
    assert page["names"] == list(features.names())
    assert page["x"] == features.features(game.board).ravel().tolist()
    for w, player in zip(weights, page["players"], strict=True):
        Q = features.action_values(game.board, w)
        assert player["q"] == pytest.approx(Q[game.legal].tolist(), abs=1e-12)
        greedy = policy.greedy(Q, game.legal)
        assert player["moves"] == [np.flatnonzero(row).tolist() for row in greedy]
        worst = evaluation.exploitability(game, greedy)
        for side in ("first", "second"):
            assert player[side] == pytest.approx(getattr(worst, side), abs=1e-12)


LEARN = """async ({ shared, learners }) => {
  const game = await ttt.agents.shared(shared), x = ttt.features.features(game);
  return learners.map(([w, games, alpha, epsilon, seed]) => {
    const rng = ttt.mt19937.mt19937(seed);
    for (const n of games) ttt.features.selfPlay(game, x, w, n, alpha, epsilon, rng);
    return w;
  });
}"""


def test_same_seed_learns_same_weights_as_library(run, shared):
    begin = rng(2).normal(size=9) / 10  # "learn from here"
    learners = [
        (np.zeros(9), (1000,), 0.01, 0.1, 1),
        (np.zeros(9), (100, 200), 0.05, 0.3, 2),
        (begin, (500,), 0.01, 0.0, 3),
        (begin, (300,), 0.02, 1.0, 4),
    ]
    given = [[w.tolist(), games, *rest] for w, games, *rest in learners]
    page = run(LEARN, shared | {"learners": given})
    for learned, (w, games, alpha, epsilon, seed) in zip(page, learners, strict=True):
        generator = experiments.mt19937(seed)
        expected = features.self_play(w, sum(games), alpha, epsilon, generator)
        assert learned == pytest.approx(expected.tolist(), abs=1e-12)
        assert abs(expected - w).max() > 0.01
