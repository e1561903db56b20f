"""What feeds itself: retries, cold caches and lost connections keep overloaded what is well again."""

import pytest
from toy_shop import PARAMS, add_process, change, make_shop, stop

from aiops_gym.sim import traffic
from aiops_gym.sim.kernel.times import HOUR, MINUTE, SECOND
from aiops_gym.sim.traffic import strain
from aiops_gym.sim.traffic.walk import Walk

RETRY = {"attempts": 16, "timeout": 300.0, "backoff": 50.0, "budget": None}
CONNECT = {"each": 12.0, "within": 1_000.0, "tau": 5_000.0}
WARMTH = {"each": 6.0, "within": 1_000.0, "tau": 30_000.0}


def told(shop, **policy):
    """How patient `front` is."""
    change(shop, "front", state={"configured": policy} if policy else {})


def limited(shop, name, cpu):
    pod = shop.store.by_key("pods", f"shop/{name}-pod")
    container = {**pod["spec"]["containers"][0], "resources": {"limits": {"cpu": cpu}}}
    shop.store.put("pods", {**pod, "spec": {**pod["spec"], "containers": [container]}})
    shop.table("quotas").pop(f"uid-{name}/main", None)
    shop.touch()


def slow(shop, seconds):
    """For some time all that `stock` sends takes two seconds."""
    row = {"kind": "network_delay", "labels": {}, "params": {"ms": 2_000}, "pod": "uid-stock", "since": shop.now}
    shop.table("effects")["slow"] = row
    shop.touch()
    shop.run(seconds * SECOND)
    del shop.table("effects")["slow"]
    shop.touch()


def again(shop, name):
    """A process is another one, which remembers nothing."""
    change(shop, name, id=f"id-{name}-{shop.now}", started=shop.now)


def storm():
    shop = make_shop(rate=20.0)
    limited(shop, "stock", "250m")
    told(shop, retry=RETRY)
    shop.run(MINUTE)
    slow(shop, 45)
    return shop


def stampede():
    shop = make_shop(rate=20.0)
    cache, database = PARAMS["stock"]["handlers"]["/stock.Stock/Take"]["calls"]
    handler = {"ms": 2.0, "calls": [cache, {**database, "on_error": "fail"}]}
    change(shop, "stock", params={**PARAMS["stock"], "handlers": {"/stock.Stock/Take": handler}})
    limited(shop, "db", "40m")
    strain.declare(shop, "cache", WARMTH)
    shop.run(MINUTE)
    again(shop, "cache")
    return shop


def thunder():
    shop = make_shop(rate=20.0)
    limited(shop, "stock", "250m")
    told(shop, connect=CONNECT)
    shop.run(MINUTE)
    again(shop, "stock")
    return shop


def bought(shop):
    return traffic.compute_success(shop)["buy"]


def shed(shop):
    stop(shop, "front")
    shop.run(MINUTE)
    change(shop, "front", running=True, ports=[5000])


REPAIRS = {
    "no second attempt": (storm, told),
    "a budget": (storm, lambda shop: told(shop, retry={**RETRY, "budget": 0.2})),
    "a larger server": (storm, lambda shop: limited(shop, "stock", "1")),
    "a pause": (storm, shed),
    "a larger database": (stampede, lambda shop: limited(shop, "db", "1")),
    "patience": (thunder, told),
    "a larger server for connections": (thunder, lambda shop: limited(shop, "stock", "1")),
}


@pytest.mark.parametrize("repair", REPAIRS)
def test_it_goes_on_for_an_hour_after_its_trigger_and_ends_by_a_repair(repair):
    begin, mend = REPAIRS[repair]
    shop = begin()
    shop.run(HOUR)
    assert bought(shop) < 0.6
    assert not [entry for entry in shop.heap if entry[3] == "traffic.strain" and entry[0] > shop.now]  # nothing ticks
    mend(shop)
    shop.run(3 * MINUTE)
    assert bought(shop) > 0.99
    (interval,) = traffic.list_intervals(shop, shop.now - 1, shop.now)
    assert not any(row["level"] for row in interval.outcome.get("strains", {}).values())


def test_without_strength_of_its_own_a_pause_does_not_last():
    shop = storm()
    shed(shop)
    assert bought(shop) > 0.99
    traffic.upset(shop)
    shop.run(MINUTE)
    assert bought(shop) < 0.1


def test_what_ends_only_one_half_changes_nothing():
    shop = storm()
    shop.run(MINUTE)
    again(shop, "front")
    again(shop, "stock")
    shop.run(5 * MINUTE)
    assert bought(shop) < 0.1


def test_a_cache_that_nobody_asks_stays_cold():
    shop = stampede()
    shop.run(MINUTE)
    shed(shop)
    assert strain.read_levels(shop) == (("cache", 1.0),)


def test_a_part_of_the_connections_is_lost_with_a_part_of_the_servers():
    shop = thunder()
    limited(shop, "stock", "1")
    shop.run(3 * MINUTE)
    add_process(shop, "stock", "10.244.1.77", uid="uid-stock-2")
    services = {str(i): {"id": str(i), "name": "srv-stock", "address": ip, "port": 8080}
                for i, ip in enumerate(["10.244.1.3", "10.244.1.77"])}  # fmt: skip
    change(shop, "consul", state={"services": services})
    traffic.compute_success(shop)
    assert strain.read_levels(shop) == (("front>srv-stock", 0.5),)


def test_a_world_in_which_nothing_is_told_knows_no_strain():
    shop = make_shop()
    shop.run(MINUTE)
    (interval,) = traffic.list_intervals(shop, shop.now - 1, shop.now)
    assert not {"strains", "each"} & set(interval.outcome)
    assert not shop.table("strains")


def test_requests_that_are_walked_meet_what_was_worked_out():
    shop = storm()
    told(shop, retry={**RETRY, "attempts": 3})
    limited(shop, "stock", "34m")
    shop.run(5 * MINUTE)
    (interval,) = traffic.list_intervals(shop, shop.now - 1, shop.now)
    found = [r for r in traffic.list_requests(shop, shop.now - 5 * MINUTE, shop.now) if r.operation == "buy"]
    share = sum(r.status == 200 for r in found[-2_000:]) / len(found[-2_000:])
    assert share == pytest.approx(interval.success["buy"], abs=0.08)


def test_each_attempt_leaves_a_span_of_its_caller():
    shop = storm()
    shop.run(MINUTE)
    (interval,) = traffic.list_intervals(shop, shop.now - 1, shop.now)
    (batch,) = [b for b in traffic.stream.walk_batches(shop, shop.now - 5_000, shop.now) if b.operation == "buy"]
    walk = Walk(interval.outcome, "buy", batch.arrivals.keys)
    calls = [visit for visit in walk.visits if visit.side == "client"]
    assert len(calls) == RETRY["attempts"]
    assert {int(code) for visit in calls for code in visit.codes} == {4}
    row = interval.outcome["strains"]["front>srv-stock"]
    assert row["attempts"] == pytest.approx(16 * row["asked"])


def test_forks_and_snapshots_go_on_alike():
    shop = storm()
    base = make_shop(rate=20.0)
    twin, third = shop.fork(), base.fork()
    third.become(shop.difference(base))
    for world in (shop, twin, third):
        shed(world)
        world.run(MINUTE)
    assert shop.table("timeline") == twin.table("timeline") == third.table("timeline")
    assert shop.table("strains") == twin.table("strains") == third.table("strains")
