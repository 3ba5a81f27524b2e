"""Learners and matchboxes: whether one fits its game, even if changed by hand."""

import numpy as np

from ttt_lib.doors.arguments import CHECKS, chance
from ttt_lib.doors.values import (
    LARGEST,
    MOST,
    array,
    demand,
    is_array,
    number,
    shown,
    whole,
)

MOST_BEADS = 10**9  # to be added to a box at once: so none overflows
MOST_STEPS = 2**31  # to look ahead


def _demand_arrays(name, owner, expected):
    """Raise ValueError unless fields hold such arrays: field → (shape, kind), or None.

    Kinds are `float` and `np.int64`, in which the loops have them.
    """
    for field, what in expected.items():
        found = getattr(owner, field)
        if is_array(found):
            fits = what is not None and (found.shape, found.dtype) == what
        else:
            fits = found is what is None
        if not fits:
            kind = what and f"an array of {what[1].__name__}, shape {what[0]}"
            raise ValueError(
                f"{name}.{field} should be {kind}: {name} was made for another game, "
                "or changed by hand."
            )
        if what and what[1] is float:
            good = np.isfinite(getattr(owner, field)).all()
            demand(good, f"{name}.{field} has entries that are infinite or no numbers")


def _numbers_of_beads(name, least):
    def check(value, given):
        numbers = array(value, name)
        demand(numbers.ndim == 1, f"{name} = {shown(value)}: give numbers in a row")
        return tuple(whole(n, name, least, MOST_BEADS) for n in numbers.tolist())

    return check


def _beads(value, given):
    numbers = _numbers_of_beads("beads", 1)(value, given)
    demand(numbers, "beads = (): give numbers from 1 up")
    return numbers


def _reinforcement(value, given):
    numbers = _numbers_of_beads("reinforcement", -MOST_BEADS)(value, given)
    three = len(numbers) == 3
    demand(three, f"reinforcement = {numbers}: give three, of a win, a draw and a loss")
    return numbers


def initial(value, given):
    """Return the first estimate of a learner."""
    return number(value, "initial", -MOST, MOST)


def numbers_of_games(value, given):
    """Return what can be asked for one number after another, as they are needed."""
    demand(np.iterable(value), f"at = {shown(value)}: give numbers of games, rising")
    return value


SETTINGS = CHECKS | {  # of learners and matchboxes
    "initial": initial,
    "lambda_": chance("lambda_"),
    "n": lambda value, given: whole(value, "n", 1, MOST_STEPS),
    "beads": _beads,
    "reinforcement": _reinforcement,
}


def sound_learner(learner, game, learns, double, checks):
    """Return a learner as the loops need it.

    `learns` is "V" or "Q", `double` whether it has two tables Q; `checks` has those of
    its settings by name. Raises ValueError unless the settings make sense and the
    tables are of this game.
    """
    states, pairs = game.terminal.shape, game.legal.shape
    one = states if learns == "V" else pairs
    floats = (learns, "Q1", "Q2") if double else (learns,)
    whole_ = ("updates", "updates1") if double else ("updates",)
    expected = dict.fromkeys(("V", "Q", "Q1", "Q2", "updates1"))
    expected |= dict.fromkeys(floats, (one, float)) | dict.fromkeys(
        whole_, (one, np.int64)
    )
    expected |= {"visits": (states, np.int64), "total_reward": ((2,), float)}
    _demand_arrays("learner", learner, expected)
    for field in (*whole_, "visits"):  # read as unsigned, what is below 0 is huge
        counts = getattr(learner, field).view(np.uint64).max() <= LARGEST
        demand(counts, f"learner.{field} has entries that count nothing")
    names = "games", "alpha", "epsilon", "gamma", "lambda_", "n", "rewards", "rng"
    return _with_settings(learner, names, checks)


def sound_boxes(boxes, given):
    """Return matchboxes as the loops need them. Raises ValueError unless they fit."""
    one = hasattr(boxes, "beads") and hasattr(boxes, "alike")
    demand(one, f"boxes = {shown(boxes)}: give what menace.new_matchboxes returns")
    states, cells = pairs = given["game"].legal.shape
    expected = dict.fromkeys(("beads", "kind", "alike"), (pairs, np.int64))
    _demand_arrays("boxes", boxes, expected | {"box": ((states,), np.int64)})
    beads, box, kind, alike = boxes[:4]
    least = min(beads.min(), box.min(), kind.min() + 1, alike.min() - 1)
    fits = least >= 0 and box.max() < states and kind.max() < cells
    demand(fits, "boxes have entries that no boxes of this game have")
    return _with_settings(boxes, ("games", "reinforcement", "rng"), SETTINGS)


def _with_settings(learner, names, checks):
    settings = {name: checks[name](getattr(learner, name), {}) for name in names}
    return learner._replace(**settings)
