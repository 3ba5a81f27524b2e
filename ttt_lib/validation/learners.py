"""Checks of learners and matchboxes: their settings, and the game they are made for."""

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

MAX_BEADS = 10**9  # added to a box at once, so that sums do not overflow
MAX_STEPS = 2**31  # of an n-step return


def _numbers_of_beads(name, least):
    def check(value, arguments):
        numbers = float_array(value, name)
        require(
            numbers.ndim == 1, f"{name} = {short_repr(value)}: give a list of numbers"
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
    """Return the initial estimate of a learner, a float."""
    return as_float(value, "initial", -MAX_REWARD, MAX_REWARD)


def game_counts(value, arguments):
    """Return an iterable of numbers of games, each checked when it is used."""
    require(
        np.iterable(value),
        f"at = {short_repr(value)}: give increasing numbers of games",
    )
    return value


SETTING_CHECKS = CHECKS | {  # settings of learners and matchboxes
    "initial": initial,
    "lambda_": probability("lambda_"),
    "n": lambda value, arguments: as_int(value, "n", 1, MAX_STEPS),
    "beads": _beads,
    "reinforcement": _reinforcement,
}


def validated_learner(learner, game, checks):
    """Return the learner with its settings as the loops need them.

    `checks` has a check for each setting. Raises ValueError if the learner was made for
    a different game, or a setting is invalid.
    """
    fits = learner.visits.shape == game.terminal.shape
    require(fits, "learner was made for a different game")
    names = "games", "alpha", "epsilon", "gamma", "lambda_", "n", "rewards", "rng"
    return _with_settings(learner, names, checks)


def validated_boxes(boxes, arguments):
    """Return matchboxes of this game with valid settings, or raise ValueError."""
    are_boxes = hasattr(boxes, "beads") and hasattr(boxes, "alike")
    require(
        are_boxes,
        f"boxes = {short_repr(boxes)}: give what menace.new_matchboxes returns",
    )
    fits = boxes.beads.shape == arguments["game"].legal.shape
    require(fits, "boxes were made for a different game")
    return _with_settings(boxes, ("games", "reinforcement", "rng"), SETTING_CHECKS)


def _with_settings(learner, names, checks):
    settings = {name: checks[name](getattr(learner, name), {}) for name in names}
    return learner._replace(**settings)
