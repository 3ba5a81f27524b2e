"""Learning in the labs matches the library.

With the same seed, both play the same games and learn the same tables.
"""

import functools
import json

import numpy as np
import pytest
from common import sample_params

from ttt_lib import agents, experiments, learning, policy, schedules
from ttt_lib.board import encode as board_tables
from ttt_lib.game import tables

GAME = tables()
FACTORS = {
    "method": [*learning.METHODS],
    "alpha": [*["0.1", "1/n", "power:0.9:0.75", "linear:0.5:0.01:150"],
              "exponential:0.5:0.01:150"],
    "epsilon": ["0.1", "1/n", "linear:1:0:150", "0"],
    "steps": [(0, 9), (0.8, 9), (1, 2), (1, 9), (0.5, 2)],  # λ and n
    "opponent": ["self", "random", "perfect", "perfect lowest", "teacher 0.9",
                 "q-learning"],
    "side": [0, 1, -1],
    "gamma": [1, 0.9],
    "initial": [0, 0.6],
    "rewards": [(1, 0, -1), (1, 0.5, 0), (3, 1, -2)],
}  # fmt: skip
GAMES = 200


def possible(setting):
    """Return whether the library accepts these settings."""
    method = setting["method"]
    steps = learning.METHODS[method].steps or setting["steps"] == (0, 9)
    zero_sum = method != "minimax_q" or setting["rewards"] == (1, 0, -1)
    sides = setting["opponent"] != "self" or setting["side"] == 0
    return steps and zero_sum and sides


def random_settings(rng, number):
    """Yield possible settings at random; each choice comes up dozens of times."""
    while number:
        drawn = {n: each[rng.integers(len(each))] for n, each in FACTORS.items()}
        if possible(drawn):
            yield drawn
            number -= 1


@functools.cache
def player(name):
    """Return the policy of a name; None in self-play."""
    return None if name == "self" else agents.as_agent(GAME, name).policy


# Learn with each setting; return the updates of its last game, and its table.
LEARN = """async ({ shared, agents, settings, games }) => {
  const { shared: makeGame, unpackAgent } = ttt.agents;
  const game = await makeGame(shared), { policies } = game;
  const { perfect, random } = policies, { mixture } = ttt.policy;
  const { read } = ttt.schedules, { newLearner, newRecord, train } = ttt.learning;
  const stored = {};
  for (const name in agents) {
    stored[name] = (await unpackAgent(agents[name], game)).policy;
  }
  const player = (name) => {
    if (name === "self") return null;
    if (name.startsWith("teacher")) {
      return mixture(Number(name.split(" ")[1]), perfect, random);
    }
    return policies[name] ?? stored[name];
  };
  return JSON.stringify(settings.map((one) => {
    const learner = newLearner(game, one.row, ttt.mt19937.mt19937(one.seed), {
      ...one, alpha: read(one.alpha), epsilon: read(one.epsilon),
      lambda_: one.steps[0], n: one.steps[1],
    });
    const behaviour = one.row.is_prediction ? random : null;
    const opponent = player(one.opponent);
    const record = newRecord(game), all = [opponent, one.side, behaviour, record];
    train(game, learner, games - 1, ...all);
    train(game, learner, 1, ...all);
    const last = record.changes.map((made, t) =>
      made && [t, made.old, made.target, made.new]).filter(Boolean);
    return { last, table: [...learner.table] };
  }));
}"""


@pytest.mark.slow
@pytest.mark.parametrize("seed", sample_params(range(1000, 32_000, 1000), 1))
def test_same_seed_learns_same_tables_as_library(seed, run, shared):
    rows = {row["name"]: row for row in board_tables.methods()}
    drawn = random_settings(np.random.default_rng(seed), 150)
    settings = [
        setting | {"row": rows[setting["method"]], "seed": seed + number}
        for number, setting in enumerate(drawn)
    ]
    given = shared | {"settings": settings, "games": GAMES}
    for setting, page in zip(settings, json.loads(run(LEARN, given)), strict=True):
        is_prediction = learning.METHODS[setting["method"]].is_prediction
        behaviour = policy.uniform(GAME.legal) if is_prediction else None
        against = player(setting["opponent"]), setting["side"], behaviour
        learner = learning.train(GAME, new_learner(setting), GAMES - 1, *against)
        learner, log = learning._run(GAME, learner, 1, *against)
        table = learner.V if learner.Q is None else learner.Q[GAME.legal]
        assert np.allclose(page["table"], table, rtol=0, atol=1e-12), setting
        moves = np.flatnonzero(~np.isnan(log[:, 0]))
        last = np.column_stack([moves, log[moves][:, [0, 1, 3]]])
        updates = np.reshape(page["last"], (-1, 4))
        assert updates.shape == last.shape, setting
        assert np.allclose(updates, last, rtol=0, atol=1e-12), setting


def new_learner(setting):
    """Return the library's learner of a setting, with the page's random numbers."""
    row, (lambda_, n) = learning.METHODS[setting["method"]], setting["steps"]
    rng = experiments.mt19937(setting["seed"])
    learner = learning.new_learner(
        GAME,
        setting["method"],
        rng,
        alpha=schedules.parse(setting["alpha"]),
        epsilon=schedules.parse(setting["epsilon"]),
        gamma=setting["gamma"],
        initial=setting["initial"],
        rewards=setting["rewards"],
        **({"lambda_": lambda_, "n": n} if row.steps else {}),
    )
    return learner._replace(rng=rng)
