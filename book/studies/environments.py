"""A learner that is independent of this library, trained in its environment."""

from collections import defaultdict

import numpy as np

from ttt_lib import learning, schedules
from ttt_lib.game import tables
from ttt_lib.policy import uniform

RNG = np.random.default_rng(131)
SEEDS = 30
GAMES = 1000, 3000, 10_000
ALPHA, EPSILON = 0.1, 0.1
SETTINGS = {  # label: source of its games, rule for ties
    "with the mask": ("mask", "uniform"),
    "with the mask, ties to the lowest cell": ("mask", "lowest"),
    "without, an illegal move loses": ("end", "uniform"),
    "Q-learning of this library": ("ours", "uniform"),
}


class TabularAgent:
    """Q-learning on observations of any environment."""

    def __init__(self, actions, ties, rng):
        self.Q = defaultdict(lambda: np.zeros(actions))
        self.actions, self.ties, self.rng = actions, ties, rng

    def choose(self, observation, mask):
        """Return an action, ε-greedy among those of the mask."""
        chances = self.greedy(observation, mask)
        if self.rng.random() < EPSILON:
            chances = mask / mask.sum()
        return int(self.rng.choice(self.actions, p=chances))

    def greedy(self, observation, mask):
        """Return probabilities: equal ones for the best, or 1 for its lowest."""
        values = np.where(mask, self.Q[observation.tobytes()], -np.inf)
        best = values == values.max()
        if self.ties == "lowest":
            best = np.arange(self.actions) == best.argmax()
        return best / best.sum()

    def learn(self, observation, action, reward, after, mask, over):
        """Move one value towards its target."""
        best = 0 if over else self.Q[after.tobytes()][mask].max()
        q = self.Q[observation.tobytes()]
        q[action] += ALPHA * (reward + best - q[action])


def train(env, agent, games, masked):
    """Let an agent play games in an environment, and learn from each step."""
    for _ in range(games):
        observation, info = env.reset()
        over = False
        while not over:
            mask = info["action_mask"].astype(bool) | (not masked)
            action = agent.choose(observation, mask)
            after, reward, over, _, info = env.step(action)
            allowed = info["action_mask"].astype(bool) | (not masked)
            agent.learn(observation, action, reward, after, allowed, over)
            observation = after


def trial(setting, rng):
    """Return a row for each of GAMES: value against random play, and worst case.

    Both are those of the greedy policy, as first player.
    """
    game = tables()
    rows = [scores(game, policy) for policy in policies(game, setting, rng)]
    return np.round(rows, 5)


def scores(game, policy):
    """Return the value of a first player against random play and in the worst case.

    Its policy (S, A) may choose taken cells, which loses, as in its training.
    """
    V = np.repeat(game.outcome[:, np.newaxis], 2, axis=1).astype(float)
    for s in np.flatnonzero(~game.terminal)[::-1]:
        legal = game.legal[s]
        after = V[game.next[s, legal]]
        if game.to_move[s] == +1:
            V[s] = policy[s, legal] @ after - policy[s, ~legal].sum()
        else:
            V[s] = after[:, 0].mean(), after[:, 1].min()
    return V[0]


def policies(game, setting, rng):
    """Yield the policy after each of GAMES."""
    source, ties = setting
    if source == "ours":
        settings = {"alpha": schedules.constant(ALPHA), "epsilon": EPSILON}
        learner = learning.new_learner(game, "q_learning", rng, **settings)
        for now in learning.snapshots(game, learner, GAMES, uniform(game.legal), +1):
            yield learning.greedy_policy(game, now)
        return
    from ttt_lib import envs  # not needed to read the stored results

    env, agent = envs.TicTacToeEnv(), TabularAgent(9, ties, rng)
    env.reset(seed=int(rng.integers(2**31)))
    played = 0
    for games in GAMES:
        train(env, agent, games - played, source == "mask")
        played = games
        policy = np.zeros(game.legal.shape)
        for s in np.flatnonzero(~game.terminal & (game.to_move == +1)):
            mask = game.legal[s] | (source == "end")
            policy[s] = agent.greedy(envs.observation(game, s, +1), mask)
        yield policy
