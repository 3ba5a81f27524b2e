"""The first seed of all studies, run to the end."""

from importlib import import_module

import numpy as np
import pytest
import studies

from ttt_lib.studies import load


@pytest.mark.parametrize("name", studies.NAMES)
def test_whole_stored_results_are_reproducible(name):
    again = studies.run(import_module(f"studies.{name}"), seeds=1, jobs=1)
    np.testing.assert_array_equal(again, load(name).results[:, :1])
