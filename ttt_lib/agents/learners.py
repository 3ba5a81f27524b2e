"""Learners as the console sees them: those of `learning`, and MENACE's matchboxes.

One function for each thing that the console asks of either.
"""

import numpy as np

from ttt_lib import evaluation, learning, menace, policy, schedules
from ttt_lib.agents import recipes
from ttt_lib.agents.storage import Agent
from ttt_lib.console.screen import short
from ttt_lib.menace import Matchboxes

METHODS = (*learning.METHODS, "menace")
SELF_PLAY = tuple(m for m, row in learning.METHODS.items() if row.self_play)
JUDGES = tuple(m for m, row in learning.METHODS.items() if row.judges)


def new(game, method, rng, **settings):
    """Return a learner who has seen no game. Raises ValueError on a wrong setting."""
    if method != "menace":
        return learning.new_learner(game, method, rng, **settings)
    rewards = settings.pop("rewards", (3, 1, -1))
    for name in settings:
        raise ValueError(f"menace has no {name.rstrip('_')}: beads are all it has.")
    return menace.new_matchboxes(game, rng, reinforcement=rewards)


def method(learner):
    """Return the name of a learner's method."""
    return "menace" if isinstance(learner, Matchboxes) else learner.method


def expects(game, learner):
    """Return what it expects of each move (S, A), None if it has no such numbers."""
    if isinstance(learner, Matchboxes):
        return None
    return learning.action_values(game, learner)


def moves(game, learner):
    """Return the policy (S, A) that it has come to, without exploring."""
    if isinstance(learner, Matchboxes):
        return menace.bead_policy(game, learner)
    return learning.greedy_policy(game, learner)


def explores(learner):
    """Return how likely (S, 1) it is to make a random move in each position."""
    if isinstance(learner, Matchboxes):
        return np.zeros((len(learner.box), 1))
    visits, which = np.unique(learner.visits, return_inverse=True)
    now = [schedules.scheduled(learner.epsilon, learner.games, n + 1) for n in visits]
    return np.array(now)[which, np.newaxis]


def resigns(game, learner, s):
    """Return whether it gives up in position s: its matchbox is empty."""
    return isinstance(learner, Matchboxes) and menace.is_empty(game, learner)[s]


def learn_game(game, learner, actions, side, names=0):
    """Return the learner after a game, and a line for each thing it has learnt."""
    if isinstance(learner, Matchboxes):
        learner, changes = menace.learn_game(game, learner, actions, side)
        return learner, [
            f"cell {a + names}: {before} {'−' if after < before else '+'} "
            f"{abs(after - before)} = {after} bead{'' if after == 1 else 's'}"
            for a, (_, _, before, after) in zip(actions, changes, strict=True)
            if before >= 0
        ]
    learner, updates = learning.learn_game(game, learner, actions, side)
    return learner, list(_updates(actions, updates, names))


def _updates(actions, updates, names):
    """Yield a line for each update of a learner, its numbers plugged in."""
    for a, (old, target, delta, new) in zip(actions, updates, strict=True):
        if np.isnan(old):
            continue
        cell = f"cell {a + names}: "
        if abs(delta) < 1e-12:
            yield f"{cell}{short(old)}, as expected"
        else:
            step, before = f"{(new - old) / delta:.3g}", short(old)
            minus = f"({before})" if before.startswith("−") else before
            yield (
                f"{cell}{before} + {step} × ({short(target)} − {minus}) = {short(new)}"
            )


def train(game, learner, games, opponent, side, behaviour):
    """Return the learner after more games; arguments as in `learning.train`."""
    if isinstance(learner, Matchboxes):
        return menace.train(game, learner, games, opponent, side or 1)
    return learning.train(game, learner, games, opponent, side, behaviour)


def record(game, learner):
    """Return the row of a history for a learner as it is now."""
    if isinstance(learner, Matchboxes):
        return {"games": learner.games, **evaluation.scores(game, moves(game, learner))}
    return recipes.record(game, learner)


def how_made(learner, opponent, side, initial):
    """Return the sentence on how a learner came to what it knows."""
    if not isinstance(learner, Matchboxes):
        return recipes.how_made(learner, opponent, side, initial)
    win, draw, loss = learner.reinforcement
    whom = "itself" if opponent == "self" else opponent
    place = {+1: ", as first player", -1: ", as second player"}.get(side, "")
    return (
        f"Matchboxes: {learner.games:,} games against {whom}{place}; "
        f"beads {win:+d}, {draw:+d}, {loss:+d}.".replace("-", "−")
    )


def to_agent(game, learner, name, made, side, history, training):
    """Return a learner as an Agent, with all that it needs to go on."""
    if not isinstance(learner, Matchboxes):
        return recipes.to_agent(game, learner, name, made, side, history, training)
    kept = {
        "games": int(learner.games),
        "reinforcement": list(learner.reinforcement),
        "generator": learner.rng.bit_generator.state,
    }
    return Agent(
        name,
        made,
        side,
        moves(game, learner),
        tables={"beads": learner.beads},
        rows=game.rows,
        columns=game.columns,
        k=game.k,
        hyperparameters={**training, "matchboxes": kept},
        history=tuple(history),
    )


def to_learner(game, agent, rng):
    """Return the learner in an Agent, ready to go on; `rng` becomes none of its own.

    Raises ValueError if the agent was not learned, or not kept whole.
    """
    kept = agent.hyperparameters.get("matchboxes")
    if kept is None:
        return recipes.to_learner(agent)
    try:
        boxes = menace.new_matchboxes(game, rng, reinforcement=kept["reinforcement"])
        boxes.rng.bit_generator.state = kept["generator"]
        beads = np.array(agent.tables["beads"])
        if beads.shape != boxes.beads.shape or beads.min() < 0:
            raise ValueError
        return boxes._replace(beads=beads, games=int(kept["games"]))
    except (KeyError, TypeError, ValueError):
        raise ValueError(
            f"{agent.name} does not hold all that its matchboxes need to go on."
        ) from None


def is_learned(agent):
    """Return whether there is a learner in an Agent."""
    return not {"learner", "matchboxes"}.isdisjoint(agent.hyperparameters)


def with_exploring(game, epsilon, greedy):
    """Return a policy that makes a random move with probability ε, (S, 1) or one."""
    return epsilon * policy.uniform(game.legal) + (1 - epsilon) * greedy
