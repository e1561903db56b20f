"""Times are understood in every form that people and files use, and nothing else is taken for one."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiops_gym.openrca import clock

MOMENT = 1614841020000


@pytest.mark.parametrize(
    "value",
    [
        *(1614841020, 1614841020.0, 1614841020000, 1614841020000.0, "1614841020", "1614841020.0", "1614841020000"),
        *("2021-03-04 14:57:00", "2021-03-04T14:57:00", "2021-03-04 14:57", "2021/3/4 14:57", "2021_03_04 14:57:00"),
        *("2021-03-04T14:57:00.000", "2021-03-04T14:57:00+08:00", "2021-03-04T14:57:00+0800", " 2021-03-04 14:57 "),
        *("2021-03-04T06:57:00Z", "2021-03-04 06:57:00 UTC", "2021-03-04T01:27:00-05:30"),
        datetime(2021, 3, 4, 14, 57),
        datetime(2021, 3, 4, 6, 57, tzinfo=UTC),
    ],
)
def test_one_moment_has_many_writings(value):
    assert clock.parse(value) == MOMENT


@pytest.mark.parametrize("value", ["2021-03-04", "2021_03_04", "2021/3/4", date(2021, 3, 4), "2021-03-03 24:00"])
def test_a_day_begins_at_midnight_of_the_companies(value):
    assert clock.show(clock.parse(value)) == "2021-03-04 00:00:00"


def test_parts_of_a_second_are_kept_to_the_millisecond():
    assert clock.parse("2021-03-04 14:57:00.5") == clock.parse("2021-03-04 14:57:00,500999") == MOMENT + 500
    assert clock.parse(1614841020.25) == MOMENT + 250


@pytest.mark.parametrize(
    "value",
    [
        *("", "soon", "14:57", "2021-03", "2021-02-30", "2021-13-01 10:00", "2021-03-04 25:00", "2021-03-04 24:01"),
        *("2021-03-04 14:60", "2021-03-04 14:57:60", "2021-03-04 14", "2021-03-04T14:57+99:99", "-5", "1e9", "inf"),
        *(
            -1,
            -0.5,
            1e15,
            float("nan"),
            float("inf"),
            True,
            None,
            [],
            b"2021-03-04",
            10**400,
            "9" * 400,
            "9999-12-31 24:00",
        ),
    ],
)
def test_what_is_no_time_is_a_value_error(value):
    with pytest.raises(ValueError, match="no time"):
        clock.parse(value)


@given(st.datetimes(datetime(1974, 1, 1), datetime(2100, 1, 1)))
def test_what_is_shown_is_read_back(value):
    moment = clock.parse(value.replace(microsecond=0))
    assert clock.parse(clock.show(moment)) == moment
    assert clock.parse(moment) == clock.parse(moment // 1000) == moment
    day = clock.parse_day(moment)
    assert clock.parse_day(f"{day:%Y_%m_%d}") == day == value.date()
