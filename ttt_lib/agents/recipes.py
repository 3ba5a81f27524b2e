"""The agents of the book: how each was made, and how to make it again.

`AGENTS` is the list: to ship one more, add its recipe and run `make agents`.
A learner is kept as an Agent with all that it needs to go on: loaded and trained
further it is, to the bit, what one long run would have made of it.
A history has one row per snapshot; its last row holds the agent's exact scores.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ttt_lib import evaluation, menace
from ttt_lib.agents import storage
from ttt_lib.agents.storage import NOTHING, Agent
from ttt_lib.evaluation import scores
from ttt_lib.game import tables
from ttt_lib.learning import (
    METHODS,
    Learner,
    greedy_policy,
    new_learner,
    snapshots,
)
from ttt_lib.policy import join, uniform
from ttt_lib.schedules import BY_GAMES, CONSTANT, EXPONENTIAL, LINEAR, Schedule
from ttt_lib.search import perfect, teacher

# Opponents


def opponent(game, name):
    """Return the policy (S, A) that a name stands for; of "self" None, as in `train`.

    name: "self", "random", "perfect", "teacher 0.9" with ties to the lowest cell,
    "teacher 0.9 uniform", or an agent that comes with the book.
    Raises ValueError if it is none of them.
    """
    if name == "self":
        return None
    if name == "random":
        return uniform(game.legal)
    if name == "perfect":  # of any board
        return perfect(game)
    if _level_and_ties(name) is not None:
        return teacher(game, *_level_and_ties(name))
    if name in storage.shipped():
        return storage.policy_for(storage.load_shipped(name), game)
    raise ValueError(
        f"opponent = {name!r}: give 'self', 'random', 'teacher 0.9', or one of "
        f"{', '.join(storage.shipped())}."
    )


def _level_and_ties(name):
    """Return (p, ties) of "teacher p ties", None of another name."""
    word, *rest = name.split() or [""]
    if word != "teacher" or rest[1:] not in ([], ["lowest"], ["uniform"]):
        return None
    try:
        return float(rest[0]), *(rest[1:] or ["lowest"])
    except (IndexError, ValueError):
        return None


# Learners as agents


def to_agent(game, learner, name, made, side=0, history=(), training=NOTHING):
    """Return a Learner as the Agent that is greedy in its estimates, ties uniform.

    A learner of prediction has no policy, so neither has its agent.
    `history` has rows of `record`; `training` says in texts and numbers what the
    learner does not know of its making, as its opponent.
    """
    judges = METHODS[learner.method].judges
    more, state = {}, {}
    for field in Learner._fields:
        value = getattr(learner, field)
        if field in Agent._fields or value is None:
            continue
        if isinstance(value, np.ndarray) and len(value) == len(game.code):
            more[field] = value
        else:
            state[field] = _plain(value)
    return Agent(
        name,
        made,
        side,
        None if judges else greedy_policy(game, learner),
        learner.Q,
        learner.V,
        more,
        game.rows,
        game.columns,
        game.k,
        learner.rewards,
        learner.gamma,
        {**training, "learner": state},
        tuple(history),
    )


def to_learner(agent):
    """Return the Learner in an Agent, ready to go on.

    Raises ValueError if the agent was not learned, or not kept whole.
    """
    state = agent.hyperparameters.get("learner")
    if state is None:
        raise ValueError(f"{agent.name} was not learned: {agent.made}")
    try:
        kept = {**state, **agent.tables, **agent._asdict()}
        if "Q1" in kept:  # The first edition did not say which table was updated.
            kept.setdefault("updates1", (kept["updates"] + 1) // 2)
        learner = Learner(*(_field(name, kept) for name in Learner._fields))
        _check(learner, tables(agent.rows, agent.columns, agent.k))
    except (AttributeError, KeyError, TypeError, ValueError) as fault:
        raise ValueError(
            f"{agent.name} does not hold all that its learner needs to go on."
        ) from fault
    return learner


def _check(learner, game):
    """Raise ValueError unless a new Learner could have come to look like this one."""
    settings = learner.alpha, learner.epsilon, learner.gamma
    steps = (None, None)
    if METHODS[learner.method].steps:
        steps = learner.lambda_, learner.n
    new = new_learner(
        game, learner.method, learner.rng, *settings, 0.0, *steps, learner.rewards
    )
    for name, one, other in zip(Learner._fields, learner, new, strict=True):
        if type(one) is not type(other):
            raise ValueError(f"{name} is of another kind.")
        array = isinstance(one, np.ndarray)
        if array and (one.shape, one.dtype) != (other.shape, other.dtype):
            raise ValueError(f"{name} has another shape.")


def _plain(value):
    """Return what JSON can say of a field of a Learner."""
    if isinstance(value, np.random.Generator):
        return _numbers(value.bit_generator.state)
    if isinstance(value, Schedule):
        return value._asdict()
    return _numbers(value)


def _numbers(value):
    if isinstance(value, Mapping):
        return {key: _numbers(each) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [_numbers(each) for each in value]
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def _field(name, kept):
    """Return a field of a Learner from what was kept of it."""
    kind = Learner.__annotations__[name]
    if kind == np.ndarray | None:
        return kept.get(name)
    value = kept[name]
    if kind is np.random.Generator:
        return _generator(value["bit_generator"], state=value)
    if kind is Schedule:
        return Schedule(**value)
    return np.array(value) if kind is np.ndarray else kind(value)


def _generator(kind, state=None, seed=None):
    """Return a generator in a state, or of a seed: part of how an agent was made."""
    if kind not in ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"):
        raise ValueError(f"{kind!r} is no generator.")
    bits = getattr(np.random, kind)(seed)
    if state is not None:
        bits.state = state
    return np.random.Generator(bits)


# Histories


def record(game, learner):
    """Return the row of a history for a Learner as it is now, name → number.

    `games`, the rewards it has had so far as first and as second player, and the
    `scores` of its greedy policy, if it has one.
    """
    first, second = learner.total_reward.tolist()
    row = {"games": learner.games, "reward_first": first, "reward_second": second}
    if not METHODS[learner.method].judges:
        row |= scores(game, greedy_policy(game, learner))
    return row


# How an agent was made, in words


def how_made(learner, opponent="self", side=0, initial=None):
    """Return the sentence on how a Learner came to what it knows.

    `opponent` names who it trained against; `side` and `initial` are those of `train`
    and `new_learner`.
    """
    named = {"self": "itself", "random": "uniformly random moves"}
    against = named.get(opponent, opponent)
    if _level_and_ties(opponent) is not None:
        p, ties = _level_and_ties(opponent)
        rule = {"lowest": "to the lowest cell", "uniform": "uniform"}[ties]
        against = f"a teacher of level {p:g}, ties {rule}"
    turns = "" if opponent == "self" else ", in turns as first and second player"
    place = {+1: ", as first player", -1: ", as second player"}.get(side, turns)
    settings = f"α = {_words(learner.alpha)}, ε = {_words(learner.epsilon)}"
    settings += f", γ = {learner.gamma:g}{_steps(learner)}"
    if learner.rewards != (1, 0, -1):
        win, draw, loss = learner.rewards
        settings += f", rewards {win:g}, {draw:g}, {loss:g}"
    if initial is not None:
        settings += f", first estimates {initial:g}"
    return (
        f"Learned by {learner.method}: {learner.games:,} games against {against}"
        f"{place}; {settings}."
    )


def _steps(learner):
    if not METHODS[learner.method].steps or learner.lambda_ == 0:
        return ""
    return f", λ = {learner.lambda_:g}, up to {learner.n} steps"


def _words(schedule):
    kind, start, end, rate = schedule
    if kind == CONSTANT:
        return f"{start:g}"
    if kind in (LINEAR, EXPONENTIAL):
        equal = "steps" if kind == LINEAR else "factors"
        return f"{start:g} to {end:g} by equal {equal} in {1 / rate:,.0f} games"
    n = "n" if rate == 1 else f"n^{rate:g}"
    return f"{start:g}/{n} by {'games' if kind == BY_GAMES else 'visits'}"


# The agents that come with the book


class Recipe(NamedTuple):
    """All that an agent of the book is made from."""

    maker: Callable  #: takes game, name, games, seed and settings, gives an Agent
    settings: Mapping  #: the maker's
    games: int = 0  #: of training
    seed: int = 1  #: of its generator


MARKS = (0, *(n * 10**k for k in range(1, 7) for n in (1, 2, 5)))  # rows of a history


def _solved(game, name, games, seed, policy, made):
    """Return an agent that needed no training."""
    policy = policy(game)
    history = ({"games": 0, **scores(game, policy)},)
    size = {"rows": game.rows, "columns": game.columns, "k": game.k}
    return Agent(name, made, policy=policy, history=history, **size)


def _learned(game, name, games, seed, method, against="self", initial=0.0, **settings):
    """Return an agent that learned as first and as second player."""
    rng = _generator("PCG64", seed=seed)
    learner = new_learner(game, method, rng, initial=initial, **settings)
    at = [mark for mark in MARKS if mark < games] + [games]
    seen = list(snapshots(game, learner, at, opponent(game, against)))
    history = [record(game, each) for each in seen]
    made = how_made(seen[-1], against, 0, initial)
    training = {"opponent": against, "side": 0, "initial": initial, "seed": seed}
    return to_agent(game, seen[-1], name, made, 0, history, training)


def _matchboxes(game, name, games, seed):
    """Return MENACE, taught as first player by uniformly random moves.

    Where a box is empty, its policy is uniform, as in `menace.bead_policy`.
    """
    boxes, history = menace.new_matchboxes(game, _generator("PCG64", seed=seed)), []
    random = uniform(game.legal)
    for mark in [mark for mark in MARKS if mark < games] + [games]:
        boxes = menace.train(game, boxes, mark - boxes.games, random, side=+1)
        policy = menace.bead_policy(game, boxes)
        history.append({"games": boxes.games, **scores(game, policy)})
    kept = {
        "games": boxes.games,
        "reinforcement": list(boxes.reinforcement),
        "generator": boxes.rng.bit_generator.state,
    }
    return Agent(
        name,
        f"Matchboxes: {games:,} games against uniformly random moves, as first player; "
        "beads +3, +1, −1. It draws its moves by chance.",
        side=+1,
        policy=policy,
        tables={"beads": boxes.beads},
        rows=game.rows,
        columns=game.columns,
        k=game.k,
        hyperparameters={"opponent": "random", "seed": seed, "matchboxes": kept},
        history=tuple(history),
    )


def _best_against_random(game):
    first, second = (
        evaluation.best_response(game, uniform(game.legal), side, ties="lowest").policy
        for side in (+1, -1)
    )
    return join(first, second, game.to_move)


def _safe_and_greedy(game):
    return evaluation.safe_and_greedy(game, uniform(game.legal))


def _pupil(method, games=100_000, **settings):
    return Recipe(_learned, {"method": method, **settings}, games)


CONSOLE = {"against": "teacher 0.9", "alpha": 0.5, "gamma": 0.9, "epsilon": 0.1}

AGENTS = {
    # Computed
    "perfect": Recipe(
        _solved,
        {"policy": perfect, "made": "Minimax: search.solve; ties uniform."},
    ),
    "best-against-random": Recipe(
        _solved,
        {
            "policy": _best_against_random,
            "made": "The exact best response to uniformly random moves: "
            "evaluation.best_response; ties to the lowest cell.",
        },
    ),
    "safe-and-greedy": Recipe(
        _solved,
        {
            "policy": _safe_and_greedy,
            "made": "Of the moves that perfect play allows, those that win most often "
            "against uniformly random moves: evaluation.safe_and_greedy; ties uniform.",
        },
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
    "menace": Recipe(_matchboxes, {}, 10_000),
    # Learned from a teacher, as in the console programs of old
    "sarsa-teacher-0.9": _pupil("sarsa", **CONSOLE),
    "q-learning-teacher-0.9": _pupil("q_learning", **CONSOLE),
    # One learner, from nothing to a player that nobody beats
    **{
        f"snapshot-{games}": _pupil("minimax_q", games, alpha=0.5)
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
    maker, settings, usual, seed = AGENTS[name]
    return maker(game, name, usual if games is None else games, seed, **settings)


def write(folder):
    """Write the files of all `AGENTS` into a folder, as `make agents` does."""
    for name in AGENTS:
        storage.save(make(tables(), name), Path(folder) / f"{name}.json")
