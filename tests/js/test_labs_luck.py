"""Matchboxes and bandits of a page: the library's beads, the chapter's openings.

They draw the same numbers, from `runs.twister`, in the same order.
"""

import json

import numpy as np

from ttt_lib import evaluation, menace, policy, runs, search
from ttt_lib.agents import io
from ttt_lib.game import positions, symmetries, tables

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

ENTRY = np.full(GAME.legal.shape, -1)  # of each legal move among those of a page
ENTRY[GAME.legal] = range(GAME.legal.sum())
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

# After each game come the entries of the beads that are others than before it, found by
# comparing all: that the machine tells of them is tested beside.
TRAIN = """(game, { machines, games }, opponents) => machines.map((one) => {
  const [opponent, side, beads, reinforcement, seed] = one;
  const { newMatchboxes, newRecord, train } = ttt.menace;
  const boxes = newMatchboxes(game, twister(seed), beads, reinforcement);
  const record = newRecord(game), found = [];
  let before = boxes.beads.slice(), resigned = 0, told = 0;
  for (let g = 0; g < games; g++) {
    train(game, boxes, 1, opponents[opponent], side, record);
    const changed = [];
    for (let i = 0; i < before.length; i++) {
      if (boxes.beads[i] !== before[i]) changed.push([i, boxes.beads[i]]);
    }
    const logged = record.changes.filter((made) => made && made.after !== made.before);
    if (logged.length === changed.length) told += 1;
    resigned += record.resigned;
    found.push(changed);
    before = boxes.beads.slice();
  }
  return { found, resigned, told, learnt: boxes.games, last: [...before] };
})"""


def new_boxes(beads, reinforcement, seed):
    """Return the library's boxes with the luck of a page."""
    rng = np.random.default_rng(0)
    boxes = menace.new_matchboxes(GAME, rng, beads, tuple(reinforcement))
    return boxes._replace(rng=runs.twister(seed))


def next_game(boxes, opponent, side):
    """Play one game more, in place; return all beads that are others than before.

    It is the library's loop without its checks, which take longer than a game.
    """
    before, played = boxes.beads.copy(), menace._empty_trajectory(GAME)
    whom = GAME.legal * 1.0 if opponent is None else opponent
    gain = np.array(boxes.reinforcement)
    menace._train(GAME, 1, side, boxes, gain, whom, played)
    changed = boxes.beads != before
    return np.transpose([ENTRY[changed], boxes.beads[changed]]).tolist()


def test_the_same_seed_fills_the_same_boxes_game_by_game(run, shared):
    machines = [[*each, 100 + i] for i, each in enumerate(MACHINES)]
    given = shared | {"machines": machines, "games": GAMES}
    page = json.loads(run(WITH_GAME % TRAIN, given))
    for (whom, side, beads, gain, seed), theirs in zip(machines, page, strict=True):
        boxes = new_boxes(beads, gain, seed)
        for game, changed in enumerate(theirs["found"]):
            ours = next_game(boxes, OPPONENTS[whom], 0 if whom == "self" else side)
            assert changed == ours, (whom, side, game)
        again = new_boxes(beads, gain, seed)
        again = menace.train(GAME, again, GAMES, OPPONENTS[whom], side or +1)
        assert theirs["last"] == again.beads[GAME.legal].tolist()
        assert theirs["told"] == theirs["learnt"] == GAMES
    # Some machines have died, and others never resigned.
    assert {each["resigned"] > 100 for each in page} == {True, False}


LABELS = """(game) => {
  const { symmetries } = ttt.symmetry, { newMatchboxes } = ttt.menace;
  const boxes = newMatchboxes(game, null), { box, kind, alike, beads } = boxes;
  return { box: [...box], alike: [...alike], beads: [...beads],
    kind: Array.from(kind, (i) => game.action[i]), maps: symmetries(game) };
}"""


def test_there_are_the_304_boxes_of_x_and_289_of_o(run, shared):
    page = json.loads(run(WITH_GAME % LABELS, shared))
    boxes = menace.new_matchboxes(GAME, np.random.default_rng(0))
    assert page["box"] == boxes.box.tolist()
    for name in ("kind", "alike", "beads"):
        assert page[name] == getattr(boxes, name)[GAME.legal].tolist(), name
    assert sorted(page["maps"]) == sorted(symmetries(3, 3).tolist())
    states, _ = np.nonzero(GAME.legal)
    sides = GAME.to_move[np.unique(states[np.array(page["beads"]) > 0])]
    assert [(sides == side).sum() for side in (1, -1)] == [304, 289]


