"""Success and latency follow from who listens where, from the network and from the load."""

import pytest
from toy_shop import NAMESPACE, PARAMS, add_process, change, make_shop, register, stop

from aiops_gym.sim import traffic
from aiops_gym.sim.traffic import stream


@pytest.fixture
def shop():
    return make_shop()


def effect(shop, name, kind, **params):
    row = {
        "kind": kind,
        "namespace": NAMESPACE,
        "labels": {},
        "params": params,
        "pod": f"uid-{name}",
        "since": shop.now,
    }
    shop.table("effects")[kind] = row
    shop.touch()


def share_ok(shop, operation, seconds=300):
    start = shop.now
    shop.run(seconds * 1000)
    found = [r for r in traffic.list_requests(shop, start, shop.now) if r.operation == operation]
    return sum(r.status == 200 for r in found) / len(found)


def test_a_healthy_shop_serves_everybody_quickly(shop):
    assert traffic.compute_success(shop) == {"buy": 1.0, "look": 1.0}
    assert 3.0 < traffic.compute_latency(shop)["buy"] < 20.0


def test_without_the_needed_service_only_what_needs_it_fails(shop):
    stop(shop, "stock")
    assert traffic.compute_success(shop) == {"buy": 0.0, "look": 1.0}


def test_a_wrong_binary_at_an_address_lacks_the_handler(shop):
    change(shop, "stock", params=PARAMS["front"])
    assert traffic.compute_success(shop)["buy"] == 0.0
    (call,) = [c for n in traffic.list_intervals(shop, shop.now, shop.now + 1)[0].outcome["nodes"] for c in n["calls"]]
    node = traffic.list_intervals(shop, shop.now, shop.now + 1)[0].outcome["nodes"][call["to"][0][0]]
    assert "Unimplemented" in node["error"]


def test_a_failing_cache_is_ignored_where_the_service_ignores_it(shop):
    stop(shop, "cache")
    assert traffic.compute_success(shop)["buy"] == 1.0


def test_a_share_of_the_requests_needs_the_database(shop):
    stop(shop, "db")
    assert traffic.compute_success(shop)["buy"] == pytest.approx(0.5)


def test_stale_registrations_are_skipped_while_another_address_answers(shop):
    register(shop, ["10.244.9.9", "10.244.1.3"])
    assert traffic.compute_success(shop)["buy"] == 1.0
    register(shop, ["10.244.9.9"])
    assert traffic.compute_success(shop)["buy"] == 0.0


def test_addresses_stay_known_while_the_registry_is_away(shop):
    assert traffic.compute_success(shop)["buy"] == 1.0
    stop(shop, "consul")
    assert traffic.compute_success(shop)["buy"] == 1.0
    change(shop, "front", id="another-process")
    assert traffic.compute_success(shop)["buy"] == 0.0


def test_losing_half_of_the_packets_slows_and_losing_nearly_all_fails(shop):
    usual = traffic.compute_latency(shop)["buy"]
    effect(shop, "stock", "network_loss", percent=50)
    assert traffic.compute_latency(shop)["buy"] > usual + 300.0
    assert traffic.compute_success(shop)["buy"] > 0.8
    effect(shop, "stock", "network_loss", percent=99)
    assert traffic.compute_success(shop)["buy"] < 0.1


def test_a_delay_is_waited_for_until_users_give_up(shop):
    effect(shop, "stock", "network_delay", ms=3_000)
    assert traffic.compute_latency(shop)["buy"] > 3_000
    assert traffic.compute_success(shop)["buy"] == 1.0
    effect(shop, "stock", "network_delay", ms=10_000)
    assert traffic.compute_success(shop)["buy"] == 0.0


def test_doubled_load_saturates_what_nobody_declared_to_saturate():
    assert traffic.compute_success(make_shop(rate=450))["buy"] == pytest.approx(1.0, abs=1e-3)
    assert traffic.compute_latency(make_shop(rate=450))["buy"] > 2 * traffic.compute_latency(make_shop(rate=20))["buy"]
    assert traffic.compute_success(make_shop(rate=1_200))["buy"] < 0.6


def test_a_second_replica_takes_half_of_the_load():
    shop = make_shop(rate=1_000)
    before = traffic.compute_success(shop)["buy"]
    add_process(shop, "stock", "10.244.1.30", uid="uid-stock2")
    register(shop, ["10.244.1.3", "10.244.1.30"])
    assert traffic.compute_success(shop)["buy"] > before + 0.15


def test_drawn_requests_succeed_as_often_as_computed(shop):
    effect(shop, "front", "network_loss", percent=60)
    expected = traffic.compute_success(shop)["buy"]
    assert 0.3 < expected < 0.97
    assert share_ok(shop, "buy") == pytest.approx(expected, abs=0.03)


def test_drawn_requests_of_an_overloaded_shop_succeed_as_often_as_computed():
    shop = make_shop(rate=900)
    assert share_ok(shop, "buy", 30) == pytest.approx(traffic.compute_success(shop)["buy"], abs=0.05)


def test_drawn_latencies_have_the_computed_mean():
    shop = make_shop(rate=200)
    shop.run(60_000)
    took = [r.latency_ms for r in traffic.list_requests(shop, shop.now - 60_000, shop.now) if r.operation == "buy"]
    assert sum(took) / len(took) == pytest.approx(traffic.compute_latency(shop)["buy"], rel=0.15)


def test_arrivals_come_at_the_rate_of_the_load(shop):
    shop.run(600_000)
    assert len(traffic.list_requests(shop, shop.now - 600_000, shop.now)) == pytest.approx(12_000, rel=0.03)


def test_nothing_is_drawn_that_can_fail_in_a_healthy_shop(shop):
    shop.run(60_000)
    assert stream.find_noisy(shop, "uid-front/main") == []
