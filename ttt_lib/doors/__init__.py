"""The library's doors: a wrong argument gets one sentence, a file is written whole.

`arguments` has the decorator of public functions, `checked`, and the checks by name.
"""

from ttt_lib.doors.arguments import (
    NEARLY,
    any_side,
    chance,
    chances,
    checked,
    demand_side,
    demand_ties,
    discount,
    free,
    moves_among,
    moves_for,
    of_pairs,
    of_states,
    offsets,
    pairs,
    states_among,
    table,
    table_of,
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
from ttt_lib.doors.learners import SETTINGS, sound_boxes, sound_learner
from ttt_lib.doors.settings import (
    checked_training,
    demand_later_successors,
    demand_model,
    legal_actions,
    unsettled,
)
from ttt_lib.doors.values import (
    array,
    demand,
    number,
    one_of,
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
    "chance",
    "chances",
    "checked",
    "checked_training",
    "demand",
    "demand_drawable",
    "demand_history",
    "demand_later_successors",
    "demand_model",
    "demand_side",
    "demand_size",
    "demand_ties",
    "discount",
    "free",
    "legal_actions",
    "moves_among",
    "moves_for",
    "number",
    "of_pairs",
    "of_states",
    "offsets",
    "one_of",
    "pairs",
    "shown",
    "sound_boxes",
    "sound_learner",
    "states_among",
    "table",
    "table_of",
    "too_large",
    "unsettled",
    "unsound",
    "whole",
    "write_whole",
]
