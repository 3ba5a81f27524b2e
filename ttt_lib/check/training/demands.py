"""What the functions of students must give, said where they give something else."""

import math

from ttt_lib.check.judge import CLOSE, UnfitError

STILL = 100  # games with one result after which something should have moved
FOR_X = {1: "X won", 0: "were drawn", -1: "O won"}
FOR_MOVER = {1: "the last move won", 0: "were drawn"}


def demand_values(given, count, what):
    """Raise UnfitError if a function did not give a list of so many values.

    No value of a player lies outside −1 and 1, if it moves towards its targets.
    """
    wanted = f"it should give a list of {count} numbers from -1 to 1, {what}"
    if given is None:
        raise UnfitError(f"{wanted}, and it gives None back: is there a `return`?")
    if not isinstance(given, list):
        raise UnfitError(f"{wanted}, and it gives something else")
    if len(given) != count:
        raise UnfitError(f"{wanted}, and it gives a list of {len(given)}")
    for number, value in enumerate(given, 1):
        if not is_number(value, 1 + CLOSE):
            what = f"{value:.6g}" if is_number(value) else "something else"
            raise UnfitError(f"{wanted}, and number {number} of the list is {what}")


def demand_steps(old, new, to_come, of, towards):
    """Raise UnfitError if a value has not moved towards what is to come.

    `to_come` has pairs, before the new values and after, for both are taken. A step
    may end there, but not go beyond; where one value moves, all do that are off.
    """
    rows = [*zip(old, new, to_come, strict=True)]
    some_move = any(value != found for value, found, _ in rows)
    for number, (value, found, ends) in enumerate(rows, 1):
        beyond = not min(value, *ends) - CLOSE <= found <= max(value, *ends) + CLOSE
        off = all(abs(end - value) > CLOSE for end in ends)
        if beyond or (some_move and off and found == value):
            goal = "the result" if number == len(rows) else towards
            goals = " or ".join(dict.fromkeys(f"{end:.6g}" for end in ends))
            becomes = "it stays" if found == value else f"it becomes {found:.6g}"
            raise UnfitError(
                f"the value of {of} {number} of {len(rows)} should move from "
                f"{value:.6g} towards {goal}, {goals}, and {becomes}"
            )


def demand_motion(still, value, found, result, names):
    """Raise UnfitError where the last value of a game never moves towards its result.

    `still` counts such games by their result; `names` says what each is called. A step
    may fade to 0, so that the last value may stay where it has moved before.
    """
    if found != value:
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
