"""A log is the stored lines, the recurring ones and those of failed requests, in the order of time."""

import pytest
from effort import calls
from toy_shop import START, change, make_shop, stop

from aiops_gym import caches
from aiops_gym.sim import traffic
from aiops_gym.sim.kernel.times import millis
from aiops_gym.sim.telemetry import logs


@pytest.fixture
def shop():
    return make_shop()


FRONT = "uid-front/main"


def failing_shop():
    shop = make_shop()
    shop.run(30_000)
    stop(shop, "stock")
    shop.run(40_000)
    return shop


def test_each_failed_request_leaves_its_line():
    shop = failing_shop()
    failed = [r for r in traffic.list_requests(shop, START, shop.now) if r.status == 500]
    lines = logs.read(shop, FRONT).splitlines()
    assert len(failed) - 1 <= len(lines) <= len(failed)
    assert all(line.endswith("ERR front.go:12 > taking from stock failed") for line in lines)


def test_a_healthy_service_says_nothing_about_requests(shop):
    shop.run(60_000)
    assert logs.read(shop, FRONT) == ""


def test_the_tail_is_the_end_of_the_whole():
    shop = failing_shop()
    whole = logs.read(shop, FRONT, timestamps=True).splitlines()
    for count in (0, 1, 7, 100, 10_000):
        assert (
            logs.read(shop, FRONT, tail=count, timestamps=True).splitlines()
            == whole[len(whole) - min(count, len(whole)) :]
        )


def test_since_leaves_out_what_is_older():
    shop = failing_shop()
    lines = logs.read(shop, FRONT, since_ms=shop.now - 12_345, timestamps=True).splitlines()
    whole = logs.read(shop, FRONT, timestamps=True).splitlines()
    assert lines == [line for line in whole if millis(line.split()[0][:23] + "Z") >= shop.now - 12_345]


def test_stored_lines_stand_where_they_belong():
    shop = failing_shop()
    change(shop, "front", log=[[START + 5, "hello"], [shop.now - 3_000, "in between"], [shop.now, "now"]])
    stamps = [line.split()[0] for line in logs.read(shop, FRONT, timestamps=True).splitlines()]
    lines = logs.read(shop, FRONT).splitlines()
    assert stamps == sorted(stamps)
    assert lines[0] == "hello" and lines[-1] == "now" and "in between" in lines[1:-1]


def test_bytes_are_limited_from_the_first_line_on():
    shop = failing_shop()
    assert logs.read(shop, FRONT, limit_bytes=10) == logs.read(shop, FRONT)[:10]


def test_the_log_of_a_dead_process_ends_with_it():
    shop = failing_shop()
    stop(shop, "front")
    before = logs.read(shop, FRONT)
    shop.run(60_000)
    assert logs.read(shop, FRONT) == before


def test_the_previous_log_is_that_of_the_process_before():
    shop = failing_shop()
    shop.table("previous")[FRONT] = {**shop.table("processes")[FRONT], "ended": shop.now - 20_000}
    change(shop, "front", id="new", started=shop.now)
    assert logs.read(shop, FRONT) == ""
    assert logs.read(shop, FRONT, previous=True).count("taking from stock failed") > 50


def test_an_unknown_process_has_no_log(shop):
    assert logs.read(shop, "nobody/main") == ""


@pytest.mark.skipif(caches.SETTING == "off", reason="caches are off")
def test_a_warm_tail_does_hardly_anything():
    shop = failing_shop()
    logs.read(shop, FRONT, tail=50)
    short = calls(lambda: logs.read(shop, FRONT, tail=50))
    shop.run(600_000)
    logs.read(shop, FRONT, tail=50)
    long = calls(lambda: logs.read(shop, FRONT, tail=50))
    assert long == short < 12 * 50
