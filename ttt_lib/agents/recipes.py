"""The agents that come with the book: how each was made, and how to make it again.

`AGENTS` is the list: to ship one more, add its recipe and run `make agents`.
A history has one row per snapshot; its last row holds the agent's exact scores.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ttt_lib import evaluation, learning
from ttt_lib.agents import learners, players, storage
from ttt_lib.agents.learners import generator, to_agent
from ttt_lib.agents.names import Name, parse
from ttt_lib.agents.storage import Agent
from ttt_lib.evaluation import scores
from ttt_lib.game import tables
from ttt_lib.policy import TIE, join, uniform
from ttt_lib.search import perfect


class Recipe(NamedTuple):
    """All that an agent of the book is made from."""

    maker: Callable  #: takes game, name, games, seed and settings, gives an Agent
    settings: Mapping  #: the maker's
    games: int = 0  #: of training
    group: str = "learned"  #: "exact", "learned", or "snapshot" of one learner
    seed: int = 1  #: of its generator


MARKS = (0, *(n * 10**k for k in range(1, 7) for n in (1, 2, 5)))  # rows of a history


def _solved(game, name, games, seed, policy, made):
    """Return an agent that needed no training."""
    policy = policy(game)
    history = ({"games": 0, **scores(game, policy)},)
    size = {"rows": game.rows, "columns": game.columns, "k": game.k}
    return Agent(name, made, policy=policy, history=history, **size)


def _learned(game, name, games, seed, method, against="self", side=0, **settings):
    """Return an agent that learned from `against`, on a side or on both in turns."""
    learner = learners.new(game, method, generator("PCG64", seed=seed), **settings)
    opponent, history = players.opponent(game, against), []
    for mark in [mark for mark in MARKS if mark < games] + [games]:
        pupil = learners.of(learner)
        learner = pupil.train(game, mark - pupil.games, opponent, side)
        history.append(learners.of(learner).record(game))
    against, initial = parse(against), settings.get("initial", 0.0)
    training = {"opponent": against.in_full, "side": side}
    training |= {"initial": initial, "seed": seed}
    made = learners.of(learner).how_made(against, side, initial)
    return to_agent(game, learner, name, made, side, history, training)


def _rival(game, name, games, seed, epsilon, alpha):
    """Return a first player who learned from games with another who learns as well.

    Both learn as a tutorial has it: a draw is a loss, and estimates begin with 0.5.
    """
    rng, (own, others) = generator("PCG64", seed=seed), ((epsilon, alpha), (0.1, 0.5))
    pair = [
        learning.new_learner(
            game, "backward_sweep", rng, alpha, epsilon, initial=0.5, rewards=(1, 0, 0)
        )
        for epsilon, alpha in (own, others)
    ]
    history = []
    for played in range(games + 1):
        if played in MARKS or played == games:
            history.append(learners.of(pair[0]).record(game))
        if played < games:
            actions = _game_of(game, pair, rng)
            for i, side in enumerate((+1, -1)):
                pair[i], _ = learning.learn_game(game, pair[i], actions, side)
    rival = Name("agent", "p1, who learns as well (α = 0.5, ε = 0.1)")
    training = {"opponent": str(rival), "side": +1, "initial": 0.5, "seed": seed}
    made = learners.of(pair[0]).how_made(rival, +1, 0.5)
    return to_agent(game, pair[0], name, made, 0, history, training)


def _game_of(game, pair, rng):
    """Return the moves of a game between two learners of V, each ε-greedy in its V."""
    s, actions = 0, []
    while not game.terminal[s]:
        learner = pair[len(actions) % 2]
        legal = np.flatnonzero(game.legal[s])
        if rng.random() >= learner.epsilon.start:
            after = game.next[s, legal]
            win, draw, loss = learner.rewards
            ends = np.array([draw, win, loss])[game.to_move[s] * game.outcome[after]]
            q = np.where(game.terminal[after], ends, learner.V[after])
            legal = legal[q >= q.max() - TIE]
        actions.append(int(rng.choice(legal)))
        s = game.next[s, actions[-1]]
    return actions


def _best_against_random(game):
    first, second = (
        evaluation.best_response(game, uniform(game.legal), side, ties="lowest").policy
        for side in (+1, -1)
    )
    return join(first, second, game.to_move)


def _safe_and_greedy(game):
    return evaluation.safe_and_greedy(game, uniform(game.legal))


def _pupil(method, games=100_000, group="learned", **settings):
    return Recipe(_learned, {"method": method, **settings}, games, group)


def _exact(policy, made):
    return Recipe(_solved, {"policy": policy, "made": made}, group="exact")


def _five(epsilon, alpha, games):
    # With seed 2 p4 is the best of the five, as with most seeds; with 1 it is p6.
    return Recipe(_rival, {"epsilon": epsilon, "alpha": alpha}, games, seed=2)


CONSOLE = {"against": "teacher 0.9 lowest", "alpha": 0.5, "gamma": 0.9, "epsilon": 0.1}

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
    "td-afterstates": _pupil("td_afterstates"),
    "td-all-moves": _pupil("td_all_moves"),
    "td-lambda-0.8": _pupil("td_afterstates", lambda_=0.8),
    "backward-sweep": _pupil("backward_sweep"),
    "independent-q": _pupil("independent_q"),
    "minimax-q": _pupil("minimax_q", alpha=1),
    # Learned against uniformly random moves
    "mc-control": _pupil("mc_control", against="random"),
    "sarsa": _pupil("sarsa", against="random"),
    "expected-sarsa": _pupil("expected_sarsa", against="random"),
    "q-learning": _pupil("q_learning", against="random"),
    "double-q-learning": _pupil("double_q_learning", against="random"),
    # Matchboxes, against uniformly random moves
    "menace": _pupil("menace", 10_000, against="random", side=+1),
    # Learned from a teacher, as in the console programs of old
    "sarsa-teacher-0.9": _pupil("sarsa", **CONSOLE),
    "q-learning-teacher-0.9": _pupil("q_learning", **CONSOLE),
    # The five of a tutorial, each with tables of its own: ε, α, games
    "p2": _five(0.9, 0.5, 1000),
    "p3": _five(0.1, 0.01, 10),
    "p4": _five(0.1, 0.01, 1000),
    "p5": _five(0.1, 0.9, 10),
    "p6": _five(0.1, 0.9, 1000),
    # One learner, from nothing to a player that nobody beats
    **{
        f"snapshot-{games}": _pupil("minimax_q", games, "snapshot", alpha=0.5)
        for games in (0, 10, 100, 1_000, 10_000, 100_000)
    },
}


def make(game, name, games=None):
    """Return an agent of `AGENTS`, made anew, after as many games as in its recipe.

    With another number of `games` it is the same learner, sooner or later.
    Raises ValueError with their names if it is none of them.
    """
    if name not in AGENTS:
        names = ", ".join(sorted(AGENTS))
        raise ValueError(f"name = {name!r}: the agents are {names}.")
    maker, settings, usual, _, seed = AGENTS[name]
    return maker(game, name, usual if games is None else games, seed, **settings)


def write(folder):
    """Write the files of all `AGENTS` into a folder, as `make agents` does."""
    for name in AGENTS:
        storage.save(make(tables(), name), Path(folder) / f"{name}.json")
