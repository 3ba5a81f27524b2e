"""A learner of one's own, in plain Python: write how it learns, and have the rest."""

from copy import deepcopy
from typing import NamedTuple

import numpy as np

from ttt_lib.agents.learners import Change, LearnerAdapter
from ttt_lib.policy import LEARNED_ATOL, greedy
from ttt_lib.validation import require, validated_agent, validated_training


class Transition(NamedTuple):
    """One decision of a learner in a game, and what came of it [S&B sec. 3.1]."""

    s: int  #: position in which it decided
    a: int  #: cell that it took
    r: float  #: reward until its next decision: of the end, or 0
    s_next: int  #: position of its next decision, or the end of the game


class CustomLearner(LearnerAdapter):
    """A learner of one's own, in plain Python: a subclass that says how it learns.

    Write `learn`, and it can be trained, scored, drawn, kept, played and taught as all
    others. Its table Q (S, A) begins with `initial` at all legal actions, and its moves
    are ε-greedy in Q, ties uniform; to choose them otherwise write `policy` and `move`,
    too. Its generator is spawned from `rng`.
    A stored agent keeps its policy and Q, but does not go on learning: a file holds no
    program.
    """

    _sides: frozenset[int] = frozenset()  # on which it has learned

    @validated_agent
    def __init__(self, game, rng, epsilon=0.1, initial=0.0):
        self.method, self.games = type(self).__name__, 0
        self.Q = np.where(game.legal, initial, 0.0)
        self.epsilon, self.rng = epsilon, rng.spawn(1)[0]

    def learn(self, game, steps):
        """Change what it knows after a game: its Steps are those of one side, in order.

        In self-play it is called for either side.
        """
        raise NotImplementedError("Write learn(self, game, steps): see OwnLearner.")

    def move(self, game, s):
        """Return the cell (int) that it takes in position s while it learns."""
        legal = np.flatnonzero(game.legal[s])
        if self.rng.random() >= self.epsilon:
            q = self.Q[s, legal]
            require(not np.isnan(q).any(), f"Q[{s}] has entries that are no numbers")
            legal = legal[q >= q.max() - LEARNED_ATOL]
        return int(self.rng.choice(legal))

    @validated_agent
    def policy(self, game):
        """Return the policy that is greedy in Q, ties uniform."""
        return greedy(self.Q, game.legal)

    @validated_agent
    def action_values(self, game):
        """Return Q, 0 at illegal cells."""
        return np.where(game.legal, self.Q, 0.0)

    @validated_agent
    def exploring(self, game):
        """Return ε, everywhere the same."""
        return np.full((len(game.code), 1), float(self.epsilon))

    def taught(self, game):
        """Return the only side on which it has learned, or 0."""
        return sum(self._sides)

    @validated_agent
    def train(self, game, games, opponent=None, side=0, behaviour=None):
        """Return the learner after more games, played one by one."""
        checked = validated_training(game, games, opponent, side, behaviour)
        games, *tables = checked
        learner = deepcopy(self)
        for _ in range(games):
            own = learner._own(side, opponent)
            learner._learn(game, learner._play(game, own, *tables), own)
        return learner

    @validated_agent
    def train_one(self, game, opponent=None, side=0):
        """Return the learner after one more game, the game's moves, and its Changes.

        The arguments are those of `train`; the moves are cells (list).
        """
        _, *tables = validated_training(game, 1, opponent, side)
        player = deepcopy(self)
        own = player._own(side, opponent)
        actions = player._play(game, own, *tables)
        learner, changes = player.learn_game(game, actions, own)
        return learner, actions, changes

    @validated_agent
    def learn_game(self, game, actions, side=0):
        """Return the learner after a game, and a Change for each of its decisions."""
        learner = deepcopy(self)
        states = _states(game, actions)
        learner._learn(game, actions, side)
        return learner, [
            Change(t, int(a), float(self.Q[s, a]), None, float(learner.Q[s, a]))
            for t, (s, a) in enumerate(zip(states, actions, strict=False))
            if side in (0, game.to_move[s])
        ]

    def settings(self):
        """Return ε, and all other numbers that the subclass has given it."""
        numbers = {n: x for n, x in vars(self).items() if isinstance(x, (int, float))}
        numbers.pop("games")
        return numbers

    def _own(self, side, opponent):
        """Return the side of its next game: one after the other if side is 0."""
        in_turns = opponent is not None and side == 0
        return 1 - 2 * (self.games % 2) if in_turns else side

    def _play(self, game, own, opponent, behaviour):
        """Return the moves of a game in which it plays side `own`, 0 for both."""
        s, actions = 0, []
        while not game.terminal[s]:
            table = behaviour if own in (0, game.to_move[s]) else opponent
            if table is None:
                actions.append(self.move(game, s))
            else:
                actions.append(int(self.rng.choice(len(table[s]), p=table[s])))
            s = game.next[s, actions[-1]]
        return actions

    def _learn(self, game, actions, side):
        """Learn from a whole game of its own."""
        states = _states(game, actions)
        for own in (side,) if side else (+1, -1):
            reward = float(self.rewards[1 - own * game.outcome[states[-1]]])
            turns = [t for t in range(len(actions)) if game.to_move[states[t]] == own]
            steps = [
                Transition(states[t], int(actions[t]), 0.0, states[t + 2])
                if t + 2 < len(actions)
                else Transition(states[t], int(actions[t]), reward, states[-1])
                for t in turns
            ]
            if steps:
                self.learn(game, steps)
            self._sides |= {own}
        self.games += 1


def _states(game, actions):
    """Return the positions of a whole game, one more than moves.

    Raises ValueError if it is none.
    """
    states = [0]
    for a in actions:
        legal = a in range(game.legal.shape[1]) and game.legal[states[-1], a]
        require(legal, f"actions = {list(actions)}: {a} is illegal")
        states.append(int(game.next[states[-1], a]))
    over = game.terminal[states[-1]]
    require(over, f"actions = {list(actions)}: the game is not finished")
    return states
