"""A request that makes a process crash does so in the world, at its time."""

import pytest
from toy_shop import change, make_shop, stop

from aiops_gym.sim import traffic
from aiops_gym.sim.telemetry import logs


@pytest.fixture
def shop():
    return make_shop()


def test_a_lost_database_ends_the_process_that_panics_without_it(shop):
    shop.run(20_000)
    stop(shop, "db")
    shop.run(9_000)
    assert shop.table("processes")["uid-stock/main"]["running"]
    shop.run(6_000)
    process = shop.table("processes")["uid-stock/main"]
    assert process["exit"]["code"] == 2
    assert "PNC stock.go:9 > query failed: no reachable servers" in logs.read(shop, "uid-stock/main")
    assert traffic.compute_success(shop)["buy"] == 0.0


def test_no_crash_when_the_cause_went_away_in_time(shop):
    stop(shop, "db")
    shop.run(8_000)
    change(shop, "db", running=True, ended=0, ports=[27017])
    shop.run(60_000)
    assert shop.table("processes")["uid-stock/main"]["running"]


def test_rare_requests_crash_later_but_surely():
    shop = make_shop(rate=0.02)
    stop(shop, "db")
    shop.run(1_200_000)
    assert not shop.table("processes")["uid-stock/main"]["running"]


def test_a_restarted_process_does_not_pay_for_requests_of_the_one_before(shop):
    stop(shop, "db")
    shop.run(15_000)
    died = shop.table("processes")["uid-stock/main"]["ended"]
    assert died
    change(shop, "stock", id="new", running=True, ended=0, ports=[8080], started=shop.now, log=[])
    started = shop.now
    shop.run(9_000)
    assert shop.table("processes")["uid-stock/main"]["running"]
    shop.run(6_000)
    assert shop.table("processes")["uid-stock/main"]["ended"] >= started + 10_000


def test_a_fork_crashes_at_the_same_moment(shop):
    stop(shop, "db")
    shop.run(5_000)
    fork = shop.fork()
    shop.run(15_000)
    fork.run(15_000)
    one, other = shop.table("processes")["uid-stock/main"], fork.table("processes")["uid-stock/main"]
    assert one["ended"] == other["ended"] > 0
