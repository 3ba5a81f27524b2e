"""Requirements on the results of students' functions; they raise UnfitError."""

import math

from ttt_lib.check.judge import CLOSE, UnfitError

STILL = 100  # games with one result after which a value should have moved
FOR_X = {1: "X won", 0: "were drawn", -1: "O won"}
FOR_MOVER = {1: "the last move won", 0: "were drawn"}


def demand_values(given, count, what):
    """Raise UnfitError if a result is not a list of `count` numbers from −1 to 1.

    Values that move towards their targets never leave this range.
    """
    wanted = f"it should return a list of {count} numbers from -1 to 1, {what}"
    if given is None:
        raise UnfitError(f"{wanted}, but it returns None: is there a `return`?")
    if not isinstance(given, list):
        raise UnfitError(f"{wanted}, but it returns something else")
    if len(given) != count:
        raise UnfitError(f"{wanted}, but it returns a list of {len(given)}")
    for number, value in enumerate(given, 1):
        if not is_number(value, 1 + CLOSE):
            what = f"{value:.6g}" if is_number(value) else "something else"
            raise UnfitError(f"{wanted}, but number {number} of the list is {what}")


def demand_steps(old, new, to_come, of, towards):
    """Raise UnfitError if a value has not moved towards its target.

    `to_come` has pairs of targets, by the old values and by the new ones: both are
    accepted. A step may reach its target, but not pass it, and if one value moves, all
    values that differ from their targets must move. `of` and `towards` name the
    entries and their targets.
    """
    rows = [*zip(old, new, to_come, strict=True)]
    any_moved = any(value != moved for value, moved, _ in rows)
    for number, (value, moved, ends) in enumerate(rows, 1):
        beyond = not min(value, *ends) - CLOSE <= moved <= max(value, *ends) + CLOSE
        off = all(abs(end - value) > CLOSE for end in ends)
        if beyond or (any_moved and off and moved == value):
            goal = "the result" if number == len(rows) else towards
            goals = " or ".join(dict.fromkeys(f"{end:.6g}" for end in ends))
            becomes = "it stays" if moved == value else f"it becomes {moved:.6g}"
            raise UnfitError(
                f"the value of {of} {number} of {len(rows)} should move from "
                f"{value:.6g} towards {goal}, {goals}, but {becomes}"
            )


def demand_motion(still, value, moved, result, names):
    """Raise UnfitError if the last value of games never moves towards the result.

    `still` counts such games by their result, and `names` has a phrase for each result.
    A value that has moved before may stay, because step sizes may fade to 0.
    """
    if moved != value:
        still[result] = -math.inf
    elif abs(result - value) > CLOSE:
        still[result] += 1
    if still[result] >= STILL:
        raise UnfitError(
            f"in {STILL} games that {names[result]} no value has moved: the last one "
            f"should move from {value:.6g} towards the result, {result:g}"
        )


def is_number(value, most=10**9):
    """Return whether a value is a number from −most to most."""
    return type(value) in (int, float) and -most <= value <= most
