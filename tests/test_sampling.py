"""Sampled matches and Wilson intervals; experiments with settings and seeds."""

import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

import joblib
import numpy as np
import pytest
from common import game, rng, same
from distributed import Client, LocalCluster

from ttt_lib import experiments, learning
from ttt_lib.game import tables
from ttt_lib.policy import uniform
from ttt_lib.sampling import wilson_interval

random_play = uniform(game.legal)
EPSILONS = 0.1, 0.5, 1.0


def q_of_start(epsilon, rng):
    game = tables()
    learner = learning.new_learner(game, "independent_q", rng, epsilon=epsilon)
    return learning.train(game, learner, 500).Q[0]


def process(setting, rng):
    return os.getpid()


@pytest.fixture(scope="module")
def alone():
    return experiments.run(q_of_start, EPSILONS, 4, np.random.default_rng(0), jobs=1)


def test_run_gives_one_row_per_setting_and_seed(alone):
    assert alone.shape == (3, 4, 9)
    for i, epsilon in enumerate(EPSILONS):
        for j, generator in enumerate(np.random.default_rng(0).spawn(4)):
            np.testing.assert_array_equal(alone[i, j], q_of_start(epsilon, generator))


def test_run_results_are_independent_of_other_settings_and_seeds(alone):
    fewer = experiments.run(
        q_of_start, EPSILONS[1:2], 2, np.random.default_rng(0), jobs=1
    )
    np.testing.assert_array_equal(fewer[0], alone[1, :2])
    one = experiments.run(lambda more, rng: rng.random(3) + more, [2], 1, rng(), jobs=1)
    assert same(one, rng().spawn(1)[0].random((1, 1, 3)) + 2)
    with pytest.raises(ValueError, match="trial should give numbers of one shape"):
        experiments.run(lambda n, rng: np.zeros(n), [1, 2], 1, rng(), 1)


@pytest.mark.slow
def test_run_with_two_processes_is_identical(alone):
    shared = experiments.run(q_of_start, EPSILONS, 4, np.random.default_rng(0), jobs=2)
    np.testing.assert_array_equal(shared, alone)


@pytest.mark.long
def test_run_on_dask_cluster_is_identical(alone):
    environment = mock.patch.dict(os.environ)  # a cluster sets the numbers of threads
    two = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        environment,
        LocalCluster(processes=True, **two) as machines,
        Client(machines) as client,
        joblib.parallel_config(backend="dask"),
    ):
        spread = experiments.run(q_of_start, EPSILONS, 4, np.random.default_rng(0))
        at_work = experiments.run(process, range(3), 4, np.random.default_rng(0))
        workers = client.run(os.getpid).values()
    np.testing.assert_array_equal(spread, alone)
    assert set(at_work.ravel()) <= set(workers)


def test_progress_is_shown_only_in_live_notebook(capsys, monkeypatch):
    rng = np.random.default_rng(0)
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    experiments.run(process, [1], 2, rng, jobs=1)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setenv("JPY_SESSION_NAME", "a page of the book")
    experiments.run(process, [1], 2, rng, jobs=1)
    assert "2/2" in capsys.readouterr().err


# Sampled games


def test_wilson_interval_matches_published_example():
    # Newcombe (1998), Statistics in Medicine 17, table I: 81 of 263 and 0 of 20.
    low, high = wilson_interval(np.array([81]), 263)
    assert (low[0], high[0]) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    low, high = wilson_interval(0, 20)
    assert (low, high) == pytest.approx((0, 0.1611), abs=5e-5)


INTERRUPTS = """
import signal
from common import game, rng, some_policy
from ttt_lib import compiled, learning, menace, sampling

signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
play, compiled.CHUNK_SIZE = some_policy(game, 1), 1
learner = learning.new_learner(game, "td_all_moves", rng())
boxes = menace.new_matchboxes(game, rng())
interrupts = 0
for call in (
    lambda games: learning.train(game, learner, games, play),
    lambda games: menace.train(game, boxes, games, play),
    lambda games: sampling.sample_match(game, play, play, games, rng()),
):
    call(1)
    for moment in rng(0).uniform(0.001, 0.003, 100):
        try:
            signal.setitimer(signal.ITIMER_REAL, moment)
            call(10**12)
        except KeyboardInterrupt:
            interrupts += 1
print(interrupts)
"""


@pytest.mark.slow
def test_ctrl_c_at_any_moment_never_crashes_python():
    # Numba unpacks a random generator in Python code, which crashed when interrupted.
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTS],
        cwd=Path(__file__).parent, capture_output=True, text=True, check=False,
        timeout=100,  # an interrupt that is lost would leave it running for years
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "300\n"), done.stderr


def test_mt19937_matches_numpy_legacy_seeding():
    for seed in (0, 5489, 2**32 - 1):
        legacy = np.random.RandomState(seed)  # has the original seeding, too
        assert same(experiments.mt19937(seed).random(1500), legacy.random_sample(1500))
