"""The game as the field's environments: Gymnasium's for one, PettingZoo's for two.

Importing this room registers `TicTacToe-v0` with Gymnasium. `env` is PettingZoo's.
Whoever learned there, from observations alone, is scored here: see `policy_from`.
"""

try:
    import gymnasium
    import pettingzoo  # noqa: F401 (asked for here, so that one sentence says both)
except ImportError:
    raise ImportError(
        "ttt_lib.envs needs Gymnasium and PettingZoo: pip install 'ttt-lib[envs]'."
    ) from None

from ttt_lib.envs.gymnasium_env import TicTacToeEnv
from ttt_lib.envs.observations import action_mask, observation, policy_from
from ttt_lib.envs.pettingzoo_env import env

__all__ = ["TicTacToeEnv", "action_mask", "env", "observation", "policy_from"]

gymnasium.register("TicTacToe-v0", entry_point="ttt_lib.envs:TicTacToeEnv")
