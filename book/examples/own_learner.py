"""A learner of one's own, from its first game to a tournament."""

import numpy as np
from matplotlib import pyplot as plt

from ttt_lib import agents, evaluation, plots
from ttt_lib.board import Board
from ttt_lib.game import tables


class Optimist(agents.OwnLearner):
    """Q-learning that believes good news at once, and bad news slowly."""

    def learn(self, game, steps):
        """Learn from the decisions that one side made in a game."""
        for s, a, r, s_next in steps:
            target = r + max(self.Q[s_next, game.legal[s_next]], default=0)
            delta = target - self.Q[s, a]
            self.Q[s, a] += (0.5 if delta > 0 else 0.1) * delta


game = tables()
random = agents.policy(game, "random")

# Trained, and scored exactly after every 500 games
optimist = Optimist(game, np.random.default_rng(1), epsilon=0.2)
for _ in range(5):
    optimist = optimist.train(game, 500, random)
    scores = evaluation.scores(game, optimist.policy(game))
    print(f"{optimist.games:,} games: wins {scores['win_first']:.3f} as first player")

# Drawn: what it expects of each reply to X in the middle
figure, ax = plt.subplots()
s = game.find(".../.X./...")
plots.numbers(game, s, optimist.action_values(game)[s], ax, limits=(-1, 1))

# Played, here in a notebook: it learns on while you play
board = Board(agent=optimist, name="optimist", overlay="agent")

# Kept: its policy and its values. A file holds no program, so what comes back plays.
made = "Learned by an optimist: 2,500 games against random moves."
agents.save(agents.to_agent(game, optimist, "optimist", made), "optimist.json")

# In a tournament: the mean result of the first player, row against column
players = ["optimist.json", "perfect", "q-learning", "teacher 0.9 lowest"]
policies = [agents.policy(game, name) for name in players]
for name, first in zip(players, policies, strict=True):
    results = [evaluation.result(game, first, second).value for second in policies]
    print(f"{name:20}", *(f"{value:7.3f}" for value in results))
