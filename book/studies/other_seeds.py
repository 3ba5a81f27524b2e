"""The learners of the league, trained again with other seeds."""

import numpy as np

from studies import everyone
from ttt_lib import evaluation
from ttt_lib.agents import as_agent, builtin, learners, opponent
from ttt_lib.game import tables

RNG = np.random.default_rng(1950)
SEEDS = 20
GAMES = 100_000
FIELD = everyone.FIELD
SETTINGS = {
    name: name
    for name in FIELD
    if name in builtin.AGENTS
    and builtin.AGENTS[name].games == GAMES
    and builtin.AGENTS[name].group == "learned"
}


def trial(name, rng):
    """Return three numbers of a learner after GAMES, trained by its recipe: (3,).

    Its total against FIELD, and its worst case as first and as second player.
    """
    game, settings = tables(), dict(builtin.AGENTS[name].settings)
    against = opponent(game, settings.pop("against", "self"))
    learner = learners.new(game, settings.pop("method"), rng, **settings)
    trained = learners.adapter(learners.adapter(learner).train(game, GAMES, against, 0))
    policy = trained.policy(game)
    field = [as_agent(game, name).policy for name in FIELD]
    first = evaluation.cross_table(game, [policy], field)[0]
    second = evaluation.cross_table(game, field, [policy])[:, 0]
    total = (first - second)[:, 0].sum() - (first - second)[:, 2].sum()
    worst = [evaluation.worst_case(game, policy, side)[0] for side in (1, -1)]
    return np.round([total, *worst], 6)
