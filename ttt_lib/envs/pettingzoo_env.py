"""The PettingZoo environment: two players, by the AEC interface."""

import gymnasium
import numpy as np
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from ttt_lib.envs.observations import action_mask, cell, observation
from ttt_lib.envs.rendering import MODES, mode, render
from ttt_lib.game import tables

PLAYERS = ["player_1", "player_2"]  # first and second player, PettingZoo's names


def env(rows=3, columns=3, k=3, illegal_reward=-1, render_mode=None):
    """Return the environment, wrapped as PettingZoo's own classic environments are.

    An observation is a dictionary: "observation" (rows, columns, 2) of int8 has 1 where
    the observer has a mark, and in the second plane where the other player has one;
    "action_mask" (A,) of int8 says which cells are empty. An action is a cell, row by
    row: a whole number of any type (2.0 counts as 2), or an array that holds one.
    Anything else raises ValueError. A move into a taken cell ends the game with
    `illegal_reward` for the player who made it.

    Examples
    --------
    >>> import ttt_lib.envs
    >>> match = ttt_lib.envs.env()
    >>> match.reset()
    >>> match.agent_selection
    'player_1'
    """
    game = _Game(rows, columns, k, render_mode)
    game = wrappers.TerminateIllegalWrapper(game, illegal_reward=illegal_reward)
    return wrappers.OrderEnforcingWrapper(_ActionChecker(game))


class _ActionChecker(wrappers.BaseWrapper):
    """Checks that actions are cells; a player who is out of the game passes None."""

    def step(self, action):
        """Make the move of the player to move."""
        mover = self.agent_selection
        if not (self.terminations[mover] or self.truncations[mover]):
            action = cell(action, self.action_space(mover).n)
        super().step(action)


class _Game(AECEnv):
    """The environment without its wrappers."""

    metadata = {  # noqa: RUF012 (PettingZoo's)
        "render_modes": MODES,
        "name": "ttt_lib_v0",
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(self, rows, columns, k, render_mode):
        super().__init__()
        self.render_mode = mode(render_mode)
        self.game = tables(rows, columns, k)
        box, cells = gymnasium.spaces.Box, rows * columns
        space = gymnasium.spaces.Dict(
            {
                "observation": box(0, 1, (rows, columns, 2), np.int8),
                "action_mask": box(0, 1, (cells,), np.int8),
            }
        )
        self.agents, self.possible_agents = PLAYERS[:], PLAYERS[:]
        self.observation_spaces = dict.fromkeys(PLAYERS, space)
        self.action_spaces = {
            player: gymnasium.spaces.Discrete(cells) for player in PLAYERS
        }

    def observation_space(self, agent):
        """Return the space of a player's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent):
        """Return the space of a player's actions."""
        return self.action_spaces[agent]

    def observe(self, agent):
        """Return a player's observation; its mask is empty when the other one moves."""
        side = 1 if agent == PLAYERS[0] else -1
        board = observation(self.game, self.s, side)
        planes = np.stack([board == 1, board == -1], axis=-1).astype(np.int8)
        mask = action_mask(self.game, self.s)
        moves = agent == self.agent_selection and not self.terminations[agent]
        return {"observation": planes, "action_mask": mask if moves else 0 * mask}

    def reset(self, seed=None, options=None):
        """Begin a game. The game is deterministic, so a seed changes nothing."""
        self.agents, self.s = PLAYERS[:], 0
        self.rewards = dict.fromkeys(PLAYERS, 0)
        self._cumulative_rewards = dict.fromkeys(PLAYERS, 0)
        self.terminations = dict.fromkeys(PLAYERS, False)
        self.truncations = dict.fromkeys(PLAYERS, False)
        self.infos = {player: {} for player in PLAYERS}
        self.agent_selection = PLAYERS[0]

    def step(self, action):
        """Make the move of the player to move."""
        mover = self.agent_selection
        if self.terminations[mover] or self.truncations[mover]:
            self._was_dead_step(action)
            return
        self.s = int(self.game.next[self.s, action])
        if self.game.terminal[self.s]:
            outcome = int(self.game.outcome[self.s])
            self.rewards = dict(zip(PLAYERS, (outcome, -outcome), strict=True))
            self.terminations = dict.fromkeys(PLAYERS, True)
        self._cumulative_rewards[mover] = 0
        self.agent_selection = PLAYERS[1 - PLAYERS.index(mover)]
        self._accumulate_rewards()

    def render(self):
        """Return the board as text or as an image, by `render_mode`."""
        return render(self.game, self.s, self.render_mode)
