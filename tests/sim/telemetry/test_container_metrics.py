"""Counters grow with what a process does, start anew with it, and follow the timeline."""

from itertools import groupby

import pytest
from toy_shop import NAMESPACE, START, change, make_shop, stop

from aiops_gym.sim.machine import runtime
from aiops_gym.sim.telemetry import courses, metrics, scrapes, usage


@pytest.fixture
def shop():
    return make_shop()


CPU = "container_cpu_usage_seconds_total"


def values(shop, name, pod):
    samples = metrics.query_range(shop, name, NAMESPACE, START, shop.now)
    return [s.value for s in samples if s.series == f"node-1.{pod}-pod"]


def test_there_are_the_twenty_six_metrics_of_aiopslab():
    assert len(metrics.NAMES) == 26
    assert {"container_threads_max", "container_network_receive_errors_total"} <= set(metrics.NAMES)


@pytest.mark.parametrize("name", [n for n in metrics.NAMES if n.endswith("_total")])
def test_counters_never_fall_while_a_process_lives(shop, name):
    shop.run(200_000)
    stop(shop, "cache")
    shop.run(200_000)
    samples = sorted(metrics.query_range(shop, name, NAMESPACE, START, shop.now), key=lambda s: (s.series, s.time))
    for _, points in groupby(samples, lambda s: s.series):
        found = [p.value for p in points]
        assert found == sorted(found)


def test_points_repeat_the_scrape_of_their_minute(shop):
    shop.run(600_000)
    found = values(shop, CPU, "stock")
    assert len(found) in (37, 38, 39, 40, 41)
    assert len(set(found)) in (10, 11)


def test_a_counter_starts_anew_with_the_process(shop):
    shop.run(300_000)
    high = values(shop, CPU, "stock")[-1]
    runtime.finish(shop, "uid-stock/main", 2)
    row = shop.table("processes")["uid-stock/main"]
    shop.run(10_000)
    change(shop, "stock", **{**row, "id": "new", "running": True, "ended": 0, "ports": [8080], "started": shop.now})
    shop.run(120_000)
    assert values(shop, CPU, "stock")[-1] < high / 2
    sent = values(shop, "container_network_transmit_bytes_total", "stock")
    assert sent == sorted(sent)


def test_the_counters_of_a_pod_grow_on_at_the_same_pace_when_a_container_starts_anew(shop):
    name = "container_network_transmit_bytes_total"
    shop.run(600_000)
    runtime.finish(shop, "uid-stock/main", 2)
    row = shop.table("processes")["uid-stock/main"]
    before = values(shop, name, "stock")
    change(shop, "stock", **{**row, "id": "new", "running": True, "ended": 0, "ports": [8080], "started": shop.now})
    shop.run(600_000)
    found = values(shop, name, "stock")
    assert found[: len(before)] == before
    pace, later = (before[-1] - before[0]) / (len(before) - 1), (found[-1] - found[len(before)]) / (len(before) - 1)
    assert later == pytest.approx(pace, rel=0.1)
    assert found[len(before)] - before[-1] < 6 * pace  # a scrape is missed at most


def test_memory_that_a_program_is_told_to_keep_grows_from_then_on_and_is_given_back_when_it_is_told_to(shop):
    name, rate = "container_memory_working_set_bytes", 100_000
    calm = values(run(shop, 1_200_000), name, "stock")
    leak = {"rate": rate, "since": shop.now}
    change(shop, "stock", state={"configured": {"leak": leak}})
    told = values(run(shop, 300_000), name, "stock")
    assert told[: len(calm)] == calm
    assert told[-1] - calm[-1] == pytest.approx(rate * 250, rel=0.2)
    change(shop, "stock", state={"configured": {"leak": {**leak, "until": shop.now}}})
    back = values(run(shop, 300_000), name, "stock")
    assert back[: len(told)] == told
    assert back[-1] == pytest.approx(calm[-1], rel=0.05)


def run(shop, ms):
    shop.run(ms)
    return shop


def test_more_load_takes_more_cpu_and_more_packets():
    quiet, busy = make_shop(rate=10), make_shop(rate=200)
    quiet.run(300_000)
    busy.run(300_000)
    for name in (CPU, "container_network_receive_packets_total"):
        assert values(busy, name, "stock")[-1] > 4 * values(quiet, name, "stock")[-1]


