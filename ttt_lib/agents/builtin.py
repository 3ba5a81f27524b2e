"""Built-in agents: the recipe of each, and how to train it again.

To add one, add its recipe to `AGENTS` and run `make agents`.
A history has one row per snapshot; its last row holds the agent's exact scores.
"""

import gzip
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ttt_lib import evaluation, learning
from ttt_lib.agents import io, learners, lookup
from ttt_lib.agents.agent import Agent
from ttt_lib.agents.learners import generator, to_agent
from ttt_lib.agents.names import Name, parse
from ttt_lib.evaluation import scores
from ttt_lib.game import tables
from ttt_lib.policy import LEARNED_ATOL, combine_sides, uniform
from ttt_lib.search import perfect
from ttt_lib.validation import require, validated_agent


class Recipe(NamedTuple):
    """Recipe of a built-in agent."""

    maker: Callable  #: called with game, name, games, seed and settings
    settings: Mapping  #: further arguments of the maker
    games: int = 0  #: of training
    group: str = "learned"  #: "exact", "learned", or "snapshot" of one learner
    seed: int = 1  #: of its random numbers


# Numbers of games after which a history has a row
MARKS = (0, *(n * 10**k for k in range(1, 7) for n in (1, 2, 5)))


def _solved(game, name, games, seed, policy, made):
    """Return an agent that needed no training."""
    policy = policy(game)
    history = ({"games": 0, **scores(game, policy)},)
    size = {"rows": game.rows, "columns": game.columns, "k": game.k}
    return Agent(name, made, policy=policy, history=history, **size)


def _learned(game, name, games, seed, method, against="self", side=0, **settings):
    """Return an agent trained against `against`, on one side or on both in turns."""
    learner = learners.new(game, method, generator("PCG64", seed=seed), **settings)
    opponent, history = lookup.opponent(game, against), []
    for mark in [mark for mark in MARKS if mark < games] + [games]:
        adapter = learners.adapter(learner)
        learner = adapter.train(game, mark - adapter.games, opponent, side)
        history.append(learners.adapter(learner).record(game))
    against, initial = parse(against), settings.get("initial", 0.0)
    training = {"opponent": str(against), "side": side}
    training |= {"initial": initial, "seed": seed}
    made = learners.adapter(learner).provenance(against, side, initial)
    return to_agent(game, learner, name, made, side, history, training)


FIVE = {  # learners of a tutorial: ε, α, games
    "p2": (0.9, 0.5, 1000),
    "p3": (0.1, 0.01, 10),
    "p4": (0.1, 0.01, 1000),
    "p5": (0.1, 0.9, 10),
    "p6": (0.1, 0.9, 1000),
}
P1 = (0.1, 0.5)  # ε, α of p1, the opponent of all five
ALL_FIVE = sum(games for *_, games in FIVE.values())  # games of p1


def _one_of_five(game, name, games, seed):
    """Return a first player trained in games with p1, which learns as well.

    Unlike in the tutorial each of the two has its own table; p1 plays the five one
    after another.
    """
    history = []
    for learner, _ in _training_games(game, name, games, seed):
        if learner.games in (*MARKS, games):
            history.append(learners.adapter(learner).record(game))
    p1 = "p1, who learns from all five in turn (α = 0.5, ε = 0.1)"
    made = learners.adapter(learner).provenance(Name("agent", p1), +1, 0.5)
    training = {"opponent": "p1", "side": +1, "initial": 0.5, "seed": seed}
    return to_agent(game, learner, name, made, 0, history, training)


def _opponent_of_five(game, name, games, seed):
    """Return p1, the second player, trained against the five one after another."""
    history, before, last = [], 0, [*FIVE][-1]
    for other, (*_, usual) in FIVE.items():
        more = games - before if other == last else min(usual, games - before)
        for _, p1 in _training_games(game, other, more, seed):
            if p1.games in {*MARKS, games} - {row["games"] for row in history}:
                history.append(learners.adapter(p1).record(game))
        before += more
        if before == games:
            break
    five = f"{', '.join(FIVE)}, one after another"
    made = learners.adapter(p1).provenance(Name("agent", five), -1, 0.5)
    made += (
        " This is no self-play, where one learner moves for both sides: each of the "
        "two learns from its own moves, and keeps its own values."
    )
    training = {"opponent": last, "side": -1, "initial": 0.5, "seed": seed}
    return to_agent(game, p1, name, made, 0, history, training)


def _training_games(game, name, games, seed):
    """Yield one of the five and p1, before their games and after each."""
    rng = _generators(seed)[1 + list(FIVE).index(name)]
    p1 = _p1(name, seed, game.rows, game.columns, game.k)
    learner = _new_learner(game, rng, *FIVE[name][:2])
    yield learner, p1
    for _ in range(games):
        actions = _play(game, (learner, p1), rng)
        learner, _ = learning.learn_game(game, learner, actions, +1)
        p1, _ = learning.learn_game(game, p1, actions, -1)
        yield learner, p1


@cache
def _p1(name, seed, *size):
    """Return p1 as it is before its games with one of the five."""
    index, game = list(FIVE).index(name), tables(*size)
    if index == 0:
        return _new_learner(game, _generators(seed)[0], *P1)
    before = list(FIVE)[index - 1]
    *_, (_, p1) = _training_games(game, before, FIVE[before][-1], seed)
    return p1


