"""Matchboxes and bandits of a page: the library's beads, the chapter's openings.

They draw the same numbers, from `runs.twister`, in the same order.
"""

import json

import numpy as np
import pytest

from ttt_lib import evaluation, menace, policy, runs, search
from ttt_lib.agents import io
from ttt_lib.game import tables

GAME = tables()
RANDOM = policy.uniform(GAME.legal)
OPPONENTS = {
    "self": None,
    "random": RANDOM,
    "perfect": search.perfect(GAME),
    "perfect lowest": search.perfect(GAME, ties="lowest"),
    "q-learning": io.read_builtin("q-learning").policy,
}
# In each of them `game`, with its policies, and those of OPPONENTS.
WITH_GAME = """async ({ shared, agents, ...given }) => {
  const { shared: makeGame, unpackAgent } = ttt.agents;
  const game = await makeGame(shared), { twister } = ttt.twister;
  const learned = (await unpackAgent(agents["q-learning"], game)).policy;
  const opponents = { ...game.policies, self: null, "q-learning": learned };
  const run = %s;
  return JSON.stringify(run(game, given, opponents));
}"""


# ---- matchboxes

MACHINES = [  # opponent, side, beads, reinforcement
    ("random", 1, (4, 3, 2, 1), (3, 1, -1)),
    ("random", -1, (4, 3, 2, 1), (1, 0, -1)),
    ("perfect", 1, (4, 3, 2, 1), (3, 1, -1)),
    ("perfect", -1, (8, 4), (3, 1, -1)),
    ("perfect lowest", 1, (2,), (1, 0, -1)),
    ("perfect lowest", -1, (32, 16, 2, 1), (5, 2, -3)),
    ("q-learning", 1, (5, 2), (2, -1, -2)),
    ("q-learning", -1, (4, 3, 2, 1), (3, 1, -1)),
    ("self", 0, (4, 3, 2, 1), (3, 1, -1)),
    ("self", -1, (1,), (2, 0, -4)),  # without an opponent the side says nothing
]
GAMES = 500

# What the machine tells of a game is what has changed in it.
TRAIN = """(game, { machines, games }, opponents) => machines.map((one) => {
  const [opponent, side, beads, reinforcement, seed] = one;
  const { newMatchboxes, newRecord, train } = ttt.menace;
  const boxes = newMatchboxes(game, twister(seed), beads, reinforcement);
  const record = newRecord(game);
  let resigned = 0, told = 0;
  for (let g = 0; g < games; g++) {
    const before = boxes.beads.slice();
    train(game, boxes, 1, opponents[opponent], side, record);
    const changed = before.filter((count, i) => count !== boxes.beads[i]);
    const logged = record.changes.filter((made) => made && made.after !== made.before);
    told += logged.length === changed.length;
    resigned += record.resigned;
  }
  return { resigned, told, learnt: boxes.games, last: [...boxes.beads] };
})"""


@pytest.mark.slow
def test_the_same_seed_fills_the_same_boxes(run, shared):
    machines = [[*each, 100 + i] for i, each in enumerate(MACHINES)]
    given = shared | {"machines": machines, "games": GAMES}
    page = json.loads(run(WITH_GAME % TRAIN, given))
    for (whom, side, beads, gain, seed), theirs in zip(machines, page, strict=True):
        rng = np.random.default_rng(0)
        boxes = menace.new_matchboxes(GAME, rng, beads, tuple(gain))
        boxes = boxes._replace(rng=runs.twister(seed))
        boxes = menace.train(GAME, boxes, GAMES, OPPONENTS[whom], side or +1)
        assert theirs["last"] == boxes.beads[GAME.legal].tolist(), (whom, side)
        assert theirs["told"] == theirs["learnt"] == GAMES
    # Some machines have died, and others never resigned.
    assert {each["resigned"] > 100 for each in page} == {True, False}


# ---- bandits

PULLS = 400
WAYS = [  # kind, its number, first estimate, and its weight
    *[("always", epsilon, 0, 0) for epsilon in (0, 0.1, 0.3, 1)],
    *[("always", 0, 1, weight) for weight in (0, 1, 10, 50)],
    *[("fading", power, 0, 0) for power in (0.5, 1)],
    *[("ucb", c, 0, 0) for c in (0.25, 0.75, 1.5)],
    *[("softmax", temperature, 0, 0) for temperature in (1e-3, 0.02, 0.07, 0.2, 1)],
    ("softmax", 0.07, 1, 5),
]
PULL = """(game, { ways, pulls }) => ways.map(([kind, number, initial, weight], i) => {
  const { openings, newBandit, luck, pull, greedily, ...named } = ttt.bandits;
  const fading = (power) => greedily((t) => t ** -power);
  const choose = { ...named, fading }[kind](number), rng = twister(i);
  const bandit = newBandit(openings(game), initial, weight), rows = [];
  for (let t = 1; t <= pulls; t++) {
    const { a, r, old, new: after, alpha } = pull(bandit, choose, luck(rng));
    rows.push([a, r, old, after, alpha, bandit.regret]);
  }
  return { rows, Q: [...bandit.Q], N: [...bandit.N], t: bandit.t };
})"""


def chances_of(way, Q, N, t):
    """Return the probability of each arm, from the equations; ties share evenly."""
    kind, number = way[:2]
    if kind == "softmax":  # S&B eq. 2.11
        weight = np.exp((Q - max(Q)) / number)
        return weight / weight.sum()
    worth = np.array(Q)
    if kind == "ucb":  # S&B eq. 2.10; an arm that was never tried goes first
        tried = N > 0
        worth[~tried] = np.inf
        worth[tried] += number * np.sqrt(np.log(t) / N[tried])
    best = worth == worth.max() if np.isinf(worth.max()) else worth > worth.max() - 1e-9
    return best / best.sum()


@pytest.mark.slow
def test_the_same_luck_takes_the_same_openings(run, shared):
    page = json.loads(run(WITH_GAME % PULL, shared | {"ways": WAYS, "pulls": PULLS}))
    arms = evaluation.win_draw_loss(GAME, RANDOM, RANDOM)[GAME.next[0]]
    value = arms @ [1, 0, -1]
    for i, (way, theirs) in enumerate(zip(WAYS, page, strict=True)):
        kind, number, initial, weight = way
        Q, N = np.full(9, float(initial)), np.full(9, float(weight))
        regret, rows = 0.0, []
        luck = runs.twister(i).random((PULLS, 3))
        for t, (explore, which, ending) in enumerate(luck, start=1):
            epsilon = {"always": number, "fading": t**-number}.get(kind, 0)
            chances = np.full(9, 1 / 9)
            if explore >= epsilon:
                chances = chances_of(way, Q, N, t)
            a = int(np.flatnonzero(which < np.cumsum(chances))[0])
            r = 1 - int((ending >= np.cumsum(arms[a])[:2]).sum())
            N[a] += 1
            old, Q[a] = Q[a], Q[a] + (r - Q[a]) / N[a]  # S&B eq. 2.3
            regret += value.max() - value[a]
            rows.append((a, r, old, Q[a], 1 / N[a], regret))
        found = np.array(theirs["rows"])
        assert (found[:, :2] == np.array(rows)[:, :2]).all(), way
        assert np.allclose(found, rows, rtol=0, atol=1e-12), way
        assert np.allclose(theirs["Q"], Q, rtol=0, atol=1e-12)
        assert theirs["N"] == N.tolist()
        assert theirs["t"] == PULLS + 1
