"""Matchboxes on a page: the same seed gives the same beads as the library."""

import json

import numpy as np
import pytest

from ttt_lib import agents, experiments, menace
from ttt_lib.game import tables

GAME = tables()
MACHINES = [  # opponent, side, beads, reinforcement
    ("random", 1, (4, 3, 2, 1), (3, 1, -1)),
    ("random", -1, (4, 3, 2, 1), (1, 0, -1)),
    ("perfect", -1, (8, 4), (3, 1, -1)),
    ("perfect lowest", 1, (2,), (1, 0, -1)),
    ("perfect lowest", -1, (32, 16, 2, 1), (5, 2, -3)),
    ("q-learning", 1, (5, 2), (2, -1, -2)),
    ("self", 0, (4, 3, 2, 1), (3, 1, -1)),
    ("self", -1, (1,), (2, 0, -4)),  # in self-play the side has no meaning
]
GAMES = 500

# Also check that the changes in the record are those of the beads.
TRAIN = """async ({ shared, agents, machines, games }) => {
  const game = await ttt.agents.shared(shared), { mt19937 } = ttt.mt19937;
  const learned = (await ttt.agents.unpackAgent(agents["q-learning"], game)).policy;
  const opponents = { ...game.policies, self: null, "q-learning": learned };
  const { newMatchboxes, newRecord, train } = ttt.menace;
  return JSON.stringify(machines.map((one) => {
    const [opponent, side, beads, reinforcement, seed] = one;
    const boxes = newMatchboxes(game, mt19937(seed), beads, reinforcement);
    const record = newRecord(game);
    let resigned = 0, consistent = 0;
    for (let g = 0; g < games; g++) {
      const before = boxes.beads.slice();
      train(game, boxes, 1, opponents[opponent], side, record);
      const changed = before.filter((count, i) => count !== boxes.beads[i]);
      const logged = record.changes.filter((made) => made?.after !== made?.before);
      consistent += logged.length === changed.length;
      resigned += record.resigned;
    }
    return { resigned, consistent, learnt: boxes.games, last: [...boxes.beads] };
  }));
}"""


@pytest.mark.slow
def test_same_seed_gives_same_beads_as_library(run, shared):
    machines = [[*each, 100 + i] for i, each in enumerate(MACHINES)]
    given = shared | {"machines": machines, "games": GAMES}
    page = json.loads(run(TRAIN, given))
    for (opponent, side, beads, gain, seed), theirs in zip(machines, page, strict=True):
        other = None if opponent == "self" else agents.as_agent(GAME, opponent).policy
        rng = np.random.default_rng(0)
        boxes = menace.new_matchboxes(GAME, rng, beads, tuple(gain))
        boxes = boxes._replace(rng=experiments.mt19937(seed))
        boxes = menace.train(GAME, boxes, GAMES, other, side or +1)
        assert theirs["last"] == boxes.beads[GAME.legal].tolist(), (opponent, side)
        assert theirs["consistent"] == theirs["learnt"] == GAMES
    # In some machines the first box is empty; others never resigned.
    assert {each["resigned"] > 100 for each in page} == {True, False}
