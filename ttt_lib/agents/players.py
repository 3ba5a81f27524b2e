"""Who can play in the console: the names a person may type, and what they stand for."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from click import ClickException

from ttt_lib import policy, search
from ttt_lib.agents import learners, storage
from ttt_lib.console.screen import nearest


class Contestant(NamedTuple):
    """Somebody who plays: a policy, and what else is known of it."""

    name: str  #: what to call it
    policy: np.ndarray | None  #: (S, A); None for a person, or who judges only
    Q: np.ndarray | None = None  #: (S, A) what it expects of each move, if it does
    side: int = 0  #: the only side it can play (+1, −1), or 0 for both
    learner: tuple | None = None  #: a Learner, or Matchboxes, where it can learn
    agent: storage.Agent | None = None  #: where it was stored
    path: Path | None = None  #: in this file


def names():
    """Return all names that stand for somebody."""
    return [
        "random",
        "perfect",
        "teacher:0.9",
        "person",
        *storage.shipped(),
        *(f"new:{method}" for method in learners.METHODS),
    ]


def contestant(game, text, rng, ties="uniform", **settings):
    """Return the Contestant that a person means by `text`.

    text: "random", "perfect", "teacher:0.9" (perfect with that probability at each
    move, else random), "person", an agent that comes with the library, a file, or
    "new:" and a method of learning: somebody who has learnt nothing yet.
    `ties` is the rule for ties of perfect moves; `settings` are of `new_learner`.
    Raises ValueError if it is none of them, and ClickException or OSError if a
    file cannot be used.
    """
    word = text.strip().lower()
    kind, colon, rest = word.partition(":")
    if word == "person":
        return Contestant("person", None)
    if word == "random":
        return Contestant("random", policy.uniform(game.legal))
    if word == "perfect":
        Q = search.solve(game).Q
        return Contestant("perfect", search.perfect(game, ties=ties), Q)
    if kind == "teacher":
        try:
            p = float(rest) if colon else 0.9
            moves = search.teacher(game, p, ties)
        except ValueError:
            raise ValueError(
                f"{text}: a teacher has a probability from 0 to 1, as in teacher:0.9."
            ) from None
        return Contestant(f"teacher:{p:g}", moves, search.solve(game).Q)
    if word in storage.shipped():
        return of_agent(game, storage.load_shipped(word), rng)
    method = rest.replace("-", "_")
    if kind == "new" and method in learners.METHODS:
        return fresh(game, method, rng, **settings)
    if Path(text).is_file():
        return of_agent(game, load(text), rng, Path(text))
    if text.endswith(".json") or Path(text).name != text:
        raise FileNotFoundError(f"There is no file {text}.")
    known = {name.replace("_", "-"): name for name in names()}
    near = [known[name] for name in nearest(word.replace("_", "-"), known)]
    if word.replace("-", "_") in learners.METHODS:
        near.insert(0, f"new:{word.replace('-', '_')}")
    near = list(dict.fromkeys(near))
    hint = f"do you mean {' or '.join(near)}?" if near else "`ttt agents` lists names."
    raise ValueError(f"There is no agent or file named {text}: {hint}")


def load(path):
    """Return the Agent in a file; a file that cannot be used is no wrong use."""
    try:
        return storage.load(path)
    except ValueError as fault:
        raise ClickException(str(fault)) from None


def fresh(game, method, rng, **settings):
    """Return the Contestant who is to learn by a method, and has not begun.

    Raises ValueError if a learner by that method chooses no moves.
    """
    if method in learners.JUDGES:
        raise ValueError(f"{method} judges a policy and does not play itself.")
    learner = learners.new(game, method, rng, **settings)
    return of_learner(game, learner)


def of_learner(game, learner, name=None, agent=None, path=None):
    """Return a learner as a Contestant who does not explore."""
    name = learners.method(learner) if name is None else name
    Q = learners.expects(game, learner)
    moves = learners.moves(game, learner)
    side = 0 if agent is None else agent.side
    return Contestant(name, moves, Q, side, learner, agent, path)


def of_agent(game, agent, rng, path=None):
    """Return a stored agent as a Contestant, with its learner if it has one.

    An agent who judges a policy has none. Raises ClickException if it was made for
    another board, or not kept whole.
    """
    if (agent.rows, agent.columns, agent.k) != (game.rows, game.columns, game.k):
        raise ClickException(
            f"{agent.name} plays {agent.k} in a row on {agent.rows} × {agent.columns} "
            "cells, and the console only tic-tac-toe."
        )
    if learners.is_learned(agent):
        try:
            learner = learners.to_learner(game, agent, rng)
        except ValueError as fault:
            raise ClickException(str(fault)) from None
        if learners.method(learner) in learners.JUDGES:
            return Contestant(agent.name, None, None, agent.side, learner, agent, path)
        return of_learner(game, learner, agent.name, agent, path)
    moves, Q = agent.policy, agent.Q
    if moves is None and Q is not None:
        moves = policy.greedy(Q, game.legal)
    return Contestant(agent.name, moves, Q, agent.side, None, agent, path)


def must_move(who):
    """Refuse a Contestant who has no policy where one is needed."""
    if who.policy is None and who.agent is None:
        raise ValueError("A person has no policy to compute with: see ttt play.")
    if who.policy is None:
        raise ClickException(f"{who.name} has no policy, so it cannot choose moves.")


def for_side(who, side):
    """Return the policy of a Contestant for a side.

    Raises ClickException if it was made for the other side.
    """
    if who.side not in (0, side):
        made_for = "first" if who.side == 1 else "second"
        raise ClickException(f"{who.name} was made for the {made_for} player only.")
    return who.policy
