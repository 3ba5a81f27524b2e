"""The library's doors: a wrong argument gets one sentence, a file is written whole.

`arguments` has the decorator of public functions, `checked`, and the checks by name.
"""

from ttt_lib.doors.agents import checked_agent
from ttt_lib.doors.arguments import (
    NEARLY,
    any_side,
    cells,
    chance,
    chances,
    checked,
    free,
    moves_among,
    moves_for,
    offsets,
    pairs,
    probabilities,
    states_among,
    table,
    unsound,
)
from ttt_lib.doors.boards import (
    MOST_CELLS,
    MOST_POSITIONS,
    demand_drawable,
    demand_history,
    demand_size,
    too_large,
)
from ttt_lib.doors.files import (
    write_whole,
)
from ttt_lib.doors.learners import (
    SETTINGS,
    numbers_of_games,
    sound_boxes,
    sound_learner,
)
from ttt_lib.doors.settings import (
    checked_training,
    demand_later_successors,
    demand_model,
    largest_reward,
    legal_actions,
    unsettled,
)
from ttt_lib.doors.values import (
    array,
    demand,
    mask,
    number,
    one_of,
    refuse,
    shown,
    whole,
)

__all__ = [
    "MOST_CELLS",
    "MOST_POSITIONS",
    "NEARLY",
    "SETTINGS",
    "any_side",
    "array",
    "cells",
    "chance",
    "chances",
    "checked",
    "checked_agent",
    "checked_training",
    "demand",
    "demand_drawable",
    "demand_history",
    "demand_later_successors",
    "demand_model",
    "demand_size",
    "free",
    "largest_reward",
    "legal_actions",
    "mask",
    "moves_among",
    "moves_for",
    "number",
    "numbers_of_games",
    "offsets",
    "one_of",
    "pairs",
    "probabilities",
    "refuse",
    "shown",
    "sound_boxes",
    "sound_learner",
    "states_among",
    "table",
    "too_large",
    "unsettled",
    "unsound",
    "whole",
    "write_whole",
]
