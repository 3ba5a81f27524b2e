"""The law of the learners for all settings; CI takes a set that covers the pairs."""

import itertools
import json

import numpy as np
import pytest
from test_labs_law import FACTORS, GAMES, LEARN, learn, possible, told


@pytest.mark.parametrize("opponent", FACTORS["opponent"])
@pytest.mark.parametrize("method", FACTORS["method"])
def test_all_settings_of_a_method_learn_the_same_tables(method, opponent, run, shared):
    product = itertools.product(
        *(FACTORS | {"method": [method], "opponent": [opponent]}).values()
    )
    settings = [dict(zip(FACTORS, each, strict=True)) for each in product]
    settings = [one for one in settings if possible(one)]
    assert len(settings) >= 80
    for first in range(0, len(settings), 500):
        some = told(settings[first : first + 500], 100_000 + first)
        given = shared | {"settings": some, "games": GAMES, "steps": 0}
        for setting, page in zip(some, json.loads(run(LEARN, given)), strict=True):
            assert np.allclose(page["table"], learn(setting), rtol=0, atol=1e-12), (
                setting
            )
