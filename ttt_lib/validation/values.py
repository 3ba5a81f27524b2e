"""Single values: each check returns what it was given, as the loops need it.

A wrong one raises ValueError with one sentence: what it was, and what is right.
"""

import reprlib

import numpy as np

MAX_INT = 2**62  # whole numbers that loops can still count up from
POLICIES = "policy", "opponent", "behaviour", "first", "second"  # as arguments
MAX_REWARD = (
    1e80  # of a reward: the sum over as many games is still below what files take
)


def require(holds, sentence):
    """Raise ValueError with the sentence, still without its stop, unless it holds."""
    if not holds:
        raise ValueError(f"{sentence}.")


def bad_argument(name, value, what):
    """Raise ValueError on an argument: what it was, and what is right."""
    raise ValueError(f"{name} = {short_repr(value)}: {what}.")


def short_repr(value):
    """Return what a wrong argument was, on one line of at most 60 characters or so."""
    if isinstance(value, np.ndarray) and value.ndim:
        return f"an array of shape {value.shape}"
    if hasattr(value, "_fields"):  # to write out all its arrays would take long
        return f"a {type(value).__name__}"
    text = " ".join(reprlib.repr(value).split())
    text = "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)
    return text if len(text) <= 60 else f"{text[:57]}..."


def as_int(value, name, least=0, most=MAX_INT):
    """Return a whole number as an int.

    Raises ValueError unless least ≤ value ≤ most.
    """
    kinds = int, float, np.integer, np.floating
    good = isinstance(value, kinds) and not isinstance(value, bool)
    if not (good and least <= value <= most and value == int(value)):
        unlimited = most == MAX_INT and not (good and value > most)
        end = f"{least} up" if unlimited else f"{least} to {most:,}"
        bad_argument(name, value, f"give a whole number from {end}")
    return int(value)


def as_float(value, name, least=-np.inf, most=np.inf, above=False):
    """Return a finite number as a float; if `above`, the least itself is refused.

    Raises ValueError unless least ≤ value ≤ most.
    """
    value = value.item() if isinstance(value, np.generic) else value
    good = isinstance(value, float | int) and not isinstance(value, bool)
    good = good and least <= value <= most and not (above and value == least)
    if not (good and -1e300 < value < 1e300):
        from_ = f" above {least:g}" if above else f" from {least:g}"
        ends = "" if least == -np.inf else f"{from_} up"
        ends = ends if most == np.inf else f"{from_} to {most:g}"
        bad_argument(name, value, f"give a finite number{ends}")
    return float(value)


def one_of(value, name, choices):
    """Return the value. Raises ValueError unless it is one of the choices, all text."""
    if not (isinstance(value, str) and value in choices):
        names = ", ".join(map(repr, choices))
        raise ValueError(f"{name} = {short_repr(value)}: choose from {names}.")
    return value


def is_side(value):
    """Return whether a value is the whole number of a side, or of both: no 1.0."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return whole and value in (-1, 0, +1)


def as_array(value):
    """Return `numpy.asarray` of a value.

    Raises TypeError if rows differ in length, or a number is missing: None or masked.
    """
    if type(value) is np.ndarray and value.dtype.kind != "O":
        return value
    try:
        array = np.asarray(value)
    except ValueError:
        raise TypeError("Rows differ in length.") from None
    hidden, none = np.any(getattr(value, "mask", False)), str | bytes | None
    things = array.flat if array.dtype == object else ()
    if hidden or any(isinstance(thing, none) for thing in things):
        raise TypeError("A number is missing.")
    return array


def float_array(value, name, shape=None, finite=True):
    """Return numbers as an array of float.

    Raises ValueError if they are none, have another shape than `shape`, or are not all
    finite though they should be.
    """
    try:
        numbers = as_array(value)
        if numbers.dtype.kind not in "biufO":  # texts, say, or complex numbers
            raise TypeError
        numbers = numbers.astype(float, copy=False)
    except (TypeError, ValueError, OverflowError):
        what = short_repr(value)
        right = "give an array of numbers, none missing"
        if isinstance(value, str) and name in POLICIES:
            right = f"agents.policy(game, {what}) is the policy of that name"
        raise ValueError(f"{name} = {what}: {right}.") from None
    if shape is not None and numbers.shape != shape:
        raise ValueError(
            f"{name} has shape {numbers.shape}, and should have {shape}: "
            f"{_advice(numbers.shape, shape)}."
        )
    if finite and not np.isfinite(numbers).all():
        raise ValueError(f"{name} has entries that are infinite or no numbers.")
    return numbers


def bool_array(value, name, shape=None):
    """Return an array of True and False.

    Raises ValueError if it holds something else, or has another shape than `shape`.
    """
    try:
        answers = as_array(value)
    except TypeError:
        answers = np.zeros(0)
    if answers.dtype != bool or (shape is not None and answers.shape != shape):
        needed = f"the shape {shape}" if shape else "two axes"
        raise ValueError(
            f"{name} = {short_repr(value)}: give an array of True and False with "
            f"{needed}."
        )
    return answers


def _advice(given, needed):
    """Return the advice to whoever gives an array of another shape."""
    if len(needed) == 1 and len(given) == 2:
        return "mdp.from_cells packs a table (S, A)"
    if len(needed) == 2 and len(given) == 1:
        return "mdp.to_cells makes a table of a packed one"
    return "make it for this board"
