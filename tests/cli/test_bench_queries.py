"""The benchmark of queries asks what it says, and each answer has something in it."""

from __future__ import annotations

import pytest

from aiops_gym.cli.benches import queries


@pytest.mark.full
def test_each_question_has_a_time_and_what_it_is_in_spawns():
    report = queries.measure_queries(rounds=1)
    names = [name.removesuffix(", ms") for name in report if name.endswith(", ms")]
    assert len(names) == 4 and all(f"{name}, in spawns of /bin/true" in report for name in names)
    assert all(value > 0 for value in report.values())


def test_an_empty_answer_is_no_measurement():
    world = queries._open("noop_detection_hotel_reservation-1", 1)
    with pytest.raises(RuntimeError, match="Prometheus answers 200"):
        queries._ask(world, "/api/v1/query", query="nothing_like_that")
