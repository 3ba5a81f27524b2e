"""Base class of custom learners: a subclass in plain Python writes only `learn`."""

from copy import deepcopy
from typing import NamedTuple

import numpy as np

from ttt_lib.agents.learners import Change, LearnerAdapter
from ttt_lib.policy import LEARNED_ATOL, greedy
from ttt_lib.validation import require, validated_agent, validated_training


class Transition(NamedTuple):
    """One decision of a learner in a game, and its result [S&B sec. 3.1]."""

    s: int  #: position of the decision
    a: int  #: cell that was taken
    r: float  #: reward until its next decision: 0 unless the game ends
    s_next: int  #: position of its next decision, or the end of the game


class CustomLearner(LearnerAdapter):
    """Base class of custom learners: a subclass in plain Python writes `learn`.

    It can then be trained, scored, plotted, stored and played like any other learner.
    Its table Q (S, A) begins with `initial` at all legal actions, and its moves are
    ε-greedy in Q, ties uniform; to choose them differently, write `policy` and `move`
    too. Its generator of random numbers is spawned from `rng`.
    A stored agent keeps its policy and Q but cannot go on learning, because a file
    holds no code.
    """

    _sides: frozenset[int] = frozenset()  # on which it has been trained

    @validated_agent
    def __init__(self, game, rng, epsilon=0.1, initial=0.0):
        self.method, self.games = type(self).__name__, 0
        self.Q = np.where(game.legal, initial, 0.0)
        self.epsilon, self.rng = epsilon, rng.spawn(1)[0]

    def learn(self, game, steps):
        """Update Q after a game from `steps`, the Transitions of one side, in order.

        In self-play it is called once for each side.
        """
        raise NotImplementedError("Write learn(self, game, steps): see CustomLearner.")

    def move(self, game, s):
        """Return the cell (int) that it takes in position s while it is trained."""
        legal = np.flatnonzero(game.legal[s])
        if self.rng.random() >= self.epsilon:
            q = self.Q[s, legal]
            require(not np.isnan(q).any(), f"Q[{s}] has entries that are not numbers")
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
        """Return ε (S, 1), the same in all positions."""
        return np.full((len(game.code), 1), float(self.epsilon))

    def taught(self, game):
        """Return the only side on which it has been trained, or 0."""
        return sum(self._sides)

    @validated_agent
    def train(self, game, games, opponent=None, side=0, behaviour=None):
        """Return the learner after more games, played one by one."""
        validated = validated_training(game, games, opponent, side, behaviour)
        games, *policies = validated
        learner = deepcopy(self)
        for _ in range(games):
            next_side = learner._next_side(side, opponent)
            actions = learner._play(game, next_side, *policies)
            learner._learn(game, actions, next_side)
        return learner

    @validated_agent
    def train_one(self, game, opponent=None, side=0):
        """Return the learner after one more game, its moves, and a list of Changes.

        The arguments are those of `train`; the moves are cells (list).
        """
        _, *policies = validated_training(game, 1, opponent, side)
        player = deepcopy(self)
        next_side = player._next_side(side, opponent)
        actions = player._play(game, next_side, *policies)
        learner, changes = player.learn_game(game, actions, next_side)
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
        """Return ε and all other attributes that are numbers, name → number."""
        numbers = {n: x for n, x in vars(self).items() if isinstance(x, (int, float))}
        numbers.pop("games")
        return numbers

    def _next_side(self, side, opponent):
        """Return the side of its next game: in turns if side is 0."""
        in_turns = opponent is not None and side == 0
        return 1 - 2 * (self.games % 2) if in_turns else side

    def _play(self, game, side, opponent, behaviour):
        """Return the moves of a game in which it plays one side, or both (0)."""
        s, actions = 0, []
        while not game.terminal[s]:
            policy = behaviour if side in (0, game.to_move[s]) else opponent
            if policy is None:
                actions.append(self.move(game, s))
            else:
                actions.append(int(self.rng.choice(len(policy[s]), p=policy[s])))
            s = game.next[s, actions[-1]]
        return actions

    def _learn(self, game, actions, side):
        """Update itself after a finished game."""
        states = _states(game, actions)
        for learning_side in (side,) if side else (+1, -1):
            reward = float(self.rewards[1 - learning_side * game.outcome[states[-1]]])
            movers = game.to_move[states[:-1]]
            turns = np.flatnonzero(movers == learning_side).tolist()
            steps = [
                Transition(states[t], int(actions[t]), 0.0, states[t + 2])
                if t + 2 < len(actions)
                else Transition(states[t], int(actions[t]), reward, states[-1])
                for t in turns
            ]
            if steps:
                self.learn(game, steps)
            self._sides |= {learning_side}
        self.games += 1


def _states(game, actions):
    """Return the positions of a finished game, one more than its moves.

    Raises ValueError if a move is illegal or the game is not finished.
    """
    states = [0]
    for a in actions:
        legal = a in range(game.legal.shape[1]) and game.legal[states[-1], a]
        require(legal, f"actions = {list(actions)}: {a} is illegal")
        states.append(int(game.next[states[-1], a]))
    is_over = game.terminal[states[-1]]
    require(is_over, f"actions = {list(actions)}: the game is not finished")
    return states
