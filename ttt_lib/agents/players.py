"""Whoever can play: from a name, or from what somebody has, to a policy and values."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from ttt_lib import search
from ttt_lib.agents import learners, plain, storage
from ttt_lib.agents.names import Name, parse
from ttt_lib.agents.storage import Agent, UnusableError
from ttt_lib.bigger import uct
from ttt_lib.doors import array, checked_agent, demand, write_whole
from ttt_lib.game import SIDE_NAMES
from ttt_lib.policy import TIE, greedy, uniform


class Player(NamedTuple):
    """Somebody who plays: a policy, and what else is known of it."""

    name: str  #: what to call it
    policy: np.ndarray | None  #: (S, A); None for a person, or who judges only
    Q: np.ndarray | None = None  #: (S, A) what it expects of each move, if it does
    side: int = 0  #: the only side it can play (+1, −1), or 0 for both
    taught: int = 0  #: the only side it was taught, or 0 for both
    learner: object = None  #: a learner of any kind, where it can learn
    agent: Agent | None = None  #: where it was stored
    path: Path | None = None  #: in this file
    rewards: tuple = (1, 0, -1)  #: of win, draw and loss, in whose unit Q is

    @checked_agent
    def on(self, side=0):
        """Return its policy (S, A) on a side (+1, −1), or on both (0).

        Raises UnusableError if it has none or was made for the other side, and
        ValueError if it is a person.
        """
        if self.policy is None:
            person = self.agent is None and self.learner is None
            demand(not person, "A person has no policy to compute with: see ttt play")
            raise UnusableError(f"{self.name} has no policy: it cannot choose moves.")
        if self.side not in (0, side):
            made_for = SIDE_NAMES[self.side]
            raise UnusableError(f"{self.name} was made for the {made_for} player only.")
        return self.policy

    def untaught(self, side=0):
        """Return the sentence on a side (+1, −1; 0 for both) that it was not taught.

        It is empty if there is nothing to say.
        """
        if self.taught in (0, side):
            return ""
        taught, other = SIDE_NAMES[self.taught], SIDE_NAMES[-self.taught]
        return f"{self.name} was taught as {taught} player only, and not as {other}."


@checked_agent
def player(game, who, rng=None, **settings):
    """Return the Player that is meant by `who`.

    who: a text or Name of `names`, an Agent, a learner of any kind, a policy (S, A), or
    a Player, who stays as it is.
    `rng` and `settings` are those of `learners.new`, where a new learner is named;
    a search draws from `rng`, too.
    Raises ValueError if it is nobody who plays this game, UnusableError if it cannot be
    used though it is named rightly, and FileNotFoundError if there is no such file.

    Examples
    --------
    >>> menace = agents.player(game, "menace")
    >>> menace.side, menace.rewards
    (1, (1, 0, -1))
    """
    if isinstance(who, Player):
        return who
    if isinstance(who, Agent):
        return _stored(game, who)
    if learners.is_learner(who):
        return _learning(game, who, learners.of(who).method)
    if not isinstance(who, (str, Name)):
        return _given(game, who)
    name = parse(who) if isinstance(who, str) else who
    if name.kind == "agent":
        return _stored(game, storage.load_shipped(name.what))
    if name.kind == "file":
        return _stored(game, storage.load(name.what), Path(name.what))
    if name.kind == "new":
        judges = name.what in learners.JUDGES
        demand(rng is not None, f"{name}: a new learner needs a generator, rng")
        demand(not judges, f"{name.what} judges a policy and does not play itself")
        learner = learners.new(game, name.what, rng, **settings)
        return _learning(game, learner, name.what)
    demand(
        name.kind != "self", "self is who learns: it is an opponent only in training"
    )
    if name.kind == "person":
        return Player(name.typed, None)
    if name.kind == "random":
        return Player(name.typed, uniform(game.legal))
    if name.kind == "uct":
        demand(rng is not None, f"{name}: a search at random needs a generator, rng")
        return Player(name.typed, uct.policy(game, int(name.what), rng))
    Q, level = search.solve(game).Q, name.level
    if name.kind == "perfect":
        return Player(name.typed, search.perfect(game, ties=name.ties), Q)
    return Player(name.typed, search.teacher(game, level, name.ties), Q)


@checked_agent
def policy(game, who, side=0):
    """Return the policy (S, A) of a `player` on a side (+1, −1), or on both (0).

    Raises ValueError, UnusableError or FileNotFoundError as `player` and `Player.on`.

    Examples
    --------
    >>> menace = agents.policy(game, "menace", side=+1)
    >>> round(evaluation.result(game, menace, at_random).win, 3)
    0.887
    """
    return player(game, who).on(side)


@checked_agent
def opponent(game, who):
    """Return the policy (S, A) of an opponent on both sides; of "self" None.

    None is self-play, as in `learning.train`. Raises what `policy` raises.
    """
    name = parse(who) if isinstance(who, str) else who
    if isinstance(name, Name) and name.kind == "self":
        return None
    return policy(game, name)


@checked_agent
def write_policy(game, who, path, made=None, anew=False):
    """Write the policy and the values of a `player` as plain JSON; see `policy_text`.

    The file is written whole or not at all, and `load` reads it.
    Raises what `player` and `Player.on` raise, and FileExistsError instead of replacing
    a file if it is to be made `anew`.
    """
    write_whole(path, policy_text(game, who, made).encode(), anew)


@checked_agent
def policy_text(game, who, made=None):
    """Return the policy and the values of a `player` as plain JSON; see `plain`.

    They are those of the sides that it was taught. `made` says how it was made, if its
    Agent does not.
    Raises what `player` and `Player.on` raise.
    """
    found = player(game, who)
    if made is None:
        made = (
            f"The policy of {found.name}." if found.agent is None else found.agent.made
        )
    moves, side = found.on(found.side), found.taught
    if side:
        moves = np.where((game.to_move == side)[:, np.newaxis], moves, 0)
    return plain.packed(game, found.name, made, side, moves, found.Q)


def _learning(game, learner, name):
    """Return a learner as a Player who does not explore."""
    pupil = learners.of(learner)
    moves, Q = pupil.policy(game), pupil.action_values(game)
    taught, rewards = pupil.taught(game), pupil.rewards
    return Player(name, moves, Q, taught=taught, learner=learner, rewards=rewards)


def _stored(game, agent, path=None):
    """Return an Agent as a Player, with its learner if it has one."""
    storage.must_fit(agent, game)
    if learners.is_learned(agent):
        found = _learning(game, learners.restore(game, agent), agent.name)
    else:
        moves = agent.policy
        if moves is None and agent.Q is not None:
            moves = greedy(agent.Q, game.legal)
        found = Player(agent.name, moves, agent.Q)
    return found._replace(
        side=agent.side,
        taught=agent.side or found.taught,
        agent=agent,
        path=path,
        rewards=agent.rewards,
    )


def _given(game, table):
    """Return a policy that somebody has as a Player of the sides that it can play."""
    demand(
        isinstance(table, np.ndarray | list | tuple),
        f"A {type(table).__name__} cannot play: give a name, an Agent, a learner "
        "or a policy",
    )
    policy = array(table, "policy", game.legal.shape)
    fits = abs(policy.sum(axis=1) - 1) < TIE
    fits &= ~(policy * ~game.legal).any(axis=1) & (policy >= 0).all(axis=1)
    sides = [s for s in (+1, -1) if fits[~game.terminal & (game.to_move == s)].all()]
    demand(
        sides,
        "This is no policy: its probabilities should add up to 1 over the legal cells "
        "of every position, or of all those in which one side moves",
    )
    return Player("policy", policy, side=sum(sides), taught=sum(sides))