def _generators(seed):
    """Return generators of random numbers: for p1, and for each of the five."""
    return generator("PCG64", seed=seed).spawn(1 + len(FIVE))


def _new_learner(game, rng, epsilon, alpha):
    """Return a learner of the tutorial: a draw counts as a loss, first V is 0.5."""
    settings = {"initial": 0.5, "rewards": (1, 0, 0)}
    return learning.new_learner(game, "backward_sweep", rng, alpha, epsilon, **settings)


def _play(game, pair, rng):
    """Return the moves of a game between two learners, each ε-greedy in its own V."""
    s, actions = 0, []
    while not game.terminal[s]:
        learner = pair[len(actions) % 2]
        legal = np.flatnonzero(game.legal[s])
        if rng.random() >= learner.epsilon.start:
            after = game.next[s, legal]
            win, draw, loss = learner.rewards
            ends = np.array([draw, win, loss])[game.to_move[s] * game.outcome[after]]
            q = np.where(game.terminal[after], ends, learner.V[after])
            legal = legal[q >= q.max() - LEARNED_ATOL]
        actions.append(int(rng.choice(legal)))
        s = game.next[s, actions[-1]]
    return actions


def _best_against_random(game):
    first, second = (
        evaluation.best_response(game, uniform(game.legal), side, ties="lowest").policy
        for side in (+1, -1)
    )
    return combine_sides(first, second, game.to_move)


def _safe_and_greedy(game):
    return evaluation.safe_and_greedy(game, uniform(game.legal))


def _learner(method, games=100_000, group="learned", **settings):
    return Recipe(_learned, {"method": method, **settings}, games, group)


def _exact(policy, made):
    return Recipe(_solved, {"policy": policy, "made": made}, group="exact")


TEACHER_SETTINGS = {
    "against": "teacher 0.9 lowest",
    "alpha": 0.5,
    "gamma": 0.9,
    "epsilon": 0.1,
}

AGENTS = {
    # Computed
    "perfect": _exact(perfect, "Minimax: search.solve; ties uniform."),
    "best-against-random": _exact(
        _best_against_random,
        "The exact best response to uniformly random moves: evaluation.best_response; "
        "ties to the lowest cell.",
    ),
    "safe-and-greedy": _exact(
        _safe_and_greedy,
        "Of the moves that perfect play allows, those that win most often against "
        "uniformly random moves: evaluation.safe_and_greedy; ties uniform.",
    ),
    # Learned in self-play
    "td-afterstates": _learner("td_afterstates"),
    "td-all-moves": _learner("td_all_moves"),
    "td-lambda-0.8": _learner("td_afterstates", lambda_=0.8),
    "backward-sweep": _learner("backward_sweep"),
    "independent-q": _learner("independent_q"),
    "minimax-q": _learner("minimax_q", alpha=1),
    # Learned against uniformly random moves
    "mc-control": _learner("mc_control", against="random"),
    "sarsa": _learner("sarsa", against="random"),
    "expected-sarsa": _learner("expected_sarsa", against="random"),
    "q-learning": _learner("q_learning", against="random"),
    "double-q-learning": _learner("double_q_learning", against="random"),
    # Matchboxes, trained against uniformly random moves
    **{
        name: _learner("menace", games, against="random", side=+1)
        for name, games in {
            "menace-100": 100,
            "menace-1000": 1_000,
            "menace": 10_000,
        }.items()
    },
    # Trained against a teacher, with the settings of two older console programs
    "sarsa-teacher-0.9": _learner("sarsa", **TEACHER_SETTINGS),
    "q-learning-teacher-0.9": _learner("q_learning", **TEACHER_SETTINGS),
    # The five learners of a tutorial and their opponent p1, each with its own table
    # (with seed 2 p4 is the best of the five, as with most seeds)
    "p1": Recipe(_opponent_of_five, {}, ALL_FIVE, seed=2),
    **{n: Recipe(_one_of_five, {}, games, seed=2) for n, (*_, games) in FIVE.items()},
    # One learner, from no games to a player that cannot be beaten
    **{
        f"snapshot-{games}": _learner("minimax_q", games, "snapshot", alpha=0.5)
        for games in (0, 10, 100, 1_000, 10_000, 100_000)
    },
}


@validated_agent
def make(game, name, games=None):
    """Return an agent of `AGENTS`, trained again for the games of its recipe.

    games: number of training games instead of that of the recipe.
    Raises ValueError with all names if the name is unknown.
    """
    _require_known(name)
    maker, settings, usual, _, seed = AGENTS[name]
    return maker(game, name, usual if games is None else games, seed, **settings)


def _require_known(name):
    known = ", ".join(sorted(AGENTS))
    require(name in AGENTS, f"name = {name!r}: the agents are {known}")


def write(folder, *names):
    """Write the files of all `AGENTS`, or of some, into a folder. Return the paths.

    They are compressed with gzip, to about a fifth of their size.
    Raises ValueError, and writes nothing, if a name is unknown.
    """
    for name in names:
        _require_known(name)
    paths = {name: Path(folder) / f"{name}.json.gz" for name in names or AGENTS}
    for name, path in paths.items():
        text = io.to_json(make(tables(), name))
        path.write_bytes(gzip.compress(text.encode(), mtime=0))
    return [*paths.values()]
