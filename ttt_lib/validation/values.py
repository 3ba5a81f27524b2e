"""Checks of single values: each returns the value as the loops need it.

An invalid value raises ValueError with one sentence: the value, and what is valid.
"""

import reprlib

import numpy as np

MAX_INT = 2**62  # loops can still count up from it in 64 bits
# Arguments that are policies:
POLICIES = "policy", "opponent", "target", "behaviour", "other", "first", "second"
MAX_REWARD = 1e80  # the sum over MAX_INT games can still be stored in a file


def require(holds, sentence):
    """Raise ValueError with the sentence, to which a stop is added, unless `holds`."""
    if not holds:
        raise ValueError(f"{sentence}.")


def bad_argument(name, value, what):
    """Raise ValueError about an argument: its value, and what is valid."""
    raise ValueError(f"{name} = {short_repr(value)}: {what}.")


def short_repr(value):
    """Return the repr of a value on one line of about 60 characters at most."""
    if isinstance(value, np.ndarray) and value.ndim:
        return f"an array of shape {value.shape}"
    if hasattr(
        value, "_fields"
    ):  # a NamedTuple: its arrays would make the text too long
        return f"a {type(value).__name__}"
    text = " ".join(reprlib.repr(value).split())
    text = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
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
    """Return a finite number as a float; with `above`, `least` itself is invalid.

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
    """Return the value. Raises ValueError unless it is one of the choices (texts)."""
    if not (isinstance(value, str) and value in choices):
        names = ", ".join(map(repr, choices))
        raise ValueError(f"{name} = {short_repr(value)}: choose from {names}.")
    return value


def is_side(value):
    """Return whether a value is an integer +1, −1 or 0 (both sides); 1.0 is not."""
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
    masked, no_number = np.any(getattr(value, "mask", False)), str | bytes | None
    items = array.flat if array.dtype == object else ()
    if masked or any(isinstance(item, no_number) for item in items):
        raise TypeError("A number is missing.")
    return array


def float_array(value, name, shape=None, finite=True):
    """Return numbers as an array of float.

    Raises ValueError if the value is not numeric, its shape is not `shape`, or `finite`
    is true and an entry is not finite.
    """
    try:
        numbers = as_array(value)
        if numbers.dtype.kind not in "biufO":  # such as texts or complex numbers
            raise TypeError
        numbers = numbers.astype(float, copy=False)
    except (TypeError, ValueError, OverflowError):
        if isinstance(value, str) and name in POLICIES:
            raise ValueError(policy_name_message(name, value, shape)) from None
        raise ValueError(
            f"{name} = {short_repr(value)}: give an array of numbers, none missing."
        ) from None
    if shape is not None and numbers.shape != shape:
        raise ValueError(
            f"{name} has shape {numbers.shape}, and should have {shape}: "
            f"{_advice(numbers.shape, shape)}."
        )
    if finite and not np.isfinite(numbers).all():
        raise ValueError(f"{name} has entries that are infinite or NaN.")
    return numbers


def bool_array(value, name, shape=None):
    """Return an array of True and False.

    Raises ValueError if it contains anything else, or its shape is not `shape`.
    """
    try:
        mask = as_array(value)
    except TypeError:
        mask = np.zeros(0)
    if mask.dtype != bool or (shape is not None and mask.shape != shape):
        needed = f"the shape {shape}" if shape else "two axes"
        raise ValueError(
            f"{name} = {short_repr(value)}: give an array of True and False with "
            f"{needed}."
        )
    return mask


def _advice(actual, needed):
    """Return advice on an array of the wrong shape."""
    if len(needed) == 1 and len(actual) == 2:
        return "mdp.from_cells packs a table (S, A)"
    if len(needed) == 2 and len(actual) == 1:
        return "mdp.to_cells makes a table of a packed one"
    return "make it for this board"


def policy_name_message(name, value, shape=None):
    """Return the message for a text where a policy of this shape is expected."""
    array = f"an array of shape {shape}" if shape else "an array of probabilities"
    text = short_repr(value)
    call = f"agents.policy(game, {text})"
    if shape and len(shape) == 1:
        call = f"mdp.from_cells(mdp, {call})"
    kind = array if name == "policy" else f"a policy, {array}"
    return f"{name} should be {kind}, not {text}: {call} is the policy of that name."
