"""Who plays, and what is kept of them: agents as files, their names, their making."""

from ttt_lib.agents.recipes import opponent
from ttt_lib.agents.storage import (
    Agent,
    load,
    load_shipped,
    policy_for,
    save,
    shipped,
)

__all__ = [
    "Agent",
    "load",
    "load_shipped",
    "opponent",
    "policy_for",
    "save",
    "shipped",
]
