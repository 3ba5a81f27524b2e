"""Agents and policies of players, given by name, file, learner or policy."""

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
    """Return the Agent of a name or of a file.

    who: a name in the grammar of `names`, or a Path. The Agent of a file plays on the
    board it was made for, all others on the usual one. A search draws from `rng`.
    Raises ValueError if the name is unknown, AgentFileError if a file is not valid,
    and FileNotFoundError if it does not exist.

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
    """Return the Agent of any player.

    who: a name (string or Name), a learner of any kind, a policy (S, A), or an Agent.
    `rng` and `settings` are those of `learners.new`, for the name of a new learner;
    a search draws from `rng`, too.
    Raises ValueError if it is not a player of this game, AgentFileError if the agent
    has no policy or plays another game, and FileNotFoundError if a file does not exist.

    Examples
    --------
    >>> menace = agents.as_agent(game, "menace")
    >>> menace.side, menace.rewards
    (1, (1, 0, -1))
    """
    if isinstance(who, Agent):
        return _agent_for_game(game, who)
    if learners.is_learner(who):
        return learners.to_agent(game, who, learners.adapter(who).method)
    if not isinstance(who, (str, Name)):
        return _agent_of_policy(game, who)
    name = parse(who) if isinstance(who, str) else who
    if name.kind == "agent":
        return _agent_for_game(game, io.read_builtin(name.what))
    if name.kind == "file":
        return _agent_for_game(game, io.read(Path(name.what)))
    size = {name: getattr(game, name) for name in io.SIZE}
    if name.kind == "new":
        is_prediction = name.what in learners.PREDICTION_METHODS
        require(rng is not None, f"{name}: a new learner needs a generator, rng")
        require(
            not is_prediction, f"{name.what} judges a policy and does not play itself"
        )
        learner = learners.new(game, name.what, rng, **settings)
        return learners.to_agent(game, learner, name.what)
    require(
        name.kind != "self", "self is the learner: it is an opponent only in training"
    )
    if name.kind == "person":
        return Agent(name.typed, **size)
    if name.kind == "random":
        return Agent(name.typed, policy=uniform(game.legal), **size)
    if name.kind == "uct":
        require(rng is not None, f"{name}: a random search needs a generator, rng")
        moves = uct.policy(game, int(name.what), rng)
        return Agent(name.typed, policy=moves, **size)
    moves = search.teacher(game, name.level, name.ties)  # perfect at level 1
    return Agent(name.typed, policy=moves, Q=search.solve(game).Q, **size)


@validated_agent
def policy(game, who, side=0):
    """Return the policy (S, A) of an `as_agent` on a side (+1, −1), or on both (0).

    Raises ValueError, AgentFileError or FileNotFoundError as `as_agent` and `Agent.on`.

    Examples
    --------
    >>> menace = agents.policy(game, "menace", side=+1)
    >>> round(evaluation.result(game, menace, at_random).win, 3)
    0.887
    """
    return as_agent(game, who).on(side)


@validated_agent
def opponent(game, who):
    """Return the policy (S, A) of an opponent on both sides, or None for "self".

    None means self-play, as in `learning.train`. Raises the errors of `policy`.
    """
    name = parse(who) if isinstance(who, str) else who
    if isinstance(name, Name) and name.kind == "self":
        return None
    return policy(game, name)


def _agent_for_game(game, agent):
    """Return an Agent that plays this game, with a policy from Q if it has none."""
    if (agent.rows, agent.columns, agent.k) != (game.rows, game.columns, game.k):
        raise AgentFileError(
            f"{agent.name} plays {agent.k} in a row on {agent.rows} × {agent.columns} "
            f"cells, not {game.k} in a row on {game.rows} × {game.columns}."
        )
    if agent.policy is None and agent.Q is not None:
        agent = agent._replace(policy=greedy(agent.Q, game.legal))
    return agent._replace(taught=agent.side or agent.taught)


def _agent_of_policy(game, policy):
    """Return a policy as an Agent, for the side or sides that it can play."""
    require(
        isinstance(policy, np.ndarray | list | tuple),
        f"A {type(policy).__name__} cannot play: give a name, an Agent, a learner "
        "or a policy",
    )
    policy = float_array(policy, "policy", game.legal.shape)
    valid = abs(policy.sum(axis=1) - 1) < LEARNED_ATOL
    valid &= ~(policy * ~game.legal).any(axis=1) & (policy >= 0).all(axis=1)
    sides = [s for s in (+1, -1) if valid[~game.terminal & (game.to_move == s)].all()]
    require(
        sides,
        "This array is not a policy: its rows should add up to 1 over the legal cells "
        "of every position, or of all those in which one side moves",
    )
    side, size = sum(sides), {name: getattr(game, name) for name in io.SIZE}
    return Agent("policy", "", side, policy, taught=side, **size)
