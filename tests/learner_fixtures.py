"""Learners, games and situations for the tests of learning."""

from common import game, rng

from ttt_lib.learning import METHODS, new_learner
from ttt_lib.policy import uniform

random_play = uniform(game.legal)

OF_V = [name for name in METHODS if METHODS[name].learns == "V"]
PREDICTIONS = [name for name in METHODS if METHODS[name].is_prediction]
CONTROL = [name for name in METHODS if name not in PREDICTIONS]


def some_learner(g, method, seed=0, **settings):
    """Return a learner whose tables are filled with different numbers."""
    learner, noise = new_learner(g, method, rng(seed), **settings), rng(seed + 1)

    def full(table):
        return None if table is None else noise.normal(size=table.shape) * (table != 0)

    filled = new_learner(g, method, rng(seed), **settings | {"initial": 1})
    tables_ = {name: full(getattr(filled, name)) for name in ("V", "Q", "Q1", "Q2")}
    if tables_["Q1"] is not None:
        tables_["Q"] = (tables_["Q1"] + tables_["Q2"]) / 2
    return learner._replace(**tables_)


def play(g, seed, policy=None):
    """Return the actions of a random game; by default all moves are random."""
    policy = uniform(g.legal) if policy is None else policy
    generator, s, actions = rng(seed), 0, []
    while not g.terminal[s]:
        actions.append(int(generator.choice(g.legal.shape[1], p=policy[s])))
        s = g.next[s, actions[-1]]
    return actions


def table_of(learner):
    return learner.V if learner.Q is None else learner.Q


LOST = {+1: [0, 2, 1, 4, 3, 6], -1: [0, 3, 1, 4, 2]}  # on 3 × 3, by the last move
DRAWN = {+1: [0, 1, 2, 3, 4, 5], -1: [0, 1, 2, 4, 3, 5, 7, 6, 8]}  # first on 2 × 3
SITUATIONS = {
    "first": {"opponent": random_play, "side": +1},
    "second": {"opponent": random_play, "side": -1},
    "in turns": {"opponent": random_play, "side": 0},
    "self-play": {},
}


def situation(method, name):
    more = {"behaviour": random_play} if method in PREDICTIONS else {}
    return SITUATIONS[name] | more