def test_cpu_time_agrees_with_the_load():
    shop = make_shop(rate=100)
    shop.run(600_000)
    found = values(shop, CPU, "stock")
    assert (found[-1] - found[0]) / 540 == pytest.approx(0.001 + 0.8 * 100 * 0.002, rel=0.1)


def test_an_overloaded_process_is_throttled(shop):
    busy = make_shop(rate=900)
    shop.run(300_000)
    busy.run(300_000)
    name = "container_cpu_cfs_throttled_periods_total"
    assert values(shop, name, "stock")[-1] == 0.0
    assert values(busy, name, "stock")[-1] > 100


def test_lost_packets_are_counted_where_they_are_lost(shop):
    shop.table("effects")["x"] = {"kind": "network_loss", "params": {"percent": 20}, "pod": "uid-stock"}
    shop.touch()
    shop.run(300_000)
    name = "container_network_transmit_packets_dropped_total"
    assert values(shop, name, "stock")[-1] > 100
    assert values(shop, name, "front")[-1] == 0.0


def test_the_spec_is_that_of_the_container(shop):
    shop.run(120_000)
    assert values(shop, "container_spec_cpu_quota", "stock")[-1] == 100_000
    assert values(shop, "container_spec_cpu_shares", "stock")[-1] == 102
    assert values(shop, "container_spec_memory_limit_bytes", "stock")[-1] == 0


def test_a_pod_that_is_gone_keeps_its_past(shop):
    shop.run(300_000)
    before = {name: values(shop, name, "stock") for name in metrics.NAMES}
    runtime.forget(shop, "uid-stock")
    shop.store.remove("pods", f"{NAMESPACE}/stock-pod")
    for name in metrics.NAMES:
        assert values(shop, name, "stock") == before[name]


def everything(shop, start, end):
    return [metrics.query_range(shop, name, NAMESPACE, start, end) for name in metrics.NAMES]


def forget_all():
    for kept in (scrapes._kept, scrapes._seen, courses._mets):
        kept.clear()


def test_what_is_read_depends_on_nobody_who_read_before(shop):
    shop.run(200_000)
    stop(shop, "cache")
    shop.run(45_000)
    middle = everything(shop, START, shop.now)
    other = shop.fork()
    shop.run(90_000)
    late, tail = everything(shop, START, shop.now), everything(shop, shop.now - 60_000, shop.now)
    stop(other, "stock")
    other.run(90_000)
    changed = everything(other, START, other.now)
    assert changed != late
    forget_all()
    assert everything(other, START, other.now) == changed
    assert everything(shop, shop.now - 60_000, shop.now) == tail
    assert everything(shop, START, shop.now) == late
    for early, whole in zip(middle, late, strict=True):
        assert [each for each in whole if each.time <= early[-1].time] == early


def test_a_change_without_time_is_read_at_once(shop):
    shop.run(120_000)
    before = everything(shop, START, shop.now)
    runtime.forget(shop, "uid-stock")
    shop.table("ended").clear()
    after = everything(shop, START, shop.now)
    assert {s.series for s in before[0]} - {s.series for s in after[0]} == {"node-1.stock-pod"}


def test_nothing_is_known_of_the_future_or_of_other_names(shop):
    shop.run(100_000)
    assert all(s.time * 1000 <= shop.now for s in metrics.query_range(shop, CPU, NAMESPACE, START, shop.now + 600_000))
    assert metrics.query_range(shop, "up", NAMESPACE, START, shop.now) == []
    assert metrics.query_range(shop, CPU, "elsewhere", START, shop.now) == []


def test_usage_follows_the_load_and_changes_each_window(shop):
    pod = shop.store.get("pods", NAMESPACE, "stock-pod")
    assert usage.measure_pod(shop, pod) == {}
    shop.run(60_000)
    first = usage.measure_pod(shop, pod)
    ((cores, size),) = first.values()
    assert cores == pytest.approx(1e9 * (0.001 + 16 * 0.002), rel=0.15)
    assert size > 1 << 20
    shop.run(1_000)
    assert usage.measure_pod(shop, pod) == first
    shop.run(15_000)
    assert usage.measure_pod(shop, pod) != first


def test_a_node_uses_what_its_pods_use_and_more(shop):
    shop.run(60_000)
    total = sum(cpu for pod in shop.store.all("pods") for cpu, _ in usage.measure_pod(shop, pod).values())
    assert usage.measure_node(shop, {"metadata": {"name": "node-1"}})[0] > total
