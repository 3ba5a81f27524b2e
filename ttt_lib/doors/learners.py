"""Learners and matchboxes: their settings, and whether one is of its game."""

import numpy as np

from ttt_lib.doors.arguments import CHECKS, chance
from ttt_lib.doors.values import MOST, array, demand, number, shown, whole

MOST_BEADS = 10**9  # to be added to a box at once: so none overflows
MOST_STEPS = 2**31  # to look ahead


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


def sound_learner(learner, game, checks):
    """Return a learner of this game, its settings as the loops need them.

    `checks` has those of its settings by name. Raises ValueError unless it is of this
    game and its settings make sense.
    """
    fits = learner.visits.shape == game.terminal.shape
    demand(fits, "learner was made for another game")
    names = "games", "alpha", "epsilon", "gamma", "lambda_", "n", "rewards", "rng"
    return _with_settings(learner, names, checks)


def sound_boxes(boxes, given):
    """Return matchboxes of this game. Raises ValueError unless they are."""
    one = hasattr(boxes, "beads") and hasattr(boxes, "alike")
    demand(one, f"boxes = {shown(boxes)}: give what menace.new_matchboxes returns")
    fits = boxes.beads.shape == given["game"].legal.shape
    demand(fits, "boxes were made for another game")
    return _with_settings(boxes, ("games", "reinforcement", "rng"), SETTINGS)


def _with_settings(learner, names, checks):
    settings = {name: checks[name](getattr(learner, name), {}) for name in names}
    return learner._replace(**settings)
