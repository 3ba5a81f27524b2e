"""Shared by many tests: boards, random policies, comparisons, sampled parameters."""

import base64
import json
import zlib
from collections.abc import Mapping
from functools import wraps
from pathlib import Path

import numpy as np
import pytest

from ttt_lib.game import tables
from ttt_lib.policy import softmax

# A page redraws what depends on its size one frame after the size changes.
FRAMES = """async (most = 3) => {
  for (let i = 0; i < most; ++i) await new Promise(requestAnimationFrame);
}"""

ROOT = Path(__file__).parents[1]
game = tables()
wide = tables(2, 3, 3)  # small, not square; an even number of cells


def rng(seed=0):
    return np.random.default_rng(seed)


def some_policy(g, seed):
    """Return a policy (S, A) that may take any legal action."""
    return softmax(rng(seed).normal(size=g.legal.shape), g.legal)


def sparse_policy(g, seed):
    """Return a policy (S, A) that never takes some of the legal actions."""
    random = rng(seed)
    weight = random.exponential(size=g.legal.shape)
    weight *= (random.random(g.legal.shape) < 0.7) & g.legal
    weight = np.where(weight.any(axis=1, keepdims=True), weight, g.legal)
    return weight / np.maximum(weight.sum(axis=1, keepdims=True), 1e-300)


def taught_part(policy, player):
    """Return the policy, 0 where the side to move was not taught to the Player."""
    untaught = (player.taught != 0) & (game.to_move != player.taught)
    return np.where(untaught[:, np.newaxis], 0, policy)


def same(one, other):
    """Return whether two values, with all that they contain, are bit-identical."""
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        as_type = one.dtype == other.dtype and one.shape == other.shape
        return as_type and one.tobytes() == other.tobytes()
    if isinstance(one, np.random.Generator):
        return state(one) == state(other)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def unpacked(packed):
    """Return the numbers of an array packed for a page, as its script unpacks them."""
    raw = zlib.decompress(base64.b64decode(packed["data"]))
    numbers = np.frombuffer(raw, f"<{packed['type']}").astype(float)
    if "palette" in packed:
        return np.array(packed["palette"])[numbers.astype(int)]
    return numbers / packed.get("unit", 1)


def sample_params(values, keep):
    """Return values for `parametrize`, of which only `keep` are not marked `long`.

    These are evenly spaced, with the first value among them.
    """
    values = [each if isinstance(each, tuple) else (each,) for each in values]
    always = {number * len(values) // keep for number in range(keep)}
    return [
        pytest.param(*value, marks=() if number in always else pytest.mark.long)
        for number, value in enumerate(values)
    ]


def _label(value):
    """Return how a value is reported: a file by its path in the repository."""
    if isinstance(value, Path) and value.is_relative_to(ROOT):
        value = value.relative_to(ROOT)
    return str(value)[:200]


def _message(error):
    """Return the message of an AssertionError, or all that pytest adds without one."""
    text = str(error)
    return text if text.startswith("assert ") else text.partition("\nassert ")[0]


def each(values):
    """Return a decorator that runs a test for all values, as one test.

    It runs the test for all of them and reports the values for which it fails.
    """
    values = [*values]
    assert values, "a test of no values always passes"

    def decorator(test):
        @wraps(test)
        def test_all():
            errors = []
            for value in values:
                try:
                    test(value)
                except AssertionError as error:
                    errors.append(f"{_label(value)}: {_message(error)}")
            if errors:
                pytest.fail("\n".join(errors), pytrace=False)

        del test_all.__wrapped__  # pytest would take its argument for a fixture
        return test_all

    return decorator


def state(generator):
    """Return the state of a random generator as text; some states contain arrays."""
    return json.dumps(generator.bit_generator.state, default=np.ndarray.tolist)
