"""Whoever can play: from a name, or from what somebody has, to an Agent."""

from pathlib import Path

import numpy as np

from ttt_lib import search
from ttt_lib.agents import io, learners
from ttt_lib.agents.agent import Agent, AgentFileError
from ttt_lib.agents.names import Name, parse
from ttt_lib.game import tables
from ttt_lib.large_boards import uct
from ttt_lib.policy import LEARNED_ATOL, greedy, uniform
from ttt_lib.validation import float_array, require, validated_agent


@validated_agent
def load(who, rng=None):
    """Return the Agent of a name, or in a file.

    who: a text of the grammar of `names`, or a Path. A file's Agent plays on the
    board it was made for, all others on the usual one; a search draws from `rng`.
    Raises ValueError if the name is nobody's, UnusableError if a file cannot be used,
    and FileNotFoundError if there is none.

    Examples
    --------
    >>> menace = agents.load("menace")
    >>> menace.side, menace.training["opponent"]
    (1, 'random')
    """
    name = Name("file", str(who)) if isinstance(who, Path) else parse(who)
    if name.kind == "file":
        return io.read(Path(name.what))
    return as_agent(tables(), name, rng)


@validated_agent
def as_agent(game, who, rng=None, **settings):
    """Return the Agent that is meant by `who`.

    who: a text or Name of `names`, a learner of any kind, a policy (S, A), or an Agent.
    `rng` and `settings` are those of `learners.new`, where a new learner is named;
    a search draws from `rng`, too.
    Raises ValueError if it is nobody who plays this game, UnusableError if it cannot be
    used though it is named rightly, and FileNotFoundError if there is no such file.

    Examples
    --------
    >>> menace = agents.as_agent(game, "menace")
    >>> menace.side, menace.rewards
    (1, (1, 0, -1))
    """
    if isinstance(who, Agent):
        return _fitting(game, who)
    if learners.is_learner(who):
        return learners.to_agent(game, who, learners.of(who).method)
    if not isinstance(who, (str, Name)):
        return _given(game, who)
    name = parse(who) if isinstance(who, str) else who
    if name.kind == "agent":
        return _fitting(game, io.read_builtin(name.what))
    if name.kind == "file":
        return _fitting(game, io.read(Path(name.what)))
    size = {what: getattr(game, what) for what in io.SIZE}
    if name.kind == "new":
        judges = name.what in learners.PREDICTION_METHODS
        require(rng is not None, f"{name}: a new learner needs a generator, rng")
        require(not judges, f"{name.what} judges a policy and does not play itself")
        learner = learners.new(game, name.what, rng, **settings)
        return learners.to_agent(game, learner, name.what)
    require(
        name.kind != "self", "self is who learns: it is an opponent only in training"
    )
    if name.kind == "person":
        return Agent(name.typed, **size)
    if name.kind == "random":
        return Agent(name.typed, policy=uniform(game.legal), **size)
    if name.kind == "uct":
        require(rng is not None, f"{name}: a search at random needs a generator, rng")
        moves = uct.policy(game, int(name.what), rng)
        return Agent(name.typed, policy=moves, **size)
    moves = search.teacher(game, name.level, name.ties)  # of level 1 it is perfect
    return Agent(name.typed, policy=moves, Q=search.solve(game).Q, **size)


@validated_agent
def policy(game, who, side=0):
    """Return the policy (S, A) of an `as_agent` on a side (+1, −1), or on both (0).

    Raises ValueError, UnusableError or FileNotFoundError as `as_agent` and `Agent.on`.

    Examples
    --------
    >>> menace = agents.policy(game, "menace", side=+1)
    >>> round(evaluation.result(game, menace, at_random).win, 3)
    0.887
    """
    return as_agent(game, who).on(side)


@validated_agent
def opponent(game, who):
    """Return the policy (S, A) of an opponent on both sides; of "self" None.

    None is self-play, as in `learning.train`. Raises what `policy` raises.
    """
    name = parse(who) if isinstance(who, str) else who
    if isinstance(name, Name) and name.kind == "self":
        return None
    return policy(game, name)


def _fitting(game, agent):
    """Return an Agent that plays this game, with a policy if it has only values."""
    if (agent.rows, agent.columns, agent.k) != (game.rows, game.columns, game.k):
        raise AgentFileError(
            f"{agent.name} plays {agent.k} in a row on {agent.rows} × {agent.columns} "
            f"cells, not {game.k} in a row on {game.rows} × {game.columns}."
        )
    if agent.policy is None and agent.Q is not None:
        agent = agent._replace(policy=greedy(agent.Q, game.legal))
    return agent._replace(taught=agent.side or agent.taught)


def _given(game, table):
    """Return a policy that somebody has as an Agent of the sides that it can play."""
    require(
        isinstance(table, np.ndarray | list | tuple),
        f"A {type(table).__name__} cannot play: give a name, an Agent, a learner "
        "or a policy",
    )
    policy = float_array(table, "policy", game.legal.shape)
    fits = abs(policy.sum(axis=1) - 1) < LEARNED_ATOL
    fits &= ~(policy * ~game.legal).any(axis=1) & (policy >= 0).all(axis=1)
    sides = [s for s in (+1, -1) if fits[~game.terminal & (game.to_move == s)].all()]
    require(
        sides,
        "This is no policy: its probabilities should add up to 1 over the legal cells "
        "of every position, or of all those in which one side moves",
    )
    side, size = sum(sides), {what: getattr(game, what) for what in io.SIZE}
    return Agent("policy", "", side, policy, taught=side, **size)
