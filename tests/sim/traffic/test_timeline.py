"""The timeline notes changes only, and what was in the past stays as it was."""

from itertools import pairwise

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_shop import START, change, make_shop, stop

from aiops_gym.sim import traffic
from aiops_gym.sim.telemetry import logs, metrics, traces
from aiops_gym.sim.traffic import stream


@pytest.fixture
def shop():
    return make_shop()


def broken_for_a_while(seed=7):
    shop = make_shop(seed)
    shop.run(65_000)
    stop(shop, "cache")
    shop.run(42_000)
    change(shop, "cache", running=True, ended=0, ports=[11211])
    shop.run(30_000)
    return shop


def test_only_a_change_of_outcomes_is_noted(shop):
    shop.run(10_000)
    shop.touch()
    shop.run(10_000)
    assert len(shop.table("timeline")) == 1
    stop(shop, "db")
    shop.run(1)
    assert len(shop.table("timeline")) == 2


def test_a_recurring_outcome_is_kept_once():
    shop = broken_for_a_while()
    assert len(shop.table("timeline")) == 3
    assert len(shop.table("outcomes")) == 2


def test_intervals_cover_the_window_without_gaps():
    shop = broken_for_a_while()
    found = traffic.list_intervals(shop, START + 1_000, shop.now)
    assert found[0].start == START + 1_000 and found[-1].end == shop.now
    assert all(one.end == other.start for one, other in pairwise(found))


def test_the_tables_are_json_data():
    shop = broken_for_a_while()
    for name in ("timeline", "outcomes", "quotas", "resolved", "panics"):
        assert orjson.loads(orjson.dumps(shop.table(name))) == shop.table(name)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 137_000), max_size=6))
def test_windows_split_anywhere_hold_the_same_requests_and_lines(cuts):
    shop = broken_for_a_while()
    whole, lines = (
        traffic.list_requests(shop, START, shop.now),
        stream.list_failures(shop, "uid-stock/main", START, shop.now),
    )
    marks = [START, *sorted(START + cut for cut in cuts), shop.now]
    pairs = list(pairwise(marks))
    assert [r for low, high in pairs for r in traffic.list_requests(shop, low, high)] == whole
    assert [f for low, high in pairs for f in stream.list_failures(shop, "uid-stock/main", low, high)] == lines


def everything(shop, until):
    text = logs.read(shop, "uid-stock/main", timestamps=True).splitlines()
    found = [metrics.query_range(shop, name, "shop", START, until) for name in metrics.NAMES]
    spans = traces.find_traces(shop, "front", START, until - 15_000, 50)
    return text, found, spans


def test_what_happens_later_rewrites_nothing():
    shop = broken_for_a_while()
    until = shop.now
    before = everything(shop, until)
    stop(shop, "stock")
    shop.table("load")["rate"] = {"value": 55.0}
    shop.touch()
    shop.run(47_000)
    after = everything(shop, until)
    assert after[0][: len(before[0])] == before[0]
    assert after[1:] == before[1:]


def test_the_order_of_asking_and_forks_do_not_matter():
    shop, other = broken_for_a_while(), broken_for_a_while()
    fork = other.fork()
    reversed_ = [metrics.query_range(fork, name, "shop", START, fork.now) for name in reversed(metrics.NAMES)][::-1]
    assert everything(shop, shop.now)[1] == reversed_
    assert everything(other, other.now) == everything(shop, shop.now)


def test_another_seed_draws_other_requests():
    one, other = make_shop(1), make_shop(2)
    one.run(10_000)
    other.run(10_000)
    assert traffic.list_requests(one, START, one.now) != traffic.list_requests(other, START, other.now)


def test_a_change_of_the_rate_moves_no_earlier_arrival(shop):
    shop.run(4_321)
    before = traffic.list_requests(shop, START, shop.now)
    shop.table("load")["rate"] = {"value": 200.0}
    shop.touch()
    shop.run(10_000)
    assert traffic.list_requests(shop, START, shop.now)[: len(before)] == before


def test_a_restored_world_goes_on_with_the_same_requests_and_crashes():
    base = make_shop()
    base.run(20_000)
    shop = base.fork()
    stop(shop, "db")
    shop.run(5_000)
    twin = base.fork()
    twin.become(orjson.loads(orjson.dumps(shop.difference(base))))
    shop.run(20_000)
    twin.run(20_000)
    assert twin.table("processes") == shop.table("processes")
    assert everything(twin, twin.now) == everything(shop, shop.now)
    assert traffic.list_requests(twin, START, twin.now) == traffic.list_requests(shop, START, shop.now)
