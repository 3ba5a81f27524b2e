"""Values of schedules, their limits, parsing and validation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_lib import schedules
from ttt_lib.schedules import (
    Schedule,
    as_schedule,
    constant,
    exponential,
    linear,
    one_over_n,
    parse,
    power,
)


def test_schedules_have_hand_computed_values(either):
    at = either(schedules.scheduled)
    assert at(constant(0.3), 10**9, 10**9) == 0.3
    assert constant(0.3)[1:] == (0.3, 0.3, 0)  # start, end, and how fast it changes
    for schedule, games, visits, right in (
        (linear(0.5, 0.1, 4), range(6), [1] * 6, [0.5, 0.4, 0.3, 0.2, 0.1, 0.1]),
        (exponential(0.8, 0.1, 3), range(5), [1] * 5, [0.8, 0.4, 0.2, 0.1, 0.1]),
        (one_over_n(), [7] * 3, (1, 2, 4), [1, 1 / 2, 1 / 4]),
        (power(0.5, 0.5), [7] * 2, (1, 4), [0.5, 0.25]),
        (power(by="games"), range(3), [7] * 3, [1, 1 / 2, 1 / 3]),
    ):
        values = [at(schedule, *both) for both in zip(games, visits, strict=True)]
        assert values == pytest.approx(right)


@given(st.floats(0.001, 1), st.floats(0.001, 1), st.integers(1, 1000))
def test_schedules_reach_their_end(start, end, games):
    for schedule in (linear(start, end, games), exponential(start, end, games)):
        assert schedules.scheduled(schedule, 0, 1) == start
        assert schedules.scheduled(schedule, games + 1, 1) == end
        for n in range(0, games, 100):
            now = schedules.scheduled(schedule, n, 1)
            assert min(start, end) - 1e-12 <= now <= max(start, end) + 1e-12


def test_as_schedule_returns_plain_numbers():
    made = [constant(1), linear(0.5, 0, 4), exponential(0.8, 0.1, 30), one_over_n()]
    for schedule in (*made, power(0.5, 0.25), power(by="games", exponent=0)):
        assert as_schedule(schedule) == schedule
        assert [type(x) for x in schedule] == [int, float, float, float]
    by_hand = as_schedule(Schedule(np.int64(1), 1, np.float32(0.5), 1))
    assert isinstance(by_hand, Schedule)
    assert [type(x) for x in by_hand] == [int, float, float, float]


def test_parse_schedules():
    assert parse("linear:1:0:50") == parse("linear,1,0,50") == linear(1, 0, 50)
    assert parse("exponential:1:0.1:50") == exponential(1, 0.1, 50)
    assert [parse("0.1"), parse("1/n")] == [constant(0.1), one_over_n()]
    assert parse("power:0.9:0.5") == power(0.9, 0.5)
    for wrong in ("", "linear:1:0", "quick", "power:1:x"):
        with pytest.raises(ValueError, match="is not a schedule"):
            parse(wrong)
