"""Learners and matchboxes: their settings, and whether one is of its game."""

import numpy as np

from ttt_lib.validation.arguments import CHECKS, probability
from ttt_lib.validation.values import (
    MAX_REWARD,
    as_float,
    as_int,
    float_array,
    require,
    short_repr,
)

MAX_BEADS = 10**9  # to be added to a box at once: so none overflows
MAX_STEPS = 2**31  # to look ahead


def _numbers_of_beads(name, least):
    def check(value, arguments):
        numbers = float_array(value, name)
        require(
            numbers.ndim == 1, f"{name} = {short_repr(value)}: give numbers in a row"
        )
        return tuple(as_int(n, name, least, MAX_BEADS) for n in numbers.tolist())

    return check


def _beads(value, arguments):
    numbers = _numbers_of_beads("beads", 1)(value, arguments)
    require(numbers, "beads = (): give numbers from 1 up")
    return numbers


def _reinforcement(value, arguments):
    numbers = _numbers_of_beads("reinforcement", -MAX_BEADS)(value, arguments)
    three = len(numbers) == 3
    require(
        three, f"reinforcement = {numbers}: give three, of a win, a draw and a loss"
    )
    return numbers


def initial(value, arguments):
    """Return the first estimate of a learner."""
    return as_float(value, "initial", -MAX_REWARD, MAX_REWARD)


def game_counts(value, arguments):
    """Return what can be asked for one number after another, as they are needed."""
    require(
        np.iterable(value), f"at = {short_repr(value)}: give numbers of games, rising"
    )
    return value


SETTING_CHECKS = CHECKS | {  # of learners and matchboxes
    "initial": initial,
    "lambda_": probability("lambda_"),
    "n": lambda value, arguments: as_int(value, "n", 1, MAX_STEPS),
    "beads": _beads,
    "reinforcement": _reinforcement,
}


def validated_learner(learner, game, checks):
    """Return a learner of this game, its settings as the loops need them.

    `checks` has those of its settings by name. Raises ValueError unless it is of this
    game and its settings make sense.
    """
    fits = learner.visits.shape == game.terminal.shape
    require(fits, "learner was made for another game")
    names = "games", "alpha", "epsilon", "gamma", "lambda_", "n", "rewards", "rng"
    return _with_settings(learner, names, checks)


def validated_boxes(boxes, arguments):
    """Return matchboxes of this game. Raises ValueError unless they are."""
    one = hasattr(boxes, "beads") and hasattr(boxes, "alike")
    require(
        one, f"boxes = {short_repr(boxes)}: give what menace.new_matchboxes returns"
    )
    fits = boxes.beads.shape == arguments["game"].legal.shape
    require(fits, "boxes were made for another game")
    return _with_settings(boxes, ("games", "reinforcement", "rng"), SETTING_CHECKS)


def _with_settings(learner, names, checks):
    settings = {name: checks[name](getattr(learner, name), {}) for name in names}
    return learner._replace(**settings)
