"""What many tests share: boards, chance, policies, and what "to the bit" means."""

import json
from collections.abc import Mapping
from functools import wraps
from pathlib import Path

import numpy as np
import pytest

from ttt_lib.game import tables
from ttt_lib.policy import softmax

# What a page draws to fit its place is drawn anew a frame after that changes.
FRAMES = """async (most = 3) => {
  for (let i = 0; i < most; ++i) await new Promise(requestAnimationFrame);
}"""

ROOT = Path(__file__).parents[1]
game = tables()
wide = tables(2, 3, 3)  # the second player has the last move: first may see a draw come


def rng(seed=0):
    return np.random.default_rng(seed)


def some_policy(g, seed):
    """Return a policy (S, A) that may take any legal action."""
    return softmax(rng(seed).normal(size=g.legal.shape), g.legal)


def sparse_policy(g, seed):
    """Return a policy (S, A) that never takes some of the legal actions."""
    chance = rng(seed)
    weight = chance.exponential(size=g.legal.shape)
    weight *= (chance.random(g.legal.shape) < 0.7) & g.legal
    weight = np.where(weight.any(axis=1, keepdims=True), weight, g.legal)
    return weight / np.maximum(weight.sum(axis=1, keepdims=True), 1e-300)


def taught_part(policy, player):
    """Return a policy, 0 where a side is to move that a Player was not taught."""
    untaught = (player.taught != 0) & (game.to_move != player.taught)
    return np.where(untaught[:, np.newaxis], 0, policy)


def same(one, other):
    """Return whether two things, or all that they hold, are equal to the bit."""
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        known = one.dtype, one.shape, one.tobytes()
        return known == (other.dtype, other.shape, other.tobytes())
    if isinstance(one, np.random.Generator):
        return state(one) == state(other)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def sample_params(values, keep):
    """Return values for `parametrize`: some, evenly spread; the others for `make long`.

    keep: how many every run of the tests takes; the first value is one of them.
    """
    values = [each if isinstance(each, tuple) else (each,) for each in values]
    kept = {number * len(values) // keep for number in range(keep)}
    return [
        pytest.param(*value, marks=() if number in kept else pytest.mark.long)
        for number, value in enumerate(values)
    ]


def _named(thing):
    """Return how a thing is reported: a file by its path in the repository."""
    if isinstance(thing, Path) and thing.is_relative_to(ROOT):
        thing = thing.relative_to(ROOT)
    return str(thing)[:200]


def _sentence(fault):
    """Return what an AssertionError says: its message, or else all that pytest adds."""
    message = str(fault)
    return (
        message if message.startswith("assert ") else message.partition("\nassert ")[0]
    )


def each(things):
    """Return a decorator that makes one test of one for each of some things.

    It runs for all of them, and reports those for which it fails, each with a sentence.
    """
    things = [*things]
    assert things, "a rule for nothing holds always"

    def decorated(test):
        @wraps(test)
        def all_of_them():
            faults = []
            for thing in things:
                try:
                    test(thing)
                except AssertionError as fault:
                    faults.append(f"{_named(thing)}: {_sentence(fault)}")
            if faults:
                pytest.fail("\n".join(faults), pytrace=False)

        del all_of_them.__wrapped__  # pytest would ask it for its arguments
        return all_of_them

    return decorated


def state(generator):
    """Return where a generator stands, as text: some states are arrays."""
    return json.dumps(generator.bit_generator.state, default=np.ndarray.tolist)
