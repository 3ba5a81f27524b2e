"""Whether two things of the library are equal to the bit."""

import json
from collections.abc import Mapping

import numpy as np


def same(one, other):
    """Return whether two agents, learners, or parts of them are equal to the bit."""
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return (one.dtype, one.shape, one.tobytes()) == (
            other.dtype,
            other.shape,
            other.tobytes(),
        )
    if isinstance(one, np.random.Generator):
        return _state(one) == _state(other)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def _state(generator):
    state = generator.bit_generator.state
    return json.dumps(state, default=lambda numbers: np.asarray(numbers).tolist())
