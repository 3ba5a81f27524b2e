"""Schedules by hand, at their ends, and refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_lib.schedules import (
    Schedule,
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
    assert constant(0.3)[1:3] == (0.3, 0.3)  # where it starts and where it ends
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
    "make",
    [
        lambda: linear(1, 0, 0),
        lambda: exponential(1, 0, 10),
        lambda: power(by="moves"),
        lambda: power(exponent=-1),
    ],
)
def test_schedules_without_sense_are_refused(make):
    with pytest.raises(ValueError, match=r"\.$"):
        make()


def test_schedules_are_plain_numbers():
    for schedule in (constant(1), linear(1, 0, 5), exponential(1, 0.1, 5), power()):
        assert isinstance(schedule, Schedule)
        assert [type(x) for x in schedule] == [int, float, float, float]
