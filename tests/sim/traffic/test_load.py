"""What users ask follows the hour, and bursts, where somebody says so."""

import pytest
from toy_shop import make_shop

from aiops_gym.sim import traffic
from aiops_gym.sim.kernel.times import HOUR, MINUTE
from aiops_gym.sim.traffic import load


def rates(shop, start):
    return [interval.outcome["rate"] for interval in traffic.list_intervals(shop, start, shop.now)]


def test_a_burst_is_over_when_it_was_said_to_be():
    shop = make_shop(rate=20.0)
    shop.run(MINUTE)
    start = shop.now
    load.burst(shop, 3.0, 30.0)
    shop.run(MINUTE)
    assert rates(shop, start) == [60.0, 20.0]
    (first, _) = traffic.list_intervals(shop, start, shop.now)
    assert first.end - first.start == 30_000


def test_a_tide_has_its_peak_and_its_trough_and_little_is_noted_of_it():
    shop = make_shop(rate=20.0)
    load.swell(shop, 0.5, 12.0)
    start = shop.now
    shop.run(24 * HOUR)
    found = rates(shop, start)
    assert max(found) == pytest.approx(30.0)
    assert min(found) == pytest.approx(10.0)
    assert len(found) <= 24 * HOUR // load.TURN + 1


def test_a_rate_that_nobody_moves_plans_nothing():
    shop = make_shop(rate=20.0)
    shop.run(MINUTE)
    assert not [entry for entry in shop.heap if entry[3] in load.HANDLERS]
