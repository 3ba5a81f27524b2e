"""The Gymnasium environment: the opponent is a part of the environment."""

import gymnasium
import numpy as np

from ttt_lib import agents
from ttt_lib.envs.observations import action_mask, cell, observation
from ttt_lib.envs.rendering import MODES, mode, render
from ttt_lib.game import SIDES, tables
from ttt_lib.validation import one_of, require


class TicTacToeEnv(gymnasium.Env):
    """Tic-tac-toe, or another m,n,k game, against an opponent: `TicTacToe-v0`.

    An observation is the board as the agent sees it, (rows, columns) of int8: +1 its
    own marks, −1 the opponent's, 0 empty. An action is a cell, 0 to A − 1, row by row.
    `info["action_mask"]` (A,) of int8 says which are empty.

    `side` is the agent's, "first" or "second"; `opponent` a name of `ttt_lib.agents`
    or a policy (S, A); `rewards` those of a win, a draw and a loss, given with the move
    that ends the game; before, they are 0. A move into a taken cell ends the game with
    the reward `illegal_reward` if `illegal` is "end"; if it is "refuse", it raises
    ValueError and changes nothing. An action that is not a cell of the board always
    raises ValueError; a cell may be a whole number of any type (2.0 counts as 2), or an
    array that holds one.
    Raises ValueError if an argument is invalid.

    Examples
    --------
    >>> from ttt_lib.envs import TicTacToeEnv
    >>> env = TicTacToeEnv(opponent="perfect lowest")
    >>> board, info = env.reset()
    >>> board, reward, over, _, info = env.step(4)
    >>> board
    array([[-1,  0,  0],
           [ 0,  1,  0],
           [ 0,  0,  0]], dtype=int8)
    """

    metadata = {"render_modes": MODES, "render_fps": 1}  # noqa: RUF012 (Gymnasium's)

    def __init__(
        self,
        side="first",
        opponent="random",
        rewards=(1, 0, -1),
        rows=3,
        columns=3,
        k=3,
        illegal="end",
        illegal_reward=-1,
        render_mode=None,
    ):
        self.side = SIDES[one_of(side, "side", tuple(SIDES))]
        self.illegal = one_of(illegal, "illegal", ("refuse", "end"))
        self.render_mode = mode(render_mode)
        rewards = np.asarray(rewards, dtype=float)
        require(rewards.shape == (3,), "rewards: give three, of a win, a draw, a loss")
        self.rewards = dict(zip((1, 0, -1), rewards.tolist(), strict=True))
        self.illegal_reward = float(illegal_reward)
        self.game = tables(rows, columns, k)
        self.policy = agents.policy(self.game, opponent, -self.side)
        self.observation_space = gymnasium.spaces.Box(-1, 1, (rows, columns), np.int8)
        self.action_space = gymnasium.spaces.Discrete(rows * columns)
        self.s = None
        self._over = False  # an illegal move ends a game in an unfinished position

    def reset(self, *, seed=None, options=None):
        """Begin a game; return an observation of the agent's first decision, and info.

        The seed determines the opponent's moves in all games from here on.
        """
        super().reset(seed=seed)
        self.s = 0
        if self.side == -1:
            self._move_opponent()
        self._over = bool(self.game.terminal[self.s])
        return self._observe()

    def step(self, action):
        """Make the agent's move and the opponent's.

        Return an observation, the reward, whether the game is over, whether it was
        truncated (never), and info, as Gymnasium requires.
        """
        game = self.game
        require(self.s is not None, "No game has begun: call reset()")
        require(not self._over, "The game is over: call reset()")
        a = cell(action, game.legal.shape[1])
        if not game.legal[self.s, a]:
            require(
                self.illegal == "end",
                f"action = {a}: choose an empty cell of {game.string(self.s)}, "
                "as info['action_mask'] says",
            )
            self._over = True
            board, info = self._observe()
            return board, self.illegal_reward, True, False, info
        self.s = int(game.next[self.s, a])
        if not game.terminal[self.s]:
            self._move_opponent()
        self._over = over = bool(game.terminal[self.s])
        reward = self.rewards[self.side * int(game.outcome[self.s])] if over else 0.0
        board, info = self._observe()
        return board, reward, over, False, info

    def render(self):
        """Return the board as text or as an image, by `render_mode`."""
        require(self.s is not None, "No game has begun: call reset()")
        return render(self.game, self.s, self.render_mode)

    def _move_opponent(self):
        """Let the opponent move."""
        chances = self.policy[self.s]
        a = self.np_random.choice(len(chances), p=chances)
        self.s = int(self.game.next[self.s, a])

    def _observe(self):
        """Return an observation and info; when the game is over, no cell is legal."""
        info = {"action_mask": action_mask(self.game, self.s) * np.int8(not self._over)}
        return observation(self.game, self.s, self.side), info
