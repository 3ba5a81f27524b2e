"""Schedules by hand, at their ends, and refused."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_lib.schedules import (
    BY_VISITS,
    EXPONENTIAL,
    LINEAR,
    Schedule,
    as_schedule,
    constant,
    exponential,
    linear,
    one_over_n,
    power,
    scheduled,
)


def test_schedules_by_hand(either):
    at = either(scheduled)
    assert at(constant(0.3), 10**9, 10**9) == 0.3
    assert constant(0.3)[1:] == (0.3, 0.3, 0)  # start, end, and how fast it changes
    assert [at(linear(0.5, 0.1, 4), n, 1) for n in range(6)] == pytest.approx(
        [0.5, 0.4, 0.3, 0.2, 0.1, 0.1]
    )
    assert [at(exponential(0.8, 0.1, 3), n, 1) for n in range(5)] == pytest.approx(
        [0.8, 0.4, 0.2, 0.1, 0.1]
    )
    assert [at(one_over_n(), 7, n) for n in (1, 2, 4)] == pytest.approx(
        [1, 1 / 2, 1 / 4]
    )
    assert [at(power(0.5, 0.5), 7, n) for n in (1, 4)] == pytest.approx([0.5, 0.25])
    assert [at(power(by="games"), n, 7) for n in range(3)] == pytest.approx(
        [1, 1 / 2, 1 / 3]
    )


@given(st.floats(0.001, 1), st.floats(0.001, 1), st.integers(1, 1000))
def test_schedules_end_at_their_end(start, end, games):
    for schedule in (linear(start, end, games), exponential(start, end, games)):
        assert scheduled(schedule, 0, 1) == start
        assert scheduled(schedule, games + 1, 1) == end
        for n in range(0, games, 100):
            now = scheduled(schedule, n, 1)
            assert min(start, end) - 1e-12 <= now <= max(start, end) + 1e-12


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: exponential(-1, 1, 10), "start"),
        (lambda: power(by="moves"), "by"),
        (lambda: as_schedule("0.1", "alpha"), "alpha"),
        (lambda: as_schedule(Schedule(9, 1, 1, 0), "alpha"), "alpha.kind"),
        (lambda: as_schedule(Schedule(LINEAR, 1, 0, math.nan), "alpha"), "alpha.rate"),
        (lambda: as_schedule(Schedule(BY_VISITS, 1, 0, -1), "alpha"), "alpha.rate"),
        (lambda: as_schedule(Schedule(EXPONENTIAL, 1, 0, 0.1), "alpha"), "alpha goes"),
        (lambda: as_schedule(Schedule(0, math.nan, 1, 0), "alpha"), "alpha.start"),
    ],
)
def test_schedules_without_sense_are_refused(make, name):
    with pytest.raises(ValueError, match=rf"^{name} .*\.$"):
        make()


def test_schedules_are_plain_numbers():
    by_hand = as_schedule(Schedule(np.int64(1), 1, np.float32(0.5), 1))
    for schedule in (
        constant(1), linear(1, 0, 5), exponential(1, 0.1, 5), power(), by_hand
    ):  # fmt: skip
        assert isinstance(schedule, Schedule)
        assert [type(x) for x in schedule] == [int, float, float, float]


def test_a_schedule_that_was_made_here_is_taken_as_it_is():
    made = [constant(0.3), linear(0.5, 0, 4), exponential(0.8, 0.1, 30), one_over_n()]
    for schedule in (*made, power(0.5, 0.25), power(by="games", exponent=0)):
        assert as_schedule(schedule) == schedule
