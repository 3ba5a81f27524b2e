"""The game as standard environments: Gymnasium's for one player, PettingZoo's for two.

Importing this package registers `TicTacToe-v0` with Gymnasium; `env` is PettingZoo's.
`policy_from` turns a player that learnt there from observations into a policy (S, A).
"""

try:
    import gymnasium
    import pettingzoo  # noqa: F401 (imported here, so that one message names both)
except ImportError:
    raise ImportError(
        "ttt_lib.envs needs Gymnasium and PettingZoo: pip install 'ttt-lib[envs]'."
    ) from None

from ttt_lib.envs.gymnasium_env import TicTacToeEnv
from ttt_lib.envs.observations import action_mask, observation, policy_from
from ttt_lib.envs.pettingzoo_env import env

__all__ = ["TicTacToeEnv", "action_mask", "env", "observation", "policy_from"]

gymnasium.register("TicTacToe-v0", entry_point="ttt_lib.envs:TicTacToeEnv")