SCORE = """(game, { beads }, { random, "q-learning": learned }) => {
  const { newMatchboxes, beadPolicy, isEmpty, winDrawLoss } = ttt.menace;
  const boxes = newMatchboxes(game, null);
  boxes.beads.set(beads);
  const positions = Array.from({ length: game.size }, (_, s) => s);
  return { policy: [...beadPolicy(game, boxes)],
    empty: positions.filter((s) => isEmpty(game, boxes, s)),
    results: [random, learned].map((whom) =>
      [1, -1].map((side) => winDrawLoss(game, boxes, whom, side))) };
}"""


def test_boxes_of_any_content_are_scored_as_in_the_library(run, shared):
    rng, new = np.random.default_rng(7), menace.new_matchboxes
    boxes = new(GAME, rng)
    full = boxes.beads * rng.integers(0, 3, boxes.beads.shape)
    full[rng.random(len(full)) < 0.05] = 0
    boxes = boxes._replace(beads=full)
    given = shared | {"beads": full[GAME.legal].tolist()}
    page = json.loads(run(WITH_GAME % SCORE, given))
    ours = menace.bead_policy(GAME, boxes)[GAME.legal]
    assert np.allclose(page["policy"], ours, rtol=0, atol=1e-12)
    empty = np.flatnonzero(menace.is_empty(GAME, boxes))
    assert page["empty"] == empty.tolist()
    assert len(empty) > 100
    for whom, of_side in zip(("random", "q-learning"), page["results"], strict=True):
        for side, found in zip((1, -1), of_side, strict=True):
            exact = menace.win_draw_loss(GAME, boxes, OPPONENTS[whom], side)
            assert np.allclose(found, exact, rtol=0, atol=1e-12)
            assert exact[3] > 0


BY_HAND = """(game, { games, emptied }) => games.map(([actions, side, cleared]) => {
  const { newMatchboxes, newRecord, learnGame } = ttt.menace;
  const boxes = newMatchboxes(game, null);
  if (cleared) for (const i of emptied) boxes.beads[i] = 0;
  const before = boxes.beads.slice();
  try {
    const { changes, winner, resigned } = learnGame(game, boxes, actions, side);
    const rows = actions.map((_, t) => {
      const made = changes[t];
      return made ? [made.box, made.kind, made.before, made.after] : [-1, -1, -1, -1];
    });
    return { rows, winner, resigned, beads: [...boxes.beads], games: boxes.games };
  } catch (error) {
    return { error: error.message, same: boxes.beads.every((n, i) => n === before[i]) };
  }
})"""


def test_games_played_elsewhere_teach_the_same(run, shared):
    drawn, won, lost = [4, 0, 1, 7, 3, 5, 2, 6, 8], [0, 3, 1, 4, 2], [0, 2, 1, 4, 3, 6]
    beside = [0, 1]  # then the box is one that has been emptied
    games = [(each, side, 0) for each in (drawn, won, lost) for side in (1, -1, 0)]
    resigned = [(beside, 1, 1), (beside, 0, 1), ([8, 5], 1, 1)]
    wrong = [(beside, -1, 1), (beside, 1, 0), ([0, 0], 1, 0), ([0, 9], 1, 0)]
    new = menace.new_matchboxes(GAME, np.random.default_rng(0))
    box = new.box[GAME.find("XO./.../...")]
    cleared = new.beads.copy()
    cleared[box] = 0
    emptied = np.flatnonzero((cleared != new.beads)[GAME.legal]).tolist()
    given = {"games": [*games, *resigned, *wrong], "emptied": emptied}
    page = json.loads(run(WITH_GAME % BY_HAND, shared | given))
    whole = [*games, *resigned]
    for (actions, side, clear), theirs in zip(whole, page[:-4], strict=True):
        boxes = new._replace(beads=cleared) if clear else new
        after, changes = menace.learn_game(GAME, boxes, actions, side)
        assert theirs["rows"] == changes.tolist()
        assert theirs["beads"] == after.beads[GAME.legal].tolist()
        assert theirs["games"] == 1
        end = GAME.outcome[positions(GAME, actions)[-1]]
        assert theirs["winner"] == (-1 if clear else end)
        assert theirs["resigned"] is bool(clear)
    refused = page[-4:]
    assert [each["error"] for each in refused] == [
        "The game is not finished.",
        "The game is not finished.",
        "Cell 0 cannot be taken.",
        "Cell 9 cannot be taken.",
    ]
    assert all(each["same"] for each in refused)


# ---- bandits

PULLS = 1000
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
