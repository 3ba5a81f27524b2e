"""Runs over settings and seeds: the same numbers, whoever computes them."""

import os

import joblib
import numpy as np
import pytest
from distributed import Client, LocalCluster

from ttt_lib import learning, runs
from ttt_lib.game import tables

EPSILONS = 0.1, 0.5, 1.0


def q_of_start(epsilon, rng):
    game = tables()
    learner = learning.new_learner(game, "independent_q", rng, epsilon=epsilon)
    return learning.train(game, learner, 500).Q[0]


def process(setting, rng):
    return os.getpid()


@pytest.fixture(scope="module")
def alone():
    return runs.run(q_of_start, EPSILONS, 4, np.random.default_rng(0), jobs=1)


def test_one_row_per_setting_and_seed(alone):
    assert alone.shape == (3, 4, 9)
    for i, epsilon in enumerate(EPSILONS):
        for j, rng in enumerate(np.random.default_rng(0).spawn(4)):
            np.testing.assert_array_equal(alone[i, j], q_of_start(epsilon, rng))


def test_seeds_differ(alone):
    for results in alone:
        assert len({result.tobytes() for result in results}) == 4


def test_more_settings_or_seeds_change_no_other_result(alone):
    fewer = runs.run(q_of_start, EPSILONS[1:2], 2, np.random.default_rng(0), jobs=1)
    np.testing.assert_array_equal(fewer[0], alone[1, :2])


def test_two_processes_give_the_same(alone):
    shared = runs.run(q_of_start, EPSILONS, 4, np.random.default_rng(0), jobs=2)
    np.testing.assert_array_equal(shared, alone)


def test_two_workers_of_a_cluster_give_the_same(alone):
    machines = LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    )
    with machines, Client(machines) as client, joblib.parallel_config(backend="dask"):
        spread = runs.run(q_of_start, EPSILONS, 4, np.random.default_rng(0))
        at_work = runs.run(process, range(3), 4, np.random.default_rng(0))
        workers = client.run(os.getpid).values()
    np.testing.assert_array_equal(spread, alone)
    assert set(at_work.ravel()) <= set(workers)


@pytest.mark.parametrize(("settings", "seeds"), [([], 3), ([1], 0), ([1], -2)])
def test_nothing_to_run_is_refused(settings, seeds):
    with pytest.raises(ValueError, match="at least one"):
        runs.run(q_of_start, settings, seeds, np.random.default_rng(0))


def test_progress_is_shown_to_a_person_only(capsys, monkeypatch):
    rng = np.random.default_rng(0)
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    runs.run(process, [1], 2, rng, jobs=1)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setenv("JPY_SESSION_NAME", "a page of the book")
    runs.run(process, [1], 2, rng, jobs=1)
    assert "2/2" in capsys.readouterr().err
